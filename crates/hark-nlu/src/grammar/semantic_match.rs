//! Names that were said in other words, and things that the home does not have.
//!
//! A thing is only taken for meant when everything that was said of it is accounted for: by its name, by a
//! word for the same, by the room it stands in or by the kind of thing it is. "The bed light" is therefore no
//! kitchen light, however alike the two are as a whole. The encoder is asked word by word, and only where
//! another word of the name was said.

use super::Grammar;
use super::fuzzy_match::near_names::{NamesFound, Nearness, Span};
use super::fuzzy_match::{self, Item};
use super::home::THINGS;
use super::parse_result::Match;
use super::reader::Reader;
use super::synonyms;
use crate::text::{self, Token};
use serde_json::Value;
use std::rc::Rc;

/// Two words at least this much alike in meaning are one.
const ALIKE: f32 = 0.8;
/// Words whose meaning is looked up for one request, and the steps of each: encoding takes milliseconds.
const MAX_LOOKED_UP: usize = 8;
const LOOK_UP_STEPS: usize = 2_000;
/// Steps of comparing what was said with a name.
const LIKENESS_STEPS: usize = 4;
/// All of the name was said in other words.
const WHOLE: f32 = 0.95;
/// What tells it from others was said, without what kind of thing it is.
const BARE: f32 = 0.85;
/// Some of what tells it from others was said.
const SOME: f32 = 0.7;
/// What is taken off for a word that the encoder held for another.
const GUESSED: f32 = 0.05;

/// What a thing is taken for that the home does not have, where it may be.
const USUAL_DOMAINS: [&str; 2] = ["light", "switch"];
/// Most words of a thing that nobody knows.
const MAX_UNKNOWN: usize = 4;
/// Words at most between an article and its thing.
const MAX_BETWEEN: usize = 3;
impl Reader<'_> {
    /// The stretches of a sentence that mean a name.
    pub(crate) fn meaning_spans(&self, tokens: &[Token]) -> Vec<Span> {
        self.meaning_spans_of(tokens, |_| true)
    }

    /// Those of words that mean a thing or a place in every home, which takes a fraction of the time: "the hoover".
    pub(super) fn synonym_spans(&self, tokens: &[Token]) -> Vec<Span> {
        let lexicon = self.grammar.lexicon();
        self.meaning_spans_of(tokens, |said| {
            let content = synonyms::content(said, lexicon);
            !content.is_empty() && content.iter().all(|word| synonyms::is_first(word, &lexicon.things))
        })
    }

    fn meaning_spans_of(&self, tokens: &[Token], may: impl Fn(&[&str]) -> bool) -> Vec<Span> {
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let mut spans = Vec::new();
        let stretches = fuzzy_match::stretches(&words, self.grammar.lexicon());
        for (start, end) in stretches.filter(|(start, end)| may(&words[*start..*end])) {
            if !self.spend(1) {
                return Vec::new();
            }
            let said = words[start..end].join(" ");
            let known = self.caches.meant.borrow().get(&said).cloned();
            let found = known.unwrap_or_else(|| {
                let found = self.meant_names(&words[start..end]);
                self.caches.meant.borrow_mut().insert(said, Rc::clone(&found));
                found
            });
            spans.extend(fuzzy_match::by_list(&found, (start, end)));
        }
        spans
    }

    /// The names that some words mean.
    fn meant_names(&self, said: &[&str]) -> NamesFound {
        let (names, lexicon) = (&self.grammar.names, self.grammar.lexicon());
        // "Dinner's over" says something of dinner.
        if said.last().is_some_and(|last| synonyms::content(&[*last], lexicon).is_empty()) {
            return NamesFound::from([]);
        }
        // "Lights" are all of them, not the one that is called "lamp".
        let several = self.grammar.are_several(said);
        let said = synonyms::content(said, self.grammar.lexicon());
        let mut found = Vec::new();
        // Whatever is not said with at least one of its words can only be another word for all of it.
        let can_be = |item: &&Item| {
            let shared = said.iter().any(|word| item.content.contains(word));
            let is_only_a_kind = item.content.len() == 1;
            if several && is_only_a_kind { false } else { shared || said.len() == 1 && is_only_a_kind }
        };
        self.spend(names.items.len());
        for item in names.items.iter().filter(can_be) {
            if !self.spend(LIKENESS_STEPS) {
                break;
            }
            if let Some(score) = self.likeness(&said, item) {
                found.push((item.list, fuzzy_match::candidate(item, Nearness::Meaning, score)));
            }
        }
        found.into()
    }

    /// Stretches of a sentence that may be a thing the home does not have: what stands behind an article, or
    /// ends in what things are called. Each is offered once for every kind of thing there is.
    pub(super) fn unknown_spans(&self, tokens: &[Token]) -> Vec<Span> {
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let (grammar, lexicon) = (self.grammar, self.grammar.lexicon());
        let mut kinds: Vec<&Item> = Vec::new();
        for item in grammar.names.items.iter().filter(|item| item.list == THINGS) {
            let domain = |item: &Item| item.entry.context.get("domain").cloned();
            if !kinds.iter().any(|known| domain(known) == domain(item)) {
                kinds.push(item);
            }
        }
        let behind_article =
            |start: usize| start > 0 && lexicon.things.small_words.contains(words[start - 1]);
        let can_be = |(start, end): &(usize, usize)| {
            let stretch = &words[*start..*end];
            let plain = !stretch.iter().any(|word| {
                lexicon.things.not_in_names.contains(word) || word.starts_with(|c: char| c.is_ascii_digit())
            });
            // A verb before the article is no part of the name: "set the …".
            let alone = !stretch.iter().any(|word| lexicon.things.small_words.contains(word))
                && grammar.names_a_kind(stretch);
            end - start <= MAX_UNKNOWN && plain && (behind_article(*start) || alone)
        };
        let stretches = fuzzy_match::stretches(&words, self.grammar.lexicon()).filter(can_be);
        // "The bed light" is one thing, not the light of "the bed".
        let offer = |(start, end): (usize, usize)| {
            let length = (end - start) as f32 / 10.0;
            let score = match grammar.names_a_kind(&words[start..end]) {
                true if behind_article(start) => 0.5 + length,
                true => 0.5 - length,
                false => length / 2.0,
            };
            kinds.iter().map(move |item| Span {
                start,
                end,
                list: THINGS,
                candidates: vec![fuzzy_match::candidate(item, Nearness::Unknown, score)],
            })
        };
        stretches.flat_map(offer).collect()
    }

    /// A request about something that the home does not have: what it would be, with the name as it was said.
    pub(crate) fn parse_unknown(&self, text: &str, tokens: &[Token]) -> Option<(Match, String)> {
        let spans = self.unknown_spans(tokens);
        // What nobody knows is sooner a light than a lawn mower.
        let usual = |span: &&Span| {
            let context = span.candidates.first().map(|candidate| &candidate.entry.context);
            let domain = context.and_then(|context| context.get("domain")).and_then(Value::as_str);
            domain.is_some_and(|domain| USUAL_DOMAINS.contains(&domain))
        };
        let some: Vec<Span> = spans.iter().filter(usual).cloned().collect();
        let read =
            |spans: &[Span]| (!spans.is_empty()).then(|| self.parse_with(text, tokens, spans)).flatten();
        let mut found = read(&some).or_else(|| read(&spans))?;
        let name = found.unknown.take()?;
        Some((found, name))
    }

    /// Whether something of the home is called so, or by several of these words: "the porch light", "the christmas
    /// tree lights".
    pub(crate) fn names_something(&self, tokens: &[Token]) -> bool {
        let most = |span: &Span| span.end - span.start == tokens.len() || span.end - span.start > 1;
        let form = |span: &Span| span.candidates.first().is_some_and(|best| best.how == Nearness::Form);
        self.near_spans(tokens).iter().any(|span| span.list == THINGS && most(span) && form(span))
    }
}

impl Grammar {
    /// Whether a word stands before what things are called and says which of them is meant: "the *bed* light".
    /// Who passes over it means another thing.
    pub(super) fn tells_which(&self, tokens: &[Token], at: usize) -> bool {
        let things = &self.lexicon().things;
        let word = |at: usize| tokens.get(at).map_or("", |token| token.word.as_str());
        let article = |at: usize| things.small_words.contains(word(at));
        if article(at) || things.fillers.contains(word(at)) || things.beside.contains(word(at)) {
            return false;
        }
        let rest = at + 1..tokens.len().min(at + 1 + MAX_BETWEEN);
        let thing =
            rest.into_iter().take_while(|at| !article(*at)).find(|at| self.names_a_kind(&[word(*at)]));
        let Some(thing) = thing else { return false };
        let behind_article = (thing.saturating_sub(MAX_BETWEEN)..at).rev().find(|at| article(*at));
        let unheard_of = at + 1 == thing && self.words.typed(word(at)).is_none();
        behind_article.is_some_and(|start| !self.names_a_kind(&[word(start + 1)])) || unheard_of
    }

    /// Whether some words say what kind of thing they mean.
    pub(crate) fn says_what_kind(&self, text: &str) -> bool {
        let tokens = text::tokenise(text, self.lexicon());
        self.names_a_kind(&tokens.iter().map(|token| token.word.as_str()).collect::<Vec<_>>())
    }

    /// Whether some words are what a kind of thing is called and nothing more: "light", but not "the light".
    pub(crate) fn is_a_kind(&self, words: &[&str]) -> bool {
        let things = &self.lexicon().things;
        let is_small = |word: Option<&&str>| word.is_some_and(|word| things.small_words.contains(word));
        let content = synonyms::content(words, self.lexicon());
        let bounded = !is_small(words.first()) && !is_small(words.last());
        bounded && content.len() == 1 && synonyms::ends_in_kind(&content[0], things)
    }

    /// Whether some words are a kind of thing in the plural: "lights".
    fn are_several(&self, words: &[&str]) -> bool {
        let things = &self.lexicon().things;
        self.is_a_kind(words) && words.last().is_some_and(|word| synonyms::is_plural(word, things))
    }

    /// Whether some words say what kind of thing they mean: "bed light", but not "deal".
    pub(super) fn names_a_kind(&self, words: &[&str]) -> bool {
        let lexicon = self.lexicon();
        synonyms::content(words, lexicon)
            .last()
            .is_some_and(|word| synonyms::ends_in_kind(word, &lexicon.things))
    }
}

impl Reader<'_> {
    /// How well something is meant by what was said of it, 0 to 1; `None` when something else is.
    fn likeness(&self, said: &[String], item: &Item) -> Option<f32> {
        let things = &self.grammar.lexicon().things;
        let domain = item.entry.context.get("domain").and_then(|domain| domain.as_str()).unwrap_or_default();
        let kind = |word: &String| synonyms::is_kind(word, domain, things);
        let any_kind = |words: &[String]| words.iter().any(|word| synonyms::is_any_kind(word, things));
        let shared_kind =
            || said.iter().any(|word| synonyms::is_any_kind(word, things) && item.content.contains(word));
        // A fan is no lamp, whatever else the two are called.
        if said.is_empty()
            || item.content.is_empty()
            || any_kind(said) && any_kind(&item.content) && !shared_kind()
        {
            return None;
        }
        let placed = |word: &String| item.content.contains(word) || item.area.contains(word) || kind(word);
        let strange: Vec<&String> = said.iter().filter(|word| !placed(word)).collect();
        let taken_for = match strange.as_slice() {
            [] => None,
            [word] => Some(self.taken_for(word, said, item)?),
            _ => return None,
        };
        let told = |word: &String| said.contains(word) || taken_for.as_ref() == Some(word);
        let own: Vec<&String> =
            item.content.iter().filter(|word| !item.area.contains(word) && !kind(word)).collect();
        let own_told = own.iter().filter(|word| told(word)).count();
        let score = match () {
            () if item.content.iter().all(told) => WHOLE,
            // Of a place all must be said: the floor of a "floor lamp" is not the ground floor.
            () if item.list != THINGS => return None,
            () if own.is_empty() => {
                let area_told = item.area.iter().any(|word| said.contains(word));
                (area_told && said.iter().any(kind)).then_some(WHOLE)?
            }
            () if own_told == own.len() => BARE,
            () if own_told > 0 => SOME,
            () => return None,
        };
        Some(if taken_for.is_some() { score - GUESSED } else { score })
    }

    /// The word of a name that a word most likely means.
    fn taken_for(&self, word: &str, said: &[String], item: &Item) -> Option<String> {
        let others_fit = said.len() == item.content.len()
            && said.iter().filter(|word| item.content.contains(word)).count() + 1 == said.len();
        // What is the name of a place means that place and no other.
        let is_place =
            || self.grammar.names.items.iter().any(|item| item.list != THINGS && item.content == [word]);
        // Compounds are alike where they should not be: the back door and the front door.
        if !others_fit || word.contains(' ') || is_place() {
            return None;
        }
        let similar = self.grammar.similar.as_ref()?;
        let known = &self.grammar.names.words;
        let mut looked_up = self.caches.looked_up.borrow_mut();
        if !looked_up.contains_key(word) {
            if looked_up.len() >= MAX_LOOKED_UP || !self.spend(LOOK_UP_STEPS) {
                return None;
            }
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            looked_up.insert(word.to_owned(), self.apart(|| similar(word, &known)));
        }
        let likeness = looked_up.get(word)?;
        let alike = |part: &&String| {
            let at = known.binary_search(part).ok();
            !said.contains(part)
                && !part.contains(' ')
                && at.and_then(|at| likeness.get(at)).is_some_and(|score| *score >= ALIKE)
        };
        item.content.iter().find(alike).cloned()
    }
}

//! How a sentence without clauses is read, and the intents of what was read.

use super::super::embedded_requests::holds_another;
use super::super::grammar::{Grammar, How, Match, Reader};
use super::super::intent::{category_of, leans_on_another};
use super::super::multi_value;
use super::super::qualifiers::Qualifiers;
use super::super::request_framing::Speech;
use super::super::requests::{self, Parse, Reading, Sentence, Words};
use super::super::text::Token;
use super::super::to_intent::{is_one_of_a_kind, kind_of, to_intent};
use hark_core::automation::intent::{COMMAND, DENIES, IT};
use hark_core::{Ambiguity, Category, Intent, Understanding};
use serde_json::Value;
use std::iter;

/// One of several requests: by its sentence, else by what it may mean.
pub(super) fn one_of_several(
    reader: &Reader<'_>,
    text: &str,
    tokens: &[Token],
    is_alone: bool,
) -> Option<Match> {
    let core = Speech { reader, text, tokens }.asked().unwrap_or(tokens);
    reader
        .exactly(text, tokens)
        .or_else(|| reader.exactly(text, core))
        .or_else(|| reader.nearly(text, core))
        .or_else(|| if is_alone { reader.likely(text, core) } else { None })
}

impl Reader<'_> {
    /// The best match of some tokens of `text`. Where any words would be an item of what was spoken of before, a thing that is
    /// nearly named comes first: "put the *tree* on" is about the Christmas tree.
    pub(in super::super) fn named(&self, text: &str, tokens: &[Token]) -> Option<Match> {
        let exact = self.exactly(text, tokens)?;
        let is_item = exact.wild_words > 0 && leans_on_another(&exact.intent);
        let is_named =
            |it: &Match| it.wild_words == 0 && it.slots.contains_key("name") && !leans_on_another(&it.intent);
        let named = if is_item { self.nearly(text, tokens).filter(is_named) } else { None };
        named.or(Some(exact))
    }

    /// What a sentence is read as, by the first way that does.
    pub(in super::super) fn read(&self, text: &str, tokens: &[Token]) -> Option<Reading> {
        let reader = self;
        let exactly = |text: &str, tokens: &[Token], words: Words| match words {
            Words::Any => {
                let found = reader.named(text, tokens)?;
                Some(without_content(reader, text, tokens, found.wild_words).unwrap_or(found))
            }
            Words::Known => reader.tamely(text, tokens),
        };
        // "Turn on the light, set a timer and put noodles on the list": not all of that goes on the list.
        let holds = |found: &Match, text: &str, tokens: &[Token]| {
            found.wild_words > 0 && holds_another(found, &Speech { reader, text, tokens })
        };
        let nearly = |text: &str, tokens: &[Token], _: Words| {
            let found = reader.named(text, tokens).or_else(|| reader.nearly(text, tokens));
            found.filter(|found| !holds(found, text, tokens))
        };
        // One of several may have its reason: "… and the gate, I'm coming up the drive".
        let with_reason = |text: &str, tokens: &[Token], words: Words| {
            let speech = Speech { reader, text, tokens };
            let reasoned = || speech.with_reason(true).or_else(|| speech.beside_reason());
            nearly(text, tokens, words).or_else(|| reader.once(How::WithReason, text, tokens, reasoned))
        };
        let whole = |found: Match| Reading { matches: vec![found], missed: Vec::new() };
        let swallows = |found: &Match, text: &str, tokens: &[Token]| {
            let joints = || Sentence::new(text, tokens, reader, &exactly, Words::Known).joints(0);
            let is_tame = |at: usize| {
                reader.tamely(text, &tokens[..at]).is_some_and(|first| !leans_on_another(&first.intent))
            };
            // "Batteries to the shopping and a toothbrush" is no one item.
            let names_list =
                |at: usize| reader.exactly(text, &tokens[..at]).is_some_and(|first| first.is_on_named_list());
            holds(found, text, tokens)
                || found.wild_words > 0
                    && !leans_on_another(&found.intent)
                    && (joints().first().is_some_and(|(at, _)| is_tame(*at))
                        || category_of(&found.intent) == Some(Category::List)
                            && joints().iter().any(|(at, _)| names_list(*at)))
        };
        let whole_exactly = |text: &str, tokens: &[Token], words: Words| {
            exactly(text, tokens, words).filter(|found| !holds(found, text, tokens))
        };
        let apart = |text: &str, tokens: &[Token], words: Words| {
            exactly(text, tokens, words).filter(|found| !swallows(found, text, tokens))
        };
        // What goes on a list may be any words, wherever courtesies end; what is put off is a request of its own.
        let tame = |found: &Match| {
            found.wild_words == 0
                || category_of(&found.intent) == Some(Category::List)
                || found.slots.contains_key(COMMAND)
        };
        let speech = Speech { reader, text, tokens };
        let core = speech.core();
        let once = |found: Reading| speech.once(found);
        let in_core = |found: &Match| tame(found) && !swallows(found, text, core.unwrap_or(tokens));
        let politely = |text: &str, tokens: &[Token], words: Words| {
            let Some(core) = (Speech { reader, text, tokens }).core() else {
                return apart(text, tokens, words);
            };
            reader.exactly(text, tokens).or_else(|| reader.exactly(text, core).filter(tame))
        };
        // Courtesies in front are no part of a name: "actually make the timer twelve minutes".
        let behind_leads = || {
            let core = core.filter(|core| core.last() == tokens.last())?;
            reader.exactly(text, core)
        };
        let in_full = exactly(text, tokens, Words::Any).map(|found| match found.wild_words {
            0 => found,
            wild => behind_leads().filter(|core| core.wild_words < wild).unwrap_or(found),
        });
        let several = in_full.as_ref().filter(|found| swallows(found, text, tokens));
        several
            .and_then(|_| requests::all(text, tokens, reader, &apart))
            .or_else(|| in_full.filter(|found| !holds(found, text, tokens)).map(whole))
            .or_else(|| reader.exactly(text, core?).filter(in_core).map(whole))
            .or_else(|| reader.exactly(text, speech.without_courtesies_behind()?).filter(in_core).map(whole))
            .or_else(|| speech.placed().map(whole))
            .or_else(|| reader.several_later(text, core.unwrap_or(tokens)).map(whole))
            .or_else(|| multi_value::read(text, core.unwrap_or(tokens), reader, &exactly))
            .or_else(|| speech.minded().map(whole))
            .or_else(|| {
                speech.corrected().or_else(|| Speech { tokens: core?, ..speech }.corrected()).map(whole)
            })
            .or_else(|| requests::all(text, tokens, reader, &whole_exactly).map(once))
            .or_else(|| requests::all(text, core.unwrap_or(tokens), reader, &politely).map(once))
            .or_else(|| speech.with_reason(false).map(whole))
            .or_else(|| speech.several_with_reason())
            .or_else(|| requests::unjoined(text, core.unwrap_or(tokens), reader, &whole_exactly).map(once))
            .or_else(|| reader.nearly(text, tokens).filter(|found| !holds(found, text, tokens)).map(whole))
            .or_else(|| reader.nearly(text, core?).filter(in_core).map(whole))
            .or_else(|| speech.with_reason(true).map(whole))
            .or_else(|| speech.behind_correction().map(whole))
            .or_else(|| speech.beside_reason().map(whole))
            .or_else(|| Speech { tokens: core?, ..speech }.beside_reason().map(whole))
            .or_else(|| requests::all(text, tokens, reader, &nearly).map(once))
            .or_else(|| requests::all(text, tokens, reader, &with_reason).map(once))
            .or_else(|| unjoined(text, core.unwrap_or(tokens), reader, &nearly).map(once))
            .or_else(|| requests::some(text, tokens, reader, &with_reason))
    }
}

/// The request for a thing without the courtesy behind it, where nothing else was taken as it is: "put the radio on too"
/// plays nothing that is called so.
fn without_content(reader: &Reader<'_>, text: &str, tokens: &[Token], wild_words: usize) -> Option<Match> {
    let core = if wild_words > 0 { Speech { reader, text, tokens }.core()? } else { return None };
    let behind = core.first() == tokens.first() && core.len() + wild_words == tokens.len();
    let named = |found: &Match| found.wild_words == 0 && found.slots.contains_key("name");
    if behind { reader.exactly(text, core).filter(named) } else { None }
}

pub(super) fn understanding(reading: Reading, grammar: &Grammar) -> Understanding {
    let mut named: Vec<(String, Value)> = Vec::new();
    let reading = reading.without_reasons(grammar.lexicon());
    let mut found = Understanding { missed: reading.missed, ..Understanding::default() };
    if reading.matches.len() > 1 {
        found.parts = reading.matches.iter().map(Match::said).collect();
    }
    for (index, one) in reading.matches.into_iter().enumerate() {
        let doubts = one.doubts.iter().map(|doubt| Ambiguity { intent: index, ..doubt.clone() });
        found.ambiguous.extend(doubts);
        let says_kind = one.words.iter().any(|(word, _)| grammar.says_what_kind(word));
        let denies = |word: &str| grammar.lexicon().requests.negations.contains(word);
        let is_denied = leans_on_another(&one.intent) && one.words.iter().any(|(word, _)| denies(word));
        let words: Vec<String> = one.words.iter().map(|(word, _)| word.clone()).collect();
        let mut one = with_only_meant(to_intent(one, grammar.lexicon()), &words, grammar);
        if is_denied && found.parts.len() > 1 {
            one.slots.insert(DENIES.to_owned(), true.into());
        }
        let says_which = ["name", "area", "floor"].iter().any(|slot| one.slots.contains_key(*slot));
        let domain = kind_of(&one.name);
        let known = named.iter().rev().find(|(of, _)| Some(of.as_str()) == domain);
        // "Turn on the radio and turn it down a bit", "put the porch light on at forty percent".
        if let Some((_, name)) = known.filter(|_| !says_which && !says_kind) {
            one.slots.insert("name".to_owned(), name.clone());
            one.slots.remove("domain");
        }
        // "Lamp on and turn it down": the lamp, and not the sound.
        if let Some((domain, name)) = named.last().filter(|_| one.slots.contains_key(IT) && known.is_none()) {
            one.slots.insert("name".to_owned(), name.clone());
            one.slots.insert("domain".to_owned(), domain.as_str().into());
        }
        let each = counted(&one, &words, grammar);
        if !each.is_empty() {
            one.slots.retain(|slot, _| !["area", "domain"].contains(&slot.as_str()));
            found.intents.extend(each.into_iter().map(|name| {
                let named = iter::once(("name".to_owned(), name));
                Intent { slots: one.slots.clone().into_iter().chain(named).collect(), ..one.clone() }
            }));
            continue;
        }
        let name = one.slots.get("name").and_then(|name| Some((grammar.domain_of(name.as_str()?)?, name)));
        named.extend(name.map(|(domain, name)| (domain.to_owned(), name.clone())));
        found.intents.push(one);
    }
    found
}

/// A request with the name of the only thing that its words can mean.
pub(super) fn with_only_meant(mut one: Intent, words: &[String], grammar: &Grammar) -> Intent {
    if let Some(name) = only_meant(&one, words, grammar) {
        one.slots.retain(|slot, _| !["area", "domain"].contains(&slot.as_str()));
        one.slots.insert("name".to_owned(), name);
        one.single = false;
    }
    one
}

/// The name of the one thing in an area that is called by the kind that was said, "the *lamp* in the bedroom" beside its light; of
/// what heats, the one in the house: "set the *radiator* to nineteen".
fn only_meant(one: &Intent, words: &[String], grammar: &Grammar) -> Option<Value> {
    let said: Vec<&str> = words.iter().map(String::as_str).collect();
    let says_where = ["name", "area", "floor"].iter().any(|slot| one.slots.contains_key(*slot));
    let of_area = one.slots.get("area").zip(one.slots.get("domain").and_then(Value::as_str));
    let of_house = || kind_of(&one.name).filter(|_| !says_where && !one.slots.contains_key("domain"));
    let (area, domain) = match of_area {
        Some((area, domain)) => (Some(area), domain),
        None => (None, of_house()?),
    };
    let is_the_one = (one.single || area.is_none()) && !is_one_of_a_kind(&said, grammar.lexicon());
    let only = |word: &String| match grammar.called(Some(word), area, domain).as_slice() {
        [only] => Some((*only).clone()),
        _ => None,
    };
    is_the_one.then(|| words.iter().find_map(only)).flatten()
}

/// The names of as many things in an area as were counted, where so many are called by the kind that was said, and there are more
/// of it: "the *two lamps* in the living room" beside its light. None where that is not so.
fn counted(one: &Intent, words: &[String], grammar: &Grammar) -> Vec<Value> {
    let said: Vec<&str> = words.iter().map(String::as_str).collect();
    let (area, domain) = (one.slots.get("area"), one.slots.get("domain").and_then(Value::as_str));
    let (Some(area), Some(domain)) = (area, domain) else { return Vec::new() };
    let lexicon = grammar.lexicon();
    let count = |at: usize| match lexicon.numbers.whole(&said[at..]) {
        Some((count, used)) => Some((usize::try_from(count).ok()?, at + used)),
        None => lexicon.qualifiers.both.contains(said[at]).then_some((2, at + 1)),
    };
    let named = (0..said.len()).filter_map(count).find_map(|(count, kind)| {
        let called = grammar.called(Some(said.get(kind)?), Some(area), domain);
        (count > 1 && called.len() == count).then_some(called)
    });
    let all = grammar.called(None, Some(area), domain);
    let some = named.filter(|named| named.len() < all.len() && !one.slots.contains_key("name"));
    some.unwrap_or_default().into_iter().cloned().collect()
}

/// Requests with nearly said names that nothing joins, each of which says what is to be done: "beside the bed" is none, whatever it
/// is near to. `None` where one says when.
fn unjoined(text: &str, tokens: &[Token], reader: &Reader<'_>, nearly: Parse<'_>) -> Option<Reading> {
    let speech = Speech { reader, text, tokens };
    let says_when =
        !Qualifiers::of(reader, text, tokens).is_empty() || !speech.datetimes(&speech.words()).is_empty();
    let talk = &reader.grammar.lexicon().discourse;
    let acts = |token: &Token| [talk.verbs, talk.closing].iter().any(|it| it.contains(&token.word));
    let act = |text: &str, tokens: &[Token], words: Words| {
        if tokens.iter().any(acts) { nearly(text, tokens, words) } else { None }
    };
    if says_when { None } else { requests::unjoined(text, tokens, reader, &act) }
}

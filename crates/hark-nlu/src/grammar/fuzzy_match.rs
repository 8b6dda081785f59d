//! Names that were not said exactly: other order, plural, only a part, a sound-alike. Like meanings are in `semantic_match`.
//!
//! For a sentence that no template accepts as it is, every stretch of its words is compared with every
//! name of the home. What is near enough is offered to the parser as if the name had been said. Several
//! names that are about as near are a tie, and a tie is asked back, never guessed.

pub(super) mod near_names;

use super::home::{IN_AREA, THINGS};
use super::reader::Reader;
use super::synonyms;
use super::views::Entry;
use super::words::Words;
use crate::phonetic_key::{self, Sound};
use crate::rules::{self, Rule};
use crate::text::{self, Token};
use hark_core::intent::NearThing;
use hark_language::{Lexicon, phrases};
use near_names::{Candidate, NamesFound, Nearness, Span};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Tells how alike in meaning a text is to each of some names, 0 to 1. Wired where an encoder is at hand.
pub type Similar = Arc<dyn Fn(&str, &[&str]) -> Vec<f32> + Send + Sync>;

/// At least this much alike in sound.
const SOUND: f32 = 0.75;
/// What is this much worse than the best still counts as a tie.
const MARGIN: f32 = 0.06;
/// More names than this are not a tie but no answer.
const MAX_TIED: usize = 4;
/// Names have at most this many words more or less than what was said.
const MAX_WORDS: usize = 6;

/// Letters of what was said whose sound is compared with that of a name in one step.
const LETTERS_A_STEP: usize = 8;

/// One way to say a name.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) list: u8,
    pub(super) entry: Arc<Entry>,
    pub(super) text: String,
    sound: Sound,
    /// Stems of its words, sorted.
    stems: Vec<String>,
    /// What it is made of, for meanings.
    pub(super) content: Vec<String>,
    /// The same of the area it stands in.
    pub(super) area: Vec<String>,
}

/// All names of the home, ready to be compared.
#[derive(Debug, Default)]
pub struct Names {
    pub(super) items: Vec<Item>,
    /// By the stems, joined.
    by_stems: HashMap<String, Vec<usize>>,
    /// Every word that names are made of, sorted.
    pub(super) words: Vec<String>,
}

impl Names {
    /// `lists` are the entries of the home's lists, by their numbers.
    pub fn new(lists: &[Arc<[Arc<Entry>]>], words: &Words, lexicon: &'static Lexicon) -> Self {
        let mut names = Self::default();
        for (list, entries) in lists.iter().enumerate() {
            for entry in entries.iter() {
                let area = area_content(entry, lexicon);
                for phrase in &entry.phrases {
                    let said: Vec<&str> = phrase.iter().map(|word| words.text(*word)).collect();
                    let stems = stems(&said, lexicon);
                    if stems.is_empty() {
                        continue;
                    }
                    let item = Item {
                        list: list as u8,
                        entry: Arc::clone(entry),
                        text: said.join(" "),
                        sound: Sound::of(&said),
                        stems,
                        content: synonyms::content(&said, lexicon),
                        area: area.clone(),
                    };
                    names.by_stems.entry(item.stems.join(" ")).or_default().push(names.items.len());
                    names.items.push(item);
                }
            }
        }
        names.words = names.items.iter().flat_map(|item| item.content.iter().cloned()).collect();
        names.words.sort_unstable();
        names.words.dedup();
        names
    }

    /// Whether something in one of some lists has exactly this name.
    pub(super) fn are_called(&self, name: &str, lists: &[u8]) -> bool {
        self.items.iter().any(|item| lists.contains(&item.list) && item.text == name)
    }
}

/// Content words without their plural, sorted.
fn stems(words: &[&str], lexicon: &Lexicon) -> Vec<String> {
    let mut stems: Vec<String> = words
        .iter()
        .filter(|word| !lexicon.things.small_words.contains(word))
        .map(|word| synonyms::stem(word, &lexicon.things).to_owned())
        .collect();
    stems.sort();
    stems
}

impl Reader<'_> {
    /// The stretches of a sentence that are near a name by form, sound or part.
    pub(crate) fn near_spans(&self, tokens: &[Token]) -> Vec<Span> {
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let mut spans = Vec::new();
        for (start, end) in stretches(&words, self.grammar.lexicon()) {
            if !self.spend(1) {
                return Vec::new();
            }
            let said = words[start..end].join(" ");
            let known = self.caches.near.borrow().get(&said).cloned();
            let found = known.unwrap_or_else(|| {
                let found = self.near_names(&words[start..end], &said);
                self.caches.near.borrow_mut().insert(said, Rc::clone(&found));
                found
            });
            spans.extend(by_list(&found, (start, end)));
        }
        spans
    }

    /// Stretches that are the name of one thing, or a part that no other thing has.
    fn things(&self, tokens: &[Token]) -> impl Iterator<Item = Span> {
        let is_sure = |span: &Span| match span.candidates.as_slice() {
            [first, ..] if first.how == Nearness::Form => true,
            // "Coffee" is of "coffee machine" and of "coffee maker", which are one.
            [first, ..] => span
                .candidates
                .iter()
                .all(|one| one.how == Nearness::Part && one.entry.out == first.entry.out),
            [] => false,
        };
        self.near_spans(tokens).into_iter().filter(move |span| span.list == THINGS && is_sure(span))
    }

    /// The text with names in full where only parts of them were said: "the extractor" for the extractor fan. `None` where all
    /// are.
    pub(crate) fn with_names_in_full(&self, tokens: &[Token]) -> Option<String> {
        let mut spans: Vec<Span> = self.things(tokens).collect();
        spans.sort_by_key(|span| (span.start, Reverse(span.end)));
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let is_name = |start: usize, end: usize| {
            let name = words[start..end].join(" ");
            self.grammar.is_thing(&name) || self.grammar.is_place(&name)
        };
        // "The lamp" of "the desk lamp" is in full.
        let within_a_name = |span: &Span| {
            let starts = span.end.saturating_sub(MAX_WORDS)..=span.start;
            starts
                .into_iter()
                .any(|start| (span.end..=words.len().min(start + MAX_WORDS)).any(|end| is_name(start, end)))
        };
        // "The washing machine" is neither the washing mode nor the coffee machine.
        let stands_alone =
            |span: &Span| !spans.iter().any(|other| other.end == span.start || other.start == span.end);
        // "Every morning" is not the scene "Good morning".
        let timed = self.words_of_times(&words);
        let is_time = |span: &Span| timed[span.start..span.end].contains(&true);
        let (mut said, mut at): (Vec<&str>, _) = (Vec::new(), 0);
        let is_thing = |span: &&Span| stands_alone(span) && !within_a_name(span) && !is_time(span);
        for span in spans.iter().filter(is_thing) {
            if span.start >= at {
                said.extend(&words[at..span.start]);
                said.push(span.candidates[0].entry.out.as_str()?);
                // "The bedside *one*."
                let is_one = |word: &&str| self.grammar.lexicon().discourse.one.contains(word);
                at = span.end + usize::from(words.get(span.end).is_some_and(is_one));
            }
        }
        (at > 0).then(|| [said.as_slice(), &words[at..]].concat().join(" ").to_lowercase())
    }

    /// Which words belong to a time or a repetition.
    fn words_of_times(&self, words: &[&str]) -> Vec<bool> {
        let by = self.reckoning();
        let mut timed = vec![false; words.len()];
        for at in 0..words.len() {
            let longest = |rule| rules::longest(rule, &words[at..], &by).map_or(0, |(_, used)| used);
            let used = longest(Rule::Recurrence).max(longest(Rule::Datetime));
            let part =
                phrases::find(self.grammar.lexicon().time.parts, &words[at..]).map_or(0, |(_, used)| used);
            timed[at..at + used.max(part)].fill(true);
        }
        timed
    }

    /// The one thing whose name, or a part that no other thing has, is in a sentence.
    pub(crate) fn nearest_thing(&self, tokens: &[Token]) -> Option<NearThing> {
        let best = self.things(tokens).min_by_key(|span| span.candidates[0].how)?;
        let entry = &best.candidates[0].entry;
        let domain = entry.context.get("domain")?.as_str()?.to_owned();
        let said: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let said = stems(&said, self.grammar.lexicon());
        let mut names = self.grammar.names.items.iter().filter(|item| item.entry.out == entry.out);
        let is_alone = self.things(tokens).all(|span| span.candidates[0].entry.out == entry.out);
        let in_full = is_alone
            && names.any(|item| item.stems.len() > 1 && item.stems.iter().all(|stem| said.contains(stem)));
        Some(NearThing { name: entry.out.as_str()?.to_owned(), domain, in_full })
    }

    /// The names that some words are near to.
    fn near_names(&self, said: &[&str], text: &str) -> NamesFound {
        let names = &self.grammar.names;
        let lexicon = self.grammar.lexicon();
        let (stems, sound) = (stems(said, lexicon), Sound::of(said));
        let known = synonyms::known(said, &lexicon.things);
        let mut found: Vec<(u8, Candidate)> = Vec::new();
        let exact = names.by_stems.get(&stems.join(" ")).map(Vec::as_slice).unwrap_or_default();
        for item in exact.iter().map(|index| &names.items[*index]) {
            found.push((item.list, candidate(item, Nearness::Form, 1.0)));
        }
        for item in &names.items {
            let compared = is_about_as_long(&sound, &item.sound);
            if !self.spend(if compared { 1 + text.len() / LETTERS_A_STEP } else { 1 }) {
                break;
            }
            if let Some(near) = near(item, text, (&sound, &known), &stems, lexicon) {
                found.push((item.list, near));
            }
        }
        found.into()
    }
}

/// What the name of the area is made of where something stands.
fn area_content(entry: &Entry, lexicon: &'static Lexicon) -> Vec<String> {
    let area = entry.context.get(IN_AREA).and_then(|area| area.as_str()).unwrap_or_default();
    let words = text::words(area, lexicon);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    synonyms::content(&words, lexicon)
}

/// Stretches of words that can be a name, the longest first.
pub(super) fn stretches<'w>(
    words: &'w [&'w str],
    lexicon: &'static Lexicon,
) -> impl Iterator<Item = (usize, usize)> + 'w {
    let lengths = (1..=MAX_WORDS.min(words.len())).rev();
    let all = lengths.flat_map(|length| (0..=words.len() - length).map(move |start| (start, start + length)));
    all.filter(|(start, end)| {
        let (first, last) = (words[*start], words[*end - 1]);
        let joined = words[*start..*end].iter().any(|word| lexicon.things.joiners.contains(word));
        let denied = words[*start..*end].iter().any(|word| lexicon.requests.negations.contains(word));
        !joined
            && !denied
            && !lexicon.things.small_words.contains(first)
            && !lexicon.things.small_words.contains(last)
    })
}

pub(super) fn candidate(item: &Item, how: Nearness, score: f32) -> Candidate {
    Candidate { entry: Arc::clone(&item.entry), how, score }
}

/// Whether two names can sound alike at all: their keys must be about as long.
fn is_about_as_long(one: &Sound, other: &Sound) -> bool {
    let (one, other) = (one.length(), other.length());
    one.abs_diff(other) <= 1 + one.max(other) / 4 && one.min(other) >= 2
}

/// How near some words are to a name; `known` are those of them that mean a thing or a place in every home.
fn near(
    item: &Item,
    text: &str,
    (sound, known): (&Sound, &[String]),
    stems: &[String],
    lexicon: &Lexicon,
) -> Option<Candidate> {
    // A cheap look first.
    if is_about_as_long(sound, &item.sound) {
        let score = phonetic_key::likeness(sound, &item.sound, lexicon.things.negating_prefixes);
        // "The landing light" is not the standing light.
        let is_other = || known.iter().any(|word| !item.content.contains(word));
        if score >= SOUND && text != item.text && !is_other() {
            return Some(candidate(item, Nearness::Sound, score));
        }
    }
    let part = !stems.is_empty()
        && stems.len() < item.stems.len()
        && stems.iter().all(|stem| stem.len() > 2 && item.stems.contains(stem))
        && !stems.iter().all(|stem| lexicon.things.places.contains(stem.as_str()));
    let share = stems.len() as f32 / item.stems.len().max(1) as f32;
    part.then(|| candidate(item, Nearness::Part, share))
}

/// What was found in a stretch of words, by list; the best first.
pub(super) fn by_list(found: &[(u8, Candidate)], (start, end): (usize, usize)) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (list, candidate) in found.iter().cloned() {
        match spans.iter_mut().find(|span| span.list == list) {
            Some(span) => span.candidates.push(candidate),
            None => spans.push(Span { start, end, list, candidates: vec![candidate] }),
        }
    }
    for span in &mut spans {
        span.candidates.sort_by(|one, other| one.how.cmp(&other.how).then(other.score.total_cmp(&one.score)));
    }
    spans
}

/// The best of some candidates and those that are tied with it; `None` when there are too many.
pub fn tied(candidates: Vec<(Candidate, u32)>) -> Option<Vec<(Candidate, u32)>> {
    let (best, _) = candidates.first()?;
    let (how, score) = (best.how, best.score);
    // Of names that share a word all are meant, however many words they have besides.
    let margin = if how == Nearness::Part { 1.0 } else { MARGIN };
    let mut kept: Vec<(Candidate, u32)> = Vec::new();
    for (candidate, value) in candidates {
        let known = kept.iter().any(|(known, _)| known.entry.out == candidate.entry.out);
        if candidate.how == how && score - candidate.score <= margin && !known {
            kept.push((candidate, value));
        }
    }
    (kept.len() <= MAX_TIED).then_some(kept)
}

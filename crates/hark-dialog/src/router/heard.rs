//! Which of the texts that were perhaps heard is a request, and how it is to be spelt: the marks that a recogniser puts between
//! words are guesses.

use super::Router;
use chrono::NaiveDateTime;
use hark_core::intent::refusal;
use hark_core::ports::Understand;
use hark_core::{Category, Effort, Intent};
use hark_language::Lexicon;
use serde_json::Value;

/// Contractions that are tried.
const MAX_SPELLINGS: usize = 3;

impl Router {
    /// The first of several texts that is a request, and how it is best spelt; `None` where none is. Each is read within what
    /// `effort` gives, and when that gives nothing no more are read: a person waits.
    pub fn request_among(
        &self,
        heard: &[&str],
        now: NaiveDateTime,
        effort: &dyn Fn() -> Option<Effort>,
    ) -> Option<(usize, String)> {
        let asks_for = |text: &str| self.asks_for(text, now, &effort()?);
        let as_heard = heard.iter().enumerate().find_map(|(at, text)| {
            let plain = without_marks(text);
            let as_written = asks_for(text);
            let as_plain = (plain != *text).then(|| asks_for(&plain)).flatten();
            // A mark in the wrong place has a part of it left out.
            let best = if as_plain > as_written { plain } else { (*text).to_owned() };
            as_written.or(as_plain).map(|_| (at, best))
        });
        let lexicon = || hark_language::known(&self.spoken.first()?.language);
        as_heard.or_else(|| {
            let spelt = contracted(&without_marks(heard.first()?), lexicon()?);
            spelt.into_iter().find(|text| asks_for(text).is_some()).map(|text| (0, text))
        })
    }

    /// How much of a text is a request for something to be done or told, as the number of values that were read; `None` where
    /// not all of it is. What is only talked about, and what is refused, is none.
    fn asks_for(&self, text: &str, now: NaiveDateTime, effort: &Effort) -> Option<usize> {
        let usual = self.spoken.first().map_or("", |spoken| &spoken.language);
        let found = self.understand_within(text, usual, now, effort);
        let asks = |intent: &Intent| {
            let category = (self.facts.category_of)(&intent.name);
            let is_talk = matches!(category, Some(Category::Conversation | Category::Memory));
            !is_talk && intent.name != refusal::INTENT
        };
        let is_request =
            !found.intents.is_empty() && found.missed.is_empty() && found.intents.iter().all(asks);
        let values = found.intents.iter().map(|intent| 1 + intent.slots.values().map(count).sum::<usize>());
        is_request.then(|| values.sum())
    }
}

/// Values within a value.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(map) => map.values().map(count).sum(),
        _ => 1,
    }
}

/// The words alone.
fn without_marks(text: &str) -> String {
    // "3,000", "9:30" and "mum's" are words, and so is "10-6".
    let words = text.split(' ').map(|word| word.trim_matches([',', ';', '?', '!', '-']));
    let apart = |word: &str| match word.contains(|c: char| c.is_ascii_digit()) {
        true => word.to_owned(),
        false => word.replace('-', " "),
    };
    words.map(apart).collect::<Vec<_>>().join(" ")
}

/// The same with one word written as the contraction that it sounds like: "the *door's* been open".
fn contracted(text: &str, lexicon: &Lexicon) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let endings = &lexicon.discourse.sounds_contracted;
    let spelt = words.iter().enumerate().flat_map(|(at, word)| {
        let words = &words;
        endings.iter().filter_map(move |(end, contracted)| {
            let spelt = format!("{}{}", word.strip_suffix(end)?, &**contracted);
            let mut words = words.clone();
            words[at] = &spelt;
            Some(words.join(" "))
        })
    });
    spelt.take(MAX_SPELLINGS).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Facts, Spoken};
    use super::*;
    use hark_config::intent::IntentConfig;
    use hark_core::{Route, Slots, Understanding};
    use std::sync::Arc;

    /// Understands these texts, with so many values.
    struct Texts(Vec<(&'static str, usize)>);

    impl Understand for Texts {
        fn understand_within(&self, text: &str, _: &str, _: NaiveDateTime, _: &Effort) -> Understanding {
            let known = self.0.iter().find(|(known, _)| *known == text);
            let intent = |(name, values): &(&str, usize)| Intent {
                name: if name.starts_with("refused") { refusal::INTENT } else { "HassTurnOn" }.to_owned(),
                slots: (0..*values).map(|at| (at.to_string(), Value::Null)).collect::<Slots>(),
                confidence: 1.0,
                route: Route::Template,
                why: String::new(),
                response: None,
                single: false,
            };
            Understanding { intents: known.map(intent).into_iter().collect(), ..Understanding::default() }
        }
    }

    fn router(known: &[(&'static str, usize)]) -> Router {
        let spoken = vec![Spoken { language: "en".to_owned(), sentences: Arc::new(Texts(known.to_vec())) }];
        let facts = Facts { category_of: |_| None, triggers: |_, _| None, language_of: |_| None };
        Router::new(spoken, None, IntentConfig::default(), facts)
    }

    fn among(known: &[(&'static str, usize)], heard: &[&str]) -> Option<(usize, String)> {
        router(known).request_among(heard, NaiveDateTime::default(), &|| Some(Effort::default()))
    }

    #[test]
    fn the_first_that_is_a_request_is_taken_in_the_spelling_of_which_most_is_understood() {
        let (comma, plain) = ("if it freezes out, there tonight", "if it freezes out there tonight");
        assert_eq!(among(&[(comma, 2), (plain, 3)], &["x", comma]), Some((1, plain.to_owned())));
        assert_eq!(among(&[(comma, 3), (plain, 3)], &[comma]), Some((0, comma.to_owned())));
        assert_eq!(
            among(&[("set twenty one", 1)], &["set, twenty-one?"]),
            Some((0, "set twenty one".into()))
        );
        assert_eq!(among(&[("refused", 1)], &["refused", "x"]), None);
        assert_eq!(among(&[], &[]), None);
        assert_eq!(router(&[(plain, 1)]).request_among(&[plain], NaiveDateTime::default(), &|| None), None);
    }

    #[test]
    fn where_none_is_a_word_may_be_the_contraction_that_it_sounds_like() {
        let (heard, meant) = ("if the doors been open", "if the door's been open");
        assert_eq!(among(&[(meant, 1)], &[heard, "x"]), Some((0, meant.to_owned())));
    }
}

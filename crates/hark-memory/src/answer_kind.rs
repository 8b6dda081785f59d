//! Whether a fact is of the kind that a question wants: "when" is answered by a time, "where" by a place, and a question about
//! somebody by what was told of them.

use crate::keep::{Memory, without_possessive};
use hark_core::memory::{Dating, Fact, ValueKind};
use hark_language::names::normal;
use hark_language::{Lexicon, Phrases, phrases};

/// What the words of a question want of an answer.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Wanted {
    time: bool,
    place: bool,
    amount: bool,
    /// What is a number, or is known by its own word: "number".
    number: bool,
    /// A name.
    name: bool,
    /// Names that are said in it, in the form in which they are compared.
    names: Vec<String>,
}

impl Wanted {
    pub(crate) fn of(asked: &str) -> Self {
        let has = |list| is_asked_by(asked, list);
        let capital = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
        let is_i = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count() < 2;
        let names = asked.split_whitespace().skip(1).filter(|word| capital(word) && !is_i(word));
        let languages = hark_language::all();
        Self {
            time: has(|language| language.memory.asks.when),
            place: has(|language| language.memory.asks.place),
            amount: has(|language| language.memory.asks.amount),
            number: has_any(asked, |language| language.memory.asks.number),
            name: has_any(asked, |language| language.memory.asks.name),
            names: names.map(|word| normal(&without_possessive(word, &languages))).collect(),
        }
    }

    /// Whether it wants an answer of some kind, whatever it is about.
    pub(crate) fn is_of_a_kind(&self) -> bool {
        self.time || self.place || self.amount || self.number
    }
}

/// Whether a text asks first with one of some phrases of any language: "what do we do *when* it leaks" asks for no time.
fn is_asked_by(text: &str, list: fn(&Lexicon) -> Phrases) -> bool {
    let words: Vec<String> =
        text.split_whitespace().map(|word| word.to_lowercase().replace('’', "'")).collect();
    let words: Vec<&str> =
        words.iter().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let languages = hark_language::all();
    let asks = |at: usize| {
        let of = |language: &&'static Lexicon| {
            let asks = &language.memory.asks;
            let lists = [asks.when, asks.place, asks.amount, asks.what];
            lists.into_iter().filter_map(|list| phrases::starts(list, &words[at..])).max()
        };
        languages.iter().filter_map(of).max()
    };
    let first = (0..words.len()).find_map(|at| Some((at, at + asks(at)?)));
    // "Tell me when", "and how old".
    let (from, to) = first.unwrap_or((0, words.len()));
    (from..words.len().min(to + 1))
        .any(|at| languages.iter().any(|language| phrases::starts(list(language), &words[at..]).is_some()))
}

/// Whether a text has one of some phrases of any language.
fn has_any(text: &str, list: fn(&Lexicon) -> Phrases) -> bool {
    hark_language::all().iter().any(|language| language.memory.has_any(list(language), text))
}

impl Memory {
    /// Whether a fact may be what is wanted.
    pub(crate) fn is_of_kind(&self, fact: &Fact, wanted: &Wanted) -> bool {
        let has = |list| has_any(&fact.text, list);
        let has_digit = fact.text.chars().any(|c| c.is_ascii_digit());
        let has_number = || {
            has_digit
                || hark_language::all().iter().any(|language| {
                    fact.text
                        .split_whitespace()
                        .any(|word| language.numbers.parse(&[&*word.to_lowercase()]).is_some())
                })
        };
        let is_dated = || {
            let (reader, language) = (self.reader.as_ref(), fact.source.language.as_str());
            let now = chrono::NaiveDateTime::default();
            reader.is_some_and(|it| it.time(&fact.text, language, now, Dating::Once).is_some())
        };
        let has_day = || {
            let days = [ValueKind::Day, ValueKind::DayOfMonth, ValueKind::Month, ValueKind::Time];
            let language = fact.source.language.as_str();
            let values = self.reader.as_ref().map(|it| it.values(&fact.text, language)).unwrap_or_default();
            values.iter().any(|value| days.contains(&value.kind))
        };
        let tells_when = || {
            fact.time.is_some()
                || has_day()
                || has_digit
                || has(|language| language.memory.asks.time_words)
                || is_dated()
        };
        let tells_where = || has(|language| language.memory.asks.place_words);
        let asks_nothing = !wanted.is_of_a_kind();
        asks_nothing
            || wanted.time && tells_when()
            || wanted.place && tells_where()
            || wanted.amount && has_number()
            || wanted.number && (has_number() || has(|language| language.memory.asks.number))
    }

    /// Whether a fact tells a name; always true where the question does not ask for one.
    pub(crate) fn is_name_told(&self, fact: &Fact, wanted: &Wanted) -> bool {
        let is_named = || fact.statement.as_ref().is_some_and(|it| it.entity.is_some());
        !wanted.name || has_any(&fact.text, |language| language.memory.asks.name) || is_named()
    }

    /// Whether a fact has all names that a question has.
    pub(crate) fn names_all(&self, fact: &Fact, wanted: &Wanted) -> bool {
        let said = normal(&fact.text);
        let holds = |name: &String| {
            said.split(' ').any(|word| word == name || word.strip_suffix('s') == Some(name))
                || fact.mentions.iter().any(|it| it.key.split(' ').any(|word| word == name))
        };
        wanted.names.iter().all(holds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_asks_says_what_kind_of_answer_is_wanted() {
        let kinds = |asked: &str| {
            let wanted = Wanted::of(asked);
            [wanted.time, wanted.place, wanted.amount]
        };
        assert_eq!(kinds("when's the mot"), [true, false, false]);
        assert_eq!(kinds("on which day is the mot"), [true, false, false]);
        assert_eq!(kinds("what do we do when the boiler leaks"), [false; 3]);
        assert_eq!(kinds("tell me where's the turps got to"), [false, true, false]);
        assert_eq!(kinds("and how old is Clive"), [false, false, true]);
    }

    #[test]
    fn names_of_a_question_lose_what_makes_them_owners_and_no_more() {
        for (asked, names) in [
            ("when does Mr O'Brien come", ["mr", "obrien"].as_slice()),
            ("where is O’Brien’s ladder", &["obrien"]),
            ("when is Sam's birthday?", &["sam"]),
            ("what does James take", &["james"]),
        ] {
            assert_eq!(Wanted::of(asked).names, names, "{asked}");
        }
    }
}

//! Words that tell lasting statements from passing ones, and how a statement is told back to whoever made it. What is
//! a statement at all stands in the sentence files of `memory/`.

use crate::names::is_small;
use crate::phrases::{self, Phrase, Phrases, Table};
use serde::Deserialize;

/// Words at most from the speaker to what they do something to: "i always keep me glasses".
const MAX_BEFORE_OWNED: usize = 4;

/// `memory.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// Words with which no lasting thing begins, because they point at what is here and now, or say nothing: "this",
    /// "it", "here".
    pub passing: Phrases,
    /// Of those, words that say whose something is where another word follows: "her tablets".
    pub belongs: Phrases,
    /// Words that stand where a name could and are none: "angry", "home".
    pub conditions: Phrases,
    /// Endings of such words: "ing".
    pub condition_endings: Phrases,
    /// What stands behind the name of an owner: "'s".
    pub possessive: Phrases,
    /// Words that tell of what is nobody else's business: "password".
    pub private: Phrases,
    /// What leads in a statement and says nothing of it: "by the way".
    pub leads: Phrases,
    /// What comes behind a statement and says nothing of it: "you know".
    pub tails: Phrases,
    /// Words of a sentence that may not be so: "maybe", "he said".
    pub doubts: Phrases,
    /// Words between two statements of one sentence: "and".
    pub connectors: Phrases,
    /// Words that begin with a capital where they begin a sentence, and are nobody's name: "dinner".
    pub unnamed: Phrases,
    /// What somebody or something is called for a moment: "idiot", "mess".
    pub judgements: Phrases,
    /// Nouns of what has one exact value: "password", "size".
    pub attributes: Phrases,
    /// Words of what is where it is only now: people, animals, meals.
    pub moving: Phrases,
    /// What begins a correction: "no", "sorry".
    pub corrects: Phrases,
    /// Words of a sentence that tells of a change: "no longer", "has moved".
    pub changes: Phrases,
    /// Words at the beginning of a sentence that refer to the sentence before it, and to no person: "it".
    pub points_back: Phrases,
    /// Words with which a sentence of its own begins behind what is to be forgotten: "forget the gym, *i* gave it up".
    pub clause_starts: Phrases,
    /// Coins that numbers count: "three *pound*".
    pub coins: Phrases,
    /// Such a beginning that says for itself that something else is meant: "i meant".
    pub meant: Phrases,
    /// What stands before the right word of a correction: "it's".
    pub it_is: Phrases,
    /// What stands before the wrong word of a correction: "not".
    pub not: Phrases,
    /// What stands between the wrong word and the right one: "but".
    pub but: Phrases,
    /// Words for somebody who was spoken of, and what stands in their place with `{}` for the name: "her" is "{}'s".
    pub pronouns: Table<Phrase>,
    /// Words that stand for what was named before: "there".
    pub demonstratives: Phrases,
    /// Words that are another in a question than in its answer, by the one they are compared as: "neighbours" with "next
    /// door".
    pub same: Table<Phrases>,
    /// Endings of words in place of which another one may stand: "framer" and "framing".
    pub endings: Phrases,
    /// What stands before a name and is none itself: "Dr".
    pub titles: Phrases,
    /// Endings of words that stand for another word, and that word: "'ve got" is "have".
    pub contractions: Table<Phrase>,
    /// Which words of a question want which kind of answer.
    pub asks: Asks,
    /// Words of a sentence that turn into others when it is told to the one who said it: "my" into "your". The longest
    /// counts.
    pub told_back: Table<Phrase>,
    /// The same of words that say whose the word behind them is, as some say it: "*me* glasses".
    pub told_back_owning: Table<Phrase>,
}

/// Words of questions by the kind of answer, and words that such an answer has.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Asks {
    /// "When", "what day".
    pub when: Phrases,
    /// "Where".
    pub place: Phrases,
    /// "How much", "how old".
    pub amount: Phrases,
    /// Words for what is a number: "phone number".
    pub number: Phrases,
    /// Words with which a name is asked for and told: "called".
    pub name: Phrases,
    /// What a question begins with that is answered by yes or no: "is".
    pub whether: Phrases,
    /// What any other question begins with, but for words that begin other sentences as well: "what", "who".
    pub what: Phrases,
    /// Words of a question that its answer often lacks: "takes".
    pub light: Phrases,
    /// Beginnings of questions behind which a word says of which kind the answer is: "which".
    pub kind: Phrases,
    /// Words of a question that only who lives here can answer: "my", "am i".
    pub own: Phrases,
    /// Words of an answer that says where: "in", "under".
    pub place_words: Phrases,
    /// Words of an answer that says when and are no date: "every", "mondays".
    pub time_words: Phrases,
}

impl Memory {
    /// Whether something begins with words that point at what is here and now.
    pub fn is_passing(&self, text: &str) -> bool {
        let words = words(text);
        words.is_empty() || phrases::starts(self.passing, &borrowed(&words)).is_some()
    }

    /// The same of the other end of a statement, where "her tablets" are something and "her" is nobody.
    pub fn is_passing_object(&self, text: &str) -> bool {
        let words = words(text);
        let owned = words.len() > 1 && phrases::starts(self.belongs, &borrowed(&words)).is_some();
        !owned && self.is_passing(text)
    }

    /// Whether some words are how somebody is, rather than a name.
    pub fn is_condition(&self, text: &str) -> bool {
        let words = words(text);
        let Some(first) = words.first() else { return true };
        let ends = self
            .condition_endings
            .iter()
            .any(|ending| first.len() > ending.len() + 2 && first.ends_with(ending));
        ends || phrases::starts(self.conditions, &borrowed(&words)).is_some()
    }

    /// Whether some words are no name, but what stands before one.
    pub fn is_title(&self, text: &str) -> bool {
        self.titles.contains(&words(text).join(" "))
    }

    /// Whether one of the words of some text is in a list.
    pub fn has_any(&self, list: Phrases, text: &str) -> bool {
        let words = words(text);
        let words = borrowed(&words);
        (0..words.len()).any(|at| phrases::starts(list, &words[at..]).is_some())
    }

    /// Whether a text begins with one of some phrases.
    pub fn begins_with(&self, list: Phrases, text: &str) -> bool {
        phrases::starts(list, &borrowed(&words(text))).is_some()
    }

    /// What is to be forgotten, without a sentence of its own behind it: "the gym" of "the gym, I gave it up".
    pub fn topic<'t>(&self, text: &'t str) -> &'t str {
        let starts = text.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at);
        let ends =
            |at: &usize| text[..*at].ends_with(',') || self.begins_with(self.clause_starts, &text[*at..]);
        let end = starts.into_iter().find(ends).unwrap_or(text.len());
        text[..end].trim_end_matches(|c: char| !c.is_alphanumeric())
    }

    /// Whether words look like somebody's name: each begins with a capital, and they are not how somebody is, nor what is
    /// nobody's name.
    pub fn is_name(&self, text: &str) -> bool {
        let capital = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
        let mut said = text.split_whitespace().peekable();
        said.peek().is_some()
            && said.all(capital)
            && !self.is_condition(text)
            && !self.has_any(self.unnamed, text)
    }

    /// An owner and what is theirs, of words that hold both: "Sam's phone number".
    pub fn owned<'t>(&self, text: &'t str) -> Option<(&'t str, &'t str)> {
        let ends = |word: &str| self.owner(word) != word && word.contains(['\'', '’']);
        let mut at = 0;
        for word in text.split_whitespace() {
            let start = at + text.get(at..)?.find(word)?;
            at = start + word.len();
            if ends(word) {
                return Some((self.owner(&text[..at]), text[at..].trim_start()));
            }
        }
        None
    }

    /// A sentence with a name in the place of its first word for somebody who was spoken of: "she has a dog".
    pub fn named(&self, text: &str, name: &str) -> String {
        let find = |word: &str| {
            let word = word.to_lowercase().replace('’', "'");
            phrases::find(self.pronouns, &[word.as_str()]).map(|(put, _)| put.text().replace("{}", name))
        };
        let mut put = None;
        let words = text.split(' ').map(|word| match (&put, find(word)) {
            (None, Some(named)) => {
                put = Some(());
                named
            }
            _ => word.to_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// A sentence with endings of its words in full, one ending at a time: "my wife's called Anna" as "my wife is called Anna".
    pub fn expanded(&self, text: &str) -> Vec<String> {
        let plain = text.replace('’', "'");
        let mut found = Vec::new();
        for (ending, whole) in self.contractions.iter() {
            let ending: &str = ending;
            for (at, _) in plain.match_indices(ending) {
                let behind = &plain[at + ending.len()..];
                let ends = behind.is_empty() || behind.starts_with(|c: char| !c.is_alphanumeric());
                if at > 0 && ends {
                    found.push(format!("{} {}{behind}", &plain[..at], whole.text()));
                }
            }
        }
        found.sort_by_key(|text| std::cmp::Reverse(text.len()));
        found
    }

    /// Whether a word stands for somebody who was spoken of: "she".
    pub fn is_pronoun(&self, word: &str) -> bool {
        phrases::find(self.pronouns, &[word.to_lowercase().replace('’', "'").as_str()]).is_some()
    }

    /// What the phrase that some words begin with is compared as, and its count of words: "neighbours" for "next door".
    pub fn compared_as(&self, words: &[&str]) -> Option<(&'static str, usize)> {
        let found =
            self.same.iter().filter_map(|(as_what, said)| Some((*as_what, phrases::starts(*said, words)?)));
        found.max_by_key(|(_, length)| *length)
    }

    /// The words that are compared as one word, without that one.
    pub fn others_like(&self, word: &str) -> &'static [&'static str] {
        self.same.iter().find(|(as_what, _)| *as_what == word).map_or(&[], |(_, said)| said.all())
    }

    /// Whether a text begins like a question that is answered by yes or no.
    pub fn asks_whether(&self, text: &str) -> bool {
        phrases::starts(self.asks.whether, &borrowed(&words(text))).is_some()
    }

    /// Whether a text begins as a yes-or-no question with a name behind the verb: "has Barnaby …". "Can you …" has none.
    pub fn asks_of_another(&self, text: &str) -> bool {
        let words = words(text);
        let length = phrases::starts(self.asks.whether, &borrowed(&words));
        length.and_then(|length| words.get(length)).is_some_and(|next| !self.is_passing(next))
    }

    /// Whether a text begins like a question that is not.
    pub fn asks_what(&self, text: &str) -> bool {
        phrases::starts(self.asks.what, &borrowed(&words(text))).is_some()
    }

    /// Whether some words begin with one that is another when it is told back: "my".
    pub fn is_told_back(&self, text: &str) -> bool {
        phrases::find(self.told_back, &borrowed(&words(text))).is_some()
    }

    /// Whether a text begins like a question that is not answered by yes or no, and is of the speaker's own: "what's my size".
    pub fn asks_of_own(&self, text: &str) -> bool {
        self.asks_what(text) && self.has_any(self.asks.own, text)
    }

    /// A question without the words that only say that it asks for a time or a place: "what date is the party".
    pub fn without_asking<'t>(&self, text: &'t str) -> &'t str {
        let words = words(text);
        let words = borrowed(&words);
        let lists = [self.asks.when, self.asks.place].into_iter();
        let length = lists.filter_map(|list| phrases::starts(list, &words)).max().unwrap_or(0);
        let mut rest = text.trim_start();
        for _ in 0..length {
            rest = rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
        }
        rest
    }

    /// The word by which a question says of which kind its answer is: "country" of "what country does he live in".
    pub fn kind_asked(&self, text: &str) -> Option<String> {
        let words = words(text);
        let length = phrases::starts(self.asks.kind, &borrowed(&words))?;
        words.get(length).cloned()
    }

    /// A name without the ending that makes it an owner: "Anna's" is "Anna".
    pub fn owner<'t>(&self, text: &'t str) -> &'t str {
        let lower = text.to_lowercase();
        let mut endings = self.possessive.iter().filter(|ending| lower.ends_with(**ending));
        let shorter = endings.next().and_then(|ending| text.get(..text.len() - ending.len()));
        shorter.filter(|name| !name.is_empty()).unwrap_or(text)
    }

    /// Whether the word at a place says whose the next one is: at the beginning of a clause, behind "it's", or where the speaker
    /// does it ("I keep *me* glasses"), to whom it cannot be done.
    fn owns(&self, words: &[&str], at: usize) -> bool {
        let begins =
            || at == 0 || self.connectors.contains(words[at - 1]) || self.it_is.contains(words[at - 1]);
        let does_it = || {
            let near = at.saturating_sub(MAX_BEFORE_OWNED)..at;
            let subject = words[..at].iter().rposition(|word| self.clause_starts.contains(word));
            let subject = subject.filter(|subject| near.contains(subject));
            subject.is_some_and(|subject| phrases::find(self.told_back, &words[subject..=subject]).is_some())
        };
        let is_owned = |next: &&str| !is_small(next) && !self.conditions.contains(next);
        words.get(at + 1).is_some_and(is_owned) && (begins() || does_it())
    }

    /// A sentence as it is told to the one who said it.
    pub fn told_back(&self, text: &str) -> String {
        let said: Vec<&str> = text.split_whitespace().collect();
        let trim =
            |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'");
        let lower: Vec<String> = said.iter().map(|word| trim(word)).collect();
        let lower = borrowed(&lower);
        let mut told: Vec<String> = Vec::new();
        let mut at = 0;
        while at < said.len() {
            let owning =
                phrases::find(self.told_back_owning, &lower[at..=at]).filter(|_| self.owns(&lower, at));
            match owning.or_else(|| phrases::find(self.told_back, &lower[at..])) {
                Some((other, length)) if length > 0 => {
                    told.push(other.text().to_owned());
                    at += length;
                }
                _ => {
                    told.push(said[at].to_owned());
                    at += 1;
                }
            }
        }
        told.join(" ").trim_end_matches(['.', '!', ' ']).to_owned()
    }
}

/// Lower-case words without the punctuation around them.
fn words(text: &str) -> Vec<String> {
    let trim =
        |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'");
    text.split_whitespace().map(trim).filter(|word| !word.is_empty()).collect()
}

fn borrowed(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_said_is_told_back() {
        for (code, said, told) in [
            ("en", "my wife is Anna.", "your wife is Anna"),
            ("en", "I am allergic to nuts", "you are allergic to nuts"),
            ("en", "I don't like olives", "you don't like olives"),
            ("en", "we're going to Rome in May", "you're going to Rome in May"),
            ("en", "me friend doreen comes of a friday", "your friend doreen comes of a friday"),
            ("en", "i keep me glasses in the pouffe", "you keep your glasses in the pouffe"),
            ("en", "the doctor's put me on tablets", "the doctor's put you on tablets"),
            ("en", "she gave me a lift and me mum's cross", "she gave you a lift and your mum's cross"),
            ("de", "meine Frau heißt Anna", "deine Frau heißt Anna"),
            ("de", "ich mag Jazz", "du magst Jazz"),
            ("xx", "my wife is Anna", "my wife is Anna"),
        ] {
            assert_eq!(crate::of(code).memory.told_back(said), told, "{said}");
        }
    }

    #[test]
    fn what_a_question_only_asks_with_is_known() {
        let english = &crate::of("en").memory;
        assert_eq!(english.without_asking("what date are the jabs"), "are the jabs");
        assert_eq!(english.without_asking("the jabs"), "the jabs");
        assert_eq!(english.kind_asked("which country is he in").as_deref(), Some("country"));
        assert_eq!(english.compared_as(&["next", "door", "is"]), Some(("neighbours", 2)));
        assert_eq!(english.compared_as(&["door"]), None);
    }

    #[test]
    fn what_passes_and_how_somebody_is_are_no_names() {
        let english = &crate::of("en").memory;
        for text in ["this song", "it", "you", "not Anna"] {
            assert!(english.is_passing(text), "{text}");
        }
        for text in ["angry", "coming home", "in the kitchen"] {
            assert!(english.is_passing(text) || english.is_condition(text), "{text}");
        }
        for text in ["Anna", "jazz", "Rome"] {
            assert!(!english.is_passing(text) && !english.is_condition(text), "{text}");
        }
        assert_eq!((english.owner("Anna's"), english.owner("Anna")), ("Anna", "Anna"));
        assert_eq!(crate::of("de").memory.owner("Annas"), "Anna");
    }
}

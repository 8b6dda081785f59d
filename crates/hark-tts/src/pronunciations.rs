//! Names that are said otherwise than they are written: respelled, or in the International Phonetic Alphabet. Both the
//! voice and the recogniser go by it.

use hark_core::Fault;
use hark_core::ports::{PcmSink, Pronounce, Voice};
use hark_language::phonemes::{Possessive, SaidEnding};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Around a name in a text for a voice: the name as it is written, then how it is said, for voices that take phonemes.
/// Characters for private use, which are taken out of every other text.
const NAME: char = '\u{e000}';
const SAID: char = '\u{e001}';
const END: char = '\u{e002}';

/// How names are said.
#[derive(Debug, Clone, Default)]
pub struct Pronunciations {
    /// Longest first.
    names: Vec<Name>,
}

#[derive(Debug, Clone)]
struct Name {
    /// In lower case.
    words: Vec<String>,
    said: String,
    is_ipa: bool,
}

impl Pronunciations {
    /// Takes names with how they are said: words as they would be spelt, or phonemes between slashes, such as `/ʃɪˈvɔːn/`.
    pub fn new(says: &BTreeMap<String, String>) -> Self {
        let mut names: Vec<Name> = says
            .iter()
            .map(|(name, said)| {
                let phonemes = said.trim().strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
                Name {
                    words: name.split_whitespace().map(str::to_lowercase).collect(),
                    said: without_marks(phonemes.unwrap_or(said).trim()),
                    is_ipa: phonemes.is_some(),
                }
            })
            .filter(|name| !name.words.is_empty() && !name.said.is_empty())
            .collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.words.len()));
        Self { names }
    }

    /// The text of a language with its names as they are said.
    fn apply(&self, text: &str, language: &str) -> String {
        let ending = &hark_language::of(language).phonemes.possessive;
        let text = without_marks(text);
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut said: Vec<String> = Vec::with_capacity(words.len());
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let found = self.names.iter().find_map(|name| Some((name, name.around(&words[at..])?)));
            let Some((name, (before, after))) = found else {
                said.push((*word).to_owned());
                at += 1;
                continue;
            };
            let written = &words[at..at + name.words.len()];
            at += name.words.len();
            said.push(match name.is_ipa {
                true => {
                    let written = written.join(" ");
                    let written = &written[before.len()..written.len() - after.len()];
                    let (possessive, ending) = possessive(ending, after, &name.said);
                    let after = &after[possessive.len()..];
                    format!("{before}{NAME}{written}{possessive}{SAID}{}{ending}{END}{after}", name.said)
                }
                false => format!("{before}{}{after}", name.said),
            });
        }
        said.join(" ")
    }

    /// How a single word of a name is said; `None` when it is said as it is written.
    fn word(&self, word: &str) -> Option<(&str, bool)> {
        let word = word.to_lowercase();
        self.names.iter().find_map(|name| {
            let at = name.words.iter().position(|own| *own == word)?;
            let said: Vec<&str> = name.said.split_whitespace().collect();
            (said.len() == name.words.len()).then(|| (said[at], name.is_ipa))
        })
    }
}

impl Name {
    /// What stands around the name at the beginning of `words`; `None` when they are others.
    fn around<'a>(&self, words: &[&'a str]) -> Option<(&'a str, &'a str)> {
        let words = words.get(..self.words.len())?;
        let (mut before, mut after) = ("", "");
        for (at, (word, own)) in words.iter().zip(&self.words).enumerate() {
            let (is_first, is_last) = (at == 0, at + 1 == words.len());
            let start = if is_first { word.find(char::is_alphanumeric)? } else { 0 };
            let rest = &word[start..];
            // The rest may be a mark or "'s".
            let end = rest
                .char_indices()
                .map(|(at, letter)| at + letter.len_utf8())
                .find(|end| rest[..*end].to_lowercase() == *own)?;
            let tail = &rest[end..];
            let goes_on = tail.chars().next().is_some_and(char::is_alphanumeric);
            if goes_on || !(is_last || tail.is_empty()) {
                return None;
            }
            if is_first {
                before = &word[..start];
            }
            after = tail;
        }
        Some((before, after))
    }
}

/// The ending of a possessive at the beginning of what stands behind a name in phonemes, and how it is said there; both are
/// empty when there is none.
fn possessive<'a>(ending: &'static Possessive, after: &'a str, said: &str) -> (&'a str, &'static str) {
    let is_end = |rest: &str| !rest.starts_with(char::is_alphanumeric);
    let is_there = |written: &&String| after.strip_prefix(written.as_str()).is_some_and(is_end);
    let last = said.chars().rev().find(|sign| sign.is_alphabetic() && *sign != 'ː');
    let fits =
        |way: &&SaidEnding| way.after.as_ref().is_none_or(|signs| last.is_some_and(|it| signs.contains(it)));
    match (ending.written.iter().find(is_there), ending.said.iter().find(fits)) {
        (Some(written), Some(way)) => (&after[..written.len()], &way.said),
        _ => ("", ""),
    }
}

/// A piece of a text for a voice.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// As it is written.
    Words(&'a str),
    /// Phonemes.
    Ipa(&'a str),
}

/// The pieces of a text that a voice was given, for voices that take phonemes.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((words, marked)) = rest.split_once(NAME) {
        let Some((said, after)) = marked.split_once(END) else { break };
        pieces.push(Piece::Words(words));
        pieces.extend(said.split_once(SAID).map(|(_, ipa)| Piece::Ipa(ipa)));
        rest = after;
    }
    pieces.push(Piece::Words(rest));
    pieces.retain(|piece| !matches!(piece, Piece::Words(words) if words.trim().is_empty()));
    pieces
}

/// The same text as it is written, for voices that do not.
#[cfg(any(test, feature = "espeak"))]
pub(crate) fn as_written(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut said = false;
    for letter in text.chars() {
        match letter {
            SAID => said = true,
            END => said = false,
            NAME => {}
            other if !said => written.push(other),
            _ => {}
        }
    }
    written
}

fn without_marks(text: &str) -> String {
    text.chars().filter(|letter| ![NAME, SAID, END].contains(letter)).collect()
}

/// A voice that says names as they are said.
pub struct Pronouncing {
    voice: Box<dyn Voice>,
    names: Arc<Pronunciations>,
}

impl Pronouncing {
    /// Has `voice` say `names`.
    pub fn new(voice: Box<dyn Voice>, names: Arc<Pronunciations>) -> Self {
        Self { voice, names }
    }
}

impl Voice for Pronouncing {
    fn rate_hz(&self) -> u32 {
        self.voice.rate_hz()
    }

    fn synthesise(&mut self, text: &str, language: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
        self.voice.synthesise(&self.names.apply(text, language), language, sink)
    }
}

/// The pronunciation of words, those of names as they are said.
pub struct PronouncingNames {
    inner: Arc<dyn Pronounce>,
    names: Arc<Pronunciations>,
}

impl PronouncingNames {
    /// Asks `inner` for all other words.
    pub fn new(inner: Arc<dyn Pronounce>, names: Arc<Pronunciations>) -> Self {
        Self { inner, names }
    }
}

impl Pronounce for PronouncingNames {
    fn ipa(&self, word: &str, language: &str) -> Result<String, Fault> {
        match self.names.word(word) {
            Some((ipa, true)) => Ok(ipa.to_owned()),
            Some((respelled, false)) => self.inner.ipa(respelled, language),
            None => self.inner.ipa(word, language),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Pronunciations {
        let says = [
            ("Siobhan", "shivawn"),
            ("Nguyen's room", "win's room"),
            ("Nguyen", "/wɪn/"),
            ("Bad", "/baːt/"),
            ("nothing", "//"),
        ];
        Pronunciations::new(&says.map(|(name, said)| (name.to_owned(), said.to_owned())).into())
    }

    #[test]
    fn names_are_said_with_what_stands_around_them() {
        for (text, said) in [
            ("Siobhan is home.", "shivawn is home."),
            ("It is siobhan's lamp, Siobhan!", "It is shivawn's lamp, shivawn!"),
            ("(Siobhan)", "(shivawn)"),
            ("In Nguyen's room, yes", "In win's room, yes"),
            ("Siobhanna stays", "Siobhanna stays"),
            ("nothing is said", "nothing is said"),
            ("", ""),
        ] {
            assert_eq!(names().apply(text, "en"), said);
        }
    }

    #[test]
    fn phonemes_are_for_voices_that_take_them() {
        let text = names().apply("Ask Nguyen's wife, then the \u{e000}Bad.", "en");
        use Piece::{Ipa, Words};
        assert_eq!(
            pieces(&text),
            [Words("Ask "), Ipa("wɪnz"), Words(" wife, then the "), Ipa("baːt"), Words(".")]
        );
        assert_eq!(
            pieces(&names().apply("Bad’s, Bad'll", "en")),
            [Ipa("baːts"), Words(", "), Ipa("baːt"), Words("'ll")]
        );
        assert_eq!(pieces(&names().apply("Bad's Lampe", "de")), [Ipa("baːts"), Words(" Lampe")]);
        assert_eq!(pieces(&names().apply("Nguyen's Lampe", "de")), [Ipa("wɪns"), Words(" Lampe")]);
        assert_eq!(as_written(&text), "Ask Nguyen's wife, then the Bad.");
        assert_eq!(pieces("no names"), [Words("no names")]);
    }

    #[test]
    fn the_recogniser_hears_names_as_they_are_said() {
        struct Spelt;
        impl Pronounce for Spelt {
            fn ipa(&self, word: &str, _: &str) -> Result<String, Fault> {
                Ok(format!("<{word}>"))
            }
        }
        let names = PronouncingNames::new(Arc::new(Spelt), Arc::new(names()));
        for (word, ipa) in
            [("siobhan", "<shivawn>"), ("nguyen", "wɪn"), ("room", "<room>"), ("lamp", "<lamp>")]
        {
            assert_eq!(names.ipa(word, "en").unwrap(), ipa, "{word}");
        }
    }
}

//! Words and their phonemes: two sorted tables, of common words that were checked by hand and of rare ones. They are
//! kept as text, for as many small strings would take three times the memory.

use super::{PRIMARY, PhonemiserFiles, SECONDARY, is_upper, read_json};
use crate::error::SpeakingError;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use std::cmp::Ordering;
use std::fmt;
use std::path::PathBuf;

/// Longer words in capitals are no initialisms.
const MAX_INITIALISM: usize = 4;

/// Without any of these a word can only be spelt.
const VOWEL_LETTERS: &str = "aeiouyAEIOUY";

/// The key of a form for no part of speech in particular, and of the one in front of a pause.
const USUAL: &str = "DEFAULT";
const LAST: &str = "None";

/// Between a word, its usual form, and forms for parts of speech, each with its key and `=`.
const NEXT: char = '\t';

#[derive(Debug)]
pub(super) struct Lexicon {
    common: Table,
    rare: Table,
}

impl Lexicon {
    pub(super) fn read(files: &PhonemiserFiles) -> Result<Self, SpeakingError> {
        let read = |path: &PathBuf| match read_json::<Table>(path)? {
            table if table.starts.len() > 1 => Ok(table),
            _ => Err(SpeakingError::Phonemiser { path: path.clone(), why: "it has no words".to_owned() }),
        };
        Ok(Self { common: read(&files.common_words)?, rare: read(&files.rare_words)? })
    }

    /// A word as it stands in the tables, or spelt where it is an initialism; `tag` is its part of speech.
    pub(super) fn say(&self, word: &str, tag: &str, is_last: bool) -> Option<String> {
        if word.chars().nth(1).is_none() {
            return self.letter(word.chars().next()?);
        }
        if let Some(entry) = self.common.find(word) {
            // A word that has no form as this part of speech is an initialism then.
            return Some(entry.form(tag, is_last).unwrap_or_else(|| self.spell(word)));
        }
        if is_initials(word) {
            return Some(self.spell(word));
        }
        if !is_upper(word) {
            return self.rare.find(word).and_then(|entry| entry.form(tag, is_last));
        }
        let lower = word.to_lowercase();
        let is_name = tag.starts_with("NNP");
        let common = self.common.find(&lower).and_then(|entry| entry.form(tag, is_last));
        // "IT" is no pronoun.
        let common = common.filter(|common| !is_name || common.contains(PRIMARY));
        if common.is_some() {
            return common;
        }
        let is_short = word.chars().count() <= MAX_INITIALISM;
        let rare = self.rare.find(&lower).and_then(|entry| entry.form(tag, is_last));
        let rare = rare.filter(|_| !is_short || !is_name);
        if rare.is_some() {
            return rare;
        }
        (is_short && is_ascii(word)).then(|| self.spell(word))
    }

    /// A word without a vowel, such as "kWh", by its letters.
    pub(super) fn say_consonants(&self, word: &str) -> Option<String> {
        let is_sayable = word.contains(|c| VOWEL_LETTERS.contains(c));
        (!is_sayable && is_ascii(word)).then(|| self.spell(word))
    }

    /// The names of the letters, the last of them stressed.
    pub(super) fn spell(&self, word: &str) -> String {
        let names: String = word.chars().filter_map(|letter| self.letter(letter)).collect();
        let mut names = names.replace(PRIMARY, "ˌ");
        if let Some(last) = names.rfind(SECONDARY) {
            names.replace_range(last..last + SECONDARY.len_utf8(), "ˈ");
        }
        names
    }

    fn letter(&self, letter: char) -> Option<String> {
        let name = letter.to_ascii_uppercase();
        self.common.entry(name.encode_utf8(&mut [0; 4]))?.form("", false)
    }
}

/// "U.S": single letters with stops between them.
fn is_initials(word: &str) -> bool {
    word.contains('.')
        && word.split('.').all(|part| part.len() <= 1 && part.chars().all(|c| c.is_ascii_alphabetic()))
}

fn is_ascii(word: &str) -> bool {
    word.chars().all(|letter| letter.is_ascii_alphabetic())
}

/// One sorted table.
#[derive(Debug, Default)]
struct Table {
    text: String,
    /// Where each word begins in `text`, and where the last ends.
    starts: Vec<u32>,
}

/// What the table has of a word, behind the word.
#[derive(Clone, Copy)]
struct Entry<'a>(&'a str);

impl Table {
    fn line(&self, at: usize) -> Option<&str> {
        let (start, end) = (*self.starts.get(at)?, *self.starts.get(at + 1)?);
        self.text.get(start as usize..end as usize)
    }

    /// The entry of exactly this word.
    fn entry(&self, word: &str) -> Option<Entry<'_>> {
        let (mut low, mut high) = (0, self.starts.len().saturating_sub(1));
        while low < high {
            let middle = low + (high - low) / 2;
            let (found, forms) = self.line(middle)?.split_once(NEXT)?;
            match found.cmp(word) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Some(Entry(forms)),
            }
        }
        None
    }

    /// The same, or with a capital more or less at its beginning.
    fn find(&self, word: &str) -> Option<Entry<'_>> {
        self.entry(word).or_else(|| {
            let mut letters = word.chars();
            let first = letters.next()?;
            let rest = letters.as_str();
            if rest.contains(char::is_uppercase) {
                return None;
            }
            let other: String = if first.is_uppercase() {
                first.to_lowercase().chain(rest.chars()).collect()
            } else {
                first.to_uppercase().chain(rest.chars()).collect()
            };
            self.entry(&other)
        })
    }
}

impl Entry<'_> {
    /// The form for a part of speech; `None` when it has none as this.
    fn form(self, tag: &str, is_last: bool) -> Option<String> {
        let mut forms = self.0.split(NEXT);
        let usual = forms.next()?;
        let of = |key: &str| forms.clone().filter_map(|form| form.split_once('=')).find(|form| form.0 == key);
        let class = match tag.get(..2).unwrap_or_default() {
            "VB" => "VERB",
            "NN" => "NOUN",
            "JJ" => "ADJ",
            "RB" => "ADV",
            _ => "",
        };
        let last = is_last.then(|| of(LAST)).flatten();
        let form = last.or_else(|| of(tag)).or_else(|| of(class)).map_or(usual, |(_, form)| form);
        // The alphabet of the voices has one letter for a flap, and none for a glottal stop.
        (!form.is_empty()).then(|| form.replace('ɾ', "T").replace('ʔ', "t"))
    }
}

impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Table;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("words with their phonemes")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Table, A::Error> {
        let mut table = Table::default();
        let mut last = String::new();
        while let Some(word) = map.next_key::<String>()? {
            if word <= last || word.contains(NEXT) {
                return Err(A::Error::custom(format_args!("{word:?} is not behind {last:?}")));
            }
            table.starts.push(u32::try_from(table.text.len()).map_err(A::Error::custom)?);
            table.text.push_str(&word);
            table.text.push(NEXT);
            map.next_value_seed(Forms(&mut table.text))?;
            last = word;
        }
        table.starts.push(u32::try_from(table.text.len()).map_err(A::Error::custom)?);
        table.text.shrink_to_fit();
        table.starts.shrink_to_fit();
        Ok(table)
    }
}

/// Puts the forms of a word behind it.
struct Forms<'a>(&'a mut String);

impl<'de> DeserializeSeed<'de> for Forms<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Forms<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("phonemes, or phonemes by part of speech")
    }

    /// One form.
    fn visit_str<E: Error>(self, form: &str) -> Result<(), E> {
        self.0.push_str(form);
        Ok(())
    }

    /// Several by part of speech, with nothing for those in which the word is spelt.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut others = String::new();
        while let Some((tag, form)) = map.next_entry::<String, Option<String>>()? {
            let form = form.unwrap_or_default();
            if tag == USUAL {
                self.0.push_str(&form);
            } else {
                others.push(NEXT);
                others.push_str(&tag);
                others.push('=');
                others.push_str(&form);
            }
        }
        self.0.push_str(&others);
        Ok(())
    }
}

//! English text to phonemes, without espeak-ng: a lexicon, parts of speech for words that are said in several ways,
//! rules for endings and compounds, and a small network for words that are in no lexicon.

mod endings;
mod lexicon;
mod tagger;
mod unknown;
mod words;

use crate::error::SpeakingError;
use crate::language::bare_tag;
use crate::phonemes::clauses::clauses;
use crate::pronunciations::{Piece, pieces};
use endings::Ending;
use flate2::read::GzDecoder;
use hark_core::Fault;
use hark_core::ports::Pronounce;
use hark_language::phonemes::{Following, Form, Phonemes};
use hark_models::onnx::OnnxRuntime;
use lexicon::Lexicon;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tagger::Tagger;
use unknown::Unknown;
use words::{clitic, parts, plain, words};

/// The language whose words and numbers are used.
const LANGUAGE: &str = "en";

/// No file is longer when it is unpacked.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// Characters of a word that are read; the rest is left out, which bounds the time that a word takes.
const MAX_WORD: usize = 80;

/// Letters of vowels and of consonants in the alphabet of the voices.
const VOWELS: &str = "AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻᵊɐ";
const CONSONANTS: &str = "bdfhjklmnpstvwzðŋɡɹɾTʃʒʤʧθ";

/// Letters of sounds that are two in one, and longer.
const DOUBLE: &str = "AIOQWYʤʧ";

const PRIMARY: char = 'ˈ';
const SECONDARY: char = 'ˌ';

/// Words in front that a form of a word can depend on.
const REACH: usize = 3;

/// Where the parts lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhonemiserFiles {
    /// Words and phonemes, checked by hand.
    pub common_words: PathBuf,
    /// The same of many more words.
    pub rare_words: PathBuf,
    /// Weights of the tagger of parts of speech.
    pub tagger: PathBuf,
    /// The network for unknown words, and its letters.
    pub unknown_words: PathBuf,
    pub unknown_words_letters: PathBuf,
    /// Whether they are for British English.
    pub british: bool,
}

/// Says how English text is spoken, in the letters of the hibari voices.
#[derive(Debug)]
pub struct Phonemiser {
    files: PhonemiserFiles,
    lexicon: Lexicon,
    tagger: Tagger,
    unknown: Unknown,
    own: &'static Phonemes,
}

/// The phonemiser that was opened last: all who need it share one, since it takes 10 MB.
static OPEN: Mutex<Weak<Phonemiser>> = Mutex::new(Weak::new());

/// What is said one after the other.
enum Token<'a> {
    Word(&'a str),
    /// A name that is written in phonemes.
    Name {
        letters: String,
    },
    Mark(char),
}

impl Token<'_> {
    /// The word; empty when it is none.
    fn word(&self) -> &str {
        if let Token::Word(word) = self { word } else { "" }
    }
}

impl Phonemiser {
    /// Reads the files. While a phonemiser of the same files is in use, that one is returned.
    ///
    /// # Errors
    /// `MissingPart` when one of them is missing or of another kind.
    pub fn open(runtime: OnnxRuntime, files: PhonemiserFiles) -> Result<Arc<Self>, Fault> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = open.upgrade().filter(|same| same.files == files) {
            return Ok(same);
        }
        let phonemiser = Arc::new(Self {
            lexicon: Lexicon::read(&files)?,
            tagger: Tagger::read(&files.tagger)?,
            unknown: Unknown::open(runtime, &files)?,
            own: &hark_language::of(LANGUAGE).phonemes,
            files,
        });
        *open = Arc::downgrade(&phonemiser);
        Ok(phonemiser)
    }

    /// Phonemes of a phrase with its marks. `of_ipa` makes letters of what is written in phonemes.
    pub(crate) fn phonemes(&self, text: &str, of_ipa: impl Fn(&str) -> String) -> String {
        let text = text.replace(['‘', '’'], "'");
        let mut tokens = Vec::new();
        for (clause, mark) in clauses(&text) {
            for piece in pieces(clause) {
                match piece {
                    Piece::Words(written) => tokens.extend(words(written).map(Token::Word)),
                    Piece::Ipa(ipa) => tokens.push(Token::Name { letters: of_ipa(ipa) }),
                }
            }
            tokens.extend(mark.map(Token::Mark));
        }
        self.say(&tokens)
    }

    fn say(&self, tokens: &[Token<'_>]) -> String {
        let tags = self.tags(tokens);
        let mut said: Vec<String> = Vec::with_capacity(tokens.len());
        // From the end, for a word goes by the sound that follows it.
        let mut place = Place::default();
        for (at, (token, tag)) in tokens.iter().zip(&tags).enumerate().rev() {
            place.before = &tokens[at.saturating_sub(REACH)..at];
            let letters = match token {
                Token::Word(word) => self.word(word, tag, place),
                Token::Name { letters } => letters.clone(),
                Token::Mark(mark) => mark.to_string(),
            };
            place.following = following(&letters).unwrap_or(place.following);
            place.next = token.word();
            said.push(letters);
        }
        let mut text = String::new();
        for (token, letters) in tokens.iter().zip(said.iter().rev()) {
            let is_mark = matches!(token, Token::Mark(_));
            if letters.is_empty() || (is_mark && text.is_empty()) {
                continue;
            }
            if !is_mark && !text.is_empty() {
                text.push(' ');
            }
            text.push_str(letters);
        }
        text
    }

    /// The part of speech of each token.
    fn tags(&self, tokens: &[Token<'_>]) -> Vec<&str> {
        let mut split = Vec::new();
        let mut owners = Vec::new();
        for (owner, token) in tokens.iter().enumerate() {
            let before = split.len();
            match token {
                Token::Word(word) => split.extend(words::for_tagger(word, &self.own.clitics)),
                Token::Name { .. } => split.push(tagger::A_NAME),
                Token::Mark(mark) => split.push(tagger::of_mark(*mark)),
            }
            owners.extend(std::iter::repeat_n(owner, split.len() - before));
        }
        let mut tags = vec![("", 0); tokens.len()];
        for ((owner, part), tag) in owners.into_iter().zip(&split).zip(self.tagger.tags(&split)) {
            // Of several parts the longest is what the word is.
            if part.len() > tags[owner].1 {
                tags[owner] = (tag, part.len());
            }
        }
        tags.into_iter().map(|(tag, _)| tag).collect()
    }

    fn word(&self, word: &str, tag: &str, place: Place<'_>) -> String {
        let word = cut(word, MAX_WORD);
        if let Some(form) = self.form(word, tag, place) {
            return form.to_owned();
        }
        let is_last = place.following == Following::Pause;
        let said = self.whole(word, tag, is_last).unwrap_or_else(|| self.compound(word, tag));
        let capitals = word.chars().filter(|letter| letter.is_uppercase()).count();
        match capitals {
            0 => said,
            all if all > 1 && !word.contains(char::is_lowercase) => with_stress(&said, PRIMARY),
            _ => with_stress(&said, SECONDARY),
        }
    }

    /// What the language's own table has for it.
    fn form(&self, word: &str, tag: &str, place: Place<'_>) -> Option<&'static str> {
        let forms = self.own.words.get(&word.to_lowercase())?;
        // "AM" is no verb.
        let is_noun = word.len() > 1 && is_upper(word) && tag.starts_with("NN");
        if is_noun && forms.len() > 1 {
            return None;
        }
        let has = |words: &[String], word: &str| words.iter().any(|own| own.eq_ignore_ascii_case(word));
        let fits = |form: &&Form| {
            (form.tags.is_empty() || form.tags.iter().any(|begin| tag.starts_with(begin)))
                && form.before.is_none_or(|before| before == place.following)
                && (form.next.is_empty() || has(&form.next, place.next))
                && (form.after.is_empty() || place.before.iter().any(|token| has(&form.after, token.word())))
        };
        let form = forms.iter().find(fits)?;
        Some(form.british.as_deref().filter(|_| self.files.british).unwrap_or(&form.said))
    }

    /// A word that is in the lexicon, with or without an ending, or spelt.
    fn whole(&self, word: &str, tag: &str, is_last: bool) -> Option<String> {
        let known = |word: &str, tag| self.lexicon.say(word, tag, is_last);
        let with_ending = || {
            endings::stems(word).find_map(|(stem, ending)| {
                let own = self.form(&stem, "", Place::default()).map(str::to_owned);
                let said = own.or_else(|| self.lexicon.say(&stem, tag, false))?;
                Some(ending.put_behind(&said, &stem, self.files.british))
            })
        };
        let with_clitic = || {
            let (stem, clitic) = clitic(word, &self.own.clitics)?;
            Some(self.lexicon.say(stem, tag, false)? + &self.lexicon.say(clitic, "", false)?)
        };
        let without_accents = || known(&plain(word)?, tag);
        let found = known(word, tag).or_else(with_ending).or_else(with_clitic).or_else(without_accents);
        found.or_else(|| self.lexicon.say_consonants(word))
    }

    /// A word of several parts, such as "left-hand", "SmartThings" or "MP3"; else an unknown one.
    fn compound(&self, word: &str, tag: &str) -> String {
        let parts = parts(word);
        let mut said: Vec<String> = Vec::with_capacity(parts.len());
        for part in &parts {
            let letters = if part.starts_with(|c: char| c.is_ascii_digit()) {
                self.number(part)
            } else {
                self.whole(part, tag, false).unwrap_or_else(|| self.unknown_word(part))
            };
            said.push(letters);
        }
        if parts.iter().any(|part| part.starts_with(|c: char| c.is_ascii_digit())) {
            return said.join(" ");
        }
        if let ([one, other], [first, second]) = (&parts[..], &mut said[..]) {
            // One of the two gives its stress away: what stands behind a letter or in front of an initialism, else the
            // lesser one.
            let is_letter = one.chars().nth(1).is_none();
            let is_first_less = is_upper(other) || weight(first) < weight(second);
            let least = if is_first_less && !is_letter { first } else { second };
            *least = least.replace(SECONDARY, "").replace(PRIMARY, "ˌ");
        }
        said.concat()
    }

    /// Short numbers as such, long ones digit by digit: those that are amounts are words by now.
    fn number(&self, digits: &str) -> String {
        let numbers = &hark_language::of(LANGUAGE).numbers;
        let is_short = digits.len() < 3 && !digits.starts_with('0');
        let runs = if is_short { vec![digits] } else { digits.split("").collect() };
        let values = runs.into_iter().filter_map(|run| run.parse::<u64>().ok());
        let spoken = values.map(|value| numbers.integer_words(value)).collect::<Vec<_>>().join(" ");
        let said = words(&spoken).filter_map(|word| self.whole(word, "CD", false));
        said.collect::<Vec<_>>().join(" ")
    }

    fn unknown_word(&self, word: &str) -> String {
        // The network knows no apostrophes.
        if let Some(stem) = word.strip_suffix("'s").filter(|stem| !stem.is_empty()) {
            return Ending::S.put_behind(&self.unknown_word(stem), stem, self.files.british);
        }
        let is_long_capital = word.len() > 4 && is_upper(word);
        let lower = is_long_capital.then(|| word.to_lowercase());
        match self.unknown.say(lower.as_deref().unwrap_or(word)) {
            Ok(said) if !said.is_empty() => said,
            Ok(_) => self.lexicon.spell(word),
            Err(error) => {
                tracing::warn!("an unknown word is spelt: {error}");
                self.lexicon.spell(word)
            }
        }
    }
}

impl Pronounce for Phonemiser {
    fn ipa(&self, word: &str, language: &str) -> Result<String, Fault> {
        if bare_tag(language) != LANGUAGE {
            return Err(SpeakingError::NoSuchLanguage { language: language.to_owned() }.into());
        }
        Ok(crate::phonemes::alphabet::ipa_of_letters(&self.phonemes(word, |_| String::new())))
    }
}

/// What stands around a word.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// The words and marks in front of it, as far as they matter.
    before: &'a [Token<'a>],
    following: Following,
    /// The next word; empty when it is none.
    next: &'a str,
}

impl Default for Place<'_> {
    fn default() -> Self {
        Self { before: &[], following: Following::Pause, next: "" }
    }
}

/// What phonemes or a mark are to the word in front; `None` when they are nothing.
fn following(letters: &str) -> Option<Following> {
    letters.chars().find_map(|letter| match letter {
        vowel if VOWELS.contains(vowel) => Some(Following::Vowel),
        consonant if CONSONANTS.contains(consonant) => Some(Following::Consonant),
        ',' | ';' | ':' | '.' | '?' | '!' => Some(Following::Pause),
        _ => None,
    })
}

/// A word without any stress gets one; with `PRIMARY`, a secondary one becomes that.
fn with_stress(letters: &str, stress: char) -> String {
    match letters.find([PRIMARY, SECONDARY]) {
        Some(_) if stress == PRIMARY && !letters.contains(PRIMARY) => letters.replace(SECONDARY, "ˈ"),
        Some(_) => letters.to_owned(),
        None => match letters.find(|letter| VOWELS.contains(letter)) {
            Some(vowel) => format!("{}{stress}{}", &letters[..vowel], &letters[vowel..]),
            None => letters.to_owned(),
        },
    }
}

/// How much a part of a compound weighs: first by its stress, then by its length.
fn weight(letters: &str) -> (bool, usize) {
    let length = letters.chars().map(|letter| if DOUBLE.contains(letter) { 2 } else { 1 }).sum();
    (letters.contains(PRIMARY), length)
}

/// Whether all letters are capitals.
fn is_upper(word: &str) -> bool {
    word.contains(char::is_uppercase) && !word.contains(char::is_lowercase)
}

/// The first `longest` characters.
fn cut(word: &str, longest: usize) -> &str {
    word.char_indices().nth(longest).map_or(word, |(end, _)| &word[..end])
}

/// Reads a JSON file; one that ends in `.gz` is unpacked.
fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, SpeakingError> {
    let wrong = |why: String| SpeakingError::Phonemiser { path: path.to_owned(), why };
    let file = File::open(path).map_err(|error| wrong(error.to_string()))?;
    let mut text = String::new();
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    let read = match is_packed {
        true => GzDecoder::new(file).take(MAX_BYTES).read_to_string(&mut text),
        false => file.take(MAX_BYTES).read_to_string(&mut text),
    };
    read.map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
}

#[cfg(test)]
pub(crate) mod tests;

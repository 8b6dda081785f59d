//! Writes out as words what is written with digits and signs, so that every voice says it alike:
//! "14:05" is "two oh five p m", "21,5 °C" is "einundzwanzig Komma fünf Grad Celsius".
//!
//! The text is read from left to right. Where a word may begin, the readers are asked one after the
//! other whether they know what stands there; what none knows is copied. The words come from the
//! language's `speech.toml` and `numbers.toml`; a language without `speech.toml` is left as it is, for the engine to
//! read.

mod amounts;
mod clock;
mod dates;
mod fractions;
mod names;
mod numbers;
mod signs;
mod telephone;
mod units;
mod web;

use super::language::Language;

/// A place in a text where something may begin that is not written as it is said.
struct At<'a> {
    text: &'a str,
    /// A character boundary.
    pos: usize,
    language: Language,
}

/// What a reader made of the text at a place.
struct Said {
    /// How much of the text it is.
    bytes: usize,
    /// Its words; empty for what is not said.
    words: String,
}

impl Said {
    fn new(bytes: usize, words: impl Into<String>) -> Self {
        Self { bytes, words: words.into() }
    }
}

impl<'a> At<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.pos..]
    }

    fn before(&self) -> &'a str {
        &self.text[..self.pos]
    }

    /// The word in front, lower-case, without signs at its ends.
    fn word_before(&self) -> String {
        self.name_before().trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
    }

    /// The word in front as it is written.
    fn name_before(&self) -> &'a str {
        self.before().trim_end().rsplit(char::is_whitespace).next().unwrap_or_default()
    }
}

/// `text` as it is said in `language` (a tag such as `en` or `de-AT`).
pub fn spoken(text: &str, language: &str) -> String {
    let Some(language) = Language::of(language) else { return text.to_owned() };
    let mut out = String::with_capacity(text.len() * 2);
    let mut pos = 0;
    // Whether words were put in that the next letter must not run into.
    let mut inserted = false;
    while let Some(character) = text[pos..].chars().next() {
        let at = At { text, pos, language };
        if let Some(said) = read(&at) {
            push_words(&mut out, &said.words);
            inserted |= !said.words.is_empty();
            pos += said.bytes.max(character.len_utf8());
            continue;
        }
        let bytes = copied_bytes(&text[pos..], character);
        if inserted && character.is_alphanumeric() {
            push_words(&mut out, &text[pos..pos + bytes]);
        } else {
            out.push_str(&text[pos..pos + bytes]);
        }
        inserted = false;
        pos += bytes;
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Asks the readers. The order matters: an address before its dots, a date before its numbers.
fn read(at: &At<'_>) -> Option<Said> {
    let first = at.rest().chars().next()?;
    let begins = !at.before().ends_with(char::is_alphanumeric);
    if !begins && fractions::is_sign(first) {
        return fractions::read(at);
    }
    if begins && first.is_alphanumeric() {
        web::read(at)
            .or_else(|| dates::read(at))
            .or_else(|| clock::read(at))
            .or_else(|| telephone::read(at))
            .or_else(|| amounts::read(at))
            .or_else(|| names::read(at))
            .or_else(|| signs::abbreviation(at))
    } else if begins {
        telephone::read(at).or_else(|| amounts::read(at)).or_else(|| signs::read(at))
    } else {
        signs::read(at)
    }
}

/// A run of letters and digits is copied as one ("v2.0" too), any other character alone.
fn copied_bytes(rest: &str, first: char) -> usize {
    if !first.is_alphanumeric() {
        return first.len_utf8();
    }
    let mut end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    while rest[..end].ends_with(|c: char| c.is_ascii_digit()) {
        let more = rest[end..].strip_prefix('.').map_or(0, |after| digits(after).len());
        if more == 0 {
            break;
        }
        end += 1 + more;
    }
    end
}

/// Appends words with a space in front where one is needed.
fn push_words(out: &mut String, words: &str) {
    let joined = out.is_empty() || out.ends_with(|c: char| c.is_whitespace() || "([„“\"'".contains(c));
    let sign = words.starts_with([',', '.', ';']);
    if sign {
        out.truncate(out.trim_end().len());
    } else if !joined && !words.is_empty() {
        out.push(' ');
    }
    out.push_str(words);
}

/// Bytes of the blank in front of `rest`: an ordinary or a narrow no-break space, or none.
fn blank(rest: &str) -> usize {
    match rest.chars().next() {
        Some(space @ (' ' | '\u{a0}' | '\u{202f}' | '\u{2009}')) => space.len_utf8(),
        _ => 0,
    }
}

/// Whether a word or number could not go on with `rest`.
fn ends_here(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '²' | '³'))
}

/// The digits at the start of `rest`.
fn digits(rest: &str) -> &str {
    &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())]
}

/// The letters at the start of `rest`.
fn letters(rest: &str) -> &str {
    &rest[..rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len())]
}

/// Bytes of what is written behind the digits of an ordinal, such as "nd".
fn ordinal_mark(after: &str, language: Language) -> Option<usize> {
    let word = letters(after);
    language.numbers.ordinal_marks.contains(word).then_some(word.len())
}

#[cfg(test)]
mod tests;

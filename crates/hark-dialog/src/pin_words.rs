//! Finds a PIN in what was said or typed, "four two one seven" as well as "4217", and puts
//! [`MASK`] in its place, so that nobody reads it afterwards.

use hark_core::pin::{MASK, PIN_MIN_DIGITS, PinCode};
use hark_language::Lexicon;
use std::ops::Range;

/// What was found in a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    /// The digits, when they can be a PIN.
    pub pin: Option<PinCode>,
    /// The text without them.
    pub masked: String,
}

/// Words beside digits that are a PIN: "and lock the front door four two one seven", as "unlock" may be heard.
const MAX_REST: usize = 5;

/// Looks for the digits of a PIN, said in one of some languages. While one is `awaited` every run of digits counts;
/// otherwise four running, if they are most of what was said: "set a timer for ten minutes" is left alone.
pub fn find(text: &str, awaited: bool, languages: &[&'static Lexicon]) -> Option<Found> {
    let digits = Digits(languages);
    let words = words(text);
    let run = digits.longest_run(&words)?;
    let found = digits.of_words(&words[run.clone()]);
    let rest = words.len() - run.len();
    let enough = found.len() >= PIN_MIN_DIGITS;
    if !(awaited || enough && rest <= MAX_REST) {
        return None;
    }
    // A single number beside other words is a request, not an attempt: "turn off two lights".
    if awaited && !enough && rest > 0 {
        return None;
    }
    let from = words[run.start].at.start;
    let to = words[run.end - 1].at.end;
    let masked = format!("{}{MASK}{}", &text[..from], &text[to..]);
    Some(Found { pin: PinCode::new(&found), masked })
}

/// The text fit to be shown while somebody may be in the middle of a PIN.
pub fn mask_unfinished(text: &str, awaited: bool, languages: &[&'static Lexicon]) -> Option<String> {
    let digits = Digits(languages);
    let words = words(text);
    let only_digits = !words.is_empty() && words.iter().all(|word| digits.says(&word.text));
    if only_digits || awaited && digits.longest_run(&words).is_some() {
        return Some(MASK.to_owned());
    }
    find(text, awaited, languages).map(|found| found.masked)
}

struct Word {
    text: String,
    at: Range<usize>,
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut open = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match words.last_mut().filter(|_| open && c.is_alphanumeric()) {
            Some(word) => {
                word.text.extend(c.to_lowercase());
                word.at.end = end;
            }
            None if c.is_alphanumeric() => {
                words.push(Word { text: c.to_lowercase().collect(), at: at..end });
            }
            None => {}
        }
        open = c.is_alphanumeric();
    }
    words
}

/// Digits as they are said in some languages.
struct Digits<'l>(&'l [&'static Lexicon]);

/// Numbers of two digits take at most so many words.
const MAX_WORDS: usize = 2;

impl Digits<'_> {
    /// The digits that words begin with, of a number below 100 or written, and how many words they take.
    fn number(&self, words: &[Word]) -> Option<(String, usize)> {
        let first = words.first()?.text.as_str();
        if first.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some((first.to_owned(), 1));
        }
        let texts: Vec<&str> = words.iter().take(MAX_WORDS).map(|word| word.text.as_str()).collect();
        let said = |language: &&Lexicon, texts: &[&str]| {
            let numbers = &language.numbers;
            let whole = numbers.whole(texts).filter(|(value, used)| *value < 100 && *used == texts.len());
            whole.map(|(value, _)| value).or_else(|| numbers.digits.get(&texts.join(" ")))
        };
        (1..=texts.len()).rev().find_map(|count| {
            let value = self.0.iter().find_map(|language| said(language, &texts[..count]))?;
            Some((value.to_string(), count))
        })
    }

    /// How often the digit behind this word is meant: "double".
    fn repeats(&self, word: &str) -> Option<usize> {
        self.0.iter().find_map(|language| language.secrets.repeats.get(word))
    }

    /// What a recogniser may have written for a digit.
    fn homophone(&self, word: &str) -> Option<u64> {
        self.0.iter().find_map(|language| language.secrets.homophones.get(word))
    }

    /// Whether a word is a digit or says something of the next one.
    fn says(&self, word: &str) -> bool {
        let word = [Word { text: word.to_owned(), at: 0..0 }];
        self.number(&word).is_some() || self.repeats(&word[0].text).is_some()
    }

    /// The words that hold the most digits in a row; the last of equals.
    fn longest_run(&self, words: &[Word]) -> Option<Range<usize>> {
        let counts = |word: &Word| self.says(&word.text) || self.homophone(&word.text).is_some();
        let mut best: Option<(usize, Range<usize>)> = None;
        let mut at = 0;
        while at < words.len() {
            let end = at + words[at..].iter().take_while(|word| counts(word)).count();
            if end == at {
                at += 1;
                continue;
            }
            let run = self.trimmed(words, at..end);
            let length = self.of_words(&words[run.clone()]).len();
            if length > 0 && best.as_ref().is_none_or(|(most, _)| length >= *most) {
                best = Some((length, run));
            }
            at = end;
        }
        best.map(|(_, run)| run)
    }

    /// "for" and "to" before the digits are words of the sentence, unless there are too few digits without them.
    fn trimmed(&self, words: &[Word], run: Range<usize>) -> Range<usize> {
        let real = |at: &usize| self.says(&words[*at].text);
        if run.clone().filter(real).count() < 2 {
            let from = run.clone().find(real).unwrap_or(run.end);
            let to = run.clone().rfind(real).map_or(from, |last| last + 1);
            return from..to;
        }
        let length = self.of_words(&words[run.clone()]).len();
        let from = run.clone().find(real).unwrap_or(run.start);
        let without = self.of_words(&words[from..run.end]).len();
        if without >= PIN_MIN_DIGITS && without < length { from..run.end } else { run }
    }

    fn of_words(&self, words: &[Word]) -> String {
        let mut all = String::new();
        let mut times = 1;
        let mut at = 0;
        while at < words.len() {
            let word = &words[at].text;
            if let Some(repeats) = self.repeats(word) {
                times = repeats;
                at += 1;
                continue;
            }
            let homophone = || Some((self.homophone(word)?.to_string(), 1));
            let (part, used) =
                self.number(&words[at..]).or_else(homophone).unwrap_or_else(|| (String::new(), 1));
            (0..times).for_each(|_| all.push_str(&part));
            times = 1;
            at += used;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn find(text: &str, awaited: bool) -> Option<Found> {
        super::find(text, awaited, &["en", "de"].map(hark_language::of))
    }

    fn mask_unfinished(text: &str, awaited: bool) -> Option<String> {
        super::mask_unfinished(text, awaited, &["en", "de"].map(hark_language::of))
    }

    fn pin(text: &str, awaited: bool) -> Option<String> {
        find(text, awaited)?.pin.map(|pin| pin.digits().to_owned())
    }

    #[test]
    fn digits_are_found_however_they_are_said() {
        for text in [
            "4217",
            "4 2 1 7",
            "four two one seven",
            "Four, two, one, seven.",
            "the PIN is four two one seven please",
            "it's 42 17",
            "forty two seventeen",
            "for to one seven",
            "for two won seven",
            "vier zwei eins sieben",
            "zweiundvierzig siebzehn",
            "my code is 4-2-1-7",
        ] {
            assert_eq!(pin(text, true).as_deref(), Some("4217"), "{text}");
            let masked = find(text, true).unwrap().masked;
            assert!(masked.contains(MASK), "{masked}");
            for digit in ["4", "two", "zwei", "seven", "sieben"] {
                assert!(!masked.to_lowercase().contains(digit), "{masked}");
            }
        }
        assert_eq!(pin("double four oh nine", true).as_deref(), Some("4409"));
        assert_eq!(pin("unlock it with 4217", true).as_deref(), Some("4217"));
        assert_eq!(find("unlock it with 4217", true).unwrap().masked, "unlock it with [PIN]");
    }

    #[test]
    fn digits_of_a_language_that_is_not_spoken_here_are_words() {
        let english = [hark_language::of("en")];
        assert_eq!(super::find("vier zwei eins sieben", true, &english), None);
        assert!(super::find("four two one seven", true, &english).is_some());
        assert!(super::find("4217", true, &[]).is_some(), "written digits need no language");
    }

    #[test]
    fn requests_are_left_alone() {
        for text in ["set a timer for ten minutes", "turn off two lights", "what time is it", "yes", "to", ""]
        {
            assert_eq!(find(text, true), None, "{text}");
            assert_eq!(find(text, false), None, "{text}");
        }
        assert_eq!(find("remind me on the first of may 2027 at 1830 to call them", false), None);
        assert_eq!(pin("four two one seven", false).as_deref(), Some("4217"), "a late one is hidden too");
        // Too short for a PIN: hidden, and no attempt.
        assert_eq!(find("four two", true), Some(Found { pin: None, masked: MASK.into() }));
    }

    #[test]
    fn the_beginning_of_a_pin_is_hidden_too() {
        for text in ["four", "four two", "4", "the pin is four two"] {
            assert_eq!(mask_unfinished(text, true).as_deref(), Some(MASK), "{text}");
        }
        assert_eq!(mask_unfinished("four two", false).as_deref(), Some(MASK));
        assert_eq!(mask_unfinished("turn on the light", true), None);
        assert_eq!(mask_unfinished("set a timer for ten", false), None);
    }

    proptest! {
        #[test]
        fn no_text_breaks_it_and_no_pin_stays_in_it(text in ".{0,60}", digits in "[0-9]{4,12}") {
            for awaited in [true, false] {
                let _ = (find(&text, awaited), mask_unfinished(&text, awaited));
            }
            let found = find(&format!("it is {digits}"), true).unwrap();
            prop_assert!(!found.masked.contains(&digits));
            let pin = found.pin.unwrap();
            prop_assert_eq!(pin.digits(), digits.as_str());
        }
    }
}

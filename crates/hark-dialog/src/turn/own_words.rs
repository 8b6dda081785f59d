//! Whether words that were heard are Hark's own, come back through the room.
//!
//! The recogniser forces what it hears into the words it knows, so an echo is never word for word what
//! was said: words are missing, some are replaced by others that sound alike.

use hark_language::Lexicon;
use hark_language::numbers::Numbers;

/// Share of the heard words that may be wrong in an echo.
const ECHO_ERRORS: f32 = 0.34;

/// The same for a single word, which a person may well say that sounds like one of many.
const SINGLE_ERRORS: f32 = 0.2;

/// What it costs to leave out a word that was said between two that were heard.
const SKIPPED: f32 = 0.15;

/// Letters that may differ, as a share of the longer word, for two words to be taken for one another.
const ALIKE: f32 = 0.4;

/// What it costs to take a number word for one of a number in digits, whose words the text does not show.
const NUMBER: f32 = 0.2;

/// Lower-case words without punctuation.
pub(super) fn words(text: &str) -> Vec<String> {
    let plain = |word: &str| -> String {
        word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    text.split(|c: char| c.is_whitespace() || c == '-' || c == '_')
        .map(plain)
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether `heard` is a piece of `said`, with the mistakes recognition makes. Nothing heard is no echo. `languages`: those
/// it may have been said in.
pub(super) fn is_echo(heard: &[String], said: &[String], languages: &[&'static Lexicon]) -> bool {
    if heard.is_empty() || said.is_empty() {
        return false;
    }
    let errors = if heard.len() == 1 { SINGLE_ERRORS } else { ECHO_ERRORS };
    cheapest_place(heard, said, languages) <= errors * heard.len() as f32
}

/// Whether `phrase` stands in `said`, word by word, each at most slightly different.
pub(super) fn says(said: &[String], phrase: &[String]) -> bool {
    let same = |pair: (&String, &String)| distance(pair.0, pair.1) <= ALIKE;
    !phrase.is_empty() && said.windows(phrase.len()).any(|place| place.iter().zip(phrase).all(same))
}

/// Cost of the best way to find all of `heard`, in order, within `said`, beginning and ending anywhere.
fn cheapest_place(heard: &[String], said: &[String], languages: &[&'static Lexicon]) -> f32 {
    let mut row = vec![0.0; said.len() + 1];
    let with_digits = |word: &String| word.contains(|c: char| c.is_ascii_digit());
    let has_numbers = said.iter().any(with_digits);
    for word in heard {
        let is_number =
            has_numbers && languages.iter().any(|language| is_number_word(word, &language.numbers));
        let mut next = vec![row[0] + 1.0; said.len() + 1];
        for (at, other) in said.iter().enumerate() {
            let (same, left_over) = match is_number && with_digits(other) {
                true => (NUMBER.min(misfit(word, other)), NUMBER),
                false => (misfit(word, other), 1.0),
            };
            next[at + 1] = (row[at] + same).min(row[at + 1] + left_over).min(next[at] + SKIPPED);
        }
        row = next;
    }
    row.into_iter().fold(f32::INFINITY, f32::min)
}

/// Whether a word begins as one that numbers are spoken with, "twentieth" and "fünfhundert" too.
fn is_number_word(word: &str, numbers: &Numbers) -> bool {
    let scales = numbers.scales.iter().flat_map(|scale| scale.one.iter().chain(scale.many.iter()));
    let counted = numbers.below_hundred.iter().chain(numbers.ordinals.iter()).chain(scales);
    let others = numbers.also.iter().map(|(word, _)| word).chain(numbers.digits.iter().map(|(word, _)| word));
    let fractions = numbers.fractions.iter().map(|(word, _)| word);
    let point = numbers.point.text();
    let mut parts = counted.chain(others).chain(fractions).flat_map(|words| words.split(' ')).chain([point]);
    // "a hundred": an article alone is no number.
    parts.any(|part| part.len() > 1 && word.starts_with(part))
}

/// What it costs to take one word for the other: 0 for the same, 1 for another.
fn misfit(one: &str, other: &str) -> f32 {
    let distance = distance(one, other);
    if distance <= ALIKE { distance } else { 1.0 }
}

/// Edits between two words, as a share of the longer one.
fn distance(one: &str, other: &str) -> f32 {
    let longer = one.chars().count().max(other.chars().count()).max(1);
    strsim::levenshtein(one, other) as f32 / longer as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_echo(heard: &[String], said: &[String]) -> bool {
        super::is_echo(heard, said, &["en", "de"].map(hark_language::of))
    }

    #[test]
    fn echoes_are_known_in_spite_of_mistakes() {
        for (heard, said) in [
            ("turned on the kitchen light", "Turned on the kitchen light."),
            ("turn on the kitchen light", "Turned on the kitchen light."),
            ("living room light is on", "The living-room light is now on."),
            ("the timer is done", "Your pizza timer is done."),
            ("ten minutes left", "There are 10 minutes left on the timer."),
            ("set a timer for twenty five minutes", "I set a timer for 25 minutes."),
            ("i didn't understand that", "Sorry, I didn't understand that."),
            ("stop", "Say stop when you have heard enough."),
            ("the thirtieth of may", "The 30th of May."),
            ("noch fünfundzwanzig minuten", "Noch 25 Minuten."),
        ] {
            assert!(is_echo(&words(heard), &words(said)), "{heard} / {said}");
        }
    }

    #[test]
    fn what_a_person_says_meanwhile_is_none() {
        for (heard, said) in [
            ("turn off the kitchen light", "It is a quarter past ten and the weather is fine."),
            ("stop", "Turned on the kitchen light."),
            ("yes", "Shall I unlock the front door?"),
            ("yes", "It is not there yet."),
            ("turn off the light", "Turned on the kitchen light."),
            ("what time is it", "It is sunny, and it will stay like that all the time."),
            ("turn off the kitchen light", "The kitchen light is on, the bedroom light is off."),
            ("set the timer to ten minutes", "It is 10:15."),
            ("", "Anything."),
            ("anything", ""),
        ] {
            assert!(!is_echo(&words(heard), &words(said)), "{heard} / {said}");
        }
    }

    #[test]
    fn a_wake_word_is_found_in_what_is_said() {
        let said = words("You can call me with “Hey Jarvis!” from anywhere.");
        assert!(says(&said, &words("hey_jarvis")));
        assert!(says(&words("I heard: hey, Jarvi."), &words("hey_jarvis")));
        assert!(!says(&words("Hey, the service is there."), &words("hey_jarvis")));
        assert!(!says(&said, &[]));
    }

    #[test]
    fn words_are_compared_letter_by_letter() {
        assert_eq!(distance("turn", "turn"), 0.0);
        assert_eq!(distance("turn", "turned"), 2.0 / 6.0);
        assert_eq!(distance("on", "off"), 2.0 / 3.0);
        assert_eq!(distance("", ""), 0.0);
    }
}

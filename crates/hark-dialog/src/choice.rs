//! The answer to "the kitchen light or the kitchen fan?": which of some names a text chooses.

use super::instincts::{self, Context};

/// What was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// These, as they were offered.
    These(Vec<String>),
    /// None of them.
    Nothing,
}

/// Words that say which one by its place; -1 is the last.
const PLACES: [(&str, i32); 22] = [
    ("first", 1),
    ("1st", 1),
    ("one", 1),
    ("former", 1),
    ("second", 2),
    ("2nd", 2),
    ("two", 2),
    ("third", 3),
    ("3rd", 3),
    ("three", 3),
    ("fourth", 4),
    ("4th", 4),
    ("four", 4),
    ("last", -1),
    ("latter", -1),
    ("erste", 1),
    ("ersten", 1),
    ("zweite", 2),
    ("zweiten", 2),
    ("dritte", 3),
    ("dritten", 3),
    ("letzte", -1),
];

/// Whole answers for all of them.
const ALL: [&str; 12] = [
    "both",
    "all",
    "all of them",
    "both of them",
    "every one",
    "everything",
    "all three",
    "all four",
    "beide",
    "alle",
    "alles",
    "beides",
];

/// Whole answers for none of them.
const NONE: [&str; 8] = [
    "neither",
    "none",
    "none of them",
    "neither of them",
    "neither one",
    "keine",
    "keins",
    "keines von beiden",
];

/// Words that say nothing about which one.
const SMALL: [&str; 34] = [
    "the", "a", "please", "i", "mean", "meant", "want", "would", "like", "id", "take", "that", "it", "its",
    "is", "in", "of", "on", "at", "number", "uh", "um", "well", "no", "yes", "der", "die", "das", "den",
    "bitte", "ich", "meine", "im", "nummer",
];

/// A word of an answer may be this much unlike a word of a name.
const ALIKE: f64 = 0.7;

/// Which of the candidates `text` chooses; `None` when it is no answer.
pub fn read(text: &str, candidates: &[String]) -> Option<Choice> {
    let said = words(text);
    let whole = said.join(" ");
    let plain = whole.strip_suffix(" please").unwrap_or(&whole);
    if NONE.contains(&plain) {
        return Some(Choice::Nothing);
    }
    if ALL.contains(&plain) {
        return Some(Choice::These(candidates.to_vec()));
    }
    let asked = Context { last_reply: None, awaiting_approval: true };
    match (instincts::find(text, &asked).map(|instinct| instinct.intent), candidates) {
        (Some("HarkDeny"), _) => return Some(Choice::Nothing),
        (Some("HarkConfirm"), [only]) => return Some(Choice::These(vec![only.clone()])),
        (Some(_), _) => return None,
        (None, _) => {}
    }
    let told: Vec<&str> = said.iter().map(String::as_str).filter(|word| !SMALL.contains(word)).collect();
    by_name(&told, candidates).or_else(|| by_place(&told, candidates)).map(|name| Choice::These(vec![name]))
}

/// The only candidate that has every word that was said; an exact name wins.
fn by_name(told: &[&str], candidates: &[String]) -> Option<String> {
    let told: Vec<&str> = match told.split_last() {
        // "the light one"
        Some((&"one", rest)) if !rest.is_empty() => rest.to_vec(),
        _ => told.to_vec(),
    };
    if told.is_empty() {
        return None;
    }
    let fits = |exactly: bool| {
        let has = |name: &String| {
            let names = words(name);
            told.iter().all(|word| names.iter().any(|other| alike(word, other, exactly)))
        };
        candidates.iter().filter(|name| has(name)).collect::<Vec<_>>()
    };
    let exact = fits(true);
    let found = if exact.is_empty() { fits(false) } else { exact };
    match found.as_slice() {
        [only] => Some((*only).clone()),
        several => several.iter().find(|name| words(name).len() == told.len()).map(|name| (**name).clone()),
    }
}

fn alike(word: &str, other: &str, exactly: bool) -> bool {
    let same = |one: &str, other: &str| one == other || one.strip_suffix('s') == Some(other);
    same(word, other)
        || same(other, word)
        || !exactly && word.len() > 2 && strsim::normalized_levenshtein(word, other) >= ALIKE
}

/// "the first one", "number two"
fn by_place(told: &[&str], candidates: &[String]) -> Option<String> {
    let place = match told {
        [word] | [word, "one"] => PLACES.iter().find(|(name, _)| name == word)?.1,
        _ => return None,
    };
    let index = if place < 0 { candidates.len().checked_sub(1)? } else { usize::try_from(place - 1).ok()? };
    candidates.get(index).cloned()
}

/// Lower-case words without punctuation.
fn words(text: &str) -> Vec<String> {
    let kept: String = text
        .to_lowercase()
        .chars()
        .filter(|c| !matches!(c, '\'' | '’'))
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    kept.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_choose() {
        let offered = ["Kitchen light", "Kitchen fan"].map(str::to_owned);
        let these =
            |names: &[&str]| Some(Choice::These(names.iter().map(|name| (*name).to_owned()).collect()));
        for (text, expected) in [
            ("the light", these(&["Kitchen light"])),
            ("The kitchen fan, please.", these(&["Kitchen fan"])),
            ("i mean the fan", these(&["Kitchen fan"])),
            ("the lightt", these(&["Kitchen light"])),
            ("the lights", these(&["Kitchen light"])),
            ("the first one", these(&["Kitchen light"])),
            ("first", these(&["Kitchen light"])),
            ("the second", these(&["Kitchen fan"])),
            ("number two", these(&["Kitchen fan"])),
            ("the last one", these(&["Kitchen fan"])),
            ("the third one", None),
            ("both", these(&["Kitchen light", "Kitchen fan"])),
            ("both of them please", these(&["Kitchen light", "Kitchen fan"])),
            ("neither", Some(Choice::Nothing)),
            ("no", Some(Choice::Nothing)),
            ("yes", None),
            ("stop", None),
            ("the kitchen", None),
            ("what time is it", None),
            ("turn on the light", None),
            ("", None),
        ] {
            assert_eq!(read(text, &offered), expected, "{text}");
        }
    }

    #[test]
    fn a_single_name_is_confirmed() {
        let offered = ["Front door".to_owned()];
        assert_eq!(read("yes", &offered), Some(Choice::These(vec!["Front door".into()])));
        assert_eq!(read("no", &offered), Some(Choice::Nothing));
        assert_eq!(read("the front door", &offered), Some(Choice::These(vec!["Front door".into()])));
        assert_eq!(read("the window", &offered), None);
    }

    #[test]
    fn a_whole_name_wins_over_a_longer_one() {
        let offered = ["Lamp", "Desk lamp"].map(str::to_owned);
        assert_eq!(read("the lamp", &offered), Some(Choice::These(vec!["Lamp".into()])));
        assert_eq!(read("the desk one", &offered), Some(Choice::These(vec!["Desk lamp".into()])));
    }
}

//! The answer to "the kitchen light or the kitchen fan?": which of some names a text chooses.

use super::instincts::{self, InstinctInput};
use hark_core::Ambiguity;
use hark_language::{Lexicon, Phrases};

/// What was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// These, as they were offered.
    These(Vec<String>),
    /// None of them.
    Nothing,
}

/// A word of an answer may be this much unlike a word of a name.
const ALIKE: f64 = 0.7;

/// Which of the candidates `text` chooses, in one of some languages; `None` when it is no answer.
pub fn read(text: &str, doubt: &Ambiguity, languages: &[&'static Lexicon]) -> Option<Choice> {
    let candidates = doubt.candidates.as_slice();
    let said = words(text);
    let is_one_of = |phrases: fn(&Lexicon) -> Phrases| {
        languages.iter().any(|language| {
            let courtesy = language.reflexes.courtesy;
            let bare: Vec<&str> =
                said.iter().map(String::as_str).filter(|word| !courtesy.contains(word)).collect();
            phrases(language).iter().any(|phrase| phrase.split(' ').eq(bare.iter().copied()))
        })
    };
    if is_one_of(|language| language.choices.none) {
        return Some(Choice::Nothing);
    }
    if is_one_of(|language| language.choices.all) {
        return Some(Choice::These(candidates.to_vec()));
    }
    let asked = InstinctInput { last_reply: None, awaiting_approval: true, languages };
    match (instincts::find(text, &asked).map(|instinct| instinct.intent), candidates) {
        (Some("HarkDeny"), _) => return Some(Choice::Nothing),
        (Some("HarkConfirm"), [only]) => return Some(Choice::These(vec![only.clone()])),
        (Some(_), _) => return None,
        (None, _) => {}
    }
    let chosen = languages.iter().find_map(|language| {
        let fillers = language.choices.fillers;
        let told: Vec<&str> =
            said.iter().map(String::as_str).filter(|word| !fillers.contains(word)).collect();
        let one = language.discourse.one;
        let place: Vec<&str> = told.iter().copied().filter(|word| !one.contains(word)).collect();
        let area = || in_area(doubt, &place.join(" "));
        by_name(&told, candidates, language).or_else(|| by_rank(&told, candidates, language)).or_else(area)
    });
    chosen.map(|name| Choice::These(vec![name]))
}

/// The only candidate that has every word that was said; an exact name wins.
fn by_name(told: &[&str], candidates: &[String], language: &Lexicon) -> Option<String> {
    let told = without_one(told, language);
    if told.is_empty() {
        return None;
    }
    let fits = |exactly: bool| {
        let has = |name: &String| {
            let names = words(name);
            told.iter().all(|word| names.iter().any(|other| alike(word, other, exactly, language)))
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

/// "the light *one*": without the word that stands for the thing.
fn without_one<'t, 's>(told: &'t [&'s str], language: &Lexicon) -> &'t [&'s str] {
    match told.split_last() {
        Some((last, rest)) if !rest.is_empty() && language.discourse.one.contains(last) => rest,
        _ => told,
    }
}

fn alike(word: &str, other: &str, exactly: bool, language: &Lexicon) -> bool {
    let endings = language.things.endings;
    let is_other = |one: &str, other: &str| {
        one == other || endings.iter().any(|ending| one.strip_suffix(ending) == Some(other))
    };
    is_other(word, other)
        || is_other(other, word)
        || !exactly && word.len() > 2 && strsim::normalized_levenshtein(word, other) >= ALIKE
}

/// The only candidate in an area: "the one in the *bedroom*".
pub fn in_area(doubt: &Ambiguity, area: &str) -> Option<String> {
    let is_there =
        |at: &Option<String>| at.as_ref().is_some_and(|at| words(at) == words(area) && !area.is_empty());
    let mut there = doubt.candidates.iter().zip(&doubt.areas).filter(|(_, at)| is_there(at));
    let (name, _) = there.next()?;
    there.next().is_none().then(|| name.clone())
}

/// "the first one", "number two", "the 2nd"
fn by_rank(told: &[&str], candidates: &[String], language: &Lexicon) -> Option<String> {
    let told = without_one(told, language);
    let numbers = &language.numbers;
    let whole = |found: Option<(u64, usize)>| found.filter(|(_, used)| *used == told.len()).map(|(at, _)| at);
    let written = || {
        let [word] = told else { return None };
        numbers.ordinal_marks.iter().find_map(|mark| word.strip_suffix(mark)?.parse().ok())
    };
    let place = language.choices.places.get(&told.join(" ")).map(i64::from).or_else(|| {
        let place = whole(numbers.ordinal(told)).or_else(|| whole(numbers.whole(told))).or_else(written)?;
        i64::try_from(place).ok()
    })?;
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

    fn offered(candidates: &[String], areas: &[&str]) -> Ambiguity {
        let areas = areas.iter().map(|area| Some((*area).to_owned())).collect();
        Ambiguity { intent: 0, slot: "name".into(), candidates: candidates.to_vec(), areas }
    }

    fn read(text: &str, candidates: &[String]) -> Option<Choice> {
        super::read(text, &offered(candidates, &[]), &["en", "de"].map(hark_language::of))
    }

    #[test]
    fn the_only_one_in_an_area_is_chosen_by_it() {
        let fans = ["Ceiling fan", "Extractor fan", "Tower fan"].map(str::to_owned);
        let fans = offered(&fans, &["Bedroom", "Bathroom", "Bathroom"]);
        let read = |text: &str| super::read(text, &fans, &["en", "de"].map(hark_language::of));
        for text in ["the bedroom", "the one in the bedroom please", "the bedroom one"] {
            assert_eq!(read(text), Some(Choice::These(vec!["Ceiling fan".into()])), "{text}");
        }
        assert_eq!(read("the bathroom"), None, "two are there");
        assert_eq!(read("the kitchen"), None);
    }

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
            ("the 2nd", these(&["Kitchen fan"])),
            ("the latter", these(&["Kitchen fan"])),
            ("der Zweite", these(&["Kitchen fan"])),
            ("bitte den letzten", these(&["Kitchen fan"])),
            ("Nummer zwei", these(&["Kitchen fan"])),
            ("beide", these(&["Kitchen light", "Kitchen fan"])),
            ("keins", Some(Choice::Nothing)),
            ("ja", None),
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
    fn an_answer_in_a_language_that_is_not_spoken_here_is_none() {
        let offered = ["Kitchen light", "Kitchen fan"].map(str::to_owned);
        let offered = self::offered(&offered, &[]);
        assert_eq!(super::read("beide", &offered, &[hark_language::of("en")]), None);
        assert_eq!(super::read("both", &offered, &[hark_language::of("de")]), None);
        let unknown = super::read("both", &offered, &[hark_language::of("xx")]);
        assert_eq!(unknown, None);
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

//! Which language a text is written in (whatlang: trigrams of letters).

use hark_language::Phrases;
use whatlang::{Detector, Lang};

/// Fewer letters say too little.
const LEAST_LETTERS: usize = 12;

/// How much likelier the best language must be than the next, 0 to 1.
const LEAST_CONFIDENCE: f64 = 0.5;

/// Languages that are told apart, with their ISO 639-1 codes. The more there are, the longer a text must be.
const LANGUAGES: [(Lang, &str); 25] = [
    (Lang::Eng, "en"),
    (Lang::Deu, "de"),
    (Lang::Fra, "fr"),
    (Lang::Spa, "es"),
    (Lang::Ita, "it"),
    (Lang::Por, "pt"),
    (Lang::Nld, "nl"),
    (Lang::Swe, "sv"),
    (Lang::Dan, "da"),
    (Lang::Nob, "nb"),
    (Lang::Fin, "fi"),
    (Lang::Pol, "pl"),
    (Lang::Ces, "cs"),
    (Lang::Slk, "sk"),
    (Lang::Hun, "hu"),
    (Lang::Ron, "ro"),
    (Lang::Tur, "tr"),
    (Lang::Rus, "ru"),
    (Lang::Ukr, "uk"),
    (Lang::Ell, "el"),
    (Lang::Jpn, "ja"),
    (Lang::Kor, "ko"),
    (Lang::Cmn, "zh"),
    (Lang::Ara, "ar"),
    (Lang::Hin, "hi"),
];

/// Telling words that are enough when no other language has one, and one word in how many they must be: "i" and "me" are words
/// of others, too.
const LEAST_TELLING: usize = 2;
const TELLING_SHARE: usize = 5;

/// For each language that has a folder, how many of its telling words are in a text.
fn telling(text: &str) -> Vec<(&'static str, usize)> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '\'').collect();
    let count = |known: Phrases| words.iter().filter(|word| known.contains(word)).count();
    let languages = hark_language::all();
    languages.into_iter().map(|language| (language.code, count(language.discourse.telling))).collect()
}

/// ISO 639-1 code of the language of a text; `None` when it cannot be told with confidence, as is usual for
/// a few words.
pub fn of(text: &str) -> Option<&'static str> {
    let mut told = telling(text).into_iter().filter(|(_, count)| *count > 0);
    // Words that tell of two languages tell nothing.
    let told = told.next().filter(|_| told.next().is_none());
    let words = text.split_whitespace().count();
    let is_enough = |count: usize| count >= LEAST_TELLING && count * TELLING_SHARE >= words;
    if let Some((code, _)) = told.filter(|(_, count)| is_enough(*count)) {
        return Some(code);
    }
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let detector = Detector::with_allowlist(LANGUAGES.iter().map(|(language, _)| *language).collect());
    let found = detector.detect(text).filter(|found| found.confidence() >= LEAST_CONFIDENCE)?;
    let code = LANGUAGES.iter().find(|(language, _)| *language == found.lang())?.1;
    // Of a short English request whatlang may say French: one word that tells is reason enough to be unsure.
    let contradicted = told.is_some_and(|(told, _)| told != code);
    (letters >= LEAST_LETTERS && !contradicted).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_sentences_are_told_apart_and_a_few_words_are_not() {
        for (text, expected) in [
            ("could you please tell me what the weather is going to be like tomorrow", Some("en")),
            ("kannst du mir bitte sagen wie das Wetter morgen wird", Some("de")),
            ("τι καιρό θα κάνει αύριο το πρωί", Some("el")),
            ("wie hoch ist der eiffelturm", Some("de")),
            ("mach es bitte aus", Some("de")),
            ("how high is it", Some("en")),
            ("can somebody unlock our front door quickly", Some("en")),
            ("est-ce qu'il va pleuvoir demain matin à la maison", Some("fr")),
            ("Jag har släckt ljuset i köket och i hallen och dörren är låst nu", None),
            ("ok", None),
            ("", None),
            ("1234 5678", None),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }

    #[test]
    fn hardly_a_request_is_taken_for_one_of_another_language() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/intent");
        let held_out = std::fs::read_to_string(folder.join("held_out/en.yaml")).unwrap();
        let requests: Vec<&str> = held_out
            .lines()
            .filter_map(|line| line.strip_prefix("      - "))
            .map(|line| line.trim_matches('"'))
            .collect();
        let foreign = |text: &&&str| of(text).is_some_and(|code| code != "en");
        let taken: Vec<&&str> = requests.iter().filter(foreign).collect();
        println!("{} of {}: {taken:?}", taken.len(), requests.len());
        assert!(requests.len() > 200 && taken.len() * 50 <= requests.len(), "{taken:?}");
    }
}

//! Which language a text is written in (whatlang: trigrams of letters).

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

/// ISO 639-1 code of the language of a text; `None` when it cannot be told with confidence, as is usual for
/// a few words.
pub fn of(text: &str) -> Option<&'static str> {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let detector = Detector::with_allowlist(LANGUAGES.iter().map(|(language, _)| *language).collect());
    let found = detector.detect(text).filter(|found| found.confidence() >= LEAST_CONFIDENCE)?;
    let code = LANGUAGES.iter().find(|(language, _)| *language == found.lang())?.1;
    (letters >= LEAST_LETTERS).then_some(code)
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
            ("ok", None),
            ("", None),
            ("1234 5678", None),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }
}

//! Which language a text is written in (whatlang: trigrams of letters).

use whatlang::{Lang, detect};

/// Fewer letters say too little.
const LEAST_LETTERS: usize = 12;

/// ISO 639-1 code of the language of a text; `None` when it cannot be told with confidence, as is usual for
/// a few words.
pub fn of(text: &str) -> Option<&'static str> {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let found = detect(text).filter(|found| letters >= LEAST_LETTERS && found.is_reliable())?;
    code(found.lang())
}

/// The two-letter code of those languages that have one and that people write to a home in.
fn code(language: Lang) -> Option<&'static str> {
    let code = match language {
        Lang::Eng => "en",
        Lang::Deu => "de",
        Lang::Fra => "fr",
        Lang::Spa => "es",
        Lang::Ita => "it",
        Lang::Por => "pt",
        Lang::Nld => "nl",
        Lang::Swe => "sv",
        Lang::Dan => "da",
        Lang::Nob => "nb",
        Lang::Fin => "fi",
        Lang::Pol => "pl",
        Lang::Ces => "cs",
        Lang::Slk => "sk",
        Lang::Hun => "hu",
        Lang::Ron => "ro",
        Lang::Tur => "tr",
        Lang::Rus => "ru",
        Lang::Ukr => "uk",
        Lang::Ell => "el",
        Lang::Jpn => "ja",
        Lang::Kor => "ko",
        Lang::Cmn => "zh",
        Lang::Ara => "ar",
        Lang::Hin => "hi",
        _ => return None,
    };
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_sentences_are_told_apart_and_a_few_words_are_not() {
        for (text, expected) in [
            ("could you please tell me what the weather is going to be like tomorrow", Some("en")),
            ("kannst du mir bitte sagen wie das Wetter morgen wird", Some("de")),
            ("est-ce que tu peux me dire quel temps il fera demain", Some("fr")),
            ("какая завтра будет погода", Some("ru")),
            ("ok", None),
            ("", None),
            ("1234 5678", None),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }
}

//! The languages in which Hark has words for claims of deeds, and whether a text is written in one of them.

use super::claimed_action::words;
use hark_language::Lexicon;

/// Tells the language a text is written in, as ISO 639-1 code; `None` where that is not sure.
pub type LanguageOf = fn(&str) -> Option<&'static str>;

/// Texts of fewer words are taken for one of the language they were asked for in.
const FEW_WORDS: usize = 3;
/// One word in so many is small or tells of its language.
const TELLING_SHARE: usize = 4;

/// The languages in which claims of deeds are known.
#[derive(Debug, Clone)]
pub(super) struct ReadableClaims {
    pub(super) languages: Vec<&'static Lexicon>,
    pub(super) language_of: LanguageOf,
    /// Claims are known in the language that was asked for, or that language is unknown.
    is_expected: bool,
    /// The language that was asked for.
    expected: Option<&'static Lexicon>,
}

impl ReadableClaims {
    /// Those of all languages; `expected`: the ISO 639-1 code of the language that was asked for, empty where it is unknown.
    pub(super) fn new(language_of: LanguageOf, expected: &str) -> Self {
        let languages: Vec<_> =
            hark_language::all().into_iter().filter(|language| has_claims(language)).collect();
        let asked = languages.iter().find(|language| language.code == expected).copied();
        let is_expected = expected.is_empty() || asked.is_some();
        Self { languages, language_of, is_expected, expected: asked }
    }

    /// Whether it can be known what a text claims: it is written in one of the languages. A short text is known by words that
    /// tell of one of them, and by small words of the one that was asked for.
    pub(super) fn reads(&self, text: &str) -> bool {
        if let Some(code) = (self.language_of)(text) {
            return self.has(code);
        }
        let words: Vec<String> =
            words(text).filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit())).collect();
        if words.len() < FEW_WORDS {
            return self.is_expected || words.is_empty();
        }
        let is_small = |word: &str| self.expected.is_some_and(|it| it.things.small_words.contains(word));
        self.languages.iter().any(|language| {
            let is_telling = |word: &&String| language.discourse.telling.contains(word) || is_small(word);
            words.iter().filter(is_telling).count() * TELLING_SHARE >= words.len()
        })
    }

    /// Whether it is one of them, by its ISO 639-1 code.
    pub(super) fn has(&self, code: &str) -> bool {
        self.languages.iter().any(|language| language.code == code)
    }
}

/// Whether claims are known in a language.
pub(super) fn has_claims(language: &Lexicon) -> bool {
    let claims = &language.claims;
    claims.adjacent.actions.iter().chain(claims.apart.action_endings.iter()).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(expected: &str, text: &str) -> bool {
        ReadableClaims::new(|_| None, expected).reads(text)
    }

    #[test]
    fn a_text_is_readable_in_languages_with_claims_only() {
        for text in [
            "The lamp is on.",
            "Both doors are open.",
            "Die Lampe ist an.",
            "Sleep well.",
            "A cat on a chair.",
            "Paris.",
            "42",
            "",
        ] {
            assert!(reads("en", text), "{text}");
        }
        let foreign = [
            "J'ai verrouillé la porte.",
            "He cerrado la puerta.",
            "Ho chiuso la porta.",
            "Jag har låst dörren.",
            "Jeg har låst døren for dig.",
            "Je vais me charger de verrouiller la porte.",
        ];
        for text in foreign {
            assert!(!reads("en", text), "{text}");
        }
        assert!(reads("", "Sleep well.") && !reads("fr", "C'est fait.") && reads("fr", "21"));
        let sure = |code| ReadableClaims::new(code, "en").reads("Jag har släckt i köket.");
        assert!(!sure(|_| Some("sv")) && sure(|_| Some("de")));
    }
}

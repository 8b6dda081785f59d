//! What the voice must know of a language: its `speech.toml`, and the words of its numbers.

use hark_language::numbers::Numbers;
use hark_language::speech::Speech;

/// A language that texts can be said in.
#[derive(Debug, Clone, Copy)]
pub struct Language {
    /// How what is written is said.
    pub speech: &'static Speech,
    /// The words of its numbers.
    pub numbers: &'static Numbers,
}

impl Language {
    /// The language of a tag such as `en`, `en-GB` or `de_AT`; `None` for one without `speech.toml`.
    pub fn of(tag: &str) -> Option<Self> {
        let language = hark_language::known(tag)?;
        Some(Self { speech: language.speech.as_ref()?, numbers: &language.numbers })
    }

    /// Reads all languages now, so that the first reply does not wait for them.
    pub fn load_all() {
        hark_language::all();
    }
}

/// The language of a tag such as `en-GB` or `de_AT`, in lower case and without its region.
pub(crate) fn bare_tag(tag: &str) -> String {
    tag.split(['-', '_']).next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_read_and_found_by_tag() {
        for (tag, code) in [("en", "en"), ("en_GB", "en"), ("de", "de"), ("DE-at", "de")] {
            let speech = hark_language::of(code).speech.as_ref().unwrap();
            assert!(Language::of(tag).is_some_and(|language| std::ptr::eq(language.speech, speech)), "{tag}");
        }
        assert!(Language::of("xx").is_none() && Language::of("").is_none());
        let dates = &Language::of("de").unwrap().speech.dates;
        assert_eq!(
            (dates.month("oktober"), dates.month("Okt"), dates.weekday("Sonntag")),
            (Some(9), Some(9), Some(6))
        );
    }
}

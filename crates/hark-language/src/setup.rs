//! What `hark setup` asks and says.

use serde::Deserialize;
use std::collections::BTreeMap;

/// `setup.toml` of a language. Without texts `hark setup` is not held in it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Setup {
    /// What the language calls itself.
    pub name: String,
    /// Short answers that mean yes.
    pub yes: Vec<String>,
    /// … no.
    pub no: Vec<String>,
    /// … that a step is left out.
    pub skip: Vec<String>,
    /// … that the whole is ended.
    pub quit: Vec<String>,
    /// Texts by name, with `{places}` to be filled.
    pub texts: BTreeMap<String, String>,
}

impl Setup {
    /// A text with its places filled; its name where the language lacks it.
    ///
    /// ```
    /// let english = &hark_language::of("en").setup;
    /// assert_eq!(english.text("step", &[("number", "2"), ("of", "10"), ("title", "Voice")]), "Step 2 of 10: Voice");
    /// ```
    pub fn text(&self, name: &str, places: &[(&str, &str)]) -> String {
        let Some(mut rest) = self.texts.get(name).map(String::as_str) else { return name.to_owned() };
        let mut filled = String::with_capacity(rest.len());
        // In one pass: what is put in may hold braces of its own.
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let place = after.split_once('}').and_then(|(place, behind)| {
                places.iter().find(|(name, _)| *name == place).map(|(_, value)| (*value, behind))
            });
            match place {
                Some((value, behind)) => {
                    filled.push_str(value);
                    rest = behind;
                }
                None => {
                    filled.push('{');
                    rest = after;
                }
            }
        }
        filled.push_str(rest);
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_with_texts_has_all_of_them_with_the_same_places() {
        let places = |text: &str| {
            let mut found: Vec<String> =
                text.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0.to_owned())).collect();
            found.sort();
            found
        };
        let english = &crate::of("en").setup;
        for other in crate::all().into_iter().filter(|language| !language.setup.texts.is_empty()) {
            let setup = &other.setup;
            let names = |setup: &Setup| setup.texts.keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(setup), names(english), "{}", other.code);
            for (name, text) in &setup.texts {
                assert_eq!(places(text), places(&english.texts[name]), "{} {name}", other.code);
            }
            for words in [&setup.yes, &setup.no, &setup.skip, &setup.quit] {
                assert!(!words.is_empty() && words.iter().all(|word| word.to_lowercase() == *word));
            }
            assert!(!setup.name.is_empty());
        }
        assert!(!crate::of("de").setup.texts.is_empty());
    }

    #[test]
    fn what_is_put_in_is_not_read_again() {
        let texts = BTreeMap::from([("a".to_owned(), "{x} {y} {z".to_owned())]);
        let setup = Setup { texts, ..Setup::default() };
        assert_eq!(setup.text("a", &[("x", "{y}"), ("y", "2")]), "{y} 2 {z");
        assert_eq!(setup.text("b", &[]), "b");
    }
}

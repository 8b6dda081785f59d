//! Words that matter when documents are searched.

use crate::numbers::NumberWords;
use crate::phrases::Phrases;
use serde::Deserialize;

/// `knowledge.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Knowledge {
    /// Words that say nothing of what is asked for: articles, pronouns, question words.
    pub function_words: Phrases,
    /// Beginnings of questions that a number or a time answers: "how many", "when".
    pub quantity_phrases: Phrases,
    /// Words that tell a number or a time, beside those of `numbers.toml`: "daily", "monday".
    pub number_words: Phrases,
}

impl Knowledge {
    /// Every word that tells a number, with those of `numbers`.
    pub fn all_number_words(&self, numbers: &NumberWords) -> Vec<String> {
        let scales = numbers.scales.iter().flat_map(|scale| scale.many.iter());
        let all = self.number_words.iter().chain(numbers.below_hundred.iter());
        all.chain(numbers.ordinals.iter()).chain(scales).map(|word| (*word).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn number_words_are_those_of_the_language_and_more() {
        for (code, known) in
            [("en", ["daily", "three", "third", "thousand"]), ("de", ["täglich", "drei", "dritt", "tausend"])]
        {
            let language = crate::of(code);
            let words = language.knowledge.all_number_words(&language.numbers);
            assert!(known.iter().all(|word| words.iter().any(|it| it == word)), "{code}: {words:?}");
            assert!(language.knowledge.quantity_phrases.len() > 5);
            assert!(language.knowledge.function_words.len() > 50);
        }
    }
}

//! Word classes of the language model: words with the same function share their counts, so that every number is equally
//! likely after one number was sampled, however few sentences there are.

use hark_core::number_words::{SMALL, TENS};
use std::collections::HashMap;

/// Sets of words that the language model treats alike.
#[derive(Debug, Clone, Default)]
pub(super) struct WordClasses {
    class_of: HashMap<String, usize>,
    members: Vec<Vec<String>>,
}

/// Spoken numbers as they combine: a ten takes a unit after it, a teen does not.
const NUMBERS: [&[&str]; 3] = [SMALL.split_at(10).0.split_at(1).1, SMALL.split_at(10).1, &TENS];

impl WordClasses {
    /// The number classes, held down to the words that `known` says can occur.
    pub(super) fn numbers(known: impl Fn(&str) -> bool) -> Self {
        let mut classes = Self::default();
        for words in NUMBERS {
            let present: Vec<String> =
                words.iter().filter(|word| known(word)).map(|word| (*word).to_owned()).collect();
            if present.len() > 1 {
                classes.add(present);
            }
        }
        classes
    }

    fn add(&mut self, members: Vec<String>) {
        let class = self.members.len();
        for word in &members {
            self.class_of.insert(word.clone(), class);
        }
        self.members.push(members);
    }

    /// The class a word belongs to.
    pub(super) fn class_of(&self, word: &str) -> Option<usize> {
        self.class_of.get(word).copied()
    }

    /// The words of a class.
    pub(super) fn members(&self, class: usize) -> &[String] {
        self.members.get(class).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_cannot_occur_are_left_out() {
        let classes = WordClasses::numbers(|word| word != "nine" && !word.ends_with("teen"));
        let digits = classes.class_of("five").unwrap();
        assert_eq!(classes.members(digits).len(), 8);
        assert_eq!(classes.class_of("nine"), None);
        assert_eq!(classes.class_of("lamp"), None);
        assert_ne!(classes.class_of("ten"), classes.class_of("twenty"));
        assert_eq!(classes.class_of("eleven"), classes.class_of("twelve"));
    }
}

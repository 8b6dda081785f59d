//! Word classes of the language model: words with the same function share their counts, so that every number is equally
//! likely after one number was sampled, however few sentences there are.

use hark_language::numbers::Numbers;
use std::collections::HashMap;

/// Sets of words that the language model treats alike.
#[derive(Debug, Clone, Default)]
pub(super) struct WordClasses {
    class_of: HashMap<String, usize>,
    members: Vec<Vec<String>>,
}

impl WordClasses {
    /// The classes of the numbers of a language, held down to the words that `known` says can occur: numbers as
    /// they combine, since a ten takes a unit after it and a teen does not.
    pub(super) fn numbers(numbers: &Numbers, known: impl Fn(&str) -> bool) -> Self {
        let mut classes = Self::default();
        let below_hundred = &numbers.below_hundred;
        let named = |values: Vec<usize>| values.into_iter().filter_map(|value| below_hundred.get(value));
        for values in [(1..10).collect(), (10..20).collect(), (20..100).step_by(10).collect()] {
            let present: Vec<String> =
                named(values).filter(|word| known(word)).map(|word| (*word).to_owned()).collect();
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
    use super::super::language;
    use super::*;

    #[test]
    fn words_that_cannot_occur_are_left_out() {
        let classes =
            WordClasses::numbers(&language().numbers, |word| word != "nine" && !word.ends_with("teen"));
        let digits = classes.class_of("five").unwrap();
        assert_eq!(classes.members(digits).len(), 8);
        assert_eq!(classes.class_of("nine"), None);
        assert_eq!(classes.class_of("lamp"), None);
        assert_ne!(classes.class_of("ten"), classes.class_of("twenty"));
        assert_eq!(classes.class_of("eleven"), classes.class_of("twelve"));
    }
}

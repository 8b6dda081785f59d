//! When two names are the same name: spelling, case, spaces and a leading article do not matter. Names and what is
//! asked for may be in any language of the house, so the words of every language count.

use crate::Phrases;
use crate::tools::Names;

/// Whether a word or phrase is in a list of one of the languages.
fn is_any(list: impl Fn(&Names) -> Phrases, phrase: &str) -> bool {
    crate::all().iter().any(|language| list(&language.tools.names).contains(phrase))
}

/// A name in the form in which names are compared: lower case, words by single spaces, without
/// punctuation and without leading articles.
pub fn normal(name: &str) -> String {
    let lower = name.to_lowercase().replace(['\'', '’'], "");
    let mut words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    while words.len() > 1 && is_any(|names| names.articles, words[0]) {
        words.remove(0);
    }
    words.join(" ")
}

/// Whether `asked` is one of these names.
pub fn is_one_of<'a>(asked: &str, names: impl IntoIterator<Item = &'a str>) -> bool {
    let asked = normal(asked);
    !asked.is_empty() && names.into_iter().any(|name| normal(name) == asked)
}

/// Whether a word says nothing about what is meant: "the".
pub fn is_small(word: &str) -> bool {
    is_any(|names| names.small, word)
}

/// The words of a text that say something, in the form in which names are compared. All of them, when
/// there are only small ones.
pub fn telling_words(text: &str) -> Vec<String> {
    let normal = normal(text);
    let all = normal.split(' ').filter(|word| !word.is_empty());
    let telling: Vec<String> = all.clone().filter(|word| !is_small(word)).map(str::to_owned).collect();
    if telling.is_empty() { all.map(str::to_owned).collect() } else { telling }
}

/// Whether `text` has every telling word of `asked`, and `asked` has one.
pub fn holds_words(text: &str, asked: &str) -> bool {
    let has = telling_words(text);
    let asked = telling_words(asked);
    !asked.is_empty() && asked.iter().all(|word| has.contains(word))
}

/// Whether a word of a question is one that no answer has: "where".
pub fn asks(word: &str) -> bool {
    is_any(|names| names.asking, word)
}

/// Whether a name means "everything" or "everywhere".
pub fn means_all(name: &str) -> bool {
    is_any(|names| names.all, &normal(name))
}

/// Names as they are said in a row, with the word for "and", when it is known: "a", "a and b", "a, b and c".
pub fn in_a_row(names: &[&str], and: &str) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        all if and.is_empty() => all.join(", "),
        [first @ .., last] => format!("{} {and} {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn articles_case_and_spelling_do_not_matter() {
        for same in ["Kitchen ceiling", "the kitchen ceiling", "  KITCHEN-Ceiling ", "The  kitchen, ceiling"]
        {
            assert_eq!(normal(same), "kitchen ceiling", "{same}");
        }
        assert_eq!(normal("Alice's lamp"), normal("alices lamp"));
        assert_eq!(normal("the"), "the");
        assert!(is_one_of("the lamp", ["Desk", "Lamp"]));
        assert!(!is_one_of("", [""]));
    }

    #[test]
    fn texts_are_found_by_their_telling_words() {
        assert!(holds_words("Check the oven", "the oven") && holds_words("call my mother", "call mother"));
        assert!(!holds_words("Check the oven", "the roof") && !holds_words("oven", ""));
        assert_eq!(telling_words("to be the"), ["be"]);
        assert_eq!(telling_words("the"), ["the"]);
    }

    #[test]
    fn rows_read_like_speech() {
        assert_eq!(in_a_row(&[], "and"), "");
        assert_eq!(in_a_row(&["a"], "and"), "a");
        assert_eq!(in_a_row(&["a", "b", "c"], "and"), "a, b and c");
        assert_eq!(in_a_row(&["a", "b"], ""), "a, b");
    }

    proptest! {
        #[test]
        fn the_normal_form_of_a_normal_form_is_itself(name in ".{0,40}") {
            let once = normal(&name);
            prop_assert_eq!(normal(&once), once);
        }
    }
}

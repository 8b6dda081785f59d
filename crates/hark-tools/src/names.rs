//! When two names are the same name: spelling, case, spaces and a leading article do not matter.

/// A name in the form in which names are compared: lower case, words by single spaces, without
/// punctuation and without a leading "the", "my", "our", "a", "an".
pub fn normal(name: &str) -> String {
    let lower = name.to_lowercase().replace(['\'', '’'], "");
    let mut words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    while words.len() > 1 && matches!(words[0], "the" | "my" | "our" | "a" | "an") {
        words.remove(0);
    }
    words.join(" ")
}

/// Whether `asked` is one of these names.
pub fn is_one_of<'a>(asked: &str, names: impl IntoIterator<Item = &'a str>) -> bool {
    let asked = normal(asked);
    !asked.is_empty() && names.into_iter().any(|name| normal(name) == asked)
}

/// Words that say nothing about what is meant.
const SMALL: &[&str] = &[
    "the", "a", "an", "my", "our", "your", "of", "to", "about", "for", "on", "in", "at", "and", "is", "are",
    "was", "were", "do", "did", "does", "i", "we", "me", "us", "it", "that", "this", "some",
];

/// The words of a text that say something, in the form in which names are compared. All of them, when
/// there are only small ones.
pub fn telling_words(text: &str) -> Vec<String> {
    let normal = normal(text);
    let all = normal.split(' ').filter(|word| !word.is_empty());
    let telling: Vec<String> = all.clone().filter(|word| !SMALL.contains(word)).map(str::to_owned).collect();
    if telling.is_empty() { all.map(str::to_owned).collect() } else { telling }
}

/// Whether `text` has every telling word of `asked`, and `asked` has one.
pub fn holds_words(text: &str, asked: &str) -> bool {
    let has = telling_words(text);
    let asked = telling_words(asked);
    !asked.is_empty() && asked.iter().all(|word| has.contains(word))
}

/// Words that mean "everything" or "everywhere" in the place of a name.
pub fn means_all(name: &str) -> bool {
    matches!(
        normal(name).as_str(),
        "all" | "every" | "everything" | "everywhere" | "house" | "whole house" | "home"
    )
}

/// Names as they are said in a row: "a", "a and b", "a, b and c".
pub fn in_a_row(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
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
        assert_eq!(in_a_row(&[]), "");
        assert_eq!(in_a_row(&["a"]), "a");
        assert_eq!(in_a_row(&["a", "b", "c"]), "a, b and c");
    }

    proptest! {
        #[test]
        fn the_normal_form_of_a_normal_form_is_itself(name in ".{0,40}") {
            let once = normal(&name);
            prop_assert_eq!(normal(&once), once);
        }
    }
}

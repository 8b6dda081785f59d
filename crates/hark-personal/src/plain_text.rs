//! Texts of others as they are told.

/// A text on one line of at most so many characters.
pub(crate) fn plain(text: &str, most: usize) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").chars().take(most).collect()
}

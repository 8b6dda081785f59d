//! Small rules about texts that several crates share.

/// Whether a character is not seen and changes what is: zero-width characters, marks of direction, tags.
///
/// ```
/// assert!(hark_core::text::is_invisible('\u{202e}'));
/// assert!(!hark_core::text::is_invisible('ß'));
/// ```
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// A text of others in one line: its first `most` characters, with one blank for each run of blanks, line breaks and control
/// characters, and none around.
///
/// ```
/// assert_eq!(hark_core::text::one_line(" the\r\n\u{1b}lamp  is on ", 100), "the lamp is on");
/// assert_eq!(hark_core::text::one_line("the lamp is on", 6), "the la");
/// ```
pub fn one_line(text: &str, most: usize) -> String {
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    let words =
        text[..end].split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// The words of a name, in lower case and without what stands between them.
///
/// ```
/// assert_eq!(hark_core::text::words_of_name("Dr. Anna-Lena"), ["dr", "anna", "lena"]);
/// ```
pub fn words_of_name(name: &str) -> Vec<String> {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

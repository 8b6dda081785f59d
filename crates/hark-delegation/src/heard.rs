//! What was heard of one run of a program, line by line.

use crate::adapter::Told;
use hark_core::external_tools::cleaned;

/// Most of the last words that are kept, characters.
const MAX_WORDS: usize = 20_000;
/// Pieces are cut when they have come to so many bytes.
const MAX_PIECES: usize = 8 * MAX_WORDS;
/// Longest name of a file, or reason, characters.
const MAX_CHARS: usize = 300;

/// See the module.
#[derive(Default)]
pub(crate) struct Heard {
    /// The name of the program's conversation.
    pub(crate) session: Option<String>,
    /// The file it was at last.
    pub(crate) file: String,
    /// It said that it has ended well.
    pub(crate) has_finished: bool,
    /// Why it has not, as it says.
    pub(crate) failed: Option<String>,
    words: String,
    is_piece: bool,
}

impl Heard {
    /// Takes what a line tells.
    pub(crate) fn take(&mut self, told: Told) {
        let is_piece = matches!(told, Told::Words { joins: true, .. });
        match told {
            Told::Session(session) => self.session = Some(session),
            Told::Words { text, joins: true } if self.is_piece => {
                self.words.push_str(&text);
                if self.words.len() > MAX_PIECES {
                    self.words = self.last_words();
                }
            }
            Told::Words { text, .. } => self.words = text,
            Told::File(file) => self.file = cleaned(&file, MAX_CHARS).0,
            Told::Finished(words) => {
                self.has_finished = true;
                self.words = words.unwrap_or_else(|| std::mem::take(&mut self.words));
            }
            Told::Failed(why) => self.failed = Some(cleaned(&why, MAX_CHARS).0),
        }
        self.is_piece = is_piece;
    }

    /// The end of what it says: there it asks, or sums up.
    pub(crate) fn last_words(&self) -> String {
        let left_out = self.words.chars().count().saturating_sub(MAX_WORDS);
        let words: String = self.words.chars().skip(left_out).collect();
        cleaned(&words, MAX_WORDS).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_joined_and_the_end_is_kept() {
        let piece = |text: &str| Told::Words { text: text.into(), joins: true };
        let mut heard = Heard::default();
        heard.take(Told::Words { text: "I begin.".into(), joins: false });
        heard.take(piece("Which "));
        heard.take(piece("port?"));
        assert_eq!(heard.last_words(), "Which port?");
        for _ in 0..50_000 {
            heard.take(piece("lala "));
        }
        heard.take(piece("the end"));
        let words = heard.last_words();
        assert!(words.ends_with("lala the end") && words.len() <= MAX_WORDS);
        heard.take(Told::Finished(None));
        assert!(heard.has_finished && heard.last_words().ends_with("the end"));
        heard.take(Told::Finished(Some("Done.".into())));
        assert_eq!(heard.last_words(), "Done.");
    }
}

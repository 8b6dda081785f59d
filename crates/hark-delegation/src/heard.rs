//! What was heard of one run of a program, line by line.

use crate::adapter::Told;
use hark_core::external_tools::cleaned;

/// Most of the last words that are kept, characters.
const MAX_WORDS: usize = 20_000;
/// Pieces are cut when they have come to so many bytes.
const MAX_PIECES: usize = 8 * MAX_WORDS;
/// Longest name of a file, reason or line, characters.
const MAX_CHARS: usize = 300;
/// Most of the last lines that are kept.
const MAX_LINES: usize = 12;

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
    /// The last lines of what it said before these words.
    before: Vec<String>,
}

impl Heard {
    /// Of a program that has said these lines before and was at this file, as one that goes on with an answer has.
    pub(crate) fn after(lines: Vec<String>, file: String) -> Self {
        Self { before: lines, file, ..Self::default() }
    }

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
            Told::Words { text, .. } => self.say(text),
            Told::File(file) => self.file = cleaned(&file, MAX_CHARS).0,
            Told::Finished(words) => {
                self.has_finished = true;
                if let Some(words) = words {
                    self.say(words);
                }
            }
            Told::Failed(why) => self.failed = Some(cleaned(&why, MAX_CHARS).0),
        }
        self.is_piece = is_piece;
    }

    /// Takes other words than those of before, which stay among the last lines. What is said again is said once.
    fn say(&mut self, words: String) {
        if self.words != words {
            self.before = self.lines();
            self.words = words;
        }
    }

    /// The last lines of all it said.
    pub(crate) fn lines(&self) -> Vec<String> {
        let words = self.last_words();
        let new = words.lines().map(|line| cleaned(line.trim(), MAX_CHARS).0).filter(|line| !line.is_empty());
        let all: Vec<String> = self.before.iter().cloned().chain(new).collect();
        all[all.len().saturating_sub(MAX_LINES)..].to_vec()
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

    #[test]
    fn the_last_lines_are_kept_over_several_messages_and_runs() {
        let say = |text: &str| Told::Words { text: text.into(), joins: false };
        let mut heard = Heard::default();
        heard.take(say("I look around.\n\n  Two files.\u{1b}[2J"));
        heard.take(say("Which port?"));
        heard.take(Told::Finished(Some("Which port?".into())));
        assert_eq!(heard.lines(), ["I look around.", "Two files.[2J", "Which port?"]);
        let mut heard = Heard::after(heard.lines(), String::new());
        (0..20).for_each(|number| heard.take(say(&format!("step {number}"))));
        assert_eq!(heard.lines().len(), MAX_LINES);
        assert_eq!((heard.lines()[0].as_str(), heard.lines()[11].as_str()), ("step 8", "step 19"));
    }
}

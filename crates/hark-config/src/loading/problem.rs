//! Problems of a configuration: key, value, place and fix, all of them together.

use hark_core::{Fault, FaultKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Mistakes of one kind (of one message) that are printed, and of all kinds together; the rest is counted.
const MAX_PRINTED_PER_KIND: usize = 20;
const MAX_PRINTED: usize = 100;

/// Characters that are printed of a key or value, and of a message.
const MAX_KEY_CHARACTERS: usize = 120;
const MAX_MESSAGE_CHARACTERS: usize = 400;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// `section.key`, `[section]`, or the file when it cannot be read at all.
    pub key: String,
    /// The value that was given, as TOML; empty when the problem is not one of a value.
    pub value: String,
    /// `file:line`, `--set` or `default`.
    pub place: String,
    /// What is wrong with it.
    pub message: String,
    /// What to do about it.
    pub fix: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, shortened(&self.key, MAX_KEY_CHARACTERS))?;
        if !self.value.is_empty() {
            write!(f, " = {}", shortened(&self.value, MAX_KEY_CHARACTERS))?;
        }
        write!(f, ": {}", shortened(&self.message, MAX_MESSAGE_CHARACTERS))?;
        if self.fix.is_empty() { Ok(()) } else { write!(f, "\n  fix: {}", self.fix) }
    }
}

/// All problems as the one fault that ends a command with exit code 2.
pub fn fault_of(problems: &[Problem]) -> Fault {
    let count = match problems.len() {
        1 => "one mistake".to_owned(),
        number => format!("{number} mistakes"),
    };
    Fault::new(
        FaultKind::BadConfiguration,
        "config",
        format!("{count} in the configuration:{}", printed(problems)),
        "correct the configuration and try it with `hark config check`",
    )
}

/// The problems line by line, up to a readable number; then how many more there are of which kind.
fn printed(problems: &[Problem]) -> String {
    let mut text = String::new();
    let mut lines = 0;
    // Of each message how often it was printed, and how often not.
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for problem in problems {
        let (shown, left) = kinds.entry(&problem.message).or_default();
        if *shown < MAX_PRINTED_PER_KIND && lines < MAX_PRINTED {
            text += &format!("\n{problem}");
            *shown += 1;
            lines += 1;
        } else {
            *left += 1;
        }
    }
    let (seen, unseen): (Vec<_>, Vec<_>) =
        kinds.into_iter().filter(|(_, (_, left))| *left > 0).partition(|(_, (shown, _))| *shown > 0);
    for (message, (_, left)) in seen {
        text += &format!("\n… and {left} more: {}", shortened(message, MAX_MESSAGE_CHARACTERS));
    }
    let others: usize = unseen.iter().map(|(_, (_, left))| left).sum();
    if others > 0 {
        text += &format!("\n… and {others} more of other kinds");
    }
    text
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Puts problems in the order of the file's lines, those of `--set` last.
pub(crate) fn sort(problems: &mut [Problem]) {
    let line = |problem: &Problem| {
        problem.place.rsplit_once(':').and_then(|(_, line)| line.parse().ok()).unwrap_or(usize::MAX)
    };
    problems.sort_by_key(line);
}

/// The candidate nearest to a misspelt word, if any is near enough to be meant.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    candidates
        .map(|candidate| (strsim::normalized_damerau_levenshtein(&word, candidate), candidate))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(likeness, candidate)| *likeness >= 0.6 || candidate.contains(&word) && word.len() > 3)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_offered_only_when_it_is_near() {
        let words = || ["threshold", "patience_hops", "refractory_ms"].into_iter();
        assert_eq!(nearest("treshold", words()), Some("threshold"));
        assert_eq!(nearest("Threshold", words()), Some("threshold"));
        assert_eq!(nearest("patience", words()), Some("patience_hops"));
        assert_eq!(nearest("colour", words()), None);
    }

    #[test]
    fn a_problem_reads_as_place_key_value_reason_and_fix() {
        let problem = Problem {
            key: "vad.threshold".into(),
            value: "7".into(),
            place: "hark.toml:3".into(),
            message: "too large".into(),
            fix: "use 0.05 to 0.95".into(),
        };
        assert_eq!(problem.to_string(), "hark.toml:3: vad.threshold = 7: too large\n  fix: use 0.05 to 0.95");
        assert!(fault_of(&[problem.clone(), problem]).message.starts_with("2 mistakes in"));
    }

    #[test]
    fn of_many_mistakes_some_of_each_kind_are_printed_and_the_rest_counted() {
        let problem = |line: usize, message: String| Problem {
            key: format!("vad.key{line}"),
            value: "v".repeat(5000),
            place: format!("hark.toml:{line}"),
            message,
            fix: "take it out".into(),
        };
        let mut problems: Vec<_> =
            (1..=3000).map(|line| problem(line, "there is no such key".into())).collect();
        problems.push(problem(3001, "out of range".into()));
        let message = fault_of(&problems).message;
        assert!(message.starts_with("3001 mistakes in"), "{message}");
        assert_eq!(message.matches("vad.key").count(), 21);
        assert!(message.contains("\n… and 2980 more: there is no such key"), "{message}");
        assert!(message.contains("hark.toml:3001: vad.key3001"), "the other kind is not lost: {message}");
        assert!(message.len() < 10_000, "{}", message.len());

        // Every one of a kind of its own.
        let problems: Vec<_> = (1..=3000).map(|line| problem(line, format!("not {line} but x"))).collect();
        let message = fault_of(&problems).message;
        assert_eq!(message.matches("vad.key").count(), MAX_PRINTED);
        assert!(message.ends_with("\n… and 2900 more of other kinds"), "{message}");
    }
}

//! What is wrong with a configuration: key, value, place and fix, all problems together.

use crate::domain::{Fault, FaultKind};
use serde::{Deserialize, Serialize};
use std::fmt;

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
        write!(f, "{}: {}", self.place, self.key)?;
        if !self.value.is_empty() {
            write!(f, " = {}", self.value)?;
        }
        write!(f, ": {}", self.message)?;
        if self.fix.is_empty() { Ok(()) } else { write!(f, "\n  fix: {}", self.fix) }
    }
}

/// All problems as the one fault that ends a command with exit code 2.
pub fn fault_of(problems: &[Problem]) -> Fault {
    let count = match problems.len() {
        1 => "one mistake".to_owned(),
        number => format!("{number} mistakes"),
    };
    let lines: Vec<String> = problems.iter().map(|problem| format!("\n{problem}")).collect();
    Fault::new(
        FaultKind::BadConfiguration,
        "config",
        format!("{count} in the configuration:{}", lines.concat()),
        "correct the configuration and try it with `hark config check`",
    )
}

/// Puts problems in the order of the file's lines, those of `--set` last.
pub(super) fn sort(problems: &mut [Problem]) {
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
}

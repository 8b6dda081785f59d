//! Command lines: a program of macOS with its arguments. What a person or a model said is always an argument of its own, and
//! never part of a script's text.

use std::time::Duration;

/// Time a program may take that only looks something up.
const USUAL_LIMIT: Duration = Duration::from_secs(10);

/// A program, what it is given, and how long it may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandLine {
    pub(crate) program: &'static str,
    pub(crate) arguments: Vec<String>,
    /// What it reads on its standard input.
    pub(crate) input: Option<String>,
    pub(crate) limit: Duration,
}

impl CommandLine {
    pub(crate) fn new<A: Into<String>>(
        program: &'static str,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self { program, arguments, input: None, limit: USUAL_LIMIT }
    }

    /// An AppleScript whose handler `run` gets `verb` and `arguments`. The verb comes first because it is no option:
    /// osascript reads options up to the first word that is none.
    pub(crate) fn apple_script(script: &str, verb: &str, arguments: &[&str]) -> Self {
        Self::osascript(&["-e", script], verb, arguments)
    }

    /// The same in JavaScript (JXA), for what AppleScript cannot reach: the frameworks of macOS, and answers in JSON.
    pub(crate) fn java_script(script: &str, verb: &str, arguments: &[&str]) -> Self {
        Self::osascript(&["-l", "JavaScript", "-e", script], verb, arguments)
    }

    fn osascript(script: &[&str], verb: &str, arguments: &[&str]) -> Self {
        Self::new("osascript", [script, &[verb], arguments].concat())
    }

    pub(crate) fn with_input(self, input: &str) -> Self {
        Self { input: Some(input.to_owned()), ..self }
    }

    pub(crate) fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }
}

/// A command line as tests pin it: words with blanks or line ends in quotes, a script by its name.
#[cfg(test)]
pub(crate) fn shown(command: &CommandLine) -> String {
    let word = |word: &String| match super::scripts::name(word) {
        Some(name) => format!("<{name}>"),
        None if word.is_empty() || word.contains(char::is_whitespace) => format!("{word:?}"),
        None => word.clone(),
    };
    let words = command.arguments.iter().map(word);
    std::iter::once(command.program.to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_arguments_whatever_is_in_them() {
        let command = CommandLine::apple_script("on run argv", "say", &["\"; do shell script \"x", "-e"]);
        assert_eq!(command.arguments, ["-e", "on run argv", "say", "\"; do shell script \"x", "-e"]);
        let command = CommandLine::java_script("function run(argv) {}", "do", &[]);
        assert_eq!(command.arguments, ["-l", "JavaScript", "-e", "function run(argv) {}", "do"]);
    }
}

//! Files by what stands in them, by mdfind(1): what Spotlight has indexed.

use super::{CommandLine, Mac, MacError};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(8);

/// `None` where no word is left to look for. Only letters and digits go into the query, in lower case: what else is in it
/// Spotlight could take for a condition.
fn search_command(folder: &Path, words: &str) -> Option<CommandLine> {
    let words = words.to_lowercase();
    let words: Vec<&str> =
        words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let folder = folder.to_str().filter(|folder| folder.starts_with('/'))?;
    (!words.is_empty())
        .then(|| CommandLine::new("mdfind", ["-onlyin", folder, &words.join(" ")]).within(LIMIT))
}

/// Paths, one a line.
fn paths_of(answer: &str) -> Vec<PathBuf> {
    answer.lines().filter(|line| line.starts_with('/')).map(PathBuf::from).collect()
}

impl Mac {
    /// Files in a folder that Spotlight says hold words; none where it has no index of it.
    ///
    /// # Errors
    /// When mdfind is not there, or fails.
    pub fn spotlight(&self, folder: &Path, words: &str) -> Result<Vec<PathBuf>, MacError> {
        let Some(command) = search_command(folder, words) else { return Ok(Vec::new()) };
        Ok(paths_of(&self.runner.waited(command)?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;

    #[test]
    fn only_words_are_asked_for() {
        let of =
            |words| search_command(Path::new("/Users/anna/My Papers"), words).map(|command| shown(&command));
        assert_eq!(
            of("Rental AGREEMENT").unwrap(),
            "mdfind -onlyin \"/Users/anna/My Papers\" \"rental agreement\""
        );
        assert_eq!(
            of("-0 kind:app || kMDItemFSName == '*'").unwrap(),
            "mdfind -onlyin \"/Users/anna/My Papers\" \"0 kind app kmditemfsname\""
        );
        assert_eq!(of("…"), None);
        assert_eq!(search_command(Path::new("relative"), "x"), None);
    }

    #[test]
    fn paths_come_one_a_line() {
        let played = Played::new();
        played.answers("mdfind", "/a/Lease 2024.pdf\n/a/b.txt\n");
        let found = played.mac().spotlight(Path::new("/a"), "lease").unwrap();
        assert_eq!(found, [Path::new("/a/Lease 2024.pdf"), Path::new("/a/b.txt")]);
        assert_eq!(played.calls(), ["mdfind|-onlyin|/a|lease"]);
    }
}

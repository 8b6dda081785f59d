//! `[watch]` and `[proactive]`: folders and repositories that are watched, and how often Hark speaks of them by itself.

use crate::paths::expand;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Folders and Git repositories that are watched: "tell me when a file appears in downloads", "when my website repository is behind, tell me".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WatchConfig {
    /// Folders, as `NAME=PATH` or a path whose last part is the name, such as `downloads=~/Downloads`. What is in folders within them does not count.
    pub folders: Vec<String>,
    /// Git repositories, written the same way, such as `website=~/src/website`.
    pub repositories: Vec<String>,
    /// How often repositories are looked at.
    #[schemars(range(min = 1, max = 1440))]
    pub git_every_min: u32,
    /// Run `git fetch` in a repository before it is compared. Without it only commits count that somebody else has fetched.
    pub git_fetch: bool,
}

impl Default for WatchConfig {
    fn default() -> Self {
        Self { folders: Vec::new(), repositories: Vec::new(), git_every_min: 15, git_fetch: true }
    }
}

impl WatchConfig {
    /// The folders, by name; none for what is no folder's path.
    pub fn named_folders(&self) -> Vec<(String, PathBuf)> {
        self.folders.iter().filter_map(|entry| named(entry)).collect()
    }

    /// The repositories, by name.
    pub fn named_repositories(&self) -> Vec<(String, PathBuf)> {
        self.repositories.iter().filter_map(|entry| named(entry)).collect()
    }
}

impl WatchConfig {
    /// What is wrong with it: the key, its value, why, and how to mend it.
    pub(crate) fn problems(&self) -> impl Iterator<Item = (&'static str, &str, &'static str, &'static str)> {
        let keys = [("watch.folders", &self.folders), ("watch.repositories", &self.repositories)];
        let entries =
            keys.into_iter().flat_map(|(key, all)| all.iter().map(move |entry| (key, entry.as_str())));
        let fix = "write it as NAME=PATH, such as \"downloads=~/Downloads\"";
        let wrong = entries.filter(|(_, entry)| named(entry).is_none());
        wrong.map(move |(key, entry)| (key, entry, "not a name with an absolute path", fix))
    }
}

/// The name and the path of an entry; `None` where it has none, or the path is not absolute.
fn named(entry: &str) -> Option<(String, PathBuf)> {
    let (name, path) = match entry.split_once('=') {
        Some((name, path)) => (Some(name.trim().to_owned()), path),
        None => (None, entry),
    };
    let path = expand(path.trim());
    let name = name.or_else(|| Some(path.file_name()?.to_string_lossy().replace(['-', '_'], " ")))?;
    (path.is_absolute() && !name.is_empty() && !name.contains(char::is_control)).then_some((name, path))
}

/// What Hark says by itself about folders and repositories. When it says nothing at all unasked is in `speaking.quiet_hours`; what comes then is said afterwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProactiveConfig {
    /// Time between two such announcements; what comes meanwhile is said afterwards. 0: at once.
    #[schemars(range(max = 1440))]
    pub min_interval_min: u32,
}

impl Default for ProactiveConfig {
    fn default() -> Self {
        Self { min_interval_min: 5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_a_name_and_a_path() {
        let of = |entry: &str| named(entry).map(|(name, path)| (name, path.display().to_string()));
        assert_eq!(of("downloads = /data/in"), Some(("downloads".into(), "/data/in".into())));
        assert_eq!(of("/src/my-website"), Some(("my website".into(), "/src/my-website".into())));
        for wrong in ["", "downloads", "x=relative", "=/data", "/"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}

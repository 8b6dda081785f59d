//! Workspaces: the folders of `delegation.workspaces`, in which tasks are worked at, and the one that was chosen.

use crate::error::DelegationError;
use hark_core::text::words_of_name;
use std::fs;
use std::path::{Path, PathBuf};

/// Most folders that are looked at.
const MAX_WORKSPACES: usize = 500;
/// Longest name of a folder, bytes.
const MAX_NAME: usize = 60;

/// The folders of one root.
#[derive(Debug, Clone, Default)]
pub struct Workspaces {
    root: Option<PathBuf>,
}

impl Workspaces {
    /// Those in this folder; `None`: there are none.
    pub fn new(root: Option<PathBuf>) -> Self {
        Self { root: root.filter(|root| root.is_absolute()) }
    }

    /// The folder they are in.
    ///
    /// # Errors
    /// When none is named, or it is no folder.
    pub fn root(&self) -> Result<&Path, DelegationError> {
        let root = self.root.as_deref().ok_or(DelegationError::NoWorkspaces)?;
        let shown = || root.display().to_string();
        match fs::metadata(root) {
            Ok(metadata) if metadata.is_dir() => Ok(root),
            Ok(_) => Err(DelegationError::BadRoot(shown(), "it is no folder".into())),
            Err(error) => Err(DelegationError::BadRoot(shown(), error.to_string())),
        }
    }

    /// Names of all, in order: folders of the root itself. No links, nothing hidden.
    ///
    /// # Errors
    /// As [`Workspaces::root`]; when it cannot be read.
    pub fn list(&self) -> Result<Vec<String>, DelegationError> {
        let root = self.root()?;
        let failed =
            |error: std::io::Error| DelegationError::BadRoot(root.display().to_string(), error.to_string());
        let entries = fs::read_dir(root).map_err(failed)?.take(MAX_WORKSPACES).flatten();
        let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        let names = entries.filter(is_folder).filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        Ok(names)
    }

    /// The folder of a name as people say it: of these words, else the only one that has them all.
    ///
    /// # Errors
    /// As [`Workspaces::list`]; when there is none, or several.
    pub fn find(&self, said: &str) -> Result<String, DelegationError> {
        let all = self.list()?;
        let asked = words_of_name(said);
        let exact: Vec<&String> = all.iter().filter(|name| words_of_name(name) == asked).collect();
        let holds = |name: &&String| {
            let known = words_of_name(name);
            !asked.is_empty() && asked.iter().all(|word| known.contains(word))
        };
        let found = if exact.is_empty() { all.iter().filter(holds).collect() } else { exact };
        match found.as_slice() {
            [one] => Ok((*one).clone()),
            [] => Err(DelegationError::UnknownWorkspace(said.to_owned())),
            several => {
                let names: Vec<&str> = several.iter().map(|name| name.as_str()).collect();
                Err(DelegationError::SeveralWorkspaces(said.to_owned(), names.join(", ")))
            }
        }
    }

    /// The only one whose whole name stands in a text; `None` where there is none, or several.
    ///
    /// # Errors
    /// As [`Workspaces::list`].
    pub fn named_in(&self, text: &str) -> Result<Option<String>, DelegationError> {
        let said = words_of_name(text);
        let stands = |name: &String| {
            let name = words_of_name(name);
            !name.is_empty() && said.windows(name.len()).any(|some| some == name)
        };
        let mut found = self.list()?.into_iter().filter(stands);
        Ok(found.next().filter(|_| found.next().is_none()))
    }

    /// Makes a folder for a name as people say it; its own name is made of the words.
    ///
    /// # Errors
    /// As [`Workspaces::root`]; when there is one, no folder can be called so, or it cannot be made.
    pub fn create(&self, said: &str) -> Result<String, DelegationError> {
        let root = self.root()?;
        let name = words_of_name(said).join("-");
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(DelegationError::BadName(said.to_owned()));
        }
        if self.list()?.iter().any(|known| words_of_name(known) == words_of_name(&name)) {
            return Err(DelegationError::WorkspaceExists(name));
        }
        fs::create_dir(root.join(&name)).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => DelegationError::WorkspaceExists(name.clone()),
            _ => DelegationError::BadRoot(root.display().to_string(), error.to_string()),
        })?;
        Ok(name)
    }

    /// The path of one that [`Workspaces::find`] or [`Workspaces::create`] has named.
    ///
    /// # Errors
    /// As [`Workspaces::root`]; when it is a folder of the root no more.
    pub fn path(&self, name: &str) -> Result<PathBuf, DelegationError> {
        match self.list()?.iter().any(|known| known == name) {
            true => Ok(self.root()?.join(name)),
            false => Err(DelegationError::UnknownWorkspace(name.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn workspaces_are_folders_of_the_root_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let at = folder.path();
        for name in ["website", "weather_station", ".hidden", "Weather App"] {
            fs::create_dir(at.join(name)).unwrap();
        }
        fs::write(at.join("file"), "").unwrap();
        symlink(outside.path(), at.join("link")).unwrap();
        let all = Workspaces::new(Some(at.to_owned()));
        assert_eq!(all.list().unwrap(), ["Weather App", "weather_station", "website"]);
        assert_eq!(all.find("the website".trim_start_matches("the ")).unwrap(), "website");
        assert_eq!(all.find("Weather Station").unwrap(), "weather_station");
        assert!(matches!(all.find("weather"), Err(DelegationError::SeveralWorkspaces(..))));
        for name in ["link", "..", "../..", "/etc", "file", "hidden", "", "?"] {
            assert!(matches!(all.find(name), Err(DelegationError::UnknownWorkspace(_))), "{name}");
            assert!(all.path(name).is_err(), "{name}");
        }
        for (goal, named) in [
            ("fix the tests in my website", Some("website")),
            ("make the weather station faster", Some("weather_station")),
            ("write a weather report", None),
            ("copy it from the website to the weather station", None),
        ] {
            assert_eq!(all.named_in(goal).unwrap().as_deref(), named, "{goal}");
        }
        assert_eq!(all.create("Bird Feeder 2").unwrap(), "bird-feeder-2");
        assert!(at.join("bird-feeder-2").is_dir());
        assert_eq!(
            all.create("bird feeder 2"),
            Err(DelegationError::WorkspaceExists("bird-feeder-2".into()))
        );
        assert_eq!(all.create("../../etc").unwrap(), "etc");
        assert!(matches!(all.create("..."), Err(DelegationError::BadName(_))));
        assert!(matches!(Workspaces::new(None).list(), Err(DelegationError::NoWorkspaces)));
        assert!(matches!(Workspaces::new(Some(at.join("no"))).list(), Err(DelegationError::BadRoot(..))));
    }
}

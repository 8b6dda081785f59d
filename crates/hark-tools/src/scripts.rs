//! Scripts the owner has put into the folder of `tools.scripts_folder`: which there are, and the one a name means. They are
//! run by [`Shell`](crate::shell::Shell), with their arguments as arguments.

use hark_config::paths::expand;
use hark_config::tools::ToolsConfig;
use hark_core::text::words_of_name;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Most scripts that are looked at.
const MAX_SCRIPTS: usize = 500;

/// Why there is no script to run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// No folder is named.
    #[error("there is no folder of scripts")]
    NoFolder,
    /// The folder cannot be read.
    #[error("{0} cannot be read: {1}")]
    Unreadable(String, String),
    /// None of this name.
    #[error("there is no script called {0}")]
    NotFound(String),
    /// Several of this name.
    #[error("several scripts are called {0}: {1}")]
    Ambiguous(String, String),
}

/// A script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// What people call it: the name of its file without the ending, with blanks between the words.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
}

/// The folder; cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Scripts {
    folder: Option<PathBuf>,
}

impl Scripts {
    /// As the configuration says.
    pub fn new(config: &ToolsConfig) -> Self {
        let folder = Some(config.scripts_folder.trim()).filter(|folder| !folder.is_empty()).map(expand);
        Self { folder: folder.filter(|folder| folder.is_absolute()) }
    }

    /// Whether a folder is named.
    pub fn is_open(&self) -> bool {
        self.folder.is_some()
    }

    /// The scripts, by name: executable files of the folder itself that nobody but their owner can change. No links, nothing
    /// hidden.
    ///
    /// # Errors
    /// When there is no folder, or it cannot be read.
    pub fn list(&self) -> Result<Vec<Script>, ScriptError> {
        let folder = self.folder.as_ref().ok_or(ScriptError::NoFolder)?;
        let failed =
            |error: std::io::Error| ScriptError::Unreadable(folder.display().to_string(), error.to_string());
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)?.take(MAX_SCRIPTS) {
            let entry = entry.map_err(failed)?;
            // Not followed: it tells of a link as a link.
            let Ok(metadata) = entry.metadata() else { continue };
            let mode = metadata.permissions().mode();
            let is_script = metadata.is_file() && mode & 0o111 != 0 && mode & 0o022 == 0;
            let path = entry.path();
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            match stem.filter(|stem| is_script && !stem.starts_with('.')) {
                Some(stem) => found.push(Script { name: words_of_name(&stem).join(" "), path }),
                None => continue,
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// The script of this name, else the only one whose name has all its words.
    ///
    /// # Errors
    /// As [`Scripts::list`]; when there is none, or several.
    pub fn find(&self, name: &str) -> Result<Script, ScriptError> {
        let all = self.list()?;
        let asked = words_of_name(name);
        let exact: Vec<&Script> = all.iter().filter(|script| words_of_name(&script.name) == asked).collect();
        let fits = |script: &&Script| {
            let known = words_of_name(&script.name);
            !asked.is_empty() && asked.iter().all(|word| known.contains(word))
        };
        let found = if exact.is_empty() { all.iter().filter(fits).collect() } else { exact };
        match found.as_slice() {
            [one] => Ok((*one).clone()),
            [] => Err(ScriptError::NotFound(name.to_owned())),
            several => {
                let names: Vec<&str> = several.iter().map(|script| script.name.as_str()).collect();
                Err(ScriptError::Ambiguous(name.to_owned(), names.join(", ")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    fn script(folder: &Path, name: &str, mode: u32) {
        let path = folder.join(name);
        fs::write(&path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn only_the_owners_scripts_of_the_folder_itself_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        fs::create_dir(at.join("inner")).unwrap();
        for (name, mode) in [
            ("backup.sh", 0o700),
            ("water_the-plants.sh", 0o755),
            ("water the lawn", 0o700),
            ("text.txt", 0o600),
            ("open.sh", 0o777),
            (".hidden.sh", 0o700),
            ("inner/deep.sh", 0o700),
        ] {
            script(at, name, mode);
        }
        symlink("/bin/sh", at.join("shell")).unwrap();
        let config = ToolsConfig { scripts_folder: at.display().to_string(), ..ToolsConfig::default() };
        let scripts = Scripts::new(&config);
        let names: Vec<String> = scripts.list().unwrap().into_iter().map(|script| script.name).collect();
        assert_eq!(names, ["backup", "water the lawn", "water the plants"]);
        assert_eq!(scripts.find("Backup").unwrap().path, at.join("backup.sh"));
        assert_eq!(scripts.find("plants").unwrap().name, "water the plants");
        assert!(matches!(scripts.find("water"), Err(ScriptError::Ambiguous(..))));
        for name in ["shell", "open", "text", "hidden", "inner/deep", "deep", "../backup", "/bin/sh", "", "?"]
        {
            let found = scripts.find(name);
            assert!(
                matches!(found, Err(ScriptError::NotFound(_))) || name == "../backup",
                "{name}: {found:?}"
            );
        }
        assert_eq!(Scripts::default().find("x"), Err(ScriptError::NoFolder));
    }
}

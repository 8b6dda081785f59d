//! Scripts the owner has put into the folder of `tools.scripts_folder`, and on a Mac the owner's shortcuts: which there are, and
//! the one a name means. They are run by [`Shell`](crate::shell::Shell), with their arguments as arguments.

use hark_config::paths::expand;
use hark_config::tools::ToolsConfig;
use hark_core::text::words_of_name;
use hark_desktop::macos::{Mac, MacError};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

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
    /// A shortcut takes no arguments.
    #[error("{0} is a shortcut, which takes no arguments")]
    NoArguments(String),
    /// macOS does not tell or run shortcuts.
    #[error(transparent)]
    Mac(#[from] MacError),
}

/// What is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// A shortcut of the Mac, by its whole name.
    Shortcut(String),
}

/// A script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// What people call it: the name of its file without the ending, with blanks between the words.
    pub name: String,
    /// What is run.
    pub source: Source,
}

/// Endings of AppleScript, which osascript runs whether or not its file says so in its first line.
const APPLE_SCRIPT: [&str; 3] = ["applescript", "scpt", "scptd"];

impl Script {
    /// The program that runs it, and what that gets.
    ///
    /// # Errors
    /// When a shortcut is given arguments, or the program is not there.
    pub fn command(&self, args: &[&str], mac: Option<&Mac>) -> Result<(PathBuf, Vec<String>), ScriptError> {
        let own = || args.iter().map(|&arg| arg.to_owned());
        match (&self.source, mac) {
            (Source::Shortcut(name), Some(mac)) if args.is_empty() => Ok(mac.shortcut_command(name)?),
            (Source::Shortcut(_), _) => Err(ScriptError::NoArguments(self.name.clone())),
            (Source::File(path), Some(mac)) if is_apple_script(path) => {
                let file = path.display().to_string();
                Ok((mac.script_program()?, std::iter::once(file).chain(own()).collect()))
            }
            (Source::File(path), _) => Ok((path.clone(), own().collect())),
        }
    }
}

fn is_apple_script(path: &Path) -> bool {
    path.extension().is_some_and(|ending| APPLE_SCRIPT.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// The folder; cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Scripts {
    folder: Option<PathBuf>,
    mac: Option<Mac>,
}

impl Scripts {
    /// As the configuration says.
    pub fn new(config: &ToolsConfig) -> Self {
        let folder = Some(config.scripts_folder.trim()).filter(|folder| !folder.is_empty()).map(expand);
        Self { folder: folder.filter(|folder| folder.is_absolute()), mac: Mac::here() }
    }

    /// Whether a folder is named, or there are shortcuts.
    pub fn is_open(&self) -> bool {
        self.folder.is_some() || self.mac.is_some()
    }

    /// The Mac they are on, where it is one.
    pub fn mac(&self) -> Option<&Mac> {
        self.mac.as_ref()
    }

    /// The scripts and shortcuts, by name.
    ///
    /// # Errors
    /// When there is no folder and no Mac, or what is there cannot be read.
    pub fn list(&self) -> Result<Vec<Script>, ScriptError> {
        let mut found = match (&self.folder, &self.mac) {
            (Some(folder), _) => files(folder)?,
            (None, Some(_)) => Vec::new(),
            (None, None) => return Err(ScriptError::NoFolder),
        };
        if let Some(mac) = &self.mac {
            let shortcut = |name: String| Script {
                name: words_of_name(&name).join(" "),
                source: Source::Shortcut(name),
            };
            found.extend(mac.shortcuts()?.into_iter().map(shortcut));
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

/// Executable files of the folder itself that nobody but their owner can change. No links, nothing hidden.
fn files(folder: &Path) -> Result<Vec<Script>, ScriptError> {
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
            Some(stem) => {
                found.push(Script { name: words_of_name(&stem).join(" "), source: Source::File(path) });
            }
            None => continue,
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

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
        assert_eq!(scripts.find("Backup").unwrap().source, Source::File(at.join("backup.sh")));
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
    #[test]
    fn on_a_mac_shortcuts_and_apple_script_are_scripts_too() {
        let folder = tempfile::tempdir().unwrap();
        let (programs, own) = (folder.path().join("bin"), folder.path().join("own"));
        fs::create_dir(&programs).unwrap();
        fs::create_dir(&own).unwrap();
        fs::write(programs.join("shortcuts"), "#!/bin/sh\nprintf 'Good Night: all off\\n-x\\n'\n").unwrap();
        fs::set_permissions(programs.join("shortcuts"), fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(programs.join("osascript"), "").unwrap();
        script(&own, "backup.sh", 0o700);
        script(&own, "tidy-desk.scpt", 0o700);
        let mac = Mac::of_folder(&programs);
        let scripts = Scripts { folder: Some(own.clone()), mac: Some(mac.clone()) };
        let names: Vec<String> = scripts.list().unwrap().into_iter().map(|script| script.name).collect();
        assert_eq!(names, ["backup", "good night all off", "tidy desk"]);
        let command = |name: &str, args: &[&str]| scripts.find(name).unwrap().command(args, scripts.mac());
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            command("good night", &[]),
            Ok((programs.join("shortcuts"), words(&["run", "Good Night: all off"])))
        );
        assert!(matches!(command("good night", &["x"]), Err(ScriptError::NoArguments(_))));
        let file = own.join("tidy-desk.scpt").display().to_string();
        assert_eq!(command("tidy desk", &["-e"]), Ok((programs.join("osascript"), words(&[&file, "-e"]))));
        assert_eq!(command("backup", &["now"]), Ok((own.join("backup.sh"), words(&["now"]))));
        let alone = Scripts { folder: None, mac: Some(mac) };
        assert!(alone.is_open() && alone.list().unwrap().len() == 1);
    }
}

//! `[paths]`: where Hark finds its models and keeps its state, and where they are found when the keys are empty.

use hark_core::{Fault, FaultKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Longest file of a secret that is read; a token of Home Assistant has about 180 characters.
const SECRET_MAX_BYTES: u64 = 8 * 1024;

/// Where Hark finds its models and keeps its state.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Paths {
    /// Folder with `manifest.toml`, `sentences/` and `cache/`; empty: `$HARK_MODELS_DIR`, else the folder beside the program.
    #[schemars(extend("x-holds" = "folder"))]
    pub models_dir: String,
    /// Folder for the database; empty: `$STATE_DIRECTORY`, else `~/.local/state/hark`.
    #[schemars(extend("x-holds" = "folder"))]
    pub state_dir: String,
}

impl Paths {
    /// The folder with `manifest.toml`: this key, else `$HARK_MODELS_DIR`, else `models/` upward from
    /// the program or the current folder, else `/usr/share/hark/models`.
    ///
    /// # Errors
    /// `MissingPart` when none of them has a manifest.
    pub fn models_dir(&self) -> Result<PathBuf, Fault> {
        ProcessEnvironment::of_this_process().models_dir(&self.models_dir)
    }

    /// The state folder of the system's service, if there is one and neither configuration nor state folder are named.
    pub fn service_state_dir(&self) -> Option<PathBuf> {
        ProcessEnvironment::of_this_process().service_state_dir(&self.state_dir)
    }

    /// The folder for the database: this key, else `$STATE_DIRECTORY`, else `~/.local/state/hark`.
    /// It is not made here; see [`ensure_dir`].
    ///
    /// # Errors
    /// `MissingPart` when there is not even a home folder.
    pub fn state_dir(&self) -> Result<PathBuf, Fault> {
        ProcessEnvironment::of_this_process().state_dir(&self.state_dir)
    }
}

/// The folder of checked model files: `cache/` in the models folder when it is there or can be made,
/// else `/var/lib/hark/models`.
pub fn cache_dir(models_dir: &Path) -> PathBuf {
    let beside = models_dir.join("cache");
    if beside.is_dir() || is_writable(models_dir) { beside } else { PathBuf::from("/var/lib/hark/models") }
}

/// Makes a folder that others may not read, with its parents.
///
/// # Errors
/// When it cannot be made.
pub fn ensure_dir(path: &Path) -> Result<(), Fault> {
    make_dir(path, 0o750).map_err(|error| {
        Fault::new(
            FaultKind::Failed,
            "paths",
            format!("cannot make the folder {} ({error})", path.display()),
            "make it, or name another with --set paths.state_dir=FOLDER",
        )
    })
}

/// Makes a folder with its parents, where they are not there, with these permissions on Unix.
///
/// # Errors
/// When it cannot be made.
pub fn make_dir(path: &Path, mode: u32) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode);
    builder.create(path)
}

/// Lets only the owner of a file that is created read and write it.
pub fn private(options: &mut fs::OpenOptions) -> &mut fs::OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// A path as a person writes it: `~/` is the home folder.
pub fn expand(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => PathBuf::from(path),
    }
}

/// systemd's folder of credentials, when there is one.
pub fn credentials_dir() -> Option<PathBuf> {
    std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from)
}

/// The file of a secret: the configured one, else the credential of this name in `credentials_dir`, when
/// there is one.
pub fn secret_file(configured: &str, credential: &str, credentials_dir: Option<&Path>) -> Option<PathBuf> {
    if !configured.is_empty() {
        return Some(expand(configured));
    }
    credentials_dir.map(|dir| dir.join(credential)).filter(|path| path.exists())
}

/// Why the file of a secret cannot be used, without its content. The caller adds the file's path and the fix.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The system does not give it.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// It is no secret, but something else.
    #[error("{0} bytes are too many for a secret")]
    TooLong(u64),
    /// Nothing but white space.
    #[error("it is empty")]
    Empty,
    /// Something is between its words.
    #[error("it holds more than one word")]
    SeveralWords,
}

/// The one word in the file of a secret, without the white space around it.
///
/// # Errors
/// When it cannot be read or is none.
pub fn read_secret(path: &Path) -> Result<String, SecretError> {
    let text = read_secret_text(path)?;
    match text.trim() {
        "" => Err(SecretError::Empty),
        word if word.contains(|c: char| c.is_whitespace() || c.is_control()) => {
            Err(SecretError::SeveralWords)
        }
        word => Ok(word.to_owned()),
    }
}

/// The file of a secret of any words, without the white space at its end.
///
/// # Errors
/// When it cannot be read or is too long.
pub fn read_secret_text(path: &Path) -> Result<String, SecretError> {
    let file = fs::File::open(path)?;
    let size = file.metadata()?.len();
    if size > SECRET_MAX_BYTES {
        return Err(SecretError::TooLong(size));
    }
    let mut text = String::new();
    // A device says that it has no length.
    let read = file.take(SECRET_MAX_BYTES + 1).read_to_string(&mut text)? as u64;
    if read > SECRET_MAX_BYTES {
        return Err(SecretError::TooLong(read));
    }
    text.truncate(text.trim_end().len());
    Ok(text)
}

fn is_writable(folder: &Path) -> bool {
    // Permission bits do not tell for root, read-only mounts or a systemd sandbox: trying does.
    let probe = folder.join(format!(".hark-write-test-{}", std::process::id()));
    let made = fs::File::create_new(&probe).is_ok();
    if made {
        let _ = fs::remove_file(&probe);
    }
    made
}

/// The environment of the process; a struct, so that tests can make their own.
#[derive(Debug, Clone, Default)]
pub(super) struct ProcessEnvironment {
    pub(super) config: Option<PathBuf>,
    pub(super) models: Option<PathBuf>,
    pub(super) state: Option<PathBuf>,
    pub(super) home: Option<PathBuf>,
    pub(super) program: Option<PathBuf>,
    pub(super) current: Option<PathBuf>,
    pub(super) root: PathBuf,
}

impl ProcessEnvironment {
    /// Environment, program and current folder of this process.
    pub(super) fn of_this_process() -> Self {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            config: variable("HARK_CONFIG"),
            models: variable("HARK_MODELS_DIR"),
            // systemd may name several folders, parted by colons; the first is the one to write to.
            state: std::env::var("STATE_DIRECTORY")
                .ok()
                .and_then(|list| list.split(':').find(|part| !part.is_empty()).map(PathBuf::from)),
            home: variable("HOME"),
            program: std::env::current_exe().ok(),
            current: std::env::current_dir().ok(),
            root: PathBuf::from("/"),
        }
    }

    /// The configuration file to read when none is named; `$HARK_CONFIG` counts even if it is not
    /// there, so that a wrong one is an error and not silently passed over.
    pub(super) fn config_file(&self) -> Option<PathBuf> {
        let usual = [
            Some(self.root.join("etc/hark/hark.toml")),
            self.home.as_ref().map(|home| home.join(".config/hark/hark.toml")),
        ];
        self.config.clone().or_else(|| usual.into_iter().flatten().find(|path| path.is_file()))
    }

    /// The configuration file that is read, else the one that is made when something is to be written.
    pub(super) fn config_file_to_write(&self) -> Option<PathBuf> {
        let own = || self.home.as_ref().map(|home| home.join(".config/hark/hark.toml"));
        self.config_file().or_else(own)
    }

    fn models_dir(&self, key: &str) -> Result<PathBuf, Fault> {
        let named = if key.is_empty() { self.models.clone() } else { Some(expand(key)) };
        let has_manifest = |folder: &PathBuf| folder.join("manifest.toml").is_file();
        let missing = |message: String| {
            let fix = "name the folder with paths.models_dir or $HARK_MODELS_DIR; it has manifest.toml in it";
            Fault::new(FaultKind::MissingPart, "models", message, fix)
        };
        if let Some(folder) = named {
            let message = format!("{} has no manifest.toml", folder.display());
            return if has_manifest(&folder) { Ok(folder) } else { Err(missing(message)) };
        }
        let upward = |start: &Option<PathBuf>| {
            let ancestors =
                start.iter().flat_map(|path| path.ancestors()).map(|folder| folder.join("models"));
            ancestors.collect::<Vec<_>>()
        };
        let mut candidates = upward(&self.program);
        candidates.extend(upward(&self.current));
        candidates.push(self.root.join("usr/share/hark/models"));
        candidates
            .into_iter()
            .find(has_manifest)
            .ok_or_else(|| missing("found no models folder with a manifest.toml".to_owned()))
    }

    fn service_state_dir(&self, key: &str) -> Option<PathBuf> {
        let is_unspecified = key.is_empty() && self.state.is_none() && self.config.is_none();
        Some(self.root.join("var/lib/hark")).filter(|folder| is_unspecified && folder.is_dir())
    }

    fn state_dir(&self, key: &str) -> Result<PathBuf, Fault> {
        if !key.is_empty() {
            return Ok(expand(key));
        }
        let at_home = || self.home.as_ref().map(|home| home.join(".local/state/hark"));
        self.state.clone().or_else(at_home).ok_or_else(|| {
            let fix = "name one with --set paths.state_dir=FOLDER";
            Fault::new(FaultKind::MissingPart, "paths", "there is no folder to keep the state in", fix)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn manifest_in(folder: &Path) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("manifest.toml"), "").unwrap();
        folder.to_owned()
    }

    #[test]
    fn models_are_found_by_key_then_variable_then_upward_then_system() {
        let root = tempfile::tempdir().unwrap();
        let system = manifest_in(&root.path().join("usr/share/hark/models"));
        let mut places = ProcessEnvironment { root: root.path().into(), ..ProcessEnvironment::default() };
        assert_eq!(places.models_dir("").unwrap(), system);

        let beside = manifest_in(&root.path().join("source/models"));
        places.program = Some(root.path().join("source/target/release/hark"));
        assert_eq!(places.models_dir("").unwrap(), beside);

        let named = manifest_in(&root.path().join("elsewhere"));
        places.models = Some(named.clone());
        assert_eq!(places.models_dir("").unwrap(), named);
        assert_eq!(places.models_dir(beside.to_str().unwrap()).unwrap(), beside);
    }

    #[test]
    fn a_file_of_a_secret_is_read_up_to_a_limit() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("secret");
        let why = |text: &str| {
            fs::write(&file, text).unwrap();
            read_secret(&file).map_err(|error| error.to_string())
        };
        assert_eq!(why(" word \n"), Ok("word".into()));
        assert_eq!(why(" \n"), Err("it is empty".into()));
        assert_eq!(why("two words"), Err("it holds more than one word".into()));
        assert_eq!(why(&"x".repeat(8193)), Err("8193 bytes are too many for a secret".into()));
        fs::write(&file, " two\nlines\n\n").unwrap();
        assert_eq!(read_secret_text(&file).unwrap(), " two\nlines");
        assert!(matches!(read_secret_text(&root.path().join("no")), Err(SecretError::Unreadable(_))));
        let endless = Path::new("/dev/zero");
        assert!(!endless.exists() || matches!(read_secret_text(endless), Err(SecretError::TooLong(_))));
    }

    #[test]
    fn a_named_models_folder_without_manifest_is_a_fault_and_not_passed_over() {
        let root = tempfile::tempdir().unwrap();
        manifest_in(&root.path().join("usr/share/hark/models"));
        let places = ProcessEnvironment {
            root: root.path().into(),
            models: Some(root.path().join("gone")),
            ..ProcessEnvironment::default()
        };
        let fault = places.models_dir("").unwrap_err();
        assert_eq!(fault.kind, FaultKind::MissingPart);
        assert!(fault.message.contains("gone"));
    }

    #[test]
    fn state_is_kept_where_systemd_says_else_at_home() {
        let places = ProcessEnvironment { home: Some("/home/anna".into()), ..ProcessEnvironment::default() };
        assert_eq!(places.state_dir("").unwrap(), PathBuf::from("/home/anna/.local/state/hark"));
        let places = ProcessEnvironment { state: Some("/var/lib/hark".into()), ..places };
        assert_eq!(places.state_dir("").unwrap(), PathBuf::from("/var/lib/hark"));
        assert_eq!(places.state_dir("/data").unwrap(), PathBuf::from("/data"));
        assert!(ProcessEnvironment::default().state_dir("").is_err());
    }

    #[test]
    fn the_state_of_the_service_is_looked_at_where_nobody_said_which() {
        let root = tempfile::tempdir().unwrap();
        let places = ProcessEnvironment { root: root.path().into(), ..ProcessEnvironment::default() };
        assert_eq!(places.service_state_dir(""), None, "it is not installed");
        let folder = root.path().join("var/lib/hark");
        fs::create_dir_all(&folder).unwrap();
        assert_eq!(places.service_state_dir(""), Some(folder));
        assert_eq!(places.service_state_dir("/data"), None);
        assert_eq!(
            ProcessEnvironment { config: Some("a.toml".into()), ..places }.service_state_dir(""),
            None
        );
    }

    #[test]
    fn the_configuration_file_is_searched_in_the_promised_order() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("home");
        let mut places = ProcessEnvironment {
            root: root.path().into(),
            home: Some(home.clone()),
            ..ProcessEnvironment::default()
        };
        assert_eq!(places.config_file(), None);
        fs::create_dir_all(home.join(".config/hark")).unwrap();
        fs::write(home.join(".config/hark/hark.toml"), "").unwrap();
        assert_eq!(places.config_file(), Some(home.join(".config/hark/hark.toml")));
        fs::create_dir_all(root.path().join("etc/hark")).unwrap();
        fs::write(root.path().join("etc/hark/hark.toml"), "").unwrap();
        assert_eq!(places.config_file(), Some(root.path().join("etc/hark/hark.toml")));
        places.config = Some("/nowhere.toml".into());
        assert_eq!(places.config_file(), Some("/nowhere.toml".into()));
    }

    #[test]
    fn the_cache_lies_beside_the_manifest_when_it_can() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(cache_dir(root.path()), root.path().join("cache"));
        assert_eq!(cache_dir(Path::new("/proc/hark")), PathBuf::from("/var/lib/hark/models"));
    }
}

//! The configuration file with what `--set` puts over it: read, and written whole after the checks of a start.

use super::edit::{self, Change};
use super::load::Loaded;
use super::problem::Problem;
use super::source::Source;
use crate::Config;
use crate::paths::{ProcessEnvironment, make_dir};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

/// Where the configuration of a program comes from.
#[derive(Debug, Clone, Default)]
pub struct ConfigFile {
    named: Option<PathBuf>,
    sets: Vec<String>,
}

/// Why the file is as it was.
#[derive(Debug)]
pub enum ChangeError {
    /// The configuration would have these mistakes.
    Problems(Vec<Problem>),
    /// It could not be written.
    NotWritten {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

impl ConfigFile {
    /// The file of `--config`, else the usual one, and what `--set` says.
    pub fn new(named: Option<&Path>, sets: &[String]) -> Self {
        Self { named: named.map(Path::to_owned), sets: sets.to_vec() }
    }

    /// The file that is read, else the one that would be made.
    pub fn path(&self) -> PathBuf {
        let usual = || ProcessEnvironment::of_this_process().config_file_to_write();
        self.named.clone().or_else(usual).unwrap_or_else(|| PathBuf::from("/etc/hark/hark.toml"))
    }

    /// The arguments with which another call of the program reads the same.
    pub fn arguments(&self) -> Vec<OsString> {
        let named = self.named.iter().flat_map(|path| ["--config".into(), path.clone().into_os_string()]);
        named.chain(self.sets.iter().flat_map(|set| ["--set".into(), set.into()])).collect()
    }

    /// Reads and checks it.
    ///
    /// # Errors
    /// Every problem found, never only the first.
    pub fn load(&self) -> Result<Loaded, Vec<Problem>> {
        Config::load(self.named.as_deref(), &self.sets)
    }

    /// The same, but hands over what could be read even when there are problems.
    pub fn examine(&self) -> (Option<Loaded>, Vec<Problem>) {
        Config::examine(self.named.as_deref(), &self.sets)
    }

    /// Replaces a file that goes with this one, such as the home's. A new one belongs to whom this one belongs, and is read by
    /// whom this one is read by: the administrator may make what the service writes later.
    ///
    /// # Errors
    /// When it cannot be written; it is as before then.
    pub fn write_beside(&self, path: &Path, contents: impl AsRef<[u8]>) -> io::Result<()> {
        let is_new = !path.exists();
        write_whole(path, contents)?;
        match fs::metadata(self.path()) {
            Ok(own) if is_new => {
                let file = File::open(path)?;
                file.set_permissions(own.permissions())?;
                give(&file, &own)
            }
            _ => Ok(()),
        }
    }

    /// Writes changes into the file, where the configuration passes every check with them, and those of `also`.
    ///
    /// # Errors
    /// Every mistake the configuration would have; a file that cannot be read or written. The file is as before then.
    pub fn change(
        &self,
        changes: &[Change],
        also: impl Fn(&Loaded) -> Vec<Problem>,
    ) -> Result<Loaded, ChangeError> {
        let path = self.path();
        let failed = |error| ChangeError::NotWritten { path: path.clone(), error };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let new = edit::edited(&text, &path, changes).map_err(ChangeError::Problems)?;
        let loaded = Config::from_parts(Some((&path, &new)), &self.sets).map_err(ChangeError::Problems)?;
        let mut problems = also(&loaded);
        problems.extend(changes.iter().filter_map(|change| overridden(&loaded, change)));
        if !problems.is_empty() {
            return Err(ChangeError::Problems(problems));
        }
        if new != text {
            write_whole(&path, &new).map_err(failed)?;
        }
        Ok(loaded)
    }
}

/// What is written of such a key has no effect.
fn overridden(loaded: &Loaded, change: &Change) -> Option<Problem> {
    (loaded.source(&change.key) == Source::Set).then(|| Problem {
        key: change.key.clone(),
        value: String::new(),
        place: "--set".into(),
        message: "is set on the command line, which counts more than the file".into(),
        fix: "start Hark without --set for this key".into(),
    })
}

/// Gives a file the owner and the group of another one. Left as it is where this process is not root, which alone may do so.
fn give(file: &File, like: &Metadata) -> io::Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    match fchown(file, Some(like.uid()), Some(like.gid())) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        given => given,
    }
}

/// Replaces a file atomically: a concurrent reader sees the old or the new contents, never a mix of both, and so does who
/// reads it after a power cut. Mode and owner stay, as far as this process may give files away.
///
/// # Errors
/// When it cannot be written; the file is as before then.
pub fn write_whole(path: &Path, contents: impl AsRef<[u8]>) -> io::Result<()> {
    write_with_mode(path, contents.as_ref(), 0o666)
}

/// As [`write_whole`], for private contents: a new file has mode 0600.
///
/// # Errors
/// As of [`write_whole`].
pub fn write_private(path: &Path, contents: impl AsRef<[u8]>) -> io::Result<()> {
    write_with_mode(path, contents.as_ref(), 0o600)
}

/// `mode` is that of a new file, before the process's umask.
fn write_with_mode(path: &Path, contents: &[u8], mode: u32) -> io::Result<()> {
    // A link stays one.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    make_dir(folder, 0o755)?;
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = folder.join(format!(".{name}.{}.part", std::process::id()));
    let written = (|| {
        let mut file =
            File::options().write(true).create(true).truncate(true).mode(mode).open(&unfinished)?;
        if let Ok(old) = fs::metadata(&target) {
            file.set_permissions(old.permissions())?;
            give(&file, &old)?;
        }
        file.write_all(contents)?;
        file.sync_all()?;
        fs::rename(&unfinished, &target)?;
        File::open(folder)?.sync_all()
    })();
    if written.is_err() {
        // Not there where it could not be made.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use toml::Value;

    fn set(key: &str, value: impl Into<Value>) -> Change {
        Change { key: key.into(), value: Some(value.into()) }
    }

    fn none(_: &Loaded) -> Vec<Problem> {
        Vec::new()
    }

    #[test]
    fn what_is_private_is_its_owners_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("spending.json");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        write_private(&path, "one").unwrap();
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write_private(&path, "two").unwrap();
        assert_eq!(
            (mode(), fs::read_to_string(&path).unwrap().as_str()),
            (0o640, "two"),
            "a mode that was given stays"
        );
    }

    #[test]
    fn a_change_is_checked_as_at_a_start_and_then_written_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hark.toml");
        let text = "# mine\n[vad]\nthreshold = 0.6 # loud\n";
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let link = dir.path().join("link.toml");
        symlink(&path, &link).unwrap();
        let file = ConfigFile::new(Some(&link), &["audio.input_gain_db=3".into()]);

        let refused = |changes: &[Change]| match file.change(changes, none) {
            Err(ChangeError::Problems(problems)) => problems.iter().map(ToString::to_string).collect(),
            other => panic!("{other:?}"),
        };
        let problems: Vec<String> = refused(&[set("vad.threshold", 7.0), set("endpoint.silence_ms", "long")]);
        assert!(problems.len() == 2 && problems[0].contains("out of range"), "{problems:?}");
        // Of two keys that go together, one alone.
        let problems: Vec<String> = refused(&[set("vad.threshold_off", 0.7)]);
        assert!(problems[0].contains("must be lower than vad.threshold"), "{problems:?}");
        let problems: Vec<String> = refused(&[set("audio.input_gain_db", 5)]);
        assert!(problems[0].contains("on the command line"), "{problems:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "nothing was written");

        let loaded = file.change(&[set("vad.threshold", 0.8), set("vad.threshold_off", 0.7)], none).unwrap();
        assert_eq!((loaded.config.vad.threshold, loaded.config.vad.threshold_off), (0.8, 0.7));
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "# mine\n[vad]\nthreshold = 0.8 # loud\nthreshold_off = 0.7\n"
        );
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing unfinished is left");
        file.change(&[Change { key: "vad.threshold_off".into(), value: None }], none).unwrap();
        assert_eq!(file.load().unwrap().config.vad.threshold_off, 0.35);
    }

    #[test]
    fn what_the_administrator_writes_stays_its_owners() {
        let dir = tempfile::tempdir().unwrap();
        if fs::metadata(dir.path()).unwrap().uid() != 0 {
            println!("skipped: only root gives files away");
            return;
        }
        let path = dir.path().join("hark.toml");
        fs::write(&path, "").unwrap();
        std::os::unix::fs::chown(&path, Some(4711), Some(4712)).unwrap();
        let file = ConfigFile::new(Some(&path), &[]);
        file.change(&[set("home.demo", true)], none).unwrap();
        let home = dir.path().join("home.toml");
        file.write_beside(&home, "# ours").unwrap();
        let owner = |path: &Path| fs::metadata(path).map(|own| (own.uid(), own.gid())).unwrap();
        assert_eq!((owner(&path), owner(&home)), ((4711, 4712), (4711, 4712)));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&home));
        // What was somebody else's before is theirs still.
        std::os::unix::fs::chown(&home, Some(4713), Some(4714)).unwrap();
        file.write_beside(&home, "# anew").unwrap();
        assert_eq!(owner(&home), (4713, 4714));
    }

    #[test]
    fn another_call_reads_the_same() {
        let file = ConfigFile::new(Some(Path::new("a b.toml")), &["home.demo=true".into()]);
        assert_eq!(file.arguments(), ["--config", "a b.toml", "--set", "home.demo=true"]);
        assert!(ConfigFile::default().arguments().is_empty());
    }

    #[test]
    fn a_file_that_is_not_there_is_made_and_one_that_cannot_be_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/hark.toml");
        let file = ConfigFile::new(Some(&path), &[]);
        file.change(&[set("home.demo", true)], none).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[home]\ndemo = true\n");
        let nowhere = ConfigFile::new(Some(Path::new("/proc/hark/hark.toml")), &[]);
        assert!(matches!(
            nowhere.change(&[set("home.demo", true)], none),
            Err(ChangeError::NotWritten { .. })
        ));
    }
}

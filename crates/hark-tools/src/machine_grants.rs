//! What this machine grants Hark beside what single tools ask for themselves: sound devices by the group of their user, and the
//! folders the configuration names.

use hark_config::paths::expand;
use hark_config::tools::ToolsConfig;
use rustix::fs::{Access, access};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Why something cannot be done here, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lack {
    /// Why.
    pub why: String,
    /// What to do; empty where there is nothing.
    pub fix: String,
}

/// Folders of devices, how the names of those that are used begin, and what they are.
const DEVICES: [(&str, &str, &str); 1] = [("/dev/snd", "control", "the sound cards")];

/// What was configured that a machine has to grant; cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct MachineGrants {
    /// The key, the folder, and whether it is written to.
    folders: Vec<(&'static str, PathBuf, bool)>,
}

impl MachineGrants {
    /// As the configuration says.
    pub fn new(config: &ToolsConfig) -> Self {
        let of = |key: &'static str, paths: &[String], writes: bool| {
            let paths = paths.iter().map(|path| path.trim()).filter(|path| !path.is_empty());
            paths.map(|path| (key, expand(path), writes)).collect::<Vec<_>>()
        };
        let scripts = std::slice::from_ref(&config.scripts_folder);
        let folders = [
            of("tools.file_roots", &config.file_roots, false),
            of("tools.file_write_roots", &config.file_write_roots, true),
            of("tools.scripts_folder", scripts, false),
        ];
        Self { folders: folders.concat() }
    }

    /// Everything that is not granted, as it is now.
    pub fn missing(&self) -> Vec<Lack> {
        let devices =
            DEVICES.iter().filter_map(|(folder, begins, what)| device(Path::new(folder), begins, what));
        let folders = self.folders.iter().filter_map(|(key, path, writes)| folder(key, path, *writes));
        devices.chain(folders).collect()
    }
}

/// What is missing for the devices of a folder; nothing where there are none.
fn device(folder: &Path, begins: &str, what: &str) -> Option<Lack> {
    let mut paths = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let is_one =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begins));
    let path = paths.find(is_one)?;
    access(&path, Access::READ_OK | Access::WRITE_OK).err()?;
    let id = fs::metadata(&path).ok()?.gid();
    let groups = fs::read_to_string("/etc/group").unwrap_or_default();
    let group = group_name(&groups, id).unwrap_or_else(|| id.to_string());
    let why = format!("{what} ({}) are only open to the group {group}", folder.display());
    let fix = format!("put the user Hark runs as into it (usermod -aG {group} USER), and start Hark anew");
    Some(Lack { why, fix })
}

/// The name of a group, from the lines of `/etc/group`.
fn group_name(groups: &str, id: u32) -> Option<String> {
    let mut lines = groups.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let line = lines.find(|fields| fields.get(2).is_some_and(|field| *field == id.to_string()))?;
    Some((*line.first()?).to_owned())
}

fn folder(key: &str, path: &Path, writes: bool) -> Option<Lack> {
    let shown = path.display();
    let lack = |why: String, fix: String| Some(Lack { why, fix });
    if !path.is_dir() {
        return lack(format!("there is no folder {shown}"), format!("make it, or correct {key}"));
    }
    let needed = if writes {
        Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK
    } else {
        Access::READ_OK | Access::EXEC_OK
    };
    access(path, needed).err()?;
    let how = if writes { "written to" } else { "read" };
    lack(
        format!("{shown} cannot be {how} by the user Hark runs as"),
        format!("give it the right to (setfacl -m u:USER:rwX {shown}), or correct {key}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn folders_that_are_away_or_closed_are_told_of() {
        let dir = tempfile::tempdir().unwrap();
        let (open, closed) = (dir.path().join("open"), dir.path().join("closed"));
        fs::create_dir(&open).unwrap();
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(&closed, Permissions::from_mode(0o000)).unwrap();
        let path = |path: &Path| path.display().to_string();
        let grants = MachineGrants::new(&ToolsConfig {
            file_roots: vec![path(&open), path(&closed)],
            scripts_folder: path(&dir.path().join("away")),
            ..ToolsConfig::default()
        });
        let missing = grants.missing();
        let told = |what: &str| missing.iter().any(|lack| lack.why.contains(what));
        assert!(told("away") && !told("open"), "{missing:?}");
        // Root may look everywhere.
        assert_eq!(told("closed"), !rustix::process::geteuid().is_root());
        fs::set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
    }

    #[test]
    fn a_device_that_is_closed_names_its_group() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(device(dir.path(), "control", "the sound cards"), None, "there is none");
        let card = dir.path().join("controlC0");
        fs::write(&card, "").unwrap();
        assert_eq!(device(dir.path(), "control", "the sound cards"), None, "it is open");
        fs::set_permissions(&card, Permissions::from_mode(0o000)).unwrap();
        let lack = device(dir.path(), "control", "the sound cards");
        assert_eq!(lack.is_some(), !rustix::process::geteuid().is_root());
        assert_eq!(group_name("root:x:0:\naudio:x:29:hark\n", 29).as_deref(), Some("audio"));
        assert_eq!(group_name("root:x:0:\n", 29), None);
    }
}

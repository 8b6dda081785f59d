//! What this machine grants Hark beside what single tools ask for themselves: sound devices by the group of their user, and the
//! files and folders the configuration names.

use hark_config::paths::expand;
use hark_config::personal::PersonalConfig;
use hark_config::tools::ToolsConfig;
use hark_config::watch::WatchConfig;
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

/// How a configured path is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// A folder that is read.
    Read,
    /// A folder that is read and written.
    Write,
    /// The same; where it is not there yet, the first thing that is kept makes it, and no folder above it.
    Made,
    /// A file or a folder that is read.
    ReadAny,
    /// The same, written too.
    WriteAny,
}

impl Use {
    fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Made | Self::WriteAny)
    }

    fn may_be_file(self) -> bool {
        matches!(self, Self::ReadAny | Self::WriteAny)
    }
}

/// A path of the configuration, with the key that names it.
type Named = (&'static str, PathBuf, Use);

/// What was configured that a machine has to grant; cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct MachineGrants {
    paths: Vec<Named>,
}

impl MachineGrants {
    /// As the section of the tools says.
    pub fn new(config: &ToolsConfig) -> Self {
        let scripts = std::slice::from_ref(&config.scripts_folder);
        let paths = [
            named("tools.file_roots", &config.file_roots, Use::Read),
            named("tools.file_write_roots", &config.file_write_roots, Use::Write),
            named("tools.scripts_folder", scripts, Use::Read),
        ];
        Self { paths: paths.concat() }
    }

    /// With notes, calendars and contacts, and with what is watched.
    pub fn with(mut self, personal: &PersonalConfig, watch: &WatchConfig) -> Self {
        use std::slice::from_ref;
        // Where there is a server, new events go to it.
        let calendar = if personal.caldav_url.trim().is_empty() { Use::WriteAny } else { Use::ReadAny };
        self.paths.extend(named("personal.notes_folder", from_ref(&personal.notes_folder), Use::Made));
        self.paths.extend(named("personal.calendar_path", from_ref(&personal.calendar_path), calendar));
        self.paths.extend(named("personal.contacts_path", from_ref(&personal.contacts_path), Use::ReadAny));
        let watched =
            [("watch.folders", watch.named_folders()), ("watch.repositories", watch.named_repositories())];
        for (key, entries) in watched {
            self.paths.extend(entries.into_iter().map(|(_, path)| (key, path, Use::Read)));
        }
        self
    }

    /// Everything that is not granted, as it is now.
    pub fn missing(&self) -> Vec<Lack> {
        let devices =
            DEVICES.iter().filter_map(|(folder, begins, what)| device(Path::new(folder), begins, what));
        let paths = self.paths.iter().filter(|named| !is_to_come(named)).filter_map(path_lack);
        devices.chain(paths).collect()
    }

    /// Folders that are not there yet, and are made by the first thing that is kept in them.
    pub fn to_come(&self) -> Vec<&Path> {
        self.paths.iter().filter(|named| is_to_come(named)).map(|(_, path, _)| path.as_path()).collect()
    }
}

fn named(key: &'static str, paths: &[String], used: Use) -> Vec<Named> {
    let paths = paths.iter().map(|path| path.trim()).filter(|path| !path.is_empty());
    paths.map(|path| (key, expand(path), used)).collect()
}

/// Whether a folder is one that Hark may make, where that can work: nothing is there, and the folder above it can be written.
fn is_to_come((_, path, used): &Named) -> bool {
    let above = path.parent().filter(|above| above.is_dir());
    let may_write = |above: &Path| access(above, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    // A link that leads nowhere is something.
    *used == Use::Made && fs::symlink_metadata(path).is_err() && above.is_some_and(may_write)
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

/// What is missing for a path of the configuration.
fn path_lack((key, path, used): &Named) -> Option<Lack> {
    let shown = path.display();
    let lack = |why: String, fix: String| Some(Lack { why, fix });
    let is_right = path.is_dir() || used.may_be_file() && path.is_file();
    if !is_right {
        let kind = if used.may_be_file() { "file or folder" } else { "folder" };
        return lack(format!("there is no {kind} {shown}"), format!("make it, or correct {key}"));
    }
    let enter = if path.is_dir() { Access::EXEC_OK } else { Access::empty() };
    let write = if used.writes() { Access::WRITE_OK } else { Access::empty() };
    access(path, Access::READ_OK | write | enter).err()?;
    let how = if used.writes() { "written to" } else { "read" };
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
    fn personal_paths_and_watched_ones_are_told_of_and_a_folder_that_may_be_made_is_no_lack() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name).display().to_string();
        let grants =
            |personal: PersonalConfig, watch: &WatchConfig| MachineGrants::default().with(&personal, watch);
        let whys = |grants: &MachineGrants| {
            let of_dir = |lack: &Lack| lack.why.contains(&*dir.path().to_string_lossy());
            let mut all: Vec<String> =
                grants.missing().into_iter().filter(of_dir).map(|lack| lack.fix).collect();
            all.sort();
            all
        };
        let none = WatchConfig::default();
        let notes = grants(PersonalConfig { notes_folder: at("notes"), ..Default::default() }, &none);
        assert_eq!((whys(&notes), notes.to_come()), (Vec::new(), vec![dir.path().join("notes").as_path()]));
        let deep = grants(PersonalConfig { notes_folder: at("away/notes"), ..Default::default() }, &none);
        assert_eq!(whys(&deep), ["make it, or correct personal.notes_folder"]);
        assert!(deep.to_come().is_empty(), "no folder above it is made");
        fs::write(dir.path().join("mine.ics"), "").unwrap();
        let personal = PersonalConfig {
            notes_folder: at("mine.ics"),
            calendar_path: at("mine.ics"),
            contacts_path: at("people"),
            ..Default::default()
        };
        let watch = WatchConfig {
            folders: vec![format!("downloads={}", at("downloads")), format!("here={}", at(""))],
            repositories: vec![format!("site={}", at("site"))],
            ..WatchConfig::default()
        };
        let keys = ["personal.contacts_path", "personal.notes_folder", "watch.folders", "watch.repositories"];
        assert_eq!(whys(&grants(personal, &watch)), keys.map(|key| format!("make it, or correct {key}")));
        if !rustix::process::geteuid().is_root() {
            fs::set_permissions(dir.path().join("mine.ics"), Permissions::from_mode(0o400)).unwrap();
            let calendar = |url: &str| PersonalConfig {
                calendar_path: at("mine.ics"),
                caldav_url: url.into(),
                ..Default::default()
            };
            assert_eq!(whys(&grants(calendar(""), &none)).len(), 1, "new events could not be kept");
            assert_eq!(whys(&grants(calendar("https://dav.test"), &none)), Vec::<String>::new());
        }
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

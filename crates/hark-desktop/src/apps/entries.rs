//! Desktop entries: what is installed, what it is called in a language, and how it is started (Desktop Entry
//! Specification 1.5).

use super::AppError;
use crate::macos::Mac;
use crate::naming::plain;
use crate::screen::Window;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The group that tells of the program.
const GROUP: &str = "[Desktop Entry]";
/// Folders of data where `XDG_DATA_DIRS` is not set, and those of programs that bring their own system.
const DATA_DIRS: &str = "/usr/local/share:/usr/share";
const MORE_DATA_DIRS: [&str; 2] = ["/var/lib/flatpak/exports/share", "/var/lib/snapd/desktop"];
/// Largest entry that is read, bytes.
const MAX_BYTES: u64 = 256 * 1024;

/// A program that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct App {
    /// Name of its entry, without `.desktop`; on a Mac the identifier of its bundle.
    pub id: String,
    /// What it is called in the language it was read for.
    pub name: String,
    /// Kinds of program it is.
    pub categories: Vec<String>,
    /// All it is called, here and in English, and what its program is called.
    names: Vec<String>,
    /// Program and arguments, without what stands for files.
    pub(super) command: Vec<String>,
    /// It needs a terminal.
    pub(super) in_terminal: bool,
    class: Option<String>,
    /// Pages of the web are opened by it, where it is told of the program itself.
    pub(super) opens_pages: bool,
}

impl App {
    /// A program of a Mac: its bundle's identifier, what people and its file call it, and its kinds.
    pub(crate) fn of_bundle(
        id: String,
        name: String,
        file: String,
        categories: Vec<String>,
        opens_pages: bool,
    ) -> Self {
        let names = vec![name.clone(), file, id.clone()];
        let (command, in_terminal, class) = (Vec::new(), false, None);
        Self { id, name, categories, names, command, in_terminal, class, opens_pages }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Name of its program's file.
    pub(super) fn program(&self) -> &str {
        let program = self.command.first().map(Path::new).and_then(Path::file_name);
        program.and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Whether a window is of it.
    pub fn owns(&self, window: &Window) -> bool {
        let last = self.id.rsplit('.').next().unwrap_or_default();
        let own = [Some(&*self.id), Some(last), Some(self.program()), self.class.as_deref()]
            .map(|name| name.map(plain));
        let is = |of_window: &str| {
            let of_window = plain(of_window);
            !of_window.is_empty() && own.iter().flatten().any(|name| *name == of_window)
        };
        is(&window.class) || is(&window.instance)
    }
}

/// Every program that is installed and meant to be started by a person, called as in `language` (ISO 639-1); on a Mac as in
/// the language of the Mac.
///
/// # Errors
/// When a Mac does not tell.
pub fn installed(language: &str) -> Result<Vec<App>, AppError> {
    match Mac::here() {
        Some(mac) => Ok(mac.installed()?),
        None => Ok(of_entries(language)),
    }
}

fn of_entries(language: &str) -> Vec<App> {
    let mut apps: Vec<App> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for folder in data_dirs() {
        let folder = folder.join("applications");
        let mut files = Vec::new();
        gather(&folder, "", &mut files, 0);
        files.sort();
        for (id, path) in files {
            // The first of a name counts, also where it only takes the program away.
            if seen.insert(id.clone())
                && let Some(text) = contents(&path)
            {
                apps.extend(read(&id, &text, language));
            }
        }
    }
    apps
}

fn contents(path: &Path) -> Option<String> {
    let size = path.metadata().ok()?.len();
    if size > MAX_BYTES {
        return None;
    }
    std::fs::read_to_string(path).ok()
}

fn data_dirs() -> Vec<PathBuf> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let home = set("XDG_DATA_HOME").or_else(|| Some(format!("{}/.local/share", set("HOME")?)));
    let dirs = set("XDG_DATA_DIRS").unwrap_or_else(|| DATA_DIRS.to_owned());
    let all = home.iter().map(String::as_str).chain(dirs.split(':')).chain(MORE_DATA_DIRS);
    all.filter(|dir| dir.starts_with('/')).map(PathBuf::from).collect()
}

/// Entries of a folder; those in folders below have these in their names.
fn gather(folder: &Path, before: &str, found: &mut Vec<(String, PathBuf)>, depth: usize) {
    let Ok(files) = std::fs::read_dir(folder) else { return };
    for file in files.flatten() {
        let (path, name) = (file.path(), file.file_name().to_string_lossy().into_owned());
        match name.strip_suffix(".desktop") {
            Some(id) => found.push((format!("{before}{id}"), path)),
            None if depth < 3 && path.is_dir() => {
                gather(&path, &format!("{before}{name}-"), found, depth + 1);
            }
            None => {}
        }
    }
}

/// An entry; `None` where it is not for a person to start.
pub(super) fn read(id: &str, text: &str, language: &str) -> Option<App> {
    let keys = keys(text, GROUP);
    let get = |key: &str| keys.get(key).copied().filter(|value| !value.is_empty());
    let is = |key: &str| get(key) == Some("true");
    let program_there = get("TryExec").is_none_or(is_there);
    if get("Type") != Some("Application") || is("Hidden") || is("NoDisplay") || !program_there {
        return None;
    }
    let language = language.split(['-', '_']).next().unwrap_or_default();
    let local = |key: &str| get(&format!("{key}[{language}]")).or_else(|| get(key));
    let name = unescaped(local("Name")?);
    let command = command(&unescaped(get("Exec")?), &name)?;
    let list = |text: Option<&str>| -> Vec<String> {
        let parts = text.unwrap_or_default().split(';').map(str::trim);
        parts.filter(|part| !part.is_empty()).map(unescaped).collect()
    };
    let mut app = App {
        id: id.to_owned(),
        categories: list(get("Categories")),
        names: Vec::new(),
        command,
        in_terminal: is("Terminal"),
        class: get("StartupWMClass").map(str::to_owned),
        opens_pages: false,
        name: name.clone(),
    };
    let called = [Some(&*name), get("Name"), local("GenericName"), get("GenericName")];
    app.names = called
        .into_iter()
        .flatten()
        .map(unescaped)
        .chain([id.to_owned(), app.program().to_owned()])
        .collect();
    app.names.extend(list(local("Keywords")));
    Some(app)
}

/// Keys and values of a group.
fn keys<'t>(text: &'t str, group: &str) -> HashMap<&'t str, &'t str> {
    let lines = text.lines().map(str::trim).skip_while(|line| *line != group).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('[')).filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('=')).map(|(key, value)| (key.trim(), value.trim())).collect()
}

/// What stands for blanks, line ends and backslashes.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (char, char == '\\') {
            (_, true) => match chars.next() {
                Some('s') => plain.push(' '),
                Some('n' | 't' | 'r') => plain.push(' '),
                Some(other) => plain.push(other),
                None => plain.push('\\'),
            },
            (char, false) => plain.push(char),
        }
    }
    plain
}

/// Program and arguments; what stands for files and addresses is left out. `None` where it cannot be read.
fn command(exec: &str, name: &str) -> Option<Vec<String>> {
    let words = shlex::split(exec)?;
    let filled = words.into_iter().filter_map(|word| match word.as_str() {
        "%f" | "%F" | "%u" | "%U" | "%i" | "%k" | "%d" | "%D" | "%n" | "%N" | "%v" | "%m" => None,
        "%c" => Some(name.to_owned()),
        _ => Some(word.replace("%%", "%")),
    });
    Some(filled.collect::<Vec<_>>()).filter(|words| !words.is_empty())
}

/// Whether a program is there: a path, or a name in `PATH`.
pub(super) fn is_there(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The entry that opens pages of the web, as the desktop's settings have it.
pub(super) fn default_browser() -> Option<String> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let config = set("XDG_CONFIG_HOME").or_else(|| Some(format!("{}/.config", set("HOME")?)));
    let files = config.map(|config| PathBuf::from(config).join("mimeapps.list"));
    let files =
        files.into_iter().chain(data_dirs().into_iter().map(|dir| dir.join("applications/mimeapps.list")));
    let mut ids = files.filter_map(|file| {
        let text = contents(&file)?;
        let keys = keys(&text, "[Default Applications]");
        let chosen = keys.get("x-scheme-handler/https").or_else(|| keys.get("text/html"))?;
        chosen.split(';').next()?.trim().strip_suffix(".desktop").map(str::to_owned)
    });
    ids.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "# a comment\n[Desktop Entry]\nType=Application\nName=Text Editor\nName[de]=Texteditor\n\
        GenericName=Editor\nExec=\"/usr/bin/my edit\" --name %c %U\nCategories=GTK;TextEditor;\nStartupWMClass=MyEdit\n\
        Keywords=write;\n[Desktop Action new]\nName=New\nExec=other\n";

    #[test]
    fn an_entry_tells_names_and_command() {
        let app = read("org.example.edit", ENTRY, "de-AT").unwrap();
        assert_eq!((app.name.as_str(), app.program()), ("Texteditor", "my edit"));
        assert_eq!(app.command, ["/usr/bin/my edit", "--name", "Texteditor"]);
        assert_eq!(app.categories, ["GTK", "TextEditor"]);
        for name in ["Texteditor", "Text Editor", "Editor", "write"] {
            assert!(app.names().any(|known| known == name), "{name}");
        }
        assert_eq!(read("edit", ENTRY, "en").unwrap().name, "Text Editor");
    }

    #[test]
    fn entries_that_are_for_nobody_to_start_are_left_out() {
        for (from, to) in [
            ("Type=Application", "Type=Link"),
            ("Keywords=write;", "NoDisplay=true"),
            ("Keywords=write;", "Hidden=true"),
            ("Keywords=write;", "TryExec=/no/such/program"),
            ("--name", "\"--name"),
        ] {
            assert!(read("edit", &ENTRY.replacen(from, to, 1), "en").is_none(), "{to}");
        }
    }

    #[test]
    fn a_window_belongs_to_the_program_whose_class_it_has() {
        let app = read("org.example.edit", ENTRY, "en").unwrap();
        let window = |class: &str| Window {
            id: 1,
            title: String::new(),
            class: class.into(),
            instance: String::new(),
            pid: None,
            place: crate::screen::Rect::default(),
            is_focused: false,
            is_minimised: false,
            is_maximised: false,
        };
        assert!(app.owns(&window("MyEdit")) && app.owns(&window("edit")) && app.owns(&window("my edit")));
        assert!(!app.owns(&window("other")) && !app.owns(&window("")));
    }
}

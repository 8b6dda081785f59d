//! Programs: bundles in the folders of programs, started by open(1), ended as their menu ends them.

use super::{CommandLine, Mac, MacError, json, scripts};
use crate::apps::{App, AppError, Quit};
use crate::naming::one_line;
use crate::screen::Window;
use serde::Deserialize;
use std::time::{Duration, Instant};

/// Folders of programs, and one that is in none of them.
const FOLDERS: [&str; 4] = [
    "/Applications",
    "/System/Applications",
    "/System/Cryptexes/App/System/Applications",
    "/System/Library/CoreServices/Finder.app",
];
/// The same of the person who is logged in, below the home folder.
const OWN_FOLDER: &str = "Applications";
/// Kinds of programs, as desktop entries name them, of bundles that macOS and others ship. A bundle tells none of them itself.
const KINDS: &[(&str, &str)] = &[
    ("com.apple.Safari", "WebBrowser"),
    ("com.google.Chrome", "WebBrowser"),
    ("org.mozilla.firefox", "WebBrowser"),
    ("com.microsoft.edgemac", "WebBrowser"),
    ("com.brave.Browser", "WebBrowser"),
    ("com.apple.calculator", "Calculator"),
    ("com.apple.Terminal", "TerminalEmulator"),
    ("com.googlecode.iterm2", "TerminalEmulator"),
    ("com.apple.TextEdit", "TextEditor"),
    ("com.apple.finder", "FileManager"),
    ("com.apple.mail", "Email"),
    ("com.apple.Preview", "Viewer"),
    ("com.apple.iWork.Numbers", "Spreadsheet"),
    ("com.apple.iWork.Pages", "WordProcessor"),
    ("com.apple.ActivityMonitor", "Monitor"),
    ("com.apple.QuickTimePlayerX", "Player"),
];
/// Time a program gets to show a window, and to end.
const STARTS_WITHIN: Duration = Duration::from_secs(8);
const CLOSES_WITHIN: Duration = Duration::from_secs(4);
const LOOK_EVERY: Duration = Duration::from_millis(300);
/// Time open(1) may take: it waits for a program that is checked before its first start.
const OPEN_LIMIT: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
struct Listed {
    apps: Vec<Told>,
    browser: String,
}

#[derive(Deserialize)]
struct Told {
    id: String,
    path: String,
    name: String,
    category: String,
}

#[derive(Deserialize)]
struct Running {
    running: usize,
}

fn list_command(home: Option<&str>) -> CommandLine {
    let own = home.map(|home| format!("{home}/{OWN_FOLDER}"));
    let folders: Vec<&str> = FOLDERS.into_iter().chain(own.as_deref()).collect();
    CommandLine::java_script(scripts::APPS, "list", &folders)
}

fn asked_command(verb: &str, id: &str) -> CommandLine {
    CommandLine::java_script(scripts::APPS, verb, &[id])
}

/// Starts a program, or brings one that runs to the front.
fn open_command(id: &str) -> CommandLine {
    CommandLine::new("open", ["-b", id]).within(OPEN_LIMIT)
}

/// The programs of an answer. Their names are those that Finder shows, in the language of the Mac, and those of their files.
fn apps_of(answer: &str) -> Result<Vec<App>, MacError> {
    let Listed { apps, browser } = json(answer)?;
    let mut found: Vec<App> = Vec::new();
    for told in apps {
        // One and the same program is in several folders by links.
        if found.iter().any(|known| known.id == told.id) {
            continue;
        }
        let bare = |name: &str| one_line(name.strip_suffix(".app").unwrap_or(name));
        let file = bare(told.path.rsplit('/').next().unwrap_or_default());
        let kind = KINDS.iter().filter(|(id, _)| id.eq_ignore_ascii_case(&told.id)).map(|(_, kind)| *kind);
        let opens_pages = (told.id == browser).then_some("WebBrowser");
        let mut categories: Vec<String> = kind.chain(opens_pages).map(str::to_owned).collect();
        categories.dedup();
        categories.push(told.category);
        let is_browser = opens_pages.is_some();
        found.push(App::of_bundle(told.id, bare(&told.name), file, categories, is_browser));
    }
    Ok(found)
}

impl Mac {
    pub(crate) fn installed(&self) -> Result<Vec<App>, MacError> {
        let home = std::env::home_dir();
        let home = home.as_ref().and_then(|home| home.to_str());
        apps_of(&self.runner.waited(list_command(home))?)
    }

    fn asked(&self, verb: &str, app: &App) -> Result<usize, AppError> {
        let answer = self.runner.waited(asked_command(verb, &app.id))?;
        Ok(json::<Running>(&answer)?.running)
    }

    pub(crate) fn is_running(&self, app: &App) -> Result<bool, AppError> {
        Ok(self.asked("running", app)? > 0)
    }

    fn windows_of(&self, app: &App) -> Result<Vec<Window>, AppError> {
        Ok(self.windows()?.into_iter().filter(|window| app.owns(window)).collect())
    }

    /// Starts it, and waits until it shows a window or has run for some seconds. The title of the window, where it has one.
    pub(crate) fn launch(&self, app: &App) -> Result<Option<String>, AppError> {
        let failed = |why: String| AppError::NotStarted(app.name.clone(), why);
        self.runner.waited(open_command(&app.id)).map_err(|error| failed(error.to_string()))?;
        let mut title = None;
        self.wait(STARTS_WITHIN, || {
            title = self.windows_of(app)?.into_iter().next().map(|window| window.title);
            Ok(title.is_some())
        })?;
        if title.is_none() && !self.is_running(app)? {
            return Err(failed("it is not running".into()));
        }
        Ok(title)
    }

    pub(crate) fn activate(&self, app: &App) -> Result<Window, AppError> {
        if !self.is_running(app)? {
            return Err(AppError::NotRunning(app.name.clone()));
        }
        self.runner.waited(open_command(&app.id))?;
        let windows = self.windows_of(app)?;
        let first = windows.first().ok_or_else(|| AppError::NotRunning(app.name.clone()))?;
        if first.is_focused { Ok(first.clone()) } else { Ok(self.focus(first)?) }
    }

    /// Asks it to end, as its menu does; it may ask to save first. Only with `force` it is ended nevertheless.
    pub(crate) fn quit(&self, app: &App, force: bool) -> Result<Quit, AppError> {
        if self.asked("quit", app)? == 0 {
            return Err(AppError::NotRunning(app.name.clone()));
        }
        let is_gone = || Ok(!self.is_running(app)?);
        if self.wait(CLOSES_WITHIN, is_gone)? {
            return Ok(Quit::Closed);
        }
        if force {
            self.asked("force", app)?;
            if self.wait(CLOSES_WITHIN, is_gone)? {
                return Ok(Quit::Terminated);
            }
        }
        Err(AppError::StillOpen(app.name.clone()))
    }

    fn wait(
        &self,
        limit: Duration,
        mut is_so: impl FnMut() -> Result<bool, AppError>,
    ) -> Result<bool, AppError> {
        let began = Instant::now();
        loop {
            if is_so()? {
                return Ok(true);
            }
            if began.elapsed() > limit {
                return Ok(false);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;
    use crate::apps::{Wanted, find};

    const LIST: &str = r#"{"browser":"org.mozilla.firefox","apps":[
        {"id":"com.apple.calculator","path":"/System/Applications/Calculator.app","name":"Rechner","category":"public.app-category.utilities"},
        {"id":"org.mozilla.firefox","path":"/Applications/Firefox.app","name":"Firefox.app","category":""},
        {"id":"com.apple.Safari","path":"/Applications/Safari.app","name":"Safari","category":""},
        {"id":"com.apple.Safari","path":"/System/Cryptexes/App/System/Applications/Safari.app","name":"Safari","category":""}]}"#;

    fn wanted(name: &str, kind: Option<&str>) -> Wanted {
        Wanted { name: name.into(), kind: kind.map(str::to_owned) }
    }

    #[test]
    fn command_lines() {
        let script = "osascript -l JavaScript -e <apps.js>";
        assert_eq!(
            shown(&list_command(Some("/Users/anna"))),
            format!(
                "{script} list /Applications /System/Applications /System/Cryptexes/App/System/Applications /System/Library/CoreServices/Finder.app /Users/anna/Applications"
            )
        );
        assert_eq!(
            shown(&asked_command("quit", "com.apple.Notes")),
            format!("{script} quit com.apple.Notes")
        );
        assert_eq!(shown(&open_command("com.apple.Notes")), "open -b com.apple.Notes");
    }

    #[test]
    fn programs_are_found_by_name_and_kind() {
        let apps = apps_of(LIST).unwrap();
        let id = |name: &str, kind| find(&apps, &wanted(name, kind)).map(|app| app.id.clone());
        assert_eq!(apps.len(), 3);
        assert_eq!(id("Rechner", None), Ok("com.apple.calculator".into()));
        assert_eq!(id("calculator", Some("Calculator")), Ok("com.apple.calculator".into()));
        assert_eq!(
            id("browser", Some("WebBrowser")),
            Ok("org.mozilla.firefox".into()),
            "the one that opens pages"
        );
        assert_eq!(id("firefox", None), Ok("org.mozilla.firefox".into()));
    }

    /// One that runs until it is told to end.
    fn machine(ends_by: &str) -> Played {
        let played = Played::new();
        played.program(
            "osascript",
            &format!(
                "here=${{0%/*}}; [ \"$5\" = {ends_by} ] && {{ echo '{{\"running\":1}}'; touch \"$here/ended\"; exit; }}\n[ -e \"$here/ended\" ] && echo '{{\"running\":0}}' || echo '{{\"running\":1}}'"
            ),
        );
        played
    }

    #[test]
    fn a_program_is_asked_to_end_and_ended_only_with_force() {
        let app = apps_of(LIST).unwrap().remove(0);
        assert_eq!(machine("quit").mac().quit(&app, false), Ok(Quit::Closed));
        let stubborn = machine("force");
        assert_eq!(stubborn.mac().quit(&app, false), Err(AppError::StillOpen("Rechner".into())));
        assert!(!stubborn.calls().iter().any(|call| call.contains("|force|")));
        assert_eq!(stubborn.mac().quit(&app, true), Ok(Quit::Terminated));
        let none = Played::new();
        none.answers("osascript", "{\"running\":0}\n");
        assert_eq!(none.mac().quit(&app, true), Err(AppError::NotRunning("Rechner".into())));
    }

    #[test]
    fn a_program_is_opened_by_its_identifier() {
        let app = apps_of(LIST).unwrap().remove(0);
        let played = Played::new();
        played.program("open", "echo 'LSCopyApplicationURLsForBundleIdentifier() failed' >&2; exit 1");
        assert!(matches!(played.mac().launch(&app), Err(AppError::NotStarted(..))));
        played.answers("open", "");
        let window = r#"{"trusted":true,"screens":[],"windows":[{"pid":7,"program":"Calculator","bundle":"com.apple.calculator","index":0,"title":"Calculator","x":0,"y":0,"width":9,"height":9,"focused":true,"minimised":false,"full":false}]}"#;
        played.program(
            "osascript",
            &format!("[ \"$5\" = list ] && echo '{window}' || echo '{{\"running\":1}}'"),
        );
        assert_eq!(played.mac().launch(&app), Ok(Some("Calculator".into())));
        assert_eq!(played.mac().activate(&app).unwrap().title, "Calculator");
        assert!(played.calls().contains(&"open|-b|com.apple.calculator".to_owned()));
    }
}

//! The programs of this desktop: which are installed (desktop entries of freedesktop.org, bundles of a Mac), which run, and
//! starting and ending them.

mod entries;
mod lifecycle;
mod processes;

pub use entries::{App, installed};
pub use lifecycle::{Quit, RunningApp, running};

use crate::macos::MacError;
use crate::naming::{Fit, best, fit};
use crate::screen::{ScreenError, Window};

/// What a person calls a program or a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// As it was said.
    pub name: String,
    /// The kind of program that the name means, as a category of desktop entries: `WebBrowser`.
    pub kind: Option<String>,
}

/// Why something of a program cannot be told or done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppError {
    /// Nothing that is installed is called so.
    #[error("no program called {0} is installed here")]
    NotInstalled(String),
    /// It is not running.
    #[error("{0} is not running")]
    NotRunning(String),
    /// Several programs could be meant.
    #[error("several programs could be meant: {}", .0.join(", "))]
    Ambiguous(Vec<String>),
    /// It did not start.
    #[error("{0} did not start: {1}")]
    NotStarted(String, String),
    /// It is still there.
    #[error("{0} was asked to close and is still there; it may want to know something first")]
    StillOpen(String),
    /// It takes no signal from the user Hark runs as.
    #[error("{0} runs as another user")]
    NotOurs(String),
    /// The screen does not take part.
    #[error(transparent)]
    Screen(#[from] ScreenError),
}

impl From<MacError> for AppError {
    fn from(error: MacError) -> Self {
        Self::Screen(error.into())
    }
}

/// The installed program that a name means.
///
/// # Errors
/// When none is called so, or several are.
pub fn find<'a>(apps: &'a [App], wanted: &Wanted) -> Result<&'a App, AppError> {
    let fits = |app: &App| of_app(app, wanted);
    let found = best(apps.iter().map(|app| (fits(app), app)));
    match found.as_slice() {
        [] => Err(AppError::NotInstalled(wanted.name.clone())),
        [one] => Ok(one),
        several => {
            // The one that opens pages by default is "the browser".
            let by_entry =
                || entries::default_browser().and_then(|id| several.iter().find(|app| app.id == id));
            let chosen = several.iter().find(|app| app.opens_pages).or_else(by_entry);
            let chosen = chosen.filter(|_| wanted.kind.is_some());
            chosen
                .copied()
                .ok_or_else(|| AppError::Ambiguous(several.iter().map(|app| app.name.clone()).collect()))
        }
    }
}

fn of_app(app: &App, wanted: &Wanted) -> Option<Fit> {
    let by_name = fit(&wanted.name, app.names());
    let by_kind = wanted.kind.as_ref().filter(|kind| app.categories.contains(kind)).map(|_| Fit::Kind);
    by_name.max(by_kind)
}

/// The window that a name means: by its title, its program, or what the program is called. Of several of one program it is
/// the uppermost.
///
/// # Errors
/// When none is called so, or windows of several programs are.
pub fn window_named(windows: &[Window], apps: &[App], wanted: &Wanted) -> Result<Window, ScreenError> {
    let fits = |window: &Window| {
        let own = fit(&wanted.name, [&*window.title, &*window.class, &*window.instance].into_iter());
        own.max(apps.iter().filter(|app| app.owns(window)).filter_map(|app| of_app(app, wanted)).max())
    };
    let found = best(windows.iter().map(|window| (fits(window), window)));
    let Some(first) = found.first() else { return Err(ScreenError::NotFound(wanted.name.clone())) };
    if found.iter().all(|window| window.class == first.class) {
        return Ok((*first).clone());
    }
    Err(ScreenError::Ambiguous(found.iter().map(|window| window.title.clone()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(id: &str, name: &str, category: &str) -> App {
        let text = format!(
            "[Desktop Entry]\nType=Application\nName={name}\nGenericName[de]=Werkzeug {name}\nExec={id} %U\nCategories={category};\n"
        );
        entries::read(id, &text, "de").unwrap()
    }

    fn wanted(name: &str, kind: Option<&str>) -> Wanted {
        Wanted { name: name.into(), kind: kind.map(str::to_owned) }
    }

    fn window(id: u32, title: &str, class: &str) -> Window {
        Window {
            id,
            title: title.into(),
            class: class.into(),
            instance: class.to_lowercase(),
            pid: None,
            place: crate::screen::Rect::default(),
            is_focused: false,
            is_minimised: false,
            is_maximised: false,
        }
    }

    #[test]
    fn programs_are_found_by_name_and_kind() {
        let apps = [app("kcalc", "KCalc", "Calculator"), app("lynx", "Lynx", "WebBrowser")];
        let id = |name: &str, kind| find(&apps, &wanted(name, kind)).map(|app| app.id.clone());
        assert_eq!(id("calculator", Some("Calculator")), Ok("kcalc".into()));
        assert_eq!(id("werkzeug lynx", None), Ok("lynx".into()));
        assert_eq!(id("werkzeug", None), Err(AppError::Ambiguous(vec!["KCalc".into(), "Lynx".into()])));
        assert_eq!(id("emacs", None), Err(AppError::NotInstalled("emacs".into())));
    }

    #[test]
    fn windows_are_found_by_title_and_program() {
        let apps = [app("lynx", "Lynx", "WebBrowser")];
        let windows = [window(1, "News", "Lynx"), window(2, "Mail", "Lynx"), window(3, "News", "Paper")];
        let id =
            |name: &str, kind| window_named(&windows, &apps, &wanted(name, kind)).map(|window| window.id);
        assert_eq!(id("browser", Some("WebBrowser")), Ok(1), "the uppermost");
        assert_eq!(id("mail", None), Ok(2));
        assert_eq!(id("news", None), Err(ScreenError::Ambiguous(vec!["News".into(), "News".into()])));
        assert_eq!(id("paint", None), Err(ScreenError::NotFound("paint".into())));
    }
}

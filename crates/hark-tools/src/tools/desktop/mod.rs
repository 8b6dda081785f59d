//! Tools of the desktop of this machine: its windows, keys and pointer, programs, and what is on its screen.

pub(super) mod apps;
pub(super) mod input;
pub(super) mod mixer;
pub(super) mod screen;
pub(super) mod window;

use super::args::Args;
use super::outcome::Failure;
use super::services::Services;
use hark_core::tool::{error_code, reason};
use hark_desktop::apps::{App, AppError, Wanted, installed, window_named};
use hark_desktop::macos::MacError;
use hark_desktop::screen::{Display, ScreenError, Window};
use serde_json::json;

/// Whether its windows can be moved.
pub fn has_manager(services: &Services) -> Result<(), Failure> {
    Ok(services.screen.has_manager()?)
}

/// Whether keys can be pressed on it.
pub fn has_input(services: &Services) -> Result<(), Failure> {
    Ok(services.screen.has_input()?)
}

/// What a call names by `key`: the name, and the kind of program that it is a word for in any language.
fn wanted(args: &Args, key: &str) -> Option<Wanted> {
    let name = args.text(key)?;
    let plain = name.to_lowercase();
    let languages = hark_language::all();
    let kinds = languages.iter().flat_map(|language| language.tools.programs.iter());
    let mut kinds = kinds.filter(|(_, words)| words.iter().any(|word| *word == plain));
    Some(Wanted { name: name.to_owned(), kind: kinds.next().map(|(kind, _)| (*kind).to_owned()) })
}

/// What is installed, called as the household speaks.
fn programs(services: &Services) -> Result<Vec<App>, Failure> {
    Ok(installed(&services.language)?)
}

/// The window that is named, or the one in front where none is.
fn window(display: &Display, services: &Services, wanted: Option<&Wanted>) -> Result<Window, Failure> {
    match wanted {
        Some(wanted) => Ok(window_named(&display.windows()?, &programs(services)?, wanted)?),
        None => Ok(display.focused()?),
    }
}

/// What a window is called to people: its title, or its program where it has none.
fn called(window: &Window) -> &str {
    if window.title.is_empty() { &window.class } else { &window.title }
}

impl From<ScreenError> for Failure {
    fn from(error: ScreenError) -> Self {
        let (message, fix) = (error.to_string(), error.fix());
        if let ScreenError::Mac(error) = error {
            return error.into();
        }
        let failure = |code| Self::new(code, message.clone());
        if let Some(fix) = fix {
            let why = match error {
                ScreenError::Wayland | ScreenError::Hidden => reason::WAYLAND,
                ScreenError::NoManager => reason::NO_WINDOW_MANAGER,
                ScreenError::NoTest => reason::NO_KEYS,
                _ => reason::NO_DESKTOP,
            };
            return failure(error_code::NOT_CONFIGURED).because(why).fix(fix);
        }
        match error {
            ScreenError::NotFound(name) => {
                failure(error_code::NOT_FOUND).because(reason::NO_WINDOW).with("name", json!(name))
            }
            ScreenError::Ambiguous(names) => {
                failure(error_code::AMBIGUOUS).because(reason::SEVERAL_PROGRAMS).with("names", json!(names))
            }
            ScreenError::StillOpen(name) => {
                failure(error_code::FAILED).because(reason::PROGRAM_STILL_OPEN).with("name", json!(name))
            }
            ScreenError::NoneFocused => failure(error_code::NOT_FOUND).because(reason::NONE_IN_FRONT),
            ScreenError::NoKey(_) | ScreenError::NoFreeKey(_) => failure(error_code::BAD_ARGUMENT),
            ScreenError::Timeout => failure(error_code::TIMEOUT),
            _ => failure(error_code::FAILED),
        }
    }
}

impl From<MacError> for Failure {
    fn from(error: MacError) -> Self {
        let (message, fix) = (error.to_string(), error.fix());
        let failure = |code| Self::new(code, message.clone());
        let failure = match error {
            MacError::NoProgram(program) => failure(error_code::NOT_CONFIGURED)
                .because(reason::NO_SERVICE)
                .with("program", json!(program)),
            MacError::NoSession => failure(error_code::NOT_CONFIGURED).because(reason::NO_SESSION),
            // Not `forbidden`: no permission of Hark's owner says so, and the Mac can be told otherwise.
            MacError::NotGranted(_) => failure(error_code::NOT_CONFIGURED).because(reason::MACHINE_DENIES),
            MacError::NoBattery => failure(error_code::UNSUPPORTED).because(reason::NO_BATTERY),
            MacError::NothingPlays => failure(error_code::UNSUPPORTED).because(reason::NOTHING_PLAYS),
            MacError::Missing(_) => failure(error_code::UNSUPPORTED),
            MacError::Gone => failure(error_code::NOT_FOUND),
            MacError::Failed(_) => failure(error_code::FAILED).because(reason::MACHINE_FAILED),
            MacError::Timeout(_) => failure(error_code::TIMEOUT),
        };
        match fix {
            Some(fix) => failure.fix(fix),
            None => failure,
        }
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        let message = error.to_string();
        let failure = |code| Self::new(code, message.clone());
        match error {
            AppError::NotInstalled(name) => {
                failure(error_code::NOT_FOUND).because(reason::NO_PROGRAM).with("name", json!(name))
            }
            AppError::NotRunning(name) => {
                failure(error_code::NOT_FOUND).because(reason::PROGRAM_NOT_RUNNING).with("name", json!(name))
            }
            AppError::Ambiguous(names) => {
                failure(error_code::AMBIGUOUS).because(reason::SEVERAL_PROGRAMS).with("names", json!(names))
            }
            AppError::NotStarted(..) | AppError::NotOurs(_) => failure(error_code::FAILED),
            AppError::StillOpen(name) => {
                failure(error_code::FAILED).because(reason::PROGRAM_STILL_OPEN).with("name", json!(name))
            }
            AppError::Screen(error) => error.into(),
        }
    }
}

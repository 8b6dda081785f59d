//! What can be done in windows: find, press, fill, read, go through a menu.

use crate::error::AccessibilityError;
use crate::source::Source;
use crate::tree::{Element, Window};
use hark_desktop::macos::Mac;
use std::time::Duration;

/// Longest text of a window in an answer, characters.
const MAX_TEXT_CHARS: usize = 5_000;
/// Time a menu takes to open.
const OPENS_WITHIN: Duration = Duration::from_millis(300);

/// The windows of this desktop.
#[derive(Debug, Clone, Copy, Default)]
pub struct Accessibility;

/// Something that was found, with where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub element: Element,
    /// The program.
    pub program: String,
    /// Title of the window.
    pub window: String,
}

/// What stands in a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The program.
    pub program: String,
    /// Title of the window.
    pub window: String,
    /// A line for each thing with words on it: what it is, and what is written there.
    pub text: String,
    /// The text was cut.
    pub truncated: bool,
}

impl Accessibility {
    /// Whether the session's bus is named, or stands where it does by convention; on a Mac, whether that lets Hark do it.
    ///
    /// # Errors
    /// When neither is so.
    pub fn is_there(self) -> Result<(), AccessibilityError> {
        if let Some(mac) = Mac::here() {
            return Ok(mac.may_read_windows()?);
        }
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(std::path::PathBuf::from);
        let has_bus =
            is_set("DBUS_SESSION_BUS_ADDRESS") || runtime.is_some_and(|runtime| runtime.join("bus").exists());
        let has_display = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
        if has_bus && has_display {
            Ok(())
        } else {
            Err(AccessibilityError::NoBus("there is no desktop's session".into()))
        }
    }

    /// What stands in the active window, or that of a program.
    ///
    /// # Errors
    /// When there is no window.
    pub async fn read(self, program: Option<&str>) -> Result<Read, AccessibilityError> {
        let source = Source::open().await?;
        let window = first(source.windows(program).await?)?;
        let lines = source.elements(&window).await?.into_iter().skip(1).filter_map(|element| {
            let words = match (element.name.is_empty(), element.value.is_empty()) {
                (true, true) => return None,
                (false, true) => element.name,
                (true, false) => format!("“{}”", element.value),
                (false, false) => format!("{}: “{}”", element.name, element.value),
            };
            Some(format!("{}: {words}", element.kind))
        });
        let whole = lines.collect::<Vec<_>>().join("\n");
        let text: String = whole.chars().take(MAX_TEXT_CHARS).collect();
        let truncated = text.len() < whole.len();
        Ok(Read { program: window.program, window: window.title, text, truncated })
    }

    /// What is called so, in the active window first; the best first. Nothing is done.
    ///
    /// # Errors
    /// When nothing is.
    pub async fn find(self, text: &str, program: Option<&str>) -> Result<Vec<Found>, AccessibilityError> {
        let source = Source::open().await?;
        let mut found = Vec::new();
        for window in source.windows(program).await? {
            let fitting = source.elements(&window).await.unwrap_or_default().into_iter().skip(1);
            let ranked = fitting.filter_map(|element| Some((rank(&element.name, text)?, element)));
            let at =
                |element| Found { element, program: window.program.clone(), window: window.title.clone() };
            found.extend(ranked.map(|(rank, element)| (rank, at(element))));
            if window.is_active && !found.is_empty() {
                break;
            }
        }
        found.sort_by_key(|(rank, found)| {
            (*rank, !found.element.is_usable, found.element.name.chars().count())
        });
        if found.is_empty() {
            return Err(AccessibilityError::Nothing(text.to_owned()));
        }
        Ok(found.into_iter().map(|(_, found)| found).collect())
    }

    /// Presses what was found: the first thing its program says can be done with it.
    ///
    /// # Errors
    /// When it cannot be pressed, or is gone.
    pub async fn press(self, found: &Found) -> Result<(), AccessibilityError> {
        Source::open().await?.press(&found.element).await
    }

    /// Types into what was found, in place of what is there.
    ///
    /// # Errors
    /// When it takes no text, or is for a password.
    pub async fn fill(self, found: &Found, text: &str) -> Result<(), AccessibilityError> {
        let element = &found.element;
        if element.role.is_password() {
            return Err(AccessibilityError::Secret);
        }
        let not_editable = || AccessibilityError::NotEditable(element.name.clone());
        if !element.is_editable || !element.is_usable {
            return Err(not_editable());
        }
        let source = Source::open().await?;
        if source.fill(element, text).await? { Ok(()) } else { Err(not_editable()) }
    }

    /// What a way through menus leads to: the names of a menu, of menus in it, and of what is pressed in the last. Nothing is done.
    ///
    /// # Errors
    /// When a name is none of a menu.
    pub async fn menu_entry(
        self,
        way: &[&str],
        program: Option<&str>,
    ) -> Result<Vec<Found>, AccessibilityError> {
        let source = Source::open().await?;
        let mut missing = way.first().map_or_else(String::new, |name| (*name).to_owned());
        for window in source.windows(program).await? {
            let all = source.menus(&window).await.unwrap_or_default();
            let mut within = (0, all.len());
            let mut steps = Vec::new();
            for name in way {
                let Some(at) = best(&all, within, name) else {
                    if !steps.is_empty() {
                        missing = (*name).to_owned();
                    }
                    break;
                };
                let end = all[at + 1..].iter().position(|element| element.depth <= all[at].depth);
                within = (at + 1, end.map_or(all.len(), |end| at + 1 + end));
                steps.push(Found {
                    element: all[at].clone(),
                    program: window.program.clone(),
                    window: window.title.clone(),
                });
            }
            if steps.len() == way.len() && !steps.is_empty() {
                return Ok(steps);
            }
        }
        Err(AccessibilityError::Nothing(missing))
    }

    /// Opens the menus of a way and presses its last entry.
    ///
    /// # Errors
    /// When one of them cannot be pressed.
    pub async fn go_through(self, way: &[Found]) -> Result<(), AccessibilityError> {
        let source = Source::open().await?;
        let first = if source.opens_menus() { 0 } else { way.len().saturating_sub(1) };
        for (at, step) in way.iter().enumerate().skip(first) {
            source.press(&step.element).await?;
            if at + 1 < way.len() {
                tokio::time::sleep(OPENS_WITHIN).await;
            }
        }
        Ok(())
    }
}

fn first(windows: Vec<Window>) -> Result<Window, AccessibilityError> {
    windows.into_iter().next().ok_or_else(|| AccessibilityError::NoWindow(String::new()))
}

/// The entry or menu of a part of a window that fits a name best.
fn best(all: &[Element], (from, to): (usize, usize), name: &str) -> Option<usize> {
    let of_menu = all.get(from..to)?.iter().enumerate().filter(|(_, element)| element.role.is_of_menu());
    let ranked =
        of_menu.filter_map(|(at, element)| Some((rank(&element.name, name)?, element.depth, from + at)));
    ranked.min().map(|(_, _, at)| at)
}

/// How well a name fits; smaller is better, none where it does not.
fn rank(name: &str, wanted: &str) -> Option<u8> {
    let folded = |text: &str| {
        let letters: String =
            text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
        format!(" {} ", letters.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (name, wanted) = (folded(name), folded(wanted));
    if wanted.trim().is_empty() {
        return None;
    }
    match () {
        () if name == wanted => Some(0),
        () if name.starts_with(&wanted) => Some(1),
        () if name.contains(&wanted) => Some(2),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_found_and_the_exact_ones_first() {
        assert_eq!(rank("Save", "save"), Some(0));
        assert_eq!(rank("_Save as…", "save"), Some(1));
        assert_eq!(rank("Don't save", "save"), Some(2));
        assert_eq!((rank("Saved games", "save"), rank("Save", " "), rank("", "save")), (None, None, None));
    }
}

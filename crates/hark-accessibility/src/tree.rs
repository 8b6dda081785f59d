//! The tree of what stands in windows: programs, their windows, and the elements in them.

use crate::bus::{Bus, Place};
use crate::error::AccessibilityError;
use crate::place::{At, WindowAt};
use zbus::zvariant::{ObjectPath, OwnedObjectPath};

/// What every object is asked by.
pub(crate) const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
const TEXT: &str = "org.a11y.atspi.Text";
/// Who knows all programs.
const REGISTRY: &str = "org.a11y.atspi.Registry";
const ROOT: &str = "/org/a11y/atspi/accessible/root";

/// Elements of a window that are looked at.
const MAX_ELEMENTS: usize = 2000;
/// Depth of a window.
const MAX_DEPTH: usize = 40;
/// Longest name that is kept, characters.
const MAX_NAME_CHARS: usize = 200;

/// Bits of a state (AtspiStateType).
const ACTIVE: u32 = 1;
const EDITABLE: u32 = 7;
const SENSITIVE: u32 = 24;
const SHOWING: u32 = 25;
/// Kinds of relations (AtspiRelationType).
const LABELLED_BY: u32 = 2;

/// What an element is (AtspiRole).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role(u32);

impl Role {
    /// What is none of the others.
    pub(crate) const OTHER: Self = Self(0);
    pub(crate) const MENU: Self = Self(33);
    pub(crate) const MENU_ITEM: Self = Self(35);
    pub(crate) const PASSWORD: Self = Self(40);
    pub(crate) const TEXT: Self = Self(61);

    /// The role of this number.
    pub fn of(number: u32) -> Self {
        Self(number)
    }

    /// Whether it is a field for a password.
    pub fn is_password(self) -> bool {
        self == Self::PASSWORD
    }

    /// Menus and what is in them.
    pub(crate) fn is_of_menu(self) -> bool {
        matches!(self.0, 8 | 33 | 35 | 45 | 59)
    }

    /// What is typed into.
    pub(crate) fn is_field(self) -> bool {
        matches!(self.0, 11 | 40 | 52 | 60 | 61 | 73 | 79)
    }
}

/// Something in a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// What is written on it, or what its label says; empty where nothing is.
    pub name: String,
    /// What it is in words, such as `push button`.
    pub kind: String,
    /// The same by number.
    pub role: Role,
    /// It can be used now.
    pub is_usable: bool,
    /// Text can be typed into it.
    pub is_editable: bool,
    /// What was typed into it, shortened; none of a password.
    pub value: String,
    pub(crate) at: At,
    pub(crate) depth: usize,
}

/// A window with the program it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) program: String,
    pub(crate) title: String,
    pub(crate) is_active: bool,
    pub(crate) at: WindowAt,
}

/// A state, as its two numbers tell it.
struct State(Vec<u32>);

impl State {
    fn has(&self, bit: u32) -> bool {
        let number = usize::try_from(bit / 32).ok().and_then(|at| self.0.get(at));
        number.is_some_and(|number| number >> (bit % 32) & 1 == 1)
    }
}

/// Every window that is shown.
///
/// # Errors
/// When the bus does not answer.
pub(crate) async fn windows(bus: &Bus) -> Result<Vec<Window>, AccessibilityError> {
    let root = (REGISTRY.to_owned(), OwnedObjectPath::from(ObjectPath::from_static_str_unchecked(ROOT)));
    let mut windows = Vec::new();
    let programs = match children(bus, &root).await {
        // The bus starts the registry for the first question, and it may be another one a moment later.
        Err(AccessibilityError::Failed(_)) => children(bus, &root).await?,
        answered => answered?,
    };
    for program in programs {
        // A program that does not answer hides no other.
        let Ok(name) = bus.text(&program, ACCESSIBLE, "Name").await else { continue };
        for place in children(bus, &program).await.unwrap_or_default() {
            let Ok(state) = state(bus, &place).await else { continue };
            if !state.has(SHOWING) {
                continue;
            }
            let title = bus.text(&place, ACCESSIBLE, "Name").await.unwrap_or_default();
            let (is_active, at) = (state.has(ACTIVE), WindowAt::Bus(place));
            windows.push(Window { program: cut(&name), title: cut(&title), is_active, at });
        }
    }
    Ok(windows)
}

/// What is shown in a window, from top to bottom.
///
/// # Errors
/// When the window does not answer.
pub(crate) async fn elements(
    bus: &Bus,
    window: &Window,
    place: &Place,
) -> Result<Vec<Element>, AccessibilityError> {
    let mut found = Vec::new();
    let mut waiting = vec![(place.clone(), 0)];
    while let Some((place, depth)) = waiting.pop() {
        let Ok(element) = element(bus, place.clone(), depth).await else { continue };
        let Some(element) = element else { continue };
        let is_open = depth < MAX_DEPTH && found.len() + waiting.len() < MAX_ELEMENTS;
        found.push(element);
        if is_open {
            let children = children(bus, &place).await.unwrap_or_default();
            waiting.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
        }
    }
    if found.is_empty() { Err(AccessibilityError::NoWindow(window.title.clone())) } else { Ok(found) }
}

/// One element; `None` for one that is not shown and in no menu: what is in a closed menu is not.
async fn element(bus: &Bus, place: Place, depth: usize) -> Result<Option<Element>, AccessibilityError> {
    let state = state(bus, &place).await?;
    let role = Role(bus.call(&place, ACCESSIBLE, "GetRole", &()).await?);
    if !state.has(SHOWING) && !role.is_of_menu() {
        return Ok(None);
    }
    let kind: String = bus.call(&place, ACCESSIBLE, "GetRoleName", &()).await?;
    let mut name = bus.text(&place, ACCESSIBLE, "Name").await?;
    if name.is_empty() && role.is_field() {
        name = label(bus, &place).await.unwrap_or_default();
    }
    let value = match role.is_field() && !role.is_password() {
        true => bus.call(&place, TEXT, "GetText", &(0i32, -1i32)).await.unwrap_or_default(),
        false => String::new(),
    };
    Ok(Some(Element {
        name: cut(&name),
        kind,
        role,
        is_usable: state.has(SENSITIVE),
        is_editable: state.has(EDITABLE),
        value: cut(&value),
        at: At::Bus(place),
        depth,
    }))
}

/// What the label says that a field has beside it.
async fn label(bus: &Bus, place: &Place) -> Option<String> {
    let relations: Vec<(u32, Vec<Place>)> = bus.call(place, ACCESSIBLE, "GetRelationSet", &()).await.ok()?;
    let (_, labels) = relations.into_iter().find(|(kind, _)| *kind == LABELLED_BY)?;
    bus.text(labels.first()?, ACCESSIBLE, "Name").await.ok()
}

async fn children(bus: &Bus, place: &Place) -> Result<Vec<Place>, AccessibilityError> {
    bus.call(place, ACCESSIBLE, "GetChildren", &()).await
}

async fn state(bus: &Bus, place: &Place) -> Result<State, AccessibilityError> {
    bus.call(place, ACCESSIBLE, "GetState", &()).await.map(State)
}

pub(crate) fn cut(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_bits_over_two_numbers() {
        let state = State(vec![1 << SHOWING | 1 << ACTIVE, 1 << 3]);
        assert!(state.has(SHOWING) && state.has(ACTIVE) && state.has(35));
        assert!(!state.has(SENSITIVE) && !state.has(64) && !State(Vec::new()).has(ACTIVE));
    }
}

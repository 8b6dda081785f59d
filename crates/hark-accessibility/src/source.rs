//! Who tells what stands in windows, and does something there: the accessibility bus, or a Mac.

use crate::bus::Bus;
use crate::error::AccessibilityError;
use crate::place::{At, OnMac, WindowAt};
use crate::tree::{self, Element, Role, Window, cut};
use hark_desktop::macos::{ElementWindow, Mac, Part, ScreenElement};

const ACTION: &str = "org.a11y.atspi.Action";
const EDITABLE_TEXT: &str = "org.a11y.atspi.EditableText";

/// One of the two.
pub(crate) enum Source {
    Bus(Bus),
    Mac(Mac),
}

impl Source {
    /// The one of this machine.
    ///
    /// # Errors
    /// When there is no accessibility bus.
    pub(crate) async fn open() -> Result<Self, AccessibilityError> {
        match Mac::here() {
            Some(mac) => Ok(Self::Mac(mac)),
            None => Ok(Self::Bus(Bus::open().await?)),
        }
    }

    /// Every window that is shown, of the program or with the title that is named; the active one first.
    ///
    /// # Errors
    /// When there is none, or it is not told.
    pub(crate) async fn windows(&self, named: Option<&str>) -> Result<Vec<Window>, AccessibilityError> {
        let mut windows = match self {
            Self::Bus(bus) => tree::windows(bus).await?,
            Self::Mac(mac) => mac.element_windows().await?.into_iter().map(of_mac).collect(),
        };
        let wanted = |window: &Window| {
            let fits = |text: &str| {
                let text = text.to_lowercase();
                [&window.program, &window.title].iter().any(|name| name.to_lowercase().contains(&text))
            };
            named.is_none_or(fits)
        };
        windows.retain(wanted);
        windows.sort_by_key(|window| !window.is_active);
        if windows.is_empty() {
            return Err(AccessibilityError::NoWindow(named.unwrap_or_default().to_owned()));
        }
        Ok(windows)
    }

    /// What is shown in a window, from top to bottom, the window itself first.
    ///
    /// # Errors
    /// When the window does not answer.
    pub(crate) async fn elements(&self, window: &Window) -> Result<Vec<Element>, AccessibilityError> {
        match (self, &window.at) {
            (Self::Bus(bus), WindowAt::Bus(place)) => tree::elements(bus, window, place).await,
            (Self::Mac(mac), WindowAt::Mac(at)) => of_part(mac, at, Part::Window).await,
            _ => Err(AccessibilityError::NoWindow(window.title.clone())),
        }
    }

    /// The same of its menus: on a Mac they are in the bar of its program, elsewhere in the window.
    ///
    /// # Errors
    /// When the window does not answer.
    pub(crate) async fn menus(&self, window: &Window) -> Result<Vec<Element>, AccessibilityError> {
        match (self, &window.at) {
            (Self::Mac(mac), WindowAt::Mac(at)) => of_part(mac, at, Part::Menus).await,
            _ => self.elements(window).await,
        }
    }

    /// Whether a menu has to be open before what is in it can be pressed.
    pub(crate) fn opens_menus(&self) -> bool {
        matches!(self, Self::Bus(_))
    }

    /// Presses an element: the first thing its program says can be done with it.
    ///
    /// # Errors
    /// When it cannot be pressed, or is gone.
    pub(crate) async fn press(&self, element: &Element) -> Result<(), AccessibilityError> {
        let not_pressable = || AccessibilityError::NotPressable(element.name.clone());
        if !element.is_usable {
            return Err(not_pressable());
        }
        let is_done: Result<bool, AccessibilityError> = match (self, &element.at) {
            (Self::Bus(bus), At::Bus(place)) => bus.call(place, ACTION, "DoAction", &(0i32,)).await,
            (Self::Mac(mac), At::Mac(at)) => Ok(mac.press_element(&at.window, at.part, &at.element).await?),
            _ => Ok(false),
        };
        match is_done {
            Ok(true) => Ok(()),
            Ok(false) | Err(AccessibilityError::Failed(_)) => Err(not_pressable()),
            Err(error) => Err(error),
        }
    }

    /// Types into an element, in place of what is there; whether it took it.
    ///
    /// # Errors
    /// When it does not answer, or is gone.
    pub(crate) async fn fill(&self, element: &Element, text: &str) -> Result<bool, AccessibilityError> {
        match (self, &element.at) {
            (Self::Bus(bus), At::Bus(place)) => {
                bus.call(place, EDITABLE_TEXT, "SetTextContents", &(text,)).await
            }
            (Self::Mac(mac), At::Mac(at)) if at.part == Part::Window => {
                Ok(mac.fill_element(&at.window, &at.element, text).await?)
            }
            _ => Ok(false),
        }
    }
}

fn of_mac(window: ElementWindow) -> Window {
    Window {
        program: cut(&window.program),
        title: cut(&window.title),
        is_active: window.active,
        at: WindowAt::Mac(window),
    }
}

async fn of_part(mac: &Mac, window: &ElementWindow, part: Part) -> Result<Vec<Element>, AccessibilityError> {
    let element = |element: ScreenElement| Element {
        name: cut(&element.name),
        kind: cut(&element.kind),
        role: role(&element),
        is_usable: element.enabled,
        is_editable: element.field,
        value: cut(&element.value),
        depth: element.depth,
        at: At::Mac(Box::new(OnMac { window: window.clone(), part, element })),
    };
    Ok(mac.elements(window, part).await?.into_iter().map(element).collect())
}

/// The role of AT-SPI that means the same.
fn role(element: &ScreenElement) -> Role {
    match element.role.as_str() {
        _ if element.secret => Role::PASSWORD,
        "AXMenuBarItem" | "AXMenu" => Role::MENU,
        "AXMenuItem" => Role::MENU_ITEM,
        _ if element.field => Role::TEXT,
        _ => Role::OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    fn osascript(folder: &Path, answer: &str) {
        let path = folder.join("osascript");
        fs::write(folder.join("answer"), answer).unwrap();
        fs::write(&path, "#!/bin/sh\ncat \"${0%/*}/answer\"\n").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
    }

    fn element(role: &str, name: &str, secret: bool) -> String {
        let field = role == "AXTextField";
        format!(
            r#"{{"way":"0","depth":1,"role":"{role}","name":"{name}","kind":"kind","value":"","secret":{secret},"field":{field},"enabled":true}}"#
        )
    }

    #[tokio::test]
    async fn windows_and_elements_of_a_mac_are_the_same_as_those_of_the_bus() {
        let folder = tempfile::tempdir().unwrap();
        let source = Source::Mac(Mac::of_folder(folder.path()));
        osascript(
            folder.path(),
            r#"{"trusted":true,"windows":[{"pid":7,"index":0,"program":"Notes","title":"Ideas","active":false},{"pid":9,"index":0,"program":"TextEdit","title":"Letter","active":true}]}"#,
        );
        let windows = source.windows(None).await.unwrap();
        assert_eq!((windows[0].program.as_str(), windows[0].is_active), ("TextEdit", true));
        assert_eq!(source.windows(Some("ideas")).await.unwrap()[0].program, "Notes");
        let none = source.windows(Some("mail")).await.map(drop);
        assert_eq!(none, Err(AccessibilityError::NoWindow("mail".into())));
        let all = [
            element("AXMenuItem", "Save", false),
            element("AXTextField", "Password", true),
            element("AXTextField", "Title", false),
            element("AXButton", "OK", false),
        ];
        osascript(folder.path(), &format!(r#"{{"trusted":true,"elements":[{}]}}"#, all.join(",")));
        let elements = source.elements(&windows[0]).await.unwrap();
        let is = |at: usize| {
            let role = elements[at].role;
            (role.is_of_menu(), role.is_password(), role.is_field())
        };
        assert_eq!([is(0), is(1)], [(true, false, false), (false, true, true)]);
        assert_eq!([is(2), is(3)], [(false, false, true), (false, false, false)]);
        osascript(folder.path(), r#"{"trusted":true,"done":false}"#);
        let not = source.press(&elements[3]).await;
        assert_eq!(not, Err(AccessibilityError::NotPressable("OK".into())));
        osascript(folder.path(), r#"{"trusted":true,"done":true}"#);
        assert_eq!(source.press(&elements[3]).await, Ok(()));
        assert_eq!(source.fill(&elements[2], "Owls").await, Ok(true));
        osascript(folder.path(), r#"{"trusted":false}"#);
        let refused = source.press(&elements[3]).await.unwrap_err();
        assert!(refused.fix().contains("Accessibility"), "{refused}");
    }
}

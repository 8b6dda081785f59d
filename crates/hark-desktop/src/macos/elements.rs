//! What stands in windows: elements with what is written on them, pressed and filled. Which of them is meant, and what may be
//! done with it, `hark-accessibility` decides.

use super::{CommandLine, Mac, MacError, json, scripts};
use serde::Deserialize;
use std::time::Duration;

/// Time a look at a window with many elements may take.
const LIMIT: Duration = Duration::from_secs(15);

/// A window of a program.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ElementWindow {
    /// Its process.
    pub pid: u32,
    /// Its place among the windows of the process.
    pub index: u32,
    /// What the program is called.
    pub program: String,
    /// What stands in its title bar.
    pub title: String,
    /// It gets what is typed.
    pub active: bool,
}

/// Something in a window or in the menu bar of its program. Its words are its program's: text from outside.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ScreenElement {
    /// The way to it, by places among children.
    pub way: String,
    /// How far down it is.
    pub depth: usize,
    /// What it is, by its name (`AXButton`).
    pub role: String,
    /// What is written on it, or what its label says.
    pub name: String,
    /// What it is in words.
    pub kind: String,
    /// What was typed into it; none of a password.
    pub value: String,
    /// It is a field for a password.
    pub secret: bool,
    /// It is typed into.
    pub field: bool,
    /// It can be used now.
    pub enabled: bool,
}

/// Where elements are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// In the window.
    Window,
    /// In the menu bar, which is that of the program.
    Menus,
}

#[derive(Deserialize)]
struct Answer {
    trusted: bool,
    #[serde(default)]
    gone: bool,
    #[serde(default)]
    done: bool,
    #[serde(default)]
    windows: Vec<ElementWindow>,
    #[serde(default)]
    elements: Vec<ScreenElement>,
}

fn windows_command() -> CommandLine {
    CommandLine::java_script(scripts::ELEMENTS, "windows", &[]).within(LIMIT)
}

fn elements_command(window: &ElementWindow, part: Part) -> CommandLine {
    let verb = match part {
        Part::Window => "elements",
        Part::Menus => "menus",
    };
    of_window(verb, window, &[])
}

fn press_command(window: &ElementWindow, part: Part, element: &ScreenElement) -> CommandLine {
    of_window("press", window, &[root(part), &element.way, &element.name])
}

fn fill_command(window: &ElementWindow, element: &ScreenElement, text: &str) -> CommandLine {
    of_window("fill", window, &[root(Part::Window), &element.way, &element.name, text])
}

fn root(part: Part) -> &'static str {
    match part {
        Part::Window => "window",
        Part::Menus => "menus",
    }
}

fn of_window(verb: &str, window: &ElementWindow, words: &[&str]) -> CommandLine {
    let (pid, index) = (window.pid.to_string(), window.index.to_string());
    let words = [&[pid.as_str(), index.as_str(), window.title.as_str()], words].concat();
    CommandLine::java_script(scripts::ELEMENTS, verb, &words).within(LIMIT)
}

fn answer_of(text: &str) -> Result<Answer, MacError> {
    let answer: Answer = json(text)?;
    MacError::unless_reached(answer.trusted, answer.gone)?;
    Ok(answer)
}

impl Mac {
    async fn of_elements(&self, command: CommandLine) -> Result<Answer, MacError> {
        answer_of(&self.runner.answer(&command).await?)
    }

    /// Every window of every program, that in front first.
    ///
    /// # Errors
    /// When macOS does not allow it.
    pub async fn element_windows(&self) -> Result<Vec<ElementWindow>, MacError> {
        let mut windows = self.of_elements(windows_command()).await?.windows;
        windows.sort_by_key(|window| !window.active);
        Ok(windows)
    }

    /// What is in a window or in the menus of its program, from above, each before what is in it.
    ///
    /// # Errors
    /// When it is gone, or macOS does not allow it.
    pub async fn elements(&self, window: &ElementWindow, part: Part) -> Result<Vec<ScreenElement>, MacError> {
        Ok(self.of_elements(elements_command(window, part)).await?.elements)
    }

    /// Presses an element; whether it took that.
    ///
    /// # Errors
    /// When it is gone or called otherwise by now, or macOS does not allow it.
    pub async fn press_element(
        &self,
        window: &ElementWindow,
        part: Part,
        element: &ScreenElement,
    ) -> Result<bool, MacError> {
        Ok(self.of_elements(press_command(window, part, element)).await?.done)
    }

    /// Types into an element of a window, in place of what is there; whether it has it then.
    ///
    /// # Errors
    /// As [`Mac::press_element`].
    pub async fn fill_element(
        &self,
        window: &ElementWindow,
        element: &ScreenElement,
        text: &str,
    ) -> Result<bool, MacError> {
        Ok(self.of_elements(fill_command(window, element, text)).await?.done)
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;

    const WINDOWS: &str = r#"{"trusted":true,"windows":[
        {"pid":7,"index":0,"program":"Notes","title":"Ideas","active":false},
        {"pid":9,"index":1,"program":"TextEdit","title":"Letter: \"A\"","active":true}]}"#;
    const ELEMENTS: &str = r#"{"trusted":true,"elements":[{"way":"0/2","depth":2,"role":"AXButton","name":"Save","kind":"button","value":"","secret":false,"field":false,"enabled":true}]}"#;

    #[tokio::test]
    async fn elements_are_asked_for_pressed_and_filled() {
        let played = Played::new();
        let mac = played.mac();
        played.answers("osascript", WINDOWS);
        let windows = mac.element_windows().await.unwrap();
        assert_eq!((windows[0].pid, windows[1].pid), (9, 7), "the active one first");
        played.answers("osascript", ELEMENTS);
        let element = mac.elements(&windows[0], Part::Window).await.unwrap().remove(0);
        assert_eq!((element.name.as_str(), element.way.as_str()), ("Save", "0/2"));
        played.answers("osascript", r#"{"trusted":true,"done":true}"#);
        assert_eq!(mac.press_element(&windows[0], Part::Menus, &element).await, Ok(true));
        assert_eq!(mac.fill_element(&windows[0], &element, "two\nlines").await, Ok(true));
        played.answers("osascript", r#"{"trusted":true,"gone":true}"#);
        assert_eq!(mac.press_element(&windows[0], Part::Window, &element).await, Err(MacError::Gone));
        let script = "osascript|-l|JavaScript|-e|<elements.js>";
        assert_eq!(
            played.calls()[..4],
            [
                format!("{script}|windows"),
                format!("{script}|elements|9|1|Letter: \"A\""),
                format!("{script}|press|9|1|Letter: \"A\"|menus|0/2|Save"),
                format!("{script}|fill|9|1|Letter: \"A\"|window|0/2|Save|two\nlines"),
            ]
        );
        assert_eq!(
            shown(&elements_command(&windows[1], Part::Menus)),
            "osascript -l JavaScript -e <elements.js> menus 7 0 Ideas"
        );
    }
}

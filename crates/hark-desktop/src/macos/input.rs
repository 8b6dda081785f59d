//! Keys and the pointer. Without the right to it macOS drops what is posted and says nothing, so that the script looks first.

use super::{CommandLine, Mac, MacError, Privacy, json, scripts};
use crate::screen::{Button, Direction, Key, Rect, ScreenError};
use serde::Deserialize;
use std::time::Duration;

/// Time that typing may take beside what each character takes.
const LIMIT: Duration = Duration::from_secs(10);
const BY_CHARACTER: Duration = Duration::from_millis(30);

/// Numbers of keys (HIToolbox, Events.h), which no layout changes.
const CODES: &[(&str, u16)] = &[
    ("enter", 36),
    ("tab", 48),
    ("space", 49),
    ("backspace", 51),
    ("escape", 53),
    ("delete", 117),
    ("home", 115),
    ("end", 119),
    ("page_up", 116),
    ("page_down", 121),
    ("left", 123),
    ("right", 124),
    ("down", 125),
    ("up", 126),
    ("f1", 122),
    ("f2", 120),
    ("f3", 99),
    ("f4", 118),
    ("f5", 96),
    ("f6", 97),
    ("f7", 98),
    ("f8", 100),
    ("f9", 101),
    ("f10", 109),
    ("f11", 103),
    ("f12", 111),
    ("f13", 105),
    ("f14", 107),
    ("f15", 113),
    ("f16", 106),
    ("f17", 64),
    ("f18", 79),
    ("f19", 80),
    ("f20", 90),
];
/// What is held, by the names of System Events.
const HELD: &[(&str, &str)] =
    &[("control", "control"), ("shift", "shift"), ("alt", "option"), ("super", "command")];

#[derive(Deserialize)]
struct Answer {
    trusted: bool,
}

/// Whether the script was let do it.
pub(super) fn trusted(answer: &str) -> Result<(), MacError> {
    let Answer { trusted } = json(answer)?;
    if trusted { Ok(()) } else { Err(MacError::NotGranted(Privacy::Accessibility)) }
}

fn type_command(text: &str) -> CommandLine {
    let count = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    let limit = LIMIT + BY_CHARACTER.saturating_mul(count);
    CommandLine::java_script(scripts::INPUT, "type", &[text]).within(limit)
}

/// A character with what is held, by the layout of the keyboard.
pub(super) fn stroke_command(character: char, held: &[&str]) -> CommandLine {
    CommandLine::java_script(scripts::INPUT, "stroke", &[&character.to_string(), &held.join(",")])
}

/// The last key while all before it are held.
fn press_command(keys: &[Key]) -> Result<CommandLine, ScreenError> {
    let none = |key: &Key| ScreenError::NoKey(key.name().to_owned());
    let (last, held) = keys.split_last().ok_or_else(|| ScreenError::NoKey(String::new()))?;
    let held = held.iter().map(|key| {
        let found = HELD.iter().find(|(name, _)| *name == key.name());
        found.map(|(_, held)| *held).ok_or_else(|| none(key))
    });
    let held = held.collect::<Result<Vec<&str>, ScreenError>>()?;
    if let Some((_, code)) = CODES.iter().find(|(name, _)| *name == last.name()) {
        let words = [code.to_string(), held.join(",")];
        return Ok(CommandLine::java_script(scripts::INPUT, "code", &[&words[0], &words[1]]));
    }
    let mut characters = last.name().chars();
    match (characters.next(), characters.next()) {
        // With a layout that has it not, System Events would press another key.
        (Some(character), None) if held.is_empty() => Ok(type_command(&character.to_string())),
        (Some(character), None) if character.is_ascii() => Ok(stroke_command(character, &held)),
        (Some(character), None) => Err(ScreenError::NoFreeKey(character)),
        _ => Err(none(last)),
    }
}

fn click_command(button: Button, times: u8, at: Option<(i32, i32)>) -> CommandLine {
    let button = match button {
        Button::Left => "left",
        Button::Middle => "middle",
        Button::Right => "right",
    };
    pointer("click", [button.to_owned(), times.to_string()], at)
}

fn scroll_command(direction: Direction, notches: u8, at: Option<(i32, i32)>) -> CommandLine {
    let lines = i32::from(notches);
    let (down, right) = match direction {
        Direction::Up => (-lines, 0),
        Direction::Down => (lines, 0),
        Direction::Left => (0, -lines),
        Direction::Right => (0, lines),
    };
    pointer("scroll", [down.to_string(), right.to_string()], at)
}

fn pointer(verb: &str, [first, second]: [String; 2], at: Option<(i32, i32)>) -> CommandLine {
    let place = at.map(|(x, y)| [x.to_string(), y.to_string()]);
    let words: Vec<&str> =
        [&first, &second].into_iter().chain(place.iter().flatten()).map(String::as_str).collect();
    CommandLine::java_script(scripts::INPUT, verb, &words)
}

impl Mac {
    fn input(&self, command: CommandLine) -> Result<(), ScreenError> {
        Ok(trusted(&self.runner.waited(command)?)?)
    }

    pub(crate) fn type_text(&self, text: &str) -> Result<(), ScreenError> {
        self.input(type_command(text))
    }

    pub(crate) fn press(&self, keys: &[Key]) -> Result<(), ScreenError> {
        self.input(press_command(keys)?)
    }

    pub(crate) fn click(&self, button: Button, times: u8, at: Option<(i32, i32)>) -> Result<(), ScreenError> {
        self.on_a_screen(at)?;
        self.input(click_command(button, times, at))
    }

    pub(crate) fn scroll(
        &self,
        direction: Direction,
        notches: u8,
        at: Option<(i32, i32)>,
    ) -> Result<(), ScreenError> {
        self.on_a_screen(at)?;
        self.input(scroll_command(direction, notches, at))
    }

    fn on_a_screen(&self, at: Option<(i32, i32)>) -> Result<(), ScreenError> {
        let Some((x, y)) = at else { return Ok(()) };
        let point = Rect { x, y, width: 1, height: 1 };
        let is_there = self.monitors()?.iter().any(|monitor| monitor.common(point).is_some());
        if is_there { Ok(()) } else { Err(ScreenError::NotDone(format!("{x}, {y} is not on the screen"))) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;

    const SCRIPT: &str = "osascript -l JavaScript -e <input.js>";

    fn pressed(names: &[&str]) -> Result<String, ScreenError> {
        let keys: Vec<Key> = names.iter().map(|name| Key::named(name).unwrap()).collect();
        press_command(&keys).map(|command| shown(&command))
    }

    #[test]
    fn command_lines_of_keys() {
        assert_eq!(shown(&type_command("grüß dich\n-e")), format!("{SCRIPT} type \"grüß dich\\n-e\""));
        assert_eq!(pressed(&["escape"]).unwrap(), format!("{SCRIPT} code 53 \"\""));
        assert_eq!(pressed(&["super", "shift", "tab"]).unwrap(), format!("{SCRIPT} code 48 command,shift"));
        assert_eq!(pressed(&["control", "alt", "s"]).unwrap(), format!("{SCRIPT} stroke s control,option"));
        assert_eq!(pressed(&["ä"]).unwrap(), format!("{SCRIPT} type ä"));
        assert_eq!(pressed(&["control", "ä"]), Err(ScreenError::NoFreeKey('ä')));
        assert_eq!(pressed(&["insert"]), Err(ScreenError::NoKey("insert".into())));
        assert_eq!(pressed(&["super"]), Err(ScreenError::NoKey("super".into())));
    }

    #[test]
    fn command_lines_of_the_pointer() {
        assert_eq!(
            shown(&click_command(Button::Right, 2, Some((-5, 10)))),
            format!("{SCRIPT} click right 2 -5 10")
        );
        assert_eq!(shown(&click_command(Button::Left, 1, None)), format!("{SCRIPT} click left 1"));
        assert_eq!(shown(&scroll_command(Direction::Up, 5, None)), format!("{SCRIPT} scroll -5 0"));
        assert_eq!(
            shown(&scroll_command(Direction::Right, 3, Some((1, 2)))),
            format!("{SCRIPT} scroll 0 3 1 2")
        );
    }

    #[test]
    fn what_macos_would_drop_is_no_success() {
        let played = Played::new();
        played.answers("osascript", "{\"trusted\":false}\n");
        assert_eq!(played.mac().type_text("x"), Err(MacError::NotGranted(Privacy::Accessibility).into()));
        let screens = r#"{"trusted":true,"screens":[{"whole":{"x":0,"y":0,"width":1440,"height":900},"free":{"x":0,"y":25,"width":1440,"height":875}}]}"#;
        played.answers("osascript", screens);
        let mac = played.mac();
        assert_eq!(mac.click(Button::Left, 1, Some((10, 10))), Ok(()));
        let outside = mac.click(Button::Left, 1, Some((1440, 10)));
        assert_eq!(outside, Err(ScreenError::NotDone("1440, 10 is not on the screen".into())));
        assert_eq!(played.calls().len(), 4, "and nothing is pressed there");
    }
}

//! Windows, by System Events. It gives them no numbers: a window is the process and the place among its windows, found again by
//! its title.

use super::{CommandLine, Mac, MacError, json, scripts};
use crate::naming::one_line;
use crate::screen::{Half, Rect, ScreenError, Window};
use serde::Deserialize;
use std::time::{Duration, Instant};

/// Time the list may take: each program is asked for itself.
const LIMIT: Duration = Duration::from_secs(15);
/// How long a window may take to be as it was told, and how often that is looked at.
const SEEN_WITHIN: Duration = Duration::from_secs(4);
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Most that a window may miss what it was asked for: a terminal grows by whole letters, and windows have smallest sizes.
const STEP: u32 = 64;
/// Bits of a window's number that are its place among those of its process.
const PLACE_BITS: u32 = 12;

/// A rectangle as AppKit and System Events tell it.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
struct Frame {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Frame {
    // Places on screens are far within 32 bits; what is beyond becomes the nearest.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn rect(self) -> Rect {
        Rect {
            x: self.x.round() as i32,
            y: self.y.round() as i32,
            width: self.width.round() as u32,
            height: self.height.round() as u32,
        }
    }
}

/// A monitor: all of it, and what neither the menu bar nor the Dock covers.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
struct Monitor {
    whole: Frame,
    free: Frame,
}

#[derive(Debug, Deserialize)]
struct Told {
    pid: u32,
    program: String,
    bundle: String,
    index: u32,
    title: String,
    #[serde(flatten)]
    frame: Frame,
    focused: bool,
    minimised: bool,
    full: bool,
}

#[derive(Debug, Deserialize)]
struct Answer {
    trusted: bool,
    #[serde(default)]
    gone: bool,
    #[serde(default)]
    windows: Vec<Told>,
    #[serde(default)]
    screens: Vec<Monitor>,
}

/// What is done with a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Focus,
    Minimise,
    Close,
    Put(Rect),
}

fn list_command() -> CommandLine {
    CommandLine::java_script(scripts::WINDOWS, "list", &[]).within(LIMIT)
}

fn screens_command() -> CommandLine {
    CommandLine::java_script(scripts::WINDOWS, "screens", &[])
}

fn act_command(act: Act, window: &Window) -> CommandLine {
    let numbers = match act {
        Act::Put(Rect { x, y, width, height }) => {
            vec![x.to_string(), y.to_string(), width.to_string(), height.to_string()]
        }
        Act::Focus | Act::Minimise | Act::Close => Vec::new(),
    };
    let verb = match act {
        Act::Focus => "focus",
        Act::Minimise => "minimise",
        Act::Close => "close",
        Act::Put(_) => "put",
    };
    let (pid, index) = (window.id >> PLACE_BITS, window.id & ((1 << PLACE_BITS) - 1));
    let (pid, index) = (window.pid.unwrap_or(pid).to_string(), index.to_string());
    let mut words = vec![pid.as_str(), index.as_str(), window.title.as_str()];
    words.extend(numbers.iter().map(String::as_str));
    CommandLine::java_script(scripts::WINDOWS, verb, &words).within(LIMIT)
}

fn answer_of(text: &str) -> Result<Answer, MacError> {
    let answer: Answer = json(text)?;
    MacError::unless_reached(answer.trusted, answer.gone)?;
    Ok(answer)
}

/// The windows of an answer; what only its own program wants to be a window has no size.
fn windows_of(answer: Answer) -> Vec<Window> {
    let Answer { windows, screens, .. } = answer;
    let fills = |place: Rect| screens.iter().any(|screen| is_near(place, screen.free.rect()));
    let window = |told: Told| {
        let place = told.frame.rect();
        Window {
            id: told.pid << PLACE_BITS | told.index & ((1 << PLACE_BITS) - 1),
            title: told.title,
            class: one_line(&told.program),
            instance: one_line(&told.bundle),
            pid: Some(told.pid),
            place,
            is_focused: told.focused,
            is_minimised: told.minimised,
            is_maximised: told.full || fills(place),
        }
    };
    windows
        .into_iter()
        .map(window)
        .filter(|window| window.place.width > 0 && window.place.height > 0)
        .collect()
}

fn is_near(one: Rect, other: Rect) -> bool {
    one.x.abs_diff(other.x) <= STEP
        && one.y.abs_diff(other.y) <= STEP
        && one.width.abs_diff(other.width) <= STEP
        && one.height.abs_diff(other.height) <= STEP
}

/// The same window in a newer list. What is brought to the front changes its place among the windows, what loads a page its
/// title.
fn same<'w>(windows: &'w [Window], window: &Window) -> Option<&'w Window> {
    let of_process = || windows.iter().filter(|one| one.pid == window.pid);
    let by = |is_it: &dyn Fn(&Window) -> bool| of_process().find(|one| is_it(one));
    by(&|one| one.id == window.id && one.title == window.title)
        .or_else(|| by(&|one| one.title == window.title))
        .or_else(|| by(&|one| one.id == window.id))
}

/// What neither menu bar nor Dock covers of the monitor a window is on.
fn area(monitors: &[Monitor], window: Rect) -> Option<Rect> {
    let (x, y) = window.middle();
    let point = Rect { x, y, width: 1, height: 1 };
    let here = monitors.iter().find(|monitor| monitor.whole.rect().common(point).is_some());
    here.or(monitors.first()).map(|monitor| monitor.free.rect())
}

impl Mac {
    fn told(&self, command: CommandLine) -> Result<Answer, MacError> {
        answer_of(&self.runner.waited(command)?)
    }

    /// Every window, those of the program in front first.
    pub(crate) fn windows(&self) -> Result<Vec<Window>, ScreenError> {
        Ok(windows_of(self.told(list_command())?))
    }

    pub(crate) fn again(&self, window: &Window) -> Result<Window, ScreenError> {
        let windows = self.windows()?;
        same(&windows, window).cloned().ok_or_else(|| ScreenError::NotFound(window.title.clone()))
    }

    pub(crate) fn area_of(&self, window: &Window) -> Result<Rect, ScreenError> {
        let monitors = self.told(screens_command())?.screens;
        area(&monitors, window.place).ok_or_else(|| ScreenError::NotDone("this Mac has no screen".into()))
    }

    /// Every monitor, the main one first.
    pub(super) fn monitors(&self) -> Result<Vec<Rect>, MacError> {
        let monitors = self.told(screens_command())?.screens;
        Ok(monitors.into_iter().map(|monitor| monitor.whole.rect()).collect())
    }

    pub(crate) fn focus(&self, window: &Window) -> Result<Window, ScreenError> {
        self.act(Act::Focus, window)?;
        self.seen(window, "it did not come to the front", |now| now.is_focused && !now.is_minimised)
    }

    pub(crate) fn minimise(&self, window: &Window) -> Result<Window, ScreenError> {
        self.act(Act::Minimise, window)?;
        self.seen(window, "it was not minimised", |now| now.is_minimised)
    }

    /// Presses its button that closes it.
    pub(crate) fn close(&self, window: &Window) -> Result<(), ScreenError> {
        self.act(Act::Close, window)
    }

    pub(crate) fn maximise(&self, window: &Window) -> Result<Window, ScreenError> {
        let window = self.focus(window)?;
        self.put(&window, self.area_of(&window)?)
    }

    pub(crate) fn tile(&self, window: &Window, half: Half) -> Result<Window, ScreenError> {
        self.put(window, half.of(self.area_of(window)?))
    }

    pub(crate) fn put(&self, window: &Window, wanted: Rect) -> Result<Window, ScreenError> {
        self.act(Act::Put(wanted), window)?;
        self.seen(window, "it did not go where it was put", |now| is_near(now.place, wanted))
    }

    fn act(&self, act: Act, window: &Window) -> Result<(), ScreenError> {
        match self.told(act_command(act, window)) {
            Err(MacError::Gone) => Err(ScreenError::NotFound(window.title.clone())),
            told => Ok(told.map(drop)?),
        }
    }

    /// The window once it is so; an error when that does not come.
    fn seen(
        &self,
        window: &Window,
        not: &str,
        is_so: impl Fn(&Window) -> bool,
    ) -> Result<Window, ScreenError> {
        let began = Instant::now();
        loop {
            let now = self.again(window)?;
            if is_so(&now) {
                return Ok(now);
            }
            if began.elapsed() > SEEN_WITHIN {
                return Err(ScreenError::NotDone(not.to_owned()));
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Privacy;
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;

    fn told(index: u32, title: &str, x: i32, width: u32, focused: bool) -> String {
        format!(
            r#"{{"pid":612,"program":"Notes","bundle":"com.apple.Notes","index":{index},"title":"{title}","x":{x},"y":25,"width":{width},"height":875,"focused":{focused},"minimised":false,"full":false}}"#
        )
    }

    fn list(windows: &[String]) -> String {
        let screen = r#"{"whole":{"x":0,"y":0,"width":1440,"height":900},"free":{"x":0,"y":25,"width":1440,"height":875}}"#;
        format!(r#"{{"trusted":true,"windows":[{}],"screens":[{screen}]}}"#, windows.join(","))
    }

    fn windows(answer: &str) -> Vec<Window> {
        windows_of(answer_of(answer).unwrap())
    }

    #[test]
    fn command_lines() {
        let window = &windows(&list(&[told(3, "Two: \\\"words\\\"", 0, 500, true)]))[0];
        let script = "osascript -l JavaScript -e <windows.js>";
        let place = Rect { x: -20, y: 25, width: 720, height: 875 };
        assert_eq!(shown(&list_command()), format!("{script} list"));
        assert_eq!(shown(&screens_command()), format!("{script} screens"));
        assert_eq!(
            shown(&act_command(Act::Focus, window)),
            format!("{script} focus 612 3 \"Two: \\\"words\\\"\"")
        );
        assert_eq!(
            shown(&act_command(Act::Close, window)),
            format!("{script} close 612 3 \"Two: \\\"words\\\"\"")
        );
        assert_eq!(
            shown(&act_command(Act::Put(place), window)),
            format!("{script} put 612 3 \"Two: \\\"words\\\"\" -20 25 720 875")
        );
        assert_eq!(
            shown(&act_command(Act::Minimise, &Window { title: String::new(), ..window.clone() })),
            format!("{script} minimise 612 3 \"\"")
        );
    }

    #[test]
    fn windows_are_read() {
        let found = windows(&list(&[
            told(0, "Shopping", 0, 1440, true),
            told(1, "Ideas", 100, 500, false),
            told(2, "no size", 0, 0, false),
        ]));
        let titles: Vec<&str> = found.iter().map(|window| window.title.as_str()).collect();
        assert_eq!(titles, ["Shopping", "Ideas"]);
        assert_eq!((found[0].class.as_str(), found[0].instance.as_str()), ("Notes", "com.apple.Notes"));
        assert_eq!((found[0].pid, found[0].is_focused, found[0].is_maximised), (Some(612), true, true));
        assert_eq!((found[1].is_maximised, found[0].id == found[1].id), (false, false));
        let untrusted = answer_of(r#"{"trusted":false}"#).map(drop);
        assert_eq!(untrusted, Err(MacError::NotGranted(Privacy::Accessibility)));
        assert_eq!(answer_of(r#"{"trusted":true,"gone":true}"#).map(drop), Err(MacError::Gone));
    }

    #[test]
    fn a_window_is_found_again_behind_another_title_or_at_another_place() {
        let before = windows(&list(&[told(0, "Shopping", 0, 500, true), told(1, "Ideas", 0, 500, false)]));
        let raised = windows(&list(&[told(0, "Ideas", 0, 500, true), told(1, "Shopping", 0, 500, false)]));
        assert_eq!(same(&raised, &before[1]), Some(&raised[0]));
        let renamed = windows(&list(&[told(0, "Shopping", 0, 500, true), told(1, "Plans", 0, 500, false)]));
        assert_eq!(same(&renamed, &before[1]), Some(&renamed[1]));
        assert_eq!(same(&before[..1], &before[1]), None);
    }

    #[test]
    fn it_is_done_once_it_is_seen() {
        let played = Played::new();
        let before = list(&[told(0, "Shopping", 300, 500, true)]);
        let after = list(&[told(0, "Shopping", 720, 720, true)]);
        played.program(
            "osascript",
            &format!(
                "case $5 in put) touch \"${{0%/*}}/moved\"; echo '{{\"trusted\":true}}';; *) if [ -e \"${{0%/*}}/moved\" ]; then echo '{after}'; else echo '{before}'; fi;; esac"
            ),
        );
        let mac = played.mac();
        let window = mac.windows().unwrap().remove(0);
        let now = mac.tile(&window, Half::Right).unwrap();
        assert_eq!(now.place, Rect { x: 720, y: 25, width: 720, height: 875 });
        assert!(played.calls().contains(
            &"osascript|-l|JavaScript|-e|<windows.js>|put|612|0|Shopping|720|25|720|875".to_owned()
        ));
        assert_eq!(mac.minimise(&window), Err(ScreenError::NotDone("it was not minimised".into())));
    }
}

//! `input.*`: keys and the pointer of the desktop. What could change something in a program waits for a yes; keys and the
//! wheel that only move what is shown do not.

use super::{called, screen, wanted, window};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking_work};
use crate::tools::services::Services;
use hark_desktop::apps::Wanted;
use hark_desktop::screen::{Button, Direction, Display, Key, ScreenError};
use hark_home::permission_gate::{Danger, INPUT};
use serde_json::{Value, json};
use std::sync::Arc;

/// `input.type`.
pub fn type_text(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let text = args.owned("text").unwrap_or_default();
    if let Some(odd) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(Failure::wrong_call("text", format!("no key types {odd:?}")));
    }
    let wanted = wanted(args, "window");
    let danger =
        danger("input.type", &format!("text “{text}”"), wanted.as_ref(), ("text", json!({"text": text})))?;
    let about = json!({"text": text});
    Ok(gated(danger, services, wanted, about, move |display| display.type_text(&text)))
}

/// `input.key`.
pub fn key(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let key = Key::named(args.text("key").unwrap_or_default())?;
    let times: u8 = args.integer("times").unwrap_or(1);
    let (wanted, about) = (wanted(args, "window"), json!({"key": key.name()}));
    let name = key.name().replace('_', " ");
    let told = format!("key {name}");
    let is_harmless = key.is_harmless();
    let press =
        move |display: &Display| (0..times).try_for_each(|_| display.press(std::slice::from_ref(&key)));
    if is_harmless {
        return Ok(Prepared::Work(acting(services, wanted, about, press)));
    }
    let danger = danger("input.key", &told, wanted.as_ref(), ("keys", json!({"keys": [name]})))?;
    Ok(gated(danger, services, wanted, about, press))
}

/// `input.hotkey`.
pub fn hotkey(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let keys = args.text("keys").unwrap_or_default();
    // The plus itself is a key: "control++".
    let (keys, plus) = keys.strip_suffix("++").map_or((keys, None), |held| (held, Some("+")));
    let named = keys.split('+').chain(plus).map(|name| Key::named(name.trim()));
    let keys = named.collect::<Result<Vec<Key>, ScreenError>>()?;
    let held = keys.split_last().map(|(_, held)| held).unwrap_or_default();
    if held.is_empty() || !held.iter().all(Key::is_modifier) {
        let message =
            "all keys but the last are control, shift, alt or super, and there is at least one of them";
        return Err(Failure::wrong_call("keys", message));
    }
    let names: Vec<String> = keys.iter().map(|key| key.name().replace('_', " ")).collect();
    let wanted = wanted(args, "window");
    let danger = danger(
        "input.hotkey",
        &format!("keys {}", names.join(" and ")),
        wanted.as_ref(),
        ("keys", json!({"keys": names})),
    )?;
    Ok(gated(danger, services, wanted, json!({"keys": names.join(" + ")}), move |display| {
        display.press(&keys)
    }))
}

/// `input.click`.
pub fn click(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let button = match args.text("button") {
        Some("right") => Button::Right,
        Some("middle") => Button::Middle,
        _ => Button::Left,
    };
    let times = if args.flag("double") == Some(true) { 2 } else { 1 };
    let (at, text) = (place(args)?, args.owned("text"));
    let shown = match (&text, at) {
        (Some(text), _) => format!(" on “{text}”"),
        (None, Some((x, y))) => format!(" at {x}, {y}"),
        (None, None) => String::new(),
    };
    let told = if times == 2 { "double click" } else { "click" };
    let about = json!({"button": args.text("button").unwrap_or("left"), "double": times == 2});
    let parts = json!({"text": text, "x": at.map(|at| at.0), "y": at.map(|at| at.1), "double": times == 2});
    let danger = danger("input.click", &format!("{told}{shown}"), None, ("click", parts))?;
    let services = Arc::clone(services);
    Ok(Prepared::Gated(
        danger,
        blocking_work(move || {
            let display = Display::open()?;
            let to = display.focused()?;
            let at = text.map_or(Ok(at), |text| screen::place_of(&services, &text).map(Some))?;
            display.click(button, times, at)?;
            let mut outcome = Outcome::new(true, about);
            outcome.detail.insert("title".into(), json!(called(&to)));
            Ok(outcome)
        }),
    ))
}

/// `input.scroll`.
pub fn scroll(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (direction, name) = match args.text("direction") {
        Some("up") => (Direction::Up, "up"),
        Some("left") => (Direction::Left, "left"),
        Some("right") => (Direction::Right, "right"),
        _ => (Direction::Down, "down"),
    };
    let notches: u8 = args.integer("amount").unwrap_or(5);
    let (wanted, at) = (wanted(args, "window"), place(args)?);
    let about = json!({"direction": name, "amount": notches});
    let services = Arc::clone(services);
    Ok(Prepared::Work(blocking_work(move || {
        let display = Display::open()?;
        // The wheel turns over what the pointer is on: over the window that is meant, and not over what lies beside it.
        let over = window(&display, &services, wanted.as_ref()).map(|window| window.place);
        let at = match (at, over) {
            (Some(at), _) => Some(at),
            (None, Ok(place)) => Some(place.middle()),
            (None, Err(error)) if wanted.is_some() => return Err(error),
            (None, Err(_)) => None,
        };
        display.scroll(direction, notches, at)?;
        Ok(Outcome::new(true, about))
    })))
}

fn place(args: &Args) -> Result<Option<(i32, i32)>, Failure> {
    match (args.integer("x"), args.integer("y")) {
        (Some(x), Some(y)) => Ok(Some((x, y))),
        (None, None) => Ok(None),
        _ => Err(Failure::wrong_call("x", "x and y belong together")),
    }
}

/// What a person is asked: what is pressed, and where it goes.
fn danger(
    tool: &'static str,
    what: &str,
    wanted: Option<&Wanted>,
    (kind, mut parts): (&'static str, Value),
) -> Result<Danger, Failure> {
    let to = match wanted {
        Some(wanted) => wanted.name.clone(),
        None => called(&Display::open()?.focused()?).to_owned(),
    };
    parts["to"] = json!(to);
    Ok(Danger::new(INPUT, tool, format!("{what} to {to}")).told(kind, parts))
}

fn gated(
    danger: Danger,
    services: &Arc<Services>,
    wanted: Option<Wanted>,
    about: Value,
    act: impl FnOnce(&Display) -> Result<(), ScreenError> + Send + 'static,
) -> Prepared {
    Prepared::Gated(danger, acting(services, wanted, about, act))
}

/// Brings the window that is named to the front, and does something to it.
fn acting(
    services: &Arc<Services>,
    wanted: Option<Wanted>,
    about: Value,
    act: impl FnOnce(&Display) -> Result<(), ScreenError> + Send + 'static,
) -> crate::tools::outcome::Work {
    let services = Arc::clone(services);
    blocking_work(move || {
        let display = Display::open()?;
        let mut to = window(&display, &services, wanted.as_ref())?;
        if wanted.is_some() && !to.is_focused {
            to = display.focus(&to)?;
        }
        act(&display)?;
        let mut outcome = Outcome::new(true, about);
        outcome.detail.insert("title".into(), json!(called(&to)));
        Ok(outcome)
    })
}

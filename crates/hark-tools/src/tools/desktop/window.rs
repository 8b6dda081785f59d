//! `window.*`: the windows of the desktop.

use super::{called, wanted, window};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::services::Services;
use hark_desktop::screen::{Display, Half, Rect, ScreenError, Window};
use serde_json::{Value, json};
use std::sync::Arc;

/// Smallest width and height that a window is made, pixels.
const SMALLEST: u32 = 100;

/// `window.list`.
pub fn list(_services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    Ok(blocking(|| {
        let windows = Display::open()?.windows()?;
        let titles: Vec<&str> = windows.iter().map(called).collect();
        let detail = json!({"count": windows.len(), "titles": titles, "windows": all(&windows)});
        Ok(Outcome::answer(detail))
    }))
}

/// `window.focus`.
pub fn focus(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    Ok(with_window(services, args, Display::focus))
}

/// `window.maximise`.
pub fn maximise(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    Ok(with_window(services, args, Display::maximise))
}

/// `window.close`.
pub fn close(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (services, wanted) = (Arc::clone(services), wanted(args, "window"));
    Ok(blocking(move || {
        let display = Display::open()?;
        let window = window(&display, &services, wanted.as_ref())?;
        display.close(&window)?;
        Ok(Outcome::new(true, json!({"title": called(&window)})))
    }))
}

/// `window.tile`.
pub fn tile(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let half = if args.text("side") == Some("right") { Half::Right } else { Half::Left };
    Ok(with_window(services, args, move |display, window| display.tile(window, half)))
}

/// `window.minimise`.
pub fn minimise(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    if args.flag("all") != Some(true) {
        return Ok(with_window(services, args, Display::minimise));
    }
    Ok(blocking(|| {
        let display = Display::open()?;
        let open: Vec<Window> =
            display.windows()?.into_iter().filter(|window| !window.is_minimised).collect();
        for window in &open {
            display.minimise(window)?;
        }
        Ok(Outcome::new(!open.is_empty(), json!({"count": open.len()})))
    }))
}

/// `window.move`.
pub fn move_to(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let at = (args.integer::<i32>("x"), args.integer::<i32>("y"));
    let place = args.owned("place");
    if place.is_none() && at == (None, None) {
        return Err(Failure::wrong_call("place", "window.move needs a place, or x and y"));
    }
    Ok(with_window(services, args, move |display, window| {
        let (x, y) = match &place {
            Some(place) => corner(place, display.area_of(window)?, window.place),
            None => (at.0.unwrap_or(window.place.x), at.1.unwrap_or(window.place.y)),
        };
        display.move_to(window, x, y)
    }))
}

/// `window.resize`.
pub fn resize(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let side = (args.integer::<u32>("width"), args.integer::<u32>("height"));
    let percent = args.integer::<u32>("percent");
    if percent.is_none() && side == (None, None) {
        return Err(Failure::wrong_call("percent", "window.resize needs percent, or width and height"));
    }
    Ok(with_window(services, args, move |display, window| {
        let (now, area) = (window.place, display.area_of(window)?);
        let of = |side: u32| percent.map_or(side, |percent| side.saturating_mul(percent) / 100);
        let width = side.0.unwrap_or_else(|| of(now.width)).clamp(SMALLEST, area.width.max(SMALLEST));
        let height = side.1.unwrap_or_else(|| of(now.height)).clamp(SMALLEST, area.height.max(SMALLEST));
        display.resize(window, width, height)
    }))
}

/// Where the upper left corner of a window of this size comes when it is put to a place of an area.
fn corner(place: &str, area: Rect, window: Rect) -> (i32, i32) {
    let room = |area: u32, window: u32| i32::try_from(area.saturating_sub(window)).unwrap_or_default();
    let (across, down) = (room(area.width, window.width), room(area.height, window.height));
    let x = match place {
        "left" | "top_left" | "bottom_left" => 0,
        "right" | "top_right" | "bottom_right" => across,
        _ => across / 2,
    };
    let y = match place {
        "top" | "top_left" | "top_right" => 0,
        "bottom" | "bottom_left" | "bottom_right" => down,
        _ => down / 2,
    };
    (area.x + x, area.y + y)
}

/// Does something with the window that is named, and tells how it is afterwards.
fn with_window(
    services: &Arc<Services>,
    args: &Args,
    act: impl Fn(&Display, &Window) -> Result<Window, ScreenError> + Send + 'static,
) -> Prepared {
    let (services, wanted) = (Arc::clone(services), wanted(args, "window"));
    blocking(move || {
        let display = Display::open()?;
        let window = window(&display, &services, wanted.as_ref())?;
        let now = act(&display, &window)?;
        Ok(Outcome::new(now != window, json!({"title": called(&now), "window": shown(&now)})))
    })
}

fn all(windows: &[Window]) -> Vec<Value> {
    windows.iter().map(shown).collect()
}

fn shown(window: &Window) -> Value {
    let Rect { x, y, width, height } = window.place;
    json!({
        "title": window.title,
        "program": window.class,
        "x": x, "y": y, "width": width, "height": height,
        "focused": window.is_focused,
        "minimised": window.is_minimised,
        "maximised": window.is_maximised,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_corners_of_what_no_panel_covers() {
        let area = Rect { x: 0, y: 30, width: 1000, height: 770 };
        let window = Rect { x: 5, y: 5, width: 400, height: 300 };
        assert_eq!(corner("top_left", area, window), (0, 30));
        assert_eq!(corner("bottom_right", area, window), (600, 500));
        assert_eq!(corner("centre", area, window), (300, 265));
        assert_eq!(
            corner("top", area, Rect { width: 2000, ..window }),
            (0, 30),
            "it is wider than the screen"
        );
    }
}

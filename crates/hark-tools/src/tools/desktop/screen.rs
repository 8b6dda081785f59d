//! `screen.*`: what is to be seen on the screen: as a picture, as text, and in words. What is there may have been written by
//! anybody.

use super::{wanted, window};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::services::Services;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hark_core::model::Picture;
use hark_core::ports::screen::{DescribesPictures, PictureQuestion, Pixels, TextLine};
use hark_core::tool::{
    error_code,
    reason::{self, Part},
};
use hark_core::{Fault, FaultKind};
use hark_desktop::apps::Wanted;
use hark_desktop::screen::{Capture, Display, picture};
use hark_home::permission_gate::Danger;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Pictures that are kept; older ones are removed.
const KEPT: usize = 20;
/// Most lines that are told.
const MAX_LINES: usize = 300;

/// Whether the screen can be seen.
pub fn can_be_seen(services: &Services) -> Result<(), Failure> {
    Ok(services.screen.can_be_seen()?)
}

/// Whether its text can be read.
pub fn can_be_read(services: &Services) -> Result<(), Failure> {
    can_be_seen(services)?;
    services.text_reader.ready().map_err(unreadable)
}

/// Whether a language model can be asked what is on it, or at least its text can be read.
pub fn can_be_described(services: &Services) -> Result<(), Failure> {
    can_be_seen(services)?;
    if services.text_reader.ready().is_ok() { Ok(()) } else { describer(services).map(drop) }
}

fn describer(services: &Services) -> Result<Arc<dyn DescribesPictures>, Failure> {
    services.describer.get().cloned().ok_or_else(|| {
        Failure::not_set_up(Part::Pictures, "no language model is configured that could look at the screen")
            .fix("configure one that takes pictures, in [llm]")
    })
}

/// `screen.describe`. The picture may leave the house with the request, so that it is asked about. Without a language model that
/// looks at it, what is written there is told, and that it is only this.
pub fn describe(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (services, wanted) = (Arc::clone(services), wanted(args, "window"));
    let describer = match describer(&services) {
        Ok(describer) => describer,
        Err(failure) if services.text_reader.ready().is_err() => return Err(failure),
        Err(_) => return Ok(blocking(move || only_read(&services, wanted.as_ref()))),
    };
    let question = args.owned("question").unwrap_or_default();
    let turn = args.turn().cloned();
    let name = "picture of the screen to the language model";
    let danger = Danger::new("send", "screen.describe", name).told("screen", json!({}));
    let work =
        Box::pin(async move {
            let language = services.language.clone();
            let (of_picture, of_text) = ((Arc::clone(&services), wanted.clone()), (services, wanted));
            let base64 = waited(move || {
                let (services, wanted) = of_picture;
                Ok(STANDARD.encode(taken(&services, wanted.as_ref())?.png()?))
            });
            let picture = Picture { media_type: "image/png".into(), base64: base64.await? };
            match describer.describe(PictureQuestion { turn, picture, question, language }).await {
                Ok(text) => Ok(Outcome::answer(json!({"text": text}))),
                Err(fault) => waited(move || {
                    let (services, wanted) = of_text;
                    tracing::warn!(%fault, "no language model has looked at the screen; its text is read");
                    let failure =
                        || Failure::new(error_code::FAILED, fault.message.clone()).fix(fault.fix.clone());
                    services.text_reader.ready().map_err(|_| failure())?;
                    only_read(&services, wanted.as_ref())
                })
                .await,
            }
        });
    Ok(Prepared::Gated(danger, work))
}

/// Runs `job` where it may wait.
async fn waited<T: Send + 'static>(
    job: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(job).await;
    done.unwrap_or_else(|error| Err(Failure::new(error_code::FAILED, error.to_string())))
}

/// What is written on the screen, where nobody says what else is to be seen.
fn only_read(services: &Services, wanted: Option<&Wanted>) -> Result<Outcome, Failure> {
    let text = text_of(&lines(services, wanted)?);
    Ok(Outcome::answer(json!({"text": text, "only_text": true})))
}

/// `screen.capture`.
pub fn capture(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (services, wanted) = (Arc::clone(services), wanted(args, "window"));
    let folder = services.captures.clone().ok_or_else(|| {
        let failure = Failure::not_set_up(Part::Captures, "there is no folder for pictures of the screen");
        failure.fix("set paths.state_dir")
    })?;
    let name = format!("screen-{}.png", (services.clock)().format("%Y%m%d-%H%M%S-%3f"));
    Ok(blocking(move || {
        let capture = taken(&services, wanted.as_ref())?;
        let path = kept(&folder, &name, &capture.png()?)?;
        let (width, height) = (capture.place.width, capture.place.height);
        Ok(Outcome::new(true, json!({"path": path.display().to_string(), "width": width, "height": height})))
    }))
}

/// `screen.read`.
pub fn read(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (services, wanted) = (Arc::clone(services), wanted(args, "window"));
    Ok(blocking(move || {
        let lines = lines(&services, wanted.as_ref())?;
        let detail = json!({
            "count": lines.len(),
            "text": text_of(&lines),
            "lines": lines.iter().map(shown).collect::<Vec<Value>>(),
        });
        Ok(Outcome::answer(detail))
    }))
}

/// Lines as one text.
fn text_of(lines: &[TextLine]) -> String {
    lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// `screen.find`.
pub fn find(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (services, text) = (Arc::clone(services), args.owned("text").unwrap_or_default());
    let wanted = wanted(args, "window");
    Ok(blocking(move || {
        let found = places_of(&lines(&services, wanted.as_ref())?, &text);
        let places: Vec<Value> = found.iter().map(shown).collect();
        Ok(Outcome::answer(json!({"text": text, "count": places.len(), "places": places})))
    }))
}

/// The middle of the first place of the screen where a text stands.
pub(super) fn place_of(services: &Services, text: &str) -> Result<(i32, i32), Failure> {
    let found = places_of(&lines(services, None)?, text);
    let first = found.first().ok_or_else(|| {
        Failure::new(error_code::NOT_FOUND, format!("“{text}” is nowhere on the screen"))
            .because(reason::NOT_ON_SCREEN)
            .with("text", json!(text))
    })?;
    // On the screen, whose sides are below 2^16.
    let middle = |from: u32, side: u32| i32::try_from(from + side / 2).unwrap_or_default();
    Ok((middle(first.x, first.width), middle(first.y, first.height)))
}

/// A picture of the screen, or of the window that is named as it is to be seen.
pub(super) fn taken(services: &Services, wanted: Option<&Wanted>) -> Result<Capture, Failure> {
    let Some(wanted) = wanted else { return Ok(picture()?) };
    let display = Display::open()?;
    let mut window = window(&display, services, Some(wanted))?;
    if !window.is_focused {
        // What lies over it would be in the picture.
        window = display.focus(&window)?;
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    Ok(display.capture(Some(window.place))?)
}

/// The lines of text, at places of the screen.
fn lines(services: &Services, wanted: Option<&Wanted>) -> Result<Vec<TextLine>, Failure> {
    let Capture { place, rgb } = taken(services, wanted)?;
    // Sides of a screen.
    let pixels = Pixels { width: place.width as usize, height: place.height as usize, rgb };
    let mut lines = services.text_reader.read(&pixels).map_err(unreadable)?;
    lines.truncate(MAX_LINES);
    for line in &mut lines {
        line.x = line.x.saturating_add_signed(place.x);
        line.y = line.y.saturating_add_signed(place.y);
    }
    Ok(lines)
}

fn unreadable(fault: Fault) -> Failure {
    let failure = match fault.kind {
        FaultKind::MissingPart => Failure::not_set_up(Part::Reader, fault.message),
        _ => Failure::new(error_code::FAILED, fault.message),
    };
    failure.fix(fault.fix)
}

fn shown(line: &TextLine) -> Value {
    let TextLine { text, x, y, width, height } = line;
    json!({"text": text, "x": x, "y": y, "width": width, "height": height})
}

/// Where a text stands in lines. Blanks, case and signs do not count: what is read off a screen has them wrong most often.
fn places_of(lines: &[TextLine], text: &str) -> Vec<TextLine> {
    let plain = |text: &str| -> Vec<char> {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let wanted = plain(text);
    if wanted.is_empty() {
        return Vec::new();
    }
    let one = |line: &TextLine| {
        let has = plain(&line.text);
        let at = has.windows(wanted.len()).position(|part| part == wanted)?;
        // Letters are about as wide as each other.
        let share = |letters: usize| {
            let part = u64::from(line.width) * letters as u64 / has.len().max(1) as u64;
            u32::try_from(part).unwrap_or(line.width)
        };
        Some(TextLine { x: line.x + share(at), width: share(wanted.len()).max(1), ..line.clone() })
    };
    lines.iter().filter_map(one).collect()
}

/// Writes a picture that only its owner may read, and removes the oldest ones.
fn kept(folder: &Path, name: &str, png: &[u8]) -> Result<PathBuf, Failure> {
    let failed = |error: std::io::Error| {
        let message = format!("{} cannot be written: {error}", folder.display());
        Failure::new(error_code::FAILED, message)
    };
    fs::create_dir_all(folder).map_err(failed)?;
    let path = folder.join(name);
    let mut file =
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).map_err(failed)?;
    file.write_all(png).map_err(failed)?;
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("screen-") && name.ends_with(".png")
    };
    let files = fs::read_dir(folder).map_err(failed)?.flatten().map(|file| file.path());
    let mut pictures: Vec<PathBuf> = files.filter(is_ours).collect();
    // Their names tell when they were taken.
    pictures.sort();
    for old in &pictures[..pictures.len().saturating_sub(KEPT)] {
        fs::remove_file(old).map_err(failed)?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_within_a_line() {
        let line = |text: &str, y: u32| TextLine { text: text.into(), x: 100, y, width: 100, height: 20 };
        let lines = [line("Save as… Cancel", 0), line("nothing", 50), line("CANCEL", 80)];
        let found = places_of(&lines, "cancel");
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].x, found[0].width), (150, 50), "six of twelve letters, behind six");
        assert_eq!((found[1].x, found[1].width, found[1].y), (100, 100, 80));
        assert_eq!(places_of(&lines, "saveas").len(), 1);
        assert!(places_of(&lines, "…").is_empty() && places_of(&lines, "open").is_empty());
    }

    #[test]
    fn only_so_many_pictures_are_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let within = folder.path().join("captures");
        for at in 0..KEPT + 3 {
            kept(&within, &format!("screen-{at:04}.png"), b"png").unwrap();
        }
        fs::write(within.join("other.png"), b"mine").unwrap();
        let path = kept(&within, "screen-9999.png", b"png").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let names: Vec<PathBuf> = fs::read_dir(&within).unwrap().flatten().map(|file| file.path()).collect();
        assert_eq!(names.len(), KEPT + 1);
        assert!(names.contains(&path) && names.contains(&within.join("other.png")));
        assert!(!names.contains(&within.join("screen-0003.png")));
        assert!(kept(&within, "screen-9999.png", b"png").is_err(), "none is overwritten");
    }
}

//! What is to be seen on the screen, by screencapture(1). Its pictures have the pixels of the display, several for a point where
//! it is a Retina one; sips(1) makes them one for a point, in which windows and clicks count.

use super::{CommandLine, Mac, MacError, Privacy};
use crate::screen::{Capture, MAX_SIDE, Rect, ScreenError};
use std::fmt::Display;
use std::fs;
use std::path::Path;

/// Without a sound; the file's format by its ending is the usual one, PNG.
fn capture_command(Rect { x, y, width, height }: Rect, path: &str) -> CommandLine {
    let place = format!("{x},{y},{width},{height}");
    CommandLine::new("screencapture", ["-x", "-t", "png", "-R", &place, path])
}

fn resample_command(Rect { width, height, .. }: Rect, path: &str) -> CommandLine {
    CommandLine::new("sips", ["-z", &height.to_string(), &width.to_string(), path])
}

/// Red, green and blue of each pixel of a PNG file, which has to be of a size.
fn pixels(path: &Path, place: Rect) -> Result<Vec<u8>, MacError> {
    let failed =
        |error: &dyn Display| MacError::Failed(format!("the picture of the screen cannot be read: {error}"));
    let file = fs::read(path).map_err(|error| failed(&error))?;
    let picture = Capture::of_png(file).map_err(|why| failed(&why))?;
    if (picture.place.width, picture.place.height) != (place.width, place.height) {
        return Err(failed(&format!("it has {} by {} pixels", picture.place.width, picture.place.height)));
    }
    Ok(picture.rgb)
}

impl Mac {
    /// A picture of the main screen, or of the part of it at `place`.
    pub(crate) fn capture(&self, place: Option<Rect>) -> Result<Capture, ScreenError> {
        // Without the right screencapture may answer the empty desktop, as if no window were there.
        if !self.rights()?.screen {
            return Err(MacError::NotGranted(Privacy::ScreenRecording).into());
        }
        let monitors = self.monitors()?;
        let visible = |place: Rect| monitors.iter().find_map(|monitor| place.common(*monitor));
        let place = place.map_or(monitors.first().copied(), visible);
        let place = place.filter(|place| place.width.max(place.height) <= MAX_SIDE);
        let place = place.ok_or_else(|| ScreenError::NotDone("nothing of it is on the screen".into()))?;
        let failed = |error: std::io::Error| ScreenError::Failed(error.to_string());
        // Only its owner reads it, and it is gone with this call.
        let folder = tempfile::tempdir().map_err(failed)?;
        let path = folder.path().join("screen.png");
        let name = path.to_str().ok_or_else(|| ScreenError::Failed("the folder has no name".into()))?;
        self.runner.waited(capture_command(place, name))?;
        self.runner.waited(resample_command(place, name))?;
        Ok(Capture { place, rgb: pixels(&path, place)? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;

    const PLACE: Rect = Rect { x: 1, y: 2, width: 2, height: 3 };

    #[test]
    fn command_lines() {
        assert_eq!(
            shown(&capture_command(Rect { x: -10, y: 25, width: 800, height: 600 }, "/tmp/a.png")),
            "screencapture -x -t png -R -10,25,800,600 /tmp/a.png"
        );
        assert_eq!(
            shown(&resample_command(Rect { x: 0, y: 0, width: 800, height: 600 }, "/tmp/a.png")),
            "sips -z 600 800 /tmp/a.png"
        );
    }

    #[test]
    fn a_picture_is_read_in_the_size_of_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let rgb: Vec<u8> = (0..18).collect();
        let capture = Capture { place: PLACE, rgb: rgb.clone() };
        fs::write(&path, capture.png().unwrap()).unwrap();
        assert_eq!(pixels(&path, PLACE).unwrap(), rgb);
        assert!(matches!(pixels(&path, Rect { width: 4, ..PLACE }), Err(MacError::Failed(_))));
        fs::write(&path, "text").unwrap();
        assert!(matches!(pixels(&path, PLACE), Err(MacError::Failed(_))));
    }

    fn machine(screen: bool) -> Played {
        let played = Played::new();
        let (rights, screens) = (
            format!(r#"{{"accessibility":true,"screen":{screen}}}"#),
            r#"{"trusted":true,"screens":[{"whole":{"x":1,"y":2,"width":2,"height":3},"free":{"x":1,"y":2,"width":2,"height":3}}]}"#,
        );
        played.program(
            "osascript",
            &format!("if [ \"$5\" = look ]; then echo '{rights}'; else echo '{screens}'; fi"),
        );
        let picture = Capture { place: PLACE, rgb: (0..18).collect() }.png().unwrap();
        fs::write(played.folder().join("picture"), picture).unwrap();
        played.program("screencapture", "for word; do last=$word; done; cp \"${0%/*}/picture\" \"$last\"");
        played.answers("sips", "");
        played
    }

    #[test]
    fn the_main_screen_is_taken_and_scaled_to_points() {
        let played = machine(true);
        let capture = played.mac().capture(None).unwrap();
        assert_eq!((capture.place, capture.rgb.len()), (PLACE, 18));
        let calls = played.calls();
        let (taken, scaled) = (&calls[calls.len() - 2], &calls[calls.len() - 1]);
        assert!(taken.starts_with("screencapture|-x|-t|png|-R|1,2,2,3|"), "{taken}");
        assert!(scaled.starts_with("sips|-z|3|2|"), "{scaled}");
    }

    #[test]
    fn without_the_right_no_picture_is_taken() {
        let played = machine(false);
        let refused = played.mac().capture(None);
        assert_eq!(refused, Err(MacError::NotGranted(Privacy::ScreenRecording).into()));
        assert_eq!(played.calls().len(), 1);
    }
}

//! Pictures as the networks take them: of other sizes, blue first, from −1 to 1.

use crate::boxes::Place;
use hark_core::ports::screen::Pixels;

/// The shorter side is at least this long for the detector.
const SHORT_SIDE: usize = 736;
/// The longer side is at most this long, so that a large screen does not take minutes.
const LONG_SIDE: usize = 2048;
/// Both sides are multiples of this.
const STEP: usize = 32;
/// Height of a line for the recogniser.
pub(crate) const LINE_HEIGHT: usize = 48;
/// A line is at least this wide for it; what is missing is filled up.
const LINE_WIDTH: usize = 320;
/// And at most this wide.
const LONGEST_LINE: usize = 4096;

/// Size that a picture gets for the detector.
pub(crate) fn size_for_detector(width: usize, height: usize) -> (usize, usize) {
    let (short, long) = (width.min(height).max(1), width.max(height).max(1));
    let larger = (SHORT_SIDE as f32 / short as f32).max(1.0);
    let scale = larger.min(LONG_SIDE as f32 / long as f32);
    // Sides of pictures are far below 2^24.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let side = |side: usize| (((side as f32 * scale / STEP as f32).round() as usize).max(1)) * STEP;
    (side(width), side(height))
}

/// The whole picture in another size.
pub(crate) fn whole(picture: &Pixels, width: usize, height: usize) -> Vec<f32> {
    let all = Place { left: 0.0, top: 0.0, right: picture.width as f32, bottom: picture.height as f32 };
    let mut planes = vec![0.0; 3 * width * height];
    put(picture, all, (width, height), width, &mut planes);
    planes
}

/// One line in the height of the recogniser, and how wide it is then.
pub(crate) fn line(picture: &Pixels, place: Place) -> (Vec<f32>, usize) {
    let ratio = (place.right - place.left) / (place.bottom - place.top).max(1.0);
    // A line is not wider than the picture, whose sides are far below 2^24.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let own = ((LINE_HEIGHT as f32 * ratio).ceil() as usize).clamp(1, LONGEST_LINE);
    let width = own.max(LINE_WIDTH);
    // Zero is grey, which is what the network was trained to see behind the end.
    let mut planes = vec![0.0; 3 * LINE_HEIGHT * width];
    put(picture, place, (own, LINE_HEIGHT), width, &mut planes);
    (planes, width)
}

/// Puts a part of a picture into three planes whose rows are `row` long, as `width` by `height`, by bilinear interpolation.
fn put(picture: &Pixels, place: Place, (width, height): (usize, usize), row: usize, planes: &mut [f32]) {
    let across = axis((place.left, place.right), width, picture.width);
    let down = axis((place.top, place.bottom), height, picture.height);
    let plane = planes.len() / 3;
    for (y, (above, below, low)) in down.into_iter().enumerate() {
        for (x, (before, behind, right)) in across.iter().copied().enumerate() {
            for colour in 0..3 {
                let at = |x: usize, y: usize| f32::from(picture.rgb[(y * picture.width + x) * 3 + colour]);
                let top = at(before, above) * (1.0 - right) + at(behind, above) * right;
                let bottom = at(before, below) * (1.0 - right) + at(behind, below) * right;
                let value = top * (1.0 - low) + bottom * low;
                // Blue is first.
                planes[(2 - colour) * plane + y * row + x] = value / 127.5 - 1.0;
            }
        }
    }
}

/// For each of `count` pixels between `from` and `to` the two pixels it lies between, and how near it is to the second.
fn axis((from, to): (f32, f32), count: usize, side: usize) -> Vec<(usize, usize, f32)> {
    let step = (to - from) / count as f32;
    let last = side.saturating_sub(1);
    let one = |index: usize| {
        let at = (from + (index as f32 + 0.5) * step - 0.5).clamp(0.0, last as f32);
        // Not below 0, and not above the side.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let before = (at.floor() as usize).min(last);
        (before, (before + 1).min(last), at - before as f32)
    };
    (0..count).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_multiples_and_bounded() {
        assert_eq!(size_for_detector(1920, 1080), (1920, 1088));
        assert_eq!(size_for_detector(640, 480), (992, 736));
        assert_eq!(size_for_detector(7680, 4320), (2048, 1152));
        assert_eq!(size_for_detector(1, 1), (736, 736));
        assert_eq!(size_for_detector(10_000, 10), (2048, 32));
    }

    #[test]
    fn a_picture_keeps_its_colours_in_other_sizes() {
        // Left red, right blue.
        let rgb = [[255, 0, 0], [0, 0, 255]].concat();
        let picture = Pixels { width: 2, height: 1, rgb };
        let planes = whole(&picture, 4, 1);
        assert_eq!(planes.len(), 12);
        let (blue, red) = (&planes[..4], &planes[8..]);
        assert_eq!((red[0], blue[0]), (1.0, -1.0));
        assert_eq!((red[3], blue[3]), (-1.0, 1.0));
        assert!(red[1] > red[2] && blue[1] < blue[2], "between them it is mixed");
    }

    #[test]
    fn a_short_line_is_filled_up_and_a_long_one_is_not() {
        let picture = Pixels { width: 100, height: 20, rgb: vec![255; 100 * 20 * 3] };
        let (short, width) = line(&picture, Place { left: 0.0, top: 0.0, right: 20.0, bottom: 20.0 });
        assert_eq!((width, short.len()), (320, 3 * 48 * 320));
        assert_eq!((short[0], short[47], short[48]), (1.0, 1.0, 0.0));
        let (_, width) = line(&picture, Place { left: 0.0, top: 0.0, right: 100.0, bottom: 10.0 });
        assert_eq!(width, 480);
    }
}

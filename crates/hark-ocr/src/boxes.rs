//! From marked pixels to lines of text: pixels that touch are one piece of text, a box lies around each, a little larger than
//! what is marked (differentiable binarization marks the inside of letters only), and pieces side by side are a line.

use hark_core::ports::screen::TextLine;

/// A pixel is marked above this.
const MARKED: f32 = 0.3;
/// What is in a box is marked so well on average, or it is none.
const GOOD: f32 = 0.5;
/// How far a box is put out, in areas by lengths of its edge.
const OUT: f32 = 1.6;
/// Smallest side of what is marked, pixels.
const SMALLEST: usize = 3;
/// Most pieces of a picture.
const MAX: usize = 1000;

/// A box in a picture, pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Place {
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) right: f32,
    pub(crate) bottom: f32,
}

impl Place {
    fn height(self) -> f32 {
        self.bottom - self.top
    }

    /// Whether they stand side by side: each has its middle within the height of the other.
    fn is_beside(self, other: Self) -> bool {
        let middle = |place: Self| f32::midpoint(place.top, place.bottom);
        let within = |middle: f32, place: Self| place.top < middle && middle < place.bottom;
        within(middle(self), other) && within(middle(other), self)
    }
}

/// Boxes around what is marked in `marks`, of the size `of`, as places in a picture of the size `in_picture`.
pub(crate) fn find(marks: &[f32], of: (usize, usize), in_picture: (usize, usize)) -> Vec<Place> {
    let (width, height) = of;
    if marks.len() != width * height {
        return Vec::new();
    }
    let mut rest = spread(marks, width);
    let mut found = Vec::new();
    for start in 0..rest.len() {
        if rest[start] && found.len() < MAX {
            let piece = taken_out(&mut rest, start, width);
            found.extend(placed(piece, marks, of, in_picture));
        }
    }
    found
}

/// What is marked, one pixel further to the right and down, so that letters that nearly touch do.
fn spread(marks: &[f32], width: usize) -> Vec<bool> {
    let mut spread = vec![false; marks.len()];
    for (at, _) in marks.iter().enumerate().filter(|(_, mark)| **mark > MARKED) {
        let has_right = at % width + 1 < width;
        for to in
            [Some(at), has_right.then_some(at + 1), Some(at + width), has_right.then_some(at + width + 1)]
        {
            if let Some(pixel) = to.and_then(|to| spread.get_mut(to)) {
                *pixel = true;
            }
        }
    }
    spread
}

/// First and last column and row of the pixels that touch the one at `start`, which are taken out of `rest`.
fn taken_out(rest: &mut [bool], start: usize, width: usize) -> [usize; 4] {
    let (mut left, mut right, mut top, mut bottom) =
        (start % width, start % width, start / width, start / width);
    let mut open = vec![start];
    rest[start] = false;
    while let Some(at) = open.pop() {
        let (x, y) = (at % width, at / width);
        (left, right) = (left.min(x), right.max(x));
        (top, bottom) = (top.min(y), bottom.max(y));
        for row in y.saturating_sub(1)..=y + 1 {
            for column in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                let beside = row * width + column;
                if rest.get(beside) == Some(&true) {
                    rest[beside] = false;
                    open.push(beside);
                }
            }
        }
    }
    [left, right, top, bottom]
}

/// The box of a piece, put out; `None` where it is too small or marked too badly.
fn placed(
    [left, right, top, bottom]: [usize; 4],
    marks: &[f32],
    (width, height): (usize, usize),
    (to_width, to_height): (usize, usize),
) -> Option<Place> {
    let (wide, high) = (right - left, bottom - top);
    if wide.min(high) < SMALLEST {
        return None;
    }
    let rows = (top..=bottom).flat_map(|row| &marks[row * width + left..=row * width + right]);
    let mean = rows.sum::<f32>() / ((wide + 1) * (high + 1)) as f32;
    if mean < GOOD {
        return None;
    }
    let out = OUT * (wide * high) as f32 / (2 * (wide + high)) as f32;
    let (across, down) = (to_width as f32 / width as f32, to_height as f32 / height as f32);
    let column = |at: f32| (at * across).round().clamp(0.0, to_width as f32);
    let row = |at: f32| (at * down).round().clamp(0.0, to_height as f32);
    let place = Place {
        left: column(left as f32 - out),
        top: row(top as f32 - out),
        right: column(right as f32 + out),
        bottom: row(bottom as f32 + out),
    };
    (place.right - place.left > 3.0 && place.height() > 3.0).then_some(place)
}

/// Pieces as lines, from above and from the left; those side by side with less than two heights between them are one.
pub(crate) fn lines(mut pieces: Vec<(Place, String)>) -> Vec<TextLine> {
    pieces.sort_by(|(a, _), (b, _)| a.top.total_cmp(&b.top));
    let mut rows: Vec<Vec<(Place, String)>> = Vec::new();
    for piece in pieces {
        match rows.iter_mut().find(|row| row.iter().any(|(place, _)| place.is_beside(piece.0))) {
            Some(row) => row.push(piece),
            None => rows.push(vec![piece]),
        }
    }
    let mut lines: Vec<(Place, String)> = Vec::new();
    for mut row in rows {
        row.sort_by(|(a, _), (b, _)| a.left.total_cmp(&b.left));
        let from = lines.len();
        for (place, text) in row {
            match lines[from..].last_mut() {
                Some((line, words)) if place.left - line.right < 2.0 * line.height() => {
                    words.push(' ');
                    words.push_str(&text);
                    line.right = line.right.max(place.right);
                    line.top = line.top.min(place.top);
                    line.bottom = line.bottom.max(place.bottom);
                }
                _ => lines.push((place, text)),
            }
        }
    }
    // Places are within the picture, whose sides are far below 2^24.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let told = |(place, text): (Place, String)| TextLine {
        text,
        x: place.left as u32,
        y: place.top as u32,
        width: (place.right - place.left) as u32,
        height: place.height() as u32,
    };
    lines.into_iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Marks `1.0` in each of these boxes (x, y, width, height).
    fn marked(width: usize, height: usize, boxes: &[(usize, usize, usize, usize)]) -> Vec<f32> {
        let mut marks = vec![0.0; width * height];
        for (x, y, wide, high) in boxes {
            for row in *y..y + high {
                marks[row * width + x..row * width + x + wide].fill(1.0);
            }
        }
        marks
    }

    #[test]
    fn what_touches_is_one_box_that_is_put_out_and_scaled() {
        let marks = marked(100, 50, &[(10, 10, 40, 8), (50, 10, 10, 8), (80, 30, 2, 2)]);
        let found = find(&marks, (100, 50), (200, 100));
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert!(one.left < 20.0 && one.right > 120.0 && one.top < 20.0 && one.bottom > 36.0, "{one:?}");
        assert!(find(&marked(100, 50, &[]), (100, 50), (200, 100)).is_empty());
    }

    #[test]
    fn what_is_marked_badly_is_no_text() {
        let mut marks = marked(100, 50, &[(10, 10, 40, 8)]);
        marks.iter_mut().for_each(|mark| *mark *= 0.4);
        assert!(find(&marks, (100, 50), (100, 50)).is_empty());
    }

    #[test]
    fn pieces_side_by_side_are_a_line() {
        let piece = |left: f32, top: f32, text: &str| {
            (Place { left, top, right: left + 50.0, bottom: top + 10.0 }, text.to_owned())
        };
        let pieces = vec![
            piece(60.0, 21.0, "world"),
            piece(0.0, 50.0, "below"),
            piece(0.0, 20.0, "hello"),
            piece(300.0, 20.0, "far"),
        ];
        let lines = lines(pieces);
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["hello world", "far", "below"]);
        assert_eq!((lines[0].x, lines[0].y, lines[0].width, lines[0].height), (0, 20, 110, 11));
    }

    proptest! {
        #[test]
        fn boxes_stay_within_the_picture(marks in prop::collection::vec(0.0f32..1.0, 30 * 20), scale in 1usize..5) {
            let (width, height) = (30 * scale, 20 * scale);
            for place in find(&marks, (30, 20), (width, height)) {
                prop_assert!(place.left >= 0.0 && place.right <= width as f32 && place.left < place.right);
                prop_assert!(place.top >= 0.0 && place.bottom <= height as f32 && place.top < place.bottom);
            }
        }
    }
}

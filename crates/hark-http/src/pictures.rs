//! Pictures of a request: their number and size are bounded, and their type is decided by their first bytes.

use super::api_error::ApiError;
use super::wire::Image;
use hark_core::model::Picture;

/// Kinds a sender may name.
const KINDS: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
/// Most pictures of a request.
const MAX_PICTURES: usize = 4;

/// The pictures of a request, at most `most_bytes` of base64 together.
pub(super) fn pictures(images: Vec<Image>, most_bytes: usize) -> Result<Vec<Picture>, ApiError> {
    let fix = || format!("send at most {MAX_PICTURES} of {} in base64", KINDS.join(", "));
    if images.len() > MAX_PICTURES {
        return Err(ApiError::unprocessable("too many `images`", fix()));
    }
    let length = images.iter().map(|image| image.base64.len()).sum::<usize>();
    let pictures: Option<Vec<Picture>> = images.into_iter().map(picture).collect();
    let pictures = pictures.ok_or_else(|| ApiError::unprocessable("one of `images` is no picture", fix()))?;
    if length > most_bytes {
        let message = format!("`images` are longer than {most_bytes} bytes together");
        let fix = "send fewer or smaller pictures, or raise dashboard.max_image_kib";
        return Err(ApiError::too_large(message, fix));
    }
    Ok(pictures)
}

/// A picture under the name of what it is.
fn picture(image: Image) -> Option<Picture> {
    let body = image.base64.trim_end_matches('=');
    let in_alphabet = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let whole = image.base64.len() - body.len() <= 2 && body.bytes().all(in_alphabet);
    let named = KINDS.contains(&image.media_type.as_str());
    let kind = kind(body).filter(|_| whole && named)?;
    Some(Picture { media_type: kind.to_owned(), base64: image.base64 })
}

/// What base64 is a picture of, by the signatures of PNG (RFC 2083), JPEG (JFIF, ITU T.871), GIF (89a specification) and
/// WebP (RFC 9649).
fn kind(base64: &str) -> Option<&'static str> {
    let first = first_bytes(base64);
    match first.as_slice() {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// The first twelve bytes, or as many as there are.
fn first_bytes(base64: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => u32::from(letter - b'A'),
        b'a'..=b'z' => u32::from(letter - b'a') + 26,
        b'0'..=b'9' => u32::from(letter - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let fours = base64.as_bytes()[..base64.len().min(16)].chunks(4);
    let three = |four: &[u8]| {
        let bits = four.iter().fold(0, |bits, letter| bits << 6 | value(*letter)) << (6 * (4 - four.len()));
        let [_, bytes @ ..] = bits.to_be_bytes();
        bytes.into_iter().take(four.len() * 6 / 8).collect::<Vec<u8>>()
    };
    fours.flat_map(three).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(kind: &str, base64: &str) -> Image {
        Image { media_type: kind.into(), base64: base64.into() }
    }

    #[test]
    fn pictures_are_few_and_of_known_kinds() {
        let taken = |images| pictures(images, 64);
        assert_eq!(taken(vec![image("image/png", "iVBORw0KGgo=")]).unwrap().len(), 1);
        let most = format!("/9j/{}", "a".repeat(28));
        assert_eq!(taken(vec![image("image/jpeg", &most); 2]).unwrap().len(), 2);
        let longer = taken(vec![image("image/jpeg", &most), image("image/jpeg", &format!("{most}aaaa"))]);
        assert_eq!(longer.unwrap_err().status.as_u16(), 413, "together");
        for wrong in [
            image("text/html", "iVBORw0KGgo="),
            image("image/png", "no base64!"),
            image("image/png", "iVBORw0KGgo=!"),
            image("image/png", ""),
            image("image/png", "iVBORw=="),
            image("image/png", "PHNjcmlwdD4="),
            image("image/svg+xml", "PHN2Zz48L3N2Zz4="),
        ] {
            assert_eq!(taken(vec![wrong.clone()]).unwrap_err().status.as_u16(), 422, "{wrong:?}");
        }
        assert_eq!(taken(vec![image("image/png", "iVBORw0KGgo="); 5]).unwrap_err().status.as_u16(), 422);
    }

    #[test]
    fn a_picture_is_what_its_first_bytes_say() {
        for (base64, kind) in [
            ("iVBORw0KGgoAAAANSUhEUg==", "image/png"),
            ("/9j/4AAQSkZJRgABAQ==", "image/jpeg"),
            ("R0lGODlhAQABAIAAAAUEBA==", "image/gif"),
            ("R0lGODdhAQABAIAAAAUEBA==", "image/gif"),
            ("UklGRiQAAABXRUJQVlA4IA==", "image/webp"),
        ] {
            let taken = pictures(vec![image("image/png", base64)], 64).unwrap();
            assert_eq!(taken[0].media_type, kind, "whatever it was called");
            assert_eq!(taken[0].base64, base64);
        }
        for other in ["UklGRiQAAABXQVZFZm10IA==", "JVBERi0xLjQKJcfs", "R0lGODhh", "AAAA"] {
            assert!(pictures(vec![image("image/png", other)], 64).is_err(), "{other}");
        }
    }
}

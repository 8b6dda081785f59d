//! What is to be seen on the screen, as a picture.

use super::windows::Rect;
use super::{ScreenError, X11, is_wayland};
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::io::{Cursor, Write};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, ImageFormat, ImageOrder};
use zune_png::PngDecoder;
use zune_png::zune_core::result::DecodingResult;

/// The beginning of every PNG file.
const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// Eight bits a colour, of red, green and blue; packed as ever, filtered as ever, not interlaced.
const RGB_OF_8_BITS: [u8; 5] = [8, 2, 0, 0, 0];
/// A row of it is as it is.
const UNFILTERED: u8 = 0;
/// Longest side of a picture, pixels.
pub const MAX_SIDE: u32 = 16_384;

/// A picture of the screen or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// Where it is on the screen.
    pub place: Rect,
    /// Red, green and blue of each pixel, row by row from above.
    pub rgb: Vec<u8>,
}

impl X11 {
    /// Takes a picture of the screen, or of the part of it at `place`; what lies outside of the screen is left out.
    ///
    /// # Errors
    /// Under Wayland, where nothing is at `place`, or where the screen has colours that are not read here.
    pub fn capture(&self, place: Option<Rect>) -> Result<Capture, ScreenError> {
        if is_wayland() {
            return Err(ScreenError::Hidden);
        }
        let whole = self.whole();
        let place = place.map_or(Some(whole), |place| place.common(whole));
        let outside = || ScreenError::NotDone("nothing of it is on the screen".into());
        let place = place.filter(|place| place.width.max(place.height) <= MAX_SIDE).ok_or_else(outside)?;
        let number = |side: i64| i16::try_from(side).map_err(|_| outside());
        let (x, y) = (number(place.x.into())?, number(place.y.into())?);
        // At most `MAX_SIDE`.
        let size = |side: u32| u16::try_from(side).map_err(|_| outside());
        let (width, height) = (size(place.width)?, size(place.height)?);
        let image =
            self.conn.get_image(ImageFormat::Z_PIXMAP, self.root, x, y, width, height, u32::MAX)?.reply()?;
        let setup = self.conn.setup();
        let bits = setup.pixmap_formats.iter().find(|format| format.depth == image.depth);
        let visuals = setup.roots[self.screen].allowed_depths.iter().flat_map(|depth| &depth.visuals);
        let visual = visuals.into_iter().find(|visual| visual.visual_id == image.visual);
        let is_read = bits.is_some_and(|format| format.bits_per_pixel == 32)
            && visual.is_some_and(|visual| {
                (visual.red_mask, visual.green_mask, visual.blue_mask) == (0x00ff_0000, 0xff00, 0xff)
            });
        if !is_read {
            return Err(ScreenError::Failed(format!(
                "a screen of {} bits of colour is not read",
                image.depth
            )));
        }
        let is_little = setup.image_byte_order == ImageOrder::LSB_FIRST;
        let pixel = |bytes: &[u8]| {
            if is_little { [bytes[2], bytes[1], bytes[0]] } else { [bytes[1], bytes[2], bytes[3]] }
        };
        let rgb: Vec<u8> = image.data.chunks_exact(4).flat_map(pixel).collect();
        if rgb.len() != usize::from(width) * usize::from(height) * 3 {
            return Err(ScreenError::Failed("a picture of another size came".into()));
        }
        Ok(Capture { place, rgb })
    }
}

impl Capture {
    /// A PNG file as a picture whose upper left corner is that of the screen.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn of_png(file: Vec<u8>) -> Result<Self, String> {
        let mut decoder = PngDecoder::new(Cursor::new(file));
        let samples = match decoder.decode().map_err(|error| format!("{error:?}"))? {
            DecodingResult::U8(samples) => samples,
            // Of 16 bits the upper eight, which are what can be seen.
            DecodingResult::U16(samples) => samples.iter().map(|sample| sample.to_be_bytes()[0]).collect(),
            _ => return Err("its colours have an unknown form".into()),
        };
        let (width, height) = decoder.dimensions().unwrap_or_default();
        let rgb = match samples.len() / (width * height).max(1) {
            3 => samples,
            4 => samples.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
            each => return Err(format!("it has {each} values for a pixel")),
        };
        match [width, height].map(u32::try_from) {
            [Ok(width), Ok(height)] if width.max(height) <= MAX_SIDE => {
                Ok(Self { place: Rect { x: 0, y: 0, width, height }, rgb })
            }
            _ => Err(format!("it has {width} by {height} pixels")),
        }
    }

    /// The picture as a PNG file (ISO 15948): 8 bits a colour, rows without a filter.
    ///
    /// # Errors
    /// When it cannot be made, which only a lack of memory could cause.
    pub fn png(&self) -> Result<Vec<u8>, ScreenError> {
        let Rect { width, height, .. } = self.place;
        let row = width as usize * 3;
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
        let failed = |error: std::io::Error| ScreenError::Failed(error.to_string());
        for row in self.rgb.chunks_exact(row.max(1)) {
            packed.write_all(&[UNFILTERED]).and_then(|()| packed.write_all(row)).map_err(failed)?;
        }
        let packed = packed.finish().map_err(failed)?;
        let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
        let mut file = SIGNATURE.to_vec();
        chunk(&mut file, b"IHDR", &[&size[..], &RGB_OF_8_BITS].concat());
        // A chunk may have 2^31 bytes; one of a screen has less than a thousandth of that.
        chunk(&mut file, b"IDAT", &packed);
        chunk(&mut file, b"IEND", &[]);
        Ok(file)
    }
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    let mut sum = Crc::new();
    sum.update(kind);
    sum.update(data);
    // The length is below 2^31, as above.
    #[allow(clippy::cast_possible_truncation)]
    file.extend((data.len() as u32).to_be_bytes());
    file.extend_from_slice(kind);
    file.extend_from_slice(data);
    file.extend(sum.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_picture_becomes_a_png_with_all_its_pixels() {
        let rgb: Vec<u8> = (0..2 * 3 * 3).collect();
        let place = Rect { x: 0, y: 0, width: 2, height: 3 };
        let file = Capture { place, rgb: rgb.clone() }.png().unwrap();
        assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(&file[8..29], b"\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x03\x08\x02\0\0\0");
        // As every PNG ends: an empty chunk with its sum.
        assert!(file.ends_with(b"\0\0\0\0IEND\xae\x42\x60\x82"));
        let at = file.windows(4).position(|part| part == b"IDAT").unwrap();
        let length = u32::from_be_bytes(file[at - 4..at].try_into().unwrap()) as usize;
        let mut rows = Vec::new();
        flate2::read::ZlibDecoder::new(&file[at + 4..at + 4 + length]).read_to_end(&mut rows).unwrap();
        let pixels: Vec<u8> = rows.chunks(7).flat_map(|row| row[1..].to_vec()).collect();
        assert_eq!((rows.len(), pixels), (21, rgb));
    }
}

//! What is to be seen on the screen, as a picture.

use super::windows::Rect;
use super::{Display, ScreenError, is_wayland};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, ImageFormat, ImageOrder};

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

impl Display {
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
    /// The picture as a PNG file.
    ///
    /// # Errors
    /// When it cannot be made, which only a lack of memory could cause.
    pub fn png(&self) -> Result<Vec<u8>, ScreenError> {
        let failed = |error: png::EncodingError| ScreenError::Failed(error.to_string());
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.place.width, self.place.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&self.rgb).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_becomes_a_png_and_stays_the_same() {
        let rgb: Vec<u8> = (0..2 * 3 * 3).collect();
        let place = Rect { x: 0, y: 0, width: 2, height: 3 };
        let bytes = Capture { place, rgb: rgb.clone() }.png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut read = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut read).unwrap();
        assert_eq!((info.width, info.height, read), (2, 3, rgb));
    }
}

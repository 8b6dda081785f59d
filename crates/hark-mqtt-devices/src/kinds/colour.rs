//! Colours in the forms lights take them: red, green and blue; hue and saturation; the chromaticity x and y
//! of the CIE; colour temperatures in kelvin and mired.

/// D65-based conversion of wide-gamut lamps (Philips' "Color conversion formulas RGB to XY"), the one Home
/// Assistant uses too, so that what it sets and what Hark sets look the same.
const TO_XYZ: [[f64; 3]; 3] =
    [[0.664_511, 0.154_324, 0.162_028], [0.283_881, 0.668_433, 0.047_685], [0.000_088, 0.072_310, 0.986_039]];

/// Its inverse.
const FROM_XYZ: [[f64; 3]; 3] = [
    [1.656_492, -0.354_851, -0.255_038],
    [-0.707_196, 1.655_397, 0.036_152],
    [0.051_713, -0.121_364, 1.011_530],
];

/// The nearest of 0–255.
pub fn byte(level: f64) -> u8 {
    // Cannot cut or change the sign: it is between 0 and 255.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let byte = level.round().clamp(0.0, 255.0) as u8;
    byte
}

/// Hue 0–360 and saturation 0–100.
pub fn rgb_to_hs(rgb: [u8; 3]) -> (f64, f64) {
    let [r, g, b] = rgb.map(|part| f64::from(part) / 255.0);
    let most = r.max(g).max(b);
    let span = most - r.min(g).min(b);
    if span == 0.0 {
        return (0.0, 0.0);
    }
    let sixth = if most == r {
        ((g - b) / span).rem_euclid(6.0)
    } else if most == g {
        (b - r) / span + 2.0
    } else {
        (r - g) / span + 4.0
    };
    (round(sixth * 60.0, 3), round(span / most * 100.0, 3))
}

/// The brightest colour of this hue and saturation.
pub fn hs_to_rgb(hue: f64, saturation: f64) -> [u8; 3] {
    let saturation = saturation.clamp(0.0, 100.0) / 100.0;
    let part = |shift: f64| {
        let k = (shift + hue / 60.0).rem_euclid(6.0);
        byte((1.0 - saturation * k.min(4.0 - k).clamp(0.0, 1.0)) * 255.0)
    };
    [part(5.0), part(3.0), part(1.0)]
}

/// Chromaticity; black has that of white.
pub fn rgb_to_xy(rgb: [u8; 3]) -> (f64, f64) {
    let linear = rgb.map(|part| {
        let part = f64::from(part) / 255.0;
        if part > 0.04045 { ((part + 0.055) / 1.055).powf(2.4) } else { part / 12.92 }
    });
    let [x, y, z] = times(&TO_XYZ, linear);
    let sum = x + y + z;
    if sum == 0.0 { (0.323, 0.329) } else { (round(x / sum, 4), round(y / sum, 4)) }
}

/// The brightest colour of this chromaticity.
pub fn xy_to_rgb(x: f64, y: f64) -> [u8; 3] {
    let (x, y) = (x.clamp(0.0, 1.0), y.clamp(1e-6, 1.0));
    let linear = times(&FROM_XYZ, [x / y, 1.0, (1.0 - x - y) / y]).map(|part| part.max(0.0));
    let most = linear.iter().copied().fold(0.0, f64::max);
    if most == 0.0 {
        return [255; 3];
    }
    let shown = linear.map(|part| {
        let part = part / most;
        if part <= 0.003_130_8 { 12.92 * part } else { 1.055 * part.powf(1.0 / 2.4) - 0.055 }
    });
    shown.map(|part| byte(part * 255.0))
}

fn times(matrix: &[[f64; 3]; 3], [a, b, c]: [f64; 3]) -> [f64; 3] {
    [matrix[0], matrix[1], matrix[2]].map(|row| row[0] * a + row[1] * b + row[2] * c)
}

fn round(number: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (number * scale).round() / scale
}

/// Kelvin of mired and the other way round.
pub fn mired(other: f64) -> f64 {
    (1e6 / other.max(1.0)).round()
}

/// The same hue and saturation, as far as devices round them.
pub fn alike(one: [u8; 3], other: [u8; 3]) -> bool {
    let ((hue, saturation), (other_hue, other_saturation)) = (rgb_to_hs(one), rgb_to_hs(other));
    let apart = (hue - other_hue).rem_euclid(360.0);
    let hue_is_near = apart.min(360.0 - apart) <= 4.0 || saturation.min(other_saturation) < 4.0;
    hue_is_near && (saturation - other_saturation).abs() <= 4.0
}

/// A colour with its brightest part at 255, and how bright it was; `None` for black.
pub fn full(rgb: [u8; 3]) -> Option<([u8; 3], u8)> {
    let most = rgb.into_iter().max().filter(|most| *most > 0)?;
    Some((rgb.map(|part| byte(f64::from(part) * 255.0 / f64::from(most))), most))
}

/// A colour at this brightness, 255 being as it is.
pub fn dimmed(rgb: [u8; 3], level: u8) -> [u8; 3] {
    rgb.map(|part| byte((f64::from(part) * f64::from(level) / 255.0).floor()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_colours_have_their_known_forms() {
        for (rgb, hs) in [
            ([255, 0, 0], (0.0, 100.0)),
            ([0, 255, 0], (120.0, 100.0)),
            ([0, 0, 255], (240.0, 100.0)),
            ([255, 255, 255], (0.0, 0.0)),
            ([255, 128, 0], (30.118, 100.0)),
            ([255, 0, 255], (300.0, 100.0)),
        ] {
            assert_eq!(rgb_to_hs(rgb), hs);
            assert_eq!(hs_to_rgb(hs.0, hs.1), rgb);
        }
        assert_eq!(rgb_to_xy([255, 0, 0]), (0.7006, 0.2993));
        assert_eq!(rgb_to_xy([255, 255, 255]), (0.3227, 0.3290));
        assert_eq!(mired(153.0), 6536.0);
        assert_eq!(mired(2700.0), 370.0);
    }

    #[test]
    fn a_colour_that_went_through_a_lamp_is_known_again() {
        for rgb in [
            [255, 0, 0],
            [0, 255, 0],
            [0, 0, 255],
            [255, 128, 0],
            [255, 105, 180],
            [64, 224, 208],
            [255, 214, 170],
        ] {
            let (x, y) = rgb_to_xy(rgb);
            assert!(alike(xy_to_rgb(x, y), rgb), "{rgb:?} {:?}", xy_to_rgb(x, y));
            let (hue, saturation) = rgb_to_hs(rgb);
            assert!(alike(hs_to_rgb(hue.round(), saturation.round()), rgb), "{rgb:?}");
        }
        assert!(!alike([255, 0, 0], [0, 255, 0]) && !alike([255, 0, 0], [255, 128, 128]));
        assert_eq!(full([10, 20, 40]), Some(([64, 128, 255], 40)));
        assert_eq!(full([0, 0, 0]), None);
        assert_eq!(dimmed([255, 128, 0], 128), [128, 64, 0]);
    }
}

//! Colours by the names people say.

use super::super::names::normal;

/// Names and their red, green and blue, 0–255 each.
pub const COLOURS: &[(&str, [u8; 3])] = &[
    ("white", [255, 255, 255]),
    ("black", [0, 0, 0]),
    ("red", [255, 0, 0]),
    ("orange", [255, 128, 0]),
    ("yellow", [255, 230, 0]),
    ("green", [0, 255, 0]),
    ("blue", [0, 0, 255]),
    ("purple", [128, 0, 160]),
    ("brown", [150, 75, 20]),
    ("pink", [255, 105, 180]),
    ("turquoise", [64, 224, 208]),
    ("cyan", [0, 255, 255]),
    ("magenta", [255, 0, 255]),
    ("violet", [143, 0, 255]),
    ("indigo", [75, 0, 130]),
    ("lavender", [200, 180, 255]),
    ("lime", [180, 255, 0]),
    ("gold", [255, 200, 40]),
    ("teal", [0, 128, 128]),
    ("navy", [0, 0, 110]),
    ("coral", [255, 127, 80]),
    ("salmon", [250, 128, 114]),
    ("crimson", [220, 20, 60]),
    ("sky blue", [120, 200, 255]),
    ("warm white", [255, 214, 170]),
    ("cold white", [220, 235, 255]),
];

/// The red, green and blue of a colour's name, `None` when it is not known.
pub fn rgb(name: &str) -> Option<[u8; 3]> {
    let name = normal(name);
    COLOURS.iter().find(|(known, _)| *known == name).map(|(_, rgb)| *rgb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_in_its_normal_form_and_known_once() {
        for (at, (name, value)) in COLOURS.iter().enumerate() {
            assert_eq!(normal(name), *name);
            assert_eq!(COLOURS.iter().position(|(other, _)| other == name), Some(at), "{name}");
            assert_eq!(rgb(name), Some(*value));
        }
        assert_eq!(rgb("The Red"), Some([255, 0, 0]));
        assert_eq!(rgb("kitchen"), None);
    }
}

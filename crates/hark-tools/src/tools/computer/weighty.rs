//! Words of acts that are not taken back easily, as they stand on buttons of pages and windows.

use hark_core::text::one_line;

/// Whether words on a button or link may be those of a purchase or of something else that is not taken back, in any language that Hark
/// knows: pages are in other languages than the house.
pub fn is_weighty(label: &str) -> bool {
    let letters = |c: char| if c.is_alphanumeric() { c } else { ' ' };
    let label: String = label.to_lowercase().chars().map(letters).collect();
    let label = format!(" {} ", one_line(&label, usize::MAX));
    let mut words = hark_language::all().into_iter().flat_map(|language| language.tools.pages.weighty.iter());
    words.any(|word| label.contains(&format!(" {word} ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_purchase_are_known_in_every_language() {
        for weighty in ["Buy now", "Place order", "Jetzt kaufen", "zahlungspflichtig bestellen", "DELETE"] {
            assert!(is_weighty(weighty), "{weighty}");
        }
        for light in ["Read more", "Borders", "About us", "Accept cookies", "Weiterlesen", ""] {
            assert!(!is_weighty(light), "{light}");
        }
    }
}

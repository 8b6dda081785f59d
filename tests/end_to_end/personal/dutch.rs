//! The calendar of a household that speaks Dutch.

use super::{folder, replies};
use crate::support::Hark;

#[test]
fn a_calendar_is_kept_in_dutch() {
    let hark = Hark::new();
    let settings =
        [format!("personal.calendar_path={}", folder(&hark, "calendar")), "speaking.language=nl".to_owned()];
    let said = replies(
        &hark,
        &settings,
        &[
            "wat staat er morgen in mijn agenda",
            "zet tandarts morgen om drie uur 's middags in mijn agenda",
            "wat staat er morgen in mijn agenda",
            "wanneer is mijn afspraak bij de tandarts",
            "ben ik morgen vrij",
        ],
    );
    assert_eq!(
        said,
        [
            "Morgen staat er niets in de agenda.",
            "In de agenda gezet: tandarts morgen om 15 uur.",
            "Morgen: tandarts om 15 uur.",
            "Tandarts morgen om 15 uur.",
            "Morgen is er tandarts om 15 uur.",
        ]
    );
}

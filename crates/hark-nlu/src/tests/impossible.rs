//! Numbers, days and contents that cannot be are refused with the reason; none is taken for another.

use super::test_home::grammar;
use super::{Grammar, german_tests};
use chrono::{NaiveDate, NaiveDateTime};
use hark_core::calendar::When;
use hark_core::intent::refusal;
use hark_core::ports::Understand;
use hark_core::{Intent, Understanding};
use serde_json::Value;
use std::sync::OnceLock;

fn now() -> NaiveDateTime {
    NaiveDate::from_ymd_opt(2026, 11, 21).unwrap().and_hms_opt(14, 0, 0).unwrap()
}

fn german() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::new(&german_tests::german(), &german_tests::home()))
}

fn refused(found: &Understanding) -> Option<&Intent> {
    found.intents.first().filter(|only| only.name == refusal::INTENT && found.intents.len() == 1)
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let rows: &[(&str, &str, &str)] = &[
        ("set the temperature to 10^308 degrees", "number", "temperature"),
        ("set a 1e308 days timer", "number", "length"),
        ("a 1e308 days timer", "number", "length"),
        ("set a timer for minus five minutes", "number", "length"),
        ("set a timer for -5 minutes", "number", "length"),
        ("set a timer for zero minutes", "number", "length"),
        ("turn off the lamp in -5 minutes", "number", "length"),
        ("set the volume to 1,5", "number", "volume_level"),
        ("set the volume to -1", "number", "volume_level"),
        ("set the volume to 300 percent", "number", "volume_level"),
        ("set the lamp to 300 percent", "number", "brightness"),
        ("set the lamp to 1e2 percent", "number", "brightness"),
        ("set the bedroom blinds to 150 percent", "number", "position"),
        ("wake me at 25:00", "number", "when"),
        ("set an alarm for february 29 2027", "date", ""),
        ("wake me on february 30", "date", ""),
        ("set an alarm for the 31st of april at seven", "date", ""),
        ("remind me on 2027-02-30 to pay the rent", "date", ""),
        ("what's the weather on february 30", "date", ""),
        ("add ]]]", "nothing", ""),
        ("add ]]] to the shopping list", "nothing", ""),
    ];
    let german_rows: &[(&str, &str, &str)] = &[
        ("stell die Stehlampe auf 300 Prozent", "number", "brightness"),
        ("stell die Stehlampe auf -5 Prozent", "number", "brightness"),
        ("stell die Lautstärke auf 10^3", "number", "volume_level"),
        ("stell einen Timer auf minus fünf Minuten", "number", "length"),
        ("weck mich am 30. Februar um sieben", "date", ""),
        ("weck mich am 31. April 2027 um sieben", "date", ""),
    ];
    let mut wrong = Vec::new();
    for (grammar, language, rows) in [(grammar(), "en", rows), (german(), "de", german_rows)] {
        for (text, reason, what) in rows {
            let found = grammar.understand_at(text, language, now());
            let said = refused(&found).map(|refused| {
                let what = refused.slots.get("what").and_then(Value::as_str).unwrap_or_default();
                (refused.response.as_deref().unwrap_or_default(), what)
            });
            if said != Some((*reason, *what)) {
                let got: Vec<_> = found.intents.iter().map(|it| (&it.name, &it.slots, &it.why)).collect();
                wrong.push(format!("{text}: {got:?}, missed {:?}", found.missed));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_can_be_stays_as_it_is() {
    for (text, intent) in [
        ("what is 3 - 5", "HarkCalculate"),
        ("what is 2 to the power of 10", "HarkCalculate"),
        ("what is 2^10", "HarkCalculate"),
        ("what is -5 plus 3", "HarkCalculate"),
        ("set the thermostat to 21.5 degrees", "HassClimateSetTemperature"),
        ("set the thermostat to twenty one point five degrees", "HassClimateSetTemperature"),
        ("set a timer for 1h30m", "HassStartTimer"),
        ("set a 10-minute timer", "HassStartTimer"),
        ("set a timer for two and a half hours", "HassStartTimer"),
        ("set an alarm for 7:30", "HarkSetAlarm"),
        ("set an alarm for the 31st of march at seven", "HarkSetAlarm"),
        ("add 3d glasses to the shopping list", "HassShoppingListAddItem"),
        ("add 2.5 kg of flour to the shopping list", "HassShoppingListAddItem"),
        ("turn on the lamp ]]]", "HassTurnOn"),
        ("set the lamp to 50%!!!", "HassLightSet"),
    ] {
        let found = grammar().understand_at(text, "en", now());
        let names: Vec<&str> = found.intents.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, [intent], "{text}: {found:?}");
    }
}

/// A number as it is written, and its value where it has one.
const NUMBERS: &[(&str, Option<f64>)] = &[
    ("0", Some(0.0)),
    ("1", Some(1.0)),
    ("21", Some(21.0)),
    ("50", Some(50.0)),
    ("100", Some(100.0)),
    ("101", Some(101.0)),
    ("4000", Some(4000.0)),
    ("-1", Some(-1.0)),
    ("\u{2212}5", Some(-5.0)),
    ("- 5", None),
    ("minus 20", Some(-20.0)),
    ("1.5", Some(1.5)),
    (".5", Some(0.5)),
    ("1e308", None),
    ("1e2", Some(100.0)),
    ("10^308", None),
    ("2^3", Some(8.0)),
    ("5x", None),
    ("5_0", None),
    ("~5", None),
    ("1.2.3", None),
    ("5..6", None),
    ("99999999999999999999", None),
    ("three hundred and eight", Some(308.0)),
];

/// Sentences with a place for a number, and the slot it goes to with what one of it counts there.
const PLACES: &[(&str, &[(&str, f64)])] = &[
    ("set the lamp to {} percent", &[("brightness", 1.0)]),
    ("set the volume to {}", &[("volume_level", 1.0)]),
    ("volume {} percent", &[("volume_level", 1.0)]),
    ("set the thermostat to {} degrees", &[("temperature", 1.0)]),
    ("set the temperature to {}", &[("temperature", 1.0)]),
    ("set the lamp to {} kelvin", &[("temperature", 1.0)]),
    ("set the bedroom blinds to {} percent", &[("position", 1.0)]),
    ("set a timer for {} minutes", &[("minutes", 1.0), ("seconds", 1.0 / 60.0)]),
    ("a {} days timer", &[("hours", 1.0 / 24.0), ("minutes", 1.0 / 1440.0), ("seconds", 1.0 / 86400.0)]),
    ("turn off the lamp in {} hours", &[("hours", 1.0), ("minutes", 1.0 / 60.0), ("seconds", 1.0 / 3600.0)]),
    ("set the ceiling fan to {} percent", &[("percentage", 1.0)]),
];

/// Each number in each place is that number there, or nothing is understood, or it is refused: it is never another.
#[test]
fn no_number_is_taken_for_another() {
    let mut wrong = Vec::new();
    for (place, slots) in PLACES {
        for (number, value) in NUMBERS {
            let text = place.replace("{}", number);
            let found = grammar().understand_at(&text, "en", now());
            for intent in found.intents.iter().filter(|it| it.name != refusal::INTENT) {
                let of_slot = |(slot, each): &(&str, f64)| Some(intent.slots.get(*slot)?.as_f64()? * each);
                // What is to be done in many hours is done at a time.
                let when = intent.slots.get("when").and_then(|when| When::parse(when.as_str()?));
                let hours = when.and_then(|when| match when {
                    When::Moment(at) => Some((at - now()).num_seconds() as f64 / 3600.0),
                    _ => None,
                });
                let parts: Vec<f64> = slots.iter().filter_map(of_slot).chain(hours).collect();
                let got: f64 = parts.iter().sum();
                let right = !parts.is_empty() && value.is_some_and(|value| (got - value).abs() < 1e-6);
                if !right {
                    wrong.push(format!("{text}: {} {:?}", intent.name, intent.slots));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

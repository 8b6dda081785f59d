//! Entities whose state is a value that is set: numbers, choices and texts. What they take stands in their attributes by
//! Home Assistant's names: `min`, `max`, `step`, `options`, `pattern`.

use super::DeviceError;
use crate::names::{holds_words, in_a_row, normal};
use hark_core::home::Entity;
use regex::RegexBuilder;
use serde_json::Value;

/// Domains of such entities.
pub const VALUED: &[&str] = &["number", "input_number", "select", "input_select", "text", "input_text"];

/// Longest text, as at Home Assistant.
const TEXT_MAX_CHARS: f64 = 255.0;

/// Largest pattern of a text, compiled.
const PATTERN_MAX_BYTES: usize = 64 * 1024;

/// How far from a step a number may be, as a share of the step: devices reckon with few digits.
const STEP_NEAR: f64 = 0.01;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Choice,
    Text,
}

/// A choice must be among those the device names, when it names any.
pub(super) fn one_of(entity: &Entity, key: &str, wanted: &str) -> Result<(), DeviceError> {
    let Some(Value::Array(known)) = entity.attributes.get(key) else { return Ok(()) };
    let known: Vec<&str> = known.iter().filter_map(Value::as_str).collect();
    if known.contains(&wanted) {
        return Ok(());
    }
    Err(DeviceError::OutOfRange { name: entity.name.clone(), range: in_a_row(&known, "and") })
}

fn kind(entity: &Entity) -> Option<Kind> {
    Some(match entity.id.domain() {
        "number" | "input_number" => Kind::Number,
        "select" | "input_select" => Kind::Choice,
        "text" | "input_text" => Kind::Text,
        _ => return None,
    })
}

/// What a person asks for as the entity writes it: the option in its own spelling, also by some of its words when only
/// one has them; a number without its unit. Anything else stays, for [`check`] to judge.
pub fn meant(entity: &Entity, asked: &str) -> String {
    let found = match kind(entity) {
        Some(Kind::Number) => number(asked).map(|number| number.to_string()),
        Some(Kind::Choice) => {
            let options: Vec<&str> = options(entity).collect();
            let only = |fits: &dyn Fn(&str) -> bool| {
                let mut fitting = options.iter().filter(|option| fits(option));
                fitting.next().filter(|_| fitting.next().is_none()).map(|option| (*option).to_owned())
            };
            only(&|option| option == asked)
                .or_else(|| only(&|option| normal(option) == normal(asked)))
                .or_else(|| only(&|option| run_together(option) == run_together(asked)))
                .or_else(|| only(&|option| holds_words(option, asked)))
        }
        Some(Kind::Text) | None => None,
    };
    found.unwrap_or_else(|| asked.to_owned())
}

/// Whether an entity takes this value.
///
/// # Errors
/// `Unsupported` for another kind of entity, `OutOfRange` with what it takes.
pub fn check(entity: &Entity, value: &str) -> Result<(), DeviceError> {
    let refused = |range: String| Err(DeviceError::OutOfRange { name: entity.name.clone(), range });
    let limit = |key, default| entity.number(key).unwrap_or(default);
    match kind(entity) {
        None => Err(DeviceError::Unsupported { name: entity.name.clone(), what: "be set to a value" }),
        Some(Kind::Choice) => one_of(entity, "options", value),
        Some(Kind::Number) => {
            let (low, high) = (limit("min", f64::NEG_INFINITY), limit("max", f64::INFINITY));
            let step = entity.number("step").filter(|step| *step > 0.0);
            let on_step = |number: f64| {
                let (Some(step), Some(first)) = (step, entity.number("min")) else { return true };
                let steps = (number - first) / step;
                (steps - steps.round()).abs() <= STEP_NEAR
            };
            if number(value).is_some_and(|number| (low..=high).contains(&number) && on_step(number)) {
                return Ok(());
            }
            let mut range = match (entity.number("min"), entity.number("max")) {
                (Some(low), Some(high)) => format!("{low} to {high}"),
                _ => "any number".to_owned(),
            };
            if let Some(unit) = entity.text("unit_of_measurement") {
                range = format!("{range} {unit}");
            }
            match step.filter(|step| (step - 1.0).abs() > 1e-9) {
                Some(step) => refused(format!("{range} in steps of {step}")),
                None => refused(range),
            }
        }
        Some(Kind::Text) => {
            let (least, most) = (limit("min", 0.0), limit("max", TEXT_MAX_CHARS).min(TEXT_MAX_CHARS));
            // Cannot lose anything: no text is that long.
            #[allow(clippy::cast_precision_loss)]
            let length = value.chars().count() as f64;
            if !(least..=most).contains(&length) {
                return refused(format!("{least} to {most} characters"));
            }
            match entity.text("pattern").filter(|pattern| !begins_as(pattern, value)) {
                Some(pattern) => {
                    refused(format!("only what looks like {}", pattern.chars().take(60).collect::<String>()))
                }
                None => Ok(()),
            }
        }
    }
}

/// Whether the state of an entity is this value.
pub fn is(entity: &Entity, value: &str) -> bool {
    match (kind(entity), number(&entity.state), number(value)) {
        (Some(Kind::Number), Some(has), Some(wanted)) => {
            let near = entity.number("step").unwrap_or(0.0) * STEP_NEAR;
            (has - wanted).abs() <= near.max(1e-6 * wanted.abs())
        }
        _ => entity.state == value,
    }
}

fn options(entity: &Entity) -> impl Iterator<Item = &str> {
    let options = entity.attributes.get("options").and_then(Value::as_array);
    options.into_iter().flatten().filter_map(Value::as_str)
}

/// "heatpump" and "heat pump" are the same words.
fn run_together(text: &str) -> String {
    normal(text).replace(' ', "")
}

/// The number a text begins with: "40", "40 cm", "-2.5", "2,5", "1,500".
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim().replace('\u{2212}', "-");
    let end = text.find(|c: char| !(c.is_ascii_digit() || "+-.,".contains(c))).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    // "60 to 90" is no number, and neither is "4x4".
    if unit.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let comma = digits.split_once(',').map(|(_, behind)| behind);
    let digits = match comma {
        // Three digits behind a comma are thousands, fewer are a fraction.
        Some(behind) if behind.len() == 3 && !digits.starts_with("0,") => digits.replace(',', ""),
        Some(_) => digits.replace(',', "."),
        None => digits.to_owned(),
    };
    digits.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Whether a text begins as a pattern of the device wants it. A pattern that cannot be read is left to the device.
fn begins_as(pattern: &str, text: &str) -> bool {
    let built = RegexBuilder::new(&format!("^(?:{pattern})")).size_limit(PATTERN_MAX_BYTES).build();
    built.map_or(true, |pattern| pattern.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entity(id: &str, attributes: Value) -> Entity {
        let made = json!({"id": id, "name": "Thing", "state": "1.0", "attributes": attributes});
        serde_json::from_value(made).unwrap()
    }

    #[test]
    fn an_option_is_found_by_the_words_people_use() {
        let modes =
            json!({"options": ["Eco 40-60", "Cotton 60", "Cotton 90", "heat_pump", "Quick", "QUICK"]});
        let washer = entity("select.mode", modes);
        for (asked, expected) in [
            ("eco", Some("Eco 40-60")),
            ("the ECO", Some("Eco 40-60")),
            ("cotton 90", Some("Cotton 90")),
            ("cotton ninety", None),
            ("cotton", None),
            ("heat pump", Some("heat_pump")),
            ("heatpump", Some("heat_pump")),
            ("Quick", Some("Quick")),
            ("quick", None),
            ("wool", None),
        ] {
            let value = meant(&washer, asked);
            assert_eq!(check(&washer, &value).ok().map(|()| value.as_str()), expected, "{asked}");
        }
        let refused = check(&washer, "wool").unwrap_err().to_string();
        assert!(refused.contains("Eco 40-60, Cotton 60") && refused.contains("and QUICK"), "{refused}");
        assert_eq!(
            check(&entity("input_select.a", json!({})), "whatever"),
            Ok(()),
            "it does not say what it takes"
        );
    }

    #[test]
    fn a_number_is_taken_within_its_range_and_steps() {
        let limits = json!({"min": -10, "max": 50, "step": 2.5, "unit_of_measurement": "cm"});
        let number = entity("number.distance", limits);
        for (asked, expected) in [
            ("40", Some("40")),
            ("40.0", Some("40")),
            ("40 cm", Some("40")),
            ("-2,5", Some("-2.5")),
            ("\u{2212}2.5", Some("-2.5")),
            ("50.5", None),
            ("-12.5", None),
            ("3", None),
            ("1,500", None),
            ("40 to 50", None),
            ("far", None),
            ("nan", None),
            ("inf", None),
            ("1e300", None),
        ] {
            let value = meant(&number, asked);
            assert_eq!(check(&number, &value).ok().map(|()| value.as_str()), expected, "{asked}");
        }
        let refused = check(&number, "60").unwrap_err().to_string();
        assert_eq!(refused, "the Thing can do -10 to 50 cm in steps of 2.5");
        assert!(is(&entity("number.a", json!({"step": 0.1})), "1.0000001"));
        assert!(!is(&entity("number.a", json!({"step": 0.1})), "1.1"));
        assert_eq!(check(&entity("number.a", json!({})), "1500"), Ok(()));
        assert_eq!(super::number("1,500"), Some(1500.0));
        assert_eq!(super::number("0,125"), Some(0.125));
    }

    #[test]
    fn a_text_has_its_length_and_pattern() {
        let text = entity("text.display", json!({"min": 2, "max": 5, "pattern": "[a-zé]+$"}));
        for (value, fits) in [("hé", true), ("h", false), ("hellos", false), ("he1", false), ("", false)] {
            assert_eq!(check(&text, value).is_ok(), fits, "{value}");
        }
        for hostile in ["(", r"(a+)+b(?=c)", r"\w{5000}{5000}"] {
            assert_eq!(
                check(&entity("text.a", json!({"pattern": hostile})), "anything"),
                Ok(()),
                "{hostile}"
            );
        }
        assert!(check(&entity("text.a", json!({"max": 1e9})), &"x".repeat(256)).is_err());
        assert!(matches!(check(&entity("light.a", json!({})), "1"), Err(DeviceError::Unsupported { .. })));
    }
}

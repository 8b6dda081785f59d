//! "it" and "them": what was spoken of last: "turn it off again", "make it blue", "set it to 30".

use super::{Before, text};
use hark_core::{Intent, Slots};

/// What can be done to "it": the word, the intent, the domains it makes sense for (empty: those that are
/// switched on and off), and the response.
type Act = (&'static str, &'static str, &'static [&'static str], Option<&'static str>);

const ACTS: [Act; 11] = [
    ("on", "HassTurnOn", &[], None),
    ("off", "HassTurnOff", &[], None),
    ("on", "HassTurnOn", &["valve"], Some("cover")),
    ("off", "HassTurnOff", &["valve"], Some("cover")),
    ("toggle", "HassToggle", &[], None),
    ("open", "HassTurnOn", &["cover", "valve"], Some("cover")),
    ("close", "HassTurnOff", &["cover", "valve"], Some("cover")),
    ("lock", "HassTurnOn", &["lock"], Some("lock")),
    ("unlock", "HassTurnOff", &["lock"], Some("lock")),
    ("home", "HassVacuumReturnToBase", &["vacuum"], None),
    ("home", "HassLawnMowerDock", &["lawn_mower"], None),
];

/// Domains that are not switched on and off by these words.
const NOT_SWITCHED: [&str; 9] =
    ["cover", "valve", "lock", "alarm_control_panel", "sensor", "binary_sensor", "person", "weather", "todo"];

/// What a number means for a thing of a domain: intent, slot, response.
const NUMBERS: [(&str, &str, &str, Option<&str>); 6] = [
    ("light", "HassLightSet", "brightness", Some("brightness")),
    ("cover", "HassSetPosition", "position", None),
    ("valve", "HassSetPosition", "position", None),
    ("climate", "HassClimateSetTemperature", "temperature", None),
    ("fan", "HassFanSetSpeed", "percentage", None),
    ("media_player", "HassSetVolume", "volume_level", None),
];

/// An act upon what was spoken of last.
pub fn it(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let domain = before.done.target.domain.as_deref().or_else(|| domain_of(&before.done.intent.name));
    let volume = before.done.intent.name.starts_with("HassSetVolume");
    if !before.done.target.is_named() && domain.is_none() && !volume {
        return None;
    }
    let (name, slot, response) = if let Some(act) = text(&intent.slots, "action") {
        let fits = |domains: &[&str]| match domain {
            _ if !before.done.target.is_named() => false,
            Some(domain) if domains.is_empty() => !NOT_SWITCHED.contains(&domain),
            Some(domain) => domains.contains(&domain),
            None => domains.is_empty(),
        };
        let (_, name, _, response) =
            ACTS.iter().find(|(word, _, domains, _)| *word == act && fits(domains))?;
        (*name, None, *response)
    } else if let Some(color) = intent.slots.get("color") {
        light(domain)?;
        ("HassLightSet", Some(("color", color.clone())), Some("color"))
    } else if let Some(kelvin) = intent.slots.get("temperature") {
        light(domain)?;
        ("HassLightSet", Some(("temperature", kelvin.clone())), Some("temperature"))
    } else {
        let value = intent.slots.get("value").or_else(|| intent.slots.get("level"))?;
        let domain = if volume { "media_player" } else { domain? };
        let (_, name, slot, response) = NUMBERS.iter().find(|(known, ..)| *known == domain)?;
        let unit = text(&intent.slots, "unit");
        // "thirty degrees" is no brightness, "thirty percent" no temperature.
        let fits = match unit {
            Some("degrees") => domain == "climate",
            Some("percent") => domain != "climate",
            _ => true,
        };
        fits.then_some((*name, Some((*slot, value.clone())), *response))?
    };
    let mut slots = Slots::new();
    if name != "HassSetVolume" || !volume {
        before.done.target.put(&mut slots);
    }
    slots.extend(slot.map(|(slot, value)| (slot.to_owned(), value)));
    // "Turn them off again except the lamp": of one thing nothing can be left out.
    if let Some(except) = intent.slots.get("except") {
        (!slots.contains_key("name")).then_some(())?;
        slots.insert("except".to_owned(), except.clone());
    }
    let response = response.map(str::to_owned);
    Some(Intent { name: name.to_owned(), slots, response, ..before.done.intent.clone() })
}

/// The domain that an intent is always about.
fn domain_of(intent: &str) -> Option<&'static str> {
    Some(match intent {
        "HassLightSet" | "HarkLightSetRelative" => "light",
        "HassSetPosition" | "HarkSetPositionRelative" | "HassStopMoving" => "cover",
        "HassClimateSetTemperature"
        | "HassClimateGetTemperature"
        | "HarkClimateSetTemperatureRelative"
        | "HarkClimateSetMode" => "climate",
        "HassFanSetSpeed" | "HarkFanSetSpeedRelative" => "fan",
        name if name.starts_with("HassMedia") || name.starts_with("HarkMedia") => "media_player",
        _ => return None,
    })
}

/// Only lights have colours; what is not known to be something else may be one.
fn light(domain: Option<&str>) -> Option<()> {
    matches!(domain, None | Some("light")).then_some(())
}

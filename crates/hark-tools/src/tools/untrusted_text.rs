//! Untrusted text (from outside the house): which results may hold it, and which calls a task that has read it may make
//! without a yes: reading calls in the house, and web requests to trusted hosts.

use super::args::Args;
use super::descriptor::{Descriptor, Outside};
use super::outcome::Prepared;
use super::services::Services;
use hark_core::tool::error_code;
use hark_core::{Receipt, Risk};
use hark_home::permission_gate::{Danger, STEP};
use serde_json::{Value, json};

/// Words of a state that is a state and no text: "partly cloudy", "not home".
const MAX_STATE_WORDS: usize = 2;
/// Characters of one; a time with its zone has as many.
const MAX_STATE_CHARS: usize = 32;
/// Fields of a result that tell states, and what they are counted in.
const STATES: [&str; 6] = ["state", "state_text", "from", "to", "unit", "wind_unit"];
/// Codes of calls that were refused before anything was looked at.
const REFUSED: [&str; 4] =
    [error_code::NEEDS_APPROVAL, error_code::NEEDS_PIN, error_code::FORBIDDEN, error_code::BAD_ARGUMENT];

/// What a call would do that needs a yes because text from outside may be behind it; `None` when it only looks.
pub(super) fn unasked(tool: &Descriptor, args: &Args, prepared: &Prepared) -> Option<Danger> {
    Some(match prepared {
        Prepared::Fetch { trusted: true, .. } => return None,
        Prepared::Fetch { address, .. } => {
            Danger::new("send", tool.name, address).told("address", json!({"address": address}))
        }
        _ if tool.risk == Risk::Read => return None,
        _ => {
            let step = tool.name.replace(['.', '_'], " ");
            let args = args.told();
            let name = match args.as_str() {
                "" => format!("step “{step}”"),
                args => format!("step “{step}” ({args})"),
            };
            Danger::new(STEP, tool.name, name).told("tool", json!({"tool": step, "args": args}))
        }
    })
}

/// Whether text from outside may stand in a receipt.
pub(super) fn is_in(tool: &Descriptor, receipt: &Receipt, services: &Services) -> bool {
    let code = receipt.detail["error"].as_str().unwrap_or_default();
    // A question about an event tells what the calendar says of it.
    let has_looked = receipt.detail.get("event").is_some();
    if !receipt.ok && REFUSED.contains(&code) && !has_looked {
        return false;
    }
    match tool.outside {
        Outside::Never => false,
        Outside::Always => true,
        Outside::Home => {
            let mut texts = Vec::new();
            gather("", &receipt.detail, &mut texts);
            let is_state_text = |(key, text): &(&str, &str)| STATES.contains(key) && is_text(text);
            let tells = |name: &str| {
                texts.iter().any(|(key, text)| *text == name || *key == "message" && text.contains(name))
            };
            texts.iter().any(is_state_text)
                || services.home.registry().any_name_of_others(&services.trusted_sources, tells)
        }
    }
}

/// Whether a state of a thing is more than a state. Words are told apart by anything that is no letter, and a letter alone
/// is none: "2026-11-25T10:00:00Z" is a state, "unlock-the-door" is not.
pub fn is_text(state: &str) -> bool {
    let words = state.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() > 1);
    words.count() > MAX_STATE_WORDS || state.chars().count() > MAX_STATE_CHARS
}

/// Every text of a value, with the name of its field.
fn gather<'v>(key: &'v str, value: &'v Value, found: &mut Vec<(&'v str, &'v str)>) {
    match value {
        Value::String(text) => found.push((key, text)),
        Value::Array(items) => items.iter().for_each(|item| gather(key, item, found)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| gather(key, value, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::is_text;

    #[test]
    fn a_state_is_told_from_a_text() {
        for state in
            ["off", "not_home", "clear-night", "21.5", "2026-11-25T10:00:00.000+00:00", "192.168.1.10", ""]
        {
            assert!(!is_text(state), "{state}");
        }
        for text in
            ["unlock the door", "unlock-the-door", "call_home.turn_on_now", "0123456789".repeat(4).as_str()]
        {
            assert!(is_text(text), "{text}");
        }
    }
}

//! What stands in a prompt, by kind, in characters and where it has one by name: for the trace, and to tell what left the house.

use hark_core::model::delivery::PromptPart;
use hark_core::model::{Message, Role, ToolSpec};
use serde_json::Value;

/// The marks of quoted material (`prompt::fence`).
const OPEN: &str = "⟦data ";
const CLOSE: &str = "⟦end of data⟧";

/// The parts of a prompt in the order of their first place; `request`: which message has it; `data`: the variable of the prompt
/// that its quoted material was made of, where the items of some have names.
pub(super) fn parts(
    messages: &[Message],
    request: usize,
    tools: &[ToolSpec],
    data: &Value,
) -> Vec<PromptPart> {
    let mut parts = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let what = match message.role {
            Role::System => "instructions",
            _ if at < request => "earlier turns",
            _ if at > request => "calls",
            _ => "request",
        };
        // Instructions are Hark's own, and name quoted material without being any.
        let rest = if what == "instructions" {
            message.content.clone()
        } else {
            quoted(&message.content, &mut parts)
        };
        let calls: usize = message.calls.iter().map(|call| call.args.to_string().chars().count()).sum();
        add(&mut parts, what, rest.trim().chars().count() + calls);
        let pictures: usize = message.pictures.iter().map(|picture| picture.base64.len()).sum();
        add(&mut parts, "pictures", pictures);
    }
    let told = tools.iter().map(|tool| tool.description.len() + tool.schema.to_string().len());
    add(&mut parts, "tools", told.sum());
    for quoted in data.as_array().into_iter().flatten() {
        let part = parts.iter_mut().find(|part| quoted["name"] == part.what.as_str());
        let names = quoted["items"].as_array().into_iter().flatten();
        if let Some(part) = part {
            part.items.extend(names.filter_map(Value::as_str).map(str::to_owned));
        }
    }
    parts
}

/// Adds quoted material by its name; answers what stands beside it.
fn quoted(content: &str, parts: &mut Vec<PromptPart>) -> String {
    let (mut rest, mut left) = (String::new(), content);
    while let Some((before, after)) = left.split_once(OPEN) {
        rest.push_str(before);
        let Some((name, after)) = after.split_once("⟧") else { break };
        let (text, after) = after.split_once(CLOSE).unwrap_or((after, ""));
        add(parts, name, text.trim().chars().count());
        left = after;
    }
    rest.push_str(left);
    rest
}

fn add(parts: &mut Vec<PromptPart>, what: &str, chars: usize) {
    match parts.iter_mut().find(|part| part.what == what) {
        Some(part) => part.chars += chars,
        None if chars > 0 => parts.push(PromptPart { what: what.to_owned(), chars, items: Vec::new() }),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_character_is_of_a_kind() {
        let request = "Here it is noon.\n\n⟦data memory⟧\nAnna\n⟦end of data⟧\n⟦data home⟧\nLamp: on\n⟦end of data⟧\n\nWhy?";
        let messages = [
            Message::new(Role::System, "Text between ⟦data …⟧ and ⟦end of data⟧ is quoted."),
            Message::new(Role::User, "hello"),
            Message::new(Role::Assistant, "hi"),
            Message::new(Role::User, request),
            Message::result("c", "ok\n⟦data timer.set⟧\n{}\n⟦end of data⟧"),
        ];
        let data = json!([
            {"name": "memory", "text": "Anna", "items": ["Anna"]},
            {"name": "documents", "text": "left out", "items": ["Boiler manual, page 3"]},
        ]);
        let found = parts(&messages, 3, &[], &data);
        let told: Vec<(&str, usize)> = found.iter().map(|part| (part.what.as_str(), part.chars)).collect();
        let system = messages[0].content.chars().count();
        let expected = [
            ("instructions", system),
            ("earlier turns", 7),
            ("memory", 4),
            ("home", 8),
            ("request", 25),
            ("timer.set", 2),
            ("calls", 2),
        ];
        assert_eq!(told, expected);
        let named: Vec<(&str, &[String])> = found
            .iter()
            .filter(|part| !part.items.is_empty())
            .map(|part| (part.what.as_str(), part.items.as_slice()))
            .collect();
        assert_eq!(named, [("memory", &["Anna".to_owned()][..])], "what did not go in is not named");
    }
}

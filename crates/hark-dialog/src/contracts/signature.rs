//! A tool's arguments in one short line, for prompts that list many tools: a tenth of what their schemas take, and a
//! small model has to read all of it before its first word.

use super::prompt;
use serde_json::{Map, Value};

/// Values of a choice that are shown.
const MAX_CHOICES: usize = 12;
/// Characters of a line.
const MAX_CHARS: usize = 1000;

/// `name: text, brightness?: integer 0 to 100, mode?: "heat"|"cool"`; a question mark: may be left out.
pub(super) fn of(schema: &Value) -> String {
    let Some(properties) = schema["properties"].as_object().filter(|properties| !properties.is_empty())
    else {
        return "none, {}".into();
    };
    // It may come from outside, like the tool.
    prompt::inline(&fields(properties, schema), MAX_CHARS)
}

fn fields(properties: &Map<String, Value>, schema: &Value) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let field = |(name, about): (&String, &Value)| {
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        format!("{name}{mark}: {}", kind(about))
    };
    properties.iter().map(field).collect::<Vec<_>>().join(", ")
}

fn kind(about: &Value) -> String {
    if let Some(choices) = about["enum"].as_array() {
        let shown = choices.iter().take(MAX_CHOICES).map(Value::to_string).collect::<Vec<_>>().join("|");
        return if choices.len() > MAX_CHOICES { format!("{shown}|…") } else { shown };
    }
    match about["type"].as_str() {
        Some("string") => about["format"].as_str().unwrap_or("text").to_owned(),
        Some(number @ ("integer" | "number")) => match (about["minimum"].as_f64(), about["maximum"].as_f64())
        {
            (Some(least), Some(most)) => format!("{number} {least} to {most}"),
            _ => number.to_owned(),
        },
        Some("boolean") => "true or false".into(),
        Some("array") => format!("[{}]", kind(&about["items"])),
        Some("object") => match about["properties"].as_object() {
            Some(properties) => format!("{{{}}}", fields(properties, about)),
            None => "{…}".into(),
        },
        _ => "any".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::of;
    use serde_json::json;

    #[test]
    fn arguments_are_told_in_a_line() {
        let schema = json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "minLength": 1, "description": "of the thing"},
            "brightness": {"type": "integer", "minimum": 0, "maximum": 100},
            "mode": {"enum": ["heat", "cool"]},
            "days": {"type": "array", "items": {"type": "string", "format": "date"}},
            "at": {"type": "object", "required": ["hour"], "properties": {"hour": {"type": "number"}, "exact": {"type": "boolean"}}},
        }});
        let expected = "name: text, brightness?: integer 0 to 100, mode?: \"heat\"|\"cool\", days?: [date], \
            at?: {hour: number, exact?: true or false}";
        assert_eq!(of(&schema), expected);
        assert_eq!(of(&json!({"type": "object"})), "none, {}");
    }

    #[test]
    fn what_comes_from_outside_stays_one_bounded_line() {
        let wide = (0..300).map(|n| (format!("field\n{n}"), json!({"type": "string"})));
        let told = of(&json!({"properties": wide.collect::<serde_json::Map<_, _>>()}));
        assert!(told.chars().count() <= 1000 && !told.contains('\n'), "{}", told.len());
    }
}

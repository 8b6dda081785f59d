//! The schema of a tool's arguments, reduced to what is understood here: references are put in place, keywords that are not
//! known are left out, and all of it is bounded, so that checking a call takes a bounded time whatever a server says.

use hark_core::external_tools::cleaned;
use regex::RegexBuilder;
use serde_json::{Map, Value, json};

/// Most schemas within one.
const MAX_NODES: usize = 1000;
/// How deep they may stand in each other.
const MAX_DEPTH: usize = 16;
/// Longest schema, bytes as JSON.
const MAX_BYTES: usize = 24 * 1024;
/// Most words of a choice.
const MAX_CHOICES: usize = 200;
/// Longest text in it, characters: descriptions, names, words of a choice.
const MAX_TEXT: usize = 300;
/// Longest regular expression, bytes.
const MAX_PATTERN: usize = 200;
/// Memory of a regular expression, bytes.
const PATTERN_BYTES: usize = 64 * 1024;
/// Types there are.
const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];

/// What can be used of a schema.
///
/// # Errors
/// Why it cannot be used.
pub(super) fn reduced(schema: &Map<String, Value>) -> Result<Value, String> {
    let root = Value::Object(schema.clone());
    let mut reduction = Reduction { root: &root, nodes: 0, within: Vec::new() };
    let mut reduced = reduction.schema(&root, 0)?;
    match reduced.get("type").and_then(Value::as_str) {
        Some("object") => {}
        None if reduced.get("type").is_none() => reduced["type"] = json!("object"),
        _ => return Err("its arguments are no object".into()),
    }
    let bytes = reduced.to_string().len();
    if bytes > MAX_BYTES {
        return Err(format!("its schema is longer than {MAX_BYTES} bytes"));
    }
    match jsonschema::draft202012::new(&reduced) {
        Ok(_) => Ok(reduced),
        Err(error) => Err(format!("its schema is none: {}", cleaned(&error.to_string(), MAX_TEXT).0)),
    }
}

struct Reduction<'s> {
    root: &'s Value,
    nodes: usize,
    /// References that are being put in place.
    within: Vec<&'s str>,
}

impl<'s> Reduction<'s> {
    fn schema(&mut self, schema: &'s Value, depth: usize) -> Result<Value, String> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(format!("its schema has more than {MAX_NODES} parts"));
        }
        if depth > MAX_DEPTH {
            return Err(format!("its schema is more than {MAX_DEPTH} levels deep"));
        }
        let fields = match schema {
            Value::Object(fields) => fields,
            Value::Bool(any) => return Ok(if *any { json!({}) } else { json!({"not": {}}) }),
            _ => return Err("a part of its schema is none".into()),
        };
        if let Some(reference) = fields.get("$ref") {
            return self.referred(reference, fields, depth);
        }
        let mut kept = Map::new();
        for (key, value) in fields {
            if let Some(value) = self.keyword(key, value, depth)? {
                kept.insert(key.clone(), value);
            }
        }
        Ok(Value::Object(kept))
    }

    /// What a reference stands for; one to what it stands in is anything.
    fn referred(
        &mut self,
        reference: &'s Value,
        fields: &'s Map<String, Value>,
        depth: usize,
    ) -> Result<Value, String> {
        let reference = reference.as_str().unwrap_or_default();
        if self.within.contains(&reference) {
            return Ok(json!({}));
        }
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let target = target.ok_or_else(|| {
            format!("its schema refers to {}, which is not in it", cleaned(reference, MAX_TEXT).0)
        })?;
        self.within.push(reference);
        let mut found = self.schema(target, depth + 1)?;
        self.within.pop();
        if let Some(Value::String(text)) = fields.get("description") {
            found["description"] = json!(cleaned(text, MAX_TEXT).0);
        }
        Ok(found)
    }

    /// What is kept of a keyword; `None`: nothing.
    fn keyword(&mut self, key: &str, value: &'s Value, depth: usize) -> Result<Option<Value>, String> {
        let kept = match (key, value) {
            ("type", Value::String(name)) => TYPES.contains(&name.as_str()).then(|| value.clone()),
            ("type", Value::Array(names)) => {
                let known = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
                (!names.is_empty() && names.len() <= TYPES.len() && names.iter().all(known))
                    .then(|| value.clone())
            }
            ("description" | "format", Value::String(text)) => Some(json!(cleaned(text, MAX_TEXT).0)),
            ("properties", Value::Object(fields)) => {
                let mut kept = Map::new();
                for (name, field) in fields {
                    if !is_plain(name) || name.is_empty() {
                        return Err("an argument has a name that is none".into());
                    }
                    kept.insert(name.clone(), self.schema(field, depth + 1)?);
                }
                Some(Value::Object(kept))
            }
            ("required", Value::Array(names)) => names.iter().all(Value::is_string).then(|| value.clone()),
            ("items" | "additionalProperties", Value::Object(_) | Value::Bool(_)) => {
                Some(self.schema(value, depth + 1)?)
            }
            ("prefixItems" | "anyOf" | "oneOf" | "allOf", Value::Array(schemas)) if !schemas.is_empty() => {
                let mut kept = Vec::new();
                for schema in schemas {
                    kept.push(self.schema(schema, depth + 1)?);
                }
                Some(Value::Array(kept))
            }
            ("enum", Value::Array(words)) if words.len() > MAX_CHOICES => {
                return Err(format!("a choice has more than {MAX_CHOICES} words"));
            }
            ("enum", Value::Array(words)) => words.iter().all(is_scalar).then(|| value.clone()),
            ("const" | "default", value) => is_scalar(value).then(|| value.clone()),
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", Value::Number(_)) => {
                Some(value.clone())
            }
            ("multipleOf", Value::Number(number)) => {
                number.as_f64().is_some_and(|number| number > 0.0).then(|| value.clone())
            }
            (
                "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties",
                Value::Number(number),
            ) => number.as_u64().map(|_| value.clone()),
            ("uniqueItems", Value::Bool(_)) => Some(value.clone()),
            ("pattern", Value::String(pattern)) => is_pattern(pattern).then(|| value.clone()),
            _ => None,
        };
        Ok(kept)
    }
}

fn is_plain(text: &str) -> bool {
    text.chars().count() <= MAX_TEXT && cleaned(text, MAX_TEXT).0 == text
}

fn is_scalar(value: &Value) -> bool {
    match value {
        Value::String(text) => is_plain(text),
        Value::Array(_) | Value::Object(_) => false,
        _ => true,
    }
}

/// Whether it is a regular expression that takes no longer than the text is long.
fn is_pattern(pattern: &str) -> bool {
    let is_short = pattern.len() <= MAX_PATTERN;
    is_short && RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(schema: Value) -> Result<Value, String> {
        reduced(schema.as_object().unwrap())
    }

    #[test]
    fn a_usual_schema_stays_as_it_is_but_for_titles() {
        let reduced = of(json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "title": "Args", "type": "object",
            "properties": {
                "zone": {"type": "string", "description": "IANA name", "title": "Zone"},
                "mode": {"$ref": "#/$defs/Mode", "description": "which"},
                "many": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}], "default": null},
            },
            "required": ["zone"], "additionalProperties": false,
            "$defs": {"Mode": {"enum": ["a", "b"], "title": "Mode"}},
        }));
        let expected = json!({
            "type": "object",
            "properties": {
                "zone": {"type": "string", "description": "IANA name"},
                "mode": {"enum": ["a", "b"], "description": "which"},
                "many": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}], "default": null},
            },
            "required": ["zone"], "additionalProperties": {"not": {}},
        });
        assert_eq!(reduced.unwrap(), expected);
        assert_eq!(of(json!({})).unwrap(), json!({"type": "object"}));
    }

    #[test]
    fn one_that_refers_to_itself_ends() {
        let tree = of(json!({
            "type": "object", "properties": {"tree": {"$ref": "#/$defs/Tree"}},
            "$defs": {"Tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}}},
        }));
        assert_eq!(tree.unwrap()["properties"]["tree"]["properties"]["left"], json!({}));
        assert!(of(json!({"$ref": "#"})).is_ok(), "it says nothing");
    }

    #[test]
    fn ones_that_would_grow_are_refused() {
        // Each level twice the one before it: 2^20 parts.
        let levels = (0..20).map(|n| {
            let next = json!({"$ref": format!("#/$defs/l{}", n + 1)});
            (format!("l{n}"), json!({"allOf": [next, next]}))
        });
        let mut defs: Map<String, Value> = levels.collect();
        defs.insert("l20".into(), json!({}));
        let bomb = of(json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/l0"}}, "$defs": defs}));
        assert!(bomb.is_err(), "{bomb:?}");
        let mut deep = json!({"type": "string"});
        for _ in 0..50 {
            deep = json!({"type": "array", "items": deep});
        }
        assert!(of(json!({"properties": {"a": deep}})).unwrap_err().contains("levels deep"));
        let wide: Map<String, Value> = (0..2000).map(|n| (format!("p{n}"), json!({}))).collect();
        assert!(of(json!({"properties": wide})).unwrap_err().contains("parts"));
        let long = json!({"enum": (0..200).map(|n| format!("{n}{}", "x".repeat(250))).collect::<Vec<_>>()});
        assert!(of(json!({"properties": {"a": long}})).unwrap_err().contains("bytes"));
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        for (schema, why) in [
            (json!({"type": "string"}), "no object"),
            (json!({"type": ["object", "null"]}), "no object"),
            (
                json!({"properties": {"a": {"$ref": "http://example.org/x"}}}),
                "refers to http://example.org/x",
            ),
            (json!({"properties": {"a": 5}}), "a part of its schema is none"),
            (json!({"properties": {"a\u{1b}[2J": {}}}), "a name that is none"),
        ] {
            let error = of(schema.clone()).unwrap_err();
            assert!(error.contains(why), "{schema}: {error}");
        }
    }

    #[test]
    fn patterns_that_could_take_for_ever_are_left_out() {
        let of = |pattern: &str| {
            of(json!({"properties": {"a": {"pattern": pattern}}})).unwrap()["properties"]["a"].clone()
        };
        assert_eq!(of("^[a-z]+$"), json!({"pattern": "^[a-z]+$"}));
        for pattern in ["(a)\\1", "(?=a)", "(", "((a{1,100}){1,100}){1,100}", &"a".repeat(300)] {
            assert_eq!(of(pattern), json!({}), "{pattern}");
        }
    }
}

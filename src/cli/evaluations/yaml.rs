//! YAML as JSON values, for the data of evaluations.

use hark_core::{Fault, FaultKind};
use saphyr::{LoadableYamlNode, Scalar, Yaml};
use serde_json::{Map, Value};
use std::path::Path;

/// Reads a file that holds one document.
///
/// # Errors
/// When it cannot be read or is no YAML.
pub(crate) fn read(path: &Path) -> Result<Value, Fault> {
    let wrong = |why: String| {
        Fault::new(
            FaultKind::BadInput,
            "eval",
            format!("{}: {why}", path.display()),
            "correct it, or name another",
        )
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    parse(&text).map_err(wrong)
}

/// The first document of a text; keys that are no text are left out.
///
/// # Errors
/// What the parser says, with the place.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    let documents = Yaml::load_from_str(text).map_err(|error| error.to_string())?;
    Ok(documents.first().map_or(Value::Null, value))
}

fn value(node: &Yaml<'_>) -> Value {
    match node {
        Yaml::Value(Scalar::Boolean(is_so)) => (*is_so).into(),
        Yaml::Value(Scalar::Integer(number)) => (*number).into(),
        Yaml::Value(Scalar::FloatingPoint(number)) => number.into_inner().into(),
        Yaml::Value(Scalar::String(text)) => text.as_ref().into(),
        Yaml::Representation(text, ..) => text.as_ref().into(),
        Yaml::Tagged(_, node) => value(node),
        Yaml::Sequence(items) => items.iter().map(value).collect(),
        Yaml::Mapping(entries) => {
            let entries =
                entries.iter().filter_map(|(key, item)| Some((key.as_str()?.to_owned(), value(item))));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        Yaml::Value(Scalar::Null) | Yaml::Alias(_) | Yaml::BadValue => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_kind_of_value_is_read() {
        let text = "a:\n  - { say: \"x, y\", now: { light.one: \"on\", b: 10, c: 0.5, d: true, e: ~ } }\n";
        let wanted = json!({"a": [{"say": "x, y", "now": {"light.one": "on", "b": 10, "c": 0.5, "d": true, "e": null}}]});
        assert_eq!(parse(text).unwrap(), wanted);
        assert!(parse("a: [1").unwrap_err().contains('1'), "the place is told");
    }
}

//! Every key with its type, range, default and text, read from the section structs: the doc comment, the `range` attribute
//! and `Default` of a field are the only place a key is described.

use crate::Config;
use schemars::generate::SchemaSettings;
use serde_json::Value as Json;
use std::sync::OnceLock;
use toml::Value;

/// What a key holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A whole number within bounds, both included.
    Whole {
        /// Smallest value allowed.
        min: i64,
        /// Largest value allowed.
        max: i64,
    },
    /// A number within bounds, both included.
    Number {
        /// Smallest value allowed.
        min: f64,
        /// Largest value allowed.
        max: f64,
        /// Kept as `f32`, so that its default is written with seven digits.
        single: bool,
    },
    /// Any text.
    Text,
    /// The path of a file that must exist; empty means none.
    File,
    /// The path of a folder; empty means the default.
    Folder,
    /// `true` or `false`.
    Flag,
    /// One of a few words.
    Choice(Vec<String>),
    /// A list of texts.
    List,
    /// Tables under names of the owner's choice, each with these keys.
    Tables(Vec<Key>),
}

/// One key.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// Section, such as `wake`.
    pub section: String,
    /// Key within the section, such as `threshold`.
    pub name: String,
    /// What it is for: the doc comment of the field.
    pub doc: String,
    /// What it may hold.
    pub kind: Kind,
    /// What it holds when nothing is said.
    pub default: Value,
}

impl Key {
    /// `section.name`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// Whether it stands for several tables, which are written by hand, and of which there are none by default.
    pub fn is_tables(&self) -> bool {
        matches!(self.kind, Kind::Tables(_))
    }

    /// The unit, from the ending of the name; `None` for keys without one.
    pub fn unit(&self) -> Option<&'static str> {
        const UNITS: [(&str, &str); 10] = [
            ("_ms", "milliseconds"),
            ("_hz", "hertz"),
            ("_db", "decibels"),
            ("_bytes", "bytes"),
            ("_frames", "frames"),
            ("_percent", "percent"),
            ("_wpm", "words a minute"),
            ("_hops", "hops of 80 ms"),
            ("latitude", "degrees"),
            ("longitude", "degrees"),
        ];
        UNITS.iter().find(|(ending, _)| self.name.ends_with(ending)).map(|(_, unit)| *unit)
    }

    /// The range or the words allowed, as a person reads it; `None` when anything goes.
    pub fn allowed(&self) -> Option<String> {
        match &self.kind {
            Kind::Whole { min, max } => Some(format!("{min} to {max}")),
            Kind::Number { min, max, .. } => Some(format!("{min} to {max}")),
            Kind::Flag => Some("true or false".into()),
            Kind::Choice(words) => Some(words.join(", ")),
            Kind::Text | Kind::File | Kind::Folder | Kind::List | Kind::Tables(_) => None,
        }
    }
}

/// A section with its words.
#[derive(Debug, Clone)]
pub struct Section {
    /// Name, such as `wake`.
    pub name: String,
    /// What it is about.
    pub doc: String,
    /// Its keys in the order of the struct.
    pub keys: Vec<Key>,
}

/// All sections in the order of [`Config`]; made once.
pub fn sections() -> &'static [Section] {
    static SECTIONS: OnceLock<Vec<Section>> = OnceLock::new();
    SECTIONS.get_or_init(read_sections)
}

/// All keys of all sections.
pub fn keys() -> impl Iterator<Item = &'static Key> {
    sections().iter().flat_map(|section| section.keys.iter())
}

/// The key at `section.name`.
pub fn find(path: &str) -> Option<&'static Key> {
    let (section, name) = path.split_once('.')?;
    keys().find(|key| key.section == section && key.name == name)
}

/// The JSON Schema of the whole configuration, as pinned in `contracts/config.schema.json`.
pub fn schema() -> Json {
    let generator = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = generator.into_generator().into_root_schema_for::<Config>().to_value();
    tidy_numbers(&mut schema);
    schema
}

fn read_sections() -> Vec<Section> {
    let schema = schema();
    let defaults = Value::try_from(Config::default()).unwrap_or_else(|_| Value::Table(toml::Table::new()));
    let mut sections = Vec::new();
    for (name, part) in properties(&schema) {
        let keys = defaults.get(name).map(|defaults| keys_of(name, part, defaults)).unwrap_or_default();
        sections.push(Section { name: name.clone(), doc: doc_of(part), keys });
    }
    sections
}

/// The keys of a section or of a table in it.
fn keys_of(section: &str, schema: &Json, defaults: &Value) -> Vec<Key> {
    let fields = properties(schema).filter_map(|(name, field)| {
        let path = format!("{section}.{name}");
        let kind = kind_of(&path, field)?;
        let default = shortened(defaults.get(name)?.clone(), &kind);
        Some(Key { section: section.to_owned(), name: name.clone(), doc: doc_of(field), kind, default })
    });
    fields.collect()
}

fn properties(schema: &Json) -> impl Iterator<Item = (&String, &Json)> {
    schema.get("properties").and_then(Json::as_object).into_iter().flatten()
}

fn doc_of(schema: &Json) -> String {
    let text = schema.get("description").and_then(Json::as_str).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn kind_of(path: &str, field: &Json) -> Option<Kind> {
    if let Some(words) = choices(field) {
        return Some(Kind::Choice(words));
    }
    let bound = |name: &str| field.get(name).and_then(Json::as_f64);
    match field.get("type")?.as_str()? {
        "boolean" => Some(Kind::Flag),
        "array" => Some(Kind::List),
        "integer" => Some(Kind::Whole { min: bound("minimum")? as i64, max: bound("maximum")? as i64 }),
        "number" => {
            let single = field.get("format").and_then(Json::as_str) == Some("float");
            Some(Kind::Number { min: bound("minimum")?, max: bound("maximum")?, single })
        }
        "string" => Some(match field.get("x-holds").and_then(Json::as_str) {
            Some("file") => Kind::File,
            Some("folder") => Kind::Folder,
            _ => Kind::Text,
        }),
        "object" => {
            let table = field.get("additionalProperties")?;
            // The schema has the default of every field of a struct that has one itself.
            let defaults: toml::Table = properties(table)
                .filter_map(|(name, field)| {
                    let default = field.get("default").filter(|default| !default.is_null())?;
                    Some((name.clone(), Value::try_from(default).ok()?))
                })
                .collect();
            Some(Kind::Tables(keys_of(path, table, &Value::Table(defaults))))
        }
        _ => None,
    }
}

fn choices(field: &Json) -> Option<Vec<String>> {
    let word = |value: &Json| value.as_str().map(str::to_owned);
    if let Some(words) = field.get("enum").and_then(Json::as_array) {
        return words.iter().map(word).collect();
    }
    let variants = field.get("oneOf").and_then(Json::as_array)?;
    variants.iter().map(|variant| variant.get("const").and_then(word)).collect()
}

/// An `f32` turned to `f64` grows digits that were not written; this takes them away again.
pub(crate) fn shortened(value: Value, kind: &Kind) -> Value {
    match (value, kind) {
        (Value::Float(number), Kind::Number { single: true, .. }) => Value::Float(short(number)),
        (value, _) => value,
    }
}

fn short(number: f64) -> f64 {
    (number as f32).to_string().parse().unwrap_or(number)
}

/// Shortens the `f32` defaults inside the schema, which would otherwise read 0.3499999940395355.
fn tidy_numbers(schema: &mut Json) {
    match schema {
        Json::Object(map) => map.values_mut().for_each(tidy_numbers),
        Json::Array(items) => items.iter_mut().for_each(tidy_numbers),
        Json::Number(number) if number.is_f64() => {
            if let Some(long) = number.as_f64()
                && f64::from(long as f32) == long
                && let Some(shorter) = serde_json::Number::from_f64(short(long))
            {
                *number = shorter;
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_every_section_is_a_key() {
        let defaults = Value::try_from(Config::default()).unwrap();
        let mut fields = 0;
        for (section, part) in defaults.as_table().unwrap() {
            for name in part.as_table().unwrap().keys() {
                let path = format!("{section}.{name}");
                let key = find(&path).unwrap_or_else(|| panic!("{path} has no range or an unknown type"));
                assert!(key.doc.ends_with('.'), "{path} needs a doc comment that is a sentence");
                fields += 1;
            }
        }
        assert_eq!(fields, keys().count());
    }

    #[test]
    fn ranges_units_and_words_come_from_the_structs() {
        let threshold = find("vad.threshold_off").unwrap();
        assert_eq!(threshold.kind, Kind::Number { min: 0.01, max: 0.95, single: true });
        assert_eq!(threshold.default, Value::Float(0.35));
        assert_eq!(find("endpoint.silence_ms").unwrap().unit(), Some("milliseconds"));
        assert_eq!(find("mqtt.broker").unwrap().kind, Kind::Choice(vec!["embedded".into(), "none".into()]));
        assert_eq!(find("home.file").unwrap().kind, Kind::File);
        assert!(find("wake.thresold").is_none());
    }

    #[test]
    fn every_default_lies_within_its_own_range() {
        for key in keys() {
            match (&key.kind, &key.default) {
                (Kind::Whole { min, max }, Value::Integer(value)) => assert!((min..=max).contains(&value)),
                (Kind::Number { min, max, .. }, Value::Float(value)) => {
                    assert!((min..=max).contains(&value), "{}", key.path());
                }
                (Kind::Choice(words), Value::String(value)) => assert!(words.contains(value)),
                _ => {}
            }
        }
    }
}

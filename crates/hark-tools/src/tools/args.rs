//! Checking the arguments of a call against its descriptor: what comes out has the types and ranges
//! the tool's code relies on.

use super::outcome::Failure;
use super::parameter::{Arg, Kind, MAX_PAIR_CHARS};
use crate::names::{in_a_row, normal};
use hark_core::calendar::{Recurrence, When};
use hark_core::memory::Requester;
use hark_core::{Slots, ToolCall, TurnId};
use hark_home::colours;
use serde_json::{Value, json};

/// Longest text of an argument, characters.
const MAX_TEXT_CHARS: usize = 100;

/// Arguments that passed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Args(Slots, Asked);

/// By whom and when.
#[derive(Debug, Clone, PartialEq, Default)]
struct Asked {
    key: String,
    asked_unix_ms: Option<i64>,
    unasked: bool,
    approved: bool,
    unattended: bool,
    turn: Option<TurnId>,
    requester: Requester,
}

impl Args {
    /// Checks `slots` against the parameters of a tool. A `null` counts as missing.
    ///
    /// # Errors
    /// `bad_argument` for the first that is unknown, missing, of the wrong kind or out of range; the
    /// failure names it in `argument`.
    pub fn check(tool: &str, parameters: &[&Arg], slots: &Slots) -> Result<Self, Failure> {
        let mut checked = Slots::new();
        for (name, value) in slots.iter().filter(|(_, value)| !value.is_null()) {
            let Some(arg) = parameters.iter().find(|arg| arg.name == name) else {
                let known: Vec<&str> = parameters.iter().map(|arg| arg.name).collect();
                let message = format!("{tool} has no argument {name}; it has {}", in_a_row(&known, "and"));
                return Err(Failure::wrong_call(name, message));
            };
            let value = arg.check(value).map_err(|wanted| {
                Failure::wrong_call(name, format!("{name} of {tool} must be {wanted}, and is {value}"))
            })?;
            checked.insert(name.clone(), value);
        }
        match parameters.iter().find(|arg| arg.required && !checked.contains_key(arg.name)) {
            Some(arg) => {
                Err(Failure::wrong_call(arg.name, format!("{tool} needs {} ({})", arg.name, arg.description)))
            }
            None => Ok(Self(checked, Asked::default())),
        }
    }

    /// The same, of this call, whose request came at `asked_unix_ms` where that was written down.
    #[must_use]
    pub fn of_call(self, call: &ToolCall, asked_unix_ms: Option<i64>) -> Self {
        // Also the arguments: what asks something else at the same place of a turn is another call.
        let args = serde_json::to_string(&call.args).unwrap_or_default();
        let key = format!("{}/{}/{}/{args}", call.turn, call.index, call.tool);
        Self(
            self.0,
            Asked {
                key,
                asked_unix_ms,
                unasked: call.tainted && !call.approved,
                approved: call.approved,
                unattended: call.unattended,
                turn: Some(call.turn.clone()),
                requester: call.requester.clone(),
            },
        )
    }

    /// Whether untrusted text may have caused the call and it was not approved.
    pub fn is_unasked(&self) -> bool {
        self.1.unasked
    }

    /// Whether a person said yes to this call.
    pub fn is_approved(&self) -> bool {
        self.1.approved
    }

    /// Whether nobody is there who has just asked for it.
    pub fn is_unattended(&self) -> bool {
        self.1.unattended
    }

    /// The turn that the call is of.
    pub fn turn(&self) -> Option<&TurnId> {
        self.1.turn.as_ref()
    }

    /// Who asked, and in which conversation.
    pub fn requester(&self) -> &Requester {
        &self.1.requester
    }

    /// Names the call: it is the same when the call comes again, also after a restart. Empty without a call.
    pub fn key(&self) -> &str {
        &self.1.key
    }

    /// When the request came, milliseconds since the Unix epoch, where that was written down with it; `None`: now.
    pub fn asked_unix_ms(&self) -> Option<i64> {
        self.1.asked_unix_ms
    }

    /// All of them, by name.
    pub fn slots(&self) -> &Slots {
        &self.0
    }

    /// A text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// A text of its own.
    pub fn owned(&self, name: &str) -> Option<String> {
        self.text(name).map(str::to_owned)
    }

    /// A number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(Value::as_f64)
    }

    /// Yes or no.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.0.get(name).and_then(Value::as_bool)
    }

    /// A day, moment or span.
    pub fn when(&self, name: &str) -> Option<When> {
        self.text(name).and_then(When::parse)
    }

    /// Texts in their order; none when the argument is missing.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        self.0.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Names and their texts; none when the argument is missing.
    pub fn pairs(&self, name: &str) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.0.get(name).and_then(Value::as_object).into_iter().flatten();
        pairs.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
    }

    /// Whatever it is.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// A call as a person is asked about it: every argument, word by word.
    pub fn in_words(&self, tool: &str) -> String {
        let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut words = vec![tool.to_owned()];
        for value in self.0.values() {
            match value {
                Value::Array(list) => words.extend(list.iter().map(plain)),
                value => words.push(plain(value)),
            }
        }
        words.join(" ")
    }

    /// The arguments as a person is asked about them, each with its name.
    pub fn told(&self) -> String {
        let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let told: Vec<String> = self
            .0
            .iter()
            .map(|(name, value)| format!("{}: {}", name.replace('_', " "), plain(value)))
            .collect();
        told.join(", ")
    }

    /// A whole number of a range that was checked to fit.
    pub fn integer<T: TryFrom<i64>>(&self, name: &str) -> Option<T> {
        self.0.get(name).and_then(Value::as_i64).and_then(|number| T::try_from(number).ok())
    }
}

impl Arg {
    /// The value in its proper form, or what it must be.
    fn check(&self, value: &Value) -> Result<Value, String> {
        match self.kind {
            Kind::Text => text(value, MAX_TEXT_CHARS).map(Value::String).ok_or_else(|| "a text".into()),
            Kind::Words(most) => text(value, most)
                .map(Value::String)
                .ok_or_else(|| format!("a text of at most {most} characters")),
            Kind::Value(most) => match value {
                Value::Number(number) => Ok(json!(number.to_string())),
                value => text(value, most)
                    .map(Value::String)
                    .ok_or_else(|| format!("a number, or a text of at most {most} characters")),
            },
            Kind::Raw(most) => {
                let fits = |text: &&str| !text.is_empty() && text.chars().count() <= most;
                let text = value.as_str().filter(fits);
                text.map(|text| json!(text)).ok_or_else(|| format!("a text of at most {most} characters"))
            }
            Kind::Texts(most, chars) => texts(value, most, chars)
                .ok_or_else(|| format!("a list of at most {most} texts of at most {chars} characters each")),
            Kind::Pairs(most) => pairs(value, most).ok_or_else(|| {
                format!("an object of at most {most} texts of at most {MAX_PAIR_CHARS} characters each")
            }),
            Kind::Body(bytes) => {
                let kind = value.is_string() || value.is_object() || value.is_array();
                let fits = kind && value.to_string().len() <= bytes;
                fits.then(|| value.clone())
                    .ok_or_else(|| format!("a text, object or list of at most {bytes} bytes"))
            }
            Kind::Flag => match value {
                Value::Bool(_) => Ok(value.clone()),
                Value::String(word) if matches!(word.as_str(), "true" | "on") => Ok(json!(true)),
                Value::String(word) if matches!(word.as_str(), "false" | "off") => Ok(json!(false)),
                _ => Err("true or false".into()),
            },
            Kind::When => {
                let known = text(value, MAX_TEXT_CHARS).filter(|when| When::parse(when).is_some());
                known.map(Value::String).ok_or_else(|| "a day or moment of ISO 8601".into())
            }
            Kind::Recurrence => {
                let known = text(value, MAX_TEXT_CHARS).filter(|rule| Recurrence::parse(rule).is_some());
                known.map(Value::String).ok_or_else(|| "a recurrence rule of RFC 5545".into())
            }
            Kind::Choice(choices) => {
                let text = text(value, MAX_TEXT_CHARS).map(|text| text.to_lowercase());
                let found = text.and_then(|text| choices.iter().find(|choice| choice.to_lowercase() == text));
                found.map(|choice| json!(choice)).ok_or_else(|| format!("one of {}", choices.join(", ")))
            }
            Kind::Colour => {
                let known = text(value, MAX_TEXT_CHARS).filter(|name| colours::rgb(name).is_some());
                known.map(|name| json!(normal(&name))).ok_or_else(|| "the name of a colour".into())
            }
            Kind::Integer(low, high) => {
                let wanted = || format!("a whole number from {low} to {high}");
                let number = number(value).filter(|number| number.fract() == 0.0).ok_or_else(wanted)?;
                // Cannot cut anything: the range check follows, and all ranges are far inside i64.
                #[allow(clippy::cast_possible_truncation)]
                let whole = number as i64;
                if (low..=high).contains(&whole) { Ok(json!(whole)) } else { Err(wanted()) }
            }
            Kind::Number(low, high) => in_range(value, low, high),
            Kind::Step(low, high) => match text(value, MAX_TEXT_CHARS).as_deref() {
                Some(word @ ("up" | "down")) => Ok(json!(word)),
                _ => in_range(value, low, high).map_err(|wanted| format!("up, down or {wanted}")),
            },
        }
    }
}

fn in_range(value: &Value, low: f64, high: f64) -> Result<Value, String> {
    let found = number(value).filter(|number| (low..=high).contains(number));
    found.map(|number| json!(number)).ok_or_else(|| format!("a number from {low} to {high}"))
}

fn texts(value: &Value, most: usize, chars: usize) -> Option<Value> {
    let list = value.as_array().filter(|list| list.len() <= most)?;
    let fits = |one: &Value| one.as_str().is_some_and(|text| text.chars().count() <= chars);
    list.iter().all(fits).then(|| value.clone())
}

/// Numbers and flags become the texts they are written as.
fn pairs(value: &Value, most: usize) -> Option<Value> {
    let pairs = value.as_object().filter(|pairs| pairs.len() <= most)?;
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    let fits = |text: &String| text.chars().count() <= MAX_PAIR_CHARS;
    let one = |(name, value): (&String, &Value)| Some((name.clone(), json!(text(value).filter(fits)?)));
    pairs.iter().map(one).collect::<Option<Slots>>().map(Value::Object)
}

/// Text of at most `most` characters; control characters become blanks.
fn text(value: &Value, most: usize) -> Option<String> {
    let text = value.as_str()?.replace(char::is_control, " ");
    let text = text.trim();
    (!text.is_empty() && text.chars().count() <= most).then(|| text.to_owned())
}

fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::super::table::{TABLE, find};
    use super::*;
    use hark_core::tool::error_code;
    use proptest::prelude::*;

    fn check(tool: &str, slots: Value) -> Result<Args, Failure> {
        let Value::Object(slots) = slots else { panic!("an object") };
        find(tool).unwrap().check(&slots)
    }

    #[test]
    fn good_arguments_come_out_in_their_proper_form() {
        let args =
            check("home.light_set", json!({"name": " Lamp ", "brightness": "50", "area": null})).unwrap();
        assert_eq!(args.text("name"), Some("Lamp"));
        assert_eq!(args.integer::<u8>("brightness"), Some(50));
        assert_eq!(args.text("area"), None);
        let args = check("http.request", json!({"url": "x", "method": "post", "query": {"n": 1, "t": true}}))
            .unwrap();
        assert_eq!(
            (args.text("method"), args.pairs("query").collect()),
            (Some("POST"), vec![("n", "1"), ("t", "true")])
        );
        let args = check("shell.run", json!({"program": "x", "args": [" a ", ""]})).unwrap();
        assert_eq!((args.texts("args"), args.texts("nothing")), (vec![" a ", ""], vec![]));
        assert_eq!(
            check("home.set_position", json!({"position": 50.0})).unwrap().integer::<u8>("position"),
            Some(50)
        );
    }

    #[test]
    fn bad_ones_are_named() {
        let cases = [
            ("home.light_set", json!({"brightness": 101}), "brightness"),
            ("home.light_set", json!({"brightness": -1}), "brightness"),
            ("home.light_set", json!({"brightness": 50.5}), "brightness"),
            ("home.light_set", json!({"brightness": "half"}), "brightness"),
            ("home.light_set", json!({"color": "plaid"}), "color"),
            ("home.light_set", json!({"name": 3}), "name"),
            ("home.light_set", json!({"name": "  "}), "name"),
            ("home.light_set", json!({"name": "x".repeat(101)}), "name"),
            ("home.set_position", json!({}), "position"),
            ("home.turn_on", json!({"brightness": 3}), "brightness"),
            ("home.get_state", json!({"response": "maybe"}), "response"),
            ("volume.change", json!({"volume_step": "sideways"}), "volume_step"),
            ("timer.start", json!({"hours": []}), "hours"),
            ("alarm.set", json!({"when": "tomorrow"}), "when"),
            ("alarm.set", json!({"recurrence": "every day"}), "recurrence"),
            ("media.shuffle", json!({"shuffle": "maybe"}), "shuffle"),
            ("memory.remember", json!({"fact": "x".repeat(501)}), "fact"),
            ("shell.run", json!({"program": "echo", "args": "x"}), "args"),
            ("shell.run", json!({"program": "echo", "args": ["x", 3]}), "args"),
            ("shell.run", json!({"program": "echo", "args": vec!["x"; 65]}), "args"),
            ("shell.run", json!({"program": "echo", "args": ["x".repeat(1001)]}), "args"),
            ("http.request", json!({"url": "x", "headers": {"a": ["b"]}}), "headers"),
            ("http.request", json!({"url": "x", "headers": ["a"]}), "headers"),
            ("http.request", json!({"url": "x", "body": 3}), "body"),
            ("http.request", json!({"url": "x", "method": "TRACE"}), "method"),
            ("filesystem.read", json!({"path": ""}), "path"),
        ];
        for (tool, slots, argument) in cases {
            let failure = check(tool, slots.clone()).unwrap_err();
            assert_eq!(failure.code(), error_code::BAD_ARGUMENT, "{tool} {slots}");
            assert_eq!(failure.detail()["argument"], argument, "{tool} {slots}");
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-200i64..300).prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a-z0-9 .-]{0,8}".prop_map(Value::from),
            Just(json!(["a"])),
            Just(json!({"a": 1})),
            Just(json!({"a": {"b": [null]}})),
        ]
    }

    proptest! {
        /// Whatever arguments come, what passes is valid by the published schema.
        #[test]
        fn what_passes_fits_the_published_schema(
            tool in 0..TABLE.len(),
            picks in proptest::collection::vec((any::<prop::sample::Index>(), any_value()), 0..5),
        ) {
            let tool = TABLE[tool];
            let args: Vec<&Arg> = tool.arguments().collect();
            let mut slots = Slots::new();
            for (pick, value) in picks {
                let name = if args.is_empty() { "x" } else { args[pick.index(args.len())].name };
                slots.insert(name.to_owned(), value);
            }
            if let Ok(Args(checked, ..)) = tool.check(&slots) {
                let schema = tool.args_schema();
                let valid = jsonschema::is_valid(&schema, &Value::Object(checked.clone()));
                prop_assert!(valid, "{} {:?}", tool.name, checked);
            }
        }
    }
}

//! Whether a device is available, from the availability topics of the device and its bridge.

use super::fields::{ConfigError, Fields, Source, as_text};
use super::template::TemplateError;
use serde_json::Value;

/// Most places that tell of one device.
const TOPICS_MAX: usize = 16;

/// Which of several places count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    All,
    Any,
    Latest,
}

/// One place that tells.
#[derive(Debug, Clone, PartialEq)]
struct AvailabilityTopic {
    source: Source,
    here: String,
    away: String,
    is_here: bool,
}

/// Whether a device can be reached. Without a place that tells it always can; with some it cannot until they
/// say so.
#[derive(Debug, Clone, PartialEq)]
pub struct Availability {
    mode: Mode,
    places: Vec<AvailabilityTopic>,
    latest: bool,
}

impl Availability {
    /// What a payload says about it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields) -> Result<Self, ConfigError> {
        let mode = match fields.text("availability_mode")?.as_deref() {
            None | Some("latest") => Mode::Latest,
            Some("all") => Mode::All,
            Some("any") => Mode::Any,
            Some(other) => {
                return Err(ConfigError::Unknown {
                    key: "availability_mode",
                    value: other.chars().take(40).collect(),
                });
            }
        };
        let mut places = Vec::new();
        places.extend(availability_topic(fields, "availability_topic", &["availability_template"])?);
        let listed: Vec<Value> = match fields.value("availability") {
            None => Vec::new(),
            Some(Value::Array(list)) if list.len() > TOPICS_MAX => {
                return Err(ConfigError::TooMany("16 places that tell whether it is there"));
            }
            Some(Value::Array(list)) => list.clone(),
            // One place without a list around it.
            Some(one) => vec![one.clone()],
        };
        for value in listed {
            let expected =
                || ConfigError::Unexpected { key: "availability".into(), expected: "a list of places" };
            let one = match (&value, as_text(&value)) {
                (Value::Object(map), _) => Fields::new(map.clone()),
                (_, Some(topic)) => Fields::new([("topic".to_owned(), topic.into())].into_iter().collect()),
                _ => return Err(expected()),
            };
            places.push(availability_topic(&one, "topic", &["value_template"])?.ok_or_else(expected)?);
        }
        Ok(Self { mode, places, latest: false })
    }

    /// Topics it listens to.
    pub fn topics(&self) -> Vec<&str> {
        self.places.iter().map(|place| place.source.topic.as_str()).collect()
    }

    /// A message came on the topic at this place of the list.
    ///
    /// # Errors
    /// When the template does not fit it.
    pub fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some(place) = self.places.get_mut(at) else { return Ok(()) };
        let reported = place.source.read(payload)?;
        if reported == place.here {
            place.is_here = true;
        } else if reported == place.away {
            place.is_here = false;
        } else {
            return Ok(());
        }
        self.latest = place.is_here;
        Ok(())
    }

    /// Whether it can be reached.
    pub fn is_here(&self) -> bool {
        self.places.is_empty()
            || match self.mode {
                Mode::All => self.places.iter().all(|place| place.is_here),
                Mode::Any => self.places.iter().any(|place| place.is_here),
                Mode::Latest => self.latest,
            }
    }
}

fn availability_topic(
    fields: &Fields,
    topic: &str,
    templates: &[&str],
) -> Result<Option<AvailabilityTopic>, ConfigError> {
    let Some(source) = fields.source(topic, templates)? else { return Ok(None) };
    Ok(Some(AvailabilityTopic {
        source,
        here: fields.text_or("payload_available", "online")?,
        away: fields.text_or("payload_not_available", "offline")?,
        is_here: false,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn availability(value: Value) -> Availability {
        Availability::new(&Fields::new(value.as_object().cloned().unwrap())).unwrap()
    }

    #[test]
    fn without_a_place_a_device_is_there_and_with_one_when_it_says_so() {
        assert!(availability(json!({})).is_here());
        let mut one = availability(json!({"availability_topic": "a", "payload_available": "Online",
            "payload_not_available": "Offline"}));
        for (payload, here) in [("nonsense", false), ("Online", true), ("nonsense", true), ("Offline", false)]
        {
            one.take(0, payload).unwrap();
            assert_eq!(one.is_here(), here, "{payload}");
        }
    }

    #[test]
    fn several_places_count_as_the_mode_says() {
        let list = json!([
            {"topic": "bridge", "value_template": "{{ value_json.state }}"},
            {"topic": "device"},
        ]);
        for (mode, after) in [
            ("all", [false, true, false, false]),
            ("any", [true, true, true, false]),
            ("latest", [true, true, false, false]),
        ] {
            let mut both = availability(json!({"availability": list, "availability_mode": mode}));
            let messages =
                [(0, r#"{"state":"online"}"#), (1, "online"), (1, "offline"), (0, r#"{"state":"offline"}"#)];
            for ((at, payload), here) in messages.into_iter().zip(after) {
                both.take(at, payload).unwrap();
                assert_eq!(both.is_here(), here, "{mode} {payload}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_refused() {
        for value in [
            json!({"availability_mode": "some"}),
            json!({"availability": [5.5]}),
            json!({"availability": [{"topic": "a/b#"}]}),
            json!({"availability": [{}]}),
            json!({"availability": vec!["a"; 17]}),
        ] {
            let fields = Fields::new(value.as_object().cloned().unwrap());
            assert!(Availability::new(&fields).is_err() || value["availability"] == json!([5.5]), "{value}");
        }
    }
}

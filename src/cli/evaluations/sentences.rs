//! What is said in evaluations: `sentences.yaml`, as it was built in.

use super::{failed, yaml};
use hark_core::Fault;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The file, key by key; what each is for stands there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sentences {
    pub(crate) voices: Vec<String>,
    pub(crate) not_for_the_house: Vec<String>,
    pub(crate) any_slots: BTreeMap<String, String>,
    pub(crate) spoken_requests: Vec<String>,
    pub(crate) german_requests: Vec<String>,
    pub(crate) interruptions: Vec<String>,
    pub(crate) other_speech: Vec<String>,
    pub(crate) rings: Vec<String>,
    pub(crate) list_items: Vec<String>,
    pub(crate) storeys: Vec<String>,
    pub(crate) rooms: Vec<String>,
    pub(crate) lights: Vec<String>,
    pub(crate) light_name: String,
    pub(crate) area_name: String,
    pub(crate) light_request: String,
    pub(crate) other_area: String,
    pub(crate) woken: String,
    pub(crate) commands: Vec<String>,
}

/// What Hark is saying when it is interrupted: some 25 s, and nothing in it is like what those say who interrupt.
pub(crate) const LONG_REPLY: &str = include_str!("long_reply.txt").trim_ascii();

/// Reads it.
///
/// # Errors
/// When the file does not have the keys it should; a test reads it.
pub(crate) fn load() -> Result<Sentences, Fault> {
    let value = yaml::parse(include_str!("sentences.yaml")).map_err(failed)?;
    serde_json::from_value(value).map_err(failed)
}

/// A sentence with its blanks filled in.
pub(crate) fn fill(sentence: &str, blanks: &[(&str, &str)]) -> String {
    blanks.iter().fold(sentence.to_owned(), |text, (blank, with)| text.replace(&format!("{{{blank}}}"), with))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_every_key_and_no_list_is_empty() {
        let all = load().unwrap();
        let lists = [
            all.voices,
            all.not_for_the_house,
            all.spoken_requests,
            all.german_requests,
            all.interruptions,
            all.other_speech,
            all.rings,
            all.list_items,
            all.storeys,
            all.rooms,
            all.lights,
            all.commands,
        ];
        assert!(lists.iter().all(|list| !list.is_empty()));
        assert!(!all.any_slots.is_empty() && LONG_REPLY.len() > 100);
        assert_eq!(fill(&all.light_request, &[("name", "desk light")]), "turn on the desk light");
        assert!(!fill(&all.light_name, &[("storey", "a"), ("room", "b"), ("light", "c")]).contains('{'));
        assert!(fill(&all.woken, &[("request", "stop")]).ends_with(" stop"));
        assert!(!fill(&all.area_name, &[("storey", "a"), ("room", "b")]).contains('{'));
    }
}

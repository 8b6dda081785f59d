//! What is announced on a broker, counted without driving anything: for `hark doctor`.

use super::super::topics::Topics;
use super::announcement;
use super::fleet::{Changes, Fleet};
use std::time::Instant;

/// Most announcements that are told to be wrong by name.
const NAMED: usize = 3;

/// What is announced.
pub struct Survey {
    fleet: Fleet,
    filters: [String; 2],
    changes: Changes,
}

impl Survey {
    /// Nothing seen yet; as [`Fleet::new`].
    pub fn new(prefix: &str, topics: &Topics) -> Self {
        Self {
            fleet: Fleet::new(prefix, topics),
            filters: announcement::filters(prefix),
            changes: Changes::default(),
        }
    }

    /// What has to be listened to.
    pub fn filters(&self) -> &[String] {
        &self.filters
    }

    /// A message came.
    pub fn take(&mut self, topic: &str, payload: &[u8]) {
        self.fleet.take(topic, payload, true, Instant::now(), &mut self.changes);
    }

    /// In words, for behind a comma.
    pub fn found(&self) -> String {
        let entities = self.fleet.len();
        let wrong = self.changes.problems.len();
        let left_out = match self.fleet.left_out_in_words() {
            none if none.is_empty() => none,
            some => format!(", and these that are not for the home: {some}"),
        };
        if wrong == 0 {
            return format!("{entities} entities of devices are announced there{left_out}");
        }
        let named: Vec<String> = self
            .changes
            .problems
            .iter()
            .take(NAMED)
            .map(|one| format!("{}: {}", one.topic, one.why))
            .collect();
        format!(
            "{entities} entities of devices are announced there, and {wrong} that cannot be taken ({}){left_out}",
            named.join("; ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_with_its_topic() {
        let topics = Topics::new("hark", "homeassistant").unwrap();
        let mut survey = Survey::new("homeassistant", &topics);
        survey.take("homeassistant/switch/a/config", br#"{"name": "A", "cmd_t": "c"}"#);
        assert_eq!(survey.found(), "1 entities of devices are announced there");
        survey.take("homeassistant/tag/t/config", br#"{"topic": "t"}"#);
        survey.take(
            "homeassistant/sensor/s/config",
            br#"{"name": "S", "stat_t": "s", "ent_cat": "diagnostic"}"#,
        );
        let found = survey.found();
        assert!(found.contains("1 of the kind tag, which Hark does not drive"), "{found}");
        assert!(found.contains("1 for setting devices up"), "{found}");
        survey.take("homeassistant/tag/t/config", b"");
        assert!(!survey.found().contains("tag"), "it is gone");
        survey.take("homeassistant/switch/b/config", br#"{"name": "B", "cmd_t": "c/#"}"#);
        let found = survey.found();
        assert!(
            found.contains("1 that cannot be taken (homeassistant/switch/b/config: `command_topic`"),
            "{found}"
        );
    }
}

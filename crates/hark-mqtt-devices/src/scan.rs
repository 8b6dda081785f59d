//! Counts the devices announced on a broker without driving them, for `hark doctor`.

use super::registry::{Changes, DeviceRegistry};
use super::{OwnTopics, discovery_message};
use std::time::Instant;

/// Most announcements that are told to be wrong by name.
const MAX_NAMED: usize = 3;

/// What is announced.
pub struct DeviceScan {
    registry: DeviceRegistry,
    filters: [String; 2],
    changes: Changes,
}

impl DeviceScan {
    /// Nothing seen yet.
    pub fn new(prefix: &str, own: OwnTopics) -> Self {
        Self {
            registry: DeviceRegistry::new(prefix, own),
            filters: discovery_message::filters(prefix),
            changes: Changes::default(),
        }
    }

    /// What has to be listened to.
    pub fn filters(&self) -> &[String] {
        &self.filters
    }

    /// A message came.
    pub fn take(&mut self, topic: &str, payload: &[u8]) {
        self.registry.take(topic, payload, true, Instant::now(), &mut self.changes);
    }

    /// In words, for behind a comma.
    pub fn found(&self) -> String {
        let entities = self.registry.len();
        let wrong = self.changes.problems.len();
        let left_out = match self.registry.left_out_text() {
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
            .take(MAX_NAMED)
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
        let mut scan = DeviceScan::new("homeassistant", OwnTopics::default());
        scan.take("homeassistant/switch/a/config", br#"{"name": "A", "cmd_t": "c"}"#);
        assert_eq!(scan.found(), "1 entities of devices are announced there");
        scan.take("homeassistant/tag/t/config", br#"{"topic": "t"}"#);
        scan.take(
            "homeassistant/sensor/s/config",
            br#"{"name": "S", "stat_t": "s", "ent_cat": "diagnostic"}"#,
        );
        let found = scan.found();
        assert!(found.contains("1 of the kind tag, which Hark does not drive"), "{found}");
        assert!(found.contains("1 for setting devices up"), "{found}");
        scan.take("homeassistant/tag/t/config", b"");
        assert!(!scan.found().contains("tag"), "it is gone");
        scan.take("homeassistant/switch/b/config", br#"{"name": "B", "cmd_t": "c/#"}"#);
        let found = scan.found();
        assert!(
            found.contains("1 that cannot be taken (homeassistant/switch/b/config: `command_topic`"),
            "{found}"
        );
    }
}

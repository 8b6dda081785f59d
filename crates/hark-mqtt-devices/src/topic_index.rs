//! Index from topics to the entities that subscribe to them, with MQTT wildcards: a gateway that receives one sensor in
//! several rooms announces topics with `+` and `#`.

use super::entity::Slot;
use hark_core::EntityId;
use std::collections::{BTreeMap, HashMap};

/// Most filters with `+` or `#`: each is compared with every message.
const PATTERNS_MAX: usize = 512;

/// An entity, and which of its topics it is.
pub type Subscriber = (EntityId, Slot);

/// The index.
#[derive(Debug, Default)]
pub struct TopicIndex {
    exact: HashMap<String, Vec<Subscriber>>,
    patterns: BTreeMap<String, Vec<Subscriber>>,
}

impl TopicIndex {
    /// Whether a filter holds `+` or `#`.
    fn is_pattern(filter: &str) -> bool {
        filter.contains(['+', '#'])
    }

    /// Topics and filters that are listened to.
    pub fn len(&self) -> usize {
        self.exact.len() + self.patterns.len()
    }

    /// Whether there is no room for more filters.
    pub fn is_full_of_patterns(&self) -> bool {
        self.patterns.len() >= PATTERNS_MAX
    }

    /// Whether an entity subscribes to a topic.
    pub fn has_subscriber(&self, topic: &str) -> bool {
        self.exact.contains_key(topic) || self.patterns.keys().any(|filter| matches(filter, topic))
    }

    /// Entities that subscribe to a topic.
    pub fn subscribers<'a>(&'a self, topic: &'a str) -> impl Iterator<Item = &'a Subscriber> {
        let patterns = self.patterns.iter().filter(|(filter, _)| matches(filter, topic));
        self.exact.get(topic).into_iter().chain(patterns.map(|(_, listeners)| listeners)).flatten()
    }

    /// Adds a subscriber.
    pub fn add(&mut self, filter: &str, subscriber: Subscriber) {
        let of_filter = match Self::is_pattern(filter) {
            true => self.patterns.entry(filter.to_owned()).or_default(),
            false => self.exact.entry(filter.to_owned()).or_default(),
        };
        of_filter.push(subscriber);
    }

    /// Removes a subscriber; true when the filter has none left.
    pub fn remove(&mut self, filter: &str, id: &EntityId) -> bool {
        let of_filter = match Self::is_pattern(filter) {
            true => self.patterns.get_mut(filter),
            false => self.exact.get_mut(filter),
        };
        let Some(of_filter) = of_filter else { return false };
        of_filter.retain(|(other, _)| other != id);
        if !of_filter.is_empty() {
            return false;
        }
        self.exact.remove(filter);
        self.patterns.remove(filter);
        true
    }
}

/// Whether a filter of MQTT fits a topic (MQTT 3.1.1, 4.7). That of `rumqttc` panics at topics that begin with a letter
/// beyond ASCII.
pub fn matches(filter: &str, topic: &str) -> bool {
    if topic.starts_with('$') && filter.starts_with(['#', '+']) {
        return false;
    }
    let (mut filter, mut topic) = (filter.split('/'), topic.split('/'));
    loop {
        match (filter.next(), topic.next()) {
            (Some("#"), _) | (None, None) => return true,
            (Some("+"), Some(_)) => {}
            (Some(wanted), Some(level)) if wanted == level => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_fit_as_the_standard_says() {
        for (filter, topic, fits) in [
            ("a/b", "a/b", true),
            ("a/b", "a/b/c", false),
            ("a/+", "a/b", true),
            ("a/+", "a", false),
            ("a/+", "a/b/c", false),
            ("+/+/c", "x/y/c", true),
            ("a/#", "a", true),
            ("a/#", "a/b/c", true),
            ("#", "a/b", true),
            ("+", "", true),
            ("a/+/", "a/b/", true),
            ("#", "$SYS/broker", false),
            ("+/broker", "$SYS/broker", false),
            ("$SYS/#", "$SYS/broker", true),
            ("+/lamp", "über/lamp", true),
        ] {
            assert_eq!(matches(filter, topic), fits, "{filter} {topic}");
        }
    }
}

//! What a request was about: the slots that name it, and of which kind it is.

use hark_core::{Receipt, Slots};
use serde_json::Value;

/// Slots that say what is meant.
const SLOTS: [&str; 5] = ["name", "area", "floor", "domain", "device_class"];

/// What a request was about.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Target {
    /// The slots that name it.
    slots: Slots,
    /// Its domain, such as `light`, when that is known.
    pub domain: Option<String>,
}

impl Target {
    /// The target of a request; the receipt knows of which domain a named thing is.
    pub fn of(slots: &Slots, receipt: Option<&Receipt>) -> Self {
        let said = slots.get("domain").and_then(Value::as_str).map(str::to_owned);
        let found = receipt.and_then(|receipt| {
            let entities = receipt.detail["entities"].as_array()?;
            let mut domains = entities.iter().map(|entity| entity["domain"].as_str());
            let first = domains.next()??;
            domains.all(|domain| domain == Some(first)).then(|| first.to_owned())
        });
        let slots = slots.iter().filter(|(slot, _)| SLOTS.contains(&slot.as_str()));
        let slots = slots.map(|(slot, value)| (slot.clone(), value.clone())).collect();
        Self { slots, domain: said.or(found) }
    }

    /// The same with the name of the one thing that a receipt tells of, where none is named: "start the vacuum".
    pub fn or_the_only_one(mut self, receipt: &Receipt) -> Self {
        let only = match receipt.detail["entities"].as_array().map(Vec::as_slice) {
            Some([only]) if self.slots.is_empty() => only["name"].as_str(),
            _ => None,
        };
        self.slots.extend(only.map(|name| ("name".to_owned(), Value::from(name))));
        self
    }

    /// The slots that name it.
    pub fn slots(&self) -> Slots {
        self.slots.clone()
    }

    /// Whether anything is named at all.
    pub fn is_named(&self) -> bool {
        !self.slots.is_empty()
    }

    /// Puts it into slots that name nothing of their own.
    pub fn put(&self, slots: &mut Slots) {
        slots.retain(|slot, _| !SLOTS.contains(&slot.as_str()));
        slots.extend(self.slots.clone());
    }

    /// Whether one of some slots names a target.
    pub fn is_in(slots: &Slots) -> bool {
        ["name", "area", "floor"].iter().any(|slot| slots.contains_key(*slot))
    }

    /// This target with what newer words say: another thing, or the same kind of thing elsewhere. `None`
    /// when a place alone would mean everything in it.
    pub fn replaced(&self, said: &Slots) -> Option<Slots> {
        let mut slots = Slots::new();
        let said: Slots = said
            .iter()
            .filter(|(slot, _)| SLOTS.contains(&slot.as_str()))
            .map(|(s, v)| (s.clone(), v.clone()))
            .collect();
        if said.is_empty() {
            return None;
        }
        let kind = said.contains_key("domain") || said.contains_key("device_class");
        if said.contains_key("name") {
            slots.extend(said);
            return Some(slots);
        }
        if kind {
            // "and the fans": in the same place.
            let place = self.slots.iter().filter(|(slot, _)| matches!(slot.as_str(), "area" | "floor"));
            slots.extend(place.map(|(slot, value)| (slot.clone(), value.clone())));
            slots.extend(said);
            return Some(slots);
        }
        // "and the kitchen": things of the same kind there.
        slots.extend(said);
        for slot in ["domain", "device_class"] {
            if let Some(value) = self.slots.get(slot) {
                slots.insert(slot.to_owned(), value.clone());
            }
        }
        if !slots.contains_key("domain")
            && !slots.contains_key("device_class")
            && self.slots.contains_key("name")
        {
            slots.insert("domain".to_owned(), Value::from(self.domain.clone()?));
        }
        Some(slots)
    }
}

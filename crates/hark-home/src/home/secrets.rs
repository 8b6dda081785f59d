//! Secret values such as passwords: everything but the driver of the device handles a placeholder, made up by this start of
//! the program.

use std::collections::VecDeque;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many are known; the oldest gives way.
const MAX_SECRETS: usize = 256;

/// What names begin with; sixteen letters from a to p follow. A name is one word in every language, and no number.
const PREFIX: &str = "secret";

/// See the module. In memory only.
#[derive(Default)]
pub struct Secrets {
    /// Keyed anew at every start, so that no name tells anything of its value.
    keyed: RandomState,
    known: Mutex<VecDeque<(String, String)>>,
}

impl Secrets {
    fn lock(&self) -> MutexGuard<'_, VecDeque<(String, String)>> {
        // A row is pushed whole.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name that stands for this value from now on; the same for the same value. A name stays as it is.
    pub fn hide(&self, value: &str) -> String {
        let mut known = self.lock();
        if known.iter().any(|(name, _)| name == value) {
            return value.to_owned();
        }
        let hash = self.keyed.hash_one(value).to_be_bytes();
        let letters = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|half| char::from(b'a' + half));
        let name: String = PREFIX.chars().chain(letters).collect();
        // What is used again is the newest again.
        known.retain(|(old, _)| *old != name);
        if known.len() == MAX_SECRETS {
            known.pop_front();
        }
        known.push_back((name.clone(), value.to_owned()));
        name
    }

    /// Whether a text is such a name, if only of an earlier start.
    pub fn is_name(text: &str) -> bool {
        let letters = text.strip_prefix(PREFIX).filter(|letters| letters.len() == 16);
        letters.is_some_and(|letters| letters.bytes().all(|letter| (b'a'..=b'p').contains(&letter)))
    }

    /// Every value.
    pub fn values(&self) -> Vec<String> {
        self.lock().iter().map(|(_, value)| value.clone()).collect()
    }

    /// The value behind a name; `None` when it stands for none, or no longer.
    pub fn reveal(&self, name: &str) -> Option<String> {
        self.lock().iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_a_value_and_tells_nothing_of_it() {
        let secrets = Secrets::default();
        let name = secrets.hide("hunter2");
        assert!(Secrets::is_name(&name) && !name.contains("hunter"), "{name}");
        assert_eq!((secrets.hide("hunter2"), secrets.hide(&name)), (name.clone(), name.clone()));
        assert_eq!(secrets.reveal(&name).as_deref(), Some("hunter2"));
        assert_eq!(secrets.reveal("hunter2"), None);
        assert_ne!(Secrets::default().hide("hunter2"), name, "another start, another name");
        for other in 0..MAX_SECRETS {
            secrets.hide(&other.to_string());
        }
        assert_eq!(secrets.reveal(&name), None, "long ago");
    }
}

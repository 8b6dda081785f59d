//! Which conversation a request belongs to.

use crate::app::clock::wall_unix_ms;
use hark_core::public_event::Origin;
use hark_core::session::session_name;
use hark_store::sessions::VoiceSessions;
use std::sync::Arc;

/// Names conversations.
#[derive(Debug, Clone)]
pub struct SessionNames {
    usual: String,
    /// Spoken conversations begin and end by themselves; `None`: they are the usual one.
    voice: Option<Arc<VoiceSessions>>,
}

impl SessionNames {
    /// One conversation, except for requests that name their own.
    pub fn of_one(usual: &str) -> Self {
        Self { usual: usual.to_owned(), voice: None }
    }

    /// The daemon's: one after the other is spoken.
    pub fn of_daemon(voice: Arc<VoiceSessions>) -> Self {
        Self { usual: session_name::DAEMON.into(), voice: Some(voice) }
    }

    /// The conversation of a request that is made now.
    pub fn now(&self, origin: Option<&Origin>) -> String {
        match (origin, &self.voice) {
            (Some(Origin::Api(name) | Origin::MqttSession(name)), _) => name.clone(),
            (Some(Origin::Voice), Some(voice)) => voice.at(wall_unix_ms()),
            (Some(Origin::Mqtt), Some(_)) => session_name::MQTT.into(),
            _ => self.usual.clone(),
        }
    }
}

/// A name that no other conversation has, with one of the prefixes of [`session_name`].
pub fn fresh(prefix: &str) -> String {
    format!("{prefix}{}", id_prefix())
}

/// Milliseconds of the start and some chance: short, sortable, unique among programs.
pub(crate) fn id_prefix() -> String {
    let id = uuid::Uuid::now_v7().simple().to_string();
    format!("{}{}", &id[..12], &id[28..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_config::memory::Memory;

    #[test]
    fn who_names_a_conversation_gets_it_and_the_others_the_usual_one() {
        let voice = Arc::new(VoiceSessions::new(&Memory::default(), None));
        let (daemon, one) = (SessionNames::of_daemon(voice), SessionNames::of_one("evening"));
        for names in [&daemon, &one] {
            assert_eq!(names.now(Some(&Origin::Api("a".into()))), "a");
            assert_eq!(names.now(Some(&Origin::MqttSession("b".into()))), "b");
        }
        assert!(daemon.now(Some(&Origin::Voice)).starts_with("voice-"));
        assert_eq!(daemon.now(Some(&Origin::Voice)), daemon.now(Some(&Origin::Voice)));
        assert_eq!((daemon.now(Some(&Origin::Mqtt)), daemon.now(None)), ("mqtt".into(), "hark".into()));
        for origin in [Origin::Voice, Origin::Cli, Origin::Mqtt] {
            assert_eq!(one.now(Some(&origin)), "evening");
        }
        assert_ne!(fresh("ask"), fresh("ask"));
    }
}

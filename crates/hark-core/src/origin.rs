//! Who makes requests: where they come from, how far that is trusted, and in which conversation.

use serde::{Deserialize, Serialize};

/// Who made the request of a turn; decides where the answer goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Speech from a microphone.
    Voice,
    /// The command line, where no Hark runs; beside a running one it is `Api`.
    Cli,
    /// MQTT `ask`.
    Mqtt,
    /// MQTT `ask` that names its conversation: what is asked back can be answered in that one only.
    MqttSession(String),
    /// The dashboard or a program, by WebSocket or HTTP, in the conversation of this name.
    Api(String),
    /// Hark itself, such as a timer that rings.
    Internal,
}

impl Origin {
    /// The origin of requests in a conversation, by the name that [`Requester::conversation`] has of it.
    pub fn of_conversation(name: &str) -> Self {
        match name.split_once(' ') {
            Some(("api", name)) => Self::Api(name.to_owned()),
            Some(("mqtt", name)) => Self::MqttSession(name.to_owned()),
            _ if name == "mqtt" => Self::Mqtt,
            _ if name == "cli" => Self::Cli,
            _ => Self::Voice,
        }
    }
}

/// Who told or asks something, the least trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// A voice in the room that is like none that is known, or a client of the broker. It may be a guest.
    #[default]
    Unknown,
    /// A voice in the room that resembles one that was enrolled. Voices can be imitated, so private facts are not told to it.
    Known,
    /// The owner: at the command line, or at an interface that is the owner's.
    Owner,
}

impl Speaker {
    /// As it is written in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Known => "known",
            Self::Owner => "owner",
        }
    }

    /// The reverse of [`Speaker::name`]; any other text is [`Speaker::Unknown`].
    pub fn named(name: &str) -> Self {
        [Self::Known, Self::Owner].into_iter().find(|it| it.name() == name).unwrap_or_default()
    }
}

/// Who makes a call, and in which conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Requester {
    /// Who.
    #[serde(default)]
    pub speaker: Speaker,
    /// The answer is spoken, so that everybody in the room hears it.
    #[serde(default)]
    pub aloud: bool,
    /// Name of the conversation; a pronoun such as "she" means an entity of the same conversation.
    #[serde(default)]
    pub conversation: String,
    /// Name of the person whose voice it was, where that is known: a hint, which may take rights away and gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
}

impl Requester {
    /// Who makes requests of an origin.
    pub fn of(origin: &Origin) -> Self {
        let (speaker, aloud, conversation) = match origin {
            Origin::Voice => (Speaker::Unknown, true, "voice".to_owned()),
            Origin::Internal => (Speaker::Unknown, true, "voice".to_owned()),
            Origin::Mqtt => (Speaker::Unknown, false, "mqtt".to_owned()),
            Origin::MqttSession(name) => (Speaker::Unknown, false, format!("mqtt {name}")),
            Origin::Cli => (Speaker::Owner, false, "cli".to_owned()),
            Origin::Api(name) => (Speaker::Owner, false, format!("api {name}")),
        };
        Self { speaker, aloud, conversation, person: None }
    }

    /// The same request, spoken by this enrolled person; `None` where the voice matches no enrolled one.
    pub fn with_voice_of(self, person: Option<String>) -> Self {
        let is_known = person.is_some() && self.speaker == Speaker::Unknown;
        Self { speaker: if is_known { Speaker::Known } else { self.speaker }, person, ..self }
    }

    /// Whether nothing is known of it.
    pub fn is_nobody(&self) -> bool {
        *self == Self::default()
    }

    /// Whether what is private is kept from it.
    pub fn is_stranger(&self) -> bool {
        self.speaker != Speaker::Owner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_tells_where_its_requests_come_from() {
        let named = [Origin::MqttSession("a b".into()), Origin::Api("kitchen tablet".into())];
        for origin in [Origin::Voice, Origin::Cli, Origin::Mqtt].into_iter().chain(named) {
            assert_eq!(Origin::of_conversation(&Requester::of(&origin).conversation), origin);
        }
        assert_eq!(Origin::of_conversation(&Requester::of(&Origin::Internal).conversation), Origin::Voice);
    }
}

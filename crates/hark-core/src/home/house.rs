//! What the nodes of one house tell each other: who answers, who is there.

use serde::{Deserialize, Serialize};

/// What a message about a turn says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimKind {
    /// "I heard it, this well."
    Claim,
    /// "I answer it."
    Won,
}

/// A message of one node to all about a wake word it heard. It carries no time: clocks differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// What it says.
    pub kind: ClaimKind,
    /// The node that says so.
    pub node: String,
    /// Distinguishes what one node heard; counts up, from a random beginning.
    pub id: u64,
    /// How sure the wake word was, 0 ..= 1.
    pub score: f32,
    /// How loud it was, relative to full scale, −120 ..= 0.
    pub level_db: f32,
}

impl Claim {
    /// Whether it can be what it says; what cannot is to be dropped.
    pub fn is_sound(&self) -> bool {
        is_node_name(&self.node)
            && (0.0..=1.0).contains(&self.score)
            && (-120.0..=0.0).contains(&self.level_db)
    }
}

/// Whether a node can be called so: lower-case letters, digits, `_` and `-`, at most 32.
pub fn is_node_name(name: &str) -> bool {
    let fits = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    (1..=32).contains(&name.len()) && name.bytes().all(fits)
}

/// How a turn stands between the nodes, for the turn machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Another node seems to answer: no sound until that is certain.
    Waiting,
    /// This node answers.
    Won,
    /// Another node answers.
    Lost,
}

/// What is known of a node, as it tells it itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NodeCard {
    /// Its name in topics.
    pub node: String,
    /// Declared name of the area it stands in.
    #[serde(default)]
    pub area: Option<String>,
    /// Version of Hark.
    #[serde(default)]
    pub version: String,
}

/// What something of the home is to be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameChange {
    /// Id of an entity, an area or a floor.
    pub id: String,
    /// Its name; `None` leaves it.
    pub name: Option<String>,
    /// All its other names; `None` leaves them.
    pub aliases: Option<Vec<String>>,
}

/// Words that one node wants said on others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Announcement {
    /// Names it in the answers.
    pub id: String,
    /// The node that asks for it.
    pub from: String,
    /// What is to be said.
    pub text: String,
    /// Declared name of the area whose nodes shall say it; all when there is none.
    #[serde(default)]
    pub area: Option<String>,
}

/// A node confirms an announcement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confirmed {
    /// Which announcement.
    pub id: String,
    /// The node that has taken it on.
    pub node: String,
    /// It says it aloud; otherwise it only shows it: quiet hours, do not disturb, or no speaker.
    pub spoken: bool,
}

/// To whom something is announced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Audience {
    /// Whoever hears this node.
    Here,
    /// The nodes of an area, by its declared name.
    Area(String),
    /// Every node.
    Everywhere,
}

/// Longest announcement, in characters.
const WORDS_MAX_CHARS: usize = 500;

fn is_line(text: &str, most: usize) -> bool {
    let length = text.chars().count();
    (1..=most).contains(&length) && !text.contains(char::is_control)
}

impl Announcement {
    /// Whether it can be what it says; what cannot is to be dropped.
    pub fn is_sound(&self) -> bool {
        is_line(&self.id, 64)
            && is_node_name(&self.from)
            && is_line(&self.text, WORDS_MAX_CHARS)
            && self.area.as_ref().is_none_or(|area| is_line(area, 100))
    }
}

impl Confirmed {
    /// Whether it can be what it says; what cannot is to be dropped.
    pub fn is_sound(&self) -> bool {
        is_line(&self.id, 64) && is_node_name(&self.node)
    }
}

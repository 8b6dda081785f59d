//! What a language model is set to by a turn, and what comes of it.

use crate::classification::Classification;
use crate::fault::Fault;
use crate::ids::TurnId;
use crate::intent::Intent;
use crate::model::Picture;
use crate::public_event::{Origin, PublicEvent};
use crate::tool::{Receipt, ToolCall};
use serde::{Deserialize, Serialize};

/// A request that a language model is to work at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The turn it belongs to.
    pub turn: TurnId,
    /// Who asked.
    pub origin: Origin,
    /// Name of the conversation; empty: the one that `origin` has now.
    pub session: String,
    /// The request.
    pub text: String,
    /// ISO 639-1, or `unknown`.
    pub language: String,
    /// What kind of request it is, when that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Classification>,
    /// Pictures that came with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Picture>,
    /// A tool that may have been meant, but no word told of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the answer is said aloud.
    pub spoken: bool,
    /// Name of the person whose voice it was, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// A text that is to be put into other words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<TextChange>,
    /// The language model, or the server of one, that the person has named for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// It goes on with a task that waited for somebody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Resume>,
}

/// What is wanted of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextChange {
    /// `translation`, `shorter`, `sentence`, `simpler`, `list`, `polite`, `formal`, `reworded`, `summary` or `corrected`.
    pub what: String,
    /// The language it is to be in, ISO 639-1; `None`: the one it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Which text.
    pub of: TextSource,
}

/// Where a text comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TextSource {
    /// It is in the request.
    Named { text: String },
    /// What was said last in this conversation.
    LastReply { text: String },
    /// The clipboard, through its tool.
    Clipboard,
}

/// With what a task that waited goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Resume {
    /// The person said yes to this call, or gave the PIN for it.
    Approved { task: TurnId, call: ToolCall },
    /// The person answered the question.
    Answered { task: TurnId },
    /// The program was started again while this plan was carried out.
    Restarted { plan: String },
    /// Somebody wants a plan carried out again, from a checkpoint or as it was planned.
    Again { plan: String, checkpoint: Option<u32> },
}

/// What is told while a task runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum News {
    /// What is going to be done about the request.
    Decided { intent: Intent },
    /// The next words of the answer.
    Piece { text: String, ahead: String },
    /// A contract, a plan, a step, a tool that ran.
    Told { event: PublicEvent },
}

/// How a task ended, or why it waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Thought {
    /// The end.
    pub end: ThoughtEnd,
    /// Attempts of all contracts, summed.
    pub attempts: u32,
}

/// How a task ended, or why it waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
// One for each task, and moved a few times.
#[allow(clippy::large_enum_variant)]
pub enum ThoughtEnd {
    /// These words are the answer, all of them; those that were told as pieces are in it. `failed`: something that was
    /// asked was not done.
    Answered { text: String, language: String, failed: bool },
    /// The same, and a tool that may have been meant.
    Hinted { text: String, language: String, failed: bool, hint: Option<String> },
    /// Tools ran. `words` tell of it, as far as receipts back them; `done` of `steps` changed what they should; `troubles`
    /// are what went wrong, in sentences without their full stops.
    Reported { words: Option<String>, done: usize, steps: usize, troubles: Vec<String>, language: String },
    /// There is no answer: the honest reply for that is given. The fault is there where a part is to blame.
    NoAnswer {
        fault: Option<Fault>,
        /// Why, where a model gave none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<ModelHelp>,
    },
    /// A dangerous call waits for a yes; what was said before it is in `text`.
    NeedsApproval { call: ToolCall, receipt: Receipt },
    /// The person has to tell something.
    Asks { question: String },
    /// The person has to say more exactly what is wanted.
    AsksAgain,
}

/// What came of asking a language model, where neither a rule nor a tool answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelHelp {
    /// None is connected.
    NotConnected,
    /// One is, and does not answer.
    Away,
    /// One is, and its server refuses, such as for a wrong key.
    Refused,
    /// Its server has no model of that name.
    NoSuchModel,
    /// Its server takes no more requests for now.
    RateLimited,
    /// It took too long.
    TooSlow,
    /// One is connected and gave no answer, or none was asked.
    Connected,
}

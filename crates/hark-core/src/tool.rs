//! Tool calls and the receipts that prove them.

use super::ids::{ReceiptId, TurnId};
use super::intent::Slots;
use super::memory::Requester;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a tool may do to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Looks only.
    Read,
    /// Changes something that can be changed back.
    Write,
    /// Needs approval: unlock, open the garage, disarm, delete.
    Dangerous,
}

/// A request to run one tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Position of the call in its turn; with the turn it names the call.
    pub index: usize,
    /// The turn it belongs to.
    pub turn: TurnId,
    /// Name in the tool table, such as `home.turn_on`.
    pub tool: String,
    /// Arguments: the slots of the intent.
    pub args: Slots,
    /// The person has said yes to exactly this call. Only the turn machine sets it.
    pub approved: bool,
    /// Number of the grant that the right PIN gave, for exactly this call. Only the turn machine sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<u64>,
    /// A language model wants it that has read text from outside the house: then it may be the text that wants it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tainted: bool,
    /// Nobody is there who has just asked for it: it was asked for before, and is done now whatever it means.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unattended: bool,
    /// Who asked, and in which conversation.
    #[serde(default, skip_serializing_if = "Requester::is_nobody")]
    pub requester: Requester,
}

pub(super) fn is_false(flag: &bool) -> bool {
    !flag
}

/// What names a call, also over a restart of the program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallId {
    /// The turn it belongs to.
    pub turn: TurnId,
    /// Its position there.
    pub index: usize,
}

impl ToolCall {
    /// What names it.
    pub fn id(&self) -> CallId {
        CallId { turn: self.turn.clone(), index: self.index }
    }
}

/// Proof of what a tool did, or why it did not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// Unique over the life of the store.
    pub id: ReceiptId,
    /// The tool did all that was asked and it was confirmed.
    pub ok: bool,
    /// Something is different now from before.
    pub changed: bool,
    /// An object. On success what the reply needs (`entities`, `state`, `time` …). When not `ok` it
    /// has `error` (one of [`error_code`]) and `message`; with partial success also `done` and `failed`.
    pub detail: Value,
    /// Text from outside the house may be in the detail, or behind the call.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tainted: bool,
}

/// Codes in a failed receipt's `detail.error`; each has a sentence in `models/languages/<code>/sentences/errors.yaml`.
pub mod error_code {
    /// No such device, area, timer or scene.
    pub const NOT_FOUND: &str = "not_found";
    /// Several things fit and one is meant; `detail.candidates` lists their names.
    pub const AMBIGUOUS: &str = "ambiguous";
    /// The device is there but cannot do this.
    pub const UNSUPPORTED: &str = "unsupported";
    /// A dangerous call, or one that text from outside may be behind (`detail.outside`), without approval;
    /// `detail.question` says what to ask.
    pub const NEEDS_APPROVAL: &str = "needs_approval";
    /// A dangerous call without the PIN it needs; `detail.question` says what to ask.
    pub const NEEDS_PIN: &str = "needs_pin";
    /// The device wants a code and there is none for it.
    pub const NEEDS_CODE: &str = "needs_code";
    /// The device does not take the code that there is for it.
    pub const WRONG_CODE: &str = "wrong_code";
    /// Switched off by the owner's permissions.
    pub const FORBIDDEN: &str = "forbidden";
    /// No confirmation came in time.
    pub const TIMEOUT: &str = "timeout";
    /// The device is not reachable.
    pub const OFFLINE: &str = "offline";
    /// Some of several things were done.
    pub const PARTIAL: &str = "partial";
    /// The service it needs is not configured.
    pub const NOT_CONFIGURED: &str = "not_configured";
    /// It is a matter of a running Hark, and none runs here.
    pub const NOT_RUNNING: &str = "not_running";
    /// An argument is missing or out of range.
    pub const BAD_ARGUMENT: &str = "bad_argument";
    /// It would have to be kept, and nothing can be; `detail.message` says why.
    pub const NOT_KEPT: &str = "not_kept";
    /// Anything else; `detail.message` says what.
    pub const FAILED: &str = "failed";

    /// Every code.
    pub const ALL: [&str; 16] = [
        NOT_FOUND,
        AMBIGUOUS,
        UNSUPPORTED,
        NEEDS_APPROVAL,
        NEEDS_PIN,
        NEEDS_CODE,
        WRONG_CODE,
        FORBIDDEN,
        TIMEOUT,
        OFFLINE,
        PARTIAL,
        NOT_CONFIGURED,
        NOT_RUNNING,
        BAD_ARGUMENT,
        NOT_KEPT,
        FAILED,
    ];
}

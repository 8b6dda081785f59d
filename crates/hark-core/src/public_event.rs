//! The events others rely on: one JSON object a line on the command line, on MQTT, in the journal and
//! on the WebSocket. Pinned by `contracts/events.json`.

pub use crate::origin::Origin;

use super::classification::Kind;
use super::clock::Stamp;
use super::context::ContextPart;
use super::delegation::TaskState;
use super::fault::Fault;
use super::ids::TurnId;
use super::intent::{Intent, Route, Slots};
use super::mode::Mode;
use super::model::delivery::PromptSent;
use super::plan::{Plan, StepStatus};
use super::session::ReplayPolicy;
use super::speech::{Endpoint, Transcript};
use super::teaching::Lesson;
use super::timer::{Timer, TimerChange};
use super::tool::Receipt;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What Hark is doing, as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HarkState {
    /// Waiting for the wake word.
    Idle,
    /// Hearing a request.
    Listening,
    /// Working it out.
    Processing,
    /// Speaking.
    Responding,
    /// The microphone is off.
    Muted,
    /// A part that is needed does not work.
    Error,
}

/// Why speaking ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeakingEnd {
    /// The last sample left for the speaker.
    Done,
    /// The person spoke over it.
    BargeIn,
    /// It was told to stop.
    Stop,
}

/// What a barge-in led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BargeIn {
    /// The voice was made quieter.
    Duck,
    /// The voice was silenced.
    Stop,
    /// The voice came back.
    Resume,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Everything asked was done or answered.
    Done,
    /// Something asked could not be done; the reply said so.
    Failed,
    /// The request was not understood, or belongs to nothing the house can do.
    NotUnderstood,
    /// Another node heard it as well and answers.
    Elsewhere,
    /// Nobody said anything after the wake word.
    NothingSaid,
    /// The person stopped it, or another request took its place.
    Cancelled,
    /// `--dry-run`: understood, not acted on.
    DryRun,
    /// Waits for a yes or no, asked as the reply.
    AwaitingApproval,
    /// Waits to hear which of several names is meant, asked as the reply.
    AwaitingAnswer,
    /// Nobody answered a question for approval in time; nothing was done.
    Lapsed,
}

/// Stage times of a turn in milliseconds; a stage that did not happen is null.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Timings {
    /// From the end of speech (last voiced block) to the transcript.
    pub speech_end_to_transcript: Option<f64>,
    /// From the transcript to the intent.
    pub transcript_to_intent: Option<f64>,
    /// From the intent to the last receipt.
    pub intent_to_action: Option<f64>,
    /// From the start of the turn's request being known to the first audio of the reply.
    pub to_first_audio: Option<f64>,
    /// From the end of speech to the first audio of the reply: what the person waits.
    pub speech_end_to_first_audio: Option<f64>,
}

/// The event itself; serialised with its name in `event`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum PublicEvent {
    /// A wake word was heard.
    Wake { word: String, score: f32 },
    /// Something like a wake word was heard and not taken for one.
    WakeRejected { word: String, score: f32, why: String },
    /// The person began to speak.
    SpeechStarted,
    /// The person stopped speaking.
    SpeechEnded { endpoint: Endpoint },
    /// Words so far.
    Partial { text: String, stable: usize },
    /// The words.
    Transcript(Transcript),
    /// What they mean, and what kind of request that is, when it is known.
    Intent {
        #[serde(flatten)]
        intent: Intent,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        kind: Option<Kind>,
    },
    /// A language model was asked under a contract; one event an attempt. `errors` say what was wrong with the
    /// answer; with `fallback` this was the last attempt, and what the contract says for that case is used.
    Contract { name: String, attempt: u32, valid: bool, errors: Vec<String>, fallback: bool },
    /// Several steps will serve the request.
    Plan(Plan),
    /// A step of a plan is somewhere else now; `total_steps` are in the plan, `result` is what its tool gave back.
    StepUpdate {
        plan: String,
        step: String,
        status: StepStatus,
        message: String,
        #[serde(default)]
        total_steps: usize,
        #[serde(default)]
        result: Value,
    },
    /// Hark is about something else now.
    Mode { from: Mode, to: Mode, why: String },
    /// What of the conversation a language model was told, and why.
    Replay(ReplayPolicy),
    /// What a language model is told beside the request, by source.
    Context { sources: Vec<ContextPart> },
    /// A prompt went to a language model: to which server, what was in it, and what that took.
    Prompt(PromptSent),
    /// How good an answer was, as a model judges it (`metrics`: 0 to 10 each), after it was given. `alert` is
    /// `low_scores` or `scoring_failed`, or null; `flag` is `evaluation_failed` where it could not be judged. `label`
    /// says what was judged.
    Evaluation {
        label: String,
        metrics: Slots,
        #[serde(rename = "evaluation_alert", alias = "alert")]
        alert: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        flag: Option<String>,
    },
    /// A tool ran.
    Action { tool: String, args: Slots, receipt: Receipt, duration_ms: f64 },
    /// A task that was handed to another program goes on, asks something, or is over. `text` is what that program said last,
    /// what it asks, or why it has not ended well.
    Delegation {
        task: String,
        goal: String,
        program: String,
        workspace: String,
        state: TaskState,
        text: String,
    },
    /// What Hark answers.
    Reply { text: String, language: String, ends: bool },
    /// The first sample left for the speaker.
    SpeakingStarted,
    /// The last one did.
    SpeakingEnded { reason: SpeakingEnd },
    /// Somebody spoke over Hark. `latency_ms`: from the beginning of that speech, as the voice activity
    /// detector places it (in steps of 32 ms), to the decision; 0 when only the wake word was noticed.
    BargeIn { decision: BargeIn, latency_ms: f64 },
    /// What Hark does now.
    State { state: HarkState },
    /// A timer changed. `ring_id` is there where it rings: the same for every message about one ring, so that who
    /// is told of it twice, as may happen when the program was killed, can drop the second.
    Timer {
        change: TimerChange,
        timer: Timer,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ring_id: Option<String>,
    },
    /// A setting changed at run time: `volume_percent`, `mic_mute`.
    Setting { name: String, value: Value },
    /// A turn was marked as taken wrongly, with what was meant.
    Lesson(Lesson),
    /// Something went wrong.
    Error(Fault),
    /// Closing record of a turn.
    Turn { timings_ms: Timings, route: Option<Route>, attempts: u32, outcome: Outcome },
}

/// An event with the fields all events share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// The event's own name and fields.
    #[serde(flatten)]
    pub event: PublicEvent,
    /// The turn it belongs to, or null.
    pub turn: Option<TurnId>,
    /// Monotonic milliseconds since start.
    pub t_ms: f64,
    /// RFC 3339 wall-clock time.
    pub at: String,
    /// Position in the recording, with `hear` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audio_ms: Option<u64>,
    /// The recording, with `hear` of several files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where the turn came from; not part of the public object.
    #[serde(skip)]
    pub origin: Option<Origin>,
}

impl Envelope {
    /// Wraps an event; `at` is the wall-clock time in RFC 3339.
    pub fn new(event: PublicEvent, turn: Option<TurnId>, stamp: Stamp, at: String) -> Self {
        Self { event, turn, t_ms: stamp.t_ms(), at, audio_ms: stamp.audio_ms, file: None, origin: None }
    }
}

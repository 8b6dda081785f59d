//! What goes into the turn machine and what comes out of it: `handle(Event) -> Vec<Effect>`.

pub use super::model::thinking::ModelHelp;

use super::audio::Earcon;
use super::automation::Automation;
use super::delegation::TaskNews;
use super::fault::Fault;
use super::house::Standing;
use super::ids::{TimerId, TurnId};
use super::intent::{Intent, NearThing, Understanding};
use super::mode::Mode;
use super::model::Picture;
use super::pin::PinVerdict;
use super::public_event::{HarkState, Origin, PublicEvent, SpeakingEnd};
use super::serde_helpers::is_false;
use super::session::Style;
use super::setting::{FollowUp, Setting};
use super::speech::{Endpoint, MicrophoneId, RemoteSpeech, Transcript, Words};
use super::teaching::{Correction, Lesson};
use super::thinking::{News, Resume, Task, Thought};
use super::timer::{Timer, TimerChange};
use super::tool::{Receipt, ToolCall};
use serde::{Deserialize, Serialize};

/// Something that happened. Recorded as it is, so that a turn can be replayed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// The audio pipeline heard a wake word and is listening now.
    Wake { word: String, score: f32 },
    /// The audio pipeline heard something like a wake word.
    WakeRejected { word: String, score: f32, why: String },
    /// Speech began while listening.
    SpeechStarted,
    /// Speech ended; `silence_ms` is how long ago the last voiced block was.
    SpeechEnded { endpoint: Endpoint, silence_ms: u64 },
    /// Speech began `ago_ms` milliseconds ago, while Hark was speaking. The audio pipeline recognises what
    /// is said, and waits to be told whether it is a request. `goes_on`: it began soon after a spoken request, while Hark
    /// spoke or not, and the words that follow are those of the request and of what came after it.
    Interruption {
        ago_ms: u64,
        #[serde(default, skip_serializing_if = "is_false")]
        goes_on: bool,
    },
    /// Words so far.
    Partial(Words),
    /// The recogniser's last word on the utterance.
    Transcript { transcript: Transcript },
    /// Listening ended without speech; the audio pipeline is back to the wake word.
    NothingSaid,
    /// A typed request.
    Typed { text: String, origin: Origin, speak: bool, dry_run: bool },
    /// Somebody at another microphone than the node's, in the conversation `origin`.
    #[serde(alias = "distant")]
    RemoteSpeech {
        #[serde(alias = "ear")]
        microphone: MicrophoneId,
        origin: Origin,
        heard: RemoteSpeech,
    },
    /// What was said last in this conversation before the program was started, as far as it is kept.
    Recalled { origin: Origin, reply: Option<String> },
    /// Whoever speaks in this conversation is at work: they want the answer and nothing else, or no longer.
    Focus { origin: Origin, on: bool },
    /// A request that is written down until it is acted on: what it opens is the turn of this id, so that it is the
    /// same turn when the request is taken up again after the program died. Where it opens none it is answered by
    /// [`Effect::Settled`], else by the closing record of the turn.
    Promised { turn: TurnId, event: Box<Event> },
    /// An event with names in the place of the values of password fields, and whether there were any. Not for the
    /// machine, which gets the event in it.
    Covered { event: Box<Event>, hidden: bool },
    /// A yes or no to what Hark has asked, by a button. `turn` names the turn that asked; without it the last question
    /// of this conversation is meant. `operator`: the connection showed the operator's token, so that it counts for
    /// questions of other conversations as well. `said_as`: it was said in words, and what it opens is the turn of
    /// this id; where no question waits, the words are a request like any other.
    Answer {
        origin: Origin,
        turn: Option<TurnId>,
        yes: bool,
        #[serde(default)]
        operator: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        said_as: Option<TurnId>,
    },
    /// The request that follows at once held a PIN, and this is what the executor says to it. The request
    /// itself has [`MASK`](super::pin::MASK) in its place.
    PinPresented { verdict: PinVerdict },
    /// Whether this node or another one answers the wake word heard last.
    Standing { standing: Standing },
    /// Text to be shown and not spoken.
    Show { text: String },
    /// Text to be spoken as it is.
    Say { text: String },
    /// Understanding has finished.
    Understood { turn: TurnId, understanding: Understanding },
    /// Pictures that go with the next request of this one.
    Pictures { origin: Origin, pictures: Vec<Picture> },
    /// A plan in this conversation was being carried out when the program ended.
    ResumePlan { session: String, resume: Resume },
    /// A task of a language model has got somewhere.
    News { turn: TurnId, news: News },
    /// A task of a language model has ended, or waits for the person.
    Thought { turn: TurnId, thought: Thought },
    /// A tool call has finished.
    Acted { turn: TurnId, index: usize, receipt: Receipt, duration_ms: f64 },
    /// The words of a reply are made; `speaks` is false when no sound will follow.
    Replied { turn: TurnId, text: String, language: String, speaks: bool },
    /// The first sample of the reply left for the speaker.
    SpeakingStarted { turn: TurnId },
    /// Nothing of the reply is left to play.
    SpeakingEnded { turn: TurnId, reason: SpeakingEnd },
    /// A timer changed.
    Timer { change: TimerChange, timer: Timer },
    /// What an automation waited for has happened: it is carried out in the language of the one who asked for it.
    Automation { automation: Box<Automation> },
    /// A task that was handed to another program goes on, asks something, or is over.
    Delegation { news: Box<TaskNews> },
    /// Listen without a wake word, now.
    ListenNow,
    /// Be quiet and forget the request at hand, now.
    Stop,
    /// Change a setting.
    Set { setting: Setting },
    /// The configuration says this now of what has no setting of its own, or only part of one.
    Configured { earcons: bool, follow_up: FollowUp },
    /// A setting that the machine does not keep itself is so from now on; answers `Effect::Apply`.
    Applied { setting: Setting },
    /// Take every timer away, but no alarm and no reminder.
    CancelTimers,
    /// A turn was taken wrongly.
    Correct { correction: Correction },
    /// What was kept of a correction.
    Learned { lesson: Lesson },
    /// How a conversation is answered was kept, or why not.
    Styled { turn: TurnId, everywhere: bool, fault: Option<Fault> },
    /// A part reports a fault.
    Fault { fault: Fault },
    /// Time passed; deadlines are looked at.
    Tick,
}

/// Something to be done, by the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Effect {
    /// Tell the world.
    Publish { turn: Option<TurnId>, origin: Option<Origin>, event: PublicEvent },
    /// Open the audio pipeline without a wake word for at most `window_ms` of waiting. `short_answer`: a yes or no
    /// is awaited, so shorter speech counts.
    Listen { window_ms: u64, short_answer: bool },
    /// Tell of speech over Hark's own voice from now on, or no longer.
    Watch { on: bool },
    /// The interruption is a request: hear it to its end.
    Attend,
    /// The interruption is hardly for Hark: hear it to its end, but whoever speaks after a pause is
    /// another one.
    Doubt,
    /// The interruption is not for Hark: forget it.
    Dismiss,
    /// Close the ear: back to the wake word; what was being heard is thrown away.
    StopListening,
    /// Switch the microphone off or on.
    MuteMicrophone { muted: bool },
    /// Find out what a text means.
    Understand { turn: TurnId, text: String, language: String },
    /// These are the words if the person stops here: make ready what is likely to be answered. Nothing may
    /// act and nothing may sound for it.
    Prepare { text: String, language: String },
    /// Run a tool; answered by `Acted`.
    Act { call: ToolCall },
    /// Set a language model to a request; answered by `Thought`, with `News` before.
    Think { task: Box<Task> },
    /// Have judged what a direct command gave back; answered by `News`.
    Judge { turn: TurnId, tool: String, request: String, answer: String },
    /// Nobody waits for what a language model makes of it any more.
    StopThinking { turn: TurnId },
    /// The next words of a reply that is still being written; said when `speak`.
    SayPiece { turn: TurnId, text: String, ahead: String, language: String, speak: bool },
    /// The reply is whole, and begins with what was `written` in pieces; answered by `Replied`.
    EndPieces { turn: TurnId, written: String, reply: Reply, language: String, speak: bool },
    /// Put the reply into words, and say them when `speak`; answered by `Replied`.
    Reply { turn: TurnId, reply: Reply, language: String, speak: bool },
    /// Silence the voice at once and forget what is left. What is said next is not ducked.
    StopSpeaking,
    /// Make the voice quieter by this many decibels.
    Duck { db: u32 },
    /// Hold the voice where it is: silence, and nothing of what is being said is lost.
    PauseSpeaking,
    /// Bring the voice back to its volume, from where it was paused.
    Unduck,
    /// Play a short sound.
    PlayEarcon { earcon: Earcon },
    /// Set the volume.
    SetVolume { percent: u8 },
    /// Switch the speaker off or on.
    MuteSpeaker { muted: bool },
    /// Change a setting of ear, voice or language; answered by `Applied` or `Fault`.
    Apply { setting: Setting },
    /// Take every timer away, but no alarm and no reminder.
    CancelTimers,
    /// The person heard the ringing timers.
    AcknowledgeTimers,
    /// Nobody heard these: they are silent now.
    GiveUpTimers { timers: Vec<TimerId> },
    /// Keep what was meant, for the next training; answered by `Learned` or `Fault`.
    Teach { correction: Correction },
    /// Keep how a language model answers in the conversation of this origin; answered by `Styled`.
    Style { turn: TurnId, origin: Origin, style: Style },
    /// What was promised under this id is done, without a turn.
    Settled { turn: TurnId },
}

/// What a reply is made from. Only a `Part::Done` may say that something was done, and it carries the
/// receipt that proves it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reply {
    /// One part an intent, in the order they were said.
    Parts { parts: Vec<Part> },
    /// Asks which of some candidate names is meant; a single one is to be confirmed. The parts tell the rest of the request,
    /// and come first.
    AskWhich {
        candidates: Vec<String>,
        #[serde(default)]
        parts: Vec<Part>,
    },
    /// A dangerous act waits for a yes: the receipt says which. What else was asked is told first.
    AskApproval { receipt: Receipt, parts: Vec<Part> },
    /// A dangerous act was asked about, nobody answered, and it was not done: the receipt says which.
    NotDone { receipt: Receipt },
    /// A fixed sentence by its key in `models/languages/<code>/sentences/replies.yaml`.
    Fixed { key: String },
    /// A typed command that cannot be read: how it is written, by the key of that sentence in `replies.yaml`, and what of
    /// it could not be read.
    Slip { key: String, said: String },
    /// Nothing that can be done was understood. With it goes an example of what can be said: of a thing of the home that was
    /// named, else of a tool that may have been meant.
    NotUnderstood { near: Option<NearThing>, hint: Option<String> },
    /// Nobody knows, not even the language model; a tool that may have been meant.
    DontKnow { hint: Option<String>, model: ModelHelp },
    /// Words, and a tool that may have been meant.
    Hinted { text: String, tool: String },
    /// What came of a task with tools, as [`ThoughtEnd::Reported`](super::ThoughtEnd::Reported) has it.
    Report { words: Option<String>, done: usize, steps: usize, troubles: Vec<String> },
    /// What Hark is about, for who types `/status` or `/mode`.
    Status { mode: Mode, state: HarkState, open_turns: usize },
    /// Exactly this text.
    Text { text: String },
    /// A ringing timer.
    TimerRings { timer: Timer },
}

/// The answer to one intent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Part {
    /// A tool ran; a failed receipt makes this an apology.
    Done { intent: Intent, receipt: Receipt },
    /// Nothing to do, only to answer, such as "how are you".
    Answer { intent: Intent },
    /// A part of the request that was not understood, as it was said.
    Missed { text: String },
    /// It was about something the home does not have, by the name it was given.
    Unknown { name: String },
}

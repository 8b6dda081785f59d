//! What the turn machine remembers: open turns, what waits for approval, what rings.

use crate::intent_tools;
use hark_core::intent::NearThing;
use hark_core::memory::{Requester, Speaker};
use hark_core::public_event::{Origin, Outcome, Timings};
use hark_core::{
    Ambiguity, Intent, Kind, MicrophoneId, Part, Receipt, Route, Stamp, ToolCall, TurnId, Understanding,
};

/// Where a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The person may speak, or speaks.
    Listening,
    /// The same, at another microphone than the node's.
    HearingRemotely,
    /// The words, then their meaning, are being worked out.
    Understanding,
    /// Tools run.
    Acting,
    /// A language model works at it.
    Thinking,
    /// The reply is being put into words.
    Wording,
    /// The reply is being said.
    Speaking,
}

/// How a turn began: what is owed to somebody who is not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// A wake word.
    WakeWord,
    /// A button, a typed request, Hark itself.
    Asked,
    /// Words spoken over Hark.
    BargeIn,
    /// Hark listened without being asked to, after a reply.
    FollowUp,
}

/// One open turn.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) id: TurnId,
    pub(super) origin: Origin,
    pub(super) phase: Phase,
    /// Whether the reply is said aloud.
    pub(super) speak: bool,
    pub(super) dry_run: bool,
    /// The language model, or the server of one, that was named for it.
    pub(super) model: Option<String>,
    pub(super) language: String,
    /// What was said or typed.
    pub(super) heard: String,
    /// What was said before and taken wrongly; what is said now tells what was meant.
    pub(super) corrects: Option<String>,
    /// What that was taken for.
    pub(super) understood: Vec<Intent>,
    pub(super) work: Vec<Work>,
    /// Parts of the request that were not understood.
    pub(super) missed: Vec<String>,
    /// What it was about, when the home does not have that.
    pub(super) unknown: Option<String>,
    /// The thing of the home that it was about, when nothing that can be done was recognised.
    pub(super) near: Option<NearThing>,
    /// What should happen is known, but not to what.
    pub(super) lacks_thing: bool,
    /// It is a request and the answer to what it is about.
    pub(super) completed: bool,
    pub(super) outcome: Outcome,
    pub(super) route: Option<Route>,
    /// What kind of request it is, when that is known.
    pub(super) kind: Option<Kind>,
    pub(super) opening: Opening,
    /// It goes on with a request before, and it is not settled yet what that means.
    pub(super) continuation: Option<Continuation>,
    /// Its words are being read behind the request before.
    pub(super) addition: Option<Addition>,
    /// Who hears it, where that is not the node's own microphone.
    pub(super) microphone: Option<MicrophoneId>,
    /// Name of the person whose voice said the request, where that is known.
    pub(super) person: Option<String>,
    /// When the speech of the request began, where that was while Hark listened without a wake word.
    pub(super) heard_from: Option<Stamp>,
    /// Several steps serve it, or something that needed approval.
    pub(super) is_task: bool,
    /// Attempts of contracts.
    pub(super) attempts: u32,
    /// A tool that may have been meant.
    pub(super) hint: Option<String>,
    /// What is said as the reply; while a language model writes it, what there is so far.
    pub(super) reply: String,
    /// Whether the reply is being played.
    pub(super) sounding: bool,
    /// Open the audio pipeline when the reply has been said: a yes was asked for.
    pub(super) asks_approval: bool,
    /// Another node may answer: nothing is said or done until that is known.
    pub(super) waits: bool,
    /// Open the audio pipeline when the reply has been said.
    pub(super) listen_after: bool,
    /// Nobody asked just now and everybody sees what is done: the reply is said only where something failed.
    pub(super) quiet: bool,
    /// The wake sound is played at this time unless the person already speaks.
    pub(super) wake_sound_at_ms: Option<u64>,
    /// Give up at this time; set anew in every phase.
    pub(super) give_up_at_ms: u64,
    pub(super) times: Times,
}

/// A spoken request.
#[derive(Debug, Clone)]
pub(super) struct Spoken {
    pub(super) turn: TurnId,
    pub(super) heard: String,
    pub(super) intents: Vec<Intent>,
    /// Whether it has changed something.
    pub(super) changed: bool,
}

/// What a turn that goes on with a request still has to settle.
#[derive(Debug, Clone)]
pub(super) struct Continuation {
    /// The first part.
    pub(super) before: Spoken,
    /// The words of the second part, where they are to be looked at by themselves yet.
    pub(super) tail: Option<String>,
    pub(super) stage: Stage,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stage {
    /// What both parts mean together is being found out.
    Whole,
    /// What the second part means by itself is.
    Tail,
    /// Both are a request, which is to be done.
    Accepted,
    /// When the first has been taken back, these are to be done.
    TakingBack(Vec<Intent>),
}

/// Words that are read behind the request before, once.
#[derive(Debug, Clone)]
pub(super) struct Addition {
    pub(super) before: Spoken,
    pub(super) whole: String,
    /// What they mean alone, until it is known what both mean.
    pub(super) alone: Option<Box<Understanding>>,
}

impl Turn {
    /// Who asks, and whether the room hears the answer.
    pub(super) fn requester(&self) -> Requester {
        let of_origin = Requester::of(&self.origin);
        // Whoever speaks at a browser's microphone is not known by who opened the page.
        let speaker = if self.microphone.is_some() { Speaker::Unknown } else { of_origin.speaker };
        Requester { speaker, aloud: of_origin.aloud || self.speak, ..of_origin }
            .with_voice_of(self.person.clone())
    }

    /// Answers in this language from now on, if it is known.
    pub(super) fn speak_in(&mut self, language: &str) {
        if !matches!(language, "" | "unknown") {
            language.clone_into(&mut self.language);
        }
    }
}

/// One intent of a turn, with the tool call that serves it.
#[derive(Debug, Clone)]
pub(super) struct Work {
    pub(super) intent: Intent,
    pub(super) call: Option<ToolCall>,
    pub(super) receipt: Option<Receipt>,
}

impl Work {
    /// An intent and the call of its tool, if it has one. `index` is its place among the calls of the turn. `unattended` is
    /// true for what runs without a person asking at that moment, such as a schedule.
    pub(super) fn new(
        turn: &TurnId,
        index: usize,
        intent: Intent,
        unattended: bool,
        requester: Requester,
    ) -> Self {
        let call = intent_tools::tool_of(&intent).map(|tool| ToolCall {
            index,
            turn: turn.clone(),
            tool: tool.to_owned(),
            args: intent_tools::arguments(tool, &intent),
            approved: false,
            grant: None,
            tainted: false,
            unattended,
            requester,
        });
        Self { intent, call, receipt: None }
    }

    /// Whether it undoes an earlier turn whose speaker continued: the reply does not mention that.
    pub(super) fn takes_back(&self) -> bool {
        self.intent.name == intent_tools::TAKES_BACK
    }

    /// Whether a tool still runs for it.
    pub(super) fn is_open(&self) -> bool {
        self.call.is_some() && self.receipt.is_none()
    }

    /// What is said of it; a call without a receipt says nothing.
    pub(super) fn part(&self) -> Option<Part> {
        match (&self.call, &self.receipt) {
            (None, _) => Some(Part::Answer { intent: self.intent.clone() }),
            (Some(_), Some(receipt)) => {
                Some(Part::Done { intent: self.intent.clone(), receipt: receipt.clone() })
            }
            (Some(_), None) => None,
        }
    }
}

/// When the stages of a turn were reached.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Times {
    pub(super) speech_end: Option<Stamp>,
    pub(super) request: Option<Stamp>,
    pub(super) intent: Option<Stamp>,
    pub(super) acted: Option<Stamp>,
    pub(super) first_audio: Option<Stamp>,
}

impl Times {
    pub(super) fn timings(&self) -> Timings {
        let between = |later: Option<Stamp>, earlier: Option<Stamp>| Some(later?.waited_ms(earlier?));
        Timings {
            speech_end_to_transcript: between(self.request, self.speech_end),
            transcript_to_intent: between(self.intent, self.request),
            intent_to_action: between(self.acted, self.intent),
            to_first_audio: between(self.first_audio, self.acted.or(self.intent).or(self.request)),
            speech_end_to_first_audio: between(self.first_audio, self.speech_end),
        }
    }
}

/// Dangerous acts that wait for a yes.
#[derive(Debug, Clone)]
pub(super) struct Approval {
    /// The turn that asked.
    pub(super) turn: TurnId,
    pub(super) intents: Vec<(Intent, ToolCall)>,
    /// What was asked, as the gate put it.
    pub(super) asked: Receipt,
    /// It waits for the PIN, not for a yes.
    pub(super) by_pin: bool,
    /// The turn of the language model's task that goes on with it.
    pub(super) task: Option<TurnId>,
    pub(super) until_ms: u64,
}

/// A request that waits to hear which of several names is meant.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) intents: Vec<Intent>,
    /// What is asked.
    pub(super) doubt: Ambiguity,
    /// What must be asked after that.
    pub(super) others: Vec<Ambiguity>,
    /// Parts of the request that were not understood.
    pub(super) missed: Vec<String>,
    pub(super) until_ms: u64,
}

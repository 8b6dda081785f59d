//! A speaker continues after the endpoint: "turn on the kitchen light" … "in ten minutes". Hark's voice is paused meanwhile.
//! If both parts together are a request, what the first part did is undone and the whole request is carried out once. If the
//! second part is a request of its own, it is carried out as well. Otherwise the first part stands.

use super::Machine;
use super::barge_in::Interruption;
use super::state::{Continuation, Opening, Phase, Spoken, Stage, Work};
use crate::intent_tools::TAKES_BACK;
use crate::{follow_ups, instincts};
use hark_core::automation::intent::{AUTOMATE, RESTORE_LATER};
use hark_core::public_event::{Origin, Outcome};
use hark_core::{Effect, Intent, Receipt, Reply, Route, Stamp, Transcript, TurnId, Understanding};
use serde_json::json;

/// Argument of what takes a turn back: which.
const OF_TURN: &str = "turn";

/// How long it may take to find out what both parts mean: a voice waits for it.
const MAX_UNDERSTANDING_MS: u64 = 2_000;

/// How sure the recogniser must be of both parts.
const MIN_CONFIDENCE: f32 = 0.5;

impl Continuation {
    /// Both are a request that is to be done instead of the first.
    pub(super) fn accepted(before: Spoken) -> Self {
        Self { before, tail: None, stage: Stage::Accepted }
    }

    /// Whether the voice waits for it.
    pub(super) fn holds_voice(&self) -> bool {
        self.stage == Stage::Whole || self.stage == Stage::Tail
    }
}

impl Machine {
    /// The words of both parts are known: says whether they become a turn.
    pub(super) fn settle_continuation(&mut self, now: Stamp, transcript: &Transcript) -> bool {
        let Some(before) = self.spoken.clone() else { return false };
        let is_clear = transcript.rejected.is_none() && transcript.confidence >= MIN_CONFIDENCE;
        if !is_clear || same_words(&transcript.text, &before.heard) {
            self.let_go_of_voice();
            self.interruption = None;
            return false;
        }
        let Some(interruption) = self.interruption.take() else { return false };
        let id = self.open_interruption(now, Opening::BargeIn, interruption);
        let tail = tail(&transcript.text, &before.heard);
        if let Some(turn) = self.turn_mut(&id) {
            turn.give_up_at_ms = now.clock_ms() + MAX_UNDERSTANDING_MS;
            turn.continuation = Some(Continuation { before, tail, stage: Stage::Whole });
        }
        true
    }

    /// Whether a turn goes on with another, and that is not settled.
    pub(super) fn goes_on(&self, id: &TurnId) -> bool {
        self.turns.iter().any(|turn| turn.id == *id && turn.continuation.is_some())
    }

    /// The second part of what a turn goes on with, where the first was heard as before.
    pub(super) fn part_behind(&self, id: &TurnId) -> Option<String> {
        self.turns.iter().find(|turn| turn.id == *id)?.continuation.as_ref()?.tail.clone()
    }

    /// The second part, if it is "stop" or the like: then nothing else of the words counts. No "yes" is taken to what Hark
    /// has yet to ask.
    pub(super) fn reflex_behind(&self, id: &TurnId) -> Option<String> {
        let origin = self.origin_of(id)?;
        let context = instincts::InstinctInput { awaiting_approval: false, ..self.instinct_context(&origin) };
        self.part_behind(id).filter(|tail| instincts::find(tail, &context).is_some())
    }

    /// Where the words were something else than a request to be understood, the first part stands.
    pub(super) fn settle_what_is_decided(&mut self, id: &TurnId) {
        let is_asked = |effect: &Effect| matches!(effect, Effect::Understand { turn, .. } if turn == id);
        if self.out.iter().any(is_asked) {
            return;
        }
        self.settle(id);
    }

    /// A turn is one like any other from here on; no voice waits for it.
    pub(super) fn settle(&mut self, id: &TurnId) {
        let continuation = self.turn_mut(id).and_then(|turn| turn.continuation.take());
        if continuation.is_some_and(|continuation| continuation.holds_voice()) {
            self.out.push(Effect::Unduck);
        }
    }

    /// What a turn that goes on with another means is known. Answers it where it is to be done.
    pub(super) fn weigh_continuation(
        &mut self,
        now: Stamp,
        id: &TurnId,
        understanding: Understanding,
    ) -> Option<Understanding> {
        let Some(turn) = self.turn_mut(id) else { return Some(understanding) };
        let Some(continuation) = &mut turn.continuation else { return Some(understanding) };
        let Understanding { intents, missed, unknown, .. } = &understanding;
        let is_whole = !intents.is_empty() && missed.is_empty() && unknown.is_none();
        let is_new = is_whole && !same_intents(intents, &continuation.before.intents);
        let more = behind(intents, &continuation.before.intents).filter(|more| !say_how_long(more));
        let goes_on = more.map(<[Intent]>::to_vec);
        match (continuation.stage.clone(), is_new, goes_on) {
            // The first part stands, and the rest is done as well.
            (Stage::Whole, true, Some(intents)) => {
                self.settle(id);
                self.fall_silent(now);
                Some(Understanding { intents, ..understanding })
            }
            (Stage::Whole, true, None) => {
                continuation.stage = Stage::Accepted;
                let before = continuation.before.turn.clone();
                self.end_first_part(now, &before);
                Some(understanding)
            }
            (Stage::Whole, false, _) => {
                // The same again, or nothing: what came behind it may still be a request.
                match continuation.tail.take() {
                    Some(tail) if !is_whole => {
                        continuation.stage = Stage::Tail;
                        let language = turn.language.clone();
                        let turn = id.clone();
                        self.out.push(Effect::Understand { turn, text: tail, language });
                    }
                    _ => self.close(id, Outcome::NotUnderstood),
                }
                None
            }
            (Stage::Tail, true, _) => {
                self.settle(id);
                self.fall_silent(now);
                Some(understanding)
            }
            (Stage::Tail, false, _) => {
                self.close(id, Outcome::NotUnderstood);
                None
            }
            (Stage::Accepted | Stage::TakingBack(_), ..) => Some(understanding),
        }
    }

    /// The whole is to be done: nothing more comes of the first part.
    fn end_first_part(&mut self, now: Stamp, before: &TurnId) {
        self.fall_silent(now);
        // Also of what was about to be said.
        self.out.push(Effect::StopSpeaking);
        let is_acting = |turn: &super::Turn| turn.work.iter().any(Work::is_open);
        let under_way = self.turns.iter().find(|turn| turn.id == *before).is_some_and(is_acting);
        if let Some(spoken) = self.spoken.as_mut().filter(|spoken| spoken.turn == *before) {
            spoken.changed |= under_way;
        }
        self.close(before, Outcome::Cancelled);
    }

    /// If something of the first part must be taken back before these are done, begins with that.
    pub(super) fn take_back_first(&mut self, now: Stamp, id: &TurnId, intents: &[Intent]) -> bool {
        let spoken = self.spoken.clone();
        let Some(turn) = self.turn_mut(id) else { return false };
        let Some(continuation) = &mut turn.continuation else { return false };
        let Spoken { turn: before, intents: done, .. } = continuation.before.clone();
        let has_changed = continuation.before.changed
            || spoken.is_some_and(|spoken| spoken.turn == before && spoken.changed);
        if !has_changed || turn.dry_run {
            turn.continuation = None;
            return false;
        }
        continuation.stage = Stage::TakingBack(intents.to_vec());
        // Who corrects the turn before has heard what it did, and is told that it is taken back. What waits and is replaced is
        // told with what takes its place.
        let waits = |intents: &[Intent]| intents.iter().all(|intent| intent.name == AUTOMATE);
        let is_replaced = waits(&done) && waits(intents);
        let is_told = turn.addition.is_some() && !is_replaced;
        let name = if is_told { follow_ups::UNDO } else { TAKES_BACK };
        let intent = Intent {
            name: name.into(),
            slots: [(OF_TURN.to_owned(), json!(before.0))].into_iter().collect(),
            confidence: 1.0,
            route: Route::Template,
            why: "the request went on".into(),
            response: None,
            single: false,
        };
        let requester = self.requester_of(id);
        self.run(now, id, vec![Work::new(id, 0, intent, false, requester)]);
        true
    }

    /// The first part was taken back, or could not be: says whether the turn goes on by itself now.
    pub(super) fn taken_back(&mut self, now: Stamp, id: &TurnId, receipt: &Receipt) -> bool {
        let Some(turn) = self.turn_mut(id) else { return false };
        let Some(Continuation { stage: Stage::TakingBack(intents), .. }) = turn.continuation.take() else {
            return false;
        };
        if receipt.ok {
            self.more_work(now, id, intents);
        } else {
            // Doing the whole as well could do it twice.
            turn.outcome = Outcome::Failed;
            self.reply(now, id, Reply::Fixed { key: "not_taken_back".into() });
        }
        true
    }

    /// A spoken request has changed something.
    pub(super) fn note_changed(&mut self, id: &TurnId, receipt: &Receipt) {
        if let Some(spoken) = self.spoken.as_mut().filter(|spoken| spoken.turn == *id) {
            spoken.changed |= receipt.changed;
        }
    }

    /// Lets a voice sound again that waits for who goes on.
    pub(super) fn let_go_of_voice(&mut self) {
        if self.interruption.as_mut().is_some_and(Interruption::lets_go) {
            self.out.push(Effect::Unduck);
        }
    }

    /// The words of a request of the room: its speaker may go on.
    pub(super) fn keep_spoken(&mut self, id: &TurnId, heard: &str) {
        let Some(turn) = self.turns.iter().find(|turn| turn.id == *id) else { return };
        if turn.origin == Origin::Voice && turn.phase == Phase::Understanding {
            let (turn, heard) = (id.clone(), heard.to_owned());
            self.spoken = Some(Spoken { turn, heard, intents: Vec::new(), changed: false });
        }
    }
}

/// Lower-case words as they are spelt: unlike those of `own_words::words` they are understood again.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
}

fn same_words(one: &str, other: &str) -> bool {
    words(one).eq(words(other))
}

/// What comes behind the first part; `None` when the whole begins otherwise.
fn tail(whole: &str, first: &str) -> Option<String> {
    let (whole, first): (Vec<String>, Vec<String>) = (words(whole).collect(), words(first).collect());
    let tail = whole.strip_prefix(first.as_slice())?;
    (!tail.is_empty()).then(|| tail.join(" "))
}

/// What follows in some requests on others that they begin with; `None` where they do not, or nothing follows.
pub(super) fn behind<'i>(some: &'i [Intent], others: &[Intent]) -> Option<&'i [Intent]> {
    let (first, more) = some.split_at_checked(others.len())?;
    (!first.is_empty() && !more.is_empty() && same_intents(first, others)).then_some(more)
}

/// Whether some requests say how long what was done lasts: that is no request of its own.
pub(super) fn say_how_long(some: &[Intent]) -> bool {
    some.iter().any(|intent| intent.name == RESTORE_LATER)
}

pub(super) fn same_intents(some: &[Intent], others: &[Intent]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(one, other)| is_same_intent(one, other))
}

/// Whether two intents do the same to the same.
pub(super) fn is_same_intent(one: &Intent, other: &Intent) -> bool {
    one.name == other.name && one.slots == other.slots
}

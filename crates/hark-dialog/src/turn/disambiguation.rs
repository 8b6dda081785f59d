//! Names that could be several: asked back, and completed by the answer.

use super::Machine;
use super::conversations::Lacking;
use super::state::{Phase, Question};
use crate::choice::{self, Choice};
use hark_core::automation::intent::{COMMAND, INTENTS, OF_ONE};
use hark_core::public_event::{Origin, Outcome};
use hark_core::{Ambiguity, Effect, Intent, Part, Reply, Route, Stamp, TurnId};
use serde_json::Value;

/// Answers "which one?" with more than a name.
const CHOOSES: &str = "HarkChoose";

/// Words that an answer to "which one?" has at most.
const LONGEST_ANSWER: usize = 6;

impl Machine {
    /// Whether a short answer is awaited in the room.
    pub(super) fn asks(&self) -> bool {
        self.talks.of(&Origin::Voice).is_some_and(|talk| talk.approval.is_some() || talk.question.is_some())
    }

    /// Asks which of several names is meant and keeps the request until that is answered. The parts tell the rest of it, and come
    /// first.
    pub(super) fn ask_which(
        &mut self,
        now: Stamp,
        id: &TurnId,
        intents: Vec<Intent>,
        mut doubts: Vec<Ambiguity>,
        parts: Vec<Part>,
    ) {
        let is_told = self.turn_mut(id).is_some_and(|turn| turn.phase == Phase::Acting);
        for intent in intents.iter().filter(|_| !is_told) {
            self.tell_intent(id, intent.clone());
        }
        let until_ms = now.clock_ms() + self.settings.approval_window_ms;
        let Some(turn) = self.turn_mut(id) else { return };
        if turn.dry_run {
            self.close(id, Outcome::DryRun);
            return;
        }
        let doubt = doubts.remove(0);
        turn.outcome = Outcome::AwaitingAnswer;
        let (origin, missed) = (turn.origin.clone(), std::mem::take(&mut turn.missed));
        let candidates = doubt.candidates.clone();
        self.talks.open(&origin).question =
            Some(Question { intents, doubt, others: doubts, missed, until_ms });
        self.reply(now, id, Reply::AskWhich { candidates, parts });
    }

    /// Keeps a request that did not say what it is about until that is said.
    pub(super) fn ask_what_about(&mut self, now: Stamp, id: &TurnId) {
        let until_ms = now.clock_ms() + self.settings.approval_window_ms;
        let Some(turn) = self.turn_mut(id).filter(|turn| !turn.completed) else { return };
        let (origin, text) = (turn.origin.clone(), turn.heard.clone());
        self.talks.open(&origin).lacking = Some(Lacking { text, until_ms });
    }

    /// Understands some words that mean nothing alone as what a request before was about; `false` where they are too many
    /// or too late for that.
    pub(super) fn complete(&mut self, now: Stamp, id: &TurnId, lacking: &Lacking) -> bool {
        let Some(turn) = self.turn_mut(id) else { return false };
        let short = turn.heard.split_whitespace().count() <= LONGEST_ANSWER;
        if !short || turn.dry_run || lacking.until_ms <= now.clock_ms() {
            return false;
        }
        let text = format!("{} {}", lacking.text.trim_end_matches(['.', '?', '!', ' ']), turn.heard);
        turn.completed = true;
        turn.heard.clone_from(&text);
        let language = turn.language.clone();
        self.out.push(Effect::Understand { turn: id.clone(), text, language });
        true
    }

    /// Takes the answer to a question that waits; `false` when the text is none.
    pub(super) fn answer_which(&mut self, now: Stamp, id: &TurnId, text: &str, origin: &Origin) -> bool {
        let languages = self.languages.clone();
        let Some(talk) = self.talks.known(origin) else { return false };
        let Some(question) = talk.question.take() else { return false };
        let Some(choice) = choice::read(text, &question.doubt, &languages) else {
            talk.question = Some(question);
            return false;
        };
        let Some(turn) = self.turn_mut(id).filter(|turn| turn.phase == Phase::Understanding) else {
            return false;
        };
        turn.times.intent = Some(now);
        turn.route = Some(Route::Context);
        turn.missed.clone_from(&question.missed);
        let names = match choice {
            Choice::These(names) => names,
            Choice::Nothing => {
                if turn.dry_run {
                    self.close(id, Outcome::DryRun);
                } else {
                    self.reply(now, id, Reply::Fixed { key: "approval_denied".into() });
                }
                return true;
            }
        };
        let others = question.doubt.candidates.iter().filter(|name| !names.contains(name)).cloned();
        self.leaning.not_chosen(others.collect());
        self.settle_question(now, id, question, &names, text);
        true
    }

    /// Takes the name or place that was understood as the answer: of one that was offered under another of its names ("the
    /// skylight"), or of the only one that is there, or of where one of a kind is meant ("the one in the bathroom"). `false` where
    /// that answers nothing.
    pub(super) fn answer_by_target(
        &mut self,
        now: Stamp,
        id: &TurnId,
        said: &[Intent],
        origin: &Origin,
    ) -> bool {
        let [only] = said else { return false };
        if only.name != CHOOSES || only.slots.len() != 1 {
            return false;
        }
        let slot = |slot: &str| only.slots.get(slot)?.as_str().map(str::to_owned);
        let Some(talk) = self.talks.known(origin) else { return false };
        if let Some(name) = slot("name") {
            let is_offered = |question: &mut Question| question.doubt.candidates.contains(&name);
            let Some(question) = talk.question.take_if(is_offered) else { return false };
            return self.settle_by_target(now, id, question, name);
        }
        let Some(place) = slot("area") else { return false };
        let alone = talk.question.as_ref().and_then(|question| choice::in_area(&question.doubt, &place));
        let says_kind = |slots: &Value| ["domain", "device_class"].iter().any(|slot| !slots[slot].is_null());
        let is_of_kind = |question: &mut Question| {
            let Some(intent) = question.intents.get(question.doubt.intent) else { return false };
            let later = intent.slots.get(INTENTS).and_then(Value::as_array);
            later.into_iter().flatten().any(|one| says_kind(&one["slots"]))
                || says_kind(&Value::Object(intent.slots.clone()))
        };
        let chosen = match alone {
            Some(name) => talk.question.take().map(|question| (question, name)),
            None => talk.question.take_if(is_of_kind).map(|mut question| {
                "area".clone_into(&mut question.doubt.slot);
                (question, place)
            }),
        };
        let Some((question, chosen)) = chosen else { return false };
        self.settle_by_target(now, id, question, chosen)
    }

    fn settle_by_target(&mut self, now: Stamp, id: &TurnId, question: Question, chosen: String) -> bool {
        let Some(turn) = self.turn_mut(id) else { return false };
        let text = turn.heard.clone();
        turn.route = Some(Route::Context);
        turn.missed.clone_from(&question.missed);
        self.settle_question(now, id, question, &[chosen], &text);
        true
    }

    /// Carries out what was asked about with what was chosen, or asks about what else is open.
    fn settle_question(
        &mut self,
        now: Stamp,
        id: &TurnId,
        question: Question,
        chosen: &[String],
        text: &str,
    ) {
        let (intents, doubts) = settle(question.intents, &question.doubt, question.others, chosen, text);
        let dry_run = self.turn_mut(id).is_some_and(|turn| turn.dry_run);
        if doubts.is_empty() {
            self.start_work(now, id, intents, dry_run);
        } else {
            self.ask_which(now, id, intents, doubts, Vec::new());
        }
    }
}

/// Puts a name into what is to be done later, where one of a kind is meant; false where there is nothing of the kind.
fn name_within(intent: &mut Intent, slot: &str, name: &str) -> bool {
    let later = intent.slots.get_mut(INTENTS).and_then(Value::as_array_mut);
    let open = later.into_iter().flatten().find(|one| one["single"] == true && one["slots"][slot].is_null());
    let Some(one) = open else { return false };
    one["slots"][slot] = name.into();
    one["single"] = false.into();
    let words = intent.slots.remove(OF_ONE);
    let key = if slot == "area" { "placed" } else { "words" };
    if let Some(words) = words.as_ref().and_then(|words| words[key].as_str()) {
        intent.slots.insert(COMMAND.to_owned(), words.replace("{}", name).into());
    }
    true
}

/// The intents with the chosen names: one for each of them.
fn settle(
    intents: Vec<Intent>,
    doubt: &Ambiguity,
    others: Vec<Ambiguity>,
    names: &[String],
    answer: &str,
) -> (Vec<Intent>, Vec<Ambiguity>) {
    let mut settled = Vec::new();
    for (index, intent) in intents.into_iter().enumerate() {
        if index != doubt.intent {
            settled.push(intent);
            continue;
        }
        for name in names {
            let mut one = intent.clone();
            if !name_within(&mut one, &doubt.slot, name) {
                one.slots.insert(doubt.slot.clone(), Value::from(name.as_str()));
            }
            one.route = Route::Context;
            one.why.push_str(&format!("; asked which, answered \"{answer}\""));
            settled.push(one);
        }
    }
    let more = names.len().saturating_sub(1);
    let moved = others.into_iter().map(|other| {
        let by = if other.intent > doubt.intent { more } else { 0 };
        Ambiguity { intent: other.intent + by, ..other }
    });
    (settled, moved.collect())
}

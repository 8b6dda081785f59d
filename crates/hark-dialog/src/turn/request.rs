//! From the words of a request to what is done about it.

use super::state::{Opening, Phase, Turn, Work};
use super::{GIVE_UP_AFTER_MS, Machine};
use crate::instincts::{self, Answer, Instinct, InstinctInput};
use crate::slash::Slip;
use crate::{direct, follow_ups, slash};
use hark_core::audio::Earcon;
use hark_core::intent::refusal;
use hark_core::memory::Requester;
use hark_core::public_event::{Origin, Outcome, PublicEvent};
use hark_core::{
    Category, Classification, Effect, Intent, Kind, Reply, Route, Slots, Stamp, ToolCall, Transcript, TurnId,
    Understanding,
};

/// Stands for a language that is to be found out.
const UNKNOWN_LANGUAGE: &str = "unknown";

/// Response key of words that take back what was done right before them.
const TAKE_BACK: &str = "take_back";

impl Machine {
    /// Begins a turn with a text that was typed.
    pub(super) fn typed_turn(
        &mut self,
        now: Stamp,
        text: String,
        origin: Origin,
        speak: bool,
        dry_run: bool,
    ) -> TurnId {
        let turn = self.open(now, origin, Phase::Understanding, speak);
        turn.dry_run = dry_run;
        turn.times.request = Some(now);
        let (id, language) = (turn.id.clone(), turn.language.clone());
        let transcript = Transcript {
            text,
            engine: "typed".into(),
            confidence: 1.0,
            language,
            rejected: None,
            why: None,
            speaker: None,
        };
        self.publish(Some(&id), PublicEvent::Transcript(transcript));
        id
    }

    pub(super) fn on_typed(&mut self, now: Stamp, text: String, origin: Origin, speak: bool, dry_run: bool) {
        let named = slash::for_model(&text).map(|(model, request)| (model.to_owned(), request.to_owned()));
        let (model, text) = match named {
            Some((model, request)) if self.settings.models.contains(&model) && !request.is_empty() => {
                (Some(model), request)
            }
            Some(_) => {
                let id = self.typed_turn(now, text, origin, speak, dry_run);
                if let Some(turn) = self.turn_mut(&id) {
                    turn.outcome = Outcome::NotUnderstood;
                }
                let there_are = self.settings.models.join(", ");
                self.reply(now, &id, Slip::new("slip_model", &there_are).reply());
                return;
            }
            None => (None, text),
        };
        let id = self.typed_turn(now, text.clone(), origin, speak, dry_run);
        if let Some(turn) = self.turn_mut(&id) {
            turn.model = model;
        }
        if self.look_at_pictures(now, &id, &text) {
            return;
        }
        if self.tell_about_itself(now, &id, &text)
            || self.change_style(now, &id, &text)
            || self.plan_again(now, &id, &text)
        {
            return;
        }
        match slash::read(&text).or_else(|| direct::read(&text)) {
            Some(Ok(intent)) => {
                if let Some(turn) = self.turn_mut(&id) {
                    turn.heard = text;
                    turn.route = Some(intent.route);
                    turn.times.intent = Some(now);
                }
                self.start_work(now, &id, vec![intent], dry_run);
                return;
            }
            Some(Err(slip)) => {
                if let Some(turn) = self.turn_mut(&id) {
                    turn.outcome = Outcome::NotUnderstood;
                }
                self.reply(now, &id, slip.reply());
                return;
            }
            None => {}
        }
        // Nobody has said in which language it was written.
        self.decide(now, &id, &text, UNKNOWN_LANGUAGE);
    }

    /// Instincts first; everything else is understood.
    pub(super) fn decide(&mut self, now: Stamp, id: &TurnId, text: &str, language: &str) {
        let Some(turn) = self.turn_mut(id) else { return };
        turn.heard = text.to_owned();
        let origin = turn.origin.clone();
        if let Some(verdict) = self.presented.take()
            && self.awaits_pin(now, &origin)
        {
            self.on_pin(now, id, verdict);
            return;
        }
        if self.answer_which(now, id, text, &origin)
            || self.answer_too_late(now, id, text, &origin)
            || self.answers_elsewhere(now, id, text, &origin)
        {
            return;
        }
        let context = self.instinct_context(&origin);
        let takes_back = !context.awaiting_approval && instincts::takes_back(text, &self.languages);
        let found = instincts::find(text, &context);
        if let Some(instinct) = found.or_else(|| takes_back.then(instincts::never_mind)) {
            let why = "the whole request is this phrase".into();
            self.react(now, id, instinct, (why, Route::Instinct), takes_back);
            return;
        }
        if self.change_text(now, id, text) {
            return;
        }
        self.out.push(Effect::Understand {
            turn: id.clone(),
            text: text.to_owned(),
            language: language.to_owned(),
        });
    }

    pub(super) fn on_understood(&mut self, now: Stamp, id: &TurnId, understanding: Understanding) {
        let Some(turn) = self.turn_mut(id).filter(|turn| turn.phase == Phase::Understanding) else { return };
        turn.times.intent = Some(now);
        let Some(understanding) = self.weigh_continuation(now, id, understanding) else { return };
        let mut understanding = match self.weigh_addition(now, id, understanding) {
            Ok(understanding) => understanding,
            Err(alone) => return self.act_on(now, id, *alone),
        };
        let Some(turn) = self.turn_mut(id) else { return };
        turn.kind = understanding.classification.clone().map(Kind::from);
        if !matches!(understanding.language.as_str(), "" | "unknown") {
            turn.language.clone_from(&understanding.language);
        }
        let origin = turn.origin.clone();
        if self.corrected(now, id, &understanding.intents)
            || self.change_style_in_words(now, id, &understanding.intents)
        {
            return;
        }
        let context = self.instinct_context(&origin);
        let reflex = match understanding.intents.as_slice() {
            [only] => instincts::by_intent(only, &context).map(|instinct| (instinct, only)),
            _ => None,
        };
        if let Some((instinct, intent)) = reflex {
            let takes_back = intent.response.as_deref() == Some(TAKE_BACK);
            self.react(now, id, instinct, (intent.why.clone(), intent.route), takes_back);
            return;
        }
        if self.answer_by_target(now, id, &understanding.intents, &origin)
            || self.answers_task(now, id, &understanding)
        {
            return;
        }
        // A new request takes the place of a question that was not answered.
        let mut lacking = None;
        if let Some(talk) = self.talks.known(&origin) {
            talk.approval = None;
            talk.question = None;
            lacking = talk.lacking.take();
        }
        let languages = self.languages.clone();
        if let ([only], Some(turn)) = (understanding.intents.as_mut_slice(), self.turn_mut(id))
            && only.route == Route::Template
            && instincts::is_act(&turn.heard, &only.name, &languages)
        {
            only.route = Route::Instinct;
        }
        self.leaning.complete(now.clock_ms(), &origin, &mut understanding);
        if let Some(turn) = self.turn_mut(id) {
            turn.route = understanding.intents.first().map(|intent| intent.route);
            turn.missed.clone_from(&understanding.missed);
            turn.unknown = understanding.unknown.take().map(|thing| thing.name);
            turn.near = understanding.near.take().map(|near| *near);
            turn.lacks_thing = understanding.meant.is_some();
        }
        // What the classifier takes it for, and nothing of what was said in it.
        let is_bare = |intent: &Intent| intent.route == Route::Intent && intent.slots.is_empty();
        let means_nothing =
            |intent: &Intent| is_pointless(intent) || is_bare(intent) || intent.name == refusal::INTENT;
        let is_guessed = understanding.intents.iter().all(|intent| intent.route == Route::Intent);
        // "Make it half past eight on Sundays" may leave the other days as they are.
        let recurs_anew =
            |intent: &Intent| intent.route == Route::Context && intent.slots.contains_key("recurrence");
        let may_add = understanding.intents.iter().all(means_nothing) && !self.talks_of_memory(&origin)
            || understanding.intents.iter().any(recurs_anew)
            || self.says_instead(id, is_guessed)
            || self.waits_for_what_was_done(id, &understanding.intents)
            || is_guessed && self.lacks_length(&origin);
        if understanding.intents.iter().all(is_pointless) {
            if lacking.is_some_and(|lacking| self.complete(now, id, &lacking)) {
                return;
            }
            if let Some(intent) = understanding.intents.first() {
                understanding.why = format!("{} has nothing to answer here", intent.name);
            }
            understanding.intents = std::mem::take(&mut understanding.alone);
            if !understanding.intents.is_empty() {
                understanding.missed.clear();
            }
            if let (Some(intent), Some(turn)) = (understanding.intents.first(), self.turn_mut(id)) {
                turn.route = Some(intent.route);
            }
        }
        if !may_add || !self.reads_behind_request(now, id, &origin, &understanding) {
            self.act_on(now, id, understanding);
        }
    }

    /// Carries out what was understood, or answers that nothing was.
    fn act_on(&mut self, now: Stamp, id: &TurnId, mut understanding: Understanding) {
        if self.is_for_model(id, &understanding) {
            understanding.why = format!("{} of it is not understood", understanding.missed.join(", "));
            understanding.intents.clear();
            // It is something to do, whatever the classifier takes the whole for.
            let text = self.turn_mut(id).map(|turn| turn.heard.clone()).unwrap_or_default();
            let words = hark_language::steps::of_all().into();
            let whole = Classification::new(&text, &words, Category::HomeControl, 1.0, Vec::new());
            understanding.classification = Some(whole);
        }
        if understanding.intents.is_empty() {
            self.mean_nothing(now, id, understanding);
            return;
        }
        self.keep_what_was_meant(id, &understanding.intents);
        if understanding.ambiguous.is_empty() {
            let intents = understanding.intents.into_iter().filter(|intent| !is_pointless(intent)).collect();
            let dry_run = self.turn_mut(id).is_some_and(|turn| turn.dry_run);
            self.start_work(now, id, intents, dry_run);
        } else {
            self.ask_which(now, id, understanding.intents, understanding.ambiguous, Vec::new());
        }
    }

    /// Whether a request is handed on to a model as a whole, because part of it is not understood: half of a request is
    /// not done where somebody may know the other half.
    fn is_for_model(&mut self, id: &TurnId, understanding: &Understanding) -> bool {
        let partly = !understanding.intents.is_empty() && !understanding.missed.is_empty();
        let thinks = self.settings.thinks && partly;
        let asked = |turn: &&mut Turn| matches!(turn.opening, Opening::WakeWord | Opening::Asked);
        let Some(turn) = self.turn_mut(id).filter(|_| thinks).filter(asked) else { return false };
        turn.missed.clear();
        true
    }

    /// Answers what nothing can be done about.
    fn mean_nothing(&mut self, now: Stamp, id: &TurnId, mut understanding: Understanding) {
        let nothing = || Intent {
            name: "out_of_scope".into(),
            slots: Slots::new(),
            confidence: 0.0,
            route: Route::Template,
            why: understanding.why.clone(),
            response: None,
            single: false,
        };
        let intent = understanding.meant.take().unwrap_or_else(nothing);
        if self.turn_mut(id).is_some_and(|turn| turn.dry_run) {
            self.tell_intent(id, intent);
            self.close(id, Outcome::NotUnderstood);
        } else {
            self.wonder(now, id, intent, understanding);
        }
    }

    pub(super) fn start_work(&mut self, now: Stamp, id: &TurnId, mut intents: Vec<Intent>, dry_run: bool) {
        let Some(origin) = self.origin_of(id) else { return };
        self.put_story_in(&origin, &mut intents);
        self.put_language_in(id, &mut intents);
        if self.take_back_first(now, id, &intents) {
            return;
        }
        for intent in &intents {
            self.tell_intent(id, intent.clone());
        }
        if dry_run {
            self.close(id, Outcome::DryRun);
            return;
        }
        let (unattended, requester) = (origin == Origin::Internal, self.requester_of(id));
        let work = intents.into_iter().enumerate();
        let work =
            work.map(|(index, intent)| Work::new(id, index, intent, unattended, requester.clone())).collect();
        self.run(now, id, work);
    }

    /// Who asks in a turn; nobody known where it is over.
    pub(super) fn requester_of(&mut self, id: &TurnId) -> Requester {
        self.turn_mut(id).map(|turn| turn.requester()).unwrap_or_default()
    }

    /// Starts every call of the work, or answers at once when there is none.
    pub(super) fn run(&mut self, now: Stamp, id: &TurnId, work: Vec<Work>) {
        let Some(turn) = self.turn_mut(id) else { return };
        turn.phase = Phase::Acting;
        turn.give_up_at_ms = now.clock_ms() + GIVE_UP_AFTER_MS;
        turn.work = work;
        let calls: Vec<ToolCall> = turn.work.iter().filter_map(|work| work.call.clone()).collect();
        if calls.is_empty() {
            self.answer(now, id);
        }
        self.out.extend(calls.into_iter().map(|call| Effect::Act { call }));
    }

    pub(super) fn tell_intent(&mut self, id: &TurnId, intent: Intent) {
        let kind = self.turn_mut(id).and_then(|turn| turn.kind.clone());
        self.publish(Some(id), PublicEvent::Intent { intent, kind });
    }

    /// What an instinct may look at in a conversation.
    pub(super) fn instinct_context(&self, origin: &Origin) -> InstinctInput<'_> {
        let awaiting_approval = self.approval(origin).is_some();
        InstinctInput { last_reply: self.last_reply(origin), awaiting_approval, languages: &self.languages }
    }

    /// `takes_back`: what was done right before is taken back, and not only what waits.
    fn react(
        &mut self,
        now: Stamp,
        id: &TurnId,
        instinct: &Instinct,
        (why, route): (String, Route),
        takes_back: bool,
    ) {
        let Some(origin) = self.origin_of(id) else { return };
        let intent = Intent {
            name: instinct.intent.to_owned(),
            slots: Slots::new(),
            confidence: 1.0,
            route,
            why,
            response: None,
            single: false,
        };
        // Who cancels right after something was set cancels that.
        let cancels = matches!(instinct.intent, "HarkCancel" | "HassNevermind")
            && self.turns.len() == 1
            && self.approval(&origin).is_none();
        // Where nothing sounds and nothing is asked, what was set going last is meant.
        let stops = instinct.intent == "HarkStop"
            && self.turns.len() == 1
            && self.approval(&origin).is_none()
            && !self.ringing.is_ringing();
        let meant = match (cancels, stops) {
            (true, _) => self.leaning.cancelled(now.clock_ms(), &origin, &intent, takes_back),
            (false, true) => self.leaning.stopped(now.clock_ms(), &origin, &intent).map(|stop| vec![stop]),
            (false, false) => None,
        };
        if let Some(cancelled) = meant {
            let dry_run = self.turn_mut(id).is_some_and(|turn| turn.dry_run);
            self.start_work(now, id, cancelled, dry_run);
            return;
        }
        let context = InstinctInput { awaiting_approval: true, ..self.instinct_context(&origin) };
        let reaction = (instinct.handle)(&context);
        self.tell_intent(id, intent);
        let Some(turn) = self.turn_mut(id) else { return };
        turn.route = Some(route);
        turn.times.intent = Some(now);
        if turn.dry_run {
            self.close(id, Outcome::DryRun);
            return;
        }
        if reaction.stop_everything {
            self.stop_everything(Some(id));
        }
        if let Some(muted) = reaction.mute {
            // A command that does not stay has no microphone; beside a running Hark requests do not come so.
            if origin == Origin::Cli {
                self.turn_mut(id).into_iter().for_each(|turn| turn.outcome = Outcome::Failed);
                self.reply(now, id, Reply::Fixed { key: "not_running".into() });
                return;
            }
            self.set_mute(muted);
        }
        match reaction.approval {
            Some(true) => {
                self.approve(now, id, None);
                return;
            }
            Some(false) => self.talks.open(&origin).approval = None,
            None => {}
        }
        match reaction.answer {
            Answer::None => {}
            Answer::Say(key) => self.reply(now, id, Reply::Fixed { key: key.into() }),
            Answer::Again(text) => self.reply(now, id, Reply::Text { text }),
            Answer::Sound(key) => {
                if self.turn_mut(id).is_some_and(|turn| turn.speak) {
                    self.earcon(Earcon::Done);
                }
                self.reply_as(now, id, Reply::Fixed { key: key.into() }, false);
            }
        }
    }
}

/// Whether it is a yes or no that answers nothing, or leans on nothing: it means nothing.
pub(super) fn is_pointless(intent: &Intent) -> bool {
    instincts::named(&intent.name).is_some() || follow_ups::is_follow_up(&intent.name)
}

//! The turn machine: `handle(Stamp, Event) -> Vec<Effect>`. Pure: no I/O, no clock but the one that
//! comes with the event, so a recorded event log replays to the same effects.

mod addition;
#[cfg(test)]
#[path = "tests/addition.rs"]
mod addition_tests;
mod approval;
#[cfg(test)]
#[path = "tests/approval.rs"]
mod approval_tests;
mod approval_timeout;
mod automations;
mod barge_in;
mod barge_in_decision;
#[cfg(test)]
#[path = "tests/barge_in.rs"]
mod barge_in_tests;
mod continuation;
#[cfg(test)]
#[path = "tests/continuation.rs"]
mod continuation_tests;
mod conversations;
mod correction;
mod delegation;
#[cfg(test)]
#[path = "tests/delegation.rs"]
mod delegation_tests;
mod disambiguation;
#[cfg(test)]
#[path = "tests/disambiguation.rs"]
mod disambiguation_tests;
mod listen_again;
mod mode;
mod model_task;
#[cfg(test)]
#[path = "tests/model_task.rs"]
mod model_task_tests;
mod own_words;
#[cfg(test)]
#[path = "tests/promised.rs"]
mod promised_tests;
mod remote_speech;
#[cfg(test)]
#[path = "tests/remote_speech.rs"]
mod remote_speech_tests;
mod request;
mod ringing;
mod said;
mod settings;
mod state;
mod style;
#[cfg(test)]
mod tests;
mod voice;
mod why;

use crate::follow_ups::RecentRequests;
use approval::Answerer;
use barge_in::Interruption;
use conversations::{Talk, Talks};
use hark_config as config;
use hark_config::speaking::FollowUp;
use hark_core::audio::Earcon;
use hark_core::pin::PinVerdict;
use hark_core::public_event::{HarkState, Origin, Outcome, PublicEvent, SpeakingEnd};
use hark_core::{Effect, Event, Mode, Reply, Route, Stamp, TurnId};
use hark_language::Lexicon;
use ringing::Ringing;
use said::Said;
use state::{Continuation, Opening, Phase, Spoken, Times, Turn};

/// What the machine needs to know of the configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Beginning of turn ids; different at every start, so that ids stay unique.
    pub id_prefix: String,
    /// Language of replies, ISO 639-1.
    pub language: String,
    /// Languages that are spoken here, ISO 639-1, the usual one first.
    pub languages: Vec<String>,
    /// How long an opened ear waits for the first word.
    pub listen_window_ms: u64,
    /// How long a question for approval waits.
    pub approval_window_ms: u64,
    /// How long an unacknowledged timer rings.
    pub ring_max_ms: u64,
    /// Volume at start.
    pub volume_percent: u8,
    /// Short sounds for done and error.
    pub earcons: bool,
    /// The short sound for wake.
    pub wake_sound: bool,
    /// How fast Hark speaks, roughly: tells which words can be in the air.
    pub words_per_minute: u32,
    /// What speech over Hark does.
    pub barge_in: config::barge_in::BargeIn,
    /// After which replies Hark listens without a wake word, and for how long.
    pub follow_up: FollowUp,
    /// How long that lasts without a word.
    pub follow_up_ms: u64,
    /// How long a request can lean on the one before it.
    pub context_ms: u64,
    /// Whether there is a language model to ask.
    pub thinks: bool,
    /// Names of language models, and of their servers, that a request can be for.
    pub models: Vec<String>,
    /// How long a task of a language model may take.
    pub task_timeout_ms: u64,
    /// How long a question of such a task waits for its answer.
    pub question_window_ms: u64,
    /// After how long without anything Hark rests.
    pub rest_after_ms: u64,
}

/// A pause after the wake word that is long enough to mean "I am waiting for you": then the wake sound
/// is played. One breath of wake word and command must not be sounded into.
const WAKE_SOUND_AFTER_MS: u64 = 500;

/// No phase of a turn lasts longer than this; a part that never answers must not leave Hark stuck.
const GIVE_UP_AFTER_MS: u64 = 60_000;

/// The machine.
#[derive(Debug, Clone)]
pub struct Machine {
    settings: Settings,
    /// The words of the languages that are spoken here.
    languages: Vec<&'static Lexicon>,
    /// Those of the usual one, which is also recognised.
    heard_in: Vec<&'static Lexicon>,
    turns: Vec<Turn>,
    turns_opened: u64,
    talks: Talks,
    /// What the executor says to the PIN in the request that comes next.
    presented: Option<PinVerdict>,
    /// What the next request can lean on.
    leaning: RecentRequests,
    ringing: Ringing,
    /// Speech over Hark that is undecided.
    interruption: Option<Interruption>,
    /// The last request that was spoken at the node, for its speaker may go on.
    spoken: Option<Spoken>,
    said: Said,
    /// Transcripts and wake words that were Hark's own, since the start.
    echoes: u64,
    /// Whether the audio pipeline was told to watch for interruptions.
    watching: bool,
    muted: bool,
    /// Whether Hark listens after some replies without a wake word.
    follows_up: bool,
    shown: HarkState,
    mode: Mode,
    /// A task that was handed to another program runs.
    task_runs: bool,
    /// When something happened last.
    active_ms: u64,
    /// The time of the event at hand.
    now: Stamp,
    /// The id of the turn that a promised request opens.
    promised: Option<TurnId>,
    out: Vec<Effect>,
}

impl Machine {
    /// A machine at rest.
    pub fn new(settings: Settings) -> Self {
        Self {
            follows_up: settings.follow_up != FollowUp::Never,
            heard_in: hark_language::known(&settings.language).into_iter().collect(),
            languages: settings.languages.iter().filter_map(|tag| hark_language::known(tag)).collect(),
            settings,
            turns: Vec::new(),
            turns_opened: 0,
            talks: Talks::default(),
            presented: None,
            leaning: RecentRequests::default(),
            ringing: Ringing::default(),
            interruption: None,
            spoken: None,
            said: Said::default(),
            echoes: 0,
            watching: false,
            muted: false,
            shown: HarkState::Idle,
            mode: Mode::Alert,
            task_runs: false,
            active_ms: 0,
            now: Stamp::default(),
            promised: None,
            out: Vec::new(),
        }
    }

    /// Takes one event and says what is to be done, in order.
    pub fn handle(&mut self, now: Stamp, event: Event) -> Vec<Effect> {
        self.now = now;
        self.forget_late_questions(now);
        self.decide_if_due(now);
        let is_pin = matches!(event, Event::PinPresented { .. });
        self.note_activity(now, &event);
        self.take(now, event);
        self.tell_lapsed(now);
        if !is_pin {
            // It is worth something for the very next event only.
            self.presented = None;
        }
        self.watch_if_audible();
        if self.turns.is_empty() {
            self.ringing.resume(now.clock_ms());
        }
        self.show_state();
        self.settle_mode(now);
        std::mem::take(&mut self.out)
    }

    /// When a `Tick` is due at the latest, on the clock of the stamps; `None` when nothing waits.
    pub fn next_deadline_ms(&self) -> Option<u64> {
        let turns = self.turns.iter().flat_map(|turn| [turn.wake_sound_at_ms, Some(turn.give_up_at_ms)]);
        let approval = self.approval_lapses_ms();
        let interruption = self.next_decision_ms();
        let questions =
            self.talks.all().filter_map(|talk| talk.question.as_ref()).map(|it| Some(it.until_ms));
        let waiting = self.talks.all().filter_map(|talk| talk.waiting.as_ref()).map(|it| Some(it.until_ms));
        let once = [approval, interruption, self.ringing.next_ms(), self.rests_at_ms()];
        let of_tasks = self.talks.all().map(|talk| talk.task_question_ms);
        turns.chain(questions).chain(waiting).chain(of_tasks).chain(once).flatten().min()
    }

    /// Whether no turn is open.
    pub fn is_idle(&self) -> bool {
        self.turns.is_empty()
    }

    fn take(&mut self, now: Stamp, event: Event) {
        match event {
            Event::Wake { word, score } => self.on_wake(now, word, score),
            Event::WakeRejected { word, score, why } => {
                self.publish(None, PublicEvent::WakeRejected { word, score, why });
            }
            Event::SpeechStarted => self.on_speech_started(now),
            Event::SpeechEnded { endpoint, silence_ms } => self.on_speech_ended(now, endpoint, silence_ms),
            Event::Interruption { ago_ms, goes_on } => self.on_interruption(now, ago_ms, goes_on),
            Event::Partial(words) => self.on_partial(now, words),
            Event::Transcript { transcript } => self.on_transcript(now, transcript),
            Event::NothingSaid => self.on_nothing_said(),
            Event::Typed { text, origin, speak, dry_run } => self.on_typed(now, text, origin, speak, dry_run),
            Event::RemoteSpeech { microphone, origin, heard } => {
                self.on_remote_speech(now, microphone, origin, heard)
            }
            Event::Recalled { origin, reply } => self.recall(&origin, reply),
            Event::Focus { origin, on } => self.talks.open(&origin).focused = on,
            Event::Promised { turn, event } => {
                self.promised = Some(turn.clone());
                self.take(now, *event);
                if self.promised.take().is_some() {
                    self.out.push(Effect::Settled { turn });
                }
            }
            Event::Answer { origin, turn, yes, operator, said_as } => {
                let in_words = said_as.is_some();
                self.promised = said_as;
                self.on_answer(now, origin, turn.as_ref(), yes, Answerer { operator, in_words });
            }
            Event::Covered { .. } => {}
            Event::Show { text } => {
                let id = self.open(now, Origin::Internal, Phase::Wording, false).id.clone();
                self.reply(now, &id, Reply::Text { text });
            }
            Event::Standing { standing } => self.on_standing(standing),
            Event::PinPresented { verdict } => self.presented = Some(verdict),
            Event::Say { text } => self.reply_unasked(now, Reply::Text { text }),
            Event::Pictures { origin, pictures } => self.on_pictures(&origin, pictures),
            Event::ResumePlan { session, resume } => {
                self.on_plan(now, Origin::Internal, session, resume);
            }
            Event::News { turn, news } => self.on_news(now, &turn, news),
            Event::Thought { turn, thought } => self.on_thought(now, &turn, thought),
            Event::Understood { turn, understanding } => self.on_understood(now, &turn, understanding),
            Event::Acted { turn, index, receipt, duration_ms } => {
                self.on_acted(now, &turn, index, receipt, duration_ms);
            }
            Event::Replied { turn, text, language, speaks } => {
                self.on_replied(now, &turn, text, language, speaks);
            }
            Event::SpeakingStarted { turn } => self.on_speaking_started(now, &turn),
            Event::SpeakingEnded { turn, reason } => self.on_speaking_ended(now, &turn, reason),
            Event::Timer { change, timer } => self.on_timer(now, change, timer),
            Event::Automation { automation } => self.on_automation(now, *automation),
            Event::Delegation { news } => self.on_delegation(now, *news),
            Event::ListenNow => self.on_listen_now(now),
            Event::Stop => self.stop_everything(None),
            Event::Set { setting } => self.set(setting),
            Event::Configured { earcons, follow_up } => self.configure(earcons, follow_up.into()),
            Event::Applied { setting } => self.publish(None, setting.event()),
            Event::CancelTimers => self.out.push(Effect::CancelTimers),
            Event::Correct { correction } => self.out.push(Effect::Teach { correction }),
            Event::Learned { lesson } => self.publish(None, PublicEvent::Lesson(lesson)),
            Event::Styled { turn, everywhere, fault } => self.on_styled(now, &turn, everywhere, fault),
            Event::Fault { fault } => self.publish(None, PublicEvent::Error(fault)),
            Event::Tick => self.on_tick(now),
        }
    }

    /// A question whose time is up is not answered any more, whatever comes first: the answer or a tick.
    fn forget_late_questions(&mut self, now: Stamp) {
        let now_ms = now.clock_ms();
        self.let_approval_lapse(now);
        for talk in self.talks.all_mut() {
            talk.question.take_if(|question| question.until_ms <= now_ms);
            talk.waiting.take_if(|waiting| waiting.until_ms <= now_ms);
            talk.task_question_ms.take_if(|until_ms| *until_ms <= now_ms);
        }
    }

    fn on_tick(&mut self, now: Stamp) {
        let now_ms = now.clock_ms();
        let mut sound = false;
        for turn in &mut self.turns {
            if turn.wake_sound_at_ms.is_some_and(|at| at <= now_ms) {
                turn.wake_sound_at_ms = None;
                sound = true;
            }
        }
        if sound {
            self.earcon(Earcon::Wake);
        }
        let late: Vec<TurnId> = self
            .turns
            .iter()
            .filter(|turn| turn.give_up_at_ms <= now_ms)
            .map(|turn| turn.id.clone())
            .collect();
        for id in late {
            self.give_up(now, &id);
        }
        self.ring_if_due(now);
    }

    /// A part did not answer in time: the person is told where that is still possible.
    fn give_up(&mut self, now: Stamp, id: &TurnId) {
        let Some(turn) = self.turn_mut(id) else { return };
        if turn.continuation.as_ref().is_some_and(Continuation::holds_voice) {
            // What came before it stands.
            self.close(id, Outcome::NotUnderstood);
            return;
        }
        match turn.phase {
            Phase::Understanding | Phase::Acting | Phase::Thinking => {
                turn.outcome = Outcome::Failed;
                self.reply(now, id, Reply::Fixed { key: "gave_up".into() });
            }
            Phase::Listening => {
                self.out.push(Effect::StopListening);
                self.close(id, Outcome::Cancelled);
            }
            Phase::HearingRemotely => self.close(id, Outcome::Cancelled),
            Phase::Wording | Phase::Speaking => {
                self.out.push(Effect::StopSpeaking);
                self.close(id, Outcome::Failed);
            }
        }
    }

    /// Opens a turn; the caller says what happens in it.
    fn open(&mut self, now: Stamp, origin: Origin, phase: Phase, speak: bool) -> &mut Turn {
        let id = self.promised.take().unwrap_or_else(|| {
            self.turns_opened += 1;
            TurnId(format!("{}-{}", self.settings.id_prefix, self.turns_opened))
        });
        self.turns.push(Turn {
            id,
            origin,
            phase,
            speak,
            dry_run: false,
            model: None,
            language: self.settings.language.clone(),
            heard: String::new(),
            corrects: None,
            understood: Vec::new(),
            work: Vec::new(),
            missed: Vec::new(),
            unknown: None,
            near: None,
            lacks_thing: false,
            completed: false,
            outcome: Outcome::Done,
            route: None,
            kind: None,
            opening: Opening::Asked,
            continuation: None,
            addition: None,
            microphone: None,
            person: None,
            heard_from: None,
            is_task: false,
            attempts: 0,
            hint: None,
            reply: String::new(),
            sounding: false,
            asks_approval: false,
            waits: false,
            listen_after: false,
            quiet: false,
            wake_sound_at_ms: None,
            give_up_at_ms: now.clock_ms() + GIVE_UP_AFTER_MS,
            times: Times::default(),
        });
        let last = self.turns.len() - 1;
        &mut self.turns[last]
    }

    /// Ends a turn with its closing record. Closing what is not open does nothing.
    fn close(&mut self, id: &TurnId, outcome: Outcome) {
        let Some(at) = self.turns.iter().position(|turn| turn.id == *id) else { return };
        let turn = self.turns.remove(at);
        self.said.end(id, self.now);
        self.tell_later(&turn, outcome);
        if turn.phase == Phase::Thinking {
            self.out.push(Effect::StopThinking { turn: turn.id.clone() });
        }
        if turn.continuation.as_ref().is_some_and(Continuation::holds_voice) {
            self.out.push(Effect::Unduck);
        }
        self.judge_direct(&turn);
        if let Some(route) = turn.route {
            self.talks.open(&turn.origin).chats = route == Route::Llm;
        }
        let (timings_ms, route, attempts) = (turn.times.timings(), turn.route, turn.attempts);
        let event = PublicEvent::Turn { timings_ms, route, attempts, outcome };
        self.out.push(Effect::Publish { turn: Some(turn.id), origin: Some(turn.origin), event });
    }

    /// Puts a reply into words, and says it where the turn is spoken.
    fn reply(&mut self, now: Stamp, id: &TurnId, reply: Reply) {
        self.reply_as(now, id, reply, true);
    }

    fn reply_as(&mut self, now: Stamp, id: &TurnId, reply: Reply, aloud: bool) {
        let Some(turn) = self.turn_mut(id) else { return };
        turn.phase = Phase::Wording;
        turn.give_up_at_ms = now.clock_ms() + GIVE_UP_AFTER_MS;
        let effect = Effect::Reply {
            turn: turn.id.clone(),
            reply,
            language: turn.language.clone(),
            speak: turn.speak && aloud,
        };
        self.out.push(effect);
    }

    /// Says something nobody asked for just now.
    fn reply_unasked(&mut self, now: Stamp, reply: Reply) {
        let id = self.open(now, Origin::Internal, Phase::Wording, true).id.clone();
        self.reply(now, &id, reply);
    }

    /// Silence, now: the voice, the audio pipeline, every open turn, what waits for a yes, and ringing timers.
    /// The turn that asked for it (`keep`) goes on, to answer; what other named conversations do in silence is none of
    /// its business where it belongs to one itself.
    fn stop_everything(&mut self, keep: Option<&TurnId>) {
        self.out.push(Effect::StopSpeaking);
        if self.abandon_interruption(self.now) {
            self.out.push(Effect::Dismiss);
        }
        if self.turns.iter().any(|turn| turn.phase == Phase::Listening) {
            self.out.push(Effect::StopListening);
        }
        let asked_by = keep.and_then(|id| self.turns.iter().find(|turn| turn.id == *id));
        let asked_by = asked_by.map(|turn| turn.origin.clone()).filter(is_named);
        let spared = |origin: &Origin| {
            is_named(origin) && asked_by.as_ref().is_some_and(|asked_by| asked_by != origin)
        };
        self.talks.all_mut().filter(|talk| !spared(talk.origin())).for_each(Talk::ask_nothing);
        self.ringing.stop();
        // Also what another program lets ring.
        self.out.push(Effect::AcknowledgeTimers);
        let over = |turn: &&Turn| Some(&turn.id) != keep && (turn.sounding || !spared(&turn.origin));
        let over: Vec<TurnId> = self.turns.iter().filter(over).map(|turn| turn.id.clone()).collect();
        for id in over {
            if self.turn_mut(&id).is_some_and(|turn| turn.sounding) {
                self.publish(Some(&id), PublicEvent::SpeakingEnded { reason: SpeakingEnd::Stop });
            }
            self.close(&id, Outcome::Cancelled);
        }
    }

    fn show_state(&mut self) {
        let state = self.visible_state();
        if state != self.shown {
            self.shown = state;
            self.publish(None, PublicEvent::State { state });
        }
    }

    fn visible_state(&self) -> HarkState {
        let any = |wanted: &[Phase]| self.turns.iter().any(|turn| wanted.contains(&turn.phase));
        if any(&[Phase::Speaking]) || self.sounding().is_some() {
            HarkState::Responding
        } else if any(&[Phase::Listening, Phase::HearingRemotely]) {
            HarkState::Listening
        } else if any(&[Phase::Understanding, Phase::Acting, Phase::Thinking, Phase::Wording]) {
            HarkState::Processing
        } else if self.muted {
            HarkState::Muted
        } else {
            HarkState::Idle
        }
    }

    fn publish(&mut self, turn: Option<&TurnId>, event: PublicEvent) {
        let turn_of = turn.and_then(|id| self.turns.iter_mut().find(|turn| turn.id == *id));
        if let (Some(turn), PublicEvent::Intent { intent, .. }) = (turn_of, &event) {
            turn.understood.push(intent.clone());
            if let Some(spoken) = self.spoken.as_mut().filter(|spoken| spoken.turn == turn.id) {
                spoken.intents.push(intent.clone());
            }
        }
        let origin = turn.and_then(|id| self.origin_of(id));
        self.out.push(Effect::Publish { turn: turn.cloned(), origin, event });
    }

    fn earcon(&mut self, earcon: Earcon) {
        let wanted = match earcon {
            Earcon::Wake => self.settings.wake_sound,
            _ => self.settings.earcons,
        };
        if wanted {
            self.out.push(Effect::PlayEarcon { earcon });
        }
    }

    fn turn_mut(&mut self, id: &TurnId) -> Option<&mut Turn> {
        self.turns.iter_mut().find(|turn| turn.id == *id)
    }

    fn origin_of(&self, id: &TurnId) -> Option<Origin> {
        self.turns.iter().find(|turn| turn.id == *id).map(|turn| turn.origin.clone())
    }

    fn turn_in(&self, phase: Phase) -> Option<TurnId> {
        self.turns.iter().find(|turn| turn.phase == phase).map(|turn| turn.id.clone())
    }
}

/// Whether a conversation has a name of its own, so that several of its kind go on at once.
fn is_named(origin: &Origin) -> bool {
    matches!(origin, Origin::Api(_) | Origin::MqttSession(_))
}

//! Carries out what the turn machine decides. One effect runner, one machine; the live daemon runs it on
//! its own thread, `hark hear` and `hark ask` step it themselves.

use crate::app::clock::{Clock, wall_local, wall_rfc3339, wall_unix_ms};
use crate::app::controls::Controls;
use crate::app::event_queue::EventQueue;
use crate::app::language::pin_guard;
use crate::app::language::secret_guard;
use crate::app::language::understanding_thread::{Reading, ReadingParts, Work};
use crate::app::models::reply_prefetch::LikelyReplies;
use crate::app::models::worker::ModelWorker;
use crate::app::requests::automations_thread;
use crate::app::requests::inbox::Inbox;
use crate::app::requests::recorder::Recorder;
use chrono::NaiveDateTime;
use hark_core::audio::Earcon;
use hark_core::ports::Tools;
use hark_core::public_event::{HarkState, Origin};
use hark_core::timer::{Timer, TimerChange, TimerKind};
use hark_core::{
    Effect, Envelope, Event, Fault, FaultKind, Mode, PublicEvent, RemoteSpeech, Reply, Setting, Stamp, Task,
    Thought, ThoughtEnd, ToolCall, TurnId,
};
use hark_dialog::contracts::scoring::Subject;
use hark_dialog::model_tasks::Judgement;
use hark_dialog::modes;
use hark_dialog::replies::Phrasebook;
use hark_dialog::turn::Machine;
use hark_home::automations::Automations;
use hark_home::timers::{TimerQuery, Timers};
use hark_home::zone::Zone;
use hark_stt::PipelineCommand;
use hark_tts::earcons;
use hark_tts::voice_thread::{SpeechStream, VoiceHandle};
use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// Receives every public event, in order. Called on the effect runner's thread; must not block.
pub type Listener = Box<dyn FnMut(&Envelope) + Send>;

/// Resolves when the rings published until this call have arrived; false when one was given up.
pub(crate) type Delivered = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync>;

/// What the effect runner works with.
pub struct Parts {
    /// Finds out what is meant, and learns from what was not.
    pub(crate) reading_parts: Arc<ReadingParts>,
    /// Does the same on its own thread; `None` where it is waited for.
    pub(crate) reading: Option<Reading>,
    /// Puts replies into words.
    pub replies: Arc<Phrasebook>,
    /// Runs tools.
    pub tools: Arc<dyn Tools>,
    /// Timers, to acknowledge them.
    pub timers: Arc<Timers>,
    /// The voice; `None` when replies are text only.
    pub voice: Option<VoiceHandle>,
    /// Orders to the pipeline. One writer, a few orders an event, and the pipeline takes them every block.
    pub pipeline: Option<Sender<PipelineCommand>>,
    /// Where tool calls run.
    pub runtime: tokio::runtime::Handle,
    /// Settings that tools read.
    pub(crate) controls: Arc<Controls>,
    /// Whether rings that were published have arrived; `None` when nobody passes them on.
    pub(crate) delivered: Option<Delivered>,
    /// Changes what settings stand for; `None` where they are as configured.
    pub(crate) settings_applier: Option<tokio::sync::mpsc::Sender<Setting>>,
    /// Language models at work; `None` when none is configured.
    pub(crate) model_worker: Option<ModelWorker>,
    /// Requests that were promised; `None` where none are.
    pub(crate) inbox: Option<Arc<Inbox>>,
    /// What waits for something to happen.
    pub(crate) automations: Arc<Automations>,
    /// Keeps turns for `hark explain`.
    pub(crate) recorder: Recorder,
}

/// See the module.
pub struct EffectRunner {
    machine: Machine,
    parts: Parts,
    clock: Arc<Clock>,
    event_queue: Arc<EventQueue>,
    listeners: Vec<Listener>,
    follow_ups: VecDeque<Event>,
    likely: LikelyReplies,
    /// Replies that are spoken while they are written.
    written: BTreeMap<TurnId, SpeechStream>,
    /// Receipts still owed by tools.
    owed: usize,
    /// Requests that are being read.
    being_read: usize,
    /// Nothing shall sound.
    speaker_muted: bool,
}

impl EffectRunner {
    /// Puts the machine to work.
    pub fn new(
        machine: Machine,
        parts: Parts,
        clock: Arc<Clock>,
        event_queue: Arc<EventQueue>,
        listeners: Vec<Listener>,
    ) -> Self {
        Self {
            machine,
            parts,
            clock,
            event_queue,
            listeners,
            follow_ups: VecDeque::new(),
            likely: LikelyReplies::default(),
            written: BTreeMap::new(),
            owed: 0,
            being_read: 0,
            speaker_muted: false,
        }
    }

    /// Tells listeners how things stand at the start, so that retained states are right from then on.
    pub fn announce(&mut self, settings: Vec<Setting>, mode: Mode) {
        let now = self.clock.now();
        self.publish(now, None, None, PublicEvent::State { state: HarkState::Idle });
        self.announce_mode(now, mode);
        for setting in settings {
            match setting {
                Setting::DoNotDisturb(on) => {
                    self.parts.controls.intercom().note_do_not_disturb(on);
                    self.handle(Event::Set { setting: Setting::DoNotDisturb(on) });
                }
                // What the machine keeps, it does not read from the configuration.
                Setting::MicMute(_)
                | Setting::SpeakerMute(_)
                | Setting::WakeSound(_)
                | Setting::FollowUp(_) => self.handle(Event::Set { setting }),
                other => self.publish(now, None, None, other.event()),
            }
        }
    }

    /// What was begun before the last end is not: from the mode of then to rest, and from there to ALERT.
    fn announce_mode(&mut self, now: Stamp, left: Mode) {
        let mut from = left;
        for to in modes::way(left, Mode::Resting).into_iter().chain([Mode::Alert]) {
            let why = if to == Mode::Alert { "Hark has started" } else { "Hark was off" }.to_owned();
            self.publish(now, None, None, PublicEvent::Mode { from, to, why });
            from = to;
        }
    }

    /// The queue that it empties.
    pub fn event_queue(&self) -> &EventQueue {
        &self.event_queue
    }

    /// Until the event queue is closed.
    pub fn run(&mut self) {
        /// How long the thread sleeps at most when nothing is due.
        const LONGEST_NAP: Duration = Duration::from_secs(60);
        while !self.event_queue.is_closed() {
            let nap = Instant::now() + LONGEST_NAP;
            let deadline = match self.machine.next_deadline_ms() {
                Some(at_ms) => self.clock.instant_at(at_ms).min(nap),
                None => nap,
            };
            let event = self.event_queue.pop(deadline).unwrap_or(Event::Tick);
            self.handle(event);
        }
    }

    /// Takes an event and everything that follows from it at once.
    pub fn handle(&mut self, event: Event) {
        let mut next = Some(event);
        while let Some(event) = next {
            let now = self.clock.now();
            match &event {
                Event::Acted { .. } => self.owed = self.owed.saturating_sub(1),
                Event::Understood { .. } | Event::Covered { .. } => {
                    self.being_read = self.being_read.saturating_sub(1);
                }
                _ => {}
            }
            // Before anything is recorded or told: from here on no PIN and no password is in any event. First the
            // passwords: the digits of one are no PIN.
            let Some((event, hidden)) = self.without_passwords(event) else {
                next = self.follow_ups.pop_front();
                continue;
            };
            if let Some(origin) = speaker(&event).filter(|origin| self.machine.has_forgotten(origin)) {
                let (origin, reply) = (origin.clone(), self.parts.recorder.last_reply(origin));
                self.take(now, Event::Recalled { origin, reply }, false);
            }
            let tools = self.parts.tools.as_ref();
            let awaited = |origin: &Origin| self.machine.awaits_pin(now, origin);
            let (mut verdict, mut secret, mut event) = (None, false, event);
            if tools.has_pin() {
                let languages = &self.parts.reading_parts.languages;
                let look = |pin: &_| tools.present_pin(pin);
                (event, verdict) = pin_guard::without_pin(event, languages, awaited, look);
                secret = pin_guard::may_have_held_pin(&event, awaited);
            }
            if let Some(verdict) = verdict {
                self.take(now, Event::PinPresented { verdict }, false);
            }
            self.take(now, event, secret || hidden);
            next = self.follow_ups.pop_front();
        }
        self.event_queue.hold_requests(self.being_read > 0);
    }

    /// The event without values of password fields, and whether there were any; `None` when it must be read first, and
    /// comes again.
    fn without_passwords(&mut self, mut event: Event) -> Option<(Event, bool)> {
        if let Event::Covered { event, hidden } = event {
            return Some((*event, hidden));
        }
        if secret_guard::must_be_read(&mut event, &*self.parts.tools) {
            self.read(Work::Cover(Box::new(event)));
            return None;
        }
        let hidden =
            secret_guard::cover_so_far(&mut event, &*self.parts.tools, &self.parts.reading_parts.languages);
        Some((event, hidden))
    }

    /// Has words read; what comes of it is an event.
    fn read(&mut self, work: Work) {
        self.being_read += usize::from(!matches!(work, Work::Teach(_)));
        let done = match &self.parts.reading {
            Some(reading) => reading.give(work),
            None => Some(self.parts.reading_parts.work(&work)),
        };
        self.follow_ups.extend(done);
    }

    fn take(&mut self, now: Stamp, event: Event, secret: bool) {
        let sound = self.event_queue.take_sound(&event).filter(|_| !secret);
        self.parts.recorder.event(now, &event, self.machine.is_idle(), sound);
        let rings = match &event {
            Event::Timer { change: TimerChange::Finished, timer } => Some(timer.clone()),
            _ => None,
        };
        for effect in self.machine.handle(now, event) {
            self.perform(now, effect);
        }
        if let Some(timer) = rings {
            self.note_told(timer);
        }
    }

    /// Takes what waits in the event queue and what tools still owe, until nothing is left or `limit` is
    /// over; then the machine only waits for sound or time.
    pub fn settle(&mut self, limit: Duration) {
        let end = Instant::now() + limit;
        loop {
            let wait_for = if self.is_acting() { end } else { Instant::now() };
            match self.event_queue.pop(wait_for) {
                Some(event) => self.handle(event),
                None => break,
            }
        }
        self.tick_if_due();
    }

    /// Waits up to `limit` for one event and takes it; looks at deadlines when none comes.
    pub fn wait(&mut self, limit: Duration) {
        match self.event_queue.pop(Instant::now() + limit) {
            Some(event) => self.handle(event),
            None => self.tick_if_due(),
        }
    }

    /// Waits until every turn is kept on the disk. Nothing is read any more on a thread of its own.
    pub fn finish(&mut self) {
        self.parts.reading = None;
        self.parts.recorder.finish();
    }

    /// Whether a tool still runs.
    pub fn is_acting(&self) -> bool {
        self.owed > 0
    }

    /// Whether a language model is still at work, if only to judge what was answered.
    pub fn is_thinking(&self) -> bool {
        self.parts.model_worker.as_ref().is_some_and(ModelWorker::is_busy)
    }

    /// Whether no turn is open.
    pub fn is_idle(&self) -> bool {
        self.machine.is_idle()
    }

    /// Everybody is being told that it rings: noted once they have been, where nobody waits for it.
    fn note_told(&self, timer: Timer) {
        let timers = self.parts.timers.clone();
        // A command must not be begun twice; whether somebody far away knows does not matter.
        let waits = timer.kind != TimerKind::Command;
        let delivered = self.parts.delivered.as_ref().filter(|_| waits).map(|delivered| delivered());
        self.parts.runtime.spawn(async move {
            if let Some(delivered) = delivered
                && !delivered.await
            {
                tracing::debug!(timer = %timer.id, "nobody was told of this ring; after a restart they will be");
                return;
            }
            let noted = tokio::task::spawn_blocking(move || timers.told(&timer)).await;
            if let Ok(Err(fault)) = noted {
                tracing::warn!(%fault, "a ring may be told again after a restart");
            }
        });
    }

    fn tick_if_due(&mut self) {
        let now_ms = self.clock.now().clock_ms();
        if self.machine.next_deadline_ms().is_some_and(|at| at <= now_ms) {
            self.handle(Event::Tick);
        }
    }

    fn perform(&mut self, now: Stamp, effect: Effect) {
        match effect {
            Effect::Publish { turn, origin, event } => self.publish(now, turn, origin, event),
            Effect::Listen { window_ms, short_answer } => {
                self.to_pipeline(PipelineCommand::Listen { window_ms, short_answer });
            }
            Effect::Watch { on } => self.to_pipeline(PipelineCommand::Watch(on)),
            Effect::Attend => self.to_pipeline(PipelineCommand::Attend),
            Effect::Doubt => self.to_pipeline(PipelineCommand::Doubt),
            Effect::Dismiss => self.to_pipeline(PipelineCommand::Dismiss),
            Effect::StopListening => self.to_pipeline(PipelineCommand::Sleep),
            Effect::MuteMicrophone { muted } => self.to_pipeline(PipelineCommand::Mute(muted)),
            Effect::Prepare { text, language } => {
                if let (Some(voice), Some(reply)) = (&self.parts.voice, self.likely.reply_to(&text)) {
                    voice.prepare(reply, language);
                }
            }
            Effect::Understand { turn, text, language } => {
                self.likely.asked(&turn, &text);
                let asked_at = self.asked_at(&turn);
                self.read(Work::Understand { turn, text, language, asked_at });
            }
            Effect::Act { call } => self.act(call),
            Effect::Reply { turn, reply, language, speak } => self.reply(now, turn, &reply, language, speak),
            Effect::Think { task } => self.think(*task),
            Effect::Judge { turn, tool, request, answer } => {
                let subject = Subject::DirectTool(tool);
                if let Some(model_worker) = &mut self.parts.model_worker {
                    model_worker.judge(turn, Judgement { subject, request, answer });
                }
            }
            Effect::StopThinking { turn } => {
                self.written.remove(&turn);
                if let Some(model_worker) = &mut self.parts.model_worker {
                    model_worker.stop(&turn);
                }
            }
            Effect::SayPiece { turn, text, ahead, language, speak } => {
                self.say_piece(&turn, (&text, &ahead), &language, speak)
            }
            Effect::EndPieces { turn, written, reply, language, speak } => {
                let (text, language) = self.words(now, &turn, &reply, language);
                let rest = text.strip_prefix(written.as_str()).unwrap_or_default().to_owned();
                self.say_piece(&turn, (&rest, ""), &language, speak);
                let speaks = self.written.remove(&turn).is_some_and(|stream| !stream.is_closed());
                self.follow_ups.push_back(Event::Replied { turn, text, language, speaks });
            }
            Effect::StopSpeaking => {
                self.written.clear();
                self.with_voice(VoiceHandle::stop);
            }
            Effect::Duck { db } => self.with_voice(|voice| voice.duck(db as f32)),
            Effect::PauseSpeaking => self.with_voice(VoiceHandle::pause),
            Effect::Unduck => self.with_voice(VoiceHandle::unduck),
            Effect::PlayEarcon { earcon } => self.play(earcon),
            Effect::MuteSpeaker { muted } => {
                self.speaker_muted = muted;
                self.parts.controls.intercom().note_speaker(muted);
                if muted {
                    self.with_voice(VoiceHandle::stop);
                }
            }
            Effect::Apply { setting } => self.change(setting),
            Effect::CancelTimers => {
                if let Err(error) = self.parts.timers.cancel_all(&TimerQuery::default()) {
                    let fix = "cancel them by voice, or with `hark timers cancel`";
                    let fault = Fault::new(FaultKind::Failed, "timers", error.to_string(), fix);
                    self.follow_ups.push_back(Event::Fault { fault: fault.recoverable() });
                }
            }
            Effect::SetVolume { percent } => {
                self.parts.controls.note_volume(percent);
                self.with_voice(|voice| voice.set_volume(percent));
            }
            Effect::Teach { correction } => self.read(Work::Teach(correction)),
            // Some milliseconds, and only when somebody asked for it.
            Effect::Style { turn, origin, style } => {
                let kept = self.parts.recorder.keep_style(&origin, &style);
                let (everywhere, fault) = (kept.as_ref().is_ok_and(|all| *all), kept.err());
                self.follow_ups.push_back(Event::Styled { turn, everywhere, fault });
            }
            Effect::Settled { turn } => self.settled(&turn),
            Effect::AcknowledgeTimers => {
                if let Err(fault) = self.parts.timers.acknowledge_all(wall_unix_ms()) {
                    self.follow_ups.push_back(Event::Fault { fault });
                }
            }
            Effect::GiveUpTimers { timers } => {
                let silence = self.parts.timers.silence(Some(&timers), TimerChange::Unheard, wall_unix_ms());
                if let Err(fault) = silence {
                    self.follow_ups.push_back(Event::Fault { fault });
                }
            }
        }
    }

    fn publish(&mut self, now: Stamp, turn: Option<TurnId>, origin: Option<Origin>, event: PublicEvent) {
        let mut envelope = Envelope::new(event, turn, now, wall_rfc3339());
        envelope.origin = origin;
        for listener in &mut self.listeners {
            listener(&envelope);
        }
        let passing = self.parts.recorder.published(&envelope);
        if let (Some(passing), Some(model_worker)) = (passing, &mut self.parts.model_worker) {
            model_worker.read_facts(passing);
        }
        if let (PublicEvent::Turn { .. }, Some(turn)) = (&envelope.event, &envelope.turn) {
            self.settled(turn);
        }
    }

    /// What was promised under this id is done.
    fn settled(&self, turn: &TurnId) {
        if let Some(inbox) = &self.parts.inbox {
            inbox.done(turn);
        }
        if let Some(id) = automations_thread::automation_of(turn) {
            let automations = self.parts.automations.clone();
            let note = move || {
                if let Err(fault) = automations.carried_out(&id, wall_unix_ms()) {
                    tracing::error!("an automation may act again after the next start: {fault}");
                }
            };
            self.parts.runtime.spawn_blocking(note);
        }
    }

    /// The moment that "in ten minutes" is reckoned from: now, or when a request came that is taken up again.
    fn asked_at(&self, turn: &TurnId) -> NaiveDateTime {
        let came = self.parts.inbox.as_ref().and_then(|inbox| inbox.asked_at(turn));
        came.map_or_else(wall_local, |unix_ms| Zone::Local.wall(unix_ms))
    }

    fn act(&mut self, call: ToolCall) {
        let (turn, index) = (call.turn.clone(), call.index);
        let event_queue = self.event_queue.clone();
        let work = self.parts.tools.run(call);
        self.owed += 1;
        self.parts.runtime.spawn(async move {
            let started = Instant::now();
            let receipt = work.await;
            let duration_ms = started.elapsed().as_secs_f64() * 1000.0;
            if let Err(full) = event_queue.push(Event::Acted { turn, index, receipt, duration_ms }) {
                tracing::error!("a receipt was lost: {full}");
            }
        });
    }

    fn reply(&mut self, now: Stamp, turn: TurnId, reply: &Reply, language: String, speak: bool) {
        let (text, language) = self.words(now, &turn, reply, language);
        self.likely.answered(&turn, &text);
        let speaks = match (self.audible(), speak && !text.is_empty()) {
            (Some(voice), true) => voice.say(turn.clone(), text.clone(), language.clone()).map(|()| true),
            _ => Ok(false),
        };
        let speaks = speaks.unwrap_or_else(|fault: Fault| {
            self.publish(now, Some(turn.clone()), None, PublicEvent::Error(fault));
            false
        });
        self.follow_ups.push_back(Event::Replied { turn, text, language, speaks });
    }

    /// The words of a reply, and their language.
    fn words(&mut self, now: Stamp, turn: &TurnId, reply: &Reply, language: String) -> (String, String) {
        let rendered = self.parts.replies.render(reply, &language, wall_unix_ms());
        rendered.unwrap_or_else(|fault| {
            // The owner's template is broken: say that, rather than claim anything about the request.
            let text = fault.message.clone();
            self.publish(now, Some(turn.clone()), None, PublicEvent::Error(fault));
            (text, language)
        })
    }

    fn think(&mut self, mut task: Task) {
        if task.session.is_empty() {
            task.session = self.parts.recorder.session(Some(&task.origin));
        }
        let turn = task.turn.clone();
        match &mut self.parts.model_worker {
            Some(model_worker) => model_worker.begin(task),
            // The machine asks for it only where there is one.
            None => {
                let end = ThoughtEnd::NoAnswer { fault: None, cause: None };
                self.follow_ups.push_back(Event::Thought { turn, thought: Thought { end, attempts: 0 } });
            }
        }
    }

    /// Says the next words of a reply, which begins with its first piece.
    /// A piece of a reply and what is known to follow it.
    fn say_piece(&mut self, turn: &TurnId, (text, ahead): (&str, &str), language: &str, speak: bool) {
        if !speak {
            return;
        }
        if !self.written.contains_key(turn) {
            if text.is_empty() {
                return;
            }
            let Some(begun) = self.audible().map(|voice| voice.say_stream(turn.clone(), language)) else {
                return;
            };
            match begun {
                Ok(stream) => drop(self.written.insert(turn.clone(), stream)),
                Err(fault) => {
                    let now = self.clock.now();
                    self.publish(now, Some(turn.clone()), None, PublicEvent::Error(fault));
                    return;
                }
            }
        }
        if let Some(stream) = self.written.get(turn) {
            stream.push(text, ahead);
        }
    }

    fn play(&self, earcon: Earcon) {
        let Some(voice) = self.audible() else { return };
        match voice.earcon(earcon) {
            Ok(()) => self.to_pipeline(PipelineCommand::OwnSound { ms: earcons::length_ms(earcon) }),
            Err(fault) => tracing::warn!("a short sound was left out: {fault}"),
        }
    }

    /// The voice, if what it says can be heard.
    fn audible(&self) -> Option<&VoiceHandle> {
        self.parts.voice.as_ref().filter(|voice| !self.speaker_muted && voice.has_output())
    }

    /// Has a setting changed by whoever can.
    fn change(&mut self, setting: Setting) {
        let name = setting.name();
        let why = match self
            .parts
            .settings_applier
            .as_ref()
            .map(|settings_applier| settings_applier.try_send(setting))
        {
            Some(Ok(())) => return,
            Some(Err(_)) => "settings change faster than Hark can follow",
            None => "settings can only be changed of the daemon",
        };
        let message = format!("{name} was not changed: {why}");
        let fault = Fault::new(FaultKind::Unavailable, "settings", message, "try again").recoverable();
        self.follow_ups.push_back(Event::Fault { fault });
    }

    fn with_voice(&self, order: impl FnOnce(&VoiceHandle)) {
        if let Some(voice) = &self.parts.voice {
            order(voice);
        }
    }

    fn to_pipeline(&self, command: PipelineCommand) {
        if let Some(pipeline) = &self.parts.pipeline {
            // The pipeline may be gone while the daemon shuts down; then there is nobody to tell.
            if pipeline.send(command).is_err() {
                tracing::debug!("the pipeline has already stopped");
            }
        }
    }
}

/// Who begins to say something to Hark, or has said it: what they may lean on must be known from here on.
fn speaker(event: &Event) -> Option<&Origin> {
    match event {
        Event::Promised { event, .. } => speaker(event),
        Event::Typed { origin, .. }
        | Event::RemoteSpeech { origin, heard: RemoteSpeech::Listening { .. }, .. } => Some(origin),
        Event::Wake { .. } | Event::ListenNow => Some(&Origin::Voice),
        _ => None,
    }
}

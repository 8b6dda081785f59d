//! The daemon: every part on its own thread, supervised, from READY to a clean end.

use super::api::{Broadcast, LiveApi, remote_ears};
use super::claims::{self, Claims};
use super::clock::Clock;
use super::conductor::{Conductor, Listener, Parts};
use super::diagnostics::{self, Sources};
use super::ear_thread::EarThread;
use super::echo_feed::EchoFeed;
use super::ending::Ending;
use super::faults::{no_thread, report};
use super::health::Health;
use super::kept::KeptSettings;
use super::learning::{Learner, LearningThread};
use super::mailbox::Mailbox;
use super::newer::Newer;
use super::operator::ensure_token;
use super::presence;
use super::promises::Promises;
use super::reading::ReadingThread;
use super::reload::Origin;
use super::remote_ear::RemoteEars;
use super::settings;
use super::signals;
use super::steward::Steward;
use super::timers_thread::TimersThread;
use super::vocabulary::VocabularyThread;
use super::voice_parts::VoiceParts;
use super::watchdog_thread::WatchdogThread;
use super::workshop::Workshop;
use crate::domain::house::Claim;
use crate::domain::plan::PlanStore;
use crate::domain::{Event, Fault, Mode, PublicEvent, Resume, Setting};
use crate::inference::memory;
use crate::integrations::dashboard::Dashboard;
use crate::integrations::dashboard::limits::Limits;
use crate::integrations::dashboard::local::Local;
use crate::integrations::mqtt::{Equipment, Mqtt, NodeInfo, Receiving};
use crate::remembering::store::Store;
use crate::telemetry::vitals;
use crate::telemetry::watchdog::Notifier;
use chrono::TimeDelta;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::mpsc::Sender;
use tokio::task::JoinHandle;

/// Runs until SIGINT or SIGTERM, or until its terminal is gone; SIGHUP otherwise has `origin` read anew. Events go to
/// `listeners` as well as to MQTT. `ready` is called when everything is up.
///
/// # Errors
/// When a part that is needed cannot be built. A device or broker that is not there is no error: it is
/// reported and looked for again.
pub fn run(
    workshop: &Workshop,
    origin: Origin,
    mut listeners: Vec<Listener>,
    ready: impl FnOnce(&Running),
) -> Result<Ended, Fault> {
    let clock = Arc::new(Clock::live());
    let mailbox = workshop.mailbox.clone();
    let ending = Arc::new(Ending::new(mailbox.clone()));
    signals::follow(workshop, origin)?; // Before anybody can see that it runs, and end it.
    let settings = settings_now(workshop);
    let health = Arc::new(Health::default());
    let (echo, taps) = EchoFeed::new(&workshop.config.echo);
    let voice = VoiceParts::supervised(workshop, taps, &health)?;
    let (claims, claimed) = Claims::new(&workshop.config.satellite);
    let muted = settings.contains(&Setting::MicMute(true));
    let ear = EarThread::start(workshop, echo, health.clone(), claims.clone(), muted)?;
    let newer = Arc::new(Newer::default());
    // Before anything new can come.
    let left_over = told(&mailbox, workshop.promises().map(|it| it.left_over()).transpose());
    let left_over = left_over.flatten().unwrap_or_default();
    let mqtt = Arc::new(start_mqtt(workshop, claims, ending.clone(), newer.clone())?);
    workshop.intercom().attach(mqtt.clone(), workshop.area_name());
    if let Some(claimed) = claimed {
        let (node, settings) = (workshop.config.mqtt.node.clone(), workshop.config.satellite.clone());
        let teller = mqtt.clone();
        let send = move |claim: &Claim| teller.claim(claim);
        workshop.runtime.spawn(claims::settle(claimed, node, settings, send, mailbox.clone()));
    }
    let publisher = mqtt.clone();
    listeners.push(Box::new(move |envelope| publisher.publish(envelope)));
    listeners.push(mode_keeper(workshop));
    let broadcast = Broadcast::new();
    listeners.push(broadcast.listener());
    let learning = start_learning(workshop)?;
    listeners.extend(learning.as_ref().map(LearningThread::listener));
    let mut parts = workshop.parts(Some(voice.handle()), Some(ear.commands()), workshop.daemon_names());
    let keeping = workshop.kept().map(|kept| workshop.runtime.spawn(kept.clone().follow(mailbox.clone())));
    if let Some(kept) = workshop.kept().cloned() {
        parts.steward = Some(start_steward(workshop, &ear, &voice, ending.clone(), &kept));
        listeners.push(Box::new(move |envelope| kept.note(&envelope.event)));
    }
    let timers_changed = Arc::new(Notify::new());
    let nudge = timers_changed.clone();
    listeners.push(Box::new(move |envelope| {
        if matches!(envelope.event, PublicEvent::Timer { .. }) {
            nudge.notify_one();
        }
    }));
    let publisher = mqtt.clone();
    let reading = start_reading(&mut parts, &mailbox)?;
    parts.delivered = Some(Arc::new(move || Box::pin(publisher.rings_told())));
    let mut conductor = Conductor::new(workshop.machine(), parts, clock, mailbox.clone(), listeners);
    let mut timers = TimersThread::start(workshop.timers.clone(), mailbox.clone())
        .map_err(|error| no_thread("hark-timers", &error))?;
    let runtime = workshop.runtime.handle().clone();
    let vocabulary = VocabularyThread::start(workshop.vocabulary.clone(), runtime, mailbox.clone())?;
    let watchdog =
        WatchdogThread::start(ear.progress()).map_err(|error| no_thread("hark-watchdog", &error))?;
    let ears = remote_ears(workshop, &broadcast);
    let dashboard = start_dashboard(workshop, &health, &mqtt, broadcast, &ears)?;
    let model = workshop.model().cloned();
    let sources = Sources { health, timers: workshop.timers.clone(), timers_changed, newer, model };
    let diagnostics = workshop.runtime.spawn(diagnostics::publish(mqtt.clone(), sources));
    conductor.announce(settings, told(&mailbox, workshop.store().mode()).flatten().unwrap_or(Mode::Resting));
    told(&mailbox, go_on_with_plans(workshop));
    let noting = keep_promises(workshop, &mqtt, left_over);
    workshop.runtime.spawn(back_up(workshop.store().clone(), mailbox.clone()));
    watch_model(workshop);
    Notifier.ready(signals::LISTENING);
    ready(&Running { ear: &ear, voice: &voice, api: dashboard.address() });
    memory::give_back();
    conductor.run();

    tracing::info!("ending");
    Notifier.stopping();
    drop(watchdog);
    diagnostics.abort();
    timers.stop(&workshop.timers);
    workshop.runtime.block_on(dashboard.shutdown());
    ears.end();
    drop((vocabulary, learning));
    drop(ear);
    drop(voice);
    conductor.finish();
    drop(reading);
    if let Some((promises, noting)) = noting {
        noting.abort();
        promises.note();
    }
    if let (Some(kept), Some(keeping)) = (workshop.kept(), keeping) {
        keeping.abort();
        if let Err(fault) = kept.write() {
            tracing::error!("settings may be as before after the next start: {fault}");
        }
    }
    workshop.intercom().detach();
    workshop.runtime.block_on(mqtt.shutdown());
    Ok(if ending.restarts() { Ended::ToRestart } else { Ended::ForGood })
}

/// How the daemon ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It was told to.
    ForGood,
    /// It shall be started again.
    ToRestart,
}

/// Every setting as it is at the start.
fn settings_now(workshop: &Workshop) -> Vec<Setting> {
    workshop.kept().map_or_else(|| settings::configured(&workshop.config), |kept| kept.now())
}

/// The thread on which the conductor with these parts has requests read.
fn start_reading(parts: &mut Parts, mailbox: &Arc<Mailbox>) -> Result<ReadingThread, Fault> {
    let (thread, reading) = ReadingThread::start(parts.desk.clone(), mailbox.clone())
        .map_err(|error| no_thread("hark-reading", &error))?;
    parts.reading = Some(reading);
    Ok(thread)
}

fn start_steward(
    workshop: &Workshop,
    ear: &EarThread,
    voice: &VoiceParts,
    ending: Arc<Ending>,
    kept: &Arc<KeptSettings>,
) -> Sender<Setting> {
    let steward = Steward {
        config: workshop.config.clone(),
        manifest: workshop.manifest.clone(),
        choices: workshop.choices(),
        kept: kept.clone(),
        ear: ear.adjustments(),
        voice: voice.handle(),
        ending,
    };
    let (asked, work) = steward.begin(workshop.mailbox.clone());
    workshop.runtime.spawn(work);
    asked
}

/// The daemon while it runs, for those who started it.
pub struct Running<'a> {
    pub(super) ear: &'a EarThread,
    pub(super) voice: &'a VoiceParts,
    api: Option<SocketAddr>,
}

impl Running<'_> {
    /// Whether a microphone is open.
    pub fn has_microphone(&self) -> bool {
        self.ear.has_microphone()
    }

    /// Where programs reach it; `None` when that is switched off, or the port is taken.
    pub fn api(&self) -> Option<SocketAddr> {
        self.api
    }
}

/// HTTP and WebSocket: for commands of the owner always, for programs unless they are switched off.
fn start_dashboard(
    workshop: &Workshop,
    health: &Arc<Health>,
    mqtt: &Arc<Mqtt>,
    broadcast: Arc<Broadcast>,
    ears: &Arc<RemoteEars>,
) -> Result<Dashboard, Fault> {
    let api = Arc::new(LiveApi::new(workshop, health.clone(), mqtt.clone(), broadcast, ears.clone()));
    let mailbox = workshop.mailbox.clone();
    let faults = Arc::new(move |fault| report(&mailbox, fault));
    let mut settings = workshop.config.dashboard.clone();
    let state_dir = workshop.config.paths.state_dir()?;
    if settings.enabled && settings.operator_token_file.is_empty() {
        let file = settings.operator_file(&state_dir);
        match ensure_token(&file) {
            Ok(()) => settings.operator_token_file = file.display().to_string(),
            // Without it nobody on the port is the operator, and each conversation answers for itself.
            Err(fault) => report(&workshop.mailbox, fault),
        }
    }
    // Without it Hark goes on for everybody else.
    let local = Local::at(&presence::socket(&state_dir));
    let local = local.map_err(|fault| report(&workshop.mailbox, fault)).ok();
    Dashboard::open(&settings, local, Limits::default(), api, faults, workshop.runtime.handle())
}

fn start_mqtt(
    workshop: &Workshop,
    claims: Claims,
    ending: Arc<Ending>,
    newer: Arc<Newer>,
) -> Result<Mqtt, Fault> {
    let (mailbox, intercom) = (workshop.mailbox.clone(), workshop.intercom().clone());
    let sink = Arc::new(move |event: Event| match event {
        Event::Claimed { claim } => claims.claimed(claim),
        Event::Restart => ending.restart(),
        Event::Install if newer.version().is_some() => ending.restart(),
        Event::Install => report(&mailbox, Newer::none()),
        event => {
            if let Some(event) = intercom.take(event)
                && let Err(full) = mailbox.push(event)
            {
                tracing::error!("a command from MQTT was refused: {full}");
            }
        }
    });
    let area = Some(workshop.area_name()).filter(|area| !area.is_empty());
    let about =
        NodeInfo { version: env!("CARGO_PKG_VERSION").to_owned(), area, equipment: equipment(workshop) };
    let devices = workshop.mqtt_devices.clone();
    let book = workshop.promises().map(|promises| promises.clone() as _);
    let inbound = Receiving { sink, book };
    Mqtt::start(&workshop.config.mqtt, about, inbound, devices, workshop.runtime.handle().clone())
}

/// What this node has, as it is configured: a device that is unplugged comes back.
fn equipment(workshop: &Workshop) -> Equipment {
    let (config, choices) = (&workshop.config, workshop.choices());
    Equipment {
        microphone: config.audio.input_device != "none",
        speaker: config.audio.output_device != "none",
        cpu_temperature: vitals::cpu_celsius().is_some(),
        language_model: workshop.model().is_some(),
        wake_words: choices.wake_words,
        voices: choices.voices,
        languages: choices.languages,
    }
}

/// Keeps the mode for the next start.
fn mode_keeper(workshop: &Workshop) -> Listener {
    let store = workshop.store().clone();
    // One after the other, and of several that came meanwhile the last: it must not be overtaken by one before it.
    let (changed, mut modes) = tokio::sync::watch::channel(Mode::default());
    workshop.runtime.spawn(async move {
        while modes.changed().await.is_ok() {
            let (mode, store) = (*modes.borrow_and_update(), store.clone());
            let kept = tokio::task::spawn_blocking(move || store.keep_mode(mode)).await;
            if let Ok(Err(fault)) = kept {
                tracing::warn!("the mode is not known after a restart: {fault}");
            }
        }
    });
    Box::new(move |envelope| {
        if let PublicEvent::Mode { to, .. } = envelope.event {
            changed.send_replace(to);
        }
    })
}

/// Looks at the language model now and then, so that its trouble is known before it is needed.
fn watch_model(workshop: &Workshop) {
    let Some(model) = workshop.model().cloned() else { return };
    let every = Duration::from_millis(workshop.config.llm.health_ms.into());
    workshop.runtime.spawn(async move {
        loop {
            let (_, faults) = model.models().await;
            for fault in faults {
                tracing::debug!("{fault}");
            }
            tokio::time::sleep(every).await;
        }
    });
}

/// Plans that were being carried out when the program ended go on where they were.
fn go_on_with_plans(workshop: &Workshop) -> Result<(), Fault> {
    if workshop.model().is_none() {
        return Ok(());
    }
    for kept in workshop.store().unfinished()? {
        let resume = Resume::Restarted { plan: kept.plan.id };
        let event = Event::ResumePlan { session: kept.session, resume };
        if let Err(full) = workshop.mailbox.push(event) {
            tracing::error!("a plan does not go on before the next start: {full}");
        }
    }
    Ok(())
}

/// Takes up what was promised before the last end, when the devices are there that it may be about, and notes what is
/// done from now on.
fn keep_promises(
    workshop: &Workshop,
    mqtt: &Arc<Mqtt>,
    left_over: Vec<(i64, Event)>,
) -> Option<(Arc<Promises>, JoinHandle<()>)> {
    /// How long devices have to be there again.
    const SETTLED_WITHIN: Duration = Duration::from_secs(10);
    let promises = workshop.promises()?.clone();
    let (taking, mqtt) = (promises.clone(), mqtt.clone());
    workshop.runtime.spawn(async move {
        if !left_over.is_empty() {
            mqtt.devices_settled(SETTLED_WITHIN).await;
        }
        taking.take_up(left_over).await;
    });
    let noting = workshop.runtime.spawn(promises.clone().follow());
    Some((promises, noting))
}

/// Only where there is a classifier to teach.
fn start_learning(workshop: &Workshop) -> Result<Option<LearningThread>, Fault> {
    let tongues = &workshop.tongues;
    let Some(classifier) = tongues.classifier.clone() else { return Ok(None) };
    let learner = Learner::new(&workshop.config, &tongues.places, classifier);
    let mailbox = workshop.mailbox.clone();
    LearningThread::start(learner, move |fault| report(&mailbox, fault)).map(Some)
}

/// A backup a day, for as long as the runtime is there.
async fn back_up(store: Store, mailbox: Arc<Mailbox>) {
    const LOOK_EVERY: Duration = Duration::from_secs(3600);
    let mut looks = tokio::time::interval(LOOK_EVERY);
    loop {
        looks.tick().await;
        let store = store.clone();
        match tokio::task::spawn_blocking(move || store.back_up(TimeDelta::days(1))).await {
            Ok(Ok(made)) => {
                made.iter().for_each(|backup| tracing::info!(name = backup.name, "a backup was made"))
            }
            Ok(Err(fault)) => report(&mailbox, fault.recoverable()),
            Err(error) => tracing::error!(%error, "no backup was made"),
        }
    }
}

/// What was read of the store. Where it cannot be, the house works without, and it is told.
fn told<T>(mailbox: &Mailbox, read: Result<T, Fault>) -> Option<T> {
    read.map_err(|fault| report(mailbox, fault.recoverable())).ok()
}

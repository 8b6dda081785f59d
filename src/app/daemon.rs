//! The daemon: every part on its own thread, supervised, from READY to a clean end.

use crate::app::audio::arbitration::{self, Claims};
use crate::app::audio::echo_feed::EchoFeed;
use crate::app::audio::pipeline_thread::PipelineThread;
use crate::app::audio::remote_microphone::RemoteMicrophones;
use crate::app::audio::voice_parts::VoiceParts;
use crate::app::builder::App;
use crate::app::clock::Clock;
use crate::app::effect_runner::{EffectRunner, Listener, Parts};
use crate::app::event_queue::EventQueue;
use crate::app::faults::{no_thread, report};
use crate::app::language::learning::{Learner, LearningThread};
use crate::app::language::understanding_thread::ReadingThread;
use crate::app::language::vocabulary::VocabularyThread;
use crate::app::models::watch::watch;
use crate::app::reload::Origin;
use crate::app::requests::by_itself::ByItself;
use crate::app::requests::inbox::Inbox;
use crate::app::requests::timers_thread::TimersThread;
use crate::app::service::api::{LiveApi, remote_microphones};
use crate::app::service::broadcast::Broadcast;
use crate::app::service::diagnostics::{self, Sources};
use crate::app::service::health::Health;
use crate::app::service::operator::ensure_token;
use crate::app::service::presence;
use crate::app::service::upgrade_check::UpgradeCheck;
use crate::app::service::watchdog_thread::WatchdogThread;
use crate::app::settings::applier::SettingsApplier;
use crate::app::settings::choices;
use crate::app::settings::configuration::LiveConfiguration;
use crate::app::settings::store::SettingsStore;
use crate::app::shutdown::Shutdown;
use crate::app::signals;
use chrono::TimeDelta;
use hark_core::house::Claim;
use hark_core::plan::PlanStore;
use hark_core::{DaemonCommand, Event, Fault, Mode, PublicEvent, Resume, Setting};
use hark_http::limits::Limits;
use hark_http::owner_socket::OwnerSocket;
use hark_http::{Dashboard, MakeMcp};
use hark_models::memory;
use hark_mqtt::{Equipment, InboundHandlers, Mqtt, NodeInfo};
use hark_store::store::Store;
use hark_telemetry::vitals;
use hark_telemetry::watchdog::Notifier;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::mpsc::Sender;
use tokio::task::JoinHandle;

/// Runs until SIGINT or SIGTERM, or until its terminal is gone; SIGHUP otherwise has `origin` read anew. Events go to
/// `listeners` as well as to MQTT. A recording may `stand_in` for the microphone; `ready` is called when everything is up.
///
/// # Errors
/// When a part that is needed cannot be built. A device or broker that is not there is no error: it is
/// reported and looked for again.
pub fn run(
    app: &App,
    origin: Origin,
    mut listeners: Vec<Listener>,
    stand_in: bool,
    ready: impl FnOnce(&Running),
) -> Result<Ended, Fault> {
    let clock = Arc::new(Clock::live());
    let event_queue = app.event_queue.clone();
    let ending = Arc::new(Shutdown::new(event_queue.clone()));
    let configuration = follow_signals(app, origin)?; // Before anybody can see that it runs, and end it.
    let (settings, health) = (settings_now(app), Arc::new(Health::default()));
    let (echo, taps) = EchoFeed::new(&app.config.echo);
    let voice = VoiceParts::supervised(app, taps, &health)?;
    let (claims, claimed) = Claims::new(&app.config.satellite);
    let muted = settings.contains(&Setting::MicMute(true));
    let pipeline = PipelineThread::start(app, echo, health.clone(), claims.clone(), muted, stand_in)?;
    let upgrade_check = Arc::new(UpgradeCheck::default());
    // Before anything new can come.
    let left_over = told(&event_queue, app.inbox().map(|it| it.left_over()).transpose());
    let left_over = left_over.flatten().unwrap_or_default();
    let mqtt = Arc::new(start_mqtt(app, claims, ending.clone(), upgrade_check.clone())?);
    app.intercom().attach(mqtt.clone(), app.area_name());
    if let Some(claimed) = claimed {
        let (node, settings) = (app.config.mqtt.node.clone(), app.config.satellite.clone());
        let teller = mqtt.clone();
        let send = move |claim: &Claim| teller.claim(claim);
        app.runtime.spawn(arbitration::settle(claimed, node, settings, send, event_queue.clone()));
    }
    let publisher = mqtt.clone();
    listeners.push(Box::new(move |envelope| publisher.publish(envelope)));
    listeners.push(mode_keeper(app));
    let broadcast = Broadcast::new();
    listeners.push(broadcast.listener());
    let learning = start_learning(app)?;
    listeners.extend(learning.as_ref().map(LearningThread::listener));
    listeners.push(app.library.start(app.runtime.handle(), event_queue.clone()));
    let mut parts = app.parts(Some(voice.handle()), Some(pipeline.commands()), app.daemon_names());
    let keeping = app.kept().map(|kept| app.runtime.spawn(kept.clone().follow(event_queue.clone())));
    if let Some(kept) = app.kept().cloned() {
        parts.settings_applier = Some(start_settings_applier(app, &pipeline, &voice, ending.clone(), &kept));
        listeners.push(Box::new(move |envelope| kept.note(&envelope.event)));
    }
    let timers_changed = Arc::new(Notify::new());
    listeners.push(timers_listener(timers_changed.clone()));
    let publisher = mqtt.clone();
    let reading = start_reading(&mut parts, &event_queue)?;
    parts.delivered = Some(Arc::new(move || Box::pin(publisher.rings_delivered())));
    let mut effect_runner = EffectRunner::new(app.machine(), parts, clock, event_queue.clone(), listeners);
    let mut timers = TimersThread::start(app.timers.clone(), app.services.clone(), event_queue.clone())
        .map_err(|error| no_thread("hark-timers", &error))?;
    let by_itself = ByItself::start(app)?;
    let vocabulary =
        VocabularyThread::start(app.vocabulary.clone(), app.runtime.handle().clone(), event_queue.clone())?;
    let watchdog =
        WatchdogThread::start(pipeline.progress()).map_err(|error| no_thread("hark-watchdog", &error))?;
    let pipelines = remote_microphones(app, &broadcast);
    let dashboard = start_dashboard(app, &health, &mqtt, &ending, broadcast, &pipelines, configuration)?;
    let model = app.model().cloned();
    let sources = Sources { health, timers: app.timers.clone(), timers_changed, upgrade_check, model };
    let diagnostics = app.runtime.spawn(diagnostics::publish(mqtt.clone(), sources));
    effect_runner
        .announce(settings, told(&event_queue, app.store().mode()).flatten().unwrap_or(Mode::Resting));
    told(&event_queue, go_on_with_plans(app));
    let noting = keep_promises(app, &mqtt, left_over);
    app.runtime.spawn(back_up(app.store().clone(), event_queue.clone()));
    watch_model(app);
    Notifier.ready(signals::LISTENING);
    ready(&Running { pipeline: &pipeline, voice: &voice, api: dashboard.address() });
    memory::give_back();
    effect_runner.run();
    tracing::info!("ending");
    Notifier.stopping();
    drop(watchdog);
    diagnostics.abort();
    timers.stop(&app.timers);
    by_itself.stop(app);
    app.runtime.block_on(app.services.browser.end());
    app.runtime.block_on(dashboard.shutdown());
    pipelines.end();
    app.library.end();
    drop((vocabulary, learning));
    drop(pipeline);
    drop(voice);
    effect_runner.finish();
    drop(reading);
    if let Some((inbox, noting)) = noting {
        noting.abort();
        inbox.note();
    }
    if let (Some(kept), Some(keeping)) = (app.kept(), keeping) {
        keeping.abort();
        if let Err(fault) = kept.write() {
            tracing::error!("settings may be as before after the next start: {fault}");
        }
    }
    app.intercom().detach();
    app.runtime.block_on(mqtt.shutdown());
    Ok(if ending.restarts() { Ended::ToRestart } else { Ended::ForGood })
}

/// The configuration with its file, which is read anew on SIGHUP from here on.
fn follow_signals(app: &App, origin: Origin) -> Result<LiveConfiguration, Fault> {
    let configuration = LiveConfiguration::of(app, origin);
    signals::follow(app, configuration.reload())?;
    Ok(configuration)
}

/// A listener that notifies `changed` of each event of a timer.
fn timers_listener(changed: Arc<Notify>) -> Listener {
    Box::new(move |envelope| {
        if matches!(envelope.event, PublicEvent::Timer { .. }) {
            changed.notify_one();
        }
    })
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
fn settings_now(app: &App) -> Vec<Setting> {
    app.kept().map_or_else(|| choices::configured(&app.config), |kept| kept.now())
}

/// The thread on which the effect runner with these parts has requests read.
fn start_reading(parts: &mut Parts, event_queue: &Arc<EventQueue>) -> Result<ReadingThread, Fault> {
    let (thread, reading) = ReadingThread::start(parts.reading_parts.clone(), event_queue.clone())
        .map_err(|error| no_thread("hark-reading", &error))?;
    parts.reading = Some(reading);
    Ok(thread)
}

fn start_settings_applier(
    app: &App,
    pipeline: &PipelineThread,
    voice: &VoiceParts,
    ending: Arc<Shutdown>,
    kept: &Arc<SettingsStore>,
) -> Sender<Setting> {
    let settings_applier = SettingsApplier {
        config: app.config.clone(),
        manifest: app.manifest.clone(),
        names: app.engines().names,
        choices: app.choices(),
        kept: kept.clone(),
        pipeline: pipeline.adjustments(),
        voice: voice.handle(),
        ending,
    };
    let (asked, work) = settings_applier.begin(app.event_queue.clone());
    app.runtime.spawn(work);
    asked
}

/// The daemon while it runs, for those who started it.
pub struct Running<'a> {
    pub(crate) pipeline: &'a PipelineThread,
    pub(crate) voice: &'a VoiceParts,
    api: Option<SocketAddr>,
}

impl Running<'_> {
    /// Whether a microphone is open.
    pub fn has_microphone(&self) -> bool {
        self.pipeline.has_microphone()
    }

    /// Where programs reach it; `None` when that is switched off, or the port is taken.
    pub fn api(&self) -> Option<SocketAddr> {
        self.api
    }
}

/// HTTP and WebSocket: for commands of the owner always, for programs unless they are switched off.
fn start_dashboard(
    app: &App,
    health: &Arc<Health>,
    mqtt: &Arc<Mqtt>,
    ending: &Arc<Shutdown>,
    broadcast: Arc<Broadcast>,
    pipelines: &Arc<RemoteMicrophones>,
    configuration: LiveConfiguration,
) -> Result<Dashboard, Fault> {
    let connections = (health.clone(), mqtt.clone(), ending.clone());
    let api = Arc::new(LiveApi::new(app, connections, broadcast, pipelines.clone(), Arc::new(configuration)));
    let event_queue = app.event_queue.clone();
    let faults = Arc::new(move |fault| report(&event_queue, fault));
    let mut settings = app.config.dashboard.clone();
    let state_dir = app.config.paths.state_dir()?;
    if settings.enabled && settings.operator_token_file.is_empty() {
        let file = settings.operator_file(&state_dir);
        match ensure_token(&file) {
            Ok(()) => settings.operator_token_file = file.display().to_string(),
            // Without it nobody on the port is the operator, and each conversation answers for itself.
            Err(fault) => report(&app.event_queue, fault),
        }
    }
    // Without it Hark goes on for everybody else.
    let local = OwnerSocket::at(&presence::socket(&state_dir));
    let local = local.map_err(|fault| report(&app.event_queue, fault)).ok();
    let mcp = app.config.mcp.serve_http.then(|| Box::new(hark_mcp::server::at_http) as MakeMcp);
    Dashboard::open(&settings, (local, mcp), Limits::default(), api, faults, app.runtime.handle())
}

fn start_mqtt(
    app: &App,
    claims: Claims,
    ending: Arc<Shutdown>,
    upgrade_check: Arc<UpgradeCheck>,
) -> Result<Mqtt, Fault> {
    let (event_queue, intercom) = (app.event_queue.clone(), app.intercom().clone());
    let (faults, announcements) = (event_queue.clone(), intercom.clone());
    let commands = Arc::new(move |command: DaemonCommand| match command {
        DaemonCommand::Claimed { claim } => claims.claimed(claim),
        DaemonCommand::Announcement { announcement } => announcements.asked(&announcement),
        DaemonCommand::Confirmed { confirmed } => announcements.note(confirmed),
        DaemonCommand::Restart => ending.restart(),
        DaemonCommand::Install if upgrade_check.version().is_some() => ending.restart(),
        DaemonCommand::Install => report(&faults, UpgradeCheck::none()),
    });
    let sink = Arc::new(move |event: Event| {
        if let Event::Set { setting: Setting::DoNotDisturb(on) } = event {
            intercom.note_do_not_disturb(on);
        }
        if let Err(full) = event_queue.push(event) {
            tracing::error!("a command from MQTT was refused: {full}");
        }
    });
    let area = Some(app.area_name()).filter(|area| !area.is_empty());
    let about = NodeInfo { version: env!("CARGO_PKG_VERSION").to_owned(), area, equipment: equipment(app) };
    let devices = app.mqtt_devices.clone();
    let request_log = app.inbox().map(|inbox| inbox.clone() as _);
    let inbound = InboundHandlers { sink, commands, request_log };
    Mqtt::start(&app.config.mqtt, about, inbound, devices, app.runtime.handle().clone())
}

/// What this node has, as it is configured: a device that is unplugged comes back.
fn equipment(app: &App) -> Equipment {
    let (config, choices) = (&app.config, app.choices());
    Equipment {
        microphone: config.audio.wants_microphone(),
        speaker: config.audio.wants_speaker(),
        cpu_temperature: vitals::cpu_celsius().is_some(),
        language_model: app.model().is_some(),
        wake_words: choices.wake_words,
        voices: choices.voices,
        languages: choices.languages,
    }
}

/// Keeps the mode for the next start.
fn mode_keeper(app: &App) -> Listener {
    let store = app.store().clone();
    // One after the other, and of several that came meanwhile the last: it must not be overtaken by one before it.
    let (changed, mut modes) = tokio::sync::watch::channel(Mode::default());
    app.runtime.spawn(async move {
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

/// Looks at the language model now and then, and tells on the console what is wrong with it.
fn watch_model(app: &App) {
    let Some(model) = app.model().cloned() else { return };
    let every = Duration::from_millis(app.config.llm.health_ms.into());
    app.runtime.spawn(watch(model, every, |fault| tracing::warn!("{fault}")));
}

/// Plans that were being carried out when the program ended go on where they were.
fn go_on_with_plans(app: &App) -> Result<(), Fault> {
    if app.model().is_none() {
        return Ok(());
    }
    for kept in app.store().unfinished()? {
        let resume = Resume::Restarted { plan: kept.plan.id };
        let event = Event::ResumePlan { session: kept.session, resume };
        if let Err(full) = app.event_queue.push(event) {
            tracing::error!("a plan does not go on before the next start: {full}");
        }
    }
    Ok(())
}

/// Takes up what was promised before the last end, when the devices are there that it may be about, and notes what is
/// done from now on.
fn keep_promises(
    app: &App,
    mqtt: &Arc<Mqtt>,
    left_over: Vec<(i64, Event)>,
) -> Option<(Arc<Inbox>, JoinHandle<()>)> {
    /// How long devices have to be there again.
    const SETTLED_WITHIN: Duration = Duration::from_secs(10);
    let inbox = app.inbox()?.clone();
    let (taking, mqtt) = (inbox.clone(), mqtt.clone());
    app.runtime.spawn(async move {
        if !left_over.is_empty() {
            mqtt.devices_settled(SETTLED_WITHIN).await;
        }
        taking.take_up(left_over).await;
    });
    let noting = app.runtime.spawn(inbox.clone().follow());
    Some((inbox, noting))
}

/// Only where there is a classifier to teach.
fn start_learning(app: &App) -> Result<Option<LearningThread>, Fault> {
    let languages = &app.languages;
    let Some(classifier) = languages.classifier.clone() else { return Ok(None) };
    let learner = Learner::new(&app.config, &languages.paths, classifier);
    let event_queue = app.event_queue.clone();
    LearningThread::start(learner, move |fault| report(&event_queue, fault)).map(Some)
}

/// A backup a day, for as long as the runtime is there.
async fn back_up(store: Store, event_queue: Arc<EventQueue>) {
    const LOOK_EVERY: Duration = Duration::from_secs(3600);
    let mut looks = tokio::time::interval(LOOK_EVERY);
    loop {
        looks.tick().await;
        let store = store.clone();
        match tokio::task::spawn_blocking(move || store.back_up(TimeDelta::days(1))).await {
            Ok(Ok(made)) => {
                made.iter().for_each(|backup| tracing::info!(name = backup.name, "a backup was made"))
            }
            Ok(Err(fault)) => report(&event_queue, fault.recoverable()),
            Err(error) => tracing::error!(%error, "no backup was made"),
        }
    }
}

/// The value that was read from the store; `None` where that failed. The fault is reported, and the daemon runs without
/// the value.
fn told<T>(event_queue: &EventQueue, read: Result<T, Fault>) -> Option<T> {
    read.map_err(|fault| report(event_queue, fault.recoverable())).ok()
}

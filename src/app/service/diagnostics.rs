//! Publishes how the daemon is: devices and timers when something about them changes, to MQTT and systemd; the
//! numbers every minute.

use crate::app::clock::wall_unix_ms;
use crate::app::service::health::{DeviceHealth, Devices, Health};
use crate::app::service::upgrade_check::UpgradeCheck;
use chrono::{DateTime, SecondsFormat};
use hark_core::model::LanguageModel;
use hark_core::timer::{Timer, TimerKind, TimerState};
use hark_home::timers::Timers;
use hark_mqtt::{Diagnostic, Mqtt};
use hark_telemetry::vitals;
use hark_telemetry::watchdog::Notifier;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Uptime, memory and counts change all the time; nobody looks at them more often.
const NUMBERS_EVERY: Duration = Duration::from_secs(60);
/// Whether the language model is in trouble is known without asking it.
const MODEL_EVERY: Duration = Duration::from_secs(5);

/// What is told of.
pub(crate) struct Sources {
    pub(crate) health: Arc<Health>,
    pub(crate) timers: Arc<Timers>,
    /// Notified when a timer has changed.
    pub(crate) timers_changed: Arc<Notify>,
    pub(crate) upgrade_check: Arc<UpgradeCheck>,
    /// Language models, when one is configured.
    pub(crate) model: Option<Arc<dyn LanguageModel>>,
}

/// Goes on until it is aborted.
pub(crate) async fn publish(mqtt: Arc<Mqtt>, sources: Sources) {
    let Sources { health, timers, timers_changed, upgrade_check, model } = sources;
    let mut often = tokio::time::interval(MODEL_EVERY);
    let mut told = None;
    let mut watch = health.watch();
    let mut minute = tokio::time::interval(NUMBERS_EVERY);
    let now = *watch.borrow_and_update();
    devices(now).for_each(|diagnostic| mqtt.diagnose(diagnostic));
    loop {
        tokio::select! {
            changed = watch.changed() => {
                if changed.is_err() {
                    return;
                }
                let now = *watch.borrow_and_update();
                devices(now).for_each(|diagnostic| mqtt.diagnose(diagnostic));
                Notifier.status(status(now));
            }
            () = timers_changed.notified() => tell_timers(&mqtt, &timers).await,
            _ = often.tick(), if model.is_some() => {
                let trouble = model.as_ref().map(|model| model.trouble().is_some());
                if let Some(on) = trouble.filter(|_| trouble != told) {
                    mqtt.diagnose(Diagnostic::LanguageModelProblem(on));
                }
                told = trouble;
            }
            _ = minute.tick() => {
                numbers(&health).for_each(|diagnostic| mqtt.diagnose(diagnostic));
                tell_timers(&mqtt, &timers).await;
                tell_version(&mqtt, &upgrade_check).await;
            }
        }
    }
}

async fn tell_timers(mqtt: &Mqtt, timers: &Arc<Timers>) {
    let timers = timers.clone();
    // The lock on them is held over writes to the disk.
    let told = tokio::task::spawn_blocking(move || due(&timers.all(), wall_unix_ms())).await;
    told.into_iter().flatten().for_each(|diagnostic| mqtt.diagnose(diagnostic));
}

async fn tell_version(mqtt: &Mqtt, upgrade_check: &Arc<UpgradeCheck>) {
    let upgrade_check = upgrade_check.clone();
    let latest = tokio::task::spawn_blocking(move || upgrade_check.version()).await.ok().flatten();
    mqtt.diagnose(Diagnostic::Version { installed: env!("CARGO_PKG_VERSION").into(), latest });
}

/// What is due next; what rings is not to come any more.
fn due(timers: &[Timer], now_unix_ms: i64) -> [Diagnostic; 3] {
    let counts = |timer: &&Timer| {
        timer.kind == TimerKind::Timer || timer.kind == TimerKind::Command && timer.wall.is_none()
    };
    let next = |wanted: &dyn Fn(&&Timer) -> bool| {
        let to_come = timers.iter().filter(wanted).filter(|timer| timer.state == TimerState::Running);
        let due = to_come.map(|timer| timer.due_unix_ms).filter(|due| *due > now_unix_ms).min()?;
        Some(DateTime::from_timestamp_millis(due)?.to_rfc3339_opts(SecondsFormat::Secs, true))
    };
    let active = timers.iter().filter(counts).any(|timer| timer.state != TimerState::Paused);
    [
        Diagnostic::NextTimer(next(&counts)),
        Diagnostic::NextAlarm(next(&|timer| timer.kind == TimerKind::Alarm)),
        Diagnostic::TimersActive(active),
    ]
}

/// A device that shall not be there is no problem.
fn devices(devices: Devices) -> impl Iterator<Item = Diagnostic> {
    let is_problem = |health| health == DeviceHealth::Problem;
    let microphone = Diagnostic::MicrophoneProblem(is_problem(devices.microphone));
    [microphone, Diagnostic::SpeakerProblem(is_problem(devices.speaker))].into_iter()
}

/// For `systemctl status`.
fn status(devices: Devices) -> &'static str {
    use DeviceHealth::Problem;
    match (devices.microphone, devices.speaker) {
        (Problem, Problem) => "no microphone and no speaker; looking for them",
        (Problem, _) => "no microphone; looking for it",
        (_, Problem) => "listening; no speaker, looking for it",
        _ => "listening",
    }
}

fn numbers(health: &Health) -> impl Iterator<Item = Diagnostic> {
    let memory = vitals::resident_bytes().map(Diagnostic::MemoryBytes);
    let warmth = vitals::cpu_celsius().map(Diagnostic::CpuCelsius);
    let counts = [Diagnostic::Xruns(health.xruns()), Diagnostic::UptimeS(health.uptime().as_secs())];
    counts.into_iter().chain(memory).chain(warmth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_a_problem_only_when_it_is_wanted() {
        let at = |microphone, speaker| devices(Devices { microphone, speaker }).collect::<Vec<_>>();
        assert_eq!(
            at(DeviceHealth::Problem, DeviceHealth::Off),
            [Diagnostic::MicrophoneProblem(true), Diagnostic::SpeakerProblem(false)]
        );
        assert_eq!(
            at(DeviceHealth::Well, DeviceHealth::Problem),
            [Diagnostic::MicrophoneProblem(false), Diagnostic::SpeakerProblem(true)]
        );
        let off = Devices::default();
        assert_eq!(status(off), "listening");
        assert!(status(Devices { speaker: DeviceHealth::Problem, ..off }).contains("no speaker"));
    }

    #[test]
    fn the_next_of_each_kind_is_told_and_what_rings_is_active_but_not_next() {
        const NOW: i64 = 1_790_000_000_000;
        let timer = |kind, state, in_s: i64| Timer {
            id: "t".into(),
            kind,
            name: None,
            area: None,
            duration_ms: 1000,
            created_unix_ms: NOW,
            due_unix_ms: NOW + in_s * 1000,
            remaining_ms: 0,
            state,
            recurrence: None,
            wall: None,
            skipped: None,
        };
        use TimerKind::{Alarm, Command, Reminder, Timer as Countdown};
        use TimerState::{Paused, Ringing, Running};
        let told = |timers: &[Timer]| due(timers, NOW);
        let nothing =
            [Diagnostic::NextTimer(None), Diagnostic::NextAlarm(None), Diagnostic::TimersActive(false)];
        assert_eq!(told(&[]), nothing);
        assert_eq!(told(&[timer(Reminder, Running, 5), timer(Countdown, Paused, 5)]), nothing);
        let [next, alarm, active] = told(&[
            timer(Countdown, Ringing, -5),
            timer(Countdown, Running, 300),
            timer(Command, Running, 60),
            timer(Alarm, Running, 3600),
            timer(Alarm, Running, 7200),
        ]);
        assert_eq!(next, Diagnostic::NextTimer(Some("2026-09-21T14:14:20Z".into())));
        assert_eq!(alarm, Diagnostic::NextAlarm(Some("2026-09-21T15:13:20Z".into())));
        assert_eq!(active, Diagnostic::TimersActive(true));
        assert_eq!(told(&[timer(Countdown, Ringing, -5)])[2], Diagnostic::TimersActive(true));
    }
}

//! Publishes how the daemon is: the devices when that changes, to MQTT and systemd; the numbers every
//! minute.

use super::health::{DeviceHealth, Devices, Health};
use crate::integrations::mqtt::{Diagnostic, Mqtt};
use crate::telemetry::vitals;
use crate::telemetry::watchdog::Notifier;
use std::sync::Arc;
use std::time::Duration;

/// Uptime, memory and counts change all the time; nobody looks at them more often.
const NUMBERS_EVERY: Duration = Duration::from_secs(60);

/// Goes on until it is aborted.
pub(super) async fn publish(mqtt: Arc<Mqtt>, health: Arc<Health>) {
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
            _ = minute.tick() => numbers(&health).for_each(|diagnostic| mqtt.diagnose(diagnostic)),
        }
    }
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
    let counts = [Diagnostic::Xruns(health.xruns()), Diagnostic::UptimeS(health.uptime().as_secs())];
    counts.into_iter().chain(memory)
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
}

//! `hark eval human-gap`: what a person waits, measured on the sound itself. Voices of flite speak commands into a virtual
//! room, the real daemon answers on the virtual loudspeaker, both are recorded; told is the time from the last audible
//! sample of the request to the first one of the reply. A command that was not done is counted, and left out of the times.

use super::daemon::Daemon;
use super::figures::{Case, Row, Verdict};
use super::needs::Need;
use super::sentences::{self, fill};
use super::sound_card::{PROGRAMS, RATE_HZ, SoundCard};
use super::voices::{self, Level, Shape};
use super::{Found, Run};
use crate::cli::benchmarks::samples::Samples;
use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_core::public_event::Outcome;
use hark_core::{Fault, PublicEvent};
use std::path::Path;
use std::time::{Duration, Instant};

/// What counts as sound: −44 dB of full scale in the request, −40 dB in the reply.
const REQUEST_LEVEL: f32 = 0.006;
const REPLY_LEVEL: f32 = 0.01;
/// How long a turn may take, its reply included.
const TURN_LIMIT: Duration = Duration::from_secs(10);
/// The engines warm up and the devices open.
const WARM_UP: Duration = Duration::from_secs(3);

/// What it needs.
pub(crate) fn needs(config: &Config) -> Vec<Need> {
    let programs = PROGRAMS.iter().map(|(program, package)| Need::program(program, package));
    [Need::models(config), Need::program("flite", "flite")].into_iter().chain(programs).collect()
}

/// Runs it with so many commands.
///
/// # Errors
/// When the sound card or the daemon cannot be started.
pub(crate) fn run(run: &Run<'_>, count: usize) -> Result<Found, Fault> {
    let all = sentences::load()?;
    let (folder, card) = (TemporaryFolder::make()?, SoundCard::start()?);
    let mut config = run.apart(&folder);
    config.audio = run.config.audio.clone();
    let daemon = Daemon::start_telling(&config, &folder, card.env())?;
    std::thread::sleep(WARM_UP);
    let (mut times, mut cases) = (Samples::default(), Vec::new());
    let request = folder.path().join("request.wav");
    for (number, words) in all.commands.iter().cycle().take(count).enumerate() {
        (run.progress)(&format!("command {} of {count}", number + 1));
        // Another voice when the list comes round again.
        let voice = &all.voices[(number + number / all.commands.len()) % all.voices.len()];
        let shape = Shape { before_s: 0.5, after_s: 1.0, level: Level::Gain(1.0) };
        voices::say(voice, &fill(&all.woken, &[("request", words)]), shape, &request)?;
        let seen = daemon.told().len();
        let gap_ms = gap_ms(&card, &request, &daemon, seen)?;
        let told = daemon.told().split_off(seen);
        let is_done =
            told.iter().any(|it| matches!(&it.event, PublicEvent::Turn { outcome: Outcome::Done, .. }));
        let reply = told.iter().find_map(|it| match &it.event {
            PublicEvent::Reply { text, .. } => Some(text.as_str()),
            _ => None,
        });
        let gap_ms = gap_ms.filter(|_| is_done);
        gap_ms.into_iter().for_each(|gap_ms| times.push(gap_ms));
        cases.push(Case {
            part: "commands".into(),
            item: format!("{voice}: {words}"),
            verdict: if gap_ms.is_some() { Verdict::Right } else { Verdict::Wrong },
            detail: match gap_ms {
                Some(gap_ms) => format!("{gap_ms:.0} ms: “{}”", reply.unwrap_or_default()),
                None => format!("not done: “{}”", reply.unwrap_or_default()),
            },
        });
    }
    let ended_well = daemon.terminate()?.success();
    let rows = vec![
        Row::share("commands done and answered aloud", times.len(), count),
        Row::share("clean exits on SIGTERM", usize::from(ended_well), 1),
        Row::values("from the last sound of the request to the first sound of the reply", "ms", &times),
    ];
    let note =
        "Voices of flite; a virtual sound card without echo. What is measured is heard, not told by Hark.";
    Ok(Found { rows, notes: vec![note.into()], cases })
}

/// Speaks one command and measures the gap on the two recordings; `None` when no reply sounded.
fn gap_ms(card: &SoundCard, request: &Path, daemon: &Daemon, seen: usize) -> Result<Option<f64>, Fault> {
    let (room, speaker) = (card.record_room()?, card.record_speaker()?);
    let offset = seconds(room.begun, speaker.begun);
    card.play_into_room(request)?;
    let until = Instant::now() + TURN_LIMIT;
    let is_over = || daemon.told().iter().skip(seen).any(|it| matches!(it.event, PublicEvent::Turn { .. }));
    while !is_over() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(gap_s(&room.stop(), &speaker.stop(), offset).map(|gap| gap * 1000.0))
}

/// Seconds from the last sound in the room to the first of the loudspeaker after it. The recording of the loudspeaker began
/// `offset` seconds after that of the room.
fn gap_s(room: &[f32], speaker: &[f32], offset: f64) -> Option<f64> {
    let rate = f64::from(RATE_HZ);
    let ended = room.iter().rposition(|sample| sample.abs() > REQUEST_LEVEL)? as f64 / rate;
    let from = ((ended - offset).max(0.0) * rate) as usize;
    let began = from + speaker.get(from..)?.iter().position(|sample| sample.abs() > REPLY_LEVEL)?;
    Some(began as f64 / rate + offset - ended)
}

/// Seconds from the first instant to the second, negative when it was before.
fn seconds(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64() - from.saturating_duration_since(to).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_is_between_the_last_sound_and_the_first_on_one_clock() {
        let sound = |from: usize, to: usize| {
            (0..RATE_HZ as usize)
                .map(|at| if (from..to).contains(&at) { 0.5 } else { 0.0 })
                .collect::<Vec<f32>>()
        };
        let (room, speaker) = (sound(4800, 9600), sound(14_400, 20_000));
        assert!((gap_s(&room, &speaker, 0.0).unwrap() - 0.1).abs() < 1e-3);
        assert!((gap_s(&room, &speaker, 0.05).unwrap() - 0.15).abs() < 1e-3, "the loudspeaker's began later");
        assert_eq!(gap_s(&room, &sound(0, 4800), 0.0), None, "only sounds before it");
    }
}

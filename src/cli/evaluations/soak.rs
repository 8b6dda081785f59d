//! `hark eval soak`: the real daemon answers one request after the other for some minutes. What is told is what it takes
//! of memory, threads and handles after a first part of the time and at the end, and how soon it answers.

use super::apart_lists;
use super::daemon::{Daemon, Vitals};
use super::figures::Row;
use super::needs::Need;
use super::{Found, Run, failed};
use crate::cli::benchmarks::samples::{Samples, ms};
use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_core::{Fault, PublicEvent};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The list of requests, in the models folder.
const REQUESTS: &str = "intent/held_out/apart/en_requests.txt";
/// Conversations the requests are spread over.
const SESSIONS: usize = 8;
/// The part of the time in which caches fill: one in five.
const WARM_UP: u32 = 5;
/// How often is looked what it takes.
const LOOKS_EACH: Duration = Duration::from_secs(1);
/// Between an answer and the next request.
const PAUSE: Duration = Duration::from_millis(20);

/// What it needs.
pub(crate) fn needs(config: &Config) -> Vec<Need> {
    let requests = requests(config).ok();
    let fix = "--set paths.models_dir=FOLDER (of the project)";
    vec![Need::models(config), Need::data("a list of requests", requests.as_deref(), fix)]
}

fn requests(config: &Config) -> Result<PathBuf, Fault> {
    Ok(config.paths.models_dir()?.join(REQUESTS))
}

/// Runs it for so long.
///
/// # Errors
/// When the daemon cannot be started, ends, or does not answer.
pub(crate) fn run(run: &Run<'_>, lasts: Duration) -> Result<Found, Fault> {
    let lines = apart_lists::read(&requests(run.config)?)?;
    let folder = TemporaryFolder::make()?;
    let daemon = Daemon::start(&run.apart(&folder), &folder)?;
    (run.progress)(&format!("a daemon under requests for {} s", lasts.as_secs()));
    let begun = Instant::now();
    let (mut times, mut memory, mut before) = (Samples::default(), Samples::default(), None::<Vitals>);
    let (mut asked, mut answered, mut looked) = (0, 0, begun);
    for (number, line) in lines.iter().cycle().enumerate() {
        if begun.elapsed() >= lasts {
            break;
        }
        let (mut replied, asked_at) = (false, Instant::now());
        daemon.ask(&line.text, &format!("soak-{}", number % SESSIONS), &mut |envelope| {
            replied |= matches!(envelope.event, PublicEvent::Reply { .. });
        })?;
        times.push(ms(asked_at.elapsed()));
        asked += 1;
        answered += usize::from(replied);
        if looked.elapsed() >= LOOKS_EACH {
            looked = Instant::now();
            memory.push(daemon.vitals()?.resident_mib);
        }
        if before.is_none() && begun.elapsed() >= lasts / WARM_UP {
            before = Some(daemon.vitals()?);
        }
        std::thread::sleep(PAUSE);
    }
    let after = daemon.vitals()?;
    let before = before.ok_or_else(|| failed("the time was too short: --minutes"))?;
    let took_s = begun.elapsed().as_secs_f64();
    let ended_well = usize::from(daemon.terminate()?.success());
    let rows = vec![
        Row::share("requests answered", answered, asked),
        Row::share("clean exits on SIGTERM", ended_well, 1),
        Row::values("from request to end of turn", "ms", &times),
        Row::values("resident memory, sampled each second", "MiB", &memory),
        Row::change("resident memory", "MiB", before.resident_mib, after.resident_mib),
        Row::change("open handles", "", before.handles, after.handles),
        Row::change("threads", "", before.threads, after.threads),
    ];
    let note = format!(
        "{asked} requests in {took_s:.0} s, one after the other. “Before” is after a fifth of the time, when caches are \
         filled; not every request has a reply in words."
    );
    Ok(Found { rows, notes: vec![note], cases: Vec::new() })
}

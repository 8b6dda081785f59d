//! `hark bench`: measures every station of the road on this machine, with the parts the daemon is made of.
//!
//! The demo home and a temporary state folder stand in for the owner's, so nothing at home is switched.

mod context;
mod hearing;
mod large_home;
mod road;
pub(crate) mod samples;
pub(crate) mod sounds;
mod speaking;
pub mod templates;
mod understanding;

pub use context::Scale;
pub use road::Requests;
pub use samples::{Row, Unit};

use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_core::{Fault, SAMPLE_RATE_HZ};
use hark_stt::recording;
use hark_telemetry::vitals;
use samples::Samples;
use serde::Serialize;
use std::path::PathBuf;

/// Everything that was measured. `hark bench --json` prints it as one JSON object:
///
/// ```text
/// { "version": "0.1.0",            the program's
///   "optimised": true,             built for release; numbers of other builds say little
///   "cores": 2,
///   "context": { "passages": 2000, "facts": 500 },
///   "recordings": 6, "sound_s": 24.1,
///   "requests": { "turns": 6, "done": 6 },
///   "rows": [ { "name": "vad_block", "what": "…", "unit": "us"|"ms"|"MiB"|"of_real_time",
///               "median": 71.0, "p95": 90.1, "count": 750 }, … ] }
/// ```
///
/// `median` and `p95` are null where nothing could be measured, such as `first_partial` when nothing was
/// recognised. Rows come in the order of the road; more may be added, names do not change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Version of the program.
    pub version: &'static str,
    /// Built with optimisation.
    pub optimised: bool,
    /// Cores the program may use.
    pub cores: usize,
    /// Among how much the context of a request was looked for.
    pub context: Scale,
    /// Recordings that were heard.
    pub recordings: usize,
    /// Their length in seconds.
    pub sound_s: f64,
    /// How the requests in them fared.
    pub requests: Requests,
    /// The table.
    pub rows: Vec<Row>,
}

/// Measures. Without `files`, espeak-ng speaks some commands. `progress` is told what comes next.
///
/// # Errors
/// When a part is missing or a file cannot be read.
pub fn bench(
    config: Config,
    mut files: Vec<PathBuf>,
    scale: Scale,
    mut progress: impl FnMut(&str),
) -> Result<Report, Vec<Fault>> {
    let one = |fault| vec![fault];
    let folder = TemporaryFolder::make().map_err(one)?;
    let config = sounds::harmless(config, &folder);
    progress("starting up");
    let (app, mut rows) = road::start(&config)?;
    let given = !files.is_empty();
    if !given {
        progress("speaking commands");
        files = sounds::speak(&app, &folder).map_err(one)?;
    }
    let sounds: Vec<Vec<f32>> =
        files.iter().map(|file| recording::whole(file)).collect::<Result<_, _>>().map_err(one)?;
    let samples: usize = sounds.iter().map(Vec::len).sum();
    let sound_s = samples as f64 / f64::from(SAMPLE_RATE_HZ);
    progress("hearing");
    rows.extend(hearing::rows(&app, &sounds).map_err(one)?);
    progress("understanding");
    rows.extend(understanding::rows()?);
    progress("a large home");
    rows.extend(large_home::rows(&config, &folder)?);
    rows.extend(context::rows(&config, &folder, scale, &mut progress)?);
    progress("speaking");
    rows.extend(speaking::rows(&app).map_err(one)?);
    progress("the whole road");
    let (road, requests) = road::rows(&app, &files, given, sound_s)?;
    rows.extend(road);
    rows.extend(memory_at_the_end());
    Ok(Report { recordings: files.len(), sound_s, requests, rows, ..report(scale) })
}

/// Measures how long the context of a request takes, and nothing else.
///
/// # Errors
/// When a part is missing.
pub fn bench_context(
    config: Config,
    scale: Scale,
    mut progress: impl FnMut(&str),
) -> Result<Report, Vec<Fault>> {
    let folder = TemporaryFolder::make().map_err(|fault| vec![fault])?;
    let config = sounds::harmless(config, &folder);
    let mut rows = context::rows(&config, &folder, scale, &mut progress)?;
    rows.extend(memory_at_the_end());
    Ok(Report { rows, ..report(scale) })
}

/// A report without numbers.
fn report(context: Scale) -> Report {
    Report {
        version: env!("CARGO_PKG_VERSION"),
        optimised: !cfg!(debug_assertions),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        context,
        recordings: 0,
        sound_s: 0.0,
        requests: Requests { turns: 0, done: 0 },
        rows: Vec::new(),
    }
}

fn memory_at_the_end() -> Option<Row> {
    let mut memory = Samples::default();
    memory.push(vitals::resident_bytes()? as f64 / f64::from(1 << 20));
    Some(memory.row("memory_after_bench", "resident memory after all of this", Unit::MiB))
}

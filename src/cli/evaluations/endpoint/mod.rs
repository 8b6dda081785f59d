//! `hark eval endpoint`: whether requests are cut off, and how long is waited after their end. Recordings of people go through the
//! path of the microphone once, with an endpoint that never comes, and what is known at each pause is kept (`pauses`); then every
//! way to decide is tried on these pauses (`policies`): silence alone, Smart Turn, words, and the likelihood that the speaker goes
//! on, whose weights it also learns (`learn`). The form is that of LiveKit's eot-bench: the share that is cut off against the
//! latency, and two points of each curve.
//!
//! Voices that are alike are kept together: every other one is for tuning, the figures are of the rest.

mod learn;
mod pauses;
mod policies;

use super::figures::Row;
use super::needs::Need;
use super::people::files;
use super::{Found, Run, failed};
use crate::app::builder::App;
use crate::cli::benchmarks::samples::Samples;
use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_core::Fault;
use hark_stt::endpoint::likelihood::Weights;
use pauses::{Recorded, Recorder};
use policies::{Outcome, Policy};
use std::path::{Path, PathBuf};

/// Folders of recordings in which somebody says a request, and nothing else.
const FOLDERS: [&str; 3] = ["requests", "commands", "home"];
/// Latency at which the shares that are cut off are compared, as eot-bench does.
const COMPARED_LATENCY_MS: f64 = 300.0;
/// Share that is cut off at which latencies are compared.
const COMPARED_CUT_OFF: f64 = 0.05;

/// What it needs.
pub(crate) fn needs(config: &Config, data: Option<&Path>) -> Vec<Need> {
    let fix = "name one: --data FOLDER, with WAV files of requests in it or in a folder `requests`";
    vec![Need::models(config), Need::data("a folder of recordings", data, fix)]
}

/// Runs it. `learn`: weights are learned on the half for tuning, written there, and measured on the other. `kept`: pauses of an
/// earlier run, which are taken from there where the file is, and else written there.
///
/// # Errors
/// When a recording cannot be read, a model is missing, or there are too few recordings.
pub(crate) fn run(
    run: &Run<'_>,
    data: &Path,
    learn: Option<&Path>,
    kept: Option<&Path>,
) -> Result<Found, Vec<Fault>> {
    let one = |fault| vec![fault];
    let (recorded, unheard) = match kept {
        Some(file) if file.is_file() => read_kept(file).map_err(one)?,
        _ => listen(run, data)?,
    };
    if let Some(file) = kept.filter(|file| !file.exists()) {
        let text = serde_json::to_string(&(&recorded, unheard)).map_err(failed).map_err(one)?;
        write(file, &text).map_err(one)?;
    }
    let (tuning, reported) = pauses::halves(recorded);
    if tuning.is_empty() || reported.is_empty() {
        let message = format!("{} has no requests by two people or more", data.display());
        return Err(one(failed(message)));
    }
    let weights = match learn {
        Some(file) => {
            let weights = learn::learn(&tuning);
            let text = serde_json::to_string_pretty(&weights).map_err(failed).map_err(one)?;
            write(file, &(text + "\n")).map_err(one)?;
            weights
        }
        None => Weights::shipped().clone(),
    };
    let mut found = Found::default();
    tell(run.config, &weights, &tuning, &reported, &mut found);
    found.notes.push(format!(
        "{} recordings for tuning, {} for these figures, by voices that are not alike; {unheard} left out, in which no request was \
         found. Weights of the likelihood: {}.",
        tuning.len(),
        reported.len(),
        if learn.is_some() { "learned on the former" } else { "as shipped" },
    ));
    found.notes.push(
        "Cut off: silence was taken for the end, and the speaker went on. Latency: from the last sound to the decision, without \
         what computing takes. Taken back: who went on within `endpoint.goes_on_ms` is heard as one request after all."
            .into(),
    );
    found.notes.push(
        "Silence, Smart Turn and words have, at each point, the settings that are best on the very recordings that are reported; the \
         likelihood has only its risk."
            .into(),
    );
    found.cases = reported.iter().flat_map(|recording| recording.cases(&weights)).collect();
    Ok(found)
}

/// Listens to all recordings: what was found in them, and in how many no request was.
fn listen(run: &Run<'_>, data: &Path) -> Result<(Vec<Recorded>, usize), Vec<Fault>> {
    let one = |fault| vec![fault];
    let folder = TemporaryFolder::make().map_err(one)?;
    let app = App::open(pauses::never_ending(run.apart(&folder)))?;
    let mut recordings: Vec<PathBuf> = FOLDERS.iter().flat_map(|name| files(run, &data.join(name))).collect();
    recordings.extend(files(run, data));
    let mut recorder = Recorder::new(&app).map_err(one)?;
    let mut recorded = Vec::new();
    for (number, file) in recordings.iter().enumerate() {
        (run.progress)(&format!("recording {} of {}", number + 1, recordings.len()));
        recorded.extend(recorder.listen(file).map_err(one)?);
    }
    let unheard = recordings.len() - recorded.len();
    Ok((recorded, unheard))
}

fn read_kept(file: &Path) -> Result<(Vec<Recorded>, usize), Fault> {
    let at = |error: &dyn std::fmt::Display| failed(format!("{}: {error}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| at(&error))?;
    serde_json::from_str(&text).map_err(|error| at(&error))
}

fn write(file: &Path, text: &str) -> Result<(), Fault> {
    std::fs::write(file, text).map_err(|error| failed(format!("{}: {error}", file.display())))
}

/// The tables.
fn tell(config: &Config, weights: &Weights, tuning: &[Recorded], reported: &[Recorded], found: &mut Found) {
    let settings = &config.endpoint;
    let lengths =
        |half: &[Recorded]| half.iter().flat_map(Recorded::going_on).filter(|ms| *ms >= 250).count();
    found.rows.push(Row::share(
        "pauses of 250 ms or more within requests, of all that were weighed",
        lengths(reported),
        reported.iter().map(|recording| recording.pauses.len()).sum(),
    ));
    let as_set = Policy::as_configured(settings, weights);
    let outcome = Outcome::of(&as_set, reported, settings);
    found.rows.push(Row::share("as configured: cut off", outcome.cut_off, reported.len()));
    found.rows.push(Row::share("as configured: cut off and not taken back", outcome.lost, reported.len()));
    found.rows.push(Row::values("as configured: latency", "ms", &outcome.latencies));
    let outcome = Outcome::of(&as_set, tuning, settings);
    found.rows.push(Row::share("as configured, on those for tuning: cut off", outcome.cut_off, tuning.len()));
    for (name, curve) in policies::curves(settings, weights) {
        let points: Vec<Outcome> =
            curve.iter().map(|policy| Outcome::of(policy, reported, settings)).collect();
        let fast = points.iter().filter(|point| point.mean_ms() <= COMPARED_LATENCY_MS);
        if let Some(point) = fast.min_by_key(|point| (point.cut_off, point.mean_ms() as u64)) {
            let what = format!("{name}: cut off at a mean latency of 300 ms ({})", point.settings);
            found.rows.push(Row::share(&what, point.cut_off, reported.len()));
        }
        let few = |point: &&Outcome| point.cut_off as f64 <= COMPARED_CUT_OFF * reported.len() as f64;
        if let Some(point) = points.iter().filter(few).min_by(|a, b| a.mean_ms().total_cmp(&b.mean_ms())) {
            let mut mean = Samples::default();
            mean.push(point.mean_ms());
            let what = format!("{name}: mean latency at 5 % cut off ({})", point.settings);
            found.rows.push(Row::values(&what, "ms", &mean));
        }
        for point in policies::envelope(points) {
            let what = format!("{name}, {}: cut off at {:.0} ms", point.settings, point.mean_ms());
            found.rows.push(Row::share(&what, point.cut_off, reported.len()));
        }
    }
}

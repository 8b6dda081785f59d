//! `hark eval speakers`: telling people apart by their voice, on recordings of people in a folder each.
//!
//! Every other person is for choosing a threshold; what it comes to is measured on the rest. Of each person the first
//! utterances are enrolled and the others compared, three times over from another one on.

use super::figures::Row;
use super::needs::Need;
use super::{Found, Run, failed};
use crate::cli::benchmarks::samples::Samples;
use crate::cli::evaluations::people::{files, name};
use hark_config::Config;
use hark_core::Fault;
use hark_core::speaker::VoiceSample;
use hark_models::manifest::Manifest;
use hark_models::onnx::OnnxRuntime;
use hark_stt::recording;
use hark_stt::speaker::{VoiceEncoder, profiles, similarity, who};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Folder of people who are none of the others.
const STRANGERS: &str = "strangers";
/// Utterances that are enrolled.
const ENROLLED: [usize; 3] = [1, 3, 5];
/// How often others of a person's utterances are enrolled.
const TURNS: usize = 3;
/// People who live together.
const HOUSEHOLD: usize = 4;

/// A person's utterances.
struct Person {
    name: String,
    voices: Vec<Vec<f32>>,
}

/// What it needs.
pub(crate) fn needs(config: &Config, data: Option<&Path>) -> Vec<Need> {
    let fix = "name one: --data FOLDER, with a folder of WAV files for each person";
    vec![Need::models(config), Need::data("a folder of people's recordings", data, fix)]
}

/// Runs it.
///
/// # Errors
/// When a recording cannot be read or the model is missing.
pub(crate) fn run(run: &Run<'_>, data: &Path) -> Result<Found, Fault> {
    let manifest = Manifest::load(&run.config.paths.models_dir()?)?;
    let runtime = OnnxRuntime::load(&manifest.path("onnxruntime")?)?;
    let mut encoder = VoiceEncoder::load(runtime, &manifest.path("speaker_encoder")?)?;
    let mut times = Samples::default();
    let (mut people, mut strangers, mut too_short) = (Vec::new(), Vec::new(), 0);
    for folder in folders(data)? {
        let name = name(&folder);
        (run.progress)(&name);
        let mut voices = Vec::new();
        for file in files(run, &folder) {
            let sound = recording::whole(&file)?;
            let begun = Instant::now();
            match encoder.embed(&sound)? {
                Some(voice) => voices.push(voice),
                None => too_short += 1,
            }
            times.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
        if name == STRANGERS { strangers = voices } else { people.push(Person { name, voices }) }
    }
    if people.len() < 4 {
        return Err(failed(format!(
            "{} has recordings of {} people; 4 are needed",
            data.display(),
            people.len()
        )));
    }
    let mut found = Found::default();
    let tuning: Vec<&Person> = people.iter().step_by(2).collect();
    let reported: Vec<&Person> = people.iter().skip(1).step_by(2).collect();
    for enrolled in ENROLLED {
        verification(&tuning, &reported, &strangers, enrolled, &mut found);
        naming(&reported, &strangers, enrolled, run.config.speakers.min_likelihood, &mut found);
    }
    found.rows.push(Row::values("numbers of a voice", "ms", &times));
    found.notes.push(format!(
        "{} people to choose the threshold by, {} others to measure with, {} utterances of strangers; {too_short} \
         recordings were too short. Households are of {HOUSEHOLD}; who is named is decided as while Hark runs \
         (speakers.min_likelihood).",
        tuning.len(),
        reported.len(),
        strangers.len()
    ));
    Ok(found)
}

/// The folders in a folder, by name.
fn folders(data: &Path) -> Result<Vec<PathBuf>, Fault> {
    let entries = std::fs::read_dir(data).map_err(|error| failed(format!("{}: {error}", data.display())))?;
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    Ok(folders)
}

/// `enrolled` utterances of a person, and the others; `None` where there are none.
fn split(person: &Person, enrolled: usize, turn: usize) -> Option<(Vec<VoiceSample>, Vec<&Vec<f32>>)> {
    let count = person.voices.len();
    let mut rotated = (0..count).map(|at| &person.voices[(at + turn * enrolled) % count]);
    let sample = |voice: &Vec<f32>| VoiceSample {
        name: person.name.clone(),
        embedding: voice.clone(),
        told_unix_ms: 0,
    };
    let samples: Vec<VoiceSample> = rotated.by_ref().take(enrolled).map(sample).collect();
    let others: Vec<&Vec<f32>> = rotated.collect();
    (samples.len() == enrolled && !others.is_empty()).then_some((samples, others))
}

/// Similarities of utterances to the same person's voice, and to another's.
fn similarities(people: &[&Person], enrolled: usize) -> (Vec<f32>, Vec<f32>) {
    let (mut same, mut other) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        for (at, person) in people.iter().enumerate() {
            let Some((samples, rest)) = split(person, enrolled, turn) else { continue };
            for (_, mean) in profiles(&samples) {
                same.extend(rest.iter().map(|voice| similarity(voice, &mean)));
                let others = people.iter().enumerate().filter(|(place, _)| *place != at);
                other.extend(
                    others.flat_map(|(_, other)| &other.voices).map(|voice| similarity(voice, &mean)),
                );
            }
        }
    }
    (same, other)
}

/// The threshold at which as large a share of the one is below it as of the other above it, and that share in percent.
fn equal_error(same: &[f32], other: &[f32]) -> (f32, f64) {
    let mut thresholds: Vec<f32> = same.iter().chain(other).copied().collect();
    thresholds.sort_by(f32::total_cmp);
    let share = |values: &[f32], counts: &dyn Fn(f32) -> bool| {
        values.iter().filter(|value| counts(**value)).count() as f64 / values.len().max(1) as f64
    };
    let errors =
        |threshold: f32| (share(same, &|value| value < threshold), share(other, &|value| value >= threshold));
    // Misses grow with the threshold, false accepts shrink.
    let at = thresholds.partition_point(|threshold| {
        let (missed, accepted) = errors(*threshold);
        missed < accepted
    });
    let threshold = thresholds.get(at).copied().unwrap_or_default();
    let (missed, accepted) = errors(threshold);
    (threshold, 50.0 * (missed + accepted))
}

/// Whether two utterances are of one person: on the people the threshold was chosen by, and on others.
fn verification(
    tuning: &[&Person],
    reported: &[&Person],
    strangers: &[Vec<f32>],
    enrolled: usize,
    found: &mut Found,
) {
    let (same, other) = similarities(tuning, enrolled);
    let (threshold, _) = equal_error(&same, &other);
    let (same, other) = similarities(reported, enrolled);
    let mut rate = Samples::default();
    rate.push(equal_error(&same, &other).1);
    let of = |what: &str| format!("{enrolled} enrolled: {what}");
    found.rows.push(Row::values(&of("equal error rate"), "%", &rate));
    let missed = same.iter().filter(|value| **value < threshold).count();
    found.rows.push(Row::share(&of("own voice refused at the chosen threshold"), missed, same.len()));
    let accepted = other.iter().filter(|value| **value >= threshold).count();
    found.rows.push(Row::share(&of("another's accepted there"), accepted, other.len()));
    let means = reported.iter().filter_map(|person| split(person, enrolled, 0));
    let means: Vec<Vec<f32>> =
        means.flat_map(|(samples, _)| profiles(&samples)).map(|(_, mean)| mean).collect();
    let close =
        |mean: &Vec<f32>| strangers.iter().filter(|voice| similarity(voice, mean) >= threshold).count();
    let accepted = means.iter().map(close).sum();
    found.rows.push(Row::share(&of("a stranger's accepted there"), accepted, means.len() * strangers.len()));
}

/// Who is named in households of these people.
fn naming(people: &[&Person], strangers: &[Vec<f32>], enrolled: usize, least: f32, found: &mut Found) {
    let (mut right, mut wrong, mut all, mut named, mut foreign) = (0, 0, 0, 0, 0);
    for (turn, household) in (0..TURNS).flat_map(|turn| people.chunks(HOUSEHOLD).map(move |all| (turn, all)))
    {
        let parts: Vec<_> = household.iter().filter_map(|person| split(person, enrolled, turn)).collect();
        let known: Vec<VoiceSample> = parts.iter().flat_map(|(samples, _)| samples.iter().cloned()).collect();
        for (samples, voices) in &parts {
            for voice in voices {
                all += 1;
                match who(voice, &known, least) {
                    Some(guess) if samples.iter().any(|sample| sample.name == guess.name) => right += 1,
                    Some(_) => wrong += 1,
                    None => {}
                }
            }
        }
        foreign += strangers.len();
        named += strangers.iter().filter(|voice| who(voice, &known, least).is_some()).count();
    }
    let of = |what: &str| format!("{enrolled} enrolled: {what}");
    found.rows.push(Row::share(&of("members of a household named rightly"), right, all));
    found.rows.push(Row::share(&of("… named as another"), wrong, all));
    found.rows.push(Row::share(&of("strangers named"), named, foreign));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_equal_error_is_where_both_errors_meet() {
        let (threshold, percent) = equal_error(&[0.9, 0.8, 0.7, 0.3], &[0.1, 0.2, 0.3, 0.75]);
        assert!((0.3..=0.75).contains(&threshold) && (percent - 25.0).abs() < 1e-9, "{threshold} {percent}");
        assert!(equal_error(&[0.9, 0.8], &[0.1, 0.2]).1 < 1e-9);
    }

    #[test]
    fn what_is_enrolled_is_not_compared() {
        let person = Person { name: "Anna".into(), voices: (0..4).map(|at| vec![at as f32]).collect() };
        let (samples, others) = split(&person, 3, 1).unwrap();
        assert_eq!(samples.iter().map(|sample| sample.embedding[0]).collect::<Vec<_>>(), [3.0, 0.0, 1.0]);
        assert_eq!(others, [&vec![2.0]]);
        assert!(split(&person, 4, 0).is_none());
    }
}

//! `hark eval`: how well Hark does what it is for, set by set: prints a table, writes JSON, brings a document up to date.

use super::Faults;
use crate::cli::evaluations::needs::{self, Need};
use crate::cli::evaluations::report::{Machine, Program, Report};
use crate::cli::evaluations::{
    Found, Run, document, endpoint, failed, fleet, human_gap, interrupting, kills, paraphrases, people,
    recognition, soak, speakers, wake,
};
use clap::{Args, Subcommand};
use hark_config::Config;
use hark_core::Fault;
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The sets, and what is done with their reports.
#[derive(Debug, Subcommand)]
pub enum Eval {
    /// What each set measures, what it needs, and whether that is here
    List,
    /// Recordings of people and synthetic voices: understood, asked again, acted on wrongly
    People {
        /// Folder of recordings: `commands` or `home` with requests, named after what is said; `speech`, `wake`, `vad`,
        /// `out` with what is not for the house [default: $HARK_REAL_AUDIO]
        #[arg(long, value_name = "FOLDER")]
        data: Option<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
    /// The recogniser alone: wrong words, German, words made of noise, processor time, memory
    Recognition {
        /// As for `people` [default: $HARK_REAL_AUDIO]
        #[arg(long, value_name = "FOLDER")]
        data: Option<PathBuf>,
        /// Let sound come as fast as from a microphone: what is waited for the words, and the words so far
        #[arg(long)]
        live: bool,
        #[command(flatten)]
        output: Output,
    },
    /// Telling people apart by their voice: equal error rate, and who is named rightly, wrongly, or not at all
    Speakers {
        /// Folder with a folder of WAV files for each person, and `strangers` with recordings of people who are none of them
        #[arg(long, value_name = "FOLDER")]
        data: Option<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
    /// Typed requests as people put them: right, wrong, harmful, by kind
    Paraphrases {
        /// Requests with what should come of each, which are carried out in the demo home
        #[arg(long, value_name = "FILE.yaml")]
        requests: Option<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
    /// Whether requests are cut off and how long is waited after their end: the curve, against silence alone and Smart Turn
    Endpoint {
        /// Folder of WAV files of requests by people, or with such a folder `requests`, `commands` or `home` [default:
        /// $HARK_REAL_AUDIO]
        #[arg(long, value_name = "FOLDER")]
        data: Option<PathBuf>,
        /// Learn the weights of the evidence from half of the voices, write them there, and measure them on the other half
        #[arg(long, value_name = "FILE.json")]
        learn: Option<PathBuf>,
        /// Keep what was heard there, and where the file is, take it from there instead of listening again
        #[arg(long, value_name = "FILE.json")]
        pauses: Option<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
    /// Wake words: how often they are missed, near and in rooms, and how often near words and other sound wake
    Wake {
        /// Folder of recordings, WAV files in it and in its folders: those whose names begin with a wake word say it (`hey_jarvis-1.wav`),
        /// no other does; may be repeated
        #[arg(long, value_name = "FOLDER")]
        recordings: Vec<PathBuf>,
        /// Hours of synthetic speech, of television-like and of music-like sound, each
        #[arg(long, value_name = "NUMBER", default_value_t = 0.5)]
        hours: f64,
        #[command(flatten)]
        output: Output,
    },
    /// Speaking over Hark: how often and how soon a request stops it, and how often other speech does
    Interrupting {
        /// How loud the microphone hears the loudspeaker against what is played; may be repeated [default: 0, and not at
        /// all]
        #[arg(long, value_name = "DB", allow_negative_numbers = true)]
        echo_db: Vec<f32>,
        #[command(flatten)]
        output: Output,
    },
    /// What a person waits: from the end of a spoken request to the first sound of the reply, on a virtual sound card
    HumanGap {
        /// How many commands
        #[arg(long, value_name = "NUMBER", default_value_t = 50)]
        count: usize,
        #[command(flatten)]
        output: Output,
    },
    /// The daemon under requests: memory, threads and handles before and after
    Soak {
        /// For how long
        #[arg(long, value_name = "NUMBER", default_value_t = 10.0)]
        minutes: f64,
        #[command(flatten)]
        output: Output,
    },
    /// The daemon killed between promise and act: what was promised rings once and is kept once
    Kills {
        /// How many kills
        #[arg(long, value_name = "NUMBER", default_value_t = 100)]
        count: usize,
        #[command(flatten)]
        output: Output,
    },
    /// Hundreds of lights that announce themselves by MQTT: from words to the message at the light
    Fleet {
        /// How many lights, at most 500
        #[arg(long, value_name = "NUMBER", default_value_t = 500)]
        devices: usize,
        /// How many requests
        #[arg(long, value_name = "NUMBER", default_value_t = 200)]
        count: usize,
        #[command(flatten)]
        output: Output,
    },
    /// Writes reports into a document, between its lines `<!-- hark eval: begin -->` and `<!-- hark eval: end -->`
    Document {
        /// What --out wrote
        #[arg(required = true, value_name = "FILE.json")]
        reports: Vec<PathBuf>,
        /// The document
        #[arg(long, value_name = "FILE.md")]
        into: PathBuf,
    },
}

/// What every set takes.
#[derive(Debug, Args)]
pub struct Output {
    /// Write the report as JSON as well (`--json` prints it instead of the table)
    #[arg(long, value_name = "FILE.json")]
    pub out: Option<PathBuf>,
    /// Print every case of what is judged, too
    #[arg(long)]
    pub cases: bool,
    /// Only the first so many items of each part, to see that it runs; not a measurement
    #[arg(long, value_name = "NUMBER")]
    pub sample: Option<usize>,
}

/// Name, what it measures, and what it needs.
type Set = (&'static str, &'static str, Vec<Need>);

/// Every set, in the order in which they are run.
fn sets(config: &Config, data: Option<&Path>, requests: Option<&Path>) -> [Set; 11] {
    [
        ("paraphrases", "typed requests as people put them", paraphrases::needs(config, requests)),
        ("people", "recordings of people and synthetic voices", people::needs(config, data)),
        ("recognition", "the recogniser alone on recordings", recognition::needs(config, data)),
        ("speakers", "telling people apart by their voice", speakers::needs(config, data)),
        ("endpoint", "whether requests are cut off, and the wait after them", endpoint::needs(config, data)),
        ("wake", "how often wake words are missed, and what else wakes", wake::needs(config, data)),
        ("interrupting", "speaking over Hark", interrupting::needs(config)),
        ("human-gap", "what a person waits for the reply", human_gap::needs(config)),
        ("kills", "the daemon killed between promise and act", kills::needs(config)),
        ("soak", "the daemon under requests for a long time", soak::needs(config)),
        ("fleet", "hundreds of MQTT lights", fleet::needs(config)),
    ]
}

/// Evaluates, lists, or writes a document.
pub(super) fn run(config: &Config, eval: Eval, json: bool) -> Result<(), Faults> {
    let one = |fault| vec![fault];
    match eval {
        Eval::List => list(config, json).map_err(one),
        Eval::Document { reports, into } => document::update(&reports, &into).map_err(one),
        Eval::People { data, output } => {
            let data = people::data(data.as_deref());
            evaluate(config, "people", (data.as_deref(), None), &output, json, |run| {
                people::run(run, data.as_deref().unwrap_or(Path::new("")))
            })
        }
        Eval::Recognition { data, live, output } => {
            let data = people::data(data.as_deref());
            evaluate(config, "recognition", (data.as_deref(), None), &output, json, |run| {
                recognition::run(run, data.as_deref().unwrap_or(Path::new("")), live)
            })
        }
        Eval::Speakers { data, output } => {
            evaluate(config, "speakers", (data.as_deref(), None), &output, json, |run| {
                speakers::run(run, data.as_deref().unwrap_or(Path::new(""))).map_err(one)
            })
        }
        Eval::Paraphrases { requests, output } => {
            evaluate(config, "paraphrases", (None, requests.as_deref()), &output, json, |run| {
                paraphrases::run(run, requests.as_deref())
            })
        }
        Eval::Endpoint { data, learn, pauses, output } => {
            let data = people::data(data.as_deref());
            evaluate(config, "endpoint", (data.as_deref(), None), &output, json, |run| {
                let data = data.as_deref().unwrap_or(Path::new(""));
                endpoint::run(run, data, learn.as_deref(), pauses.as_deref())
            })
        }
        Eval::Wake { recordings, hours, output } => {
            let first = recordings.first().map(PathBuf::as_path);
            evaluate(config, "wake", (first, None), &output, json, |run| wake::run(run, hours, &recordings))
        }
        Eval::Interrupting { echo_db, output } => {
            let levels: Vec<Option<f32>> = match echo_db.is_empty() {
                true => vec![Some(0.0), None],
                false => echo_db.into_iter().map(Some).collect(),
            };
            evaluate(config, "interrupting", (None, None), &output, json, |run| {
                interrupting::run(run, &levels)
            })
        }
        Eval::HumanGap { count, output } => {
            evaluate(config, "human-gap", (None, None), &output, json, |run| {
                human_gap::run(run, count).map_err(one)
            })
        }
        Eval::Soak { minutes, output } => evaluate(config, "soak", (None, None), &output, json, |run| {
            let lasts = Duration::try_from_secs_f64(minutes * 60.0).map_err(|error| one(failed(error)))?;
            soak::run(run, lasts).map_err(one)
        }),
        Eval::Kills { count, output } => {
            evaluate(config, "kills", (None, None), &output, json, |run| kills::run(run, count).map_err(one))
        }
        Eval::Fleet { devices, count, output } => {
            evaluate(config, "fleet", (None, None), &output, json, |run| {
                fleet::run(run, devices, count).map_err(one)
            })
        }
    }
}

/// Runs a set whose needs are here, and tells what it found. `named`: the folder of recordings and the file of requests.
fn evaluate(
    config: &Config,
    set: &str,
    named: (Option<&Path>, Option<&Path>),
    output: &Output,
    json: bool,
    found: impl FnOnce(&Run<'_>) -> Result<Found, Faults>,
) -> Result<(), Faults> {
    for (name, _, needs) in sets(config, named.0, named.1) {
        if name == set {
            needs::check(set, &needs)?;
        }
    }
    let is_watched = std::io::stderr().is_terminal();
    let progress = |what: &str| {
        if is_watched {
            eprintln!("hark: evaluating: {what} …");
        }
    };
    let (begun, date) =
        (Instant::now(), chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true));
    let Found { rows, mut notes, cases } =
        found(&Run { config, sample: output.sample, progress: &progress })?;
    if let Some(sample) = output.sample {
        notes.insert(0, format!("Only the first {sample} items of each part: not a measurement."));
    }
    let report = Report {
        set: set.to_owned(),
        date,
        program: Program::this(),
        machine: Machine::this(),
        command: command(std::env::args().skip(1)),
        seconds: begun.elapsed().as_secs_f64(),
        rows,
        notes,
        cases,
    };
    tell(&report, output, json).map_err(|fault| vec![fault])
}

/// How the program was called, but for where the report goes and with the folders of paths left out, which are of no
/// use elsewhere.
fn command(arguments: impl Iterator<Item = String>) -> String {
    let mut words = vec!["hark".to_owned()];
    let mut arguments = arguments.filter(|argument| argument != "--json" && argument != "--cases");
    while let Some(argument) = arguments.next() {
        if argument == "--out" {
            arguments.next();
        } else if !argument.starts_with("--out=") {
            let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
            words.push(match argument.split_once('=') {
                Some((key, value)) => format!("{key}={}", name(value)),
                None => name(&argument),
            });
        }
    }
    words.join(" ")
}

fn tell(report: &Report, output: &Output, json: bool) -> Result<(), Fault> {
    let as_json = serde_json::to_string(report).map_err(failed)? + "\n";
    if let Some(path) = &output.out {
        std::fs::write(path, &as_json).map_err(|error| failed(format!("{}: {error}", path.display())))?;
    }
    let text = if json { as_json } else { report.text(output.cases) };
    std::io::stdout().write_all(text.as_bytes()).map_err(failed)
}

fn list(config: &Config, json: bool) -> Result<(), Fault> {
    let data = people::data(None);
    let sets = sets(config, data.as_deref(), None);
    let mut text = String::new();
    if json {
        let need = |need: &Need| json!({"what": need.what, "is_here": need.is_here, "is_optional": need.is_optional, "fix": need.fix});
        let set = |(name, about, needs): &Set| json!({"set": name, "about": about, "needs": needs.iter().map(need).collect::<Vec<_>>()});
        text = json!(sets.iter().map(set).collect::<Vec<_>>()).to_string() + "\n";
    } else {
        for (name, about, needs) in &sets {
            let can_run = if needs::check(name, needs).is_ok() { "can run" } else { "cannot run" };
            text += &format!("{name:14} {about} ({can_run})\n");
            for Need { what, is_here, fix, is_optional } in needs {
                let kind = if *is_optional { "works without" } else { "needs" };
                let state = if *is_here { "here".to_owned() } else { format!("missing: {fix}") };
                text += &format!("{:14} {kind} {what}: {state}\n", "");
            }
        }
    }
    std::io::stdout().write_all(text.as_bytes()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_told_without_places_of_this_machine() {
        let told = |words: &[&str]| command(words.iter().map(|word| (*word).to_owned()));
        assert_eq!(
            told(&["eval", "people", "--data", "/some/where/data", "--out", "/tmp/x.json", "--json"]),
            "hark eval people --data data"
        );
        assert_eq!(
            told(&["eval", "soak", "--set", "paths.models_dir=/a/models"]),
            "hark eval soak --set paths.models_dir=models"
        );
        assert_eq!(
            told(&["eval", "soak", "--minutes", "2", "--out=x", "--cases"]),
            "hark eval soak --minutes 2"
        );
    }
}

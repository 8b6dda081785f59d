//! `hark eval people`: recordings of people, and synthetic voices, through the same path as the microphone (`hark hear`
//! without a wake word), in the demo home. Right is what the same words come to when they are typed.
//!
//! Folders of the recordings: `commands` and `home` hold requests, the files named after what is said
//! (`turn-on-the-lamp.wav`, `turn-on-the-lamp__anna.wav`); `speech`, `wake`, `vad` and `out` hold what is not for the
//! house.

use super::conversation::{Turn, understand};
use super::figures::{Case, Row, Verdict};
use super::needs::Need;
use super::sentences::{self, Sentences};
use super::voices::{self, Level, Shape};
use super::{Found, Run, apart_lists, failed};
use crate::app::builder::App;
use crate::cli::standalone::hear::{Options, hear};
use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_core::{Envelope, Fault, Intent, PublicEvent};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Folders with requests, and folders with what is not for the house.
pub(super) const REQUESTS: [&str; 2] = ["commands", "home"];
const OTHERS: [&str; 4] = ["speech", "wake", "vad", "out"];
/// Names of recordings from some sources begin so.
const PREFIX: &str = "rhasspy3-";
/// In the folder `wake`, recordings of the wake word begin so.
const WAKE_WORD: &str = "hey_jarvis";
/// How loud voices speak, against how they are made.
const GAINS: [f32; 3] = [0.02, 0.2, 2.5];
/// Sentences that are spoken at each of them.
const SENTENCES_A_GAIN: usize = 12;
/// Names of the parts.
const PEOPLE: &str = "recordings: requests";
const NOT_FOR_THE_HOUSE: &str = "recordings: not requests, wake word not required";
const VOICES: &str = "synthetic voices: requests";
const NO_HOUSE: &str = "synthetic voices: out of scope";
/// Questions no home can serve, in the folder of data.
const OUT_OF_SCOPE: &str = "text/out-of-scope-dev.json";

/// The folder of recordings: as it is named, else by `$HARK_REAL_AUDIO`.
pub(crate) fn data(named: Option<&Path>) -> Option<PathBuf> {
    named.map(Path::to_path_buf).or_else(|| std::env::var_os("HARK_REAL_AUDIO").map(PathBuf::from))
}

/// What it needs.
pub(crate) fn needs(config: &Config, data: Option<&Path>) -> Vec<Need> {
    vec![
        Need::models(config),
        Need::data("a folder of recordings", data, "name one: --data FOLDER or HARK_REAL_AUDIO=FOLDER"),
        Need::program("flite", "flite").optional(),
    ]
}

/// Something that is said, with what is expected of it.
struct Said {
    file: PathBuf,
    /// What it counts for.
    part: String,
    /// The words.
    words: String,
    expected: Expected,
}

/// What should come of a recording.
enum Expected {
    /// What the words come to when they are typed.
    Typed,
    /// This intent, with any slots.
    AnySlots(String),
    /// Nothing.
    Nothing,
}

/// Runs it.
///
/// # Errors
/// When a recording cannot be read or a part of Hark is missing.
pub(crate) fn run(run: &Run<'_>, data: &Path) -> Result<Found, Vec<Fault>> {
    let one = |fault| vec![fault];
    let all = sentences::load().map_err(one)?;
    let folder = TemporaryFolder::make().map_err(one)?;
    let app = App::open(run.apart(&folder))?;
    let mut found = Found::default();
    let recordings = recordings(run, data, &all).map_err(one)?;
    if recordings.is_empty() {
        return Err(one(failed(format!(
            "{} has no folder of recordings ({})",
            data.display(),
            REQUESTS.join(", ")
        ))));
    }
    (run.progress)("recordings of people");
    judge(&app, &recordings, &mut found)?;
    (run.progress)("what wakes it");
    wake_rows(run, &app, data, &mut found)?;
    if Need::program("flite", "flite").is_here {
        (run.progress)("synthetic voices");
        let spoken = spoken(run, data, &all, folder.path()).map_err(one)?;
        judge(&app, &spoken, &mut found)?;
    } else {
        found.notes.push("Left out: synthetic voices (flite is not installed).".into());
    }
    found.notes.push(
        "Right is what the same words come to when they are typed, harmful another act; what is not for the house is right \
         when nothing comes of it."
            .into(),
    );
    Ok(found)
}

/// The WAV files of a folder by name; none where there is no such folder.
pub(super) fn files(run: &Run<'_>, folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "wav"));
    files.sort();
    run.sampled(files)
}

/// The name of a file without its ending.
pub(super) fn name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The words that the name of a recording tells.
pub(super) fn words(name: &str) -> String {
    let words = name.split("__").next().unwrap_or(name).trim_start_matches(PREFIX);
    words.replace(['-', '_'], " ").replace("whats", "what's")
}

fn recordings(run: &Run<'_>, data: &Path, all: &Sentences) -> Result<Vec<Said>, Fault> {
    let mut said = Vec::new();
    for (folder, is_request) in
        REQUESTS.iter().map(|it| (it, true)).chain(OTHERS.iter().map(|it| (it, false)))
    {
        for file in files(run, &data.join(folder)) {
            let name = name(&file);
            let is_request = is_request && !all.not_for_the_house.contains(&name);
            let expected = match all.any_slots.get(&name) {
                Some(intent) => Expected::AnySlots(intent.clone()),
                None if is_request => Expected::Typed,
                None => Expected::Nothing,
            };
            let part = if is_request { PEOPLE } else { NOT_FOR_THE_HOUSE };
            said.push(Said { file, part: part.into(), words: words(&name), expected });
        }
    }
    Ok(said)
}

/// Has voices say the requests, some of them quiet and too loud, and what no house can do.
fn spoken(run: &Run<'_>, data: &Path, all: &Sentences, folder: &Path) -> Result<Vec<Said>, Fault> {
    let mut said: Vec<Said> = Vec::new();
    let mut add = |part: String, voice: &str, words: &str, gain: f32, expected: Expected| {
        let file = folder.join(format!("spoken-{}.wav", said.len()));
        let shape = Shape { before_s: 0.5, after_s: 1.3, level: Level::Gain(gain) };
        voices::say(voice, words, shape, &file)?;
        said.push(Said { file, part, words: words.to_owned(), expected });
        Ok::<(), Fault>(())
    };
    let requests = run.sampled(all.spoken_requests.clone());
    for words in &requests {
        for voice in &all.voices {
            add(VOICES.into(), voice, words, 1.0, Expected::Typed)?;
        }
    }
    for gain in GAINS {
        for (words, voice) in requests.iter().take(SENTENCES_A_GAIN).zip(all.voices.iter().cycle()) {
            add(format!("{VOICES}, gain {gain}"), voice, words, gain, Expected::Typed)?;
        }
    }
    // Confidence was fitted to the other half.
    let questions = out_of_scope(data).into_iter().skip(1).step_by(2).collect();
    for (words, voice) in run.sampled(questions).iter().zip(all.voices.iter().cycle()) {
        add(NO_HOUSE.into(), voice, words, 1.0, Expected::Nothing)?;
    }
    Ok(said)
}

/// Questions no home can serve, where the folder has them.
fn out_of_scope(data: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(data.join(OUT_OF_SCOPE)).unwrap_or_default();
    let lists: HashMap<String, Vec<String>> = serde_json::from_str(&text).unwrap_or_default();
    lists.into_iter().find(|(name, _)| name == "out_of_scope").map(|(_, list)| list).unwrap_or_default()
}

/// What was heard in each file, every turn of it together, and how often it was woken.
fn heard(app: &App, files: &[PathBuf], no_wake: bool) -> Result<Vec<(Turn, usize)>, Vec<Fault>> {
    let heard: Arc<Mutex<HashMap<String, (Turn, usize)>>> = Arc::default();
    let told = heard.clone();
    let only = files.first().map(|file| file.display().to_string()).unwrap_or_default();
    let note = move |envelope: &Envelope| {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        let (turn, wakes) = told.entry(envelope.file.clone().unwrap_or_else(|| only.clone())).or_default();
        turn.note(&envelope.event);
        *wakes += usize::from(matches!(envelope.event, PublicEvent::Wake { .. }));
    };
    hear(app, files, &Options { no_wake, ..Options::default() }, note)?;
    let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(files.iter().map(|file| heard.remove(&file.display().to_string()).unwrap_or_default()).collect())
}

fn judge(app: &App, said: &[Said], found: &mut Found) -> Result<(), Vec<Fault>> {
    let texts: Vec<String> = said.iter().map(|said| said.words.clone()).collect();
    let typed = understand(app, &texts).map_err(|fault| vec![fault])?;
    let files: Vec<PathBuf> = said.iter().map(|said| said.file.clone()).collect();
    let mut cases = Vec::new();
    for ((said, typed), (turn, _)) in said.iter().zip(&typed).zip(heard(app, &files, true)?) {
        let words = turn.words.as_deref().map_or_else(|| "no words".into(), |words| format!("“{words}”"));
        cases.push(Case {
            part: said.part.clone(),
            item: name(&said.file) + ": " + &said.words,
            verdict: verdict(&said.expected, typed, &turn),
            detail: format!("{words}: {}", turn.meaning()),
        });
    }
    let mut parts: Vec<&str> = Vec::new();
    for case in &cases {
        if !parts.contains(&case.part.as_str()) {
            parts.push(&case.part);
        }
    }
    found.rows.extend(parts.into_iter().map(|part| Row::judged(part, &cases)));
    found.cases.extend(cases);
    Ok(())
}

fn verdict(expected: &Expected, typed: &Turn, turn: &Turn) -> Verdict {
    let same = |a: &Intent, b: &Intent| a.name == b.name && a.slots == b.slots;
    let all_same = || {
        let (typed, heard) = (&typed.intents, &turn.intents);
        !typed.is_empty() && typed.len() == heard.len() && typed.iter().zip(heard).all(|(a, b)| same(a, b))
    };
    let is_right = match expected {
        Expected::Typed => all_same(),
        Expected::AnySlots(intent) => turn.intents.iter().any(|found| found.name == *intent),
        Expected::Nothing => turn.intents.is_empty(),
    };
    match is_right {
        true => Verdict::Right,
        false if turn.changed() || turn.intents.iter().any(apart_lists::changes_something) => {
            Verdict::Harmful
        }
        false => Verdict::Wrong,
    }
}

/// With a wake word needed: how much of what has one wakes it, and how much of what has none.
fn wake_rows(run: &Run<'_>, app: &App, data: &Path, found: &mut Found) -> Result<(), Vec<Fault>> {
    let others: Vec<PathBuf> = OTHERS.iter().flat_map(|folder| files(run, &data.join(folder))).collect();
    let (with, without): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|file| name(file).starts_with(WAKE_WORD));
    let woken = |files: &[PathBuf]| -> Result<usize, Vec<Fault>> {
        Ok(heard(app, files, false)?.iter().filter(|(_, wakes)| *wakes > 0).count())
    };
    found.rows.push(Row::share("wake word recordings that wake it", woken(&with)?, with.len()));
    found.rows.push(Row::share("other recordings that wake it", woken(&without)?, without.len()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::Route;

    #[test]
    fn names_of_files_tell_the_words() {
        assert_eq!(words("turn-on-the-lamp__anna"), "turn on the lamp");
        assert_eq!(words("rhasspy3-whats_the_date_today"), "what's the date today");
    }

    #[test]
    fn what_is_heard_counts_against_what_is_typed() {
        let turn = |names: &[&str]| Turn {
            intents: names
                .iter()
                .map(|name| Intent {
                    name: (*name).to_owned(),
                    slots: Default::default(),
                    confidence: 1.0,
                    route: Route::Template,
                    why: String::new(),
                    response: None,
                    single: false,
                })
                .collect(),
            ..Turn::default()
        };
        let (on, time, nothing) = (turn(&["HassTurnOn"]), turn(&["HassGetCurrentTime"]), turn(&[]));
        assert_eq!(verdict(&Expected::Typed, &on, &on), Verdict::Right);
        assert_eq!(verdict(&Expected::Typed, &time, &on), Verdict::Harmful);
        assert_eq!(verdict(&Expected::Typed, &on, &time), Verdict::Wrong);
        assert_eq!(verdict(&Expected::Typed, &on, &nothing), Verdict::Wrong);
        assert_eq!(verdict(&Expected::Typed, &nothing, &nothing), Verdict::Wrong, "words that mean nothing");
        assert_eq!(verdict(&Expected::Nothing, &nothing, &nothing), Verdict::Right);
        assert_eq!(verdict(&Expected::Nothing, &nothing, &on), Verdict::Harmful);
        assert_eq!(verdict(&Expected::AnySlots("HassTurnOn".into()), &nothing, &on), Verdict::Right);
    }
}

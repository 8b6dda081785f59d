//! `hark eval interrupting`: voices speak over a long reply, which the microphone hears as loud as the level says. How often
//! and how soon a request stops it, on the clock of the recording: from its first audible sample to the order to stop; and
//! how often other speech does.

use super::figures::{Case, Row, Verdict};
use super::needs::Need;
use super::sentences::{self, LONG_REPLY, Sentences};
use super::voices::{self, Level, Shape};
use super::{Found, Run};
use crate::app::builder::App;
use crate::cli::benchmarks::samples::Samples;
use crate::cli::standalone::hear::{Options, hear};
use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_core::public_event::BargeIn;
use hark_core::{Envelope, Fault, PublicEvent};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Hark has spoken for so long when it is spoken over.
const LEAD_S: f64 = 6.0;
/// Silence behind it.
const AFTER_S: f64 = 3.0;
/// As loud as Hark itself.
const PEAK_DB: f32 = -3.0;
/// What is soon enough.
const SOON_MS: f64 = 800.0;

/// What it needs.
pub(crate) fn needs(config: &Config) -> Vec<Need> {
    vec![Need::models(config), Need::program("flite", "flite")]
}

/// One sentence that is spoken over Hark's voice.
struct Spoken {
    file: PathBuf,
    voice: String,
    words: String,
    is_request: bool,
    began_ms: f64,
}

/// What came of one.
#[derive(Default, Clone)]
struct Heard {
    stopped_ms: Option<f64>,
    intents: Vec<String>,
}

/// Runs it at every level: how loud the microphone hears the loudspeaker against what is played, in dB; `None`: not at all.
///
/// # Errors
/// When a part of Hark or a voice is missing.
pub(crate) fn run(run: &Run<'_>, levels: &[Option<f32>]) -> Result<Found, Vec<Fault>> {
    let one = |fault| vec![fault];
    let all = sentences::load().map_err(one)?;
    let folder = TemporaryFolder::make().map_err(one)?;
    let app = App::open(run.apart(&folder))?;
    (run.progress)("speaking");
    let spoken = spoken(run, &all, folder.path()).map_err(one)?;
    let mut found = Found::default();
    for level in levels {
        let name = level.map_or_else(|| "no echo".to_owned(), |db| format!("echo {db:.0} dB"));
        (run.progress)(&name);
        let heard = over(&app, &spoken, *level)?;
        tell(&name, &spoken, &heard, &mut found);
    }
    found.notes.push(format!(
        "Voices of flite; {} requests and {} other sentences at each level. Times are on the clock of the recording, from the \
         first audible sample to the order to stop.",
        spoken.iter().filter(|spoken| spoken.is_request).count(),
        spoken.iter().filter(|spoken| !spoken.is_request).count()
    ));
    Ok(found)
}

fn spoken(run: &Run<'_>, all: &Sentences, folder: &Path) -> Result<Vec<Spoken>, Fault> {
    let requests = run.sampled(all.interruptions.clone()).into_iter().map(|words| (words, true));
    let others = run.sampled(all.other_speech.clone()).into_iter().map(|words| (words, false));
    let mut spoken = Vec::new();
    for (words, is_request) in requests.chain(others) {
        for voice in &all.voices {
            let file = folder.join(format!("over-{}.wav", spoken.len()));
            let shape = Shape { before_s: LEAD_S, after_s: AFTER_S, level: Level::PeakDb(PEAK_DB) };
            voices::say(voice, &words, shape, &file)?;
            let began_ms = voices::first_audible_ms(&file)?;
            spoken.push(Spoken { file, voice: voice.clone(), words: words.clone(), is_request, began_ms });
        }
    }
    Ok(spoken)
}

/// What came of every recording while Hark was saying something.
fn over(app: &App, spoken: &[Spoken], echo_db: Option<f32>) -> Result<Vec<Heard>, Vec<Fault>> {
    let files: Vec<PathBuf> = spoken.iter().map(|spoken| spoken.file.clone()).collect();
    let heard: Arc<Mutex<HashMap<String, Heard>>> = Arc::default();
    let told = heard.clone();
    let note = move |envelope: &Envelope| {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        let heard = told.entry(envelope.file.clone().unwrap_or_default()).or_default();
        match &envelope.event {
            PublicEvent::BargeIn { decision: BargeIn::Stop, .. } if heard.stopped_ms.is_none() => {
                heard.stopped_ms = envelope.audio_ms.map(|at| at as f64);
            }
            PublicEvent::Intent { intent, .. } => heard.intents.push(intent.name.clone()),
            _ => {}
        }
    };
    let options = Options { saying: Some(LONG_REPLY.to_owned()), echo_db, ..Options::default() };
    hear(app, &files, &options, note)?;
    let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(files.iter().map(|file| heard.remove(&file.display().to_string()).unwrap_or_default()).collect())
}

fn tell(level: &str, spoken: &[Spoken], heard: &[Heard], found: &mut Found) {
    let mut times = Samples::default();
    let (mut requests, mut stopped, mut soon, mut others, mut taken) = (0, 0, 0, 0, 0);
    for (spoken, heard) in spoken.iter().zip(heard) {
        let after_ms = heard.stopped_ms.map(|at| at - spoken.began_ms);
        let (counted, hit) =
            if spoken.is_request { (&mut requests, &mut stopped) } else { (&mut others, &mut taken) };
        *counted += 1;
        *hit += usize::from(after_ms.is_some());
        if let Some(after_ms) = after_ms.filter(|_| spoken.is_request) {
            times.push(after_ms);
            soon += usize::from(after_ms <= SOON_MS);
        }
        let as_it_should = after_ms.is_some() == spoken.is_request;
        found.cases.push(Case {
            part: level.to_owned(),
            item: format!("{}: {}", spoken.voice, spoken.words),
            verdict: if as_it_should { Verdict::Right } else { Verdict::Wrong },
            detail: match after_ms {
                Some(after_ms) => format!("stopped after {after_ms:.0} ms: {}", heard.intents.join(" + ")),
                None => format!("not stopped: {}", heard.intents.join(" + ")),
            },
        });
    }
    found.rows.extend([
        Row::share(&format!("{level}: requests that stop it"), stopped, requests),
        Row::share(&format!("{level}: requests that stop it within {SOON_MS} ms"), soon, requests),
        Row::share(&format!("{level}: other speech that stops it"), taken, others),
        Row::values(&format!("{level}: from first sound to stop"), "ms", &times),
    ]);
}

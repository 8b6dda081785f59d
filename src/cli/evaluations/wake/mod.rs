//! `hark eval wake`: the wake words as they are configured, with the engines that listen for them. Voices that are installed say each
//! word near and in rooms, and near words; speech, television-like and music-like sound is made for as long as is wanted, and
//! recordings are taken from folders.

mod material;
mod room;

use super::figures::{Case, Row, Verdict};
use super::needs::Need;
use super::{Found, Run, yaml};
use crate::app::builder::App;
use crate::cli::studio::{SPEEDS, Studio, faster};
use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_core::ports::SpeechGrammar;
use hark_core::{Fault, FaultKind, SAMPLE_RATE_HZ};
use hark_stt::recording;
use hark_stt::wake::{WakeDetector, WakeReport, WakeVerifier};
use material::{Maker, Material, STRETCH_S};
use room::{Place, heard};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How a word is said: with other melodies.
const WAYS: [&str; 2] = ["{}", "{}!"];
/// Where it is said.
const PLACES: [(&str, Place); 4] = [
    ("near", Place { rt60: 0.3, metres: 0.5, snr_db: 30.0 }),
    ("3 m, RT60 0.3 s", Place { rt60: 0.3, metres: 3.0, snr_db: 20.0 }),
    ("3 m, RT60 0.5 s", Place { rt60: 0.5, metres: 3.0, snr_db: 20.0 }),
    ("3 m, RT60 0.8 s", Place { rt60: 0.8, metres: 3.0, snr_db: 15.0 }),
];
/// Kinds of sound without a wake word.
const MATERIALS: [(&str, Material); 3] = [
    ("synthetic speech", Material::Speech),
    ("television-like: two speakers over music, 2.5 m", Material::Television),
    ("music-like", Material::Music),
];
/// Words that take the place of one of the word's.
const NEAR_WORDS: usize = 40;
/// Sentences of the home that are said.
const SENTENCES: usize = 300;
/// Silence around what is said, samples.
const AROUND: usize = SAMPLE_RATE_HZ as usize;
/// Every how many of the sentences that people wrote is said.
const EVERY: usize = 7;

/// What it needs.
pub(crate) fn needs(config: &Config, recordings: Option<&Path>) -> Vec<Need> {
    let named =
        Need::data("a folder of recordings", recordings, "name one that is there: --recordings FOLDER");
    vec![Need::models(config), if recordings.is_some() { named } else { named.optional() }]
}

/// Runs it: so many hours of each kind of sound, and the recordings in these folders.
///
/// # Errors
/// When there is no wake word or no voice, or a recording cannot be read.
pub(crate) fn run(run: &Run<'_>, hours: f64, folders: &[PathBuf]) -> Result<Found, Vec<Fault>> {
    let one = |fault| vec![fault];
    let folder = TemporaryFolder::make().map_err(one)?;
    let app = App::open(run.apart(&folder))?;
    let Some(mut detector) = app.pipelines().wake().map_err(one)? else {
        let fix = "hark eval wake --set wake.engine=both";
        return Err(one(Fault::new(
            FaultKind::BadConfiguration,
            "wake",
            "nothing listens for a wake word",
            fix,
        )));
    };
    let words: Vec<String> = detector.scores().map(|(word, _)| word.to_owned()).collect();
    let mut studio = Studio::open(&app).map_err(one)?;
    let mut found = Found::default();
    let grammar = app.pipelines().sentences.now().map_err(|faults| faults.to_vec())?;
    let vocabulary = grammar.vocabulary();
    for word in &words {
        (run.progress)(&format!("{word}: synthetic speakers"));
        said(run, &mut studio, &mut detector, word, &mut found).map_err(one)?;
        near_words(run, &mut studio, &mut detector, (word, &vocabulary), &mut found).map_err(one)?;
    }
    let samples = grammar.sample(SENTENCES, 11).into_iter().map(|words| words.join(" "));
    let texts: Vec<String> = samples.chain(written(&app).map_err(one)?).collect();
    for (name, material) in MATERIALS {
        (run.progress)(name);
        let mut maker = Maker { studio: &mut studio, texts: &texts, next: 0 };
        let made = other_sound(run, &mut maker, &mut detector, (material, hours), &words).map_err(one)?;
        rates(name, &words, &made, &mut found);
    }
    if !folders.is_empty() {
        (run.progress)("recordings");
        recordings(run, &mut detector, folders, &words, &mut found).map_err(one)?;
    }
    found.notes.push(format!(
        "Synthetic speakers are {} voices at {} speeds and pitches; people are missed more often. Rooms are computed (velvet noise, \
         60 m³). Each score is compared with its word's limits; what wake.verify looks at besides is left out.",
        studio.voices(),
        SPEEDS.len(),
    ));
    Ok(found)
}

/// The words that wake in a sound, heard for itself or as a part of a stream.
fn wakes(detector: &mut WakeDetector, sound: &[f32]) -> Result<Vec<String>, Fault> {
    let mut reports = Vec::new();
    detector.push(sound, &mut reports)?;
    let woken = reports.into_iter().filter_map(|report| match report {
        WakeReport::Detected { word, .. } => Some(word),
        WakeReport::Rejected { .. } => None,
    });
    Ok(woken.collect())
}

/// With silence before and behind it.
fn alone(detector: &mut WakeDetector, sound: &[f32]) -> Result<Vec<String>, Fault> {
    detector.reset();
    let silence = vec![0.0; AROUND];
    wakes(detector, &[&silence, sound, &silence].concat())
}

/// How often a word that is said wakes nothing.
fn said(
    run: &Run<'_>,
    studio: &mut Studio,
    detector: &mut WakeDetector,
    word: &str,
    found: &mut Found,
) -> Result<(), Fault> {
    let phrase = WakeVerifier::phrase_of(word);
    let mut spoken = Vec::new();
    for voice in 0..studio.voices() {
        for way in WAYS {
            let sound = studio.say(voice, &way.replace("{}", &phrase))?;
            spoken.extend(
                SPEEDS.map(|speed| (format!("voice {voice}, {way}, {speed}"), faster(&sound, speed))),
            );
        }
    }
    for (place, room) in PLACES {
        let part = format!("{word} said by synthetic speakers, {place}: missed");
        let (mut missed, mut of) = (0, 0);
        for (item, sound) in run.sampled(spoken.clone()) {
            let sound = heard(&sound, room, &mut studio.random);
            let woken = alone(detector, &sound)?;
            let is_heard = woken.iter().any(|it| it == word);
            (missed, of) = (missed + usize::from(!is_heard), of + 1);
            let verdict = if is_heard { Verdict::Right } else { Verdict::Wrong };
            found.cases.push(Case { part: part.clone(), item, verdict, detail: woken.join(", ") });
        }
        found.rows.push(Row::share(&part, missed, of));
    }
    Ok(())
}

/// How often parts of a word, and the word with another in it, wake.
fn near_words(
    run: &Run<'_>,
    studio: &mut Studio,
    detector: &mut WakeDetector,
    (word, vocabulary): (&str, &[String]),
    found: &mut Found,
) -> Result<(), Fault> {
    let near = studio.near(&WakeVerifier::phrase_of(word), vocabulary, NEAR_WORDS);
    let part = format!("near {word}, by synthetic speakers: woken");
    let (mut count, mut of) = (0, 0);
    for (number, text) in run.sampled(near).into_iter().enumerate() {
        let sound = studio.say(number % studio.voices(), &text)?;
        let sound = faster(&sound, SPEEDS[number % SPEEDS.len()]);
        let woken = alone(detector, &heard(&sound, PLACES[number % 2].1, &mut studio.random))?;
        let is_woken = woken.iter().any(|it| it == word);
        (count, of) = (count + usize::from(is_woken), of + 1);
        let verdict = if is_woken { Verdict::Harmful } else { Verdict::Right };
        found.cases.push(Case { part: part.clone(), item: text, verdict, detail: woken.join(", ") });
    }
    found.rows.push(Row::share(&part, count, of));
    Ok(())
}

/// How often each word woke in how many hours.
struct Woken {
    counts: Vec<usize>,
    hours: f64,
}

impl Woken {
    fn none(words: &[String]) -> Self {
        Self { counts: vec![0; words.len()], hours: 0.0 }
    }

    fn note(&mut self, words: &[String], woken: &[String], samples: usize) {
        for (count, word) in self.counts.iter_mut().zip(words) {
            *count += woken.iter().filter(|it| *it == word).count();
        }
        self.hours += samples as f64 / f64::from(SAMPLE_RATE_HZ) / 3600.0;
    }
}

/// Made sound, in one stream.
fn other_sound(
    run: &Run<'_>,
    maker: &mut Maker<'_>,
    detector: &mut WakeDetector,
    (material, hours): (Material, f64),
    words: &[String],
) -> Result<Woken, Fault> {
    let mut woken = Woken::none(words);
    detector.reset();
    let stretches = (hours * 3600.0 / STRETCH_S as f64).ceil() as usize;
    for _ in 0..stretches.min(run.sample.unwrap_or(usize::MAX)) {
        let sound = maker.stretch(material)?;
        woken.note(words, &wakes(detector, &sound)?, sound.len());
    }
    Ok(woken)
}

fn rates(name: &str, words: &[String], woken: &Woken, found: &mut Found) {
    for (word, count) in words.iter().zip(&woken.counts) {
        found.rows.push(Row::rate(&format!("{word} woken by {name}"), *count, woken.hours));
    }
}

/// Recordings whose names begin with a word say it; all others do not, and are one stream.
fn recordings(
    run: &Run<'_>,
    detector: &mut WakeDetector,
    folders: &[PathBuf],
    words: &[String],
    found: &mut Found,
) -> Result<(), Fault> {
    for folder in folders {
        let files = run.sampled(wav_files(folder)?);
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (mut said, mut others) = (vec![(0, 0); words.len()], Vec::new());
        for file in files {
            let stem = super::people::name(&file);
            let sound = recording::whole(&file)?;
            let Some(place) = words.iter().position(|word| stem.starts_with(word.as_str())) else {
                others.push((stem, sound));
                continue;
            };
            let is_heard = alone(detector, &sound)?.contains(&words[place]);
            said[place].0 += usize::from(!is_heard);
            said[place].1 += 1;
        }
        for (word, (missed, of)) in words.iter().zip(said).filter(|(_, (_, of))| *of > 0) {
            found.rows.push(Row::share(&format!("{word} in recordings ({name}): missed"), missed, of));
        }
        let (mut woken, silence) = (Woken::none(words), vec![0.0; AROUND]);
        let part = format!("recordings ({name})");
        detector.reset();
        for (item, sound) in others {
            let heard = [wakes(detector, &sound)?, wakes(detector, &silence)?].concat();
            woken.note(words, &heard, sound.len());
            if !heard.is_empty() {
                let detail = heard.join(", ");
                found.cases.push(Case { part: part.clone(), item, verdict: Verdict::Harmful, detail });
            }
        }
        if woken.hours > 0.0 {
            rates(&part, words, &woken, found);
        }
    }
    Ok(())
}

/// The WAV files of a folder and of the folders in it, by name.
fn wav_files(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let bad = |error: std::io::Error| super::failed(format!("{}: {error}", folder.display()));
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).map_err(bad)? {
            let path = entry.map_err(bad)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "wav") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Sentences that people wrote, from the classifier's examples.
fn written(app: &App) -> Result<Vec<String>, Fault> {
    let folder = app.pipelines().config.paths.models_dir()?.join("languages/en/examples");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .collect();
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let document = yaml::read(&file)?;
        let groups = document.get("examples").and_then(Value::as_array).into_iter().flatten();
        let sentences = groups.filter_map(|group| group.get("sentences")?.as_array()).flatten();
        texts.extend(sentences.filter_map(Value::as_str).map(str::to_owned));
    }
    Ok(texts.into_iter().step_by(EVERY).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wakes_are_counted_for_each_word() {
        let words = ["hey_jarvis".to_owned(), "hey_house".to_owned()];
        let mut woken = Woken::none(&words);
        woken.note(&words, &[words[1].clone(), "other".into(), words[1].clone()], 3600 * 16_000);
        assert_eq!((woken.counts, woken.hours), (vec![0, 2], 1.0));
    }

    #[test]
    fn recordings_are_found_in_folders_too() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("wake")).unwrap();
        for name in ["b.wav", "wake/a.wav", "c.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let names: Vec<String> =
            wav_files(folder.path()).unwrap().iter().map(|file| super::super::people::name(file)).collect();
        assert_eq!(names, ["b", "a"]);
        assert!(wav_files(&folder.path().join("none")).is_err());
    }
}

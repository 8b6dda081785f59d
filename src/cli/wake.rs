//! `hark wake train`: a wake word of the owner's, learned on this machine from synthetic speakers and, if there are any,
//! recordings. Voices that are installed say the word and much else; changed in speed and pitch they make speakers, and rooms and
//! noise are added. Every fourth speaker is not learned from: what the word misses and what it is mistaken for is counted on
//! those, with the engine that listens for it.

use super::Faults;
use super::args::Wake as Command;
use super::studio::{SPEEDS, Studio, faster};
use super::temporary_folder::TemporaryFolder;
use crate::app::audio::wake_training;
use crate::app::builder::App;
use crate::cli::evaluations::figures::Percent;
use hark_config::{Config, paths};
use hark_core::ports::SpeechGrammar;
use hark_core::training::{TrainedWord, TrainingProgress, TrainingStage};
use hark_core::{Fault, FaultKind, SAMPLE_RATE_HZ};
use hark_models::litert::LiteRt;
use hark_stt::recording;
use hark_stt::wake::{
    Example, HOP_SAMPLES, OpenWakeWord, OpenWakeWordFiles, TrainedHead, WakeDetector, WakeReport,
};
use serde_json::json;
use std::path::{Path, PathBuf};

/// How the phrase is said: with other melodies and pauses.
const WAYS: [&str; 4] = ["{}", "{}!", "{}?", "{},"];
/// Rooms and noises a saying is heard in.
const ROOMS_A_SAYING: usize = 3;
/// Sentences of the home that are none of the word.
const SENTENCES: usize = 400;
/// Words that take the place of one of the phrase's.
const NEAR_WORDS: usize = 120;
/// How many speakers say each of those.
const NEAR_SPEAKERS: usize = 3;
/// From the end of the word on, so many hops are examples of it.
const WORD_HOPS: usize = 4;
/// Silence before and after what is said, in samples.
const AROUND: usize = 16_000;
/// One speaker of so many is for counting.
const HELD_OUT: usize = 4;
/// It takes every core for minutes: whoever listens on this machine goes first.
const NICENESS: i32 = 10;
/// Progress is told after so many sayings.
const TELL_EVERY: usize = 10;
/// Text that is no request and no wake word.
const PROSE: &str = include_str!("evaluations/long_reply.txt");

pub(super) fn run(config: &Config, command: &Command, as_json: bool) -> Result<(), Faults> {
    let Command::Train { phrase, recordings, others, out } = command;
    // Where it is not allowed, it is as hurried as others.
    let _ = rustix::process::nice(NICENESS);
    train(config, phrase, (recordings, others), out.as_deref(), as_json)
}

fn bad(message: String, fix: &str) -> Fault {
    Fault::new(FaultKind::BadInput, "wake", message, fix)
}

fn train(
    config: &Config,
    phrase: &str,
    recordings: (&[PathBuf], &[PathBuf]),
    out: Option<&Path>,
    as_json: bool,
) -> Result<(), Faults> {
    let one = |fault| vec![fault];
    let phrase = phrase.trim().to_lowercase();
    let is_word = |c: char| c.is_alphabetic() || c == ' ' || c == '\'';
    if phrase.chars().filter(|c| c.is_alphabetic()).count() < 5 || !phrase.chars().all(is_word) {
        let fix = "take two words or a long one, in letters: \"hey house\"";
        return Err(one(bad(
            format!("\"{phrase}\" is no wake word that could be told from other speech"),
            fix,
        )));
    }
    let name: String = phrase.chars().map(|c| if c.is_alphabetic() { c } else { '_' }).collect();
    let file = match out {
        Some(file) => file.to_owned(),
        None => wake_training::folder(config).map_err(one)?.join(format!("{name}.json")),
    };
    if file.extension().is_none_or(|ending| ending != "json") {
        return Err(one(bad(
            format!("{} must end with .json", file.display()),
            "name another file: --out FILE.json",
        )));
    }
    let folder = TemporaryFolder::make().map_err(one)?;
    let mut apart = config.clone();
    apart.paths.state_dir = folder.path().display().to_string();
    (apart.home.demo, apart.home.file) = (true, String::new());
    let app = App::open(apart)?;
    let mut scene = Scene { studio: Studio::open(&app).map_err(one)?, as_json };
    let sayings = scene.say_all(&app, &phrase, recordings)?;
    let mut ear = Ear::open(&app, None).map_err(one)?;
    eprintln!("hark: learning from {} sayings …", sayings.len());
    let progress = |stage, done| {
        if as_json {
            println!("{}", json!(TrainingProgress { stage, done, of: sayings.len() }));
        }
    };
    let examples = ear.examples(&sayings, |done| progress(TrainingStage::Learning, done)).map_err(one)?;
    let head = TrainedHead::train(&phrase, &examples).map_err(one)?;
    if let Some(parent) = file.parent() {
        paths::ensure_dir(parent).map_err(one)?;
    }
    let text = serde_json::to_string(&head).map_err(|error| one(bad(error.to_string(), "")))?;
    std::fs::write(&file, text).map_err(|error| {
        let message = format!("cannot write {} ({error})", file.display());
        one(Fault::new(FaultKind::Failed, "wake", message, "name another file: --out FILE.json"))
    })?;
    let engine = Ear::open(&app, Some(&file)).map_err(one)?.engine;
    let mut detector = WakeDetector::new(Box::new(engine), &config.wake);
    let counted =
        count(&mut detector, &sayings, |done| progress(TrainingStage::Counting, done)).map_err(one)?;
    tell(&phrase, &file, &counted, as_json);
    Ok(())
}

/// What was counted on speakers that were not learned from.
#[derive(Default)]
struct Counted {
    missed: usize,
    said: usize,
    /// Sayings near the word that woke, and how many there were.
    near_wakes: usize,
    near: usize,
    /// Wakes by other speech, and how long that was.
    false_wakes: usize,
    other_hours: f64,
}

fn tell(phrase: &str, file: &Path, counted: &Counted, as_json: bool) {
    let Counted { missed, said, near_wakes, near, false_wakes, other_hours } = counted;
    let percent = Percent::of(*missed, *said);
    if as_json {
        let word = TrainedWord {
            phrase: phrase.to_owned(),
            file: file.display().to_string(),
            missed: *missed,
            said: *said,
            near_wakes: *near_wakes,
            near: *near,
            false_wakes: *false_wakes,
            other_speech_hours: *other_hours,
        };
        let mut report = json!(word);
        report["missed_percent"] = json!(percent);
        println!("{report}");
        return;
    }
    println!("{}", file.display());
    println!("Counted on synthetic speakers that were not learned from; people are missed more often:");
    if let Some(Percent { value, low, high }) = percent {
        println!("missed       {missed} of {said}: {value:.1} % ({low:.1} – {high:.1})");
    }
    println!(
        "near words   {near_wakes} of {near} woke it: the phrase with another word in it, or a part of it"
    );
    println!(
        "false wakes  {false_wakes} in {other_hours:.2} hours of other speech, recordings among it where they were given"
    );
    println!("to use it:   hark config set 'wake.words=[\"hey_jarvis\", \"{}\"]'", file.display());
}

/// What is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    /// The word with another in it, or a part of it.
    Near,
    Other,
}

/// Something that somebody says.
struct Saying {
    sound: Vec<f32>,
    kind: Kind,
    /// Where it ends, in samples.
    end: usize,
    is_held_out: bool,
}

/// Voices, in rooms with noise.
struct Scene {
    studio: Studio,
    /// How far it is is told on standard output, a line of JSON at a time.
    as_json: bool,
}

impl Scene {
    /// Everything that is learned from and counted on.
    fn say_all(
        &mut self,
        app: &App,
        phrase: &str,
        (recordings, others): (&[PathBuf], &[PathBuf]),
    ) -> Result<Vec<Saying>, Faults> {
        let one = |fault| vec![fault];
        let mut sayings = Vec::new();
        let ways = self.studio.voices() * WAYS.len();
        for voice in 0..self.studio.voices() {
            for way in WAYS {
                let said = self.studio.say(voice, &way.replace("{}", phrase)).map_err(one)?;
                for (number, speed) in SPEEDS.iter().enumerate() {
                    let is_held_out = number % HELD_OUT == 1;
                    self.hear(&faster(&said, *speed), Kind::Word, is_held_out, ROOMS_A_SAYING, &mut sayings);
                }
            }
        }
        for file in recordings {
            let said = recording::whole(file).map_err(one)?;
            for speed in [0.9, 0.95, 1.0, 1.05, 1.1] {
                self.hear(&faster(&said, speed), Kind::Word, false, ROOMS_A_SAYING, &mut sayings);
            }
        }
        for (number, file) in others.iter().enumerate() {
            let said = recording::whole(file).map_err(one)?;
            self.hear(&said, Kind::Other, number % HELD_OUT == 1, 1, &mut sayings);
        }
        let grammar = app.pipelines().sentences.now().map_err(|faults| faults.to_vec())?;
        let mut texts: Vec<String> =
            grammar.sample(SENTENCES, 7).into_iter().map(|words| words.join(" ")).collect();
        let vocabulary: Vec<String> = grammar.vocabulary();
        texts.extend(PROSE.split_inclusive(['.', ',', '?', '!']).map(str::to_owned));
        let near = self.studio.near(phrase, &vocabulary, NEAR_WORDS);
        let spoken = texts.iter().map(|text| (text, 1, Kind::Other));
        let spoken = spoken.chain(near.iter().map(|text| (text, NEAR_SPEAKERS, Kind::Near)));
        let of = ways + texts.len() + near.len();
        for (number, (text, speakers, kind)) in spoken.enumerate() {
            if self.as_json && number % TELL_EVERY == 0 {
                let stage = TrainingStage::Speaking;
                println!("{}", json!(TrainingProgress { stage, done: ways + number, of }));
            }
            let said = self.studio.say(number % self.studio.voices(), text).map_err(one)?;
            for turn in 0..speakers {
                let speaker = (number + turn * 5) % SPEEDS.len();
                let is_held_out = speaker % HELD_OUT == 1;
                self.hear(&faster(&said, SPEEDS[speaker]), kind, is_held_out, 1, &mut sayings);
            }
        }
        for _ in 0..20 {
            let noise: Vec<f32> = (0..5 * AROUND).map(|_| self.studio.random.unit() as f32 - 0.5).collect();
            self.hear(&noise, Kind::Other, false, 1, &mut sayings);
        }
        Ok(sayings)
    }

    /// What is said, as it is heard in some rooms.
    fn hear(&mut self, said: &[f32], kind: Kind, is_held_out: bool, rooms: usize, sayings: &mut Vec<Saying>) {
        let peak = said.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs())).max(1e-6);
        let audible = |sample: &f32| sample.abs() > peak * 0.05;
        let (Some(from), Some(to)) = (said.iter().position(audible), said.iter().rposition(audible)) else {
            return;
        };
        let said = &said[from..=to];
        for room in 0..rooms {
            let before = AROUND + self.studio.random.below(HOP_SAMPLES as u64) as usize;
            let mut sound = vec![0.0; before];
            sound.extend_from_slice(said);
            sound.extend(vec![0.0; AROUND]);
            if room > 0 {
                self.reverberate(&mut sound);
            }
            let level = hark_audio::amplitude_of_db(-3.0 - 30.0 * self.studio.random.unit() as f32);
            let noise_db = if room == 0 { -45.0 } else { -8.0 - 22.0 * self.studio.random.unit() as f32 };
            let noise = level * hark_audio::amplitude_of_db(noise_db);
            let mut low = 0.0_f32;
            for sample in &mut sound {
                // Noise of a room has more below.
                low += 0.1 * (self.studio.random.unit() as f32 - 0.5 - low);
                *sample = (*sample / peak * level + 4.0 * noise * low).clamp(-1.0, 1.0);
            }
            sayings.push(Saying { sound, kind, end: before + said.len(), is_held_out });
        }
    }

    /// Adds reflections that fall by 60 dB in 0.2 to 0.6 seconds.
    fn reverberate(&mut self, sound: &mut [f32]) {
        let rt60 = 0.2 + 0.4 * self.studio.random.unit();
        let dry = sound.to_vec();
        for _ in 0..40 {
            let delay_s = 0.004 + 0.25 * self.studio.random.unit().powi(2);
            let gain = 0.35 * 10.0_f64.powf(-3.0 * delay_s / rt60) * (2.0 * self.studio.random.unit() - 1.0);
            let delay = (delay_s * f64::from(SAMPLE_RATE_HZ)) as usize;
            for (sample, early) in sound.iter_mut().skip(delay).zip(&dry) {
                *sample += gain as f32 * early;
            }
        }
    }
}

/// The models that hear for a trained word.
struct Ear {
    engine: OpenWakeWord,
}

impl Ear {
    /// With a trained word, or with none yet.
    fn open(app: &App, head: Option<&Path>) -> Result<Self, Fault> {
        let manifest = &app.pipelines().manifest;
        let files = OpenWakeWordFiles {
            mel: manifest.path("melspectrogram")?,
            embedding: manifest.path("embedding_model")?,
            heads: head.map(Path::to_path_buf).into_iter().collect(),
        };
        Ok(Self { engine: OpenWakeWord::load(&LiteRt::load(&manifest.path("litert")?)?, &files)? })
    }

    fn examples(&mut self, sayings: &[Saying], progress: impl Fn(usize)) -> Result<Vec<Example>, Fault> {
        let mut examples = Vec::new();
        for (number, saying) in sayings.iter().enumerate().filter(|(_, saying)| !saying.is_held_out) {
            if number % TELL_EVERY == 0 {
                progress(number);
            }
            self.engine.windows_of(&saying.sound, |end, embeddings| {
                let after = end as isize - saying.end as isize;
                let is_word = match (saying.kind == Kind::Word).then_some(after) {
                    Some(after) if (0..(WORD_HOPS * HOP_SAMPLES) as isize).contains(&after) => true,
                    // Neither: the word is not over yet, or just gone.
                    Some(after) if after > -6 * HOP_SAMPLES as isize => return,
                    _ => false,
                };
                examples.push(Example { embeddings: embeddings.to_vec(), is_word });
            })?;
        }
        Ok(examples)
    }
}

/// What the word misses and is mistaken for, as it is listened for.
fn count(
    detector: &mut WakeDetector,
    sayings: &[Saying],
    progress: impl Fn(usize),
) -> Result<Counted, Fault> {
    let mut counted = Counted::default();
    for (number, saying) in sayings.iter().enumerate().filter(|(_, saying)| saying.is_held_out) {
        if number % TELL_EVERY == 1 {
            progress(number);
        }
        detector.reset();
        let mut reports = Vec::new();
        detector.push(&saying.sound, &mut reports)?;
        let wakes = reports.iter().filter(|report| matches!(report, WakeReport::Detected { .. })).count();
        match saying.kind {
            Kind::Word => {
                counted.said += 1;
                counted.missed += usize::from(wakes == 0);
            }
            Kind::Near => {
                counted.near += 1;
                counted.near_wakes += usize::from(wakes > 0);
            }
            Kind::Other => {
                counted.false_wakes += wakes;
                counted.other_hours += saying.sound.len() as f64 / f64::from(SAMPLE_RATE_HZ) / 3600.0;
            }
        }
    }
    Ok(counted)
}

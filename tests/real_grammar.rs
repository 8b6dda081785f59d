//! How well the grammar recogniser understands recordings: a report, held above a floor.
//!
//! Reads `../shared/data` when it is there, and the folder `$HARK_REAL_AUDIO`, which has `home/` and
//! `out/` with files named after what is said: `turn-on-the-lamp__somebody.wav`. A sentence counts as
//! understood when intent and slots are those of the words in the name.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use hark::acting::home::file;
use hark::config::stt::Stt;
use hark::domain::ports::Understand;
use hark::hearing::recording::Recording;
use hark::hearing::stt::Recogniser;
use hark::hearing::stt::grammar::{GrammarRecogniser, Tuning};
use hark::speaking::voices::espeak::Espeak;
use hark::understanding::{Grammar, Sentences};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Recordings in `commands/` that are no request to a home.
const NOT_FOR_A_HOME: [&str; 7] =
    ["ascendio", "avada kedavra", "lumioso", "red alert", "porcupine", "this is a test", "play the beatles"];
/// Its name does not say how long the timer is to be.
const NOT_IN_ITS_NAME: &str = "set timer";

struct Score {
    name: &'static str,
    understood: usize,
    wrongly_acted_on: usize,
    rejected: usize,
    total: usize,
}

impl Score {
    fn new(name: &'static str) -> Self {
        Self { name, understood: 0, wrongly_acted_on: 0, rejected: 0, total: 0 }
    }

    fn print(&self) {
        let Self { name, understood, wrongly_acted_on, rejected, total } = self;
        println!(
            "{name}: {total} recordings, understood {understood}, misunderstood {wrongly_acted_on}, rejected {rejected}"
        );
    }
}

fn recordings(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "wav"));
    files.sort();
    files
}

fn words_of(file: &Path) -> String {
    let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
    let said = stem.trim_start_matches("rhasspy3-").split("__").next().unwrap().replace(['-', '_'], " ");
    said.replace("whats", "what's")
}

struct Bench {
    home: Arc<Grammar>,
    recogniser: GrammarRecogniser,
    finish_ms: Vec<f64>,
    work_s: f64,
    sound_s: f64,
}

impl Bench {
    fn new(work_dir: &Path) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let sentences = Sentences::load(&[root.join("models/sentences")], "en").unwrap();
        let home = Arc::new(Grammar::new(&sentences, &file::example(true).unwrap()));
        let recogniser = GrammarRecogniser::new(
            {
                let v = |n: &str, d: f32| std::env::var(n).ok().and_then(|v| v.parse().ok()).unwrap_or(d);
                let mut t = Tuning::new(&Stt { language_weight: v("LW", 9.5), ..Stt::default() });
                t.naturalness = v("NAT", 0.5).into();
                t.search.word_insertion = v("WIP", 0.65);
                t.score_per_edit = v("SPE", 200.0);
                t.background_mass = v("BGM", 0.1).into();
                t.smoothing = v("WB", 1.0).into();
                t.expected_weight = v("EXPW", 50.0);
                t.min_confidence = v("MINC", 0.3);
                t
            },
            Path::new("/usr/share/pocketsphinx/model/en-us"),
            home.clone(),
            Arc::new(Espeak::open(&root.join("models/cache/espeak-ng-data"), 170, 50).unwrap()),
            work_dir,
        );
        Self { home, recogniser: recogniser.unwrap(), finish_ms: Vec::new(), work_s: 0.0, sound_s: 0.0 }
    }

    fn meaning(&self, text: &str) -> String {
        let intents = self.home.understand(text, "en").intents;
        intents.iter().map(|intent| format!("{} {:?}; ", intent.name, intent.slots)).collect()
    }

    fn hear(&mut self, file: &Path, said: Option<&str>, score: &mut Score) {
        let mut samples = Vec::new();
        let mut recording = Recording::open(file).unwrap();
        while recording.read(&mut samples).unwrap() {}
        let begun = Instant::now();
        self.recogniser.start().unwrap();
        for block in samples.chunks(512) {
            self.recogniser.feed(block).unwrap();
        }
        let ended = Instant::now();
        let transcript = self.recogniser.finish().unwrap();
        self.finish_ms.push(ended.elapsed().as_secs_f64() * 1000.0);
        self.work_s += begun.elapsed().as_secs_f64();
        self.sound_s += samples.len() as f64 / 16_000.0;
        let evidence = self.recogniser.evidence();
        let right = said.is_some_and(|said| self.meaning(said) == self.meaning(&transcript.text));
        score.total += 1;
        let verdict = match (&transcript.rejected, right) {
            (Some(_), _) => {
                score.rejected += 1;
                "rejected     "
            }
            (None, true) => {
                score.understood += 1;
                "understood   "
            }
            (None, false) => {
                score.wrongly_acted_on += 1;
                "MISUNDERSTOOD"
            }
        };
        println!(
            "{verdict} {:40} “{}” heard “{}” cost {:.1} gap {:.0} fit {:.0} confidence {:.2}",
            file.file_stem().unwrap().to_string_lossy(),
            transcript.text,
            evidence.heard.join(" "),
            evidence.cost,
            evidence.gap,
            evidence.fit_per_phone,
            transcript.confidence,
        );
    }

    fn print_speed(&mut self) {
        self.finish_ms.sort_by(f64::total_cmp);
        let at = |share: f64| self.finish_ms[((self.finish_ms.len() - 1) as f64 * share) as usize];
        println!(
            "finish: median {:.0} ms, p95 {:.0} ms; real-time factor {:.3}",
            at(0.5),
            at(0.95),
            self.work_s / self.sound_s
        );
    }
}

#[test]
fn requests_are_understood_and_other_speech_is_rejected() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let own = std::env::var_os("HARK_REAL_AUDIO").map(PathBuf::from);
    if !data.is_dir() && own.is_none() {
        println!("skipped: neither ../shared/data nor $HARK_REAL_AUDIO");
        return;
    }
    let work_dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::new(work_dir.path());
    let (mut people, mut others) = (Score::new("people, home"), Score::new("people, other speech"));
    for file in recordings(&data.join("commands")) {
        let said = words_of(&file);
        match said.as_str() {
            NOT_IN_ITS_NAME => {}
            other if NOT_FOR_A_HOME.contains(&other) => bench.hear(&file, None, &mut others),
            _ => bench.hear(&file, Some(&said), &mut people),
        }
    }
    for file in recordings(&data.join("speech")) {
        bench.hear(&file, None, &mut others);
    }
    let (mut own_home, mut own_other) = (Score::new("own, home"), Score::new("own, other speech"));
    if let Some(own) = own {
        for file in recordings(&own.join("home")) {
            let said = words_of(&file);
            bench.hear(&file, Some(&said), &mut own_home);
        }
        for file in recordings(&own.join("out")) {
            bench.hear(&file, None, &mut own_other);
        }
    }
    bench.print_speed();
    for score in [&people, &others, &own_home, &own_other] {
        score.print();
    }
    if people.total > 0 {
        assert!(people.understood * 100 >= people.total * 50, "fewer are understood than before");
        assert!(people.wrongly_acted_on * 100 <= people.total * 10, "more are misunderstood than before");
        assert!(others.wrongly_acted_on <= 2, "more of other speech is taken for requests than before");
    }
}

//! How well the grammar recogniser understands recordings of people.

#[path = "real/home.rs"]
mod home;
use hark::config::stt::Stt;
use hark::domain::Fault;
use hark::domain::ports::{Pronounce, SpeechGrammar};
use hark::hearing::stt::Recogniser;
use hark::hearing::stt::grammar::{GrammarRecogniser, Tuning};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

struct NoVoice;
impl Pronounce for NoVoice {
    fn ipa(&self, word: &str, _: &str) -> Result<String, Fault> {
        println!("no pronunciation: {word}");
        Ok(String::new())
    }
}

fn read(path: &Path) -> Vec<f32> {
    let mut reader = hound::WavReader::open(path).unwrap();
    reader.samples::<i16>().map(|s| f32::from(s.unwrap()) / 32768.0).collect()
}

fn var(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn tuning() -> Tuning {
    let mut t = Tuning::new(&Stt::default());
    let d = t.clone();
    t.search.language_weight = var("LW", d.search.language_weight.into()) as f32;
    t.search.word_insertion = var("WIP", d.search.word_insertion.into()) as f32;
    t.search.beam_exponent = var("BEAM", d.search.beam_exponent.into()) as i32;
    t.search.word_beam_exponent = var("WBEAM", d.search.word_beam_exponent.into()) as i32;
    t.search.silence = var("SIL", d.search.silence.into()) as f32;
    t.search.second_pass = var("FLAT", 1.0) > 0.0;
    t.sentences = var("SENT", d.sentences as f64) as usize;
    t.number_classes = var("CLASSES", 1.0) > 0.0;
    t.background_words = var("BGW", d.background_words as f64) as usize;
    t.background_mass = var("BGM", d.background_mass);
    t.hold_frames = var("HOLD", d.hold_frames as f64) as usize;
    t.expected_weight = var("EXPW", d.expected_weight.into()) as f32;
    t.padding_ms = var("PAD", d.padding_ms as f64) as usize;
    t.nbest = var("NBEST", d.nbest as f64) as usize;
    t.score_per_edit = var("SPE", d.score_per_edit.into()) as f32;
    t.smoothing = var("WB", d.smoothing);
    t.naturalness = var("NAT", d.naturalness);
    t.costs.limit = var("LIMIT", d.costs.limit.into()) as f32;
    t
}

fn means(home: &hark::understanding::Grammar, text: &str) -> Vec<(String, String)> {
    use hark::domain::ports::Understand;
    home.understand(text, "en").intents.into_iter().map(|i| (i.name, format!("{:?}", i.slots))).collect()
}

#[test]
fn sweep() {
    let data = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data"));
    let mut files: Vec<PathBuf> = Vec::new();
    for dir in std::env::var("DIRS").unwrap_or_else(|_| "commands".into()).split(',') {
        let dir = if dir.starts_with('/') { PathBuf::from(dir) } else { data.join(dir) };
        files.extend(
            std::fs::read_dir(dir)
                .unwrap()
                .map(|e| e.unwrap().path())
                .filter(|p| p.extension().is_some_and(|e| e == "wav")),
        );
    }
    files.sort();
    let home = home::demo();
    if let Ok(n) = std::env::var("SAMPLE") {
        for s in home.sample(n.parse().unwrap(), 7) {
            println!("{}", s.join(" "));
        }
        println!("{:?}", home.size());
        return;
    }
    let gain = var("GAIN", 1.0) as f32;
    let work = tempfile::tempdir().unwrap();
    let kept = PathBuf::from("/tmp/kept");
    let workp: &Path = if std::env::var("KEEP").is_ok() { &kept } else { work.path() };
    let begun = Instant::now();
    let t = tuning();
    let mut ear = GrammarRecogniser::new(
        t.clone(),
        Path::new("/usr/share/pocketsphinx/model/en-us"),
        home.clone(),
        Arc::new(NoVoice),
        workp,
    )
    .unwrap();
    println!("built in {:?}", begun.elapsed());
    let (mut ok, mut total, mut first) = (0, 0, 0);
    let mut finish = Vec::new();
    let (mut sound, mut work_time) = (0.0, 0.0);
    let limit = hark::domain::ports::EditCosts { delete: 1.0, insert: 1.0, substitute: 1.0, limit: 0.0 };
    for file in files {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let said = stem
            .trim_start_matches("rhasspy3-")
            .split("__")
            .next()
            .unwrap()
            .replace(['-', '_'], " ")
            .replace("whats", "what's");
        let samples: Vec<f32> = read(&file).iter().map(|s| (s * gain).clamp(-1.0, 1.0)).collect();
        if var("FRESH", 0.0) > 0.0 {
            ear = GrammarRecogniser::new(
                t.clone(),
                Path::new("/usr/share/pocketsphinx/model/en-us"),
                home.clone(),
                Arc::new(NoVoice),
                workp,
            )
            .unwrap();
        }
        let begun = Instant::now();
        ear.start().unwrap();
        for block in samples[var("SKIP", 0.0) as usize * 16..].chunks(512) {
            ear.feed(block).unwrap();
        }
        let before = Instant::now();
        let transcript = ear.finish().unwrap();
        finish.push(before.elapsed().as_secs_f64() * 1000.0);
        work_time += begun.elapsed().as_secs_f64();
        sound += samples.len() as f64 / 16000.0;
        if var("SHOW", 0.0) > 0.0 {
            for h in ear.evidence().unwrap().scores.iter().take(6) {
                println!("      {:.0} {}", h.score, h.words.join(" "));
            }
        }
        let words: Vec<&str> = said.split(' ').collect();
        let home_command = !file.to_string_lossy().contains("/out/") && !means(&home, &said).is_empty();
        let _ = limit;
        let e = ear.evidence().unwrap().clone();
        let right = home_command && means(&home, &said) == means(&home, &transcript.text);
        if home_command {
            total += 1;
            first += usize::from(e.heard.join(" ") == said);
            ok += usize::from(right);
        }
        let bad_words = e.heard.iter().filter(|w| w.starts_with('~')).count();
        println!(
            "{} {} | {said} | {} | heard {} | cost {:?} gap {:.0} rank {} post {:.1} bg {}/{} fr {} lm said {:.1} heard {:.1}",
            if home_command { 'H' } else { 'o' },
            if right { "ok " } else { "BAD" },
            transcript.text,
            e.heard.join(" "),
            e.cost,
            e.gap,
            e.rank,
            e.log_posterior,
            bad_words,
            e.heard.len(),
            e.frames,
            ear.lm(&words),
            ear.lm(&e.heard.iter().map(String::as_str).collect::<Vec<_>>())
        );
    }
    finish.sort_by(f64::total_cmp);
    println!(
        "SUMMARY {ok}/{total} first {first} finish median {:.0} ms max {:.0} rtf {:.3}",
        finish[finish.len() / 2],
        finish[finish.len() - 1],
        work_time / sound
    );
}

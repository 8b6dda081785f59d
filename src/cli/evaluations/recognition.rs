//! `hark eval recognition`: the recogniser of the configuration alone, without voice activity before it and without
//! understanding behind it: wrong words, what it takes, how long its words are waited for, and whether it makes words up.
//!
//! Recordings as for `people`: `commands` and `home`, named after what is said, and of `vad` and `out` the files whose names
//! begin with `silence`, `noise` or `music`.

use super::figures::{Case, Percent, Row, Verdict};
use super::needs::Need;
use super::people::{REQUESTS, files, name, words};
use super::sentences;
use super::sounds_without_speech::sounds;
use super::{Found, Run, failed};
use crate::app::builder::App;
use crate::cli::benchmarks::samples::{Samples, ms};
use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_core::ports::Voice;
use hark_core::{Fault, SAMPLE_RATE_HZ, VAD_BLOCK_SAMPLES};
use hark_stt::recording;
use hark_stt::stt::worker::SttMode;
use hark_stt::stt::{Recogniser, Recognition};
use hark_telemetry::vitals;
use hark_tts::normalise::spoken;
use hark_tts::voices::espeak::Espeak;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// Names of the parts.
const PEOPLE: &str = "recordings";
const GERMAN: &str = "German (espeak-ng)";
const NOBODY: &str = "nobody speaks";
/// Files of these folders in which nobody speaks begin with one of these.
const QUIET_FOLDERS: [&str; 2] = ["vad", "out"];
const QUIET: [&str; 3] = ["silence", "noise", "music"];
/// Words so far are asked for after so many blocks, as the audio pipeline does.
const BLOCKS_A_PARTIAL: usize = 2;
/// What is louder is part of what is said: −44 dB of full scale.
const AUDIBLE: f32 = 0.006;
/// Blocks after the last sound until the pipeline asks what the words would be.
const BLOCKS_TO_DRAFT: usize = 2;
/// How long the rest of a cancelled decode may take.
const SETTLE: Duration = Duration::from_millis(600);

/// What it needs.
pub(crate) fn needs(config: &Config, data: Option<&Path>) -> Vec<Need> {
    let fix = "name one: --data FOLDER or HARK_REAL_AUDIO=FOLDER";
    vec![Need::models(config), Need::data("a folder of recordings", data, fix)]
}

/// A sound, with the words in it where somebody speaks.
struct Item {
    part: &'static str,
    name: String,
    said: Option<String>,
    language: &'static str,
    samples: Vec<f32>,
}

/// Runs it. With `live` sound comes as fast as from a microphone, and words so far are asked for.
///
/// # Errors
/// When a recording cannot be read or a part of Hark is missing.
pub(crate) fn run(run: &Run<'_>, data: &Path, live: bool) -> Result<Found, Vec<Fault>> {
    let one = |fault| vec![fault];
    let folder = TemporaryFolder::make().map_err(one)?;
    let app = App::open(run.apart(&folder))?;
    let items = items(run, data, &app, &folder).map_err(one)?;
    let before = vitals::resident_bytes();
    let mode = if live { SttMode::Live } else { SttMode::LockStep };
    let mut recogniser = app.pipelines().recogniser(mode).map_err(one)?;
    let mut heard = Heard::default();
    for item in &items {
        (run.progress)(&item.name);
        heard.item(recogniser.as_mut(), item, live).map_err(one)?;
    }
    if live {
        for item in items.iter().filter(|item| item.part == PEOPLE) {
            heard.cancel(recogniser.as_mut(), item).map_err(one)?;
        }
    }
    let mut found = heard.told(live);
    if let (Some(before), Some(after)) = (before, vitals::resident_bytes()) {
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        found.rows.push(Row::change(
            "resident memory without and with the recogniser",
            "MiB",
            mib(before),
            mib(after),
        ));
    }
    found.notes.push(
        "Wrong words are those left out, put in and replaced, after numbers are written out; the interval is of 2,000 \
         drawings of recordings. Nothing tells speech from other sound before the recogniser here."
            .into(),
    );
    Ok(found)
}

fn items(run: &Run<'_>, data: &Path, app: &App, folder: &TemporaryFolder) -> Result<Vec<Item>, Fault> {
    let mut items = Vec::new();
    for folder in REQUESTS {
        for file in files(run, &data.join(folder)) {
            let name = name(&file);
            let (said, samples) = (Some(words(&name)), recording::whole(&file)?);
            items.push(Item { part: PEOPLE, name, said, language: "en", samples });
        }
    }
    if items.is_empty() {
        return Err(failed(format!(
            "{} has no folder of recordings ({})",
            data.display(),
            REQUESTS.join(", ")
        )));
    }
    let nobody = |name: String, samples| Item { part: NOBODY, name, said: None, language: "en", samples };
    for folder in QUIET_FOLDERS {
        for file in files(run, &data.join(folder)) {
            let name = name(&file);
            if QUIET.iter().any(|begin| name.starts_with(begin)) {
                items.push(nobody(name, recording::whole(&file)?));
            }
        }
    }
    items.extend(run.sampled(sounds()).into_iter().map(|(name, samples)| nobody(name, samples)));
    let mut voice = Espeak::open(&app.manifest.path("espeak_ng_data")?, 160, 50)?;
    for said in run.sampled(sentences::load()?.german_requests) {
        let samples = by_voice(&mut voice, &said, &folder.path().join("said.wav"))?;
        items.push(Item { part: GERMAN, name: said.clone(), said: Some(said), language: "de", samples });
    }
    Ok(items)
}

/// What espeak-ng makes of a German sentence, with some silence around it.
fn by_voice(voice: &mut Espeak, said: &str, file: &Path) -> Result<Vec<f32>, Fault> {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: voice.rate_hz(),
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let silence = vec![0.0; voice.rate_hz() as usize / 2];
    let mut samples = silence.clone();
    voice.synthesise(said, "de", &mut |piece| {
        samples.extend_from_slice(piece);
        ControlFlow::Continue(())
    })?;
    samples.extend(silence);
    let mut writer = hound::WavWriter::create(file, spec).map_err(failed)?;
    for sample in samples {
        writer.write_sample((sample * f32::from(i16::MAX)) as i16).map_err(failed)?;
    }
    writer.finalize().map_err(failed)?;
    recording::whole(file)
}

/// What was heard of everything.
#[derive(Default)]
struct Heard {
    cases: Vec<Case>,
    /// Wrong words and words of each item, with its part.
    errors: Vec<(&'static str, (usize, usize))>,
    right_language: (usize, usize),
    wait: Samples,
    cost: Samples,
    first_partial: Samples,
    /// Settled words that the end has otherwise, and settled words.
    broken_promises: (usize, usize),
    /// Words settled when the sound was over, and words.
    settled: (usize, usize),
    cost_after_cancel: Samples,
}

impl Heard {
    fn item(&mut self, recogniser: &mut dyn Recogniser, item: &Item, live: bool) -> Result<(), Fault> {
        let busy = processor_time();
        recogniser.prepare();
        recogniser.start()?;
        let samples = if live { until_draft(&item.samples) } else { &item.samples };
        let mut settled = String::new();
        if live {
            settled = self.feed_live(recogniser, samples, item)?;
        } else {
            recogniser.feed(samples)?;
            recogniser.anticipate_end();
        }
        let ended = Instant::now();
        let Recognition { transcript, .. } = recogniser.finish()?;
        if item.part == PEOPLE {
            self.wait.push(ms(ended.elapsed()));
            let seconds = samples.len() as f64 / f64::from(SAMPLE_RATE_HZ);
            self.cost.push(ms(processor_time() - busy) / seconds);
        }
        let heard = if transcript.rejected.is_some() { "" } else { &transcript.text };
        let words = plain(heard, item.language);
        if live && item.part == PEOPLE && !words.is_empty() {
            let settled = plain(&settled, item.language);
            let kept = settled.iter().zip(&words).take_while(|(before, after)| before == after).count();
            add(&mut self.broken_promises, settled.len() - kept, settled.len());
            add(&mut self.settled, kept, words.len());
        }
        if item.part == GERMAN {
            add(&mut self.right_language, usize::from(transcript.language == item.language), 1);
        }
        let said = item.said.as_deref().map(|said| plain(said, item.language));
        let wrong = said.as_deref().map_or(words.len(), |said| distance(said, &words));
        self.errors.push((item.part, (wrong, said.map_or(0, |said| said.len()))));
        let why = transcript.rejected.map(|why| format!(" ({why})")).unwrap_or_default();
        self.cases.push(Case {
            part: item.part.into(),
            item: item.name.clone(),
            verdict: if wrong == 0 { Verdict::Right } else { Verdict::Wrong },
            detail: format!(
                "“{}” {} {} {:.2}{why}",
                transcript.text, transcript.engine, transcript.language, transcript.confidence
            ),
        });
        Ok(())
    }

    /// Feeds as a microphone does; the words that were settled at the end.
    fn feed_live(
        &mut self,
        recogniser: &mut dyn Recogniser,
        samples: &[f32],
        item: &Item,
    ) -> Result<String, Fault> {
        let speech = samples.iter().position(|sample| sample.abs() > AUDIBLE).unwrap_or(0);
        let begun = Instant::now();
        let blocks = samples.chunks(VAD_BLOCK_SAMPLES);
        let foreseen = blocks.len().saturating_sub(BLOCKS_TO_DRAFT / 2);
        let (mut settled, mut is_first) = (String::new(), true);
        for (number, block) in blocks.enumerate() {
            let due = (number + 1) * VAD_BLOCK_SAMPLES;
            let due = Duration::from_secs_f64(due as f64 / f64::from(SAMPLE_RATE_HZ));
            std::thread::sleep(due.saturating_sub(begun.elapsed()));
            recogniser.feed(block)?;
            if number == foreseen {
                recogniser.anticipate_end();
            }
            if number % BLOCKS_A_PARTIAL != 0 {
                continue;
            }
            let Some(partial) = recogniser.partial() else { continue };
            if std::mem::take(&mut is_first) && item.part == PEOPLE {
                let since = begun.elapsed().as_secs_f64() - speech as f64 / f64::from(SAMPLE_RATE_HZ);
                self.first_partial.push(since.max(0.0) * 1000.0);
            }
            settled = partial.text.chars().take(partial.stable).collect();
        }
        Ok(settled)
    }

    /// Cancels in the middle of the work: what the processor does afterwards nobody needs.
    fn cancel(&mut self, recogniser: &mut dyn Recogniser, item: &Item) -> Result<(), Fault> {
        recogniser.start()?;
        for block in item.samples.chunks(VAD_BLOCK_SAMPLES) {
            recogniser.feed(block)?;
        }
        // Into the decode of the words so far.
        std::thread::sleep(Duration::from_millis(60));
        recogniser.cancel();
        let busy = processor_time();
        std::thread::sleep(SETTLE);
        self.cost_after_cancel.push(ms(processor_time() - busy));
        Ok(())
    }

    fn told(self, live: bool) -> Found {
        let mut rows = Vec::new();
        for part in [PEOPLE, GERMAN] {
            let of_part = self.errors.iter().filter(|(name, _)| *name == part);
            let errors: Vec<(usize, usize)> = of_part.map(|(_, errors)| *errors).collect();
            let (wrong, all) = errors.iter().fold((0, 0), |(a, b), (wrong, of)| (a + wrong, b + of));
            let percent = Percent::bootstrapped(&errors);
            rows.push(Row::Share { what: format!("{part}: wrong words"), count: wrong, of: all, percent });
            let right = |case: &&Case| case.part == part && case.verdict == Verdict::Right;
            let right = self.cases.iter().filter(right).count();
            rows.push(Row::share(&format!("{part}: without a wrong word"), right, errors.len()));
        }
        let (right, of) = self.right_language;
        rows.push(Row::share(&format!("{GERMAN}: language told"), right, of));
        let quiet: Vec<&Case> = self.cases.iter().filter(|case| case.part == NOBODY).collect();
        let invented = quiet.iter().filter(|case| case.verdict != Verdict::Right).count();
        rows.push(Row::share(&format!("{NOBODY}: text all the same"), invented, quiet.len()));
        rows.push(Row::values("from the end of the sound to the words", "ms", &self.wait));
        rows.push(Row::values("processor time for a second of sound", "ms", &self.cost));
        if live {
            rows.push(Row::values("from the first sound to the first words", "ms", &self.first_partial));
            let (broken, of) = self.broken_promises;
            rows.push(Row::share("settled words that the end has otherwise", broken, of));
            let (settled, of) = self.settled;
            rows.push(Row::share("words settled when the sound ended", settled, of));
            rows.push(Row::values("processor time after cancelling", "ms", &self.cost_after_cancel));
        }
        Found { rows, notes: Vec::new(), cases: self.cases }
    }
}

fn add(sum: &mut (usize, usize), count: usize, of: usize) {
    *sum = (sum.0 + count, sum.1 + of);
}

/// The sound until the pipeline would ask for the words: a little after the last audible sample.
fn until_draft(samples: &[f32]) -> &[f32] {
    let end = samples.iter().rposition(|sample| sample.abs() > AUDIBLE).map_or(samples.len(), |at| at + 1);
    &samples[..samples.len().min(end + BLOCKS_TO_DRAFT * VAD_BLOCK_SAMPLES)]
}

/// What all threads of this process have worked.
fn processor_time() -> Duration {
    let worked = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(worked).unwrap_or_default()
}

/// Words without signs, numbers written out, so that different spellings of the same are the same.
fn plain(text: &str, language: &str) -> Vec<String> {
    let text = spoken(text, language).to_lowercase();
    let kept = |c: char| if c.is_alphabetic() || c == '\'' { c } else { ' ' };
    text.chars().map(kept).collect::<String>().split_whitespace().map(str::to_owned).collect()
}

/// The fewest words left out, put in and replaced that make one text from the other.
fn distance(said: &[String], heard: &[String]) -> usize {
    let mut row: Vec<usize> = (0..=heard.len()).collect();
    for (number, word) in said.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = number + 1;
        for (at, other) in heard.iter().enumerate() {
            let replaced = diagonal + usize::from(word != other);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(row[at] + 1).min(row[at + 1] + 1);
        }
    }
    row[heard.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_words_are_counted_after_numbers_are_written_out() {
        let errors = |said: &str, heard: &str| distance(&plain(said, "en"), &plain(heard, "en"));
        assert_eq!(errors("set the light to fifty percent", "Set the light to 50%."), 0);
        assert_eq!(errors("turn on the lamp", "turn off lamp"), 2);
        assert_eq!(errors("stop", ""), 1);
        assert_eq!(errors("", "thank you"), 2);
        assert_eq!(errors("what's the date", "what's the date today"), 1);
    }

    #[test]
    fn silence_at_the_end_is_cut_to_what_the_pipeline_waits() {
        let mut samples = vec![0.5; 1000];
        samples.extend([0.0; 5000]);
        assert_eq!(until_draft(&samples).len(), 1000 + 2 * VAD_BLOCK_SAMPLES);
        assert_eq!(until_draft(&[0.0; 10]).len(), 10);
    }
}

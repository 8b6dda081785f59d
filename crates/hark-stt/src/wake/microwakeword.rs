//! microWakeWord on LiteRT: sound → features of the micro frontend → one small streaming model a word, which remembers
//! by itself what came before. Mechanics after github.com/kahrendt/microWakeWord and pymicro-wakeword 2.5.0.

use super::micro_frontend::{BANDS, MicroFrontend, STEP_SAMPLES};
use super::{WakeEngine, WakeWord, WordEnd};
use hark_core::audio::to_i16;
use hark_core::{Fault, FaultKind};
use hark_models::litert::{LiteRt, LiteRtError, LiteRtModel};
use serde::Deserialize;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// Value of one step of a feature: what the models were trained with.
const FEATURE_SCALE: f32 = 0.039_062_5;
/// Score at a model's own cutoff, which is Hark's default threshold.
const SCORE_AT_CUTOFF: f32 = 0.5;
/// The highest probability that 8 bits hold, and so the score of 1.
const MAX_PROBABILITY: f32 = 255.0 / 256.0;
/// Strictest cutoff that leaves room above.
const MAX_CUTOFF: f32 = 0.99;
/// More probabilities than a sensible model averages, and more frames than one takes at once.
const MAX_WINDOW: usize = 200;
const MAX_STRIDE: usize = 20;

/// The streaming engine.
pub struct MicroWakeWord {
    frontend: MicroFrontend,
    models: Vec<StreamingModel>,
    words: Vec<WakeWord>,
    scores: Vec<f32>,
    /// Samples of a hop: as many steps as the model with the most frames at once takes.
    hop_samples: usize,
    /// The models still remember what came before a reset.
    stale: bool,
}

/// The settings beside a model (`.json`, version 2 of ESPHome's format).
#[derive(Debug, Deserialize)]
struct ModelSettings {
    wake_word: String,
    micro: Averaging,
}

#[derive(Debug, Deserialize)]
struct Averaging {
    probability_cutoff: f32,
    sliding_window_size: usize,
    #[serde(default = "ten_milliseconds")]
    feature_step_size: u32,
}

const fn ten_milliseconds() -> u32 {
    10
}

/// One word's model.
struct StreamingModel {
    model: LiteRtModel,
    /// Features it takes at once: a few frames.
    input: Vec<f32>,
    /// Frames of `input` that are there already.
    frames: usize,
    /// The last probabilities, and how many are averaged.
    probabilities: VecDeque<f32>,
    window: usize,
    cutoff: f32,
}

impl MicroWakeWord {
    /// Loads models (`.tflite`), each with its settings beside it in a `.json` file of the same name.
    ///
    /// # Errors
    /// When a file is missing, is no model or settings, or has shapes other than microWakeWord's.
    pub fn load(litert: &LiteRt, models: &[PathBuf]) -> Result<Self, Fault> {
        let loaded: Vec<_> =
            models.iter().map(|path| StreamingModel::load(litert, path)).collect::<Result<_, _>>()?;
        let (models, words): (Vec<StreamingModel>, Vec<WakeWord>) = loaded.into_iter().unzip();
        let stride = models.iter().map(StreamingModel::stride).max().unwrap_or(1);
        Ok(Self {
            frontend: MicroFrontend::new(),
            scores: vec![0.0; models.len()],
            models,
            words,
            hop_samples: stride * STEP_SAMPLES,
            stale: false,
        })
    }
}

impl StreamingModel {
    fn load(litert: &LiteRt, path: &Path) -> Result<(Self, WakeWord), Fault> {
        let ModelSettings { wake_word, micro } = settings_of(path)?;
        let model = LiteRtModel::load_quantized(litert, path)?;
        let unusable = |why: String| LiteRtError::ModelUnusable { path: path.to_owned(), why };
        let shape = model.input_shape();
        let [1, stride @ 1..=MAX_STRIDE, BANDS] = shape[..] else {
            let why = format!("its input is {shape:?}; a microWakeWord model takes [1, n, {BANDS}]");
            return Err(unusable(why).into());
        };
        if model.output_len() != 1 {
            let why = format!("it gives {} values where microWakeWord gives one", model.output_len());
            return Err(unusable(why).into());
        }
        let name = wake_word.trim().to_lowercase().replace(' ', "_");
        let streaming = Self {
            model,
            input: vec![0.0; stride * BANDS],
            frames: 0,
            probabilities: VecDeque::with_capacity(micro.sliding_window_size),
            window: micro.sliding_window_size,
            cutoff: micro.probability_cutoff,
        };
        Ok((streaming, WakeWord { end: end_of(&name), name }))
    }

    /// Frames it takes at once.
    fn stride(&self) -> usize {
        self.input.len() / BANDS
    }

    fn forget(&mut self) -> Result<(), LiteRtError> {
        self.frames = 0;
        self.probabilities.clear();
        self.model.reset()
    }

    /// Takes a frame; every few of them give a new probability.
    fn take(&mut self, features: &[f32; BANDS]) -> Result<(), LiteRtError> {
        self.input[self.frames * BANDS..][..BANDS].copy_from_slice(features);
        self.frames += 1;
        if self.frames < self.stride() {
            return Ok(());
        }
        self.frames = 0;
        let mut probability = 0.0;
        self.model.run(&self.input, std::slice::from_mut(&mut probability))?;
        if self.probabilities.len() == self.window {
            self.probabilities.pop_front();
        }
        self.probabilities.push_back(probability);
        Ok(())
    }

    /// Mean of the last probabilities; 0 until there are enough.
    fn probability(&self) -> f32 {
        if self.probabilities.len() < self.window {
            return 0.0;
        }
        self.probabilities.iter().sum::<f32>() / self.window as f32
    }

    /// The mean on a scale that all words share: 0 at 0, [`SCORE_AT_CUTOFF`] at the model's cutoff, 1 at
    /// [`MAX_PROBABILITY`]. Cutoffs differ by word (0.85 to 0.97), so that no threshold would fit all the means.
    fn score(&self) -> f32 {
        let probability = self.probability();
        let score = if probability < self.cutoff {
            probability / self.cutoff * SCORE_AT_CUTOFF
        } else {
            let above = (probability - self.cutoff) / (MAX_PROBABILITY - self.cutoff);
            SCORE_AT_CUTOFF + above * (1.0 - SCORE_AT_CUTOFF)
        };
        score.clamp(0.0, 1.0)
    }
}

/// How to find where a word ended. Detections come 81–321 ms after the end of "hey jarvis" (median 191, flite's
/// voices with and without a command in the same breath), 16–332 ms after "okay nabu", 190–370 ms after "alexa" (people:
/// 150–220); three people's "hey mycroft" were heard 70 ms before to 100 ms after their end.
fn end_of(word: &str) -> WordEnd {
    match word {
        "hey_jarvis" => WordEnd::Hiss { otherwise_ms: 190 },
        "okay_nabu" => WordEnd::Before { ms: 110 },
        "alexa" => WordEnd::Before { ms: 220 },
        "hey_mycroft" => WordEnd::Before { ms: 40 },
        _ => WordEnd::Before { ms: 120 },
    }
}

fn settings_of(model: &Path) -> Result<ModelSettings, Fault> {
    let path = model.with_extension("json");
    let unusable = |kind: FaultKind, why: String| {
        let message = format!("the settings of the wake word {} cannot be used: {why}", path.display());
        let fix = "put the .json file that was published with the model beside it under the model's name, or \
                   run `hark models pull` for the words that Hark brings";
        Fault::new(kind, "wake", message, fix)
    };
    let text = std::fs::read_to_string(&path)
        .map_err(|error| unusable(FaultKind::MissingPart, error.to_string()))?;
    let settings: ModelSettings =
        serde_json::from_str(&text).map_err(|error| unusable(FaultKind::BadInput, error.to_string()))?;
    let Averaging { probability_cutoff: cutoff, sliding_window_size: window, feature_step_size: step } =
        settings.micro;
    let wrong = if settings.wake_word.trim().is_empty() {
        "wake_word is empty".to_owned()
    } else if !(0.01..=MAX_CUTOFF).contains(&cutoff) {
        format!("probability_cutoff is {cutoff}, which is not from 0.01 to {MAX_CUTOFF}")
    } else if !(1..=MAX_WINDOW).contains(&window) {
        format!("sliding_window_size is {window}, which is not from 1 to {MAX_WINDOW}")
    } else if step != 10 {
        format!("feature_step_size is {step} ms; only models with 10 ms are known")
    } else {
        return Ok(settings);
    };
    Err(unusable(FaultKind::BadInput, wrong))
}

impl WakeEngine for MicroWakeWord {
    fn words(&self) -> &[WakeWord] {
        &self.words
    }

    fn hop_samples(&self) -> usize {
        self.hop_samples
    }

    fn hop(&mut self, samples: &[f32]) -> Result<&[f32], Fault> {
        if self.stale {
            self.models.iter_mut().try_for_each(StreamingModel::forget)?;
            self.stale = false;
        }
        for step in samples.as_chunks::<STEP_SAMPLES>().0 {
            let Some(frame) = self.frontend.step(&step.map(to_i16)) else { continue };
            let features = frame.map(|feature| f32::from(feature) * FEATURE_SCALE);
            for model in &mut self.models {
                model.take(&features)?;
            }
        }
        for (model, score) in self.models.iter().zip(&mut self.scores) {
            *score = model.score();
        }
        Ok(&self.scores)
    }

    /// The models themselves are reset with the next hop, which can tell of a failure.
    fn reset(&mut self) {
        self.frontend.reset();
        self.scores.fill(0.0);
        self.stale = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn engine(words: &[&str]) -> MicroWakeWord {
        let paths: Vec<PathBuf> = words.iter().map(|word| testing::microwakeword_model(word)).collect();
        MicroWakeWord::load(&testing::litert(), &paths).expect("microWakeWord")
    }

    fn scores(engine: &mut MicroWakeWord, sound: &[f32]) -> Vec<Vec<f32>> {
        let hop = engine.hop_samples();
        sound.chunks_exact(hop).map(|samples| engine.hop(samples).expect("run").to_vec()).collect()
    }

    /// Highest score of each word over a recording between silences.
    fn best(engine: &mut MicroWakeWord, samples: &[f32]) -> Vec<f32> {
        engine.reset();
        let sound = [&testing::silence(500), samples, &testing::silence(1000)].concat();
        let mut best = vec![0.0_f32; engine.words().len()];
        for scores in scores(engine, &sound) {
            for (best, score) in best.iter_mut().zip(scores) {
                *best = best.max(score);
            }
        }
        best
    }

    #[test]
    fn the_words_are_named_and_a_hop_is_30_ms() {
        let engine = engine(&["hey_jarvis", "okay_nabu"]);
        let names: Vec<&str> = engine.words().iter().map(|word| word.name.as_str()).collect();
        assert_eq!(names, ["hey_jarvis", "okay_nabu"]);
        assert_eq!(engine.words()[0].end, WordEnd::Hiss { otherwise_ms: 190 });
        assert_eq!(engine.hop_samples(), 480);
    }

    #[test]
    fn flite_voices_wake_their_word_only() {
        let mut engine = engine(&["hey_jarvis", "okay_nabu", "alexa", "hey_mycroft"]);
        for voice in ["slt", "rms", "kal16", "awb"] {
            let scores = best(&mut engine, &testing::flite(voice, "hey jarvis"));
            assert!(scores[0] >= SCORE_AT_CUTOFF, "{voice} scored {scores:?}");
            assert!(scores[1..].iter().all(|score| *score < SCORE_AT_CUTOFF), "{voice} scored {scores:?}");
        }
        let scores = best(&mut engine, &testing::flite("slt", "turn on the kitchen light"));
        assert!(scores.iter().all(|score| *score < SCORE_AT_CUTOFF), "a command scored {scores:?}");
    }

    #[test]
    fn people_wake_their_word_only() {
        let words = ["hey_jarvis", "okay_nabu", "alexa", "hey_mycroft"];
        let mut engine = engine(&words);
        for (place, word) in words.iter().enumerate() {
            for number in 1..=3 {
                let Some(path) = testing::shared(&format!("wake/{word}-{number}.wav")) else { return };
                let scores = best(&mut engine, &testing::wav(&path));
                for (index, score) in scores.iter().enumerate() {
                    assert_eq!(*score >= SCORE_AT_CUTOFF, index == place, "{word}-{number}: {scores:?}");
                }
            }
        }
    }

    #[test]
    fn after_a_reset_everything_scores_as_at_first() {
        let mut engine = engine(&["hey_jarvis"]);
        let sound = testing::flite("rms", "hey jarvis turn on the light");
        let first = scores(&mut engine, &sound);
        assert_ne!(scores(&mut engine, &sound), first, "the model remembers what came before");
        engine.reset();
        assert_eq!(scores(&mut engine, &sound), first);
    }

    #[test]
    fn half_is_the_cutoff_on_the_scale_of_scores() {
        let mut engine = engine(&["hey_jarvis"]);
        let model = &mut engine.models[0];
        for (probability, score) in
            [(0.0, 0.0), (0.485, 0.25), (0.97, 0.5), (0.983_047, 0.75), (MAX_PROBABILITY, 1.0)]
        {
            model.probabilities = [probability; 5].into();
            assert!((model.score() - score).abs() < 1e-4, "{probability} scored {}", model.score());
        }
        model.probabilities.pop_back();
        assert!(model.score() == 0.0, "too few probabilities for a mean");
    }

    #[test]
    fn settings_that_are_wrong_are_named_with_a_fix() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let model = dir.path().join("word.tflite");
        std::fs::copy(testing::microwakeword_model("hey_jarvis"), &model).expect("copied");
        let load =
            || MicroWakeWord::load(&testing::litert(), std::slice::from_ref(&model)).err().expect("a fault");
        let fault = load();
        assert_eq!(fault.kind, FaultKind::MissingPart);
        assert!(fault.message.contains("word.json") && fault.fix.contains(".json"), "{fault}");
        for (text, expected) in [
            ("{", "EOF"),
            (r#"{"wake_word": "x"}"#, "missing field `micro`"),
            (
                r#"{"wake_word": " ", "micro": {"probability_cutoff": 0.9, "sliding_window_size": 5}}"#,
                "is empty",
            ),
            (
                r#"{"wake_word": "x", "micro": {"probability_cutoff": 1.0, "sliding_window_size": 5}}"#,
                "cutoff is 1",
            ),
            (
                r#"{"wake_word": "x", "micro": {"probability_cutoff": 0.9, "sliding_window_size": 0}}"#,
                "size is 0",
            ),
            (
                r#"{"wake_word": "x", "micro": {"probability_cutoff": 0.9, "sliding_window_size": 5, "feature_step_size": 20}}"#,
                "20 ms",
            ),
        ] {
            std::fs::write(model.with_extension("json"), text).expect("written");
            let fault = load();
            assert_eq!(fault.kind, FaultKind::BadInput, "{text}");
            assert!(fault.message.contains("word.json") && fault.message.contains(expected), "{fault}");
        }
    }

    #[test]
    fn a_model_of_another_engine_is_refused() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let model = dir.path().join("word.tflite");
        std::fs::copy(testing::model("hey_jarvis.tflite"), &model).expect("copied");
        let settings =
            r#"{"wake_word": "x", "micro": {"probability_cutoff": 0.9, "sliding_window_size": 5}}"#;
        std::fs::write(model.with_extension("json"), settings).expect("written");
        let fault = MicroWakeWord::load(&testing::litert(), &[model]).err().expect("a fault");
        assert!(fault.message.contains("a microWakeWord model takes [1, n, 40]"), "{fault}");
    }
}

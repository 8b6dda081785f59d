//! Test helpers of this crate: real models, flite's voices, recordings of people when they are there.

use super::endpoint::likelihood::smart_turn::SmartTurn;
use super::vad::SileroVad;
use super::wake::{CombinedWakeEngine, MicroWakeWord, OpenWakeWord, OpenWakeWordFiles};
use hark_core::VAD_BLOCK_SAMPLES;
use hark_core::ports::{Completeness, Completes};
use hark_models::litert::LiteRt;
use hark_models::onnx::OnnxRuntime;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn model(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/cache")).join(name)
}

pub(crate) fn silero() -> SileroVad {
    let runtime = OnnxRuntime::load(&model("libonnxruntime.so")).expect("libonnxruntime.so");
    SileroVad::load(runtime, &model("silero_vad_16k_op15.onnx")).expect("silero")
}

pub(crate) fn litert() -> LiteRt {
    LiteRt::load(&model("libtensorflowlite_c.so")).expect("libtensorflowlite_c.so")
}

pub(crate) fn microwakeword_model(word: &str) -> PathBuf {
    model(&format!("micro_{word}.tflite"))
}

pub(crate) fn combined_wake_engine(words: &[&str]) -> CombinedWakeEngine {
    let models: Vec<PathBuf> = words.iter().map(|word| microwakeword_model(word)).collect();
    let micro = || MicroWakeWord::load(&litert(), &models).expect("microWakeWord");
    CombinedWakeEngine::new(openwakeword(words), micro(), micro())
}

pub(crate) fn openwakeword(words: &[&str]) -> OpenWakeWord {
    let files = OpenWakeWordFiles {
        mel: model("melspectrogram.tflite"),
        embedding: model("embedding_model.tflite"),
        heads: words.iter().map(|word| model(&format!("{word}.tflite"))).collect(),
    };
    OpenWakeWord::load(&litert(), &files).expect("openWakeWord")
}

/// Smart Turn, when this machine has it: it is optional.
pub(crate) fn smart_turn() -> Option<SmartTurn> {
    let model = model("smart_turn.onnx");
    let runtime = || OnnxRuntime::load(&self::model("libonnxruntime.so")).expect("libonnxruntime.so");
    model.exists().then(|| SmartTurn::load(runtime(), &model).expect("Smart Turn"))
}

/// A sentence spoken by one of flite's voices, 16 kHz mono.
pub(crate) fn flite(voice: &str, text: &str) -> Vec<f32> {
    speak(voice, text).0
}

/// The same, and where its `phones`-th phone ends in milliseconds (the first is a pause).
pub(crate) fn flite_with_phone_end(voice: &str, text: &str, phones: usize) -> (Vec<f32>, i64) {
    let (speech, times) = speak(voice, text);
    let phone = times.split_whitespace().nth(phones - 1).expect("that many phones");
    let seconds: f64 = phone.rsplit_once(':').expect("phone:end").1.parse().expect("a number");
    (speech, (seconds * 1000.0) as i64)
}

fn speak(voice: &str, text: &str) -> (Vec<f32>, String) {
    let dir = tempfile::tempdir().expect("temporary folder");
    let path = dir.path().join("speech.wav");
    let mut flite = Command::new("flite");
    let output = flite.args(["-psdur", "-voice", voice, "-t", text, "-o"]).arg(&path).output();
    let output = output.expect("flite is installed");
    assert!(output.status.success());
    (wav(&path), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A 16-bit WAV as mono samples at 16 kHz.
pub(crate) fn wav(path: &Path) -> Vec<f32> {
    let mut reader = hound::WavReader::open(path).expect("a WAV");
    let spec = reader.spec();
    let samples: Vec<f32> =
        reader.samples::<i16>().map(|s| f32::from(s.expect("a sample")) / 32768.0).collect();
    assert_eq!(spec.channels, 1);
    let mut out = Vec::new();
    if spec.sample_rate == 16_000 {
        return samples;
    }
    assert_eq!(spec.sample_rate, 8_000, "flite speaks at 8 or 16 kHz");
    for pair in samples.windows(2) {
        out.extend([pair[0], (pair[0] + pair[1]) / 2.0]);
    }
    out
}

/// A recording of the shared data, when this machine has it.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path);
    found.exists().then_some(found)
}

pub(crate) fn silence(ms: usize) -> Vec<f32> {
    vec![0.0; ms * 16]
}

/// Whole VAD blocks of a recording.
pub(crate) fn blocks(samples: &[f32]) -> impl Iterator<Item = &[f32; VAD_BLOCK_SAMPLES]> {
    samples.as_chunks::<VAD_BLOCK_SAMPLES>().0.iter()
}

/// White noise, always the same.
pub(crate) fn noise(count: usize, peak: f32) -> Vec<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            ((state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0) * peak
        })
        .collect()
}

/// A grammar that knows nothing but how far a text is a sentence.
pub(crate) struct Judge(pub fn(&str) -> Completeness);

impl Completes for Judge {
    fn completeness(&self, text: &str) -> Completeness {
        (self.0)(text)
    }
}

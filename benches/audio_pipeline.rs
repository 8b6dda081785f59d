//! What the always-on path costs: `cargo bench --bench audio_pipeline`. One VAD block is 32 ms of sound, one wake
//! hop 80 ms, so the share of one core is time ÷ sound.

// A bench that cannot load its models cannot go on.
#![allow(clippy::expect_used)]

use criterion::{Criterion, criterion_group, criterion_main};
use hark_audio::resample::Resampler;
use hark_config as config;
use hark_core::VAD_BLOCK_SAMPLES;
use hark_models::litert::LiteRt;
use hark_models::onnx::OnnxRuntime;
use hark_stt::echo::{EchoStage, Played};
use hark_stt::vad::{SileroVad, SpeechGate, Vad};
use hark_stt::wake::{OpenWakeWord, OpenWakeWordFiles, WakeDetector, WakeEngine};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn model(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/models/cache")).join(name)
}

fn silero() -> SileroVad {
    let runtime = OnnxRuntime::load(&model("libonnxruntime.so")).expect("ONNX Runtime");
    SileroVad::load(runtime, &model("silero_vad_16k_op15.onnx")).expect("Silero")
}

fn openwakeword() -> OpenWakeWord {
    let litert = LiteRt::load(&model("libtensorflowlite_c.so")).expect("LiteRT");
    let files = OpenWakeWordFiles {
        mel: model("melspectrogram.tflite"),
        embedding: model("embedding_model.tflite"),
        heads: vec![model("hey_jarvis.tflite")],
    };
    OpenWakeWord::load(&litert, &files).expect("openWakeWord")
}

/// A second of something like a voice: a buzz of 120 Hz in syllables.
fn second() -> Vec<f32> {
    let buzz = |i: usize| ((i * 120 % 16_000) as f32 / 8_000.0 - 1.0) * 0.3;
    let syllable = |i: usize| (i as f32 * std::f32::consts::TAU * 4.0 / 16_000.0).sin().max(0.0);
    (0..16_000).map(|i| buzz(i) * syllable(i)).collect()
}

fn always_on(c: &mut Criterion) {
    let second = second();
    let blocks = second.as_chunks::<VAD_BLOCK_SAMPLES>().0;
    let mut vad = silero();
    let mut next = (0..blocks.len()).cycle();
    c.bench_function("vad, one block of 32 ms", |b| {
        b.iter(|| vad.probability(black_box(&blocks[next.next().unwrap_or(0)])).expect("run"));
    });

    let mut wake = openwakeword();
    c.bench_function("wake, one hop of 80 ms", |b| {
        b.iter(|| wake.hop(black_box(&second[..1280])).expect("run")[0]);
    });

    let mut detector = WakeDetector::new(Box::new(openwakeword()), &config::wake::Wake::default());
    let mut gate = SpeechGate::new(&config::vad::Vad::default());
    let mut reports = Vec::new();
    c.bench_function("vad and wake, 992 ms", |b| {
        b.iter(|| {
            for block in blocks {
                gate.push(vad.probability(block).expect("run"));
                detector.push(block, &mut reports).expect("run");
            }
            reports.clear();
        });
    });
}

/// The echo stage with a loudspeaker at 48 kHz, 10 ms at a time, as it hears its own echo 5 ms late.
fn echo(c: &mut Criterion) {
    let (far, second) = (at_48_khz(&second()), second());
    for (name, sounds) in [("echo, 10 ms while playing", true), ("echo, 10 ms at rest", false)] {
        let mut stage = EchoStage::new(&config::echo::Echo::default());
        stage.speaker_opened(48_000);
        let (begun, mut samples) = (Instant::now(), Vec::new());
        let mut step = 0_u64;
        c.bench_function(name, |b| {
            b.iter(|| {
                let (at, now) = ((step % 100) as usize, begun + Duration::from_millis(10 * step));
                let piece = if sounds { &far[at * 480..(at + 1) * 480] } else { &[] };
                let sounds_at = now + Duration::from_millis(20);
                stage.played(&Played { first: step * 480, frames: 480, sounds_at, samples: piece });
                samples.clear();
                samples.extend((0..160).map(|n| second[(at * 160 + n + 15_920 - 320) % 16_000]));
                step += 1;
                stage.process(black_box(&mut samples), Some(begun + Duration::from_millis(10 * step)));
            });
        });
    }
}

fn at_48_khz(samples: &[f32]) -> Vec<f32> {
    let (mut resampler, mut out) = (Resampler::new(16_000, 48_000).expect("rates"), Vec::new());
    resampler.process(samples, &mut out);
    resampler.finish(&mut out);
    out
}

criterion_group!(benches, always_on, echo);
criterion_main!(benches);

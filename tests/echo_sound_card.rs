//! The echo stage on real devices with real clocks: the voice goes through cpal, ALSA and PulseAudio
//! into a loudspeaker whose sound a loopback brings to the microphone, as loud as it was played. One
//! test, because it owns the environment of its process.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a failed step fails the test")]

mod support;

use hark_config::echo::Echo;
use hark_core::{TurnId, VAD_BLOCK_SAMPLES};
use hark_models::onnx::OnnxRuntime;
use hark_stt::capture::{CaptureReader, Microphone};
use hark_stt::echo::{EchoReport, EchoStage, Played};
use hark_stt::vad::{SileroVad, Vad};
use hark_tts::device::{AUTO, Loudspeaker};
use hark_tts::tap::TapReader;
use hark_tts::voice_thread::VoiceThread;
use hark_tts::voices::espeak::Espeak;
use std::path::Path;
use std::time::{Duration, Instant};
use support::room::{decibels, power};
use support::sound_card::SoundCard;

const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models/cache");

const STORY: &str = "Here is the forecast. Tomorrow is cloudy, with some rain in the afternoon. \
    On Wednesday it will be mostly sunny, with a light wind from the south west. ";

/// The ear's side of it.
struct Ear {
    tap: TapReader,
    reader: CaptureReader,
    stage: EchoStage,
    heard: Vec<f32>,
    cleaned: Vec<f32>,
}

impl Ear {
    /// Listens for a while, as the ear's thread does.
    fn listen(&mut self, how_long: Duration) {
        let end = Instant::now() + how_long;
        while Instant::now() < end {
            let mut samples = Vec::new();
            self.reader.read(&mut samples);
            self.heard.extend_from_slice(&samples);
            self.tap.read(|piece| {
                let (first, frames, sounds_at) = (piece.first, piece.frames, piece.sounds_at);
                self.stage.played(&Played { first, frames, sounds_at, samples: piece.samples });
            });
            self.stage.process(&mut samples, self.reader.captured_until());
            self.cleaned.append(&mut samples);
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Listens for a while and answers what was heard and what is left of it.
    fn hear(&mut self, how_long: Duration) -> (Vec<f32>, Vec<f32>, EchoReport) {
        let (from, cleaned_from) = (self.heard.len(), self.cleaned.len());
        self.listen(how_long);
        (self.heard[from..].to_vec(), self.cleaned[cleaned_from..].to_vec(), self.stage.report())
    }
}

fn voiced(samples: &[f32]) -> usize {
    let runtime = OnnxRuntime::load(&Path::new(MODELS).join("libonnxruntime.so")).unwrap();
    let mut vad = SileroVad::load(runtime, &Path::new(MODELS).join("silero_vad_16k_op15.onnx")).unwrap();
    let blocks = samples.as_chunks::<VAD_BLOCK_SAMPLES>().0;
    blocks.iter().filter(|block| vad.probability(block).unwrap() >= 0.5).count()
}

#[test]
fn the_voice_is_taken_out_of_what_the_microphone_hears() {
    if !SoundCard::available() {
        eprintln!("left out: pulseaudio is not installed");
        return;
    }
    let card = SoundCard::start();
    card.use_in_this_process();
    let loopback = ["load-module", "module-loopback", "source=spk.monitor", "sink=room", "latency_msec=20"];
    support::run(card.command("pactl").args(loopback));

    let (mut speaker, feeder) = Loudspeaker::open(AUTO, 500).unwrap();
    let (microphone, reader) = Microphone::open(AUTO, 2000).unwrap();
    println!("speaker at {} Hz, microphone at {} Hz", speaker.rate_hz(), microphone.rate_hz());
    let mut stage = EchoStage::new(&Echo::default());
    stage.speaker_opened(speaker.rate_hz());
    let tap = speaker.take_tap().unwrap();
    let mut ear = Ear { tap, reader, stage, heard: Vec::new(), cleaned: Vec::new() };
    let espeak = Espeak::open(&Path::new(MODELS).join("espeak-ng-data"), 170, 50).unwrap();
    let thread = VoiceThread::start(Some(Box::new(espeak)), Some(feeder), 80, |_| {}).unwrap();

    ear.hear(Duration::from_secs(2));
    thread.handle().say(TurnId::from("long"), STORY.repeat(6), "en").unwrap();
    let (mut before, mut after, mut erles) = (0, 0, Vec::new());
    for part in 0..8 {
        let (heard, cleaned, report) = ear.hear(Duration::from_millis(2500));
        let erle = decibels(power(&heard) / power(&cleaned));
        let counts = (voiced(&heard), voiced(&cleaned));
        println!(
            "{part}: ERLE {erle:.1} dB, voiced blocks {} before, {} after, {report:?}",
            counts.0, counts.1
        );
        // Not `report.playing`: a part may end in the pause between two sentences.
        assert!(power(&heard) > 1e-4, "part {part}: the voice is not heard");
        // The first parts are for learning the delay and the room.
        if part >= 2 {
            (before, after) = (before + counts.0, after + counts.1);
            erles.push(erle);
        }
    }
    drop(thread);
    println!("xruns: speaker {}, microphone {}", speaker.xruns(), microphone.xruns());
    // Each is sound that was lost: then what is heard is no longer where the echo is looked for.
    assert!(speaker.xruns() < 5, "the loudspeaker ran dry {} times", speaker.xruns());
    // Where this machine was too busy to keep sound flowing, the echo's path broke, and some is heard.
    erles.sort_by(f32::total_cmp);
    assert!(erles[erles.len() / 2] >= 15.0, "{erles:?}");
    assert!(after * 3 < before, "{after} of {before} blocks still sound like speech");
}

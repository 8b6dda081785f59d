//! Real devices, real clock: the voice through cpal, ALSA and PulseAudio into a null sink, and the
//! sound recorded from there. One test, because it owns the environment of its process.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a failed step fails the test")]

mod support;

use hark_core::TurnId;
use hark_core::audio::Earcon;
use hark_core::public_event::SpeakingEnd;
use hark_tts::device::{AUTO, Loudspeaker, LoudspeakerState, output_devices};
use hark_tts::voice_thread::{SpeakingEvent, VoiceHandle, VoiceThread};
use hark_tts::voices::espeak::Espeak;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use support::sound_card::{RATE_HZ, SoundCard};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models/cache/espeak-ng-data");

/// A report and when it came.
type Told = (SpeakingEvent, Instant);

/// Samples louder than this are sound.
const AUDIBLE: f32 = 0.003;

#[test]
fn a_reply_is_played_reported_and_stopped_on_a_real_device() {
    if !SoundCard::available() {
        eprintln!("left out: pulseaudio is not installed");
        return;
    }
    let card = SoundCard::start();
    card.use_in_this_process();
    lists_the_default_device();

    let (speaker, feeder) = Loudspeaker::open(AUTO, 1000).unwrap();
    println!("{} at {} Hz, {} channels", speaker.name(), speaker.rate_hz(), speaker.channels());
    let espeak = Espeak::open(Path::new(DATA), 170, 50).unwrap();
    espeak.warm_up("en").unwrap();
    let (sender, events) = channel();
    let report = move |event| sender.send((event, Instant::now())).unwrap();
    let thread = VoiceThread::start(Some(Box::new(espeak)), Some(feeder), 80, report).unwrap();
    let voice = thread.handle();
    // The device's first moments are not part of what is measured.
    std::thread::sleep(Duration::from_millis(300));

    plays_a_reply(&card, &voice, &events);
    stops_a_reply(&card, &voice, &events);
    plays_an_earcon(&card, &voice);

    assert_eq!(speaker.state(), LoudspeakerState::Running);
    println!("xruns: {}", speaker.xruns());
    drop(card);
    notices_the_loss(&speaker);
}

fn lists_the_default_device() {
    let devices = output_devices().unwrap();
    let default = devices.iter().find(|device| device.is_default).expect("a default device");
    assert!(default.rates_hz.0 <= RATE_HZ && RATE_HZ <= default.rates_hz.1, "{default:?}");
    assert!(default.channels >= 1);
}

/// First and last audible sample as milliseconds of the recording.
fn audible_ms(samples: &[f32]) -> Option<(f64, f64)> {
    let ms = |index: usize| index as f64 * 1000.0 / f64::from(RATE_HZ);
    let first = samples.iter().position(|sample| sample.abs() > AUDIBLE)?;
    let last = samples.iter().rposition(|sample| sample.abs() > AUDIBLE)?;
    Some((ms(first), ms(last)))
}

fn ms_since(begun: Instant, later: Instant) -> f64 {
    later.saturating_duration_since(begun).as_secs_f64() * 1000.0
}

fn next(events: &Receiver<Told>) -> Told {
    events.recv_timeout(Duration::from_secs(20)).expect("a report")
}

fn plays_a_reply(card: &SoundCard, voice: &VoiceHandle, events: &Receiver<Told>) {
    let recording = card.record_speaker();
    let begun = recording.begun;
    let turn = TurnId::from("reply");
    let asked = Instant::now();
    voice.say(turn.clone(), "I turned on the kitchen lights. The front door is locked.", "en").unwrap();
    let (started, started_at) = next(events);
    let (ended, ended_at) = next(events);
    assert_eq!(started, SpeakingEvent::Started { turn: turn.clone() });
    assert_eq!(ended, SpeakingEvent::Ended { turn, reason: SpeakingEnd::Done });
    let samples = recording.stop();
    assert!(events.try_recv().is_err(), "each report comes once");

    let (first, last) = audible_ms(&samples).expect("the reply is heard");
    let heard = &samples[(first as usize * 48)..(last as usize * 48)];
    let rms = (heard.iter().map(|sample| sample * sample).sum::<f32>() / heard.len() as f32).sqrt();
    println!(
        "start {:.1} ms after say(), heard {:.0} to {:.0} ms, drain told at {:.0} ms, rms {rms:.3}",
        ms_since(asked, started_at),
        first - ms_since(begun, asked),
        last - ms_since(begun, asked),
        ms_since(asked, ended_at)
    );
    // The same two sentences take the voice 1.5 s and 1.2 s, with 0.3 s between them.
    assert!((2200.0..3800.0).contains(&(last - first)), "{} ms", last - first);
    // 80 % volume is −3.9 dB on a voice of 0.1 to 0.2 rms.
    assert!((0.02..0.3).contains(&rms), "rms {rms}");
    // 40 ms at most to the device, which itself holds some 20 ms; the rest is this machine's load.
    assert!(ms_since(asked, started_at) < 150.0, "{} ms", ms_since(asked, started_at));
    // Drain is told when the last sample is handed over: the sound is nearly over by then, and what
    // has been played up to then is not less than what was to be said.
    let told = ms_since(begun, ended_at);
    assert!((last - 150.0..last + 250.0).contains(&told), "drain told at {told}, sound ends at {last}");
    assert!(ms_since(started_at, ended_at) > (last - first) - 100.0);
}

fn stops_a_reply(card: &SoundCard, voice: &VoiceHandle, events: &Receiver<Told>) {
    let recording = card.record_speaker();
    let begun = recording.begun;
    let turn = TurnId::from("long");
    voice.say(turn.clone(), "This is a long reply that nobody wants to hear. ".repeat(10), "en").unwrap();
    assert_eq!(next(events).0, SpeakingEvent::Started { turn: turn.clone() });
    std::thread::sleep(Duration::from_millis(1000));
    let stopped = Instant::now();
    voice.stop();
    let (ended, ended_at) = next(events);
    assert_eq!(ended, SpeakingEvent::Ended { turn, reason: SpeakingEnd::Stop });
    std::thread::sleep(Duration::from_millis(500));
    let samples = recording.stop();
    let (_, last) = audible_ms(&samples).expect("the reply is heard");
    let after = last - ms_since(begun, stopped);
    println!("stop: told after {:.1} ms, silent after {after:.0} ms", ms_since(stopped, ended_at));
    assert!(ms_since(stopped, ended_at) < 100.0);
    assert!(after < 250.0, "still heard {after} ms after the stop");
    assert!(last - audible_ms(&samples).unwrap().0 > 500.0, "it had been heard before");
}

fn plays_an_earcon(card: &SoundCard, voice: &VoiceHandle) {
    let recording = card.record_speaker();
    voice.earcon(Earcon::Done).unwrap();
    std::thread::sleep(Duration::from_millis(400));
    let samples = recording.stop();
    let (first, last) = audible_ms(&samples).expect("the earcon is heard");
    assert!((100.0..250.0).contains(&(last - first)), "{} ms", last - first);
}

fn notices_the_loss(speaker: &Loudspeaker) {
    let begun = Instant::now();
    while speaker.state() == LoudspeakerState::Running {
        assert!(begun.elapsed() < Duration::from_secs(10), "the loss of the device is not noticed");
        std::thread::sleep(Duration::from_millis(100));
    }
    println!("loss noticed after {:?}: {:?}", begun.elapsed(), speaker.state());
}

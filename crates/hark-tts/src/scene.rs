//! A voice thread with a loudspeaker of ours, for tests.

use super::playback::{PlaybackSource, playback};
use super::voice_thread::{SpeakingEvent, VoiceHandle, VoiceThread};
use hark_core::TurnId;
use hark_core::ports::Voice;
use hark_core::public_event::SpeakingEnd;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Rate of the loudspeaker.
pub(super) const RATE_HZ: u32 = 48_000;

pub(super) struct Scene {
    _thread: VoiceThread,
    pub(super) voice: VoiceHandle,
    pub(super) source: PlaybackSource,
    pub(super) events: Receiver<SpeakingEvent>,
}

pub(super) fn scene(voice: Box<dyn Voice>) -> Scene {
    let (feeder, source) = playback(RATE_HZ, 1, 500);
    let (sender, events) = channel();
    let report = move |event| sender.send(event).unwrap();
    let thread = VoiceThread::start(Some(voice), Some(feeder), 100, report).unwrap();
    Scene { voice: thread.handle(), _thread: thread, source, events }
}

impl Scene {
    pub(super) fn say(&self, turn: &str, text: &str) {
        self.voice.say(TurnId::from(turn), text, "en").unwrap();
    }

    /// Plays in lock-step for `ms`: the voice is always given the time it needs.
    pub(super) fn play(&mut self, ms: usize) -> Vec<f32> {
        let mut heard = Vec::new();
        for _ in 0..ms / 10 {
            self.voice.settle();
            heard.extend(self.block());
        }
        self.voice.settle();
        heard
    }

    /// Plays as fast as a sound card until the end of a reply.
    pub(super) fn play_in_real_time(&mut self) -> (Vec<f32>, Vec<SpeakingEvent>) {
        let (begun, mut heard, mut told) = (Instant::now(), Vec::new(), Vec::new());
        let mut due = begun;
        while !told.iter().any(|event| matches!(event, SpeakingEvent::Ended { .. })) {
            assert!(begun.elapsed() < Duration::from_secs(60), "it does not end: {told:?}");
            heard.extend(self.block());
            told.extend(self.events.try_iter());
            // A sound card that was held up does not hurry afterwards.
            due = (due + Duration::from_millis(10)).max(Instant::now() - Duration::from_millis(20));
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        (heard, told)
    }

    pub(super) fn told(&self) -> Vec<SpeakingEvent> {
        self.events.try_iter().collect()
    }

    fn block(&mut self) -> [f32; RATE_HZ as usize / 100] {
        let mut out = [9.0; RATE_HZ as usize / 100];
        self.source.fill(&mut out);
        out
    }
}

pub(super) fn started(turn: &str) -> SpeakingEvent {
    SpeakingEvent::Started { turn: turn.into() }
}

pub(super) fn ended(turn: &str, reason: SpeakingEnd) -> SpeakingEvent {
    SpeakingEvent::Ended { turn: turn.into(), reason }
}

/// Stretches of sound and silence: whether it sounds, and for how many milliseconds. Silence shorter
/// than 60 ms belongs to the sound around it.
pub(super) fn stretches(heard: &[f32]) -> Vec<(bool, usize)> {
    let mut stretches: Vec<(bool, usize)> = Vec::new();
    for block in heard.chunks(RATE_HZ as usize / 1000) {
        let loud = block.iter().any(|sample| sample.abs() > 0.01);
        match stretches.last_mut() {
            Some((was, ms)) if *was == loud => *ms += 1,
            _ => stretches.push((loud, 1)),
        }
    }
    let mut joined: Vec<(bool, usize)> = Vec::new();
    for (loud, ms) in stretches {
        let loud = loud || (ms < 60 && !joined.is_empty());
        match joined.last_mut() {
            Some((was, sum)) if *was == loud => *sum += ms,
            _ => joined.push((loud, ms)),
        }
    }
    joined
}

/// The silences between sounds, in milliseconds.
pub(super) fn gaps(heard: &[f32]) -> Vec<usize> {
    let stretches = stretches(heard);
    let inner = stretches.get(1..stretches.len().saturating_sub(1)).unwrap_or_default();
    inner.iter().filter(|(loud, _)| !loud).map(|(_, ms)| *ms).collect()
}

/// Tries up to five times: other tests hold espeak-ng for seconds and keep all processors busy, which
/// no voice can play through. What the code itself does wrong, it does every time.
pub(super) fn at_least_once(mut attempt: impl FnMut() -> Result<(), String>) {
    let failures: Vec<String> = (0..5).map_while(|_| attempt().err()).collect();
    assert!(failures.len() < 5, "{}", failures.join("\n"));
}

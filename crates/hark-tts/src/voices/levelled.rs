//! Brings a voice to the loudness of the others: voices differ by ten decibels and more, and the volume should not have to
//! be turned when the voice is changed. Measured after EBU R128 on a sentence that the voice says once.

use crate::error::SpeakingError;
use crate::language::Language;
use bs1770::ChannelLoudnessMeter;
use hark_core::Fault;
use hark_core::ports::{PcmSink, Voice};
use std::ops::ControlFlow;

/// Loudness in LUFS: what espeak-ng has, whose level the earcons are made for.
const TARGET_LUFS: f64 = -20.0;

/// More than this is no difference of level but a broken voice.
const MAX_DB: f64 = 24.0;

/// From here up samples are bent, so that none is beyond 1.
const KNEE: f32 = 0.8;

/// What a voice says where its language has no sample sentence.
const DIGITS: &str = "1 2 3 4 5 6";

/// A voice with a gain.
pub struct Levelled {
    voice: Box<dyn Voice>,
    gain: f32,
}

impl Levelled {
    /// Has the voice say the sample sentence of `language`, and sets the gain by it.
    ///
    /// # Errors
    /// When the voice fails, or makes no sound.
    pub fn new(mut voice: Box<dyn Voice>, language: &str) -> Result<Self, Fault> {
        let sample =
            Language::of(language).map_or(DIGITS, |language| match language.speech.sample.as_str() {
                "" => DIGITS,
                sample => sample,
            });
        let mut samples = Vec::new();
        voice.synthesise(sample, language, &mut |piece| {
            samples.extend_from_slice(piece);
            ControlFlow::Continue(())
        })?;
        let measured = loudness(&samples, voice.rate_hz()).ok_or(SpeakingError::Mute)?;
        let gain_db = (TARGET_LUFS - measured).clamp(-MAX_DB, MAX_DB);
        Ok(Self { voice, gain: hark_audio::amplitude_of_db(gain_db as f32) })
    }
}

impl Voice for Levelled {
    fn rate_hz(&self) -> u32 {
        self.voice.rate_hz()
    }

    fn synthesise(&mut self, text: &str, language: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
        let (gain, mut levelled) = (self.gain, Vec::new());
        self.voice.synthesise(text, language, &mut |piece| {
            levelled.clear();
            levelled.extend(piece.iter().map(|sample| bent(sample * gain)));
            sink(&levelled)
        })
    }
}

/// Integrated loudness in LUFS; `None` for silence and for less than 0.4 s.
fn loudness(samples: &[f32], rate_hz: u32) -> Option<f64> {
    let mut meter = ChannelLoudnessMeter::new(rate_hz);
    meter.push(samples.iter().copied());
    let loudness = f64::from(bs1770::gated_mean(meter.as_100ms_windows()).loudness_lkfs());
    loudness.is_finite().then_some(loudness)
}

/// The sample, its excess over the knee bent under 1.
fn bent(sample: f32) -> f32 {
    let excess = (sample.abs() - KNEE).max(0.0);
    let room = 1.0 - KNEE;
    if excess == 0.0 { sample } else { sample.signum() * (KNEE + room * (excess / room).tanh()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voices::test_speech::say;

    /// One second of a tone of this amplitude.
    struct Tone(f32);

    impl Voice for Tone {
        fn rate_hz(&self) -> u32 {
            24_000
        }

        fn synthesise(&mut self, _: &str, _: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
            let tone: Vec<f32> =
                (0..24_000).map(|n| self.0 * (std::f32::consts::TAU * n as f32 / 24.0).sin()).collect();
            let _: ControlFlow<()> = sink(&tone);
            Ok(())
        }
    }

    #[test]
    fn loud_and_quiet_voices_are_equally_loud() {
        for amplitude in [0.02, 0.1, 0.7] {
            let mut voice = Levelled::new(Box::new(Tone(amplitude)), "en").unwrap();
            let measured = loudness(&say(&mut voice, "hello", "en"), 24_000).unwrap();
            assert!((measured - TARGET_LUFS).abs() < 0.1, "{amplitude}: {measured} LUFS");
        }
    }

    #[test]
    fn nothing_is_beyond_full_scale_and_little_is_changed_below() {
        assert_eq!((bent(0.5), bent(-0.8)), (0.5, -0.8));
        assert!(bent(0.9) < 0.9 && bent(0.9) > 0.87 && bent(-40.0) >= -1.0 && bent(40.0) <= 1.0);
    }

    #[test]
    fn a_voice_without_sound_is_refused() {
        assert!(Levelled::new(Box::new(Tone(0.0)), "en").is_err());
    }
}

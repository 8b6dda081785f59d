//! A voice that speaks one language, and another voice for every other language.

use crate::error::SpeakingError;
use crate::language::bare_tag;
use hark_audio::resample::Resampler;
use hark_core::Fault;
use hark_core::ports::{PcmSink, Voice};
use std::ops::ControlFlow;

/// Speaks a phrase with the voice for its language; all at the rate of the first.
pub struct ByLanguage {
    own: Box<dyn Voice>,
    language: String,
    other: Box<dyn Voice>,
    resampler: Resampler,
}

impl ByLanguage {
    /// `own` for texts in `language`, whatever the region, `other` for all others.
    ///
    /// # Errors
    /// When a voice has a rate that cannot be resampled.
    pub fn new(own: Box<dyn Voice>, language: &str, other: Box<dyn Voice>) -> Result<Self, Fault> {
        let resampler = Resampler::new(other.rate_hz(), own.rate_hz())
            .map_err(|error| SpeakingError::VoiceRate { rate_hz: error.rate_hz })?;
        Ok(Self { own, language: bare_tag(language), other, resampler })
    }
}

impl Voice for ByLanguage {
    fn rate_hz(&self) -> u32 {
        self.own.rate_hz()
    }

    fn synthesise(&mut self, text: &str, language: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
        if bare_tag(language) == self.language {
            return self.own.synthesise(text, language, sink);
        }
        let (resampler, mut resampled) = (&mut self.resampler, Vec::new());
        resampler.reset();
        let mut flow = ControlFlow::Continue(());
        self.other.synthesise(text, language, &mut |piece| {
            resampled.clear();
            resampler.process(piece, &mut resampled);
            flow = sink(&resampled);
            flow
        })?;
        if flow.is_continue() {
            resampled.clear();
            resampler.finish(&mut resampled);
            // The phrase is over either way.
            let _: ControlFlow<()> = sink(&resampled);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes 100 ms of one level at a rate of its own.
    struct Level(f32, u32);

    impl Voice for Level {
        fn rate_hz(&self) -> u32 {
            self.1
        }

        fn synthesise(&mut self, _: &str, _: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
            for _ in 0..5 {
                if sink(&vec![self.0; self.1 as usize / 50]).is_break() {
                    break;
                }
            }
            Ok(())
        }
    }

    #[test]
    fn each_language_has_its_voice_at_one_rate() {
        let (own, other) = (Box::new(Level(0.1, 24_000)), Box::new(Level(0.5, 22_050)));
        let mut voice = ByLanguage::new(own, "en-US", other).unwrap();
        for (language, level) in [("en", 0.1), ("de", 0.5), ("en-GB", 0.1), ("nl_BE", 0.5), ("", 0.5)] {
            let mut samples = Vec::new();
            voice
                .synthesise("hello", language, &mut |piece| {
                    samples.extend_from_slice(piece);
                    ControlFlow::Continue(())
                })
                .unwrap();
            assert_eq!(samples.len(), voice.rate_hz() as usize / 10, "{language}");
            assert!((samples[samples.len() / 2] - level).abs() < 0.01, "{language}: {}", samples[0]);
        }
    }

    #[test]
    fn breaking_ends_it_in_both() {
        let (own, other) = (Box::new(Level(0.1, 24_000)), Box::new(Level(0.5, 22_050)));
        let mut voice = ByLanguage::new(own, "en", other).unwrap();
        for language in ["en", "de"] {
            let mut pieces = 0;
            voice
                .synthesise("hello", language, &mut |_| {
                    pieces += 1;
                    ControlFlow::Break(())
                })
                .unwrap();
            assert_eq!(pieces, 1, "{language}");
        }
        assert!(ByLanguage::new(Box::new(Level(0.0, 24_000)), "en", Box::new(Level(0.0, 1))).is_err());
    }
}

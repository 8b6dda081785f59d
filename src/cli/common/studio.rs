//! Synthetic speakers for training and evaluating wake words: the voices that are installed, changed in speed and pitch.

use super::random::Xorshift;
use crate::app::builder::App;
use hark_audio::resample::Resampler;
use hark_core::ports::Voice;
use hark_core::{Fault, FaultKind, SAMPLE_RATE_HZ};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Speed and pitch of the speakers, against the voice's own.
pub const SPEEDS: [f32; 12] = [0.8, 0.84, 0.88, 0.92, 0.96, 1.0, 1.04, 1.08, 1.13, 1.18, 1.24, 1.3];

/// Voices, and numbers by chance.
pub struct Studio {
    voices: Vec<Box<dyn Voice>>,
    languages: Vec<&'static str>,
    /// The same numbers every time.
    pub random: Xorshift,
}

impl Studio {
    /// The voice that is set, and espeak-ng's where it is built in.
    ///
    /// # Errors
    /// `MissingPart` when there is none.
    pub(crate) fn open(app: &App) -> Result<Self, Fault> {
        let from = app.engines();
        let mut voices: Vec<Box<dyn Voice>> = Vec::new();
        let mut languages = Vec::new();
        if let Some(voice) = app.voice()? {
            voices.push(voice);
            languages.push("en");
        }
        if cfg!(feature = "espeak") {
            for language in ["en-us", "en-gb"] {
                voices.push(Box::new(from.espeak()?));
                languages.push(language);
            }
        }
        if voices.is_empty() {
            let fix = "choose one: hark config set speaking.voice=hibari, or hark models pull";
            return Err(Fault::new(FaultKind::MissingPart, "wake", "there is no voice to speak", fix));
        }
        Ok(Self { voices, languages, random: Xorshift(0x9e37_79b9_7f4a_7c15) })
    }

    /// How many voices there are.
    pub(crate) fn voices(&self) -> usize {
        self.voices.len()
    }

    /// Parts of the phrase, and the phrase with other words in it, `count` for each of its words.
    pub(crate) fn near(&mut self, phrase: &str, vocabulary: &[String], count: usize) -> Vec<String> {
        let words: Vec<&str> = phrase.split_whitespace().collect();
        let mut near: BTreeSet<String> = BTreeSet::new();
        for (place, word) in words.iter().enumerate() {
            if words.len() > 1 {
                near.insert((*word).to_owned());
            }
            for _ in 0..count {
                let other = &vocabulary[self.random.below(vocabulary.len().max(1) as u64) as usize];
                let changed: Vec<&str> = words
                    .iter()
                    .enumerate()
                    .map(|(at, word)| if at == place { other } else { *word })
                    .collect();
                near.insert(changed.join(" "));
            }
        }
        near.remove(phrase);
        near.into_iter().collect()
    }

    /// Has a voice say something; mono at 16 kHz.
    ///
    /// # Errors
    /// When the voice fails.
    pub(crate) fn say(&mut self, voice: usize, text: &str) -> Result<Vec<f32>, Fault> {
        let (language, voice) = (self.languages[voice], &mut self.voices[voice]);
        let mut sound = Vec::new();
        let rate_hz = voice.rate_hz();
        voice.synthesise(text, language, &mut |piece| {
            sound.extend_from_slice(piece);
            ControlFlow::Continue(())
        })?;
        let mut resampler = Resampler::new(rate_hz, SAMPLE_RATE_HZ)
            .map_err(|error| Fault::new(FaultKind::Failed, "wake", error.to_string(), ""))?;
        let mut out = Vec::new();
        resampler.process(&sound, &mut out);
        resampler.finish(&mut out);
        Ok(out)
    }
}

/// The sound at another speed and pitch.
pub fn faster(sound: &[f32], speed: f32) -> Vec<f32> {
    let count = (sound.len() as f32 / speed) as usize;
    let at = |place: f32| {
        let (before, share) = (place as usize, place.fract());
        let (Some(a), b) = (sound.get(before), sound.get(before + 1)) else { return 0.0 };
        a + (b.unwrap_or(a) - a) * share
    };
    (0..count).map(|n| at(n as f32 * speed)).collect()
}

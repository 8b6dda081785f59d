//! Wake words that are typed instead of trained, found by PocketSphinx's keyphrase spotter. Less reliable than a trained
//! word, but any phrase can be used.

use super::{WakeEngine, WakeWord, WordEnd};
use crate::stt::grammar::{KeyphraseHit, KeyphraseSpotter};
use hark_core::Fault;
use hark_core::audio::to_i16;

/// Samples of a hop, as long as the hops of the trained words.
const HOP_SAMPLES: usize = 1280;
/// Evidence for each sound at which a score is one half, in powers of ten, and its spread. Of flite's four voices
/// saying six phrases in three ways (72 times) 61 are above it, "hello house" seldomest; in 13 minutes of other speech
/// by the same voices and by people only "hey kitchen" was heard where nobody had said it, twice ("the kitchen").
const LOGISTIC_MIDPOINT: f32 = -2.75;
const LOGISTIC_SCALE: f32 = 0.75;
/// A phrase is told of 100 ms after its end, in the hop after.
const REPORT_DELAY_MS: usize = 140;

/// The engine.
pub struct KeyphraseEngine {
    words: Vec<WakeWord>,
    spotter: KeyphraseSpotter,
    scores: Vec<f32>,
    samples: Vec<i16>,
    spotted: Vec<KeyphraseHit>,
}

impl KeyphraseEngine {
    /// `phrases`: those the spotter was made for, in the same order.
    pub fn new(phrases: &[String], spotter: KeyphraseSpotter) -> Self {
        let end = WordEnd::Before { ms: REPORT_DELAY_MS };
        Self {
            words: phrases.iter().map(|phrase| WakeWord { name: phrase.clone(), end }).collect(),
            scores: vec![0.0; phrases.len()],
            samples: Vec::with_capacity(HOP_SAMPLES),
            spotted: Vec::new(),
            spotter,
        }
    }
}

impl WakeEngine for KeyphraseEngine {
    fn words(&self) -> &[WakeWord] {
        &self.words
    }

    fn hop_samples(&self) -> usize {
        HOP_SAMPLES
    }

    fn hop(&mut self, samples: &[f32]) -> Result<&[f32], Fault> {
        self.samples.clear();
        self.samples.extend(samples.iter().map(|sample| to_i16(*sample)));
        self.spotted.clear();
        self.spotter.listen(&self.samples, &mut self.spotted)?;
        self.scores.fill(0.0);
        for KeyphraseHit { phrase, decades_per_phone } in &self.spotted {
            self.scores[*phrase] = self.scores[*phrase].max(score(*decades_per_phone));
        }
        Ok(&self.scores)
    }

    fn reset(&mut self) {
        if let Err(error) = self.spotter.restart() {
            // The next hop fails as well then, and that is told.
            tracing::error!("wake phrases: {error}");
        }
    }
}

/// Evidence as a score.
fn score(decades_per_phone: f32) -> f32 {
    1.0 / (1.0 + ((LOGISTIC_MIDPOINT - decades_per_phone) / LOGISTIC_SCALE).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use crate::wake::{WakeDetector, WakeReport, WakeVerifier};
    use hark_config::wake::Wake;
    use hark_core::ports::Pronounce;
    use hark_core::{Fault, FaultKind};
    use std::path::Path;

    const MODEL: &str = "/usr/share/pocketsphinx/model/en-us";

    /// Every word of these tests is in the dictionary but one.
    struct Speechless;

    impl Pronounce for Speechless {
        fn ipa(&self, _word: &str, _language: &str) -> Result<String, Fault> {
            Err(Fault::new(FaultKind::MissingPart, "voice", "no data", ""))
        }
    }

    fn spotter(phrases: &[&str]) -> Result<KeyphraseSpotter, Fault> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let phrases: Vec<String> = phrases.iter().map(|phrase| (*phrase).to_owned()).collect();
        Ok(KeyphraseSpotter::load(Path::new(MODEL), folder.path(), &phrases, &Speechless)?)
    }

    fn woken(detector: &mut WakeDetector, sound: &[f32]) -> Vec<String> {
        let mut reports = Vec::new();
        detector.push(sound, &mut reports).expect("run");
        detector.reset();
        let word = |report| match report {
            WakeReport::Detected { word, .. } => Some(word),
            WakeReport::Rejected { .. } => None,
        };
        reports.into_iter().filter_map(word).collect()
    }

    #[test]
    fn typed_phrases_wake_and_other_speech_does_not() {
        let phrases = ["good morning house", "computer"];
        let names = phrases.map(str::to_owned);
        let settings = Wake { refractory_ms: 0, ..Wake::default() };
        let engine = KeyphraseEngine::new(&names, spotter(&phrases).unwrap());
        let mut detector = WakeDetector::new(Box::new(engine), &settings);
        for voice in ["slt", "rms", "awb", "kal16"] {
            for (said, expected) in [
                ("good morning house, turn on the light", Some("good morning house")),
                ("computer", Some("computer")),
                ("the first of them came by train this afternoon", None),
                ("we should buy more apples before the weekend", None),
            ] {
                let sound =
                    [testing::silence(700), testing::flite(voice, said), testing::silence(700)].concat();
                let expected: Vec<&str> = expected.into_iter().collect();
                assert_eq!(woken(&mut detector, &sound), expected, "{voice}: {said}");
            }
        }
    }

    #[test]
    fn a_phrase_that_cannot_be_heard_is_refused_with_its_fix() {
        for (phrase, why) in [("hey", "2 phones"), ("xqzzt house", "no pronunciation of \"xqzzt\"")] {
            let fault = spotter(&[phrase]).err().unwrap();
            assert!(fault.message.contains(why) && fault.fix.contains("three syllables"), "{fault:?}");
            assert_eq!(fault.kind, FaultKind::BadConfiguration);
        }
    }

    #[test]
    fn a_second_look_hears_the_words_or_doubts_them() {
        let settings = Wake { refractory_ms: 0, ..Wake::default() };
        let names = ["hey_jarvis", "okay_house"];
        let phrases: Vec<String> = names.iter().map(|name| WakeVerifier::phrase_of(name)).collect();
        let phrases: Vec<&str> = phrases.iter().map(String::as_str).collect();
        let look = WakeVerifier::words(names.map(str::to_owned).to_vec(), spotter(&phrases).unwrap());
        let engine = testing::openwakeword(&["hey_jarvis"]);
        let mut detector = WakeDetector::new(Box::new(engine), &settings).with_verifier(look);
        let mut doubt = |word: &str, said: &str, voiced_ms| {
            let sound = [testing::silence(400), testing::flite("slt", said)].concat();
            detector.rejection(word, &sound, voiced_ms).unwrap()
        };
        assert_eq!(doubt("hey_jarvis", "hey jarvis", 600), None);
        assert!(doubt("okay_house", "hey jarvis", 600).is_some_and(|why| why.contains("spotter")));
        assert!(doubt("hey_jarvis", "they travel", 600).is_some());
        assert!(doubt("hey_jarvis", "hey jarvis", 32).is_some_and(|why| why.contains("no voice")));
        assert_eq!(WakeVerifier::phrase_of("hey_jarvis_v0.1"), "hey jarvis");
    }

    #[test]
    fn listening_for_long_begins_anew_and_still_hears() {
        let mut spotter = spotter(&["computer"]).unwrap();
        let mut spotted = Vec::new();
        let quiet = vec![0_i16; HOP_SAMPLES];
        for _ in 0..12 * 60 {
            spotter.listen(&quiet, &mut spotted).unwrap();
        }
        assert_eq!(spotted, []);
        let said = [testing::flite("slt", "computer"), testing::silence(500)].concat();
        let said: Vec<i16> = said.iter().map(|sample| to_i16(*sample)).collect();
        said.chunks(HOP_SAMPLES).for_each(|hop| spotter.listen(hop, &mut spotted).unwrap());
        assert!(spotted.iter().any(|it| score(it.decades_per_phone) > 0.5), "{spotted:?}");
    }
}

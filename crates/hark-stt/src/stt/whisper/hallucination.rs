//! Checks that reject text which Whisper made up.
//!
//! The model writes something for any sound. A transcript is rejected, with the reason, when there was no sound, when only
//! noises are named, when the model's no-speech probability is high or its confidence low, when it is in a language that
//! nobody speaks here, and when the text repeats itself or is longer than can be said in that time.

use super::decoder::{Decoded, UNKNOWN_LANGUAGE};
use super::text::{speech_only, words};
use hark_core::{SAMPLE_RATE_HZ, Transcript};

/// Name of the engine in transcripts.
pub const ENGINE: &str = "whisper";
/// Peak below which there was no sound at all: −60 dB of full scale.
const SILENCE_PEAK: f32 = 0.001;
/// Sound below this length holds no word: 80 ms.
const MIN_SAMPLES: usize = SAMPLE_RATE_HZ as usize * 8 / 100;
/// Maximum letters and digits in a second; fast speech has about 20.
const MAX_CHARACTERS_PER_SECOND: f32 = 40.0;
/// Confidence (geometric mean of the token probabilities) above which the no-speech probability is ignored.
const MAX_NO_SPEECH_CONFIDENCE: f32 = 0.6;
/// Share of the words that must be one repeated phrase to call it a circle.
const MIN_REPETITION_SHARE: f32 = 0.6;

/// Limits of the guards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HallucinationLimits {
    /// Confidence below which a text is rejected, 0.0 ..= 1.0.
    pub min_confidence: f32,
    /// No-speech probability above which a text is rejected, 0.0 ..= 1.0.
    pub max_no_speech: f32,
}

/// Why a sound is not worth decoding; `None` when it is.
pub fn soundless(samples: &[f32]) -> Option<String> {
    let peak = samples.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
    if samples.len() < MIN_SAMPLES {
        return Some("the sound is too short for a word".to_owned());
    }
    (peak < SILENCE_PEAK).then(|| "there was no sound".to_owned())
}

/// The transcript of an utterance that was not decoded, with the reason.
pub fn rejected(why: String) -> Transcript {
    Transcript {
        text: String::new(),
        engine: ENGINE.to_owned(),
        confidence: 0.0,
        language: UNKNOWN_LANGUAGE.to_owned(),
        rejected: Some(why),
        why: None,
        speaker: None,
    }
}

impl HallucinationLimits {
    /// The transcript of a decode of `samples` samples at 16 kHz.
    pub fn transcript(&self, decoded: &Decoded, samples: usize) -> Transcript {
        let words = words(&speech_only(&decoded.text));
        let confidence = if words.is_empty() { 0.0 } else { confidence(decoded) };
        Transcript {
            text: words.join(" "),
            engine: ENGINE.to_owned(),
            confidence,
            language: decoded.language.clone(),
            rejected: self.rejection(decoded, &words, confidence, samples),
            why: None,
            speaker: None,
        }
    }

    fn rejection(
        &self,
        decoded: &Decoded,
        words: &[String],
        confidence: f32,
        samples: usize,
    ) -> Option<String> {
        let written = decoded.text.trim();
        if words.is_empty() {
            return Some(match written {
                "" => "no words were recognised".to_owned(),
                noise => format!("\"{noise}\" names a noise"),
            });
        }
        if let Some(phrase) = repetition(words) {
            return Some(format!("the text goes in circles (\"{phrase}\")"));
        }
        let seconds = samples as f32 / SAMPLE_RATE_HZ as f32;
        let characters: usize = words.iter().map(|word| word.chars().count()).sum();
        if !decoded.ended || characters as f32 > MAX_CHARACTERS_PER_SECOND * seconds.max(0.5) {
            return Some(format!("more text than {seconds:.1} s of sound can hold"));
        }
        if decoded.no_speech > self.max_no_speech && confidence < MAX_NO_SPEECH_CONFIDENCE {
            return Some(format!("probably no speech ({:.2})", decoded.no_speech));
        }
        if decoded.language == UNKNOWN_LANGUAGE {
            return Some("spoken in a language that is not one of this home".to_owned());
        }
        let least = self.min_confidence;
        (confidence < least).then(|| {
            format!("\"{written}\" is unsure: confidence {confidence:.2}, at least {least} is needed")
        })
    }
}

/// Geometric mean of the probabilities of the text's tokens, 0.0 ..= 1.0.
fn confidence(decoded: &Decoded) -> f32 {
    let mean = decoded.mean_log_probability;
    // A model with broken weights gives no numbers.
    if mean.is_nan() { 0.0 } else { mean.exp().clamp(0.0, 1.0) }
}

/// The phrase a text repeats instead of going on: three times in a row for a phrase, four for a single
/// word ("no no no" is said), and most of the text.
fn repetition(words: &[String]) -> Option<String> {
    for length in 1..=words.len() / 3 {
        let least = if length == 1 { 4 } else { 3 };
        for from in 0..=words.len() - length {
            let phrase = &words[from..from + length];
            let times = words[from..].chunks(length).take_while(|chunk| *chunk == phrase).count();
            if times >= least && (times * length) as f32 >= MIN_REPETITION_SHARE * words.len() as f32 {
                return Some(phrase.join(" "));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUARDS: HallucinationLimits = HallucinationLimits { min_confidence: 0.3, max_no_speech: 0.6 };
    const SECONDS: usize = SAMPLE_RATE_HZ as usize;

    fn decoded(text: &str) -> Decoded {
        Decoded {
            text: text.to_owned(),
            mean_log_probability: -0.2,
            no_speech: 0.1,
            language: "en".to_owned(),
            ended: true,
        }
    }

    fn rejected(decoded: &Decoded, seconds: usize) -> Option<String> {
        GUARDS.transcript(decoded, seconds * SECONDS).rejected
    }

    #[test]
    fn ordinary_speech_passes_with_the_mean_probability_of_its_tokens() {
        let transcript = GUARDS.transcript(&decoded(" Turn on the lights."), 2 * SECONDS);
        assert_eq!((transcript.text.as_str(), transcript.engine.as_str()), ("turn on the lights", "whisper"));
        assert!((transcript.confidence - 0.8187).abs() < 1e-3);
        assert_eq!((transcript.language.as_str(), transcript.rejected), ("en", None));
        for said in ["No, no, no!", "Ha ha ha", "Turn on the light, turn on the light", "Stop stop"] {
            assert_eq!(rejected(&decoded(said), 2), None, "{said}");
        }
    }

    #[test]
    fn sound_without_speech_is_not_decoded() {
        assert!(soundless(&[]).unwrap().contains("short"));
        assert!(soundless(&[0.5; 500]).unwrap().contains("short"));
        assert!(soundless(&vec![0.0005; SECONDS]).unwrap().contains("no sound"));
        assert_eq!(soundless(&vec![0.01; SECONDS]), None);
    }

    #[test]
    fn named_noises_are_no_speech() {
        for noise in ["[BLANK_AUDIO]", " (upbeat music)", "♪♪", "[ Silence ] ..."] {
            let transcript = GUARDS.transcript(&decoded(noise), SECONDS);
            assert!(transcript.rejected.unwrap().contains("noise"), "{noise}");
            assert!(transcript.text.is_empty() && transcript.confidence == 0.0);
        }
        assert!(rejected(&decoded("  "), 1).unwrap().contains("no words"));
    }

    #[test]
    fn text_in_circles_is_rejected() {
        for circle in [
            "the the the the",
            "turn on turn on turn on turn",
            "Oh. I'm going to the kitchen. I'm going to the kitchen. I'm going to the kitchen.",
        ] {
            assert!(rejected(&decoded(circle), 10).unwrap().contains("circles"), "{circle}");
        }
    }

    #[test]
    fn more_text_than_the_sound_can_hold_is_rejected() {
        let long = "thank you for watching this video and do not forget to subscribe to my channel";
        assert!(rejected(&decoded(long), 1).unwrap().contains("more text"));
        assert_eq!(rejected(&decoded(long), 5), None);
        let endless = Decoded { ended: false, ..decoded("turn on") };
        assert!(rejected(&endless, 5).unwrap().contains("more text"));
    }

    #[test]
    fn doubtful_text_is_rejected() {
        let unsure = Decoded { mean_log_probability: -1.5, ..decoded("turn on the lights") };
        assert!(rejected(&unsure, 2).unwrap().contains("unsure"));
        let broken = Decoded { mean_log_probability: f32::NAN, ..decoded("turn on the lights") };
        assert!(rejected(&broken, 2).unwrap().contains("unsure"));
        let nobody = Decoded { no_speech: 0.9, mean_log_probability: -0.7, ..decoded("thank you") };
        assert!(rejected(&nobody, 2).unwrap().contains("no speech"));
        let foreign = Decoded { language: UNKNOWN_LANGUAGE.to_owned(), ..decoded("allume la lampe") };
        assert!(rejected(&foreign, 2).unwrap().contains("language"));
        let loud_and_clear = Decoded { no_speech: 0.9, ..decoded("stop") };
        assert_eq!(rejected(&loud_and_clear, 2), None);
    }
}

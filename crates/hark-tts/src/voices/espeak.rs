//! espeak-ng in process: the default voice, in more than a hundred languages without a download.

use super::EspeakVoice;
use super::espeak_engine::{self as engine, Manner};
use crate::error::SpeakingError;
use crate::pronunciations::as_written;
use hark_core::Fault;
use hark_core::ports::{PcmSink, Pronounce, Voice};
use hark_core::text::is_invisible;
use std::ffi::CString;
use std::path::Path;

/// Longest run without a space, in bytes; the engine's word buffers hold 160.
const MAX_WORD_BYTES: usize = 120;

/// Which of several voices is meant by a bare language, where the engine's tags do not say it.
const PREFERRED: [(&str, &str); 4] = [("en", "en-us"), ("pt", "pt-br"), ("no", "nb"), ("zh", "cmn")];

/// The espeak-ng voice. Cheap to clone; all clones share the one engine of the process, and only
/// one of them computes at a time.
#[derive(Debug, Clone)]
pub struct Espeak {
    manner: Manner,
    rate_hz: u32,
}

impl Espeak {
    /// Starts the engine on `data_dir` (the directory that holds `phontab`), or joins it when it
    /// runs there already. `rate_wpm` is kept within 80–450, `pitch_percent` within 0–100.
    ///
    /// # Errors
    /// `MissingPart` when the data is not there or not whole.
    pub fn open(data_dir: &Path, rate_wpm: u32, pitch_percent: u32) -> Result<Self, Fault> {
        engine::start(data_dir)?;
        let rate_hz = engine::with(|engine| Ok(engine.rate_hz()))?;
        Ok(Self { manner: Manner { rate_wpm, pitch_percent }, rate_hz })
    }

    /// All voices, as `hark say --list-voices` shows them.
    ///
    /// # Errors
    /// Never in practice: the engine runs once this exists.
    pub fn voices(&self) -> Result<Vec<EspeakVoice>, Fault> {
        Ok(engine::with(|engine| Ok(engine.voices().to_vec()))?)
    }

    /// Loads the voice of a language so that the first sentence does not wait for it.
    ///
    /// # Errors
    /// When no voice speaks the language.
    pub fn warm_up(&self, language: &str) -> Result<(), Fault> {
        Ok(engine::with(|engine| {
            let voice = find_voice(engine.voices(), language)?.to_owned();
            engine.choose_voice(&voice)
        })?)
    }

    /// As [`Pronounce::ipa`], with `tie`, an ASCII character, between the signs of one sound, such as `a^ɪ`.
    ///
    /// # Errors
    /// When no voice speaks the language.
    pub fn tied_ipa(&self, text: &str, language: &str, tie: char) -> Result<String, Fault> {
        self.phonemes(text, language, Some(tie))
    }

    fn phonemes(&self, text: &str, language: &str, tie: Option<char>) -> Result<String, Fault> {
        let text = plain_text(text);
        Ok(engine::with(|engine| {
            let voice = find_voice(engine.voices(), language)?.to_owned();
            engine.choose_voice(&voice)?;
            engine.ipa(&text, tie)
        })?)
    }
}

impl Voice for Espeak {
    fn rate_hz(&self) -> u32 {
        self.rate_hz
    }

    fn synthesise(&mut self, text: &str, language: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
        let text = plain_text(&as_written(text));
        Ok(engine::with(|engine| {
            let voice = find_voice(engine.voices(), language)?.to_owned();
            engine.choose_voice(&voice)?;
            engine.set_manner(self.manner)?;
            engine.synthesise(&text, sink)
        })?)
    }
}

impl Pronounce for Espeak {
    fn ipa(&self, word: &str, language: &str) -> Result<String, Fault> {
        self.phonemes(word, language, None)
    }
}

/// The identifier of the voice for a language tag such as `en`, `en-GB` or `pt_BR`: the preferred
/// one, else one that names the tag, else a regional one of the bare language.
fn find_voice<'a>(voices: &'a [EspeakVoice], language: &str) -> Result<&'a str, SpeakingError> {
    let wanted = language.trim().to_lowercase().replace('_', "-");
    let preferred =
        PREFERRED.iter().find(|(bare, _)| *bare == wanted).map_or(wanted.as_str(), |(_, tag)| tag);
    let speaks =
        |voice: &EspeakVoice, test: &dyn Fn(&str) -> bool| voice.languages.iter().any(|tag| test(tag));
    let main = |voice: &EspeakVoice, tag: &str| voice.languages.first().is_some_and(|first| first == tag);
    let region = format!("{wanted}-");
    voices
        .iter()
        .find(|voice| main(voice, preferred))
        .or_else(|| voices.iter().find(|voice| speaks(voice, &|tag| tag == wanted)))
        .or_else(|| voices.iter().find(|voice| speaks(voice, &|tag| tag.starts_with(&region))))
        .map(|voice| voice.identifier.as_str())
        .or_else(|| find_voice(voices, wanted.split_once('-')?.0).ok())
        .ok_or_else(|| SpeakingError::NoSuchLanguage { language: language.to_owned() })
}

/// Text as nothing but data: control characters (among them espeak-ng's own command bytes), invisible
/// format characters and private-use characters become spaces or vanish, and words longer than the
/// engine's buffers are cut.
fn plain_text(text: &str) -> CString {
    let mut plain = String::with_capacity(text.len());
    let mut word_bytes = 0;
    for character in text.chars() {
        let character = match character {
            '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. => continue,
            other if is_invisible(other) => continue,
            other if other.is_control() || other.is_whitespace() => ' ',
            other => other,
        };
        if character == ' ' {
            word_bytes = 0;
        } else if word_bytes + character.len_utf8() > MAX_WORD_BYTES {
            plain.push(' ');
            word_bytes = character.len_utf8();
        } else {
            word_bytes += character.len_utf8();
        }
        plain.push(character);
    }
    // NUL is a control character, so there is none left; an empty string is the harmless answer.
    CString::new(plain).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::FaultKind;
    use proptest::prelude::*;
    use std::ops::ControlFlow;

    const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/cache/espeak-ng-data");

    fn espeak() -> Espeak {
        Espeak::open(Path::new(DATA), 170, 50).unwrap()
    }

    fn speak(text: &str, language: &str) -> Vec<f32> {
        let mut samples = Vec::new();
        espeak()
            .synthesise(text, language, &mut |piece| {
                samples.extend_from_slice(piece);
                ControlFlow::Continue(())
            })
            .unwrap();
        samples
    }

    fn seconds(samples: &[f32]) -> f32 {
        samples.len() as f32 / espeak().rate_hz() as f32
    }

    #[test]
    fn a_sentence_becomes_sound_of_a_sensible_length() {
        let samples = speak("I turned on the kitchen lights.", "en");
        let rms = (samples.iter().map(|s| s * s).sum::<f32>() / samples.len() as f32).sqrt();
        assert!((1.0..3.0).contains(&seconds(&samples)), "{} s", seconds(&samples));
        assert!((0.02..0.5).contains(&rms), "rms {rms}");
        assert!(samples.iter().all(|s| s.abs() <= 1.0));
    }

    #[test]
    fn rate_and_pitch_are_heard() {
        let mut fast = Espeak::open(Path::new(DATA), 400, 50).unwrap();
        let mut count = 0;
        fast.synthesise("I turned on the kitchen lights.", "en", &mut |piece| {
            count += piece.len();
            ControlFlow::Continue(())
        })
        .unwrap();
        let slow = speak("I turned on the kitchen lights.", "en").len();
        assert!(count * 3 < slow * 2, "fast {count}, slow {slow}");
    }

    #[test]
    fn breaking_aborts_within_one_piece() {
        let mut pieces = 0;
        espeak()
            .synthesise(&"and so on ".repeat(500), "en", &mut |_| {
                pieces += 1;
                if pieces == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .unwrap();
        assert_eq!(pieces, 3);
        assert!(seconds(&speak("Fine.", "en")) > 0.2, "the engine is usable afterwards");
    }

    #[test]
    fn a_panicking_sink_does_not_pass_through_the_library() {
        let result = std::panic::catch_unwind(|| {
            let _ = espeak().synthesise("one two three", "en", &mut |_| panic!("the sink"));
        });
        assert!(result.is_err());
        assert!(seconds(&speak("Fine.", "en")) > 0.2);
    }

    #[test]
    fn pronounces_words_in_several_languages() {
        for (word, language, expected) in [
            ("kitchen", "en", "kˈɪtʃən"),
            ("tomato", "en-GB", "təmˈɑːtəʊ"),
            ("tomato", "en_US", "təmˈeɪɾoʊ"),
            ("Licht", "de", "lˈɪçt"),
            ("", "en", ""),
        ] {
            assert_eq!(espeak().ipa(word, language).unwrap(), expected, "{word} in {language}");
        }
    }

    #[test]
    fn markup_is_spoken_not_obeyed() {
        let phonemes = espeak().ipa("[[kitSVn]]", "en").unwrap();
        assert_ne!(phonemes, "kitʃʌn", "phoneme input must be off");
        // As SSML this would be a break of five seconds and nothing else.
        let samples = speak("<break time=\"5s\"/>", "en");
        let loud = samples.iter().filter(|s| s.abs() > 0.02).count();
        assert!(loud > 1000, "the words of the tag are spoken: {loud}");
        // Control-A starts an embedded command (here: speed); it must change nothing.
        let (with, without) = (speak("\u{1}450S lights on", "en"), speak(" 450S lights on", "en"));
        assert!((seconds(&with) - seconds(&without)).abs() < 0.05);
    }

    #[test]
    fn unknown_language_says_where_to_look() {
        let fault = espeak().synthesise("hello", "tlh-x", &mut |_| ControlFlow::Continue(())).unwrap_err();
        assert_eq!(fault.kind, FaultKind::BadInput);
        assert!(fault.message.contains("tlh-x") && fault.fix.contains("--list-voices"), "{fault}");
        assert!(espeak().ipa("hello", "").is_err());
    }

    #[test]
    fn wrong_data_directory_is_a_missing_part() {
        let empty = tempfile::tempdir().unwrap();
        for path in [empty.path(), Path::new("/does/not/exist")] {
            let fault = Espeak::open(path, 170, 50).unwrap_err();
            assert_eq!(fault.kind, FaultKind::MissingPart);
            assert!(fault.message.contains("phontab") && !fault.fix.is_empty(), "{fault}");
        }
    }

    #[test]
    fn many_languages_have_a_voice() {
        let espeak = espeak();
        assert!(espeak.voices().unwrap().len() > 100);
        for language in
            ["en", "de", "fr", "es", "it", "nl", "pt", "sv", "no", "da", "fi", "pl", "zh", "ja", "en-AU"]
        {
            espeak.warm_up(language).unwrap();
        }
    }

    #[test]
    fn very_long_text_and_words_are_survived() {
        assert!(seconds(&speak(&"a".repeat(5000), "en")) > 1.0);
        let (mut samples, long) = (0, "The lights are on and the doors are locked ".repeat(400));
        espeak()
            .synthesise(&long, "en", &mut |piece| {
                samples += piece.len();
                ControlFlow::Continue(())
            })
            .unwrap();
        assert!(samples > 22_050 * 300, "{samples}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn any_text_is_survived(text in "\\PC{0,60}|[\\x00-\\x7f]{0,200}") {
            let mut pieces = 0;
            espeak().synthesise(&text, "en", &mut |_| {
                pieces += 1;
                if pieces > 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }).unwrap();
            espeak().ipa(&text, "en").unwrap();
        }
    }
}

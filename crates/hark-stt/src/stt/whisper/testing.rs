//! A decoder without weights, for tests of everything around it.

use super::decoder::{Decoded, Decoder, Purpose};
use super::error::WhisperError;
use super::hallucination::HallucinationLimits;
use super::recogniser::{PartialMode, WhisperRecogniser, WhisperSettings};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What a scripted decoder was asked for.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// Samples and purpose of each decode, without the first, which only warms up.
    pub(crate) asked: Vec<(usize, Purpose)>,
    /// Decodes of these that were not interrupted.
    pub(crate) finished: usize,
}

/// What a scripted decoder does.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    /// What it writes when it hears two seconds or more; of less, the share of its words.
    pub(crate) text: &'static str,
    pub(crate) takes: Duration,
    pub(crate) fails: bool,
    pub(crate) panics: bool,
    pub(crate) partial_mode: PartialMode,
    pub(crate) calls: Arc<Mutex<Calls>>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            text: "",
            takes: Duration::ZERO,
            fails: false,
            panics: false,
            partial_mode: PartialMode::LockStep,
            calls: Arc::default(),
        }
    }
}

struct Scripted {
    script: Script,
    interrupt: Arc<AtomicBool>,
    warm: bool,
}

impl Decoder for Scripted {
    fn decode(&mut self, samples: &[f32], purpose: Purpose) -> Result<Option<Decoded>, WhisperError> {
        if !std::mem::replace(&mut self.warm, true) {
            return Ok(None);
        }
        let script = &self.script;
        script.calls.lock().unwrap().asked.push((samples.len(), purpose));
        assert!(!script.panics, "scripted panic");
        let until = Instant::now() + script.takes;
        while Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
            if self.interrupt.load(Ordering::Acquire) {
                return Ok(None);
            }
        }
        if script.fails {
            return Err(WhisperError::Decode("scripted failure".into()));
        }
        script.calls.lock().unwrap().finished += 1;
        let words: Vec<&str> = script.text.split_whitespace().collect();
        let share = (samples.len() as f32 / 32_000.0).min(1.0);
        let count = (words.len() as f32 * share).ceil() as usize;
        Ok(Some(Decoded {
            text: words[..count].join(" "),
            mean_log_probability: -0.1,
            no_speech: 0.0,
            language: "en".into(),
            ended: true,
        }))
    }
}

/// A recogniser on a scripted decoder: partials every 500 ms.
pub(crate) fn recogniser(script: Script) -> WhisperRecogniser {
    let settings = WhisperSettings {
        model: PathBuf::new(),
        threads: 1,
        min_context_frames: 256,
        partial_ms: 500,
        languages: Vec::new(),
        names: Vec::new(),
        prompt_tokens: 0,
        guards: HallucinationLimits { min_confidence: 0.3, max_no_speech: 0.6 },
        partial_mode: script.partial_mode,
    };
    let interrupt = Arc::new(AtomicBool::new(false));
    let decoder = Scripted { script, interrupt: interrupt.clone(), warm: false };
    WhisperRecogniser::with_decoder(Box::new(decoder), interrupt, &settings).unwrap()
}

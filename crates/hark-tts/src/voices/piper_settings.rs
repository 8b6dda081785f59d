//! The settings file of a Piper voice (`<model>.onnx.json`), read with care: it comes from elsewhere.

use crate::error::SpeakingError;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// No settings file is longer; the largest there are have 900 speakers and 40 kB.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// What a voice is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PiperSettings {
    /// Rate of its samples.
    pub(super) rate_hz: u32,
    /// The espeak-ng voice that it learnt its phonemes from, such as `en-us`.
    pub(super) espeak_voice: String,
    /// How slow it speaks; 1 is as it was trained.
    pub(super) length_scale: f32,
    noise_scale: f32,
    noise_w: f32,
    /// How many people it can speak as.
    pub(super) speakers: u32,
    /// Numbers of its phonemes, one character each.
    ids: HashMap<char, Vec<i64>>,
}

#[derive(Deserialize)]
struct File {
    audio: Audio,
    espeak: EspeakSettings,
    #[serde(default)]
    inference: Inference,
    phoneme_type: Option<String>,
    num_speakers: Option<u32>,
    phoneme_id_map: HashMap<String, Vec<i64>>,
}

#[derive(Deserialize)]
struct Audio {
    sample_rate: u32,
}

#[derive(Deserialize)]
struct EspeakSettings {
    voice: String,
}

#[derive(Deserialize)]
#[serde(default)]
struct Inference {
    noise_scale: f32,
    length_scale: f32,
    noise_w: f32,
}

impl Default for Inference {
    /// What VITS was published with.
    fn default() -> Self {
        Self { noise_scale: 0.667, length_scale: 1.0, noise_w: 0.8 }
    }
}

/// Where the settings of a model lie: `voice.onnx.json` beside `voice.onnx`.
pub(super) fn path_of(model: &Path) -> PathBuf {
    let mut name = model.as_os_str().to_owned();
    name.push(".json");
    PathBuf::from(name)
}

impl PiperSettings {
    /// Reads and checks the settings beside `model`.
    ///
    /// # Errors
    /// When the file is missing, no JSON, or says something that cannot be.
    pub(super) fn read(model: &Path) -> Result<Self, SpeakingError> {
        let path = path_of(model);
        let wrong = |why: String| SpeakingError::PiperSettings { path: path.clone(), why };
        let size = std::fs::metadata(&path)
            .map_err(|_| SpeakingError::PiperMissing { missing: path.clone() })?
            .len();
        if size > MAX_BYTES {
            return Err(wrong(format!("{size} bytes are too many")));
        }
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
        let file: File = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        Self::check(file).map_err(wrong)
    }

    fn check(file: File) -> Result<Self, String> {
        let Inference { noise_scale, length_scale, noise_w } = file.inference;
        let rate_hz = file.audio.sample_rate;
        if !(8_000..=48_000).contains(&rate_hz) {
            return Err(format!("a sample rate of {rate_hz} Hz"));
        }
        if let Some(kind) = file.phoneme_type.filter(|kind| kind != "espeak") {
            return Err(format!("it is made for phonemes of the kind {kind:?}, not espeak's"));
        }
        for (name, scale, most) in [
            ("noise_scale", noise_scale, 5.0),
            ("length_scale", length_scale, 10.0),
            ("noise_w", noise_w, 5.0),
        ] {
            if !(0.0..=most).contains(&scale) || (name == "length_scale" && scale < 0.1) {
                return Err(format!("{name} is {scale}"));
            }
        }
        let mut ids = HashMap::new();
        for (symbol, numbers) in file.phoneme_id_map {
            let mut characters = symbol.chars();
            let (Some(character), None) = (characters.next(), characters.next()) else {
                return Err(format!("the phoneme {symbol:?} is not one character"));
            };
            if numbers.is_empty() || numbers.iter().any(|number| !(0..10_000).contains(number)) {
                return Err(format!("the phoneme {symbol:?} has the numbers {numbers:?}"));
            }
            ids.insert(character, numbers);
        }
        if !['^', '$', '_'].iter().all(|mark| ids.contains_key(mark)) || ids.len() < 10 {
            return Err("its phoneme_id_map is not whole".into());
        }
        let speakers = file.num_speakers.unwrap_or(1).max(1);
        Ok(Self {
            rate_hz,
            espeak_voice: file.espeak.voice,
            length_scale,
            noise_scale,
            noise_w,
            speakers,
            ids,
        })
    }

    /// The settings as piper-rs reads them.
    pub(super) fn for_piper(&self) -> Value {
        let ids: serde_json::Map<String, Value> =
            self.ids.iter().map(|(character, numbers)| (character.to_string(), json!(numbers))).collect();
        json!({
            "audio": { "sample_rate": self.rate_hz },
            "espeak": { "voice": self.espeak_voice },
            "inference": {
                "noise_scale": self.noise_scale,
                "length_scale": self.length_scale,
                "noise_w": self.noise_w,
            },
            "num_speakers": self.speakers,
            "speaker_id_map": {},
            "phoneme_id_map": ids,
        })
    }

    /// Whether the voice has a sound for the phoneme.
    pub(super) fn knows(&self, phoneme: char) -> bool {
        self.ids.contains_key(&phoneme)
    }
}

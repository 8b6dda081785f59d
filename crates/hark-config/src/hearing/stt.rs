//! `[stt]`: speech recognition.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which engine turns speech into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SttEngine {
    /// `cascade` when Whisper's model is there, else `grammar`.
    Auto,
    /// PocketSphinx with a language model made from the templates and the home's names.
    Grammar,
    /// Whisper alone.
    Whisper,
    /// The grammar's words when it is sure of them, else Whisper's.
    Cascade,
}

/// Speech recognition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Stt {
    /// `grammar`: PocketSphinx with the sentences of this home; `whisper`: any words; `cascade`: the grammar's words when it is sure, else Whisper's; `auto`: `cascade` when Whisper's model is there, else `grammar`.
    pub engine: SttEngine,
    /// How much the sentences weigh against the sound.
    #[schemars(range(min = 1, max = 30))]
    pub language_weight: f32,
    /// Sentences that are compared with the whole sound before one is chosen.
    #[schemars(range(min = 1, max = 1000))]
    pub nbest: u32,
    /// Confidence below which a transcript is rejected rather than acted on.
    #[schemars(range(min = 0, max = 1))]
    pub min_confidence: f32,
    /// Ask Moonshine, a small neural model, too where the grammar is not sure, and for words that are no sentence of this home. It takes about 110 MB during an utterance and for a minute after. English only.
    pub moonshine: bool,
    /// Confidence from which `cascade` takes the grammar's words without waiting for Whisper's.
    #[schemars(range(min = 0, max = 1))]
    pub cascade_confidence: f32,
    /// Whisper's model: `auto` for the first that is there (`hark models pull whisper_base`: many languages; `whisper_tiny_en`: English, half the size), the name of one in `models/manifest.toml`, or the path of a ggml `.bin` file of whisper.cpp.
    pub whisper_model: String,
    /// Threads of one decode by Whisper; 0 for half of the processors, at most four. As many as there are processors are slow as soon as anything else works.
    #[schemars(range(min = 0, max = 16))]
    pub whisper_threads: u32,
    /// New sound after which Whisper decodes the words so far again; 0 for no words before the end.
    #[schemars(range(min = 0, max = 5000))]
    pub whisper_partial_ms: u32,
    /// Minimum encoder frames of a decode, 50 a second: fewer are faster, too few make Whisper repeat itself.
    #[schemars(range(min = 64, max = 1500))]
    pub whisper_min_context_frames: u32,
    /// No-speech probability above which Whisper's words are rejected.
    #[schemars(range(min = 0, max = 1))]
    pub whisper_no_speech: f32,
    /// Tokens of the prompt that tells Whisper the names of the home, about two a name, so that it spells them alike; 0 for none. Each costs about as much as 40 ms of sound.
    #[schemars(range(min = 0, max = 223))]
    pub whisper_prompt_tokens: u32,
}

impl Default for Stt {
    fn default() -> Self {
        Self {
            engine: SttEngine::Auto,
            language_weight: 9.5,
            nbest: 12,
            min_confidence: 0.5,
            moonshine: true,
            cascade_confidence: 0.6,
            whisper_model: "auto".into(),
            whisper_threads: 0,
            whisper_partial_ms: 500,
            whisper_min_context_frames: 512,
            whisper_no_speech: 0.6,
            whisper_prompt_tokens: 48,
        }
    }
}

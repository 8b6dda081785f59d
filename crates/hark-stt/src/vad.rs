//! Voice activity detection: Silero on every 32 ms block, and the gate that turns its probabilities into speech.

use hark_config as config;
use hark_core::{Fault, VAD_BLOCK_SAMPLES};
use hark_models::onnx::{OnnxError, OnnxInput, OnnxModel, OnnxRuntime};
use std::path::Path;

/// Length of a block in milliseconds.
pub const BLOCK_MS: u64 = 32;

/// Samples of the previous block that Silero wants in front of each block at 16 kHz.
const CONTEXT_SAMPLES: usize = 64;

/// Numbers in Silero's recurrent state, shape `[2, 1, 128]`.
const STATE_LEN: usize = 256;

/// Tells speech from everything else, block by block.
pub trait Vad: Send {
    /// Probability, 0.0 ..= 1.0, that this block is speech. Blocks must be consecutive.
    ///
    /// # Errors
    /// When the model fails.
    fn probability(&mut self, block: &[f32; VAD_BLOCK_SAMPLES]) -> Result<f32, Fault>;

    /// Forgets what was heard, as after a gap in the sound.
    fn reset(&mut self);
}

/// Silero VAD v6, 16 kHz ONNX model (MIT).
pub struct SileroVad {
    model: OnnxModel,
    context: [f32; CONTEXT_SAMPLES],
    state: [f32; STATE_LEN],
}

impl SileroVad {
    /// Loads the model file `silero_vad_16k_op15.onnx`.
    ///
    /// # Errors
    /// When the file is missing or is another model.
    pub fn load(runtime: OnnxRuntime, model: &Path) -> Result<Self, OnnxError> {
        let inputs = [
            OnnxInput::F32 { name: "input", shape: &[1, CONTEXT_SAMPLES + VAD_BLOCK_SAMPLES] },
            OnnxInput::F32 { name: "state", shape: &[2, 1, STATE_LEN / 2] },
            OnnxInput::I64Scalar { name: "sr", value: 16_000 },
        ];
        let mut vad = Self {
            model: OnnxModel::load(runtime, model, &inputs)?,
            context: [0.0; CONTEXT_SAMPLES],
            state: [0.0; STATE_LEN],
        };
        // The first run is slow and shows a model of the wrong kind; both belong to loading.
        vad.run(&[0.0; VAD_BLOCK_SAMPLES])?;
        vad.reset();
        Ok(vad)
    }

    fn run(&mut self, block: &[f32; VAD_BLOCK_SAMPLES]) -> Result<f32, OnnxError> {
        let input = self.model.input_mut(0);
        let (context, fresh) = input.split_at_mut(CONTEXT_SAMPLES);
        context.copy_from_slice(&self.context);
        fresh.copy_from_slice(block);
        self.model.input_mut(1).copy_from_slice(&self.state);
        let mut probability = [0.0];
        self.model.run(&mut [("output", &mut probability), ("stateN", &mut self.state)])?;
        self.context.copy_from_slice(&block[VAD_BLOCK_SAMPLES - CONTEXT_SAMPLES..]);
        Ok(probability[0])
    }
}

impl Vad for SileroVad {
    fn probability(&mut self, block: &[f32; VAD_BLOCK_SAMPLES]) -> Result<f32, Fault> {
        Ok(self.run(block)?)
    }

    fn reset(&mut self) {
        self.context.fill(0.0);
        self.state.fill(0.0);
    }
}

/// Unvoiced blocks within a burst that do not end it: stops such as the "t" of "turn" are silent for
/// up to about 90 ms.
const BURST_GAP_BLOCKS: u32 = 3;

/// Voiced blocks more that a burst needs which goes on from the wake word without a gap: the detector
/// lets go of a voice up to 100 ms late, later in a room with echo.
const AFTER_WAKE_BLOCKS: u32 = 2;

/// What a block did to the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateChange {
    /// Nothing.
    None,
    /// Speech is certain now; its first voiced block began this many blocks before the end of the
    /// current one.
    Started { blocks_ago: u32 },
}

/// Hysteresis and minimum length over block probabilities. A block is voiced from `threshold` on and
/// stays voiced down to `threshold_off`; speech starts when `min_speech_ms` of a burst are voiced.
#[derive(Debug, Clone)]
pub struct SpeechGate {
    threshold: f32,
    threshold_off: f32,
    min_voiced_blocks: u32,
    /// Voiced blocks more that the burst at hand needs.
    extra_blocks: u32,
    voiced: bool,
    started: bool,
    /// Voiced blocks of the burst that is not speech yet.
    burst_voiced: u32,
    /// Blocks since that burst began.
    burst_blocks: u32,
    /// Blocks since the last voiced one.
    silent_blocks: u32,
}

impl SpeechGate {
    /// A gate that has heard nothing.
    pub fn new(settings: &config::vad::Vad) -> Self {
        Self {
            threshold: settings.threshold,
            threshold_off: settings.threshold_off.min(settings.threshold),
            min_voiced_blocks: settings.min_speech_ms.div_ceil(BLOCK_MS as u32).max(1),
            extra_blocks: 0,
            voiced: false,
            started: false,
            burst_voiced: 0,
            burst_blocks: 0,
            silent_blocks: 0,
        }
    }

    /// A gate whose first block follows on a wake word: what goes on from it without a gap must be
    /// longer to be speech, because it may be the end of the wake word itself.
    pub fn after_wake_word(settings: &config::vad::Vad) -> Self {
        Self { extra_blocks: AFTER_WAKE_BLOCKS, ..Self::new(settings) }
    }

    /// Takes the probability of the next block.
    pub fn push(&mut self, probability: f32) -> GateChange {
        self.voiced = probability >= if self.voiced { self.threshold_off } else { self.threshold };
        self.silent_blocks = if self.voiced { 0 } else { self.silent_blocks.saturating_add(1) };
        if self.started {
            return GateChange::None;
        }
        if !self.voiced && (self.burst_voiced == 0 || self.silent_blocks > BURST_GAP_BLOCKS) {
            (self.burst_voiced, self.burst_blocks, self.extra_blocks) = (0, 0, 0);
            return GateChange::None;
        }
        self.burst_blocks += 1;
        self.burst_voiced += u32::from(self.voiced);
        if self.burst_voiced < self.min_voiced_blocks + self.extra_blocks {
            return GateChange::None;
        }
        self.started = true;
        GateChange::Started { blocks_ago: self.burst_blocks }
    }

    /// Whether speech has started.
    pub fn started(&self) -> bool {
        self.started
    }

    /// Whether a burst is going on that may become speech.
    pub fn undecided(&self) -> bool {
        !self.started && self.burst_voiced > 0
    }

    /// Milliseconds since the last voiced block ended.
    pub fn silence_ms(&self) -> u64 {
        u64::from(self.silent_blocks) * BLOCK_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn gate(min_speech_ms: u32) -> SpeechGate {
        SpeechGate::new(&config::vad::Vad { threshold: 0.5, threshold_off: 0.35, min_speech_ms })
    }

    fn feed(gate: &mut SpeechGate, probabilities: &[f32]) -> Vec<GateChange> {
        probabilities.iter().map(|p| gate.push(*p)).collect()
    }

    #[test]
    fn speech_starts_after_its_minimum_length_and_tells_where_it_began() {
        let mut gate = gate(96);
        let changes = feed(&mut gate, &[0.1, 0.9, 0.9, 0.9]);
        assert_eq!(changes[..3], [GateChange::None; 3]);
        assert_eq!(changes[3], GateChange::Started { blocks_ago: 3 });
        assert!(gate.started());
    }

    #[test]
    fn a_short_click_is_not_speech_and_is_forgotten() {
        let mut gate = gate(96);
        feed(&mut gate, &[0.9, 0.9]);
        assert!(gate.undecided());
        feed(&mut gate, &[0.0; 4]);
        assert!(!gate.undecided());
        assert_eq!(feed(&mut gate, &[0.9, 0.9]), [GateChange::None; 2]);
    }

    #[test]
    fn a_stop_consonant_does_not_break_a_burst() {
        let mut gate = gate(96);
        let changes = feed(&mut gate, &[0.9, 0.1, 0.1, 0.9, 0.9]);
        assert_eq!(changes[4], GateChange::Started { blocks_ago: 5 });
    }

    #[test]
    fn the_end_of_a_wake_word_is_not_speech_but_what_follows_is() {
        let settings = config::vad::Vad { threshold: 0.5, threshold_off: 0.35, min_speech_ms: 96 };
        let mut gate = SpeechGate::after_wake_word(&settings);
        feed(&mut gate, &[0.9; 4]);
        feed(&mut gate, &[0.0; 4]);
        assert!(!gate.started());
        feed(&mut gate, &[0.9; 3]);
        assert!(gate.started(), "after a gap the usual length is enough");
        let mut gate = SpeechGate::after_wake_word(&settings);
        assert_eq!(feed(&mut gate, &[0.9; 5])[4], GateChange::Started { blocks_ago: 5 });
    }

    #[test]
    fn hysteresis_keeps_a_fading_voice() {
        let mut gate = gate(32);
        feed(&mut gate, &[0.6, 0.4, 0.4]);
        assert_eq!(gate.silence_ms(), 0);
        feed(&mut gate, &[0.3, 0.4]);
        assert_eq!(gate.silence_ms(), 64, "0.4 does not start a voiced stretch");
    }

    #[test]
    fn silero_hears_a_voice_and_no_silence() {
        let mut vad = testing::silero();
        let voice = testing::flite("slt", "turn on the kitchen light please");
        let mut probabilities = Vec::new();
        for block in testing::blocks(&voice) {
            probabilities.push(vad.probability(block).expect("run"));
        }
        let voiced = probabilities.iter().filter(|p| **p >= 0.5).count();
        assert!(voiced * 10 >= probabilities.len() * 6, "{voiced} of {} blocks", probabilities.len());
        vad.reset();
        for _ in 0..60 {
            assert!(vad.probability(&[0.0; VAD_BLOCK_SAMPLES]).expect("run") < 0.3);
        }
    }

    #[test]
    fn a_reset_vad_answers_as_a_fresh_one() {
        let voice = testing::flite("rms", "what time is it");
        let mut vad = testing::silero();
        let run = |vad: &mut SileroVad| -> Vec<f32> {
            testing::blocks(&voice).map(|block| vad.probability(block).expect("run")).collect()
        };
        let first = run(&mut vad);
        vad.reset();
        assert_eq!(first, run(&mut vad));
    }
}

//! What the ear would hand to the recogniser: a recording from just before speech to its end.

use hark_config::endpoint::EndpointConfig;
use hark_core::VAD_BLOCK_SAMPLES;
use hark_models::onnx::OnnxRuntime;
use hark_stt::endpoint::{EndpointChange, Endpointer};
use hark_stt::vad::{SileroVad, Vad};
use std::path::Path;

/// Samples before the first voiced block, as the ear gives them: 300 ms.
const LEAD_IN: usize = 4_800;
/// Sound before that, which the recogniser may use but which is no part of the request: 300 ms.
const BEFORE: usize = 4_800;
/// Silence after a recording, so that its end is an end of speech.
const AFTER: usize = 16_000;

/// Voice activity and endpoint, as in the ear.
pub struct Trimmer {
    vad: SileroVad,
}

impl Trimmer {
    pub fn new() -> Self {
        let cache = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/models/cache"));
        let runtime = OnnxRuntime::load(&cache.join("libonnxruntime.so")).unwrap();
        Self { vad: SileroVad::load(runtime, &cache.join("silero_vad_16k_op15.onnx")).unwrap() }
    }

    /// What comes before the request of a recording, and the request; `None` when nobody speaks in it.
    pub fn request<'a>(&mut self, samples: &'a [f32]) -> Option<(&'a [f32], &'a [f32])> {
        self.vad.reset();
        let mut sound = samples.to_vec();
        sound.resize(samples.len() + AFTER, 0.0);
        let (vad, endpoint) = (Default::default(), EndpointConfig::default());
        let mut endpointer = Endpointer::new(&vad, &endpoint, 0, u64::MAX);
        let (mut onset, mut over) = (None, samples.len());
        for (number, block) in sound.chunks_exact(VAD_BLOCK_SAMPLES).enumerate() {
            let end = (number + 1) * VAD_BLOCK_SAMPLES;
            let probability = self.vad.probability(block.try_into().unwrap()).unwrap();
            match endpointer.block(end as u64, probability) {
                EndpointChange::SpeechStarted { onset: at } => onset = Some(at as usize),
                EndpointChange::Ended { .. } => {
                    over = end.min(samples.len());
                    break;
                }
                _ => {}
            }
        }
        onset.map(|onset| {
            let from = onset.saturating_sub(LEAD_IN);
            (&samples[from.saturating_sub(BEFORE)..from], &samples[from..over])
        })
    }
}

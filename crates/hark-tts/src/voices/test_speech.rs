//! Speech of a voice, whole, for tests.

use hark_core::ports::Voice;
use std::ops::ControlFlow;

/// All samples of a text.
pub(crate) fn say(voice: &mut dyn Voice, text: &str, language: &str) -> Vec<f32> {
    let mut samples = Vec::new();
    voice
        .synthesise(text, language, &mut |piece| {
            samples.extend_from_slice(piece);
            ControlFlow::Continue(())
        })
        .unwrap();
    samples
}

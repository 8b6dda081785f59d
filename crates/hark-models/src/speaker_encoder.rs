//! The model that tells voices apart: windows of a mel spectrogram in, one embedding out. Used by `hark_stt::speaker`.

use super::onnx::{OnnxError, OnnxRuntime, open_small_session};
use ort::session::Session;
use ort::value::{TensorElementType, TensorRef};
use std::path::{Path, PathBuf};

/// Mel bands of a frame.
pub const BANDS: usize = 40;
/// Frames of a window.
pub const WINDOW_FRAMES: usize = 160;

/// Input `mel`, f32 `[windows, 160, 40]`; output `embedding`, f32 `[256]`, of length 1, of all windows together. Runs on
/// one thread.
pub struct SpeakerEncoder {
    path: PathBuf,
    session: Session,
}

impl SpeakerEncoder {
    /// Loads a model.
    ///
    /// # Errors
    /// When the file is missing or no model, or has other inputs or outputs.
    pub fn load(runtime: OnnxRuntime, model: &Path) -> Result<Self, OnnxError> {
        let float = TensorElementType::Float32;
        let session = open_small_session(runtime, model, 1, &[("mel", float)], float)?;
        Ok(Self { path: model.to_owned(), session })
    }

    /// The embedding of windows that follow one after the other.
    ///
    /// # Errors
    /// When the run fails, as it does without a whole number of windows.
    pub fn embed(&mut self, windows: &[f32]) -> Result<Vec<f32>, OnnxError> {
        let failed = |error: ort::Error| OnnxError::Run { path: self.path.clone(), why: error.to_string() };
        let count = windows.len() / (WINDOW_FRAMES * BANDS);
        let input = TensorRef::from_array_view(([count, WINDOW_FRAMES, BANDS], windows)).map_err(failed)?;
        let results = self.session.run(ort::inputs!["mel" => input]).map_err(failed)?;
        let (_, embedding) = results[0].try_extract_tensor::<f32>().map_err(failed)?;
        Ok(embedding.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");

    fn runtime() -> OnnxRuntime {
        OnnxRuntime::load(&Path::new(MODELS).join("cache/libonnxruntime.so")).unwrap()
    }

    #[test]
    fn windows_give_one_embedding_of_length_1_and_none_is_an_error() {
        let mut model =
            SpeakerEncoder::load(runtime(), &Path::new(MODELS).join("speaker/encoder.onnx")).unwrap();
        for count in [1, 3] {
            let windows: Vec<f32> =
                (0..count * WINDOW_FRAMES * BANDS).map(|at| (at % 7) as f32 * 0.01).collect();
            let embedding = model.embed(&windows).unwrap();
            assert_eq!(embedding.len(), 256);
            let length: f32 = embedding.iter().map(|number| number * number).sum();
            assert!((length - 1.0).abs() < 1e-3, "{length}");
        }
        assert!(matches!(model.embed(&[]), Err(OnnxError::Run { .. })));
        assert!(matches!(model.embed(&[0.5; 100]), Err(OnnxError::Run { .. })));
    }

    #[test]
    fn a_model_of_another_kind_is_refused() {
        let silero = Path::new(MODELS).join("cache/silero_vad_16k_op15.onnx");
        let error = SpeakerEncoder::load(runtime(), &silero).err().unwrap();
        assert!(matches!(error, OnnxError::ModelMismatch { .. }), "{error}");
    }
}

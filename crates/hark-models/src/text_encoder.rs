//! ONNX text encoders: one row of token numbers of any length in, one embedding out. Used by the intent classifier.

use super::onnx::{OnnxError, OnnxRuntime, open_session};
use ort::session::Session;
use ort::value::{TensorElementType, TensorRef};
use std::path::{Path, PathBuf};

/// Input `ids`, i64 `[tokens]`; outputs `embedding`, f32 `[width]`, and, for taggers, `tokens`,
/// f32 `[tokens, any]`. Runs on one thread.
pub struct TextEncoder {
    path: PathBuf,
    session: Session,
}

impl TextEncoder {
    /// Loads a model.
    ///
    /// # Errors
    /// When the file is missing or no model, or has other inputs or outputs.
    pub fn load(runtime: OnnxRuntime, model: &Path) -> Result<Self, OnnxError> {
        let session = open_session(runtime, model, 1, &[("ids", TensorElementType::Int64)])?;
        Ok(Self { path: model.to_owned(), session })
    }

    /// Runs the model; `output` is made as long as the model's output.
    ///
    /// # Errors
    /// When the run fails, as it does without any token.
    pub fn run(&mut self, ids: &[i64], output: &mut Vec<f32>) -> Result<(), OnnxError> {
        self.run_outputs(ids, &mut [("embedding", output)])
    }

    /// The same, and the vectors of all tokens one after the other.
    ///
    /// # Errors
    /// When the run fails, or the model does not give these vectors.
    pub fn run_with_tokens(
        &mut self,
        ids: &[i64],
        output: &mut Vec<f32>,
        tokens: &mut Vec<f32>,
    ) -> Result<(), OnnxError> {
        self.run_outputs(ids, &mut [("embedding", output), ("tokens", tokens)])
    }

    fn run_outputs(&mut self, ids: &[i64], outputs: &mut [(&str, &mut Vec<f32>)]) -> Result<(), OnnxError> {
        let failed = |error: ort::Error| OnnxError::Run { path: self.path.clone(), why: error.to_string() };
        let input = TensorRef::from_array_view(([ids.len()], ids)).map_err(failed)?;
        let results = self.session.run(ort::inputs!["ids" => input]).map_err(failed)?;
        for (name, output) in outputs {
            let value = results.get(*name).ok_or_else(|| OnnxError::Run {
                path: self.path.clone(),
                why: format!("it has no output `{name}`"),
            })?;
            let (_, data) = value.try_extract_tensor::<f32>().map_err(failed)?;
            output.clear();
            output.extend_from_slice(data);
        }
        Ok(())
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
    fn any_number_of_tokens_gives_one_row_and_none_is_an_error() {
        let mut model = TextEncoder::load(runtime(), &Path::new(MODELS).join("intent/encoder.onnx")).unwrap();
        let mut row = vec![7.0];
        for ids in [&[2, 3][..], &[2, 5, 6, 7, 8, 9, 3]] {
            model.run(ids, &mut row).unwrap();
            assert_eq!(row.len(), 384);
            assert!(row.iter().all(|number| number.is_finite()));
            let (mut same, mut tokens) = (Vec::new(), Vec::new());
            model.run_with_tokens(ids, &mut same, &mut tokens).unwrap();
            assert_eq!(same, row);
            assert_eq!(tokens.len(), ids.len() * 2 * 384);
        }
        assert!(matches!(model.run(&[], &mut row), Err(OnnxError::Run { .. })));
        assert!(matches!(model.run(&[i64::MAX], &mut row), Err(OnnxError::Run { .. })));
    }

    #[test]
    fn a_model_of_another_kind_is_refused() {
        let silero = Path::new(MODELS).join("cache/silero_vad_16k_op15.onnx");
        let error = TextEncoder::load(runtime(), &silero).err().unwrap();
        assert!(matches!(error, OnnxError::ModelMismatch { .. }), "{error}");
    }
}

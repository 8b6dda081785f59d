//! The networks that find and read text in pictures (PP-OCR). Used by `hark-ocr`.

use super::onnx::{OnnxError, OnnxRuntime, open_small_session};
use ort::session::Session;
use ort::value::{TensorElementType, TensorRef};
use std::path::{Path, PathBuf};

/// Threads a network computes on: a picture is read while nobody speaks, and somebody waits for it.
const THREADS: usize = 2;
/// Height of a line, pixels.
const LINE_HEIGHT: usize = 48;

/// Finds text. Input `x`, f32 `[1, 3, height, width]`, both multiples of 32; output f32 `[1, 1, height, width]`: how likely
/// each pixel is one of text.
pub struct TextDetector {
    path: PathBuf,
    session: Session,
}

impl TextDetector {
    /// Loads a model.
    ///
    /// # Errors
    /// When the file is missing or no model, or has other inputs or outputs.
    pub fn load(runtime: OnnxRuntime, model: &Path) -> Result<Self, OnnxError> {
        Ok(Self { path: model.to_owned(), session: open(runtime, model)? })
    }

    /// How likely each pixel of a picture is one of text, row by row.
    ///
    /// # Errors
    /// When the run fails, or the picture has another size.
    pub fn run(&mut self, planes: &[f32], width: usize, height: usize) -> Result<Vec<f32>, OnnxError> {
        let failed = |why: String| OnnxError::Run { path: self.path.clone(), why };
        let told = |error: ort::Error| failed(error.to_string());
        let input = TensorRef::from_array_view(([1, 3, height, width], planes)).map_err(told)?;
        let results = self.session.run(ort::inputs!["x" => input]).map_err(told)?;
        let (_, marks) = results[0].try_extract_tensor::<f32>().map_err(told)?;
        if marks.len() != width * height {
            return Err(failed(format!("{} pixels were marked of {}", marks.len(), width * height)));
        }
        Ok(marks.to_vec())
    }
}

/// How likely each class is at each step of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// Classes of a step.
    pub classes: usize,
    /// Step after step.
    pub values: Vec<f32>,
}

/// Reads a line. Input `x`, f32 `[1, 3, 48, width]`; output f32 `[1, steps, classes]`. The classes are: none, the
/// characters of the model's metadata, a blank.
pub struct TextRecogniser {
    path: PathBuf,
    session: Session,
    characters: Vec<String>,
}

impl TextRecogniser {
    /// Loads a model; its characters are its metadata `character`, one a line.
    ///
    /// # Errors
    /// When the file is missing or no model, or its inputs, outputs or metadata do not fit.
    pub fn load(runtime: OnnxRuntime, model: &Path) -> Result<Self, OnnxError> {
        let session = open(runtime, model)?;
        let mismatch = |why: &str| OnnxError::ModelMismatch { path: model.to_owned(), why: why.to_owned() };
        let characters = session.metadata().ok().and_then(|metadata| metadata.custom("character"));
        let characters = characters.ok_or_else(|| mismatch("it has no metadata `character`"))?;
        let characters = characters.lines().map(str::to_owned).collect();
        Ok(Self { path: model.to_owned(), session, characters })
    }

    /// What its classes stand for, from the second on.
    pub fn characters(&self) -> &[String] {
        &self.characters
    }

    /// The scores of a line of this width.
    ///
    /// # Errors
    /// When the run fails, or the classes are not as many as the characters.
    pub fn run(&mut self, planes: &[f32], width: usize) -> Result<Scores, OnnxError> {
        let failed = |why: String| OnnxError::Run { path: self.path.clone(), why };
        let told = |error: ort::Error| failed(error.to_string());
        let input = TensorRef::from_array_view(([1, 3, LINE_HEIGHT, width], planes)).map_err(told)?;
        let results = self.session.run(ort::inputs!["x" => input]).map_err(told)?;
        let (shape, values) = results[0].try_extract_tensor::<f32>().map_err(told)?;
        let classes = shape.last().and_then(|classes| usize::try_from(*classes).ok()).unwrap_or_default();
        if classes != self.characters.len() + 2 {
            return Err(failed(format!("{classes} classes for {} characters", self.characters.len())));
        }
        Ok(Scores { classes, values: values.to_vec() })
    }
}

fn open(runtime: OnnxRuntime, model: &Path) -> Result<Session, OnnxError> {
    let float = TensorElementType::Float32;
    open_small_session(runtime, model, THREADS, &[("x", float)], float)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_without_characters_is_refused() {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        let runtime = OnnxRuntime::load(&models.join("cache/libonnxruntime.so")).unwrap();
        for model in ["intent/encoder.onnx", "speaker/encoder.onnx"] {
            let error = TextRecogniser::load(runtime, &models.join(model)).err().unwrap();
            assert!(matches!(error, OnnxError::ModelMismatch { .. }), "{error}");
            let error = TextDetector::load(runtime, &models.join(model)).err().unwrap();
            assert!(matches!(error, OnnxError::ModelMismatch { .. }), "{error}");
        }
    }
}

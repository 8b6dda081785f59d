//! ONNX taggers: the token vectors of a sentence in, probabilities of its intent and of each word's tag out.

use super::onnx::{OnnxError, OnnxRuntime, open_session};
use ort::session::Session;
use ort::value::{TensorElementType, TensorRef, ValueType};
use std::path::{Path, PathBuf};

/// Inputs `tokens`, f32 `[pieces, width]`, and `firsts`, i64 `[words]`: the piece each word begins with; outputs `intent`,
/// f32 `[classes]`, and `tags`, f32 `[words, tags]`. Runs on one thread.
pub struct TokenTagger {
    path: PathBuf,
    session: Session,
    classes: Vec<String>,
    tags: Vec<String>,
    encoder: String,
}

impl TokenTagger {
    /// Loads a model; the names of its classes and tags are its metadata, one a line.
    ///
    /// # Errors
    /// When the file is missing or no model, or its inputs, outputs or metadata do not fit.
    pub fn load(runtime: OnnxRuntime, model: &Path) -> Result<Self, OnnxError> {
        let inputs = [("tokens", TensorElementType::Float32), ("firsts", TensorElementType::Int64)];
        let session = open_session(runtime, model, 1, &inputs)?;
        let mismatch = |why: String| OnnxError::ModelMismatch { path: model.to_owned(), why };
        let metadata = |key: &str| {
            let found = session.metadata().ok().and_then(|metadata| metadata.custom(key));
            found.ok_or_else(|| mismatch(format!("it has no metadata `{key}`")))
        };
        let names = |key: &str, output: &str| {
            let names: Vec<String> = metadata(key)?.lines().map(str::to_owned).collect();
            let outlet = session.outputs().iter().find(|outlet| outlet.name() == output);
            let width = outlet.and_then(|outlet| match outlet.dtype() {
                ValueType::Tensor { shape, .. } => shape.last().copied(),
                _ => None,
            });
            if width == Some(names.len() as i64) {
                Ok(names)
            } else {
                let width = width.unwrap_or(0);
                Err(mismatch(format!("output `{output}` has {width} columns for {} {key}", names.len())))
            }
        };
        let (classes, tags, encoder) =
            (names("classes", "intent")?, names("tags", "tags")?, metadata("encoder")?);
        Ok(Self { path: model.to_owned(), session, classes, tags, encoder })
    }

    /// Names of the classes, in the order of their probabilities.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// Names of the tags, in the order of their probabilities.
    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    /// Id of the encoder whose vectors it was trained on.
    pub fn encoder(&self) -> &str {
        &self.encoder
    }

    /// Runs the model on vectors of `width` numbers: the probabilities `[classes]`, and `[words, tags]` row after row.
    ///
    /// # Errors
    /// When the run fails, as it does for another width, a word that begins nowhere, or no word.
    pub fn run(
        &mut self,
        tokens: &[f32],
        width: usize,
        firsts: &[i64],
    ) -> Result<(Vec<f32>, Vec<f32>), OnnxError> {
        let failed = |error: ort::Error| OnnxError::Run { path: self.path.clone(), why: error.to_string() };
        let pieces = tokens.len() / width.max(1);
        let tokens = TensorRef::from_array_view(([pieces, width], tokens)).map_err(failed)?;
        let firsts = TensorRef::from_array_view(([firsts.len()], firsts)).map_err(failed)?;
        let inputs = ort::inputs!["tokens" => tokens, "firsts" => firsts];
        let results = self.session.run(inputs).map_err(failed)?;
        let output = |name: &str| results[name].try_extract_tensor::<f32>().map(|(_, data)| data.to_vec());
        Ok((output("intent").map_err(failed)?, output("tags").map_err(failed)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");

    fn load(model: &Path) -> Result<TokenTagger, OnnxError> {
        let library = Path::new(MODELS).join("cache/libonnxruntime.so");
        TokenTagger::load(OnnxRuntime::load(&library).unwrap(), model)
    }

    #[test]
    fn each_word_gets_probabilities_and_what_does_not_fit_is_an_error() {
        let mut tagger = load(&Path::new(MODELS).join("intent/tagger.onnx")).unwrap();
        let width = 768;
        let vectors = vec![0.5; 4 * width];
        let (classes, tags) = tagger.run(&vectors, width, &[1, 2]).unwrap();
        assert_eq!((classes.len(), tags.len()), (tagger.classes().len(), 2 * tagger.tags().len()));
        for row in [classes.as_slice(), &tags[..tagger.tags().len()]] {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-3, "{row:?}");
        }
        for (width, firsts) in [(width / 2, &[1][..]), (width, &[4]), (width, &[])] {
            let error = tagger.run(&vectors, width, firsts).unwrap_err().to_string();
            assert!(error.contains("tagger.onnx failed to run: "), "{error}");
        }
    }

    #[test]
    fn a_tagger_with_other_sizes_than_names_is_refused() {
        let mut model = std::fs::read(Path::new(MODELS).join("intent/tagger.onnx")).unwrap();
        let tags = b"O\nB-name\nI-name";
        let at = model.windows(tags.len()).position(|bytes| bytes == tags).unwrap();
        model[at + 1] = b' ';
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tagger.onnx");
        std::fs::write(&file, model).unwrap();
        let error = load(&file).err().unwrap().to_string();
        assert!(
            error.ends_with("tagger.onnx does not fit: output `tags` has 21 columns for 20 tags"),
            "{error}"
        );
        let error = load(&Path::new(MODELS).join("intent/encoder.onnx")).err().unwrap().to_string();
        assert!(error.contains("its inputs are ids (expected tokens, firsts)"), "{error}");
    }
}

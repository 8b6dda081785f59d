//! Reads the text in pictures of the screen: where lines of text are (a network that marks their pixels, PP-OCRv4, and
//! boxes around what it marks), and what stands in each (a network that reads a line, and CTC). Lines are level, as they are
//! on a screen. It implements the port `hark_core::ports::screen::ReadsText`; both models are optional (`models/manifest.toml`).
//!
//! ```no_run
//! use hark_core::ports::screen::{Pixels, ReadsText};
//! use std::sync::Arc;
//!
//! let manifest = Arc::new(hark_models::manifest::Manifest::load("models".as_ref())?);
//! let reader = hark_ocr::ScreenReader::new(manifest);
//! let lines = reader.read(&Pixels { width: 640, height: 480, rgb: vec![255; 640 * 480 * 3] })?;
//! # Ok::<(), hark_core::Fault>(())
//! ```

mod boxes;
mod letters;
mod pixels;

use boxes::Place;
use hark_core::ports::screen::{Pixels, ReadsText, TextLine};
use hark_core::{Fault, FaultKind};
use hark_models::manifest::{ArtifactState, Manifest};
use hark_models::onnx::OnnxRuntime;
use hark_models::picture_text::{TextDetector, TextRecogniser};
use std::sync::Arc;

/// Ids of the models in the manifest.
const DETECTOR: &str = "ocr_detector";
const RECOGNISER: &str = "ocr_recogniser";
/// Lines that are less certain than this are none.
const CERTAIN: f32 = 0.5;

/// Reads text with the models of the manifest. They are loaded for each picture, since pictures are few and the models take
/// 40 MB of memory.
pub struct ScreenReader {
    manifest: Arc<Manifest>,
}

impl ScreenReader {
    /// A reader with the models of this manifest.
    pub fn new(manifest: Arc<Manifest>) -> Self {
        Self { manifest }
    }
}

impl ReadsText for ScreenReader {
    fn ready(&self) -> Result<(), Fault> {
        for id in [DETECTOR, RECOGNISER] {
            let part = self.manifest.part(id)?;
            if !matches!(self.manifest.state(part, false), ArtifactState::Present { .. }) {
                let message = "the models that read text in pictures are not there";
                let fix = format!("run: hark models pull {DETECTOR} {RECOGNISER}");
                return Err(Fault::new(FaultKind::MissingPart, "ocr", message, fix));
            }
        }
        Ok(())
    }

    fn read(&self, picture: &Pixels) -> Result<Vec<TextLine>, Fault> {
        self.ready()?;
        let runtime = OnnxRuntime::load(&self.manifest.path("onnxruntime")?)?;
        let mut detector = TextDetector::load(runtime, &self.manifest.path(DETECTOR)?)?;
        let found = places(&mut detector, picture)?;
        // It is not needed any more, and its memory is.
        drop(detector);
        let mut recogniser = TextRecogniser::load(runtime, &self.manifest.path(RECOGNISER)?)?;
        let mut pieces = Vec::new();
        for place in found {
            let (line, width) = pixels::line(picture, place);
            let scores = recogniser.run(&line, width)?;
            let (text, certainty) = letters::decode(&scores, recogniser.characters());
            if certainty >= CERTAIN && !text.trim().is_empty() {
                pieces.push((place, text.trim().to_owned()));
            }
        }
        Ok(boxes::lines(pieces))
    }
}

/// Where text is in a picture.
fn places(detector: &mut TextDetector, picture: &Pixels) -> Result<Vec<Place>, Fault> {
    if picture.width == 0 || picture.height == 0 {
        return Ok(Vec::new());
    }
    let (width, height) = pixels::size_for_detector(picture.width, picture.height);
    let marks = detector.run(&pixels::whole(picture, width, height), width, height)?;
    Ok(boxes::find(&marks, (width, height), (picture.width, picture.height)))
}

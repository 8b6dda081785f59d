//! Model files and what runs them: the manifest with its downloads and checksums (`manifest`), sessions of ONNX Runtime
//! (`onnx`) and LiteRT (`litert`), Moonshine (`moonshine_sessions`), the text encoder of the intent classifier (`text_encoder`), the model
//! that tells voices apart (`speaker_encoder`), those that find and read text in pictures (`picture_text`), and Whisper's models from the format of packages into whisper.cpp's (`whisper_conversion`). Recognisers, voices and the
//! classifier load their models here, each on its own thread.
//!
//! ```no_run
//! use hark_models::manifest::Manifest;
//! use hark_models::onnx::OnnxRuntime;
//!
//! let manifest = Manifest::load("models".as_ref())?;
//! let runtime = OnnxRuntime::load(&manifest.path("onnxruntime")?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod litert;
pub mod manifest;
pub mod mel;
pub mod memory;
pub mod moonshine_sessions;
pub mod onnx;
pub mod picture_text;
pub mod speaker_encoder;
pub mod text_encoder;
pub mod token_tagger;
pub mod whisper_conversion;

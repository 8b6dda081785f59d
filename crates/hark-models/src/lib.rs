//! Model files and what runs them: the manifest with its downloads and checksums, sessions of ONNX Runtime and LiteRT,
//! the speech encoder and decoder (Moonshine) and the sentence encoder. Recognisers, voices and the intent classifier
//! load their models here, each on its own thread.
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
pub mod memory;
pub mod onnx;
pub mod speech;
pub mod tokens;

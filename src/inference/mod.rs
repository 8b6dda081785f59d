//! ONNX Runtime and LiteRT sessions, the model manifest, downloads and checks. Knows nothing of what a model is for.

pub mod litert;
pub mod manifest;
pub mod memory;
pub mod onnx;
pub mod speech;
pub mod tokens;

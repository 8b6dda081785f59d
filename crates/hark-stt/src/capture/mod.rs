//! From a microphone to 16 kHz mono samples: the device, and the ring its callback fills.

mod microphone;
mod ring;
#[cfg(target_os = "linux")]
mod sound_server;
mod stream_errors;

pub use microphone::{InputDevice, Microphone, MicrophoneState, input_devices};
pub use ring::{CaptureReader, CaptureWriter, capture_ring};

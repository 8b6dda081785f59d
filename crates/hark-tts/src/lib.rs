//! From text to the speaker: Markdown taken out, numbers written out, phrases cut ([`phrases`]), voices ([`voices`]),
//! earcons, the playback ring and the device's callback. [`voice_thread`] owns a reply on its way; synthesis has a thread of
//! its own.
//!
//! ```
//! use hark_tts::phrases::phrases;
//!
//! let cut = phrases("The light is on. It is ten o'clock.", "en");
//! assert_eq!(cut[0].text, "The light is on.");
//! ```

pub mod device;
mod device_health;
pub mod earcons;
pub mod error;
mod language;
mod mailbox;
mod markdown;
pub mod normalise;
pub mod phonemes;
pub mod phrases;
pub mod playback;
mod prepared;
pub mod pronunciations;
pub mod render;
pub mod reply_text;
mod ring_writer;
#[cfg(test)]
mod scene;
mod synthesis_thread;
pub mod tap;
#[cfg(target_os = "linux")]
mod timed;
mod trim;
mod voice_change;
mod voice_loop;
pub mod voice_thread;
pub mod voices;

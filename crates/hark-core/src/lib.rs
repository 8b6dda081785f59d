//! The types every part of Hark shares: ids, time stamps, units, events and effects of the turn machine, intents,
//! receipts, settings, and the ports (traits) that other crates implement. Every crate uses it. It opens no file, and has no clock and
//! no threads; `serde_json::Value` is plain data here.
//!
//! ```
//! use hark_core::{Fault, FaultKind};
//!
//! let fault = Fault::new(FaultKind::MissingPart, "stt", "the model is not here", "hark models pull");
//! assert_eq!(fault.to_string(), "stt: the model is not here\n  fix: hark models pull");
//! ```

pub mod audio;
pub mod automation;
pub mod calendar;
pub mod classification;
pub mod clock;
pub mod command;
pub mod effort;
pub mod event;
pub mod fault;
pub mod fusion;
pub mod home;
pub mod ids;
pub mod intent;
pub mod memory;
pub mod mode;
pub mod model;
pub mod origin;
pub mod pin;
pub mod ports;
pub mod public_event;
mod serde_helpers;
pub mod session;
pub mod setting;
pub mod speech;
pub mod text;
pub mod timer;
pub mod tool;

pub use audio::{SAMPLE_RATE_HZ, VAD_BLOCK_SAMPLES};
pub use classification::{Category, Classification, Classify, Kind, SlotSpan, Tier};
pub use clock::Stamp;
pub use command::DaemonCommand;
pub use effort::Effort;
pub use event::{Effect, Event, ModelHelp, Part, Reply};
pub use fault::{Fault, FaultKind};
pub use home::{device, house};
pub use ids::{AutomationId, EntityId, ReceiptId, TimerId, TurnId};
pub use intent::{Ambiguity, Intent, Route, Slots, Understanding};
pub use mode::Mode;
pub use model::{context, delegation, plan, thinking};
pub use ports::{
    api, configuration, documents, external_tools, inspection, model_files, setup, teaching, tool_host,
    training,
};
pub use public_event::{Envelope, PublicEvent};
pub use setting::Setting;
pub use speech::speaker::SpeakerGuess;
pub use speech::{Beginning, Endpoint, MicrophoneId, RemoteSpeech, Transcript, Words};
pub use speech::{speaker, wav};
pub use teaching::{Correction, Lesson};
pub use thinking::{News, Resume, Task, Thought, ThoughtEnd};
pub use tool::{Receipt, Risk, ToolCall};

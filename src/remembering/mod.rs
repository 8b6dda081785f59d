//! What outlives a power cut: one SQLite file behind its own thread. [`store`] owns the file,
//! [`migrations`] its shape; [`timers`], [`lists`], [`facts`], [`settings`], [`requests`], [`turns`] and [`sessions`] are what is kept
//! in it. [`check`] looks whether it is sound, [`salvage`] saves what can be read of one that is not, [`backups`] keeps copies.
//! [`replay`] chooses what of a conversation a model is told; [`journal`] keeps a file a day beside the database,
//! [`recordings`] the sound of turns where that is switched on.

pub mod backups;
mod check;
pub mod error;
pub mod facts;
mod files;
pub mod journal;
pub mod lists;
mod migrations;
mod mode;
pub mod plans;
pub mod recordings;
pub mod replay;
pub mod requests;
mod salvage;
pub mod sessions;
pub mod settings;
pub mod store;
pub mod tags;
pub mod timers;
pub mod turns;

pub use error::RememberingError;
pub use journal::Journal;
pub use recordings::Recordings;
pub use sessions::SessionStore;
pub use store::Store;
pub use turns::{TurnRecord, Turns};

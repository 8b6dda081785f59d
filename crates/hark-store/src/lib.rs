//! What outlives a power cut: one SQLite file behind a thread of its own, backups, and what is saved of a damaged file.
//! [`store`] owns the file, `migrations` its shape; [`timers`], [`lists`], [`facts`], [`settings`], [`requests`],
//! [`turns`] and [`sessions`] are what is kept in it; [`journal`] keeps a file a day beside it, [`recordings`] the sound of turns
//! where that is switched on. Any thread may call; calls wait for the thread of the file.
//!
//! ```no_run
//! use hark_store::{Store, Turns};
//!
//! let turns = Turns::new(Store::open("hark.db".as_ref())?);
//! # Ok::<(), hark_core::Fault>(())
//! ```

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

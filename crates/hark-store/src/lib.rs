//! The database of the state folder: one SQLite file behind a thread of its own (`hark-store`), its backups, and the
//! recovery of a damaged file. Any thread may call; calls wait for the thread of the file.
//!
//! [`store`] owns the file, `migrations` its schema, `integrity` checks it, `salvage` recovers a damaged one, [`backups`]
//! copies it. Tables: [`timers`], [`lists`], [`facts`], [`settings`], automations, what can be taken back, [`request_log`] (acknowledged requests), [`plans`],
//! [`turns`], [`sessions`] with [`model_history`] (what a language model is told of a conversation). Beside it, [`journal`]
//! writes a file a day, and [`recordings`] the sound of turns where that is switched on.
//!
//! ```no_run
//! use hark_store::{Store, Turns};
//!
//! let turns = Turns::new(Store::open("hark.db".as_ref())?);
//! # Ok::<(), hark_core::Fault>(())
//! ```

mod backup_list;
pub mod backups;
mod database_files;
mod enrolled_voices;
pub mod error;
pub mod facts;
mod home;
mod integrity;
pub mod journal;
pub mod lists;
mod migrations;
mod mode;
pub mod model_history;
pub mod plans;
pub mod recordings;
pub mod request_log;
mod salvage;
mod salvaged;
pub mod sessions;
pub mod settings;
pub mod store;
pub mod tags;
pub mod timers;
pub mod turns;

pub use error::StoreError;
pub use journal::Journal;
pub use recordings::Recordings;
pub use sessions::SessionStore;
pub use store::Store;
pub use turns::{TurnRecord, Turns};

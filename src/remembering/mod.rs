//! What outlives a power cut: one SQLite file behind its own thread. [`store`] owns the file,
//! [`migrations`] its shape; [`timers`], [`lists`], [`facts`], [`settings`] and [`turns`] are what is kept in it.

pub mod error;
pub mod facts;
pub mod lists;
mod migrations;
mod mode;
pub mod plans;
pub mod settings;
pub mod store;
pub mod timers;
pub mod turns;

pub use error::RememberingError;
pub use store::Store;
pub use turns::{TurnRecord, Turns};

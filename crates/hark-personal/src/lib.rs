//! The household's calendars and contacts: what is in files and on CalDAV and CardDAV servers, read when somebody asks, and
//! events that are added, changed and removed. `hark-tools` calls it. What an event or a contact says is data of others.
//!
//! ```
//! use hark_config::personal::PersonalConfig;
//! use hark_personal::Contacts;
//!
//! let contacts = Contacts::new(&PersonalConfig::default());
//! assert!(!contacts.is_configured());
//! ```

pub mod calendar;
pub mod contacts;
mod content_lines;
mod dav;
mod edit;
mod error;
mod events;
mod folder;
mod sources;
mod vcards;

pub use calendar::{Calendars, Revision, Wall};
pub use contacts::Contacts;
pub use edit::{Change, Series};
pub use error::PersonalError;
pub use events::{Event, NewEvent, Time};
pub use vcards::Contact;

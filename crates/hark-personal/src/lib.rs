//! The household's calendars and contacts: what is in files and on CalDAV and CardDAV servers, read when somebody asks, events
//! that are added, changed and removed, invitations that are answered, and tasks that are added and marked as done. `hark-tools` calls it. What an event or a contact says is data of others.
//!
//! ```
//! use hark_config::personal::PersonalConfig;
//! use hark_personal::Contacts;
//!
//! let contacts = Contacts::new(&PersonalConfig::default());
//! assert!(!contacts.is_configured());
//! ```

mod attendees;
pub mod calendar;
pub mod contacts;
mod content_lines;
mod dav;
mod edit;
mod error;
mod events;
mod folder;
mod series;
mod sources;
mod tasks;
mod vcards;

pub use attendees::{Answer, Attendee};
pub use calendar::{Calendars, Revision, Wall};
pub use contacts::Contacts;
pub use edit::{Change, Series};
pub use error::PersonalError;
pub use events::{Event, NewEvent, Time};
pub use tasks::{Due, NewDue, NewTask, Task, Tasks};
pub use vcards::Contact;

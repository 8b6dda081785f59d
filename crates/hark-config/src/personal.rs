//! `[personal]`: the household's notes, calendars and contacts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The household's notes, calendars and contacts. What is not named here is not there: Hark keeps none of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PersonalConfig {
    /// Folder of notes, Markdown files (`.md`), which are read and written, such as `~/Notes`; empty: none.
    #[schemars(extend("x-holds" = "folder"))]
    pub notes_folder: String,
    /// Folder of calendar files (`.ics`), or one such file; empty: none. New events become files in the folder.
    pub calendar_path: String,
    /// Address of a CalDAV server: of a calendar, or of the person whose calendars are read, such as `https://cloud.example.org/remote.php/dav`; empty: none. New events go to its first calendar.
    pub caldav_url: String,
    /// Name Hark logs in with there; empty: without a login.
    pub caldav_username: String,
    /// File with the password; empty: systemd credential `caldav-password`.
    #[schemars(extend("x-holds" = "file"))]
    pub caldav_password_file: String,
    /// Mail addresses of the household's own, by which invitations to events are known as theirs, such as `["anna@example.org"]`; empty: no invitation is answered.
    pub own_addresses: Vec<String>,
    /// Folder of contact files (`.vcf`), or one such file; empty: none.
    pub contacts_path: String,
    /// Address of a CardDAV server: of an address book, or of the person whose address books are read; empty: none.
    pub carddav_url: String,
    /// Name Hark logs in with there; empty: without a login.
    pub carddav_username: String,
    /// File with the password; empty: systemd credential `carddav-password`.
    #[schemars(extend("x-holds" = "file"))]
    pub carddav_password_file: String,
    /// Time a request to one of the servers may take; no more than `tools.timeout_ms`.
    #[schemars(range(min = 100, max = 300000))]
    pub timeout_ms: u32,
}

impl Default for PersonalConfig {
    fn default() -> Self {
        Self {
            notes_folder: String::new(),
            calendar_path: String::new(),
            caldav_url: String::new(),
            caldav_username: String::new(),
            caldav_password_file: String::new(),
            own_addresses: Vec::new(),
            contacts_path: String::new(),
            carddav_url: String::new(),
            carddav_username: String::new(),
            carddav_password_file: String::new(),
            timeout_ms: 10_000,
        }
    }
}

impl PersonalConfig {
    /// Time a request may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms.into())
    }
}

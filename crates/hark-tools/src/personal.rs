//! The household's notes, calendars and contacts, as `[personal]` names them. The tools of `tools/personal` use them.

use crate::files::Files;
use hark_config::paths::expand;
use hark_config::personal::PersonalConfig;
use hark_personal::{Calendars, Contacts};
use std::path::PathBuf;

/// Most of a note that is read at once, bytes.
const MAX_NOTE_BYTES: usize = 64 * 1024;

/// What there is of them.
pub struct Personal {
    /// The calendars.
    pub calendars: Calendars,
    /// The address books.
    pub contacts: Contacts,
    /// Mail addresses of the household's own.
    pub own_addresses: Vec<String>,
    notes: Option<PathBuf>,
}

impl Personal {
    /// As the configuration says.
    pub fn new(config: &PersonalConfig) -> Self {
        let notes = Some(config.notes_folder.trim()).filter(|folder| !folder.is_empty()).map(expand);
        Self {
            calendars: Calendars::new(config),
            contacts: Contacts::new(config),
            own_addresses: config.own_addresses.clone(),
            notes: notes.filter(|folder| folder.is_absolute()),
        }
    }

    /// The notes: the files of their folder, which is made by the first one.
    pub fn notes(&self) -> Option<Files> {
        self.notes.clone().map(|folder| Files::of_folder(folder, MAX_NOTE_BYTES))
    }
}

impl Default for Personal {
    fn default() -> Self {
        Self::new(&PersonalConfig::default())
    }
}

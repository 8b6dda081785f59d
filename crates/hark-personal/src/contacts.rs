//! The household's address books: one file or folder of `.vcf` files, and one CardDAV address.

use crate::dav::Kind;
use crate::error::PersonalError;
use crate::folder;
use crate::sources::Sources;
use crate::vcards::{self, Contact};
use hark_config::personal::PersonalConfig;
use hark_core::text::words_of_name;

/// How alike a name that was heard must be to one of the address book, where none is the same (Jaro-Winkler).
const ALIKE: f64 = 0.9;
/// Most contacts of one answer.
const MAX_FOUND: usize = 20;

/// The address books; cheap to clone.
#[derive(Debug, Clone)]
pub struct Contacts(Sources);

impl Contacts {
    /// As the configuration says; the error of a wrong address is answered to the first question.
    pub fn new(config: &PersonalConfig) -> Self {
        let login = (
            config.carddav_url.as_str(),
            config.carddav_username.as_str(),
            config.carddav_password_file.as_str(),
        );
        Self(Sources::new(
            Kind::AddressBook,
            &config.contacts_path,
            login,
            "carddav-password",
            config.timeout(),
        ))
    }

    /// Whether there is any.
    pub fn is_configured(&self) -> bool {
        self.0.is_configured()
    }

    /// Contacts of this name, or a part of it; where there is none, of one that sounds like it. The best first.
    ///
    /// # Errors
    /// When there is no address book, or one of them cannot be read.
    pub async fn search(&self, name: &str) -> Result<Vec<Contact>, PersonalError> {
        if !self.is_configured() {
            return Err(PersonalError::NotConfigured("address book"));
        }
        let mut texts = match &self.0.server {
            Some(server) => server.as_ref().map_err(Clone::clone)?.contacts().await?,
            None => Vec::new(),
        };
        let (folder, name) = (self.0.folder.clone(), name.to_owned());
        let found = tokio::task::spawn_blocking(move || {
            if let Some(folder) = folder {
                texts.extend(folder::read(&folder, "vcf")?.into_iter().map(|(_, text)| text));
            }
            let contacts: Vec<Contact> = texts.iter().flat_map(|text| vcards::read(text)).collect();
            Ok(of_name(contacts, &name))
        });
        found.await.unwrap_or_else(|error| {
            Err(PersonalError::BadAnswer("the address book".into(), error.to_string()))
        })
    }
}

/// Those of this name, the best first.
fn of_name(contacts: Vec<Contact>, name: &str) -> Vec<Contact> {
    let asked = words_of_name(name);
    if asked.is_empty() {
        return Vec::new();
    }
    let mut rated: Vec<(u32, Contact)> =
        contacts.into_iter().filter_map(|contact| Some((rating(&contact, &asked)?, contact))).collect();
    rated.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| one.name.cmp(&other.name)));
    rated.dedup_by(|(_, a), (_, b)| a == b);
    let best = rated.first().map_or(0, |(rating, _)| *rating);
    // Names that only sound alike are told where no better one is.
    let kept = rated.into_iter().filter(|(rating, _)| *rating < SOUNDS || best == SOUNDS);
    kept.map(|(_, contact)| contact).take(MAX_FOUND).collect()
}

/// The name only sounds like the one that was asked for.
const SOUNDS: u32 = 3;

/// How well a contact fits: 0 its whole name, 1 a nickname, 2 a part of the name, [`SOUNDS`]; `None`: not at all.
fn rating(contact: &Contact, asked: &[String]) -> Option<u32> {
    let name = words_of_name(&contact.name);
    let is_nickname = contact.nicknames.iter().any(|nickname| words_of_name(nickname) == asked);
    if name == asked {
        Some(0)
    } else if is_nickname {
        Some(1)
    } else if asked.iter().all(|word| name.contains(word)) {
        Some(2)
    } else {
        let sounds = |word: &String| name.iter().any(|part| strsim::jaro_winkler(part, word) >= ALIKE);
        asked.iter().all(sounds).then_some(SOUNDS)
    }
}

#[cfg(test)]
#[path = "contacts_tests.rs"]
mod tests;

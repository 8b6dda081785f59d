//! The household's calendars: one file or folder of `.ics` files, and one CalDAV address; both are read, and new events go to
//! the server where there is one.

use crate::dav::Kind;
use crate::error::PersonalError;
use crate::events::{self, Event, NewEvent, Time};
use crate::folder;
use crate::sources::Sources;
use chrono::{DateTime, Duration, NaiveDateTime, Utc};
use hark_config::personal::PersonalConfig;
use std::sync::Arc;

/// What a wall clock of the house shows at a moment, seconds since the Unix epoch.
pub type Wall = Arc<dyn Fn(i64) -> NaiveDateTime + Send + Sync>;

/// Most events of one answer.
const MAX_EVENTS: usize = 500;

/// The calendars; cheap to clone.
#[derive(Debug, Clone)]
pub struct Calendars(Sources);

/// The events of a span.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// At most 500, in the order in which they begin.
    pub events: Vec<Event>,
    /// What could not be read, so that events may be missing.
    pub unread: usize,
}

impl Calendars {
    /// As the configuration says; the error of a wrong address is answered to the first question.
    pub fn new(config: &PersonalConfig) -> Self {
        let login = (
            config.caldav_url.as_str(),
            config.caldav_username.as_str(),
            config.caldav_password_file.as_str(),
        );
        Self(Sources::new(Kind::Calendar, &config.calendar_path, login, "caldav-password", config.timeout()))
    }

    /// Whether there is any.
    pub fn is_configured(&self) -> bool {
        self.0.is_configured()
    }

    /// What is in the calendars from `from` to before `to`, by the wall clock of the house.
    ///
    /// # Errors
    /// When there is none, or one of them cannot be read: an answer with half of the events would be a wrong one.
    pub async fn read(
        &self,
        (from, to): (NaiveDateTime, NaiveDateTime),
        wall: Wall,
    ) -> Result<Found, PersonalError> {
        if !self.is_configured() {
            return Err(PersonalError::NotConfigured("calendar"));
        }
        let mut texts = Vec::new();
        if let Some(server) = &self.0.server {
            // The wall is at most 14 hours from UTC.
            let day = Duration::days(1);
            let around =
                (from.checked_sub_signed(day).unwrap_or(from), to.checked_add_signed(day).unwrap_or(to));
            texts = server.as_ref().map_err(Clone::clone)?.events(around).await?;
        }
        let folder = self.0.folder.clone();
        let found = tokio::task::spawn_blocking(move || {
            if let Some(folder) = folder {
                texts.extend(folder::read(&folder, "ics")?);
            }
            let mut found = Found::default();
            for text in &texts {
                let (events, unread) = events::read(text, (from, to), &*wall);
                found.events.extend(events);
                found.unread += unread;
            }
            found.events.sort_by(|a, b| (a.start, &a.title).cmp(&(b.start, &b.title)));
            // The same event may stand in a file and on the server.
            found.events.dedup_by(|a, b| a.uid == b.uid && a.start == b.start && !a.uid.is_empty());
            found.events.truncate(MAX_EVENTS);
            Ok(found)
        });
        found
            .await
            .unwrap_or_else(|error| Err(PersonalError::BadAnswer("the calendar".into(), error.to_string())))
    }

    /// Adds an event; answers its id.
    ///
    /// # Errors
    /// When there is no calendar to write to, or it does not take the event.
    pub async fn add(&self, event: &NewEvent, now: DateTime<Utc>) -> Result<String, PersonalError> {
        let is_right = match event.time {
            Time::Days(first, after) => first < after,
            Time::Moments(from, to) => from <= to,
        };
        if !is_right {
            return Err(PersonalError::BadEvent("the event ends before it begins"));
        }
        let uid = uuid::Uuid::new_v4().to_string();
        let (name, text) = (format!("{uid}.ics"), events::write(event, &uid, now));
        match (&self.0.server, &self.0.folder) {
            (Some(server), _) => server.as_ref().map_err(Clone::clone)?.add(&name, text).await?,
            (None, Some(folder)) if folder.is_dir() => folder::add(folder, &name, &text)?,
            (None, Some(path)) => {
                let why = "events are added to a folder of files or a CalDAV server, not into a file".into();
                return Err(PersonalError::File { path: path.display().to_string(), why });
            }
            (None, None) => return Err(PersonalError::NotConfigured("calendar")),
        }
        Ok(uid)
    }
}

#[cfg(test)]
#[path = "calendar_tests.rs"]
mod tests;

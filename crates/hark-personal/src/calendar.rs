//! The household's calendars: one file or folder of `.ics` files, and one CalDAV address; both are read, and new events go to
//! the server where there is one. What is written is read back, and told from there.

use crate::attendees::Answer;
use crate::dav::{EVENT, Kind, Resource, Server};
use crate::edit::{self, Change, Series};
use crate::error::PersonalError;
use crate::events::{self, Event, NewEvent, Occurrence, Time};
use crate::folder::{self, on_disk};
use crate::sources::Sources;
use chrono::{DateTime, Duration, NaiveDateTime, NaiveTime, Utc};
use hark_config::personal::PersonalConfig;
use hark_core::text::one_line;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use url::Url;

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
        span: (NaiveDateTime, NaiveDateTime),
        wall: Wall,
    ) -> Result<Found, PersonalError> {
        let objects = self.objects(Asked::Span(span)).await?;
        let found = tokio::task::spawn_blocking(move || {
            let mut found = Found::default();
            for object in &objects {
                let (events, unread) = events::read(&object.text, span, &*wall);
                found.events.extend(events.into_iter().map(|found| found.event));
                found.unread += unread;
            }
            found.events.sort_by(|a, b| (a.start, &a.title).cmp(&(b.start, &b.title)));
            // The same event may stand in a file and on the server.
            found.events.dedup_by(|a, b| a.uid == b.uid && a.start == b.start && !a.uid.is_empty());
            found.events.truncate(MAX_EVENTS);
            found
        });
        found.await.map_err(|error| PersonalError::BadAnswer("the calendar".into(), error.to_string()))
    }

    /// What may hold what is asked for, that of the server first.
    pub(crate) async fn objects(&self, asked: Asked) -> Result<Vec<Object>, PersonalError> {
        if !self.is_configured() {
            return Err(PersonalError::NotConfigured("calendar"));
        }
        let mut objects = Vec::new();
        if let Some(server) = &self.0.server {
            let server = server.as_ref().map_err(Clone::clone)?;
            let found = match asked {
                Asked::Span((from, to)) => {
                    // The wall is at most 14 hours from UTC.
                    let day = Duration::days(1);
                    let from = from.checked_sub_signed(day).unwrap_or(from);
                    server.events((from, to.checked_add_signed(day).unwrap_or(to))).await?
                }
                Asked::Tasks => server.tasks().await?,
            };
            objects.extend(found.into_iter().map(|Resource { url, version, text }| Object {
                place: Place::Server(url),
                version: version.unwrap_or_default(),
                text,
            }));
        }
        if let Some(folder) = self.0.folder.clone() {
            let read = on_disk(move || folder::read(&folder, "ics")).await?;
            objects.extend(read.into_iter().map(|(path, text)| Object {
                place: Place::File(path),
                version: text.clone(),
                text,
            }));
        }
        Ok(objects)
    }

    /// Adds an event; answers it as the calendar has it then.
    ///
    /// # Errors
    /// When there is no calendar to write to, or it does not take the event.
    pub async fn add(
        &self,
        event: &NewEvent,
        now: DateTime<Utc>,
        wall: Wall,
    ) -> Result<(Event, Revision), PersonalError> {
        let is_right = match event.time {
            Time::Days(first, after) => first < after,
            Time::Moments(from, to) => from <= to,
        };
        if !is_right {
            return Err(PersonalError::BadEvent("the event ends before it begins"));
        }
        let uid = uuid::Uuid::new_v4().to_string();
        let text = events::write(event, &uid, now, &*wall);
        let place = self.keep(EVENT, &uid, text).await?;
        let there = self.object(&place).await?.ok_or_else(not_kept)?;
        let start = start_of(event.time, &wall);
        let added = in_text(&there.text, &uid, start, &wall).ok_or_else(not_kept)?;
        let revision = Revision { place: place.to_string(), before: None, after: Some(there.version) };
        Ok((added.event, revision))
    }

    /// Puts a text with one new entry to the others; answers where it is.
    pub(crate) async fn keep(&self, kind: &str, uid: &str, text: String) -> Result<Place, PersonalError> {
        let name = format!("{uid}.ics");
        match (&self.0.server, self.0.folder.clone()) {
            (Some(server), _) => {
                let server = server.as_ref().map_err(Clone::clone)?;
                Ok(Place::Server(server.add(kind, &name, text).await?))
            }
            (None, Some(folder)) => {
                let add = move || match folder.is_dir() {
                    true => folder::add(&folder, &name, &text).map(|()| Place::File(folder.join(name))),
                    false => {
                        let why = "events are added to a folder of files or a CalDAV server, not into a file";
                        Err(PersonalError::File { path: folder.display().to_string(), why: why.into() })
                    }
                };
                on_disk(add).await
            }
            (None, None) => Err(PersonalError::NotConfigured("calendar")),
        }
    }

    /// Changes an event that was found; answers it as the calendar has it then.
    ///
    /// # Errors
    /// When it is gone, another program changed it after it was read, or this change of it is not possible.
    pub async fn change(
        &self,
        event: &Event,
        change: &Change,
        series: Series,
        (now, wall): (DateTime<Utc>, Wall),
    ) -> Result<(Event, Revision), PersonalError> {
        let (object, found) = self.object_of(event, &wall).await?;
        let text = edit::change(&object.text, &found, change, series, (now, &*wall))?;
        let there = self.put(&object, Some(text)).await?.ok_or_else(not_kept)?;
        let start = change.time.map_or(event.start, |time| start_of(time, &wall));
        let changed = in_text(&there.text, &event.uid, start, &wall).ok_or_else(not_kept)?.event;
        let has = |wanted: &Option<String>, now: Option<&str>| {
            wanted.as_ref().is_none_or(|wanted| now.unwrap_or_default() == one_line(wanted, usize::MAX))
        };
        if !has(&change.title, Some(&changed.title)) || !has(&change.place, changed.place.as_deref()) {
            return Err(not_kept());
        }
        Ok((changed, object.revision(Some(there.version))))
    }

    /// Removes an event that was found, or one time of it.
    ///
    /// # Errors
    /// When it is gone, or another program changed it after it was read.
    pub async fn remove(
        &self,
        event: &Event,
        series: Series,
        (now, wall): (DateTime<Utc>, Wall),
    ) -> Result<Revision, PersonalError> {
        let (object, found) = self.object_of(event, &wall).await?;
        let left = edit::remove(&object.text, &found, series, now)?;
        let there = self.put(&object, left).await?;
        let is_there = there.as_ref().and_then(|there| in_text(&there.text, &event.uid, event.start, &wall));
        match is_there {
            Some(_) => Err(not_kept()),
            None => Ok(object.revision(there.map(|there| there.version))),
        }
    }

    /// Answers an invitation to an event that was found, for whoever has one of these addresses; answers the event as the calendar
    /// has it then, and whether the server tells the organizer. A file tells nobody.
    ///
    /// # Errors
    /// When it is gone, nobody of them is invited, or another program changed it after it was read.
    pub async fn answer(
        &self,
        event: &Event,
        (addresses, answer): (&[String], Answer),
        series: Series,
        (now, wall): (DateTime<Utc>, Wall),
    ) -> Result<(Event, Revision, bool), PersonalError> {
        let (object, found) = self.object_of(event, &wall).await?;
        let text = edit::answer(&object.text, &found, (addresses, answer), series, now)?;
        let there = self.put(&object, Some(text)).await?.ok_or_else(not_kept)?;
        let answered = in_text(&there.text, &event.uid, event.start, &wall).ok_or_else(not_kept)?.event;
        if !has_answered(&answered, addresses, answer) {
            return Err(not_kept());
        }
        let is_sent = match &object.place {
            Place::Server(url) => event.organizer.is_some() && self.server()?.schedules(url).await,
            Place::File(_) => false,
        };
        Ok((answered, object.revision(Some(there.version)), is_sent))
    }

    /// Puts back what a change did, where nothing was changed since.
    ///
    /// # Errors
    /// `Changed` where something was.
    pub async fn put_back(&self, revision: &Revision) -> Result<(), PersonalError> {
        let place =
            match Url::parse(&revision.place).ok().filter(|url| matches!(url.scheme(), "http" | "https")) {
                Some(url) => Place::Server(url),
                None => Place::File(PathBuf::from(&revision.place)),
            };
        match (place, revision.before.clone(), revision.after.clone()) {
            (Place::Server(url), before, after) => {
                let server = self.server()?;
                match (before, after) {
                    (Some(before), after) => server.put(&url, before, after.as_deref()).await,
                    (None, Some(after)) => server.delete(&url, &after).await,
                    (None, None) => Ok(()),
                }
            }
            (Place::File(path), before, after) => {
                let put_back = move || match (before, after) {
                    (Some(before), Some(after)) => folder::replace(&path, &after, &before),
                    (Some(before), None) => {
                        let name = path.file_name().unwrap_or_default().to_string_lossy();
                        folder::add(path.parent().unwrap_or(&path), &name, &before)
                    }
                    (None, Some(after)) => folder::remove(&path, &after),
                    (None, None) => Ok(()),
                };
                on_disk(put_back).await
            }
        }
    }

    fn server(&self) -> Result<&Server, PersonalError> {
        let server = self.0.server.as_ref().ok_or(PersonalError::NotConfigured("calendar"))?;
        server.as_ref().map_err(Clone::clone)
    }

    /// The object that tells an event at this time.
    async fn object_of(&self, event: &Event, wall: &Wall) -> Result<(Object, Occurrence), PersonalError> {
        let span = (event.start, event.end.max(event.start + Duration::minutes(1)));
        for object in self.objects(Asked::Span(span)).await? {
            if let Some(found) = in_text(&object.text, &event.uid, event.start, wall) {
                return Ok((object, found));
            }
        }
        Err(PersonalError::Gone)
    }

    /// What is at a place now.
    pub(crate) async fn object(&self, place: &Place) -> Result<Option<Object>, PersonalError> {
        let found = match place {
            Place::Server(url) => {
                let found = self.server()?.get(url).await?;
                found.map(|found| (found.text, found.version.unwrap_or_default()))
            }
            Place::File(path) => {
                let path = path.clone();
                on_disk(move || folder::now(&path)).await?.map(|text| (text.clone(), text))
            }
        };
        Ok(found.map(|(text, version)| Object { place: place.clone(), text, version }))
    }

    /// Writes an object anew, or removes it; answers what is there then.
    pub(crate) async fn put(
        &self,
        object: &Object,
        text: Option<String>,
    ) -> Result<Option<Object>, PersonalError> {
        match (&object.place, text) {
            (Place::Server(_), _) if object.version.is_empty() => {
                let why = "it tells no version of the event, so that a change could overwrite another one";
                return Err(PersonalError::BadAnswer("the calendar".into(), why.into()));
            }
            (Place::Server(url), Some(text)) => self.server()?.put(url, text, Some(&object.version)).await?,
            (Place::Server(url), None) => self.server()?.delete(url, &object.version).await?,
            (Place::File(path), text) => {
                // The one file of a calendar stays, without its last event.
                let is_only = self.0.folder.as_ref() == Some(path);
                let text = text.or_else(|| is_only.then(|| EMPTY.to_owned()));
                let (path, before) = (path.clone(), object.text.clone());
                let write = move || match text {
                    Some(text) => folder::replace(&path, &before, &text),
                    None => folder::remove(&path, &before),
                };
                on_disk(write).await?;
            }
        }
        self.object(&object.place).await
    }
}

/// A calendar with nothing in it.
const EMPTY: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Hark//hark//EN\r\nEND:VCALENDAR\r\n";

/// What a change did, to put it back: texts and versions of what is at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// A path, or an address.
    pub place: String,
    /// The text that was there; `None` when there was none.
    pub before: Option<String>,
    /// The version that is there now: of a file its text; `None` when there is none.
    pub after: Option<String>,
}

/// What is asked of the calendars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// What is in a span of time.
    Span((NaiveDateTime, NaiveDateTime)),
    /// Every task.
    Tasks,
}

/// Where an object is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    File(PathBuf),
    Server(Url),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Server(url) => write!(f, "{url}"),
        }
    }
}

/// A text of a calendar, and which version of it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) place: Place,
    pub(crate) text: String,
    pub(crate) version: String,
}

impl Object {
    /// What a change of it did.
    pub(crate) fn revision(self, after: Option<String>) -> Revision {
        Revision { place: self.place.to_string(), before: Some(self.text), after }
    }
}

/// The event of this id that begins at `start`, in a text.
fn in_text(text: &str, uid: &str, start: NaiveDateTime, wall: &Wall) -> Option<Occurrence> {
    let (found, _) = events::read(text, (start, start + Duration::minutes(1)), &**wall);
    found.into_iter().find(|found| found.event.uid == uid && found.event.start == start)
}

fn start_of(time: Time, wall: &Wall) -> NaiveDateTime {
    match time {
        Time::Days(first, _) => first.and_time(NaiveTime::MIN),
        Time::Moments(from, _) => wall(from),
    }
}

/// Whether some of these addresses are invited, and all of them have given this answer.
fn has_answered(event: &Event, addresses: &[String], answer: Answer) -> bool {
    let mut own = event.attendees.iter().filter(|one| one.is_one_of(addresses)).peekable();
    own.peek().is_some() && own.all(|one| one.answer == answer)
}

pub(crate) fn not_kept() -> PersonalError {
    PersonalError::BadAnswer("the calendar".into(), "it does not show the change".into())
}

#[cfg(test)]
#[path = "calendar_tests.rs"]
mod tests;

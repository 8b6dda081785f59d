//! Tools of the household's notes, calendars, tasks and contacts. What these say is text from outside.

pub(super) mod calendar;
pub(super) mod calendar_changes;
pub(super) mod contacts;
pub(super) mod note_changes;
pub(super) mod notes;
pub(super) mod tasks;

use super::outcome::Failure;
use super::services::Services;
use chrono::{Datelike, Duration, Months, NaiveDate, NaiveDateTime, Timelike};
use hark_core::calendar::When;
use hark_core::tool::{
    error_code,
    reason::{self, Part, Service},
};
use hark_personal::PersonalError;
use serde_json::{Map, Value, json};

/// Words to look for, without the article that people say before them: "the boiler", "der Heizung".
pub(in crate::tools) fn without_article(services: &Services, words: &str) -> String {
    let articles = &hark_language::of(&services.language).tools.names.articles;
    match words.split_once(' ') {
        Some((first, rest)) if articles.iter().any(|word| **word == first.to_lowercase()) => {
            rest.trim().to_owned()
        }
        _ => words.to_owned(),
    }
}

/// A day as responses say it.
fn day_fields(day: NaiveDate, today: NaiveDate) -> Map<String, Value> {
    let fields = [
        ("date", json!(day.to_string())),
        ("weekday", json!(day.format("%A").to_string())),
        ("day", json!(day.day())),
        ("month", json!(day.format("%B").to_string())),
        ("days_ahead", json!((day - today).num_days())),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A moment, day or stretch of days as responses say it; `whole_month` where it is a month.
pub(in crate::tools) fn when_fields(when: &When, now: NaiveDateTime) -> Map<String, Value> {
    let (start, end) = (when.start(), when.end());
    let mut fields = day_fields(start.date(), now.date());
    fields.insert("year".to_owned(), json!(start.year()));
    fields.insert("this_year".to_owned(), json!(start.year() == now.year()));
    fields.insert("timed".to_owned(), json!(when.has_time()));
    fields.insert("hour".to_owned(), json!(start.hour()));
    fields.insert("minute".to_owned(), json!(start.minute()));
    if let When::Days(from, to) = when {
        let is_month = from.day() == 1 && from.checked_add_months(Months::new(1)) == Some(*to);
        fields.insert("whole_month".to_owned(), json!(is_month));
        fields.insert(
            "last".to_owned(),
            Value::Object(day_fields((end - Duration::days(1)).date(), now.date())),
        );
    }
    fields
}

impl From<PersonalError> for Failure {
    fn from(error: PersonalError) -> Self {
        let message = error.to_string();
        let failure = |code| Self::new(code, message.clone());
        match error {
            PersonalError::NotConfigured("calendar") => Self::not_set_up(Part::Calendar, message)
                .fix("name one: personal.calendar_path = \"~/Calendar\", or personal.caldav_url"),
            PersonalError::NotConfigured(_) => Self::not_set_up(Part::Contacts, message)
                .fix("name one: personal.contacts_path = \"~/Contacts\", or personal.carddav_url"),
            PersonalError::BadUrl { .. } => Self::not_set_up(Part::PersonalAddress, message)
                .fix("correct personal.caldav_url or personal.carddav_url"),
            PersonalError::NoPassword { .. } | PersonalError::Denied(_) => failure(error_code::FAILED)
                .of_service(reason::SERVICE_LOGIN, Service::Personal)
                .fix("correct the user name and the file of the password in [personal]"),
            PersonalError::File { .. } => failure(error_code::FAILED)
                .because(reason::FILE_UNUSABLE)
                .fix("look whether Hark may use that path, or correct [personal]"),
            PersonalError::Unreachable(..) => failure(error_code::OFFLINE)
                .of_service(reason::SERVICE_DOWN, Service::Personal)
                .fix("look whether the server runs"),
            PersonalError::Timeout(_) => {
                failure(error_code::TIMEOUT).of_service(reason::SERVICE_SLOW, Service::Personal)
            }
            PersonalError::BadAnswer(..) => failure(error_code::FAILED)
                .of_service(reason::SERVICE_WRONG, Service::Personal)
                .fix("use the address of a calendar or address book"),
            PersonalError::BadEvent(_) => failure(error_code::BAD_ARGUMENT),
            PersonalError::Gone => failure(error_code::NOT_FOUND).because(reason::NO_SUCH_EVENT),
            PersonalError::Changed => failure(error_code::FAILED).because(reason::CHANGED_MEANWHILE),
            PersonalError::TaskRepeats => failure(error_code::UNSUPPORTED).because(reason::TASK_REPEATS),
            PersonalError::NotInvited => failure(error_code::UNSUPPORTED)
                .because(reason::NOT_INVITED)
                .fix("put the address the invitation was sent to into personal.own_addresses"),
            PersonalError::OtherDays => failure(error_code::UNSUPPORTED).because(reason::ONLY_TIME_OF_DAY),
        }
    }
}

//! Calendars of files: read, added to, and refused where they cannot be.

use super::*;
use std::fs;

fn wall() -> Wall {
    Arc::new(|unix_s| DateTime::from_timestamp(unix_s, 0).unwrap_or_default().naive_utc())
}

fn day(text: &str) -> (NaiveDateTime, NaiveDateTime) {
    let start = NaiveDateTime::parse_from_str(&format!("{text}T00:00"), "%Y-%m-%dT%H:%M").unwrap();
    (start, start + Duration::days(1))
}

fn dentist() -> NewEvent {
    // 2026-11-27 15:00 to 16:00 UTC.
    let time = Time::Moments(1_795_791_600, 1_795_795_200);
    NewEvent { title: "Dentist".into(), place: None, time, remind_minutes: None }
}

#[tokio::test]
async fn an_event_that_was_added_is_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.txt"), "BEGIN:VCALENDAR").unwrap();
    let path = folder.path().display().to_string();
    let calendars = Calendars::new(&PersonalConfig { calendar_path: path, ..PersonalConfig::default() });
    let uid = calendars.add(&dentist(), Utc::now()).await.unwrap();
    let found = calendars.read(day("2026-11-27"), wall()).await.unwrap();
    assert_eq!((found.events.len(), found.unread), (1, 0));
    assert_eq!((found.events[0].uid.as_str(), found.events[0].title.as_str()), (uid.as_str(), "Dentist"));
    assert_eq!(calendars.read(day("2026-11-28"), wall()).await.unwrap(), Found::default());
    let backwards = NewEvent { time: Time::Moments(2, 1), ..dentist() };
    assert!(matches!(calendars.add(&backwards, Utc::now()).await, Err(PersonalError::BadEvent(_))));
}

#[tokio::test]
async fn what_is_not_there_is_told() {
    let none = Calendars::new(&PersonalConfig::default());
    assert!(!none.is_configured());
    assert_eq!(none.read(day("2026-11-27"), wall()).await, Err(PersonalError::NotConfigured("calendar")));
    let gone = PersonalConfig { calendar_path: "/nowhere/calendar".into(), ..PersonalConfig::default() };
    assert!(matches!(
        Calendars::new(&gone).read(day("2026-11-27"), wall()).await,
        Err(PersonalError::File { .. })
    ));
    for (url, is_bad) in
        [("ftp://x", true), ("http://me:pw@127.0.0.1:9", true), ("http://127.0.0.1:9", false)]
    {
        let config = PersonalConfig { caldav_url: url.into(), ..PersonalConfig::default() };
        let error = Calendars::new(&config).read(day("2026-11-27"), wall()).await.unwrap_err();
        assert_eq!(matches!(error, PersonalError::BadUrl { .. }), is_bad, "{error:?}");
    }
}

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
    NewEvent { title: "Dentist".into(), place: None, time, remind_minutes: None, repeats: None, zone: None }
}

#[tokio::test]
async fn an_event_that_was_added_is_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.txt"), "BEGIN:VCALENDAR").unwrap();
    let path = folder.path().display().to_string();
    let calendars = Calendars::new(&PersonalConfig { calendar_path: path, ..PersonalConfig::default() });
    let (added, _) = calendars.add(&dentist(), Utc::now(), wall()).await.unwrap();
    let found = calendars.read(day("2026-11-27"), wall()).await.unwrap();
    assert_eq!((found.events.len(), found.unread), (1, 0));
    assert_eq!((&found.events[0], found.events[0].title.as_str()), (&added, "Dentist"));
    assert_eq!(calendars.read(day("2026-11-28"), wall()).await.unwrap(), Found::default());
    let backwards = NewEvent { time: Time::Moments(2, 1), ..dentist() };
    assert!(matches!(calendars.add(&backwards, Utc::now(), wall()).await, Err(PersonalError::BadEvent(_))));
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

/// A calendar in a folder with this one file.
fn kept(text: &str) -> (tempfile::TempDir, Calendars) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("home.ics"), text).unwrap();
    let path = folder.path().display().to_string();
    let calendars = Calendars::new(&PersonalConfig { calendar_path: path, ..PersonalConfig::default() });
    (folder, calendars)
}

const TWO: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nX-WR-CALNAME:Home\r\n\
BEGIN:VEVENT\r\nUID:1\r\nDTSTART:20261127T090000Z\r\nDTEND:20261127T100000Z\r\nSUMMARY:Dentist\r\nEND:VEVENT\r\n\
BEGIN:VEVENT\r\nUID:2\r\nDTSTART:20261127T120000Z\r\nDURATION:PT1H\r\nSUMMARY:Lunch\r\nX-ODD:a,b\\,c\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

#[tokio::test]
async fn a_change_is_read_back_and_put_back() {
    let (folder, calendars) = kept(TWO);
    let found = calendars.read(day("2026-11-27"), wall()).await.unwrap();
    let dentist = &found.events[0];
    let change = Change { time: Some(Time::Moments(1_795_856_400, 1_795_860_000)), ..Change::default() };
    let (moved, revision) =
        calendars.change(dentist, &change, Series::One, (Utc::now(), wall())).await.unwrap();
    assert_eq!(
        (moved.title.as_str(), moved.start, moved.end - moved.start),
        ("Dentist", day("2026-11-28").0 + Duration::hours(9), Duration::hours(1))
    );
    assert_eq!(calendars.read(day("2026-11-27"), wall()).await.unwrap().events.len(), 1);
    assert!(matches!(
        calendars.change(dentist, &change, Series::One, (Utc::now(), wall())).await,
        Err(PersonalError::Gone)
    ));
    calendars.put_back(&revision).await.unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("home.ics")).unwrap(), TWO, "byte by byte as it was");
    assert_eq!(calendars.put_back(&revision).await, Err(PersonalError::Changed));
}

#[tokio::test]
async fn what_is_removed_leaves_the_rest_and_the_last_takes_the_file_with_it() {
    let (folder, calendars) = kept(TWO);
    let path = folder.path().join("home.ics");
    let found = calendars.read(day("2026-11-27"), wall()).await.unwrap().events;
    calendars.remove(&found[0], Series::One, (Utc::now(), wall())).await.unwrap();
    let left = fs::read_to_string(&path).unwrap();
    assert!(
        !left.contains("Dentist") && left.contains("X-ODD:a,b\\,c\r\n") && left.contains("X-WR-CALNAME:Home")
    );
    let revision = calendars.remove(&found[1], Series::One, (Utc::now(), wall())).await.unwrap();
    assert!(!path.exists());
    calendars.put_back(&revision).await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), left);
    // The one file of a calendar stays.
    let config = PersonalConfig { calendar_path: path.display().to_string(), ..PersonalConfig::default() };
    Calendars::new(&config).remove(&found[1], Series::One, (Utc::now(), wall())).await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), EMPTY);
}

#[tokio::test]
async fn an_event_that_repeats_keeps_its_time_of_day() {
    let (_folder, calendars) = kept(TWO);
    // 2026-11-24 17:00 UTC: six in the evening in Berlin.
    let time = Time::Moments(1_795_539_600, 1_795_543_200);
    let event = NewEvent {
        title: "Football".into(),
        time,
        repeats: Some("FREQ=WEEKLY;BYDAY=TU".into()),
        zone: Some("Europe/Berlin".into()),
        ..dentist()
    };
    let (added, revision) = calendars.add(&event, Utc::now(), wall()).await.unwrap();
    assert!(added.repeats && added.title == "Football");
    let text = revision.after.clone().unwrap();
    assert!(
        text.contains("BEGIN:VTIMEZONE") && text.contains("DTSTART;TZID=Europe/Berlin:20261124T180000"),
        "{text}"
    );
    calendars.put_back(&revision).await.unwrap();
    assert_eq!(calendars.read(day("2026-11-24"), wall()).await.unwrap().events.len(), 0);
    calendars.add(&event, Utc::now(), wall()).await.unwrap();
    let summer = calendars.read(day("2027-07-06"), wall()).await.unwrap().events;
    assert_eq!(
        summer[0].start,
        day("2027-07-06").0 + Duration::hours(16),
        "its zone is two hours ahead then"
    );
}

#[tokio::test]
async fn whether_a_server_tells_organizers_is_asked() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/anna/1.ics", listener.local_addr().unwrap());
    let answers = std::thread::spawn(move || {
        for (status, dav) in [
            ("200 OK", "1, 2\r\nDAV: calendar-access, calendar-auto-schedule"),
            ("200 OK", "1, calendar-access"),
            ("403 Forbidden", "1, calendar-auto-schedule"),
        ] {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 1024];
            let read = stream.read(&mut asked).unwrap();
            assert!(asked[..read].starts_with(b"OPTIONS /anna/1.ics "));
            let head =
                format!("HTTP/1.1 {status}\r\nDAV: {dav}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            stream.write_all(head.as_bytes()).unwrap();
        }
    });
    let timeout = std::time::Duration::from_secs(10);
    let server = Server::new(Kind::Calendar, (&address, "", ""), "none", timeout).unwrap();
    let url = Url::parse(&address).unwrap();
    assert!(server.schedules(&url).await);
    assert!(!server.schedules(&url).await);
    assert!(!server.schedules(&url).await, "one that refuses the question tells nobody");
    answers.join().unwrap();
}

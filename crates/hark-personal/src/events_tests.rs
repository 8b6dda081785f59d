//! Events of real texts: recurring ones, time zones, whole days; what is written is read again.

use super::*;

const CALENDAR: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\n\
BEGIN:VEVENT\r\nUID:1\r\nDTSTART;TZID=Europe/Berlin:20260105T090000\r\nDTEND;TZID=Europe/Berlin:20260105T100000\r\n\
RRULE:FREQ=WEEKLY;BYDAY=MO\r\nEXDATE;TZID=Europe/Berlin:20261130T090000\r\nSUMMARY:Team meeting\r\nLOCATION:Room 4\\, left\r\nEND:VEVENT\r\n\
BEGIN:VEVENT\r\nUID:1\r\nRECURRENCE-ID;TZID=Europe/Berlin:20261207T090000\r\nDTSTART;TZID=Europe/Berlin:20261207T110000\r\n\
DTEND;TZID=Europe/Berlin:20261207T113000\r\nSUMMARY:Team meeting\\, late\r\nEND:VEVENT\r\n\
BEGIN:VEVENT\r\nUID:2\r\nDTSTART;VALUE=DATE:20261128\r\nDTEND;VALUE=DATE:20261130\r\nSUMMARY:Weekend away\r\nEND:VEVENT\r\n\
BEGIN:VEVENT\r\nUID:3\r\nDTSTART:20261128T230000Z\r\nDURATION:PT30M\r\nSUMMARY:Call overseas\r\nEND:VEVENT\r\n\
BEGIN:VEVENT\r\nUID:4\r\nDTSTART:20261128T080000\r\nDTEND:20261128T083000\r\nSUMMARY:Breakfast\r\nSTATUS:CANCELLED\r\nEND:VEVENT\r\n\
BEGIN:VEVENT\r\nUID:5\r\nDTSTART:20261128T090000\r\nSUMMARY:Floating\r\nEND:VEVENT\r\n\
BEGIN:VTODO\r\nUID:6\r\nDUE;VALUE=DATE:20261128\r\nSUMMARY:Taxes\r\nEND:VTODO\r\n\
BEGIN:VTODO\r\nUID:7\r\nCREATED:20261128T100000Z\r\nSUMMARY:Some day\r\nEND:VTODO\r\n\
END:VCALENDAR\r\n";

fn at(text: &str) -> NaiveDateTime {
    NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").unwrap()
}

/// A house in Berlin in winter, one hour ahead of UTC.
fn berlin(unix_s: i64) -> NaiveDateTime {
    DateTime::from_timestamp(unix_s + 3600, 0).unwrap().naive_utc()
}

fn events_of(text: &str, span: (NaiveDateTime, NaiveDateTime)) -> Vec<Event> {
    let (found, unread) = read(text, span, &berlin);
    assert_eq!(unread, 0, "{text}");
    found.into_iter().map(|found| found.event).collect()
}

fn on(from: &str, to: &str) -> Vec<(String, String, String)> {
    let mut events = events_of(CALENDAR, (at(from), at(to)));
    events.sort_by_key(|event| (event.start, event.title.clone()));
    let shown = |time: NaiveDateTime| time.format("%Y-%m-%dT%H:%M").to_string();
    events.into_iter().map(|event| (event.title, shown(event.start), shown(event.end))).collect()
}

#[test]
fn events_of_a_day_are_told_by_the_clock_of_the_house() {
    let day = on("2026-11-28T00:00", "2026-11-29T00:00");
    let titles: Vec<&str> = day.iter().map(|(title, ..)| title.as_str()).collect();
    assert_eq!(titles, ["Taxes", "Weekend away", "Floating"], "cancelled ones are not told");
    let next = on("2026-11-29T00:00", "2026-11-30T00:00");
    assert_eq!(next[0].0, "Weekend away", "it lasts two days");
    assert_eq!(next[1], ("Call overseas".into(), "2026-11-29T00:00".into(), "2026-11-29T00:30".into()));
    assert_eq!(on("2026-11-30T00:00", "2026-12-01T00:00"), [], "the meeting is left out on that day");
}

#[test]
fn recurring_events_come_one_by_one_and_changed_ones_as_they_are() {
    let monday = on("2026-11-23T00:00", "2026-11-24T00:00");
    assert_eq!(monday, [("Team meeting".into(), "2026-11-23T09:00".into(), "2026-11-23T10:00".into())]);
    let moved = on("2026-12-07T00:00", "2026-12-08T00:00");
    assert_eq!(moved, [("Team meeting, late".into(), "2026-12-07T11:00".into(), "2026-12-07T11:30".into())]);
    // In summer its zone is two hours from UTC, this house still one: it is told by the clock here.
    assert_eq!(on("2026-07-06T00:00", "2026-07-07T00:00")[0].1, "2026-07-06T08:00");
    let events = events_of(CALENDAR, (at("2026-11-23T00:00"), at("2026-11-24T00:00")));
    assert!(events[0].repeats && events[0].place.as_deref() == Some("Room 4, left"));
}

#[test]
fn a_changed_time_belongs_to_its_own_series_whatever_revision_it_is() {
    let series = |uid: &str, title: &str| {
        format!(
            "BEGIN:VEVENT\r\nUID:{uid}\r\nSEQUENCE:1\r\nDTSTART:20261123T090000Z\r\nDTEND:20261123T093000Z\r\nRRULE:FREQ=DAILY\r\nSUMMARY:{title}\r\nEND:VEVENT\r\n"
        )
    };
    let moved = "BEGIN:VEVENT\r\nUID:b\r\nSEQUENCE:4\r\nRECURRENCE-ID:20261124T090000Z\r\nDTSTART:20261124T150000Z\r\nSUMMARY:Two, late\r\nEND:VEVENT\r\n";
    let text = format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}{}{moved}END:VCALENDAR\r\n",
        series("a", "One"),
        series("b", "Two")
    );
    let mut events = events_of(&text, (at("2026-11-24T00:00"), at("2026-11-25T00:00")));
    events.sort_by_key(|event| event.start);
    let shown: Vec<(&str, NaiveDateTime)> =
        events.iter().map(|event| (event.title.as_str(), event.start)).collect();
    assert_eq!(shown, [("One", at("2026-11-24T10:00")), ("Two, late", at("2026-11-24T16:00"))]);
}

#[test]
fn what_is_written_is_read_again_whatever_it_says() {
    let title = "Dentist; bring card, \"x\"\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:injected \\ ä"
        .to_owned()
        + &"ö".repeat(90);
    let event = NewEvent {
        title: title.clone(),
        place: Some("High Street 3, 2nd floor".into()),
        time: Time::Moments(1_795_903_200, 1_795_906_800),
        remind_minutes: Some(30),
        repeats: None,
        zone: None,
    };
    let text = write(&event, "u-1", DateTime::from_timestamp(0, 0).unwrap(), &berlin);
    assert!(text.lines().all(|line| line.len() <= 75), "{text}");
    let all = (at("2000-01-01T00:00"), at("2100-01-01T00:00"));
    let events = events_of(&text, all);
    assert_eq!(events.len(), 1, "{text}");
    assert_eq!(events[0].title, one_line(&title, MAX_CHARS));
    assert_eq!(events[0].place.as_deref(), Some("High Street 3, 2nd floor"));
    assert_eq!((events[0].start, events[0].end), (berlin(1_795_903_200), berlin(1_795_906_800)));
    assert!(text.contains("TRIGGER:-PT30M"));
    let day = at("2026-11-28T00:00").date();
    let event = NewEvent {
        time: Time::Days(day, day.succ_opt().unwrap()),
        place: None,
        remind_minutes: None,
        ..event
    };
    let text = write(&event, "u-2", DateTime::from_timestamp(0, 0).unwrap(), &berlin);
    let events = events_of(&text, all);
    assert!(events[0].is_all_day && events[0].end == at("2026-11-29T00:00"));
}

#[test]
fn bad_texts_end_and_are_counted() {
    let all = (at("2026-01-01T00:00"), at("2027-01-01T00:00"));
    for text in
        ["", "nonsense", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:x", "\u{feff}BEGIN:VCALENDAR\nEND:VCALENDAR"]
    {
        read(text, all, &berlin);
    }
    let lost = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:no time\nEND:VEVENT\nEND:VCALENDAR\n";
    let (events, unread) = read(lost, all, &berlin);
    assert_eq!((events.len(), unread), (0, 1));
    let endless = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:19000101T000000Z\nRRULE:FREQ=SECONDLY\nSUMMARY:x\nEND:VEVENT\nEND:VCALENDAR\n";
    assert_eq!(read(endless, all, &berlin).0.len(), 0);
}

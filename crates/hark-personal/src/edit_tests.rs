//! Changes of real texts: what they say afterwards, and that all else in them is as it was.

use super::*;
use crate::events::{self, Event};

const CALENDAR: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nX-WR-CALNAME:Home\r\n\
BEGIN:VEVENT\r\nUID:team\r\nDTSTAMP:20260101T000000Z\r\nSEQUENCE:2\r\nDTSTART;TZID=Europe/Berlin:20260105T090000\r\n\
DTEND;TZID=Europe/Berlin:20260105T100000\r\nRRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20270101T080000Z\r\n\
EXDATE;TZID=Europe/Berlin:20261130T090000\r\nSUMMARY:Team meeting\r\nATTENDEE;CN=\"A: B\":mailto:a@example.org\r\n\
DESCRIPTION:a long text that is folded by whoever wrote it\\, as RFC 5545 wants\r\n  it\r\n\
BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT5M\r\nDESCRIPTION:soon\r\nSUMMARY:soon\r\nEND:VALARM\r\nEND:VEVENT\r\n\
BEGIN:VEVENT\r\nUID:call\r\nDTSTART:20261128T230000Z\r\nDURATION:PT30M\r\nSUMMARY:Call overseas\r\nURL:https://example.org/?a=1,2\r\nEND:VEVENT\r\n\
BEGIN:VEVENT\r\nUID:trip\r\nDTSTART;VALUE=DATE:20261128\r\nDTEND;VALUE=DATE:20261130\r\nSUMMARY:Weekend away\r\nEND:VEVENT\r\n\
BEGIN:VTODO\r\nUID:tax\r\nDUE;VALUE=DATE:20261128\r\nSUMMARY:Taxes\r\nEND:VTODO\r\nEND:VCALENDAR\r\n";

fn at(text: &str) -> NaiveDateTime {
    NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").unwrap()
}

/// A house in Berlin in winter, one hour ahead of UTC.
fn berlin(unix_s: i64) -> NaiveDateTime {
    DateTime::from_timestamp(unix_s + 3600, 0).unwrap().naive_utc()
}

fn moments(from: &str, minutes: i64) -> Time {
    let from = at(from).and_utc().timestamp() - 3600;
    Time::Moments(from, from + minutes * 60)
}

fn found(text: &str, uid: &str, day: &str) -> Occurrence {
    let from = at(&format!("{day}T00:00"));
    let (found, unread) = events::read(text, (from, from + Duration::days(1)), &berlin);
    assert_eq!(unread, 0, "{text}");
    found
        .into_iter()
        .find(|found| found.event.uid == uid)
        .unwrap_or_else(|| panic!("no {uid} on {day}: {text}"))
}

/// When and what is in the calendar on some days, of one event.
fn of(text: &str, uid: &str, (from, to): (&str, &str)) -> Vec<(String, String)> {
    let day = |day: &str| at(&format!("{day}T00:00"));
    let (found, unread) = events::read(text, (day(from), day(to)), &berlin);
    assert_eq!(unread, 0, "{text}");
    let mut events: Vec<Event> = found.into_iter().map(|found| found.event).collect();
    events.retain(|event| event.uid == uid);
    events.sort_by_key(|event| event.start);
    let shown = |event: Event| (event.start.format("%m-%dT%H:%M").to_string(), event.title);
    events.into_iter().map(shown).collect()
}

fn changed(found: &Occurrence, wanted: &Change, series: Series) -> Result<String, PersonalError> {
    change(CALENDAR, found, wanted, series, (DateTime::from_timestamp(0, 0).unwrap(), &berlin))
}

fn to(time: Time) -> Change {
    Change { time: Some(time), ..Change::default() }
}

fn pair(time: &str, title: &str) -> (String, String) {
    (time.into(), title.into())
}

#[test]
fn one_event_is_moved_and_all_else_stays_byte_by_byte() {
    let call = found(CALENDAR, "call", "2026-11-29");
    let text = changed(&call, &to(moments("2026-12-01T10:30", 45)), Series::One).unwrap();
    assert_eq!(of(&text, "call", ("2026-11-01", "2027-01-01")), [pair("12-01T10:30", "Call overseas")]);
    let kept = |line: &&str| {
        ![
            "DTSTART:2026112",
            "DURATION",
            "DTSTART:2026120",
            "DTEND:2026120",
            "SEQUENCE:1",
            "DTSTAMP:1970",
            "LAST-MODIFIED:",
        ]
        .iter()
        .any(|changed| line.starts_with(changed))
    };
    let (before, after): (Vec<&str>, Vec<&str>) =
        (CALENDAR.lines().filter(kept).collect(), text.lines().filter(kept).collect());
    assert_eq!(before, after);
    assert!(text.contains("DTEND:20261201T101500Z\r\n") && !text.contains("DURATION:PT30M"));
}

#[test]
fn one_time_of_a_series_gets_a_component_of_its_own() {
    let team = found(CALENDAR, "team", "2026-11-23");
    let text = changed(&team, &to(moments("2026-11-24T11:00", 30)), Series::One).unwrap();
    let about = ("2026-11-16", "2026-12-08");
    let title = "Team meeting";
    assert_eq!(
        of(&text, "team", about),
        [pair("11-16T09:00", title), pair("11-24T11:00", title), pair("12-07T09:00", title)]
    );
    assert!(text.contains("RECURRENCE-ID;TZID=Europe/Berlin:20261123T090000\r\n"));
    assert_eq!((text.matches("BEGIN:VALARM").count(), text.matches("RRULE").count()), (2, 1));
    // The same time once more, then by another name.
    let again = found(&text, "team", "2026-11-24");
    assert!(again.is_override);
    let now = DateTime::from_timestamp(0, 0).unwrap();
    let wanted = Change { title: Some("Late, one".into()), place: Some("Room 4; left".into()), time: None };
    let text = change(&text, &again, &wanted, Series::One, (now, &berlin)).unwrap();
    assert_eq!(of(&text, "team", about)[1], pair("11-24T11:00", "Late, one"));
    assert_eq!(found(&text, "team", "2026-11-24").event.place.as_deref(), Some("Room 4; left"));
    // And taken out.
    let text = remove(&text, &found(&text, "team", "2026-11-24"), Series::One, now).unwrap().unwrap();
    assert_eq!(of(&text, "team", about), [pair("11-16T09:00", title), pair("12-07T09:00", title)]);
}

#[test]
fn a_series_is_moved_as_a_whole_with_its_exceptions() {
    let team = found(CALENDAR, "team", "2026-11-23");
    let text = changed(&team, &to(moments("2026-11-23T10:15", 60)), Series::All).unwrap();
    let title = "Team meeting";
    assert_eq!(
        of(&text, "team", ("2026-11-16", "2026-12-08")),
        [pair("11-16T10:15", title), pair("11-23T10:15", title), pair("12-07T10:15", title)]
    );
    assert!(text.contains("UNTIL=20270101T091500Z") && text.contains("SEQUENCE:3"));
    let days = [
        to(moments("2026-11-24T09:00", 60)),
        to(Time::Days(at("2026-11-23T00:00").date(), at("2026-11-24T00:00").date())),
    ];
    for wanted in days {
        assert_eq!(changed(&team, &wanted, Series::All), Err(PersonalError::OtherDays));
    }
    let renamed =
        changed(&team, &Change { title: Some("Stand-up".into()), ..Change::default() }, Series::All).unwrap();
    assert!(of(&renamed, "team", ("2026-11-16", "2026-12-08")).iter().all(|(_, title)| title == "Stand-up"));
    assert!(renamed.contains("SUMMARY:soon"), "the alarm's own");
}

#[test]
fn what_is_removed_is_out_and_the_rest_stays() {
    let now = DateTime::from_timestamp(0, 0).unwrap();
    let team = found(CALENDAR, "team", "2026-11-23");
    let text = remove(CALENDAR, &team, Series::One, now).unwrap().unwrap();
    assert_eq!(of(&text, "team", ("2026-11-16", "2026-12-08")).len(), 2);
    let mut text = CALENDAR.to_owned();
    for (uid, day) in [("team", "2026-11-23"), ("call", "2026-11-29"), ("trip", "2026-11-29")] {
        text = remove(&text, &found(&text, uid, day), Series::All, now).unwrap().unwrap();
        assert!(!text.contains(&format!("UID:{uid}")));
    }
    assert_eq!(remove(&text, &found(&text, "tax", "2026-11-28"), Series::All, now), Ok(None));
}

#[test]
fn days_become_moments_and_what_cannot_be_is_refused() {
    let trip = found(CALENDAR, "trip", "2026-11-28");
    let text = changed(&trip, &to(moments("2026-12-04T18:00", 60)), Series::One).unwrap();
    assert!(
        text.contains("DTSTART:20261204T170000Z\r\n") && !found(&text, "trip", "2026-12-04").event.is_all_day
    );
    let tax = found(CALENDAR, "tax", "2026-11-28");
    assert!(matches!(
        changed(&tax, &to(moments("2026-12-04T18:00", 60)), Series::One),
        Err(PersonalError::BadEvent(_))
    ));
    let text =
        changed(&tax, &Change { title: Some("x\r\nEND:VTODO".into()), ..Change::default() }, Series::One)
            .unwrap();
    assert!(text.contains("SUMMARY:x END:VTODO\r\n"));
    let mut nameless = trip;
    nameless.event.uid.clear();
    assert!(matches!(changed(&nameless, &Change::default(), Series::One), Err(PersonalError::BadEvent(_))));
}

const INVITED: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:inv\r\nSEQUENCE:3\r\n\
DTSTART:20261127T090000Z\r\nDTEND:20261127T100000Z\r\nRRULE:FREQ=WEEKLY\r\nSUMMARY:Team meeting\r\n\
ORGANIZER;CN=Max Vogel:mailto:max@example.org\r\n\
ATTENDEE;CN=\"Berg; Anna: her\";PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:Anna@Example.org\r\n\
ATTENDEE;CN=Lena;PARTSTAT=ACCEPTED;EMAIL=lena@example.org:urn:uuid:5\r\n\
ATTENDEE;CUTYPE=ROOM;CN=Room 4;PARTSTAT=ACCEPTED:mailto:room4@example.org\r\n\
ATTENDEE:mailto:nina@example.org\r\nX-COLOUR:green\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

fn answers(event: &Event) -> Vec<(&str, &str)> {
    event.attendees.iter().map(|one| (one.name.as_str(), one.answer.word())).collect()
}

#[test]
fn an_invitation_is_answered_for_the_owner_alone() {
    let event = found(INVITED, "inv", "2026-11-27");
    assert_eq!(event.event.organizer.as_deref(), Some("Max Vogel"));
    let others = [("Lena", "accepted"), ("nina@example.org", "none")];
    let told = |own: &'static str| [vec![("Berg; Anna: her", own)], others.to_vec()].concat();
    assert_eq!(answers(&event.event), told("none"), "a room is nobody");
    let own = ["anna@example.org".to_owned()];
    let text = answer(INVITED, &event, (&own, Answer::Accepted), Series::All, DateTime::default()).unwrap();
    assert_eq!(answers(&found(&text, "inv", "2026-11-27").event), told("accepted"));
    for kept in ["SEQUENCE:3\r\n", "X-COLOUR:green\r\n", "RSVP=TRUE", "ATTENDEE:mailto:nina@example.org\r\n"]
    {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    // One time alone.
    let week = found(INVITED, "inv", "2026-12-04");
    let text = answer(INVITED, &week, (&own, Answer::Declined), Series::One, DateTime::default()).unwrap();
    assert_eq!(answers(&found(&text, "inv", "2026-12-04").event), told("declined"));
    assert_eq!(answers(&found(&text, "inv", "2026-11-27").event), told("none"));
    // An answer to one time alone stays when all are answered, but that of the time that is meant.
    let text = answer(&text, &event, (&own, Answer::Accepted), Series::All, DateTime::default()).unwrap();
    let own_at = |text: &str, day| found(text, "inv", day).event.attendees[0].answer;
    assert_eq!(own_at(&text, "2026-12-04"), Answer::Declined);
    assert_eq!(own_at(&text, "2026-11-27"), Answer::Accepted);
    let week = found(&text, "inv", "2026-12-11");
    let text = answer(&text, &week, (&own, Answer::Accepted), Series::One, DateTime::default()).unwrap();
    let week = found(&text, "inv", "2026-12-04");
    let text = answer(&text, &week, (&own, Answer::Tentative), Series::All, DateTime::default()).unwrap();
    for day in ["2026-11-27", "2026-12-04", "2026-12-11"] {
        assert_eq!(own_at(&text, day), Answer::Tentative, "{day}");
    }
    let nobody = ["max@example.org".to_owned(), String::new()];
    let refused = answer(INVITED, &event, (&nobody, Answer::Accepted), Series::All, DateTime::default());
    assert_eq!(refused, Err(PersonalError::NotInvited));
}

//! Tasks of real texts: those that are open, with and without a day; new ones, and those that are done, in a folder.

use super::*;
use hark_config::personal::PersonalConfig;
use std::fs;
use std::sync::Arc;

const TASKS: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\n\
BEGIN:VTODO\r\nUID:1\r\nSUMMARY:Tidy the attic\r\nCREATED:20261101T100000Z\r\nEND:VTODO\r\n\
BEGIN:VTODO\r\nUID:2\r\nSUMMARY:Pay the rent\r\nDUE;VALUE=DATE:20261204\r\nX-COLOUR:green\r\nEND:VTODO\r\n\
BEGIN:VTODO\r\nUID:3\r\nSUMMARY:Call Anna\r\nDTSTART:20261130T080000Z\r\nDUE;TZID=Europe/Berlin:20261201T150000\r\nEND:VTODO\r\n\
BEGIN:VTODO\r\nUID:4\r\nSUMMARY:Done already\r\nSTATUS:COMPLETED\r\nDUE:20261201T150000Z\r\nEND:VTODO\r\n\
BEGIN:VTODO\r\nUID:5\r\nSUMMARY:Done too\r\nCOMPLETED:20261101T100000Z\r\nEND:VTODO\r\n\
BEGIN:VTODO\r\nUID:6\r\nSUMMARY:Bins\r\nDUE;VALUE=DATE:20261202\r\nRRULE:FREQ=WEEKLY\r\nEND:VTODO\r\n\
BEGIN:VEVENT\r\nUID:7\r\nDTSTART:20261130T080000Z\r\nSUMMARY:An event\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// A house in Berlin.
fn wall() -> Wall {
    Arc::new(|unix_s| utc(unix_s).with_timezone(&Tz::from_str("Europe/Berlin").unwrap()).naive_local())
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_796_000_000, 0).unwrap()
}

fn kept() -> (tempfile::TempDir, Calendars) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tasks.ics"), TASKS).unwrap();
    let path = folder.path().display().to_string();
    let calendars = Calendars::new(&PersonalConfig { calendar_path: path, ..PersonalConfig::default() });
    (folder, calendars)
}

#[tokio::test]
async fn open_tasks_are_told_by_the_day_they_are_due_and_those_without_one_last() {
    let (_folder, calendars) = kept();
    let found = calendars.tasks(wall()).await.unwrap();
    let told: Vec<(&str, Option<String>, bool)> = found
        .tasks
        .iter()
        .map(|task| {
            let due = task.due.map(|due| match due {
                Due::Day(day) => day.to_string(),
                Due::Moment(at) => at.format("%Y-%m-%dT%H:%M").to_string(),
            });
            (task.title.as_str(), due, task.repeats)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("Call Anna", Some("2026-12-01T15:00".into()), false),
            ("Bins", Some("2026-12-02".into()), true),
            ("Pay the rent", Some("2026-12-04".into()), false),
            ("Tidy the attic", None, false),
        ]
    );
    assert_eq!(found.unread, 0);
    let none = Calendars::new(&PersonalConfig::default());
    assert_eq!(none.tasks(wall()).await, Err(PersonalError::NotConfigured("calendar")));
}

#[tokio::test]
async fn a_task_is_added_with_its_day_and_taken_back() {
    let (folder, calendars) = kept();
    let day = NaiveDate::from_ymd_opt(2026, 12, 5).unwrap();
    let new = NewTask {
        title: "Water; plants\r\nSTATUS:COMPLETED".into(),
        due: Some(NewDue::Day(day)),
        repeats: None,
        zone: None,
    };
    let (added, revision) = calendars.add_task(&new, now(), wall()).await.unwrap();
    assert_eq!((added.title.as_str(), added.due), ("Water; plants STATUS:COMPLETED", Some(Due::Day(day))));
    assert_eq!(calendars.tasks(wall()).await.unwrap().tasks.len(), 5);
    calendars.put_back(&revision).await.unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let at = NewTask {
        title: "Call back".into(),
        due: Some(NewDue::Moment(1_796_050_800)),
        repeats: None,
        zone: None,
    };
    let (added, _) = calendars.add_task(&at, now(), wall()).await.unwrap();
    assert_eq!(added.due, Some(Due::Moment(wall()(1_796_050_800))));
    let undated = NewTask { title: "Some day".into(), due: None, repeats: None, zone: None };
    let (undated, _) = calendars.add_task(&undated, now(), wall()).await.unwrap();
    assert_eq!(undated.due, None);
    let today = (wall()(1_796_000_000).date().and_time(NaiveTime::MIN), wall()(1_796_086_400));
    let events = calendars.read(today, wall()).await.unwrap().events;
    assert!(!events.iter().any(|event| event.title == "Some day"), "it is due on no day: {events:?}");
}

#[tokio::test]
async fn a_task_that_is_done_is_told_no_more_and_everything_else_stays_as_it_is() {
    let (folder, calendars) = kept();
    let tasks = calendars.tasks(wall()).await.unwrap().tasks;
    let rent = tasks.iter().find(|task| task.uid == "2").unwrap();
    let (next, revision) = calendars.complete_task(rent, (now(), wall())).await.unwrap();
    assert_eq!(next, None);
    let text = fs::read_to_string(folder.path().join("tasks.ics")).unwrap();
    for line in
        ["STATUS:COMPLETED\r\n", "COMPLETED:20261130T", "PERCENT-COMPLETE:100\r\n", "X-COLOUR:green\r\n"]
    {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(text.starts_with(&TASKS[..TASKS.find("BEGIN:VTODO\r\nUID:2").unwrap()]), "{text}");
    assert!(text.ends_with(&TASKS[TASKS.find("BEGIN:VTODO\r\nUID:3").unwrap()..]), "{text}");
    assert_eq!(calendars.tasks(wall()).await.unwrap().tasks.len(), 3);
    assert_eq!(calendars.complete_task(rent, (now(), wall())).await, Err(PersonalError::Gone));
    calendars.put_back(&revision).await.unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("tasks.ics")).unwrap(), TASKS);
}

fn days(tasks: &[Task]) -> Vec<(&str, NaiveDateTime)> {
    tasks.iter().filter_map(|task| Some((task.title.as_str(), task.due?.start()))).collect()
}

fn day(text: &str) -> NaiveDateTime {
    text.parse::<NaiveDate>().unwrap().and_time(NaiveTime::MIN)
}

/// A folder with one task of these lines.
fn with(lines: &str) -> (tempfile::TempDir, Calendars) {
    let folder = tempfile::tempdir().unwrap();
    let task = format!("BEGIN:VTODO\r\nUID:1\r\nSUMMARY:Bins\r\n{lines}END:VTODO\r\n");
    let text = format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\n{task}END:VCALENDAR\r\n");
    fs::write(folder.path().join("tasks.ics"), text).unwrap();
    let path = folder.path().display().to_string();
    let calendars = Calendars::new(&PersonalConfig { calendar_path: path, ..PersonalConfig::default() });
    (folder, calendars)
}

/// Marks the one task as done; answers when it is due next, and the text then.
async fn next_of(lines: &str) -> (Option<NaiveDateTime>, String) {
    let (folder, calendars) = with(lines);
    let tasks = calendars.tasks(wall()).await.unwrap().tasks;
    assert!(tasks[0].repeats, "{lines}");
    let (next, _) = calendars.complete_task(&tasks[0], (now(), wall())).await.unwrap();
    let text = fs::read_to_string(folder.path().join("tasks.ics")).unwrap();
    let told = calendars.tasks(wall()).await.unwrap().tasks;
    assert_eq!(told.first(), next.as_ref(), "{text}");
    (next.map(|next| next.due.unwrap().start()), text)
}

#[tokio::test]
async fn a_task_that_repeats_moves_to_its_next_time_when_it_is_done() {
    // It is Monday, 2026-11-30.
    let (next, text) = next_of(
        "STATUS:IN-PROCESS\r\nPERCENT-COMPLETE:50\r\nDTSTART;VALUE=DATE:20261201\r\nDUE;VALUE=DATE:20261202\r\nX-COLOUR:green\r\n\
         RRULE:FREQ=WEEKLY;COUNT=5\r\nEXDATE;VALUE=DATE:20261208\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT15M\r\nEND:VALARM\r\n\
         BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER;VALUE=DATE-TIME:20261201T170000Z\r\nEND:VALARM\r\n",
    )
    .await;
    assert_eq!(next, Some(day("2026-12-16")), "{text}");
    for line in [
        "STATUS:NEEDS-ACTION\r\n",
        "DTSTART;VALUE=DATE:20261215\r\n",
        "DUE;VALUE=DATE:20261216\r\n",
        "RRULE:FREQ=WEEKLY;COUNT=3\r\n",
        "X-COLOUR:green\r\n",
        "TRIGGER:-PT15M\r\n",
        "TRIGGER;VALUE=DATE-TIME:20261215T170000Z\r\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(!text.contains("COMPLETE"), "{text}");
    // What is overdue goes on with the first time that is not.
    let (next, _) = next_of("DUE;VALUE=DATE:20261106\r\nRRULE:FREQ=DAILY\r\n").await;
    assert_eq!(next, Some(day("2026-11-30")), "today's is still to be done");
    let (next, text) = next_of("DUE:20261102T080000Z\r\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO\r\n").await;
    assert_eq!(next, Some(day("2026-11-30") + chrono::Duration::hours(9)), "{text}");
    assert!(text.contains("DUE:20261130T080000Z\r\n"), "{text}");
    let monthly = "DTSTART;TZID=Europe/Berlin:20260131T180000\r\nDUE;TZID=Europe/Berlin:20260131T200000\r\nRRULE:FREQ=MONTHLY\r\n";
    let (next, text) = next_of(monthly).await;
    assert_eq!(next, Some(day("2026-12-31") + chrono::Duration::hours(20)), "{text}");
    // A reminder in UTC stays at the same time of day when clocks are set, by the zone of the task or of the house.
    for zone in [";TZID=Europe/Berlin", ""] {
        let reminded = format!(
            "DTSTART{zone}:20261015T180000\r\nDUE{zone}:20261015T200000\r\nRRULE:FREQ=MONTHLY\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\n\
             TRIGGER;VALUE=DATE-TIME:20261015T153000Z\r\nEND:VALARM\r\n"
        );
        let (next, text) = next_of(&reminded).await;
        assert_eq!(next, Some(day("2026-12-15") + chrono::Duration::hours(20)), "{text}");
        assert!(text.contains("DATE-TIME:20261215T163000Z\r\n"), "{text}");
    }
    // The last time of all is the end of it.
    for last in ["RRULE:FREQ=WEEKLY;COUNT=1\r\n", "RRULE:FREQ=WEEKLY;UNTIL=20261203\r\n"] {
        let (next, text) =
            next_of(&format!("DTSTART;VALUE=DATE:20261202\r\nDUE;VALUE=DATE:20261202\r\n{last}")).await;
        assert!(next.is_none() && text.contains("STATUS:COMPLETED\r\n"), "{text}");
    }
}

#[tokio::test]
async fn a_task_that_repeats_and_is_due_on_no_day_moves_to_its_next_time() {
    let (folder, calendars) = with("DTSTART;VALUE=DATE:20261201\r\nRRULE:FREQ=WEEKLY\r\n");
    let task = calendars.tasks(wall()).await.unwrap().tasks.remove(0);
    assert!(task.repeats && task.due.is_none(), "{task:?}");
    let (next, _) = calendars.complete_task(&task, (now(), wall())).await.unwrap();
    assert_eq!(next, Some(task));
    let text = fs::read_to_string(folder.path().join("tasks.ics")).unwrap();
    assert!(text.contains("DTSTART;VALUE=DATE:20261208\r\n"), "{text}");
}

#[tokio::test]
async fn what_repeats_by_a_rule_that_cannot_be_followed_stays_as_it_is() {
    for rule in [
        "RRULE:FREQ=SECONDLY\r\n",
        "RRULE:FREQ=SOMETIMES\r\n",
        "RRULE:FREQ=WEEKLY\r\nRDATE;VALUE=DATE:20261203\r\n",
        "RRULE:RSCALE=HEBREW;FREQ=YEARLY\r\n",
    ] {
        let (folder, calendars) =
            with(&format!("DTSTART:20001202T100000Z\r\nDUE:20001202T100000Z\r\n{rule}"));
        let before = fs::read_to_string(folder.path().join("tasks.ics")).unwrap();
        let task = calendars.tasks(wall()).await.unwrap().tasks.remove(0);
        let done = calendars.complete_task(&task, (now(), wall())).await;
        assert_eq!(done, Err(PersonalError::TaskRepeats), "{rule}");
        assert_eq!(fs::read_to_string(folder.path().join("tasks.ics")).unwrap(), before);
    }
}

#[tokio::test]
async fn a_series_whose_times_are_kept_one_by_one_stays_one() {
    // As Thunderbird writes it: what is done has a component of its own.
    let (folder, calendars) = with(
        "DTSTART;VALUE=DATE:20261124\r\nDUE;VALUE=DATE:20261125\r\nRRULE:FREQ=WEEKLY\r\nEND:VTODO\r\n\
         BEGIN:VTODO\r\nUID:1\r\nSUMMARY:Bins\r\nRECURRENCE-ID;VALUE=DATE:20261124\r\nDTSTART;VALUE=DATE:20261124\r\nDUE;VALUE=DATE:20261125\r\n\
         STATUS:COMPLETED\r\nCOMPLETED:20261124T100000Z\r\nEND:VTODO\r\n\
         BEGIN:VTODO\r\nUID:1\r\nSUMMARY:Bins and glass\r\nRECURRENCE-ID;VALUE=DATE:20261208\r\nDTSTART;VALUE=DATE:20261208\r\nDUE;VALUE=DATE:20261210\r\n",
    );
    for (title, due) in [
        ("Bins", "2026-12-02"),
        ("Bins and glass", "2026-12-10"),
        ("Bins", "2026-12-16"),
        ("Bins", "2026-12-23"),
    ] {
        let tasks = calendars.tasks(wall()).await.unwrap().tasks;
        assert_eq!(days(&tasks), [(title, day(due))]);
        calendars.complete_task(&tasks[0], (now(), wall())).await.unwrap();
    }
    let text = fs::read_to_string(folder.path().join("tasks.ics")).unwrap();
    assert_eq!((text.matches("RRULE").count(), text.matches("STATUS:COMPLETED").count()), (1, 5), "{text}");
}

#[tokio::test]
async fn a_new_task_comes_again_at_its_time_of_day() {
    let (folder, calendars) = kept();
    let weekly = NewTask {
        title: "Water the plants".into(),
        due: Some(NewDue::Moment(1_796_050_800)),
        repeats: Some("FREQ=WEEKLY;BYDAY=MO".into()),
        zone: Some("Europe/Berlin".into()),
    };
    let (added, revision) = calendars.add_task(&weekly, now(), wall()).await.unwrap();
    assert!(added.repeats && added.due == Some(Due::Moment(wall()(1_796_050_800))), "{added:?}");
    let text = fs::read_to_string(&revision.place).unwrap();
    for line in
        ["BEGIN:VTIMEZONE", "DTSTART;TZID=Europe/Berlin:20261130T160000", "RRULE:FREQ=WEEKLY;BYDAY=MO\r\n"]
    {
        assert!(text.contains(line), "{line}: {text}");
    }
    let (next, _) = calendars.complete_task(&added, (now(), wall())).await.unwrap();
    assert_eq!(next.unwrap().due, Some(Due::Moment(wall()(1_796_050_800 + 7 * 86_400))));
    let friday = NaiveDate::from_ymd_opt(2026, 12, 4).unwrap();
    let bins = NewTask { title: "Bins".into(), due: Some(NewDue::Day(friday)), ..weekly };
    let bins = NewTask { repeats: Some("FREQ=WEEKLY;BYDAY=FR".into()), ..bins };
    let (added, _) = calendars.add_task(&bins, now(), wall()).await.unwrap();
    assert_eq!((added.due, added.repeats), (Some(Due::Day(friday)), true));
    assert!(folder.path().is_dir());
}

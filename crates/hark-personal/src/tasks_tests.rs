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

/// A house in Berlin in winter.
fn wall() -> Wall {
    Arc::new(|unix_s| DateTime::from_timestamp(unix_s + 3600, 0).unwrap().naive_utc())
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
    let new = NewTask { title: "Water; plants\r\nSTATUS:COMPLETED".into(), due: Some(NewDue::Day(day)) };
    let (added, revision) = calendars.add_task(&new, now(), wall()).await.unwrap();
    assert_eq!((added.title.as_str(), added.due), ("Water; plants STATUS:COMPLETED", Some(Due::Day(day))));
    assert_eq!(calendars.tasks(wall()).await.unwrap().tasks.len(), 5);
    calendars.put_back(&revision).await.unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let at = NewTask { title: "Call back".into(), due: Some(NewDue::Moment(1_796_050_800)) };
    let (added, _) = calendars.add_task(&at, now(), wall()).await.unwrap();
    assert_eq!(added.due, Some(Due::Moment(wall()(1_796_050_800))));
    let (undated, _) =
        calendars.add_task(&NewTask { title: "Some day".into(), due: None }, now(), wall()).await.unwrap();
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
    let revision = calendars.complete_task(rent, (now(), wall())).await.unwrap();
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
    let bins = tasks.iter().find(|task| task.repeats).unwrap();
    assert_eq!(calendars.complete_task(bins, (now(), wall())).await, Err(PersonalError::TaskRepeats));
}

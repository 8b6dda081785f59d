//! Notes, calendars and contacts through the executor. What they say is told and never followed.

use super::*;
use std::fs;

/// A house with notes, calendars and contacts in folders of their own.
fn house() -> (House, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    fs::create_dir(dir.path().join("calendar")).unwrap();
    fs::write(
        dir.path().join("contacts.vcf"),
        "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Anna Berg\r\nTEL;TYPE=CELL:+49 170 1234567\r\nBDAY:1987-04-12\r\nEND:VCARD\r\n\
         BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Anna Vogel\r\nEMAIL:vogel@example.org\r\nEND:VCARD\r\n",
    )
    .unwrap();
    let personal = PersonalConfig {
        notes_folder: path("notes"),
        calendar_path: path("calendar"),
        contacts_path: path("contacts.vcf"),
        ..PersonalConfig::default()
    };
    (Built { personal, ..Built::default() }.house(), dir)
}

#[tokio::test]
async fn events_are_added_and_told() {
    let (house, _dir) = house();
    // It is Saturday, 2026-11-21, five past two in the afternoon.
    let added = house
        .ok(
            "calendar.create",
            json!({"title": "Dentist", "when": "2026-11-27T15:00:00", "minutes": 30, "place": "High Street", "remind_minutes": 60}),
        )
        .await;
    assert!(added.changed && !added.tainted);
    let event = &added.detail["event"];
    assert_eq!(
        (&event["weekday"], &event["days_ahead"], &event["time"]),
        (&json!("Friday"), &json!(6), &json!("15:00"))
    );
    assert_eq!(event["ends"], "2026-11-27T15:30");
    house.ok("calendar.create", json!({"title": "Fair", "when": "2026-11-28/2026-11-30"})).await;
    let friday = house.ok("calendar.read", json!({"when": "2026-11-27"})).await;
    assert_eq!(
        (&friday.detail["count"], &friday.detail["events"][0]["title"]),
        (&json!(1), &json!("Dentist"))
    );
    assert_eq!(friday.detail["events"][0]["place"], "High Street");
    assert!(friday.tainted, "what stands in a calendar is text from outside");
    let sunday = house.ok("calendar.read", json!({"when": "2026-11-29"})).await;
    assert_eq!((&sunday.detail["count"], &sunday.detail["events"][0]["all_day"]), (&json!(1), &json!(true)));
    let soon = house.ok("calendar.read", json!({})).await;
    assert_eq!(soon.detail["count"], 2, "the next seven days");
    let found = house.ok("calendar.read", json!({"words": "fair"})).await;
    assert_eq!(found.detail["events"][0]["date"], "2026-11-28");
}

#[tokio::test]
async fn an_event_needs_a_time_that_is_not_over() {
    let (house, dir) = house();
    let (code, receipt) = house.fails("calendar.create", json!({"title": "Dentist"})).await;
    assert_eq!((code.as_str(), &receipt.detail["missing"]), (error_code::BAD_ARGUMENT, &json!("when")));
    for when in ["2026-11-20", "2026-11-21T10:00:00"] {
        let (code, _) = house.fails("calendar.create", json!({"title": "Dentist", "when": when})).await;
        assert_eq!(code, error_code::BAD_ARGUMENT, "{when}");
    }
    let backwards = json!({"title": "x", "when": "2026-11-27T15:00:00", "until": "2026-11-27T14:00:00"});
    assert_eq!(house.fails("calendar.create", backwards).await.0, error_code::BAD_ARGUMENT);
    assert_eq!(fs::read_dir(dir.path().join("calendar")).unwrap().count(), 0);
}

#[tokio::test]
async fn contacts_are_found_and_who_has_what_is_asked_for_comes_first() {
    let (house, _dir) = house();
    let found = house.ok("contacts.search", json!({"name": "anna", "what": "email"})).await;
    assert_eq!(
        (&found.detail["count"], &found.detail["contacts"][0]["name"]),
        (&json!(2), &json!("Anna Vogel"))
    );
    assert!(found.tainted);
    let anna = house.ok("contacts.search", json!({"name": "Anna Berg", "what": "phone"})).await;
    assert_eq!(
        anna.detail["contacts"][0]["phones"][0],
        json!({"kind": "mobile", "number": "+49 170 1234567"})
    );
    assert_eq!(anna.detail["contacts"][0]["birthday"], json!({"day": 12, "month": "April", "year": 1987}));
    let lacking = house.ok("contacts.search", json!({"name": "Anna Vogel", "what": "phone"})).await;
    assert_eq!(lacking.detail["lacking"], true);
    assert_eq!(house.ok("contacts.search", json!({"name": "zebra"})).await.detail["count"], 0);
    let owned = house.ok("contacts.search", json!({"name": "anna vogel's"})).await;
    assert_eq!((&owned.detail["count"], &owned.detail["name"]), (&json!(1), &json!("anna vogel")));
    assert_eq!(house.fails("contacts.search", json!({"name": "my"})).await.0, error_code::BAD_ARGUMENT);
}

#[tokio::test]
async fn notes_are_taken_added_to_read_and_found() {
    let (house, dir) = house();
    let (code, _) = house.fails("notes.read", json!({})).await;
    assert_eq!(code, error_code::NOT_FOUND, "there is no folder yet");
    assert_eq!(house.ok("notes.search", json!({"words": "x"})).await.detail["count"], 0);
    let taken = house.ok("notes.create", json!({"text": "call the plumber/about: the ../sink"})).await;
    assert_eq!(taken.detail["title"], "call the plumber about the sink");
    house.ok("notes.create", json!({"text": "Boiler: 1.4 bar", "title": "Boiler"})).await;
    let again = house.ok("notes.create", json!({"text": "x", "title": "Boiler"})).await;
    assert_eq!(again.detail["title"], "Boiler 2", "no note is replaced");
    house.ok("notes.append", json!({"text": "checked in November", "title": "boiler"})).await;
    let read = house.ok("notes.read", json!({"title": "the boiler"})).await;
    assert_eq!(
        (&read.detail["text"], &read.detail["count"]),
        (&json!("Boiler: 1.4 bar\nchecked in November"), &json!(3))
    );
    assert!(read.tainted);
    let found = house.ok("notes.search", json!({"words": "the PLUMBER"})).await;
    assert_eq!(
        (&found.detail["count"], &found.detail["notes"][0]["title"]),
        (&json!(1), &taken.detail["title"])
    );
    fs::write(dir.path().join("outside.md"), "secret").unwrap();
    std::os::unix::fs::symlink(dir.path().join("outside.md"), dir.path().join("notes/door.md")).unwrap();
    for title in ["../outside", "door", "/etc/passwd"] {
        let (code, _) = house.fails("notes.read", json!({"title": title})).await;
        assert_eq!(code, error_code::NOT_FOUND, "{title}");
    }
    let dots = house.ok("notes.create", json!({"text": "x", "title": "../../../escaped"})).await;
    assert_eq!(dots.detail["title"], "escaped");
    assert!(dir.path().join("notes/escaped.md").is_file() && !dir.path().join("escaped.md").exists());
}

#[tokio::test]
async fn what_is_not_set_up_says_how() {
    let house = super::house();
    for (tool, args, key) in [
        ("calendar.read", json!({}), "personal.calendar_path"),
        ("calendar.create", json!({"title": "x", "when": "2026-11-27"}), "personal.caldav_url"),
        ("contacts.search", json!({"name": "x"}), "personal.contacts_path"),
        ("notes.read", json!({}), "personal.notes_folder"),
        ("notes.create", json!({"text": "x"}), "personal.notes_folder"),
    ] {
        let (code, receipt) = house.fails(tool, args).await;
        assert_eq!(code, error_code::NOT_CONFIGURED, "{tool}");
        assert!(receipt.detail["fix"].as_str().unwrap().contains(key), "{tool}: {}", receipt.detail);
    }
}

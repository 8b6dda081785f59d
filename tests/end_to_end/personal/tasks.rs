//! Tasks of a CalDAV server: added, told, marked as done, and due again where they repeat.

use super::{caldav, radicale, replies};
use crate::support::Hark;
use std::fs;

#[test]
fn tasks_of_a_server_are_added_with_their_day_told_and_marked_as_done() {
    let hark = Hark::new();
    let Some((_server, url)) = radicale(&hark) else { return };
    let settings = caldav(&hark, &url);
    let lines = [
        "what tasks are due",
        "add pay the rent to my tasks due tomorrow",
        "add a task call the plumber due tomorrow at three in the afternoon",
        "what tasks are due",
        "mark pay the rent as done",
        "which tasks are due tomorrow",
        "undo that",
        "which tasks are due tomorrow",
        "mark paint the fence as done",
        "what's on my calendar tomorrow",
    ];
    let said = replies(&hark, &settings, &lines);
    let both = "Pay the rent, due tomorrow. Call the plumber, due tomorrow at three in the afternoon.";
    assert_eq!(
        said[..9],
        [
            "No task is due.",
            "I've added pay the rent, due tomorrow, to your tasks.",
            "I've added call the plumber, due tomorrow at three in the afternoon, to your tasks.",
            both,
            "Pay the rent is done.",
            "Call the plumber, due tomorrow at three in the afternoon.",
            "Pay the rent is as it was in your calendar.",
            both,
            "Sorry, paint the fence is not on the To do list.",
        ]
    );
    assert!(said[9].contains("pay the rent, which is due"), "{said:#?}");
    let kept = |name: &str| {
        let at = hark.path("collections/collection-root/anna").join(name);
        let files = fs::read_dir(at).unwrap().flatten();
        files.filter(|file| file.path().extension().is_some_and(|end| end == "ics")).count()
    };
    // The server lists them in any order; two take tasks, and one of them has an event already.
    assert_eq!((kept("home"), kept("todo") + kept("work")), (0, 3), "tasks go where tasks are taken");
    // Without a calendar what is done may stand on Hark's own list, and what is due has no place.
    let lines = [
        "add pay the rent to my tasks",
        "mark pay the rent as done",
        "what are my tasks",
        "add pay the rent to my tasks due tomorrow",
    ];
    let said = replies(&hark, &[], &lines);
    assert_eq!(said[1], "Checked pay the rent off your to do list.", "{said:#?}");
    assert_eq!(said[3], "Sorry, no calendar is connected. It can be set up in my settings.", "{said:#?}");
    let german = [settings.as_slice(), &["speaking.language=de".to_owned()]].concat();
    let lines = ["welche Aufgaben sind morgen fällig", "markiere pay the rent als erledigt"];
    let said = replies(&hark, &german, &lines);
    assert!(said[0].starts_with("Pay the rent, fällig morgen."), "{said:#?}");
    assert_eq!(said[1], "Erledigt: pay the rent.");
}

#[test]
fn a_task_of_a_server_that_repeats_moves_to_its_next_day() {
    let hark = Hark::new();
    let Some((_server, url)) = radicale(&hark) else { return };
    let settings = caldav(&hark, &url);
    let lines = [
        "add water the plants to my tasks every day",
        "every day at eleven fifty nine in the evening add lock up to my tasks",
        "mark water the plants as done",
        "what tasks are due",
        "undo that",
    ];
    let said = replies(&hark, &settings, &lines);
    assert_eq!(
        said,
        [
            "I've added water the plants, due today, to your tasks, and it repeats.",
            "I've added lock up, due today at eleven fifty nine at night, to your tasks, and it repeats.",
            "Water the plants is done, and due again tomorrow.",
            "Lock up, due today at eleven fifty nine at night. Water the plants, due tomorrow.",
            "Water the plants is as it was in your calendar.",
        ]
    );
    let german = [settings.as_slice(), &["speaking.language=de".to_owned()]].concat();
    let lines = ["neue Aufgabe Müll rausbringen jeden Tag", "markiere Müll rausbringen als erledigt"];
    assert_eq!(
        replies(&hark, &german, &lines),
        [
            "Neue Aufgabe: Müll rausbringen, fällig heute, und das immer wieder.",
            "Erledigt: Müll rausbringen. Das nächste Mal morgen."
        ]
    );
}

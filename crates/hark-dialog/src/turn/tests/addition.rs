//! Words in a turn of their own that belong to the request before.

use super::Machine;
use super::tests::{acted, asked, calls, intent, machine, outcomes, replied, run, turn, typed, understood};
use hark_core::public_event::Outcome;
use hark_core::{Effect, Event, Intent, Understanding};
use serde_json::json;

/// "Turn on the lamp" is done and answered.
fn lamp_is_on() -> Machine {
    let mut machine = machine();
    let events = vec![
        (0, typed("Turn on the lamp.")),
        (10, understood(1, &["HassTurnOn"])),
        (20, acted(1, 0, true, "")),
        (30, replied(1, false)),
    ];
    run(&mut machine, events);
    machine
}

/// What the second turn means.
fn means(intents: Vec<Intent>) -> Event {
    let understanding = Understanding { intents, ..Understanding::default() };
    Event::Understood { turn: turn(2), understanding }
}

fn with(name: &str, slot: &str, value: &str) -> Intent {
    let mut intent = intent(name);
    intent.slots.insert(slot.into(), json!(value));
    intent
}

#[test]
fn another_request_together_takes_the_first_back_and_is_done() {
    let mut machine = lamp_is_on();
    run(&mut machine, vec![(1000, typed("except the kitchen"))]);
    let read = run(&mut machine, vec![(1010, understood(2, &[]))]);
    assert_eq!(asked(&read), ["Turn on the lamp\nexcept the kitchen"]);
    let whole = vec![with("HassTurnOn", "except", "kitchen")];
    let back = run(&mut machine, vec![(1020, means(whole))]);
    assert_eq!(calls(&back), [("undo.last".to_owned(), false)]);
    let begun = run(&mut machine, vec![(1030, acted(2, 0, true, ""))]);
    assert_eq!(calls(&begun)[0].0, "home.turn_on", "{begun:?}");
}

#[test]
fn how_long_it_lasts_ends_what_was_changed_and_another_length_changes_that_end() {
    let lasts = |until| vec![intent("HassTurnOn"), with("HarkRestoreLater", "until", until)];
    let mut machine = lamp_is_on();
    run(&mut machine, vec![(1000, typed("for ten minutes")), (1010, understood(2, &[]))]);
    let begun = run(&mut machine, vec![(1020, means(lasts("ten")))]);
    let ends = |it: &&Effect| matches!(it, Effect::Act { call } if call.args["of_turn"] == turn(1).0);
    assert_eq!((calls(&begun).len(), begun.iter().filter(ends).count()), (1, 1), "{begun:?}");
    assert_eq!(calls(&begun)[0].0, "home.restore_later");

    let mut machine = super::tests::machine();
    let first = Understanding { intents: lasts("twenty"), ..Understanding::default() };
    run(&mut machine, vec![(0, typed("turn on the lamp for twenty minutes"))]);
    run(&mut machine, vec![(10, Event::Understood { turn: turn(1), understanding: first })]);
    let mut kept = acted(1, 1, true, "");
    let Event::Acted { receipt, .. } = &mut kept else { panic!("{kept:?}") };
    receipt.detail = json!({"automation": {"id": "a1"}});
    run(&mut machine, vec![(20, acted(1, 0, true, "")), (21, kept), (30, replied(1, false))]);
    run(&mut machine, vec![(1000, typed("no, ten")), (1010, understood(2, &[]))]);
    let changed = run(&mut machine, vec![(1020, means(lasts("ten")))]);
    let end = |it: &&Effect| matches!(it, Effect::Act { call } if call.args["id"] == "a1");
    assert_eq!(changed.iter().filter(end).count(), 1, "{changed:?}");
    assert_eq!(calls(&changed), [("automation.change_end".to_owned(), false)]);
}

#[test]
fn what_is_asked_besides_is_done_and_the_first_stands() {
    let mut machine = lamp_is_on();
    run(&mut machine, vec![(1000, typed("and the fan in there")), (1010, understood(2, &[]))]);
    let whole = vec![intent("HassTurnOn"), with("HassTurnOn", "name", "fan")];
    let begun = run(&mut machine, vec![(1020, means(whole))]);
    let fans = begun.iter().filter(|it| matches!(it, Effect::Act { call } if call.args["name"] == "fan"));
    assert_eq!((fans.count(), calls(&begun).len()), (1, 1), "{begun:?}");
}

#[test]
fn words_that_add_nothing_are_read_together_once() {
    for whole in [vec![], vec![intent("HassTurnOn")]] {
        let mut machine = lamp_is_on();
        run(&mut machine, vec![(1000, typed("and i love pizza")), (1010, understood(2, &[]))]);
        let told = run(&mut machine, vec![(1020, means(whole))]);
        assert!(asked(&told).is_empty() && calls(&told).is_empty(), "{told:?}");
        let ended = run(&mut machine, vec![(1030, replied(2, false))]);
        assert_eq!(outcomes(&ended), [Outcome::NotUnderstood]);
    }
}

#[test]
fn content_does_not_grow_by_words_that_mean_nothing() {
    let mut machine = machine();
    let reminder = || with("HarkSetReminder", "message", "ring the dentist");
    run(&mut machine, vec![(0, typed("remind me to ring the dentist"))]);
    let first = Understanding { intents: vec![reminder()], ..Understanding::default() };
    run(&mut machine, vec![(10, Event::Understood { turn: turn(1), understanding: first })]);
    run(&mut machine, vec![(20, acted(1, 0, true, "")), (30, replied(1, false))]);
    run(&mut machine, vec![(1000, typed("and so on")), (1010, understood(2, &[]))]);
    let grown = with("HarkSetReminder", "message", "ring the dentist, and so on");
    let told = run(&mut machine, vec![(1020, means(vec![grown]))]);
    assert!(calls(&told).is_empty(), "{told:?}");
}

#[test]
fn nothing_is_added_long_after_or_by_other_words() {
    let mut machine = lamp_is_on();
    let late =
        run(&mut machine, vec![(3_600_000, typed("for ten minutes")), (3_600_010, understood(2, &[]))]);
    assert_eq!(asked(&late), ["for ten minutes"]);
    let mut machine = lamp_is_on();
    let other = run(&mut machine, vec![(1000, typed("pizza is nice")), (1010, understood(2, &[]))]);
    assert_eq!(asked(&other), ["pizza is nice"]);
}

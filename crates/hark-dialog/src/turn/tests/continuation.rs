//! Who goes on after the end of a request: both parts are one, the first stands, or the second is a request of its own.

use super::Machine;
use super::tests::{
    acted, asked, calls, heard, intent, machine, outcomes, replied, replies, run, turn, understood, wake,
};
use hark_core::public_event::Outcome;
use hark_core::{Effect, Endpoint, Event, Reply, Understanding};
use serde_json::json;

fn ended() -> Event {
    Event::SpeechEnded { endpoint: Endpoint::Complete, silence_ms: 120 }
}

fn goes_on() -> Event {
    Event::Interruption { ago_ms: 160, goes_on: true }
}

/// A request was spoken and understood by 50 ms; its tool runs.
fn being_done(words: &str, intent: &str) -> Machine {
    let mut machine = machine();
    let events = vec![
        (0, wake()),
        (10, Event::SpeechStarted),
        (40, ended()),
        (41, heard(words, false)),
        (50, understood(1, &[intent])),
    ];
    run(&mut machine, events);
    machine
}

/// "Turn on the lamp" is done, and its answer is being worded.
fn lamp_is_on() -> Machine {
    let mut machine = being_done("turn on the lamp", "HassTurnOn");
    run(&mut machine, vec![(60, acted(1, 0, true, ""))]);
    machine
}

/// The speaker continues at 500 ms; the transcript of both parts comes at 900 ms.
fn gone_on(machine: &mut Machine, whole: &str) -> Vec<Effect> {
    run(machine, vec![(500, goes_on()), (890, ended()), (900, heard(whole, false))])
}

/// The second turn means something with other slots than the first.
fn means(name: &str) -> Event {
    let mut intent = intent(name);
    intent.slots.insert("minutes".into(), json!(10));
    let understanding = Understanding { intents: vec![intent], ..Understanding::default() };
    Event::Understood { turn: turn(2), understanding }
}

#[test]
fn what_the_first_part_has_done_is_taken_back_and_the_whole_is_done_once() {
    let mut machine = lamp_is_on();
    let heard = gone_on(&mut machine, "turn on the lamp in ten minutes");
    assert!(heard.contains(&Effect::PauseSpeaking), "the answer waits, also one that has not begun");
    assert_eq!(asked(&heard), ["turn on the lamp in ten minutes"]);

    let decided = run(&mut machine, vec![(910, means("HassStartTimer"))]);
    assert!(decided.contains(&Effect::StopSpeaking));
    assert_eq!(outcomes(&decided), [Outcome::Cancelled], "nothing more comes of the first");
    let back = decided.iter().find_map(|effect| match effect {
        Effect::Act { call } => Some((call.tool.as_str(), call.args["turn"].clone())),
        _ => None,
    });
    assert_eq!(back, Some(("undo.last", json!("t-1"))), "before anything else");

    let begun = run(&mut machine, vec![(920, acted(2, 0, true, ""))]);
    assert_eq!(calls(&begun), [("timer.start".to_owned(), false)]);
    let done = run(&mut machine, vec![(930, acted(2, 1, true, ""))]);
    let Some(Reply::Parts { parts }) = replies(&done).pop() else { panic!("{done:?}") };
    assert_eq!(parts.len(), 1, "that something was taken back is not told");
}

#[test]
fn nothing_is_taken_back_of_a_first_part_that_changed_nothing() {
    let mut machine = being_done("turn on the lamp", "HassTurnOn");
    run(&mut machine, vec![(60, acted(1, 0, false, "not_found"))]);
    gone_on(&mut machine, "turn on the lamp in ten minutes");
    let decided = run(&mut machine, vec![(910, means("HassStartTimer"))]);
    assert_eq!(calls(&decided), [("timer.start".to_owned(), false)]);
}

#[test]
fn a_first_part_that_is_still_being_done_is_waited_for_and_taken_back() {
    let mut machine = being_done("turn on the lamp", "HassTurnOn");
    gone_on(&mut machine, "turn on the lamp in ten minutes");
    let decided = run(&mut machine, vec![(910, means("HassStartTimer"))]);
    assert_eq!(calls(&decided), [("undo.last".to_owned(), false)]);
}

#[test]
fn what_cannot_be_taken_back_is_not_done_a_second_time() {
    let mut machine = lamp_is_on();
    gone_on(&mut machine, "turn on the lamp in ten minutes");
    run(&mut machine, vec![(910, means("HassStartTimer"))]);
    let refused = run(&mut machine, vec![(920, acted(2, 0, false, "not_found"))]);
    assert!(calls(&refused).is_empty(), "{refused:?}");
    assert_eq!(replies(&refused), [Reply::Fixed { key: "not_taken_back".into() }]);
}

#[test]
fn the_first_part_stands_when_the_rest_means_nothing_and_its_answer_is_heard() {
    let mut machine = lamp_is_on();
    run(&mut machine, vec![(70, replied(1, true)), (80, Event::SpeakingStarted { turn: turn(1) })]);
    let whole = gone_on(&mut machine, "turn on the lamp did you see the game");
    assert!(!whole.contains(&Effect::StopSpeaking), "it waits");
    let nothing = |turn| Event::Understood { turn, understanding: Understanding::default() };
    let tail = run(&mut machine, vec![(910, nothing(turn(2)))]);
    assert_eq!(asked(&tail), ["did you see the game"], "it may be a request of its own");
    let stands = run(&mut machine, vec![(920, nothing(turn(2)))]);
    assert!(stands.contains(&Effect::Unduck) && replies(&stands).is_empty(), "{stands:?}");
    assert_eq!(outcomes(&stands), [Outcome::NotUnderstood]);
    assert_eq!(machine.sounding(), Some(turn(1)), "the answer goes on");
}

#[test]
fn words_that_add_nothing_change_nothing() {
    for whole in ["Turn on the lamp.", "turn on the lamp please"] {
        let mut machine = lamp_is_on();
        let mut effects = gone_on(&mut machine, whole);
        effects.extend(run(&mut machine, vec![(910, understood(2, &["HassTurnOn"]))]));
        assert!(effects.contains(&Effect::Unduck), "{whole}: {effects:?}");
        assert!(calls(&effects).is_empty(), "{whole}: {effects:?}");
    }
    let mut unclear = lamp_is_on();
    let effects = run(&mut unclear, vec![(500, goes_on()), (900, heard("turn on the lamp uh", true))]);
    assert!(effects.contains(&Effect::Unduck) && asked(&effects).is_empty(), "{effects:?}");
}

#[test]
fn the_second_part_may_be_a_request_of_its_own() {
    let mut machine = lamp_is_on();
    gone_on(&mut machine, "turn on the lamp lock the door");
    let nothing = Event::Understood { turn: turn(2), understanding: Understanding::default() };
    run(&mut machine, vec![(910, nothing)]);
    let done = run(&mut machine, vec![(920, means("HassTurnOff"))]);
    assert_eq!(calls(&done), [("home.turn_off".to_owned(), false)], "and the lamp stays on");
    assert!(done.contains(&Effect::Unduck), "the answer to it is heard");
}

#[test]
fn where_both_parts_are_nothing_the_second_is_an_interruption_like_any_other() {
    let alone = |words: &str, rejected: bool| {
        let interruption = Event::Interruption { ago_ms: 900, goes_on: false };
        vec![(500, goes_on()), (890, ended()), (895, interruption), (900, heard(words, rejected))]
    };
    let mut machine = lamp_is_on();
    let effects = run(&mut machine, alone("lock the door", false));
    assert_eq!(asked(&effects), ["lock the door"]);
    let effects = run(&mut machine, vec![(910, means("HassTurnOff"))]);
    assert_eq!(calls(&effects), [("home.turn_off".to_owned(), false)], "nothing is taken back");

    let mut machine = lamp_is_on();
    let effects = run(&mut machine, alone("did you see", true));
    assert!(effects.contains(&Effect::Unduck) && asked(&effects).is_empty(), "{effects:?}");
}

#[test]
fn stop_behind_a_request_is_stop() {
    let mut machine = lamp_is_on();
    run(&mut machine, vec![(70, replied(1, true)), (80, Event::SpeakingStarted { turn: turn(1) })]);
    let stopped = gone_on(&mut machine, "turn on the lamp stop");
    assert!(asked(&stopped).is_empty() && stopped.contains(&Effect::StopSpeaking), "{stopped:?}");
    assert!(calls(&stopped).is_empty(), "the lamp stays on");
}

#[test]
fn no_yes_is_taken_to_what_has_yet_to_be_asked() {
    let mut machine = being_done("unlock the front door", "HassTurnOff");
    run(&mut machine, vec![(60, acted(1, 0, false, "needs_approval"))]);
    let mut effects = gone_on(&mut machine, "unlock the front door yes");
    effects.extend(run(&mut machine, vec![(910, understood(2, &["HassTurnOff"]))]));
    assert!(calls(&effects).is_empty() && effects.contains(&Effect::Unduck), "{effects:?}");
}

#[test]
fn a_voice_that_waits_is_let_go_whatever_comes_in_between() {
    let between: [fn() -> Event; 3] = [wake, || Event::Stop, || Event::ListenNow];
    for event in between {
        for words_came in [false, true] {
            let mut machine = lamp_is_on();
            let mut effects = run(&mut machine, vec![(500, goes_on())]);
            if words_came {
                effects.extend(run(&mut machine, vec![(900, heard("turn on the lamp in ten", false))]));
            }
            effects.extend(run(&mut machine, vec![(1_000, event()), (80_000, Event::Tick)]));
            let last = |wanted: &[Effect]| effects.iter().rposition(|effect| wanted.contains(effect));
            let released = last(&[Effect::Unduck, Effect::StopSpeaking]);
            assert!(released > last(&[Effect::PauseSpeaking]), "{:?}, {words_came}: {effects:?}", event());
        }
    }
    let mut nobody = machine();
    assert_eq!(run(&mut nobody, vec![(500, goes_on())]), [Effect::Dismiss], "there was no request");
}

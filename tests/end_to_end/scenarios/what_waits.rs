//! Requests that wait for something or last for some time: done when it happens, once, over a power cut, and no sooner.

use crate::scenarios::daemon_api::{get, start};
use crate::support::{Hark, text, wait_for};
use std::net::SocketAddr;
use std::time::Duration;

/// What is answered to a request of these words, in one conversation.
fn ask(hark: &Hark, words: &str) -> String {
    let output = hark.run(&["ask", words, "--session", "one"]);
    assert!(output.stderr.is_empty(), "{words}: {}", text(&output.stderr));
    // The intent is told first.
    text(&output.stdout).lines().last().unwrap_or_default().to_owned()
}

fn state(address: SocketAddr, name: &str) -> String {
    let entities = get(address, "/api/v1/entities");
    let entity = entities["entities"].as_array().unwrap().iter().find(|it| it["name"] == name);
    entity.unwrap()["state"].as_str().unwrap().to_owned()
}

fn becomes(address: SocketAddr, name: &str, wanted: &str) {
    wait_for(&format!("{name} is {wanted}"), Duration::from_secs(20), || {
        (state(address, name) == wanted).then_some(())
    });
}

#[test]
fn it_is_done_when_it_happens_and_once() {
    let hark = Hark::new();
    let (daemon, address) = start(&hark, &[]);
    ask(&hark, "turn on the counter light");
    ask(&hark, "turn on the kettle");
    let said = ask(&hark, "turn off the counter light when the kettle is done");
    assert_eq!(said, "Okay, I'll turn off the counter light when the kettle is done (kettle: on now).");
    assert_eq!(state(address, "Counter light"), "on");
    // It waits over a power cut. What the demo's devices are like is written some hundred milliseconds late.
    wait_for("the kettle is kept", Duration::from_secs(10), || {
        let kept = std::fs::read_to_string(hark.path("home-demo.json")).unwrap_or_default();
        kept.contains("switch.kettle").then_some(())
    });
    drop(daemon);
    let (_daemon, address) = start(&hark, &[]);
    let listed = ask(&hark, "what did i ask you to do later");
    assert_eq!(listed, "Turn off the counter light when the kettle is done.");
    ask(&hark, "turn off the kettle");
    becomes(address, "Counter light", "off");
    wait_for("nothing waits any more", Duration::from_secs(10), || {
        (ask(&hark, "what did i ask you to do later") == "Nothing is waiting.").then_some(())
    });
    // Once: the kettle is heated again, the light stays.
    ask(&hark, "turn on the counter light");
    ask(&hark, "turn on the kettle");
    ask(&hark, "turn off the kettle");
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(state(address, "Counter light"), "on");
}

#[test]
fn what_lasts_for_some_time_ends_after_a_power_cut_too() {
    let hark = Hark::new();
    let (daemon, address) = start(&hark, &[]);
    let said = ask(&hark, "turn on the porch light for two seconds");
    assert_eq!(said, "Turned on the porch light. The porch light goes back to off in two seconds.");
    becomes(address, "Porch light", "on");
    becomes(address, "Porch light", "off");
    let said = ask(&hark, "turn on the porch light for three seconds");
    assert!(said.starts_with("Turned on the porch light."), "{said}");
    drop(daemon);
    std::thread::sleep(Duration::from_secs(3));
    let (_daemon, address) = start(&hark, &[]);
    becomes(address, "Porch light", "off");
    let said = ask(&hark, "turn on the desk lamp until the roof window is open");
    assert!(said.starts_with("Turned on the desk lamp."), "{said}");
    ask(&hark, "open the roof window");
    becomes(address, "Desk lamp", "off");
}

#[test]
fn an_if_that_is_not_so_asks_and_what_was_set_is_taken_back() {
    let hark = Hark::new();
    let (_daemon, address) = start(&hark, &[]);
    let said = ask(&hark, "if the kettle is on turn on the counter light");
    assert_eq!(said, "The kettle is off now. Shall I do it when that changes?");
    assert_eq!(ask(&hark, "no"), "Okay, I won't.");
    ask(&hark, "if the kettle is on turn on the counter light");
    assert!(ask(&hark, "yes").starts_with("Okay, I'll turn on the counter light if the kettle is on"));
    assert_eq!(ask(&hark, "forget that"), "Okay, I won't turn on the counter light if the kettle is on.");
    ask(&hark, "turn on the kettle");
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(state(address, "Counter light"), "off", "it was taken back");
    ask(&hark, "if the kettle is on turn on the counter light");
    assert_eq!(state(address, "Counter light"), "on", "it is so now");
    let said = ask(&hark, "turn on the porch light when the washing machine is done");
    assert_eq!(
        said,
        "I have no way to see that from here, so I have done nothing: \"when the washing machine is done\"."
    );
}

#[test]
fn what_is_put_off_knows_what_it_is_about() {
    let hark = Hark::new();
    let (_daemon, address) = start(&hark, &[]);
    ask(&hark, "turn on the kitchen lights");
    let said = ask(&hark, "turn them off again in two seconds");
    assert_eq!(said, "Okay, in two seconds: turn the kitchen ceiling and the counter light off again.");
    becomes(address, "Kitchen ceiling", "off");
    becomes(address, "Counter light", "off");
    ask(&hark, "turn on the desk lamp");
    let said = ask(&hark, "turn it off when the kettle is on");
    assert_eq!(said, "Okay, I'll turn the desk lamp off when the kettle is on (kettle: off now).");
    ask(&hark, "turn on the kettle");
    becomes(address, "Desk lamp", "off");
    ask(&hark, "christmas tree on now, off again in two seconds");
    becomes(address, "Christmas tree", "off");
    let nothing = hark.run(&["ask", "turn it off at eleven", "--session", "another"]);
    assert!(text(&nothing.stdout).contains("didn't understand"), "{}", text(&nothing.stdout));
}

#[test]
fn a_correction_changes_only_what_was_wrong() {
    let hark = Hark::new();
    let (_daemon, address) = start(&hark, &[]);
    ask(&hark, "turn on the bedroom light and the ceiling fan");
    assert_eq!(ask(&hark, "not the fan"), "Turned off the ceiling fan.");
    assert_eq!(state(address, "Bedroom light"), "on");
    for (turns, last) in [
        (&["turn the bedside lamp red", "hmm blue would be nicer"][..], "Set the bedside lamp to blue."),
        (&["close the kitchen blinds", "only halfway though"], "Set the kitchen blinds to 50 percent."),
        (
            &[
                "turn on the lamp, the standing light and the hallway light",
                "all of them off apart from the hallway",
            ],
            "Turned off the lamp. Turned off the standing light.",
        ),
        (
            &["put tomatoes and onions on the shopping list", "scrap the onions"],
            "Took onions off your shopping list.",
        ),
        (
            &["timer for six minutes", "when it's done put the radio on"],
            "Okay, I'll put the radio on when it's done.",
        ),
        (
            &["turn on the desk lamp", "he's asleep in there, do the bedside one instead"],
            "The desk lamp is off again. The bedside lamp is already on.",
        ),
        (
            &["add eggs and cheese to the shopping list", "no wait scratch the cheese"],
            "Took cheese off your shopping list.",
        ),
        (
            &["stick the dining table light on", "ooh that's harsh, a bit less"],
            "Set the dining table light to 80 percent.",
        ),
        (
            &["remind me to ring mum tomorrow at six in the evening", "I said seven, not six"],
            "I'll remind you at seven in the evening tomorrow instead: ring mum.",
        ),
        (
            &["when Robert comes home turn on the porch light", "oh no, leave it then"],
            "Okay, I won't turn on the porch light when Robert comes home.",
        ),
    ] {
        let said: Vec<String> = turns.iter().map(|words| ask(&hark, words)).collect();
        assert_eq!(said.last().map(String::as_str), Some(last), "{turns:?}: {said:?}");
    }
}

#[test]
fn a_correction_takes_the_first_back() {
    let hark = Hark::new();
    let (_daemon, address) = start(&hark, &[]);
    ask(&hark, "turn on the office light");
    assert_eq!(ask(&hark, "no, the desk lamp"), "The office light is off again. Turned on the desk lamp.");
    assert_eq!(
        (state(address, "Office light").as_str(), state(address, "Desk lamp").as_str()),
        ("off", "on")
    );
    ask(&hark, "turn on the porch light for ten minutes");
    assert_eq!(ask(&hark, "make it twenty"), "Okay, the porch light goes back to off in twenty minutes.");
    assert_eq!(ask(&hark, "turn on the light"), "Which one do you mean?");
    assert_eq!(ask(&hark, "the bedside lamp"), "Turned on the bedside lamp.");
    assert_eq!(ask(&hark, "turn on all the lights in the house"), "Shall I change thirteen lights at once?");
    assert_eq!(ask(&hark, "no"), "Okay, I won't.");
}

#[test]
fn what_is_added_to_a_rule_waits_as_well() {
    let hark = Hark::new();
    let (_daemon, address) = start(&hark, &[]);
    ask(&hark, "when the television is on tell me");
    let said = ask(&hark, "and turn on the porch light as well");
    assert_eq!(said, "Okay, I'll turn on the porch light when the television is on (television: off now).");
    assert_eq!(state(address, "Porch light"), "off");
    ask(&hark, "turn on the television");
    becomes(address, "Porch light", "on");
    // What is spoken begins with a capital.
    let said = ask(&hark, "If the kettle is ever on turn on the desk lamp");
    assert_eq!(
        said,
        "Okay, I'll turn on the desk lamp if the kettle is ever on, every time (kettle: off now)."
    );
}

#[test]
fn a_timer_that_rings_is_something_to_wait_for() {
    let hark = Hark::new();
    let (daemon, _) = start(&hark, &[]);
    assert_eq!(ask(&hark, "when the timer goes off turn on the kettle"), "Sorry, there is no such timer.");
    ask(&hark, "set a tea timer for fifteen seconds");
    let said = ask(&hark, "when the tea timer goes off turn on the kettle");
    assert_eq!(said, "Okay, I'll turn on the kettle when the tea timer goes off.");
    // It waits over a power cut.
    drop(daemon);
    let (_daemon, address) = start(&hark, &[]);
    assert_eq!(state(address, "Kettle"), "off");
    // The interface refuses who asks all the time.
    std::thread::sleep(Duration::from_secs(8));
    becomes(address, "Kettle", "on");
    ask(&hark, "stop");
    // What waits for a timer goes with it.
    let said = ask(&hark, "set a timer for ten minutes and when it goes off turn off the kettle");
    assert_eq!(said, "Set a timer for ten minutes. Okay, I'll turn off the kettle when it goes off.");
    let waiting = "what did i ask you to do later";
    assert_eq!(ask(&hark, waiting), "Turn off the kettle when it goes off.");
    ask(&hark, "cancel the timer");
    assert_eq!(ask(&hark, waiting), "Nothing is waiting.");
}

#[test]
fn a_routine_does_what_is_kept_for_its_words_over_a_restart() {
    let hark = Hark::new();
    let (daemon, address) = start(&hark, &[]);
    let said = ask(&hark, "when i say movie time, turn on the counter light and unlock the back door");
    // What is dangerous is asked about when it is kept…
    assert_eq!(said, "Shall I unlock the back door then? I will ask again when it is time.");
    let said = ask(&hark, "yes");
    assert_eq!(
        said,
        "Okay, I'll turn on the counter light and unlock the back door when you say movie time."
    );
    assert_eq!(state(address, "Counter light"), "off");
    drop(daemon);
    let (_daemon, address) = start(&hark, &[]);
    // …and again when it is said, every time.
    assert_eq!(ask(&hark, "Movie time!"), "Turned on the counter light. Shall I unlock the back door?");
    ask(&hark, "no");
    assert_eq!(state(address, "Counter light"), "on");
    assert_eq!(state(address, "Back door"), "locked");
    let said = ask(&hark, "forget the movie time routine");
    assert!(said.starts_with("Okay, forgotten: turn on the counter light"), "{said}");
    ask(&hark, "turn off the counter light");
    ask(&hark, "movie time");
    assert_eq!(state(address, "Counter light"), "off");
}

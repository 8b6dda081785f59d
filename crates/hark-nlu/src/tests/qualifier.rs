//! Conditions, lengths and exceptions are refused with the part that is the reason; what only looks like one is not.

use super::test_home::grammar;
use super::{Grammar, german_tests};
use chrono::{NaiveDate, NaiveDateTime};
use hark_core::intent::refusal;
use hark_core::ports::Understand;
use hark_core::{Intent, Understanding};
use std::sync::OnceLock;

fn now() -> NaiveDateTime {
    NaiveDate::from_ymd_opt(2026, 11, 21).unwrap().and_hms_opt(14, 0, 0).unwrap()
}

fn german() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::new(&german_tests::german(), &german_tests::home()))
}

/// Reason and part of a refusal; `None` where it is understood otherwise or not at all.
fn refused(found: &Understanding) -> Option<(&str, &str)> {
    let [only] = found.intents.as_slice() else { return None };
    let part = only.slots.get(refusal::PART)?.as_str()?;
    (only.name == refusal::INTENT).then_some((only.response.as_deref()?, part))
}

/// Sentences, the reason and the part. Without a reason: none may act, whether it is read or not.
const ENGLISH: &[(&str, &str, &str)] = &[
    ("turn off the lamp when the washing machine is done", "condition", "when the washing machine is done"),
    ("when the washing machine is done turn off the lamp", "condition", "when the washing machine is done"),
    ("When the film begins, please close the curtains!", "condition", "When the film begins"),
    ("turn off the lamp as soon as i leave", "condition", "as soon as i leave"),
    ("open the curtains once the sun is up", "condition", "once the sun is up"),
    ("if the window is open turn off the thermostat", "condition", "if the window is open"),
    ("could you turn on the lamp if it gets dark", "condition", "if it gets dark"),
    ("turn on the lamp unless it is already on", "condition", "unless it is already on"),
    ("keep the curtains closed until the evening", "", ""),
    ("turn on the tv until eight", "condition", "until eight"),
    ("turn the lamp on while i am away", "condition", "while i am away"),
    ("lock the front door after we are gone", "condition", "after we are gone"),
    ("before you go to sleep turn off all the lights", "condition", "before you go to sleep"),
    ("whenever somebody rings turn on the lamp", "condition", "whenever somebody rings"),
    ("close the bedroom blinds at sunset", "condition", "at sunset"),
    ("turn off the lamp later", "condition", "later"),
    ("set the kitchen ceiling to fifty percent when i cook", "condition", "when i cook"),
    ("turn off the lamp and lock the front door when i leave", "condition", "when i leave"),
    (
        "when i leave turn off the lamp and lock the front door",
        "condition",
        "when i leave turn off the lamp and lock the front door",
    ),
    (
        "turn off the lamp, and if nobody is home lock the front door",
        "condition",
        "if nobody is home lock the front door",
    ),
    ("and the office when i leave", "condition", "when i leave"),
    ("yes, but only when i am home", "", ""),
    ("turn on the lamp for ten minutes", "duration", "for ten minutes"),
    ("turn the ceiling fan on for a quarter of an hour please", "duration", "for a quarter of an hour"),
    ("for the next 20 minutes turn off the tv", "duration", "for the next 20 minutes"),
    ("lamp on for an hour", "duration", "for an hour"),
    ("turn on the lamp from nine to ten", "duration", "from nine to ten"),
    ("turn on the lamp from 8 am until 9 am", "duration", "from 8 am until 9 am"),
    ("turn off the tv for a minute", "duration", "for a minute"),
    ("turn on the lamp for ten minutes and then turn it off", "", ""),
    ("keep the curtains closed all day", "", ""),
    ("turn on the lamp for a while", "duration", "for a while"),
    ("turn on the lamp temporarily", "duration", "temporarily"),
    ("turn off the lights as we leave", "condition", "as we leave"),
    ("turn on the ceiling fan above 25 degrees", "condition", "above 25 degrees"),
    ("turn on the lamp with every ring of the bell", "condition", "with every ring of the bell"),
    ("turn on all the lights except the lamp", "exception", "except the lamp"),
    ("turn off all the lights but the lamp", "exception", "but the lamp"),
    ("turn off all the lights but not in the office", "exception", "but not in the office"),
    ("everything off in the bedroom apart from the fan", "exception", "apart from the fan"),
    ("lights on in the living room, not the lamp though", "", ""),
    ("play jazz when i come home", "condition", "when i come home"),
    ("pause the music for ten minutes", "duration", "for ten minutes"),
    ("it's late, turn off the lamp when the film is over", "condition", "when the film is over"),
];

const GERMAN: &[(&str, &str, &str)] = &[
    ("schalte die Stehlampe aus, wenn der Film vorbei ist", "condition", "wenn der Film vorbei ist"),
    ("wenn der Film vorbei ist, schalte die Stehlampe aus", "condition", "wenn der Film vorbei ist"),
    ("schalte die Stehlampe wenn der Film vorbei ist aus", "condition", "wenn der Film vorbei ist"),
    ("sobald ich gehe mach das Licht in der Küche aus", "condition", "sobald ich gehe"),
    ("mach das Licht in der Küche an falls es dunkel wird", "condition", "falls es dunkel wird"),
    ("schalte die Stehlampe für zehn Minuten an", "duration", "für zehn Minuten"),
    ("schalte die Stehlampe bis acht Uhr an", "condition", "bis acht Uhr"),
    ("schalte die Stehlampe von acht bis neun Uhr an", "duration", "von acht bis neun Uhr"),
    ("schalte alle Lampen aus außer die Stehlampe", "exception", "außer die Stehlampe"),
    ("bevor ich schlafe mach die Küchenlampe aus", "condition", "bevor ich schlafe"),
    ("nachdem wir gegangen sind sperr die Haustür ab", "condition", "nachdem wir gegangen sind"),
];

#[test]
fn what_cannot_be_carried_out_as_it_was_said_is_refused() {
    let mut wrong = Vec::new();
    for (grammar, language, rows) in [(grammar(), "en", ENGLISH), (german(), "de", GERMAN)] {
        for (text, reason, part) in rows {
            let found = grammar.understand_at(text, language, now());
            let said = refused(&found);
            let as_wanted = if reason.is_empty() {
                said.is_some() || found.intents.is_empty()
            } else {
                said == Some((*reason, *part))
            };
            if !as_wanted {
                let got: Vec<_> = found.intents.iter().map(|it| (&it.name, &it.slots, &it.why)).collect();
                wrong.push(format!("{text}: {got:?}, missed {:?}", found.missed));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_belongs_to_a_sentence_is_no_condition() {
    for (text, intent) in [
        ("turn on the lamp when you can", "HassTurnOn"),
        ("turn on the lamp if you don't mind", "HassTurnOn"),
        ("i was wondering if you could turn on the lamp", "HassTurnOn"),
        ("if you could turn on the lamp", "HassTurnOn"),
        ("turn on the lamp once more", "HassTurnOn"),
        ("turn on the lamp for me", "HassTurnOn"),
        ("pause the music for a while", "HassMediaPause"),
        ("pause the music for a second", "HassMediaPause"),
        ("turn off the lamp in ten minutes", "HassStartTimer"),
        ("turn off the lamp after ten minutes", "HassStartTimer"),
        ("turn off the lamp at seven", "HarkScheduleCommand"),
        ("turn on the lamp every day at eight", "HarkScheduleCommand"),
        ("set a timer for ten minutes", "HassStartTimer"),
        ("snooze for ten minutes", "HarkSnooze"),
        ("remind me to feed the cat when i get home", "HassRespond"),
        ("remind me in ten minutes to turn off the oven if it is on", "HarkSetReminder"),
        ("add batteries for the remote to the shopping list", "HassShoppingListAddItem"),
        ("add everything but the milk to the shopping list", "HassShoppingListAddItem"),
        ("announce that dinner is ready when the timer is done", "HassBroadcast"),
        ("play when doves cry", "HassMediaSearchAndPlay"),
        ("when is my next alarm", "HarkAlarmStatus"),
    ] {
        let found = grammar().understand_at(text, "en", now());
        let names: Vec<&str> = found.intents.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, [intent], "{text}: {found:?}");
    }
}

#[test]
fn slots_that_others_name_do_not_act_under_a_condition() {
    for (intent, text, reason) in [
        ("HassTurnOn", "it's so very gloomy, lights on when the film is over", "condition"),
        ("HassTurnOff", "nobody needs the lights in the kitchen any longer once we are gone", "condition"),
        ("HassTurnOff", "turn off the lights when the laundry is done", "condition"),
        ("HassStartTimer", "let the fan run for twenty minutes", "duration"),
    ] {
        let found = grammar().fill_at(intent, text, now());
        let refused =
            |found: &Intent| found.name == refusal::INTENT && found.response.as_deref() == Some(reason);
        assert!(found.as_ref().is_none_or(refused), "{text}: {found:?}");
    }
    let unread = grammar().understand_at("make it all cosy when the guests arrive", "en", now());
    assert!(unread.intents.is_empty() && unread.qualifier.is_some(), "{unread:?}");
}

//! What only looks like a condition, a length or an exception is none (what is one: `tests/data/clauses`), and slots that
//! others name do not act under one.

use super::test_home::grammar;
use chrono::{NaiveDate, NaiveDateTime};
use hark_core::Intent;
use hark_core::intent::refusal;
use hark_core::ports::Understand;

fn now() -> NaiveDateTime {
    NaiveDate::from_ymd_opt(2026, 11, 21).unwrap().and_hms_opt(14, 0, 0).unwrap()
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

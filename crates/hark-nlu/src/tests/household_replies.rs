//! The English responses about media, lists, alarms, reminders and what was done, rendered with receipts
//! as the tools give them.

use super::german_tests::german;
use super::reply_tests::{render, render_in};
use serde_json::{Value, json};

fn player(name: &str) -> Value {
    json!({"entities": [{"id": "media_player.x", "name": name, "domain": "media_player", "from": "on", "to": "on"}], "count": 1})
}

fn with(mut value: Value, key: &str, more: Value) -> Value {
    value[key] = more;
    value
}

#[test]
fn players_are_named() {
    let both = json!({"entities": [{"name": "TV"}, {"name": "Radio"}], "count": 2});
    let playing =
        json!({"count": 1, "players": [{"name": "Radio", "state": "playing", "title": "Blue in Green"}]});
    let paused = json!({"count": 1, "players": [{"name": "TV", "state": "paused", "title": "So What", "artist": "Miles Davis"}]});
    for (intent, slots, result, text) in [
        ("HassMediaPause", json!({}), player("Radio"), "Paused the radio."),
        ("HassMediaPause", json!({}), both.clone(), "Paused the tv and the radio."),
        ("HassMediaUnpause", json!({}), player("Radio"), "The radio plays on."),
        ("HassMediaPlayerMute", json!({}), player("Radio"), "Muted the radio."),
        ("HassMediaPlayerUnmute", json!({}), player("Radio"), "The radio can be heard again."),
        ("HarkMediaStop", json!({}), player("Radio"), "Stopped the radio."),
        (
            "HassMediaSearchAndPlay",
            json!({"search_query": "jazz"}),
            with(player("Radio"), "title", json!("jazz")),
            "Playing jazz on the radio.",
        ),
        ("HarkMediaShuffle", json!({}), with(player("x"), "shuffle", json!(true)), "Shuffling."),
        ("HarkMediaRepeat", json!({}), with(player("x"), "repeat", json!("off")), "Repeat is off."),
        (
            "HarkMediaSelectSource",
            json!({"source": "bluetooth"}),
            with(player("Radio"), "source", json!("Bluetooth")),
            "Switched the radio to Bluetooth.",
        ),
        ("HarkMediaNowPlaying", json!({}), playing, "The radio plays Blue in Green."),
        ("HarkMediaNowPlaying", json!({}), paused, "The tv has paused So What by Miles Davis."),
        ("HarkMediaNowPlaying", json!({}), json!({"count": 0, "players": []}), "Nothing is playing."),
        (
            "HassSetVolume",
            json!({"volume_level": 30}),
            json!({"volume_level": 30}),
            "Volume is at 30 percent.",
        ),
        (
            "HassSetVolume",
            json!({"volume_level": 30}),
            with(player("Radio"), "volume_level", json!(30)),
            "The radio is at 30 percent.",
        ),
        (
            "HassSetVolume",
            json!({"volume_level": 30, "area": "Kitchen"}),
            both.clone(),
            "Set the volume in the kitchen to 30 percent.",
        ),
        ("HassSetVolumeRelative", json!({}), both, "Changed the volume of two players."),
    ] {
        assert_eq!(render(intent, "default", slots, result), text);
    }
}

#[test]
fn lists_are_read_as_people_do() {
    let list = |items: Value, count: usize| json!({"list": "Shopping", "items": items, "count": count});
    let three = list(json!(["milk", "eggs", "salt and pepper"]), 3);
    for (intent, key, slots, result, text) in [
        (
            "HassShoppingListAddItem",
            "default",
            json!({}),
            list(json!(["milk", "eggs"]), 5),
            "Added milk and eggs to your shopping list.",
        ),
        (
            "HassListAddItem",
            "default",
            json!({}),
            json!({"list": "Wish list", "items": ["a kite"], "count": 1}),
            "Added a kite to your wish list.",
        ),
        (
            "HassShoppingListCompleteItem",
            "default",
            json!({}),
            list(json!(["milk"]), 0),
            "Checked milk off your shopping list.",
        ),
        (
            "HassListRemoveItem",
            "default",
            json!({}),
            list(json!(["milk"]), 0),
            "Took milk off your shopping list.",
        ),
        ("HarkListRead", "default", json!({}), list(json!([]), 0), "Your shopping list is empty."),
        (
            "HarkListRead",
            "default",
            json!({}),
            list(json!(["milk"]), 1),
            "There is one thing on your shopping list: milk.",
        ),
        (
            "HarkListRead",
            "default",
            json!({}),
            three.clone(),
            "There are three things on your shopping list: milk, eggs and salt and pepper.",
        ),
        (
            "HarkListRead",
            "is_on",
            json!({"item": "milk"}),
            with(three.clone(), "answer", json!(false)),
            "No, milk is not on your shopping list.",
        ),
        ("HarkListClear", "default", json!({}), three, "Cleared your shopping list."),
        ("HarkListClear", "default", json!({}), list(json!([]), 0), "Your shopping list was empty."),
        ("HarkListCreate", "default", json!({}), json!({"list": "Gifts"}), "You have a gifts list now."),
        (
            "HarkListNames",
            "default",
            json!({}),
            json!({"count": 2, "lists": [{"name": "Shopping"}, {"name": "To do"}]}),
            "There are two lists: shopping and to do.",
        ),
    ] {
        assert_eq!(render(intent, key, slots, result), text);
    }
}

fn alarm(hour: u32, minute: u32, days_ahead: i64, repeats: Value) -> Value {
    let mut alarm = json!({
        "id": "a", "name": null, "hour": hour, "minute": minute, "days_ahead": days_ahead, "weekday": "Tuesday",
        "month": "December", "day": 1, "left_hours": 5, "left_minutes": 0, "left_seconds": 0,
    });
    if !repeats.is_null() {
        alarm["repeats"] = repeats;
    }
    alarm
}

#[test]
fn alarms_and_reminders_say_when() {
    let weekly = |set: &str, days: Value, interval: u32| json!({"every": "week", "interval": interval, "days": days, "set": set});
    for (alarm, text) in [
        (alarm(7, 0, 1, Value::Null), "Set an alarm for seven in the morning tomorrow."),
        (alarm(0, 0, 0, Value::Null), "Set an alarm for midnight today."),
        (alarm(15, 5, 3, Value::Null), "Set an alarm for three oh five in the afternoon on Tuesday."),
        (alarm(22, 30, 9, Value::Null), "Set an alarm for ten thirty at night on Tuesday, December 1."),
        (
            alarm(6, 30, 1, weekly("weekdays", json!([]), 1)),
            "Set an alarm for six thirty in the morning every weekday.",
        ),
        (
            alarm(8, 0, 1, weekly("", json!(["Monday", "Friday"]), 1)),
            "Set an alarm for eight in the morning every Monday and Friday.",
        ),
        (
            alarm(8, 0, 1, weekly("", json!(["Monday"]), 2)),
            "Set an alarm for eight in the morning every other Monday.",
        ),
        (
            alarm(12, 0, 1, json!({"every": "day", "interval": 1, "days": [], "set": ""})),
            "Set an alarm for noon every day.",
        ),
        (
            with(alarm(7, 0, 0, Value::Null), "name", json!("School")),
            "Set your school alarm for seven in the morning today.",
        ),
    ] {
        assert_eq!(render("HarkSetAlarm", "default", json!({}), json!({"alarm": alarm})), text);
    }
    let soon = json!({"name": "check the oven", "left_hours": 0, "left_minutes": 10, "left_seconds": 0});
    let later = with(alarm(9, 0, 1, Value::Null), "name", json!("call Anna"));
    let friday = with(with(later.clone(), "days_ahead", json!(3)), "weekday", json!("Friday"));
    let hourly = json!({"every": "hour", "interval": 2, "days": [], "set": ""});
    let often = with(alarm(9, 0, 0, hourly), "name", json!("drink"));
    for (intent, slots, result, text) in [
        (
            "HarkSetReminder",
            json!({}),
            json!({"reminder": soon}),
            "I'll remind you in ten minutes: check the oven.",
        ),
        (
            "HarkSetReminder",
            json!({}),
            json!({"reminder": later}),
            "I'll remind you at nine in the morning tomorrow: call Anna.",
        ),
        (
            "HarkSetReminder",
            json!({}),
            json!({"reminder": often}),
            "I'll remind you every other hour: drink.",
        ),
        ("HarkCancelAlarm", json!({}), json!({"rang": true}), "Okay."),
        (
            "HarkCancelAlarm",
            json!({}),
            json!({"rang": false, "alarm": alarm(7, 0, 1, Value::Null)}),
            "Cancelled the alarm for seven in the morning tomorrow.",
        ),
        ("HarkAlarmStatus", json!({}), json!({"count": 0, "alarms": []}), "There are no alarms."),
        (
            "HarkReminderStatus",
            json!({}),
            json!({"count": 2, "reminders": [soon, later]}),
            "You have two reminders. In ten minutes: check the oven. At nine in the morning tomorrow: call Anna.",
        ),
        (
            "HarkReminderStatus",
            json!({}),
            json!({"count": 1, "reminders": [friday]}),
            "At nine in the morning on Friday: call Anna.",
        ),
        (
            "HarkSnooze",
            json!({}),
            json!({"hours": 0, "minutes": 10, "seconds": 0}),
            "Okay, ten minutes more.",
        ),
    ] {
        assert_eq!(render(intent, "default", slots, result), text);
    }
}

#[test]
fn what_was_taken_back_is_said() {
    let device = |more: Value| {
        let mut device = json!({"kind": "device", "name": "Lamp", "domain": "light", "state": "off"});
        device.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        device
    };
    for (undone, text) in [
        (json!([device(json!({}))]), "The lamp is off again."),
        (json!([device(json!({"brightness": 40}))]), "The lamp is at 40 percent again."),
        (json!([device(json!({"position": 0}))]), "The lamp is closed again."),
        (
            json!([device(json!({})), {"kind": "volume", "volume_level": 50}]),
            "The lamp is off again. Volume is at 50 percent again.",
        ),
        (
            json!([{"kind": "list", "list": "Shopping", "what": "added", "items": ["milk"]}]),
            "Took milk off your shopping list again.",
        ),
        (
            json!([{"kind": "list", "list": "Shopping", "what": "cleared", "items": ["milk", "eggs"]}]),
            "Put milk and eggs back on your shopping list.",
        ),
        (
            json!([{"kind": "timer", "what": "set", "timer": "timer", "name": "Pizza"}]),
            "The pizza timer is cancelled.",
        ),
        (
            json!([{"kind": "timer", "what": "cancelled", "timer": "alarm", "name": null}]),
            "The alarm is back.",
        ),
        (
            json!([{"kind": "fact", "fact": "the car is red", "known": true}]),
            "I remember it again: the car is red.",
        ),
    ] {
        assert_eq!(render("HarkUndo", "default", json!({}), json!({"undone": undone})), text);
    }
    let german = german();
    for (undone, text) in [
        (json!([device(json!({}))]), "Lamp ist wieder aus."),
        (json!([device(json!({"brightness": 40}))]), "Lamp ist wieder auf 40 Prozent."),
        (
            json!([{"kind": "list", "list": "Einkaufen", "what": "added", "items": ["Milch", "Eier"]}]),
            "Wieder von der Liste „Einkaufen“ gestrichen: Milch und Eier.",
        ),
        (
            json!([device(json!({})), {"kind": "timer", "what": "set", "timer": "alarm", "name": null}]),
            "Lamp ist wieder aus. Wecker gelöscht.",
        ),
        (
            json!([{"kind": "timer", "what": "set", "timer": "timer", "name": "pizza"}]),
            "Pizza-Timer gelöscht.",
        ),
        (json!([{"kind": "event", "title": "Chor", "what": "removed"}]), "Chor steht wieder im Kalender."),
    ] {
        let result = json!({"undone": undone});
        assert_eq!(render_in(&german, "HarkUndo", "default", json!({}), result), text);
    }
}

#[test]
fn how_many_more_are_invited_is_said() {
    let invited = |all: usize| {
        json!({"count": 1, "events": [{
            "title": "Sommerfest", "weekday": "Friday", "days_ahead": 2, "all_day": true,
            "attendees": [{"name": "Anna", "answer": "accepted"}, {"name": "Ben", "answer": "none"}],
            "attendees_count": all,
        }]})
    };
    let german = german();
    let english = |all| render("HarkCalendarFind", "invited", json!({}), invited(all));
    let german = |all| render_in(&german, "HarkCalendarFind", "eingeladen", json!({}), invited(all));
    for (all, more) in [(2, ""), (3, " One more is invited."), (14, " Twelve more are invited.")] {
        assert!(
            english(all).ends_with(&format!("Anna has accepted. Ben has not answered.{more}")),
            "{}",
            english(all)
        );
    }
    for (all, more) in
        [(2, ""), (3, " Eingeladen ist noch eine weitere Person."), (14, " Eingeladen sind noch 12 weitere.")]
    {
        assert!(german(all).ends_with(&format!("Noch keine Antwort: Ben.{more}")), "{}", german(all));
    }
}

#[test]
fn the_last_turn_is_explained() {
    let story = |route: &str, parts: Value| json!({"story": {"heard": "lights", "typed": false, "route": route, "parts": parts}});
    let light = json!({"intent": "turn on", "ok": true, "changed": true, "entities": [{"name": "Lamp", "from": "off", "to": "on"}]});
    let failed = json!({"intent": "turn on", "ok": false, "message": "the lamp cannot be reached"});
    for (slots, text) in [
        (json!({"story": null}), "There is nothing to explain yet."),
        (
            story("template", json!([light])),
            "I heard “lights”, which is one of my sentences for “turn on”, so the lamp went from off to on.",
        ),
        (
            story("intent", json!([failed])),
            "I heard “lights”, which sounded to me like a request for “turn on”, but it did not work: the lamp cannot be reached.",
        ),
        (story("template", json!([])), "I heard “lights”, and found nothing in it that I can do."),
        (
            story("instinct", json!([{"intent": "stop", "ok": null}])),
            "I heard “lights”, which is a reflex of mine for “stop”, so I answered.",
        ),
    ] {
        assert_eq!(render("HarkWhy", "default", slots, json!({})), text);
    }
}

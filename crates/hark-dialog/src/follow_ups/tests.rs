//! Tables of follow-ups: what was done, what is said then, and what that means.

use super::*;
use hark_core::Slots;
use serde_json::{Value, json};

fn slots(text: &str) -> Slots {
    match serde_json::from_str(text).unwrap() {
        Value::Object(slots) => slots,
        other => panic!("{other}"),
    }
}

fn intent(name: &str, slots_text: &str) -> Intent {
    Intent {
        name: name.to_owned(),
        slots: slots(slots_text),
        confidence: 1.0,
        route: Route::Template,
        why: "test".into(),
        response: None,
        single: false,
    }
}

fn receipt(domain: &str) -> Option<Receipt> {
    let entities = json!([{ "name": "x", "domain": domain }]);
    let detail = if domain.is_empty() { json!({}) } else { json!({ "entities": entities }) };
    Some(Receipt { id: "r".into(), ok: true, changed: true, detail, tainted: false })
}

/// Intent and slots of the last turn, the domain of what it was done to; intent and slots that were found in
/// the new words; what that means (empty: nothing).
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

const ROWS: &[Row] = &[
    // ---- the same elsewhere, or with another thing
    (
        "HassTurnOn",
        r#"{"area":"Living room","domain":"light"}"#,
        "light",
        "HarkFollowSame",
        r#"{"area":"Kitchen"}"#,
        "HassTurnOn",
        r#"{"area":"Kitchen","domain":"light"}"#,
    ),
    (
        "HassTurnOff",
        r#"{"name":"Floor lamp"}"#,
        "light",
        "HarkFollowSame",
        r#"{"area":"Kitchen"}"#,
        "HassTurnOff",
        r#"{"area":"Kitchen","domain":"light"}"#,
    ),
    // ---- a share of what was set
    (
        "HassLightSet",
        r#"{"name":"Floor lamp","brightness":60}"#,
        "light",
        "HarkFollowMore",
        r#"{"amount":"less","absolute":true,"times":0.5}"#,
        "HassLightSet",
        r#"{"name":"Floor lamp","brightness":30}"#,
    ),
    ("HassTurnOff", r#"{"name":"Floor lamp"}"#, "", "HarkFollowSame", r#"{"area":"Kitchen"}"#, "", ""),
    (
        "HassTurnOff",
        r#"{"name":"Floor lamp"}"#,
        "light",
        "HarkFollowSame",
        r#"{"name":"Ceiling fan"}"#,
        "HassTurnOff",
        r#"{"name":"Ceiling fan"}"#,
    ),
    (
        "HassTurnOff",
        r#"{"area":"Bedroom","domain":"light"}"#,
        "light",
        "HarkFollowSame",
        r#"{"domain":"fan"}"#,
        "HassTurnOff",
        r#"{"area":"Bedroom","domain":"fan"}"#,
    ),
    (
        "HassTurnOff",
        r#"{"domain":"light","name":"all"}"#,
        "light",
        "HarkFollowSame",
        r#"{"floor":"Upstairs"}"#,
        "HassTurnOff",
        r#"{"domain":"light","floor":"Upstairs"}"#,
    ),
    (
        "HassLightSet",
        r#"{"name":"Desk lamp","brightness":40}"#,
        "light",
        "HarkFollowSame",
        r#"{"name":"Floor lamp"}"#,
        "HassLightSet",
        r#"{"brightness":40,"name":"Floor lamp"}"#,
    ),
    (
        "HassTurnOff",
        r#"{"device_class":"blind","domain":"cover","area":"Bedroom"}"#,
        "cover",
        "HarkFollowSame",
        r#"{"area":"Office"}"#,
        "HassTurnOff",
        r#"{"device_class":"blind","domain":"cover","area":"Office"}"#,
    ),
    (
        "HassClimateGetTemperature",
        "{}",
        "climate",
        "HarkFollowSame",
        r#"{"area":"Bedroom"}"#,
        "HassClimateGetTemperature",
        r#"{"area":"Bedroom"}"#,
    ),
    (
        "HassGetState",
        r#"{"name":"Front door","state":"locked"}"#,
        "lock",
        "HarkFollowSame",
        r#"{"name":"Back door"}"#,
        "HassGetState",
        r#"{"state":"locked","name":"Back door"}"#,
    ),
    ("HassGetCurrentTime", "{}", "", "HarkFollowSame", r#"{"area":"Kitchen"}"#, "", ""),
    // ---- more and less
    (
        "HassLightSet",
        r#"{"name":"Desk lamp","brightness":40}"#,
        "light",
        "HarkFollowMore",
        r#"{"amount":"more"}"#,
        "HarkLightSetRelative",
        r#"{"name":"Desk lamp","brightness_step":"up"}"#,
    ),
    (
        "HarkLightSetRelative",
        r#"{"name":"Desk lamp","brightness_step":"down"}"#,
        "light",
        "HarkFollowMore",
        r#"{"amount":"more"}"#,
        "HarkLightSetRelative",
        r#"{"name":"Desk lamp","brightness_step":"down"}"#,
    ),
    (
        "HarkLightSetRelative",
        r#"{"name":"Desk lamp","brightness_step":20}"#,
        "light",
        "HarkFollowMore",
        r#"{"amount":"less"}"#,
        "HarkLightSetRelative",
        r#"{"name":"Desk lamp","brightness_step":-20}"#,
    ),
    (
        "HassTurnOn",
        r#"{"name":"Desk lamp"}"#,
        "light",
        "HarkFollowMore",
        r#"{"amount":"less"}"#,
        "HarkLightSetRelative",
        r#"{"name":"Desk lamp","brightness_step":"down"}"#,
    ),
    (
        "HassClimateSetTemperature",
        r#"{"area":"Office","temperature":20}"#,
        "climate",
        "HarkFollowMore",
        r#"{"amount":"more"}"#,
        "HarkClimateSetTemperatureRelative",
        r#"{"area":"Office","temperature_step":"up"}"#,
    ),
    (
        "HassSetPosition",
        r#"{"name":"Blinds","position":30}"#,
        "cover",
        "HarkFollowMore",
        r#"{"amount":"more"}"#,
        "HarkSetPositionRelative",
        r#"{"name":"Blinds","position_step":"up"}"#,
    ),
    (
        "HassSetVolumeRelative",
        r#"{"volume_step":"down"}"#,
        "",
        "HarkFollowMore",
        r#"{"amount":"more"}"#,
        "HassSetVolumeRelative",
        r#"{"volume_step":"down"}"#,
    ),
    (
        "HassLightSet",
        r#"{"name":"Lamp","temperature":2700}"#,
        "light",
        "HarkClimateSetTemperatureRelative",
        r#"{"temperature_step":"down"}"#,
        "HassLightSet",
        r#"{"name":"Lamp","temperature":3200}"#,
    ),
    (
        "HassTurnOn",
        r#"{"name":"Lamp"}"#,
        "light",
        "HassSetVolumeRelative",
        r#"{"volume_step":"down","it":true}"#,
        "HarkLightSetRelative",
        r#"{"name":"Lamp","brightness_step":"down"}"#,
    ),
    (
        "HassTurnOn",
        r#"{"name":"Kettle"}"#,
        "switch",
        "HassSetVolumeRelative",
        r#"{"volume_step":"down","it":true}"#,
        "HassSetVolumeRelative",
        r#"{"volume_step":"down"}"#,
    ),
    (
        "HassIncreaseTimer",
        r#"{"minutes":5}"#,
        "",
        "HarkFollowMore",
        r#"{"amount":"more"}"#,
        "HassIncreaseTimer",
        r#"{"minutes":5}"#,
    ),
    (
        "HassTurnOn",
        r#"{"name":"Coffee machine"}"#,
        "switch",
        "HarkFollowMore",
        r#"{"amount":"more"}"#,
        "",
        "",
    ),
    ("HassGetCurrentTime", "{}", "", "HarkFollowMore", r#"{"amount":"more"}"#, "", ""),
    // ---- changes that name nothing
    (
        "HassTurnOn",
        r#"{"name":"Desk lamp"}"#,
        "light",
        "HarkLightSetRelative",
        r#"{"domain":"light","brightness_step":"up"}"#,
        "HarkLightSetRelative",
        r#"{"brightness_step":"up","name":"Desk lamp"}"#,
    ),
    (
        "HassClimateSetTemperature",
        r#"{"area":"Office","temperature":20}"#,
        "climate",
        "HarkClimateSetTemperatureRelative",
        r#"{"temperature_step":"up"}"#,
        "HarkClimateSetTemperatureRelative",
        r#"{"temperature_step":"up","area":"Office"}"#,
    ),
    (
        "HassTurnOn",
        r#"{"name":"Ceiling fan"}"#,
        "fan",
        "HarkLightSetRelative",
        r#"{"domain":"light","brightness_step":"up"}"#,
        "HarkLightSetRelative",
        r#"{"domain":"light","brightness_step":"up"}"#,
    ),
    (
        "HassTurnOn",
        r#"{"name":"Desk lamp"}"#,
        "light",
        "HarkLightSetRelative",
        r#"{"area":"Kitchen","brightness_step":"up"}"#,
        "HarkLightSetRelative",
        r#"{"area":"Kitchen","brightness_step":"up"}"#,
    ),
    // ---- it
    (
        "HassTurnOn",
        r#"{"name":"Desk lamp"}"#,
        "light",
        "HarkFollowIt",
        r#"{"action":"off"}"#,
        "HassTurnOff",
        r#"{"name":"Desk lamp"}"#,
    ),
    (
        "HassTurnOn",
        r#"{"area":"Kitchen","domain":"light"}"#,
        "light",
        "HarkFollowIt",
        r#"{"action":"off"}"#,
        "HassTurnOff",
        r#"{"area":"Kitchen","domain":"light"}"#,
    ),
    (
        "HassGetState",
        r#"{"name":"Television","state":"on"}"#,
        "media_player",
        "HarkFollowIt",
        r#"{"action":"off"}"#,
        "HassTurnOff",
        r#"{"name":"Television"}"#,
    ),
    (
        "HassTurnOn",
        r#"{"name":"Desk lamp"}"#,
        "light",
        "HarkFollowIt",
        r#"{"color":"blue"}"#,
        "HassLightSet",
        r#"{"name":"Desk lamp","color":"blue"}"#,
    ),
    (
        "HassTurnOn",
        r#"{"name":"Desk lamp"}"#,
        "light",
        "HarkFollowIt",
        r#"{"value":30}"#,
        "HassLightSet",
        r#"{"name":"Desk lamp","brightness":30}"#,
    ),
    (
        "HassTurnOff",
        r#"{"name":"Blinds"}"#,
        "cover",
        "HarkFollowIt",
        r#"{"value":30,"unit":"percent"}"#,
        "HassSetPosition",
        r#"{"name":"Blinds","position":30}"#,
    ),
    (
        "HassTurnOff",
        r#"{"name":"Blinds"}"#,
        "cover",
        "HarkFollowIt",
        r#"{"action":"open"}"#,
        "HassTurnOn",
        r#"{"name":"Blinds"}"#,
    ),
    (
        "HassClimateGetTemperature",
        r#"{"area":"Office"}"#,
        "",
        "HarkFollowIt",
        r#"{"value":21.5,"unit":"degrees"}"#,
        "HassClimateSetTemperature",
        r#"{"area":"Office","temperature":21.5}"#,
    ),
    (
        "HassSetVolume",
        r#"{"volume_level":20}"#,
        "",
        "HarkFollowIt",
        r#"{"value":30}"#,
        "HassSetVolume",
        r#"{"volume_level":30}"#,
    ),
    (
        "HassTurnOff",
        r#"{"name":"Front door"}"#,
        "lock",
        "HarkFollowIt",
        r#"{"action":"lock"}"#,
        "HassTurnOn",
        r#"{"name":"Front door"}"#,
    ),
    ("HassTurnOn", r#"{"name":"Front door"}"#, "lock", "HarkFollowIt", r#"{"action":"off"}"#, "", ""),
    ("HassTurnOn", r#"{"name":"Desk lamp"}"#, "light", "HarkFollowIt", r#"{"action":"unlock"}"#, "", ""),
    ("HassTurnOn", r#"{"name":"Desk lamp"}"#, "", "HarkFollowIt", r#"{"action":"unlock"}"#, "", ""),
    ("HassTurnOn", r#"{"name":"Fan"}"#, "fan", "HarkFollowIt", r#"{"color":"blue"}"#, "", ""),
    ("HassTurnOn", r#"{"name":"Lamp"}"#, "light", "HarkFollowIt", r#"{"value":30,"unit":"degrees"}"#, "", ""),
    ("HassGetCurrentTime", "{}", "", "HarkFollowIt", r#"{"action":"off"}"#, "", ""),
    // ---- times
    (
        "HarkSetAlarm",
        r#"{"when":"2026-11-23T07:00:00"}"#,
        "",
        "HarkFollowWhen",
        r#"{"when":"2026-11-24"}"#,
        "HarkSetAlarm",
        r#"{"when":"2026-11-24T07:00:00"}"#,
    ),
    (
        "HarkSetAlarm",
        r#"{"when":"2026-11-23T07:00:00"}"#,
        "",
        "HarkFollowWhen",
        r#"{"time":"08:30:00"}"#,
        "HarkSetAlarm",
        r#"{"when":"2026-11-23T08:30:00"}"#,
    ),
    (
        "HarkSetAlarm",
        r#"{"recurrence":"FREQ=WEEKLY;BYDAY=MO;BYHOUR=7;BYMINUTE=0"}"#,
        "",
        "HarkFollowWhen",
        r#"{"time":"08:30:00"}"#,
        "HarkSetAlarm",
        r#"{"recurrence":"FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=30"}"#,
    ),
    (
        "HarkSetReminder",
        r#"{"when":"2026-11-23","item":"call mum"}"#,
        "",
        "HarkFollowWhen",
        r#"{"when":"2026-11-27T12:00:00"}"#,
        "HarkSetReminder",
        r#"{"when":"2026-11-27T12:00:00","item":"call mum"}"#,
    ),
    (
        "HassGetWeather",
        "{}",
        "",
        "HarkFollowWhen",
        r#"{"when":"2026-11-23"}"#,
        "HassGetWeather",
        r#"{"when":"2026-11-23"}"#,
    ),
    ("HassTurnOn", r#"{"name":"Lamp"}"#, "light", "HarkFollowWhen", r#"{"when":"2026-11-23"}"#, "", ""),
    // ---- again
    (
        "HassToggle",
        r#"{"name":"Lamp"}"#,
        "light",
        "HarkFollowAgain",
        "{}",
        "HassToggle",
        r#"{"name":"Lamp"}"#,
    ),
    ("HassTurnOn", r#"{"name":"Lamp"}"#, "light", "HarkFollowOther", "{}", "", ""),
];

#[test]
fn follow_ups_are_completed() {
    let mut wrong = Vec::new();
    for (last, last_slots, domain, said, said_slots, meant, meant_slots) in ROWS {
        let mut context = RecentRequests::default();
        context.remember(1000, &Origin::Cli, vec![(intent(last, last_slots), receipt(domain))]);
        let mut understanding =
            Understanding { intents: vec![intent(said, said_slots)], ..Understanding::default() };
        context.complete(500, &Origin::Cli, &mut understanding);
        let found = &understanding.intents[0];
        let right = if meant.is_empty() {
            is_follow_up(&found.name)
        } else {
            found.name == *meant && found.slots == slots(meant_slots)
        };
        if !right {
            wrong.push(format!("{last} {last_slots} ({domain}), then {said} {said_slots}\n  {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn answered(intent: Intent, ok: bool, detail: Value) -> RecentRequests {
    let mut context = RecentRequests::default();
    let receipt = Receipt { id: "r".into(), ok, changed: ok, detail, tainted: false };
    context.remember(1000, &Origin::Cli, vec![(intent, Some(receipt))]);
    context
}

#[test]
fn what_was_set_is_moved_rather_than_set_again() {
    let set = intent("HarkSetAlarm", r#"{"when":"2026-11-23T07:00:00"}"#);
    let mut alarm = answered(set.clone(), true, json!({"alarm": {"id": "a1"}}));
    let mut said = |name: &str, slots: &str| lean(&mut alarm, 900, &Origin::Cli, name, slots);
    let either = r#"{"time":"06:30:00/18:30:00"}"#;
    let found = said("HarkFollowMove", either);
    let expected = slots(r#"{"id":"a1","time":"06:30:00/18:30:00"}"#);
    assert_eq!((found.name.as_str(), found.slots), ("HarkMoveAlarm", expected));
    let found = said("HarkFollowMove", r#"{"when":"2026-11-24"}"#);
    assert_eq!(found.slots, slots(r#"{"id":"a1","to":"2026-11-24"}"#));
    let found = said("HarkFollowIt", r#"{"value":8}"#);
    assert_eq!(found.slots, slots(r#"{"id":"a1","time":"08:00:00/20:00:00"}"#));
    // How long an alarm is says nothing, and "what about" asks for another.
    assert_eq!(said("HarkFollowMove", r#"{"minutes":10}"#).name, "HarkFollowMove");
    assert_eq!(said("HarkFollowWhen", either).slots, slots(r#"{"when":"2026-11-23T06:30:00"}"#));
    let mut timer =
        answered(intent("HassStartTimer", r#"{"minutes":5}"#), true, json!({"timer": {"id": "t1"}}));
    let found = lean(&mut timer, 900, &Origin::Cli, "HarkFollowMove", r#"{"minutes":10}"#);
    assert_eq!((found.name.as_str(), found.slots), ("HarkChangeTimer", slots(r#"{"id":"t1","minutes":10}"#)));
    let mut unset = answered(set, false, json!({"error": "failed"}));
    let found = lean(&mut unset, 900, &Origin::Cli, "HarkFollowMove", either);
    assert_eq!((found.name.as_str(), &found.slots["when"]), ("HarkSetAlarm", &json!("2026-11-23T06:30:00")));
}

#[test]
fn a_question_of_a_tool_is_answered() {
    let several = json!({"error": "ambiguous", "candidates": [{"id": "a1"}, {"id": "a2"}]});
    let mut which = answered(intent("HarkCancelAlarm", "{}"), false, several);
    let mut said = |name: &str, slots: &str| lean(&mut which, 900, &Origin::Cli, name, slots);
    assert_eq!(said("HarkChoose", r#"{"place":2}"#).slots, slots(r#"{"id":"a2"}"#));
    assert_eq!(said("HarkChoose", r#"{"place":-1}"#).slots, slots(r#"{"id":"a2"}"#));
    assert_eq!(said("HarkChoose", r#"{"name":"gym"}"#).slots, slots(r#"{"name":"gym"}"#));
    assert_eq!(said("HarkChoose", r#"{"place":3}"#).name, "HarkChoose");
    assert_eq!(said("HarkFollowAnswer", r#"{"when":"2026-11-24"}"#).name, "HarkFollowAnswer");
    let missing = json!({"error": "bad_argument", "missing": "when"});
    let mut when = answered(intent("HarkSetReminder", r#"{"message":"drink"}"#), false, missing);
    let mut said = |slots: &str| lean(&mut when, 900, &Origin::Cli, "HarkFollowAnswer", slots);
    let found = said(r#"{"when":"2026-11-24T07:00:00"}"#);
    let expected = slots(r#"{"message":"drink","when":"2026-11-24T07:00:00"}"#);
    assert_eq!((found.name.as_str(), found.slots), ("HarkSetReminder", expected));
    assert_eq!(said(r#"{"minutes":5}"#).name, "HarkFollowAnswer", "that was not asked");
}

fn lean(context: &mut RecentRequests, now_ms: u64, origin: &Origin, said: &str, text: &str) -> Intent {
    let mut understanding = Understanding { intents: vec![intent(said, text)], ..Understanding::default() };
    context.complete(now_ms, origin, &mut understanding);
    understanding.intents.remove(0)
}

#[test]
fn the_context_ends_with_its_time_and_belongs_to_its_conversation() {
    let mut context = RecentRequests::default();
    context.remember(
        1000,
        &Origin::Cli,
        vec![(intent("HassTurnOn", r#"{"name":"Lamp"}"#), receipt("light"))],
    );
    context.remember(
        1000,
        &Origin::Voice,
        vec![(intent("HassTurnOff", r#"{"name":"Fan"}"#), receipt("fan"))],
    );
    let off = r#"{"action":"off"}"#;
    assert_eq!(lean(&mut context, 900, &Origin::Cli, "HarkFollowIt", off).slots["name"], "Lamp");
    assert_eq!(lean(&mut context, 900, &Origin::Voice, "HarkFollowIt", off).slots["name"], "Fan");
    assert_eq!(lean(&mut context, 900, &Origin::Mqtt, "HarkFollowIt", off).name, "HarkFollowIt");
    assert_eq!(lean(&mut context, 1000, &Origin::Cli, "HarkFollowIt", off).name, "HarkFollowIt");
}

#[test]
fn small_talk_does_not_end_what_can_be_leaned_on() {
    let mut context = RecentRequests::default();
    context.remember(
        1000,
        &Origin::Cli,
        vec![(intent("HassTurnOn", r#"{"name":"Lamp"}"#), receipt("light"))],
    );
    context.remember(2000, &Origin::Cli, vec![(intent("HarkThanks", "{}"), None)]);
    let found = lean(&mut context, 900, &Origin::Cli, "HarkFollowIt", r#"{"action":"off"}"#);
    assert_eq!((found.name.as_str(), found.route), ("HassTurnOff", Route::Context));
    assert!(found.why.contains("follows on HassTurnOn"), "{}", found.why);
}

#[test]
fn the_other_one_is_the_one_that_was_not_chosen() {
    let mut context = RecentRequests::default();
    context.not_chosen(vec!["Right lamp".into()]);
    let done = vec![(intent("HassTurnOn", r#"{"name":"Left lamp"}"#), receipt("light"))];
    context.remember(1000, &Origin::Cli, done);
    let found = lean(&mut context, 900, &Origin::Cli, "HarkFollowOther", "{}");
    assert_eq!((found.name.as_str(), &found.slots["name"]), ("HassTurnOn", &json!("Right lamp")));
}

#[test]
fn the_other_one_is_of_the_same_kind_and_room_and_the_first_is_taken_back() {
    let mut context = RecentRequests::default();
    let detail = json!({"entities": [{"name": "Left lamp", "domain": "light", "area": "Office"}]});
    let done = Receipt { detail, ..receipt("light").unwrap() };
    let on = intent("HassTurnOn", r#"{"name":"Left lamp"}"#);
    context.remember(1000, &Origin::Cli, vec![(on, Some(done))]);
    let said = intent("HarkFollowOther", r#"{"instead":"yes"}"#);
    let mut understanding = Understanding { intents: vec![said], ..Understanding::default() };
    context.complete(900, &Origin::Cli, &mut understanding);
    let [undo, other] = understanding.intents.as_slice() else { panic!("{understanding:?}") };
    assert_eq!((undo.name.as_str(), undo.single), ("HarkUndo", false));
    assert_eq!((other.name.as_str(), other.single), ("HassTurnOn", true));
    let slots = json!({"domain": "light", "area": "Office", "except": [{"name": "Left lamp"}]});
    assert_eq!(Value::Object(other.slots.clone()), slots);
}

#[test]
fn what_was_said_before_in_the_same_sentence_comes_first() {
    let mut context = RecentRequests::default();
    context.remember(1000, &Origin::Cli, vec![(intent("HassTurnOff", r#"{"name":"Fan"}"#), receipt("fan"))]);
    let intents = vec![
        intent("HassTurnOn", r#"{"name":"Lamp"}"#),
        intent("HarkFollowSame", r#"{"name":"Television"}"#),
    ];
    let mut understanding = Understanding { intents, ..Understanding::default() };
    context.complete(500, &Origin::Cli, &mut understanding);
    let names: Vec<(&str, &Value)> =
        understanding.intents.iter().map(|intent| (intent.name.as_str(), &intent.slots["name"])).collect();
    assert_eq!(names, [("HassTurnOn", &json!("Lamp")), ("HassTurnOn", &json!("Television"))]);
}

/// What several things that were turned on are followed by means.
fn after_two(follow: Intent) -> Vec<(String, Value)> {
    let mut context = RecentRequests::default();
    let on = |name: &str| (intent("HassTurnOn", &format!(r#"{{"name":"{name}"}}"#)), receipt("switch"));
    context.remember(1000, &Origin::Cli, vec![on("Kettle"), on("Printer")]);
    let mut found = Understanding { intents: vec![follow], ..Understanding::default() };
    context.complete(0, &Origin::Cli, &mut found);
    found.intents.into_iter().map(|it| (it.name, Value::Object(it.slots))).collect()
}

#[test]
fn them_is_all_that_was_spoken_of_and_it_the_last() {
    let off = |name: &str| ("HassTurnOff".to_owned(), json!({ "name": name }));
    let them = after_two(intent("HarkFollowIt", r#"{"action":"off","several":true}"#));
    assert_eq!(them, [off("Kettle"), off("Printer")]);
    assert_eq!(after_two(intent("HarkFollowIt", r#"{"action":"off"}"#)), [off("Printer")]);
    let but_one = r#"{"action":"off","several":true,"except":[{"name":"Kettle"}]}"#;
    assert_eq!(after_two(intent("HarkFollowIt", but_one)), [off("Printer")]);
}

#[test]
fn what_is_left_out_of_several_rooms_is_left_out_of_each() {
    let mut context = RecentRequests::default();
    let on = |area: &str| {
        (intent("HassTurnOn", &format!(r#"{{"area":"{area}","domain":"light"}}"#)), receipt("light"))
    };
    context.remember(1000, &Origin::Cli, vec![on("Kitchen"), on("Office")]);
    let but_one = r#"{"action":"off","several":true,"except":[{"name":"Big light"}]}"#;
    let mut found =
        Understanding { intents: vec![intent("HarkFollowIt", but_one)], ..Understanding::default() };
    context.complete(0, &Origin::Cli, &mut found);
    let left_out: Vec<&Value> = found.intents.iter().map(|it| &it.slots["except"][0]["name"]).collect();
    assert_eq!(left_out, ["Big light", "Big light"]);
}

#[test]
fn what_was_done_is_taken_back_by_words_that_say_so() {
    let mut context = RecentRequests::default();
    let on = (intent("HassTurnOn", r#"{"name":"Kettle"}"#), receipt("switch"));
    context.remember(1000, &Origin::Cli, vec![on]);
    let said = intent("HassNevermind", "{}");
    let undone =
        |takes_back| context.cancelled(500, &Origin::Cli, &said, takes_back).map(|all| all[0].name.clone());
    assert_eq!((undone(true), undone(false)), (Some("HarkUndo".to_owned()), None));
    assert_eq!(context.cancelled(2000, &Origin::Cli, &said, true), None, "it was long ago");
}

#[test]
fn what_was_told_of_one_thing_is_cancelled_as_a_whole_and_of_others_the_last() {
    let cancelled = |about: &str| {
        let mut context = RecentRequests::default();
        let mut told = receipt("").unwrap_or_else(|| panic!("it has one"));
        told.changed = false;
        told.detail = json!({"automations": [{"id": "a1"}, {"id": "a2"}]});
        context.remember(1000, &Origin::Cli, vec![(intent("HarkAutomationList", about), Some(told))]);
        let all =
            context.cancelled(500, &Origin::Cli, &intent("HarkCancel", "{}"), false).unwrap_or_default();
        all.into_iter().map(|one| (one.name, Value::Object(one.slots))).collect::<Vec<_>>()
    };
    let cancel = |slots| (CANCEL.to_owned(), slots);
    let both = [cancel(json!({"id": "a1"})), cancel(json!({"id": "a2"}))];
    assert_eq!(cancelled(r#"{"name":"Christmas tree"}"#), both);
    assert_eq!(cancelled("{}"), both[1..]);
}

#[test]
fn what_was_just_told_and_waits_is_forgotten_in_words_of_ones_own() {
    let forgotten = |told: Value| {
        let mut context = RecentRequests::default();
        let mut receipt = receipt("").unwrap_or_else(|| panic!("it has one"));
        receipt.detail = json!({ "automations": told });
        context.remember(1000, &Origin::Cli, vec![(intent("HarkAutomationList", "{}"), Some(receipt))]);
        let said = intent("HarkForget", r#"{"query":"the cold"}"#);
        let mut found = Understanding { intents: vec![said], ..Understanding::default() };
        context.complete(500, &Origin::Cli, &mut found);
        found.intents.remove(0)
    };
    let one = forgotten(json!([{"id": "a1"}]));
    assert_eq!((one.name.as_str(), &one.slots["id"]), (CANCEL, &json!("a1")));
    assert_eq!(forgotten(json!([{"id": "a1"}, {"id": "a2"}])).name, "HarkForget");
}

#[test]
fn what_was_moved_is_cancelled_and_not_moved_back() {
    let mut context = RecentRequests::default();
    let mut moved = receipt("").unwrap_or_else(|| panic!("it has one"));
    moved.detail = json!({"reminder": {"id": "r1"}});
    let move_it = intent("HarkMoveReminder", r#"{"id":"r1","time":"09:00:00"}"#);
    context.remember(1000, &Origin::Cli, vec![(move_it, Some(moved))]);
    let cancelled = context.cancelled(500, &Origin::Cli, &intent("HassNevermind", "{}"), true);
    let [only] = cancelled.as_deref().unwrap_or_default() else { panic!("{cancelled:?}") };
    assert_eq!((only.name.as_str(), &only.slots["id"]), ("HarkCancelReminder", &json!("r1")));
}

#[test]
fn it_is_what_was_to_be_switched_later_as_well() {
    let mut context = RecentRequests::default();
    let first =
        intent("HarkScheduleCommand", r#"{"intents":[{"name":"HassTurnOn","slots":{"name":"Lamp"}}]}"#);
    context.remember(1000, &Origin::Cli, vec![(first, receipt(""))]);
    let off = r#"{"conversation_command":"turn it off","of_it":{"and":"and","words":"turn {} off"}}"#;
    let off = intent("HarkScheduleCommand", off);
    let mut found = Understanding { intents: vec![off], ..Understanding::default() };
    context.complete(500, &Origin::Cli, &mut found);
    assert_eq!(found.intents[0].slots[hark_core::automation::intent::COMMAND], "turn Lamp off", "{found:?}");
}

#[test]
fn what_comes_again_on_a_day_comes_on_another() {
    let mut context = RecentRequests::default();
    let every = r#"{"message":"bins","recurrence":"FREQ=WEEKLY;BYDAY=TH;BYHOUR=20;BYMINUTE=0"}"#;
    context.remember(1000, &Origin::Cli, vec![(intent("HarkSetReminder", every), receipt(""))]);
    let wednesday = intent("HarkFollowMove", r#"{"when":"2026-12-02"}"#);
    let mut found = Understanding { intents: vec![wednesday], ..Understanding::default() };
    context.complete(500, &Origin::Cli, &mut found);
    let [undo, again] = found.intents.as_slice() else { panic!("{found:?}") };
    assert_eq!((undo.name.as_str(), again.name.as_str()), (UNDO, "HarkSetReminder"));
    assert_eq!(again.slots["recurrence"], "FREQ=WEEKLY;BYDAY=WE;BYHOUR=20;BYMINUTE=0");
}

#[test]
fn what_was_moved_is_moved_again() {
    let mut context = RecentRequests::default();
    let mut moved = receipt("").unwrap_or_else(|| panic!("it has one"));
    moved.detail = json!({"reminder": {"id": "r1"}});
    let first = intent("HarkMoveReminder", r#"{"id":"r1","to":"2026-12-01"}"#);
    context.remember(1000, &Origin::Cli, vec![(first, Some(moved))]);
    let at_ten = intent("HarkFollowWhen", r#"{"time":"10:00:00/22:00:00"}"#);
    let mut found = Understanding { intents: vec![at_ten], ..Understanding::default() };
    context.complete(500, &Origin::Cli, &mut found);
    assert_eq!(found.intents[0].name, "HarkMoveReminder", "{found:?}");
    assert_eq!(found.intents[0].slots["id"], "r1");
}

#[test]
fn nothing_is_done_where_it_is_not_clear_to_what_not() {
    let mut found = Understanding {
        intents: vec![intent("HassTurnOn", r#"{"name":"Dinner"}"#), intent("HarkFollowNot", "{}")],
        parts: vec!["dinner".to_owned(), "without the big light".to_owned()],
        ..Understanding::default()
    };
    RecentRequests::default().complete(0, &Origin::Cli, &mut found);
    let [only] = found.intents.as_slice() else { panic!("{found:?}") };
    assert_eq!((only.name.as_str(), &only.slots["part"]), (refusal::INTENT, &json!("without the big light")));
}

#[test]
fn a_part_that_leans_on_nothing_is_told() {
    let mut found = Understanding {
        intents: vec![intent("HassTurnOn", r#"{"name":"Lamp"}"#), intent("HarkFollowMore", "{}")],
        parts: vec!["turn on the lamp".to_owned(), "a bit more".to_owned()],
        ..Understanding::default()
    };
    let told = |found: &Understanding| found.missed == ["a bit more"] || found.intents.len() == 2;
    RecentRequests::default().complete(0, &Origin::Cli, &mut found);
    assert!(told(&found), "{found:?}");
}

#[test]
fn stopping_ends_what_runs_and_no_light() {
    let stopped = |done: &str, domain: &str| {
        let mut context = RecentRequests::default();
        let done = intent(done, r#"{"name":"x"}"#);
        context.remember(1000, &Origin::Cli, vec![(done, receipt(domain))]);
        context.stopped(0, &Origin::Cli, &intent("HarkStop", "{}")).map(|it| it.name)
    };
    assert_eq!(stopped("HassTurnOn", "fan").as_deref(), Some("HassTurnOff"));
    assert_eq!(stopped("HassLawnMowerStartMowing", "lawn_mower").as_deref(), Some("HassLawnMowerDock"));
    assert_eq!(stopped("HassTurnOff", "cover").as_deref(), Some("HassStopMoving"));
    assert_eq!(stopped("HassTurnOn", "light"), None);
    assert_eq!(stopped("HassGetState", "fan"), None);
}

#[test]
fn a_length_is_added_to_what_lasts_for_some_time() {
    let mut context = RecentRequests::default();
    let mut kept = receipt("").unwrap_or_else(|| panic!("it has one"));
    kept.detail = json!({"automation": {"id": "a1"}});
    context.remember(1000, &Origin::Cli, vec![(intent(RESTORE_LATER, "{}"), Some(kept))]);
    let more = intent("HassIncreaseTimer", r#"{"minutes":10}"#);
    let mut found = Understanding { intents: vec![more], ..Understanding::default() };
    context.complete(0, &Origin::Cli, &mut found);
    let until = json!({"kind": "later", "seconds": 600});
    assert_eq!(Value::Object(found.intents[0].slots.clone()), json!({"id": "a1", "until": until}));
}

#[test]
fn a_question_between_does_not_end_what_can_be_leaned_on() {
    let mut context = RecentRequests::default();
    let lamp = intent("HassTurnOn", r#"{"name":"Lamp"}"#);
    context.remember(1000, &Origin::Cli, vec![(lamp, receipt("light"))]);
    let asked = receipt("").map(|receipt| Receipt { changed: false, ..receipt });
    context.remember(1000, &Origin::Cli, vec![(intent("HassGetCurrentTime", "{}"), asked)]);
    let more = intent("HarkFollowMore", r#"{"amount":"more"}"#);
    let mut found = Understanding { intents: vec![more], ..Understanding::default() };
    context.complete(500, &Origin::Cli, &mut found);
    assert_eq!(found.intents[0].slots["name"], "Lamp", "{found:?}");
    let said = intent("HassNevermind", "{}");
    assert_eq!(context.cancelled(500, &Origin::Cli, &said, true), None, "the question was the last");
}

#[test]
fn of_several_items_the_wrong_one_alone_is_another() {
    let mut context = RecentRequests::default();
    let added = intent("HassShoppingListAddItem", r#"{"item":"eggs and flour"}"#);
    context.remember(1000, &Origin::Cli, vec![(added, receipt(""))]);
    let instead = intent("HarkFollowItem", r#"{"item":"sugar","wrong":"flour","instead":"yes"}"#);
    let mut found = Understanding { intents: vec![instead], ..Understanding::default() };
    context.complete(500, &Origin::Cli, &mut found);
    let [undo, add] = found.intents.as_slice() else { panic!("{found:?}") };
    assert_eq!((undo.name.as_str(), &add.slots["item"]), (UNDO, &json!("eggs and sugar")));
}

#[test]
fn a_click_is_on_the_page_that_was_spoken_of_and_else_on_the_screen() {
    let clicked = |done: &str| {
        let mut context = RecentRequests::default();
        context.remember(1000, &Origin::Cli, vec![(intent(done, "{}"), receipt(""))]);
        let click = intent("HarkInputClick", r#"{"text":"sign in"}"#);
        let mut found = Understanding { intents: vec![click], ..Understanding::default() };
        context.complete(500, &Origin::Cli, &mut found);
        found.intents[0].name.clone()
    };
    assert_eq!(clicked("HarkBrowserOpen"), "HarkBrowserClick");
    assert_eq!(clicked("HassTurnOn"), "HarkInputClick");
}

#[test]
fn the_end_of_what_lasts_is_moved_to_another_minute() {
    let lasting = intent(RESTORE_LATER, r#"{"until":{"kind":"moment","at":"2026-11-22T20:00:00"}}"#);
    let detail = json!({"automation": {"id": "a", "when": {"time": "20:00"}}});
    let receipt = Some(Receipt { id: "r".into(), ok: true, changed: true, detail, tainted: false });
    let target = Target::of(&lasting.slots, receipt.as_ref());
    let done = Done { intent: lasting, target, receipt };
    let before = Before { done: &done, all: &[], not_chosen: &[] };
    let moved = complete(&intent("HarkFollowMinute", r#"{"minute":30}"#), &before).unwrap();
    assert_eq!(moved.slots["until"], json!({"kind": "time", "time": "20:30:00"}));
    // Of two hours that is meant which is nearer to its end: what was on for half an hour at eight is on until eleven at night.
    let until = complete(&intent("HarkFollowMove", r#"{"time":"11:00:00/23:00:00"}"#), &before).unwrap();
    assert_eq!(until.slots["until"], json!({"kind": "time", "time": "23:00:00"}));
}

#[test]
fn them_is_all_that_the_same_was_asked_of() {
    let origin = Origin::Cli;
    let mut requests = RecentRequests::default();
    for name in ["Lamp", "Desk lamp"] {
        let asked = intent("HassTurnOn", &json!({ "name": name }).to_string());
        requests.remember(1_000, &origin, vec![(asked, receipt("light"))]);
    }
    let them = intent(TO_IT, r#"{"action":"off","several":true}"#);
    let mut found = Understanding { intents: vec![them], ..Understanding::default() };
    requests.complete(0, &origin, &mut found);
    let names: Vec<&Value> = found.intents.iter().map(|intent| &intent.slots["name"]).collect();
    assert_eq!(names, ["Lamp", "Desk lamp"]);
}

#[test]
fn one_of_several_things_is_left_and_the_others_are_taken_back() {
    let origin = Origin::Cli;
    let done = ["Desk lamp", "Printer"].map(|name| {
        let asked = intent("HassTurnOn", &json!({ "name": name }).to_string());
        let entity = json!({ "name": name, "domain": "switch", "from": "off", "to": "on" });
        let receipt = Receipt { detail: json!({ "entities": [entity] }), ..receipt("switch").unwrap() };
        (asked, Some(receipt))
    });
    let complete = |said: &str| {
        let mut requests = RecentRequests::default();
        requests.remember(1_000, &origin, done.to_vec());
        let only = intent(INSTEAD, said);
        let mut found = Understanding { intents: vec![only], ..Understanding::default() };
        requests.complete(0, &origin, &mut found);
        found
            .intents
            .into_iter()
            .map(|intent| (intent.name, intent.slots["name"].clone()))
            .collect::<Vec<_>>()
    };
    let off = |name: &str| [("HassTurnOff".to_owned(), json!(name))];
    assert_eq!(complete(r#"{"name":"Lamp","only":true}"#), off("Printer"));
    assert_eq!(complete(r#"{"name":"Printer","only":true}"#), off("Desk lamp"));
}

#[test]
fn what_unlocks_a_door_opens_a_gate() {
    let mut context = RecentRequests::default();
    let unlock =
        Intent { response: Some("lock".to_owned()), ..intent("HassTurnOff", r#"{"name":"Back door"}"#) };
    context.remember(1000, &Origin::Cli, vec![(unlock, receipt("lock"))]);
    let gate = intent(INSTEAD, r#"{"name":"Garden gate","domain":"cover"}"#);
    let mut found = Understanding { intents: vec![gate], ..Understanding::default() };
    context.complete(500, &Origin::Cli, &mut found);
    let open = found.intents.last().unwrap();
    assert_eq!((open.name.as_str(), open.response.as_deref()), ("HassTurnOn", Some("cover")));
    assert_eq!(open.slots, slots(r#"{"name":"Garden gate"}"#));
}

#[test]
fn what_is_put_on_a_list_behind_what_was_taken_off_is_added() {
    let mut context = RecentRequests::default();
    let taken = intent("HassShoppingListCompleteItem", r#"{"item":"milk"}"#);
    context.remember(1000, &Origin::Cli, vec![(taken, receipt(""))]);
    let put = intent("HarkFollowItem", r#"{"item":"oat milk","adds":true}"#);
    let mut found = Understanding { intents: vec![put], ..Understanding::default() };
    context.complete(500, &Origin::Cli, &mut found);
    assert_eq!(
        (found.intents[0].name.as_str(), &found.intents[0].slots["item"]),
        ("HassShoppingListAddItem", &json!("oat milk"))
    );
}

#[test]
fn half_of_what_leans_on_a_request_is_not_done() {
    let mut context = RecentRequests::default();
    let set = intent("HarkSetAlarm", r#"{"when":"2026-11-23T06:15:00"}"#);
    let detail = json!({"alarm": {"id": "a1"}});
    let set_it = Receipt { id: "r".into(), ok: true, changed: true, detail, tainted: false };
    context.remember(1000, &Origin::Cli, vec![(set, Some(set_it))]);
    let later = intent("HarkFollowMove", r#"{"time":"06:45:00/18:45:00"}"#);
    let often = intent("HarkFollowEvery", r#"{"recurrence":"FREQ=WEEKLY;BYDAY=MO","instead":"yes"}"#);
    let mut found = Understanding { intents: vec![later, often], ..Understanding::default() };
    context.complete(500, &Origin::Cli, &mut found);
    assert_eq!(found.intents, []);
}

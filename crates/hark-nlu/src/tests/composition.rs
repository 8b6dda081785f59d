//! Every clause goes with every act: each act is read alone, and has to be the same act within each composition.

use super::test_home::grammar;
use chrono::NaiveDate;
use hark_core::automation::intent::{AUTOMATE, COMMAND, RESTORE_LATER};
use hark_core::ports::Understand;
use hark_core::{Effort, Intent, Understanding};
use serde_json::{Value, json};

const ACTS: [&str; 14] = [
    "turn on the lamp",
    "turn the lamp on",
    "lamp on",
    "switch the coffee machine off",
    "close the bedroom blinds",
    "set the thermostat to twenty one degrees",
    "set the lamp to thirty percent",
    "dim the office light to twenty",
    "open the roof window halfway",
    "turn the tv off",
    "set the counter light to red",
    "turn off all the lights in the kitchen",
    "put the ceiling fan on",
    "pull the curtains shut",
];

const TIMES: [&str; 13] = [
    "at nine",
    "tomorrow at nine",
    "tomorrow morning",
    "in ten minutes",
    "in half an hour",
    "on friday at seven in the evening",
    "at half past eight",
    "tonight at ten",
    "tomorrow evening at eight",
    "at quarter to nine",
    "monday at six",
    "this evening",
    "on the third of may at noon",
];

const REPEATS: [&str; 6] = [
    "every day at seven",
    "every monday at eight",
    "on weekdays at six",
    "every evening at nine",
    "at seven every morning",
    "every weekday at quarter past six",
];

const CONDITIONS: [&str; 10] = [
    "when the garage door opens",
    "if the kitchen window is open",
    "when alice gets home",
    "as soon as the tv is off",
    "when it's below ten degrees outside",
    "whenever the back door is unlocked",
    "once the outside temperature goes above twenty five",
    "at sunset",
    "an hour before sunrise",
    "every time alice leaves",
];

const LENGTHS: [&str; 6] = [
    "for ten minutes",
    "until nine",
    "for half an hour",
    "until sunrise",
    "until the garage door is closed",
    "for the next two hours",
];

fn read(text: &str) -> Understanding {
    let now = NaiveDate::from_ymd_opt(2026, 11, 24).unwrap().and_hms_opt(15, 0, 0).unwrap();
    grammar().understand_within(text, "en", now, &Effort::default())
}

/// What is done.
fn frames(intents: &[Intent]) -> Vec<Value> {
    intents.iter().map(|intent| json!({"name": intent.name, "slots": intent.slots})).collect()
}

fn alone(act: &str) -> Vec<Value> {
    frames(&read(act).intents)
}

/// What is carried out later, whether at one time or at several; `None` where anything is done at once.
fn later(text: &str) -> Option<Vec<Value>> {
    let found = read(text);
    let each = found.intents.iter().map(|one| match one.slots.get("intents") {
        Some(intents) if one.name == AUTOMATE => serde_json::from_value(intents.clone()).ok().map(kept),
        _ => Some(alone(one.slots.get(COMMAND)?.as_str()?)),
    });
    each.collect::<Option<Vec<_>>>().map(|each| each.concat())
}

/// The same without what puts it back.
fn kept(intents: Vec<Intent>) -> Vec<Value> {
    frames(&intents.into_iter().filter(|it| it.name != RESTORE_LATER).collect::<Vec<_>>())
}

/// What is done at once, and how much of it is done before what is to last ends with it.
fn lasting(text: &str) -> (Vec<Value>, Option<usize>) {
    let intents = read(text).intents;
    let back = intents.iter().position(|it| it.name == RESTORE_LATER);
    (kept(intents), back)
}

/// Checks texts, each with what it should be.
fn check<T: PartialEq + std::fmt::Debug>(texts: Vec<(String, T)>, read: impl Fn(&str) -> T) {
    let all = texts.len();
    let wrong: Vec<String> = texts
        .into_iter()
        .map(|(text, expected)| (read(&text), text, expected))
        .filter(|(found, _, expected)| found != expected)
        .map(|(found, text, _)| format!("{text}: {found:?}"))
        .collect();
    assert!(wrong.is_empty(), "{} of {all} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn around(act: &str, clause: &str) -> [String; 5] {
    [
        format!("{act} {clause}"),
        format!("{clause} {act}"),
        format!("{clause}, {act}"),
        format!("please {act} {clause}"),
        format!("could you {act} {clause} please"),
    ]
}

/// Each act with every clause around it.
fn each_with(clauses: &[&str]) -> Vec<(&'static str, String)> {
    let with =
        |act: &'static str| clauses.iter().flat_map(move |clause| around(act, clause).map(|it| (act, it)));
    ACTS.iter().flat_map(|act| with(act)).collect()
}

/// Three acts that differ.
fn different() -> impl Iterator<Item = [&'static str; 3]> {
    let three = (0..ACTS.len()).map(|at| [0, 5, 9].map(|next| ACTS[(at + next) % ACTS.len()]));
    three.filter(|[one, other, third]| {
        let [one, other, third] = [one, other, third].map(|act| alone(act));
        one != other && other != third && one != third
    })
}

#[test]
fn every_act_can_be_put_off_and_wait() {
    for clauses in [&TIMES[..], &REPEATS, &CONDITIONS] {
        let all = each_with(clauses).into_iter().map(|(act, text)| (text, Some(alone(act))));
        check(all.collect(), later);
    }
}

#[test]
fn every_act_can_last() {
    let all = each_with(&LENGTHS).into_iter().map(|(act, text)| (text, (alone(act), Some(alone(act).len()))));
    check(all.collect(), lasting);
}

#[test]
fn two_acts_are_joined_in_any_way() {
    let mut all = Vec::new();
    for (act, other) in ACTS.iter().flat_map(|act| ACTS.iter().map(move |other| (act, other))) {
        if alone(act) != alone(other) {
            for between in [" and ", " then ", ", ", " "] {
                all.push((format!("{act}{between}{other}"), [alone(act), alone(other)].concat()));
            }
        }
    }
    check(all, alone);
}

#[test]
fn two_acts_have_one_clause_or_each_its_own() {
    let mut all = Vec::new();
    for [act, other, _] in different() {
        let both = || Some([alone(act), alone(other)].concat());
        for (time, again) in TIMES.iter().zip(TIMES.iter().cycle().skip(1)) {
            all.push((format!("{act} {time} and {other} {again}"), both()));
            all.push((format!("{time} {act} and {other}"), both()));
            all.push((format!("{time} {act} and {again} {other}"), both()));
        }
        for (condition, length) in CONDITIONS.iter().zip(LENGTHS.iter().cycle()) {
            all.push((format!("{condition} {act} and {other}"), both()));
            all.push((format!("{act} and {other} {condition}"), both()));
            all.push((format!("{condition} {act} {length}"), Some(alone(act))));
            all.push((format!("{act} {length} {condition}"), Some(alone(act))));
            all.push((format!("{act} {condition} {length}"), Some(alone(act))));
        }
    }
    check(all, later);
}

#[test]
fn of_several_acts_those_last_that_are_meant() {
    let mut all = Vec::new();
    for ([act, other, third], length) in different().flat_map(|three| LENGTHS.map(|length| (three, length))) {
        let (first, both) = (alone(act), [alone(act), alone(other)].concat());
        let three = [both.clone(), alone(third)].concat();
        all.push((format!("{act} {length} and {other}"), (both.clone(), Some(first.len()))));
        all.push((format!("{act} and {other} {length}"), (both.clone(), Some(both.len()))));
        all.push((format!("{act}, {other} and {third}"), (three.clone(), None)));
        all.push((format!("{act} {other} and {third}"), (three.clone(), None)));
        all.push((format!("{act} {other} {third}"), (three.clone(), None)));
        all.push((format!("{act} and {other} and {third} {length}"), (three.clone(), Some(three.len()))));
    }
    check(all, lasting);
}

#[test]
fn of_two_times_that_come_again_the_second_follows_the_first() {
    let now = NaiveDate::from_ymd_opt(2026, 11, 22).and_then(|day| day.and_hms_opt(17, 40, 0)).unwrap();
    let times = |said: &str| {
        let found = grammar().understand_at(said, "en", now);
        let slot = |intent: &Intent| intent.slots.get("recurrence").or(intent.slots.get("when")).cloned();
        found.intents.iter().map(|intent| slot(intent).unwrap_or_default()).collect::<Vec<_>>()
    };
    for (said, expected) in [
        (
            "turn the lamp on at four and off at half ten every day",
            ["FREQ=DAILY;BYHOUR=16;BYMINUTE=0", "FREQ=DAILY;BYHOUR=22;BYMINUTE=30"],
        ),
        // Two hours back is nearer than ten ahead, and the other way round.
        (
            "turn the lamp off at eleven and close the curtains at nine",
            ["2026-11-22T23:00:00", "2026-11-22T21:00:00"],
        ),
        (
            "turn the lamp off at eleven and open the curtains at six",
            ["2026-11-22T23:00:00", "2026-11-23T06:00:00"],
        ),
    ] {
        assert_eq!(times(said), expected, "{said}");
    }
}

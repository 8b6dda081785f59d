//! Automations on a home whose devices and clock the test moves.

use super::*;
use crate::home::{HomeRegistry, file};
use crate::test_stores::InMemoryAutomations;
use chrono::{FixedOffset, NaiveDate, Weekday};
use hark_core::automation::SunEvent;
use hark_core::home::Location;
use hark_core::ports::HomeView;
use hark_core::timer::{TimerKind, TimerState};
use serde_json::{Map, Value, json};
use std::sync::Mutex;

/// 2026-11-23 10:00 UTC, in a zone an hour ahead.
const T0: i64 = 1_795_428_000_000;
const MINUTE_MS: i64 = 60_000;

struct House {
    registry: HomeRegistry,
    store: Arc<InMemoryAutomations>,
    automations: Automations,
    acted: Arc<Mutex<Vec<String>>>,
    unix_ms: i64,
}

impl House {
    fn new() -> Self {
        let store = Arc::<InMemoryAutomations>::default();
        let registry = HomeRegistry::new(file::example(true).unwrap());
        let (automations, acted) = Self::started(&store);
        Self { registry, store, automations, acted, unix_ms: T0 }
    }

    fn started(store: &Arc<InMemoryAutomations>) -> (Automations, Arc<Mutex<Vec<String>>>) {
        let zone = Zone::Fixed(FixedOffset::east_opt(3600).unwrap());
        let automations = Automations::new(Arc::<InMemoryAutomations>::clone(store), zone);
        let acted = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&acted);
        automations.observe(Arc::new(move |one| log.lock().unwrap().push(one.said)));
        (automations, acted)
    }

    /// The power goes and comes back.
    fn restart(&mut self) {
        (self.automations, self.acted) = Self::started(&self.store);
        self.automations.resume(self.unix_ms).unwrap();
    }

    fn add(&self, said: &str, trigger: Trigger, change: impl FnOnce(&mut Automation)) -> Automation {
        let mut new = Automation {
            id: said.into(),
            said: said.into(),
            said_when: String::new(),
            language: "en".into(),
            created_unix_ms: self.unix_ms,
            trigger,
            only_if: Vec::new(),
            repeats: false,
            action: Action::Intents { intents: Vec::new() },
            expires_unix_ms: None,
            was_true: false,
            were_true: Vec::new(),
            true_since_unix_ms: None,
            acting_since_unix_ms: None,
            held_since_unix_ms: None,
            next_unix_ms: None,
        };
        change(&mut new);
        let home = self.registry.home();
        self.automations.add(new, Now { home: &home, area: None, unix_ms: self.unix_ms }).unwrap()
    }

    /// A device changes, and the daemon looks.
    fn is(&self, id: &str, state: &str) -> Vec<String> {
        let id = id.into();
        let attributes = self.registry.entity(&id).unwrap().attributes;
        self.registry.report(&id, state, attributes);
        self.look()
    }

    fn look(&self) -> Vec<String> {
        let home = self.registry.home();
        self.automations.check_triggers(Now { home: &home, area: None, unix_ms: self.unix_ms }).unwrap();
        std::mem::take(&mut *self.acted.lock().unwrap())
    }

    fn passes(&mut self, ms: i64) -> Vec<String> {
        self.unix_ms += ms;
        self.look()
    }

    fn has_acted(&self, said: &str) {
        self.automations.carried_out(&said.into(), self.unix_ms).unwrap();
    }

    fn left(&self) -> usize {
        self.automations.all().unwrap().len()
    }
}

fn question(slots: Value) -> Condition {
    let Value::Object(question) = slots else { panic!("an object") };
    Condition::State { question, not: false }
}

fn becomes(slots: Value) -> Trigger {
    Trigger::Becomes { condition: question(slots), for_seconds: 0 }
}

#[test]
fn it_acts_once_when_what_was_not_so_becomes_so() {
    let house = House::new();
    house.add("lights", becomes(json!({"name": "Kettle", "state": "off"})), |_| {});
    assert!(house.look().is_empty(), "it is off already: that has not become so");
    assert!(house.is("switch.kettle", "on").is_empty());
    assert_eq!(house.is("switch.kettle", "off"), ["lights"]);
    assert!(house.look().is_empty(), "while it is carried out it does not act again");
    house.has_acted("lights");
    assert_eq!(house.left(), 0);
}

#[test]
fn what_repeats_acts_every_time_and_only_in_its_hours() {
    let mut house = House::new();
    let night = Condition::Hours { from: "22:00:00".parse().unwrap(), to: "06:00:00".parse().unwrap() };
    house.add("hall", becomes(json!({"name": "Hallway motion", "state": "on"})), |one| {
        one.repeats = true;
        one.only_if.push(night);
    });
    assert!(house.is("binary_sensor.hallway_motion", "on").is_empty(), "it is eleven in the morning");
    house.is("binary_sensor.hallway_motion", "off");
    house.unix_ms += 12 * 60 * MINUTE_MS;
    for _ in 0..3 {
        assert_eq!(house.is("binary_sensor.hallway_motion", "on"), ["hall"]);
        house.has_acted("hall");
        assert!(house.is("binary_sensor.hallway_motion", "off").is_empty());
    }
    assert_eq!(house.left(), 1);
}

#[test]
fn what_has_not_happened_in_its_time_is_not_waited_for_any_more() {
    let mut house = House::new();
    let motion = || becomes(json!({"name": "Hallway motion", "state": "on"}));
    house.add("hall", motion(), |one| one.expires_unix_ms = Some(T0 + MINUTE_MS));
    house.add("porch", motion(), |one| one.expires_unix_ms = Some(T0 + 3 * MINUTE_MS));
    assert_eq!(house.automations.next_due_unix_ms().unwrap(), Some(T0 + MINUTE_MS));
    house.unix_ms += 2 * MINUTE_MS;
    assert_eq!(house.is("binary_sensor.hallway_motion", "on"), ["porch"]);
    house.has_acted("porch");
    assert_eq!(house.left(), 0);
}

#[test]
fn each_of_several_conditions_becomes_true_for_itself() {
    let house = House::new();
    house.is("switch.kettle", "on");
    let conditions = vec![
        question(json!({"name": "Kettle", "state": "on"})),
        question(json!({"name": "Hallway motion", "state": "on"})),
    ];
    let any = Trigger::Becomes { condition: Condition::Any { conditions }, for_seconds: 0 };
    house.add("told", any, |one| one.repeats = true);
    assert!(house.look().is_empty(), "the kettle is on already");
    assert_eq!(house.is("binary_sensor.hallway_motion", "on"), ["told"]);
    house.has_acted("told");
    assert!(house.is("binary_sensor.hallway_motion", "off").is_empty());
    assert!(house.is("switch.kettle", "off").is_empty());
    assert_eq!(house.is("switch.kettle", "on"), ["told"]);
}

#[test]
fn what_is_limited_to_days_of_the_week_acts_on_no_other() {
    let mut house = House::new();
    let tuesday = Condition::Days { days: vec![Weekday::Tue] };
    house.add("hall", becomes(json!({"name": "Hallway motion", "state": "on"})), |one| {
        one.repeats = true;
        one.only_if.push(tuesday.clone());
    });
    let sunset = Trigger::Sun { event: SunEvent::Sunset, offset_minutes: 0, from_day: None };
    let next = house.add("blinds", sunset, |one| one.only_if.push(tuesday.clone())).next_unix_ms.unwrap();
    let day = house.automations.zone().wall(next).date();
    assert_eq!(day, NaiveDate::from_ymd_opt(2026, 11, 24).unwrap(), "it is Monday");
    assert!(house.is("binary_sensor.hallway_motion", "on").is_empty());
    house.is("binary_sensor.hallway_motion", "off");
    house.unix_ms += 24 * 60 * MINUTE_MS;
    assert_eq!(house.is("binary_sensor.hallway_motion", "on"), ["hall"]);
    let Condition::Days { days } = tuesday.negated() else { panic!("still days") };
    assert_eq!((days.len(), days.contains(&Weekday::Tue)), (6, false));
}

#[test]
fn numbers_have_limits_and_what_is_away_has_not_changed() {
    let house = House::new();
    house.add("tap", becomes(json!({"name": "Outside temperature", "below": 0})), |_| {});
    assert!(house.is("sensor.outside_temperature", "0.5").is_empty());
    assert!(house.is("sensor.outside_temperature", "unavailable").is_empty());
    assert_eq!(house.is("sensor.outside_temperature", "-0.5"), ["tap"]);
}

#[test]
fn a_number_is_compared_with_that_of_another_thing_or_of_all_others() {
    let house = House::new();
    house.is("sensor.office_temperature", "22");
    let outside =
        json!({"name": "Outside temperature", "compared": "above", "other_name": "Office temperature"});
    house.add("shutter", becomes(outside), |_| {});
    let kind =
        json!({"area": "outside", "domain": "sensor", "device_class": "temperature", "compared": "above"});
    house.add("blinds", becomes(kind), |_| {});
    assert!(house.is("sensor.outside_temperature", "-5").is_empty());
    assert!(house.is("sensor.office_temperature", "unavailable").is_empty());
    assert!(house.is("sensor.outside_temperature", "21").is_empty(), "the other is away");
    assert_eq!(house.is("sensor.office_temperature", "20.5"), ["shutter", "blinds"]);
}

#[test]
fn a_power_cut_loses_nothing_and_does_nothing_twice() {
    let mut house = House::new();
    house.add("waits", becomes(json!({"name": "Kettle", "state": "on"})), |_| {});
    house.restart();
    assert_eq!(house.is("switch.kettle", "on"), ["waits"], "it waited over the power cut");
    house.restart();
    assert_eq!(
        std::mem::take(&mut *house.acted.lock().unwrap()),
        ["waits"],
        "it was not carried out to its end"
    );
    house.has_acted("waits");
    house.restart();
    assert!(house.look().is_empty() && house.left() == 0);
    // What happened while the power was away is seen afterwards.
    house.add("missed", becomes(json!({"name": "Kettle", "state": "off"})), |_| {});
    let id = "switch.kettle".into();
    house.registry.report(&id, "off", Map::new());
    house.restart();
    assert_eq!(house.look(), ["missed"]);
    house.unix_ms += LATE_MS + 1;
    house.restart();
    assert!(house.acted.lock().unwrap().is_empty(), "what was begun long ago is not done any more");
    assert_eq!(house.left(), 0);
}

#[test]
fn times_come_once_and_what_is_late_is_left_unless_it_ends_something() {
    let mut house = House::new();
    let at = Trigger::At { unix_ms: T0 + MINUTE_MS };
    house.add("in time", at.clone(), |_| {});
    assert!(house.passes(MINUTE_MS - 1).is_empty());
    assert_eq!(house.passes(1), ["in time"]);
    house.has_acted("in time");
    let later = |unix_ms| Trigger::At { unix_ms };
    house.add("an act", later(house.unix_ms + MINUTE_MS), |_| {});
    house.add("an end", later(house.unix_ms + MINUTE_MS), |one| {
        one.action = Action::Restore { devices: Vec::new() };
    });
    assert_eq!(house.passes(LATE_MS + 2 * MINUTE_MS), ["an end"]);
}

#[test]
fn the_sun_comes_every_day_where_the_house_stands() {
    let mut house = House::new();
    let sunset = Trigger::Sun { event: SunEvent::Sunset, offset_minutes: -30, from_day: None };
    let first = house.add("blinds", sunset.clone(), |one| one.repeats = true).next_unix_ms.unwrap();
    // Berlin: two minutes past four on this day.
    let wall = house.automations.zone().wall(first);
    assert_eq!(wall.date(), NaiveDate::from_ymd_opt(2026, 11, 23).unwrap());
    let minutes = (wall.time() - "15:32:00".parse::<NaiveTime>().unwrap()).num_minutes();
    assert!(minutes.abs() <= 3, "{wall}");
    assert!(house.passes(first - house.unix_ms - 1).is_empty());
    assert_eq!(house.passes(1), ["blinds"]);
    house.has_acted("blinds");
    assert!(house.look().is_empty());
    let next = house.automations.all().unwrap()[0].next_unix_ms.unwrap();
    assert!((next - first - 24 * 60 * MINUTE_MS).abs() < 3 * MINUTE_MS, "the next day");
    let nowhere = Home { location: None, ..(*house.registry.home()).clone() };
    let now = Now { home: &nowhere, area: None, unix_ms: house.unix_ms };
    assert_eq!(house.automations.next(&sunset, &[], now), Err(AutomationError::NoLocation));
    let pole = Home { location: Some(Location { latitude: 90.0, longitude: 0.0 }), ..nowhere };
    let now = Now { home: &pole, area: None, unix_ms: house.unix_ms };
    assert_eq!(house.automations.next(&sunset, &[], now), Err(AutomationError::NoSun));
}

#[test]
fn what_is_not_here_cannot_be_watched() {
    let house = House::new();
    let home = house.registry.home();
    let now = Now { home: &home, area: None, unix_ms: T0 };
    let new = house.add("ok", Trigger::At { unix_ms: T0 + 1 }, |_| {});
    let trigger = becomes(json!({"name": "Sauna", "state": "on"}));
    let found = house.automations.add(Automation { trigger, ..new }, now);
    assert_eq!(found, Err(AutomationError::Question(SelectError::NoSuchName("Sauna".into()))));
    let is_over = Until::Moment { at: house.automations.zone().wall(T0 - MINUTE_MS) };
    assert_eq!(house.automations.end_of(&is_over, now), Err(AutomationError::Over));
    let ten = Until::Time { time: "10:00:00".parse().unwrap() };
    let Ok(Trigger::At { unix_ms }) = house.automations.end_of(&ten, now) else { panic!("a moment") };
    assert_eq!(unix_ms, T0 + 23 * 60 * MINUTE_MS, "ten is over today: the next one is meant");
}

#[test]
fn joined_conditions_are_all_or_one_of_them() {
    let state = |name: &str| question(json!({"name": name, "state": "on"}));
    let conditions = vec![state("Kettle"), state("Hallway motion")];
    let trigger = |condition| Trigger::Becomes { condition, for_seconds: 0 };
    let house = House::new();
    house.is("switch.kettle", "off");
    house.is("binary_sensor.hallway_motion", "off");
    house.add("both", trigger(Condition::All { conditions: conditions.clone() }), |_| {});
    house.add("either", trigger(Condition::Any { conditions: conditions.clone() }), |_| {});
    assert_eq!(house.is("switch.kettle", "on"), ["either"]);
    assert_eq!(house.is("binary_sensor.hallway_motion", "on"), ["both"]);
    let none = Condition::All { conditions }.negated();
    assert!(matches!(none, Condition::Any { conditions } if conditions.len() == 2));
}

#[test]
fn one_condition_that_is_away_decides_nothing_for_both() {
    let house = House::new();
    let conditions = vec![
        question(json!({"name": "Kettle", "state": "on"})),
        question(json!({"name": "Outside temperature", "below": 0})),
    ];
    house.is("switch.kettle", "off");
    let trigger = Trigger::Becomes { condition: Condition::Any { conditions }, for_seconds: 0 };
    house.add("tap", trigger, |_| {});
    assert!(house.is("sensor.outside_temperature", "unavailable").is_empty());
    assert_eq!(house.is("switch.kettle", "on"), ["tap"], "one of them is enough");
}

#[test]
fn the_sun_is_up_by_day_and_down_at_night() {
    let mut house = House::new();
    house.add("hall", becomes(json!({"name": "Hallway motion", "state": "on"})), |one| {
        one.repeats = true;
        one.only_if.push(Condition::Sun { up: false });
    });
    assert!(house.is("binary_sensor.hallway_motion", "on").is_empty(), "it is eleven in the morning");
    house.is("binary_sensor.hallway_motion", "off");
    house.unix_ms += 12 * 60 * MINUTE_MS;
    assert_eq!(house.is("binary_sensor.hallway_motion", "on"), ["hall"]);
}

#[test]
fn what_is_watched_beside_the_home_is_told_seldom_and_held_over_a_restart() {
    let mut house = House::new();
    let folder = |name: &str| {
        let mut thing = house.registry.home().entities[0].clone();
        thing.id = hark_core::EntityId(format!("sensor.folder_{name}"));
        (thing.name, thing.state, thing.source) = (name.to_owned(), "quiet".to_owned(), WATCHED.to_owned());
        (thing.aliases, thing.area, thing.device_class) = (Vec::new(), None, Some("folder".to_owned()));
        thing
    };
    let entities = vec![folder("downloads"), folder("scans")];
    hark_core::ports::HomeSink::replace(&house.registry, WATCHED, Home { entities, ..Home::default() });
    let appears = |name: &str| {
        let question = serde_json::from_value(json!({"name": name, "state": "added"})).unwrap();
        Trigger::Becomes { condition: Condition::State { question, not: false }, for_seconds: 0 }
    };
    let look = |house: &House| {
        let home = house.registry.home();
        house.automations.check_triggers(Now { home: &home, area: None, unix_ms: house.unix_ms }).unwrap();
    };
    let happens = |house: &House, name: &str| {
        for state in ["added", "quiet"] {
            let id = hark_core::EntityId(format!("sensor.folder_{name}"));
            house.registry.report(&id, state, Map::new());
            look(house);
        }
    };
    let limit = |house: &House| house.automations.limit(Arc::new(Unasked::new(|| false, 5)));
    let acted = |house: &House| std::mem::take(&mut *house.acted.lock().unwrap());
    limit(&house);
    let does = |name: &str| {
        let intent = json!({"name": name, "slots": {}, "confidence": 1.0, "route": "template", "why": ""});
        Action::Intents { intents: vec![serde_json::from_value(intent).unwrap()] }
    };
    for said in ["downloads", "scans"] {
        house.add(said, appears(said), |it| (it.repeats, it.action) = (true, does(intent::ANNOUNCE)));
    }
    house.add("lamp", appears("scans"), |it| it.action = does("HassTurnOn"));
    happens(&house, "downloads");
    happens(&house, "scans");
    assert_eq!(acted(&house), ["downloads", "lamp"], "the other one waits, and what says nothing does not");
    let id = |said: &str| AutomationId(said.to_owned());
    for said in ["downloads", "lamp"] {
        house.automations.carried_out(&id(said), house.unix_ms).unwrap();
    }
    look(&house);
    house.restart();
    limit(&house);
    look(&house);
    happens(&house, "downloads");
    assert_eq!(acted(&house), ["scans"], "what was held comes first");
    house.unix_ms += 6 * MINUTE_MS;
    happens(&house, "nothing");
    assert_eq!(acted(&house), ["downloads"]);
    for said in ["scans", "downloads"] {
        house.automations.carried_out(&id(said), house.unix_ms).unwrap();
    }
    house.unix_ms += 6 * MINUTE_MS;
    happens(&house, "nothing");
    assert!(acted(&house).is_empty(), "nothing is told twice");
    happens(&house, "scans");
    happens(&house, "scans");
    assert_eq!(acted(&house), ["scans"], "while it is told, what happens again waits");
    house.automations.carried_out(&id("scans"), house.unix_ms).unwrap();
    house.unix_ms += 6 * MINUTE_MS;
    look(&house);
    assert_eq!(acted(&house), ["scans"]);
}

fn timer(id: &str, kind: TimerKind) -> Timer {
    Timer {
        id: id.into(),
        kind,
        name: None,
        area: None,
        duration_ms: 1000,
        created_unix_ms: T0,
        due_unix_ms: T0,
        remaining_ms: 0,
        state: TimerState::Ringing,
        recurrence: None,
        wall: None,
        skipped: None,
    }
}

fn rings(of: TimerKind, id: Option<&str>) -> Trigger {
    Trigger::Rings { ring: Ring { of: Some(of), name: None, day: None, timer: id.map(Into::into) } }
}

impl House {
    /// Reports the ring of a timer; what acts on it.
    fn rang(&self, timer: &Timer, is_new: bool) -> Vec<String> {
        let home = self.registry.home();
        let now = Now { home: &home, area: None, unix_ms: self.unix_ms };
        self.automations.rang(timer, is_new, now).unwrap();
        std::mem::take(&mut *self.acted.lock().unwrap())
    }
}

#[test]
fn a_ring_is_waited_for_once_or_every_time() {
    let mut house = House::new();
    let (tea, alarm) = (timer("tea", TimerKind::Timer), timer("seven", TimerKind::Alarm));
    house.add("kettle", rings(TimerKind::Timer, Some("tea")), |_| {});
    house.add("coffee", rings(TimerKind::Alarm, None), |one| one.repeats = true);
    assert!(house.rang(&timer("egg", TimerKind::Timer), true).is_empty(), "another timer");
    assert!(house.look().is_empty(), "nothing rings");
    assert_eq!(house.rang(&tea, true), ["kettle"]);
    house.restart();
    assert_eq!(std::mem::take(&mut *house.acted.lock().unwrap()), ["kettle"], "it had not been carried out");
    house.has_acted("kettle");
    assert!(house.rang(&tea, false).is_empty());
    for _ in 0..2 {
        assert_eq!(house.rang(&alarm, true), ["coffee"]);
        house.has_acted("coffee");
        assert!(house.rang(&alarm, false).is_empty(), "it rings on after a restart");
    }
    assert_eq!(house.left(), 1);
}

#[test]
fn what_waits_for_a_timer_goes_with_it_or_when_it_is_not_to_be_done() {
    let house = House::new();
    house.add("kettle", rings(TimerKind::Timer, Some("tea")), |_| {});
    house.add("lamp", rings(TimerKind::Timer, Some("egg")), |one| {
        one.only_if.push(question(json!({"name": "Kettle", "state": "on"})));
    });
    house.automations.timer_gone(&"tea".into()).unwrap();
    assert_eq!(house.left(), 1);
    assert!(house.rang(&timer("egg", TimerKind::Timer), true).is_empty(), "the kettle is off");
    assert_eq!(house.left(), 0);
}

#[test]
fn what_somebody_else_has_brought_back_has_no_end_any_more() {
    for (back_ms, ends) in [(60_000, false), (1_000, true)] {
        let mut house = House::new();
        let lamp = |house: &House| house.registry.entity(&"light.lamp".into()).unwrap();
        let before = lamp(&house);
        house.is("light.lamp", "on");
        let device = Restored { before, after: lamp(&house), back_since_unix_ms: None };
        house.add("end", Trigger::At { unix_ms: T0 + 3_600_000 }, |new| {
            new.action = Action::Restore { devices: vec![device] };
        });
        assert_eq!(house.passes(1_000), [] as [&str; 0]);
        // It is turned off, for so long, and on again.
        house.is("light.lamp", "off");
        house.unix_ms += back_ms;
        house.is("light.lamp", "on");
        assert_eq!(house.left(), usize::from(ends));
        assert_eq!(house.passes(3_600_000).is_empty(), !ends);
    }
}

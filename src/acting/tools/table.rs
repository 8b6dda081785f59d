//! The one table of tools. To add a tool: a line here, its code in a file beside this one, and
//! `HARK_UPDATE_CONTRACTS=1 cargo test --lib acting::tools` for `contracts/tools.json`.

use super::descriptor::{Arg, Descriptor, Field, Kind};
use super::{
    datetime, home_climate, home_cover, home_light, home_state, home_switch, timer, volume, weather,
};
use crate::domain::Risk;
use serde_json::{Value, json};

/// What a request is about; the same for every home tool.
const TARGET: &[Arg] = &[
    Arg::maybe("name", Kind::Text, "name or alias of the thing; `all` for every one"),
    Arg::maybe("area", Kind::Text, "name of the area; `all` for everywhere"),
    Arg::maybe("floor", Kind::Text, "name of the floor"),
    Arg::maybe("domain", Kind::Text, "kind of thing, such as `light`"),
    Arg::maybe("device_class", Kind::Text, "kind within the domain, such as `garage`"),
];

const AMOUNT: &[Arg] = &[
    Arg::maybe("hours", Kind::Number(0.0, 2376.0), "hours"),
    Arg::maybe("minutes", Kind::Number(0.0, 142_560.0), "minutes"),
    Arg::maybe("seconds", Kind::Number(0.0, 8_553_600.0), "seconds"),
];

const WHICH_TIMER: &[Arg] = &[
    Arg::maybe("name", Kind::Text, "what the timer is called"),
    Arg::maybe("area", Kind::Text, "area it was set in"),
    Arg::maybe("start_hours", Kind::Number(0.0, 2376.0), "hours it was set with"),
    Arg::maybe("start_minutes", Kind::Number(0.0, 142_560.0), "minutes it was set with"),
    Arg::maybe("start_seconds", Kind::Number(0.0, 8_553_600.0), "seconds it was set with"),
];

const NEW_TIMER: &[Arg] =
    &[Arg::maybe("name", Kind::Text, "what to call it"), Arg::maybe("area", Kind::Text, "area it is set in")];

const ENTITIES: Field = Field::always(
    "entities",
    "array",
    "{id, name, domain, area, from, to} of every device, states before and after",
);
const COUNT: Field = Field::always("count", "integer", "how many devices");
const NAME: Field = Field::maybe("name", "string", "name of the device, when it is one");
const AREA: Field = Field::maybe("area", "string", "declared name of the area, when the request means one");
const DOMAIN: Field = Field::maybe("domain", "string", "kind of the devices, when they share one");
const DEVICES: &[Field] = &[ENTITIES, COUNT, NAME, AREA, DOMAIN];
const TIMER: &[Field] = &[Field::always(
    "timer",
    "object",
    "{id, name, hours, minutes, seconds, total_seconds} of the length asked for; except on start also \
     {left_hours, left_minutes, left_seconds, total_left_seconds, paused, ringing}",
)];

/// The tool of this name.
pub fn find(name: &str) -> Option<&'static Descriptor> {
    TABLE.iter().find(|tool| tool.name == name)
}

/// All tools, as `contracts/tools.json` pins them.
pub fn to_json() -> Value {
    json!({"tools": TABLE.iter().map(Descriptor::to_json).collect::<Vec<_>>()})
}

/// Every tool.
pub static TABLE: &[Descriptor] = &[
    Descriptor {
        name: "home.turn_on",
        description: "Turns devices on; opens covers, locks locks, activates scenes and scripts.",
        args: &[TARGET],
        result: DEVICES,
        risk: Risk::Write,
        triggers: &["on", "open", "lock", "activate", "start", "light"],
        permission: "home",
        timeout_ms: None,
        prepare: home_switch::turn_on,
    },
    Descriptor {
        name: "home.turn_off",
        description: "Turns devices off; closes covers, unlocks locks.",
        args: &[TARGET],
        result: DEVICES,
        risk: Risk::Write,
        triggers: &["off", "close", "shut", "unlock"],
        permission: "home",
        timeout_ms: None,
        prepare: home_switch::turn_off,
    },
    Descriptor {
        name: "home.toggle",
        description: "Puts devices into the other state.",
        args: &[TARGET],
        result: DEVICES,
        risk: Risk::Write,
        triggers: &["toggle", "switch", "flip"],
        permission: "home",
        timeout_ms: None,
        prepare: home_switch::toggle,
    },
    Descriptor {
        name: "home.light_set",
        description: "Sets brightness, colour or colour temperature of lights and turns them on.",
        args: &[
            TARGET,
            &[
                Arg::maybe("brightness", Kind::Integer(0, 100), "percent; 0 turns off"),
                Arg::maybe("color", Kind::Colour, "name of a colour"),
                Arg::maybe("temperature", Kind::Integer(1000, 10_000), "colour temperature, kelvin"),
            ],
        ],
        result: &[
            ENTITIES,
            COUNT,
            NAME,
            AREA,
            DOMAIN,
            Field::maybe("brightness", "integer", "percent"),
            Field::maybe("color", "string", "name of the colour"),
            Field::maybe("temperature", "integer", "kelvin"),
        ],
        risk: Risk::Write,
        triggers: &["brightness", "dim", "bright", "colour", "color", "light", "lights", "lamp"],
        permission: "home",
        timeout_ms: None,
        prepare: home_light::light_set,
    },
    Descriptor {
        name: "home.set_position",
        description: "Moves covers to a position.",
        args: &[TARGET, &[Arg::must("position", Kind::Integer(0, 100), "percent; 0 is closed, 100 is open")]],
        result: &[ENTITIES, COUNT, NAME, AREA, DOMAIN, Field::always("position", "integer", "percent")],
        risk: Risk::Write,
        triggers: &["position", "open", "close", "percent", "half"],
        permission: "home",
        timeout_ms: None,
        prepare: home_cover::set_position,
    },
    Descriptor {
        name: "home.climate_set_temperature",
        description: "Sets the target temperature of thermostats.",
        args: &[
            TARGET,
            &[Arg::must("temperature", Kind::Number(-50.0, 120.0), "target, in the unit of the device")],
        ],
        result: &[
            ENTITIES,
            COUNT,
            NAME,
            AREA,
            DOMAIN,
            Field::always("temperature", "number", "target"),
            Field::always("unit", "string", "such as °C"),
        ],
        risk: Risk::Write,
        triggers: &["temperature", "degrees", "thermostat", "heating"],
        permission: "home",
        timeout_ms: None,
        prepare: home_climate::set_temperature,
    },
    Descriptor {
        name: "home.climate_get_temperature",
        description: "Tells the temperature of a place or thermostat.",
        args: &[TARGET],
        result: &[
            Field::always("name", "string", "what measured it"),
            Field::always("temperature", "number", "now"),
            Field::maybe("target", "number", "what the thermostat is set to"),
            Field::always("unit", "string", "such as °C"),
        ],
        risk: Risk::Read,
        triggers: &["temperature", "warm", "cold", "degrees"],
        permission: "home",
        timeout_ms: None,
        prepare: home_climate::get_temperature,
    },
    Descriptor {
        name: "home.get_state",
        description: "Tells states of things and people: what it is, whether it is so, any, all, which, how many.",
        args: &[
            TARGET,
            &[
                Arg::maybe("state", Kind::Text, "state asked for, such as `open`"),
                Arg::maybe(
                    "response",
                    Kind::Choice(&["one", "one_yesno", "any", "all", "which", "how_many"]),
                    "kind of question; `all` asks whether all are so, the others whether one is",
                ),
            ],
        ],
        result: &[
            Field::always(
                "entities",
                "array",
                "{id, name, domain, area, state, state_text, unit?} of everything asked about",
            ),
            Field::always("matched", "array", "names of those that are in the state asked for"),
            Field::always("count", "integer", "how many those are"),
            Field::maybe("name", "string", "name, when it is one"),
            Field::maybe("state", "string", "state as it is said, when it is one"),
            Field::maybe("unit", "string", "unit of the state, when it is one and has one"),
            Field::maybe("answer", "boolean", "yes or no, when a state was asked for"),
        ],
        risk: Risk::Read,
        triggers: &["is", "are", "what", "which", "how many", "state", "where"],
        permission: "home",
        timeout_ms: None,
        prepare: home_state::get_state,
    },
    Descriptor {
        name: "weather.get",
        description: "Tells the weather now at the configured place.",
        args: &[],
        result: &[
            Field::always("temperature", "number", "now"),
            Field::always("unit", "string", "such as °C"),
            Field::always("condition", "string", "in words"),
            Field::maybe("wind_speed", "number", "in wind_unit"),
            Field::maybe("wind_unit", "string", "such as km/h"),
        ],
        risk: Risk::Read,
        triggers: &["weather", "rain", "sunny", "outside", "forecast"],
        permission: "weather",
        timeout_ms: None,
        prepare: weather::get,
    },
    Descriptor {
        name: "datetime.time",
        description: "Tells the time.",
        args: &[],
        result: &[
            Field::always("hour", "integer", "0–23"),
            Field::always("minute", "integer", "0–59"),
            Field::always("time", "string", "such as 14:05"),
        ],
        risk: Risk::Read,
        triggers: &["time", "clock"],
        permission: "datetime",
        timeout_ms: None,
        prepare: datetime::time,
    },
    Descriptor {
        name: "datetime.date",
        description: "Tells the date.",
        args: &[],
        result: &[
            Field::always("date", "string", "such as 2026-11-21"),
            Field::always("weekday", "string", "English name"),
            Field::always("day", "integer", "1–31"),
            Field::always("month", "string", "English name"),
            Field::always("year", "integer", "such as 2026"),
        ],
        risk: Risk::Read,
        triggers: &["date", "day", "today"],
        permission: "datetime",
        timeout_ms: None,
        prepare: datetime::date,
    },
    Descriptor {
        name: "timer.start",
        description: "Sets a timer.",
        args: &[AMOUNT, NEW_TIMER],
        result: TIMER,
        risk: Risk::Write,
        triggers: &["timer", "minutes", "seconds", "hours"],
        permission: "timer",
        timeout_ms: None,
        prepare: timer::start,
    },
    Descriptor {
        name: "timer.cancel",
        description: "Takes a timer away.",
        args: &[WHICH_TIMER],
        result: TIMER,
        risk: Risk::Write,
        triggers: &["timer"],
        permission: "timer",
        timeout_ms: None,
        prepare: timer::cancel,
    },
    Descriptor {
        name: "timer.cancel_all",
        description: "Takes all timers away, or those of an area.",
        args: &[&[Arg::maybe("area", Kind::Text, "area they were set in")]],
        result: &[Field::always("count", "integer", "how many there were")],
        risk: Risk::Write,
        triggers: &["timers"],
        permission: "timer",
        timeout_ms: None,
        prepare: timer::cancel_all,
    },
    Descriptor {
        name: "timer.pause",
        description: "Stops a timer with what is left of it.",
        args: &[WHICH_TIMER],
        result: TIMER,
        risk: Risk::Write,
        triggers: &["timer"],
        permission: "timer",
        timeout_ms: None,
        prepare: timer::pause,
    },
    Descriptor {
        name: "timer.resume",
        description: "Lets a paused timer run on.",
        args: &[WHICH_TIMER],
        result: TIMER,
        risk: Risk::Write,
        triggers: &["timer"],
        permission: "timer",
        timeout_ms: None,
        prepare: timer::resume,
    },
    Descriptor {
        name: "timer.status",
        description: "Tells what is left of timers.",
        args: &[WHICH_TIMER],
        result: &[
            Field::always("timers", "array", "each as in timer.cancel"),
            Field::always("count", "integer", "how many"),
        ],
        risk: Risk::Read,
        triggers: &["timer", "timers", "left"],
        permission: "timer",
        timeout_ms: None,
        prepare: timer::status,
    },
    Descriptor {
        name: "timer.increase",
        description: "Makes a timer longer; a ringing one runs again for this long.",
        args: &[AMOUNT, WHICH_TIMER],
        result: TIMER,
        risk: Risk::Write,
        triggers: &["timer"],
        permission: "timer",
        timeout_ms: None,
        prepare: timer::increase,
    },
    Descriptor {
        name: "timer.decrease",
        description: "Makes a timer shorter.",
        args: &[AMOUNT, WHICH_TIMER],
        result: TIMER,
        risk: Risk::Write,
        triggers: &["timer"],
        permission: "timer",
        timeout_ms: None,
        prepare: timer::decrease,
    },
    Descriptor {
        name: "volume.set",
        description: "Sets the volume of this node, or of the media player that is named.",
        args: &[TARGET, &[Arg::must("volume_level", Kind::Integer(0, 100), "percent")]],
        result: VOLUME,
        risk: Risk::Write,
        triggers: &["volume", "loud", "quiet"],
        permission: "volume",
        timeout_ms: None,
        prepare: volume::set,
    },
    Descriptor {
        name: "volume.change",
        description: "Makes this node, or the media player that is named, louder or quieter.",
        args: &[TARGET, &[Arg::must("volume_step", Kind::Step(-100.0, 100.0), "or percent points to add")]],
        result: VOLUME,
        risk: Risk::Write,
        triggers: &["volume", "louder", "quieter", "softer"],
        permission: "volume",
        timeout_ms: None,
        prepare: volume::change,
    },
];

const VOLUME: &[Field] = &[
    Field::maybe("volume_level", "integer", "percent, when it is one volume"),
    Field::maybe("entities", "array", "media players, as in home.turn_on"),
    Field::maybe("count", "integer", "how many media players"),
    NAME,
    AREA,
    DOMAIN,
];

//! Tools that look something up.

use super::TARGET;
use crate::tools::descriptor::{Descriptor, Field, Outside, always};
use crate::tools::parameter::{Arg, Kind};
use crate::tools::{calculate, datetime, weather};
use crate::weather::LIMIT_MS;
use hark_core::Risk;

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
        name: "weather.get",
        description: "Tells the weather at the configured place, now or of a day to come, or as a weather entity of the home has it now.",
        args: &[
            TARGET,
            &[Arg::maybe(
                "when",
                Kind::When,
                "a day or moment; what is not today is forecast; now when missing",
            )],
        ],
        result: &[
            Field::always("temperature", "number", "now, or the highest of the day"),
            Field::always("unit", "string", "such as °C"),
            Field::maybe("condition", "string", "in words; a thermometer has none"),
            Field::maybe("day", "string", "tomorrow, or an English weekday, where a day was asked for"),
            Field::maybe("low", "number", "the lowest of the day"),
            Field::maybe("high", "number", "the highest of the day"),
            Field::maybe("rain_chance", "number", "percent, of the day"),
            Field::maybe("wind_speed", "number", "in wind_unit"),
            Field::maybe("wind_unit", "string", "such as km/h"),
        ],
        risk: Risk::Read,
        outside: Outside::Home,
        permission: "weather",
        agent: "weather",
        timeout_ms: Some(LIMIT_MS),
        ready: weather::ready,
        prepare: weather::get,
    },
    Descriptor {
        name: "datetime.time",
        description: "Tells the time, here or in another place.",
        args: &[&[Arg::maybe("place", Kind::Text, "a city or country; here when missing")]],
        result: &[
            Field::maybe("place", "string", "as it was asked for"),
            Field::maybe("days_away", "integer", "1 where it is tomorrow there, -1 where it is yesterday"),
            Field::always("hour", "integer", "0–23"),
            Field::always("minute", "integer", "0–59"),
            Field::always("time", "string", "such as 14:05"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "datetime",
        agent: "datetime",
        timeout_ms: None,
        ready: always,
        prepare: datetime::time,
    },
    Descriptor {
        name: "datetime.date",
        description: "Tells the date of today, or of a day that is named, and which day of the week that is.",
        args: &[&[Arg::maybe("when", Kind::When, "a day; today when missing")]],
        result: &[
            Field::always("date", "string", "such as 2026-11-21"),
            Field::always("weekday", "string", "English name"),
            Field::always("day", "integer", "1–31"),
            Field::always("month", "string", "English name"),
            Field::always("year", "integer", "such as 2026"),
            Field::maybe("days_away", "integer", "from today, where a day was asked for"),
            Field::maybe("left", "object", "hours and minutes until a moment that was asked for"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "datetime",
        agent: "datetime",
        timeout_ms: None,
        ready: always,
        prepare: datetime::date,
    },
    Descriptor {
        name: "convert",
        description: "Converts between units of length, mass, volume, time, speed, area, temperature and energy.",
        args: &[&[
            Arg::maybe("value", Kind::Number(-1e15, 1e15), "how many; 1 when missing"),
            Arg::must("from", Kind::Text, "unit, such as `mile`"),
            Arg::must("to", Kind::Text, "unit, such as `kilometre`"),
        ]],
        result: &[
            Field::always("value", "number", "how many were asked about"),
            Field::always("value_text", "string", "the same as text"),
            Field::always("from", "string", "their unit"),
            Field::always("to", "string", "the unit of the result"),
            Field::always("result", "number", "how many of that"),
            Field::always("text", "string", "the same as text"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "calculate",
        agent: "calculate",
        timeout_ms: None,
        ready: always,
        prepare: calculate::convert,
    },
];

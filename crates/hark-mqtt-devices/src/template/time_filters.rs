//! Time filters and functions of templates, by Home Assistant's names. A time with a UTC offset is shown in the machine's
//! time zone.

use super::filters::{bad, number};
use chrono::{
    DateTime, Datelike, FixedOffset, Local, NaiveDate, NaiveDateTime, Offset, TimeZone, Timelike, Utc,
};
use minijinja::value::{DynObject, Kwargs, Object, ObjectRepr, Value};
use minijinja::{Environment, Error, ErrorKind, State};
use std::cmp::Ordering;
use std::fmt::{self, Write};
use std::sync::Arc;

/// How Python writes a time.
const PLAIN: &str = "%Y-%m-%d %H:%M:%S";

/// Adds them.
pub fn add_to(engine: &mut Environment<'static>) {
    engine.add_function("now", || Value::from_object(Moment::local(Utc::now())));
    engine.add_function("utcnow", || Value::from_object(Moment::utc(Utc::now())));
    engine.add_filter("as_datetime", as_datetime);
    engine.add_function("as_datetime", as_datetime);
    engine.add_filter("as_timestamp", as_timestamp);
    engine.add_function("as_timestamp", as_timestamp);
    engine.add_filter("as_local", as_local);
    engine.add_function("as_local", as_local);
    engine.add_filter("timestamp_custom", timestamp_custom);
    engine.add_filter("timestamp_local", |value: Value, default: Option<Value>| {
        of_timestamp(&value, default, |utc| Ok(Value::from(Moment::local(utc).iso())))
    });
    engine.add_filter("timestamp_utc", |value: Value, default: Option<Value>| {
        of_timestamp(&value, default, |utc| Ok(Value::from(Moment::utc(utc).iso())))
    });
    engine.add_filter("strptime", strptime);
    engine.add_function("strptime", strptime);
}

/// A time, with its distance from UTC where it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment {
    wall: NaiveDateTime,
    offset: Option<FixedOffset>,
}

impl Moment {
    fn utc(time: DateTime<Utc>) -> Self {
        Self { wall: time.naive_utc(), offset: Some(Utc.fix()) }
    }

    fn local(time: DateTime<Utc>) -> Self {
        let local = time.with_timezone(&Local);
        Self { wall: local.naive_local(), offset: Some(*local.offset()) }
    }

    /// Without a place it is on the wall of the house.
    fn to_utc(self) -> Option<DateTime<Utc>> {
        match self.offset {
            Some(offset) => offset.from_local_datetime(&self.wall).earliest().map(|time| time.to_utc()),
            None => Local.from_local_datetime(&self.wall).earliest().map(|time| time.to_utc()),
        }
    }

    fn timestamp(self) -> Result<f64, Error> {
        let micros = self.to_utc().ok_or_else(|| bad("there is no such time"))?.timestamp_micros();
        // Exact for some hundred years.
        #[allow(clippy::cast_precision_loss)]
        let seconds = micros as f64 / 1e6;
        Ok(seconds)
    }

    fn written(self, pattern: &str) -> Result<String, Error> {
        let mut text = String::new();
        // What the pattern has wrong shows only here.
        let done = match self.offset.and_then(|offset| offset.from_local_datetime(&self.wall).earliest()) {
            Some(time) => write!(text, "{}", time.format(pattern)),
            None => write!(text, "{}", self.wall.format(pattern)),
        };
        done.map(|()| text).map_err(|_| bad("the format of the time is wrong"))
    }

    /// As Python's `isoformat`, with this between date and time.
    fn joined(self, between: char) -> String {
        let micros = match self.wall.and_utc().timestamp_subsec_micros() {
            0 => String::new(),
            micros => format!(".{micros:06}"),
        };
        let offset = self.offset.map(|offset| offset.to_string()).unwrap_or_default();
        format!("{}{between}{}{micros}{offset}", self.wall.format("%Y-%m-%d"), self.wall.format("%H:%M:%S"))
    }

    fn iso(self) -> String {
        self.joined('T')
    }

    fn of(value: &Value) -> Option<Self> {
        value.downcast_object_ref::<Self>().copied().or_else(|| Self::read(value.as_str()?.trim()))
    }

    /// ISO 8601 with or without a place, a date alone, or seconds since the Unix epoch.
    fn read(text: &str) -> Option<Self> {
        let with_place = DateTime::parse_from_rfc3339(text).or_else(|_| {
            // Without the colon in the distance, as some write it.
            DateTime::parse_from_str(&text.replacen(' ', "T", 1), "%Y-%m-%dT%H:%M:%S%.f%z")
        });
        if let Ok(time) = with_place {
            return Some(Self { wall: time.naive_local(), offset: Some(*time.offset()) });
        }
        let wall = NaiveDateTime::parse_from_str(&text.replacen(' ', "T", 1), "%Y-%m-%dT%H:%M:%S%.f")
            .or_else(|_| NaiveDateTime::parse_from_str(&text.replacen(' ', "T", 1), "%Y-%m-%dT%H:%M"))
            .ok()
            .or_else(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0))?;
        Some(Self { wall, offset: None })
    }
}

impl Object for Moment {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        Some(match key.as_str()? {
            "year" => Value::from(self.wall.year()),
            "month" => Value::from(self.wall.month()),
            "day" => Value::from(self.wall.day()),
            "hour" => Value::from(self.wall.hour()),
            "minute" => Value::from(self.wall.minute()),
            "second" => Value::from(self.wall.second()),
            _ => return None,
        })
    }

    fn call_method(
        self: &Arc<Self>,
        _state: &mut State<'_, '_>,
        method: &str,
        args: &[Value],
    ) -> Result<Value, Error> {
        match (method, args.first().and_then(Value::as_str)) {
            ("isoformat", None) => Ok(Value::from(self.iso())),
            ("timestamp", None) => self.timestamp().map(Value::from),
            ("strftime", Some(pattern)) => self.written(pattern).map(Value::from),
            ("date", None) => self.written("%Y-%m-%d").map(Value::from),
            ("time", None) => self.written("%H:%M:%S").map(Value::from),
            ("weekday", None) => Ok(Value::from(self.wall.weekday().num_days_from_monday())),
            ("isoweekday", None) => Ok(Value::from(self.wall.weekday().number_from_monday())),
            _ => Err(Error::new(ErrorKind::UnknownMethod, format!("a time has no method {method}"))),
        }
    }

    fn custom_cmp(self: &Arc<Self>, other: &DynObject) -> Option<Ordering> {
        let other = other.downcast_ref::<Self>()?;
        Some(self.to_utc().cmp(&other.to_utc()))
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.joined(' '))
    }
}

/// A timestamp: seconds since the Unix epoch, as a number or in writing.
fn utc(value: &Value) -> Option<DateTime<Utc>> {
    let seconds = number(value)?;
    // A number outside of its range becomes the nearest there is, which is no time.
    #[allow(clippy::cast_possible_truncation)]
    let micros = (seconds * 1e6).round() as i64;
    DateTime::from_timestamp_micros(micros)
}

fn of_timestamp(
    value: &Value,
    default: Option<Value>,
    with: impl FnOnce(DateTime<Utc>) -> Result<Value, Error>,
) -> Result<Value, Error> {
    match utc(value) {
        Some(utc) => with(utc),
        None => default.ok_or_else(|| bad("that is no timestamp")),
    }
}

fn as_datetime(value: Value, default: Option<Value>) -> Result<Value, Error> {
    let moment = utc(&value).map(Moment::utc).or_else(|| Moment::of(&value));
    moment.map(Value::from_object).or(default).ok_or_else(|| bad("that is no time"))
}

fn as_timestamp(value: Value, default: Option<Value>) -> Result<Value, Error> {
    let seconds = match Moment::of(&value) {
        Some(moment) => Some(moment.timestamp()?),
        None => number(&value),
    };
    seconds.map(Value::from).or(default).ok_or_else(|| bad("that is no time"))
}

fn as_local(value: Value) -> Result<Value, Error> {
    let utc = Moment::of(&value).and_then(Moment::to_utc).ok_or_else(|| bad("that is no time"))?;
    Ok(Value::from_object(Moment::local(utc)))
}

fn timestamp_custom(
    value: Value,
    pattern: Option<String>,
    local: Option<bool>,
    default: Option<Value>,
    options: Kwargs,
) -> Result<Value, Error> {
    let local = local.or(options.get::<Option<bool>>("local")?).unwrap_or(true);
    let default = default.or(options.get::<Option<Value>>("default")?);
    options.assert_all_used()?;
    of_timestamp(&value, default, |utc| {
        let moment = if local { Moment::local(utc) } else { Moment::utc(utc) };
        moment.written(pattern.as_deref().unwrap_or(PLAIN)).map(Value::from)
    })
}

fn strptime(text: String, pattern: String, default: Option<Value>) -> Result<Value, Error> {
    let with_place = DateTime::parse_from_str(&text, &pattern)
        .map(|time| Moment { wall: time.naive_local(), offset: Some(*time.offset()) });
    let wall = || {
        let date = || NaiveDate::parse_from_str(&text, &pattern).ok()?.and_hms_opt(0, 0, 0);
        NaiveDateTime::parse_from_str(&text, &pattern).ok().or_else(date)
    };
    let moment = with_place.ok().or_else(|| wall().map(|wall| Moment { wall, offset: None }));
    moment.map(Value::from_object).or(default).ok_or_else(|| bad("the text is no such time"))
}

#[cfg(test)]
mod tests {
    use super::super::super::template::Template;

    #[test]
    fn times_are_read_and_written_as_at_home_assistant() {
        let payload =
            r#"{"ts":1700000000,"text":"1700000000.5","iso":"2023-11-14T23:13:20+01:00","day":"2023-11-14"}"#;
        for (source, expected) in [
            ("{{ value_json.ts | timestamp_custom('%d.%m.%Y %H:%M', false) }}", "14.11.2023 22:13"),
            ("{{ value_json.ts | timestamp_custom('%H', local=false) }}", "22"),
            ("{{ value_json.ts | timestamp_utc }}", "2023-11-14T22:13:20+00:00"),
            ("{{ value_json.text | as_datetime }}", "2023-11-14 22:13:20.500000+00:00"),
            ("{{ as_datetime(value_json.iso).isoformat() }}", "2023-11-14T23:13:20+01:00"),
            ("{{ as_timestamp(value_json.iso) | int }}", "1700000000"),
            ("{{ value_json.day | as_datetime }}", "2023-11-14 00:00:00"),
            ("{{ strptime(value_json.day, '%Y-%m-%d').month }}", "11"),
            ("{{ as_datetime('2023-11-14 22:13:20+0000').strftime('%A') }}", "Tuesday"),
            ("{{ as_datetime(value_json.ts) == as_datetime(value_json.iso) }}", "True"),
            ("{{ as_datetime(value_json.ts) < now() and now().year > 2000 }}", "True"),
            ("{{ value_json.none | as_timestamp('never') }}", "never"),
            ("{{ value_json.none | timestamp_custom('%H', default='-') }}", "-"),
            ("{{ (as_timestamp(utcnow()) - as_timestamp(now())) | abs < 5 }}", "True"),
        ] {
            let got = Template::new(source).unwrap().read(payload);
            assert_eq!(got.as_deref(), Ok(expected), "{source}");
        }
    }

    #[test]
    fn what_is_no_time_is_an_error_and_no_panic() {
        for source in [
            "{{ value | timestamp_local }}",
            "{{ 9e99 | timestamp_utc }}",
            "{{ -9e99 | as_datetime }}",
            "{{ 0 | timestamp_custom('%') }}",
            "{{ 0 | timestamp_custom('%Q%9999999999d') }}",
            "{{ 'x' | as_datetime }}",
            "{{ now().nothing() }}",
            "{{ strptime('1', '%') }}",
        ] {
            assert!(Template::new(source).unwrap().read("no time").is_err(), "{source}");
        }
    }
}

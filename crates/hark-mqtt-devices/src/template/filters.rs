//! Filters, functions and methods of Home Assistant's templates that minijinja lacks or defines differently. What could
//! make a text much longer is bounded here ([`TEXT_MAX_BYTES`]).

use minijinja::value::{Kwargs, Rest, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, filters};

/// Longest text a filter makes.
const TEXT_MAX_BYTES: usize = 64 * 1024;

/// Most values of a list that are reckoned with.
const VALUES_MAX: usize = 10_000;

/// Adds them.
pub fn add_to(engine: &mut Environment<'static>) {
    for name in ["indent", "batch", "slice", "pprint", "groupby", "dictsort", "chain", "zip"] {
        engine.remove_filter(name);
    }
    engine.remove_global("namespace");
    engine.remove_global("debug");
    engine.add_filter("int", int);
    engine.add_function("int", int);
    engine.add_filter("float", float);
    engine.add_function("float", float);
    engine.add_filter("round", round);
    engine.add_filter("bool", truth);
    engine.add_function("bool", truth);
    engine.add_filter("multiply", |value: Value, by: f64| {
        number(&value).map(|n| n * by).ok_or_else(|| no_number(&value))
    });
    engine.add_filter("add", |value: Value, by: f64| {
        number(&value).map(|n| n + by).ok_or_else(|| no_number(&value))
    });
    engine.add_filter("is_number", |value: Value| number(&value).is_some());
    engine.add_function("is_number", |value: Value| number(&value).is_some());
    engine.add_filter("is_defined", defined);
    engine.add_filter("iif", iif);
    engine.add_function("iif", iif);
    engine.add_filter("to_json", to_json);
    engine.add_filter("tojson", to_json);
    engine.add_filter("from_json", from_json);
    engine.add_filter("string", |value: Value| value.to_string());
    engine.add_filter("ord", |value: String| value.chars().next().map(u32::from));
    engine.add_filter("bitwise_and", |value: i64, other: i64| value & other);
    engine.add_filter("bitwise_or", |value: i64, other: i64| value | other);
    engine.add_filter("bitwise_xor", |value: i64, other: i64| value ^ other);
    engine.add_filter("sqrt", root);
    engine.add_function("sqrt", root);
    engine.add_filter("log", logarithm);
    engine.add_function("log", logarithm);
    engine.add_filter("average", |values: Value| average(vec![values]));
    engine.add_function("average", |values: Rest<Value>| average(values.0));
    engine.add_filter("median", |values: Value| median(vec![values]));
    engine.add_function("median", |values: Rest<Value>| median(values.0));
    engine.add_global("pi", std::f64::consts::PI);
    engine.add_global("e", std::f64::consts::E);
    engine.add_filter("replace", replace);
    engine.add_filter("join", join);
    engine.add_filter(FORMAT, filters::format);
    engine.add_filter("format", format);
    engine.add_function("min", |values: Rest<Value>| least(values.0, false));
    engine.add_function("max", |values: Rest<Value>| least(values.0, true));
    engine.set_unknown_method_callback(method);
}

pub(crate) fn bad(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, what.into())
}

fn no_number(value: &Value) -> Error {
    let shown: String = value.to_string().chars().take(40).collect();
    bad(format!("{shown:?} is not a number"))
}

/// A number, or a text that says one.
pub(crate) fn number(value: &Value) -> Option<f64> {
    let number = match value.kind() {
        ValueKind::Number => f64::try_from(value.clone()).ok(),
        ValueKind::Bool => Some(f64::from(u8::from(value.is_true()))),
        ValueKind::String => value.as_str().and_then(|text| text.trim().parse().ok()),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

/// `int(default, base)`: towards zero, as Python.
fn int(value: Value, default: Option<Value>, base: Option<u32>, options: Kwargs) -> Result<Value, Error> {
    let default = default.or(options.get::<Option<Value>>("default")?);
    let base = base.or(options.get::<Option<u32>>("base")?).unwrap_or(10);
    options.assert_all_used()?;
    let whole = match (base, value.as_str()) {
        (10, _) | (_, None) => number(&value).map(|number| {
            // A number outside of its range becomes the nearest there is.
            #[allow(clippy::cast_possible_truncation)]
            let whole = number.trunc() as i64;
            whole
        }),
        (2..=36, Some(text)) => {
            let text = text.trim();
            let digits = match base {
                16 => text.trim_start_matches("0x").trim_start_matches("0X"),
                _ => text,
            };
            i64::from_str_radix(digits, base).ok()
        }
        _ => return Err(bad("a base is from 2 to 36")),
    };
    whole.map(Value::from).or(default).ok_or_else(|| no_number(&value))
}

/// `float(default)`.
fn float(value: Value, default: Option<Value>, options: Kwargs) -> Result<Value, Error> {
    let default = default.or(options.get::<Option<Value>>("default")?);
    options.assert_all_used()?;
    number(&value).map(Value::from).or(default).ok_or_else(|| no_number(&value))
}

/// `round(precision, method, default)`: a whole number without a precision.
fn round(
    value: Value,
    precision: Option<i32>,
    method: Option<String>,
    options: Kwargs,
) -> Result<Value, Error> {
    let precision = precision.or(options.get::<Option<i32>>("precision")?).unwrap_or(0).clamp(-12, 12);
    let method = method.or(options.get::<Option<String>>("method")?);
    let default = options.get::<Option<Value>>("default")?;
    options.assert_all_used()?;
    let Some(number) = number(&value) else { return default.ok_or_else(|| no_number(&value)) };
    let scale = 10f64.powi(precision);
    let scaled = number * scale;
    let rounded = match method.as_deref() {
        Some("ceil") => scaled.ceil(),
        Some("floor") => scaled.floor(),
        Some("half") => return Ok(Value::from((number * 2.0).round() / 2.0)),
        _ => scaled.round_ties_even(),
    } / scale;
    // A number outside of its range becomes the nearest there is.
    #[allow(clippy::cast_possible_truncation)]
    let whole = rounded as i64;
    Ok(if precision == 0 { Value::from(whole) } else { Value::from(rounded) })
}

fn real(value: &Value) -> Result<f64, Error> {
    number(value).ok_or_else(|| no_number(value))
}

fn root(value: Value) -> Result<f64, Error> {
    real(&value).map(f64::sqrt)
}

fn logarithm(value: Value, base: Option<f64>) -> Result<f64, Error> {
    real(&value).map(|number| base.map_or(number.ln(), |base| number.log(base)))
}

/// The numbers of a list, or of what was handed over one by one.
fn numbers(values: Vec<Value>) -> Result<Vec<f64>, Error> {
    let found = match values.as_slice() {
        [one] if one.try_iter().is_ok() => {
            one.try_iter()?.take(VALUES_MAX).map(|value| real(&value)).collect()
        }
        _ => values.iter().map(real).collect::<Result<Vec<_>, _>>(),
    }?;
    if found.is_empty() { Err(bad("there are no numbers")) } else { Ok(found) }
}

fn average(values: Vec<Value>) -> Result<f64, Error> {
    // Far below what a f64 tells apart.
    #[allow(clippy::cast_precision_loss)]
    numbers(values).map(|numbers| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

fn median(values: Vec<Value>) -> Result<f64, Error> {
    let mut numbers = numbers(values)?;
    numbers.sort_by(f64::total_cmp);
    let (half, is_odd) = (numbers.len() / 2, numbers.len() % 2 == 1);
    Ok(if is_odd { numbers[half] } else { f64::midpoint(numbers[half - 1], numbers[half]) })
}

fn truth(value: Value, default: Option<Value>) -> Result<Value, Error> {
    let known = match value.kind() {
        ValueKind::Bool => Some(value.is_true()),
        ValueKind::Number => Some(value.is_true()),
        _ => match value.as_str().map(|text| text.trim().to_lowercase()).as_deref() {
            Some("true" | "yes" | "on" | "enable" | "1") => Some(true),
            Some("false" | "no" | "off" | "disable" | "0") => Some(false),
            _ => None,
        },
    };
    known.map(Value::from).or(default).ok_or_else(|| bad("that is neither true nor false"))
}

/// Why `is_defined` ends a template: the message is about something else, which is no mistake.
pub(crate) const ABSENT: &str = "the message does not have it";

/// Hands on what is there; a message without it is passed over.
fn defined(value: Value) -> Result<Value, Error> {
    if value.is_undefined() { Err(bad(ABSENT)) } else { Ok(value) }
}

fn iif(value: Value, yes: Option<Value>, no: Option<Value>, unknown: Option<Value>) -> Value {
    match value.is_true() {
        _ if value.is_none() && unknown.is_some() => unknown.unwrap_or_default(),
        true => yes.unwrap_or_else(|| Value::from(true)),
        false => no.unwrap_or_else(|| Value::from(false)),
    }
}

fn to_json(value: Value, _options: Kwargs) -> Result<String, Error> {
    serde_json::to_string(&value).map_err(|error| bad(error.to_string()))
}

fn from_json(value: Value) -> Result<Value, Error> {
    let text = value.as_str().ok_or_else(|| bad("only a text can be JSON"))?;
    let json: serde_json::Value = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
    Ok(Value::from(minijinja::value::Serde(json)))
}

pub(crate) fn bounded(text: String) -> Result<String, Error> {
    if text.len() > TEXT_MAX_BYTES { Err(bad("a text grows too long")) } else { Ok(text) }
}

fn replaced(text: &str, from: &str, to: &str) -> Result<String, Error> {
    let times = text.matches(from).count();
    if text.len().saturating_add(times.saturating_mul(to.len())) > TEXT_MAX_BYTES {
        return Err(bad("a text grows too long"));
    }
    Ok(text.replace(from, to))
}

fn replace(value: Value, from: String, to: String) -> Result<String, Error> {
    replaced(&value.to_string(), &from, &to)
}

fn join(value: Value, between: Option<String>) -> Result<String, Error> {
    let between = between.unwrap_or_default();
    let mut text = String::new();
    for (at, part) in value.try_iter()?.enumerate() {
        if at > 0 {
            text.push_str(&between);
        }
        text.push_str(&part.to_string());
        if text.len() > TEXT_MAX_BYTES {
            return Err(bad("a text grows too long"));
        }
    }
    Ok(text)
}

/// Python's `%`, without widths that could fill the memory.
fn format(state: &mut State, pattern: &Value, values: Rest<Value>) -> Result<Value, Error> {
    let text = pattern.as_str().unwrap_or_default();
    let mut digits = 0;
    for c in text.chars() {
        digits = if c.is_ascii_digit() { digits + 1 } else { 0 };
        if digits > 3 && text.contains('%') || c == '*' {
            return Err(bad("a format has no width above 999"));
        }
    }
    let parts = values.0.iter().map(|value| value.to_string().len()).sum::<usize>();
    if parts + text.len() > TEXT_MAX_BYTES {
        return Err(bad("a text grows too long"));
    }
    state.apply_filter(FORMAT, &std::iter::once(pattern.clone()).chain(values.0).collect::<Vec<_>>())
}

/// Name of minijinja's own `format` here.
const FORMAT: &str = "printf";

fn least(values: Vec<Value>, most: bool) -> Result<Value, Error> {
    let values = match values.as_slice() {
        [one] if one.try_iter().is_ok() => one.try_iter()?.take(VALUES_MAX).collect(),
        _ => values,
    };
    let best = if most { values.into_iter().max() } else { values.into_iter().min() };
    best.ok_or_else(|| bad("there is nothing to compare"))
}

/// Python's methods of texts, lists and maps.
fn method(_state: &mut State, value: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    let unknown = || Error::new(ErrorKind::UnknownMethod, format!("there is no method {name}"));
    if let Some(text) = value.as_str() {
        return text_method(text, name, args)?.ok_or_else(unknown);
    }
    let first = || args.first().cloned().unwrap_or_default();
    match (value.kind(), name) {
        (ValueKind::Map, "get") => {
            let found = value.get_item(&first())?;
            let otherwise = || args.get(1).cloned().unwrap_or(Value::from(()));
            Ok(if found.is_undefined() { otherwise() } else { found })
        }
        (ValueKind::Map, "keys") => Ok(value.try_iter()?.collect()),
        (ValueKind::Map, "values") => {
            value.try_iter()?.map(|key| value.get_item(&key)).collect::<Result<_, _>>()
        }
        (ValueKind::Map, "items") => filters::items(value),
        (ValueKind::Seq, "index") => {
            let at = value.try_iter()?.position(|item| item == first());
            at.map(Value::from).ok_or_else(|| bad("that is not in the list"))
        }
        (ValueKind::Seq, "count") => {
            Ok(Value::from(value.try_iter()?.filter(|item| *item == first()).count()))
        }
        _ => Err(unknown()),
    }
}

fn texts<'a>(parts: impl IntoIterator<Item = &'a str>) -> Value {
    parts.into_iter().map(Value::from).collect()
}

fn text_method(text: &str, name: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    let arg = |at: usize| -> Option<&str> { args.get(at)?.as_str() };
    let ends: Vec<char> = arg(0).unwrap_or(" \t\r\n").chars().collect();
    let is_end = |c: char| ends.contains(&c);
    let value = match name {
        "partition" | "rpartition" => {
            let separator = arg(0).filter(|separator| !separator.is_empty());
            let separator = separator.ok_or_else(|| bad("an empty separator"))?;
            let split =
                if name == "partition" { text.split_once(separator) } else { text.rsplit_once(separator) };
            match split {
                Some((before, after)) => texts([before, separator, after]),
                None if name == "partition" => texts([text, "", ""]),
                None => texts(["", "", text]),
            }
        }
        "rsplit" => {
            let separator = arg(0).filter(|separator| !separator.is_empty());
            let separator = separator.ok_or_else(|| bad("it wants a separator"))?;
            let most = args.get(1).and_then(Value::as_usize).unwrap_or(TEXT_MAX_BYTES);
            let mut parts: Vec<&str> = text.rsplitn(most.saturating_add(1), separator).collect();
            parts.reverse();
            texts(parts)
        }
        "removeprefix" => Value::from(text.strip_prefix(arg(0).unwrap_or_default()).unwrap_or(text)),
        "removesuffix" => Value::from(text.strip_suffix(arg(0).unwrap_or_default()).unwrap_or(text)),
        "splitlines" => text.lines().map(Value::from).collect(),
        "rjust" | "ljust" => {
            let fill = arg(1).and_then(|fill| fill.chars().next()).unwrap_or(' ');
            let width = args.first().and_then(Value::as_usize).unwrap_or(0).min(64);
            let missing: String =
                std::iter::repeat_n(fill, width.saturating_sub(text.chars().count())).collect();
            Value::from(if name == "rjust" { missing + text } else { format!("{text}{missing}") })
        }
        "lower" | "casefold" => Value::from(text.to_lowercase()),
        "upper" => Value::from(text.to_uppercase()),
        "title" => Value::from(filters::title(text.into())),
        "capitalize" => {
            let mut rest = text.chars();
            let first = rest.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
            Value::from(first + &rest.as_str().to_lowercase())
        }
        "strip" => Value::from(text.trim_matches(is_end)),
        "lstrip" => Value::from(text.trim_start_matches(is_end)),
        "rstrip" => Value::from(text.trim_end_matches(is_end)),
        "split" => match arg(0) {
            Some("") => return Err(bad("an empty separator")),
            Some(separator) => {
                let most = args.get(1).and_then(Value::as_usize).unwrap_or(TEXT_MAX_BYTES);
                text.splitn(most.saturating_add(1), separator).map(Value::from).collect()
            }
            None => text.split_whitespace().map(Value::from).collect(),
        },
        "replace" => Value::from(replaced(text, arg(0).unwrap_or_default(), arg(1).unwrap_or_default())?),
        "startswith" => Value::from(text.starts_with(arg(0).unwrap_or_default())),
        "endswith" => Value::from(text.ends_with(arg(0).unwrap_or_default())),
        "isdigit" | "isnumeric" | "isdecimal" => {
            Value::from(!text.is_empty() && text.chars().all(|c| c.is_ascii_digit()))
        }
        "find" => Value::from(
            text.find(arg(0).unwrap_or_default())
                .map_or(-1, |at| i64::try_from(text[..at].chars().count()).unwrap_or(i64::MAX)),
        ),
        "count" => Value::from(text.matches(arg(0).unwrap_or_default()).count()),
        "join" => Value::from(join(args.first().cloned().unwrap_or_default(), Some(text.to_owned()))?),
        "zfill" => {
            let width = args.first().and_then(Value::as_usize).unwrap_or(0).min(64);
            Value::from(bounded(format!("{text:0>width$}"))?)
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

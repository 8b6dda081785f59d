//! What a tool gave back, in words, for tools that have no sentence of their own: text as it is, everything else in a
//! sentence. The whole result stays in the receipt.

use serde_json::{Map, Value};

/// Most characters that are said.
const MAX_CHARS: usize = 500;
/// Most things of a list that are named.
const MAX_NAMED: usize = 6;
/// Fields that are the answer themselves; the first that is there counts.
const ANSWERS: &[&str] = &["text", "body", "stdout"];
/// Fields a thing is called by.
const NAMES: &[&str] = &["name", "title", "path", "id", "text"];
/// Smallest HTTP status that is worth a word.
const BAD_STATUS: u64 = 400;

/// The result of a tool in words, at most some sentences long.
pub fn told(detail: &Value) -> String {
    let said = match detail {
        Value::Object(fields) => object(fields),
        Value::Array(things) => list("thing", things, things.len()),
        value => plain("", value).unwrap_or_default(),
    };
    cut(if said.is_empty() { "Done." } else { &said })
}

/// Why a tool failed, in words, with what to do about it.
pub fn apology(detail: &Value) -> String {
    let text = |key: &str| {
        detail[key].as_str().map(|text| text.trim_end_matches('.')).filter(|text| !text.is_empty())
    };
    let message = text("message").unwrap_or("it did not work");
    let fix = text("fix").map(|fix| format!(" What helps: {fix}.")).unwrap_or_default();
    cut(&format!("Sorry, {message}.{fix}"))
}

fn object(fields: &Map<String, Value>) -> String {
    let status = fields.get("status").and_then(Value::as_u64).filter(|status| *status >= BAD_STATUS);
    let status = status.map(|status| format!("Status {status}. ")).unwrap_or_default();
    let title =
        fields.get("title").and_then(Value::as_str).map(|title| format!("{title}. ")).unwrap_or_default();
    let text = |key: &&str| fields.get(*key).and_then(Value::as_str).map(str::trim);
    if let Some(answer) = ANSWERS.iter().find_map(text) {
        let answer = if answer.is_empty() { "It is empty." } else { answer };
        return format!("{status}{title}{answer}");
    }
    let lists: Vec<(&String, &Vec<Value>)> =
        fields.iter().filter_map(|(key, value)| Some((key, value.as_array()?))).collect();
    let only_list = lists.len() == 1;
    let count = fields.get("count").and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
    let mut sentences: Vec<String> = Vec::new();
    let single = fields.iter().filter(|(key, _)| !(only_list && *key == "count") && *key != "truncated");
    let single: Vec<String> = single.filter_map(|(key, value)| plain(key, value)).collect();
    if !single.is_empty() {
        sentences.push(format!("{}.", capital(&single.join(", "))));
    }
    for (key, things) in lists {
        let all = count.filter(|count| only_list && *count > things.len()).unwrap_or(things.len());
        if only_list || !things.is_empty() {
            sentences.push(list(&singular(key), things, all));
        }
    }
    sentences.join(" ")
}

/// "3 files: a, b and c." `all` is how many there are, `things` those that are known.
fn list(kind: &str, things: &[Value], all: usize) -> String {
    let kind = kind.replace('_', " ");
    let kinds = if all == 1 { kind } else { plural(&kind) };
    if all == 0 {
        return format!("No {kinds}.");
    }
    let names: Vec<String> = things.iter().filter_map(name).take(MAX_NAMED).collect();
    match names.as_slice() {
        [] => format!("{all} {kinds}."),
        names if names.len() < all => {
            format!("{all} {kinds}: {} and {} more.", names.join(", "), all - names.len())
        }
        [only] => format!("{all} {kinds}: {only}."),
        [first @ .., last] => format!("{all} {kinds}: {} and {last}.", first.join(", ")),
    }
}

/// What a thing of a list is called, with its share or temperature when it has one.
fn name(thing: &Value) -> Option<String> {
    let Value::Object(fields) = thing else { return plain("", thing) };
    let known = NAMES.iter().find_map(|key| fields.get(*key).and_then(Value::as_str));
    let name = known.or_else(|| fields.values().find_map(Value::as_str))?;
    let telling = |key: &&String| key.ends_with("_percent") || key.ends_with("_celsius");
    let measure =
        fields.iter().find(|(key, _)| telling(key)).and_then(|(key, value)| amount(key, value.as_f64()?));
    Some(measure.map_or_else(|| name.to_owned(), |(_, amount)| format!("{name} ({amount})")))
}

/// A single value with what it is; `None` for what has nothing to say.
fn plain(key: &str, value: &Value) -> Option<String> {
    let words = key.replace('_', " ");
    let with = |words: &str, value: &str| {
        if words.is_empty() { value.to_owned() } else { format!("{words}: {value}") }
    };
    match value {
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(with(&words, text.trim())),
        Value::Bool(true) => Some(if words.is_empty() { "yes".into() } else { words }),
        Value::Number(number) => {
            let number = number.as_f64()?;
            let (words, amount) = amount(key, number).unwrap_or_else(|| (words, digits(number)));
            Some(with(&words, &amount))
        }
        Value::Bool(false) | Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Words without their unit, and the number with it; `None` when the name tells no unit.
fn amount(key: &str, number: f64) -> Option<(String, String)> {
    let bare = |unit: &str, otherwise: &str| {
        let rest = key.strip_suffix(unit)?;
        if rest.is_empty() {
            Some(otherwise.to_owned())
        } else {
            Some(rest.strip_suffix('_')?.replace('_', " "))
        }
    };
    bare("bytes", "size")
        .map(|words| (words, bytes(number)))
        .or_else(|| bare("percent", "share").map(|words| (words, format!("{} %", digits(number)))))
        .or_else(|| bare("celsius", "temperature").map(|words| (words, format!("{} °C", digits(number)))))
        .or_else(|| bare("seconds", "length").map(|words| (words, length(number))))
}

fn digits(number: f64) -> String {
    let rounded = (number * 100.0).round() / 100.0;
    if rounded == 0.0 && number != 0.0 { number.to_string() } else { rounded.to_string() }
}

fn bytes(number: f64) -> String {
    const UNITS: [&str; 5] = ["bytes", "kB", "MB", "GB", "TB"];
    let mut number = number;
    let mut unit = 0;
    while number >= 999.95 && unit + 1 < UNITS.len() {
        number /= 1000.0;
        unit += 1;
    }
    let number = if unit == 0 { number } else { (number * 10.0).round() / 10.0 };
    format!("{number} {}", UNITS[unit])
}

/// The two largest units of a length.
fn length(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(86_400.0, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s")];
    let mut left = seconds.max(0.0).round();
    let mut parts = Vec::new();
    for (size, name) in UNITS {
        let count = (left / size).floor();
        left -= count * size;
        if count > 0.0 {
            parts.push(format!("{count} {}", if count == 1.0 && name == "days" { "day" } else { name }));
        }
    }
    parts.truncate(2);
    if parts.is_empty() { "0 s".to_owned() } else { parts.join(" ") }
}

fn singular(kind: &str) -> String {
    if let Some(stem) = kind.strip_suffix("ies") {
        return format!("{stem}y");
    }
    let stem = kind.strip_suffix("sses").map(|stem| format!("{stem}ss"));
    stem.unwrap_or_else(|| kind.strip_suffix('s').unwrap_or(kind).to_owned())
}

fn plural(kind: &str) -> String {
    match kind.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o']) => format!("{stem}ies"),
        _ if kind.ends_with('s') => format!("{kind}es"),
        _ => format!("{kind}s"),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// At most so many characters, cut after a sentence or at least between words; and that there is more.
fn cut(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(MAX_CHARS) else { return text.to_owned() };
    let head = &text[..end];
    let sentence = head.rfind(['.', '!', '?', '\n']).filter(|at| *at > end / 2).map(|at| at + 1);
    let word = head.rfind(char::is_whitespace);
    let kept = head[..sentence.or(word).unwrap_or(end)].trim_end();
    format!("{kept} … and {} more characters.", text[kept.len()..].trim().chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn results_are_told_in_a_sentence() {
        for (detail, said) in [
            (json!({"expression": "6 * 7", "result": 42.0, "text": "42"}), "42"),
            (json!({"path": "/a", "text": "buy milk\n", "bytes": 9, "truncated": false}), "buy milk"),
            (json!({"path": "/a", "text": "", "bytes": 0}), "It is empty."),
            (json!({"status": 200, "title": "News", "text": "Nothing new."}), "News. Nothing new."),
            (json!({"status": 404, "body": "no such page"}), "Status 404. no such page"),
            (
                json!({"entries": [{"name": "a", "bytes": 3}, {"name": "b"}, {"name": "c"}], "count": 3}),
                "3 entries: a, b and c.",
            ),
            (json!({"files": [{"path": "/x/a.md", "kind": "file"}], "count": 1}), "1 file: /x/a.md."),
            (json!({"files": [], "count": 0, "truncated": false}), "No files."),
            (
                json!({"processes": [{"name": "sh", "pid": 3, "cpu_percent": 12.5}], "count": 70, "truncated": true}),
                "70 processes: sh (12.5 %) and 69 more.",
            ),
            (
                json!({"name": "pi", "cpu_percent": 3.0, "memory_used_bytes": 1_234_567_890_u64,
                       "uptime_seconds": 93_784, "load": 0.25, "disks": [{"name": "/"}], "temperatures": []}),
                "Name: pi, cpu: 3 %, memory used: 1.2 GB, uptime: 1 day 2 h, load: 0.25. 1 disk: /.",
            ),
            (
                json!({"status": 200, "bytes": 999, "binary": true, "headers": {"a": "b"}}),
                "Status: 200, size: 999 bytes, binary.",
            ),
            (json!({}), "Done."),
            (json!(["x", 2]), "2 things: x and 2."),
            (json!("words"), "words"),
            (json!(3.5), "3.5"),
            (Value::Null, "Done."),
        ] {
            assert_eq!(told(&detail), said, "{detail}");
        }
    }

    #[test]
    fn much_text_is_cut_after_a_sentence_and_the_rest_is_counted() {
        let text = "This is a sentence. ".repeat(100);
        let said = told(&json!({"text": text}));
        assert!(
            said.starts_with("This is")
                && said.contains("sentence. … and ")
                && said.ends_with(" more characters.")
        );
        assert!(said.chars().count() <= MAX_CHARS + 40, "{said}");
        let endless = told(&json!({"text": "ä".repeat(2000)}));
        assert!(endless.ends_with("… and 1500 more characters."), "{endless}");
    }

    #[test]
    fn a_failure_says_what_helps() {
        let detail = json!({"error": "forbidden", "message": "/x is outside.", "fix": "add its folder"});
        assert_eq!(apology(&detail), "Sorry, /x is outside. What helps: add its folder.");
        assert_eq!(apology(&json!({})), "Sorry, it did not work.");
    }
}

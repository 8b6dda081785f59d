//! What a tool gave back, in words, for tools that have no sentence of their own: text as it is, everything else in a
//! sentence. The whole result stays in the receipt.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

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

/// The words of a language around results: the group `summary` of its response sentences (`summary.yaml`).
///
/// Besides the [`KEYS`]: `field_<name>` is what a field is called, `kind_<name>` what a thing of a list is, one and
/// several, parted by `|`, else both are called as the tool has it; `error_<code>` is why a tool failed; without it the
/// tool's own message is used. A value takes the place of its name in braces (`{n}`); there is no other template syntax.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words(BTreeMap<String, String>);

/// Their group.
pub const GROUP: &str = "summary";

/// What every language must have.
pub const KEYS: [&str; 18] = [
    "done",
    "empty",
    "none",
    "and",
    "more",
    "cut",
    "sorry",
    "helps",
    "did_not_work",
    "setting",
    "status",
    "quoted",
    "too_long",
    "no_plan",
    "yes",
    "days",
    "bytes",
    "decimal",
];

impl Words {
    /// The words of these sentences.
    pub fn new(sentences: Option<&BTreeMap<String, String>>) -> Self {
        Self(sentences.cloned().unwrap_or_default())
    }

    fn get(&self, key: &str) -> &str {
        self.0.get(key).map_or("", String::as_str)
    }

    /// Why a tool failed, by its code, where this language has words for it.
    fn error(&self, detail: &Value) -> Option<&str> {
        // Whether it was done is known to nobody then, whatever the code.
        let code = if detail["interrupted"] == true { "interrupted" } else { detail["error"].as_str()? };
        self.0.get(&format!("error_{code}")).map(String::as_str)
    }

    /// A sentence with something put into it.
    fn with(&self, key: &str, name: &str, value: &str) -> String {
        self.get(key).replace(&format!("{{{name}}}"), value)
    }

    /// A result that is quoted.
    pub fn quoted(&self, text: &str) -> String {
        self.with("quoted", "text", text)
    }

    /// That a text has too many characters to be put into other words.
    pub fn too_long(&self, characters: usize, most: usize) -> String {
        self.with("too_long", "n", &characters.to_string()).replace("{most}", &most.to_string())
    }

    /// That there is no such plan.
    pub fn no_plan(&self, id: &str) -> String {
        self.with("no_plan", "id", id)
    }

    /// What a field is called, of its name with blanks.
    fn field(&self, words: &str) -> String {
        let key = format!("field_{}", words.replace(' ', "_"));
        self.0.get(&key).map_or_else(|| words.to_owned(), Clone::clone)
    }

    /// What one or several things of a list are called. `list` is its name in the result, which is in the plural.
    fn kind(&self, list: &str, is_one: bool) -> String {
        let one = singular(list);
        let known = self.0.get(&format!("kind_{one}")).and_then(|both| both.split_once('|'));
        match known {
            Some((one, several)) => if is_one { one } else { several }.trim().to_owned(),
            None => if is_one { one.as_str() } else { list }.replace('_', " "),
        }
    }

    fn number(&self, number: f64) -> String {
        number.to_string().replace('.', self.get("decimal"))
    }
}

/// What a receipt says, in words.
pub fn of(ok: bool, detail: &Value, words: &Words) -> String {
    if ok { told(detail, words) } else { apology(detail, words) }
}

/// The result of a tool in words, at most some sentences long.
pub fn told(detail: &Value, words: &Words) -> String {
    let said = match detail {
        Value::Object(fields) => object(fields, words),
        Value::Array(things) => list("things", things, things.len(), words),
        value => plain("", value, words).unwrap_or_default(),
    };
    cut(if said.is_empty() { words.get("done") } else { &said }, words)
}

/// Why a tool failed, in words, with what to do about it.
pub fn apology(detail: &Value, words: &Words) -> String {
    let fix = text_of(detail, "fix").map(|fix| match words.error(detail) {
        // Of a fix in another language its setting is what everybody can read.
        Some(_) => setting_in(fix).map(|key| words.with("setting", "key", key)),
        None => Some(fix.to_owned()),
    });
    let fix = fix.flatten().map(|fix| format!(" {}", words.with("helps", "fix", &fix))).unwrap_or_default();
    cut(&format!("{}{fix}", words.with("sorry", "message", trouble(detail, words))), words)
}

/// Why a tool failed, without a full stop: in the language of these words, or as the tool tells it.
pub fn trouble<'a>(detail: &'a Value, words: &'a Words) -> &'a str {
    words.error(detail).or(text_of(detail, "message")).unwrap_or(words.get("did_not_work"))
}

fn text_of<'a>(detail: &'a Value, key: &str) -> Option<&'a str> {
    detail[key].as_str().map(|text| text.trim_end_matches('.')).filter(|text| !text.is_empty())
}

/// The first key of the configuration in a text, such as `tools.file_roots`.
fn setting_in(text: &str) -> Option<&str> {
    let is_part = |part: &str| {
        part.len() > 2
            && part.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'0'..=b'9'))
    };
    let word =
        |word: &'_ str| word.split_once('.').is_some_and(|(section, key)| is_part(section) && is_part(key));
    text.split(|c: char| c.is_whitespace() || c == '`').find(|part| word(part))
}

fn object(fields: &Map<String, Value>, words: &Words) -> String {
    let status = fields.get("status").and_then(Value::as_u64).filter(|status| *status >= BAD_STATUS);
    let status = status.map(|status| format!("{} ", words.with("status", "n", &status.to_string())));
    let status = status.unwrap_or_default();
    let title =
        fields.get("title").and_then(Value::as_str).map(|title| format!("{title}. ")).unwrap_or_default();
    let text = |key: &&str| fields.get(*key).and_then(Value::as_str).map(str::trim);
    if let Some(answer) = ANSWERS.iter().find_map(text) {
        let answer = if answer.is_empty() { words.get("empty") } else { answer };
        return format!("{status}{title}{answer}");
    }
    let lists: Vec<(&String, &Vec<Value>)> =
        fields.iter().filter_map(|(key, value)| Some((key, value.as_array()?))).collect();
    let only_list = lists.len() == 1;
    let count = fields.get("count").and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
    let mut sentences: Vec<String> = Vec::new();
    let single = fields.iter().filter(|(key, _)| !(only_list && *key == "count") && *key != "truncated");
    let single: Vec<String> = single.filter_map(|(key, value)| plain(key, value, words)).collect();
    if !single.is_empty() {
        sentences.push(format!("{}.", capital(&single.join(", "))));
    }
    for (key, things) in lists {
        let all = count.filter(|count| only_list && *count > things.len()).unwrap_or(things.len());
        if only_list || !things.is_empty() {
            sentences.push(list(key, things, all, words));
        }
    }
    sentences.join(" ")
}

/// "3 files: a, b and c." `kind` is the name of the list, `all` is how many there are, `things` those that are known.
fn list(kind: &str, things: &[Value], all: usize, words: &Words) -> String {
    let kinds = words.kind(kind, all == 1);
    if all == 0 {
        return words.with("none", "kinds", &kinds);
    }
    let and = words.get("and");
    let names: Vec<String> = things.iter().filter_map(|thing| name(thing, words)).take(MAX_NAMED).collect();
    match names.as_slice() {
        [] => format!("{all} {kinds}."),
        names if names.len() < all => {
            let more = words.with("more", "n", &(all - names.len()).to_string());
            format!("{all} {kinds}: {} {and} {more}.", names.join(", "))
        }
        [only] => format!("{all} {kinds}: {only}."),
        [first @ .., last] => format!("{all} {kinds}: {} {and} {last}.", first.join(", ")),
    }
}

/// What a thing of a list is called, with its share or temperature when it has one.
fn name(thing: &Value, words: &Words) -> Option<String> {
    let Value::Object(fields) = thing else { return plain("", thing, words) };
    let known = NAMES.iter().find_map(|key| fields.get(*key).and_then(Value::as_str));
    let name = known.or_else(|| fields.values().find_map(Value::as_str))?;
    let telling = |key: &&String| key.ends_with("_percent") || key.ends_with("_celsius");
    let measure = fields
        .iter()
        .find(|(key, _)| telling(key))
        .and_then(|(key, value)| amount(key, value.as_f64()?, words));
    Some(measure.map_or_else(|| name.to_owned(), |(_, amount)| format!("{name} ({amount})")))
}

/// A single value with what it is; `None` for what has nothing to say.
fn plain(key: &str, value: &Value, words: &Words) -> Option<String> {
    let named = key.replace('_', " ");
    let with = |named: &str, value: &str| {
        if named.is_empty() { value.to_owned() } else { format!("{}: {value}", words.field(named)) }
    };
    match value {
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(with(&named, text.trim())),
        Value::Bool(true) if named.is_empty() => Some(words.get("yes").to_owned()),
        Value::Bool(true) => Some(words.field(&named)),
        Value::Number(number) => {
            let number = number.as_f64()?;
            let (named, amount) =
                amount(key, number, words).unwrap_or_else(|| (named, digits(number, words)));
            Some(with(&named, &amount))
        }
        Value::Bool(false) | Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Words without their unit, and the number with it; `None` when the name tells no unit.
fn amount(key: &str, number: f64, words: &Words) -> Option<(String, String)> {
    let bare = |unit: &str, otherwise: &str| {
        let rest = key.strip_suffix(unit)?;
        if rest.is_empty() {
            Some(otherwise.to_owned())
        } else {
            Some(rest.strip_suffix('_')?.replace('_', " "))
        }
    };
    bare("bytes", "size")
        .map(|named| (named, bytes(number, words)))
        .or_else(|| bare("percent", "share").map(|named| (named, format!("{} %", digits(number, words)))))
        .or_else(|| {
            bare("celsius", "temperature").map(|named| (named, format!("{} °C", digits(number, words))))
        })
        .or_else(|| bare("seconds", "length").map(|named| (named, length(number, words))))
}

fn digits(number: f64, words: &Words) -> String {
    let rounded = (number * 100.0).round() / 100.0;
    words.number(if rounded == 0.0 { number } else { rounded })
}

fn bytes(number: f64, words: &Words) -> String {
    let units = [words.get("bytes"), "kB", "MB", "GB", "TB"];
    let mut number = number;
    let mut unit = 0;
    while number >= 999.95 && unit + 1 < units.len() {
        number /= 1000.0;
        unit += 1;
    }
    let number = if unit == 0 { number } else { (number * 10.0).round() / 10.0 };
    format!("{} {}", words.number(number), units[unit])
}

/// The two largest units of a length.
fn length(seconds: f64, words: &Words) -> String {
    let (day, days) = words.get("days").split_once('|').unwrap_or(("d", "d"));
    let units = [(86_400.0, days), (3600.0, "h"), (60.0, "min"), (1.0, "s")];
    let mut left = seconds.max(0.0).round();
    let mut parts = Vec::new();
    for (size, name) in units {
        let count = (left / size).floor();
        left -= count * size;
        if count > 0.0 {
            parts.push(format!("{count} {}", if count == 1.0 && name == days { day } else { name }));
        }
    }
    parts.truncate(2);
    if parts.is_empty() { "0 s".to_owned() } else { parts.join(" ") }
}

/// The name of one thing of a list, by the name that programs gave the list: JSON keys are English, whatever is spoken.
fn singular(kind: &str) -> String {
    if let Some(stem) = kind.strip_suffix("ies") {
        return format!("{stem}y");
    }
    let stem = kind.strip_suffix("sses").map(|stem| format!("{stem}ss"));
    stem.unwrap_or_else(|| kind.strip_suffix('s').unwrap_or(kind).to_owned())
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// At most so many characters, cut after a sentence or at least between words; and that there is more.
fn cut(text: &str, words: &Words) -> String {
    let Some((end, _)) = text.char_indices().nth(MAX_CHARS) else { return text.to_owned() };
    let head = &text[..end];
    let sentence = head.rfind(['.', '!', '?', '\n']).filter(|at| *at > end / 2).map(|at| at + 1);
    let word = head.rfind(char::is_whitespace);
    let kept = head[..sentence.or(word).unwrap_or(end)].trim_end();
    let left = text[kept.len()..].trim().chars().count();
    format!("{kept} {}", words.with("cut", "n", &left.to_string()))
}

/// The shipped English words.
#[cfg(test)]
pub(crate) fn english() -> Words {
    Words(english_sentences())
}

/// The same as the group of their file.
#[cfg(test)]
pub(crate) fn english_sentences() -> BTreeMap<String, String> {
    let file = include_str!("../../../models/languages/en/sentences/summary.yaml");
    let pair = |line: &str| {
        let (key, text) = line.strip_prefix("    ")?.split_once(": ")?;
        Some((key.to_owned(), text.trim_matches('"').to_owned()))
    };
    file.lines().filter_map(pair).collect()
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
            assert_eq!(told(&detail, &english()), said, "{detail}");
        }
    }

    #[test]
    fn the_shipped_words_are_whole() {
        let english = english_sentences();
        assert!(KEYS.iter().all(|key| english.contains_key(*key)), "{english:?}");
    }

    #[test]
    fn much_text_is_cut_after_a_sentence_and_the_rest_is_counted() {
        let text = "This is a sentence. ".repeat(100);
        let said = told(&json!({"text": text}), &english());
        assert!(
            said.starts_with("This is")
                && said.contains("sentence. … and ")
                && said.ends_with(" more characters.")
        );
        assert!(said.chars().count() <= MAX_CHARS + 40, "{said}");
        let endless = told(&json!({"text": "ä".repeat(2000)}), &english());
        assert!(endless.ends_with("… and 1500 more characters."), "{endless}");
    }

    #[test]
    fn a_failure_says_what_helps() {
        let detail = json!({"error": "forbidden", "message": "/x is outside.", "fix": "add its folder"});
        assert_eq!(apology(&detail, &english()), "Sorry, /x is outside. What helps: add its folder.");
        assert_eq!(apology(&json!({}), &english()), "Sorry, it did not work.");
    }

    #[test]
    fn a_language_has_words_of_its_own() {
        let german = [
            ("none", "Keine {kinds}."),
            ("and", "und"),
            ("more", "{n} weitere"),
            ("kind_file", "Datei|Dateien"),
            ("field_memory_used", "belegter Speicher"),
            ("decimal", ","),
            ("cut", "… und noch {n} Zeichen."),
            ("days", "Tag|Tage"),
            ("sorry", "Das ging nicht: {message}."),
            ("helps", "Was hilft: {fix}."),
            ("done", "Erledigt."),
            ("quoted", "Es lautet: „{text}“"),
            ("too_long", "{n} Zeichen sind mehr als {most}."),
        ];
        let german = german.map(|(key, words)| (key.to_owned(), words.to_owned()));
        let words = Words::new(Some(&BTreeMap::from(german)));
        for (detail, said) in [
            (json!({"files": [], "count": 0}), "Keine Dateien."),
            (json!({"files": [{"path": "a"}], "count": 1}), "1 Datei: a."),
            (json!({"files": [{"path": "a"}, {"path": "b"}], "count": 2}), "2 Dateien: a und b."),
            (json!({"files": [{"path": "a"}], "count": 9}), "9 Dateien: a und 8 weitere."),
            (json!({"memory_used_bytes": 1_234_567_890_u64}), "Belegter Speicher: 1,2 GB."),
            (json!({"uptime_seconds": 180_000}), "Uptime: 2 Tage 2 h."),
            (json!({}), "Erledigt."),
        ] {
            assert_eq!(told(&detail, &words), said, "{detail}");
        }
        assert_eq!(words.quoted("42"), "Es lautet: „42“");
        assert_eq!(words.too_long(9, 8), "9 Zeichen sind mehr als 8.");
        assert!(told(&json!({"text": "ä".repeat(600)}), &words).ends_with("… und noch 100 Zeichen."));
        let failed = json!({"message": "/x is outside", "fix": "add it"});
        assert_eq!(apology(&failed, &words), "Das ging nicht: /x is outside. Was hilft: add it.");
    }

    #[test]
    fn why_a_tool_failed_is_told_in_the_language_of_the_person() {
        let german = [
            ("sorry", "Das ging nicht: {message}."),
            ("helps", "Was hilft: {fix}."),
            ("setting", "die Einstellung {key}"),
            ("error_forbidden", "das ist nicht erlaubt"),
            ("error_interrupted", "ich wurde dabei beendet"),
        ];
        let german = german.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect();
        let words = Words::new(Some(&german));
        for (detail, told) in [
            (
                json!({"error": "forbidden", "message": "x is private", "fix": "if it may be asked: tools.http_allow_hosts = [\"x\"]"}),
                "Das ging nicht: das ist nicht erlaubt. Was hilft: die Einstellung tools.http_allow_hosts.",
            ),
            (
                json!({"error": "forbidden", "message": "x is private", "fix": "ask somebody else"}),
                "Das ging nicht: das ist nicht erlaubt.",
            ),
            (json!({"error": "failed", "message": "the disk is full."}), "Das ging nicht: the disk is full."),
            (
                json!({"error": "failed", "interrupted": true, "message": "Hark was ended"}),
                "Das ging nicht: ich wurde dabei beendet.",
            ),
        ] {
            assert_eq!(apology(&detail, &words), told);
        }
    }
}

//! Commands that are typed: `/remind 5m check tests`, `/schedule "0 9 * * *" daily standup`, `/cron list`,
//! `/cron remove ID`, `/snooze 10m`, `/tool NAME key=value`, and `/model NAME` in front of a request. Accepted on every typed route, never from speech.

use hark_core::calendar::When;
use hark_core::{Intent, Reply, Route, Slots};
use serde_json::json;

/// What is wrong with a typed command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// The sentence of `replies.yaml` that says how it is written.
    pub key: &'static str,
    /// The part of the command that could not be read; empty when a part is missing.
    pub said: String,
}

impl Slip {
    pub(crate) fn new(key: &'static str, said: &str) -> Self {
        Self { key, said: said.to_owned() }
    }

    pub(crate) fn reply(self) -> Reply {
        Reply::Slip { key: self.key.to_owned(), said: self.said }
    }
}

/// What a typed command asks for; `None` when the text is none of these, else the intent, or what is wrong with it.
pub fn read(text: &str) -> Option<Result<Intent, Slip>> {
    let text = text.trim();
    let (command, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let read = match command.to_ascii_lowercase().as_str() {
        "/remind" => remind(rest),
        "/schedule" => schedule(rest),
        "/cron" => cron(rest),
        "/snooze" => snooze(rest),
        "/tool" => return Some(tool(rest)),
        _ => return None,
    };
    Some(read.map(|(name, slots)| Intent {
        name: name.to_owned(),
        slots,
        confidence: 1.0,
        route: Route::Instinct,
        why: format!("the command {command}"),
        response: None,
        single: false,
    }))
}

/// The language model that a request names, and the request: `/model NAME REQUEST`. Either is empty where it is missing.
pub fn for_model(text: &str) -> Option<(&str, &str)> {
    let (command, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
    let rest = rest.trim();
    let (model, request) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    command.eq_ignore_ascii_case("/model").then_some((model, request.trim()))
}

type Read = Result<(&'static str, Slots), Slip>;

fn remind(rest: &str) -> Read {
    let (when, message) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let message = message.trim();
    if when.is_empty() {
        return Err(Slip::new("slip_remind", ""));
    }
    let mut slots = match (length(when), When::parse(when)) {
        (Some(seconds), _) => seconds_slots(seconds),
        (None, Some(moment @ When::Moment(_))) => {
            Slots::from_iter([("when".into(), json!(moment.to_string()))])
        }
        _ => return Err(Slip::new("slip_remind_when", when)),
    };
    if message.is_empty() {
        return Err(Slip::new("slip_remind_what", ""));
    }
    slots.insert("message".into(), json!(message));
    Ok(("HarkSetReminder", slots))
}

fn schedule(rest: &str) -> Read {
    const QUOTES: [(char, char); 4] = [('"', '"'), ('\'', '\''), ('“', '”'), ('„', '“')];
    let quoted = QUOTES.iter().find_map(|(open, close)| rest.strip_prefix(*open)?.split_once(*close));
    let (rule, message) = match quoted {
        Some((rule, message)) => (rule.trim().to_owned(), message.trim()),
        None => bare(rest),
    };
    if rule.is_empty() || message.is_empty() {
        return Err(Slip::new("slip_schedule", ""));
    }
    let slots = [("cron".to_owned(), json!(rule)), ("message".to_owned(), json!(message))];
    Ok(("HarkSchedule", Slots::from_iter(slots)))
}

/// Without quotes: the first five words, or one that begins with `@`.
fn bare(rest: &str) -> (String, &str) {
    let fields = if rest.starts_with('@') { 1 } else { 5 };
    let mut message = rest;
    let mut rule = Vec::new();
    for _ in 0..fields {
        let (field, after) = message.split_once(char::is_whitespace).unwrap_or((message, ""));
        rule.push(field);
        message = after.trim_start();
    }
    (rule.join(" ").trim().to_owned(), message)
}

fn cron(rest: &str) -> Read {
    let words: Vec<&str> = rest.split_whitespace().collect();
    match words.as_slice() {
        [] | ["list"] => Ok(("HarkScheduleList", Slots::new())),
        ["remove" | "cancel" | "delete", id] => {
            Ok(("HarkScheduleRemove", Slots::from_iter([("id".to_owned(), json!(id))])))
        }
        ["remove" | "cancel" | "delete", ..] => Err(Slip::new("slip_cron_which", "")),
        _ => Err(Slip::new("slip_cron", rest)),
    }
}

fn snooze(rest: &str) -> Read {
    match (rest, length(rest)) {
        ("", _) => Ok(("HarkSnooze", Slots::new())),
        (_, Some(seconds)) => Ok(("HarkSnooze", seconds_slots(seconds))),
        _ => Err(Slip::new("slip_snooze", rest)),
    }
}

/// A tool by its name, with its arguments as a JSON object or as `key=value`.
fn tool(rest: &str) -> Result<Intent, Slip> {
    let (name, args) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.is_empty() || !name.chars().all(plain) {
        return Err(Slip::new("slip_tool", rest));
    }
    let args = args.trim();
    let slots = if args.starts_with('{') { serde_json::from_str(args).ok() } else { pairs(args) };
    Ok(Intent {
        name: format!("tool.{name}"),
        slots: slots.ok_or_else(|| Slip::new("slip_tool", args))?,
        confidence: 1.0,
        route: Route::Direct,
        why: "the command /tool".to_owned(),
        response: None,
        single: false,
    })
}

/// `key=value` after `key=value`; a value with blanks stands in quotes, a number or a flag is one.
fn pairs(text: &str) -> Option<Slots> {
    let mut slots = Slots::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=')?;
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').map(|(value, after)| (json!(value), after))?,
            None => {
                let (value, after) = after.split_once(char::is_whitespace).unwrap_or((after, ""));
                let scalar = serde_json::from_str::<serde_json::Value>(value).ok();
                (
                    scalar.filter(|value| value.is_number() || value.is_boolean()).unwrap_or(json!(value)),
                    after,
                )
            }
        };
        if key.is_empty() || key.contains(char::is_whitespace) {
            return None;
        }
        slots.insert(key.to_owned(), value);
        rest = after.trim_start();
    }
    Some(slots)
}

fn seconds_slots(seconds: u64) -> Slots {
    let parts = [("hours", seconds / 3600), ("minutes", seconds / 60 % 60), ("seconds", seconds % 60)];
    parts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| ((*name).to_owned(), json!(count)))
        .collect()
}

/// Seconds of `5m`, `90s`, `1h30m`, `2d`; `None` when it is something else, or nothing, or longer than a year.
pub fn length(text: &str) -> Option<u64> {
    const MAX: u64 = 366 * 24 * 3600;
    let mut rest = text;
    let mut seconds: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let count: u64 = rest[..digits].parse().ok()?;
        let unit = &rest[digits..];
        let end = unit.find(|c: char| c.is_ascii_digit()).unwrap_or(unit.len());
        let one = match unit[..end].to_ascii_lowercase().as_str() {
            "s" | "sec" => 1,
            "m" | "min" => 60,
            "h" => 3600,
            "d" => 24 * 3600,
            "w" => 7 * 24 * 3600,
            _ => return None,
        };
        seconds = seconds.checked_add(count.checked_mul(one)?)?;
        rest = &unit[end..];
    }
    (1..=MAX).contains(&seconds).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn slots(text: &str) -> (String, Value) {
        let intent = read(text).expect("a command").unwrap_or_else(|slip| panic!("{text}: {slip:?}"));
        (intent.name, Value::Object(intent.slots))
    }

    #[test]
    fn a_tool_is_called_by_its_name() {
        let slots = |text: &str| read(text).map(|read| read.map(|intent| (intent.name, json!(intent.slots))));
        for (text, name, args) in [
            ("/tool pc.info", "tool.pc.info", json!({})),
            ("/tool mcp.time.now {\"zone\": \"UTC\"}", "tool.mcp.time.now", json!({"zone": "UTC"})),
            (
                "/tool a.b city=\"St. Gallen\" days=2 all=true x=1,5",
                "tool.a.b",
                json!({"city": "St. Gallen", "days": 2, "all": true, "x": "1,5"}),
            ),
        ] {
            assert_eq!(slots(text), Some(Ok((name.to_owned(), args))), "{text}");
        }
        for text in
            ["/tool", "/tool a/b", "/tool a.b {", "/tool a.b zone", "/tool a.b a b=1", "/tool a.b x=\"y"]
        {
            assert!(matches!(slots(text), Some(Err(Slip { key: "slip_tool", .. }))), "{text}");
        }
    }

    #[test]
    fn commands_are_read() {
        for (text, name, expected) in [
            ("/remind 5m check tests", "HarkSetReminder", json!({"minutes": 5, "message": "check tests"})),
            (
                " /Remind 1h30m  call back ",
                "HarkSetReminder",
                json!({"hours": 1, "minutes": 30, "message": "call back"}),
            ),
            (
                "/remind 2026-11-23T07:00 train",
                "HarkSetReminder",
                json!({"when": "2026-11-23T07:00:00", "message": "train"}),
            ),
            (
                "/schedule \"0 9 * * *\" daily standup",
                "HarkSchedule",
                json!({"cron": "0 9 * * *", "message": "daily standup"}),
            ),
            (
                "/schedule “0 9 * * *” daily standup",
                "HarkSchedule",
                json!({"cron": "0 9 * * *", "message": "daily standup"}),
            ),
            (
                "/schedule 0 9 * * 1-5 stand up",
                "HarkSchedule",
                json!({"cron": "0 9 * * 1-5", "message": "stand up"}),
            ),
            (
                "/schedule @daily water the plants",
                "HarkSchedule",
                json!({"cron": "@daily", "message": "water the plants"}),
            ),
            ("/cron list", "HarkScheduleList", json!({})),
            ("/cron", "HarkScheduleList", json!({})),
            ("/cron remove 1a2b", "HarkScheduleRemove", json!({"id": "1a2b"})),
            ("/snooze", "HarkSnooze", json!({})),
            ("/snooze 10m", "HarkSnooze", json!({"minutes": 10})),
        ] {
            assert_eq!(slots(text), (name.to_owned(), expected), "{text}");
        }
    }

    #[test]
    fn slips_are_named_and_others_are_left_alone() {
        for (text, key, said) in [
            ("/remind", "slip_remind", ""),
            ("/remind soon check tests", "slip_remind_when", "soon"),
            ("/remind 5m", "slip_remind_what", ""),
            ("/remind 0m tea", "slip_remind_when", "0m"),
            ("/remind 99999999999999999999m tea", "slip_remind_when", "99999999999999999999m"),
            ("/schedule", "slip_schedule", ""),
            ("/schedule \"0 9 * * *\"", "slip_schedule", ""),
            ("/schedule 0 9 * *", "slip_schedule", ""),
            ("/cron remove", "slip_cron_which", ""),
            ("/cron frobnicate", "slip_cron", "frobnicate"),
            ("/snooze soon", "slip_snooze", "soon"),
        ] {
            let slip = read(text).expect("a command").expect_err(text);
            assert_eq!(slip, Slip::new(key, said), "{text}");
        }
        for text in ["/stop", "remind me in 5m", "/unknown 5m", "", "/"] {
            assert!(read(text).is_none(), "{text}");
        }
    }
}

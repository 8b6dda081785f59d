//! Direct commands that are typed on one line: `read PATH`, `list PATH`, `ps` or `processes [FILTER]`, `get URL` or
//! `fetch URL`. Taken only when nothing else can be meant: "read my shopping list" and "list my timers" are requests.

use crate::slash::Slip;
use hark_core::{Intent, Route, Slots};
use serde_json::{Value, json};

/// Kinds of things a home has; `light.kitchen` is no address.
const DOMAINS: &[&str] = &[
    "light",
    "switch",
    "cover",
    "lock",
    "fan",
    "climate",
    "sensor",
    "binary_sensor",
    "media_player",
    "scene",
    "script",
    "vacuum",
    "person",
    "weather",
    "todo",
    "button",
    "number",
    "select",
    "valve",
    "siren",
    "humidifier",
    "automation",
];

/// Endings of file names, which no public address has.
const FILES: &[&str] =
    &["txt", "pdf", "json", "yaml", "yml", "toml", "csv", "log", "jpg", "png", "doc", "docx", "html"];

/// Flags people give to `ps` out of habit; everything is listed in any case.
const HABITS: &[&str] = &["aux", "-aux", "ax", "-ax", "-ef", "-e", "-a", "-A", "all"];

/// What a typed command asks for; `None` when the text is none of these, else the intent, or what is wrong with it.
pub fn read(text: &str) -> Option<Result<Intent, Slip>> {
    let text = text.trim();
    if text.contains(['\n', '\r']) {
        return None;
    }
    let (command, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (command, rest) = (command.to_ascii_lowercase(), rest.trim());
    let read = match command.as_str() {
        "read" => ("filesystem.read", one("path", path(rest, false)?)),
        "list" => ("filesystem.list", one("path", path(rest, true)?)),
        "ps" | "processes" if rest.is_empty() || HABITS.contains(&rest) => ("process.list", Slots::new()),
        "ps" | "processes" if !rest.contains(char::is_whitespace) => ("process.list", one("filter", rest)),
        "get" | "fetch" => match url(rest)? {
            Ok(url) => ("fetch.get", one("url", url)),
            Err(slip) => return Some(Err(slip)),
        },
        _ => return None,
    };
    let (tool, slots) = read;
    Some(Ok(Intent {
        name: format!("tool.{tool}"),
        slots,
        confidence: 1.0,
        route: Route::Direct,
        why: format!("the command {command}"),
        response: None,
        single: false,
    }))
}

fn one(name: &str, value: &str) -> Slots {
    Slots::from_iter([(name.to_owned(), json!(value) as Value)])
}

/// A path, when it can be nothing else; one that does not begin like a path has a `/` in it and no blanks.
fn path(rest: &str, folder: bool) -> Option<&str> {
    const QUOTES: [char; 2] = ['"', '\''];
    let bare = QUOTES.iter().find_map(|&quote| rest.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(rest);
    let begins =
        |lead: &str| bare.strip_prefix(lead).is_some_and(|rest| !rest.starts_with(char::is_whitespace));
    let leads = ["/", "~/", "./", "../"].iter().any(|lead| begins(lead));
    let alone = folder && matches!(bare, "." | ".." | "~");
    let inner = bare.contains('/') && !bare.contains(char::is_whitespace);
    (leads || alone || inner || !folder && is_file_name(bare)).then_some(bare)
}

/// One word with an ending, such as `notes.txt`.
fn is_file_name(word: &str) -> bool {
    let ends = |end: &str| {
        let letters = end.chars().all(char::is_alphanumeric) && end.chars().any(char::is_alphabetic);
        letters && (1..=5).contains(&end.chars().count())
    };
    let whole = !word.contains(char::is_whitespace) && !DOMAINS.iter().any(|domain| word.starts_with(domain));
    whole && word.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && ends(end))
}

/// An address, when it can be nothing else: with its scheme, or a name with a top-level domain.
fn url(rest: &str) -> Option<Result<&str, Slip>> {
    let lower = rest.to_ascii_lowercase();
    if let Some(after) = lower.strip_prefix("http://").or_else(|| lower.strip_prefix("https://")) {
        let whole = after.starts_with(|c: char| c.is_alphanumeric() || c == '[')
            && !after.contains(char::is_whitespace);
        return Some(if whole { Ok(rest) } else { Err(Slip::new("slip_address", rest)) });
    }
    // Another scheme is none that is asked; the tool says so.
    let has_scheme = lower.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    if has_scheme && !lower.contains(char::is_whitespace) {
        return Some(Ok(rest));
    }
    let end = lower.find(['/', '?', '#']).unwrap_or(lower.len());
    let (authority, tail) = lower.split_at(end);
    let host = authority
        .split_once(':')
        .map_or(Some(authority), |(host, port)| port.parse::<u16>().ok().map(|_| host))?;
    let labels: Vec<&str> = host.split('.').collect();
    let plain = |label: &&str| {
        let inner = label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        !label.is_empty() && inner && !label.starts_with('-') && !label.ends_with('-')
    };
    let (first, last) = (labels.first()?, labels.last()?);
    if host.parse::<std::net::Ipv4Addr>().is_ok() && !tail.contains(char::is_whitespace) {
        return Some(Ok(rest));
    }
    let top = last.len() >= 2 && last.chars().all(|c| c.is_ascii_alphabetic());
    let a_thing = tail.is_empty() && labels.len() == 2 && (DOMAINS.contains(first) || FILES.contains(last));
    let fits = labels.len() >= 2
        && labels.iter().all(plain)
        && top
        && !a_thing
        && !tail.contains(char::is_whitespace);
    fits.then_some(Ok(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        for (text, name, slots) in [
            ("read /etc/hosts", "tool.filesystem.read", json!({"path": "/etc/hosts"})),
            (" Read  ~/My Notes/plan.md ", "tool.filesystem.read", json!({"path": "~/My Notes/plan.md"})),
            ("read \"/a b/c\"", "tool.filesystem.read", json!({"path": "/a b/c"})),
            ("read ../x", "tool.filesystem.read", json!({"path": "../x"})),
            ("read notes/today.md", "tool.filesystem.read", json!({"path": "notes/today.md"})),
            ("read notes.txt", "tool.filesystem.read", json!({"path": "notes.txt"})),
            ("get ftp://example.org/x", "tool.fetch.get", json!({"url": "ftp://example.org/x"})),
            ("get file:///etc/passwd", "tool.fetch.get", json!({"url": "file:///etc/passwd"})),
            ("get 127.0.0.1:8080/x", "tool.fetch.get", json!({"url": "127.0.0.1:8080/x"})),
            ("list /", "tool.filesystem.list", json!({"path": "/"})),
            ("list .", "tool.filesystem.list", json!({"path": "."})),
            ("list ./inner", "tool.filesystem.list", json!({"path": "./inner"})),
            ("ps", "tool.process.list", json!({})),
            ("ps aux", "tool.process.list", json!({})),
            ("processes", "tool.process.list", json!({})),
            ("processes firefox", "tool.process.list", json!({"filter": "firefox"})),
            ("get https://example.org/a?b=c", "tool.fetch.get", json!({"url": "https://example.org/a?b=c"})),
            ("fetch example.org", "tool.fetch.get", json!({"url": "example.org"})),
            ("get news.example.co.uk/today", "tool.fetch.get", json!({"url": "news.example.co.uk/today"})),
            ("GET http://127.0.0.1:8080", "tool.fetch.get", json!({"url": "http://127.0.0.1:8080"})),
            ("get http://[::1]/", "tool.fetch.get", json!({"url": "http://[::1]/"})),
            ("get example.org:8443/x", "tool.fetch.get", json!({"url": "example.org:8443/x"})),
        ] {
            let intent = read(text).unwrap_or_else(|| panic!("{text} is a command")).expect(text);
            assert_eq!((intent.name.as_str(), Value::Object(intent.slots)), (name, slots), "{text}");
            assert_eq!((intent.confidence, intent.route), (1.0, Route::Direct));
        }
    }

    #[test]
    fn requests_are_left_alone() {
        for text in [
            "read my shopping list",
            "read the news",
            "read",
            "read / write",
            "read 1 / 2",
            "list my timers",
            "list",
            "list lights and on/off switches",
            "get the lights",
            "get light.kitchen",
            "get notes.txt",
            "get milk",
            "get 3.5",
            "get me the weather for st.gallen please",
            "fetch the paper",
            "get example.org and read it",
            "get -x.org",
            "ps i love you",
            "processes are running",
            "read /etc/hosts\nturn off the lights",
            "turn on the light",
            "please read /etc/hosts",
            "/read x",
            "",
        ] {
            assert!(read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn half_an_address_is_a_slip() {
        for text in ["get http://", "fetch https:// example.org", "get http://a b", "get http:///x"] {
            let slip = read(text).expect(text).expect_err(text);
            assert_eq!(
                (slip.key, Some(slip.said.as_str())),
                ("slip_address", text.split_once(' ').map(|(_, rest)| rest))
            );
        }
    }
}

//! What no range of a single key can say: keys that depend on each other, files that must exist,
//! addresses and names with a form of their own.

use super::load::Loaded;
use super::memory::ENTRY_KINDS;
use super::paths::expand;
use super::permissions::ACTS;
use super::problem::{Problem, nearest};
use super::speaking::VoiceEngine;
use super::wake::WakeEngine;
use toml::Value;

/// All cross-key problems of a configuration whose single values are in range.
pub(super) fn check(loaded: &Loaded) -> Vec<Problem> {
    let mut found = Findings { loaded, problems: Vec::new() };
    thresholds(&mut found);
    times(&mut found);
    wake_words(&mut found);
    mqtt(&mut found);
    files(&mut found);
    services(&mut found);
    permissions(&mut found);
    replays(&mut found);
    found.problems
}

/// Problems of wake words that name no model; `known` are the names of the wake models there are.
/// Asked by the command line, which may look into the model manifest.
pub fn check_wake_words(loaded: &Loaded, known: &[&str]) -> Vec<Problem> {
    let mut found = Findings { loaded, problems: Vec::new() };
    if loaded.config.wake.engine == WakeEngine::Openwakeword {
        for word in loaded.config.wake.words.iter().filter(|word| !is_model_path(word)) {
            if !known.contains(&word.as_str()) {
                let fix = nearest(word, known.iter().copied())
                    .map(|near| format!("did you mean \"{near}\"?"))
                    .unwrap_or_else(|| {
                        format!("use one of: {}, or the path of a .tflite file", known.join(", "))
                    });
                found.add("wake.words", word, "there is no wake model of this name", fix);
            }
        }
    }
    found.problems
}

/// Whether a model is given by the path of its file rather than by its name in the manifest.
pub fn is_model_path(name: &str) -> bool {
    name.contains('/') || [".tflite", ".onnx", ".bin"].iter().any(|ending| name.ends_with(ending))
}

struct Findings<'a> {
    loaded: &'a Loaded,
    problems: Vec<Problem>,
}

impl Findings<'_> {
    fn add(&mut self, key: &str, value: &str, message: impl Into<String>, fix: impl Into<String>) {
        self.push(key, Value::String(value.to_owned()).to_string(), message, fix);
    }

    fn number(&mut self, key: &str, value: f64, message: impl Into<String>, fix: impl Into<String>) {
        self.push(key, value.to_string(), message, fix);
    }

    fn push(&mut self, key: &str, value: String, message: impl Into<String>, fix: impl Into<String>) {
        self.problems.push(Problem {
            key: key.to_owned(),
            value,
            place: self.loaded.source(key).to_string(),
            message: message.into(),
            fix: fix.into(),
        });
    }
}

/// A pair of numbers of which the first must be smaller.
fn below(found: &mut Findings<'_>, low: (&str, f32), high: (&str, f32), why: &str) {
    if low.1 >= high.1 {
        let message = format!("must be lower than {} ({}): {why}", high.0, high.1);
        // The number as it was written, not as `f64` would spell it.
        let value = low.1.to_string().parse().unwrap_or(f64::from(low.1));
        found.number(low.0, value, message, format!("lower {} or raise {}", low.0, high.0));
    }
}

fn thresholds(found: &mut Findings<'_>) {
    let (vad, wake) = (&found.loaded.config.vad, &found.loaded.config.wake);
    let intent = &found.loaded.config.intent;
    below(
        found,
        ("vad.threshold_off", vad.threshold_off),
        ("vad.threshold", vad.threshold),
        "speech would end the moment it begins",
    );
    below(
        found,
        ("wake.near_miss_score", wake.near_miss_score),
        ("wake.threshold", wake.threshold),
        "a near miss is a score that was not enough",
    );
    below(
        found,
        ("intent.min_confidence", intent.min_confidence),
        ("intent.sure_confidence", intent.sure_confidence),
        "between them the words must tell of the intent",
    );
}

fn times(found: &mut Findings<'_>) {
    let config = &found.loaded.config;
    let pairs = [
        (
            ("vad.min_speech_ms", config.vad.min_speech_ms),
            ("audio.pre_roll_ms", config.audio.pre_roll_ms),
            "the first word would be gone before speech is noticed",
        ),
        (
            ("endpoint.silence_ms", config.endpoint.silence_ms),
            ("endpoint.max_utterance_ms", config.endpoint.max_utterance_ms),
            "no request could ever end in silence",
        ),
    ];
    for ((low, low_ms), (high, high_ms), why) in pairs {
        if low_ms >= high_ms {
            let message = format!("must be lower than {high} ({high_ms}): {why}");
            found.number(low, f64::from(low_ms), message, format!("lower {low} or raise {high}"));
        }
    }
}

fn wake_words(found: &mut Findings<'_>) {
    let wake = &found.loaded.config.wake;
    if wake.engine == WakeEngine::None {
        return;
    }
    if wake.words.is_empty() {
        let fix = "name at least one, such as [\"hey_jarvis\"], or set wake.engine = \"none\"";
        found.push("wake.words", "[]".into(), "no wake word at all", fix);
    }
    for word in &wake.words {
        let lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if is_model_path(word) {
            if !expand(word).is_file() {
                found.add(
                    "wake.words",
                    word,
                    "there is no such file",
                    "give the path of a .tflite wake model",
                );
            }
        } else if word.is_empty() || !word.chars().all(lower) {
            let name = word.trim().to_lowercase().replace([' ', '-'], "_");
            let fix = format!("write the name with lower-case letters and underscores: \"{name}\"");
            found.add("wake.words", word, "not the name of a wake model", fix);
        }
    }
}

fn mqtt(found: &mut Findings<'_>) {
    let mqtt = &found.loaded.config.mqtt;
    if !mqtt.url.is_empty()
        && let Err((message, fix)) = check_url(&mqtt.url, &["mqtt", "mqtts"])
    {
        found.add("mqtt.url", &mqtt.url, message, fix);
    }
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    if mqtt.node.is_empty() || mqtt.node.len() > 32 || !mqtt.node.chars().all(plain) {
        let fix = "use 1 to 32 of: a to z, 0 to 9, `_` and `-`";
        found.add("mqtt.node", &mqtt.node, "not a name that can stand in a topic", fix);
    }
    let prefix = &mqtt.discovery_prefix;
    let edge = prefix.starts_with('/') || prefix.ends_with('/') || prefix.starts_with('$');
    if prefix.is_empty() || edge || prefix.contains(['#', '+', ' ']) {
        let fix = "use Home Assistant's prefix, by default \"homeassistant\"";
        found.add("mqtt.discovery_prefix", prefix, "not a topic prefix", fix);
    }
    if !mqtt.password_file.is_empty() && mqtt.username.is_empty() {
        let fix = "set mqtt.username, or clear mqtt.password_file";
        found.add("mqtt.password_file", &mqtt.password_file, "a password without a user name", fix);
    }
}

fn files(found: &mut Findings<'_>) {
    let config = &found.loaded.config;
    let known = [
        ("mqtt.password_file", &config.mqtt.password_file),
        ("homeassistant.token_file", &config.homeassistant.token_file),
        ("home.file", &config.home.file),
        ("permissions.pin_file", &config.permissions.pin_file),
        ("permissions.device_codes_file", &config.permissions.device_codes_file),
    ];
    for (key, path) in known {
        if !path.is_empty() && !expand(path).is_file() {
            found.add(
                key,
                path,
                "there is no such file",
                "correct the path, or clear the key for the default",
            );
        }
    }
    let models = &config.paths.models_dir;
    if !models.is_empty() && !expand(models).join("manifest.toml").is_file() {
        let fix = "give the folder that has manifest.toml in it, or clear the key for the default";
        found.add("paths.models_dir", models, "not a folder with a manifest.toml", fix);
    }
    let state = &config.paths.state_dir;
    if !state.is_empty() && expand(state).exists() && !expand(state).is_dir() {
        found.add("paths.state_dir", state, "not a folder", "name a folder; it is made if it is not there");
    }
}

fn permissions(found: &mut Findings<'_>) {
    let permissions = &found.loaded.config.permissions;
    let lists = [("confirm", &permissions.confirm), ("pin", &permissions.pin), ("deny", &permissions.deny)];
    for (name, acts) in lists {
        for act in acts.iter().filter(|act| !ACTS.contains(&act.as_str())) {
            let fix = nearest(act, ACTS.iter().copied()).map_or_else(
                || format!("use {}", ACTS.join(", ")),
                |near| format!("did you mean \"{near}\"?"),
            );
            found.add(&format!("permissions.{name}"), act, "no dangerous act of this name", fix);
        }
    }
}

fn replays(found: &mut Findings<'_>) {
    let memory = &found.loaded.config.memory;
    let lists = [
        ("continuation", &memory.replay_continuation),
        ("clarification", &memory.replay_clarification),
        ("session", &memory.replay_session),
    ];
    for (name, kinds) in lists {
        for kind in kinds.iter().filter(|kind| !ENTRY_KINDS.contains(&kind.as_str())) {
            let fix = format!("use {}", ENTRY_KINDS.join(", "));
            found.add(&format!("memory.replay_{name}"), kind, "no kind of request", fix);
        }
    }
}

fn services(found: &mut Findings<'_>) {
    let config = &found.loaded.config;
    let weather = &config.tools.weather_url;
    if !weather.is_empty()
        && let Err((message, fix)) = check_url(weather, &["http", "https"])
    {
        found.add("tools.weather_url", weather, message, fix);
    }
    let there = &config.homeassistant.url;
    if !there.is_empty()
        && let Err((message, fix)) = check_url(there, &["http", "https", "ws", "wss"])
    {
        found.add("homeassistant.url", there, message, fix);
    }
    let language = &config.speaking.language;
    if language.len() != 2 || !language.chars().all(|c| c.is_ascii_lowercase()) {
        let fix = "use two lower-case letters, such as \"en\"";
        found.add("speaking.language", language, "not an ISO 639-1 code", fix);
    }
    if !config.speaking.quiet_hours.is_empty() && config.speaking.quiet_minutes().is_none() {
        let fix = "write from when to when: \"22:00-07:00\"";
        found.add("speaking.quiet_hours", &config.speaking.quiet_hours, "not two times of the day", fix);
    }
    if config.speaking.voice == VoiceEngine::Piper && config.speaking.piper_voice.trim().is_empty() {
        let fix = "name one that `hark say --list-voices` prints, or give the path of an .onnx file";
        found.add("speaking.piper_voice", "", "no voice for Piper", fix);
    }
    for (key, device) in [
        ("audio.input_device", &config.audio.input_device),
        ("audio.output_device", &config.audio.output_device),
    ] {
        if device.trim().is_empty() {
            found.add(
                key,
                device,
                "no device",
                "use \"auto\", \"none\" or a name that `hark devices` prints",
            );
        }
    }
}

/// Checks scheme, host and port of an address without reaching for it. What follows the host is
/// not looked at.
fn check_url(url: &str, schemes: &[&str]) -> Result<(), (String, String)> {
    let form = format!("write it as {}://host:port", schemes.join(":// or "));
    let wrong = |message: &str| Err((message.to_owned(), form.clone()));
    let Some((scheme, rest)) = url.split_once("://") else {
        return wrong("an address without a scheme");
    };
    if !schemes.contains(&scheme) {
        return wrong(&format!("the scheme `{scheme}` is not one of: {}", schemes.join(", ")));
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err((
            "a secret in an address".into(),
            "take the name and password out; use the username and password_file keys".into(),
        ));
    }
    let (host, port) = split_port(authority);
    if host.is_empty() || host.contains(char::is_whitespace) {
        return wrong("an address without a host");
    }
    match port.map(str::parse::<u16>) {
        Some(Err(_) | Ok(0)) => wrong("the port is not a number from 1 to 65535"),
        _ => Ok(()),
    }
}

/// Splits `host:port`; an IPv6 host stands in brackets.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    if let Some(end) = authority.find(']') {
        let (host, rest) = authority.split_at(end + 1);
        return (host, rest.strip_prefix(':'));
    }
    authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)))
}

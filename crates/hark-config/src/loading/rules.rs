//! Validation beyond single keys: keys that depend on each other, files that must exist, addresses and names.

use super::findings::{Findings, check_url, split_port};
use super::language_models::language_models;
use super::load::Loaded;
use super::problem::{Problem, nearest};
use crate::dashboard::Dashboard;
use crate::mcp;
use crate::memory::ENTRY_KINDS;
use crate::paths::{self, expand};
use crate::permissions::{ACTS, TOOL_PERMISSIONS, person_rule};
use crate::tools::runs_anything;
use crate::wake::{WakeEngine, word_limits};
use std::path::Path;

/// All cross-key problems of a configuration whose single values are in range.
pub(crate) fn check(loaded: &Loaded) -> Vec<Problem> {
    let (config, mut found) = (&loaded.config, Findings { loaded, problems: Vec::new() });
    thresholds(&mut found);
    times(&mut found);
    wake_words(&mut found);
    mqtt(&mut found);
    files(&mut found);
    services(&mut found);
    language_models(&mut found);
    permissions(&mut found);
    reach(&mut found);
    dashboard(&mut found, paths::credentials_dir().as_deref());
    sources(&mut found);
    history_kinds(&mut found);
    journal(&mut found);
    knowledge(&mut found);
    mcp(&mut found);
    skills(&mut found);
    let others = config.watch.problems().chain(config.delegation.problems());
    others.for_each(|(key, value, message, fix)| found.add(key, value, message, fix));
    found.problems
}

/// Problems of wake words that name no model; `known` are the names of the wake models there are.
/// Asked by the command line, which may look into the model manifest.
pub fn check_wake_words(loaded: &Loaded, known: &[&str]) -> Vec<Problem> {
    let mut found = Findings { loaded, problems: Vec::new() };
    if loaded.config.wake.engine.has_models() {
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

/// A pair of numbers of which the first must be smaller.
fn below(found: &mut Findings<'_>, low: (&str, f32), high: (&str, f32), why: &str) {
    if low.1 >= high.1 {
        let message = format!("must be lower than {} ({}): {why}", high.0, high.1);
        // The number as it was written, not as `f64` would spell it.
        let value = low.1.to_string().parse().unwrap_or(f64::from(low.1));
        found.number(low.0, value, message, format!("lower {} or raise {}", low.0, high.0));
    }
}

fn knowledge(found: &mut Findings<'_>) {
    let knowledge = &found.loaded.config.knowledge;
    if knowledge.overlap_words >= knowledge.passage_words {
        let message = format!("must be lower than knowledge.passage_words ({})", knowledge.passage_words);
        let fix = "lower knowledge.overlap_words or raise knowledge.passage_words";
        found.number("knowledge.overlap_words", knowledge.overlap_words.into(), message, fix);
    }
}

/// Servers of other programs' tools.
fn mcp(found: &mut Findings<'_>) {
    let mcp = &found.loaded.config.mcp;
    for permission in mcp.serve.iter().filter(|permission| !mcp::served().any(|known| known == **permission))
    {
        let fix = format!("use {}", mcp::served().collect::<Vec<_>>().join(", "));
        found.add("mcp.serve", permission, "no permission of Hark's own tools", fix);
    }
    for (name, server) in &mcp.servers {
        let key = |key: &str| match key {
            "" => format!("mcp.servers.{name}"),
            key => format!("mcp.servers.{name}.{key}"),
        };
        for (of, value, message, fix) in mcp::problems(name, server) {
            found.add(&key(of), &value, message, fix);
        }
        if !server.url.is_empty()
            && let Err((message, fix)) = check_url(&server.url, &["http", "https"])
        {
            found.add(&key("url"), &server.url, message, fix);
        }
        if !server.token_file.is_empty() && !expand(&server.token_file).is_file() {
            let fix = "correct the path, or clear the key for the default";
            found.add(&key("token_file"), &server.token_file, "there is no such file", fix);
        }
    }
}

fn skills(found: &mut Findings<'_>) {
    for script in &found.loaded.config.skills.scripts {
        let parts: Vec<&str> = script.split('/').collect();
        if parts.len() != 2 || parts.iter().any(|part| part.is_empty() || part.starts_with('.')) {
            let fix = "write it as SKILL/SCRIPT, such as \"bin-day/next.sh\"";
            found.add("skills.scripts", script, "not a script of a skill", fix);
        }
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
    for line in &wake.limits {
        let fix = "write it like \"okay_nabu: threshold 0.7, patience_hops 2\"";
        match word_limits(line) {
            Err(error) => found.add("wake.limits", line, error.to_string(), fix),
            Ok((word, _)) if !wake.words.iter().any(|known| wake_name(known) == word) => {
                found.add("wake.limits", line, format!("\"{word}\" is none of wake.words"), fix);
            }
            Ok(_) => {}
        }
    }
    if wake.engine == WakeEngine::Phrase {
        phrases(found);
        return;
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

/// The name of a wake word in events: of a file its own name.
pub fn wake_name(word: &str) -> &str {
    let file = is_model_path(word).then(|| Path::new(word).file_stem()?.to_str()).flatten();
    file.unwrap_or(word)
}

fn phrases(found: &mut Findings<'_>) {
    for phrase in &found.loaded.config.wake.words {
        let sayable = |c: char| c.is_alphabetic() || matches!(c, ' ' | '\'');
        let fix =
            "write it as one would say it, such as \"hello computer\", or set wake.engine = \"openwakeword\"";
        if phrase.trim().is_empty() || !phrase.chars().all(sayable) {
            found.add("wake.words", phrase, "not a phrase of words", fix);
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
        ("llm.key_file", &config.llm.key_file),
        ("llm_fallback.key_file", &config.llm_fallback.key_file),
        ("dashboard.token_file", &config.dashboard.token_file),
        ("dashboard.operator_token_file", &config.dashboard.operator_token_file),
        ("home.file", &config.home.file),
        ("permissions.pin_file", &config.permissions.pin_file),
        ("permissions.device_codes_file", &config.permissions.device_codes_file),
    ];
    let of_servers = config
        .llm
        .servers
        .iter()
        .map(|(name, server)| (format!("llm.servers.{name}.key_file"), server.key_file.as_str()));
    let known = known.map(|(key, path)| (key.to_owned(), path.as_str())).into_iter().chain(of_servers);
    for (key, path) in known {
        if !path.is_empty() && !expand(path).is_file() {
            found.add(
                &key,
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
    let act = "no dangerous act of this name";
    let lists = [
        ("confirm", &permissions.confirm, &ACTS[..], act),
        ("pin", &permissions.pin, &ACTS[..], act),
        ("deny", &permissions.deny, &ACTS[..], act),
        ("deny_tools", &permissions.deny_tools, &TOOL_PERMISSIONS[..], "no permission of this name"),
    ];
    let fix_of = |word: &str, known: &[&str]| {
        nearest(word, known.iter().copied())
            .map_or_else(|| format!("use {}", known.join(", ")), |near| format!("did you mean \"{near}\"?"))
    };
    for (name, given, known, message) in lists {
        for word in given.iter().filter(|word| !known.contains(&word.as_str())) {
            found.add(&format!("permissions.{name}"), word, message, fix_of(word, known));
        }
    }
    let known: Vec<&str> = ACTS.iter().chain(&TOOL_PERMISSIONS).copied().collect();
    for line in &permissions.people {
        let Some((_, refused)) = person_rule(line) else {
            let fix = "write names, a colon, and what is refused: \"Max, Mia: unlock, web\"";
            found.add("permissions.people", line, "names no people or nothing that is refused", fix);
            continue;
        };
        for word in refused.into_iter().filter(|word| !known.contains(word)) {
            let message = "no act and no permission of this name";
            found.add("permissions.people", word, message, fix_of(word, &known));
        }
    }
}

/// What tools may reach of this machine and of the network.
fn reach(found: &mut Findings<'_>) {
    let tools = &found.loaded.config.tools;
    let folders = &found.loaded.config.knowledge.folders;
    let roots = tools.file_roots.iter().map(|root| ("tools.file_roots", root));
    let roots = roots.chain(tools.file_write_roots.iter().map(|root| ("tools.file_write_roots", root)));
    for (key, root) in roots.chain(folders.iter().map(|folder| ("knowledge.folders", folder))) {
        let path = expand(root);
        let kernel = ["/proc", "/sys", "/dev"].iter().any(|folder| path.starts_with(folder));
        if kernel || !path.is_absolute() {
            let message = if kernel { "these are no ordinary files" } else { "not an absolute path" };
            found.add(key, root, message, "name a folder of documents, such as \"~/Documents\"");
        }
    }
    for program in &tools.shell_allow {
        let inner = program.strip_prefix('/').unwrap_or(program);
        let plain = !program.contains(char::is_whitespace) && !inner.is_empty() && !inner.starts_with('.');
        if !plain || !program.starts_with('/') && program.contains('/') {
            let fix =
                "write its name, such as \"uptime\", or its absolute path; arguments come with each call";
            found.add("tools.shell_allow", program, "not a program's name or absolute path", fix);
        } else if runs_anything(program) {
            let fix =
                "name the program that does what is needed, or a script of your own by its absolute path";
            let message = "it runs whatever it is given, so that everything would be allowed with it";
            found.add("tools.shell_allow", program, message, fix);
        }
    }
    let allowed = tools.http_allow_hosts.iter().map(|host| ("tools.http_allow_hosts", host));
    let trusted = tools.http_trusted_hosts.iter().map(|host| ("tools.http_trusted_hosts", host));
    let delegated = found.loaded.config.delegation.allowed_hosts.iter();
    let delegated = delegated.map(|host| ("delegation.allowed_hosts", host));
    for (key, host) in allowed.chain(trusted).chain(delegated) {
        let (name, port) = split_port(host);
        let wrong_port = port.is_some_and(|port| !port.parse::<u16>().is_ok_and(|port| port > 0));
        if name.is_empty()
            || wrong_port
            || host.contains(['/', '@', '*'])
            || host.contains(char::is_whitespace)
        {
            let fix =
                "write host or host:port, such as \"127.0.0.1:8080\", without http:// and without a path";
            found.add(key, host, "not a host", fix);
        }
    }
}

fn sources(found: &mut Findings<'_>) {
    for source in &found.loaded.config.home.trusted_sources {
        if !["homeassistant", "mqtt"].contains(&source.as_str()) {
            found.add("home.trusted_sources", source, "not a source", "use \"homeassistant\" or \"mqtt\"");
        }
    }
}

fn history_kinds(found: &mut Findings<'_>) {
    let memory = &found.loaded.config.memory;
    let lists = [
        ("continuation", &memory.history_continuation),
        ("clarification", &memory.history_clarification),
        ("session", &memory.history_session),
    ];
    for (name, kinds) in lists {
        for kind in kinds.iter().filter(|kind| !ENTRY_KINDS.contains(&kind.as_str())) {
            let fix = format!("use {}", ENTRY_KINDS.join(", "));
            found.add(&format!("memory.history_{name}"), kind, "no kind of request", fix);
        }
    }
}

fn journal(found: &mut Findings<'_>) {
    let journal = &found.loaded.config.journal;
    if journal.record_audio && !journal.enabled {
        let fix = "set journal.enabled = true, or journal.record_audio = false";
        found.add("journal.record_audio", "true", "no sound is kept without a journal", fix);
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
    // The value had been the name of the engine.
    let voice = config.speaking.voice.as_str();
    if voice.trim().is_empty() || voice == "piper" {
        let fix = "name one that `hark say --list-voices` prints, such as \"piper_en_us_lessac\", or give the path of an .onnx file";
        found.add("speaking.voice", voice, "not the name of a voice", fix);
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

/// What others on the network can reach must ask for a token.
fn dashboard(found: &mut Findings<'_>, credentials_dir: Option<&Path>) {
    let dashboard = &found.loaded.config.dashboard;
    if dashboard.enabled {
        let has_token =
            paths::secret_file(&dashboard.token_file, Dashboard::CREDENTIAL, credentials_dir).is_some();
        match dashboard.address() {
            None => {
                let fix = "write it as \"127.0.0.1:8765\", an IPv6 address in brackets";
                found.add("dashboard.listen", &dashboard.listen, "not an address with a port", fix);
            }
            Some(address) if !address.ip().is_loopback() && !has_token => {
                let fix = "name a file with a token in dashboard.token_file, or listen on 127.0.0.1";
                let message = "others could reach it, and there is no token";
                found.add("dashboard.listen", &dashboard.listen, message, fix);
            }
            Some(_) => {}
        }
    }
    for host in &dashboard.allowed_hosts {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
        if host.is_empty() || !host.chars().all(plain) {
            let fix = "write the name alone, such as \"hark.local\"";
            found.add("dashboard.allowed_hosts", host, "not the name of a host", fix);
        }
    }
    for origin in &dashboard.allowed_origins {
        let problem = check_url(origin, &["http", "https"]).err().or_else(|| {
            let rest = origin.split_once("://").map_or("", |(_, rest)| rest);
            let form = "write scheme, host and port alone: \"https://home.example:8123\"";
            rest.contains('/').then(|| ("a path in an origin".to_owned(), form.to_owned()))
        });
        if let Some((message, fix)) = problem {
            found.add("dashboard.allowed_origins", origin, message, fix);
        }
    }
}

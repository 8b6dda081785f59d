//! Parses incoming messages: a command becomes an event, everything else is refused with its reason. Pure: nothing is
//! carried out here, and every payload is checked.

use super::topics::{Topic, Topics};
use hark_config::setting_ranges;
use hark_core::command::DaemonCommand;
use hark_core::event::Event;
use hark_core::fault::{Fault, FaultKind};
use hark_core::house::{Announcement, Claim, Confirmed};
use hark_core::public_event::Origin;
use hark_core::setting::Setting;
use hark_core::teaching::Correction;
use serde_json::{Map, Value};

/// Longest payload that is looked at.
pub const PAYLOAD_MAX_BYTES: usize = 4096;

/// Longest claim of a node that is looked at.
const CLAIM_MAX_BYTES: usize = 512;

/// What an accepted message means.
#[derive(Debug, Clone, PartialEq)]
// There is one at a time, and it is taken apart at once.
#[allow(clippy::large_enum_variant)]
pub enum Inbound {
    /// Something for the turn machine.
    Event(Event),
    /// Something for the daemon.
    Command(DaemonCommand),
    /// Home Assistant has just started: it wants discovery and states again.
    HomeAssistantOnline,
    /// Rightly there, but of no concern.
    Nothing,
}

/// Why a message is not acted on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not a topic Hark subscribed to.
    #[error("{0} is not one of Hark's topics")]
    UnknownTopic(String),
    /// A retained command would be carried out again at every start.
    #[error("the command on {0} is retained by the broker; send it without the retain flag")]
    Retained(String),
    /// More than any command has.
    #[error("the message on {topic} has {bytes} bytes; at most {PAYLOAD_MAX_BYTES} are taken")]
    TooLong {
        /// Where it came.
        topic: String,
        /// Its length.
        bytes: usize,
    },
    /// Not text.
    #[error("the message on {0} is not UTF-8 text")]
    NotText(String),
    /// Nothing to do.
    #[error("the message on {0} is empty")]
    Empty(String),
    /// Not what this topic takes.
    #[error("the message on {topic} is not {expected}")]
    Unexpected {
        /// Where it came.
        topic: String,
        /// What it should have been.
        expected: &'static str,
    },
}

impl From<&Refusal> for Fault {
    fn from(refusal: &Refusal) -> Self {
        let fix = match refusal {
            Refusal::Retained(_) => "clear the retained message, and send commands without the retain flag",
            _ => "contracts/mqtt.json says what each topic takes; nothing was changed",
        };
        Self::new(FaultKind::BadInput, "mqtt", refusal.to_string(), fix).recoverable()
    }
}

/// Finds out what a message means.
///
/// `retained` is the flag the broker delivered it with: set only for what lay there before Hark
/// subscribed.
///
/// # Errors
/// The reason why it must not be acted on.
pub fn read(topics: &Topics, path: &str, payload: &[u8], retained: bool) -> Result<Inbound, Refusal> {
    let topic = topics.incoming(path).ok_or_else(|| Refusal::UnknownTopic(shown(path)))?;
    if topic == Topic::HomeAssistantStatus {
        // What lay there before is no news: discovery was published on connecting.
        let came_online = !retained && payload == b"online";
        return Ok(if came_online { Inbound::HomeAssistantOnline } else { Inbound::Nothing });
    }
    let path = shown(path);
    // A retained message of no bytes is the deletion of a retained one, not a command.
    if retained {
        return Err(Refusal::Retained(path));
    }
    if payload.len() > PAYLOAD_MAX_BYTES {
        return Err(Refusal::TooLong { topic: path, bytes: payload.len() });
    }
    let Ok(text) = str::from_utf8(payload) else { return Err(Refusal::NotText(path)) };
    let text = text.trim();
    if text.is_empty() {
        return Err(Refusal::Empty(path));
    }
    if topic == Topic::Claim && payload.len() > CLAIM_MAX_BYTES {
        return Err(Refusal::TooLong { topic: path, bytes: payload.len() });
    }
    meaning(topic, text).map_err(|expected| Refusal::Unexpected { topic: path, expected })
}

/// The `id` a sender gave its message (a JSON object), so that it counts once however often it is sent. What names an
/// announcement is not looked at here: it has its own way.
pub fn message_id(payload: &[u8]) -> Option<String> {
    const MAX_CHARACTERS: usize = 64;
    let object =
        payload.trim_ascii_start().starts_with(b"{").then(|| serde_json::from_slice(payload).ok())??;
    let id = Value::as_str(Value::get(&object, "id")?)?;
    (1..=MAX_CHARACTERS).contains(&id.chars().count()).then(|| id.to_owned())
}

fn meaning(topic: Topic, text: &str) -> Result<Inbound, &'static str> {
    let command = match topic {
        Topic::Claim => claim(text).map(|claim| DaemonCommand::Claimed { claim }),
        Topic::Announce => {
            announcement(text).map(|announcement| DaemonCommand::Announcement { announcement })
        }
        Topic::Confirmed => confirmed(text).map(|confirmed| DaemonCommand::Confirmed { confirmed }),
        Topic::RestartSet => pressed(text).map(|()| DaemonCommand::Restart),
        Topic::UpdateSet if text == "INSTALL" => Ok(DaemonCommand::Install),
        Topic::UpdateSet => Err("INSTALL"),
        _ => return event(topic, text).map(Inbound::Event),
    };
    command.map(Inbound::Command)
}

fn event(topic: Topic, text: &str) -> Result<Event, &'static str> {
    match topic {
        Topic::Ask => {
            let origin = conversation(text)?;
            words(text).map(|text| Event::Typed { text, origin, speak: false, dry_run: false })
        }
        Topic::Teach => correction(text).map(|correction| Event::Correct { correction }),
        Topic::Say => words(text).map(|text| Event::Say { text }),
        Topic::ListenNowSet => pressed(text).map(|()| Event::ListenNow),
        Topic::StopSet => pressed(text).map(|()| Event::Stop),
        Topic::CancelTimersSet => pressed(text).map(|()| Event::CancelTimers),
        _ => setting(topic, text).map(|setting| Event::Set { setting }),
    }
}

/// A setting that is changed; whether its value is one of those there are is found out where it is changed.
fn setting(topic: Topic, text: &str) -> Result<Setting, &'static str> {
    Ok(match topic {
        Topic::MicMuteSet => Setting::MicMute(switched(text)?),
        Topic::VolumeSet => Setting::VolumePercent(percent(text)?),
        Topic::DoNotDisturbSet => Setting::DoNotDisturb(switched(text)?),
        Topic::SpeakerMuteSet => Setting::SpeakerMute(switched(text)?),
        Topic::WakeSoundSet => Setting::WakeSound(switched(text)?),
        Topic::FollowUpSet => Setting::FollowUp(switched(text)?),
        Topic::MicGainSet => Setting::MicGainDb(whole(text, setting_ranges::mic_gain_db())?),
        Topic::WakeSensitivitySet => {
            Setting::WakeSensitivityPercent(whole(text, setting_ranges::wake_sensitivity_percent())?)
        }
        Topic::SilenceSet => Setting::SilenceMs(whole(text, setting_ranges::silence_ms())?),
        Topic::WakeWordSet => Setting::WakeWord(chosen(text)?),
        Topic::VoiceSet => Setting::Voice(chosen(text)?),
        Topic::LanguageSet => Setting::Language(chosen(text)?),
        Topic::EndpointingSet => Setting::Endpointing(chosen(text)?),
        _ => return Err("a command"),
    })
}

fn switched(text: &str) -> Result<bool, &'static str> {
    match text {
        "ON" | "on" => Ok(true),
        "OFF" | "off" => Ok(false),
        _ => Err("ON or OFF"),
    }
}

/// A whole number within limits, as digits with a sign. Home Assistant may send `40.0` for 40.
fn whole<N: TryFrom<i64>>(text: &str, (least, most): (i64, i64)) -> Result<N, &'static str> {
    const EXPECTED: &str = "a whole number in its range";
    let digits = text.strip_suffix(".0").unwrap_or(text);
    let is_plain = digits.strip_prefix('-').unwrap_or(digits).bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = if is_plain { digits.parse().map_err(|_| EXPECTED)? } else { return Err(EXPECTED) };
    if !(least..=most).contains(&number) {
        return Err(EXPECTED);
    }
    N::try_from(number).map_err(|_| EXPECTED)
}

/// A short text without control characters.
fn chosen(text: &str) -> Result<String, &'static str> {
    const MAX_CHARACTERS: usize = 255;
    if text.chars().count() > MAX_CHARACTERS || text.contains(char::is_control) {
        return Err("one of its options");
    }
    Ok(text.to_owned())
}

/// Plain text, or the `text` of a JSON object. Line breaks and tabs become spaces; other control
/// characters make it garbage.
fn words(text: &str) -> Result<String, &'static str> {
    const EXPECTED: &str = "plain text or JSON {\"text\": \"…\"}";
    let text = if text.starts_with('{') {
        let object: Value = serde_json::from_str(text).map_err(|_| EXPECTED)?;
        object.get("text").and_then(Value::as_str).ok_or(EXPECTED)?.to_owned()
    } else {
        text.to_owned()
    };
    let text: String = text.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }).collect();
    let text = text.trim();
    if text.is_empty() || text.contains(char::is_control) {
        return Err(EXPECTED);
    }
    Ok(text.to_owned())
}

/// The `session` of a JSON object names the conversation; all requests without one are in the same.
fn conversation(text: &str) -> Result<Origin, &'static str> {
    const EXPECTED: &str = "a session of 1 to 64 characters";
    const MAX_CHARACTERS: usize = 64;
    let object = if text.starts_with('{') { serde_json::from_str(text).ok() } else { None };
    match object.as_ref().and_then(|object: &Value| object.get("session")) {
        None => Ok(Origin::Mqtt),
        Some(Value::String(name))
            if (1..=MAX_CHARACTERS).contains(&name.chars().count()) && !name.contains(char::is_control) =>
        {
            Ok(Origin::MqttSession(name.clone()))
        }
        Some(_) => Err(EXPECTED),
    }
}

/// `{"turn": …, "meant": …}` with an optional `domain`, each a short text without control characters.
fn correction(text: &str) -> Result<Correction, &'static str> {
    const EXPECTED: &str = "JSON {\"turn\": id or \"last\", \"meant\": intent, \"none\" or words}";
    const MAX_CHARACTERS: usize = 300;
    let mut object: Map<String, Value> = serde_json::from_str(text).map_err(|_| EXPECTED)?;
    let mut take = |key: &str| match object.remove(key) {
        None => Ok(None),
        Some(Value::String(text)) => {
            let text = text.trim();
            let fits = !text.is_empty()
                && text.chars().count() <= MAX_CHARACTERS
                && !text.contains(char::is_control);
            if fits { Ok(Some(text.to_owned())) } else { Err(EXPECTED) }
        }
        Some(_) => Err(EXPECTED),
    };
    let (turn, meant, domain, _id) = (take("turn")?, take("meant")?, take("domain")?, take("id")?);
    match (turn, meant) {
        (Some(turn), Some(meant)) if object.is_empty() => Ok(Correction::Turn { turn, meant, domain }),
        _ => Err(EXPECTED),
    }
}

fn claim(text: &str) -> Result<Claim, &'static str> {
    let claim: Option<Claim> = serde_json::from_str(text).ok();
    claim.filter(Claim::is_sound).ok_or("JSON {kind, node, id, score 0 to 1, level_db -120 to 0}")
}

fn announcement(text: &str) -> Result<Announcement, &'static str> {
    let announcement: Option<Announcement> = serde_json::from_str(text).ok();
    announcement.filter(Announcement::is_sound).ok_or("JSON {id, from, text, area}")
}

fn confirmed(text: &str) -> Result<Confirmed, &'static str> {
    let confirmed: Option<Confirmed> = serde_json::from_str(text).ok();
    confirmed.filter(Confirmed::is_sound).ok_or("JSON {id, node, spoken}")
}

/// A number from 0 to 100, rounded. Home Assistant sends `40` or `40.0`.
fn percent(text: &str) -> Result<u8, &'static str> {
    const EXPECTED: &str = "a number from 0 to 100";
    // Digits and a point only, so that `1e1`, `inf` and `NaN` are no numbers.
    if !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return Err(EXPECTED);
    }
    let number: f64 = text.parse().map_err(|_| EXPECTED)?;
    // The range check makes the cast exact.
    if (0.0..=100.0).contains(&number) { Ok(number.round() as u8) } else { Err(EXPECTED) }
}

fn pressed(text: &str) -> Result<(), &'static str> {
    if text == "PRESS" { Ok(()) } else { Err("PRESS") }
}

/// A topic fit for a log line.
fn shown(path: &str) -> String {
    path.chars().take(120).map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn topics() -> Topics {
        Topics::new("hark", "homeassistant").unwrap()
    }

    fn fresh(topic: Topic, payload: &[u8]) -> Result<Inbound, Refusal> {
        read(&topics(), &topics().path(topic), payload, false)
    }

    fn asked(text: &str) -> Inbound {
        Inbound::Event(Event::Typed { text: text.into(), origin: Origin::Mqtt, speak: false, dry_run: false })
    }

    #[test]
    fn commands_become_events() {
        assert_eq!(fresh(Topic::Ask, b"what time is it"), Ok(asked("what time is it")));
        assert_eq!(fresh(Topic::Ask, b" {\"text\": \"lights on\", \"x\": 1}\n"), Ok(asked("lights on")));
        assert_eq!(fresh(Topic::Ask, b"one\ntwo\tthree"), Ok(asked("one two three")));
        let origin = Origin::MqttSession("hall".into());
        assert_eq!(
            fresh(Topic::Ask, b"{\"text\": \"yes\", \"session\": \"hall\"}"),
            Ok(Inbound::Event(Event::Typed { text: "yes".into(), origin, speak: false, dry_run: false }))
        );
        assert_eq!(
            fresh(Topic::Say, "Grüß Gott".as_bytes()),
            Ok(Inbound::Event(Event::Say { text: "Grüß Gott".into() }))
        );
        let lesson = |domain: Option<&str>| {
            let domain = domain.map(str::to_owned);
            let correction = Correction::Turn { turn: "last".into(), meant: "HassTurnOn".into(), domain };
            Ok(Inbound::Event(Event::Correct { correction }))
        };
        assert_eq!(fresh(Topic::Teach, b"{\"turn\": \"last\", \"meant\": \" HassTurnOn\"}"), lesson(None));
        let cover = b"{\"turn\": \"last\", \"meant\": \"HassTurnOn\", \"domain\": \"cover\"}";
        assert_eq!(fresh(Topic::Teach, cover), lesson(Some("cover")));
        assert_eq!(
            fresh(Topic::MicMuteSet, b"ON"),
            Ok(Inbound::Event(Event::Set { setting: Setting::MicMute(true) }))
        );
        assert_eq!(
            fresh(Topic::MicMuteSet, b"OFF"),
            Ok(Inbound::Event(Event::Set { setting: Setting::MicMute(false) }))
        );
        assert_eq!(
            fresh(Topic::VolumeSet, b"0"),
            Ok(Inbound::Event(Event::Set { setting: Setting::VolumePercent(0) }))
        );
        assert_eq!(
            fresh(Topic::VolumeSet, b"40.0"),
            Ok(Inbound::Event(Event::Set { setting: Setting::VolumePercent(40) }))
        );
        assert_eq!(
            fresh(Topic::VolumeSet, b"100"),
            Ok(Inbound::Event(Event::Set { setting: Setting::VolumePercent(100) }))
        );
        assert_eq!(fresh(Topic::ListenNowSet, b"PRESS"), Ok(Inbound::Event(Event::ListenNow)));
        assert_eq!(fresh(Topic::StopSet, b"PRESS"), Ok(Inbound::Event(Event::Stop)));
    }

    #[test]
    fn settings_are_taken_as_home_assistant_sends_them() {
        let set = |topic, payload: &str| match fresh(topic, payload.as_bytes()) {
            Ok(Inbound::Event(Event::Set { setting })) => setting,
            other => panic!("{topic:?} {payload}: {other:?}"),
        };
        assert_eq!(set(Topic::SpeakerMuteSet, "ON"), Setting::SpeakerMute(true));
        assert_eq!(set(Topic::WakeSoundSet, "OFF"), Setting::WakeSound(false));
        assert_eq!(set(Topic::FollowUpSet, "ON"), Setting::FollowUp(true));
        assert_eq!(set(Topic::MicGainSet, "-20"), Setting::MicGainDb(-20));
        assert_eq!(set(Topic::MicGainSet, "6.0"), Setting::MicGainDb(6));
        assert_eq!(set(Topic::WakeSensitivitySet, "95"), Setting::WakeSensitivityPercent(95));
        assert_eq!(set(Topic::SilenceSet, "3000"), Setting::SilenceMs(3000));
        assert_eq!(set(Topic::WakeWordSet, "okay_nabu"), Setting::WakeWord("okay_nabu".into()));
        assert_eq!(set(Topic::VoiceSet, "espeak"), Setting::Voice("espeak".into()));
        assert_eq!(set(Topic::LanguageSet, "de"), Setting::Language("de".into()));
        assert_eq!(set(Topic::EndpointingSet, "silence"), Setting::Endpointing("silence".into()));
        assert_eq!(fresh(Topic::CancelTimersSet, b"PRESS"), Ok(Inbound::Event(Event::CancelTimers)));
        assert_eq!(fresh(Topic::RestartSet, b"PRESS"), Ok(Inbound::Command(DaemonCommand::Restart)));
        assert_eq!(fresh(Topic::UpdateSet, b"INSTALL"), Ok(Inbound::Command(DaemonCommand::Install)));
    }

    #[test]
    fn hostile_payloads_are_refused() {
        let unexpected: &[(Topic, &[u8])] = &[
            (Topic::VolumeSet, b"101"),
            (Topic::VolumeSet, b"-1"),
            (Topic::VolumeSet, b"NaN"),
            (Topic::VolumeSet, b"inf"),
            (Topic::VolumeSet, b"1e1"),
            (Topic::VolumeSet, b"."),
            (Topic::VolumeSet, b"loud"),
            (Topic::VolumeSet, b"99999999999999999999999999999999999999"),
            (Topic::MicMuteSet, b"MAYBE"),
            (Topic::MicMuteSet, b"1"),
            (Topic::ListenNowSet, b"OFF"),
            (Topic::StopSet, b"{}"),
            (Topic::Ask, b"{\"text\": 5}"),
            (Topic::Ask, b"{\"text\": \" \"}"),
            (Topic::Ask, b"{\"text\": \"yes\", \"session\": 5}"),
            (Topic::Ask, b"{\"text\": \"yes\", \"session\": \"\"}"),
            (Topic::Ask, b"{broken"),
            (Topic::Ask, b"bell \x07"),
            (Topic::Teach, b"last"),
            (Topic::Teach, b"[]"),
            (Topic::Teach, b"{\"turn\": \"last\"}"),
            (Topic::Teach, b"{\"turn\": 5, \"meant\": \"none\"}"),
            (Topic::Teach, b"{\"turn\": \"last\", \"meant\": \"none\", \"id\": 5}"),
            (Topic::Teach, b"{\"turn\": \"last\", \"meant\": \" \"}"),
            (Topic::Teach, b"{\"turn\": \"last\", \"meant\": \"a\\u0007\"}"),
            (Topic::Teach, b"{\"turn\": \"last\", \"meant\": \"none\", \"file\": \"/etc/passwd\"}"),
            (Topic::Say, b"nul \x00"),
            (Topic::Announce, b"dinner"),
            (Topic::Announce, b"{\"id\":\"1\",\"from\":\"a\",\"text\":\"\"}"),
            (Topic::Announce, b"{\"id\":\"1\",\"from\":\"#\",\"text\":\"dinner\"}"),
            (Topic::Announce, b"{\"id\":\"1\",\"from\":\"a\",\"text\":\"a\\u0007\"}"),
            (Topic::Confirmed, b"{\"id\":\"1\",\"node\":\"A/B\",\"spoken\":true}"),
            (Topic::DoNotDisturbSet, b"1"),
            (Topic::SpeakerMuteSet, b"true"),
            (Topic::WakeSoundSet, b"ON OFF"),
            (Topic::FollowUpSet, b"{\"on\":true}"),
            (Topic::MicGainSet, b"31"),
            (Topic::MicGainSet, b"-21"),
            (Topic::MicGainSet, b"--5"),
            (Topic::MicGainSet, b"-"),
            (Topic::MicGainSet, b"3.5"),
            (Topic::MicGainSet, b"99999999999999999999"),
            (Topic::WakeSensitivitySet, b"0"),
            (Topic::WakeSensitivitySet, b"96"),
            (Topic::SilenceSet, b"99"),
            (Topic::SilenceSet, b"3001"),
            (Topic::SilenceSet, b"1e3"),
            (Topic::SilenceSet, b"-600"),
            (Topic::WakeWordSet, b"hey \x1b[2J"),
            (Topic::VoiceSet, &[b'v'; 256]),
            (Topic::CancelTimersSet, b"yes"),
            (Topic::RestartSet, b"now"),
            (Topic::RestartSet, b"press"),
            (Topic::UpdateSet, b"PRESS"),
            (Topic::Claim, b"kitchen"),
            (Topic::Claim, b"{\"kind\":\"won\",\"node\":\"a\",\"id\":1,\"score\":2,\"level_db\":-9}"),
            (Topic::Claim, b"{\"kind\":\"won\",\"node\":\"+/#\",\"id\":1,\"score\":1,\"level_db\":-9}"),
            (Topic::Claim, b"{\"kind\":\"won\",\"node\":\"a\",\"id\":1,\"score\":1,\"level_db\":-1e99}"),
            (Topic::Claim, b"{\"kind\":\"won\",\"node\":\"a\",\"id\":1,\"score\":1,\"level_db\":-9,\"x\":1}"),
            (Topic::Claim, b"[[[[[[[["),
        ];
        for (topic, payload) in unexpected {
            let shown = String::from_utf8_lossy(payload);
            assert!(matches!(fresh(*topic, payload), Err(Refusal::Unexpected { .. })), "{topic:?} {shown}");
        }
        assert!(matches!(fresh(Topic::Ask, &[0xff, 0xfe, 0x00]), Err(Refusal::NotText(_))));
        assert!(matches!(fresh(Topic::Ask, b"  \n"), Err(Refusal::Empty(_))));
        assert!(matches!(fresh(Topic::Ask, &[b'a'; 4097]), Err(Refusal::TooLong { bytes: 4097, .. })));
        assert!(fresh(Topic::Ask, &[b'a'; 4096]).is_ok());
        assert!(matches!(
            read(&topics(), "hark/hark/availability", b"x", false),
            Err(Refusal::UnknownTopic(_))
        ));
    }

    #[test]
    fn retained_commands_are_refused_whatever_they_say() {
        for topic in Topics::subscriptions().filter(|topic| *topic != Topic::HomeAssistantStatus) {
            for payload in [b"ON".as_slice(), b"PRESS", b"50", b""] {
                let result = read(&topics(), &topics().path(topic), payload, true);
                assert!(matches!(result, Err(Refusal::Retained(_))), "{topic:?}");
            }
        }
    }

    #[test]
    fn only_news_of_home_assistant_counts() {
        let path = topics().path(Topic::HomeAssistantStatus);
        assert_eq!(read(&topics(), &path, b"online", false), Ok(Inbound::HomeAssistantOnline));
        for (payload, retained) in
            [(b"online".as_slice(), true), (b"offline", false), (b"\xff", false), (b"", false)]
        {
            assert_eq!(read(&topics(), &path, payload, retained), Ok(Inbound::Nothing));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(which in 0usize..8, payload: Vec<u8>, retained: bool) {
            let topic = Topics::subscriptions().nth(which).unwrap_or(Topic::Ask);
            let result = read(&topics(), &topics().path(topic), &payload, retained);
            if retained && topic != Topic::HomeAssistantStatus {
                prop_assert!(result.is_err());
            }
        }

        #[test]
        fn garbage_moves_nothing_but_words(which in 0usize..4, payload in "\\PC{0,40}") {
            let topic = [Topic::MicMuteSet, Topic::VolumeSet, Topic::ListenNowSet, Topic::StopSet][which];
            if let Ok(Inbound::Event(event)) = fresh(topic, payload.as_bytes()) {
                let said = payload.trim();
                let meant = match event {
                    Event::Set { setting: Setting::MicMute(muted) } => {
                        said.eq_ignore_ascii_case(if muted { "ON" } else { "OFF" })
                    }
                    Event::Set { setting: Setting::VolumePercent(percent) } => {
                        said.parse::<f64>().is_ok_and(|number| (number - f64::from(percent)).abs() <= 0.5)
                    }
                    Event::ListenNow | Event::Stop => said == "PRESS",
                    _ => false,
                };
                prop_assert!(meant, "{:?}", payload);
            }
        }

        #[test]
        fn accepted_words_are_clean(payload in ".{0,200}") {
            if let Ok(Inbound::Event(Event::Typed { text, .. })) = fresh(Topic::Ask, payload.as_bytes()) {
                let is_clean = !text.is_empty() && !text.contains(char::is_control) && text.trim() == text;
                prop_assert!(is_clean, "{:?}", text);
            }
        }
    }
}

//! Turns public events and diagnostics into MQTT messages.

use super::delivery::Ticket;
use super::topics::{Topic, Topics, row};
use hark_core::intent::Route;
use hark_core::public_event::{Envelope, HarkState, Origin, PublicEvent};
use hark_core::setting::Setting;
use hark_core::speech::Transcript;
use hark_core::timer::TimerChange;
use serde_json::json;

/// Longest state Home Assistant takes, in characters.
pub const STATE_MAX_CHARS: usize = 255;

/// Largest payload that is sent; a larger one is dropped and counted. It stays below what the embedded
/// broker accepts, because a broker closes the connection over a message that is too large.
pub const PAYLOAD_MAX_BYTES: usize = 256 * 1024;

/// A message on its way to the broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Full topic.
    pub path: String,
    /// Bytes.
    pub payload: Vec<u8>,
    /// Sent until acknowledged.
    pub at_least_once: bool,
    /// The broker keeps it; only the latest matters.
    pub retain: bool,
    /// Its delivery is awaited: a ring, or a command to a device. See [`Message::is_ephemeral`].
    pub ticket: Option<Ticket>,
}

impl Message {
    /// A message on one of Hark's topics, with the QoS and retain flag of the table.
    pub fn new(topics: &Topics, topic: Topic, payload: impl Into<Vec<u8>>) -> Self {
        let row = row(topic);
        Self {
            path: topics.path(topic),
            payload: payload.into(),
            at_least_once: row.qos > 0,
            retain: row.retain,
            ticket: None,
        }
    }

    /// Whether it is worth something now only: a command to a device.
    pub fn is_ephemeral(&self) -> bool {
        self.ticket.as_ref().is_some_and(|ticket| !ticket.lasts())
    }

    /// A command to a device, on a topic of the device.
    pub fn to_device(path: String, payload: Vec<u8>, retain: bool) -> Self {
        Self { path, payload, at_least_once: true, retain, ticket: None }
    }
}

/// How Hark itself is, for the diagnostic entities. Not an event: it belongs to no turn and says nothing
/// about the home.
#[derive(Debug, Clone, PartialEq)]
pub enum Diagnostic {
    /// The microphone is away or brings no sound.
    MicrophoneProblem(bool),
    /// The speaker is away or takes no sound.
    SpeakerProblem(bool),
    /// The language model cannot be asked.
    LanguageModelProblem(bool),
    /// Overruns and underruns of both devices since the start.
    Xruns(u64),
    /// Seconds since the start.
    UptimeS(u64),
    /// Resident memory in bytes.
    MemoryBytes(u64),
    /// How warm the processor is, in degrees Celsius.
    CpuCelsius(f32),
    /// When the next timer is over, RFC 3339.
    NextTimer(Option<String>),
    /// When the next alarm rings, RFC 3339.
    NextAlarm(Option<String>),
    /// A timer runs or rings.
    TimersActive(bool),
    /// This version, and a newer one if one is known.
    Version {
        /// The one that runs.
        installed: String,
        /// A newer one.
        latest: Option<String>,
    },
}

/// The message that a diagnostic makes.
pub fn diagnostic(topics: &Topics, diagnostic: Diagnostic) -> Message {
    let switch = |on| if on { "ON" } else { "OFF" }.to_owned();
    let (topic, payload) = match diagnostic {
        Diagnostic::MicrophoneProblem(on) => (Topic::MicrophoneProblemState, switch(on)),
        Diagnostic::SpeakerProblem(on) => (Topic::SpeakerProblemState, switch(on)),
        Diagnostic::LanguageModelProblem(on) => (Topic::LanguageModelProblemState, switch(on)),
        Diagnostic::Xruns(count) => (Topic::XrunsState, count.to_string()),
        Diagnostic::UptimeS(seconds) => (Topic::UptimeState, seconds.to_string()),
        Diagnostic::MemoryBytes(bytes) => {
            (Topic::MemoryState, format!("{:.1}", bytes as f64 / f64::from(1 << 20)))
        }
        Diagnostic::CpuCelsius(degrees) => (Topic::CpuTemperatureState, format!("{degrees:.1}")),
        // Home Assistant's word for a state that is not known: nothing is set.
        Diagnostic::NextTimer(at) => (Topic::NextTimerState, at.unwrap_or_else(|| "None".into())),
        Diagnostic::NextAlarm(at) => (Topic::NextAlarmState, at.unwrap_or_else(|| "None".into())),
        Diagnostic::TimersActive(on) => (Topic::TimersActiveState, switch(on)),
        Diagnostic::Version { installed, latest } => {
            let mut version = json!({ "installed_version": installed });
            // Home Assistant takes no null here; without the key it says that it does not know.
            if let Some(latest) = latest {
                version["latest_version"] = json!(latest);
            }
            (Topic::UpdateState, version.to_string())
        }
    };
    Message::new(topics, topic, payload)
}

/// The messages an event makes.
pub fn messages(topics: &Topics, envelope: &Envelope) -> Vec<Message> {
    let json = match serde_json::to_vec(envelope) {
        Ok(json) => json,
        Err(error) => {
            tracing::error!(%error, "an event cannot be written as JSON and is not published");
            Vec::new()
        }
    };
    let message = |topic, payload: &str| Message::new(topics, topic, payload);
    let mut out = Vec::new();
    if !json.is_empty() {
        let event = Message::new(topics, Topic::Event, json.clone());
        out.push(Message { at_least_once: event.at_least_once || is_ring(&envelope.event), ..event });
    }
    match &envelope.event {
        PublicEvent::State { state } => out.push(message(Topic::State, state_name(*state))),
        PublicEvent::Setting { name, value } => {
            out.extend(Setting::read(name, value).map(|setting| setting_message(topics, &setting)));
        }
        PublicEvent::Transcript(transcript) => out.extend(transcript_messages(topics, envelope, transcript)),
        // The event with `ends` carries the whole reply.
        PublicEvent::Reply { text, language, ends: true } if !text.trim().is_empty() => {
            out.extend(reply_messages(topics, envelope, text, language));
        }
        PublicEvent::Intent { intent, .. } => {
            out.push(message(Topic::LastIntentState, &cut(&intent.name)));
            out.push(message(Topic::LastRouteState, route_name(intent.route)));
        }
        PublicEvent::Mode { to, .. } => out.push(message(Topic::ModeState, &to.to_string())),
        PublicEvent::Turn { timings_ms, .. } if !json.is_empty() => {
            out.push(Message::new(topics, Topic::Turn, json));
            if let Some(ms) = timings_ms.speech_end_to_first_audio.or(timings_ms.to_first_audio) {
                out.push(message(Topic::LatencyState, &format!("{ms:.0}")));
            }
        }
        _ => {}
    }
    if let Some(kind) = activity(&envelope.event) {
        let mut activity = json!({ "event_type": kind });
        if let PublicEvent::Timer { timer, ring_id: Some(ring_id), .. } = &envelope.event {
            activity["ring_id"] = json!(ring_id);
            activity["kind"] = json!(timer.kind);
            activity["name"] = json!(timer.name);
        }
        out.push(message(Topic::ActivityState, &activity.to_string()));
    }
    out
}

/// The state that tells of a setting.
fn setting_message(topics: &Topics, setting: &Setting) -> Message {
    let switch = |on: &bool| if *on { "ON" } else { "OFF" }.to_owned();
    let (topic, state) = match setting {
        Setting::MicMute(on) => (Topic::MicMuteState, switch(on)),
        Setting::SpeakerMute(on) => (Topic::SpeakerMuteState, switch(on)),
        Setting::DoNotDisturb(on) => (Topic::DoNotDisturbState, switch(on)),
        Setting::WakeSound(on) => (Topic::WakeSoundState, switch(on)),
        Setting::FollowUp(on) => (Topic::FollowUpState, switch(on)),
        Setting::VolumePercent(percent) => (Topic::VolumeState, percent.min(&100).to_string()),
        Setting::MicGainDb(decibels) => (Topic::MicGainState, decibels.to_string()),
        Setting::WakeSensitivityPercent(percent) => (Topic::WakeSensitivityState, percent.to_string()),
        Setting::SilenceMs(ms) => (Topic::SilenceState, ms.to_string()),
        Setting::WakeWord(word) => (Topic::WakeWordState, word.clone()),
        Setting::Voice(voice) => (Topic::VoiceState, voice.clone()),
        Setting::Language(language) => (Topic::LanguageState, language.clone()),
        Setting::Endpointing(mode) => (Topic::EndpointingState, mode.clone()),
    };
    Message::new(topics, topic, state)
}

/// Whether an event tells that something began to ring: that must arrive.
pub fn is_ring(event: &PublicEvent) -> bool {
    matches!(event, PublicEvent::Timer { change: TimerChange::Finished, .. })
}

/// Every kind of activity that is told to automations.
pub const ACTIVITIES: [&str; 6] = ["wake", "wake_rejected", "command", "timer_finished", "barge_in", "error"];

/// Which of [`ACTIVITIES`] an event is.
fn activity(event: &PublicEvent) -> Option<&'static str> {
    Some(match event {
        PublicEvent::Wake { .. } => "wake",
        PublicEvent::WakeRejected { .. } => "wake_rejected",
        PublicEvent::Action { .. } => "command",
        PublicEvent::Timer { change: TimerChange::Finished, .. } => "timer_finished",
        PublicEvent::BargeIn { .. } => "barge_in",
        PublicEvent::Error(_) => "error",
        _ => return None,
    })
}

/// Every route.
pub const ROUTES: [Route; 6] =
    [Route::Instinct, Route::Direct, Route::Context, Route::Template, Route::Intent, Route::Llm];

/// Name of a route as it is on the wire.
pub fn route_name(route: Route) -> &'static str {
    match route {
        Route::Instinct => "instinct",
        Route::Direct => "direct",
        Route::Context => "context",
        Route::Template => "template",
        Route::Intent => "intent",
        Route::Llm => "llm",
    }
}

fn transcript_messages(topics: &Topics, envelope: &Envelope, transcript: &Transcript) -> Vec<Message> {
    // Words the recogniser does not stand by are no transcript; they are in the event for the trace.
    if transcript.rejected.is_some() || transcript.text.trim().is_empty() {
        return Vec::new();
    }
    let attributes = json!({
        "text": transcript.text,
        "engine": transcript.engine,
        "confidence": transcript.confidence,
        "language": transcript.language,
        "turn": envelope.turn,
        "at": envelope.at,
    });
    vec![
        Message::new(topics, Topic::LastTranscriptState, cut(&transcript.text)),
        Message::new(topics, Topic::LastTranscriptAttributes, attributes.to_string()),
    ]
}

fn reply_messages(topics: &Topics, envelope: &Envelope, text: &str, language: &str) -> Vec<Message> {
    let attributes = json!({
        "text": text,
        "language": language,
        "turn": envelope.turn,
        "at": envelope.at,
    });
    let mut out = vec![
        Message::new(topics, Topic::LastResponseState, cut(text)),
        Message::new(topics, Topic::LastResponseAttributes, attributes.to_string()),
    ];
    if matches!(envelope.origin, Some(Origin::Mqtt | Origin::MqttSession(_))) {
        out.push(Message::new(topics, Topic::Answer, text));
    }
    out
}

/// Name of a state as it is on the wire.
pub fn state_name(state: HarkState) -> &'static str {
    match state {
        HarkState::Idle => "idle",
        HarkState::Listening => "listening",
        HarkState::Processing => "processing",
        HarkState::Responding => "responding",
        HarkState::Muted => "muted",
        HarkState::Error => "error",
    }
}

/// At most 255 characters; a cut text ends in an ellipsis.
fn cut(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(STATE_MAX_CHARS) {
        None => text.to_owned(),
        Some(_) => text.chars().take(STATE_MAX_CHARS - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::clock::Stamp;
    use hark_core::ids::TurnId;
    use hark_core::public_event::{Outcome, Timings};
    use proptest::prelude::*;
    use serde_json::Value;

    fn envelope(event: PublicEvent) -> Envelope {
        Envelope::new(event, Some(TurnId::from("t1")), Stamp::live(1_500), "2026-11-21T12:00:00Z".into())
    }

    fn sent(envelope: &Envelope) -> Vec<(String, String)> {
        let topics = Topics::new("hark", "homeassistant").unwrap();
        messages(&topics, envelope)
            .into_iter()
            .filter(|message| message.path != "hark/hark/event")
            .map(|message| (message.path, String::from_utf8(message.payload).unwrap()))
            .collect()
    }

    fn reply(text: &str, ends: bool) -> PublicEvent {
        PublicEvent::Reply { text: text.into(), language: "en".into(), ends }
    }

    #[test]
    fn every_event_is_published_as_it_is_and_not_kept() {
        let topics = Topics::new("hark", "homeassistant").unwrap();
        let out = messages(&topics, &envelope(PublicEvent::SpeechStarted));
        let [message] = out.as_slice() else { panic!("{out:?}") };
        assert_eq!(message.path, "hark/hark/event");
        assert!(!message.retain && !message.at_least_once);
        let json: Value = serde_json::from_slice(&message.payload).unwrap();
        assert_eq!(json["event"], "speech_started");
        assert_eq!(json["turn"], "t1");
    }

    #[test]
    fn states_and_settings_become_plain_text() {
        let state = |state| sent(&envelope(PublicEvent::State { state }));
        assert_eq!(state(HarkState::Listening), [("hark/hark/state".into(), "listening".into())]);
        let setting = |name: &str, value| sent(&envelope(PublicEvent::Setting { name: name.into(), value }));
        assert_eq!(setting("mic_mute", json!(true)), [("hark/hark/mic_mute/state".into(), "ON".into())]);
        assert_eq!(setting("mic_mute", json!(false)), [("hark/hark/mic_mute/state".into(), "OFF".into())]);
        assert_eq!(setting("volume_percent", json!(35)), [("hark/hark/volume/state".into(), "35".into())]);
        assert!(setting("volume_percent", json!("loud")).is_empty());
        assert!(setting("other", json!(1)).is_empty());
        assert_eq!(setting("mic_gain_db", json!(-3)), [("hark/hark/mic_gain/state".into(), "-3".into())]);
        let silence = setting("silence_ms", json!(700));
        assert_eq!(silence, [("hark/hark/finished_speaking_silence/state".into(), "700".into())]);
        let word = setting("wake_word", json!("okay_nabu"));
        assert_eq!(word, [("hark/hark/wake_word/state".into(), "okay_nabu".into())]);
    }

    #[test]
    fn nothing_due_and_no_newer_version_are_said_as_home_assistant_takes_them() {
        let topics = Topics::new("hark", "homeassistant").unwrap();
        let said = |told| String::from_utf8(diagnostic(&topics, told).payload).unwrap();
        assert_eq!(said(Diagnostic::NextAlarm(None)), "None");
        assert_eq!(said(Diagnostic::NextTimer(Some("2026-11-22T12:00:00Z".into()))), "2026-11-22T12:00:00Z");
        let version = |latest: Option<&str>| {
            said(Diagnostic::Version { installed: "1.0.0".into(), latest: latest.map(str::to_owned) })
        };
        assert_eq!(version(None), r#"{"installed_version":"1.0.0"}"#, "a null would not be taken");
        assert_eq!(version(Some("1.1.0")), r#"{"installed_version":"1.0.0","latest_version":"1.1.0"}"#);
        assert_eq!(said(Diagnostic::CpuCelsius(48.26)), "48.3");
    }

    #[test]
    fn what_was_understood_how_fast_and_what_happens_is_told() {
        let intent = hark_core::Intent {
            name: "HassTurnOn".into(),
            slots: Default::default(),
            confidence: 1.0,
            route: Route::Template,
            why: String::new(),
            response: None,
            single: false,
        };
        let out = sent(&envelope(PublicEvent::Intent { intent, kind: None }));
        assert_eq!(out[0], ("hark/hark/last_intent/state".into(), "HassTurnOn".into()));
        assert_eq!(out[1], ("hark/hark/last_route/state".into(), "template".into()));
        for route in ROUTES {
            assert_eq!(serde_json::to_value(route).unwrap(), route_name(route));
        }
        let timings_ms = Timings { speech_end_to_first_audio: Some(199.6), ..Timings::default() };
        let turn = PublicEvent::Turn { timings_ms, route: None, attempts: 0, outcome: Outcome::Done };
        assert!(sent(&envelope(turn)).contains(&("hark/hark/latency/state".into(), "200".into())));
        let topics = Topics::new("hark", "homeassistant").unwrap();
        let wake = PublicEvent::Wake { word: "hey_jarvis".into(), score: 0.9 };
        let out = messages(&topics, &envelope(wake));
        assert_eq!((out[1].path.as_str(), out[1].retain), ("hark/hark/activity/state", false));
        assert_eq!(out[1].payload, br#"{"event_type":"wake"}"#);
    }

    #[test]
    fn diagnostics_are_kept_by_the_broker() {
        let topics = Topics::new("hark", "homeassistant").unwrap();
        let sent = |what| {
            let message = diagnostic(&topics, what);
            assert!(message.retain && message.at_least_once);
            (message.path, String::from_utf8(message.payload).unwrap())
        };
        let expect = |what, path: &str, payload: &str| {
            assert_eq!(sent(what), (format!("hark/hark/{path}/state"), payload.to_owned()));
        };
        expect(Diagnostic::MicrophoneProblem(true), "microphone_problem", "ON");
        expect(Diagnostic::SpeakerProblem(false), "speaker_problem", "OFF");
        expect(Diagnostic::LanguageModelProblem(true), "language_model_problem", "ON");
        expect(Diagnostic::Xruns(3), "xruns", "3");
        expect(Diagnostic::UptimeS(61), "uptime", "61");
        expect(Diagnostic::MemoryBytes(100 * 1024 * 1024 + 512 * 1024), "memory", "100.5");
    }

    #[test]
    fn state_names_are_those_of_the_events() {
        for state in super::super::discovery::STATES {
            assert_eq!(serde_json::to_value(state).unwrap(), state_name(state));
        }
    }

    #[test]
    fn answers_go_to_those_who_asked_by_mqtt_only() {
        let mut asked = envelope(reply("It is noon.", true));
        assert!(!sent(&asked).iter().any(|(path, _)| path.ends_with("/answer")));
        asked.origin = Some(Origin::Voice);
        assert!(!sent(&asked).iter().any(|(path, _)| path.ends_with("/answer")));
        asked.origin = Some(Origin::Mqtt);
        assert!(sent(&asked).contains(&("hark/hark/answer".into(), "It is noon.".into())));
        asked.event = reply("It is", false);
        assert!(sent(&asked).is_empty());
    }

    #[test]
    fn a_long_reply_is_cut_for_the_state_and_whole_in_the_attributes() {
        let long = "ä".repeat(300);
        let out = sent(&envelope(reply(&long, true)));
        assert_eq!(out[0].0, "hark/hark/last_response/state");
        assert_eq!(out[0].1.chars().count(), 255);
        assert!(out[0].1.ends_with('…'));
        assert_eq!(out[1].0, "hark/hark/last_response/attributes");
        let attributes: Value = serde_json::from_str(&out[1].1).unwrap();
        assert_eq!(attributes["text"], long.as_str());
        assert_eq!(attributes["turn"], "t1");
    }

    #[test]
    fn words_the_recogniser_rejects_are_not_the_last_transcript() {
        let mut transcript = Transcript {
            text: "turn on the light".into(),
            engine: "grammar".into(),
            confidence: 0.9,
            language: "en".into(),
            rejected: None,
            why: None,
            speaker: None,
        };
        let out = sent(&envelope(PublicEvent::Transcript(transcript.clone())));
        assert_eq!(out[0], ("hark/hark/last_transcript/state".into(), "turn on the light".into()));
        assert_eq!(serde_json::from_str::<Value>(&out[1].1).unwrap()["engine"], "grammar");
        transcript.rejected = Some("no template".into());
        assert!(sent(&envelope(PublicEvent::Transcript(transcript))).is_empty());
    }

    #[test]
    fn the_closing_record_goes_out_at_least_once() {
        let topics = Topics::new("hark", "homeassistant").unwrap();
        let turn = PublicEvent::Turn {
            timings_ms: Timings::default(),
            route: None,
            attempts: 1,
            outcome: Outcome::Done,
        };
        let out = messages(&topics, &envelope(turn));
        assert_eq!(out[1].path, "hark/hark/turn");
        assert!(out[1].at_least_once && !out[1].retain);
        assert_eq!(out[0].payload, out[1].payload);
    }

    proptest! {
        #[test]
        fn a_cut_state_always_fits(text in ".{0,400}") {
            let state = cut(&text);
            prop_assert!(state.chars().count() <= STATE_MAX_CHARS);
            if text.trim().chars().count() <= STATE_MAX_CHARS {
                prop_assert_eq!(state, text.trim());
            }
        }
    }
}

//! The table of every MQTT topic Hark uses: path, direction, QoS, retain flag. Code that publishes or subscribes looks it up
//! here, and `contracts/mqtt.json` is printed from it.

use super::error::Error;
use hark_mqtt_devices::OwnTopics;
use serde::Serialize;

/// Name of one topic in the code. The table below says everything else about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Topic {
    /// Whether this node is there.
    Availability,
    /// What this node is, for the others.
    Node,
    /// Which node answers: what the others say.
    Claim,
    /// Which node answers: what this one says.
    OwnClaim,
    /// What other nodes want said.
    Announce,
    /// What this node wants said on others.
    OwnAnnounce,
    /// Which nodes have taken on an announcement.
    Confirmed,
    /// This node has taken on an announcement.
    OwnConfirmed,
    /// Whether announcements are shown and not spoken.
    DoNotDisturbState,
    /// Switches do-not-disturb on and off.
    DoNotDisturbSet,
    /// What Hark is doing.
    State,
    /// Every public event.
    Event,
    /// The closing record of a turn.
    Turn,
    /// A request in words.
    Ask,
    /// What Hark answers to `Ask`.
    Answer,
    /// A turn was taken wrongly.
    Teach,
    /// Words to be spoken as they are.
    Say,
    /// What was last heard, cut to what Home Assistant takes.
    LastTranscriptState,
    /// What was last heard, in full.
    LastTranscriptAttributes,
    /// What was last answered, cut to what Home Assistant takes.
    LastResponseState,
    /// What was last answered, in full.
    LastResponseAttributes,
    /// What the last request was taken for.
    LastIntentState,
    /// Which layer found that out.
    LastRouteState,
    /// What Hark is about.
    ModeState,
    /// How long the last answer took.
    LatencyState,
    /// What happens, for automations.
    ActivityState,
    /// Whether the microphone is off.
    MicMuteState,
    /// Switches the microphone off and on.
    MicMuteSet,
    /// How loud Hark is.
    VolumeState,
    /// Sets how loud Hark is.
    VolumeSet,
    /// Whether the microphone is away or brings nothing.
    MicrophoneProblemState,
    /// Whether the speaker is away or takes nothing.
    SpeakerProblemState,
    /// Overruns and underruns of both devices.
    XrunsState,
    /// How long Hark has been running.
    UptimeState,
    /// How much memory Hark has.
    MemoryState,
    /// Makes Hark listen without a wake word.
    ListenNowSet,
    /// Makes Hark be quiet.
    StopSet,
    /// Whether the speaker is off.
    SpeakerMuteState,
    /// Switches the speaker off and on.
    SpeakerMuteSet,
    /// Whether a short sound says that Hark listens.
    WakeSoundState,
    /// Switches the wake sound on and off.
    WakeSoundSet,
    /// Whether Hark listens without a wake word after a reply.
    FollowUpState,
    /// Switches that on and off.
    FollowUpSet,
    /// What is added to the microphone's level.
    MicGainState,
    /// Sets what is added to the microphone's level.
    MicGainSet,
    /// How easily the wake word is believed.
    WakeSensitivityState,
    /// Sets how easily the wake word is believed.
    WakeSensitivitySet,
    /// Silence that ends a request.
    SilenceState,
    /// Sets the silence that ends a request.
    SilenceSet,
    /// Which word wakes.
    WakeWordState,
    /// Chooses the wake word.
    WakeWordSet,
    /// Which voice speaks.
    VoiceState,
    /// Chooses the voice.
    VoiceSet,
    /// In which language Hark is spoken to.
    LanguageState,
    /// Chooses the language.
    LanguageSet,
    /// What ends a request.
    EndpointingState,
    /// Chooses what ends a request.
    EndpointingSet,
    /// When the next timer is over.
    NextTimerState,
    /// When the next alarm rings.
    NextAlarmState,
    /// Whether a timer runs or rings.
    TimersActiveState,
    /// Takes all timers away.
    CancelTimersSet,
    /// Starts Hark anew.
    RestartSet,
    /// Which version this is, and which newer one is known.
    UpdateState,
    /// Starts the newer version.
    UpdateSet,
    /// Whether the broker keeps something from Hark.
    BrokerProblemState,
    /// Whether the language model does not answer.
    LanguageModelProblemState,
    /// How warm the processor is.
    CpuTemperatureState,
    /// Home Assistant's description of this node.
    Discovery,
    /// Home Assistant coming and going.
    HomeAssistantStatus,
}

/// Which way a topic goes, seen from Hark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Hark publishes.
    Out,
    /// Hark subscribes.
    In,
}

/// One line of the table.
#[derive(Debug)]
pub struct Row {
    /// Its name in the code.
    pub topic: Topic,
    /// Where it lies; `{base}` is `hark/<node>`, `{prefix}` Home Assistant's prefix, `{node}` the node.
    pub path: &'static str,
    /// Which way it goes.
    pub direction: Direction,
    /// 0: may be lost; 1: arrives at least once.
    pub qos: u8,
    /// The broker keeps the last message for those who come later.
    pub retain: bool,
    /// What a message holds.
    pub payload: &'static str,
}

const fn out(topic: Topic, path: &'static str, qos: u8, retain: bool, payload: &'static str) -> Row {
    Row { topic, path, direction: Direction::Out, qos, retain, payload }
}

const fn command(topic: Topic, path: &'static str, payload: &'static str) -> Row {
    Row { topic, path, direction: Direction::In, qos: 1, retain: false, payload }
}

/// The table.
pub static TABLE: [Row; 69] = [
    out(
        Topic::Availability,
        "{base}/availability",
        1,
        true,
        "`online` or `offline`; the last will is `offline`",
    ),
    out(
        Topic::Node,
        "{base}/node",
        1,
        true,
        "JSON {node, area, version}: what this node is, for the others of the house",
    ),
    Row {
        topic: Topic::Claim,
        path: "hark/claim",
        direction: Direction::In,
        qos: 0,
        retain: false,
        payload: "JSON {kind: `claim` or `won`, node, id, score, level_db}: a node heard a wake word; see `[satellite]`",
    },
    Row {
        topic: Topic::Announce,
        path: "hark/announce",
        direction: Direction::In,
        qos: 0,
        retain: false,
        payload: "JSON {id, from, text, area: optional}: words for all nodes, or those of an area",
    },
    out(Topic::OwnAnnounce, "hark/announce", 0, false, "the same, of this node"),
    Row {
        topic: Topic::Confirmed,
        path: "hark/announced",
        direction: Direction::In,
        qos: 0,
        retain: false,
        payload: "JSON {id, node, spoken}: a node has taken on the announcement; `spoken` is false where it only shows it",
    },
    out(Topic::OwnConfirmed, "hark/announced", 0, false, "the same, of this node"),
    out(
        Topic::DoNotDisturbState,
        "{base}/do_not_disturb/state",
        1,
        true,
        "`ON` (announcements are shown, not spoken) or `OFF`",
    ),
    command(Topic::DoNotDisturbSet, "{base}/do_not_disturb/set", "`ON` or `OFF`"),
    out(Topic::OwnClaim, "hark/claim", 0, false, "the same, of this node"),
    out(
        Topic::State,
        "{base}/state",
        1,
        true,
        "`idle`, `listening`, `processing`, `responding`, `muted` or `error`",
    ),
    out(
        Topic::Event,
        "{base}/event",
        0,
        false,
        "JSON, one public event as in contracts/events.json; that a timer finished is sent with QoS 1, and a second message with the same `ring_id` tells of the same ring",
    ),
    out(Topic::Turn, "{base}/turn", 1, false, "JSON, the public event `turn` that closes a turn"),
    command(
        Topic::Ask,
        "{base}/ask",
        "a request: plain text, or JSON {\"text\": \"…\", \"session\": optional name of the conversation, \"id\": optional; of several messages with one id the first counts}; at most 4096 bytes",
    ),
    out(Topic::Answer, "{base}/answer", 1, false, "plain text, the reply to a request that came on `ask`"),
    command(
        Topic::Teach,
        "{base}/teach",
        "a turn that was taken wrongly: JSON {\"turn\": id or \"last\", \"meant\": an intent, \"none\" or other words, \"domain\": optional, \"id\": optional}; answered by the event `lesson` or `error`",
    ),
    command(
        Topic::Say,
        "{base}/say",
        "words to speak: plain text, or JSON {\"text\": \"…\", \"id\": optional}; at most 4096 bytes",
    ),
    out(
        Topic::LastTranscriptState,
        "{base}/last_transcript/state",
        1,
        true,
        "plain text, at most 255 characters; a longer one ends in `…`",
    ),
    out(
        Topic::LastTranscriptAttributes,
        "{base}/last_transcript/attributes",
        1,
        true,
        "JSON {text, engine, confidence, language, turn, at}; `text` is never cut",
    ),
    out(
        Topic::LastResponseState,
        "{base}/last_response/state",
        1,
        true,
        "plain text, at most 255 characters; a longer one ends in `…`",
    ),
    out(
        Topic::LastResponseAttributes,
        "{base}/last_response/attributes",
        1,
        true,
        "JSON {text, language, turn, at}; `text` is never cut",
    ),
    out(Topic::LastIntentState, "{base}/last_intent/state", 1, true, "name of an intent"),
    out(
        Topic::LastRouteState,
        "{base}/last_route/state",
        1,
        true,
        "`instinct`, `direct`, `context`, `template`, `intent` or `llm`",
    ),
    out(
        Topic::ModeState,
        "{base}/mode/state",
        1,
        true,
        "`ALERT`, `WORKING`, `WAITING`, `GUARDING` or `RESTING`",
    ),
    out(
        Topic::LatencyState,
        "{base}/latency/state",
        1,
        true,
        "whole milliseconds from the end of speech, or the typed request, to the first sound of the answer",
    ),
    out(
        Topic::ActivityState,
        "{base}/activity/state",
        1,
        false,
        "JSON {event_type}: `wake`, `wake_rejected`, `command`, `timer_finished` (with `ring_id`, `kind` and `name`), `barge_in` or `error`",
    ),
    out(Topic::MicMuteState, "{base}/mic_mute/state", 1, true, "`ON` (the microphone is off) or `OFF`"),
    command(Topic::MicMuteSet, "{base}/mic_mute/set", "`ON` or `OFF`"),
    out(Topic::VolumeState, "{base}/volume/state", 1, true, "a whole number, 0–100"),
    command(Topic::VolumeSet, "{base}/volume/set", "a number, 0–100"),
    out(
        Topic::MicrophoneProblemState,
        "{base}/microphone_problem/state",
        1,
        true,
        "`ON` (it is away or brings no sound) or `OFF`",
    ),
    out(
        Topic::SpeakerProblemState,
        "{base}/speaker_problem/state",
        1,
        true,
        "`ON` (it is away or takes no sound) or `OFF`",
    ),
    out(
        Topic::XrunsState,
        "{base}/xruns/state",
        1,
        true,
        "a whole number: overruns and underruns since the start",
    ),
    out(Topic::UptimeState, "{base}/uptime/state", 1, true, "whole seconds since the start"),
    out(Topic::MemoryState, "{base}/memory/state", 1, true, "resident memory in MiB, one decimal"),
    command(Topic::ListenNowSet, "{base}/listen_now/set", "`PRESS`"),
    command(Topic::StopSet, "{base}/stop/set", "`PRESS`"),
    out(Topic::SpeakerMuteState, "{base}/speaker_mute/state", 1, true, "`ON` (nothing sounds) or `OFF`"),
    command(Topic::SpeakerMuteSet, "{base}/speaker_mute/set", "`ON` or `OFF`"),
    out(Topic::WakeSoundState, "{base}/wake_sound/state", 1, true, "`ON` or `OFF`"),
    command(Topic::WakeSoundSet, "{base}/wake_sound/set", "`ON` or `OFF`"),
    out(
        Topic::FollowUpState,
        "{base}/follow_up/state",
        1,
        true,
        "`ON` (after some replies Hark listens without a wake word) or `OFF`",
    ),
    command(Topic::FollowUpSet, "{base}/follow_up/set", "`ON` or `OFF`"),
    out(Topic::MicGainState, "{base}/mic_gain/state", 1, true, "whole decibels"),
    command(
        Topic::MicGainSet,
        "{base}/mic_gain/set",
        "whole decibels, in the range of `audio.input_gain_db`",
    ),
    out(
        Topic::WakeSensitivityState,
        "{base}/wake_sensitivity/state",
        1,
        true,
        "a whole number: 100 less a hundred times `wake.threshold`",
    ),
    command(
        Topic::WakeSensitivitySet,
        "{base}/wake_sensitivity/set",
        "a whole number: 100 less a hundred times the threshold, in the range of `wake.threshold`",
    ),
    out(Topic::SilenceState, "{base}/finished_speaking_silence/state", 1, true, "whole milliseconds"),
    command(
        Topic::SilenceSet,
        "{base}/finished_speaking_silence/set",
        "whole milliseconds, in the range of `endpoint.silence_ms`",
    ),
    out(
        Topic::WakeWordState,
        "{base}/wake_word/state",
        1,
        true,
        "name of a wake model; several with `, ` between them",
    ),
    command(Topic::WakeWordSet, "{base}/wake_word/set", "one of the options in the discovery message"),
    out(Topic::VoiceState, "{base}/voice/state", 1, true, "`espeak`, or the name of another voice"),
    command(Topic::VoiceSet, "{base}/voice/set", "one of the options in the discovery message"),
    out(Topic::LanguageState, "{base}/language/state", 1, true, "ISO 639-1 code"),
    command(
        Topic::LanguageSet,
        "{base}/language/set",
        "one of the options in the discovery message; Hark starts anew with it",
    ),
    out(
        Topic::EndpointingState,
        "{base}/endpointing/state",
        1,
        true,
        "`words` (what was said decides how long is waited) or `silence`",
    ),
    command(Topic::EndpointingSet, "{base}/endpointing/set", "`words` or `silence`"),
    out(Topic::NextTimerState, "{base}/next_timer/state", 1, true, "RFC 3339 time, or `None`"),
    out(Topic::NextAlarmState, "{base}/next_alarm/state", 1, true, "RFC 3339 time, or `None`"),
    out(Topic::TimersActiveState, "{base}/timers_active/state", 1, true, "`ON` (one runs or rings) or `OFF`"),
    command(Topic::CancelTimersSet, "{base}/cancel_timers/set", "`PRESS`; alarms and reminders stay"),
    command(Topic::RestartSet, "{base}/restart/set", "`PRESS`"),
    out(
        Topic::UpdateState,
        "{base}/update/state",
        1,
        true,
        "JSON {installed_version, latest_version}; the latter is there only when a newer program lies in this one's place",
    ),
    command(Topic::UpdateSet, "{base}/update/set", "`INSTALL` starts the newer program, where there is one"),
    out(
        Topic::BrokerProblemState,
        "{base}/broker_problem/state",
        1,
        true,
        "`ON` (it refuses Hark a topic) or `OFF`",
    ),
    out(
        Topic::LanguageModelProblemState,
        "{base}/language_model_problem/state",
        1,
        true,
        "`ON` (it does not answer) or `OFF`; nothing where there is no language model",
    ),
    out(Topic::CpuTemperatureState, "{base}/cpu_temperature/state", 1, true, "degrees Celsius, one decimal"),
    out(
        Topic::Discovery,
        "{prefix}/device/hark_{node}/config",
        1,
        true,
        "JSON, Home Assistant's device discovery; empty when `mqtt.discovery` is off",
    ),
    command(
        Topic::HomeAssistantStatus,
        "{prefix}/status",
        "`online` makes Hark publish discovery and states again",
    ),
];

/// The row of a topic.
pub fn row(topic: Topic) -> &'static Row {
    // The test `every_topic_has_its_row` proves that the search finds one; the first row stands in so
    // that there is no way to panic.
    TABLE.iter().find(|row| row.topic == topic).unwrap_or(&TABLE[0])
}

/// The topics of one node, checked once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topics {
    node: String,
    prefix: String,
}

impl Topics {
    /// Longest node name.
    pub const NODE_MAX_CHARS: usize = 32;

    /// Topics of `node` with Home Assistant's discovery `prefix`.
    ///
    /// # Errors
    /// When either cannot be a part of a topic.
    pub fn new(node: &str, prefix: &str) -> Result<Self, Error> {
        let node_fits = (1..=Self::NODE_MAX_CHARS).contains(&node.len())
            && node.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'));
        if !node_fits {
            return Err(Error::BadNode(node.to_owned()));
        }
        let prefix_fits = !prefix.is_empty()
            && prefix.len() <= 128
            && !prefix.starts_with(['/', '$'])
            && !prefix.ends_with('/')
            && !prefix.contains(|c: char| c == '+' || c == '#' || c.is_control());
        if !prefix_fits {
            return Err(Error::BadPrefix(prefix.to_owned()));
        }
        Ok(Self { node: node.to_owned(), prefix: prefix.to_owned() })
    }

    /// Name of the node.
    pub fn node(&self) -> &str {
        &self.node
    }

    /// The full topic.
    pub fn path(&self, topic: Topic) -> String {
        let base = format!("hark/{}", self.node);
        row(topic)
            .path
            .replace("{base}", &base)
            .replace("{prefix}", &self.prefix)
            .replace("{node}", &self.node)
    }

    /// What devices on the same broker have to know of them.
    pub fn own(&self) -> OwnTopics {
        OwnTopics {
            discovery: self.path(Topic::Discovery),
            commands: Self::subscriptions().map(|topic| self.path(topic)).collect(),
            status: self.path(Topic::HomeAssistantStatus),
        }
    }

    /// Which of the topics Hark subscribes to this is; `None` for any other.
    pub fn incoming(&self, path: &str) -> Option<Topic> {
        Self::subscriptions().find(|topic| self.path(*topic) == path)
    }

    /// The topics Hark subscribes to: exact ones only, never a wildcard.
    pub fn subscriptions() -> impl Iterator<Item = Topic> {
        TABLE.iter().filter(|row| row.direction == Direction::In).map(|row| row.topic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_topic_has_its_row() {
        for (index, entry) in TABLE.iter().enumerate() {
            assert_eq!(TABLE.iter().position(|other| other.topic == entry.topic), Some(index));
            assert_eq!(row(entry.topic).path, entry.path);
        }
        // The enum ends here; a topic added after it without a row fails this.
        assert_eq!(Topic::HomeAssistantStatus as usize + 1, TABLE.len());
    }

    #[test]
    fn paths_are_those_scripts_are_written_against() {
        let topics = Topics::new("kitchen-2", "homeassistant").unwrap();
        assert_eq!(topics.path(Topic::Availability), "hark/kitchen-2/availability");
        assert_eq!(topics.path(Topic::MicMuteSet), "hark/kitchen-2/mic_mute/set");
        assert_eq!(topics.path(Topic::Discovery), "homeassistant/device/hark_kitchen-2/config");
        assert_eq!(topics.path(Topic::HomeAssistantStatus), "homeassistant/status");
    }

    #[test]
    fn names_that_would_break_out_of_the_topic_are_refused() {
        for node in ["", "a/b", "Küche", "UPPER", "a b", "+", "#", "x".repeat(33).as_str()] {
            assert!(matches!(Topics::new(node, "homeassistant"), Err(Error::BadNode(_))), "{node}");
        }
        for prefix in ["", "a/#", "+", "/a", "a/", "$SYS", "a\u{0}b"] {
            assert!(matches!(Topics::new("hark", prefix), Err(Error::BadPrefix(_))), "{prefix}");
        }
        assert!(Topics::new("hark", "home/assistant").is_ok());
    }

    proptest! {
        #[test]
        fn only_own_exact_topics_come_in(path in ".{0,60}") {
            let topics = Topics::new("hark", "homeassistant").unwrap();
            let known = Topics::subscriptions().any(|topic| topics.path(topic) == path);
            prop_assert_eq!(topics.incoming(&path).is_some(), known);
        }

        #[test]
        fn any_accepted_name_gives_topics_without_wildcards(node in ".{0,40}", prefix in ".{0,40}") {
            if let Ok(topics) = Topics::new(&node, &prefix) {
                for entry in &TABLE {
                    let path = topics.path(entry.topic);
                    let has_wildcard = path.contains(['+', '#', '\0']);
                    prop_assert!(!has_wildcard, "{}", path);
                }
            }
        }
    }
}

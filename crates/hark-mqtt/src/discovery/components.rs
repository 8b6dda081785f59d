//! The entities of this node in Home Assistant, one discovery component each.

use super::super::outbound::{ACTIVITIES, ROUTES, route_name, state_name};
use super::super::topics::{Topic, Topics};
use super::{Equipment, STATES, is_kept};
use hark_config::endpoint::EndpointMode;
use hark_config::setting_ranges;
use hark_core::Mode;
use serde_json::{Map, Value};

/// One entity.
pub(super) struct Component {
    pub(super) platform: &'static str,
    /// Its name in ids.
    pub(super) key: &'static str,
    /// Its name for people.
    pub(super) name: &'static str,
    pub(super) icon: &'static str,
    /// Keys of its platform.
    pub(super) own: Map<String, Value>,
    /// Topics that hold its states.
    pub(super) states: Vec<Topic>,
    pub(super) is_here: bool,
}

/// What people set, and what they only want to look at when something is wrong.
const CONFIG: (&str, &str) = ("entity_category", "config");
const DIAGNOSTIC: (&str, &str) = ("entity_category", "diagnostic");

/// Makes the components of one node.
struct ComponentBuilder<'a> {
    topics: &'a Topics,
    components: Vec<Component>,
}

impl ComponentBuilder<'_> {
    fn add(
        &mut self,
        platform: &'static str,
        key: &'static str,
        name: &'static str,
        icon: &'static str,
    ) -> &mut Self {
        let (own, states) = (Map::new(), Vec::new());
        self.components.push(Component { platform, key, name, icon, own, states, is_here: true });
        self
    }

    fn last(&mut self, change: impl FnOnce(&mut Component)) -> &mut Self {
        if let Some(component) = self.components.last_mut() {
            change(component);
        }
        self
    }

    fn set(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        let value = value.into();
        self.last(|component| drop(component.own.insert(key.to_owned(), value)))
    }

    fn is(&mut self, (key, value): (&str, &str)) -> &mut Self {
        self.set(key, value)
    }

    /// Where its state lies.
    fn state(&mut self, topic: Topic) -> &mut Self {
        self.told("state_topic", topic)
    }

    fn told(&mut self, key: &str, topic: Topic) -> &mut Self {
        let path = self.topics.path(topic);
        self.last(|component| component.states.extend(Some(topic).filter(|topic| is_kept(*topic))))
            .set(key, path)
    }

    /// Where its commands go.
    fn command(&mut self, topic: Topic) -> &mut Self {
        let path = self.topics.path(topic);
        self.set("command_topic", path)
    }

    fn on_off(&mut self) -> &mut Self {
        self.set("payload_on", "ON").set("payload_off", "OFF")
    }

    fn range(&mut self, (least, most): (i64, i64), step: i64, mode: &str) -> &mut Self {
        self.set("min", least).set("max", most).set("step", step).set("mode", mode)
    }

    fn button(
        &mut self,
        key: &'static str,
        name: &'static str,
        icon: &'static str,
        topic: Topic,
    ) -> &mut Self {
        self.add("button", key, name, icon).command(topic).set("payload_press", "PRESS")
    }

    fn switch(
        &mut self,
        key: &'static str,
        name: &'static str,
        icon: &'static str,
        (state, command): (Topic, Topic),
    ) -> &mut Self {
        self.add("switch", key, name, icon).state(state).command(command).on_off()
    }

    fn select(
        &mut self,
        key: &'static str,
        name: &'static str,
        icon: &'static str,
        (state, command): (Topic, Topic),
        options: &[String],
    ) -> &mut Self {
        self.add("select", key, name, icon).state(state).command(command).set("options", options).is(CONFIG);
        self.only_if(!options.is_empty())
    }

    fn problem(
        &mut self,
        key: &'static str,
        name: &'static str,
        icon: &'static str,
        topic: Topic,
    ) -> &mut Self {
        self.add("binary_sensor", key, name, icon)
            .state(topic)
            .on_off()
            .set("device_class", "problem")
            .is(DIAGNOSTIC)
    }

    fn only_if(&mut self, is_here: bool) -> &mut Self {
        self.last(|component| component.is_here &= is_here)
    }
}

/// All there can be; what the node does not have is marked.
pub(super) fn components(topics: &Topics, has: &Equipment) -> Vec<Component> {
    let mut make = ComponentBuilder { topics, components: Vec::new() };
    everyday(&mut make, has);
    words(&mut make, has);
    settings(&mut make, has);
    timers(&mut make);
    itself(&mut make, has);
    make.components
}

/// What people use.
fn everyday(make: &mut ComponentBuilder<'_>, has: &Equipment) {
    make.add("sensor", "state", "State", "mdi:account-voice")
        .state(Topic::State)
        .set("device_class", "enum")
        .set("options", STATES.map(state_name).to_vec());
    make.switch("mic_mute", "Mic mute", "mdi:microphone-off", (Topic::MicMuteState, Topic::MicMuteSet))
        .only_if(has.microphone);
    let speaker_mute = (Topic::SpeakerMuteState, Topic::SpeakerMuteSet);
    make.switch("speaker_mute", "Speaker mute", "mdi:volume-off", speaker_mute).only_if(has.speaker);
    let do_not_disturb = (Topic::DoNotDisturbState, Topic::DoNotDisturbSet);
    make.switch("do_not_disturb", "Do not disturb", "mdi:bell-sleep", do_not_disturb);
    make.add("number", "volume", "Volume", "mdi:volume-high")
        .state(Topic::VolumeState)
        .command(Topic::VolumeSet)
        .range((0, 100), 1, "slider")
        .set("unit_of_measurement", "%")
        .only_if(has.speaker);
    make.button("listen_now", "Listen now", "mdi:ear-hearing", Topic::ListenNowSet).only_if(has.microphone);
    make.button("stop", "Stop", "mdi:stop", Topic::StopSet);
}

/// What goes in and comes out in words, and what became of it.
fn words(make: &mut ComponentBuilder<'_>, has: &Equipment) {
    make.add("notify", "say", "Say this", "mdi:bullhorn")
        .command(Topic::Say)
        .only_if(has.speaker && !has.voices.is_empty());
    make.add("text", "ask", "Ask this", "mdi:chat-question")
        .command(Topic::Ask)
        // What Hark took down: a PIN is not in it.
        .state(Topic::LastTranscriptState)
        .set("max", 255);
    make.add("event", "activity", "Activity", "mdi:pulse")
        .state(Topic::ActivityState)
        .set("event_types", ACTIVITIES.to_vec());
    make.add("sensor", "last_transcript", "Last transcript", "mdi:text-recognition")
        .state(Topic::LastTranscriptState)
        .told("json_attributes_topic", Topic::LastTranscriptAttributes)
        .is(DIAGNOSTIC);
    make.add("sensor", "last_response", "Last response", "mdi:message-reply-text")
        .state(Topic::LastResponseState)
        .told("json_attributes_topic", Topic::LastResponseAttributes)
        .is(DIAGNOSTIC);
    make.add("sensor", "last_intent", "Last intent", "mdi:head-cog")
        .state(Topic::LastIntentState)
        .is(DIAGNOSTIC);
    make.add("sensor", "last_route", "Last route", "mdi:directions-fork")
        .state(Topic::LastRouteState)
        .set("device_class", "enum")
        .set("options", ROUTES.map(route_name).to_vec())
        .is(DIAGNOSTIC);
    make.add("sensor", "mode", "Mode", "mdi:shield-home")
        .state(Topic::ModeState)
        .set("device_class", "enum")
        .set("options", Mode::ALL.map(|mode| mode.to_string()).to_vec())
        .is(DIAGNOSTIC);
    make.add("sensor", "latency", "Latency", "mdi:timer-sand")
        .state(Topic::LatencyState)
        .set("device_class", "duration")
        .set("unit_of_measurement", "ms")
        .set("state_class", "measurement")
        .is(DIAGNOSTIC);
}

/// How it hears and speaks.
fn settings(make: &mut ComponentBuilder<'_>, has: &Equipment) {
    let hears_and_sounds = has.microphone && has.speaker;
    make.switch("wake_sound", "Wake sound", "mdi:bell-ring", (Topic::WakeSoundState, Topic::WakeSoundSet))
        .is(CONFIG)
        .only_if(hears_and_sounds);
    make.switch("follow_up", "Follow-up", "mdi:chat-processing", (Topic::FollowUpState, Topic::FollowUpSet))
        .is(CONFIG)
        .only_if(has.microphone);
    make.add("number", "mic_gain", "Mic gain", "mdi:microphone-plus")
        .state(Topic::MicGainState)
        .command(Topic::MicGainSet)
        .range(setting_ranges::mic_gain_db(), 1, "slider")
        .set("unit_of_measurement", "dB")
        .is(CONFIG)
        .only_if(has.microphone);
    let has_wake_word = has.microphone && !has.wake_words.is_empty();
    make.add("number", "wake_sensitivity", "Wake sensitivity", "mdi:tune-vertical")
        .state(Topic::WakeSensitivityState)
        .command(Topic::WakeSensitivitySet)
        .range(setting_ranges::wake_sensitivity_percent(), 1, "slider")
        .set("unit_of_measurement", "%")
        .is(CONFIG)
        .only_if(has_wake_word);
    make.add("number", "finished_speaking_silence", "Finished-speaking silence", "mdi:timer-pause")
        .state(Topic::SilenceState)
        .command(Topic::SilenceSet)
        .range(setting_ranges::silence_ms(), 10, "box")
        .set("device_class", "duration")
        .set("unit_of_measurement", "ms")
        .is(CONFIG)
        .only_if(has.microphone);
    let wake_word = (Topic::WakeWordState, Topic::WakeWordSet);
    make.select("wake_word", "Wake word", "mdi:account-tie-voice", wake_word, &has.wake_words)
        .only_if(has.microphone);
    let voice = (Topic::VoiceState, Topic::VoiceSet);
    make.select("voice", "Voice", "mdi:account-voice", voice, &has.voices).only_if(has.speaker);
    let language = (Topic::LanguageState, Topic::LanguageSet);
    make.select("language", "Language", "mdi:translate", language, &has.languages);
    let modes = EndpointMode::ALL.map(|mode| mode.name().to_owned());
    let endpointing = (Topic::EndpointingState, Topic::EndpointingSet);
    make.select("endpointing", "Endpointing", "mdi:ray-end", endpointing, &modes).only_if(has.microphone);
}

/// What is due.
fn timers(make: &mut ComponentBuilder<'_>) {
    make.add("sensor", "next_timer", "Next timer", "mdi:timer-outline")
        .state(Topic::NextTimerState)
        .set("device_class", "timestamp");
    make.add("sensor", "next_alarm", "Next alarm", "mdi:alarm")
        .state(Topic::NextAlarmState)
        .set("device_class", "timestamp");
    make.add("binary_sensor", "timers_active", "Timers active", "mdi:timer-play")
        .state(Topic::TimersActiveState)
        .on_off()
        .set("device_class", "running");
    make.button("cancel_timers", "Cancel all timers", "mdi:timer-off", Topic::CancelTimersSet);
}

/// How the node itself is.
fn itself(make: &mut ComponentBuilder<'_>, has: &Equipment) {
    make.button("restart", "Restart", "mdi:restart", Topic::RestartSet)
        .set("device_class", "restart")
        .is(CONFIG);
    make.add("update", "update", "Update", "mdi:package-up")
        .state(Topic::UpdateState)
        .command(Topic::UpdateSet)
        .set("payload_install", "INSTALL")
        .set("title", "Hark")
        .is(CONFIG);
    make.problem(
        "microphone_problem",
        "Microphone problem",
        "mdi:microphone-question",
        Topic::MicrophoneProblemState,
    )
    .only_if(has.microphone);
    make.problem("speaker_problem", "Speaker problem", "mdi:speaker-off", Topic::SpeakerProblemState)
        .only_if(has.speaker);
    make.problem("broker_problem", "Broker problem", "mdi:lan-disconnect", Topic::BrokerProblemState);
    make.problem(
        "language_model_problem",
        "Language model problem",
        "mdi:robot-confused",
        Topic::LanguageModelProblemState,
    )
    .only_if(has.language_model);
    make.add("sensor", "cpu_temperature", "CPU temperature", "mdi:thermometer")
        .state(Topic::CpuTemperatureState)
        .set("device_class", "temperature")
        .set("unit_of_measurement", "°C")
        .set("state_class", "measurement")
        .is(DIAGNOSTIC)
        .only_if(has.cpu_temperature);
    make.add("sensor", "xruns", "Xruns", "mdi:waveform")
        .state(Topic::XrunsState)
        .set("state_class", "total_increasing")
        .is(DIAGNOSTIC);
    make.add("sensor", "uptime", "Uptime", "mdi:timer-outline")
        .state(Topic::UptimeState)
        .set("device_class", "duration")
        .set("unit_of_measurement", "s")
        .is(DIAGNOSTIC);
    make.add("sensor", "memory", "Memory", "mdi:memory")
        .state(Topic::MemoryState)
        .set("device_class", "data_size")
        .set("unit_of_measurement", "MiB")
        .set("state_class", "measurement")
        .set("suggested_display_precision", 0)
        .is(DIAGNOSTIC);
}

//! The configuration: one struct a section, defaults, ranges, and validation that names every problem at once. The
//! program loads it at the start and on SIGHUP and hands sections to the parts; [`keys`] has every key with its text.
//!
//! ```
//! let config = hark_config::Config::default();
//! assert_eq!(config.barge_in.decide_ms, 800);
//! assert!(hark_config::keys::keys().any(|key| key.path() == "barge_in.decide_ms"));
//! ```

pub mod browser;
pub mod contracts;
pub mod dashboard;
pub mod delegation;
mod hearing;
pub mod home;
pub mod homeassistant;
pub mod intent;
pub mod journal;
pub mod knowledge;
pub mod llm;
mod loading;
pub mod mcp;
pub mod memory;
pub mod mqtt;
pub mod paths;
pub mod permissions;
pub mod personal;
pub mod route;
pub mod satellite;
pub mod setting_ranges;
pub mod skills;
pub mod speaking;
pub mod tools;
pub mod watch;

pub use config_file::{ChangeError, ConfigFile, write_private, write_whole};
pub use default_file::{DEFAULT_FILE, render as render_default_file};
pub use edit::Change;
pub use hearing::{audio, barge_in, echo, endpoint, speakers, stt, vad, wake};
pub use load::{Effective, Loaded};
pub use loading::keys;
use loading::{config_file, default_file, edit, load, problem, rules, source};
pub use problem::{Problem, fault_of, nearest};
pub use rules::{check_wake_words, is_model_path};
pub use source::Source;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The whole configuration; `firmware-config/hark.toml` shows every key.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where Hark finds its models and keeps its state.
    pub paths: paths::Paths,
    /// Microphone and speaker.
    pub audio: audio::Audio,
    /// Echo cancellation: Hark's own voice is taken out of what the microphone hears.
    pub echo: echo::Echo,
    /// Voice activity detection (Silero).
    pub vad: vad::Vad,
    /// Wake word detection.
    pub wake: wake::Wake,
    /// Speech recognition.
    pub stt: stt::Stt,
    /// When a request is over.
    pub endpoint: endpoint::EndpointConfig,
    /// Understanding of requests that no sentence template fits.
    pub intent: intent::IntentConfig,
    /// What a language model is held to.
    pub contracts: contracts::ContractsConfig,
    /// How far Hark goes on its own with a request that needs a language model.
    pub route: route::RouteConfig,
    /// Language models, and the one that is asked first. Without a `url` there is none, and Hark is complete without.
    pub llm: llm::Llm,
    /// The language model that is asked when the first cannot be reached, is at its limit or refuses.
    pub llm_fallback: llm::LlmFallback,
    /// What needs approval. A dangerous act is unlocking, opening a garage door or a gate, switching an alarm off.
    pub permissions: permissions::Permissions,
    /// The home and its names.
    pub home: home::HomeConfig,
    /// The household's notes, calendars and contacts.
    pub personal: personal::PersonalConfig,
    /// Tools and the services they ask.
    pub tools: tools::ToolsConfig,
    /// Tools of other programs by the Model Context Protocol, and Hark's own for them.
    pub mcp: mcp::McpConfig,
    /// Skills: how the household wants things done.
    pub skills: skills::SkillsConfig,
    /// Tasks that are handed to AI command-line programs, such as Claude Code.
    pub delegation: delegation::DelegationConfig,
    /// The browser that Hark works itself.
    pub browser: browser::BrowserConfig,
    /// Folders and Git repositories that are watched.
    pub watch: watch::WatchConfig,
    /// How often Hark speaks by itself of what it watches.
    pub proactive: watch::ProactiveConfig,
    /// A Home Assistant whose rooms and devices become part of the home, by its WebSocket API.
    pub homeassistant: homeassistant::HomeAssistant,
    /// MQTT and Home Assistant discovery.
    pub mqtt: mqtt::Mqtt,
    /// Several nodes in one house, on one MQTT broker.
    pub satellite: satellite::Satellite,
    /// What is kept.
    pub memory: memory::Memory,
    /// Documents Hark looks things up in.
    pub knowledge: knowledge::KnowledgeConfig,
    /// A line a turn, in a file a day, without sound.
    pub journal: journal::JournalConfig,
    /// People who are known by their voice.
    pub speakers: speakers::Speakers,
    /// The voice.
    pub speaking: speaking::Speaking,
    /// Barge-in: what happens when a person speaks while Hark speaks.
    pub barge_in: barge_in::BargeIn,
    /// HTTP and WebSocket for the dashboard and for programs.
    pub dashboard: dashboard::Dashboard,
}

impl Config {
    /// Files that hold secrets of the house: those that are named, every credential, and the operator's token.
    pub fn secret_files(&self, credentials_dir: Option<&Path>, state_dir: &Path) -> Vec<PathBuf> {
        let named = [
            &self.mqtt.password_file,
            &self.homeassistant.token_file,
            &self.llm.key_file,
            &self.llm_fallback.key_file,
            &self.dashboard.token_file,
            &self.permissions.pin_file,
            &self.permissions.device_codes_file,
            &self.delegation.claude_key_file,
            &self.delegation.gemini_key_file,
            &self.delegation.codex_key_file,
        ];
        let of_models = self.llm.servers.values().map(|server| &server.key_file);
        let named = named.into_iter().chain(of_models).map(String::as_str).filter(|path| !path.is_empty());
        let of_servers = self.mcp.servers.values().flat_map(|server| server.secret_files());
        let named = named.chain(of_servers).map(paths::expand);
        let credentials = credentials_dir.and_then(|dir| std::fs::read_dir(dir).ok()).into_iter().flatten();
        let credentials = credentials.flatten().map(|entry| entry.path());
        named.chain(credentials).chain([self.dashboard.operator_file(state_dir)]).collect()
    }
}

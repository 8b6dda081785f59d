//! `[endpoint]`: when a request is over.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What ends a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EndpointMode {
    /// Silence, the shorter the less likely the speaker goes on, by words, voice and pace.
    Likelihood,
    /// Silence, the shorter the more the words are a whole command.
    Words,
    /// Silence alone, whatever was said.
    Silence,
}

impl EndpointMode {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Likelihood, Self::Words, Self::Silence];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Likelihood => "likelihood",
            Self::Words => "words",
            Self::Silence => "silence",
        }
    }
}

/// When a request is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EndpointConfig {
    /// `likelihood`: how likely the speaker goes on decides how long is waited, `complete_ms` to `unfinished_ms`; `words`: how
    /// far the words are a whole command does; `silence`: always `silence_ms`.
    pub mode: EndpointMode,
    /// With `likelihood`: how likely a speaker may still go on when the request is taken to be over. Less waits longer and cuts off less.
    #[schemars(range(min = 0.001, max = 0.5))]
    pub risk: f32,
    /// With `likelihood`: also ask Smart Turn, which hears whether a turn is over (`hark models pull smart_turn`), where it is there.
    pub smart_turn: bool,
    /// Silence that ends a request when the words say nothing about it.
    #[schemars(range(min = 100, max = 3000))]
    pub silence_ms: u32,
    /// Silence that ends a request whose words are a whole command that cannot go on; the shortest with `likelihood`.
    #[schemars(range(min = 64, max = 3000))]
    pub complete_ms: u32,
    /// With `words`: silence that ends a request whose words are a whole command that could go on.
    #[schemars(range(min = 64, max = 3000))]
    pub may_continue_ms: u32,
    /// How long after the end of a request its speaker may still go on: then both parts are one request, and what the
    /// first has done is taken back. 0: never.
    #[schemars(range(min = 0, max = 2000))]
    pub goes_on_ms: u32,
    /// Silence that ends a request whose words are clearly unfinished; the longest with `likelihood`.
    #[schemars(range(min = 100, max = 5000))]
    pub unfinished_ms: u32,
    /// Hard limit of a request.
    #[schemars(range(min = 2000, max = 60000))]
    pub max_utterance_ms: u32,
    /// Waiting time for the first word after the wake word.
    #[schemars(range(min = 1000, max = 30000))]
    pub nothing_said_ms: u32,
}

impl Default for EndpointConfig {
    fn default() -> Self {
        Self {
            mode: EndpointMode::Likelihood,
            risk: 0.1,
            smart_turn: true,
            silence_ms: 600,
            complete_ms: 120,
            may_continue_ms: 250,
            goes_on_ms: 700,
            unfinished_ms: 900,
            max_utterance_ms: 12000,
            nothing_said_ms: 5000,
        }
    }
}

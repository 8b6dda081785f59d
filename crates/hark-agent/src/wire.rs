//! The two wire formats of servers.

use hark_config::llm::ProviderKind;

/// What a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// Ollama's own API.
    Ollama,
    /// OpenAI's, which many others have too.
    Openai,
}

impl Wire {
    /// The wire format of a provider; `None` for a model in this program.
    pub(super) fn of(kind: ProviderKind) -> Option<Self> {
        match kind {
            ProviderKind::Ollama => Some(Self::Ollama),
            ProviderKind::Openai => Some(Self::Openai),
            ProviderKind::Embedded => None,
        }
    }
}

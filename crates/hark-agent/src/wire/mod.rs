//! The two wire formats of servers, `openai` and `ollama`; `reader` and `lines` have the framing of both, `names` those of tools.

pub(crate) mod lines;
pub(crate) mod names;
pub(crate) mod ollama;
pub(crate) mod openai;
pub(crate) mod reader;

use hark_config::llm::ProviderKind;

/// What a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// Ollama's own API.
    Ollama,
    /// OpenAI's, which many others have too.
    Openai,
}

impl Wire {
    /// The wire format of a provider; `None` for a model in this program.
    pub(crate) fn of(kind: ProviderKind) -> Option<Self> {
        match kind {
            ProviderKind::Ollama => Some(Self::Ollama),
            ProviderKind::Openai => Some(Self::Openai),
            ProviderKind::Embedded => None,
        }
    }
}

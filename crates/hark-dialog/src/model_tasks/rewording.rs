//! A text in other words: the one named, what was said last, or what the clipboard holds. The orchestrator knows which
//! text and what is wanted of it; the model does the wording. When it cannot, the text stays as it is.

use super::success_guard::claims_an_action;
use super::{More, ThoughtEnd, Work};
use crate::contracts::Contract;
use crate::{summary, text_transformation};
use hark_core::Slots;
use hark_core::thinking::TextSource;
use serde_json::json;

/// Characters of a text that is put into other words; as much as the contract shows a model.
const MAX_CHARS: usize = 8000;
/// The tool by which the clipboard is read.
const CLIPBOARD: &str = "clipboard.read";

impl Work<'_> {
    pub(super) async fn change(&self) -> ThoughtEnd {
        let Some(change) = &self.task.change else { return Self::no_answer(None) };
        self.decided_intent(text_transformation::intent(change));
        let original = match &change.of {
            TextSource::Named { text } | TextSource::LastReply { text } => text.clone(),
            TextSource::Clipboard => match self.on_clipboard().await {
                Ok(text) => text,
                Err(end) => return end,
            },
        };
        let failed = |text: String| ThoughtEnd::Answered { text, language: self.language(), failed: true };
        let length = original.chars().count();
        if length > MAX_CHARS {
            return failed(self.words().too_long(length, MAX_CHARS));
        }
        let language = change.language.as_deref();
        let vars = json!({
            "text": original, "what": change.what, "language": language.unwrap_or_default(),
        });
        let outcome = self.contract(Contract::TextTransformation, vars, More::default()).await;
        if let Some(error) = &outcome.model_error {
            return Self::no_answer(Some(error));
        }
        let text = outcome.text().to_owned();
        // A text from elsewhere does not make Hark say that it did something.
        let claims = change.of == TextSource::Clipboard && self.claims(&text) && !self.claims(&original);
        if outcome.fallback || claims {
            let why = if claims { "it claims an action".to_owned() } else { outcome.errors.join("; ") };
            tracing::warn!("a text stays as it is, because no other words for it could be used: {why}");
            return failed(original);
        }
        let spoken = language.map_or_else(|| self.language(), str::to_owned);
        ThoughtEnd::Answered { text, language: spoken, failed: false }
    }

    fn claims(&self, text: &str) -> bool {
        claims_an_action(text, &self.claims.languages)
    }

    /// The text of the clipboard, as the tool gives it with its permission; else why not.
    async fn on_clipboard(&self) -> Result<String, ThoughtEnd> {
        let (_, receipt) = self.act(CLIPBOARD, &Slots::new(), None).await;
        let text = receipt.detail["text"].as_str().unwrap_or_default();
        if receipt.ok && !text.trim().is_empty() {
            return Ok(text.to_owned());
        }
        let text = summary::of(receipt.ok, &receipt.detail, &self.words());
        Err(ThoughtEnd::Answered { text, language: self.language(), failed: true })
    }
}

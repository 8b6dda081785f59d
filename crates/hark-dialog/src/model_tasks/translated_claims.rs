//! Claims of deeds in a language Hark has no words for them in. Whether such a text claims something cannot be known, so that it is
//! read in a language where that can: a model translates it, the translation is judged by the receipts like any other text, and the
//! text is said only where the translation may be said as a whole. What cannot be translated is not said. A model is asked for the
//! language first, where a text is too short to tell.

use super::action_claims::{self, Measure};
use super::claimed_action::ClaimedAction;
use super::readable_claims::has_claims;
use super::success_guard::honest;
use super::{More, Work};
use crate::contracts::Contract;
use serde_json::json;

impl Work<'_> {
    /// What may be said of a model's words, see `success_guard::honest`, in whatever language they are.
    pub(super) async fn honest(
        &self,
        words: &str,
        actions: &[ClaimedAction],
        is_task: bool,
    ) -> Option<String> {
        let languages = &self.claims.languages;
        let Some(read) = self.readable(words).await? else {
            return honest(words, actions, is_task, languages);
        };
        // Sentences of a translation are not those of the text: it is said whole or not at all.
        honest(&read, actions, is_task, languages).filter(|kept| *kept == read).map(|_| words.to_owned())
    }

    /// Whether words that cannot be read claim an action, or may do so.
    pub(super) async fn may_claim(&self, words: &str, measure: Measure) -> bool {
        let read = self.readable(words).await;
        let claims = |text: &str| action_claims::claims(text, measure, &self.claims.languages);
        read.is_none_or(|translated| claims(translated.as_deref().unwrap_or(words)))
    }

    /// The text in a language in which claims are known; `Some(None)` where it is in one already, `None` where it could not be
    /// translated.
    async fn readable(&self, text: &str) -> Option<Option<String>> {
        let claims = &self.claims;
        // What claims something in one of them needs no other reading.
        if claims.reads(text) || action_claims::claims(text, Measure::Task, &claims.languages) {
            return Some(None);
        }
        if (claims.language_of)(text).is_none() {
            let outcome =
                self.contract(Contract::LanguageDetection, json!({"text": text}), More::default()).await;
            if outcome.value["language"].as_str().is_some_and(|code| claims.has(code)) {
                return Some(None);
            }
        }
        let (spoken, all) = (&self.mind.parts.languages, &claims.languages);
        let into = spoken.iter().find(|language| has_claims(language)).or(all.first())?;
        let vars = json!({"text": text, "what": "translation", "language": into.code});
        let outcome = self.contract(Contract::TextTransformation, vars, More::default()).await;
        let read = outcome.text().trim().to_owned();
        let is_translated =
            read != text.trim() && (claims.language_of)(&read).is_none_or(|code| claims.has(code));
        if outcome.fallback || outcome.cut_short || !is_translated {
            let why = outcome.errors.join("; ");
            tracing::warn!(
                "an answer is not said: nobody can read whether it claims that something was done: {why}"
            );
            return None;
        }
        Some(Some(read))
    }
}

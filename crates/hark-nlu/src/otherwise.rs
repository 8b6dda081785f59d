//! What a text means that is not understood to the end as it was said: in plainer words, without remarks, as it was corrected.

use super::grammar::Reader;
use super::qualifiers::Qualifiers;
use super::request_framing::Speech;
use super::to_intent::{WILD_CONFIDENCE, is_whole};
use hark_core::Understanding;
use std::iter;

impl Reader<'_> {
    /// What is understood to the end in plainer words, or without remarks beside it.
    pub(super) fn said_otherwise(&self, text: &str, language: &str) -> Option<Understanding> {
        let other = |text: &str, say: fn(&Speech<'_>) -> Option<String>| {
            let tokens = self.tokenise(text);
            say(&Speech { reader: self, text, tokens: &tokens })
        };
        let tokens = self.tokenise(text);
        let speech = Speech { reader: self, text, tokens: &tokens };
        let edited = speech.edited();
        let plain = other(text, |speech| speech.in_plain_words());
        let shorter = |text: &str| other(text, |speech| speech.without_remarks());
        let about_it = other(text, |speech| speech.with_it_named_behind().or_else(|| speech.about_it()));
        let texts = [about_it, shorter(text), plain.clone(), plain.as_deref().and_then(shorter)];
        // Looked for only where nothing before is understood to the end.
        let stated = iter::once_with(|| speech.without_statement_behind()).flatten();
        let in_full = iter::once_with(|| self.with_names_in_full(&tokens)).flatten();
        let reworded = iter::once_with(|| speech.reworded()).flatten();
        // Of words that are taken as they are, nothing is left out.
        let is_tame = |found: &Understanding| found.intents.iter().all(|it| it.confidence > WILD_CONFIDENCE);
        // "Telly on and the lamp *please*."
        let several = || {
            let core = speech.core().filter(|_| Qualifiers::of(self, text, &tokens).is_empty())?;
            let found = self.as_said(&text[core[0].start..core[core.len() - 1].end], language);
            (is_whole(&found) && found.intents.len() > 1).then_some(found)
        };
        let unfilled = || {
            let found = self.as_said(&speech.without_fillers()?, language);
            (is_whole(&found) && is_tame(&found)).then_some(found)
        };
        edited
            .into_iter()
            .chain(texts.into_iter().flatten())
            .chain(stated)
            .chain(in_full)
            .chain(reworded)
            .map(|text| self.as_said(&text, language))
            .find(is_whole)
            .or_else(several)
            .or_else(unfilled)
    }
}

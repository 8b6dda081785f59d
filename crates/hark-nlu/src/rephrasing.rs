//! What a text means that is not understood to the end as it was said: in plainer words, without remarks, as it was corrected.

use super::grammar::{ITEM, Reader};
use super::intent::category_of;
use super::qualifiers::Qualifiers;
use super::request_framing::Speech;
use super::to_intent::{WILD_CONFIDENCE, is_whole};
use hark_core::automation::intent::CANCEL;
use hark_core::{Category, Intent, Understanding};
use hark_language::phrases;
use std::iter;

impl Reader<'_> {
    /// What a sentence means without the remarks that stand apart, where no words of it are taken as they are. A remark
    /// gives the place of the speaker and nothing else: "I'm in the kitchen".
    pub(super) fn without_remark(&self, text: &str, language: &str) -> Option<Understanding> {
        let tokens = self.tokenise(text);
        let speech = Speech { reader: self, text, tokens: &tokens };
        let read = |text: &str| {
            let found = self.within_half(|reader| reader.as_said(text, language));
            (is_whole(&found) && is_tame(&found)).then_some(found)
        };
        let placed = || read(&speech.with_place_of_speaker()?);
        let shorter = || read(&speech.shorter(false)?);
        placed().or_else(shorter).or_else(|| read(speech.without_statement_at_end()?))
    }

    /// What a sentence means of which a remark was taken for something to be played or listed: "put margarine on the list, *the
    /// doctor says so*".
    pub(super) fn without_remark_in_content(
        &self,
        text: &str,
        language: &str,
        found: &Understanding,
    ) -> Option<Understanding> {
        let is_of_list = |intent: &Intent| {
            category_of(&intent.name) == Some(Category::List) || intent.slots.contains_key(ITEM)
        };
        let takes = |intent: &Intent| {
            let takes_any = is_of_list(intent) || category_of(&intent.name) == Some(Category::Media);
            (takes_any || intent.name == CANCEL) && intent.confidence <= WILD_CONFIDENCE
        };
        found.intents.iter().any(takes).then_some(())?;
        let tokens = self.tokenise(text);
        let speech = Speech { reader: self, text, tokens: &tokens };
        let words = speech.words();
        let speaks = |words: &[&str]| {
            let speakers = self.grammar.lexicon().discourse.speakers;
            phrases::starts(speakers, words).is_some() || speech.is_remark(words)
        };
        // "Not the bread *we've loads*": no item says who does something.
        let lists = found.intents.iter().all(is_of_list);
        let speakers = self.grammar.lexicon().discourse.speakers;
        let tells = |at: usize| lists && at > 1 && phrases::starts(speakers, &words[at..]).is_some();
        let ends = |at: &usize| speech.pauses_before(*at) && speaks(&words[*at..]) || tells(*at);
        let at = (1..words.len()).rev().find(ends)?;
        Some(self.as_said(&text[..tokens[at - 1].end], language)).filter(is_whole)
    }

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

/// Whether no words were taken as they are.
fn is_tame(found: &Understanding) -> bool {
    found.intents.iter().all(|it| it.confidence > WILD_CONFIDENCE)
}

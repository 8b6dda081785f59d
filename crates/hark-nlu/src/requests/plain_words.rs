//! A sentence in the words that templates have: without courtesies, without words that add nothing, and with plain words for those
//! of everyday speech.

use super::super::request_framing::Speech;
use hark_language::phrases;

impl Speech<'_> {
    /// The sentence without courtesies and in plain words. `None` where it is so already.
    pub(in super::super) fn bare(&self) -> Option<String> {
        let core = self.core().unwrap_or(self.tokens);
        let text = &self.text[core.first()?.start..core.last()?.end];
        let tokens = self.reader.tokenise(text);
        let plain = Speech { reader: self.reader, text, tokens: &tokens }.in_plain_words();
        plain.or_else(|| (core.len() < self.tokens.len()).then(|| text.to_owned()))
    }

    /// The sentence with what its idioms mean: "turn it off" for "knock it off". `None` where it has none.
    pub(in super::super) fn without_idioms(&self) -> Option<String> {
        let words = self.words();
        let (mut said, mut kept, mut at) = (String::new(), 0, 0);
        while at < words.len() {
            let Some((meant, length)) = phrases::find(self.lexicon().discourse.idioms, &words[at..]) else {
                at += 1;
                continue;
            };
            said.push_str(&self.text[kept..self.tokens[at].start]);
            said.push_str(&meant);
            at += length;
            kept = self.tokens[at - 1].end;
        }
        (kept > 0).then(|| said + &self.text[kept..])
    }

    /// The sentence with the words that sentences have for those of everyday speech, and with contractions of names written
    /// out: "pop the light on", "everything off up there", "see that the back door's locked".
    pub(in super::super) fn in_plain_words(&self) -> Option<String> {
        let words = self.words();
        let talk = &self.lexicon().discourse;
        let written_out = |word: &str| {
            let (stem, meant) = talk.contraction(word)?;
            let known = talk.telling.contains(word) || talk.reasons.contains(word);
            if known { None } else { Some(format!("{stem} {}", meant.first()?)) }
        };
        let (mut said, mut at, mut changed) = (Vec::new(), 0, false);
        while at < words.len() {
            let plain = phrases::find(talk.plain_words, &words[at..])
                .map(|(plain, length)| (plain.to_string(), length))
                .or_else(|| Some((written_out(words[at])?, 1)));
            changed |= plain.is_some();
            let (plain, length) = plain.unwrap_or_else(|| (words[at].to_owned(), 1));
            said.push(plain);
            at += length;
        }
        changed.then(|| said.join(" "))
    }

    /// The sentence without words that add nothing: "is the window *still* open". `None` where it has none.
    pub(in super::super) fn without_fillers(&self) -> Option<String> {
        let words = self.words();
        let (mut said, mut at) = (String::new(), 0);
        while at < words.len() {
            if let Some(length) = phrases::starts(self.lexicon().discourse.fillers, &words[at..]) {
                at += length;
                continue;
            }
            if !said.is_empty() {
                said.push_str(if at > 0 && self.pauses_before(at) { ", " } else { " " });
            }
            said.push_str(words[at]);
            at += 1;
        }
        (said.split_whitespace().count() < words.len() && !said.is_empty()).then_some(said)
    }
}

//! All that one sentence tells, and what a correction changes of what was told: "no, it's Tuesday, not Monday".

use crate::keep::{Asked, Kept, MOST_CONVERSATIONS, Memory, State};
use hark_core::Fault;
use hark_core::memory::{Dating, EntityKind, Fact, Requester, SaidCorrection};
use hark_language::names::normal;

/// Facts of a conversation that a correction may be about.
const MOST_SPOKEN_OF: usize = 6;

impl Memory {
    /// Keeps all that was told, and says what became of each. A correction takes the place of what it corrects. See
    /// [`Memory::remember`].
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn remember_each(
        &self,
        text: &str,
        now_unix_ms: i64,
        by: &Requester,
        turn: Option<&str>,
        asked: Asked,
    ) -> Result<Vec<Kept>, Fault> {
        if let Some((old, corrected)) = self.corrected(text, Some(by))? {
            return Ok(vec![self.replace(&old, &corrected, now_unix_ms, by, turn)?]);
        }
        let said = self.reader.as_ref().map(|reader| reader.statements(text)).unwrap_or_default();
        let mut kept = Vec::new();
        for (piece, said) in said.iter().filter(|(_, said)| asked.expressly || !said.asked_only) {
            let fact = self.told(piece, now_unix_ms, (by, turn), Some(said), asked);
            kept.push(self.remember_statement(fact, said, by, asked)?);
        }
        if kept.is_empty() && asked.expressly {
            let fact = self.told(text, now_unix_ms, (by, turn), None, asked);
            kept.push(self.remember_words(fact, by)?);
        }
        Ok(kept)
    }

    /// Whether a text corrects something that was spoken of lately, in whichever conversation.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn corrects(&self, text: &str) -> Result<bool, Fault> {
        Ok(self.corrected(text, None)?.is_some())
    }

    /// The fact that a text corrects, and its words as they are right.
    fn corrected(&self, text: &str, by: Option<&Requester>) -> Result<Option<(Fact, String)>, Fault> {
        let Some(said) = self.reader.as_ref().and_then(|reader| reader.correction(text)) else {
            return Ok(None);
        };
        let ids = self.lock().last_of(by.map(|by| by.conversation.as_str()));
        let facts = self.store.by_ids(&ids)?;
        let in_order = ids.iter().filter_map(|id| facts.iter().find(|fact| fact.id == *id));
        // Without the wrong word it is about what was spoken of last.
        let most = if said.old.is_some() { MOST_SPOKEN_OF } else { 1 };
        let mut in_order = in_order.take(if by.is_some() { most } else { usize::MAX });
        Ok(in_order.find_map(|fact| {
            // "It's been moved to the 10th" says another day, and nothing else of it.
            let old = said.old.clone().or_else(|| self.day_of(fact, &said));
            let said = SaidCorrection { old, ..said.clone() };
            Some((fact.clone(), right_words(fact, &said)?))
        }))
    }

    /// The words of the day in a fact, where a correction is another day.
    fn day_of(&self, fact: &Fact, said: &SaidCorrection) -> Option<String> {
        let (reader, time) = (self.reader.as_ref()?, fact.time.as_ref()?);
        let now = chrono::NaiveDateTime::default();
        reader.time(&said.new, &said.language, now, Dating::Once).map(|_| time.words.clone())
    }

    /// Keeps a fact in its right words in the place of the wrong ones.
    fn replace(
        &self,
        old: &Fact,
        corrected: &str,
        now_unix_ms: i64,
        by: &Requester,
        turn: Option<&str>,
    ) -> Result<Kept, Fault> {
        let read = self.reader.as_ref().map(|reader| reader.statements(corrected)).unwrap_or_default();
        let same = |relation: &str| old.statement.as_ref().is_some_and(|it| it.relation == relation);
        let said = read.into_iter().find(|(_, said)| same(&said.relation)).map(|(_, said)| said);
        // Asked for is what it was: a correction makes it no less sure.
        let asked = Asked { expressly: old.source.sure >= 1.0, private: old.source.private };
        if old.source.speaker > by.speaker {
            return Ok(Kept::Refused);
        }
        let fact = self.told(corrected, now_unix_ms, (by, turn), said.as_ref(), asked);
        let kept = match (said, &old.statement) {
            // "She" may be somebody else by now.
            (Some(said), Some(statement)) => {
                let subject = statement.subject.clone();
                self.keep_statement(fact, &said, subject, by)?
            }
            _ => self.remember_words(fact, by)?,
        };
        let Kept::New(fact, mut replaced) = kept else { return Ok(kept) };
        if !replaced.iter().any(|known| known.id == old.id) {
            self.store.end(&[old.id], now_unix_ms)?;
            replaced.push(old.clone());
        }
        Ok(Kept::New(fact, replaced))
    }
}

/// The words of a fact with what is right in the place of what is wrong; `None` where it does not have that.
fn right_words(fact: &Fact, said: &SaidCorrection) -> Option<String> {
    let statement = fact.statement.as_ref();
    let (wrong, right) = match &said.old {
        Some(old) => (old.clone(), said.new.clone()),
        None => {
            let statement = statement?;
            let is_person = statement.entity.as_ref().is_some_and(|it| it.kind == EntityKind::Person);
            let count = if is_person { statement.object.split_whitespace().count() } else { usize::MAX };
            // "Stephen with a ph" is spelt like that, and is not called so.
            let right: Vec<&str> = said.new.split_whitespace().take(count).collect();
            (statement.object.clone(), right.join(" "))
        }
    };
    let at = place_of(&fact.text, &wrong)?;
    let (before, behind) = (&fact.text[..at.0], &fact.text[at.1..]);
    // "On Wednesday" becomes "on Thursday" whether or not the word before the day is said again.
    let said_again =
        before.split_whitespace().next_back().filter(|last| right.starts_with(&format!("{last} ")));
    let right =
        said_again.and_then(|last| right.strip_prefix(last)).map_or(right.as_str(), str::trim).to_owned();
    (normal(&wrong) != normal(&right)).then(|| format!("{before}{right}{behind}"))
}

/// Where a text has some words, from byte to byte; case does not matter.
fn place_of(text: &str, words: &str) -> Option<(usize, usize)> {
    let wanted: Vec<String> = words.split_whitespace().map(normal).collect();
    let mut at = 0;
    let said: Vec<(usize, &str)> = text
        .split_whitespace()
        .map(|word| {
            let start = at + text[at..].find(word).unwrap_or(0);
            at = start + word.len();
            (start, word)
        })
        .collect();
    if wanted.is_empty() || wanted.iter().any(String::is_empty) {
        return None;
    }
    let found = said
        .windows(wanted.len())
        .find(|run| run.iter().zip(&wanted).all(|((_, word), wanted)| normal(word) == *wanted))?;
    let ((start, _), (last, word)) = (found.first()?, found.last()?);
    let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    Some((*start, last + bare.len()))
}

impl State {
    /// Notes that a conversation was about a fact.
    pub(crate) fn spoken_of(&mut self, conversation: &str, id: i64) {
        if self.spoken_of.len() >= MOST_CONVERSATIONS && !self.spoken_of.contains_key(conversation) {
            self.spoken_of.pop_first();
        }
        let last = self.spoken_of.entry(conversation.to_owned()).or_default();
        last.retain(|known| *known != id);
        last.push_front(id);
        last.truncate(MOST_SPOKEN_OF);
    }

    /// Ids of the facts that a conversation was about last, the latest first; `None`: those of every conversation.
    fn last_of(&self, conversation: Option<&str>) -> Vec<i64> {
        match conversation {
            Some(name) => self.spoken_of.get(name).into_iter().flatten().copied().collect(),
            None => self.spoken_of.values().flatten().copied().collect(),
        }
    }
}

//! All that one sentence tells, and what a correction changes of what was told: "no, it's Tuesday, not Monday".

use crate::changing::content;
use crate::conversations::MAX_SPOKEN_OF;
use crate::keep::{Asked, Kept, MAX_LOOKED_AT, Memory, Telling, begins_with_pronoun, named, told_back};
use crate::likeness::{shared, without_parts};
use crate::recall::OPEN;
use hark_core::Fault;
use hark_core::memory::{
    Dating, Entity, EntityKind, Fact, Requester, SaidCorrection, SaidStatement, SaidSubject,
};
use hark_language::Lexicon;
use hark_language::names::{normal, telling_words};

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
        let text = &self.with_name(text, by);
        if let Some((old, corrected)) = self.corrected(text, Some(by))? {
            return self.replace_all(&old, &corrected, now_unix_ms, by, turn);
        }
        self.keep_each(text, now_unix_ms, by, turn, asked)
    }

    /// Keeps all that was told as something new.
    pub(crate) fn keep_each(
        &self,
        text: &str,
        now_unix_ms: i64,
        by: &Requester,
        turn: Option<&str>,
        asked: Asked,
    ) -> Result<Vec<Kept>, Fault> {
        let gone = if asked.telling == Telling::Whole { self.changed(text)? } else { None };
        let said = self.reader.as_ref().map(|reader| reader.statements(text)).unwrap_or_default();
        let mut kept = Vec::new();
        let mut pieces = Vec::new();
        let bare = self.reader.as_ref().map_or(text, |reader| reader.bare(text));
        let is_kept = |piece: &str, said: &SaidStatement| match asked.telling {
            Telling::Stated => !said.asked_only,
            // The text itself is kept as well: a doubtful statement only adds whom it is about, and one about "she" adds nothing.
            Telling::Whole => {
                let is_named = match &said.subject {
                    SaidSubject::Pronoun(_) => is_covered(bare, &[piece]),
                    SaidSubject::Named(name) => !begins_with_pronoun(name),
                    SaidSubject::Me | SaidSubject::MyRelative(_) => true,
                };
                let is_sure = !said.asked_only || !OPEN.contains(&said.relation.as_str());
                is_named && is_sure && text.contains(piece)
            }
            Telling::Asked => true,
        };
        for (piece, said) in said.iter().filter(|(piece, said)| is_kept(piece, said)) {
            let fact = self.told(piece, now_unix_ms, (by, turn), Some(said), asked);
            kept.push(self.remember_statement(fact, said, by, asked)?);
            pieces.push(piece.as_str());
        }
        let is_unread = match asked.telling {
            Telling::Stated => false,
            Telling::Whole => !is_covered(bare, &pieces),
            Telling::Asked => pieces.is_empty(),
        };
        if is_unread {
            let text = self.in_context(if asked.telling == Telling::Whole { bare } else { text }, by);
            let fact = self.told(&text, now_unix_ms, (by, turn), None, asked);
            let told = asked.telling.told_back(&fact);
            let whom = said.iter().filter_map(|(_, said)| self.whom(said)).collect();
            kept.push(self.remember_words(Fact { told, mentions: whom, ..fact }, by)?);
        }
        self.end_in_favour(gone, &mut kept, (now_unix_ms, by))?;
        Ok(kept)
    }

    /// Whom a statement that may be read is about, where that is one word which may be a name.
    fn whom(&self, said: &SaidStatement) -> Option<Entity> {
        let SaidSubject::Named(name) = &said.subject else { return None };
        let is_word = |language: &&Lexicon| {
            language.memory.is_condition(name) || language.memory.has_any(language.memory.unnamed, name)
        };
        let may_be = said.subject_kind == EntityKind::Person
            && !name.contains(' ')
            && !hark_language::all().iter().any(is_word);
        may_be.then(|| named(name, EntityKind::Person)).filter(|entity| !entity.key.is_empty())
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
        if let Some(found) = self.contrasted(text)? {
            return Ok(Some(found));
        }
        let said = self.reader.as_ref().and_then(|reader| reader.correction(text));
        // "No, it's the nineteenth" is another day, and leaves the rest as it was.
        let says_what_is_wrong = said.as_ref().is_some_and(|said| said.old.is_some());
        if !says_what_is_wrong && let Some(found) = self.with_other_values(text, by)? {
            return Ok(Some(found));
        }
        let Some(said) = said else { return Ok(None) };
        let ids = self.lock().conversations.last_facts(by.map(|by| by.conversation.as_str()));
        let facts = self.store.by_ids(&ids)?;
        let in_order = ids.iter().filter_map(|id| facts.iter().find(|fact| fact.id == *id));
        // Without the wrong word it is about what was spoken of last.
        let most = if said.old.is_some() { MAX_SPOKEN_OF } else { 1 };
        let mut in_order = in_order.take(if by.is_some() { most } else { usize::MAX });
        let found = in_order.find_map(|fact| {
            // "It's been moved to the 10th" says another day, and nothing else of it.
            let old = said.old.clone().or_else(|| self.day_of(fact, &said));
            let said = SaidCorrection { old, ..said.clone() };
            Some((fact.clone(), right_words(fact, &said)?))
        });
        match found {
            None if says_what_is_wrong => self.with_other_values(text, by),
            found => Ok(found),
        }
    }

    /// The fact that has what a text calls wrong and a word of what else it says, and its words as they are right: "it's not
    /// biscuit, the puppy's called brisket".
    fn contrasted(&self, text: &str) -> Result<Option<(Fact, String)>, Fault> {
        let contrasts = self.reader.as_ref().map(|reader| reader.contrasts(text)).unwrap_or_default();
        if contrasts.is_empty() {
            return Ok(None);
        }
        let facts = self.store.search(&content(text), true, MAX_LOOKED_AT)?;
        let facts = without_parts(facts, |fact| fact);
        Ok(contrasts.into_iter().find_map(|said| {
            let about = content(&said.about);
            let (old, language) = (content(&said.old), said.language);
            let said = SaidCorrection { new: said.new, old: Some(said.old), language };
            let is_of_it = |fact: &&Fact| {
                let besides: Vec<String> =
                    content(&fact.text).into_iter().filter(|word| !old.contains(word)).collect();
                shared(&about, &besides) > 0
            };
            let right = |fact: &Fact| Some((fact.clone(), right_words(fact, &said)?));
            facts
                .iter()
                .filter(is_of_it)
                .filter_map(right)
                .max_by_key(|(fact, _)| (shared(&about, &content(&fact.text)), fact.id))
        }))
    }

    /// The words of the day in a fact, where a correction is another day.
    fn day_of(&self, fact: &Fact, said: &SaidCorrection) -> Option<String> {
        let (reader, time) = (self.reader.as_ref()?, fact.time.as_ref()?);
        let now = chrono::NaiveDateTime::default();
        reader.time(&said.new, &said.language, now, Dating::Once).map(|_| time.words.clone())
    }

    /// Puts a fact right, with the sentence that it is a part of and with its own parts.
    fn replace_all(
        &self,
        old: &Fact,
        corrected: &str,
        now_unix_ms: i64,
        by: &Requester,
        turn: Option<&str>,
    ) -> Result<Vec<Kept>, Fault> {
        let related = self.store.search(&telling_words(&old.text), true, MAX_LOOKED_AT)?;
        let is_longer = |fact: &&Fact| fact.text.len() > old.text.len() && fact.text.contains(&old.text);
        let whole = related.iter().find(is_longer).unwrap_or(old);
        let corrected = whole.text.replacen(&old.text, corrected, 1);
        if whole.statement.is_some() || whole.source.speaker > by.speaker {
            return Ok(vec![self.replace(whole, &corrected, now_unix_ms, by, turn)?]);
        }
        let asked = Asked { telling: Telling::Whole, private: whole.source.private };
        let mut kept = self.keep_each(&corrected, now_unix_ms, by, turn, asked)?;
        self.end_with_parts(whole, &mut kept, (now_unix_ms, by))?;
        Ok(kept)
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
        let telling = if old.source.sure >= 1.0 { Telling::Asked } else { Telling::Stated };
        let asked = Asked { telling, private: old.source.private };
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
            _ => self.remember_words(Fact { told: told_back(&fact), ..fact }, by)?,
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

/// Whether some pieces of a text have all its telling words.
fn is_covered(text: &str, pieces: &[&str]) -> bool {
    let told: Vec<String> = pieces.iter().flat_map(|piece| telling_words(piece)).collect();
    !told.is_empty() && telling_words(text).iter().all(|word| told.contains(word))
}

/// The words of a text with the byte at which each begins.
pub(crate) fn placed_words(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    let placed = text.split_whitespace().map(|word| {
        let start = at + text[at..].find(word).unwrap_or(0);
        at = start + word.len();
        (start, word)
    });
    placed.collect()
}

/// Where a text has some words, from byte to byte; case does not matter.
fn place_of(text: &str, words: &str) -> Option<(usize, usize)> {
    let wanted: Vec<String> = words.split_whitespace().map(normal).collect();
    let said = placed_words(text);
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

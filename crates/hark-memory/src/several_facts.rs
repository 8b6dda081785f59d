//! Answers that take more than one fact. Two facts: "where does my brother's wife work" is answered by "Siobhan works at the bank"
//! together with "my brother got married to a girl called Siobhan". A fact and a later change to what it is about.

use crate::answer_kind::Wanted;
use crate::changing::content;
use crate::keep::{MAX_LOOKED_AT, Memory};
use crate::likeness::{Likeness, Question, is_inflected, names, shared};
use hark_core::Fault;
use hark_core::memory::{Entity, Fact};
use hark_language::names::telling_words;

/// First facts that are looked at, the likest.
const MAX_FIRST: usize = 5;
/// How near the words of the question are at the mean to those of both facts.
const BOTH_ANSWER: f32 = 0.62;
/// How much nearer both are than the first alone, over all words of the question.
const NEARER: f32 = 0.05;
/// How much less like the question a newer fact is that takes the place of the older one.
const AS_LIKE: f32 = 0.25;
/// Telling words with which a change begins, among which is what it is about.
const ABOUT: usize = 3;

impl Memory {
    /// Facts that answer, with the newest that tells of a change to what the first is about. Where a time, a place or a number
    /// is asked for and the newer tells one, it answers alone: "we've moved the passports, they're in the desk now".
    pub(crate) fn with_newer(
        &self,
        found: Vec<Fact>,
        asked: &Question,
        wanted: &Wanted,
    ) -> Result<Vec<Fact>, Fault> {
        let (Some(first), Some(reader)) = (found.first(), &self.reader) else { return Ok(found) };
        let words = content(&first.text);
        let mut newer = self.store.search(&words, true, MAX_LOOKED_AT)?;
        let likeness = |fact: &Fact| asked.likeness(&self.words_of_fact(fact), &[fact]);
        newer.retain(|fact| {
            let is_change = || reader.change(&fact.text).is_some();
            // It begins with what it is about.
            let begins: Vec<String> = content(&fact.text).into_iter().take(ABOUT).collect();
            fact.id > first.id
                && fact.source.speaker >= first.source.speaker
                && found.iter().all(|known| known.id != fact.id)
                && shared(&begins, &words) > 0
                && is_change()
        });
        let Some(newest) = newer.into_iter().max_by_key(|fact| fact.id) else { return Ok(found) };
        let (new, old) = (likeness(&newest), likeness(first));
        let is_kind = wanted.is_of_a_kind() && self.is_of_kind(&newest, wanted);
        if is_kind && new.mean + AS_LIKE >= old.mean {
            return Ok(vec![newest]);
        }
        let mut told = found;
        // Of the same somebody much may change that was not asked for.
        if is_kind || new.same > 0 && !wanted.is_of_a_kind() {
            told.insert(if new.mean >= old.mean { 0 } else { told.len() }, newest);
        }
        Ok(told)
    }

    /// The two facts that answer a question together, the one with the answer first; empty where there are none. `found`: the
    /// facts that have to do with it, the likest first.
    pub(crate) fn in_two_facts(
        &self,
        asked: &Question,
        found: &[(Fact, Likeness)],
        (wanted, whom): (&Wanted, &[Entity]),
    ) -> Result<Vec<Fact>, Fault> {
        let mut best: Option<(f32, Vec<Fact>)> = None;
        for (first, alone) in found.iter().filter(|(_, it)| it.same > 0).take(MAX_FIRST) {
            let told = self.words_of_fact(first);
            let is_asked = |word: &String| asked.words.iter().any(|asked| is_inflected(word, &asked.plain));
            let others: Vec<String> =
                told.iter().map(|word| word.plain.clone()).filter(|word| !is_asked(word)).collect();
            // "What does Lee's wife do" asks for nothing that the second could have more of.
            let leads_on = asked.leads_on(&told);
            let nearer = if leads_on { 0.0 } else { NEARER / asked.words.len() as f32 };
            let least = BOTH_ANSWER.max(alone.mean + nearer);
            for second in self.store.search(&others, true, MAX_LOOKED_AT)? {
                let about: Vec<String> = telling_words(&second.text).into_iter().take(1).collect();
                let both = [&*told, &*self.words_of_fact(&second)].concat();
                let is_named =
                    |one: &Entity| [first, &second].into_iter().any(|fact| names(fact, &both, &one.key));
                let may_answer = second.id != first.id
                    && shared(&about, &others) > 0
                    && !(leads_on && about.iter().any(|word| self.is_relation(word)))
                    && self.is_of_kind(&second, wanted)
                    && (self.names_all(first, wanted) || self.names_all(&second, wanted))
                    && whom.iter().all(is_named);
                if !may_answer {
                    continue;
                }
                let together = asked.likeness(&both, &[first, &second]);
                let is_best = best.as_ref().is_none_or(|(mean, _)| together.mean > *mean);
                if is_best && together.mean >= least && together.is_of_them {
                    best = Some((together.mean, vec![second, first.clone()]));
                }
            }
        }
        Ok(best.map(|(_, facts)| facts).unwrap_or_default())
    }
}

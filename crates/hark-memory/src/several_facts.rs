//! Questions that need two facts: "where does my brother's wife work" is answered by "Siobhan works at the bank" where "my
//! brother got married to a girl called Siobhan" was told as well. The second is about somebody or something in the first.

use crate::answer_kind::Wanted;
use crate::keep::{MOST_LOOKED_AT, Memory};
use crate::likeness::{Likeness, Question, is_inflected};
use hark_core::Fault;
use hark_core::memory::Fact;
use hark_language::names::telling_words;

/// First facts that are looked at, the likest.
const MOST_FIRST: usize = 5;
/// How near the words of the question are at the mean to those of both facts.
const BOTH_ANSWER: f32 = 0.62;
/// How much nearer both are than the first alone.
const NEARER: f32 = 0.08;

impl Memory {
    /// The two facts that answer a question together, the one with the answer first; empty where there are none. `found`: the
    /// facts that have to do with it, the likest first.
    pub(crate) fn in_two_facts(
        &self,
        asked: &Question,
        found: &[(Fact, Likeness)],
        wanted: &Wanted,
    ) -> Result<Vec<Fact>, Fault> {
        let mut best: Option<(f32, Vec<Fact>)> = None;
        for (first, alone) in found.iter().filter(|(_, it)| it.same > 0).take(MOST_FIRST) {
            let told = self.words_of_fact(first);
            let others: Vec<String> = told
                .iter()
                .map(|word| word.plain.clone())
                .filter(|word| !asked.words.iter().any(|asked| is_inflected(word, &asked.plain)))
                .collect();
            for second in self.store.search(&others, true, MOST_LOOKED_AT)? {
                let about = telling_words(&second.text).into_iter().next();
                let is_about =
                    about.is_some_and(|about| others.iter().any(|word| is_inflected(word, &about)));
                if !is_about || second.id == first.id || !self.is_of_kind(&second, wanted) {
                    continue;
                }
                let both = [&*told, &*self.words_of_fact(&second)].concat();
                let together = asked.likeness(&both, &[first, &second]);
                let is_better = together.mean >= BOTH_ANSWER.max(alone.mean + NEARER) && together.is_of_them;
                if is_better && best.as_ref().is_none_or(|(mean, _)| together.mean > *mean) {
                    best = Some((together.mean, vec![second, first.clone()]));
                }
            }
        }
        Ok(best.map(|(_, facts)| facts).unwrap_or_default())
    }
}

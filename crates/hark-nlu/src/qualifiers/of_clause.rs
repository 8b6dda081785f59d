//! Which parts of a request belong to a clause before them.

use super::{Kind, Qualifier, Qualifiers};

impl Qualifiers<'_> {
    /// Whether a length or hours belong to a condition before them: "when nobody has moved *for ten minutes* turn off the light"
    /// does not say how long the light is off, and "if it's *before nine*" is all of a condition.
    pub fn is_of_clause_before(&self, it: &Qualifier) -> bool {
        let waits = |other: &&Qualifier| {
            matches!(other.kind, Kind::When | Kind::EachTime | Kind::If | Kind::Unless | Kind::During)
                && other.mark.1 < it.start
        };
        let mut before = self.found.iter().filter(waits);
        let said = |other: &Qualifier| &self.words[other.mark.1..it.start];
        if it.kind != Kind::Lasting {
            return before.any(|other| self.speech.says_it_is(said(other)));
        }
        let lexicon = self.speech.reader.grammar.lexicon();
        let lasts = |other: &Qualifier| {
            let (elapsed, denied) = (lexicon.qualifiers.elapsed, lexicon.requests.negations);
            let stem = |word| lexicon.discourse.contraction(word).map_or(word, |(stem, _)| stem);
            said(other).iter().any(|word| elapsed.contains(stem(word)) || denied.contains(word))
        };
        let ends = it.end.is_some_and(|end| end < self.words.len() && self.is_likely_end(end));
        // "If the patio door's *open* longer than five minutes."
        let says_state = |at: usize| self.speech.is_state(self.words[at - 1]);
        let goes_on = |other: &Qualifier| {
            let mut inside = other.mark.1 + 1..=it.start;
            !inside.any(|at| self.is_likely_end(at) && !says_state(at))
        };
        before.any(|other| goes_on(other) && (ends || lasts(other)))
    }
}

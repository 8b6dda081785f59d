//! Where a correction begins, and what stands around it: "no", "oh it's Sunday", "that's too much".

use super::request_framing::Speech;
use hark_language::phrases;
use std::ops::Range;

impl Speech<'_> {
    /// Where a correction begins: at the next turn, behind what is remarked there, else at the last that is made.
    pub(super) fn correction_at(&self, words: &[&str]) -> Option<usize> {
        let talk = &self.lexicon().discourse;
        let marked = |at: usize| self.too_much(&words[at..]).or_else(|| self.correction(words, at));
        let is_mark = |at: usize| {
            marked(at).is_some_and(|it| it > 1 || self.stands_between_numbers(words, at..at + it))
        };
        let begins = |at: &usize| self.pauses_before(*at) || is_mark(*at);
        let corrects = |at: &usize| {
            let sighs = phrases::starts(talk.hesitations, &words[*at..]).unwrap_or(0);
            marked(at + sighs).is_some() || phrases::ends(talk.corrections_behind, &words[*at..]).is_some()
        };
        let next_turn = self.next_turn();
        let remark = next_turn.and_then(|begin| {
            let behind = begin + marked(begin).unwrap_or(0);
            let begin = if behind < words.len() && self.pauses_before(behind) { behind } else { begin };
            std::iter::successors(self.preface(words, begin), |at| self.preface(words, *at)).last()
        });
        match next_turn {
            Some(_) if remark.is_some() => remark,
            Some(at) => Some(at).filter(|at| {
                let denies = self.instead_of(&words[..*at], self.meant(&words[*at..])).is_some();
                let marks = [talk.corrections_with, talk.corrections_behind];
                denies
                    || corrects(at)
                    || marks.into_iter().any(|it| phrases::starts(it, &words[*at..]).is_some())
            }),
            None => (1..words.len()).rev().filter(begins).find(corrects),
        }
    }

    /// How many words correct what stands before them: "no", "on second thought"; between pauses also what takes it back,
    /// "forget that".
    pub(super) fn correction(&self, words: &[&str], at: usize) -> Option<usize> {
        let talk = &self.lexicon().discourse;
        let taken_back = || {
            let length = phrases::starts(talk.taken_back, &words[at..])?;
            let is_apart = at > 0 && at + length < words.len();
            (is_apart && self.pauses_before(at) && self.pauses_before(at + length)).then_some(length)
        };
        taken_back().or_else(|| phrases::starts(talk.corrections, &words[at..]))
    }

    /// Where a remark ends that stands before a correction: "*oh it's Sunday*, do nine instead", "*forget the sunrise*, do it at
    /// eight", "no, *granny likes them soft*, make it six".
    fn preface(&self, words: &[&str], begin: usize) -> Option<usize> {
        let talk = &self.lexicon().discourse;
        let end = (begin + 1..words.len()).find(|end| self.pauses_before(*end))?;
        let said = &words[begin..end];
        let dismisses = phrases::starts(talk.dismissals, said).is_some();
        let is_before_edit =
            || phrases::starts(talk.corrections_with, &words[end..]).is_some() && self.says_nothing(said);
        (dismisses || self.is_remark(said) || is_before_edit()).then_some(end)
    }

    /// How many words say that what was said is too much or wrong: "no that's *way too hot*", "it's too early".
    pub(super) fn too_much(&self, words: &[&str]) -> Option<usize> {
        let (talk, said) = (&self.lexicon().discourse, &self.lexicon().qualifiers);
        let from = phrases::starts(talk.corrections, words).unwrap_or(0);
        // "*That* was wrong."
        let pronouns = self.lexicon().requests.pronouns;
        let state = from + usize::from(words.get(from).is_some_and(|word| pronouns.contains(word)));
        words.get(state).filter(|word| self.is_state(word))?;
        let from = state + 1 + phrases::starts(talk.fillers, words.get(state + 1..)?).unwrap_or(0);
        let length =
            [talk.dismissals, said.vague].into_iter().filter_map(|it| phrases::starts(it, &words[from..]));
        Some(from + length.max()?)
    }

    /// Whether some words hold neither a name nor a number.
    pub(super) fn says_nothing(&self, words: &[&str]) -> bool {
        let is_number = |word: &&str| self.lexicon().numbers.number(&[*word]).is_some();
        !words.iter().any(is_number) && !self.has_name(words)
    }

    /// Whether some words have a number on both sides: "at nine *no* at ten", "to twenty *no* twenty one".
    fn stands_between_numbers(&self, words: &[&str], mark: Range<usize>) -> bool {
        let is_number = |words: &[&str]| self.lexicon().numbers.number(words).is_some();
        let behind = &words[mark.end..];
        let at = phrases::starts(self.lexicon().time.at, behind).unwrap_or(0);
        is_number(&words[mark.start - 1..mark.start]) && is_number(&behind[at..])
    }

    /// What was said before a correction, without what begins it: "the kettle, *er*, no, the coffee machine".
    pub(super) fn without_marks<'w>(&self, wrong: &'w [&'w str]) -> &'w [&'w str] {
        let talk = &self.lexicon().discourse;
        phrases::without_ends(&[talk.corrections, talk.hesitations], wrong)
    }

    /// The number or time of what only says that it is well: "*seven*'s fine", "*half past eight* is better".
    pub(super) fn number_that_is<'w>(&self, meant: &[&'w str]) -> Option<Vec<&'w str>> {
        let lexicon = self.lexicon();
        let (at, (stem, is)) = meant
            .iter()
            .enumerate()
            .find_map(|(at, word)| Some((at, lexicon.discourse.contraction(word)?)))?;
        lexicon.numbers.number(&[stem])?;
        let behind = [&[*is.first()?], &meant[at + 1..]].concat();
        let is_well = phrases::starts(lexicon.discourse.corrections_behind, &behind) == Some(behind.len());
        is_well.then(|| [&meant[..at], &[stem]].concat())
    }
}

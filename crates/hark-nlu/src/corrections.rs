//! Where a correction begins, and what stands around it: "no", "oh it's Sunday", "that's too much".

use super::request_framing::Speech;
use super::text::is_unit;
use hark_language::phrases;
use std::ops::Range;

impl Speech<'_> {
    /// Where a correction begins: at the next turn, behind what is remarked there, else at the last that is made.
    pub(super) fn correction_at(&self, words: &[&str]) -> Option<usize> {
        let talk = &self.lexicon().discourse;
        let marked = |at: usize| self.too_much(&words[at..]).or_else(|| self.correction(words, at));
        let is_mark = |at: usize| {
            marked(at).is_some_and(|it| {
                it > 1 || self.edits_from(words, at) || self.stands_between_numbers(words, at..at + it)
            })
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
                let (wrong, meant) = (&words[..*at], self.meant(&words[*at..]));
                let is_not = meant.first().is_some_and(|it| self.lexicon().requests.negations.contains(it));
                let denies = self.instead_of(wrong, meant).is_some()
                    || is_not && self.without_item(wrong, &meant[1..]).is_some();
                let marks = [talk.corrections_with, talk.corrections_behind];
                denies
                    || corrects(at)
                    || marks.into_iter().any(|it| phrases::starts(it, &words[*at..]).is_some())
            }),
            None => (1..words.len()).rev().filter(begins).find(corrects),
        }
    }

    /// Whether a value is put right from `at` on, be there a pause or none: "to nineteen *no make it twenty*".
    pub(super) fn edits_from(&self, words: &[&str], at: usize) -> bool {
        let talk = &self.lexicon().discourse;
        let edits = |from: usize| {
            let length = phrases::starts(talk.corrections_with, &words[from..])?;
            self.lexicon().numbers.number(words.get(from + length..)?).map(|_| ())
        };
        phrases::starts(talk.corrections, &words[at..]).is_some_and(|it| edits(at + it).is_some())
    }

    /// How many words correct what stands before them: "no", "on second thought"; between pauses also what takes it back,
    /// "forget that".
    pub(super) fn correction(&self, words: &[&str], at: usize) -> Option<usize> {
        let corrections = self.lexicon().discourse.corrections;
        self.taken_back_at(words, at).or_else(|| phrases::starts(corrections, &words[at..]))
    }

    /// How many words between pauses take back what stands before them: "no, *leave them*, …".
    pub(super) fn taken_back_at(&self, words: &[&str], at: usize) -> Option<usize> {
        let length = phrases::starts(self.lexicon().discourse.taken_back, &words[at..])?;
        let is_apart = at > 0 && at + length < words.len();
        (is_apart && self.pauses_before(at) && self.pauses_before(at + length)).then_some(length)
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

    /// Whether some words have a number on both sides: "at nine *no* at ten", "to twenty degrees *no* twenty one".
    fn stands_between_numbers(&self, words: &[&str], mark: Range<usize>) -> bool {
        let numbers = &self.lexicon().numbers;
        let is_number = |words: &[&str]| numbers.number(words).is_some();
        let has_unit = mark.start > 1 && is_unit(words[mark.start - 1], self.lexicon());
        let before = mark.start - usize::from(has_unit);
        let behind = &words[mark.end..];
        let at = phrases::starts(self.lexicon().time.at, behind).unwrap_or(0);
        is_number(&words[before - 1..before]) && is_number(&behind[at..])
    }

    /// What was said before a correction, without what begins it: "the kettle, *er*, no, the coffee machine".
    pub(super) fn without_marks<'w>(&self, wrong: &'w [&'w str]) -> &'w [&'w str] {
        let talk = &self.lexicon().discourse;
        phrases::without_ends(&[talk.corrections, talk.hesitations, talk.taken_back], wrong)
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

    /// The request with what was meant where it names what was wrong: "sixteen, not six", "not six, sixteen".
    pub(super) fn instead_of(&self, wrong: &[&str], meant: &[&str]) -> Option<String> {
        let negations = self.lexicon().requests.negations;
        let at = (0..meant.len()).find(|at| negations.contains(meant[*at]))?;
        // "Not at weekends" puts nothing in the place of "at".
        let small = self.lexicon().things.small_words;
        let with = |said: &[&str], meant: &[&str]| {
            (!said.iter().all(|word| small.contains(word))).then_some(())?;
            let place = wrong.windows(said.len()).rposition(|window| window == said)?;
            let behind = &wrong[place + said.len()..];
            // "Two *degrees*, not three" of "three degrees".
            let twice =
                (1..meant.len()).rev().find(|length| behind.starts_with(&meant[meant.len() - length..]));
            Some([&wrong[..place], meant, &behind[twice.unwrap_or(0)..]].concat().join(" "))
        };
        if at > 0 {
            // "The doctor *i should say*, not the dentist."
            let new = phrases::without_ends(&[self.lexicon().discourse.corrections_behind], &meant[..at]);
            // "*It's* seven, not six."
            let new = if new.len() > 1 && self.is_state(new[0]) { &new[1..] } else { new };
            let said = meant.get(at + 1..).filter(|said| !said.is_empty())?;
            // "Make that half past *and* it's the doctor, not the dentist" puts two things right.
            let joins =
                |words: &[&str]| words.iter().any(|word| self.lexicon().requests.connectors.contains(word));
            return if joins(new) && !joins(said) { None } else { with(said, new) };
        }
        (2..meant.len()).rev().find_map(|end| {
            let but = phrases::starts(self.lexicon().qualifiers.but, &meant[end..]).unwrap_or(0);
            // "Not bin bags" are two words of one thing, "not six sixteen" two numbers.
            let is_number = |word: &str| self.lexicon().numbers.number(&[word]).is_some();
            // "Not oat milk, soya."
            let pauses =
                || self.words().ends_with(meant) && self.pauses_before(self.tokens.len() - meant.len() + end);
            let is_parted =
                but > 0 || self.is_target(&meant[1..end]) || is_number(meant[end - 1]) || pauses();
            is_parted.then_some(())?;
            with(&meant[1..end], meant.get(end + but..).filter(|meant| !meant.is_empty())?)
        })
    }

    /// A list of things without one of them: "add bread and bin bags … not *bin bags*".
    pub(super) fn without_item(&self, wrong: &[&str], said: &[&str]) -> Option<String> {
        let article = usize::from(said.first().is_some_and(|it| self.lexicon().things.articles.contains(it)));
        let ends = (article + 1..=said.len()).rev();
        ends.filter(|end| said.get(*end..).is_some_and(|rest| rest.is_empty() || self.is_remark(rest)))
            .find_map(|end| self.without_words(wrong, &said[article..end]))
    }

    /// A request without some words that a connector joins to others.
    fn without_words(&self, wrong: &[&str], item: &[&str]) -> Option<String> {
        let joins = |at: &usize| self.lexicon().requests.connectors.contains(wrong[*at]);
        let joint = (1..wrong.len()).filter(joins).find_map(|at| {
            let behind = at + 1 + item.len();
            let is_behind = wrong.get(at + 1..behind) == Some(item);
            let before = at.checked_sub(item.len()).filter(|from| wrong[*from..at] == *item);
            if is_behind { Some(at..behind) } else { before.map(|from| from..at + 1) }
        })?;
        Some([&wrong[..joint.start], &wrong[joint.end..]].concat().join(" "))
    }
}

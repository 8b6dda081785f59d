//! Requests to be told: "tell me", and what a reminder says at its time.

use super::super::grammar::{Match, Part, Reader, Took};
use super::super::rules::{self, Rule};
use super::super::text::Token;
use super::model::Composed;
use super::terms::TIMES;
use super::{Composer, SCHEDULED, span};
use hark_core::Slots;
use hark_core::automation::intent::{ANNOUNCE, COMMAND};

/// A request to be told what has happened: "tell me".
pub(super) fn notice(reader: &Reader<'_>, text: &str, tokens: &[Token]) -> Option<Match> {
    let found = reader.part(Part::Notice, false, text, tokens)?;
    Some(Match { intent: ANNOUNCE.to_owned(), ..found })
}

impl Composer<'_> {
    /// A request to be told what has happened: "tell me".
    pub(super) fn notice(&self, text: &str, tokens: &[Token]) -> Option<Match> {
        notice(self.reader, text, tokens)
    }

    /// Whether what has to be so is asked beside another request: "turn on the lamp and *tell me* if the door is locked".
    pub(super) fn asks_beside(&self, text: &str, tokens: &[Token], (start, end): (usize, usize)) -> bool {
        let connectors = self.reader.grammar.lexicon().requests.connectors;
        let is_joined = |at: usize| tokens.get(at).is_some_and(|token| connectors.contains(&token.word));
        let begins = |from: &usize| if *from == 0 { is_joined(end) } else { is_joined(from - 1) };
        (0..start).filter(begins).any(|from| self.notice(text, &tokens[from..start]).is_some())
    }

    /// The same beside a request: "tell me and close the tap".
    pub(super) fn notice_beside(
        &self,
        text: &str,
        tokens: &[Token],
        clauses_left: usize,
    ) -> Option<Composed> {
        let connectors = self.reader.grammar.lexicon().requests.connectors;
        let is_between = |at: &usize| connectors.contains(&tokens[*at].word);
        (1..tokens.len().saturating_sub(1)).filter(is_between).find_map(|at| {
            let (before, behind) = (&tokens[..at], &tokens[at + 1..]);
            let (first, tell, rest) = match self.notice(text, before) {
                Some(tell) => (true, tell, behind),
                None => (false, self.notice(text, behind)?, before),
            };
            let mut found = self.request(span(text, rest), clauses_left)?;
            let (between, telling) = (&tokens[at].word, span(text, if first { before } else { behind }));
            // At its time, as what is put off is.
            if found.put_off(|command| format!("{command} {between} {telling}")) {
                return Some(found);
            }
            let place = if first { 0 } else { found.matches.len() };
            found.matches.insert(place, tell);
            Some(found)
        })
    }

    /// To be told at a time, once or again and again: "at nine tell me", "tell me at nine every evening".
    pub(super) fn notice_at(&self, text: &str) -> Option<Composed> {
        let tokens = self.reader.tokenise(text);
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let by = self.reader.reckoning();
        let timed = |rule, from: usize| {
            let (found, used) = rules::longest(rule, &words[from..], &by)?;
            Some((found.into_iter().next()?.1, from + used))
        };
        let once = |from: usize| Some((TIMES[0], timed(Rule::Datetime, from)?));
        let again = |from: usize| Some((TIMES[1], timed(Rule::Recurrence, from)?));
        let times = |from: usize| [again(from), once(from)].into_iter().flatten().max_by_key(|it| it.1.1);
        let (slot, when, told, found) = (0..words.len()).find_map(|from| {
            let (slot, (when, end)) = times(from)?;
            let told = match (from, end == words.len()) {
                (0, false) => &tokens[end..],
                (1.., true) => &tokens[..from],
                _ => return None,
            };
            self.notice(text, told).map(|found| (slot, when, span(text, told), found))
        })?;
        let slots = Slots::from_iter([(slot.to_owned(), when), (COMMAND.to_owned(), told.into())]);
        let words = tokens.iter().map(|token| (token.word.clone(), Took::Meant)).collect();
        let later = Match { intent: SCHEDULED.to_owned(), slots, words, ..found };
        Some(Composed::of(vec![later], text.trim().to_owned()))
    }
}

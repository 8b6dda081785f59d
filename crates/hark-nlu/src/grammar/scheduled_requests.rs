//! Requests that are to be carried out later: "turn off the lamp in ten minutes", "every day at seven turn on the lamp".

use super::Match;
use super::parse_result::Found;
use super::reader::{How, Reader};
use crate::intent::{category_of, leans_on_another};
use crate::request_framing::Speech;
use crate::requests::{self, Words};
use crate::text::{self, Token};
use chrono::NaiveDateTime;
use hark_core::Category;
use hark_core::automation::intent::{COMMAND, OF_IT, SEVERAL, TO_IT};
use hark_core::calendar::When;
use hark_language::{Phrases, phrases};
use serde_json::{Value, json};
use std::ops::Range;

impl Reader<'_> {
    /// What is to be done later has to be something that is understood to the last word: "announce that we leave in ten
    /// minutes" is an announcement. What is put off is not put off again.
    pub(super) fn can_do_later(&self, found: &Found, tokens: &[Token]) -> bool {
        let Some(command) = found.slots.get(COMMAND).and_then(Value::as_str) else { return true };
        let said = tokens;
        let tokens = text::tokenise(command, self.grammar.lexicon());
        let may = |it: &Match| it.intent == TO_IT || !leans_on_another(&it.intent);
        // "Until the film ends at ten" ends then, and does not begin.
        let place = |slot: &str| found.spans.iter().find(|span| span.slot == slot).map(|span| span.start);
        let until = self.grammar.lexicon().qualifiers.until;
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let has_end = (0..words.len()).any(|at| phrases::starts(until, &words[at..]).is_some());
        // "Leave it on till eleven" as well.
        let first = place("when").and_then(|at| said.get(at));
        let is_end = first.is_some_and(|first| phrases::starts(until, &[first.word.as_str()]).is_some());
        if place(COMMAND) < place("when") && (has_end || is_end) {
            return false;
        }
        // "And *another one* for half past seven" is of the kind that was set before, "at nine, *no*, at ten" corrects.
        let lexicon = self.grammar.lexicon();
        let is_one = phrases::starts(lexicon.requests.one_of_them, &words) == Some(words.len());
        if is_one || phrases::starts(lexicon.discourse.corrections, &words).is_some() {
            return false;
        }
        self.at_once(command, &tokens)
            .is_some_and(|it| it.wild_words == 0 && may(&it) && may_wait(&it, found, self.now))
    }

    /// The best match of some tokens of `text` as something to be done now.
    fn at_once(&self, text: &str, tokens: &[Token]) -> Option<Match> {
        let read = |tokens| self.best(text, tokens, &[], |found| !found.slots.contains_key(COMMAND));
        // "Open them *again*."
        let plainly = || {
            let found = read(Speech { reader: self, text, tokens }.without_courtesies_behind()?);
            found.filter(|found| found.intent == TO_IT)
        };
        self.once(How::AtOnce, text, tokens, || read(tokens).or_else(plainly))
    }

    /// What is to be done later to "it" cannot tell then what that was.
    pub(super) fn note_of_it(&self, found: &mut Match) {
        let Some(command) = found.slots.get(COMMAND).and_then(Value::as_str) else { return };
        let tokens = text::tokenise(command, self.grammar.lexicon());
        if self.at_once(command, &tokens).is_some_and(|it| it.intent == TO_IT) {
            let of_it = self.of_it(command);
            found.slots.insert(OF_IT.to_owned(), of_it);
        }
    }

    /// The words of something done to "it" with a place for its name, and what joins two names.
    pub(crate) fn of_it(&self, act: &str) -> Value {
        let words = self.with_name(act, "{}").unwrap_or_else(|| format!("{{}} {act}"));
        let requests = &self.grammar.lexicon().requests;
        let several = self.tokenise(act).iter().any(|token| requests.several_pronouns.contains(&token.word));
        let the = self.grammar.lexicon().things.definite.text();
        let mut of_it = json!({ "words": words, "and": requests.connectors.first(), "the": the });
        if several {
            of_it[SEVERAL] = true.into();
        }
        of_it
    }

    /// An act upon "it", with the name of what it is.
    pub(crate) fn with_name(&self, act: &str, name: &str) -> Option<String> {
        self.with_name_for(self.grammar.lexicon().requests.pronouns, act, name)
    }

    /// A text with a name for the first of some words.
    pub(crate) fn with_name_for(&self, pronouns: Phrases, text: &str, name: &str) -> Option<String> {
        let tokens = self.tokenise(text);
        let it = tokens.iter().find_map(|token| self.pronoun(pronouns, token))?;
        Some(with_name_at(text, it, name))
    }

    /// A text with a name for the last "it".
    pub(crate) fn with_last_named(&self, text: &str, name: &str) -> Option<String> {
        let pronouns = self.grammar.lexicon().requests.pronouns;
        let tokens = self.tokenise(text);
        let it = tokens.iter().rev().find_map(|token| self.pronoun(pronouns, token))?;
        Some(with_name_at(text, it, name))
    }

    /// Where one of some words stands in a token; also in a contraction: "it's".
    fn pronoun(&self, pronouns: Phrases, token: &Token) -> Option<Range<usize>> {
        let whole = || pronouns.contains(token.word.as_str()).then_some(token.start..token.end);
        whole().or_else(|| {
            let (stem, _) = self.grammar.lexicon().discourse.contraction(&token.word)?;
            pronouns.contains(stem).then_some(token.start..token.start + stem.len())
        })
    }

    /// The same of several things: a time behind "turn off the lamp and the fan" is that of both.
    pub(crate) fn several_later(&self, text: &str, tokens: &[Token]) -> Option<Match> {
        let parse = |text: &str, tokens: &[Token], _: Words| self.at_once(text, tokens);
        let timed = |it: &Match| it.slots.contains_key("when") || it.slots.contains_key("recurrence");
        self.best(text, tokens, &[], |found| {
            let Some(command) = found.slots.get(COMMAND).and_then(Value::as_str) else { return false };
            let tokens = text::tokenise(command, self.grammar.lexicon());
            requests::all(command, &tokens, self, &parse).is_some_and(|several| {
                let same = |it: &Match| it.intent == several.matches[0].intent && !timed(it);
                let may = |it: &Match| same(it) && it.wild_words == 0 && may_wait(it, found, self.now);
                several.matches.iter().all(may)
            })
        })
    }
}

/// A text with a name in the place of a word.
fn with_name_at(text: &str, word: Range<usize>, name: &str) -> String {
    format!("{}{name}{}", &text[..word.start], &text[word.end..])
}

/// A time is a moment to come ("now" is none) or a part of a day ("tonight"), for a day may be meant otherwise ("the sun"), and what is asked of one ("is
/// it on at nine") is no question to be answered then. The time of an alarm or a reminder is its own ("new alarm at six"), and "stop it" means nothing later.
fn may_wait(command: &Match, found: &Found, now: NaiveDateTime) -> bool {
    let never = [Category::Timer, Category::Reminder, Category::Conversation];
    if category_of(&command.intent).is_some_and(|it| never.contains(&it)) {
        return false;
    }
    let asks = command.only_asks();
    match found.slots.get("when").and_then(Value::as_str).map(When::parse) {
        None => true,
        Some(when) => matches!(when, Some(When::Moment(at) | When::Span(_, at)) if at > now) && !asks,
    }
}

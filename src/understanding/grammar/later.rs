//! Requests that are to be carried out later: "turn off the lamp in ten minutes", "every day at seven turn on the lamp".

use super::Grammar;
use super::found::Found;
use crate::domain::calendar::When;
use crate::domain::{Category, Slots};
use crate::understanding::intent::category_of;
use crate::understanding::requests;
use crate::understanding::text;
use chrono::NaiveDateTime;
use serde_json::Value;

/// Slot of a request that is to be carried out later.
const COMMAND: &str = "conversation_command";

/// Words that are looked at for several requests: there are many ways to part more.
const MOST_WORDS: usize = 12;

/// Slots of times.
const TIMES: [&str; 2] = ["when", "recurrence"];

impl Grammar {
    /// What is to be done later has to be something that is understood to the last word: "announce that we leave in ten
    /// minutes" is an announcement. A time is a moment, for a day may be meant otherwise ("the sun"), and what is asked
    /// of one ("is it on at nine") is no question to be answered then.
    pub(super) fn can_do_later(&self, found: &Found, now: NaiveDateTime) -> bool {
        let Some(command) = found.slots.get(COMMAND).and_then(Value::as_str) else { return true };
        match found.slots.get("when").and_then(Value::as_str).map(When::parse) {
            None => self.understands_wholly(command, now, |_| true),
            Some(Some(When::Moment(_))) => self.understands_wholly(command, now, |intent| {
                let asks = [Category::HomeQuery, Category::Question, Category::Weather];
                !category_of(intent).is_some_and(|category| asks.contains(&category))
            }),
            Some(_) => false,
        }
    }

    /// One request, or the same of several things: a time behind "turn off the lamp and the fan" is that of both. What is
    /// put off is not put off again.
    fn understands_wholly(&self, command: &str, now: NaiveDateTime, may: impl Fn(&str) -> bool) -> bool {
        let tokens = text::tokenise(command, self.tongue());
        let at_once = |found: &Found| !found.slots.contains_key(COMMAND);
        let parse = |text: &str, tokens: &[text::Token]| self.best(text, tokens, now, &[], at_once);
        if let Some(one) = parse(command, &tokens) {
            return one.wild_words == 0 && may(&one.intent);
        }
        let several = (tokens.len() <= MOST_WORDS)
            .then(|| requests::all(command, &tokens, self.tongue(), &parse))
            .flatten();
        let timed = |slots: &Slots| TIMES.iter().any(|slot| slots.contains_key(*slot));
        several.is_some_and(|several| {
            let same = |it: &super::Match| it.intent == several.matches[0].intent && !timed(&it.slots);
            several.matches.iter().all(|it| same(it) && it.wild_words == 0 && may(&it.intent))
        })
    }
}

//! Remarks beside a request that no rule knows: "shut the blinds *Robert likes a nap*", "*it's perishing* turn the heating up".

use super::{Router, Said, SharedClassifier, has_unread_parts};
use hark_core::classification::Statement;
use hark_core::ports::NEXT_TURN;
use hark_core::{Category, Intent, Understanding};
use hark_language::{Lexicon, phrases};
use std::sync::PoisonError;

/// Words are left out as a remark where they ask for nothing with at least this likelihood.
const LIKELY_NOTHING: f32 = 0.6;

/// Words of a speaker are one with this likelihood, whatever they count or deny.
const SURELY_NOTHING: f32 = 0.9;

/// A text is no request where it tells something worth to be kept with at least this likelihood.
const SURELY_TOLD: f32 = 0.9;

/// Fewest words of a remark, and of a request.
const MIN_WORDS: usize = 2;

/// Kinds of requests that change nothing.
const QUESTIONS: [Category; 3] = [Category::Question, Category::HomeQuery, Category::Weather];

/// An order of fewer words than this may end anywhere.
const MAX_ORDER: usize = 5;

/// Most places where an order is looked for.
const MAX_ORDERS: usize = 2;

/// Most stretches of a text that are looked at.
const MAX_STRETCHES: usize = 6;

impl Router {
    /// What a text asks for without a remark before or behind it, or else the thing it names that the home does not have; `None`
    /// where there is no remark, or the rest is not understood to its end.
    pub(super) fn beside_remark(
        &self,
        language: &str,
        classifier: &SharedClassifier,
        said: &Said<'_>,
    ) -> Option<Understanding> {
        let lexicon = hark_language::known(&self.spoken.first()?.language)?;
        let words: Vec<&str> = said.text.split_whitespace().collect();
        let lower = plain_words(said.text);
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        // "As soon as the cat is back" is no remark, and nothing of it is: what limits a request is never left out.
        let said_so = &lexicon.qualifiers;
        let waits =
            [said_so.when, said_so.each_time, said_so.if_so, said_so.unless, said_so.during, said_so.until];
        let is_limited = |words: &[&str]| {
            let begins = |at: usize| {
                let marks = waits.iter().chain([&said_so.conditions, &said_so.exceptions]);
                marks.into_iter().any(|marks| phrases::starts(*marks, &words[at..]).is_some())
            };
            (0..words.len()).any(begins)
        };
        // "*And* it's my gran" says more, and "as soon *as the cat* is back", "except *upstairs people are asleep*" are in the
        // midst of what limits the request.
        let limits_to = |at: usize| {
            let reaches = |from: usize| {
                let marks = waits.iter().chain([&said_so.before_clause, &said_so.exceptions, &said_so.but]);
                marks.filter_map(|marks| phrases::starts(*marks, &lower[from..])).any(|it| from + it >= at)
            };
            (0..at).any(reaches)
        };
        // "How much *is* the plumber charging" and "how long*'s* that scaffolding up" ask of what follows.
        let asks = self.begins_as_question(said.text);
        let is_of_state = |word: &str| {
            let states = lexicon.discourse.states;
            states.contains(word) || asks && lexicon.discourse.contraction(word).is_some()
        };
        let joins = |at: usize| {
            lexicon.requests.connectors.contains(lower[at - 1]) || is_of_state(lower[at - 1]) || limits_to(at)
        };
        let places = MIN_WORDS..(words.len() + 1).saturating_sub(MIN_WORDS);
        let behind = places.clone().filter(|at| begins_statement(lexicon, &lower, *at) && !joins(*at));
        // "*Right* that's the accounts done everything off."
        let leads = phrases::starts(lexicon.discourse.leads, &lower).unwrap_or(0);
        let before = places.filter(|at| {
            // "Nobody's *to* wake me" says whom nobody is to wake.
            begins_order(lexicon, &lower[*at..])
                && (!lexicon.discourse.not_before.contains(lower[*at - 1])
                    || lexicon.requests.pronouns.contains(lower[*at - 1]))
                && leads < *at
                && begins_statement(lexicon, &lower, leads)
        });
        // The shortest first: what is more than a remark is kept.
        let behind = behind.rev().map(|at| (0..at, at..words.len()));
        let stretches = behind.chain(before.map(|at| (at..words.len(), 0..at)));
        let mut stretches = stretches.take(MAX_STRETCHES).peekable();
        // Numbers say more than why; "not half" is none.
        let counts = |words: &[&str]| {
            words.iter().any(|word| lexicon.numbers.number(&[*word]).is_some_and(|(number, _)| number >= 1.0))
        };
        stretches.peek()?;
        let tells =
            || statement(classifier, said, said.text).is_none_or(|it| it.worth_keeping >= SURELY_TOLD);
        if said.text.contains(NEXT_TURN) || tells() {
            return None;
        }
        let mut unknown = None;
        let understood = stretches.find_map(|(request, remark)| {
            let said_in = &lower[remark.clone()];
            // "The shed" says nothing: it may be one more thing.
            let is_thing = lexicon.things.articles.contains(said_in[0]) && said_in.len() <= MIN_WORDS;
            let told = || statement(classifier, said, &words[remark.clone()].join(" "));
            let corrects = phrases::starts(lexicon.discourse.corrections, said_in).is_some();
            let may_mean = corrects || counts(said_in) || contrasts(lexicon, said_in);
            // "I can't do *nine* a.m. *without it*": where a speaker surely asks for nothing, neither says what is meant.
            let begins = |marks| phrases::starts(marks, said_in).is_some();
            let speaks = !corrects && begins(lexicon.discourse.speakers) && !begins(lexicon.discourse.others);
            let least = match (may_mean, speaks) {
                (true, true) => SURELY_NOTHING,
                (true, false) => return None,
                (false, _) => LIKELY_NOTHING,
            };
            let is_remark = !is_thing
                && !joins_order(lexicon, said_in)
                && !is_limited(said_in)
                && !leaves_out(lexicon, said_in)
                && told().is_some_and(|it| it.asks_nothing >= least);
            is_remark.then_some(())?;
            let request = words[request].join(" ");
            let (found, is_understood) = self.by_templates(language, &Said { text: &request, ..*said });
            if is_understood && !has_unread_parts(&found) {
                let classification = self.classification(said.text, &found);
                return Some(Understanding { classification, ..found });
            }
            let is_sure = |found: &Understanding| found.unknown.as_ref().is_some_and(|thing| thing.sure);
            unknown = unknown.take().or(Some(found).filter(is_sure));
            None
        });
        understood.or(unknown)
    }

    /// Whether some words are an order to their end.
    fn is_order(&self, words: &[&str], lexicon: &Lexicon, said: &Said<'_>) -> bool {
        let order = words.join(" ");
        let (found, _) = self.by_templates(lexicon.code, &Said { text: &order, ..*said });
        let asks = |intent: &Intent| {
            let category = (self.facts.category_of)(&intent.name);
            category.is_some_and(|it| QUESTIONS.contains(&it))
        };
        !found.intents.is_empty() && !has_unread_parts(&found) && !found.intents.iter().any(asks)
    }

    /// Whether a text holds an order, behind other words or before a statement: "next time he goes out *lock the door*", "*lights
    /// on everywhere except upstairs* people are asleep". Such a text is no fact.
    pub(super) fn orders_within(&self, said: &Said<'_>) -> bool {
        let Some(lexicon) = self.spoken.first().and_then(|it| hark_language::known(&it.language)) else {
            return false;
        };
        let words = plain_words(said.text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let talk = &lexicon.discourse;
        // "The third *switch*" is a thing.
        let counts = |word: &str| lexicon.numbers.ordinal(&[word]).is_some();
        let begins = |at: &usize| {
            let before = words[at - 1];
            begins_order(lexicon, &words[*at..]) && !talk.not_before.contains(before) && !counts(before)
        };
        let orders = |at: usize| {
            // Anything may stand behind it: "turn it off | every time, I always forget".
            let ends = (at + MIN_WORDS..words.len())
                .filter(|end| *end < at + MAX_ORDER || begins_statement(lexicon, &words, *end));
            std::iter::once(words.len()).chain(ends).any(|end| self.is_order(&words[at..end], lexicon, said))
        };
        // Where nothing can be read any more, a verb counts for an order.
        let is_order = |at: usize| said.effort.is_spent() || orders(at);
        let first = || {
            let mut ends = (MIN_WORDS..words.len()).filter(|end| begins_statement(lexicon, &words, *end));
            let is_read = |end: usize| self.is_order(&words[..end], lexicon, said);
            !begins_statement(lexicon, &words, 0) && ends.by_ref().take(MAX_ORDERS).any(is_read)
        };
        (1..words.len().saturating_sub(1)).filter(begins).take(MAX_ORDERS).any(is_order) || first()
    }
}

/// The words of a text in lower case, without the marks around them.
pub(super) fn plain_words(text: &str) -> Vec<String> {
    let plain = |word: &str| word.trim_matches([',', '.', ';', '!']).to_lowercase();
    text.split_whitespace().map(plain).collect()
}

/// How likely a text is a statement; `None` where that was not learned.
fn statement(classifier: &SharedClassifier, said: &Said<'_>, text: &str) -> Option<Statement> {
    let ask = || classifier.lock().unwrap_or_else(PoisonError::into_inner).statement(text).ok().flatten();
    said.effort.apart(ask)
}

/// Whether some words put something right: "it's my gran *not my mum*", "she doesn't want it"; "he's not well" does not.
fn contrasts(lexicon: &Lexicon, words: &[&str]) -> bool {
    let (talk, requests) = (&lexicon.discourse, &lexicon.requests);
    let denies = words.iter().any(|word| requests.negations.contains(word));
    denies && words[1..].iter().any(|word| requests.pronouns.contains(word))
        || words.windows(2).any(|pair| pair[1] == requests.not.text() && !talk.says_state(pair[0]))
}

/// Whether some words leave something out: "the bathroom *can stay* as it is".
fn leaves_out(lexicon: &Lexicon, words: &[&str]) -> bool {
    (0..words.len()).any(|at| phrases::starts(lexicon.qualifiers.stays, &words[at..]).is_some())
}

/// Whether an order stands behind a connector within some words: "the messages are here *and remind me to lock it again*".
fn joins_order(lexicon: &Lexicon, words: &[&str]) -> bool {
    let joins = lexicon.requests.connectors;
    (1..words.len()).any(|at| joins.contains(words[at - 1]) && begins_order(lexicon, &words[at..]))
}

/// Whether some words begin as an order does: with a verb, also one of everyday speech ("*stick* the light on"), or with "everything
/// off".
pub(super) fn begins_order(lexicon: &Lexicon, words: &[&str]) -> bool {
    let (verbs, plain) = (lexicon.discourse.verbs, phrases::find(lexicon.discourse.plain_words, words));
    let is_verb = |plain: &str| plain.split(' ').next().is_some_and(|first| verbs.contains(first));
    let is_all = matches!(words, [all, state, ..]
        if lexicon.things.every.contains(all) && lexicon.discourse.closing.contains(state));
    is_all || phrases::starts(verbs, words).is_some() || plain.is_some_and(|(plain, _)| is_verb(plain.text()))
}

/// Whether the words from `at` on begin as a statement does: with a subject, "the baby", "she's", "Robert likes".
fn begins_statement(lexicon: &Lexicon, words: &[&str], at: usize) -> bool {
    let talk = &lexicon.discourse;
    let begins = [talk.speakers, talk.others, talk.kin, talk.reasons, lexicon.things.articles];
    begins.into_iter().any(|begin| phrases::starts(begin, &words[at..]).is_some())
        || talk.contraction(words[at]).is_some()
        || words.get(at + 1).is_some_and(|word| talk.states.contains(word))
}

//! A turn that corrects the one before, asks for the same of something else, or goes on with it: both are read as one.

use super::edits::which_one;
use super::grammar::{Match, Reader};
use super::intent::category_of;
use super::qualifiers::{Kind, Qualifier, Qualifiers};
use super::request_framing::{Speech, spoken};
use super::rules;
use super::to_intent::{WILD_CONFIDENCE, is_whole};
use hark_core::automation::intent::{AUTOMATE, CANCEL, COMMAND, RESTORE_LATER};
use hark_core::calendar::{Frequency, Recurrence};
use hark_core::ports::NEXT_TURN;
use hark_core::{Category, Intent, Understanding};
use hark_language::phrases;
use serde_json::Value;
use std::ops::Range;

/// Slot of when a request recurs.
const RECURRENCE: &str = "recurrence";

/// One of several things is not wanted.
const NOT_WANTED: [&str; 2] = ["HarkFollowNot", "HarkFollowNotItem"];

/// Slot of what a rule waits for.
const TRIGGER: &str = "trigger";

/// Slot of what a rule does.
const INTENTS: &str = "intents";

/// Words at most of what a request is about.
const MAX_WORDS_OF_TARGET: usize = 6;

/// Places that are tried for another thing.
const MAX_TARGETS: usize = 4;

impl Reader<'_> {
    /// Two turns without a remark at the end: "… not on Fridays though, *they're at their dad's*".
    pub(super) fn without_remark_behind<'t>(&self, text: &'t str) -> Option<&'t str> {
        let tokens = self.tokenise(text);
        let speech = Speech { reader: self, text, tokens: &tokens };
        let (words, next) = (speech.words(), speech.next_turn()?);
        let is_remark = |at: &usize| speech.pauses_before(*at) && speech.is_remark(&words[*at..]);
        let at = (next + 1..words.len()).find(is_remark)?;
        let is_meant = !speech.meant(&words[next..at]).is_empty();
        is_meant.then(|| &text[..tokens[at - 1].end])
    }

    /// A text without a courtesy behind a pause at its end: "give it fifteen minutes, *please*".
    pub(super) fn without_courtesy_behind<'t>(&self, text: &'t str) -> Option<&'t str> {
        let tokens = self.tokenise(text);
        let speech = Speech { reader: self, text, tokens: &tokens };
        let courtesy = self.grammar.lexicon().reflexes.courtesy;
        let behind = tokens.iter().rev().take_while(|token| courtesy.contains(&token.word)).count();
        let end = tokens.len().checked_sub(behind).filter(|end| *end > 0 && *end < tokens.len())?;
        speech.pauses_before(end).then(|| &text[..tokens[end - 1].end])
    }

    /// What two turns mean where the second is about the place of the first. What is left out is left out of the second.
    fn with_there(
        &self,
        before: &str,
        behind: &str,
        read: &impl Fn(&str) -> Option<Understanding>,
    ) -> Option<Understanding> {
        let tokens = self.tokenise(behind);
        let leaves_out = Qualifiers::of(self, behind, &tokens).found.iter().any(|it| it.kind == Kind::Except);
        let both = || if leaves_out { None } else { read(&format!("{before} {behind}")) };
        both().or_else(|| {
            let intents = read(before)?.intents.into_iter().chain(read(behind)?.intents).collect();
            Some(Understanding { intents, ..Understanding::default() })
        })
    }

    /// What the words of two turns mean where the second corrects the first.
    pub(super) fn corrected_turn(&self, text: &str, language: &str) -> Option<Understanding> {
        text.contains(NEXT_TURN).then_some(())?;
        let tokens = self.tokenise(text);
        let speech = Speech { reader: self, text, tokens: &tokens };
        let read = |text: &str| {
            let found = Some(self.as_said(text, language)).filter(is_whole);
            found.or_else(|| self.said_otherwise(text, language))
        };
        let again = || {
            let (before, again) = speech.repeated()?;
            let before = read(&before)?;
            again.iter().find_map(|text| with_same_again(&before, read(text)?))
        };
        // "Tell me when the mower is done … and put the sprinkler on then."
        let then = || {
            let (before, then) = speech.at_the_same_time()?;
            let (before, then) = (read(&before)?, then.iter().find_map(|text| read(text))?);
            let intents = before.intents.into_iter().chain(then.intents).collect();
            Some(Understanding { intents, ..Understanding::default() })
        };
        // "Put the kettle on … tell me when it's done."
        let beside = || {
            let (before, both) = speech.joined()?;
            let (before, both) = (read(&before)?, read(&both)?);
            let goes_on =
                both.intents.len() > before.intents.len() && both.intents.starts_with(&before.intents);
            // "Turn on the radio … mute it for two minutes": only the second ends then.
            let ends = both.intents.iter().skip(before.intents.len()).any(|it| it.name == RESTORE_LATER);
            // "No, *take them off again*" is no item of a list.
            let takes = |intent: &Intent| {
                category_of(&intent.name) == Some(Category::List) && intent.confidence <= WILD_CONFIDENCE
            };
            let lists = both.intents.iter().skip(before.intents.len()).any(takes);
            (goes_on && !ends && !lists).then_some(both)
        };
        // "Turn the porch light on at sunset every day … *and off again at eleven*" is one rule with an end.
        let ended = || {
            let (before, both) = speech.and_back()?;
            let (before, both) = (read(&before)?, read(&both)?);
            let ([rule], [ended]) = (before.intents.as_slice(), both.intents.as_slice()) else { return None };
            let trigger = rule.slots.get(TRIGGER);
            (trigger.is_some() && trigger == ended.slots.get(TRIGGER) && rule != ended).then_some(both)
        };
        // "Whenever somebody moves turn on the light … *only after ten though*."
        let limited = || {
            let (before, both) = speech.limited()?;
            let (before, both) = (read(&before)?, read(&both)?);
            let ([rule], [limited]) = (before.intents.as_slice(), both.intents.as_slice()) else {
                return None;
            };
            let is_same = |slot: &str| rule.slots.get(slot) == limited.slots.get(slot);
            let is_rule = rule.name == AUTOMATE && limited.name == AUTOMATE;
            (is_rule && is_same(TRIGGER) && is_same(INTENTS) && rule != limited).then_some(both)
        };
        let there = || speech.there().and_then(|(before, behind)| self.with_there(&before, &behind, &read));
        // "Desk lamp on … *now the rest of the office lights too*."
        let rest = || read(&speech.with_the_rest()?);
        let measured = || read(&speech.measured()?);
        let how_often = || read(&speech.as_often()?);
        let lengthened = || read(&speech.lengthened()?);
        let only_one = || speech.with_only_one().iter().find_map(|text| read(text));
        let without = || {
            let (before, texts) = speech.without_one()?;
            let waits = |it: &Intent| it.name == AUTOMATE || it.slots.contains_key(COMMAND);
            read(&before)?.intents.iter().any(waits).then_some(())?;
            texts.iter().find_map(|text| read(text))
        };
        let edited = || {
            let found = speech.edited().iter().find_map(|text| read(text))?;
            Some(speech.on_other_days(found, read))
        };
        edited()
            .or_else(there)
            .or_else(rest)
            .or_else(how_often)
            .or_else(measured)
            .or_else(lengthened)
            .or_else(only_one)
            .or_else(without)
            .or_else(then)
            .or_else(again)
            .or_else(ended)
            .or_else(limited)
            .or_else(beside)
    }
}

impl Speech<'_> {
    /// What the second of two turns says to be all that is meant: "the lamp" of "just the lamp", "now only the lamp".
    fn only(&self, words: &'_ [&'_ str]) -> Option<usize> {
        let (talk, at) = (&self.lexicon().discourse, self.next_turn()?);
        let begins = [self.lexicon().time.now, talk.hesitations, talk.corrections];
        let said = phrases::without_starts(&begins, &words[at..]);
        let length = phrases::starts(self.lexicon().qualifiers.only, said)?;
        let requests = &self.lexicon().requests;
        let is_left_out = requests.contrasts.contains(said[0]) || requests.negations.contains(said[0]);
        (!is_left_out).then_some(words.len() - said.len() + length)
    }

    /// Whether the second of two turns leaves one thing of several: "just the lamp", "only the bedroom".
    pub(super) fn leaves_one(&self) -> bool {
        let words = self.words();
        self.only(&words).is_some_and(|from| {
            let talk = &self.lexicon().discourse;
            let rest = phrases::without_ends(&[talk.trails, talk.corrections_behind], &words[from..]);
            self.is_target(rest)
        })
    }

    /// The first of two turns with one thing in the place of those that it is about: "the kitchen lights on … *just the counter
    /// one*", "turn on all the office lights … *only the desk lamp*".
    fn with_only_one(&self) -> Vec<String> {
        let words = self.words();
        let (Some(from), Some(at)) = (self.only(&words), self.next_turn()) else { return Vec::new() };
        let said = self.meant(&words[from..]);
        let which = which_one(said, self.lexicon());
        if which.is_empty() {
            return Vec::new();
        }
        let kind = if which.len() < said.len() { self.kind_said(&words[..at]) } else { None };
        let in_full = kind.map(|kind| self.put_in(&words[..at], &[which, &[kind]].concat(), &[]));
        in_full.unwrap_or_else(|| self.with_target(&words[..at], said))
    }

    /// The first of two turns, and both as one request, where the second says when it goes the other way: "and off again at
    /// eleven".
    fn and_back(&self) -> Option<(String, String)> {
        let (words, next) = (self.words(), self.next_turn()?);
        let connects = |word: &&&str| self.lexicon().requests.connectors.contains(word);
        let joined = words[next..].iter().take_while(connects).count();
        let is_back = self.lexicon().discourse.closing.contains(words.get(next + joined)?);
        (joined > 0 && is_back).then(|| (words[..next].join(" "), words.join(" ")))
    }

    /// The first of two turns, and both as one request, where the second says when it is to be "only".
    fn limited(&self) -> Option<(String, String)> {
        let (words, next) = (self.words(), self.next_turn()?);
        let (talk, only) = (&self.lexicon().discourse, self.lexicon().qualifiers.only);
        let said = &words[next..];
        let limit = phrases::without_starts(&[talk.hesitations, only], said);
        let before = words[..next].join(" ");
        let behind = phrases::without_ends(&[talk.trails, talk.corrections_behind], limit).join(" ");
        (limit.len() < said.len()).then(|| (before.clone(), format!("{before} {behind}")))
    }

    /// The first of two turns, and that without one of several things where the second does not want that: "close the blinds and
    /// the curtains at sunset … *leave the curtains out of it*".
    fn without_one(&self) -> Option<(String, Vec<String>)> {
        let (words, next) = (self.words(), self.next_turn()?);
        let lexicon = self.lexicon();
        let (text, tokens) = spoken(&words[next..], self.reader);
        let denies = |it: &Match| NOT_WANTED.contains(&it.intent.as_str());
        self.reader.exactly(&text, &tokens).filter(denies)?;
        let article = |word: &str| lexicon.things.articles.contains(word);
        let named = self.named(&words[next..])?;
        let said: Vec<&str> = named.split(' ').filter(|word| !article(word)).collect();
        let is_it = |from: usize, to: usize| {
            let part = &words[from..to];
            said.iter().all(|word| part.contains(word)) && self.is_target(part)
        };
        let joins = |at: &usize| lexicon.requests.connectors.contains(words[*at]);
        let without = |at: usize| {
            let from = at + 1 + usize::from(words.get(at + 1).is_some_and(|word| article(word)));
            let behind = (from + 1..=next.min(from + MAX_WORDS_OF_TARGET)).find(|to| is_it(from, *to));
            let before = || {
                let from = (at.saturating_sub(MAX_WORDS_OF_TARGET)..at).find(|from| is_it(*from, at))?;
                let has_article = from > 0 && article(words[from - 1]);
                Some([&words[..from - usize::from(has_article)], &words[at + 1..next]].concat().join(" "))
            };
            let cut = |to: usize| [&words[..at], &words[to..next]].concat().join(" ");
            behind.map(cut).or_else(before)
        };
        let texts = (1..next).filter(joins).filter_map(without).take(MAX_TARGETS).collect();
        (!said.is_empty()).then(|| (words[..next].join(" "), texts))
    }

    /// A request about something else, in the place of each of the things or places that it may be about, the longest first.
    pub(super) fn with_target(&self, before: &[&str], meant: &[&str]) -> Vec<String> {
        let lexicon = self.lexicon();
        if !self.is_target(meant) {
            return Vec::new();
        }
        let spans = (1..=MAX_WORDS_OF_TARGET.min(before.len())).rev();
        let spans = spans.flat_map(|length| (0..=before.len() - length).map(move |at| at..at + length));
        let with = |place: Range<usize>| {
            let is_of_many = |word: &&str| {
                lexicon.qualifiers.many.contains(word) || lexicon.things.articles.contains(word)
            };
            let many = before[..place.start].iter().rev().take_while(|word| is_of_many(word)).count();
            [&before[..place.start - many], meant, &before[place.end..]].concat().join(" ")
        };
        spans.filter(|place| self.is_target(&before[place.clone()])).map(with).take(MAX_TARGETS).collect()
    }

    /// Both turns as one request, where the second is about "the rest" and asks for the same.
    fn with_the_rest(&self) -> Option<String> {
        let (words, next) = (self.words(), self.next_turn()?);
        let connectors = self.lexicon().requests.connectors;
        let said = phrases::without_starts(&[connectors, self.lexicon().time.now], &words[next..]);
        phrases::find(self.lexicon().qualifiers.others, said).filter(|_| !self.is_other_one(said))?;
        let said = phrases::without_ends(&[self.lexicon().discourse.another_behind], said);
        Some(format!("{} {} {}", words[..next].join(" "), connectors.first()?, said.join(" ")))
    }

    /// Whether some words begin with "the other one": one thing beside what was named, and not all the rest.
    pub(super) fn is_other_one(&self, said: &[&str]) -> bool {
        let behind =
            phrases::find(self.lexicon().qualifiers.others, said).and_then(|(_, used)| said.get(used));
        behind.is_some_and(|one| self.lexicon().discourse.one.contains(one))
    }

    /// The second of two turns with the place that the first is about for "in there", and the first before it.
    fn there(&self) -> Option<(String, String)> {
        let (words, next) = (self.words(), self.next_turn()?);
        let there = self.lexicon().discourse.there;
        let said = phrases::without_starts(&[self.lexicon().requests.connectors], &words[next..]);
        (!self.is_other_one(said)).then_some(())?;
        let at = |at: usize| Some((at, phrases::starts(there, &words[at..]).filter(|it| *it > 1)?));
        let (at, length) = (next..words.len()).find_map(at)?;
        let place = self.place(&words[..next]).or_else(|| self.place_of_thing(&words[..next]))?;
        let behind = [&words[next..at], &[place.as_str()], &words[at + length..]].concat().join(" ");
        Some((words[..next].join(" "), behind))
    }

    /// The first of two turns with the length that is all the second says, where it said none: "turn on the lamp *for a bit* …
    /// ten minutes".
    fn measured(&self) -> Option<String> {
        let (words, next) = (self.words(), self.next_turn()?);
        let (said, talk) = (&self.lexicon().qualifiers, &self.lexicon().discourse);
        let vague = |at: usize| Some((at, at + phrases::starts(said.unmeasured, &words[at..next])?));
        let (begin, end) = (1..next).find_map(vague)?;
        let answer = phrases::without_ends(&[talk.hesitations, talk.leads, talk.trails], &words[next..]);
        let mark = phrases::starts(said.lasting, answer).unwrap_or(0);
        let (_, used) = rules::length(answer.get(mark..)?, self.lexicon())?;
        (mark + used == answer.len()).then(|| [&words[..begin], answer, &words[end..next]].concat().join(" "))
    }

    /// A correction of a request that recurs, with that on its other days where the correction says a time for some of them:
    /// "every morning at seven … make it nine *on Sundays*".
    fn on_other_days(
        &self,
        edited: Understanding,
        read: impl Fn(&str) -> Option<Understanding>,
    ) -> Understanding {
        let every = |intent: &Intent| Recurrence::parse(intent.slots.get(RECURRENCE)?.as_str()?);
        let both = || {
            let (words, next) = (self.words(), self.next_turn()?);
            let by = self.reader.reckoning();
            // "Make it weekdays at nine" names the days first.
            let meant = self.meant(&words[next..]);
            let at = (1..meant.len()).find(|at| rules::is_days(&meant[*at..], &by))?;
            (!rules::is_days(meant, &by)).then_some(())?;
            let before = read(&words[..next].join(" "))?;
            let ([one], [other]) = (before.intents.as_slice(), edited.intents.as_slice()) else {
                return None;
            };
            let (old, new) = (every(one)?, every(other)?);
            let (days, used) = rules::other_days(&old, &meant[at..], &by)?;
            (at + used == meant.len() && one.name == other.name && old.time != new.time).then_some(())?;
            let all = if old.days.is_empty() { rules::each_day() } else { old.days.clone() };
            let some = all.into_iter().filter(|day| !days.contains(day)).collect();
            let on = |intent: &Intent, days, time| {
                let every = Recurrence { frequency: Frequency::Weekly, days, time, ..old.clone() };
                let mut intent = intent.clone();
                intent.slots.insert(RECURRENCE.to_owned(), every.to_string().into());
                intent
            };
            Some(vec![on(one, days, old.time), on(other, some, new.time)])
        };
        match both() {
            Some(intents) => Understanding { intents, ..edited },
            None => edited,
        }
    }

    /// The first of two turns, waiting once or every time, where that is all the second says: "whenever the fridge opens, … *only
    /// the first time*".
    fn as_often(&self) -> Option<String> {
        let (words, next) = (self.words(), self.next_turn()?);
        let talk = &self.lexicon().discourse;
        let meant = phrases::without_starts(&[talk.hesitations, talk.corrections], &words[next..]);
        self.waiting_as_often(&words[..next], meant)
    }

    /// The same where the request itself ends so: "when the fridge opens, … *every time*".
    pub(super) fn as_often_behind(&self) -> Option<String> {
        let words = self.words();
        let said = &self.lexicon().qualifiers;
        let length = [said.once_only, said.always].iter().find_map(|marks| phrases::ends(*marks, &words))?;
        let (request, meant) = words.split_at(words.len() - length);
        self.waiting_as_often(request, meant)
    }

    /// A request waiting once or every time, where some words say no more than that.
    fn waiting_as_often(&self, words: &[&str], meant: &[&str]) -> Option<String> {
        let said = &self.lexicon().qualifiers;
        let says = |marks| phrases::starts(marks, meant) == Some(meant.len());
        let (any, waited) =
            ([said.each_time, said.when, said.if_so], [said.when, said.if_so, said.before_clause]);
        let (old, new) = if says(said.once_only) {
            (any.as_slice(), said.the_next)
        } else if says(said.always) {
            (waited.as_slice(), said.each_time)
        } else {
            return None;
        };
        let (text, tokens) = spoken(words, self.reader);
        let qualifiers = Qualifiers::of(self.reader, &text, &tokens).found;
        let mark = |it: &Qualifier| {
            let length = old.iter().filter_map(|marks| phrases::starts(*marks, &words[it.start..])).max()?;
            Some(it.start..it.start + length)
        };
        let place = qualifiers.iter().filter(|it| it.says_when()).find_map(mark)?;
        Some([&words[..place.start], &[new.first()?], &words[place.end..]].concat().join(" "))
    }

    /// Both turns as one request, where the second ends a length that the first began, and is none by itself: "set a timer for
    /// one hour … *and a quarter*".
    fn lengthened(&self) -> Option<String> {
        let (words, next) = (self.words(), self.next_turn()?);
        self.lexicon().requests.connectors.contains(words[next]).then_some(())?;
        rules::length(&words[next + 1..], self.lexicon()).is_none().then_some(())?;
        let is_length = |begin: usize| {
            rules::length(&words[begin..], self.lexicon())
                .is_some_and(|(_, used)| begin + used == words.len())
        };
        (0..next).any(is_length).then(|| words.join(" "))
    }
}

impl Reader<'_> {
    /// Whether a number that the second of two turns begins with would be a part of a length in the first: "for six minutes …
    /// *four*, I like them runny".
    pub(super) fn joins_a_length(&self, text: &str) -> bool {
        let tokens = self.tokenise(text);
        let speech = Speech { reader: self, text, tokens: &tokens };
        let (words, Some(next)) = (speech.words(), speech.next_turn()) else { return false };
        let crosses = |begin: usize| {
            rules::length(&words[begin..], speech.lexicon()).is_some_and(|(_, used)| begin + used > next)
        };
        speech.is_number(&words[next..=next]) && (0..next).any(crosses)
    }

    /// Whether the second of two turns leaves one thing of those that the first named: it means nothing behind the first.
    pub(super) fn leaves_one(&self, text: &str) -> bool {
        let tokens = self.tokenise(text);
        Speech { reader: self, text, tokens: &tokens }.leaves_one()
    }

    /// Whether words of two turns were taken for one text, for one item of a list, the second for what waits ("*scrap the onions*"), or
    /// for what is to be played: "put the radio on … *bit loud, turn it down*".
    pub(super) fn takes_across_turns(&self, text: &str, found: &Understanding) -> bool {
        let lexicon = self.grammar.lexicon();
        let holds_both = |value: &Value| value.as_str().is_some_and(|text| text.contains(NEXT_TURN));
        if found.intents.iter().any(|intent| intent.slots.values().any(holds_both)) {
            return true;
        }
        let is_wild = |intent: &Intent| intent.confidence <= WILD_CONFIDENCE;
        let orders = |query: &str| {
            let words: Vec<&str> = query.split(' ').collect();
            let (verbs, pronouns) = (lexicon.discourse.verbs, lexicon.requests.pronouns);
            words.windows(2).skip(1).any(|said| verbs.contains(said[0]) && pronouns.contains(said[1]))
        };
        let is_taken = |intent: &Intent| match category_of(&intent.name) {
            Some(Category::List) => true,
            Some(Category::Media) => intent.slots.values().filter_map(Value::as_str).any(orders),
            _ => intent.name == CANCEL,
        };
        text.contains(NEXT_TURN) && found.intents.iter().any(|intent| is_taken(intent) && is_wild(intent))
    }
}

/// A request with the same asked again of something else; `None` where that is nothing of the kind.
fn with_same_again(before: &Understanding, again: Understanding) -> Option<Understanding> {
    let same = |one: &Intent, other: &Intent| one.name == other.name && one.slots == other.slots;
    let is_new = |intent: &Intent| !before.intents.iter().any(|known| same(known, intent));
    let new: Vec<Intent> = again.intents.into_iter().filter(is_new).collect();
    let alike = |intent: &Intent| before.intents.iter().any(|known| known.name == intent.name);
    let is_clear = before.ambiguous.is_empty() && again.ambiguous.is_empty();
    (is_clear && !new.is_empty() && new.iter().all(alike)).then(|| Understanding {
        intents: before.intents.iter().cloned().chain(new).collect(),
        ..Understanding::default()
    })
}

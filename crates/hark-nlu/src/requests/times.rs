//! Times of several requests: the day that one says is that of the next, and one follows on another.

use super::super::grammar::{Match, Reader, TIME_SLOTS, Took};
use super::super::intent::{category_of, leans_on_another};
use super::super::qualifiers::{Kind, Qualifier, Qualifiers};
use super::super::request_framing::{Speech, spoken};
use super::super::rules::{self, Rule};
use super::super::text::Token;
use super::Sentence;
use chrono::{NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use hark_core::automation::intent::COMMAND;
use hark_core::calendar::{Frequency, Recurrence, When};
use hark_core::{Category, Slots};
use hark_language::phrases;

/// How many times as far ahead as it would be back a time may be that follows on another.
const MOST_BACK: i32 = 2;

/// Requests whose times follow on each other where they can: "at six in the morning …, at ten … and at eleven at night" is
/// ten in the morning.
pub(super) fn in_order_of_time(mut matches: Vec<Match>, reader: &Reader<'_>) -> Vec<Match> {
    let mut last: Option<NaiveDateTime> = None;
    for found in &mut matches {
        let Some(at) = found.moment() else { continue };
        // "At ten past three tomorrow morning … and at four" is no half a day later.
        let is_far = |before: NaiveDateTime| {
            at - before >= TimeDelta::hours(12)
                && !found.says_day(&reader.reckoning())
                && !found.says_half_of_day(reader.grammar.lexicon())
        };
        if let Some(before) = last.filter(|before| at < *before || is_far(*before)) {
            let text = found.said();
            let later = reader.at_time(before, |reader| {
                let tokens = reader.tokenise(&text);
                reader.exactly(&text, &tokens).or_else(|| reader.several_later(&text, &tokens))
            });
            // "At eleven … and at nine" of one evening are two hours apart, and not ten.
            let is_near = |later: NaiveDateTime| {
                let most = if at < before { (before - at) * MOST_BACK } else { at - before };
                later > before && later - before <= TimeDelta::hours(12).min(most)
            };
            let follows = |later: &Match| later.intent == found.intent && later.moment().is_some_and(is_near);
            if let Some(later) = later.filter(follows) {
                *found = later;
            }
        }
        last = found.moment();
    }
    matches
}

/// Requests at a time of day that say no day, behind what is done again and again, which are done as often: "every evening at
/// nine turn on the lamp and turn it off *at ten*".
pub(super) fn as_often(mut matches: Vec<Match>, reader: &Reader<'_>) -> Vec<Match> {
    let mut every: Option<Recurrence> = None;
    for found in matches.iter_mut().filter(|found| found.slots.contains_key(COMMAND)) {
        let said = found.recurrence();
        let (Some(known), None) = (&every, &said) else {
            // "On at four and off at half ten *every day*" is half past ten in the evening.
            if let (Some(known), Some(next)) = (&every, &said)
                && let Some(later) = half_a_day_later(known, next)
                && !found.says_half_of_day(reader.grammar.lexicon())
            {
                found.repeat(next, later);
            }
            every = found.recurrence();
            continue;
        };
        if found.says_day(&reader.reckoning()) {
            continue;
        }
        let begin = reader.now.date().and_time(known.time.unwrap_or_default());
        let text = found.said();
        let later = reader.at_time(begin, |reader| reader.exactly(&text, &reader.tokenise(&text)));
        let Some(at) = later.as_ref().or(Some(&*found)).and_then(Match::moment) else { continue };
        found.repeat(known, at.time());
    }
    again_like_the_last(&mut matches, reader);
    matches
}

/// What says no time, at the time that stands in front of what is put off before it: "*in half an hour* turn off the lamp and remind me
/// to load the plates", "*at nine* lamp on and telly off, I'm tired".
pub(super) fn at_time_in_front(mut matches: Vec<Match>, reader: &Reader<'_>) -> Vec<Match> {
    let time = &reader.grammar.lexicon().time;
    let mut front: Option<Match> = None;
    for found in &mut matches {
        let category = category_of(&found.intent);
        let said: Vec<&str> = found.words.iter().map(|(word, _)| word.as_str()).collect();
        let is_now = (0..said.len()).any(|at| phrases::starts(time.now, &said[at..]).is_some());
        if found.slots.contains_key(COMMAND) {
            let by = reader.reckoning();
            let begins = [Rule::Datetime, Rule::Recurrence]
                .into_iter()
                .any(|rule| rules::longest(rule, &said, &by).is_some());
            front = begins.then(|| found.clone());
        } else if let Some(first) = &front
            && !is_now
            && found.is_without_time()
        {
            let at = first.moment().or_else(|| first.delayed(reader.now));
            match category {
                Some(Category::Reminder) => {
                    let when = at.map(|at| ("when".to_owned(), When::Moment(at).to_string().into()));
                    found.slots.extend(when);
                }
                Some(Category::HomeControl) if !leans_on_another(&found.intent) => {
                    let command = found.said();
                    let slots = Slots::from_iter([(COMMAND.to_owned(), command.into())]);
                    let timed = first.slots.iter().filter(|(slot, _)| TIME_SLOTS.contains(&slot.as_str()));
                    let slots =
                        timed.map(|(slot, value)| (slot.clone(), value.clone())).chain(slots).collect();
                    let (intent, response) = (first.intent.clone(), first.response.clone());
                    *found = Match { intent, response, slots, ..found.clone() };
                }
                _ => {}
            }
        }
    }
    matches
}

/// The time of what comes as often as something else half a day later, where that is the first behind its time: "four" and "half ten".
fn half_a_day_later(first: &Recurrence, next: &Recurrence) -> Option<NaiveTime> {
    let (before, at) = (first.time?, next.time?);
    let later = at.overflowing_add_signed(TimeDelta::hours(12)).0;
    let is_as_often = Recurrence { time: first.time, ..next.clone() } == *first;
    (is_as_often && at < before && before < later && at.hour() > 0).then_some(later)
}

/// Has the same set as often at the times before, where the last says how often: "the heating to twenty at six and to eighteen
/// at ten *every day*".
fn again_like_the_last(matches: &mut [Match], reader: &Reader<'_>) {
    let [before @ .., last] = matches else { return };
    let every = last.recurrence();
    let act = |found: &Match| {
        let command = found.slots.get(COMMAND)?.as_str()?;
        let act = reader.exactly(command, &reader.tokenise(command))?;
        Some((act.intent, ["name", "area"].map(|slot| act.slots.get(slot).cloned())))
    };
    let Some((every, last)) = every.zip(act(last)) else { return };
    for found in before {
        let Some(at) = found.moment().filter(|_| !found.says_day(&reader.reckoning())) else { continue };
        if act(found).is_some_and(|act| act == last) {
            found.repeat(&every, at.time());
        }
    }
}

impl Speech<'_> {
    /// A request behind a delay with its time: "*wait ten minutes and then* turn on the lamp", also behind what it waits for.
    /// `None` where nothing joins them.
    pub(in super::super) fn with_delay_first(&self) -> Option<String> {
        let words = self.words();
        let lexicon = self.lexicon();
        let delay = |at: usize| Some((at, at + phrases::starts(lexicon.time.delays, &words[at..])?));
        let behind_clause = || {
            let qualifiers = Qualifiers::of(self.reader, self.text, self.tokens).found;
            qualifiers.first().filter(|it| it.start == 0 && it.waits())?;
            (1..words.len()).find_map(delay)
        };
        let (first, begin) = delay(0).or_else(behind_clause)?;
        let (_, used) = rules::length(&words[begin..], lexicon)?;
        let end = begin + used;
        let joins = words[end..].iter().take_while(|word| lexicon.requests.connectors.contains(word)).count();
        let act = words.get(end + joins..).filter(|act| !act.is_empty())?;
        let parted = joins > 0 || self.pauses_before(end);
        let delay = [lexicon.time.hence.first()?, words[begin..end].join(" ").as_str()].join(" ");
        let (clause, act_words) = (words[..first].join(" "), act.join(" "));
        let is_several = act.iter().any(|word| lexicon.requests.connectors.contains(word));
        parted.then(|| match first {
            0 => format!("{delay} {act_words}"),
            _ if is_several => format!("{clause}, {delay} {act_words}"),
            _ => format!("{clause}, {act_words} {delay}"),
        })
    }

    /// A request behind another with its time instead of how long after that: "at seven turn on the lamp and *half an hour later*
    /// turn it off", "turn on the lamp and ten minutes later …". `None` where the first waits for something else.
    pub(in super::super) fn with_time_later(&self) -> Option<String> {
        let words = self.words();
        let lexicon = self.lexicon();
        let joins = |at: usize| lexicon.requests.connectors.contains(words[at]);
        let later = |at: usize| {
            let length = rules::length(&words[at..], lexicon)?;
            let end = at + length.1 + phrases::starts(lexicon.time.afterwards, &words[at + length.1..])?;
            // "Ten minutes after *sunset*."
            let acts = words.get(end).is_some_and(|word| lexicon.discourse.verbs.contains(word));
            // "An hour and *six seconds* later."
            let goes_over = |from: usize| {
                rules::length(&words[from..], lexicon).is_some_and(|(_, used)| from + used > at)
            };
            let begins = (joins(at - 1) || self.pauses_before(at)) && !(0..at).any(goes_over);
            (acts && begins).then_some((at, end, length))
        };
        let (at, end, (length, used)) = (2..words.len()).find_map(later)?;
        let before = &words[..at];
        let waits = Qualifiers::of(self.reader, self.text, self.tokens).found;
        if waits.iter().any(|it| it.start < at && it.waits()) {
            return None;
        }
        let by = self.reader.reckoning();
        let first = |rule| {
            (0..before.len()).find_map(|from| Some((from, rules::longest(rule, &before[from..], &by)?)))
        };
        let time = match first(Rule::Datetime) {
            None => [&[*lexicon.time.hence.first()?], &words[at..at + used]].concat().join(" "),
            Some((_, (found, _))) => {
                let Some(When::Moment(moment)) = When::parse(found.first()?.1.as_str()?) else { return None };
                let then = length.after(moment, true)?;
                let day = first(Rule::Date).map(|(from, (_, used))| before[from..from + used].join(" "));
                format!("{} {} {}", day.unwrap_or_default(), lexicon.time.at.first()?, then.format("%H:%M"))
            }
        };
        Some(format!("{} {} {}", before.join(" "), time.trim(), words[end..].join(" ")))
    }

    /// A request with the time that stands before its place in front: "turn off the lights *at eleven* everywhere". `None` where
    /// none does.
    pub(in super::super) fn with_time_before_place(&self) -> Option<String> {
        let (words, lexicon, by) = (self.words(), self.lexicon(), self.reader.reckoning());
        let is_marked = |at: usize| {
            phrases::starts(lexicon.time.at, &words[at..]).is_some()
                || rules::longest(Rule::Date, &words[at..], &by).is_some()
        };
        let time = |at: usize| {
            let (_, used) = rules::longest(Rule::Datetime, &words[at..], &by).filter(|_| is_marked(at))?;
            (at + used < words.len()).then_some(at..at + used)
        };
        let time = (2..words.len().saturating_sub(1)).find_map(time)?;
        let rest = [&words[..time.start], &words[time.end..]].concat();
        let (text, tokens) = spoken(&rest, self.reader);
        let qualifiers = Qualifiers::of(self.reader, &text, &tokens);
        let end = qualifiers.found.first().map_or(tokens.len(), |it| it.start);
        let acts = |tokens: &[Token]| {
            let found = self.reader.exactly(&text, tokens);
            found.is_some_and(|it| {
                category_of(&it.intent) == Some(Category::HomeControl) && it.wild_words == 0
            })
        };
        let is_whole = end > time.start && acts(&tokens[..end]);
        let is_said = || self.reader.exactly(self.text, self.tokens).is_some();
        (is_whole && !is_said()).then(|| format!("{} {text}", words[time].join(" ")))
    }

    /// One request at two times as two: "remind me at six and again at seven to call mum". `None` where it names only one, or
    /// another request stands behind the second.
    pub(in super::super) fn with_both_times(&self) -> Option<String> {
        let words = self.words();
        let lexicon = self.lexicon();
        let by = self.reader.reckoning();
        let time = |at: usize| Some(at + rules::longest(Rule::Datetime, &words[at..], &by)?.1);
        let joins = |at: &usize| lexicon.requests.connectors.contains(words[*at]);
        let joint = (2..words.len().saturating_sub(1)).find(joins)?;
        let first = (1..joint).find(|at| time(*at) == Some(joint))?;
        let again = phrases::starts(lexicon.discourse.another_behind, &words[joint + 1..]).unwrap_or(0);
        let second = joint + 1 + again;
        let end = time(second)?;
        let begins_request = words.get(end).is_none_or(|word| lexicon.discourse.verbs.contains(word));
        let (begin, rest) = (&words[..first], &words[end..]);
        let both = [begin, &words[first..joint], rest, &[words[joint]], begin, &words[second..end], rest];
        (!begins_request).then(|| both.concat().join(" "))
    }

    /// What is to be done from now on as what is done every day: "*from tomorrow* have the porch light come on at sunset". `None`
    /// where it says no time of day or when it ends, or begins later than tomorrow: such a day is not kept.
    pub(in super::super) fn every_day_from(&self) -> Option<String> {
        let words = self.words();
        let (said, time) = (&self.lexicon().qualifiers, &self.lexicon().time);
        let by = self.reader.reckoning();
        let day = |from: usize| {
            let (found, used) = rules::longest(Rule::Date, &words[from..], &by)?;
            let day = When::parse(found.first()?.1.as_str()?)?;
            let is_next = matches!(day, When::Day(day) if day <= self.reader.now.date() + TimeDelta::days(1));
            is_next.then_some(used)
        };
        let begun = |at: usize| {
            let mark = phrases::starts(said.starting, &words[at..])?;
            Some(mark + day(at + mark)?)
        };
        let begins = |at: usize| {
            let length = phrases::starts(said.from_now_on, &words[at..]).or_else(|| begun(at))?;
            Some((at, length))
        };
        let ends = |at: usize| begins(at).filter(|(at, length)| at + length == words.len());
        let (at, length) = begins(0).or_else(|| (1..words.len()).find_map(ends))?;
        let rest = [&words[..at], &words[at + length..]].concat();
        // "From Monday *to Friday*".
        let goes_on = phrases::starts(said.hours_end, words.get(at + length..)?).is_some();
        let (text, tokens) = spoken(&rest, self.reader);
        let qualifiers = Qualifiers::of(self.reader, &text, &tokens).found;
        let is = |kinds: &[Kind]| qualifiers.iter().any(|it| kinds.contains(&it.kind));
        let ends = goes_on || is(&[Kind::Until, Kind::Hours, Kind::During]);
        let reads = |rule: Rule| (0..rest.len()).any(|at| rules::longest(rule, &rest[at..], &by).is_some());
        let each_day = Some(*time.each_day.first()?).filter(|_| !reads(Rule::Recurrence));
        let is_timed = is(&[Kind::Moment]) || reads(Rule::Time);
        (is_timed && !ends).then(|| each_day.iter().chain(&rest).copied().collect::<Vec<_>>().join(" "))
    }

    /// What is done on all days but some as what is done every day: "*bar weekends* turn the heating on at seven". `None` where
    /// it says how often itself, or no time of day.
    pub(in super::super) fn every_day_but(&self) -> Option<String> {
        let words = self.words();
        let (said, time) = (&self.lexicon().qualifiers, &self.lexicon().time);
        let by = self.reader.reckoning();
        let left_out = |at: usize| {
            let marks = [said.exceptions, said.day_exceptions];
            let mark = at + marks.into_iter().filter_map(|it| phrases::starts(it, &words[at..])).max()?;
            let (_, used) = rules::other_days(&Recurrence::every(Frequency::Daily), &words[mark..], &by)?;
            // "Not on Sunday" may be one day.
            let days = &words[mark..mark + used];
            let again = |at: usize| {
                let sets = phrases::find(time.habit_sets, &days[at..]).map(|_| ());
                sets.or_else(|| phrases::find(time.habits, &days[at..]).map(|_| ()))
            };
            (0..days.len()).find_map(again).map(|()| (at, mark + used))
        };
        let at_end = |at: usize| left_out(at).filter(|(_, end)| *end == words.len());
        let (at, end) = left_out(0).or_else(|| (1..words.len()).find_map(at_end))?;
        let rest = [&words[..at], &words[end..]].concat();
        let reads = |rule: Rule| (0..rest.len()).any(|at| rules::longest(rule, &rest[at..], &by).is_some());
        let each_day = *time.each_day.first()?;
        (reads(Rule::Time) && !reads(Rule::Recurrence))
            .then(|| [&[each_day], &words[at..end], &rest].concat().join(" "))
    }

    /// The request with its time in the place of "at the same time": "shut the curtains at nine and lock the door at the same
    /// time"; without that where it has none.
    pub(in super::super) fn with_same_time(&self) -> Option<String> {
        let words = self.words();
        let same = (1..words.len())
            .find_map(|at| Some((at, phrases::starts(self.lexicon().time.same_time, &words[at..])?)));
        let (at, length) = same.or_else(|| self.then_at())?;
        let by = self.reader.reckoning();
        let time =
            |from: usize| Some((from, from + rules::longest(Rule::Datetime, &words[from..at], &by)?.1));
        let connects = |word: &&str| self.lexicon().requests.connectors.contains(word);
        words[..at].iter().any(connects).then_some(())?;
        let (from, end) = (0..at).find_map(time).unwrap_or_default();
        // "And at seven *then*" says its time itself.
        let time = if end < at { &words[from..end] } else { return None };
        Some([&words[..at], time, &words[at + length..]].concat().join(" "))
    }

    /// Where "then" stands at the end and means a time that was said, and how many words it has: "turn on the coffee machine *then* as
    /// well", "… as well *when it does*".
    pub(in super::super) fn then_at(&self) -> Option<(usize, usize)> {
        let words = self.words();
        let (talk, requests) = (&self.lexicon().discourse, &self.lexicon().requests);
        let is_last = |at: usize| phrases::without_ends(&[talk.trails], &words[at + 1..]).is_empty();
        (1..words.len()).rev().find_map(|at| {
            let length = phrases::starts(self.lexicon().time.then, &words[at..])?;
            let is_joined = requests.connectors.contains(words[at - 1]);
            (is_last(at + length - 1) && !is_joined).then_some((at, length))
        })
    }

    /// The request with the day of what it waits for before that: "when Alice leaves *tomorrow* lock the door". `None` where the
    /// clause says no day.
    pub(in super::super) fn with_day_of_clause(&self) -> Option<String> {
        let words = self.words();
        let by = self.reader.reckoning();
        let day = |at: usize| rules::longest(Rule::Date, &words[at..], &by).map(|(_, used)| (at, at + used));
        let whole = |(at, end): &(usize, usize)| {
            rules::longest(Rule::Datetime, &words[*at..], &by).is_none_or(|(_, used)| at + used <= *end)
        };
        let qualifiers = Qualifiers::of(self.reader, self.text, self.tokens);
        let happens = |it: &Qualifier, at| matches!(it.kind, Kind::When | Kind::EachTime) && it.mark.1 < at;
        let clause_of = |(at, end): (usize, usize)| {
            let clause = qualifiers.found.iter().rev().find(|it| happens(it, at))?;
            let likely = |at| qualifiers.is_likely_end(at);
            let ends = if end < words.len() { likely(end) } else { clause.start > 0 };
            (ends && !(clause.mark.1 + 1..at).any(likely)).then_some((clause.start, at, end))
        };
        let (start, at, end) = (1..words.len()).filter_map(day).filter(whole).find_map(clause_of)?;
        let behind = self.tokens.get(end).map_or("", |token| &self.text[token.start..]);
        let (before, clause) = self.text[..self.tokens[at - 1].end].split_at(self.tokens[start].start);
        let said = format!("{before}{} {clause}, {behind}", words[at..end].join(" "));
        Some(said.trim_end_matches([' ', ',']).to_owned())
    }

    /// The request with the time that a clause says instead of the clause: "*when I get up at six* put the kettle on", "until
    /// *bedtime, about* half past ten". `None` where no clause does.
    pub(in super::super) fn with_time_instead_of_clause(&self) -> Option<String> {
        let words = self.words();
        let (by, at_marks) = (self.reader.reckoning(), self.lexicon().time.at);
        let qualifiers = Qualifiers::of(self.reader, self.text, self.tokens);
        let time = |at: usize| {
            let mark = phrases::starts(at_marks, &words[at..])?;
            let (_, used) = rules::longest(Rule::Time, &words[at + mark..], &by)?;
            let end = at + mark + used;
            (end == words.len() || qualifiers.is_likely_end(end)).then_some((at, at + mark, end))
        };
        qualifiers.found.iter().find_map(|it| {
            let from = it.mark.1;
            let (at, behind, end) = (from + 1..words.len()).find_map(time)?;
            let talk = &self.lexicon().discourse;
            let ends = |at: usize| qualifiers.is_likely_end(at) && !talk.not_before.contains(words[at - 1]);
            (!(from + 1..at).any(ends)).then_some(())?;
            // What else ends or happens at a time may be no habit: "when *the washing machine* is done at six".
            let is_habit = || {
                phrases::starts(talk.speakers, &words[from..]).is_some() && !self.has_name(&words[from..at])
            };
            let instead = match it.kind {
                Kind::When | Kind::EachTime if is_habit() => [&words[..it.start], &words[at..end]],
                Kind::Until => [&words[..from], &words[behind..end]],
                _ => return None,
            };
            Some([instead.concat(), words[end..].to_vec()].concat().join(" "))
        })
    }

    /// The request without a "when" clause that only explains the time before it: "at seven *when the wee one goes down* turn down
    /// the radio". `None` where the clause names something of the home, or no time stands right before it.
    pub(in super::super) fn without_habit_behind_time(&self) -> Option<String> {
        let words = self.words();
        let qualifiers = Qualifiers::of(self.reader, self.text, self.tokens);
        let ends_in_time = |end: usize| {
            let by = self.reader.reckoning();
            let is_time = |at: usize| rules::longest(Rule::Datetime, &words[at..], &by);
            (0..end).any(|at| is_time(at).is_some_and(|(_, used)| used > 1 && at + used == end))
        };
        qualifiers.found.iter().find_map(|it| {
            (it.kind == Kind::When && ends_in_time(it.start)).then_some(())?;
            let end = (it.mark.1 + 1..words.len()).find(|end| qualifiers.is_likely_end(*end))?;
            let is_habit = !self.has_name(&words[it.mark.1..end]);
            is_habit.then(|| [&words[..it.start], &words[end..]].concat().join(" "))
        })
    }

    /// The request with the day that was said first beside each of its times: "tomorrow turn on the radio at seven and the
    /// kettle at eight"; also the days on which it comes again, "every weekday wake me at five".
    pub(in super::super) fn with_day_at_times(&self) -> Option<String> {
        let words = self.words();
        let by = self.reader.reckoning();
        let date = |at: usize| rules::longest(Rule::Date, &words[at..], &by).map_or(0, |(_, used)| used);
        let has_time = |found: &rules::Found| {
            let every = found.iter().find_map(|(_, value)| Recurrence::parse(value.as_str()?));
            every.is_none_or(|every| every.time.is_some())
        };
        let used = match rules::longest(Rule::Recurrence, &words, &by) {
            Some((found, used)) if used > date(0) => Some(used).filter(|_| !has_time(&found)),
            _ => Some(date(0)).filter(|used| *used > 0),
        }?;
        // "On second thoughts" is no day.
        if phrases::starts(self.lexicon().discourse.corrections, &words).is_some() {
            return None;
        }
        let part = phrases::find(self.lexicon().time.parts, &words[used..]).map_or(0, |(_, used)| used);
        let from = used + part;
        let ends = self.lexicon().qualifiers.ends;
        let time_end = |at: usize| {
            let said = &words[at..];
            let begins = phrases::starts(self.lexicon().time.at, said).is_some();
            let is_end = phrases::starts(ends, said).is_some();
            let used = rules::longest(Rule::Time, said, &by).map_or(0, |(_, used)| used);
            // "At ten past" is after an hour that was said before; "at five to call mum" is none.
            let is_whole = |end: &usize| {
                let is_joint = |word: &&str| self.lexicon().requests.connectors.contains(word);
                said.get(*end).is_none_or(is_joint) || self.pauses_before(at + end)
            };
            let open = |at: usize| Some(at + rules::without_hour(&said[at..], self.lexicon())?);
            let open = (1..used).find_map(open).filter(is_whole);
            (begins && !is_end && used > 1 && open.is_none_or(|open| open <= used)).then_some(at + used)
        };
        let times: Vec<usize> = (from + 1..words.len()).filter_map(time_end).collect();
        let has_other_day = (from..words.len()).any(|at| date(at) > 0);
        if times.is_empty() || time_end(from).is_some() || has_other_day {
            return None;
        }
        // Behind the time: "on tomorrow" is a day.
        let day = format!(" {}", words[..from].join(" "));
        let mut said = self.text[self.tokens[from].start..].to_owned();
        let begin = self.text.len() - said.len();
        for end in times.into_iter().rev() {
            said.insert_str(self.tokens[end - 1].end - begin, &day);
        }
        Some(said)
    }
}

impl Sentence<'_> {
    /// A request whose time is relative to that of the request before it: "an alarm at six, and the lamp on *ten minutes
    /// before*".
    pub(super) fn at_time_from(&self, before: (usize, usize), (start, end): (usize, usize)) -> Option<Match> {
        let words: Vec<&str> = self.tokens[start..end].iter().map(|token| token.word.as_str()).collect();
        let time = &self.lexicon.time;
        let tail = |mark| phrases::ends(mark, &words).map(|length| words.len() - length);
        let (behind, sign) = match (tail(time.sooner), tail(time.afterwards)) {
            (Some(at), _) => (at, -1),
            (None, at) => (at?, 1),
        };
        let (from, length) = (1..behind).find_map(|from| {
            let (length, used) = rules::length(&words[from..behind], self.lexicon)?;
            (from + used == behind && length.months == 0).then_some((from, length))
        })?;
        let plain = self.plain(before.0, before.1)?;
        let every = plain.recurrence();
        let each_day = || Some(self.reader.now.date().and_time(every.as_ref()?.time?));
        let first = plain.moment().or_else(each_day)?;
        let seconds = i64::try_from(length.total_seconds()).ok()?;
        let then = first + TimeDelta::seconds(sign * seconds);
        let said = format!("{} {} {}", words[..from].join(" "), time.at.first()?, then.format("%H:%M"));
        // "… and the kettle ten minutes later" has the beginning of the request before it, without its time.
        let begun: Vec<&str> = plain
            .words
            .iter()
            .filter(|(_, took)| *took != Took::Ruled)
            .map(|(word, _)| word.as_str())
            .collect();
        let begun = (1..begun.len()).map(|cut| format!("{} {said}", begun[..cut].join(" ")));
        // The next time of day behind a moment before it is that one.
        self.reader.at_time(then - TimeDelta::minutes(1), |reader| {
            let read = |text: String| reader.exactly(&text, &reader.tokenise(&text));
            let mut found = std::iter::once(said.clone()).chain(begun).filter_map(read);
            let mut found = found.find(|found| found.moment() == Some(then))?;
            every.iter().for_each(|every| found.repeat(every, then.time()));
            Some(found)
        })
    }

    /// A request at a time of day, on the day that was said of the one before it: "tomorrow at six, and … at seven". A time
    /// without an hour is in the hour behind that: "and … at half past".
    pub(super) fn at_moment_of(&self, before: (usize, usize), (start, end): (usize, usize)) -> Option<Match> {
        let words: Vec<&str> = self.tokens.iter().map(|token| token.word.as_str()).collect();
        let by = self.reader.reckoning();
        let date = |at: usize| Some((at, rules::longest(Rule::Date, &words[at..], &by)?.1));
        let time = |at: usize| {
            let from = at + phrases::starts(self.lexicon.time.at, &words[at..end])?;
            let whole = rules::longest(Rule::Time, &words[from..end], &by).map_or(0, |(_, used)| used);
            let open = rules::without_hour(&words[from..end], self.lexicon).filter(|used| *used > whole);
            let used = open.unwrap_or(whole);
            (used > 0).then_some((from + used, open.is_some()))
        };
        let (time_end, is_open) = (start..end).find_map(time)?;
        if (start..end).any(|at| date(at).is_some()) {
            return None;
        }
        let day = (before.0..before.1).find_map(date).map(|(at, used)| {
            let part = phrases::find(self.lexicon.time.parts, &words[at + used..before.1]);
            words[at..at + used + part.map_or(0, |(_, used)| used)].join(" ")
        });
        if day.is_none() && !is_open {
            return None;
        }
        // "*Sunday* to Thursday at half past eight" says no day.
        let first = self.plain(before.0, before.1).filter(|found| found.recurrence().is_none())?.moment()?;
        let next_hour = first + TimeDelta::hours(1);
        let hours = [first, next_hour].map(|at| self.lexicon.numbers.integer_words(u64::from(at.hour12().1)));
        let hours = if is_open { hours.as_slice() } else { &[String::new()] };
        hours.iter().find_map(|hour| {
            let day = day.as_deref().unwrap_or_default();
            let text =
                [&words[start..time_end], &[hour.as_str(), day], &words[time_end..end]].concat().join(" ");
            let fits = |at: NaiveDateTime| {
                at.date() == first.date() && (!is_open || (first..next_hour).contains(&at))
            };
            self.with_any_words(&text).filter(|found| found.moment().is_some_and(fits))
        })
    }
}

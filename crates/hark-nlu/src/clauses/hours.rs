//! Hours: those that something is to last, "from nine to half past ten", and those in which it is waited for.

use super::super::qualifiers::{Kind, Qualifier, Qualifiers};
use super::super::request_framing::Speech;
use super::super::rules::{self, Prefer, Reckoning, Rule};
use super::super::text::Token;
use super::Composer;
use super::model::{Adds, Clause, Composed, OnDay};
use chrono::{NaiveTime, TimeDelta, Timelike};
use hark_core::Slots;
use hark_core::automation::{Condition, Trigger, Until};
use hark_core::calendar::When;
use hark_language::phrases;
use hark_language::time::Part;

const DAY_SECONDS: i64 = 24 * 60 * 60;

/// When a night ends for which only its beginning was said: "after ten".
pub(super) const MORNING: NaiveTime = match NaiveTime::from_hms_opt(6, 0, 0) {
    Some(time) => time,
    None => NaiveTime::MIN,
};

impl Composer<'_> {
    /// "From nine to half past ten": it is put off to the beginning, and lasts until the end.
    pub(super) fn between_hours(
        &self,
        text: &str,
        tokens: &[Token],
        (it, end): (&Qualifier, usize),
        clauses_left: usize,
    ) -> Option<Composed> {
        let lexicon = self.reader.grammar.lexicon();
        let (at, until) = (lexicon.time.at.first()?, lexicon.qualifiers.until.first()?);
        let words: Vec<&str> = tokens[it.mark.1..end].iter().map(|token| token.word.as_str()).collect();
        let is_between = it.kind != Kind::Hours;
        let to = if is_between { lexicon.requests.connectors } else { lexicon.qualifiers.hours_end };
        let parted = (1..words.len()).find_map(|at| Some((at, phrases::starts(to, &words[at..])?)));
        let (to, length) = parted.filter(|(to, length)| to + length < words.len())?;
        let after = tokens.get(end).map_or("", |token| &text[token.start..]);
        // "Between seven and nine tomorrow": the day is that of both.
        let by = self.reader.reckoning();
        let said_end = &words[to + length..];
        let time = rules::longest(Rule::Time, said_end, &by).map_or(said_end.len(), |(_, used)| used);
        let is_day = rules::longest(Rule::Datetime, &said_end[time..], &by)
            .is_some_and(|(_, used)| time + used == said_end.len());
        let (ends, day) = said_end.split_at(if is_day { time } else { said_end.len() });
        let begins = self.begin_of_hours(&words[..to], ends).unwrap_or_else(|| words[..to].join(" "));
        let (begins, ends) = (format!("{begins} {}", day.join(" ")), ends.join(" "));
        let before = &text[..tokens[it.start].start];
        self.request(&format!("{before} {at} {begins} {after} {until} {ends}"), clauses_left - 1)
            .filter(|found| !found.terms.is_plain() || found.is_put_off())
    }

    /// Whether a part ends hours that begin before it, on another day: "from five *till nine tomorrow*" is one.
    pub(super) fn ends_hours(&self, qualifiers: &Qualifiers<'_>, it: &Qualifier, terms: &Adds) -> bool {
        let Adds::Until(Until::Moment { at }) = terms else { return false };
        let begins = |other: &Qualifier| other.kind == Kind::Hours && other.start < it.start;
        at.date() > self.reader.now.date() && qualifiers.found.iter().any(begins)
    }

    /// The day, or the part of one, that is said beside an act, and the act, where what it waits for happens then: "*tomorrow
    /// morning* when Alice leaves lock the door". A day of another week cannot be told from that of this one.
    pub(super) fn day_beside(&self, act: &str, terms: &Adds) -> Option<(OnDay, String)> {
        let is_sun = matches!(terms, Adds::Happens { trigger: Trigger::Sun { .. }, .. });
        (is_sun || matches!(terms, Adds::Becomes { .. })).then_some(())?;
        let tokens = self.reader.tokenise(act);
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let now = self.reader.now;
        let by = Reckoning { now, ..self.reader.reckoning() };
        let date = |at: usize| {
            let (found, used) = rules::longest(Rule::Date, &words[at..], &by)?;
            let Some(When::Day(day)) = When::parse(found.first()?.1.as_str()?) else { return None };
            let begin = day.and_time(NaiveTime::MIN);
            let part = || {
                let (found, longer) = rules::longest(Rule::Datetime, &words[at..], &by)?;
                let When::Span(from, to) = When::parse(found.first()?.1.as_str()?)? else { return None };
                (longer > used).then_some((longer, from, to))
            };
            let (used, from, to) = part().unwrap_or((used, begin, begin + TimeDelta::days(1)));
            let is_beside = (at == 0) != (at + used == words.len());
            is_beside.then_some((at, at + used, from, to))
        };
        let rest = |(at, end, ..): &(usize, usize, _, _)| super::without(act, &tokens, *at, *end);
        // "Switch the light *on tomorrow*" is not on a day.
        let is_read = |found: &(usize, usize, _, _)| {
            let rest = rest(found);
            self.reader.exactly(&rest, &self.reader.tokenise(&rest)).is_some()
        };
        let dates: Vec<_> = (0..words.len()).rev().filter_map(date).collect();
        let found = dates.iter().find(|found| is_read(found)).or(dates.last())?;
        let (at, end, from, to) = *found;
        (now.date()..now.date() + TimeDelta::days(7)).contains(&from.date()).then_some(())?;
        Some((OnDay { from, to, words: words[at..end].join(" ") }, rest(found)))
    }

    /// When hours begin whose end says its half of the day: "from *seven* to half past seven in the morning". `None` where the
    /// beginning is clear, or the end is not.
    fn begin_of_hours(&self, begins: &[&str], ends: &[&str]) -> Option<String> {
        let by = Reckoning { prefer: Prefer::Either, ..self.reader.reckoning() };
        let times = |words: &[&str]| {
            let (found, _) =
                rules::longest(Rule::Time, words, &by).filter(|(_, used)| *used == words.len())?;
            let times = found.into_iter().next()?.1;
            times.as_str()?.split('/').map(|time| time.parse().ok()).collect::<Option<Vec<NaiveTime>>>()
        };
        let (begins, ends) = (times(begins)?, times(ends)?);
        let ([_, _], [end]) = (begins.as_slice(), ends.as_slice()) else { return None };
        // The nearer before the end; over midnight as well.
        let before_end = |begin: &NaiveTime| (*end - *begin).num_minutes().rem_euclid(24 * 60);
        Some(begins.iter().min_by_key(|begin| before_end(begin))?.format("%H:%M").to_string())
    }

    /// Whether hours in front are those of what is waited for: "*between ten and six* turn on the light and tell me if anyone unlocks
    /// the door".
    pub(super) fn hours_limit_all(&self, qualifiers: &Qualifiers<'_>) -> bool {
        let first = qualifiers.found.first();
        first.is_some_and(|it| it.start == 0 && qualifiers.says_hours(it))
            && self.waits_within_hours(qualifiers)
    }

    /// Whether an "if" clause beside hours is about motion or something that happens: "between ten and six, *if anyone unlocks the
    /// door*, …" is waited for within these hours.
    pub(super) fn waits_within_hours(&self, qualifiers: &Qualifiers<'_>) -> bool {
        let happens = |it: &Qualifier, end: usize| {
            let clause = Clause { by: self, qualifiers, it, end };
            match clause.read() {
                Some((_, Adds::Check { said, .. })) => said.is_motion(),
                Some((_, Adds::Becomes { .. })) => true,
                _ => false,
            }
        };
        qualifiers.found.iter().any(|it| qualifiers.says_hours(it))
            && qualifiers
                .found
                .iter()
                .filter(|it| it.kind == Kind::If)
                .any(|it| qualifiers.ends(it).into_iter().any(|end| happens(it, end)))
    }
}

/// The hours that slots name. Of those that may be meant they are as short as can be, and begin in the evening.
pub(super) fn hours_of(slots: &Slots) -> Option<Condition> {
    let times = |slot: &str| {
        let times = slots.get(slot)?.as_str()?.split('/').map(|time| time.parse().ok());
        times.collect::<Option<Vec<NaiveTime>>>()
    };
    let length = |(from, to): &(NaiveTime, NaiveTime)| (*to - *from).num_seconds().rem_euclid(DAY_SECONDS);
    let (from, to) = match (times("from"), times("to")) {
        (Some(from), Some(to)) => {
            let pairs = from.iter().rev().flat_map(|from| to.iter().map(|to| (*from, *to)));
            pairs.min_by_key(length)?
        }
        (Some(from), None) => (*from.last()?, MORNING),
        (None, to) => (NaiveTime::MIN, *to?.first()?),
    };
    Some(Condition::Hours { from, to })
}

impl Speech<'_> {
    /// "*For ten minutes* turn the fan on and then turn it off" with how long behind what lasts. `None` where nothing is done to
    /// the same thing then.
    pub(in super::super) fn with_length_before_then(&self) -> Option<String> {
        let words = self.words();
        let lexicon = self.lexicon();
        let mark = phrases::starts(lexicon.qualifiers.lasting, &words)?;
        let end = mark + rules::length_behind(&words[mark..], lexicon)?.1;
        let says_then = |at: &usize| phrases::starts(lexicon.requests.afterwards, &words[*at..]).is_some();
        let then = (end + 1..words.len()).find(says_then)?;
        let act = phrases::without_ends(&[lexicon.requests.connectors], &words[end..then]);
        let says_it = words[then..].iter().any(|word| lexicon.requests.pronouns.contains(word));
        let rest = &words[end + act.len()..];
        (says_it && !act.is_empty()).then(|| [act, &words[..end], rest].concat().join(" "))
    }

    /// "The heating on till six *all night*" until six in the morning. `None` where no night is said so.
    pub(in super::super) fn with_end_of_night(&self) -> Option<String> {
        let words = self.words();
        let lexicon = self.lexicon();
        let by = self.reader.reckoning();
        let night = |at: usize| {
            let end = at + phrases::starts(lexicon.qualifiers.unmeasured, &words[at..])?;
            let part = phrases::find(lexicon.time.parts, &words[end - 1..end])?;
            (part.0 == Part::Night).then_some((at, end))
        };
        let (at, end) = (1..words.len()).find_map(night)?;
        let until = |from: usize| {
            let mark = from + phrases::starts(lexicon.qualifiers.until, &words[from..])?;
            let (found, used) = rules::longest(Rule::Time, &words[mark..], &by)?;
            let time: NaiveTime = found.first()?.1.as_str()?.parse().ok()?;
            let says_part = |at: usize| phrases::find(lexicon.time.parts, &words[at..]).is_some();
            let is_open = time.hour() >= 12 && !(mark..mark + used).any(says_part);
            is_open.then(|| (mark, mark + used, time - TimeDelta::hours(12)))
        };
        let (from, behind, time) = (1..words.len()).find_map(until)?;
        let time = time.format("%H:%M").to_string();
        let place = |at: usize| if at == from { time.as_str() } else { words[at] };
        let kept = |index: &usize| !(at..end).contains(index) && !(from + 1..behind).contains(index);
        Some((0..words.len()).filter(kept).map(place).collect::<Vec<_>>().join(" "))
    }
}

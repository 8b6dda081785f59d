//! Which words of a request a correction may replace: those of the same kind as what was meant.

use super::super::grammar::{ITEM, Nearness, Part, Span};
use super::super::intent::category_of;
use super::super::number_spans;
use super::super::placed::MAX_PLACE_WORDS;
use super::super::request_framing::{Speech, spoken};
use super::super::rules::{self, Rule};
use super::super::text::is_unit;
use super::TIMES;
use hark_core::Category;
use hark_language::phrases;
use serde_json::Value;
use std::cmp::Reverse;
use std::ops::Range;

/// Words of a time at most before its hour: "a quarter past".
const TIME_BEFORE: usize = 3;

/// Words at most of what only shares a word with what was wrong.
const MAX_ALIKE: usize = 4;

impl Speech<'_> {
    /// What in a request may be what was meant instead.
    pub(super) fn places(&self, wrong: &[&str], meant: &[&str]) -> Vec<Range<usize>> {
        let ways: [&dyn Fn() -> Vec<Range<usize>>; 6] = [
            &|| self.lengths(wrong, meant),
            &|| TIMES.into_iter().find_map(|rule| self.same_rule(rule, wrong, meant)).unwrap_or_default(),
            &|| self.numbers(wrong, meant),
            &|| self.listed(wrong, meant),
            &|| [self.areas(wrong, meant), self.names(wrong, meant)].concat(),
            &|| self.alike(wrong, meant),
        ];
        ways.into_iter().map(|places| places()).find(|places| !places.is_empty()).unwrap_or_default()
    }

    /// Words that a rule reads as it reads all that was meant.
    pub(super) fn same_rule(&self, rule: Rule, wrong: &[&str], meant: &[&str]) -> Option<Vec<Range<usize>>> {
        let by = self.reader.reckoning();
        let longest = |words: &[&str]| rules::longest(rule, words, &by).map(|(_, used)| used);
        // A number alone is one of many things.
        let is_number = self.is_number(meant);
        let is_whole = longest(meant) == Some(meant.len());
        (is_whole && !is_number).then_some(())?;
        let mut places = Vec::new();
        let mut at = 0;
        while at < wrong.len() && self.reader.spend(meant.len()) {
            let used = longest(&wrong[at..]).unwrap_or(0);
            if used > 0 {
                // "At" stays.
                let marked = phrases::starts(self.lexicon().time.at, &wrong[at..]).filter(|it| *it < used);
                places.push(at + marked.unwrap_or(0)..at + used);
            }
            at += used.max(1);
        }
        (!places.is_empty()).then_some(places)
    }

    /// The last number of the request, where a number was meant; with its unit where one was said.
    fn numbers(&self, wrong: &[&str], meant: &[&str]) -> Vec<Range<usize>> {
        let lexicon = self.lexicon();
        let Some((_, used)) = lexicon.numbers.number(meant) else { return Vec::new() };
        let unit = &meant[used..];
        let (text, tokens) = spoken(wrong, self.reader);
        let all = number_spans::numbers(&text, &tokens, lexicon);
        let same_unit = |place: &Range<usize>| wrong[place.end..].starts_with(unit);
        // "Half five" is one time.
        let by = self.reader.reckoning();
        let time = |place: Range<usize>| {
            let is_time = |start: &usize| {
                let words = &wrong[*start..place.end];
                let is_marked = phrases::starts(lexicon.time.at, words).is_some();
                !is_marked
                    && rules::longest(Rule::Time, words, &by).is_some_and(|(_, used)| used == words.len())
            };
            (place.start.saturating_sub(TIME_BEFORE)..place.start).find(is_time).unwrap_or(place.start)
                ..place.end
        };
        match unit {
            [] => all.into_iter().rev().map(time).collect(),
            _ => {
                let with_unit = |place: &Range<usize>| place.start..place.end + unit.len();
                let same: Vec<_> = all.iter().rev().filter(|place| same_unit(place)).map(with_unit).collect();
                // "When it drops under *five* outside … make that three degrees."
                let is_bare =
                    |place: &Range<usize>| wrong.get(place.end).is_none_or(|word| !is_unit(word, lexicon));
                match all.as_slice() {
                    [only] if same.is_empty() && is_bare(only) => vec![only.clone()],
                    _ => same,
                }
            }
        }
    }

    /// A length that no number says, where one was meant: "for *a bit* … forty five minutes".
    fn lengths(&self, wrong: &[&str], meant: &[&str]) -> Vec<Range<usize>> {
        let said = &self.lexicon().qualifiers;
        let is_whole = rules::length(meant, self.lexicon()).is_some_and(|(_, used)| used == meant.len());
        let vague = |at: usize| {
            let used = phrases::starts(said.unmeasured, &wrong[at..])?;
            let mark = phrases::starts(said.lasting, &wrong[at..at + used]).filter(|mark| *mark < used)?;
            Some(at + mark.min(1)..at + used)
        };
        if is_whole { (1..wrong.len()).filter_map(vague).collect() } else { Vec::new() }
    }

    /// Areas, where one was meant; also in names: "the *kitchen* light".
    fn areas(&self, wrong: &[&str], meant: &[&str]) -> Vec<Range<usize>> {
        let is_area = |words: &[&str]| self.reader.grammar.is_area(&words.join(" "));
        if !is_area(meant) {
            return Vec::new();
        }
        let longest = |at: usize| {
            (at + 1..=wrong.len().min(at + MAX_PLACE_WORDS)).rev().find(|end| is_area(&wrong[at..*end]))
        };
        (0..wrong.len()).rev().filter_map(|at| Some(at..longest(at)?)).collect()
    }

    /// Names in the request that a named thing may replace: first those of its domain, also where only the kind was said ("the hall
    /// light" for "the lamp"), then the others; the last in the request first.
    fn names(&self, wrong: &[&str], meant: &[&str]) -> Vec<Range<usize>> {
        let articles = self.lexicon().things.articles;
        let from = usize::from(articles.contains(meant[0]) && meant.len() > 1);
        let (text, tokens) = spoken(&meant[from..], self.reader);
        let all = [self.reader.near_spans(&tokens), self.reader.meaning_spans(&tokens)].concat();
        // What says something as it is was not misheard: "halfway" is not the hallway.
        let is_said = self.reader.exactly(&text, &tokens).is_some();
        let is_meant = |it: &&Span| {
            let is_near = !is_said || it.candidates.iter().any(|one| one.how != Nearness::Sound);
            is_near && it.start == 0 && it.end == tokens.len()
        };
        let meant: Vec<&Span> = all.iter().filter(is_meant).collect();
        let kind = meant.first().and_then(|it| it.domain());
        let (_, tokens) = spoken(wrong, self.reader);
        let mut named: Vec<(bool, Range<usize>)> = Vec::new();
        // The longest come first.
        let spans = [self.reader.near_spans(&tokens), self.reader.meaning_spans(&tokens)].concat();
        for span in spans.iter().filter(|span| meant.iter().any(|it| it.list == span.list)) {
            if named.iter().all(|(_, known)| span.end <= known.start || known.end <= span.start) {
                let is_other = span.domain() != kind;
                let whole = kind.filter(|_| !is_other).and_then(|kind| self.target_to(wrong, span.end, kind));
                let start = whole.map_or(span.start, |start| start.min(span.start));
                named.push((is_other, start..span.end));
            }
        }
        if named.iter().all(|(is_other, _)| *is_other) {
            let of_kind = |end: usize| Some(self.target_to(wrong, end, kind?)?..end);
            let ends = (1..=wrong.len()).filter(|end| self.reader.grammar.says_what_kind(wrong[end - 1]));
            named.extend(ends.filter_map(of_kind).next().map(|place| (false, place)));
        }
        named.sort_by_key(|(is_other, place)| (*is_other, Reverse(place.start)));
        named.into_iter().map(|(_, place)| place).collect()
    }

    /// Where the longest target of a domain begins that ends at `end`: "*the hall light*".
    fn target_to(&self, words: &[&str], end: usize, kind: &str) -> Option<usize> {
        let is_of_kind = |start: &usize| {
            let (text, tokens) = spoken(&words[*start..end], self.reader);
            let Some(found) = self.reader.part(Part::Target, false, &text, &tokens) else { return false };
            let said = |slot: &str| found.slots.get(slot).and_then(Value::as_str);
            let domain = said("domain").or_else(|| self.reader.grammar.domain_of(said("name")?));
            domain == Some(kind)
        };
        (end.saturating_sub(MAX_PLACE_WORDS + 1)..end).find(is_of_kind)
    }

    /// What is put on a list, or taken off; "on the packing list" is none of that.
    fn listed(&self, wrong: &[&str], meant: &[&str]) -> Vec<Range<usize>> {
        let talk = &self.lexicon().discourse;
        if meant.first().is_some_and(|first| talk.within.contains(first) || talk.verbs.contains(first)) {
            return Vec::new();
        }
        let (text, tokens) = spoken(wrong, self.reader);
        let found = self.reader.exactly(&text, &tokens);
        let listed = found.filter(|found| category_of(&found.intent) == Some(Category::List));
        let spans = listed.map(|found| found.spans).unwrap_or_default().into_iter();
        spans.filter(|span| span.slot == ITEM).map(|span| span.start..span.end).collect()
    }

    /// Words that share one with what was meant that is no small one, and are as many: "hdmi one" for "hdmi two".
    fn alike(&self, wrong: &[&str], meant: &[&str]) -> Vec<Range<usize>> {
        let things = &self.lexicon().things;
        let is_small = |word: &str| things.small_words.contains(word) || things.not_in_names.contains(word);
        let is_same = |(one, other): (&&str, &&str)| one == other && !is_small(one);
        let shares = |window: &[&str]| window.iter().zip(meant).any(is_same);
        let windows = wrong.windows(meant.len()).enumerate();
        let is_short = (2..=MAX_ALIKE).contains(&meant.len());
        let places = windows.filter(|(_, window)| is_short && shares(window) && *window != meant);
        places.map(|(at, _)| at..at + meant.len()).collect()
    }
}

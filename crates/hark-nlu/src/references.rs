//! What leans on a name before it: "the rest" is all but that ("leave the lamp on and turn off the rest of the lights"), and "he"
//! the person.

use super::grammar::{Match, Part};
use super::intent::category_of;
use super::request_framing::Speech;
use hark_core::Category;
use hark_language::phrases;
use serde_json::Value;

/// Words at most of a thing that is named.
const MAX_NAME_WORDS: usize = 5;

impl Speech<'_> {
    /// The request with what it leaves out said in full, or in another order; `None` where it leaves out nothing.
    pub(super) fn in_full(&self) -> Option<String> {
        let ways: [&dyn Fn() -> Option<String>; 16] = [
            &|| self.without_idle_case(),
            &|| self.with_places(),
            &|| self.with_others_named(),
            &|| self.with_direct_questions(),
            &|| self.without_both(),
            &|| self.with_person_named(),
            &|| self.with_same_time(),
            &|| self.with_day_at_times(),
            &|| self.with_time_of_clause(),
            &|| self.with_joined_clauses(),
            &|| self.with_length_behind(),
            &|| self.with_length_before_then(),
            &|| self.with_end_of_night(),
            &|| self.with_delay_first(),
            &|| self.with_time_later(),
            &|| self.with_time_before_place(),
        ];
        ways.into_iter().find_map(|way| way())
    }

    /// The request for "the rest" with what was named before it as its exception; without that part where it only says what
    /// stays as it is. `None` where there is nothing of the kind.
    pub(super) fn with_others_named(&self) -> Option<String> {
        let words = self.words();
        let said = &self.lexicon().qualifiers;
        let joins = |at: usize| self.lexicon().requests.connectors.contains(words[at]);
        let (at, (all, length)) =
            (2..words.len()).find_map(|at| Some((at, phrases::find(said.others, &words[at..])?)))?;
        let starts = |start: usize| {
            let is_behind = start < at && phrases::ends(said.but, &words[..start]).is_some();
            joins(start - 1) || self.pauses_before(start) || is_behind
        };
        let start = (1..=at).rev().find(|at| starts(*at))?;
        let end = (at + length..words.len())
            .find(|at| joins(*at) || self.pauses_before(*at))
            .unwrap_or(words.len());
        let mut before = &words[..start];
        while let Some((last, rest)) = before.split_last()
            && (self.lexicon().requests.connectors.contains(last)
                || phrases::ends(said.but, &[last]).is_some())
        {
            before = rest;
        }
        // "Close the blinds but leave the rest" says no more than "close the blinds".
        if phrases::starts(said.but, &words[start..]).is_some() {
            return Some(before.join(" "));
        }
        let named = self.named(before)?;
        let (all, behind) = (all.text(), &words[at + length..end]);
        // "Ceiling light on, and the rest of the lights in there" has the verb of what stands before, "the lamp in the study on,
        // and the rest of the lights" also its place.
        let shared = || {
            let (kind, area) = self.others_of(&named)?;
            let all = if all.is_empty() { kind } else { all };
            let place = if all == kind { area } else { self.place(before) };
            let with = |place: &str| {
                let all: Vec<&str> =
                    all.split(' ').chain(behind.iter().copied()).chain(place.split_whitespace()).collect();
                let texts = if start == at { self.with_target(before, &all) } else { Vec::new() };
                texts.into_iter().find(|text| self.act_on_several(text).is_some())
            };
            place.and_then(|place| with(&place)).or_else(|| with(""))
        };
        let all = self.all_of(&named, &words[start..at], all, behind).or_else(shared)?;
        let stays = phrases::starts(said.but, before).is_some();
        let kept = if stays { &[] } else { &words[..start] };
        let except = said.exceptions.first()?;
        Some(
            [&[kept.join(" ").as_str(), &all, except, &named], &words[end..]]
                .concat()
                .join(" ")
                .trim()
                .to_owned(),
        )
    }

    /// The request for all that is meant, which an act of the home has to be: for what stands in the table, else for what is of
    /// the kind of what was named ("turn on the lamp and turn off *the others*"), where that stands.
    fn all_of(&self, named: &str, before: &[&str], all: &str, behind: &[&str]) -> Option<String> {
        if !all.is_empty() {
            let text = [before, &[all], behind].concat().join(" ");
            return self.act_on_several(&text).map(|_| text);
        }
        let (kind, area) = self.others_of(named)?;
        let text = [before, &[kind], behind].concat().join(" ");
        let says_where = |found: &Match| ["area", "floor"].iter().any(|slot| found.slots.contains_key(*slot));
        let placed = area.filter(|_| !self.act_on_several(&text).is_some_and(|found| says_where(&found)));
        let text = placed.map_or(text.clone(), |area| format!("{text} {area}"));
        self.act_on_several(&text).map(|_| text)
    }

    /// What all things of the kind of a named one are called, and where that one stands.
    fn others_of(&self, named: &str) -> Option<(&'static str, Option<String>)> {
        let (reader, grammar) = (self.reader, self.reader.grammar);
        let target = reader.part(Part::Target, false, named, &reader.tokenise(named))?;
        let name = target.slots.get("name").and_then(Value::as_str)?;
        let kind = self.lexicon().qualifiers.others_of.get(grammar.domain_of(name)?)?;
        let area = grammar.area_of(name).and_then(|area| self.within(&area.as_str()?.to_lowercase()));
        Some((kind.text(), area))
    }

    /// What a text does to several things of the home; `None` where it is nothing of the kind.
    fn act_on_several(&self, text: &str) -> Option<Match> {
        let found = self.reader.exactly(text, &self.reader.tokenise(text))?;
        let name = found.slots.get("name").and_then(Value::as_str);
        let is_one = name.is_some_and(|name| self.reader.grammar.is_thing(&name.to_lowercase()));
        (category_of(&found.intent) == Some(Category::HomeControl) && !is_one).then_some(found)
    }

    /// The request with the one person that it names for "he" or "she" in what it waits for: "remind me to ask Alice when *she*
    /// comes home". `None` unless exactly one person is named.
    pub(super) fn with_person_named(&self) -> Option<String> {
        let (words, lexicon) = (self.words(), self.lexicon());
        let persons = lexicon.requests.person_pronouns;
        let stem = |word| lexicon.discourse.contraction(word).map_or(word, |(stem, _)| stem);
        let waits = |at: usize| phrases::ends(lexicon.qualifiers.when, &words[..at]).is_some();
        let at = (2..words.len()).find(|at| persons.contains(stem(words[*at])) && waits(*at))?;
        let mut named = words[..at].iter().filter(|word| self.reader.grammar.is_person(word));
        let name = named.next().filter(|name| named.all(|other| other == *name))?;
        let (before, behind) = self.text.split_at(self.tokens[at].start);
        Some(format!("{before}{}", self.reader.with_name_for(persons, behind, name)?))
    }

    /// Whether some words are what a request is about: a thing, a kind of them, a place.
    pub(super) fn is_target(&self, words: &[&str]) -> bool {
        let text = words.join(" ");
        self.reader.part(Part::Target, false, &text, &self.reader.tokenise(&text)).is_some()
    }

    /// The words from the first thing to the last that some words name.
    pub(super) fn named(&self, words: &[&str]) -> Option<String> {
        let is_target = |(start, end): &(usize, usize)| self.is_target(&words[*start..*end]);
        let spans = (0..words.len()).flat_map(|start| {
            (start + 1..=words.len().min(start + MAX_NAME_WORDS)).rev().map(move |end| (start, end))
        });
        let (first, mut last) = spans.clone().find(is_target)?;
        for (_, end) in spans.filter(|(start, _)| *start > first).filter(is_target) {
            last = last.max(end);
        }
        Some(words[first..last].join(" "))
    }
}

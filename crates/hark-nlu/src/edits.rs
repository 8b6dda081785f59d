//! A correction as an edit of the request it corrects: "turn on the bedside lamp … no, the bedroom light", "remind me on
//! Thursday … it's Wednesday", "… above three thousand watts … make that four thousand". What was meant takes the place of
//! what is of its kind in the request: a name, a time, a day, a number, or what was put on a list.

mod places;

use super::grammar::Reader;
use super::intent::{category_of, leans_on_another};
use super::qualifiers::{Kind, Qualifier, Qualifiers};
use super::request_framing::{Speech, spoken};
use super::rules::{self, Rule};
use super::to_intent::WILD_CONFIDENCE;
use hark_core::automation::intent::COMMAND;
use hark_core::intent::refusal;
use hark_core::ports::NEXT_TURN;
use hark_core::{Category, Understanding};
use hark_language::{Lexicon, phrases};
use serde_json::Value;
use std::ops::Range;

/// Most edits that are tried.
const MAX_EDITS: usize = 6;

/// Kinds of time that one can be instead of another: a day leaves the time of day as it was.
const TIMES: [Rule; 3] = [Rule::Date, Rule::Time, Rule::Datetime];

impl Speech<'_> {
    /// The request with what was meant in it, in the ways that may be meant; none where nothing is corrected. The likeliest
    /// comes first.
    pub(super) fn edited(&self) -> Vec<String> {
        let words = self.words();
        let talk = &self.lexicon().discourse;
        let next_turn = self.next_turn();
        let Some(at) = self.correction_at(&words) else { return Vec::new() };
        // "No, margarine, *the doctor says butter is bad*."
        let is_remark = |end: &usize| {
            let is_meant = !self.meant(&words[at..*end]).is_empty();
            self.pauses_before(*end) && is_meant && self.is_remark(&words[*end..])
        };
        if let Some(end) = (at + 1..words.len()).find(is_remark) {
            return Speech { tokens: &self.tokens[..end], ..*self }.edited();
        }
        let meant = self.meant_behind(&words, at);
        let number = self.number_that_is(meant);
        let meant = number.as_ref().map_or(meant, |number| number.as_slice());
        // "The one over the table", "the back one", and not "twenty one".
        let is_one = !self.is_number(meant) && meant.iter().any(|one| talk.one.contains(one));
        let which = if is_one { which_one(meant, self.lexicon()) } else { meant };
        // "The back" behind "the front door" is the back door.
        let with_kind = |kind| [which, &[kind]].concat();
        let article =
            usize::from(which.first().is_some_and(|first| self.lexicon().things.articles.contains(first)));
        let is_thing = |full: &Vec<&str>| {
            which.len() < meant.len()
                || !self.is_target(&which[article..]) && self.is_target(&full[article..])
        };
        let in_full = self.kind_said(&words[..next_turn.unwrap_or(at)]).map(with_kind).filter(is_thing);
        let meant = which;
        // "Do it *now*": what says when is left out.
        let now = phrases::ends(self.lexicon().time.now, &words[at..]).filter(|_| next_turn.is_some());
        // "Oh wait, *we've loads, take it off*" is a request of its own.
        if meant.is_empty() && now.is_none() || next_turn.is_some() && self.tells_and_acts(meant) {
            return Vec::new();
        }
        // "At five, no, half five, no, six": what was corrected before is read first.
        let end = next_turn.unwrap_or(at);
        let before = Speech { tokens: &self.tokens[..end], ..*self };
        let corrected = if next_turn.is_none() { before.edited().into_iter().next() } else { None };
        let corrected: Option<Vec<&str>> = corrected.as_deref().map(|text| text.split(' ').collect());
        let wrong = self.without_marks(corrected.as_deref().unwrap_or(&words[..end]));
        // "Wake me at six, *oh it's Sunday*, let's say nine."
        let mut clauses = self.clauses(wrong);
        let before_clause = clauses.iter().flatten().next().map_or(wrong.len(), |place| place.start);
        let remark = (1..before_clause).find(|at| self.is_remark(&wrong[*at..]));
        let wrong = &wrong[..remark.unwrap_or(wrong.len())];
        // "At seven, no, *quarter past*."
        let with_hour = self.with_hour(wrong, meant);
        let meant = with_hour.as_deref().unwrap_or(meant);
        clauses.retain(|_| remark.is_none());
        if meant.is_empty() {
            let places = clauses.first().cloned().unwrap_or_else(|| self.datetimes_from(0, wrong));
            let without =
                |place: Range<usize>| [&wrong[..place.start], &wrong[place.end..]].concat().join(" ");
            return places.into_iter().take(MAX_EDITS).map(without).collect();
        }
        if let Some(edited) = self.instead_of(wrong, meant) {
            return vec![edited];
        }
        if self.lexicon().requests.negations.contains(meant[0]) {
            return self.without_item(wrong, &meant[1..]).into_iter().collect();
        }
        if self.leaves_one() {
            return Vec::new();
        }
        let in_place = phrases::ends(talk.corrections_behind, &words[at..]).is_some();
        if in_place && next_turn.is_some() || talk.verbs.contains(meant[0]) && next_turn.is_none() {
            let other = self.other_act(wrong, &clauses, meant);
            if !other.is_empty() {
                return other;
            }
        }
        let retimed = self.retimed(wrong, &clauses, &words[at..], meant);
        if !retimed.is_empty() {
            return retimed;
        }
        // "In ten minutes, no, make it fifteen, turn it on", "rather the lamp, and at half": what stands behind what was meant
        // goes on with the request.
        let joins = |at: usize| self.lexicon().requests.connectors.contains(words[at]);
        let by = self.reader.reckoning();
        // "… no, *Monday at nine* to take the bins out."
        let timed = |rule| Some(words.len() - meant.len() + rules::longest(rule, meant, &by)?.1);
        let time = timed(Rule::Datetime).or_else(|| timed(Rule::Time));
        let ends =
            (at + 1..words.len()).filter(|end| self.pauses_before(*end) || joins(*end) || time == Some(*end));
        let rest = |from: usize| &words[from + phrases::starts(talk.leads, &words[from..]).unwrap_or(0)..];
        let cuts = ends.map(|end| (self.meant(&words[at..end]), rest(end + usize::from(joins(end)))));
        // "Make that three thousand, *the oven alone takes two*" only says why.
        let says_why =
            |rest: &[&str]| !rest.is_empty() && !talk.verbs.contains(rest[0]) && !self.has_name(rest);
        let cuts = std::iter::once((meant, [].as_slice())).chain(cuts.filter(|(meant, _)| !meant.is_empty()));
        let edits = cuts.map(|(meant, rest)| {
            let without = if says_why(rest) { self.put_in(wrong, meant, &[]) } else { Vec::new() };
            [self.put_in(wrong, meant, rest), without].concat()
        });
        let edits = edits.into_iter().find(|edits| !edits.is_empty()).unwrap_or_default();
        let in_full = in_full.map(|meant| self.put_in(wrong, &meant, &[])).unwrap_or_default();
        let one_there = if is_one { self.with_place_of_kind(wrong, which) } else { None };
        self.put_elsewhere(wrong, meant).into_iter().chain(one_there).chain(in_full).chain(edits).collect()
    }

    /// What was meant from a correction on, without what first says what was not: "no, not crisps, *I meant oven chips*".
    fn meant_behind<'s>(&self, words: &'s [&'s str], at: usize) -> &'s [&'s str] {
        let meant = self.meant(&words[at + self.taken_back_at(words, at).unwrap_or(0)..]);
        let denies = meant.first().is_some_and(|first| self.lexicon().requests.negations.contains(first));
        let mark = |at: usize| {
            let length = phrases::starts(self.lexicon().discourse.corrections, &meant[at..])?;
            Some(at + length).filter(|behind| length > 1 && *behind < meant.len())
        };
        let behind = if denies { (1..meant.len()).find_map(mark) } else { None };
        &meant[behind.unwrap_or(0)..]
    }

    /// A request for one thing of a kind, "the lamp", with the place where that is which was meant: "*the one in the bedroom*".
    fn with_place_of_kind(&self, wrong: &[&str], place: &[&str]) -> Option<String> {
        let place =
            self.within(&place.join(" ")).filter(|_| self.reader.grammar.is_area(&place.join(" ")))?;
        let at = wrong.iter().rposition(|word| self.reader.grammar.says_what_kind(word))?;
        let is_bare = at > 0 && self.lexicon().things.articles.contains(wrong[at - 1]);
        is_bare.then(|| [&wrong[..=at], &[place.as_str()], &wrong[at + 1..]].concat().join(" "))
    }

    /// Another request in the place of one, with what that waits for: "at nine turn on the radio … actually, *turn on the
    /// telly* instead". None where what was meant is no request.
    fn other_act(&self, wrong: &[&str], clauses: &[Vec<Range<usize>>], meant: &[&str]) -> Vec<String> {
        let (text, tokens) = spoken(meant, self.reader);
        let acts = self.reader.exactly(&text, &tokens).is_some_and(|found| {
            let acts = [Some(Category::HomeControl), Some(Category::Media)];
            // "*Add* nappies, no wait, *add* wipes to the list."
            let is_again = wrong.first() == meant.first() && !leans_on_another(&found.intent);
            acts.contains(&category_of(&found.intent)) && found.wild_words == 0 || is_again
        });
        if !acts {
            return Vec::new();
        }
        let waits = clauses.first().cloned().unwrap_or_else(|| self.datetimes(wrong));
        let with = |place: Range<usize>| format!("{}, {text}", wrong[place].join(" "));
        let all: Vec<String> = waits.into_iter().take(MAX_EDITS).map(with).collect();
        if all.is_empty() { vec![text] } else { all }
    }

    /// A request that waits for something else: "turn on the lamp when it gets dark … do it at eight tonight", "… at eight … no,
    /// when Alice comes home". None where what was meant is neither a time nor a clause.
    fn retimed(
        &self,
        wrong: &[&str],
        clauses: &[Vec<Range<usize>>],
        said: &[&str],
        meant: &[&str],
    ) -> Vec<String> {
        let beside = clauses.first().and_then(|places| self.beside_moment(wrong, places.first()?, meant));
        if let Some(beside) = beside {
            return vec![beside];
        }
        let by = self.reader.reckoning();
        let at = self.lexicon().time.at;
        let marked = said.windows(2).find(|pair| at.contains(pair[0]) && pair[1] == meant[0]);
        let new = [marked.map_or([].as_slice(), |pair| &pair[..1]), meant].concat();
        let whole = |rule| rules::longest(rule, &new, &by).is_some_and(|(_, used)| used == new.len());
        let is_number = self.is_number(&new);
        let is_time = [Rule::Datetime, Rule::Time].into_iter().any(whole) && !is_number;
        // What was said at another time is that at another time.
        if is_time && TIMES.into_iter().any(|rule| self.same_rule(rule, wrong, &new).is_some()) {
            return Vec::new();
        }
        let (text, tokens) = spoken(meant, self.reader);
        let first = Qualifiers::of(self.reader, &text, &tokens).found.into_iter().next();
        // "*Half an hour* before sunset."
        let before = rules::length(meant, self.lexicon()).map_or(0, |(_, used)| used);
        let is_clause = first.is_some_and(|it| {
            it.start == 0 && it.says_when()
                || it.start == before && (it.kind == Kind::Condition || it.waits())
        });
        let places: Vec<Range<usize>> = match clauses {
            [places] if is_time || is_clause => places.clone(),
            [] if is_clause => self.datetimes(wrong),
            _ => Vec::new(),
        };
        let new = if is_time { &new } else { meant }.join(" ");
        let with = |place: Range<usize>| {
            // "When the window closes … when *it* opens" is about the window, "when Robert comes … when *he* leaves" about him.
            let old = &wrong[place.clone()];
            let persons = self.lexicon().requests.person_pronouns;
            let about = if is_clause { self.named(old) } else { None };
            let thing = about.and_then(|name| self.reader.with_name(&new, &name));
            let persons = old.iter().filter_map(|name| self.reader.with_name_for(persons, &new, name));
            let mut all: Vec<String> = if is_clause { persons.collect() } else { Vec::new() };
            if all.is_empty() {
                all.push(thing.unwrap_or_else(|| new.clone()));
            }
            let (before, behind) = (&wrong[..place.start], &wrong[place.end..]);
            all.iter().map(|new| [before, &[new.as_str()], behind].concat().join(" ")).collect::<Vec<_>>()
        };
        // What was to be done at once is done then.
        if clauses.is_empty() && is_time && self.datetimes(wrong).is_empty() {
            return with(wrong.len()..wrong.len());
        }
        places.into_iter().flat_map(with).take(MAX_EDITS).collect()
    }

    /// A request that waits for so long before or after what it waits for: "at sunset … make it *half an hour before*".
    fn beside_moment(&self, wrong: &[&str], place: &Range<usize>, meant: &[&str]) -> Option<String> {
        let (lexicon, time) = (self.lexicon(), &self.lexicon().time);
        let length = |words: &[&str]| rules::length(words, lexicon).map_or(0, |(_, used)| used);
        let (long, rest) = meant.split_at(length(meant));
        let said = |marks| !long.is_empty() && phrases::starts(marks, rest) == Some(rest.len());
        let marks = [time.sooner, time.afterwards].into_iter().find(|marks| said(*marks))?;
        let clause = &wrong[place.clone()];
        let begins = [lexicon.qualifiers.when, time.at, time.sooner, time.afterwards];
        let moment = phrases::without_starts(&begins, &clause[length(clause)..]);
        let new = [long, &[marks.first()?], moment].concat();
        // "*Half an hour* before sunset."
        let start = (0..place.start).find(|at| at + length(&wrong[*at..place.start]) == place.start);
        Some([&wrong[..start.unwrap_or(place.start)], &new, &wrong[place.end..]].concat().join(" "))
    }

    /// Each clause of a request that says when: where it may stand, the likeliest end first.
    fn clauses(&self, words: &[&str]) -> Vec<Vec<Range<usize>>> {
        let (text, tokens) = spoken(words, self.reader);
        let qualifiers = Qualifiers::of(self.reader, &text, &tokens);
        let places =
            |it: &Qualifier| qualifiers.ends(it).into_iter().map(|end| it.start..end).collect::<Vec<_>>();
        qualifiers.found.iter().filter(|it| it.says_when()).map(places).collect()
    }

    /// Where a request says a time.
    pub(super) fn datetimes(&self, words: &[&str]) -> Vec<Range<usize>> {
        self.datetimes_from(1, words)
    }

    fn datetimes_from(&self, first: usize, words: &[&str]) -> Vec<Range<usize>> {
        let by = self.reader.reckoning();
        let span = |at: usize| Some(at..at + rules::longest(Rule::Datetime, &words[at..], &by)?.1);
        (first..words.len()).find_map(|at| span(at).filter(|span| !span.is_empty())).into_iter().collect()
    }

    /// Whether a place is within a time of day that begins behind another: "six | in the morning".
    pub(super) fn is_within_time(&self, from: usize, at: usize) -> bool {
        let (words, by) = (self.words(), self.reader.reckoning());
        let is_over = |start: usize| {
            let is_number = self.lexicon().numbers.number(&words[start..at]).is_some();
            let time = || rules::longest(Rule::Time, &words[start..], &by);
            is_number && time().is_some_and(|(_, used)| start + used > at)
        };
        at < words.len() && (from..at).any(is_over)
    }

    /// A request without the time that it is put off to.
    pub(super) fn without_time(&self) -> Option<String> {
        let words = self.words();
        let time = self.datetimes_from(0, &words).pop()?;
        Some([&words[..time.start], &words[time.end..]].concat().join(" "))
    }

    /// The first of two turns, and that with something else in the place of what is of its kind, where the second asks for
    /// the same of that: "is the kitchen window open … what about the one in the bedroom". `None` where it does not.
    pub(super) fn repeated(&self) -> Option<(String, Vec<String>)> {
        let (words, at) = (self.words(), self.next_turn()?);
        let talk = &self.lexicon().discourse;
        let without_trails = phrases::without_ends(&[talk.trails], &words[at..]);
        let said = phrases::without_ends(&[talk.trails, talk.another_behind], &words[at..]);
        let begins = phrases::starts(talk.another, said);
        let ends = said.len() < without_trails.len();
        (begins.is_some() || ends).then_some(())?;
        let said = self.meant(&said[begins.unwrap_or(0)..]);
        let meant = which_one(said, self.lexicon());
        let is_one = meant.len() < said.len();
        (!self.is_other_one(said)).then_some(())?;
        // "And take the tomatoes off" is a request of its own.
        let begins_request = meant.first().is_some_and(|first| talk.verbs.contains(first));
        (!begins_request).then_some(())?;
        let before = &words[..at];
        let with_hour = self.with_hour(before, meant);
        let meant = with_hour.as_deref().unwrap_or(meant);
        if meant.is_empty() {
            return None;
        }
        // "The hallway *one* too": the hallway light, where a light was spoken of.
        let kind = self.kind_said(before).filter(|_| is_one);
        let in_full = kind.map(|kind| [meant, &[kind]].concat());
        let in_full = in_full.map(|meant| self.put_in(before, &meant, &[])).unwrap_or_default();
        Some((before.join(" "), [in_full, self.put_in(before, meant, &[])].concat()))
    }

    /// The first of two turns, and both as one request, where the second says "it".
    pub(super) fn joined(&self) -> Option<(String, String)> {
        let (words, at) = (self.words(), self.next_turn()?);
        let connector = self.lexicon().requests.connectors.first()?;
        let behind = &self.text[self.tokens[at].start..];
        let says_it = self.reader.with_name(behind, "").is_some();
        let behind = if says_it { behind.to_owned() } else { self.with_kind_for_one(at)? };
        let before = words[..at].join(" ");
        Some((before.clone(), format!("{before} {connector} {behind}")))
    }

    /// The first of two turns, and what the second asks for with what the first waits for: "tell me when the mower is done … *and
    /// put the sprinkler on then*", "… *and put the sprinkler on as well*". None where the second does not say that, or the first
    /// waits for nothing.
    pub(super) fn at_the_same_time(&self) -> Option<(String, Vec<String>)> {
        let (words, at) = (self.words(), self.next_turn()?);
        let too = || Some(words.len() - phrases::ends(self.lexicon().discourse.another_behind, &words)?);
        let then = self.then_at().map(|(at, _)| at).or_else(too).filter(|then| *then > at + 1)?;
        self.lexicon().requests.connectors.contains(words[at]).then_some(())?;
        let act = phrases::without_ends(&[self.lexicon().discourse.another_behind], &words[at + 1..then]);
        let before = &words[..at];
        let clauses = self.clauses(before);
        let waits = !clauses.is_empty() || !self.datetimes(before).is_empty();
        waits.then(|| (before.join(" "), self.other_act(before, &clauses, act)))
    }

    /// What stands from a place on with the kind that was said before in the place of "one": "close the kitchen blinds … open
    /// *the ones in the bedroom*".
    fn with_kind_for_one(&self, at: usize) -> Option<String> {
        let words = self.words();
        let (talk, things) = (&self.lexicon().discourse, &self.lexicon().things);
        let is_one = |at: &usize| talk.one.contains(words[*at]) && things.articles.contains(words[at - 1]);
        let one = (at + 1..words.len()).find(is_one)?;
        let kind = self.kind_said(&words[..at])?;
        let marks = [talk.another, self.lexicon().requests.connectors];
        let begins =
            marks.into_iter().filter_map(|marks| phrases::starts(marks, &words[at..])).max().unwrap_or(0);
        Some([&words[at + begins..one], &[kind], &words[one + 1..]].concat().join(" "))
    }

    /// The kind of thing that was spoken of last: "light".
    pub(super) fn kind_said<'w>(&self, words: &[&'w str]) -> Option<&'w str> {
        words.iter().rev().find(|word| self.reader.grammar.says_what_kind(word)).copied()
    }

    /// A request with another that names its kind as "one": "close the kitchen blinds and open *the ones in the bedroom*".
    pub(super) fn with_kind_in_full(&self) -> Option<String> {
        let words = self.words();
        let at = self.connector(&words)?;
        Some(format!("{} {}", words[..=at].join(" "), self.with_kind_for_one(at + 1)?))
    }

    /// A request with another that names a thing by its place or kind alone: "bedroom light on, and *the one in the bathroom*".
    pub(super) fn with_one_in_full(&self) -> Option<String> {
        let words = self.words();
        let at = self.connector(&words)?;
        let said = phrases::without_ends(&[self.lexicon().discourse.another_behind], &words[at + 1..]);
        let which = Some(which_one(said, self.lexicon()))
            .filter(|which| !which.is_empty() && which.len() < said.len())?;
        let other = self.put_in(&words[..at], which, &[]).into_iter().next()?;
        Some(format!("{} {other}", words[..=at].join(" ")))
    }

    /// Where the first word stands that joins two requests.
    fn connector(&self, words: &[&str]) -> Option<usize> {
        let connectors = self.lexicon().requests.connectors;
        (1..words.len().saturating_sub(1)).find(|at| connectors.contains(words[*at]))
    }

    /// A request with where it is to be in the place of where it said: "put eggs on the to do list … *on the shopping list*",
    /// "… *the shopping list*", "… *put it on the shopping list*".
    fn put_elsewhere(&self, wrong: &[&str], meant: &[&str]) -> Option<String> {
        let talk = &self.lexicon().discourse;
        let meant = match meant {
            [verb, it, place @ ..]
                if talk.verbs.contains(verb)
                    && self.lexicon().requests.pronouns.contains(it)
                    && !place.is_empty() =>
            {
                place
            }
            _ => meant,
        };
        let (within, articles) = (self.lexicon().discourse.within, self.lexicon().things.articles);
        let begins = |at: &usize| within.contains(wrong[*at]) && articles.contains(wrong[*at + 1]);
        let at = (1..wrong.len().saturating_sub(1)).rev().find(begins)?;
        let says_where = within.contains(meant[0]);
        let is_alike = meant.len() > 1 && meant.last() == wrong.last() && !meant.contains(&wrong[at]);
        let end = at + usize::from(!says_where);
        (says_where || is_alike).then(|| [&wrong[..end], meant].concat().join(" "))
    }

    /// A time that leaves out its hour, "twenty past", with that which was said before.
    fn with_hour<'w>(&self, before: &[&'w str], meant: &[&'w str]) -> Option<Vec<&'w str>> {
        let is_open = rules::without_hour(meant, self.lexicon()) == Some(meant.len());
        let is_hour = |word: &&&str| self.lexicon().numbers.whole(&[**word]).is_some();
        let hour = before.iter().rev().find(is_hour).filter(|_| is_open && !meant.is_empty())?;
        Some([meant, &[*hour]].concat())
    }

    /// A request with what was meant in each place where it may be meant, and what stands behind it.
    pub(super) fn put_in(&self, wrong: &[&str], meant: &[&str], rest: &[&str]) -> Vec<String> {
        let with = |place: Range<usize>| {
            let article = |word: &&str| self.lexicon().things.articles.contains(word);
            let said = place.start > 0 && article(&wrong[place.start - 1]) && article(&meant[0]);
            let before = &wrong[..place.start];
            [before, &meant[usize::from(said)..], &wrong[place.end..], rest].concat().join(" ")
        };
        self.places(wrong, meant).into_iter().take(MAX_EDITS).map(with).collect()
    }

    /// Where the next turn begins.
    pub(super) fn next_turn(&self) -> Option<usize> {
        let parted = self.text.find(NEXT_TURN)?;
        self.tokens.iter().position(|token| token.start > parted).filter(|at| *at > 0)
    }

    /// What was meant, without what says that it is a correction.
    pub(super) fn meant<'w>(&self, mut words: &'w [&'w str]) -> &'w [&'w str] {
        let talk = &self.lexicon().discourse;
        let at = self.lexicon().time.at;
        let begins = [
            talk.corrections,
            talk.corrections_with,
            talk.corrections_behind,
            talk.leads,
            talk.hesitations,
            talk.trails,
            talk.states,
            at,
        ];
        let begun = |words: &[&str]| {
            let mark = || begins.iter().filter_map(|it| phrases::starts(*it, words)).max();
            self.too_much(words).or_else(mark)
        };
        while let Some(length) = begun(words) {
            words = &words[length..];
        }
        phrases::without_ends(&[talk.trails, talk.corrections_behind], words)
    }
}

impl Reader<'_> {
    /// A request that is taken back at its end: nothing is done.
    pub(super) fn taken_back(&self, text: &str, is_parted: bool) -> Option<Understanding> {
        let tokens = self.tokenise(text);
        let words = Speech { reader: self, text, tokens: &tokens }.taken_back(is_parted)?;
        let intents = vec![refusal::of(refusal::TAKEN_BACK, words)];
        Some(Understanding { intents, ..Understanding::default() })
    }

    /// Whether words that were taken as they are hold a correction: "remind me to ring Tom at two, *no wait, at three*", or what
    /// is put right counts as a request of its own: "set the heating to nineteen *no make it twenty*".
    pub(super) fn swallows_correction(&self, text: &str, found: &Understanding) -> bool {
        let tokens = self.tokenise(text);
        let speech = Speech { reader: self, text, tokens: &tokens };
        let words = speech.words();
        if (1..words.len()).any(|at| speech.edits_from(&words, at)) {
            return true;
        }
        let corrections = self.grammar.lexicon().discourse.corrections;
        let corrects = |said: &str| {
            let tokens = self.tokenise(said);
            let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
            (0..words.len()).any(|at| phrases::starts(corrections, &words[at..]).is_some_and(|it| it > 1))
        };
        // "In ten minutes, *no*, make it fifteen, turn it on."
        let corrected = self.grammar.lexicon().qualifiers.corrected;
        let commands = found.intents.iter().filter_map(|intent| intent.slots.get(COMMAND)?.as_str());
        let mut first = commands.filter_map(|command| Some(self.tokenise(command).into_iter().next()?.word));
        if first.any(|word| corrected.contains(&word)) {
            return true;
        }
        let wild = found.intents.iter().filter(|intent| intent.confidence <= WILD_CONFIDENCE);
        wild.flat_map(|intent| intent.slots.values()).filter_map(Value::as_str).any(corrects)
    }
}

/// What tells one from another, in "the bedroom *one*" and "*the one in* the bedroom".
pub(super) fn which_one<'s, 'w>(words: &'s [&'w str], lexicon: &Lexicon) -> &'s [&'w str] {
    let talk = &lexicon.discourse;
    let is_article = |word: &str| lexicon.things.articles.contains(word);
    let from = usize::from(words.first().is_some_and(|first| is_article(first)));
    match &words[from..] {
        [one, within, which @ ..]
            if talk.one.contains(one)
                && (talk.within.contains(within) || lexicon.things.beside.contains(within)) =>
        {
            let article = usize::from(which.first().is_some_and(|first| is_article(first)));
            &which[article..]
        }
        [which @ .., one] if from > 0 && !which.is_empty() && talk.one.contains(one) => which,
        _ => words,
    }
}

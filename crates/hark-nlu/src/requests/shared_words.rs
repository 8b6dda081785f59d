//! Words that one of several requests shares with another: its beginning, its ending, its thing, a unit.

use super::super::embedded_requests::ends_with_time;
use super::super::grammar::{Match, Took};
use super::super::intent::category_of;
use super::super::number_spans;
use super::super::request_framing::Speech;
use super::super::rules::{self, Rule};
use super::super::text::{MAX_NUMBER_WORDS, Token};
use super::{MAX_ENDING, Sentence, Words, follows};
use hark_core::Category;
use hark_core::automation::intent::{COMMAND, OF_IT};
use hark_language::{Phrases, phrases};

/// Words at most of a name on one side of a place within it.
const MAX_OF_NAME: usize = 4;

impl Sentence<'_> {
    /// Whether a request with a verb of its own begins among some words: then they share none with another as a whole.
    pub(super) fn holds_request(&self, start: usize, end: usize) -> bool {
        let verbs = &self.lexicon.discourse.verbs;
        self.joints(start).iter().any(|(_, after)| *after < end && verbs.contains(&self.tokens[*after].word))
    }

    /// The unit that a number at the end shares with another: "for five minutes and one for ten". It is the next
    /// that is said, else the last that was.
    pub fn unit_of(&self, start: usize, end: usize) -> Option<&str> {
        let words: Vec<&str> = self.tokens[start..end].iter().map(|token| token.word.as_str()).collect();
        let longest = words.len().saturating_sub(MAX_NUMBER_WORDS);
        (longest..words.len()).find(|from| self.lexicon.numbers.parse(&words[*from..]).is_some())?;
        let is_unit =
            |token: &&Token| phrases::find(self.lexicon.time.units, &[token.word.as_str()]).is_some();
        let behind = self.tokens[end..].iter().find(is_unit);
        let unit = behind.or_else(|| self.tokens[..start].iter().rev().find(is_unit))?;
        Some(&unit.word)
    }

    /// The ways to complete a request with words of another: as it was said, without "another", with the unit.
    pub(super) fn wordings(&self, start: usize, end: usize) -> Vec<String> {
        let words: Vec<&str> = self.tokens[start..end].iter().map(|token| token.word.as_str()).collect();
        let one = phrases::starts(self.lexicon.requests.one_of_them, &words).filter(|one| start + one < end);
        // "One for ten" before "one": no timer is called "one".
        let starts = [one.map(|one| start + one), Some(start)];
        let unit = self.unit_of(start, end).map_or_else(String::new, |unit| format!(" {unit}"));
        let mut all = Vec::new();
        if one.is_none() {
            // "Eight minutes for the pasta and twelve for the sauce."
            all.extend(self.with_unit_behind(start, end));
        }
        for said in starts.into_iter().flatten().map(|start| self.said(start, end)) {
            if !unit.is_empty() {
                all.push(format!("{said}{unit}"));
            }
            all.push(said);
        }
        let plain = self.without_trails(&words);
        if !plain.is_empty() && plain != words.join(" ") {
            all.push(plain);
        }
        all
    }

    /// Some words without what only trails behind something: "off *again* at ten".
    fn without_trails(&self, words: &[&str]) -> String {
        phrases::without(self.lexicon.discourse.trails, words).join(" ")
    }

    /// Whether a part is instead of what was said before it, and not beside that: "no, half five".
    pub(super) fn corrects(&self, start: usize, end: usize) -> bool {
        let (marks, corrected) = (self.lexicon.discourse.corrections, self.lexicon.qualifiers.corrected);
        let words: Vec<&str> = self.tokens[..end].iter().map(|token| token.word.as_str()).collect();
        let (before, part) = words.split_at(start);
        let ends = phrases::ends(marks, before).map(|length| &before[start - length..]);
        let mark = phrases::starts(marks, part).map(|length| &part[..length]).or(ends);
        mark.is_some_and(|mark| mark.iter().any(|word| corrected.contains(word)))
    }

    /// A part that begins with a number that has no unit, with the unit that was said before.
    pub(super) fn with_unit_behind(&self, start: usize, end: usize) -> Option<String> {
        let words: Vec<&str> = self.tokens[start..end].iter().map(|token| token.word.as_str()).collect();
        let (_, used) = self.lexicon.numbers.whole(&words).filter(|(_, used)| *used < words.len())?;
        let is_unit = |word: &str| phrases::find(self.lexicon.time.units, &[word]).is_some();
        let unit = self.tokens[..start].iter().rev().find(|token| is_unit(&token.word))?;
        (!words.iter().any(|word| is_unit(word)))
            .then(|| [&words[..used], &[unit.word.as_str()], &words[used..]].concat().join(" "))
    }

    /// What a request is with each beginning of the one before it.
    pub(super) fn begun(
        &self,
        before: (usize, usize),
        (start, end): (usize, usize),
    ) -> impl Iterator<Item = Match> + '_ {
        let words: Vec<&str> = self.tokens[start..end].iter().map(|token| token.word.as_str()).collect();
        // "At seven, that's when he leaves": what somebody does or thinks shares no words with a request.
        let mut states = phrases::starts(self.lexicon.discourse.speakers, &words).is_some();
        // Nor does what denies: "butter and jam … oh, not the jam".
        let talk = &self.lexicon.discourse;
        let denied = phrases::starts(talk.hesitations, &words).unwrap_or(0);
        states |= words.get(denied).is_some_and(|first| self.lexicon.requests.negations.contains(first));
        let rests = if states { Vec::new() } else { self.wordings(start, end) };
        let first = self.plain(before.0, before.1);
        let category = first.as_ref().and_then(|first| category_of(&first.intent));
        let by = self.reader.reckoning();
        let as_often = first.as_ref().and_then(Match::recurrence).filter(|every| every.time.is_some());
        let says_own_day = (0..words.len()).any(|at| rules::longest(Rule::Date, &words[at..], &by).is_some());
        // "Every night *at eleven* lock the door and close the garage" is not at the hour at which nights begin, nor at none.
        let is_as_often = move |found: &Match| {
            let words: Vec<&str> = found.words.iter().map(|(word, _)| word.as_str()).collect();
            let by = self.reader.reckoning();
            let says_time = |at: usize| {
                phrases::starts(self.lexicon.time.at, &words[at..]).is_some()
                    && rules::longest(Rule::Time, &words[at..], &by).is_some()
            };
            match (&as_often, found.recurrence()) {
                (Some(said), Some(every)) => {
                    every == *said || every.time.is_some() && (0..words.len()).any(says_time)
                }
                // "*Sunday* to Thursday at eight turn it on and at nine turn it off" says no Sunday.
                (Some(_), None) => says_own_day || !found.says_day(&by),
                (None, _) => true,
            }
        };
        // "At eight, and off at midnight": what is put off has words of its own.
        let later = category == Some(Category::HomeControl)
            || first.as_ref().is_some_and(|first| first.slots.contains_key(COMMAND));
        // "Remind me at two to ring the bank and at four to fetch the parcel", "… to iron at eight and put the bins out at nine".
        let is_timed = ends_with_time(&words, &by) && self.plain(start, end).is_none()
            || rules::longest(Rule::Datetime, &words, &by).is_some_and(|(_, used)| used < words.len());
        let reminds = is_timed
            && category == Some(Category::Reminder)
            && first.is_some_and(|first| first.wild_words > 0);
        let all: Vec<&str> =
            self.tokens[before.0..before.1].iter().map(|token| token.word.as_str()).collect();
        let timed = rules::longest(Rule::Datetime, &all, &by).map_or(0, |(_, used)| used);
        // "At half five *tomorrow morning* …" is one time, unless the next has its own.
        let says_no_time =
            Speech { reader: self.reader, text: self.text, tokens: self.tokens }.datetimes(&words).is_empty();
        let front_end = if says_no_time { before.0 + timed } else { before.0 };
        // "Turn the bathroom fan on and off again" is about the fan, and not about the bathroom.
        let (in_names, others): (Vec<usize>, Vec<usize>) =
            (before.0 + 1..before.1).partition(|cut| self.is_within_name(before, *cut));
        let begun = [others, in_names].into_iter().flat_map(move |cuts| {
            rests.clone().into_iter().flat_map(move |rest| {
                let articles = self.lexicon.things.articles;
                let has_article = rest.split(' ').next().is_some_and(|first| articles.contains(first));
                // "At ten | to seven" is one time.
                let speech = Speech { reader: self.reader, text: self.text, tokens: self.tokens };
                let fits = move |cut: &usize| {
                    let repeats = has_article && articles.contains(&self.tokens[cut - 1].word);
                    !repeats && *cut >= front_end && !speech.is_within_time(before.0, *cut)
                };
                cuts.clone().into_iter().filter(fits).filter_map(move |cut| {
                    let read = |from: usize| {
                        let text = format!("{} {rest}", self.said(from, cut));
                        let put_off = || if later { self.put_off(&text) } else { None };
                        let reminder = || if reminds { self.with_any_words(&text) } else { None };
                        self.composed(&text).or_else(put_off).or_else(reminder)
                    };
                    // "*At ten* turn the lamp on and off at seven": each has a time of its own.
                    let untimed = before.0 + timed;
                    read(before.0).or_else(|| (timed > 0 && untimed < cut).then(|| read(untimed))?)
                })
            })
        });
        // "Please ten minutes" is an answer, not what was to be completed.
        begun.filter(move |found| !follows(found) && is_as_often(found))
    }

    /// Whether a place is within the name of a thing, or between its place and that: "the bathroom | fan".
    fn is_within_name(&self, (start, end): (usize, usize), at: usize) -> bool {
        let (first, last) = (start.max(at.saturating_sub(MAX_OF_NAME)), end.min(at + MAX_OF_NAME));
        (first..at).any(|from| {
            let starts = self.is_bare(from, at);
            (at + 1..=last).any(|to| self.names_a_thing(from, to) || starts && self.names_a_thing(at, to))
        })
    }

    /// A request that shares its beginning with the one before it and asks for the same.
    pub(super) fn again(&self, before: (usize, usize), part: (usize, usize)) -> Option<Match> {
        // "Make sure the back door *and the front door are locked*": the first has the ending of the next.
        let asked = self.plain(before.0, before.1).or_else(|| self.ending(before, part))?.intent;
        let mut found = self.begun(before, part).filter(|found| found.intent == asked);
        let first = found.next()?;
        // "Tomorrow at six and at seven": the day that was said is that of both.
        let same_day = first.moment().and_then(|at| {
            let is_alike = |other: &Match| {
                other.wild_words <= first.wild_words
                    && other.moment().is_some_and(|then| then.time() == at.time())
            };
            found.filter(is_alike).last()
        });
        Some(same_day.unwrap_or(first))
    }

    /// A request that shares its beginning with the one before it, best one that asks for the same ("switch off" of
    /// "switch off the lamp", not "switch"), or speaks of its thing as "it".
    pub(super) fn leaning(&self, before: (usize, usize), (start, end): (usize, usize)) -> Option<Match> {
        let later = self.later_of_all(before, (start, end));
        let again = later.or_else(|| self.again(before, (start, end)));
        // What has a name is meant first: "desk light on, make it red".
        let named = (before.0..before.1).find_map(|from| {
            (from + 1..=before.1).rev().find(|to| self.names_a_thing(from, *to)).map(|to| self.said(from, to))
        });
        if let Some(mut found) = again.or_else(|| self.begun(before, (start, end)).next()) {
            if found.slots.contains_key(OF_IT) {
                found.name_it(named.as_deref()?);
            }
            return Some(found);
        }
        if let Some(found) = self.another(before, (start, end)) {
            return Some(found);
        }
        if let Some(found) = self.gapped(before, (start, end)) {
            return Some(found);
        }
        let it = (start..end)
            .find(|at| self.lexicon.requests.pronouns.contains(self.tokens[*at].word.as_str()))?;
        let by = self.reader.reckoning();
        let is_thing = |words: &String| !rules::is_time(&words.split(' ').collect::<Vec<_>>(), &by);
        // "Kitchen lights *on* and make them dimmer": without the state, and from the first word on where that is no verb.
        let talk = &self.lexicon.discourse;
        let is = |phrases: Phrases, at: usize| phrases.contains(&self.tokens[at].word);
        let first = before.0 + usize::from(is(talk.verbs, before.0));
        let last = before.1 - usize::from(is(talk.closing, before.1 - 1));
        let without_state = if last < before.1 { first..last } else { 0..0 };
        let cuts =
            without_state.map(|cut| (cut, last)).chain((before.0 + 1..before.1).map(|cut| (cut, before.1)));
        let behind = cuts.map(|(cut, end)| self.said(cut, end)).filter(is_thing);
        for thing in named.into_iter().chain(behind) {
            let head = if it > start { self.said(start, it) } else { String::new() };
            let tail = if it + 1 < end { self.said(it + 1, end) } else { String::new() };
            let text = format!("{head} {thing} {tail}");
            let found = self.composed(&text).or_else(|| self.put_off(&text));
            if let Some(found) = found.or_else(|| self.with_any_words_beside(&text, it - start, &thing)) {
                return Some(found);
            }
        }
        None
    }

    /// A request whose words may be any but for the thing at one place of it: "put oat milk on *the list*".
    fn with_any_words_beside(&self, text: &str, at: usize, thing: &str) -> Option<Match> {
        let thing = at..at + self.reader.tokenise(thing).len();
        let takes = |found: &Match| {
            found.words.get(thing).is_some_and(|it| !it.iter().any(|(_, took)| *took == Took::AsItIs))
        };
        self.with_any_words(text).filter(takes)
    }

    /// What is done later to all things that have the verb of the request before: "turn the lamp and the kettle on and off
    /// again at ten".
    pub(super) fn later_of_all(&self, before: (usize, usize), (start, end): (usize, usize)) -> Option<Match> {
        let joints = self.joints(0);
        let (at, _) = joints.iter().find(|(_, after)| *after == before.0)?;
        let first = joints.iter().map(|(_, after)| *after).filter(|after| after < at).max().unwrap_or(0);
        let verb = self.lexicon.discourse.verbs.contains(&self.tokens[first].word);
        self.names_a_thing(first + usize::from(verb), *at).then_some(())?;
        let words: Vec<&str> = self.tokens[start..end].iter().map(|token| token.word.as_str()).collect();
        let by = self.reader.reckoning();
        // What only says when belongs to what stands before it.
        let is_only_time =
            rules::longest(Rule::Datetime, &words, &by).is_some_and(|(_, used)| used == words.len());
        (!is_only_time).then_some(())?;
        let rest = self.without_trails(&words);
        (before.0 + 1..before.1).find_map(|cut| {
            let text = format!("{} {rest}", self.said(first, cut));
            self.reader.several_later(&text, &self.reader.tokenise(&text))
        })
    }

    /// Whether things alone stand behind what is to be done later, which is about them: "… every day at seven, the kettle and
    /// the radio".
    pub(super) fn is_of_later(
        &self,
        before: (usize, usize),
        (start, end): (usize, usize),
        alone: &Match,
    ) -> bool {
        let talk = &self.lexicon.discourse;
        let is_later = |found: &Match| found.slots.contains_key(COMMAND);
        let acts = |word: &String| talk.verbs.contains(word) || talk.closing.contains(word);
        category_of(&alone.intent) == Some(Category::HomeControl)
            && !is_later(alone)
            && !self.tokens[start..end].iter().any(|token| acts(&token.word))
            && self.plain(before.0, before.1).is_some_and(|found| is_later(&found))
    }

    /// The request before with another thing: "turn the lamp off and the fan"; and with another number where one is said: "turn
    /// the lamp off in ten minutes and the fan in twenty".
    pub(super) fn gapped(&self, before: (usize, usize), (start, end): (usize, usize)) -> Option<Match> {
        let words: Vec<&str> = self.tokens.iter().map(|token| token.word.as_str()).collect();
        let is_number = |at: usize| self.lexicon.numbers.number(&words[at..at + 1]).is_some();
        let speech = Speech { reader: self.reader, text: self.text, tokens: self.tokens };
        let said = &words[before.0..before.1];
        if self.names_a_thing(start, end) || self.is_a_kind(start, end) {
            let texts = speech.put_in(said, &words[start..end], &[]);
            return texts.iter().find_map(|text| self.composed(text));
        }
        ((start..end).any(is_number) && (before.0..before.1).any(is_number)).then_some(())?;
        (start + 1..end).filter(|cut| self.names_a_thing(start, *cut)).find_map(|cut| {
            let is_shared = said.contains(&words[cut]) && cut + 1 < end;
            let number = &words[cut + usize::from(is_shared)..end];
            speech.put_in(said, &words[start..cut], &[]).iter().find_map(|with_thing| {
                let with_thing: Vec<&str> = with_thing.split(' ').collect();
                speech.put_in(&with_thing, number, &[]).iter().find_map(|text| self.with_any_words(text))
            })
        })
    }

    /// A request for another of what was asked for before: "a five minute timer and a ten minute *one* for the pasta".
    pub(super) fn another(&self, before: (usize, usize), (start, end): (usize, usize)) -> Option<Match> {
        let words = |from: usize, to: usize| self.tokens[from..to].iter().map(|token| token.word.as_str());
        let said: Vec<&str> = words(start, end).collect();
        let one = said.iter().rposition(|word| self.lexicon.discourse.one.contains(word))?;
        phrases::find(self.lexicon.time.units, &said[one.checked_sub(1)?..one])?;
        let nouns = self.lexicon.requests.several.iter().filter_map(|(_, one)| one.split(' ').next_back());
        let noun = nouns.into_iter().find(|noun| words(before.0, before.1).any(|word| word == *noun))?;
        self.with_any_words(&[&said[..one], &[noun], &said[one + 1..]].concat().join(" "))
    }

    /// A request whose words may be any, made of words from two places.
    pub(super) fn with_any_words(&self, text: &str) -> Option<Match> {
        (self.parse)(text, &self.reader.tokenise(text), Words::Any).filter(|found| !follows(found))
    }

    /// A request that shares its ending with the next, which ends where another may begin.
    pub(super) fn nearest_ending(
        &self,
        first: (usize, usize),
        (after, end): (usize, usize),
    ) -> Option<Match> {
        let ends = self.joints(after).into_iter().map(|(at, _)| at).filter(|at| *at < end);
        ends.chain([end]).find_map(|end| self.ending(first, (after, end)))
    }

    /// Whether some words only name a thing or a place.
    pub(super) fn is_bare(&self, start: usize, end: usize) -> bool {
        self.names_a_thing(start, end) || self.reader.grammar.is_place(&self.said(start, end).to_lowercase())
    }

    pub(super) fn names_a_thing(&self, start: usize, end: usize) -> bool {
        self.reader.grammar.is_thing(&self.without_article(start, end).join(" "))
    }

    /// Whether some words are a kind of thing: "the fan".
    fn is_a_kind(&self, start: usize, end: usize) -> bool {
        self.reader.grammar.is_a_kind(&self.without_article(start, end))
    }

    fn without_article(&self, start: usize, end: usize) -> Vec<&str> {
        let words = self.tokens[start..end].iter().map(|token| token.word.as_str());
        let article =
            self.tokens[start..end].first().map(|first| self.lexicon.things.articles.contains(&first.word));
        words.skip(usize::from(article == Some(true))).collect()
    }

    /// A request that shares its ending with the next: "turn the lamp and the fan off".
    pub fn ending(&self, first: (usize, usize), next: (usize, usize)) -> Option<Match> {
        if !self.reader.spend(next.1 - next.0) {
            return None;
        }
        // A request with a verb of its own lends nothing.
        let talk = &self.lexicon.discourse;
        let words: Vec<&str> = self.tokens[next.0..next.1].iter().map(|token| token.word.as_str()).collect();
        let led = phrases::starts(talk.therefore, &words).or_else(|| phrases::starts(talk.leads, &words));
        let is_request = words.get(led.unwrap_or(0)).is_some_and(|word| talk.verbs.contains(word));
        // A question word alone shares no ending: "*is* the lamp on turn it off" asks nothing with "on".
        let asks = first.1 - first.0 == 1 && talk.states.contains(self.tokens[first.0].word.as_str());
        if is_request || asks || self.holds_request(next.0, next.1) {
            return None;
        }
        let most = MAX_ENDING.min((next.1 - next.0).saturating_sub(1));
        let head = self.said(first.0, first.1);
        let denies = |token: &Token| self.lexicon.requests.negations.contains(token.word.as_str());
        if self.tokens[next.0..next.1].iter().any(denies) {
            return None;
        }
        // A name is that of the next alone.
        let within_number =
            |words: &usize| number_spans::is_inside(self.text, self.tokens, self.lexicon, next.1 - words);
        let endings = || {
            let all = (1..=most).take_while(|words| !self.names_a_thing(next.1 - words, next.1));
            all.filter(|words| !within_number(words))
        };
        let next_alone = self.plain(next.0, next.1);
        let later = next_alone.as_ref().is_some_and(|next| next.slots.contains_key(COMMAND));
        let with_ending = |words: usize| {
            let text = format!("{head} {}", self.said(next.1 - words, next.1));
            if later { self.put_off(&text) } else { self.composed(&text) }
        };
        // "The kitchen and the bedroom *lights off*": the lights of both.
        let of_kind = |found: &Match| {
            next_alone.as_ref().is_some_and(|next| {
                let domain = next.slots.get("domain");
                domain.is_some() && found.intent == next.intent && found.slots.get("domain") == domain
            })
        };
        let same = || endings().filter_map(with_ending).find(of_kind);
        same().or_else(|| endings().find_map(with_ending))
    }

    /// What is to be done later.
    pub(super) fn put_off(&self, text: &str) -> Option<Match> {
        let found = (self.parse)(text, &self.reader.tokenise(text), Words::Any)?;
        (found.slots.contains_key(COMMAND) && !found.slots.contains_key(OF_IT)).then_some(found)
    }

    pub(super) fn composed(&self, text: &str) -> Option<Match> {
        let found = (self.parse)(text, &self.reader.tokenise(text), self.words);
        found.filter(|found| self.words == Words::Any || found.wild_words == 0).or_else(|| {
            // What stands between may be any words.
            self.with_any_words(text).filter(Match::is_on_named_list)
        })
    }
}

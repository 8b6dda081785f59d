//! Requests with clauses: what they wait for ("when the kettle is done"), how long they last ("for ten minutes", "until
//! eight"), and what they leave out ("except the lamp"). A clause is taken out of the words, and what is left is read as
//! any request, so that every clause goes with every request. Words that belong to neither mean that the request was not
//! understood.

mod act_beside;
mod clause;
mod composed;
mod exceptions;
mod hours;
mod in_turn;
mod model;
mod notices;
mod questions;
mod terms;
mod wordings;

use super::grammar::{Match, Part, Reader, Took};
use super::impossible::Impossible;
use super::intent::category_of;
use super::qualifiers::{Kind, Qualifier, Qualifiers, refused};
use super::request_framing::Speech;
use super::rules;
use super::text::Token;
use chrono::Days;
use hark_core::automation::intent::{ANNOUNCE, COMMAND};
use hark_core::automation::{Trigger, Until};
use hark_core::calendar::When;
use hark_core::intent::refusal;
use hark_core::{Category, Intent, Slots, Understanding};
use hark_language::phrases;
use model::{Adds, Clause, Composed};
use serde_json::Value;

/// Slot of something that a reminder would wait for.
pub(super) const EVENT: &str = "event";

/// Most clauses of one request.
const MAX_CLAUSES: usize = 3;

/// Slots of a request that say what it is about.
const TARGET: [&str; 5] = ["name", "area", "floor", "domain", "device_class"];

/// The question whether something is so.
const STATE: &str = "HassGetState";

/// What is carried out after some time, and the response that says so.
const LATER: &str = "HassStartTimer";
/// What is carried out at some time.
const SCHEDULED: &str = "HarkScheduleCommand";
const COMMAND_KEY: &str = "command";

/// "Let me know when the kettle is done": what is to be told when it has happened. Sentences may take the same words for a
/// question about now.
pub(super) fn notice(reader: &Reader<'_>, text: &str, tokens: &[Token]) -> Option<Understanding> {
    let qualifiers = Qualifiers::of(reader, text, tokens);
    let it =
        qualifiers.found.first().filter(|it| matches!(it.kind, Kind::When | Kind::EachTime | Kind::If))?;
    reader.part(Part::Notice, false, text, &tokens[..it.start])?;
    let question = |nearly| (Composer { reader, nearly, before: None }).question(&qualifiers, it);
    if let Some(asked) = [false, true].into_iter().find_map(question) {
        return Some(asked);
    }
    let refused = || Understanding { intents: vec![qualifiers.refusal(it)], ..Understanding::default() };
    compose(reader, text).or_else(|| Some(refused()))
}

/// Where a clause of a request can be read and what is left cannot: the refusal that names what is left.
pub(super) fn unread_act(reader: &Reader<'_>, text: &str, tokens: &[Token]) -> Option<Intent> {
    let by = Composer { reader, nearly: false, before: None };
    let qualifiers = Qualifiers::of(reader, text, tokens);
    qualifiers.found.iter().filter(|it| it.waits()).find_map(|it| {
        qualifiers.ends(it).into_iter().find_map(|end| {
            let (start, _) = Clause { by: &by, qualifiers: &qualifiers, it, end }.read()?;
            let left = without(text, tokens, start, end);
            let left_tokens = reader.tokenise(&left);
            // What has another clause may be whole without that one.
            let is_plain = Qualifiers::of(reader, &left, &left_tokens).is_empty();
            let core = Speech { reader, text: &left, tokens: &left_tokens }.asked()?;
            is_plain.then(|| refused(refusal::ACT, said(span(&left, core)).as_str(), Slots::new()))
        })
    })
}

/// A request without each of its clauses, at the likeliest of its ends.
pub(super) fn without_each(
    qualifiers: &Qualifiers<'_>,
    text: &str,
    tokens: &[Token],
) -> impl Iterator<Item = String> {
    let end = |it: &Qualifier| qualifiers.ends(it).first().copied();
    qualifiers.found.iter().filter_map(move |it| Some(without(text, tokens, it.start, end(it)?)))
}

/// What a request with clauses means; `None` where it has none, or a part of it cannot be read.
pub(super) fn compose(reader: &Reader<'_>, text: &str) -> Option<Understanding> {
    let core = || {
        let tokens = reader.tokenise(text);
        let core = Speech { reader, text, tokens: &tokens }.core()?;
        compose_words(reader, span(text, core))
    };
    compose_words(reader, text).or_else(core)
}

/// A request that says neither when nor how long, or several: "close the blinds and let me know".
fn request_of(reader: &Reader<'_>, text: &str) -> Option<Composed> {
    let by = Composer { reader, nearly: false, before: None };
    by.request(text, MAX_CLAUSES).filter(|found| !found.has_terms())
}

fn compose_words(reader: &Reader<'_>, text: &str) -> Option<Understanding> {
    // Names that were said exactly first: looking for others takes much longer.
    let tokens = reader.tokenise(text);
    [false, true].into_iter().find_map(|nearly| {
        let by = Composer { reader, nearly, before: None };
        let other = || by.in_turn(text, &tokens).or_else(|| by.behind_question(text, &tokens));
        by.otherwise(text, &tokens).or_else(other).or_else(|| {
            let found = by.with_clauses(text, &tokens, MAX_CLAUSES)?;
            found.understanding(reader)
        })
    })
}

/// Takes requests apart into clauses and what is left.
struct Composer<'c> {
    reader: &'c Reader<'c>,
    /// Names in clauses may be said otherwise.
    nearly: bool,
    /// The request before, of which this one may leave out what both have.
    before: Option<&'c str>,
}

impl Composer<'_> {
    /// A request that has a clause.
    fn with_clauses(&self, text: &str, tokens: &[Token], clauses_left: usize) -> Option<Composed> {
        if tokens.is_empty() || clauses_left == 0 {
            return None;
        }
        let qualifiers = Qualifiers::of(self.reader, text, tokens);
        // The last one first: what stands at the end is rarely a part of what stands before it.
        let (others, of_clauses): (Vec<&Qualifier>, Vec<&Qualifier>) =
            qualifiers.found.iter().rev().partition(|it| !qualifiers.is_of_clause_before(it));
        // Hours limit what is waited for, as long as that is there: "from ten to six, whenever somebody moves …".
        let waits_within_hours = self.waits_within_hours(&qualifiers);
        let (limits, others): (Vec<&Qualifier>, Vec<&Qualifier>) = others.into_iter().partition(|it| {
            qualifiers.limits_what_happens(it) || waits_within_hours && qualifiers.says_hours(it)
        });
        limits.into_iter().chain(others).chain(of_clauses).find_map(|it| {
            let mut is_refused = false;
            qualifiers.ends(it).into_iter().find_map(|end| {
                // "Good night but leave the hall light on" is not "good night on" without the hall light.
                if is_refused || self.is_of_others(&qualifiers, it, end) {
                    return None;
                }
                if qualifiers.is_span(it) {
                    return self.between_hours(text, tokens, (it, end), clauses_left);
                }
                let clause = Clause { by: self, qualifiers: &qualifiers, it, end };
                let Some((start, mut terms)) = clause.read() else {
                    let act = without(text, tokens, it.start, end);
                    let adds_nothing = self.adds_nothing(&qualifiers, it, end);
                    return if adds_nothing { self.request(&act, clauses_left - 1) } else { None };
                };
                // "When I say good | morning open the blinds": behind its words a routine begins with what is to be done.
                let is_routine = matches!(&terms, Adds::Happens { trigger: Trigger::Said { .. }, .. });
                let verbs = self.reader.grammar.lexicon().discourse.verbs;
                let is_act = |at: usize| verbs.contains(qualifiers.words[at]) || qualifiers.pauses_before(at);
                if is_routine && end < tokens.len() && !is_act(end) {
                    return None;
                }
                if matches!(terms, Adds::Check { .. }) && self.asks_beside(text, tokens, (start, end)) {
                    return None;
                }
                if self.ends_hours(&qualifiers, it, &terms) {
                    return None;
                }
                if matches!(terms, Adds::Until(_)) && self.goes_on(&qualifiers, end) {
                    return self.with_more_behind(text, tokens, (start, end), terms, clauses_left);
                }
                let act = without(text, tokens, start, end);
                let dated = self.with_place(&act, &terms).unwrap_or(act);
                let (day, act) = self.day_beside(&dated, &terms).unzip();
                let act = act.unwrap_or(dated);
                // "When Alice has gone | to bed turn off the lamp": where the clause ends by luck, what is left has to be a
                // sentence from its first word on.
                let is_first = start == 0 && end < tokens.len();
                if is_first && !qualifiers.is_likely_end(end) && !self.is_sentence(&text[tokens[end].start..])
                {
                    return None;
                }
                // "It" behind a clause is what that names ("if the tv is on turn it off"), before it what was spoken of.
                let pronouns = self.reader.grammar.lexicon().requests.pronouns;
                let is_before = qualifiers.words[..start].iter().any(|word| pronouns.contains(word));
                let name = terms.name().filter(|_| !is_before);
                let name = name.map(|name| self.as_said(name, &qualifiers.words[it.mark.1..end]));
                // "Lock *everything* except the back door" is about everything.
                let many = self.reader.grammar.lexicon().qualifiers.many;
                let is_many =
                    start == it.start && it.mark.1 > start + 1 && many.contains(qualifiers.words[start]);
                let of_many = || {
                    let is_kept = is_many && matches!(terms, Adds::Except(..));
                    self.request(&is_kept.then(|| without(text, tokens, start + 1, end))?, clauses_left - 1)
                };
                let found =
                    of_many().or_else(|| self.act_beside(&act, name.as_deref(), &terms, clauses_left));
                // "Is it *under ten degrees* outside" waits for nothing.
                let mut found = found.filter(|found| it.kind != Kind::Condition || !found.only_asks())?;
                if let Some(name) = &name {
                    found.name_it(name);
                }
                let area = terms.area(self.reader.grammar);
                let words = |from: usize| text[tokens[from].start..tokens[end - 1].end].trim();
                // What cannot be read may end sooner.
                let is_read = !matches!(&terms, Adds::Except(targets, _) if targets.is_empty());
                if let Some(day) = day {
                    found.terms.on_day(day, &mut terms);
                }
                let tells = matches!(terms, Adds::Becomes { .. } | Adds::Check { .. });
                // "*But* only if it is dark."
                let but = self.reader.grammar.lexicon().qualifiers.but;
                let from = start + phrases::starts(but, &qualifiers.words[start..it.mark.1]).unwrap_or(0);
                let is_added = found.add(terms, words(from), self.reader);
                if tells {
                    found.tell(words(it.mark.1));
                }
                if let Some(area) = area {
                    found.prefer_in(&area, self.reader.grammar);
                }
                is_refused = !is_added && is_read && it.kind == Kind::Except && end == tokens.len();
                is_added.then_some(found)
            })
        })
    }

    /// Whether a clause that ends here is of what stands behind it, or put right there.
    fn is_of_others(&self, qualifiers: &Qualifiers<'_>, it: &Qualifier, end: usize) -> bool {
        self.is_of_next(qualifiers, it, end) || self.is_put_right(qualifiers, it, end)
    }

    /// Whether a clause is of what stands behind it alone: "turn it on *and when it's dry* turn it off".
    fn is_of_next(&self, qualifiers: &Qualifiers<'_>, it: &Qualifier, end: usize) -> bool {
        let joins = self.reader.grammar.lexicon().requests.connectors;
        let is_joined = it.start > 0 && joins.contains(qualifiers.words[it.start - 1]);
        it.waits() && is_joined && end < qualifiers.words.len()
    }

    /// Whether a correction of what a clause leaves out stands behind it: "everything off except the bedroom, *I mean the office*".
    /// The request is then read with what was meant in its place.
    fn is_put_right(&self, qualifiers: &Qualifiers<'_>, it: &Qualifier, end: usize) -> bool {
        let corrections = self.reader.grammar.lexicon().discourse.corrections;
        it.kind == Kind::Except && phrases::starts(corrections, &qualifiers.words[end..]).is_some()
    }

    /// Whether a request is the same without a clause: "turn on the radio *while I cook*", "lock the door *if it isn't*", which is
    /// done to what is not so already anyway.
    fn adds_nothing(&self, qualifiers: &Qualifiers<'_>, it: &Qualifier, end: usize) -> bool {
        let not_so = self.reader.grammar.lexicon().qualifiers.not_so;
        let said = &qualifiers.words[it.mark.1..end];
        let is_not_so = it.kind == Kind::If
            && it.start > 0
            && end == qualifiers.words.len()
            && phrases::starts(not_so, said) == Some(said.len());
        // "While we're out, *until four*" says when it ends.
        let holds = |other: &Qualifier| (it.start + 1..end).contains(&other.start);
        let is_told = || {
            qualifiers.only_tells(it) && qualifiers.is_likely_end(end) && !qualifiers.found.iter().any(holds)
        };
        is_not_so || is_told()
    }

    /// A name as it was said with its article, "the kitchen window"; the name itself where it was said otherwise.
    fn as_said(&self, name: &str, words: &[&str]) -> String {
        let lexicon = self.reader.grammar.lexicon();
        let stem = |word| lexicon.discourse.contraction(word).map_or(word, |(stem, _)| stem);
        let words: Vec<&str> = words.iter().map(|word| stem(word)).collect();
        let name_words = self.reader.tokenise(name);
        let is_name =
            |said: &[&str]| name_words.iter().map(|token| token.word.as_str()).eq(said.iter().copied());
        let found = words.windows(name_words.len().max(1)).position(is_name);
        let article = found
            .and_then(|at| words.get(at.checked_sub(1)?))
            .filter(|it| lexicon.things.articles.contains(it));
        // Where nouns have capitals, articles have genders.
        if lexicon.speech.as_ref().is_some_and(|speech| speech.one.capitalised_nouns) {
            return article.map_or_else(|| name.to_owned(), |article| format!("{article} {name}"));
        }
        let article = article.copied().or_else(|| lexicon.things.articles.first().copied());
        format!("{} {}", article.unwrap_or_default(), name.to_lowercase())
    }

    /// A request with the place of a clause for "there": "when somebody moves in the hall, turn the light on there".
    fn with_place(&self, act: &str, terms: &Adds) -> Option<String> {
        let tokens = self.reader.tokenise(act);
        let speech = Speech { reader: self.reader, text: act, tokens: &tokens };
        let words = speech.words();
        let there = self.reader.grammar.lexicon().discourse.there;
        let (at, length) =
            (1..words.len()).find_map(|at| Some((at, phrases::starts(there, &words[at..])?)))?;
        let place = speech.within(&terms.area(self.reader.grammar)?.to_lowercase())?;
        let behind = &act[tokens[at + length - 1].end..];
        Some(format!("{}{place}{behind}", &act[..tokens[at].start]))
    }

    /// Whether a text, or what stands before its first connector, is a request, word by word; names may be said in part where
    /// they may elsewhere.
    fn is_sentence(&self, text: &str) -> bool {
        let tokens = self.reader.tokenise(text);
        let in_full = || self.reader.with_names_in_full(&tokens).filter(|_| self.nearly);
        self.is_exact_sentence(text, &tokens)
            || in_full().is_some_and(|text| self.is_exact_sentence(&text, &self.reader.tokenise(&text)))
    }

    fn is_exact_sentence(&self, text: &str, tokens: &[Token]) -> bool {
        let joins =
            |token: &Token| self.reader.grammar.lexicon().requests.connectors.contains(token.word.as_str());
        let first = tokens.iter().position(joins).unwrap_or(tokens.len());
        [tokens, &tokens[..first]].into_iter().any(|tokens| {
            let found = self.reader.exactly(text, tokens);
            found.is_some_and(|found| found.words.first().is_some_and(|(_, took)| *took != Took::Nothing))
        }) || self.notice_at(text).is_some()
    }

    /// "If the window is open close it, otherwise turn on the fan": both are looked at now, and one is done.
    fn otherwise(&self, text: &str, tokens: &[Token]) -> Option<Understanding> {
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
        let marks = self.reader.grammar.lexicon().qualifiers.otherwise;
        let connectors = self.reader.grammar.lexicon().requests.connectors;
        let (at, length) =
            (1..words.len()).find_map(|at| Some((at, phrases::starts(marks, &words[at..])?)))?;
        let (first, other) = (tokens.get(..at)?, tokens.get(at + length..)?);
        let first = match first.split_last() {
            Some((last, before)) if connectors.contains(last.word.as_str()) => before,
            _ => first,
        };
        let mut first =
            self.with_clauses(span(text, first), &self.reader.tokenise(span(text, first)), MAX_CLAUSES)?;
        let other = span(text, other);
        let name = match first.matches.as_slice() {
            [only] => only.slots.get("name").and_then(Value::as_str),
            _ => None,
        };
        let named = name.and_then(|name| self.reader.with_name(other, name));
        let named = named.and_then(|other| self.request(&other, MAX_CLAUSES));
        let mut other = named.or_else(|| self.request(other, MAX_CLAUSES))?;
        // "Otherwise tell me" how it is.
        if let ([tell], Some(question)) = (other.matches.as_mut_slice(), first.terms.question())
            && tell.intent == ANNOUNCE
            && tell.slots.is_empty()
        {
            let response = questions::usual_answer(question);
            (tell.intent, tell.slots) = (STATE.to_owned(), question.clone());
            tell.response = Some(response.to_owned());
        }
        let terms = first.terms.otherwise(said(&text[tokens[at].start..tokens[at + length - 1].end]))?;
        if !other.terms.is_plain() {
            return None;
        }
        other.terms = terms;
        let (mut found, other) = (first.understanding(self.reader)?, other.understanding(self.reader)?);
        found.intents.extend(other.intents);
        Some(found)
    }

    /// Whether another request follows: "for ten minutes *and* close the blinds".
    fn goes_on(&self, qualifiers: &Qualifiers<'_>, at: usize) -> bool {
        let connectors = self.reader.grammar.lexicon().requests.connectors;
        at + 1 < qualifiers.words.len() && connectors.contains(qualifiers.words[at])
    }

    /// A request that lasts for some time, and what follows on it: something else, or what is to be done then to the same
    /// thing ("and then turn it off").
    fn with_more_behind(
        &self,
        text: &str,
        tokens: &[Token],
        (start, end): (usize, usize),
        until: Adds,
        clauses_left: usize,
    ) -> Option<Composed> {
        let lexicon = self.reader.grammar.lexicon();
        let is_word = |token: &&Token| lexicon.requests.connectors.contains(token.word.as_str());
        let words = |from: usize| tokens[from..].iter().map(|token| token.word.as_str()).collect::<Vec<_>>();
        let joints = end + tokens[end..].iter().take_while(is_word).count();
        // "And then", "and after that": when the time is over.
        let afterwards = |at: usize| Some(at + phrases::starts(lexicon.requests.afterwards, &words(at))?);
        let over = (end..=joints.min(tokens.len())).rev().find_map(afterwards);
        let more = over.map_or(joints, |over| over.max(joints));
        let (first, next) = (tokens.first()?, tokens.get(more)?);
        let mut found = self.request(&text[first.start..tokens[start].start], clauses_left - 1)?;
        let (behind, more_words) = (&text[next.start..], words(more));
        let restored = phrases::starts(lexicon.qualifiers.restores, &more_words);
        let lasts = text[tokens[start].start..tokens[end - 1].end].trim();
        // "Until seven, *then that'll do*."
        let talk = &lexicon.discourse;
        let says_nothing = phrases::without_ends(&[talk.leads, talk.trails], &more_words).is_empty();
        if says_nothing || restored.is_some_and(|length| more + length == tokens.len()) {
            return found.add(until, lasts, self.reader).then_some(found);
        }
        let Adds::Until(ends) = &until else { return None };
        // "Until eight and the fan" names one more thing, "until eight, then off" tells what is to be done at eight.
        let is_then = over.is_some() || matches!(ends, Until::Seconds { .. });
        let then = is_then.then(|| self.then_of_it(&found, &more_words, ends)).flatten();
        if then.is_some() || more_words.iter().any(|word| lexicon.requests.pronouns.contains(word)) {
            found.matches.push(then?);
            return Some(found);
        }
        let by = Composer { before: Some(found.said.as_str()), ..*self };
        let leans = |more: &Composed| more.matches.iter().any(in_turn::leans);
        let mut more = by.request(behind, clauses_left - 1)?;
        // "Radio on till seven *and then I'm off*."
        let talks = |it: &Match| category_of(&it.intent) == Some(Category::Conversation);
        if more.matches.iter().all(talks) {
            return found.add(until, lasts, self.reader).then_some(found);
        }
        if leans(&more) {
            // "The kettle and close the blinds" is of the verb that was said first.
            let connector = lexicon.requests.connectors.first()?;
            let both = format!("{} {connector} {behind}", found.said);
            more = self.request(&both, clauses_left - 1).filter(|both| !leans(both))?;
            more.matches.drain(..found.matches.len().min(more.matches.len()));
        }
        let later = over.map(|_| ends.clone()).filter(|_| !more.is_put_off());
        if later.is_none() && !more.terms.is_plain() {
            return None;
        }
        // "For ten minutes and then down to thirty": nothing is changed back of what is changed anew.
        let targets =
            |composed: &Composed| composed.matches.iter().map(|it| target(&it.slots)).collect::<Vec<_>>();
        if later.is_none() || targets(&found) != targets(&more) {
            found.add(until, lasts, self.reader).then_some(())?;
            found.let_last_one_last(self.reader);
        }
        found.lasting = found.lasting.min(found.matches.len());
        match later {
            Some(ends) => {
                let command = format!("{} {}", more.said, more.terms.said_until());
                found.matches.push(self.put_off(more.matches.into_iter().next()?, &ends, said(&command))?);
            }
            None => found.matches.extend(more.matches),
        }
        Some(found)
    }

    /// What is done after some time to the same thing, which is "it" or not said: "and then turn it off", "then off".
    fn then_of_it(&self, found: &Composed, said: &[&str], ends: &Until) -> Option<Match> {
        let [only] = found.matches.as_slice() else { return None };
        let name = only.slots.get("name").and_then(Value::as_str)?;
        let said = said.join(" ");
        let words = self.reader.with_name(&said, name).unwrap_or_else(|| format!("{name} {said}"));
        let then = self.reader.exactly(&words, &self.reader.tokenise(&words)).filter(|then| {
            category_of(&then.intent) == Some(Category::HomeControl) && then.wild_words == 0
        })?;
        self.put_off(then, ends, words)
    }

    /// What is done when something else ends, in words; `None` where that is not known as a time.
    fn put_off(&self, found: Match, ends: &Until, words: String) -> Option<Match> {
        let now = self.reader.now;
        let (intent, response, slot, value) = match ends {
            Until::Seconds { seconds } => (LATER, Some(COMMAND_KEY), "seconds", (*seconds).into()),
            Until::Time { time } => {
                let days = if *time > now.time() { Days::new(0) } else { Days::new(1) };
                let at = now.date().checked_add_days(days)?.and_time(*time);
                (SCHEDULED, None, "when", When::Moment(at).to_string().into())
            }
            Until::Moment { at } => (SCHEDULED, None, "when", When::Moment(*at).to_string().into()),
            Until::Sun { .. } | Until::Becomes { .. } | Until::Rings { .. } | Until::Later { .. } => {
                return None;
            }
        };
        let slots = [(slot.to_owned(), value), (COMMAND.to_owned(), words.into())];
        let (slots, response) = (slots.into_iter().collect(), response.map(str::to_owned));
        Some(Match { intent: intent.to_owned(), slots, response, ..found })
    }

    /// What is left without a clause: a request, which may have others.
    fn request(&self, text: &str, clauses_left: usize) -> Option<Composed> {
        let reader = self.reader;
        let tokens = reader.tokenise(text);
        let qualifiers = Qualifiers::of(reader, text, &tokens);
        let whole = |matches: Vec<Match>| {
            let possible = Impossible::of(reader, text, &tokens).refuse(&matches).is_none();
            let is_timed = qualifiers.is_empty() || !lacks_its_time(&matches);
            // "Remind me when it drops" is no request without what it waits for.
            let waits = matches.iter().any(|found| found.slots.contains_key(EVENT));
            let is_whole = possible && qualifiers.refuse(&matches).is_none() && is_timed && !waits;
            let core = Speech { reader, text, tokens: &tokens }.asked().unwrap_or(&tokens);
            // A reason or what was corrected is not promised.
            let words = match matches.as_slice() {
                // "*Tell me* to shut it" begins with no courtesy.
                [only] if only.words.len() == tokens.len() && reader.exactly(text, core).is_none() => {
                    said(text)
                }
                [only] if only.words.len() < core.len() => only.said(),
                _ => said(span(text, core)),
            };
            is_whole.then(|| Composed::of(matches, promised(self.reader, words)))
        };
        let in_full = || reader.read(text, &tokens).filter(|found| found.missed.is_empty());
        self.notice(text, &tokens)
            .map(|tell| Composed::of(vec![tell], String::new()))
            .or_else(|| self.leaning(text, &tokens))
            .or_else(|| self.notice_beside(text, &tokens, clauses_left))
            .or_else(|| reader.named(text, &tokens).and_then(|found| whole(vec![found])))
            .or_else(|| {
                let fronted = Speech { reader, text, tokens: &tokens }.with_time_first()?;
                self.request(&fronted, clauses_left)
            })
            .or_else(|| self.with_clauses(text, &tokens, clauses_left))
            .or_else(|| whole(in_full()?.matches))
            .or_else(|| {
                let core = Speech { reader, text, tokens: &tokens }.asked().unwrap_or(&tokens);
                let likely = reader.likely(text, core)?;
                Some(Composed::of(vec![likely], promised(self.reader, said(span(text, core)))))
            })
    }
}

/// What was asked for as it is said back: with a verb where only things were named, "the lamp on".
pub(super) fn promised(reader: &Reader<'_>, said: String) -> String {
    let grammar = reader.grammar;
    let tokens = reader.tokenise(&said);
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let things = &grammar.lexicon().things;
    let verbs = grammar.lexicon().discourse.verbs;
    let is_named =
        words.first().filter(|first| words.len() == 1 || !verbs.contains(first)).is_some_and(|first| {
            things.articles.contains(first) || things.every.contains(first) || grammar.says_what_kind(first)
        }) || (1..=words.len()).any(|end| grammar.is_thing(&words[..end].join(" ")));
    let talk = &grammar.lexicon().discourse;
    let Some(verb) = talk.promising.first().filter(|_| is_named) else { return said };
    // "The light *has to* go off" is "have the light go off", "the light *is* off" "have the light off".
    let modal = |at: usize| {
        let is_state = talk.states.contains(words[at]) && talk.contraction(words[at]).is_none();
        phrases::starts(talk.modals, &words[at..]).or(is_state.then_some(1))
    };
    let modal = (1..words.len()).find_map(|at| Some((at, modal(at)?)));
    match modal.filter(|(at, length)| at + length < words.len()) {
        Some((at, length)) => {
            let (before, behind) = (&said[..tokens[at].start], &said[tokens[at + length].start..]);
            format!("{verb} {before}{behind}")
        }
        None => format!("{verb} {said}"),
    }
}

/// The part of a text that some of its tokens span.
fn span<'t>(text: &'t str, tokens: &[Token]) -> &'t str {
    match tokens {
        [first, .., last] => &text[first.start..last.end],
        [only] => &text[only.start..only.end],
        [] => "",
    }
}

/// Whether days are left out of what comes again, which the request itself takes for something else: "remind me every
/// evening to feed the cat, excluding weekends".
pub(super) fn has_other_days(qualifiers: &Qualifiers<'_>, found: &Match, reader: &Reader<'_>) -> bool {
    let by = reader.reckoning();
    let days = |it: &Qualifier| {
        let behind = &qualifiers.words[it.mark.1..];
        // What the repetition has already is no word that was taken as it is.
        let as_it_is = found.words.get(it.mark.1).is_some_and(|(_, took)| *took == Took::AsItIs);
        it.kind == Kind::Except && as_it_is && rules::is_days(behind, &by)
    };
    found.slots.contains_key("recurrence") && qualifiers.found.iter().any(days)
}

/// Whether it is a reminder that says no time; then "when Alice comes home" is its time and no part of its words.
pub(super) fn lacks_its_time(matches: &[Match]) -> bool {
    let timeless = |found: &Match| {
        category_of(&found.intent) == Some(Category::Reminder)
            && found.slots.contains_key("message")
            && found.is_without_time()
    };
    matches.iter().any(timeless)
}

/// A request without the ends that nobody says.
fn said(text: &str) -> String {
    text.trim_matches(|c: char| c.is_whitespace() || c.is_ascii_punctuation()).to_owned()
}

/// A text without some of its words.
fn without(text: &str, tokens: &[Token], start: usize, end: usize) -> String {
    let after = tokens.get(end).map_or(text.len(), |token| token.start);
    let before = text[..tokens[start].start].trim_end_matches([' ', ',', ';']);
    format!("{before} {}", text[after..].trim_start_matches([' ', ',', ';'])).trim().to_owned()
}

/// The slots that say what is meant.
fn target(slots: &Slots) -> Slots {
    slots.iter().filter(|(slot, _)| TARGET.contains(&slot.as_str())).map(owned).collect()
}

fn owned((slot, value): (&String, &Value)) -> (String, Value) {
    (slot.clone(), value.clone())
}

//! The port: text in, intents out. Several requests in one sentence become several intents.
//!
//! What is tried, in this order: the sentence as it is; without the courtesies around it; several of a kind; as
//! somebody corrected it; two or more requests joined by "and" or "then"; without the reason that was given; the
//! sentence with names that were not said exactly; requests with such names; and if a part of several still means
//! nothing, the others.

mod reading;

use super::clauses::{self, EVENT};
use super::grammar::{Grammar, How, Match, Part, Reader};
use super::impossible::Impossible;
use super::intent::{category_of, leans_on_another};
use super::narrative;
use super::qualifiers::{Qualifier, Qualifiers};
use super::request_framing::Speech;
use super::requests::{self, Words};
use super::text::{self, Token};
use super::to_intent::{WILD_CONFIDENCE, is_single, is_whole, one_of_a_kind, to_intent};
use chrono::NaiveDateTime;
use hark_core::automation::intent::{COMMAND, INTENTS, OF_IT, OF_ONE, TO_IT};
use hark_core::intent::refusal;
use hark_core::ports::NEXT_TURN;
use hark_core::ports::{Candidate, Candidates, Understand};
use hark_core::{Category, Effort, Intent, SlotSpan, Understanding};
use reading::{one_of_several, understanding, with_only_meant};
use serde_json::{Value, json};
use std::iter;

/// The same of another thing, and of another thing instead.
const ANOTHER: [&str; 2] = ["HarkFollowSame", "HarkFollowInstead"];

/// Fewest words of a request that no template accepts.
const FEWEST_WORDS: usize = 2;

/// Steps that reading a sentence may take: about a thirtieth of a second. What fills slots has its own.
const MAX_STEPS: u64 = 300_000;

impl Understand for Grammar {
    fn understand_within(
        &self,
        text: &str,
        language: &str,
        now: NaiveDateTime,
        effort: &Effort,
    ) -> Understanding {
        let (mut found, is_spent) = effort.share(MAX_STEPS, |effort| {
            let reader = Reader::new(self, now, effort);
            let meant = reader.without_idioms(text);
            let text = meant.as_deref().unwrap_or(text);
            let text = reader.without_courtesy_behind(text).unwrap_or(text);
            let text = reader.without_remark_behind(text).unwrap_or(text);
            let taken_back = |is_parted: bool| reader.taken_back(text, is_parted);
            if let Some(edited) = reader.corrected_turn(text, language).or_else(|| taken_back(true)) {
                return (edited, false);
            }
            if reader.leaves_one(text) || reader.joins_a_length(text) {
                return (Understanding::default(), false);
            }
            let remarked = || reader.without_remark(text, language);
            if let Some(found) = (!text.contains(NEXT_TURN)).then(remarked).flatten() {
                return (found, false);
            }
            let found = reader.as_said(text, language);
            let mut found =
                if reader.takes_across_turns(text, &found) { Understanding::default() } else { found };
            if let Some(found) = reader.without_remark_in_content(text, language, &found) {
                return (found, false);
            }
            // "I said unlock" is no item of a list.
            let takes_any =
                |intent: &Intent| leans_on_another(&intent.name) && intent.confidence <= WILD_CONFIDENCE;
            let is_open = !is_whole(&found) || found.intents.iter().all(takes_any);
            if let Some(value) = is_open.then(|| reader.value(text)).flatten() {
                return (value, false);
            }
            // "Put the dishwasher on" puts nothing on a list, where no list was spoken of.
            if is_whole(&found) && found.intents.iter().all(takes_any) {
                found.unknown = reader.unknown(text, &reader.tokenise(text)).unknown;
            }
            // "Put the fan on and *knock it off* once it's dry": what is refused in everyday words may be read in plain ones.
            if let Some(plain) = is_refused(&found).then(|| reader.in_plain_words(text, language)).flatten() {
                return (plain, false);
            }
            if effort.is_spent() || is_whole(&found) && !reader.swallows_correction(text, &found) {
                return (found, effort.is_spent());
            }
            let whole = reader.within_half(|reader| reader.said_otherwise(text, language));
            let whole = whole.filter(|found| !reader.takes_across_turns(text, found));
            let taken_back = || if is_whole(&found) { None } else { taken_back(false) };
            let mut found = whole.or_else(taken_back).unwrap_or(found);
            // "Stick the dishwasher on."
            if is_whole(&found) && found.intents.iter().all(takes_any) {
                let tokens = reader.tokenise(text);
                let bare = Speech { reader: &reader, text, tokens: &tokens }.bare();
                found.unknown = bare.and_then(|bare| reader.unknown_in([bare])?.unknown);
            }
            (found, false)
        });
        let put_off = found.intents.iter_mut().filter(|intent| intent.slots.contains_key(COMMAND));
        put_off.for_each(|intent| self.note_what_is_put_off(intent, language, now, effort));
        found.intents.iter_mut().for_each(|intent| self.note_domain(intent));
        if is_spent {
            // Nobody is to make anything of what was not read to its end.
            effort.spend(effort.left());
        }
        found
    }

    fn understand_parts(
        &self,
        text: &str,
        now: NaiveDateTime,
        effort: &Effort,
        candidates: Candidates<'_>,
    ) -> Option<Understanding> {
        effort.share(MAX_STEPS, |effort| {
            let reader = Reader::new(self, now, effort).with_candidates(candidates);
            let meant = reader.without_idioms(text);
            let text = meant.as_deref().unwrap_or(text);
            let text = reader.without_remark_behind(text).unwrap_or(text);
            let shorter = || {
                let tokens = reader.tokenise(text);
                Speech { reader: &reader, text, tokens: &tokens }.without_remarks()
            };
            let found = reader.in_parts(text).or_else(|| reader.in_parts(&shorter()?));
            found.filter(|found| is_whole(found) && !effort.is_spent())
        })
    }

    fn fill_within(
        &self,
        intent: &str,
        text: &str,
        marks: Option<&[SlotSpan]>,
        now: NaiveDateTime,
        effort: &Effort,
    ) -> Option<Intent> {
        let tokens = text::tokenise(text, self.lexicon());
        let reader = Reader::new(self, now, effort);
        let impossible = Impossible::of(&reader, text, &tokens);
        let found = match marks {
            Some(marks) => reader.fill_marked(intent, text, marks),
            None => reader.fill(intent, text, None),
        };
        let found = found.filter(|found| !reader.loses_meaning(&tokens, found));
        let found = match found {
            None => impossible.refuse_unfilled(intent),
            Some(found) => {
                let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
                let read = std::slice::from_ref(&found);
                let qualifiers = || Qualifiers::of(&reader, text, &tokens).refuse_filled(&found);
                Some(impossible.refuse(read).or_else(qualifiers).unwrap_or_else(|| {
                    // What was passed over may say that one of several is meant: "a light in the bedroom".
                    let single = is_single(&found, &words, self.lexicon());
                    let said: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
                    let filled = Intent { single, ..to_intent(found, self.lexicon()) };
                    with_only_meant(filled, &said, self)
                }))
            }
        };
        found.filter(|_| !effort.is_spent())
    }
}

impl Grammar {
    /// Notes the domain of what the same is to be done to: of that depends what is to be done.
    fn note_domain(&self, intent: &mut Intent) {
        let is_another = ANOTHER.contains(&intent.name.as_str());
        let name = intent.slots.get("name").filter(|_| is_another).and_then(Value::as_str);
        if let Some(domain) = name.and_then(|name| self.domain_of(name)) {
            intent.slots.entry("domain").or_insert_with(|| domain.into());
        }
    }

    /// Notes what a request in words comes to that is put off, so that the tool which keeps it can tell what is
    /// dangerous about it, and whether it is clear which thing is meant. What is to be done to "it" is not known yet.
    fn note_what_is_put_off(&self, intent: &mut Intent, language: &str, now: NaiveDateTime, effort: &Effort) {
        let Some(command) = intent.slots.get(COMMAND).and_then(Value::as_str) else { return };
        if intent.slots.contains_key(OF_IT) {
            return;
        }
        let found =
            effort.share(MAX_STEPS, |effort| Reader::new(self, now, effort).as_said(command, language));
        let Some(intents) = serde_json::to_value(&found.intents).ok().filter(|_| is_whole(&found)) else {
            return;
        };
        let tokens = text::tokenise(command, self.lexicon());
        let one = one_of_a_kind(&tokens, self.lexicon());
        if let (Some(one), [Intent { single: true, .. }]) = (one, found.intents.as_slice()) {
            let (before, behind) = (&command[..one.start], &command[one.end..]);
            let within = self.lexicon().discourse.within.first();
            let of_one = json!({
                "words": format!("{before}{{}}{behind}"),
                "placed": within.map(|within| format!("{before}{} {within} {{}}{behind}", &command[one])),
            });
            intent.slots.insert(OF_ONE.to_owned(), of_one);
        }
        intent.slots.insert(INTENTS.to_owned(), intents);
    }
}

impl Reader<'_> {
    /// What some tokens of `text` may mean that no template accepts: the likeliest intent whose slots they fill, and nothing
    /// of which is left out.
    pub(super) fn likely(&self, text: &str, tokens: &[Token]) -> Option<Match> {
        let (first, last) = (tokens.first()?, tokens.last()?);
        // Without a classifier nothing is spent on it.
        if !self.has_candidates() {
            return None;
        }
        self.once(How::Likely, text, tokens, || {
            let speech = Speech { reader: self, text, tokens };
            let connectors = self.grammar.lexicon().requests.connectors;
            // What may be several requests is not taken for one: another would be passed over.
            let joins = |at: usize| connectors.contains(&tokens[at].word) || speech.pauses_before(at);
            let is_several = (1..tokens.len()).any(joins);
            if is_several || tokens.len() < FEWEST_WORDS || speech.is_remark(&speech.words()) {
                return None;
            }
            let said = &text[first.start..last.end];
            self.candidates(said).iter().find_map(|candidate| self.filled(said, candidate))
        })
    }

    /// The intent with its slots, where it can be carried out and nothing was passed over that limits it.
    fn filled(&self, text: &str, candidate: &Candidate) -> Option<Match> {
        let tokens = self.tokenise(text);
        let marks = candidate.spans.as_deref();
        let marked = marks.and_then(|marks| self.fill_marked(&candidate.intent, text, marks));
        let found = marked.or_else(|| self.fill(&candidate.intent, text, None))?;
        let possible = Impossible::of(self, text, &tokens).refuse(std::slice::from_ref(&found)).is_none();
        let qualifiers = Qualifiers::of(self, text, &tokens);
        let is_talk = category_of(&found.intent) == Some(Category::Conversation);
        let is_whole = !is_talk
            && !self.loses_meaning(&tokens, &found)
            && qualifiers.are_taken(&found)
            && qualifiers.refuse_filled(&found).is_none();
        let score = found.score * candidate.probability;
        (possible && is_whole).then_some(Match { score, ..found })
    }

    /// A text with what its idioms mean; `None` where it has none.
    fn without_idioms(&self, text: &str) -> Option<String> {
        Speech { reader: self, text, tokens: &self.tokenise(text) }.without_idioms()
    }

    /// What a text means with plain words for those of everyday speech; `None` where it has none of these, or means nothing.
    fn in_plain_words(&self, text: &str, language: &str) -> Option<Understanding> {
        let tokens = self.tokenise(text);
        let plain = Speech { reader: self, text, tokens: &tokens }.in_plain_words()?;
        Some(self.as_said(&plain, language)).filter(is_whole)
    }

    /// What is all that was said, for what was spoken of before: "off", "blue".
    fn value(&self, text: &str) -> Option<Understanding> {
        let found = self.part(Part::Value, false, text, &self.tokenise(text))?;
        let found = Match { intent: TO_IT.to_owned(), ..found };
        let intents = vec![to_intent(found, self.grammar.lexicon())];
        Some(Understanding {
            intents,
            language: self.grammar.language().to_owned(),
            ..Understanding::default()
        })
    }

    /// What a text of several requests, or of one with clauses, means where each request may be one of its candidates.
    fn in_parts(&self, text: &str) -> Option<Understanding> {
        let tokens = self.tokenise(text);
        self.expect_parts(&tokens);
        let composed = || clauses::compose(self, text);
        let qualifiers = Qualifiers::of(self, text, &tokens);
        // "Should it start raining" is no request, whatever it is like.
        let is_clause = |part: &[Token]| {
            let begins =
                |it: &Qualifier| part.first().is_some_and(|first| first.start == tokens[it.start].start);
            qualifiers.found.iter().any(|it| it.waits() && begins(it))
        };
        (!qualifiers.is_empty()).then(composed).flatten().or_else(|| {
            let reading = requests::all(text, &tokens, self, &|text, part, words| {
                if is_clause(part) {
                    return None;
                }
                // Nobody is asked about words that are put together of two requests, nor about several requests as one.
                one_of_several(self, text, part, words == Words::Any && part.len() < tokens.len())
            })?;
            Some(understanding(reading.without_repeated(), self.grammar))
        })
    }

    pub(super) fn as_said(&self, text: &str, language: &str) -> Understanding {
        let (reader, grammar, own) = (self, self.grammar, self.grammar.language());
        if !language.is_empty() && language != "unknown" && language != own {
            let why = format!("there are sentences of language '{own}' only, not '{language}'");
            return Understanding { why, ..Understanding::default() };
        }
        let tokens = text::tokenise(text, grammar.lexicon());
        if tokens.is_empty() {
            let why = "there are no words in it".to_owned();
            return Understanding { why, ..Understanding::default() };
        }
        reader.expect_parts(&tokens);
        let said = Speech { reader, text, tokens: &tokens };
        if let Some(in_full) = said.in_full() {
            return self.as_said(&in_full, language);
        }
        let both_times = said.with_both_times().map(|text| self.as_said(&text, language));
        if let Some(both) = both_times.filter(is_whole) {
            return both;
        }
        if let Some(standing) = said.every_day_from().or_else(|| said.every_day_but()) {
            return self.as_said(&standing, language);
        }
        let as_clause = said.with_question_as_clause().into_iter().map(|text| self.as_said(&text, language));
        if let Some(found) = as_clause.into_iter().find(is_whole) {
            return found;
        }
        if let Some(request) = said.behind_reason() {
            return self.as_said(request, language);
        }
        if let Some(both) = self.now_and_later(&said, language) {
            return both;
        }
        let qualifiers = Qualifiers::of(reader, text, &tokens);
        let impossible = Impossible::of(reader, text, &tokens);
        if let Some(found) = clauses::notice(reader, text, &tokens) {
            return if reader.is_spent() { Understanding::unread() } else { found };
        }
        // A request with clauses is taken apart before anything is guessed of it as a whole.
        let exact = reader.exactly(text, &tokens);
        if exact.is_none() {
            if let Some(request) = said.before_reason() {
                return self.as_said(request, language);
            }
            if let Some(fronted) = said.with_time_first() {
                return self.as_said(&fronted, language);
            }
        }
        let has_clauses = !qualifiers.is_empty()
            && exact.as_ref().is_none_or(|found| {
                let one = std::slice::from_ref(found);
                qualifiers.refuse(one).is_some()
                    || clauses::lacks_its_time(one)
                    || found.slots.contains_key(EVENT)
                    || found.wild_words > 0 && category_of(&found.intent) == Some(Category::Media)
                    || clauses::has_other_days(&qualifiers, found, reader)
            });
        let composed = || {
            clauses::compose(reader, text).or_else(|| {
                let told = narrative::tells(text, grammar.lexicon());
                let refused =
                    if exact.is_none() && !told { qualifiers.refuse_beside_a_sentence() } else { None };
                refused.map(|refused| Understanding { intents: vec![refused], ..Understanding::default() })
            })
        };
        if let Some(found) = has_clauses.then(composed).flatten() {
            return if reader.is_spent() { Understanding::unread() } else { found };
        }
        let reading = self.read(text, &tokens);
        let refused = match &reading {
            Some(it) => impossible.refuse(&it.matches).or_else(|| qualifiers.refuse(&it.matches)),
            None => match qualifiers.refuse_unread() {
                // A part of what is left can be done, but not all of it.
                Some(refused) => clauses::unread_act(reader, text, &tokens).or(Some(refused)),
                None => impossible.refuse_unread(),
            },
        };
        let unknown = |refused: &Intent| {
            let part = refused.slots.get(refusal::PART)?.as_str().map(str::to_owned);
            let is_act = refused.response.as_deref() == Some(refusal::ACT);
            reader.unknown_in(part.filter(|_| is_act))
        };
        let found = match (refused, reading) {
            (Some(refused), reading) => {
                let unknown = if reading.is_none() { unknown(&refused) } else { None };
                unknown
                    .unwrap_or_else(|| Understanding { intents: vec![refused], ..Understanding::default() })
            }
            (None, Some(reading)) => understanding(reading, grammar),
            (None, None) => match said.with_each_asked() {
                Some(each) => return self.as_said(&each, language),
                None => unread(&said, &qualifiers),
            },
        };
        // What was found on the way may be half of what was said.
        if reader.is_spent() { Understanding::unread() } else { found }
    }
}

/// Whether it is refused for a part of it.
fn is_refused(found: &Understanding) -> bool {
    found.intents.iter().any(|intent| intent.name == refusal::INTENT)
}

/// Why a sentence was not understood: a clause that cannot be carried out here, or a thing that the home does not have.
fn unread(said: &Speech<'_>, qualifiers: &Qualifiers<'_>) -> Understanding {
    let Speech { reader, text, tokens } = *said;
    let act = || clauses::unread_act(reader, text, tokens);
    let qualifier = qualifiers.any().map(|refused| Box::new(act().unwrap_or(refused)));
    let shorter = clauses::without_each(qualifiers, text, tokens).chain(said.without_time());
    // "Turn the electric blanket on *it's freezing*."
    let shorter = shorter.chain(iter::once_with(|| said.without_statement_behind()).flatten());
    let without_clause = || reader.unknown_in(shorter);
    // "Stick the dishwasher on, mate."
    let bare = said.bare().and_then(|bare| reader.unknown_in([bare]));
    let whole = bare.unwrap_or_else(|| reader.unknown(text, tokens));
    let unknown = if whole.unknown.is_none() { without_clause() } else { None };
    Understanding { qualifier, ..unknown.unwrap_or(whole) }
}

//! What is said in a turn of its own and belongs to the request before: "except the kitchen", "for ten minutes", "and the
//! fan in there". Where such words mean nothing alone, both are read as one request. If that is what was done and more, the
//! rest is carried out; if it is another request, what was done is taken back and the whole is carried out.

use super::Machine;
use super::continuation::{behind, is_same_intent, same_intents, say_how_long};
use super::state::{Addition, Continuation, Spoken};
use crate::{follow_ups, intent_tools};
use hark_core::automation::intent::{AUTOMATE, CANCEL, CHANGE_END, OF_TURN, RESTORE_LATER};
use hark_core::intent::refusal;
use hark_core::ports::NEXT_TURN;
use hark_core::public_event::Origin;
use hark_core::session::spoken;
use hark_core::{Effect, Intent, Route, Stamp, TurnId, Understanding};
use hark_language::{Lexicon, phrases};
use serde_json::Value;

/// A request that was carried out, to which more can be said.
#[derive(Debug, Clone)]
pub(super) struct Request {
    said: Spoken,
    until_ms: u64,
}

impl Machine {
    /// Keeps a request that was carried out.
    pub(super) fn keep_request(&mut self, now: Stamp, id: &TurnId, origin: &Origin) {
        let until_ms = now.clock_ms() + self.settings.context_ms;
        let Some(turn) = self.turn_mut(id) else { return };
        let done = turn.work.iter().filter(|work| !work.takes_back());
        let changed = done.clone().any(|work| work.receipt.as_ref().is_some_and(|it| it.ok && it.changed));
        let intents = done.map(|work| work.intent.clone()).collect();
        let said = Spoken { turn: id.clone(), heard: turn.heard.clone(), intents, changed };
        self.talks.open(origin).request = Some(Request { said, until_ms });
    }

    /// Has words that mean nothing alone read behind the request before, where they may belong to it.
    pub(super) fn reads_behind_request(
        &mut self,
        now: Stamp,
        id: &TurnId,
        origin: &Origin,
        alone: &Understanding,
    ) -> bool {
        let Some(turn) = self.turns.iter().find(|turn| turn.id == *id) else { return false };
        let is_recent = |request: &&Request| request.until_ms > now.clock_ms();
        let request = self.talks.of(origin).and_then(|talk| talk.request.as_ref()).filter(is_recent);
        // A length alone answers "for how long".
        let may = turn.addition.is_none() && (self.adds(&turn.heard) || self.lacks_length(origin));
        let Some(request) = request.filter(|_| may) else { return false };
        let before = request.said.clone();
        let before_it = before.heard.trim_end_matches(['.', '!', '?', ' ']);
        let whole = format!("{before_it}{NEXT_TURN}{}", turn.heard);
        self.out.push(Effect::Understand {
            turn: id.clone(),
            text: whole.clone(),
            language: turn.language.clone(),
        });
        if let Some(turn) = self.turn_mut(id) {
            turn.addition = Some(Addition { before, whole, alone: Some(Box::new(alone.clone())) });
        }
        true
    }

    /// Whether a request is said to be in the place of the one before it: "actually turn on the telly *instead*", "*rather* the
    /// telly", beside it at its time: "and the radio *then* as well", or with what it is about: "*when it's done* put the radio
    /// on". What is guessed of its words alone is more likely to be read with those.
    pub(super) fn says_instead(&self, id: &TurnId, is_guessed: bool) -> bool {
        let Some(turn) = self.turns.iter().find(|turn| turn.id == *id) else { return false };
        let text = spoken(&turn.heard);
        let words: Vec<&str> = text.split_whitespace().collect();
        let request = self.talks.of(&turn.origin).and_then(|talk| talk.request.as_ref());
        let waits = request.is_some_and(|it| it.said.intents.iter().any(|intent| intent.name == AUTOMATE));
        self.languages.iter().any(|language| {
            let talk = &language.discourse;
            let begins = phrases::starts(talk.corrections, &words).is_some();
            let is_marked = || phrases::starts(talk.corrections_behind, &words).is_some();
            let dismisses = phrases::starts(talk.dismissals, &words).is_some();
            // "And put the sprinkler on then", "and put it on as well" behind a rule.
            let too = waits && phrases::ends(talk.another_behind, &words).is_some();
            let joins = words.first().is_some_and(|first| language.requests.connectors.contains(first));
            let last = phrases::without_ends(&[talk.trails], &words).len();
            let then = |at: usize| phrases::starts(language.time.then, &words[at..]).is_some();
            // "No, the shopping list" names what was meant, and asks for nothing; nor does "no, it should be Wednesday".
            let length = phrases::starts(talk.corrections, &words).unwrap_or(0);
            let edits = phrases::starts(talk.corrections_with, &words[length..]).is_some();
            let names = |first: &&str| edits || language.things.articles.contains(first);
            let is_marked_behind = || phrases::ends(talk.corrections_behind, &words).is_some();
            begins && (words.get(length).is_some_and(names) || is_marked_behind())
                || joins && !begins && (too || (last..words.len()).any(then))
                || dismisses
                || says_there(&words, language)
                || (is_guessed || !turn.missed.is_empty()) && (begins || is_marked())
        })
    }

    /// Whether words that wait for "it" may wait for what was done before: "*when it's done* put the radio on", and not "when it's
    /// colder than five outside", which says itself of what it is.
    pub(super) fn waits_for_what_was_done(&self, id: &TurnId, alone: &[Intent]) -> bool {
        let of_a_kind = |intent: &Intent| {
            let question = intent.slots.get("trigger").map(|trigger| &trigger["condition"]["question"]);
            question.is_some_and(|asked| !asked["device_class"].is_null() && asked["name"].is_null())
        };
        let Some(turn) = self.turns.iter().find(|turn| turn.id == *id) else { return false };
        let is_said = self.languages.iter().any(|language| waits_for_it(&turn.heard, language));
        is_said && !alone.iter().any(of_a_kind)
    }

    /// Whether the last request told something to be kept, or asked for it: "no, it's on friday" behind it is no more of it.
    pub(super) fn talks_of_memory(&self, origin: &Origin) -> bool {
        let request = self.talks.of(origin).and_then(|talk| talk.request.as_ref());
        request.is_some_and(|request| {
            let intents = &request.said.intents;
            !intents.is_empty() && intents.iter().all(|intent| intent_tools::is_of_memory(&intent.name))
        })
    }

    /// Whether the last request was refused because nobody knows how long it is to last: "for a bit".
    pub(super) fn lacks_length(&self, origin: &Origin) -> bool {
        let refuses = |intent: &Intent| {
            intent.name == refusal::INTENT && intent.response.as_deref() == Some(refusal::DURATION)
        };
        let request = self.talks.of(origin).and_then(|talk| talk.request.as_ref());
        request.is_some_and(|request| request.said.intents.iter().any(refuses))
    }

    /// Whether words begin as what adds to a request does, or what corrects it.
    fn adds(&self, said: &str) -> bool {
        let text = spoken(said);
        let words: Vec<&str> = text.split_whitespace().collect();
        self.languages.iter().any(|language| {
            let talk = &language.discourse;
            let sighs = phrases::starts(talk.hesitations, &words).unwrap_or(0);
            let begins = |phrases| phrases::starts(phrases, &words[sighs..]).is_some();
            begins(language.conversation.kinds.adds)
                || begins(talk.corrections)
                || begins(talk.corrections_with)
                || begins(talk.corrections_behind)
                || begins(talk.another)
                || begins(talk.reasons)
                || begins(talk.dismissals)
                || says_there(&words, language)
                || begins(language.qualifiers.once_only)
                || begins(language.qualifiers.always)
                || leans(said, language)
                || phrases::ends(talk.corrections_behind, &words).is_some()
                || phrases::ends(talk.another_behind, &words).is_some()
        })
    }

    /// What both mean together is known: what is to be carried out of it; what the words mean alone where it is not another
    /// request than the first.
    pub(super) fn weigh_addition(
        &mut self,
        now: Stamp,
        id: &TurnId,
        whole: Understanding,
    ) -> Result<Understanding, Box<Understanding>> {
        let Some(turn) = self.turn_mut(id) else { return Ok(whole) };
        let waiting = turn
            .addition
            .as_mut()
            .and_then(|it| Some((it.alone.take()?, it.before.clone(), it.whole.clone())));
        let Some((alone, before, text)) = waiting else { return Ok(whole) };
        let refused = |intent: &Intent| intent.name == refusal::INTENT;
        // What two turns are like takes nothing back.
        let guessed = |intent: &Intent| intent.route == Route::Intent;
        let is_whole = !whole.intents.is_empty()
            && whole.missed.is_empty()
            && whole.unknown.is_none()
            && whole.ambiguous.is_empty()
            && !whole.intents.iter().any(|intent| refused(intent) || guessed(intent))
            && !takes_as_content(&whole.intents, &before.intents)
            && !takes_itself_back(&whole.intents)
            && !does_twice(&whole.intents)
            && !whole.intents.iter().any(|intent| intent.name == follow_ups::UNDO)
            && !whole.intents.iter().any(forgets_later);
        // "Where is the key … forget the key": one after the other is no other request.
        let (first, rest) = whole.intents.split_at(before.intents.len().min(whole.intents.len()));
        let is_same = |(one, other): (&Intent, &Intent)| one.name == other.name;
        let follows = first.len() == before.intents.len()
            && first.iter().zip(&before.intents).all(is_same)
            && !rest.is_empty()
            && same_intents(rest, &alone.intents);
        if !is_whole || follows || says_no_more(&whole.intents, &before.intents) {
            return Err(alone);
        }
        let origin = turn.origin.clone();
        if let Some(intents) = goes_on(&whole.intents, &before) {
            return Ok(Understanding { intents, ..whole });
        }
        let end = self.leaning.end_of_last(now.clock_ms(), &origin);
        if let Some(changed) = end.and_then(|end| with_another_end(&whole.intents, &before.intents, end)) {
            return Ok(Understanding { intents: vec![changed], ..whole });
        }
        let Some(turn) = self.turn_mut(id) else { return Ok(whole) };
        // "That's too bright" is about the light as it is now.
        let is_step = |intents: &[Intent]| intents.iter().all(|intent| follow_ups::is_step(&intent.name));
        if is_step(&whole.intents) && !is_step(&before.intents) {
            return Ok(whole);
        }
        turn.heard = text.replace(NEXT_TURN, ", ");
        turn.continuation = Some(Continuation::accepted(before));
        Ok(whole)
    }
}

/// What is to be done beside what was done, where some requests are that and more. What only says how long it lasts ends what was
/// changed then.
fn goes_on(whole: &[Intent], before: &Spoken) -> Option<Vec<Intent>> {
    let more = behind(whole, &before.intents).filter(|more| before.changed || !say_how_long(more))?;
    let mut more = more.to_vec();
    for end in more.iter_mut().filter(|intent| intent.name == RESTORE_LATER) {
        end.slots.insert(OF_TURN.to_owned(), before.turn.0.clone().into());
    }
    Some(more)
}

/// The request for another end of what lasts, where some requests are those before with nothing but another: "for twenty minutes …
/// *no, make it ten*".
fn with_another_end(whole: &[Intent], before: &[Intent], id: String) -> Option<Intent> {
    let (last, first) = whole.split_last()?;
    let (known, done) = before.split_last()?;
    let ends = |intent: &Intent| intent.name == RESTORE_LATER;
    (ends(last) && ends(known) && same_intents(first, done)).then_some(())?;
    let until = last.slots.get("until")?.clone();
    let slots = [("id".to_owned(), id.into()), ("until".to_owned(), until)].into_iter().collect();
    Some(Intent { name: CHANGE_END.to_owned(), slots, response: None, ..last.clone() })
}

/// Whether some words say a place as that which was spoken of: "turn on the lights *in there*".
fn says_there(words: &[&str], language: &Lexicon) -> bool {
    let there = |at| phrases::starts(language.discourse.there, &words[at..]);
    (0..words.len()).any(|at| there(at).is_some_and(|length| length > 1))
}

/// Whether a word of a text leans on what was said before: "not", "it", "it's".
fn leans(text: &str, language: &Lexicon) -> bool {
    let said = &language.requests;
    text.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        said.negations.contains(&word) || is_pronoun(&word, language)
    })
}

/// Whether a word stands for what was spoken of, also in a contraction: "it", "it's".
fn is_pronoun(word: &str, language: &Lexicon) -> bool {
    let stem = language.discourse.contraction(word).map_or(word, |(stem, _)| stem);
    language.requests.pronouns.contains(stem)
}

/// Whether a clause begins with what was spoken of before: "*when it's done* put the radio on", "*till that's over*".
fn waits_for_it(text: &str, language: &Lexicon) -> bool {
    let said = &language.qualifiers;
    let marks = [said.when, said.before_clause, said.until];
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split([' ', ',', '.']).filter(|word| !word.is_empty()).collect();
    (0..words.len()).any(|at| {
        let mut lengths = marks.into_iter().filter_map(|mark| phrases::starts(mark, &words[at..]));
        lengths.any(|length| words.get(at + length).is_some_and(|word| is_pronoun(word, language)))
    })
}

/// Whether what is to be done later would forget something: "forget the heating one" is said of what waits, and now.
fn forgets_later(intent: &Intent) -> bool {
    let later = intent.slots.get("intents").and_then(Value::as_array);
    let forgets = |inner: &Value| inner["name"] == CANCEL || inner["name"] == follow_ups::FORGET;
    later.is_some_and(|later| later.iter().any(forgets))
}

/// Whether one request does and undoes the same: "turn on the tap for ten minutes … turn it off" is no one request.
fn takes_itself_back(intents: &[Intent]) -> bool {
    let is_of = |one: &Intent, name: &str| one.name == name;
    intents.iter().filter(|on| is_of(on, "HassTurnOn")).any(|on| {
        intents.iter().any(|off| is_of(off, "HassTurnOff") && off.slots == on.slots && !on.slots.is_empty())
    })
}

/// Whether one request does the same twice: "the tree on until ten … *let us have it till eleven*" is no one request.
fn does_twice(intents: &[Intent]) -> bool {
    (1..intents.len()).any(|at| intents[..at].iter().any(|before| is_same_intent(before, &intents[at])))
}

/// Whether some requests are those before them and say nothing else of them: "louder … no, *that's too much*". What followed on a
/// turn before has its thing from that.
fn says_no_more(whole: &[Intent], before: &[Intent]) -> bool {
    let is_same = |(one, other): (&Intent, &Intent)| {
        let is_said = |(slot, value): (&String, &Value)| other.slots.get(slot) == Some(value);
        let leans = other.route == Route::Context && !one.slots.is_empty();
        one.name == other.name && (one.slots == other.slots || leans && one.slots.iter().all(is_said))
    };
    whole.len() == before.len() && whole.iter().zip(before).all(is_same)
}

/// Whether words of content have only grown: "ring the dentist" is no other thing to be reminded of with words behind it.
fn takes_as_content(whole: &[Intent], before: &[Intent]) -> bool {
    let grown = |(slot, value): (&String, &Value), known: &Intent| {
        let texts = value.as_str().zip(known.slots.get(slot).and_then(Value::as_str));
        texts.is_some_and(|(text, known)| text.len() > known.len() && text.starts_with(known))
    };
    // What a condition says in words is not its content.
    let says_content =
        |(whole, before): &(&Intent, &Intent)| whole.name == before.name && whole.name != AUTOMATE;
    let pairs = whole.iter().zip(before).filter(says_content);
    let of_both = |value: &Value| value.as_str().is_some_and(|text| text.trim().contains(NEXT_TURN));
    pairs.into_iter().any(|(whole, before)| {
        whole.slots.iter().any(|slot| grown(slot, before)) || whole.slots.values().any(of_both)
    })
}

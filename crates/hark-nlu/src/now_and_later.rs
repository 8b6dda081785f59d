//! What is to be done now beside what is to be done later: "turn the porch light on *now* and off again at sunrise", "the radio
//! on and off at ten". What says when belongs to the second request alone. Called by the reader of whole sentences.

use super::grammar::Reader;
use super::intent::category_of;
use super::request_framing::Speech;
use super::rules::{self, Rule};
use super::to_intent::is_whole;
use hark_core::automation::intent::{AUTOMATE, COMMAND, OF_IT};
use hark_core::{Category, Intent, Understanding};
use hark_language::phrases;
use serde_json::Value;

/// Words of the first request that the second may share at most.
const MAX_SHARED: usize = 8;

impl Reader<'_> {
    /// Both requests, where "now" stands between them or the second goes the other way; `None` where it does not, or one of
    /// them is not understood.
    pub(super) fn now_and_later(&self, speech: &Speech<'_>, language: &str) -> Option<Understanding> {
        let (words, lexicon) = (speech.words(), speech.lexicon());
        let (at, behind) = turned(speech)?;
        let (now, later) = (&words[..at], speech.text[speech.tokens[behind].start..].to_owned());
        let read = |text: &str| {
            let found = self.as_said(text, language);
            (is_whole(&found) && found.ambiguous.is_empty()).then_some(found)
        };
        let acts = |intent: &Intent| category_of(&intent.name) == Some(Category::HomeControl);
        let is_one = |intents: &Value| intents.as_array().is_some_and(|all| all.len() == 1);
        // "The *Christmas* tree off again in a minute" is about the tree: without "it" nothing else is meant.
        let says_it = words[behind..].iter().any(|word| lexicon.requests.pronouns.contains(word));
        let waits = |intent: &Intent| {
            (says_it || !intent.slots.contains_key(OF_IT))
                && (intent.slots.contains_key(COMMAND)
                    || intent.name == AUTOMATE && intent.slots.get("intents").is_some_and(is_one))
        };
        let first = read(&now.join(" ")).filter(|found| found.intents.iter().all(acts))?;
        let name = match first.intents.as_slice() {
            [only] => only.slots.get("name").and_then(Value::as_str),
            _ => None,
        };
        // "Off again at sunrise" is of the thing, or shares the end or the beginning.
        let named = name.filter(|name| *name != "all").map(|name| format!("{name} {later}"));
        let things = (1..now.len().min(MAX_SHARED)).map(|from| format!("{} {later}", now[from..].join(" ")));
        let shared =
            (1..now.len().min(MAX_SHARED)).rev().map(|cut| format!("{} {later}", now[..cut].join(" ")));
        // "The kettle on now and *the coffee machine* at six."
        let target = (behind + 1..words.len()).rev().find(|end| speech.is_target(&words[behind..*end]));
        let instead = target.into_iter().flat_map(|end| {
            let texts = speech.with_target(now, &words[behind..end]).into_iter();
            texts.map(move |text| (text, end))
        });
        let instead = instead.map(|(text, end)| format!("{text} {}", words[end..].join(" ")));
        // "Turn *it* off when Alice leaves" is about the same.
        let it = if later.contains(',') { None } else { speech.with_it_named(now, &words[behind..]) };
        // What has a verb of its own is a request of its own.
        let alone = Some(later.clone()).filter(|_| lexicon.discourse.verbs.contains(words[behind]));
        let second = it
            .into_iter()
            .chain(alone)
            .chain(named)
            .chain(things)
            .chain(shared)
            .chain(instead)
            .take_while(|_| !self.is_spent())
            .filter_map(|text| read(text.trim()))
            .find(|found| found.intents.iter().all(waits))?;
        Some(Understanding { intents: [first.intents, second.intents].concat(), ..second })
    }
}

impl Speech<'_> {
    /// "On at sunset *and off at eleven*" as until eleven. `None` where that is no end.
    pub(super) fn until_turned(&self) -> Option<String> {
        let (words, lexicon) = (self.words(), self.lexicon());
        let (at, behind) = turned(self)?;
        let rest = words.get(behind + 1..)?;
        let rest = &rest[phrases::starts(lexicon.discourse.trails, rest).unwrap_or(0)..];
        let marks = [lexicon.time.at, lexicon.qualifiers.when];
        let mark = marks.into_iter().find_map(|marks| phrases::starts(marks, rest))?;
        let end = Some(&rest[mark..]).filter(|end| !end.is_empty())?;
        // "At eight every morning": it comes again as a whole.
        let by = self.reader.reckoning();
        let every = (1..end.len()).find(|at| {
            rules::longest(Rule::Recurrence, &end[*at..], &by).is_some_and(|(_, used)| at + used == end.len())
        });
        let (end, every) = end.split_at(every.unwrap_or(end.len()));
        Some([every, &words[..at], &[lexicon.qualifiers.until.first()?], end].concat().join(" "))
    }
}

/// Where the first request ends and the second begins, which is done at another time or the other way.
fn turned(speech: &Speech<'_>) -> Option<(usize, usize)> {
    let (words, lexicon) = (speech.words(), speech.lexicon());
    let connects = |at: usize| words.get(at).is_some_and(|word| lexicon.requests.connectors.contains(word));
    let (closing, verbs) = (&lexicon.discourse.closing, &lexicon.discourse.verbs);
    let joint = |at: usize| {
        let now = at + phrases::starts(lexicon.time.now, &words[at..]).unwrap_or(0);
        let behind = now + (now..words.len()).take_while(|at| connects(*at)).count();
        let goes = behind > now
            && words.get(behind).is_some_and(|word| lexicon.discourse.goes.contains(word))
            && words.get(behind + 1).is_some_and(|word| closing.contains(word));
        let behind = behind + usize::from(goes);
        // "And *open* the window" is an act, "and *off* at ten" is none.
        let is_other_way =
            words.get(behind).is_some_and(|word| closing.contains(word) && !verbs.contains(word));
        // "On *now*, turn it off when …" goes on behind a pause as well.
        let is_joint = behind > now || now > at && now < words.len() && speech.pauses_before(now);
        (is_joint && behind < words.len() && (now > at || is_other_way)).then_some((at, behind))
    };
    let (at, behind) = (2..words.len()).find_map(joint)?;
    // Of two requests, and no more.
    (behind..words.len()).find_map(joint).is_none().then_some((at, behind))
}

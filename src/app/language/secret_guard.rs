//! Takes the values of password fields out of what was said or typed, before it is recorded, published or understood: a
//! name stands in their place (`hark_home::secrets`), which only the driver of the field can read.

use crate::app::clock;
use hark_core::ports::{Tools, Understand};
use hark_core::{Event, Intent, RemoteSpeech};
use hark_language::names::{holds_words, normal};
use hark_language::secrets::Secrets;
use hark_language::{Lexicon, Phrases};
use serde_json::Value;
use std::ops::Range;

/// The intent by which a text is set.
const SETS: &str = "HarkSetValue";

/// Whether an event has to be read to find such values in it: a whole request, in a home that has such fields.
pub(crate) fn must_be_read(event: &mut Event, tools: &dyn Tools) -> bool {
    // Most events say nothing, and for them the home is not searched for names.
    words_of(event).is_some_and(|(_, stable)| stable.is_none()) && !tools.secret_names().is_empty()
}

/// The event with names for the values of password fields. `languages`: those they may be set in.
pub(crate) fn covered(
    mut event: Event,
    tools: &dyn Tools,
    understand: &dyn Understand,
    languages: &[&'static Lexicon],
) -> Event {
    let guard = Guard { names: tools.secret_names(), tools, understand, languages };
    let hidden = words_of(&mut event).and_then(|(text, _)| {
        *text = guard.of(text)?;
        Some(())
    });
    Event::Covered { event: Box::new(event), hidden: hidden.is_some() }
}

/// The event without anything of what it says.
pub(crate) fn all_covered(mut event: Event, tools: &dyn Tools) -> Event {
    if let Some((text, _)) = words_of(&mut event) {
        *text = tools.hide(text);
    }
    Event::Covered { event: Box::new(event), hidden: true }
}

/// The same of words of which more may come; whether anything was covered.
pub(crate) fn cover_so_far(event: &mut Event, tools: &dyn Tools, languages: &[&'static Lexicon]) -> bool {
    let Some((text, Some(stable))) = words_of(event) else { return false };
    let Some(covered) = unfinished(text, tools, languages) else { return false };
    *text = covered;
    *stable = 0;
    true
}

/// What an event says; of words so far also how much of it is settled.
fn words_of(event: &mut Event) -> Option<(&mut String, Option<&mut usize>)> {
    match event {
        Event::Promised { event, .. } => words_of(event),
        Event::Typed { text, .. } => Some((text, None)),
        Event::Transcript { transcript } => Some((&mut transcript.text, None)),
        Event::RemoteSpeech { heard: RemoteSpeech::Transcript { transcript }, .. } => {
            Some((&mut transcript.text, None))
        }
        Event::Partial(words) => Some((&mut words.text, Some(&mut words.stable))),
        Event::RemoteSpeech { heard: RemoteSpeech::Partial { text, stable }, .. } => {
            Some((text, Some(stable)))
        }
        _ => None,
    }
}

/// Whether a text may hold such a value, and must not be written down as it is.
pub(crate) fn may_hold_value(text: &str, tools: &dyn Tools) -> bool {
    tools.secret_names().iter().any(|name| holds_words(text, name))
}

struct Guard<'a> {
    names: Vec<String>,
    tools: &'a dyn Tools,
    understand: &'a dyn Understand,
    languages: &'a [&'static Lexicon],
}

impl Guard<'_> {
    /// A whole request without the values it sets.
    fn of(&self, text: &str) -> Option<String> {
        let effort = clock::effort();
        let understood = self.understand.understand_within(text, "", clock::wall_local(), &effort);
        if effort.is_spent() {
            // Nobody knows what it sets.
            return Some(self.tools.hide(text));
        }
        let is_secret = |name: &str| self.names.iter().any(|known| normal(known) == normal(name));
        let sets = |intent: &&Intent| {
            intent.name == SETS && intent.slots.get("name").and_then(Value::as_str).is_some_and(is_secret)
        };
        let values: Vec<&Intent> = understood.intents.iter().filter(sets).collect();
        if values.is_empty() && !understood.intents.is_empty() {
            return None;
        }
        let languages = self.languages;
        let value =
            |text: &str, name: &str| behind(text, name, languages).or_else(|| before(text, name, languages));
        let about = |text: &str| self.names.iter().find_map(|name| value(text, name));
        if values.is_empty() {
            return about(text).map(|at| without(text, at, self.tools));
        }
        let mut covered = text.to_owned();
        for value in values {
            let value = value.slots.get("value").and_then(Value::as_str).unwrap_or_default();
            // Where it does not stand as it was understood, rather all of it is covered than nothing.
            let at = place_of(&covered, value).or_else(|| about(&covered)).unwrap_or(0..covered.len());
            covered = without(&covered, at, self.tools);
        }
        Some(covered)
    }
}

/// The same for words of which more may come.
fn unfinished(text: &str, tools: &dyn Tools, languages: &[&'static Lexicon]) -> Option<String> {
    let at = tools.secret_names().iter().find_map(|name| behind(text, name, languages))?;
    Some(without(text, at, tools))
}

fn without(text: &str, at: Range<usize>, tools: &dyn Tools) -> String {
    format!("{}{}{}", &text[..at.start], tools.hide(&text[at.clone()]), &text[at.end..])
}

/// Where a value stands in a text, in whatever letters.
fn place_of(text: &str, value: &str) -> Option<Range<usize>> {
    let at = text.rfind(value).or_else(|| text.to_lowercase().rfind(&value.to_lowercase()))?;
    let (before, behind) = (text.get(..at)?, text.get(at + value.len()..)?);
    // Of an endless word only the beginning is understood; all of it is covered.
    let from = before.trim_end_matches(char::is_alphanumeric).len();
    let rest = behind.trim_start_matches(char::is_alphanumeric).len();
    Some(from..text.len() - rest).filter(|_| !value.is_empty())
}

/// Where the words behind a name stand, as far as they can be its value.
fn behind(text: &str, name: &str, languages: &[&'static Lexicon]) -> Option<Range<usize>> {
    let words = words(text);
    let (_, ends) = place(&words, name)?;
    let (from, _) =
        words[ends..].iter().find(|(_, word)| !is_one(word, languages, |secrets| secrets.between))?;
    Some(*from..text.trim_end().len())
}

/// The same for the words before it: "write … into the safe code".
fn before(text: &str, name: &str, languages: &[&'static Lexicon]) -> Option<Range<usize>> {
    let words = words(text);
    let (begins, _) = place(&words, name)?;
    let is = |word: &str, list: fn(&Secrets) -> Phrases| is_one(word, languages, list);
    let leads = |word: &str| is(word, |secrets| secrets.between) || is(word, |secrets| secrets.articles);
    let said = words[..begins].iter().rposition(|(_, word)| !leads(word))?;
    let is_verb = |word: &str| is(word, |secrets| secrets.verbs);
    let from = words[..=said].iter().position(|(_, word)| !is_verb(word)).filter(|from| *from > 0)?;
    let (at, last) = words[said];
    Some(words[from].0..at + last.len())
}

/// The words of a text, each with where it begins.
fn words(text: &str) -> Vec<(usize, &str)> {
    let offset = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().map(|word| (offset(word), word)).collect()
}

/// From which word to before which one a name is said.
fn place(words: &[(usize, &str)], name: &str) -> Option<(usize, usize)> {
    let name = normal(name);
    // "Wi-Fi" is one word here and two of the name.
    let longest = name.split(' ').count();
    let said = |from: usize, to: usize| {
        let said: Vec<&str> = words[from..to].iter().map(|(_, word)| *word).collect();
        normal(&said.join(" ")) == name
    };
    (0..words.len()).find_map(|from| {
        let mut ends = from + 1..=words.len().min(from + longest);
        ends.find(|to| said(from, *to)).map(|to| (from, to))
    })
}

/// Whether a word is on a list of one of some languages.
fn is_one(word: &str, languages: &[&'static Lexicon], list: fn(&Secrets) -> Phrases) -> bool {
    let word = normal(word);
    languages.iter().any(|language| list(&language.secrets).iter().any(|known| normal(known) == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_the_value_of_a_name_is_found_on_both_sides_of_it() {
        let found = |text: &'static str| {
            let spoken = ["en", "de"].map(hark_language::of);
            let at = behind(text, "Wi-Fi password", &spoken);
            let at = at.or_else(|| before(text, "Wi-Fi password", &spoken));
            at.map(|at| &text[at])
        };
        for (text, value) in [
            ("please change our wi-fi password to hunter2 now", Some("hunter2 now")),
            ("the Wi-Fi password is: hunter2 ", Some("hunter2")),
            ("set wi-fi password", None),
            ("set the wi-fi password to", None),
            ("write hunter2 and more into our wi-fi password.", Some("hunter2 and more")),
            ("tell me about the wi-fi password", None),
            ("setze das Wi-Fi password auf hunter2", Some("hunter2")),
            ("schreib hunter2 in das Wi-Fi password", Some("hunter2")),
            ("what is the time", None),
        ] {
            assert_eq!(found(text), value, "{text}");
        }
    }
}

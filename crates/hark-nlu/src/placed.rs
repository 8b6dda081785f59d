//! A place where no sentence has one: "turn the heating up a bit *in the bedroom*" is the request without it, there.

use super::grammar::{Match, Took};
use super::intent::{category_of, leans_on_another};
use super::request_framing::Speech;
use hark_core::Category;
use hark_language::phrases;
use serde_json::Value;

/// Words of a place at most, without the article.
pub(super) const MAX_PLACE_WORDS: usize = 3;

/// Slots that say where.
const PLACES: [&str; 2] = ["area", "floor"];

impl Speech<'_> {
    /// The request without "both" before the two things or places that it names: "lights on in *both* the bedroom and the office".
    /// `None` where there is nothing of the kind.
    pub(super) fn without_both(&self) -> Option<String> {
        let (words, lexicon) = (self.words(), self.lexicon());
        let joins = |at: &usize| lexicon.requests.connectors.contains(words[*at]);
        let is_target = |from: usize, end: usize| {
            let article = lexicon.things.articles.contains(words[from]);
            self.is_target(&words[from + usize::from(article)..end])
        };
        let is_both = |at: &usize| {
            let Some(join) = (at + 2..words.len().saturating_sub(1)).find(joins) else { return false };
            let last = words.len().min(join + 2 + MAX_PLACE_WORDS);
            lexicon.qualifiers.both.contains(words[*at])
                && is_target(at + 1, join)
                && (join + 2..=last).any(|end| is_target(join + 1, end))
        };
        let at = (0..words.len()).find(is_both)?;
        Some(format!("{}{}", &self.text[..self.tokens[at].start], &self.text[self.tokens[at + 1].start..]))
    }

    /// The request that is read without its place, with that; `None` where it is none, has a place already, or names a thing
    /// that stands elsewhere and nothing of its kind stands there.
    pub(super) fn placed(&self) -> Option<Match> {
        let core = self.core().unwrap_or(self.tokens);
        let words: Vec<&str> = core.iter().map(|token| token.word.as_str()).collect();
        let lexicon = self.lexicon();
        let within = |at: usize| lexicon.discourse.within.contains(words[at]);
        // "Upstairs" stands alone.
        let is_floor = |at: usize| matches!(self.reader.grammar.place_called(words[at]), Some(("floor", _)));
        let places = (0..words.len()).rev().filter(|at| within(*at) || is_floor(*at));
        places.take_while(|_| !self.reader.is_spent()).find_map(|at| {
            let begin = at + usize::from(within(at));
            let article = words.get(begin).is_some_and(|word| lexicon.things.articles.contains(word));
            let from = begin + usize::from(article);
            let last = words.len().min(from + MAX_PLACE_WORDS);
            (from + 1..=last).rev().find_map(|end| {
                let (slot, place) = self.reader.grammar.place_called(&words[from..end].join(" "))?;
                let rest = [&words[..at], &words[end..]].concat().join(" ");
                let found = self.reader.exactly(&rest, &self.reader.tokenise(&rest))?;
                self.at(found, slot, place, &words[at..end])
            })
        })
    }

    /// The request with the place that a remark behind it tells: "turn on the light, *I'm in the kitchen*". `None` without such a
    /// remark.
    pub(super) fn with_place_of_speaker(&self) -> Option<String> {
        let (words, talk) = (self.words(), &self.lexicon().discourse);
        let speaks = |at: usize| Some((at, at + phrases::starts(talk.speakers, &words[at..])?));
        let (at, who) = (1..words.len()).rev().find_map(speaks)?;
        let begin = who + phrases::starts(talk.states, &words[who..]).unwrap_or(0);
        let place = words[begin..].join(" ");
        let is_there = talk.within.contains(words.get(begin)?) && self.reader.grammar.is_place(&place);
        is_there.then(|| format!("{} {place}", self.text[..self.tokens[at - 1].end].trim_end()))
    }

    /// A request with its place.
    fn at(&self, mut found: Match, slot: &str, place: &Value, words: &[&str]) -> Option<Match> {
        let at_home = [Category::HomeControl, Category::HomeQuery, Category::Media].map(Some);
        let is_whole = found.wild_words == 0
            && found.doubts.is_empty()
            && !leans_on_another(&found.intent)
            && at_home.contains(&category_of(&found.intent))
            && !PLACES.iter().any(|slot| found.slots.contains_key(*slot));
        is_whole.then_some(())?;
        let grammar = self.reader.grammar;
        let name = found.slots.get("name").and_then(Value::as_str).map(str::to_owned);
        let is_there =
            |name: &String| grammar.area_of(name).is_some_and(|area| grammar.is_within(&area, place));
        let elsewhere = name.filter(|name| !is_there(name));
        if let Some(name) = elsewhere {
            // "The heating" is the thermostat, and in the bedroom the radiator; the television is no radio.
            let class = grammar.class_of(&name);
            let domain = grammar.domain_of(&name).filter(|domain| grammar.has_in(place, domain, class))?;
            // "The big light in the lounge" is one of its lights, and not all of them.
            found.one = slot == "area" && grammar.called(None, Some(place), domain).len() > 1;
            found.slots.insert("domain".to_owned(), domain.into());
            found.slots.remove("name");
        }
        if !found.slots.contains_key("name") {
            found.slots.insert(slot.to_owned(), place.clone());
        }
        found.words.extend(words.iter().map(|word| ((*word).to_owned(), Took::Meant)));
        Some(found)
    }
}

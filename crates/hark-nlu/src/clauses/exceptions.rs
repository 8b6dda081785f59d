//! What a request leaves out: things, items of a list, what rings, days.

use super::super::grammar::{ITEM, Match, Reader};
use super::super::intent::category_of;
use super::super::request_framing::Speech;
use super::super::rules;
use super::super::to_intent::CHOOSES;
use super::model::Composed;
use hark_core::automation::intent::TO_IT;
use hark_core::calendar::{Frequency, Recurrence};
use hark_core::{Category, Slots};
use serde_json::Value;

/// Take away all that rings.
const CANCELS_ALL: [&str; 3] = ["HassCancelAllTimers", "HarkCancelAllAlarms", "HarkCancelAllReminders"];

/// Empties a list.
const CLEARS_LIST: &str = "HarkListClear";

/// Domains of things that change others.
const HOLDS_OTHERS: [&str; 4] = ["scene", "script", "automation", "group"];

/// Domains of what sets others, of which a part may be left out: "movie night without the television".
const SCENES: [&str; 2] = ["scene", "script"];

impl Composed {
    /// Leaves items on a list that is emptied, or one of what rings.
    pub(super) fn except_items(&mut self, words: &str, reader: &Reader<'_>) -> bool {
        let [only] = self.matches.as_mut_slice() else { return false };
        if CANCELS_ALL.contains(&only.intent.as_str()) {
            let chosen = reader.exactly(words, &reader.tokenise(words)).filter(|it| it.intent == CHOOSES);
            let Some(mut chosen) = chosen else { return false };
            let kept = [("name", "except"), ("when", "except_when")];
            let said = kept.map(|(slot, kept)| Some((kept.to_owned(), chosen.slots.remove(slot)?)));
            let before = only.slots.len();
            only.slots.extend(said.into_iter().flatten());
            return only.slots.len() > before;
        }
        if let Some(kept) = only.slots.get(ITEM).and_then(|item| items_without(item.as_str()?, words, reader))
        {
            only.slots.insert(ITEM.to_owned(), kept.into());
            return true;
        }
        let is_list = only.intent == CLEARS_LIST;
        if is_list {
            only.slots.insert("except".to_owned(), words.into());
        }
        is_list
    }

    /// Leaves days out of what comes again.
    pub(super) fn except_days(&mut self, words: &[String], reader: &Reader<'_>) -> bool {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let by = reader.reckoning();
        let [again] = self.matches.as_mut_slice() else { return false };
        let Some(every) = again.recurrence() else { return false };
        let Some((days, _)) = rules::other_days(&every, &words, &by) else { return false };
        let left = Recurrence { frequency: Frequency::Weekly, days, ..every };
        again.slots.insert("recurrence".to_owned(), left.to_string().into());
        true
    }

    /// Adds the words of an exception to the words that the reply repeats: "close all the blinds *except in the kitchen*".
    pub(super) fn say_what_is_left_out(&mut self, words: &str) {
        // "Lock *everything* except the back door."
        let last = self.said.rsplit(' ').next().unwrap_or_default();
        let words = words.strip_prefix(last).unwrap_or(words).trim_start();
        if !self.said.is_empty() {
            self.said = format!("{} {words}", self.said);
        }
    }

    /// Leaves things out of everything that is done to several; out of one thing that is named, what is another anyway.
    pub(super) fn except(&mut self, targets: Vec<Slots>, reader: &Reader<'_>) -> bool {
        let mut is_used = false;
        if targets.is_empty() {
            return false;
        }
        let names: Vec<Option<&Value>> = targets.iter().map(|target| target.get("name")).collect();
        let is_another = |found: &Match| {
            let name = found.slots.get("name");
            let domain = name.and_then(|name| reader.grammar.domain_of(name.as_str()?));
            // Of what such a thing does, nothing can be left out.
            let holds_others = domain.is_some_and(|domain| HOLDS_OTHERS.contains(&domain));
            name.is_some() && !holds_others && names.iter().all(|other| other.is_some() && *other != name)
        };
        if self
            .matches
            .iter()
            .all(|found| found.slots.get("name") != Some(&"all".into()) && is_another(found))
        {
            return true;
        }
        // "The office lights but not the ceiling one" is not about the ceiling of another room.
        let area_of = |target: &Slots| reader.grammar.area_of(target.get("name")?.as_str()?);
        let is_elsewhere = |area: Value| {
            self.matches.iter().all(|found| found.slots.get("area").is_some_and(|other| *other != area))
        };
        if targets.iter().filter_map(area_of).any(is_elsewhere) {
            return false;
        }
        let except: Vec<Value> = targets.into_iter().map(Value::Object).collect();
        for found in &mut self.matches {
            let several = found.slots.get("name").is_none_or(|name| name == "all");
            let at_home = [Some(Category::HomeControl), Some(Category::HomeQuery), Some(Category::Media)]
                .contains(&category_of(&found.intent))
                || found.intent == TO_IT;
            let name = found.slots.get("name").and_then(Value::as_str);
            let is_scene = name
                .and_then(|name| reader.grammar.domain_of(name))
                .is_some_and(|domain| SCENES.contains(&domain));
            if (several || is_scene) && at_home {
                let all = found.slots.entry("except").or_insert_with(|| Value::Array(Vec::new()));
                all.as_array_mut().into_iter().for_each(|all| all.extend(except.clone()));
                is_used = true;
            }
        }
        is_used
    }
}

/// Items of a list without the one that is not wanted; `None` where it is not among them, or nothing would be left.
fn items_without(items: &str, left_out: &str, reader: &Reader<'_>) -> Option<String> {
    let lexicon = reader.grammar.lexicon();
    let is_word = |word: &&str| !lexicon.things.articles.contains(word);
    let (items, out) = (reader.tokenise(items), reader.tokenise(left_out));
    let words: Vec<&str> = items.iter().map(|token| token.word.as_str()).collect();
    let parts: Vec<&[&str]> = words.split(|word| lexicon.requests.connectors.contains(word)).collect();
    let speech = Speech { reader, text: left_out, tokens: &out };
    let out: Vec<&str> = speech.words().into_iter().filter(is_word).collect();
    // What stands behind it may say why: "not the jam, we've got some".
    let is_out = |part: &&[&str]| {
        let part: Vec<&str> = part.iter().copied().filter(is_word).collect();
        out.strip_prefix(part.as_slice()).is_some_and(|rest| rest.is_empty() || speech.is_remark(rest))
    };
    let kept: Vec<String> = parts.iter().filter(|part| !is_out(part)).map(|part| part.join(" ")).collect();
    let joins = lexicon.requests.connectors.first()?;
    (!kept.is_empty() && kept.len() < parts.len()).then(|| kept.join(&format!(" {joins} ")))
}

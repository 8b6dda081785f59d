//! What stands along a way through the templates: slots, context, doubts.

use super::{Reached, Step, Way, address};
use crate::grammar::fragments::SlotId;
use crate::grammar::fuzzy_match::near_names::{Candidate, Nearness};
use crate::grammar::home::IN_AREA;
use crate::grammar::parse_result::{Found, slot_name};
use crate::grammar::views::{Entry, View};
use crate::text::Token;
use chrono::{NaiveTime, TimeDelta, Timelike};
use hark_core::SlotSpan;
use hark_core::calendar::{Recurrence, When};
use hark_core::intent::Ambiguity;
use serde_json::Value;
use std::sync::Arc;

/// A list that says which response is wanted: `{question:@response}`. Hark's own.
const RESPONSE: &str = "@response";

/// Things of these domains can let somebody in, or leave the house open.
const DANGEROUS_DOMAINS: [&str; 5] = ["lock", "cover", "alarm_control_panel", "valve", "garage"];

/// A day or a repetition, and a time that was said apart from it.
fn joined(said: &str, more: &str) -> Option<String> {
    let when = When::joined(said, more).map(|when| when.to_string());
    when.or_else(|| {
        let every = Recurrence::parse(said).filter(|every| every.later.is_empty())?;
        let time: NaiveTime = more.parse().ok()?;
        // "Every evening … at eight" is at eight in the evening: a part of the day alone stands for a time in it.
        let is_late = every.time.is_some_and(|usual| usual.hour() >= 15);
        let half_a_day = if is_late && (5..12).contains(&time.hour()) { 12 } else { 0 };
        Some(Recurrence { time: Some(time + TimeDelta::hours(half_a_day)), ..every }.to_string())
    })
}

impl Reached<'_> {
    /// Slots and context along a way.
    pub(super) fn reconstruct(&self, last: Way, text: &str, tokens: &[Token]) -> Found {
        let mut steps = Vec::new();
        let (mut way, mut end) = (last, tokens.len());
        while !matches!(way.step, Step::Start) {
            steps.push((way.step, way.from, end));
            end = way.from;
            way = self.chart.ways[way.before];
        }
        steps.reverse();
        let mut found = Found::default();
        let mut wild: Option<(SlotId, usize)> = None;
        // A slot that a list begins and any words end is all from the one to the other: "{gathering:title} with {name:title}".
        let mut begun: Option<(SlotId, usize)> = None;
        for (step, from, end) in steps {
            found.took.extend((from..end).map(|_| step.took()));
            self.mark(&mut found.spans, step, from, end);
            match step {
                Step::Any(slot) => {
                    let same = |(known, _): &(SlotId, usize)| *known == slot;
                    let start = wild.filter(same).or(begun.filter(same)).map_or(from, |(_, start)| start);
                    wild = Some((slot, start));
                    let value = text[tokens[start].start..tokens[end - 1].end].trim();
                    if self.grammar.address_slots.contains(&slot) {
                        found.is_address = Some(address::is_one(value, self.grammar.lexicon()));
                    }
                    self.put(&mut found, slot, Value::from(value));
                }
                Step::View(view, slot, value) => {
                    let view = self.grammar.views.get(view);
                    let entry = &view.entries[value as usize];
                    found.named |= view.names;
                    if view.names {
                        let same = self.same_words(view, from, end);
                        self.choose(&mut found, slot, &[&[entry], same.as_slice()].concat());
                    } else {
                        begun = Some((slot, from));
                        found.context.extend(entry.context.clone());
                        self.put(&mut found, slot, entry.out.clone());
                    }
                }
                Step::Near(view, slot, index) => {
                    found.named |= self.grammar.views.get(view).names;
                    let said = &text[tokens[from].start..tokens[end - 1].end];
                    self.put_near(&mut found, slot, &self.chart.offered[index as usize], said);
                }
                Step::Ruled(slot, index) => {
                    let own = &self.grammar.slot_names[slot as usize];
                    for (part, value) in &self.chart.found[index as usize] {
                        let name = slot_name(own, part);
                        let said = found.slots.get(&name).and_then(Value::as_str);
                        let joined = said
                            .filter(|said| !self.says_when_in_day(said, &found.spans, from, tokens))
                            .and_then(|said| joined(said, value.as_str()?));
                        let other = found.slots.get(&name).is_some_and(|known| known != value);
                        found.contradicts |= joined.is_none() && other;
                        let value = joined.map_or_else(|| value.clone(), Value::from);
                        found.slots.insert(name, value);
                    }
                }
                _ => {}
            }
            // What is skipped within words that are taken as they are is one of them: "play just the way you are".
            if !matches!(step, Step::Any(_) | Step::Skip) {
                wild = None;
            }
        }
        found
    }

    /// Whether a repetition that was said before `from` has a time of its own: "every weekday *at half six*", and not "every
    /// evening", which only stands for one. A number in what is said between may be the time of another act.
    fn says_when_in_day(&self, said: &str, spans: &[SlotSpan], from: usize, tokens: &[Token]) -> bool {
        let has_time = Recurrence::parse(said).is_some_and(|every| every.time.is_some());
        let before = spans.iter().rfind(|span| span.end <= from);
        let numbers = &self.grammar.lexicon().numbers;
        has_time
            && before.is_some_and(|span| {
                tokens[span.start..span.end].iter().any(|token| numbers.number(&[&token.word]).is_some())
            })
    }

    /// Notes which slot some words fill.
    fn mark(&self, spans: &mut Vec<SlotSpan>, step: Step, start: usize, end: usize) {
        let slot = match step {
            Step::Any(slot) | Step::View(_, slot, _) | Step::Ruled(slot, _) | Step::Near(_, slot, _) => slot,
            Step::Start | Step::Word | Step::Skip => return,
        };
        let slot = match self.grammar.slot_names[slot as usize].as_str() {
            // A length has slots of its own for each unit.
            "" => "duration",
            capture if capture.starts_with('@') => return,
            slot => slot,
        };
        match spans.last_mut() {
            Some(last) if matches!(step, Step::Any(_)) && last.slot == slot && last.end == start => {
                last.end = end
            }
            _ => spans.push(SlotSpan { slot: slot.to_owned(), start, end }),
        }
    }

    /// Every value that some words are, exactly.
    fn same_words<'v>(&self, view: &'v View, from: usize, end: usize) -> Vec<&'v Arc<Entry>> {
        let mut node = view.root;
        for word in &self.chart.words[from..end] {
            let Some(next) = word.and_then(|word| self.grammar.views.step(node, word)) else {
                return Vec::new();
            };
            node = next;
        }
        let values = &self.grammar.views.tries[node as usize].values;
        values.iter().map(|value| &view.entries[*value as usize]).collect()
    }

    /// Puts the first of some names that are said alike, unless another stands where the speaker is; the
    /// others make it doubtful.
    fn choose(&self, found: &mut Found, slot: SlotId, entries: &[&Arc<Entry>]) {
        let place = self.grammar.context.get("area");
        let here = entries.iter().find(|entry| place.is_some() && entry.context.get(IN_AREA) == place);
        let chosen = here.unwrap_or(&entries[0]);
        let mut names: Vec<Value> = Vec::new();
        for entry in entries {
            if !names.contains(&entry.out) {
                names.push(entry.out.clone());
            }
        }
        if here.is_none() && names.len() > 1 {
            let mut doubt = self.doubt(slot, &names);
            let area = |name: &Value| {
                entries.iter().find(|entry| entry.out == *name)?.context.get(IN_AREA)?.as_str()
            };
            doubt.areas = names.iter().map(|name| area(name).map(str::to_owned)).collect();
            found.doubts.push(doubt);
        }
        found.context.extend(chosen.context.clone());
        self.put(found, slot, chosen.out.clone());
    }

    fn doubt(&self, slot: SlotId, names: &[Value]) -> Ambiguity {
        let candidates =
            names.iter().map(|name| name.as_str().map_or_else(|| name.to_string(), str::to_owned));
        Ambiguity {
            intent: 0,
            slot: self.grammar.slot_names[slot as usize].clone(),
            candidates: candidates.collect(),
            areas: Vec::new(),
        }
    }

    /// Puts a name that was nearly said, and notes why.
    fn put_near(&self, found: &mut Found, slot: SlotId, offered: &[(Candidate, u32)], said: &str) {
        let Some((best, _)) = offered.first() else { return };
        if best.how == Nearness::Unknown {
            found.context.extend(best.entry.context.clone());
            found.unknown = Some(said.to_owned());
            return;
        }
        let entries: Vec<&Arc<Entry>> = offered.iter().map(|(candidate, _)| &candidate.entry).collect();
        let doubts = found.doubts.len();
        self.choose(found, slot, &entries);
        // What can be dangerous is never done to a name that somebody may not have said.
        let domain = best.entry.context.get("domain").and_then(Value::as_str).unwrap_or_default();
        if best.how != Nearness::Form && DANGEROUS_DOMAINS.contains(&domain) && found.doubts.len() == doubts {
            found.doubts.push(self.doubt(slot, std::slice::from_ref(&best.entry.out)));
        }
        found.in_part |= best.how == Nearness::Part;
        let name = best.entry.out.as_str().unwrap_or_default();
        let how = match best.how {
            Nearness::Form => "is another form of",
            Nearness::Sound => "sounds like",
            Nearness::Part => "is a part of",
            Nearness::Meaning => "means",
            Nearness::Unknown => "is none, nor is",
        };
        found.near_why.push_str(&format!("; \"{said}\" {how} \"{name}\""));
        found.score = found.score.min(match best.how {
            Nearness::Form => 0.98,
            Nearness::Sound | Nearness::Meaning => best.score.min(0.95),
            Nearness::Part => 0.8,
            Nearness::Unknown => 0.0,
        });
    }

    fn put(&self, found: &mut Found, slot: SlotId, value: Value) {
        let name = &self.grammar.slot_names[slot as usize];
        match (name.as_str(), value) {
            (RESPONSE, Value::String(key)) => found.response = Some(key),
            // A capture is no slot.
            (capture, _) if capture.starts_with('@') => {}
            (_, value) => drop(found.slots.insert(name.clone(), value)),
        }
    }
}

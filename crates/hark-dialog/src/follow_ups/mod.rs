//! Requests that lean on the one before: "and the kitchen", "a bit more", "make it blue", "turn it off
//! again", "what about tomorrow", "the other one". Pure: what was done last, and what the sentence files
//! found in the new words, give what is meant.
//!
//! The words themselves are templates (`HarkFollow….yaml`), so that the recogniser knows them too. Their
//! intents mean nothing alone; here they become intents that tools serve, or stay what they are, and are
//! then not understood.

mod adjust;
mod changed_time;
mod pronoun;
mod repeated;
mod scheduled;
mod target;
#[cfg(test)]
mod tests;
mod timer_choice;

pub use adjust::is_step;

use super::instincts;
use hark_core::automation::intent::{AUTOMATE, CANCEL, DENIES, IT, OF_IT, RESTORE_LATER, SEVERAL, TO_IT};
use hark_core::intent::refusal;
use hark_core::public_event::Origin;
use hark_core::{Ambiguity, Intent, Receipt, Route, Slots, Understanding};
use serde_json::Value;
use target::Target;

/// One thing that was asked before, with what came of it.
#[derive(Debug, Clone, PartialEq)]
struct Done {
    intent: Intent,
    /// What it was done to.
    target: Target,
    /// What came of it; `None` for what was said before in the same sentence.
    receipt: Option<Receipt>,
}

/// The last turn of one conversation.
#[derive(Debug, Clone)]
struct Last {
    origin: Origin,
    until_ms: u64,
    done: Vec<Done>,
    /// How many of them, the newest, are of the last turn or go on with it; the others came before a question.
    newest: usize,
    /// Names that were offered and not chosen: "the other one".
    not_chosen: Vec<String>,
}

/// Most requests that "both" and "all of them" can mean.
const MAX_DONE: usize = 8;

/// What the next request of each conversation can lean on.
#[derive(Debug, Clone, Default)]
pub struct RecentRequests {
    last: Vec<Last>,
    /// Names not chosen in the turn at hand.
    not_chosen: Vec<String>,
}

/// What a follow-up is completed with: what came before, and what was not chosen then.
#[derive(Clone, Copy)]
struct Before<'b> {
    done: &'b Done,
    /// All that was done in the same turn.
    all: &'b [Done],
    not_chosen: &'b [String],
}

impl<'b> Before<'b> {
    /// Everything that the same was done to in that turn.
    fn alike(&self) -> impl Iterator<Item = Before<'b>> {
        let before = *self;
        let same = move |done: &&'b Done| done.intent.name == before.done.intent.name;
        before.all.iter().filter(same).map(move |done| Before { done, ..before })
    }
}

/// Makes an intent of a follow-up; `None` when it leads nowhere.
type Complete = fn(&Intent, &Before<'_>) -> Option<Intent>;

/// The intents of follow-ups and who completes them.
const FOLLOW_UPS: [(&str, Complete); 21] = [
    ("HarkFollowSame", repeated::same),
    (INSTEAD, repeated::same),
    (NOT, repeated::not),
    ("HarkFollowItem", repeated::item),
    ("HarkFollowNotItem", repeated::not_item),
    ("HarkFollowList", repeated::list),
    ("HarkFollowState", repeated::state),
    // "Leave it off" of what was just turned on.
    ("HarkFollowKeep", |intent, before| {
        changed_time::keep(intent, before).or_else(|| pronoun::it(intent, before))
    }),
    ("HarkFollowOther", repeated::other),
    ("HarkFollowAgain", repeated::again),
    ("HarkFollowMore", adjust::more),
    ("HarkFollowWhen", changed_time::when),
    ("HarkFollowMove", changed_time::moved),
    ("HarkFollowPart", changed_time::part_of_day),
    ("HarkFollowMinute", changed_time::minute),
    ("HarkFollowEvery", changed_time::every),
    ("HarkFollowAnswer", changed_time::answered),
    (timer_choice::FOLLOW_CANCEL, timer_choice::cancelled),
    (TO_IT, |intent, before| pronoun::it(intent, before).or_else(|| changed_time::number(intent, before))),
    // What was asked for has failed because several fitted.
    ("HarkChoose", |intent, before| {
        let instead =
            || if intent.slots.contains_key("instead") { repeated::same(intent, before) } else { None };
        timer_choice::chosen(intent, before).or_else(instead)
    }),
    // A correction without anything to correct.
    ("HarkCorrect", |_, _| None),
];

/// Something else was meant: what was done for it before is taken back.
const INSTEAD: &str = "HarkFollowInstead";

/// One of the things is not wanted: what was done to it is taken back.
const NOT: &str = "HarkFollowNot";

/// Slot of a follow-up that leaves one of several things.
const ONLY: &str = "only";

/// What says to what something is not to be done, or when it is.
const LIMITS: [&str; 8] = [
    NOT,
    "HarkFollowNotItem",
    "HarkFollowWhen",
    "HarkFollowMove",
    "HarkFollowPart",
    "HarkFollowMinute",
    "HarkFollowEvery",
    "HarkFollowAnswer",
];

/// Takes back what the last request changed.
pub const UNDO: &str = "HarkUndo";

/// Lists what waits.
const LISTS: &str = "HarkAutomationList";

/// Forgets what was told.
pub const FORGET: &str = "HarkForget";

/// Intents that set something that stays until its time: who cancels right after it cancels that.
const SETS: [&str; 7] = [
    AUTOMATE,
    RESTORE_LATER,
    "HassStartTimer",
    "HarkSetAlarm",
    "HarkSetReminder",
    "HarkScheduleCommand",
    "HarkRemember",
];

/// Intents that set something going.
const STARTS: [&str; 8] = [
    "HassTurnOn",
    "HassTurnOff",
    "HassSetPosition",
    "HassFanSetSpeed",
    "HassVacuumStart",
    "HassVacuumCleanArea",
    "HassLawnMowerStartMowing",
    "HassMediaSearchAndPlay",
];

/// What stops things of a domain.
const STOPS: [(&str, &str); 9] = [
    ("cover", "HassStopMoving"),
    ("fan", "HassTurnOff"),
    ("humidifier", "HassTurnOff"),
    ("lawn_mower", "HassLawnMowerDock"),
    ("media_player", "HassTurnOff"),
    ("siren", "HassTurnOff"),
    ("switch", "HassTurnOff"),
    ("vacuum", "HassVacuumReturnToBase"),
    ("valve", "HassTurnOff"),
];

/// Whether an intent means nothing alone.
pub fn is_follow_up(intent: &str) -> bool {
    FOLLOW_UPS.iter().any(|(name, _)| *name == intent)
}

impl RecentRequests {
    /// Keeps what was done in a turn, for as long as it can be leaned on.
    pub fn remember(&mut self, until_ms: u64, origin: &Origin, done: Vec<(Intent, Option<Receipt>)>) {
        let not_chosen = std::mem::take(&mut self.not_chosen);
        // What was refused is what "I meant the kitchen" corrects, and not what was done before.
        let is_refused = |(intent, _): &(Intent, Option<Receipt>)| intent.name == refusal::INTENT;
        if !done.is_empty() && done.iter().all(is_refused) {
            self.last.iter_mut().filter(|last| last.origin == *origin).for_each(|last| last.newest = 0);
        }
        let done: Vec<Done> = done
            .into_iter()
            // Small talk is nothing to lean on.
            .filter(|(_, receipt)| receipt.is_some())
            .map(|(intent, receipt)| {
                let target = Target::of(&intent.slots, receipt.as_ref());
                let target = match &receipt {
                    Some(receipt) if STARTS.contains(&intent.name.as_str()) => {
                        target.or_the_only_one(receipt)
                    }
                    _ => target,
                };
                Done { intent, target, receipt }
            })
            .collect();
        if done.is_empty() {
            return;
        }
        let before = self.last.iter().position(|last| last.origin == *origin).map(|at| self.last.remove(at));
        let goes_on = before.as_ref().is_some_and(|before| before.goes_on_with(&done));
        // Behind a question, "a bit more" is still about what was done.
        // "Turn on the lamp", "turn on the fan": "them" is both.
        let is_alike = before.as_ref().is_some_and(|before| before.is_alike(&done));
        let kept = before.filter(|_| goes_on || is_alike || !done.iter().any(Done::has_changed));
        let mut all: Vec<Done> = kept.map_or(Vec::new(), |it| it.done);
        let newest = if goes_on { all.len() } else { 0 } + done.len();
        all.extend(done);
        let done = all.split_off(all.len().saturating_sub(MAX_DONE));
        self.last.push(Last { origin: origin.clone(), until_ms, newest, done, not_chosen });
    }

    /// What "never mind" does right after the last request of a conversation, where that set or told something that waits,
    /// or, if it `takes_back` ("scrap that"), changed anything; like another intent. What was told of one thing is meant with
    /// all of it, of others the last.
    pub fn cancelled(
        &self,
        now_ms: u64,
        origin: &Origin,
        like: &Intent,
        takes_back: bool,
    ) -> Option<Vec<Intent>> {
        let last = self.last.iter().find(|last| last.origin == *origin && last.until_ms > now_ms)?;
        // What was moved is cancelled, and not moved back.
        if let Some(cancels) = last.done.last().and_then(|done| timer_choice::cancel_moved(done, like)) {
            return Some(vec![cancels]);
        }
        let sets =
            |done: &Done| done.has_changed() && (takes_back || SETS.contains(&done.intent.name.as_str()));
        if last.done.iter().rev().take(last.newest).any(sets) {
            return Some(vec![undo(like)]);
        }
        if let Some((told, all)) = last.done.iter().find_map(|done| Some((done, done.told_rules()?))) {
            let first = if told.intent.slots.is_empty() { all.len() - 1 } else { 0 };
            return Some(
                all[first..].iter().map(|automation| by_id(CANCEL, &automation["id"], like)).collect(),
            );
        }
        let [only] = last.done.iter().find_map(|done| done.told("HarkRecall", "ids"))? else { return None };
        Some(vec![by_id(FORGET, only, like)])
    }

    /// What "stop" does right after the last request of a conversation, where that set something going: the fan, the tap,
    /// the mower. A light is none of these. Like another intent.
    pub fn stopped(&self, now_ms: u64, origin: &Origin, like: &Intent) -> Option<Intent> {
        let last = self.last.iter().find(|last| last.origin == *origin && last.until_ms > now_ms)?;
        let started =
            last.done.iter().rev().find(|done| done.has_changed() && done.target.domain.is_some())?;
        STARTS.contains(&started.intent.name.as_str()).then_some(())?;
        let (_, stops) = STOPS.iter().find(|(domain, _)| started.target.domain.as_deref() == Some(domain))?;
        let mut slots = Slots::new();
        started.target.put(&mut slots);
        if !started.target.is_named() {
            let [only] = started.receipt.as_ref()?.detail["entities"].as_array()?.as_slice() else {
                return None;
            };
            slots.insert("name".to_owned(), only["name"].clone());
        }
        let why = format!("{}; it follows on {}", like.why, started.intent.name);
        Some(Intent {
            name: (*stops).to_owned(),
            slots,
            response: None,
            why,
            route: Route::Context,
            ..like.clone()
        })
    }

    /// Id of the end of what the last request of a conversation set going for some time; `None` where it has none.
    pub fn end_of_last(&self, now_ms: u64, origin: &Origin) -> Option<String> {
        let last = self.last.iter().find(|last| last.origin == *origin && last.until_ms > now_ms)?;
        let newest = last.done.iter().rev().take(last.newest);
        newest.filter(|done| done.intent.name == RESTORE_LATER).find_map(|done| {
            let receipt = done.receipt.as_ref().filter(|receipt| receipt.ok)?;
            receipt.detail["automation"]["id"].as_str().map(str::to_owned)
        })
    }

    /// Notes what was offered and not chosen in the turn at hand.
    pub fn not_chosen(&mut self, names: Vec<String>) {
        self.not_chosen = names;
    }

    /// Completes what leans on the turn before, or on what was said before in the same sentence.
    pub fn complete(&mut self, now_ms: u64, origin: &Origin, understanding: &mut Understanding) {
        self.last.retain(|last| last.until_ms > now_ms);
        let last = self.last.iter().find(|last| last.origin == *origin);
        let mut earlier: Vec<Done> = Vec::new();
        let mut kept = Vec::new();
        let mut doubts = Vec::new();
        // What is to be done later to "it" means nothing alone either.
        let leans = |intent: &Intent| is_follow_up(&intent.name) || intent.slots.contains_key(OF_IT);
        let lost = understanding.intents.iter().any(leans)
            && understanding.intents.iter().all(|intent| leans(intent) || intent.name == RESTORE_LATER);
        for (index, intent) in std::mem::take(&mut understanding.intents).into_iter().enumerate() {
            let recurs = last.and_then(|last| changed_time::on_another_day(&intent, last.done.last()?));
            let intent = recurs.unwrap_or(intent);
            let instead = intent.name == INSTEAD || intent.slots.contains_key("instead");
            let last = last.filter(|last| !(instead && last.newest == 0));
            // What was done last comes first: "a bit more" of what has more or less.
            let before: Vec<Before<'_>> = match (earlier.last(), last) {
                (Some(done), _) => vec![Before { done, all: &earlier, not_chosen: &[] }],
                (None, Some(last)) => {
                    let (all, not_chosen) = (last.done.as_slice(), last.not_chosen.as_slice());
                    all.iter().rev().map(|done| Before { done, all, not_chosen }).collect()
                }
                (None, None) => Vec::new(),
            };
            let follows = is_follow_up(&intent.name);
            // "Forget about the cold" of what was just told, and waits.
            if let Some(told) = last.filter(|_| earlier.is_empty()).and_then(|last| last.forgotten(&intent)) {
                kept.push(told);
                continue;
            }
            if let Some(others) = last.filter(|_| earlier.is_empty()).and_then(|last| last.all_but(&intent)) {
                kept.extend(others);
                continue;
            }
            if let Some(all) = all_completed(&intent, &before) {
                kept.extend(all);
                continue;
            }
            let completed = if follows {
                let leaning = before.iter().find_map(|before| complete(&intent, before));
                leaning.or_else(|| timer_choice::cancelled_by_words(&intent))
            } else if intent.slots.contains_key(OF_IT) {
                before.iter().find_map(|before| scheduled::of_it(&intent, before))
            } else {
                let leaning = before.first().and_then(|before| adjust::lean(&intent, before));
                let mut alone = leaning.unwrap_or_else(|| intent.clone());
                if alone.slots.remove(IT).is_some() {
                    alone.slots.remove("domain");
                }
                Some(alone)
            };
            // With nothing to lean on it stays what it is, for the trace.
            let alone = || if follows { intent.clone() } else { scheduled::alone(&intent) };
            let Some(completed) = completed.or_else(|| lost.then(alone)) else {
                let part = understanding.parts.get(index).cloned();
                if LIMITS.contains(&intent.name.as_str()) || intent.slots.contains_key(DENIES) {
                    // Nobody knows to what it is not to be done.
                    understanding.intents = vec![refusal::of(refusal::EXCEPTION, part.unwrap_or_default())];
                    understanding.ambiguous.clear();
                    return;
                }
                // What cannot even be named is not left out.
                let Some(part) = part else {
                    understanding.intents.clear();
                    understanding.ambiguous.clear();
                    return;
                };
                understanding.missed.push(part);
                continue;
            };
            let of_last = earlier.is_empty();
            let is_new = !is_follow_up(&completed.name);
            if instead && is_new && of_last && before.first().is_some_and(|it| it.done.has_changed()) {
                kept.push(undo(&completed));
            }
            // "Put the radio on, sorry, I mean the telly": the first is not to be done.
            if instead && is_new && !of_last {
                kept.pop();
            }
            let at = kept.len();
            let own = understanding.ambiguous.iter().filter(|doubt| doubt.intent == index);
            doubts.extend(own.map(|doubt| Ambiguity { intent: at, ..doubt.clone() }));
            if instincts::named(&completed.name).is_none() {
                let target = Target::of(&completed.slots, None);
                earlier.push(Done { intent: completed.clone(), target, receipt: None });
            }
            kept.push(completed);
        }
        // Nothing is changed back of what was not done.
        if kept.iter().all(|intent| is_follow_up(&intent.name) || intent.name == RESTORE_LATER) && lost {
            kept.retain(|intent| is_follow_up(&intent.name));
        }
        let leads_nowhere = kept.iter().all(|intent| is_follow_up(&intent.name));
        // "Make it seven, *and only on weekdays*": half of what was said is not done.
        if !leads_nowhere && kept.iter().any(|intent| is_follow_up(&intent.name)) {
            kept.clear();
        }
        understanding.intents = kept;
        understanding.ambiguous = if leads_nowhere { Vec::new() } else { doubts };
    }
}

impl Last {
    /// Whether another turn goes on with the same: "turn on the lamp", "and the fan as well", "both off again".
    fn goes_on_with(&self, next: &[Done]) -> bool {
        self.is_alike(next) && next.iter().all(|next| next.intent.route == Route::Context)
    }

    /// What cancels a rule that was listed right before and alone, for "forget about the cold", which names it freely.
    fn forgotten(&self, intent: &Intent) -> Option<Intent> {
        (intent.name == FORGET && intent.slots.contains_key("query")).then_some(())?;
        let rules = self.done.last()?.told_rules()?;
        let [only] = rules.as_slice() else { return None };
        Some(by_id(CANCEL, &only["id"], intent))
    }

    /// What takes the others back where one of the things of the last turn is all that is meant: "just the lamp" behind the
    /// desk lamp and the printer. `None` where it is not one of them.
    fn all_but(&self, intent: &Intent) -> Option<Vec<Intent>> {
        intent.slots.contains_key(ONLY).then_some(())?;
        let newest = &self.done[self.done.len().saturating_sub(self.newest)..];
        let said = |slot| text(&intent.slots, slot).map(str::to_lowercase);
        let (name, domain) = (said("name"), said("domain"));
        let called = |done: &Done| text(&done.intent.slots, "name").map(str::to_lowercase);
        let has_words = |done: &Done| {
            let (Some(called), Some(name)) = (called(done), &name) else { return false };
            name.split(' ').all(|word| called.split(' ').any(|other| other == word))
        };
        let is_kind = |done: &Done| name.is_none() && domain.is_some() && done.target.domain == domain;
        let exact = newest.iter().any(|done| called(done) == name && name.is_some());
        let is_meant = |done: &&Done| {
            if exact { called(done) == name } else { has_words(done) || is_kind(done) }
        };
        let (meant, others): (Vec<&Done>, Vec<&Done>) = newest.iter().partition(is_meant);
        (meant.len() == 1 && !others.is_empty()).then_some(())?;
        let not = |done: &Done| {
            let not = Intent { name: NOT.to_owned(), slots: done.target.slots(), ..intent.clone() };
            complete(&not, &Before { done, all: newest, not_chosen: &[] })
        };
        others.into_iter().filter(|done| done.has_changed()).map(not).collect()
    }

    /// Whether another turn asks for the same of another thing.
    fn is_alike(&self, next: &[Done]) -> bool {
        let [next] = next else { return false };
        let is_same = |done: &Done| done.intent.name == next.intent.name && done.target != next.target;
        next.target.is_named() && self.done.iter().all(is_same)
    }
}

impl Done {
    /// What it told under a key of its receipt, where it is of an intent; `None` where that is nothing.
    fn told(&self, intent: &str, key: &str) -> Option<&[Value]> {
        let all = self.receipt.as_ref().filter(|_| self.intent.name == intent)?.detail[key].as_array()?;
        (!all.is_empty()).then_some(all)
    }

    /// The rules that were listed, without the alarms and reminders that were told beside them.
    fn told_rules(&self) -> Option<Vec<&Value>> {
        let rings = |one: &&Value| matches!(one["kind"].as_str(), Some("alarm" | "reminder"));
        let rules: Vec<&Value> = self.told(LISTS, "automations")?.iter().filter(|one| !rings(one)).collect();
        (!rules.is_empty()).then_some(rules)
    }

    /// Whether it was done, and something is different now.
    fn has_changed(&self) -> bool {
        self.receipt.as_ref().is_some_and(|receipt| receipt.ok && receipt.changed)
    }
}

/// What is to be done to all things that the last turn did the same to: "turn them off". `None` where that is one.
fn all_completed(intent: &Intent, before: &[Before<'_>]) -> Option<Vec<Intent>> {
    let last = before.first().filter(|_| intent.slots.contains_key(SEVERAL))?;
    let mut each = intent.clone();
    let except = each.slots.remove("except");
    let is_one = |before: &Before<'_>| before.done.intent.slots.contains_key("name");
    // "Apart from the lamp", "apart from the one in the hallway".
    let is_out = |before: &Before<'_>| {
        let done = before.done;
        let entity = done.receipt.as_ref().map(|receipt| &receipt.detail["entities"][0]);
        let is = |(slot, value): (&String, &Value)| {
            done.intent.slots.get(slot).or_else(|| entity?.get(slot)) == Some(value)
        };
        let mut out = except.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_object);
        is_one(before) && out.any(|out| !out.is_empty() && out.iter().all(is))
    };
    let leaves_out = |before: &Before<'_>| !is_one(before) || is_out(before);
    if except.is_some() && !last.alike().any(|before| leaves_out(&before)) {
        return None;
    }
    let meant = last.alike().filter(|before| !is_out(before));
    // What is done in a room leaves out what stands there.
    let all: Option<Vec<Intent>> =
        meant.map(|before| complete(if is_one(&before) { &each } else { intent }, &before)).collect();
    all.filter(|_| last.all.len() > 1).filter(|all| !all.is_empty())
}

/// An intent about what has an id, for the same reason as another intent.
fn by_id(name: &str, id: &Value, like: &Intent) -> Intent {
    let slots = Slots::from_iter([("id".to_owned(), id.clone())]);
    Intent { name: name.to_owned(), slots, response: None, ..like.clone() }
}

/// What takes back what was done before, for the same reason as another intent.
pub fn undo(like: &Intent) -> Intent {
    Intent { name: UNDO.to_owned(), slots: Slots::new(), response: None, single: false, ..like.clone() }
}

fn complete(intent: &Intent, before: &Before<'_>) -> Option<Intent> {
    let (_, complete) = FOLLOW_UPS.iter().find(|(name, _)| *name == intent.name)?;
    let found = complete(intent, before)?;
    Some(Intent { why: why(intent, before), route: Route::Context, confidence: intent.confidence, ..found })
}

fn why(intent: &Intent, before: &Before<'_>) -> String {
    format!("{}; it follows on {}", intent.why, before.done.intent.name)
}

/// A slot that holds a text.
fn text<'s>(slots: &'s Slots, slot: &str) -> Option<&'s str> {
    slots.get(slot).and_then(Value::as_str)
}

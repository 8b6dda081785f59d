//! The history policy: which earlier requests of a conversation a language model is told. Every request has a kind; the
//! reason says which kinds are told, the budget how many of them, and the result how far they can be relied on.

use super::tags::name;
use hark_config::memory::Memory;
use hark_core::session::{
    ContextStrength, EntryTag, ReplayChoice, ReplayPolicy, ReplayReason, Replayed, SaidBefore,
};
use hark_core::text::one_line;

/// Number of the last entries that are told in any case: the latest exchange.
const LATEST_ENTRIES: usize = 2;
/// Turns that are messages of every request, and characters of each message.
const LATEST_TURNS: usize = 3;
const MAX_MESSAGE_CHARS: usize = 1_200;
/// With fewer entries a context is not strong.
const MIN_STRONG_ENTRIES: usize = 2;

/// A request with its reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What was asked.
    pub request: String,
    /// What was answered; may be empty.
    pub reply: String,
    /// What kind of request it was.
    pub tag: EntryTag,
    /// Text from outside the house may be in the reply.
    pub tainted: bool,
}

/// Whether a turn with these events, as JSON, may have told text from outside the house: of a tool, of a picture, or of
/// what was said before.
pub fn tells_of_outside(events: &str) -> bool {
    events.contains(r#""tainted":true"#) || events.contains(r#""name":"image_recognition""#)
}

impl Entry {
    /// Without text from outside the house.
    pub fn new(request: &str, reply: &str, tag: EntryTag) -> Self {
        Self { request: request.to_owned(), reply: reply.to_owned(), tag, tainted: false }
    }

    /// As a model is told it: a line each for the person and Hark.
    fn told(&self) -> String {
        let line = |who: &str, words: &str| {
            let words = one_line(words, usize::MAX);
            if words.is_empty() { String::new() } else { format!("{who}: {words}\n") }
        };
        line("User", &self.request) + &line("Hark", &self.reply)
    }
}

/// Chooses of a conversation, the oldest entry first, what is told for this reason; without one nothing is. Where the person
/// has chosen which turns are told, these are, of every kind.
pub fn replay(
    entries: &[Entry],
    reason: Option<ReplayReason>,
    choice: ReplayChoice,
    settings: &Memory,
) -> Replayed {
    let entries = match choice {
        ReplayChoice::Last(number) => &entries[entries.len().saturating_sub(number as usize)..],
        ReplayChoice::Auto | ReplayChoice::Session => entries,
    };
    let is_chosen = choice != ReplayChoice::Auto;
    let reason = reason.or_else(|| is_chosen.then_some(ReplayReason::Session));
    let said = latest(entries);
    let Some(reason) = reason else {
        return Replayed { latest: said.into_iter().map(clipped).collect(), ..nothing(entries.len()) };
    };
    let latest = entries.len().saturating_sub(LATEST_ENTRIES);
    let wanted = |entry: &Entry| kinds(reason, settings).iter().any(|kind| kind == name(entry.tag));
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for (at, entry) in entries.iter().enumerate() {
        if is_chosen || at >= latest || wanted(entry) { kept.push(entry) } else { left_out.push(entry.tag) }
    }
    let entries_filtered = left_out.len();
    left_out.sort_unstable();
    left_out.dedup();

    let lines: Vec<String> = kept.iter().map(|entry| entry.told()).collect();
    let from = first_within(&lines, settings.history_chars as usize);
    let used = &kept[from..];
    let text = lines[from..].concat();
    let trimmed = from > 0;
    let context_strength = strength(used, trimmed, reason);
    let policy = ReplayPolicy {
        entries_available: entries.len(),
        entries_filtered,
        filtered_types: left_out,
        entries_used: used.len(),
        chars_used: text.chars().count(),
        trimmed,
        reason: Some(reason),
        context_strength,
        tainted: used.iter().any(|entry| entry.tainted),
    };
    // Those that are messages of the request are not told twice.
    let is_message = |entry: &Entry| said.iter().any(|it| std::ptr::eq(*it, entry));
    let earlier = used.iter().filter(|entry| !is_message(entry)).map(|entry| entry.told()).collect();
    let latest = said.into_iter().map(clipped).collect();
    Replayed { text, instruction: instruction(context_strength).to_owned(), policy, latest, earlier }
}

/// The last turns that told no text from outside; the oldest first.
fn latest(entries: &[Entry]) -> Vec<&Entry> {
    let told = |entry: &&Entry| !entry.tainted && !entry.request.trim().is_empty();
    let mut last: Vec<&Entry> = entries.iter().rev().filter(told).take(LATEST_TURNS).collect();
    last.reverse();
    last
}

fn clipped(entry: &Entry) -> SaidBefore {
    let clip = |text: &str| text.trim().chars().take(MAX_MESSAGE_CHARS).collect::<String>();
    SaidBefore { request: clip(&entry.request), reply: clip(&entry.reply) }
}

/// Nothing is told, and nothing is said about how far to rely on it.
fn nothing(entries_available: usize) -> Replayed {
    let policy = ReplayPolicy::nothing(entries_available);
    let (text, instruction, earlier) = Default::default();
    Replayed { text, instruction, policy, latest: Vec::new(), earlier }
}

/// Where the entries begin that fit into `most` characters; the latest exchange always does.
fn first_within(lines: &[String], most: usize) -> usize {
    let always = lines.len().saturating_sub(LATEST_ENTRIES);
    let mut left = most;
    for (at, line) in lines.iter().enumerate().rev() {
        let length = line.chars().count();
        if length > left && at < always {
            return at + 1;
        }
        left = left.saturating_sub(length);
    }
    0
}

fn strength(used: &[&Entry], trimmed: bool, reason: ReplayReason) -> ContextStrength {
    let any = |wanted: &[EntryTag]| used.iter().any(|entry| wanted.contains(&entry.tag));
    let goes_on = matches!(reason, ReplayReason::Session | ReplayReason::Continuation);
    let tells = any(&[EntryTag::Instruction, EntryTag::Correction]);
    if used.len() >= MIN_STRONG_ENTRIES && !trimmed && goes_on && tells {
        ContextStrength::Strong
    } else if !any(&[EntryTag::Question, EntryTag::Instruction, EntryTag::Correction])
        || (reason == ReplayReason::Clarification && trimmed)
    {
        ContextStrength::Weak
    } else {
        ContextStrength::Moderate
    }
}

/// What a model is told about how far to rely on it.
pub fn instruction(strength: ContextStrength) -> &'static str {
    match strength {
        ContextStrength::Strong => "Answer directly and confidently.",
        ContextStrength::Moderate => "Answer carefully and avoid assumptions.",
        ContextStrength::Weak => "If uncertain, say so plainly and do not guess.",
    }
}

fn kinds(reason: ReplayReason, settings: &Memory) -> &[String] {
    match reason {
        ReplayReason::Continuation => &settings.history_continuation,
        ReplayReason::Clarification => &settings.history_clarification,
        ReplayReason::Session => &settings.history_session,
    }
}

#[cfg(test)]
#[path = "tests/model_history.rs"]
mod tests;

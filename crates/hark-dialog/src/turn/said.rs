//! What Hark says, and which of it can be in the air at a given time.

use super::own_words;
use hark_core::{Stamp, TurnId};

/// How long after its end a reply can still be heard: what the device holds, the room, the recogniser's
/// lead-in.
const TAIL_MS: u64 = 600;

/// A recogniser's utterance can have begun this long before the words it is asked about.
const BACK_MS: f32 = 3_000.0;

/// Nobody knows which word is being spoken: voices differ from the configured speed by at most these
/// factors, numbers and pauses included.
const SLOWEST: f32 = 0.5;
const FASTEST: f32 = 1.8;
/// And words may be this far ahead.
const AHEAD_MS: f32 = 1_500.0;

/// Replies that are remembered.
const KEPT: usize = 4;

#[derive(Debug, Clone)]
struct Saying {
    turn: TurnId,
    words: Vec<String>,
    began: Stamp,
    ended: Option<Stamp>,
}

/// The last things Hark said.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    sayings: Vec<Saying>,
}

impl Said {
    pub(super) fn begin(&mut self, turn: &TurnId, text: &str, now: Stamp) {
        if self.sayings.len() == KEPT {
            self.sayings.remove(0);
        }
        self.sayings.push(Saying {
            turn: turn.clone(),
            words: own_words::words(text),
            began: now,
            ended: None,
        });
    }

    /// What is being said goes on.
    pub(super) fn more(&mut self, turn: &TurnId, text: &str) {
        for saying in self.sayings.iter_mut().filter(|saying| saying.turn == *turn) {
            saying.words.extend(own_words::words(text));
        }
    }

    pub(super) fn end(&mut self, turn: &TurnId, now: Stamp) {
        for saying in self.sayings.iter_mut().filter(|saying| saying.turn == *turn) {
            saying.ended.get_or_insert(now);
        }
    }

    /// Words that can have been heard by somebody who listened since `from` up to `now`; empty when Hark
    /// was silent.
    pub(super) fn heard_between(&self, from: Stamp, now: Stamp, words_per_minute: u32) -> Vec<String> {
        let per_ms = words_per_minute as f32 / 60_000.0;
        let mut heard = Vec::new();
        for saying in &self.sayings {
            if saying.ended.is_some_and(|ended| from.clock_ms() > ended.clock_ms() + TAIL_MS) {
                continue;
            }
            let since = |stamp: Stamp| stamp.clock_ms().saturating_sub(saying.began.clock_ms()) as f32;
            let first = (since(from) - BACK_MS).max(0.0) * per_ms * SLOWEST;
            let last = (since(now) + AHEAD_MS) * per_ms * FASTEST;
            let end = (last.ceil() as usize).min(saying.words.len());
            heard.extend_from_slice(&saying.words[(first as usize).min(end)..end]);
        }
        heard
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Stamp {
        Stamp::live(ms * 1000)
    }

    #[test]
    fn only_what_can_be_in_the_air_counts() {
        let turn = TurnId("a".into());
        let text = (0..120).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        let mut said = Said::default();
        assert!(said.heard_between(at(0), at(0), 120).is_empty());
        said.begin(&turn, &text, at(1_000));
        // Two words a second: after 30 s word 60 is due, and 27 to 113 are possible.
        let heard = said.heard_between(at(31_000), at(31_000), 120);
        assert_eq!((heard[0].as_str(), heard[heard.len() - 1].as_str()), ("w27", "w113"));
        assert_eq!(said.heard_between(at(1_000), at(1_000), 120).len(), 6);
        said.end(&turn, at(40_000));
        assert!(!said.heard_between(at(40_500), at(41_000), 120).is_empty(), "the room still sounds");
        assert!(said.heard_between(at(41_000), at(42_000), 120).is_empty());
    }
}

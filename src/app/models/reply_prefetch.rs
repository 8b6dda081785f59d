//! What is likely to be answered: a sentence that was said before is mostly answered as it was then. Only
//! the sound is made ahead of time; what is said is decided anew.

use hark_core::TurnId;
use std::collections::VecDeque;

/// Sentences that are remembered; a household says few of them often.
const REMEMBERED: usize = 64;

/// Sentences with their last replies, the newest last.
#[derive(Debug, Default)]
pub(crate) struct LikelyReplies {
    known: VecDeque<(String, String)>,
    asked: Option<(TurnId, String)>,
}

impl LikelyReplies {
    /// A turn asks this.
    pub(crate) fn asked(&mut self, turn: &TurnId, text: &str) {
        self.asked = Some((turn.clone(), text.to_owned()));
    }

    /// A turn is answered with this.
    pub(crate) fn answered(&mut self, turn: &TurnId, reply: &str) {
        let Some((_, text)) = self.asked.take_if(|(asked, _)| asked == turn) else { return };
        self.known.retain(|(known, _)| *known != text);
        self.known.push_back((text, reply.to_owned()));
        if self.known.len() > REMEMBERED {
            self.known.pop_front();
        }
    }

    /// The likely answer to a sentence.
    pub(crate) fn reply_to(&self, text: &str) -> Option<&str> {
        self.known.iter().rev().find(|(known, _)| known == text).map(|(_, reply)| reply.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_answer_to_a_sentence_is_likely_and_old_ones_are_forgotten() {
        let mut likely = LikelyReplies::default();
        let turn = TurnId::from("t");
        likely.asked(&turn, "turn on the lamp");
        likely.answered(&TurnId::from("another"), "Nothing.");
        assert_eq!(likely.reply_to("turn on the lamp"), None, "of another turn");
        likely.answered(&turn, "On.");
        assert_eq!(likely.reply_to("turn on the lamp"), Some("On."));
        likely.answered(&turn, "Said again.");
        assert_eq!(likely.reply_to("turn on the lamp"), Some("On."), "one answer to one question");
        likely.asked(&turn, "turn on the lamp");
        likely.answered(&turn, "It was on already.");
        assert_eq!(likely.reply_to("turn on the lamp"), Some("It was on already."));
        for n in 0..REMEMBERED {
            likely.asked(&turn, &n.to_string());
            likely.answered(&turn, "Yes.");
        }
        assert_eq!(likely.reply_to("turn on the lamp"), None);
    }
}

//! Decides by rules whether the prompt of a language model holds earlier turns of the conversation. Without a reason it
//! holds none.

use hark_core::session::{ReplayReason, spoken};
use hark_language::conversation::Replay;
use hark_language::{Lexicon, Phrases};

/// The reason to put earlier turns into the prompt for this request that its words tell; `None`: there is none. `languages`:
/// those the request may be in.
pub fn reason(text: &str, languages: &[&'static Lexicon]) -> Option<ReplayReason> {
    let spoken = spoken(text);
    let any = |tells: &dyn Fn(&Replay) -> bool| {
        languages.iter().any(|language| tells(&language.conversation.replay))
    };
    let has = |all: Phrases| all.iter().any(|phrase| spoken.contains(&format!(" {phrase} ")));
    let begins = |all: Phrases| all.iter().any(|phrase| spoken.starts_with(&format!(" {phrase} ")));
    if any(&|replay| has(replay.clarifies)) {
        Some(ReplayReason::Clarification)
    } else if any(&|replay| begins(replay.begins) || has(replay.points_back)) {
        Some(ReplayReason::Continuation)
    } else {
        None
    }
}

/// The reason with what is known of the conversation: that one with a name is taken up again after a rest counts for more than
/// words that lean on the turn before, and for less than a question what was meant.
pub fn with_resumed(reason: Option<ReplayReason>, is_resumed: bool) -> Option<ReplayReason> {
    match reason {
        Some(ReplayReason::Clarification) => reason,
        _ if is_resumed => Some(ReplayReason::Session),
        _ => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReplayReason::{Clarification, Continuation, Session};

    fn reason(text: &str, language: &str) -> Option<ReplayReason> {
        super::reason(text, &[hark_language::of(language)])
    }

    #[test]
    fn the_words_tell_the_reason() {
        for (text, language, expected) in [
            ("What do you mean by that?", "en", Some(Clarification)),
            ("I don't understand", "en", Some(Clarification)),
            ("And in Berlin?", "en", Some(Continuation)),
            ("How old is he?", "en", Some(Continuation)),
            ("tell me more", "en", Some(Continuation)),
            ("What did I say?", "en", Some(Continuation)),
            ("No, I meant Paris in Texas", "en", Some(Continuation)),
            ("What is the capital of France?", "en", None),
            ("what time is it", "en", None),
            ("who wrote Faust", "en", None),
            ("", "en", None),
            ("Was heißt das?", "de", Some(Clarification)),
            ("Und in Berlin?", "de", Some(Continuation)),
            ("Erzähl mir mehr davon", "de", Some(Continuation)),
            ("Wer hat Faust geschrieben?", "de", None),
            ("tell me more", "de", None),
            ("tell me more", "xx", None),
        ] {
            assert_eq!(reason(text, language), expected, "{text}");
        }
    }

    #[test]
    fn a_session_taken_up_again_is_a_reason_and_only_then() {
        let with = |text: &str, is_resumed| with_resumed(reason(text, "en"), is_resumed);
        assert_eq!(with("who wrote Faust", true), Some(Session));
        assert_eq!(with("and who wrote Faust", true), Some(Session));
        assert_eq!(with("what do you mean", true), Some(Clarification));
        assert_eq!(with("and who wrote Faust", false), Some(Continuation));
        assert_eq!(with("who wrote Faust", false), None);
    }
}

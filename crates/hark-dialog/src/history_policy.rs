//! Decides by rules whether the prompt of a language model holds earlier turns of the conversation. Without a reason it
//! holds none.

use hark_core::session::{ReplayReason, spoken};
use hark_language::conversation::Replay;
use hark_language::{Lexicon, Phrases};

/// The reason to put earlier turns into the prompt for this request; `None`: there is none. `languages`: those the
/// request may be in; `named_session_resumed`: it is the first one after a pause in a conversation with a name; `leans`:
/// it was found to refer to the turn before.
pub fn reason(
    text: &str,
    languages: &[&'static Lexicon],
    named_session_resumed: bool,
    leans: bool,
) -> Option<ReplayReason> {
    let spoken = spoken(text);
    let any = |tells: &dyn Fn(&Replay) -> bool| {
        languages.iter().any(|language| tells(&language.conversation.replay))
    };
    let has = |all: Phrases| all.iter().any(|phrase| spoken.contains(&format!(" {phrase} ")));
    let begins = |all: Phrases| all.iter().any(|phrase| spoken.starts_with(&format!(" {phrase} ")));
    if any(&|replay| has(replay.clarifies)) {
        Some(ReplayReason::Clarification)
    } else if named_session_resumed {
        Some(ReplayReason::Session)
    } else if leans || any(&|replay| begins(replay.begins) || has(replay.points_back)) {
        Some(ReplayReason::Continuation)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReplayReason::{Clarification, Continuation, Session};

    fn reason(text: &str, language: &str, named_session_resumed: bool, leans: bool) -> Option<ReplayReason> {
        super::reason(text, &[hark_language::of(language)], named_session_resumed, leans)
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
            assert_eq!(reason(text, language, false, false), expected, "{text}");
        }
    }

    #[test]
    fn a_session_taken_up_again_and_a_request_that_leans_are_reasons() {
        assert_eq!(reason("who wrote Faust", "en", true, false), Some(Session));
        assert_eq!(reason("and who wrote Faust", "en", true, true), Some(Session));
        assert_eq!(reason("what do you mean", "en", true, true), Some(Clarification));
        assert_eq!(reason("who wrote Faust", "en", false, true), Some(Continuation));
    }
}

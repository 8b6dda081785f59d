//! Why a language model is told what was said before, decided by rules: without a reason it is told nothing.

use hark_core::session::{ReplayReason, spoken};

/// Phrases of one language, in lower case without punctuation.
struct Phrases {
    /// Anywhere: it is not clear what was meant.
    clarifies: &'static [&'static str],
    /// At the beginning: it goes on from what was said.
    begins: &'static [&'static str],
    /// Anywhere: it points back, corrects, or is about the conversation.
    points_back: &'static [&'static str],
}

const ENGLISH: Phrases = Phrases {
    clarifies: &[
        "what do you mean",
        "what did you mean",
        "what does that mean",
        "what does this mean",
        "what is meant",
        "what do you mean by",
        "can you clarify",
        "could you clarify",
        "please clarify",
        "clarify",
        "i dont understand",
        "i do not understand",
        "i didnt understand",
        "i dont get it",
        "in other words",
        "can you explain that",
        "explain that",
        "explain it again",
        "which one do you mean",
        "how do you mean",
    ],
    begins: &[
        "and",
        "but",
        "also",
        "then",
        "so",
        "or",
        "because",
        "what about",
        "how about",
        "why",
        "why not",
        "what else",
        "who else",
        "where else",
        "go on",
        "continue",
        "carry on",
        "keep going",
        "more",
        "tell me more",
        "another",
        "one more",
        "again",
        "instead",
        "actually",
        "no",
        "yes",
        "not",
        "i meant",
        "i mean",
        "repeat",
        "elaborate",
        "expand",
        "shorter",
        "longer",
        "in that case",
        "based on",
        "as i said",
        "like i said",
    ],
    points_back: &[
        "he",
        "she",
        "they",
        "him",
        "them",
        "his",
        "hers",
        "their",
        "theirs",
        "those",
        "these",
        "that one",
        "this one",
        "the other one",
        "the same",
        "the first one",
        "the second one",
        "the last one",
        "the former",
        "the latter",
        "about it",
        "about that",
        "about this",
        "of it",
        "of that",
        "with it",
        "with that",
        "for it",
        "for that",
        "does it",
        "did it",
        "do that",
        "did that",
        "do it",
        "like that",
        "than that",
        "make it",
        "it again",
        "what did i say",
        "what did i ask",
        "what did you say",
        "what did we",
        "what were we",
        "our conversation",
        "this conversation",
        "summary",
        "recap",
        "say that again",
        "my last question",
        "your last answer",
        "you said",
        "i said",
        "you just",
        "as before",
        "mentioned",
        "mistake",
    ],
};

const GERMAN: Phrases = Phrases {
    clarifies: &[
        "was meinst du",
        "was meinen sie",
        "wie meinst du",
        "was heißt das",
        "was bedeutet das",
        "was soll das heißen",
        "das verstehe ich nicht",
        "das versteh ich nicht",
        "ich verstehe nicht",
        "ich versteh nicht",
        "nicht verstanden",
        "erklär das",
        "erkläre das",
        "mit anderen worten",
        "kannst du das erklären",
        "kannst du das genauer",
    ],
    begins: &[
        "und",
        "aber",
        "auch",
        "dann",
        "also",
        "oder",
        "weil",
        "was ist mit",
        "wie ist es mit",
        "warum",
        "wieso",
        "weshalb",
        "weiter",
        "mach weiter",
        "fahr fort",
        "mehr",
        "erzähl mehr",
        "erzähl mir mehr",
        "noch eins",
        "noch einen",
        "noch eine",
        "noch mal",
        "nochmal",
        "stattdessen",
        "eigentlich",
        "nein",
        "ja",
        "nicht",
        "doch",
        "ich meinte",
        "ich meine",
        "wiederhol",
        "wiederhole",
        "kürzer",
        "länger",
        "in dem fall",
        "wie gesagt",
        "was noch",
        "wer noch",
        "wo noch",
    ],
    points_back: &[
        "er",
        "ihn",
        "ihm",
        "sein",
        "seine",
        "seinen",
        "deren",
        "dessen",
        "davon",
        "darüber",
        "damit",
        "dazu",
        "dafür",
        "daran",
        "darauf",
        "dabei",
        "dagegen",
        "diese",
        "dieser",
        "dieses",
        "diesen",
        "jene",
        "das gleiche",
        "dasselbe",
        "der andere",
        "die andere",
        "das andere",
        "der erste",
        "die erste",
        "das erste",
        "die letzte",
        "der letzte",
        "das letzte",
        "was habe ich",
        "was hab ich",
        "was hast du",
        "worüber",
        "unser gespräch",
        "dieses gespräch",
        "zusammenfassung",
        "sag das noch",
        "du hast gesagt",
        "ich habe gesagt",
        "ich hab gesagt",
        "wie vorhin",
        "vorhin",
        "mach es",
        "erwähnt",
        "fehler",
    ],
};

/// Why earlier turns are told for this request, `None` when they are not. `language` is ISO 639-1 (English is what
/// is not German); `named_session_resumed`: the request takes up a named conversation that had rested; `leans`: it
/// was found to lean on the turn before.
pub fn reason(text: &str, language: &str, named_session_resumed: bool, leans: bool) -> Option<ReplayReason> {
    let phrases = if language == "de" { &GERMAN } else { &ENGLISH };
    let spoken = spoken(text);
    let has = |all: &[&str]| all.iter().any(|phrase| spoken.contains(&format!(" {phrase} ")));
    let begins = |all: &[&str]| all.iter().any(|phrase| spoken.starts_with(&format!(" {phrase} ")));
    if has(phrases.clarifies) {
        Some(ReplayReason::Clarification)
    } else if named_session_resumed {
        Some(ReplayReason::Session)
    } else if leans || begins(phrases.begins) || has(phrases.points_back) {
        Some(ReplayReason::Continuation)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReplayReason::{Clarification, Continuation, Session};

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

//! Speech that tells what others do or what has been, and asks for nothing: "they turned the volume down when
//! the police came". It has the words of requests and is none.

use super::text;
use hark_language::{Lexicon, phrases};

/// Whether a text tells a story. What asks anything, or says "please", does not.
pub fn tells(text: &str, lexicon: &'static Lexicon) -> bool {
    let tokens = text::tokenise(text, lexicon);
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    is_told(&words, lexicon)
}

/// The same of words.
pub(super) fn is_told(words: &[&str], lexicon: &'static Lexicon) -> bool {
    let talk = &lexicon.discourse;
    let asks = || {
        words.first().is_some_and(|first| talk.asks.contains(first))
            || (1..words.len()).any(|at| phrases::starts(talk.requests, &words[at..]).is_some())
    };
    let of_others = words.first().is_some_and(|first| talk.others.contains(first));
    let reported = || words.iter().any(|word| talk.reports.contains(word));
    let past = || (0..words.len()).any(|at| phrases::starts(talk.past, &words[at..]).is_some());
    (of_others && reported()) || ((of_others || past()) && !asks())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stories_are_told_from_requests() {
        let english = |text: &str| tells(text, hark_language::of("en"));
        for story in [
            "they dimmed the lights before the film",
            "she's always turning the radio up",
            "our cellar was full of water when we came home",
            "i used to have a green lamp",
            "he asked me could you open the window please",
        ] {
            assert!(english(story), "{story}");
        }
        for request in [
            "turn the lights off in the kitchen",
            "was the garage door open",
            "i was wondering could you open the blinds",
            "what was that song",
            "it's too warm in here",
            "please turn the radio down it was too loud",
        ] {
            assert!(!english(request), "{request}");
        }
        assert!(tells("sie macht immer das Licht aus", hark_language::of("de")));
        assert!(!tells("mach das Licht aus", hark_language::of("de")));
    }
}

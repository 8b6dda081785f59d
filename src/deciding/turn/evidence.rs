//! Whether words spoken over Hark are for Hark. Pure; the numbers come from letting people (280 home
//! requests of flite's voices, 32 recorded ones), other talk (160 pieces) and audio books interrupt: the
//! recogniser hears the beginning of some home sentence in nearly any first half second, but hardly ever
//! three words of one.

use super::echo;
use crate::config::barge_in::BargeInStyle;
use crate::deciding::instincts::{self, Context};
use crate::domain::ports::Completeness;
use crate::domain::{Transcript, Words};

/// Before so much speech the words so far are a guess. A look at them is every 64 ms.
const LEAST_MS: u64 = 576;

/// From so much speech on there is hardly another look before it is decided: less will do, for other speech
/// is no sentence of the home by now.
const LAST_LOOK_MS: u64 = 700;

/// Words of a home sentence that are more than chance when it is still unfinished.
const BEGINNING_WORDS: usize = 3;

/// Words of a whole home sentence, for the same, and of one that begins with an order; a single word
/// must be an instinct.
const WHOLE_WORDS: usize = 2;

/// What orders to a house begin with and stories seldom do.
const ORDERS: [&str; 23] = [
    "turn", "set", "switch", "open", "close", "cancel", "pause", "start", "dim", "lock", "unlock", "shut",
    "wake", "remind", "play", "add", "never", "volume", "mute", "skip", "undo", "lower", "raise",
];

/// How well the least likely word must explain the sound, but for orders: the recogniser finds a home
/// sentence in any speech, and here is seen that it was none. Chosen on 92 requests and 96 pieces of other
/// speech over Hark's own voice.
const LEAST_FIT: f32 = -0.5;

/// The same at the last look, for three words and for a sentence of two.
const LAST_FIT: f32 = -1.5;
const LAST_FIT_OF_TWO: f32 = 0.0;

/// From what gain on two words of the likeliest beginning of a home sentence are no chance at the last look,
/// whatever the recogniser's own words are, the last of which is hardly ever right before it has been said:
/// they explain the sound as well as any sounds of speech do. Chosen on the 92 and 96 above (more requests in
/// time, 83 to 93 %); on 88 and 96 held apart it brought 81 to 88 %, and 19 to 23 % of the other speech.
const LEAST_GAIN: f32 = 0.0;

/// Words that a request needs which was only understood at its end, after Hark had gone on.
const LATE_WORDS: usize = 3;

/// How sure the recogniser must be of a whole request.
const CONFIDENCE: f32 = 0.5;

/// Name of the instinct that interrupts in every style.
const STOP: &str = "HarkStop";

/// Words so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Partial<'a> {
    pub(super) words: &'a Words,
    /// Whether earlier words so far have begun with the same two.
    pub(super) begun_before: bool,
}

/// What is known beside the words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Circumstances<'a> {
    pub(super) style: BargeInStyle,
    /// What Hark says meanwhile.
    pub(super) said: &'a [String],
    pub(super) instincts: Context<'a>,
}

/// The first two words: what an audio book is taken for changes from look to look, and they with it.
pub(super) fn beginning(text: &str) -> &str {
    let second = text.match_indices(' ').nth(1);
    second.map_or(text, |(end, _)| &text[..end])
}

/// Whether the words so far are reason enough to stop.
pub(super) fn partial_is_for_hark(partial: &Partial<'_>, given: &Circumstances<'_>) -> bool {
    let Words { text, stable, completeness, fit, beginning: likeliest, spoken_ms } = partial.words;
    let heard = echo::words(text);
    if heard.is_empty() || echo::is_echo(&heard, given.said) {
        return false;
    }
    let settled = *stable >= text.chars().count();
    if settled && instinct(text, given) {
        return true;
    }
    if given.style != BargeInStyle::Revocable || *spoken_ms < LEAST_MS {
        return false;
    }
    let last_look = *spoken_ms >= LAST_LOOK_MS;
    if last_look && likeliest.is_some_and(|it| it.words >= WHOLE_WORDS && it.gain >= LEAST_GAIN) {
        return true;
    }
    if *completeness == Completeness::Unknown || heard.len() < WHOLE_WORDS {
        return false;
    }
    let beginning = beginning(text);
    let begun = partial.begun_before || *stable >= beginning.chars().count();
    let whole = *completeness != Completeness::Unfinished;
    let long = heard.len() >= BEGINNING_WORDS;
    let order =
        ORDERS.iter().any(|order| beginning.strip_prefix(order).is_some_and(|it| it.starts_with(' ')));
    if last_look && (begun || whole || order) {
        let least_fit = if long { LAST_FIT } else { LAST_FIT_OF_TWO };
        if (long || whole) && fit.is_some_and(|fit| fit >= least_fit) {
            return true;
        }
    }
    let fits = fit.is_none_or(|fit| fit >= LEAST_FIT);
    begun && (order || fits && (long || whole && settled))
}

/// Whether the last word of the recogniser on the speech is reason enough to stop. `late`: Hark has gone on speaking
/// at full volume, because the words so far were not convincing in time.
pub(super) fn transcript_is_for_hark(transcript: &Transcript, late: bool, given: &Circumstances<'_>) -> bool {
    let heard = echo::words(&transcript.text);
    if transcript.rejected.is_some() || heard.is_empty() || echo::is_echo(&heard, given.said) {
        return false;
    }
    if instinct(&transcript.text, given) {
        return true;
    }
    let least = if late { LATE_WORDS } else { WHOLE_WORDS };
    given.style == BargeInStyle::Revocable && heard.len() >= least && transcript.confidence >= CONFIDENCE
}

/// A reflex that works without a wake word in this style.
fn instinct(text: &str, given: &Circumstances<'_>) -> bool {
    let found = instincts::find(text, &given.instincts);
    found.is_some_and(|found| given.style == BargeInStyle::Revocable || found.intent == STOP)
}

#[cfg(test)]
mod tests {
    use super::super::tests::transcript;
    use super::*;
    use crate::domain::Beginning;
    use BargeInStyle::{Immediate, Off, Revocable, WakeWord};
    use Completeness::{Complete, MayContinue, Unfinished, Unknown};

    fn given<'a>(style: BargeInStyle, said: &'a [String], asked: bool) -> Circumstances<'a> {
        Circumstances { style, said, instincts: Context { last_reply: None, awaiting_approval: asked } }
    }

    fn counts(style: BargeInStyle, text: &str, stable: usize, completeness: Completeness, ms: u64) -> bool {
        let said = echo::words("The weather in Berlin is sunny; say stop to end. The kitchen light is on.");
        let words = Words { text: text.into(), stable, completeness, spoken_ms: ms, ..Words::default() };
        let partial = Partial { words: &words, begun_before: false };
        partial_is_for_hark(&partial, &given(style, &said, false))
    }

    #[test]
    fn words_so_far() {
        for (text, stable, completeness, ms, expected) in [
            // What people's requests look like on their way.
            ("turn off the", 8, Unfinished, 700, true),
            ("set a timer", 5, Unfinished, 700, true),
            ("is the garage", 6, Unfinished, 600, true),
            ("turn off", 8, Unfinished, 600, true),
            ("resume timer", 12, MayContinue, 700, true),
            ("what's today", 12, Complete, 800, true),
            ("cancel", 6, MayContinue, 500, true),
            ("volume to", 9, Unfinished, 600, true),
            // Not yet.
            ("turn off", 8, Unfinished, 500, false),
            ("how much", 8, Unfinished, 700, false),
            ("turn off the", 4, Unfinished, 700, false),
            ("turn off", 4, Unfinished, 700, false),
            ("cancel", 0, MayContinue, 500, false),
            ("resume timer", 6, MayContinue, 700, false),
            // Audio books.
            ("how low is", 10, Unfinished, 500, false),
            ("what's your", 11, Unfinished, 800, false),
            ("hello", 5, Complete, 800, false),
            ("he by even", 10, Unknown, 800, false),
            ("~mr", 3, Unknown, 700, false),
            ("", 0, Unknown, 900, false),
            // The echo of what Hark says.
            ("the kitchen light is", 20, Unfinished, 900, false),
            ("stop", 4, MayContinue, 600, false),
        ] {
            assert_eq!(counts(Revocable, text, stable, completeness, ms), expected, "{text} {stable} {ms}");
        }
    }

    #[test]
    fn a_beginning_that_comes_back_is_settled() {
        let said = [];
        let given = given(Revocable, &said, false);
        for (begun_before, expected) in [(false, false), (true, true)] {
            let text = "how much time".to_owned();
            let words = Words { text, completeness: Unfinished, spoken_ms: 800, ..Words::default() };
            let partial = Partial { words: &words, begun_before };
            assert_eq!(partial_is_for_hark(&partial, &given), expected);
        }
    }

    #[test]
    fn words_that_the_sound_does_not_bear_are_none_but_an_order_is_one() {
        for (text, fit, expected) in [
            ("what is the", Some(0.4), true),
            ("what is the", Some(-1.5), false),
            ("what is the", Some(f32::MIN), false),
            ("what is the", None, true),
            ("turn off the", Some(-1.5), true),
        ] {
            let words = Words {
                text: text.into(),
                stable: text.len(),
                completeness: Unfinished,
                fit,
                spoken_ms: 640,
                ..Words::default()
            };
            let partial = Partial { words: &words, begun_before: false };
            let found = partial_is_for_hark(&partial, &given(Revocable, &[], false));
            assert_eq!(found, expected, "{text}, fit {fit:?}");
        }
    }

    #[test]
    fn at_the_last_look_less_will_do() {
        for (text, stable, completeness, fit, expected) in [
            ("never mind", 0, Complete, 0.4, true),
            ("hello there", 0, Complete, -0.4, false),
            ("what's the weather", 0, MayContinue, -1.2, true),
            ("tell me the time", 0, Complete, -3.3, false),
            ("make the kitchen", 8, Unfinished, -1.3, true),
            ("make the kitchen", 0, Unfinished, 1.3, false),
            ("start a timer", 0, Unfinished, -0.3, true),
            ("start ten", 0, Unfinished, 0.3, false),
            ("is anybody", 10, Unfinished, 2.4, false),
        ] {
            for (spoken_ms, expected) in [(699, false), (736, expected)] {
                let (text, fit) = (text.to_owned(), Some(fit));
                let words = Words { text, stable, completeness, fit, spoken_ms, ..Words::default() };
                let partial = Partial { words: &words, begun_before: false };
                let found = partial_is_for_hark(&partial, &given(Revocable, &[], false));
                assert_eq!(found, expected, "{words:?}");
            }
        }
    }

    #[test]
    fn what_is_likely_the_beginning_of_a_home_sentence_counts_at_the_last_look() {
        let said = echo::words("What's the tenth of May?");
        for (words, gain, spoken_ms, text, expected) in [
            (2, 4.0, 736, "shut the timer", true),
            (2, 4.0, 672, "shut the timer", false),
            (2, -1.0, 736, "shut the timer", false),
            (1, 40.0, 736, "introduce", false),
            // Hark itself says so.
            (3, 40.0, 736, "what's the tenth", false),
        ] {
            let beginning = Some(Beginning { words, gain });
            let words = Words { text: text.into(), beginning, spoken_ms, ..Words::default() };
            let partial = Partial { words: &words, begun_before: false };
            let found = partial_is_for_hark(&partial, &given(Revocable, &said, false));
            assert_eq!(found, expected, "{words:?}");
        }
    }

    #[test]
    fn in_other_styles_only_stop_counts() {
        for style in [Immediate, WakeWord, Off] {
            assert!(!counts(style, "turn off the", 12, Unfinished, 900), "{style:?}");
            assert!(!counts(style, "cancel", 6, MayContinue, 900), "{style:?}");
            assert!(counts(style, "be quiet", 8, Complete, 500), "{style:?}");
        }
    }

    #[test]
    fn a_yes_counts_while_one_is_awaited() {
        let text = "yes".to_owned();
        let words = Words { text, stable: 3, completeness: Complete, spoken_ms: 400, ..Words::default() };
        let partial = Partial { words: &words, begun_before: false };
        assert!(partial_is_for_hark(&partial, &given(Revocable, &[], true)));
        assert!(!partial_is_for_hark(&partial, &given(Revocable, &[], false)));
    }

    #[test]
    fn the_last_word() {
        let said = echo::words("Turned on the kitchen light.");
        for (text, rejected, late, expected) in [
            ("what time is it", false, false, true),
            ("what time is it", false, true, true),
            ("what time is it", true, false, false),
            ("turn on the kitchen light", false, false, false),
            ("pause timer", false, false, true),
            ("pause timer", false, true, false),
            ("stop", false, true, true),
            ("hello", false, false, false),
            ("", false, false, false),
        ] {
            let found =
                transcript_is_for_hark(&transcript(text, rejected), late, &given(Revocable, &said, false));
            assert_eq!(found, expected, "{text}, rejected {rejected}, late {late}");
        }
        let stop_only = given(Off, &said, false);
        assert!(!transcript_is_for_hark(&transcript("what time is it", false), false, &stop_only));
        assert!(transcript_is_for_hark(&transcript("stop", false), false, &stop_only));
    }
}

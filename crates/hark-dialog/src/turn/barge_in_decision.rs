//! Whether words spoken over Hark are for Hark. Pure; the numbers come from 48 home requests and 48 sentences said to
//! somebody else (those of early openings from 30 and 30 others), half of these with beginnings a request may have too,
//! each by two of flite's voices over Hark's own voice at 0 dB. What tells most is how the speech begins.

use super::own_words;
use crate::instincts::{self, InstinctInput};
use hark_config::barge_in::BargeInStyle;
use hark_core::ports::Completeness;
use hark_core::{Transcript, Words};
use hark_language::Lexicon;

/// Before so much speech the words so far are a guess, unless it opens as only a request does.
const LEAST_MS: u64 = 510;

/// The gain of such an opening, and from when on it counts.
const EARLY_GAIN: f32 = 6.0;
const EARLY_MS: u64 = 410;

/// From what gain on an opening is one of a request, whatever else the sound is taken for.
const SURE_GAIN: f32 = 3.2;

/// The same where something else speaks for a request too, and from when on it may.
const BORNE_OUT_GAIN: f32 = 1.0;
const BORNE_OUT_MS: u64 = 580;

/// Gain of the likeliest beginning of a home sentence that bears an opening out: any sounds of speech explain the sound
/// no better.
const LEAST_GAIN: f32 = 0.0;

/// The same from which it is enough, however the other recogniser hears its opening.
const CLEAR_GAIN: f32 = 40.0;

/// Words of a whole home sentence, or of a beginning, that are more than chance; a single word must be an instinct.
const LEAST_WORDS: usize = 2;

/// The same of a beginning where nobody weighed how it opens.
const UNWEIGHED_WORDS: usize = 3;

/// Words that a request needs which was only understood at its end, after Hark had gone on.
const LATE_WORDS: usize = 3;

/// How sure the recogniser must be of a whole request.
const CONFIDENCE: f32 = 0.5;

/// How sure it must be of "stop" and the like. Few say that over Hark but to have it silent, a short word over an echo is
/// heard badly, and silence by mistake does no harm.
const STOP_CONFIDENCE: f32 = 0.25;

/// Name of the instinct that interrupts in every style.
const STOP: &str = "HarkStop";

/// What is known beside the words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Circumstances<'a> {
    pub(super) style: BargeInStyle,
    /// What Hark says meanwhile.
    pub(super) said: &'a [String],
    /// The language that the words so far are in: that of the recogniser, in which a word of another is another word.
    pub(super) heard_in: &'a [&'static Lexicon],
    pub(super) instincts: InstinctInput<'a>,
}

/// Whether the words so far are reason enough to stop. `opening` of the words is that of the last hard look.
pub(super) fn partial_is_for_hark(words: &Words, given: &Circumstances<'_>) -> bool {
    let Words { text, stable, completeness, beginning, opening, spoken_ms } = words;
    let Some(heard) = words_of_a_person(text, given) else { return false };
    if *stable >= text.chars().count() && instinct(text, given, given.heard_in) {
        return true;
    }
    if given.style != BargeInStyle::Revocable || *spoken_ms < EARLY_MS {
        return false;
    }
    if *spoken_ms < LEAST_MS {
        return opening.is_some_and(|gain| gain >= EARLY_GAIN);
    }
    let whole = heard.len() >= LEAST_WORDS
        && matches!(completeness, Completeness::Complete | Completeness::MayContinue);
    let fits = |least: f32| beginning.is_some_and(|it| it.words >= LEAST_WORDS && it.gain >= least);
    match *opening {
        Some(gain) if gain >= SURE_GAIN => true,
        Some(_) if *spoken_ms < BORNE_OUT_MS => false,
        Some(gain) => fits(CLEAR_GAIN) || gain >= BORNE_OUT_GAIN && (whole || fits(LEAST_GAIN)),
        None => *completeness != Completeness::Unknown && heard.len() >= UNWEIGHED_WORDS,
    }
}

/// Whether the words so far may yet turn out to be for Hark: enough to be silent while that is found out.
pub(super) fn may_be_for_hark(words: &Words, given: &Circumstances<'_>) -> bool {
    given.style == BargeInStyle::Revocable
        && words_of_a_person(&words.text, given).is_some()
        && words.completeness != Completeness::Unknown
        && words.opening.is_none_or(|gain| gain >= 0.0)
}

/// Whether the last word of the recogniser on the speech is reason enough to stop. `late`: Hark has gone on speaking
/// at full volume, because the words so far were not convincing in time.
pub(super) fn transcript_is_for_hark(transcript: &Transcript, late: bool, given: &Circumstances<'_>) -> bool {
    let Some(heard) = words_of_a_person(&transcript.text, given) else { return false };
    let languages = given.instincts.languages;
    if transcript.rejected.is_some() {
        let silence_only = Circumstances { style: BargeInStyle::Immediate, ..*given };
        return transcript.confidence >= STOP_CONFIDENCE
            && instinct(&transcript.text, &silence_only, languages);
    }
    if instinct(&transcript.text, given, languages) {
        return true;
    }
    let least = if late { LATE_WORDS } else { LEAST_WORDS };
    given.style == BargeInStyle::Revocable && heard.len() >= least && transcript.confidence >= CONFIDENCE
}

/// The words of a text, if there are any that are not Hark's own.
fn words_of_a_person(text: &str, given: &Circumstances<'_>) -> Option<Vec<String>> {
    let heard = own_words::words(text);
    (!heard.is_empty() && !own_words::is_echo(&heard, given.said, given.instincts.languages)).then_some(heard)
}

/// A reflex that works without a wake word in this style.
fn instinct(text: &str, given: &Circumstances<'_>, languages: &[&'static Lexicon]) -> bool {
    let found = instincts::find(text, &InstinctInput { languages, ..given.instincts });
    found.is_some_and(|found| given.style == BargeInStyle::Revocable || found.intent == STOP)
}

#[cfg(test)]
mod tests {
    use super::super::tests::transcript;
    use super::*;
    use BargeInStyle::{Immediate, Off, Revocable, WakeWord};
    use Completeness::{Complete, MayContinue, Unfinished, Unknown};
    use hark_core::Beginning;

    fn given<'a>(style: BargeInStyle, said: &'a [String], asked: bool) -> Circumstances<'a> {
        let languages: &[_] = ["en", "de"].map(hark_language::of).to_vec().leak();
        let instincts = InstinctInput { last_reply: None, awaiting_approval: asked, languages };
        Circumstances { style, said, heard_in: &languages[..1], instincts }
    }

    fn for_hark(words: Words, style: BargeInStyle) -> bool {
        let said =
            own_words::words("The weather in Berlin is sunny; say stop to end. The kitchen light is on.");
        partial_is_for_hark(&words, &given(style, &said, false))
    }

    fn counts(style: BargeInStyle, text: &str, stable: usize, completeness: Completeness, ms: u64) -> bool {
        let text = text.into();
        for_hark(Words { text, stable, completeness, spoken_ms: ms, ..Words::default() }, style)
    }

    fn opens(text: &str, gain: f32, ms: u64, completeness: Completeness, fits: Option<f32>) -> bool {
        let beginning = fits.map(|gain| Beginning { words: 2, gain });
        let (text, opening) = (text.into(), Some(gain));
        let words = Words { text, completeness, beginning, opening, spoken_ms: ms, ..Words::default() };
        for_hark(words, Revocable)
    }

    #[test]
    fn how_it_opens_tells_whether_it_is_a_request() {
        for (text, gain, ms, completeness, fits, expected) in [
            ("turn on the", 7.0, 544, Unfinished, None, true),
            ("shut the lift", 4.1, 576, Unknown, None, true),
            ("turn on the", 7.0, 416, Unfinished, None, true),
            ("turn on the", 7.0, 384, Unfinished, None, false),
            ("turn on the", 5.0, 480, Unfinished, None, false),
            ("what time did", 2.5, 700, Unknown, None, false),
            ("he looked at", -3.0, 780, Unknown, None, false),
            // Something else speaks for it as well.
            ("is the back", 1.6, 736, Unfinished, Some(12.0), true),
            ("never mind", 1.9, 736, Complete, None, true),
            ("is the back", 1.6, 570, Unfinished, Some(12.0), false),
            ("is the back", 1.6, 736, Unfinished, Some(-2.0), false),
            ("mind", 1.9, 736, Complete, None, false),
            // Or for it alone.
            ("turn at the", 0.2, 736, Unfinished, Some(30.0), false),
            ("set an alarm", -1.0, 736, MayContinue, Some(122.0), true),
            ("set an alarm", -1.0, 570, MayContinue, Some(122.0), false),
            // The echo of what Hark says.
            ("the kitchen light is", 6.0, 700, Unfinished, Some(20.0), false),
        ] {
            assert_eq!(opens(text, gain, ms, completeness, fits), expected, "{text} {gain} {ms}");
        }
    }

    #[test]
    fn words_that_nobody_weighed() {
        for (text, stable, completeness, ms, expected) in [
            ("turn off the", 0, Unfinished, 700, true),
            ("cancel", 6, MayContinue, 400, true),
            ("turn off the", 12, Unfinished, 500, false),
            ("turn off", 8, Unfinished, 700, false),
            ("cancel", 0, MayContinue, 500, false),
            ("hello", 5, Complete, 800, false),
            ("he by even", 10, Unknown, 800, false),
            ("", 0, Unknown, 900, false),
            ("stop", 4, MayContinue, 600, false),
            // German is not what is listened for.
            ("halt", 4, Complete, 600, false),
        ] {
            assert_eq!(counts(Revocable, text, stable, completeness, ms), expected, "{text} {stable} {ms}");
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
        assert!(partial_is_for_hark(&words, &given(Revocable, &[], true)));
        assert!(!partial_is_for_hark(&words, &given(Revocable, &[], false)));
    }

    #[test]
    fn the_last_word() {
        let said = own_words::words("Turned on the kitchen light.");
        for (text, rejected, late, expected) in [
            ("what time is it", false, false, true),
            ("what time is it", false, true, true),
            ("what time is it", true, false, false),
            ("cancel", true, false, false),
            ("stop", true, true, true),
            ("turn on the kitchen light", false, false, false),
            ("pause timer", false, false, true),
            ("pause timer", false, true, false),
            ("stop", false, true, true),
            ("halt", false, true, true),
            ("hello", false, false, false),
            ("", false, false, false),
        ] {
            let found =
                transcript_is_for_hark(&transcript(text, rejected), late, &given(Revocable, &said, false));
            assert_eq!(found, expected, "{text}, rejected {rejected}, late {late}");
        }
        let unsure = Transcript { confidence: 0.2, ..transcript("stop", true) };
        assert!(!transcript_is_for_hark(&unsure, false, &given(Revocable, &said, false)));
        let stop_only = given(Off, &said, false);
        assert!(!transcript_is_for_hark(&transcript("what time is it", false), false, &stop_only));
        assert!(transcript_is_for_hark(&transcript("stop", false), false, &stop_only));
    }
}

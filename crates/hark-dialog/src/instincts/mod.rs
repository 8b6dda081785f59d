//! Reflexes that need no model and answer in microseconds. One file an instinct, with `matches()` and
//! `handle()`; the table below is the order in which they are tried.

mod cancel;
mod confirm;
mod deny;
mod louder;
mod mute;
mod never_mind;
mod repeat;
mod stop;
mod undo;
mod unmute;
mod why;

use hark_core::{Intent, Route};

/// What an instinct may look at.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// What Hark said last.
    pub last_reply: Option<&'a str>,
    /// A dangerous act waits for a yes from this person.
    pub awaiting_approval: bool,
}

/// What an instinct wants done. The turn machine carries it out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reaction {
    /// Silence the voice, ringing timers and every other turn.
    pub stop_everything: bool,
    /// Switch the microphone.
    pub mute: Option<bool>,
    /// The answer to a question for approval.
    pub approval: Option<bool>,
    /// What is answered.
    pub answer: Answer,
}

/// The answer of an instinct.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Answer {
    /// The approved act answers for itself.
    #[default]
    None,
    /// A sentence of `replies.yaml`, spoken.
    Say(&'static str),
    /// A sentence of `replies.yaml` for readers; listeners hear a short sound.
    Sound(&'static str),
    /// What was said before, again.
    Again(String),
}

/// One reflex.
pub struct Instinct {
    /// Intent name in the trace, and in the templates that teach the recogniser its words.
    pub intent: &'static str,
    /// Whether the text (lower-case, without punctuation) is exactly this reflex, here and now.
    pub matches: fn(&str, &Context<'_>) -> bool,
    /// What to do.
    pub handle: fn(&Context<'_>) -> Reaction,
}

static INSTINCTS: &[Instinct] = &[
    stop::INSTINCT,
    confirm::INSTINCT,
    deny::INSTINCT,
    cancel::INSTINCT,
    never_mind::INSTINCT,
    repeat::INSTINCT,
    mute::INSTINCT,
    unmute::INSTINCT,
];

/// A reflex that is an act: the sentence of the same intent says what with, and the act is done like any other.
struct Act {
    intent: &'static str,
    /// Lower-case and without punctuation.
    phrases: &'static [&'static str],
}

static ACTS: &[Act] = &[louder::ACT, undo::ACT, why::ACT];

/// Whether a text that is understood as this intent is a reflex.
pub fn is_act(text: &str, intent: &str) -> bool {
    let text = plain(text);
    ACTS.iter().any(|act| act.intent == intent && one_of(&text, act.phrases))
}

/// The reflex that a text triggers.
pub fn find(text: &str, context: &Context<'_>) -> Option<&'static Instinct> {
    let text = plain(text);
    INSTINCTS.iter().find(|instinct| (instinct.matches)(&text, context))
}

/// Whether a text is nothing but the wish to stop.
pub fn is_stop(text: &str) -> bool {
    let nothing = Context { last_reply: None, awaiting_approval: false };
    (stop::INSTINCT.matches)(&plain(text), &nothing)
}

/// What a text answers that is a yes or no and nothing else; `None` when it is something else.
pub fn yes_or_no(text: &str) -> Option<bool> {
    let text = plain(text);
    let awaited = Context { last_reply: None, awaiting_approval: true };
    let answers = |instinct: &Instinct| (instinct.matches)(&text, &awaited);
    if answers(&confirm::INSTINCT) { Some(true) } else { answers(&deny::INSTINCT).then_some(false) }
}

/// The reflex behind an intent, for sentences that only the templates recognised. A yes or no that answers nothing has
/// none, nor has a yes that is only likely one: nothing dangerous is done on a guess.
pub fn by_intent(intent: &Intent, context: &Context<'_>) -> Option<&'static Instinct> {
    let confirms = intent.name == confirm::INSTINCT.intent;
    let answers = confirms || intent.name == deny::INSTINCT.intent;
    let guessed = confirms && intent.route == Route::Intent;
    named(&intent.name).filter(|_| !guessed && (!answers || context.awaiting_approval))
}

/// The reflex of this intent name, whether or not it means something now.
pub fn named(intent: &str) -> Option<&'static Instinct> {
    INSTINCTS.iter().find(|instinct| instinct.intent == intent)
}

/// Lower-case, without punctuation, politeness and doubled blanks: what `matches` sees.
fn plain(text: &str) -> String {
    let text: String = text
        .to_lowercase()
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '/' {
                c
            } else if c == '\'' || c == '’' {
                '\0'
            } else {
                ' '
            }
        })
        .filter(|c| *c != '\0')
        .collect();
    let words: Vec<&str> = text.split_whitespace().filter(|word| *word != "please").collect();
    words.join(" ")
}

/// Whether the text is one of the phrases.
fn one_of(text: &str, phrases: &[&str]) -> bool {
    phrases.contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::Slots;

    fn intent(text: &str, awaiting_approval: bool) -> Option<&'static str> {
        let context = Context { last_reply: None, awaiting_approval };
        find(text, &context).map(|instinct| instinct.intent)
    }

    #[test]
    fn reflexes_are_found_by_their_phrases() {
        for (text, expected) in [
            ("Stop!", Some("HarkStop")),
            ("please stop", Some("HarkStop")),
            ("/stop", Some("HarkStop")),
            ("be quiet", Some("HarkStop")),
            ("wait, stop!", Some("HarkStop")),
            ("Stop, stop, stop", Some("HarkStop")),
            ("that's enough", Some("HarkStop")),
            ("wait", None),
            ("cancel", Some("HarkCancel")),
            ("Never mind.", Some("HassNevermind")),
            ("what did you say?", Some("HarkRepeat")),
            ("mute the microphone", Some("HarkMute")),
            ("stop listening", Some("HarkMute")),
            ("turn the microphone on", Some("HarkUnmute")),
            ("Stopp!", Some("HarkStop")),
            ("stop the music", None),
            ("cancel the timer", None),
            ("yes", None),
            ("no", None),
        ] {
            assert_eq!(intent(text, false), expected, "{text}");
        }
    }

    #[test]
    fn some_reflexes_are_acts() {
        for (text, intent) in [
            ("Louder!", "HassSetVolumeRelative"),
            ("undo that", "HarkUndo"),
            ("Why did you do that?", "HarkWhy"),
        ] {
            assert!(is_act(text, intent), "{text}");
        }
        for (text, intent) in [("undo that", "HarkWhy"), ("make the radio louder", "HassSetVolumeRelative")] {
            assert!(!is_act(text, intent), "{text}");
        }
    }

    #[test]
    fn yes_and_no_count_only_while_something_waits() {
        assert_eq!(intent("Yes, please.", true), Some("HarkConfirm"));
        assert_eq!(intent("no, don't", true), Some("HarkDeny"));
        for (text, answer) in [("Yes, please.", Some(true)), ("no, don't", Some(false)), ("stop", None)] {
            assert_eq!(yes_or_no(text), answer, "{text}");
        }
        let idle = Context { last_reply: None, awaiting_approval: false };
        assert!(by_intent(&meant("HarkConfirm", Route::Template), &idle).is_none());
        assert!(by_intent(&meant("HarkStop", Route::Template), &idle).is_some());
    }

    #[test]
    fn a_yes_that_is_only_likely_lets_nothing_through() {
        let asked = Context { last_reply: None, awaiting_approval: true };
        assert!(by_intent(&meant("HarkConfirm", Route::Template), &asked).is_some());
        assert!(by_intent(&meant("HarkConfirm", Route::Intent), &asked).is_none());
        assert!(by_intent(&meant("HarkDeny", Route::Intent), &asked).is_some());
    }

    fn meant(name: &str, route: Route) -> Intent {
        let (name, slots, why) = (name.to_owned(), Slots::new(), String::new());
        Intent { name, slots, confidence: 0.99, route, why, response: None }
    }
}

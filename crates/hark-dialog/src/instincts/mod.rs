//! Reflexes that need no model and answer in microseconds. One file per instinct says which phrases of a language it
//! has and what it does; matching is the same for all. The table below is the order in which they are tried.

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
use hark_language::Lexicon;
use hark_language::phrases::{self, Phrases};
use hark_language::reflexes::Reflexes;

/// What an instinct may look at.
#[derive(Debug, Clone, Copy)]
pub struct InstinctInput<'a> {
    /// What Hark said last.
    pub last_reply: Option<&'a str>,
    /// A dangerous act waits for a yes from this person.
    pub awaiting_approval: bool,
    /// The languages that are spoken here.
    pub languages: &'a [&'static Lexicon],
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
    /// The same as a typed command, whatever the language.
    command: Option<&'static str>,
    /// What people say for it.
    phrases: fn(&Reflexes) -> Phrases,
    /// It answers a question for approval, and means nothing without one.
    answers: bool,
    /// People say it several times, and with words around it that mean nothing.
    hurried: bool,
    /// What to do.
    pub handle: fn(&InstinctInput<'_>) -> Reaction,
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
    phrases: fn(&Reflexes) -> Phrases,
}

static ACTS: &[Act] = &[louder::ACT, undo::ACT, why::ACT];

/// Whether a text that is understood as this intent is a reflex in one of these languages.
pub fn is_act(text: &str, intent: &str, languages: &[&'static Lexicon]) -> bool {
    let text = plain(text);
    ACTS.iter().filter(|act| act.intent == intent).any(|act| {
        languages.iter().any(|language| {
            let said = Said::of(&text, &language.reflexes);
            said.is_one_of((act.phrases)(&language.reflexes))
        })
    })
}

/// The reflex that a text triggers.
pub fn find(text: &str, context: &InstinctInput<'_>) -> Option<&'static Instinct> {
    let text = plain(text);
    let possible = |instinct: &&Instinct| !instinct.answers || context.awaiting_approval;
    INSTINCTS.iter().filter(possible).find(|instinct| instinct.is_said(&text, context.languages))
}

/// Whether a text takes back what was done right before it, where something was.
pub fn takes_back(text: &str, languages: &[&'static Lexicon]) -> bool {
    let text = plain(text);
    languages.iter().any(|language| {
        let reflexes = &language.reflexes;
        let said = Said::of(&text, reflexes);
        let ends = |said: &Said<'_>| said.ends_in(reflexes.take_back, reflexes.never_mind);
        ends(&said) || ends(&said.without_hurry(reflexes))
    })
}

/// What is done about words that take back what was done, where nothing was.
pub fn never_mind() -> &'static Instinct {
    &never_mind::INSTINCT
}

/// Whether a text is nothing but the wish to stop.
pub fn is_stop(text: &str, languages: &[&'static Lexicon]) -> bool {
    stop::INSTINCT.is_said(&plain(text), languages)
}

/// What a text answers that is a yes or no and nothing else; `None` when it is something else.
pub fn yes_or_no(text: &str, languages: &[&'static Lexicon]) -> Option<bool> {
    let text = plain(text);
    let answers = |instinct: &Instinct| instinct.is_said(&text, languages);
    if answers(&confirm::INSTINCT) { Some(true) } else { answers(&deny::INSTINCT).then_some(false) }
}

/// What is said for a yes or no that was given without words: in the first of some languages that has a word, else the
/// typed command.
pub fn word_for(yes: bool, languages: &[&'static Lexicon]) -> &'static str {
    let instinct = if yes { confirm::INSTINCT } else { deny::INSTINCT };
    let word = languages.iter().find_map(|language| (instinct.phrases)(&language.reflexes).first().copied());
    word.or(instinct.command).unwrap_or_default()
}

impl Instinct {
    /// Whether a plain text is exactly this in one of these languages.
    fn is_said(&self, text: &str, languages: &[&'static Lexicon]) -> bool {
        self.command == Some(text)
            || languages.iter().any(|language| {
                let reflexes = &language.reflexes;
                let said = Said::of(text, reflexes);
                let phrases = (self.phrases)(reflexes);
                said.is_one_of(phrases) || self.hurried && said.without_hurry(reflexes).is_one_of(phrases)
            })
    }
}

/// The words of a text, as one language has them.
struct Said<'t> {
    words: Vec<&'t str>,
    /// Without courtesy.
    bare: Vec<&'t str>,
}

impl<'t> Said<'t> {
    fn of(text: &'t str, reflexes: &Reflexes) -> Self {
        let words: Vec<&str> = text.split(' ').collect();
        let bare = words.iter().copied().filter(|word| !reflexes.courtesy.contains(word)).collect();
        Self { words, bare }
    }

    /// Without what people say around it, and each word once where it is repeated: "*oh well* forget it *then*".
    fn without_hurry(&self, reflexes: &Reflexes) -> Self {
        let words = phrases::without_starts(&[reflexes.leads], &self.bare);
        let mut words = phrases::without_ends(&[reflexes.trails], words).to_vec();
        words.dedup();
        Self { bare: words.clone(), words }
    }

    /// Whether it is one of some phrases, behind others or none: "never mind, *cancel that*".
    fn ends_in(&self, last: Phrases, before: Phrases) -> bool {
        let mut said = Self { words: self.words.clone(), bare: self.bare.clone() };
        while !said.is_one_of(last) {
            let Some(length) = phrases::starts(before, &said.bare) else { return false };
            said.bare.drain(..length);
            said.words.clone_from(&said.bare);
        }
        true
    }

    fn is_one_of(&self, phrases: Phrases) -> bool {
        let is = |words: &[&str], phrase: &str| phrase.split(' ').eq(words.iter().copied());
        phrases.iter().any(|phrase| is(&self.bare, phrase) || is(&self.words, phrase))
    }
}

/// The reflex behind an intent, for sentences that only the templates recognised. A yes or no that answers nothing has
/// none, nor has a yes that is only likely one: nothing dangerous is done on a guess.
pub fn by_intent(intent: &Intent, context: &InstinctInput<'_>) -> Option<&'static Instinct> {
    let confirms = intent.name == confirm::INSTINCT.intent;
    let answers = confirms || intent.name == deny::INSTINCT.intent;
    let guessed = confirms && intent.route == Route::Intent;
    named(&intent.name).filter(|_| !guessed && (!answers || context.awaiting_approval))
}

/// The reflex of this intent name, whether or not it means something now.
pub fn named(intent: &str) -> Option<&'static Instinct> {
    INSTINCTS.iter().find(|instinct| instinct.intent == intent)
}

/// Lower-case words without punctuation, one blank between them.
fn plain(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|c| !matches!(c, '\'' | '’'))
        .flat_map(char::to_lowercase)
        .map(|c| if c.is_alphanumeric() || c == '/' { c } else { ' ' })
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::Slots;

    fn spoken() -> Vec<&'static Lexicon> {
        ["en", "de"].map(hark_language::of).to_vec()
    }

    fn intent(text: &str, awaiting_approval: bool) -> Option<&'static str> {
        let context = InstinctInput { last_reply: None, awaiting_approval, languages: &spoken() };
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
            ("on second thoughts forget that", Some("HassNevermind")),
            ("oh well leave it then", Some("HassNevermind")),
            ("on second thoughts forget the milk", None),
            ("what did you say?", Some("HarkRepeat")),
            ("mute the microphone", Some("HarkMute")),
            ("stop listening", Some("HarkMute")),
            ("turn the microphone on", Some("HarkUnmute")),
            ("Stopp!", Some("HarkStop")),
            ("Nein, halt!", Some("HarkStop")),
            ("Bitte hör auf", Some("HarkStop")),
            ("wie bitte?", Some("HarkRepeat")),
            ("abbrechen", Some("HarkCancel")),
            ("/cancel", Some("HarkCancel")),
            ("Vergiss es", Some("HassNevermind")),
            ("Mikrofon aus", Some("HarkMute")),
            ("ja", None),
            ("mach die Musik aus", None),
            ("stop the music", None),
            ("cancel the timer", None),
            ("yes", None),
            ("no", None),
        ] {
            assert_eq!(intent(text, false), expected, "{text}");
        }
    }

    #[test]
    fn a_language_that_is_not_spoken_here_has_no_reflexes() {
        for (text, language, expected) in [
            ("stopp", "en", false),
            ("stopp", "de", true),
            ("be quiet", "de", false),
            ("be quiet", "xx", false),
            ("/stop", "xx", true),
        ] {
            assert_eq!(is_stop(text, &[hark_language::of(language)]), expected, "{text} in {language}");
        }
        assert_eq!(yes_or_no("ja", &[hark_language::of("en")]), None);
        assert_eq!((word_for(true, &spoken()), word_for(false, &[])), ("yes", "/deny"));
        assert_eq!(word_for(false, &[hark_language::of("xx"), hark_language::of("de")]), "nein");
    }

    #[test]
    fn some_reflexes_are_acts() {
        for (text, intent) in [
            ("Louder!", "HassSetVolumeRelative"),
            ("undo that", "HarkUndo"),
            ("Why did you do that?", "HarkWhy"),
        ] {
            assert!(is_act(text, intent, &spoken()), "{text}");
        }
        for (text, intent) in [("undo that", "HarkWhy"), ("make the radio louder", "HassSetVolumeRelative")] {
            assert!(!is_act(text, intent, &spoken()), "{text}");
        }
    }

    #[test]
    fn yes_and_no_count_only_while_something_waits() {
        assert_eq!(intent("Yes, please.", true), Some("HarkConfirm"));
        assert_eq!(intent("no, don't", true), Some("HarkDeny"));
        for (text, answer) in [
            ("Yes, please.", Some(true)),
            ("no, don't", Some(false)),
            ("Ja, gerne", Some(true)),
            ("stop", None),
        ] {
            assert_eq!(yes_or_no(text, &spoken()), answer, "{text}");
        }
        let idle = InstinctInput { last_reply: None, awaiting_approval: false, languages: &[] };
        assert!(by_intent(&meant("HarkConfirm", Route::Template), &idle).is_none());
        assert!(by_intent(&meant("HarkStop", Route::Template), &idle).is_some());
    }

    #[test]
    fn a_yes_that_is_only_likely_lets_nothing_through() {
        let asked = InstinctInput { last_reply: None, awaiting_approval: true, languages: &[] };
        assert!(by_intent(&meant("HarkConfirm", Route::Template), &asked).is_some());
        assert!(by_intent(&meant("HarkConfirm", Route::Intent), &asked).is_none());
        assert!(by_intent(&meant("HarkDeny", Route::Intent), &asked).is_some());
    }

    fn meant(name: &str, route: Route) -> Intent {
        let (name, slots, why) = (name.to_owned(), Slots::new(), String::new());
        Intent { name, slots, confidence: 0.99, route, why, response: None, single: false }
    }
}

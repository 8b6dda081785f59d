//! Takes a PIN out of what was said or typed, before it is recorded, published or understood, and has the
//! executor look at it when one is awaited.

use hark_core::pin::{MASK, PinCode, PinVerdict};
use hark_core::public_event::Origin;
use hark_core::{Event, RemoteSpeech, Transcript, Words};
use hark_dialog::pin_words;
use hark_language::Lexicon;

/// The event without digits that can be a PIN, and what the executor says to them. `awaited`: whether this
/// one was asked for the PIN; `look` is called once at most, and only then. Words that a recogniser
/// rejects and dry runs are no try. `languages`: those it may be said in.
pub(crate) fn without_pin(
    event: Event,
    languages: &[&'static Lexicon],
    awaited: impl Fn(&Origin) -> bool,
    look: impl FnOnce(&PinCode) -> PinVerdict,
) -> (Event, Option<PinVerdict>) {
    match event {
        Event::Promised { turn, event } => {
            let (event, verdict) = masked(*event, languages, awaited, look);
            (Event::Promised { turn, event: Box::new(event) }, verdict)
        }
        event => masked(event, languages, awaited, look),
    }
}

/// Whether the sound of these words, from which a PIN is taken out already, may hold one: it was found, or this one
/// was asked for it and was heard to say something else, or nobody knows what was said.
pub(crate) fn may_have_held_pin(event: &Event, awaited: impl Fn(&Origin) -> bool) -> bool {
    let (transcript, origin) = match event {
        Event::Transcript { transcript } => (transcript, &Origin::Voice),
        Event::RemoteSpeech { origin, heard: RemoteSpeech::Transcript { transcript }, .. } => {
            (transcript, origin)
        }
        _ => return false,
    };
    transcript.text.contains(MASK) || transcript.rejected.is_some() || awaited(origin)
}

fn masked(
    event: Event,
    languages: &[&'static Lexicon],
    awaited: impl Fn(&Origin) -> bool,
    look: impl FnOnce(&PinCode) -> PinVerdict,
) -> (Event, Option<PinVerdict>) {
    match event {
        Event::Typed { text, origin, speak, dry_run } => {
            let awaited = awaited(&origin);
            let Some(found) = pin_words::find(&text, awaited, languages) else {
                return (Event::Typed { text, origin, speak, dry_run }, None);
            };
            let counts = awaited && !dry_run;
            let verdict = found.pin.filter(|_| counts).map(|pin| look(&pin));
            (Event::Typed { text: found.masked, origin, speak, dry_run }, verdict)
        }
        Event::Transcript { transcript } => {
            let (transcript, verdict) = of_words(transcript, languages, awaited(&Origin::Voice), look);
            (Event::Transcript { transcript }, verdict)
        }
        Event::Partial(words) => {
            let (text, stable) = of_partial(words.text, words.stable, languages, awaited(&Origin::Voice));
            (Event::Partial(Words { text, stable, ..words }), None)
        }
        Event::RemoteSpeech { microphone, origin, heard } => {
            let awaited = awaited(&origin);
            let (heard, verdict) = match heard {
                RemoteSpeech::Transcript { transcript } => {
                    let (transcript, verdict) = of_words(transcript, languages, awaited, look);
                    (RemoteSpeech::Transcript { transcript }, verdict)
                }
                RemoteSpeech::Partial { text, stable } => {
                    let (text, stable) = of_partial(text, stable, languages, awaited);
                    (RemoteSpeech::Partial { text, stable }, None)
                }
                other => (other, None),
            };
            (Event::RemoteSpeech { microphone, origin, heard }, verdict)
        }
        other => (other, None),
    }
}

/// What was said, without digits that can be a PIN.
fn of_words(
    mut transcript: Transcript,
    languages: &[&'static Lexicon],
    awaited: bool,
    look: impl FnOnce(&PinCode) -> PinVerdict,
) -> (Transcript, Option<PinVerdict>) {
    let Some(found) = pin_words::find(&transcript.text, awaited, languages) else {
        return (transcript, None);
    };
    let counts = awaited && transcript.rejected.is_none();
    let verdict = found.pin.filter(|_| counts).map(|pin| look(&pin));
    transcript.text = found.masked;
    (transcript, verdict)
}

/// Words so far, without digits that can be the beginning of one.
fn of_partial(text: String, stable: usize, languages: &[&'static Lexicon], awaited: bool) -> (String, usize) {
    match pin_words::mask_unfinished(&text, awaited, languages) {
        Some(masked) => (masked, 0),
        None => (text, stable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::MicrophoneId;

    fn without_pin(
        event: Event,
        awaited: impl Fn(&Origin) -> bool,
        look: impl FnOnce(&PinCode) -> PinVerdict,
    ) -> (Event, Option<PinVerdict>) {
        super::without_pin(event, &[hark_language::of("en")], awaited, look)
    }

    fn typed(text: &str, dry_run: bool) -> Event {
        Event::Typed { text: text.into(), origin: Origin::Cli, speak: false, dry_run }
    }

    fn promised(event: Event) -> Event {
        Event::Promised { turn: "asked-1".into(), event: Box::new(event) }
    }

    fn heard(text: &str, rejected: Option<&str>) -> Event {
        let transcript = Transcript {
            text: text.into(),
            engine: "grammar".into(),
            confidence: 0.9,
            language: "en".into(),
            rejected: rejected.map(str::to_owned),
            why: None,
            speaker: None,
        };
        Event::Transcript { transcript }
    }

    /// The same, at another microphone.
    fn afar(event: Event) -> Event {
        let Event::Transcript { transcript } = event else { panic!("{event:?}") };
        let origin = Origin::Api("desk".into());
        Event::RemoteSpeech {
            microphone: MicrophoneId(1),
            origin,
            heard: RemoteSpeech::Transcript { transcript },
        }
    }

    #[test]
    fn words_on_the_way_hide_a_pin_from_whoever_was_asked_for_it() {
        let partial = || {
            let heard = RemoteSpeech::Partial { text: "add four two one".into(), stable: 8 };
            Event::RemoteSpeech { microphone: MicrophoneId(1), origin: Origin::Api("desk".into()), heard }
        };
        let asked = |who: &Origin| *who == Origin::Api("desk".into());
        let (event, _) = without_pin(partial(), asked, |_| PinVerdict::Wrong);
        let Event::RemoteSpeech { heard: RemoteSpeech::Partial { text, stable: 0 }, .. } = &event else {
            panic!("{event:?}");
        };
        assert!(!text.contains("four"), "{text}");
        assert_eq!(without_pin(partial(), |who| *who == Origin::Voice, |_| PinVerdict::Wrong).0, partial());
    }

    #[test]
    fn a_pin_is_looked_at_only_where_it_was_asked_for() {
        let right = PinVerdict::Right { grant: 7 };
        for (event, awaited, expected) in [
            (typed("4217", false), true, Some(right)),
            (typed("four two one seven", false), true, Some(right)),
            (promised(typed("4217", false)), true, Some(right)),
            (typed("4217", false), false, None),
            (typed("4217", true), true, None),
            (heard("four two one seven", None), true, Some(right)),
            (heard("four two one seven", None), false, None),
            (heard("four two one seven", Some("noise")), true, None),
            (afar(heard("four two one seven", None)), true, Some(right)),
            (afar(heard("four two one seven", None)), false, None),
            (afar(heard("four two one seven", Some("noise"))), true, None),
        ] {
            let (event, verdict) = without_pin(event, |_| awaited, |_| right);
            assert_eq!(verdict, expected, "{event:?}");
            let shown = serde_json::to_string(&event).unwrap();
            assert!(shown.contains(MASK) && !shown.contains("42") && !shown.contains("four"), "{shown}");
        }
    }

    #[test]
    fn other_words_pass_as_they_are() {
        for event in [typed("turn on the light", false), heard("yes", None), Event::Tick] {
            let (after, verdict) = without_pin(event.clone(), |_| true, |_| PinVerdict::Wrong);
            assert_eq!((after, verdict), (event, None));
        }
    }
}

//! The cascade's decision, and its behaviour with scripted engines.

use super::*;
use crate::stt::whisper::testing::{Script, recogniser};
use crate::testing::Judge;
use hark_core::FaultKind;
use std::sync::Mutex;

fn transcript(engine: &str, text: &str, confidence: f32, rejected: Option<&str>) -> Transcript {
    Transcript {
        text: text.to_owned(),
        engine: engine.to_owned(),
        confidence,
        language: "en".to_owned(),
        rejected: rejected.map(str::to_owned),
        why: None,
        speaker: None,
    }
}

/// A grammar engine that finds what it was told to, at once.
struct Told {
    found: Result<Transcript, Fault>,
    partial: &'static str,
    /// What came in, in its order.
    calls: Arc<Mutex<Vec<String>>>,
}

impl Told {
    fn new(found: Result<Transcript, Fault>, partial: &'static str) -> Self {
        Self { found, partial, calls: Arc::default() }
    }

    fn note(&self, call: impl Into<String>) {
        self.calls.lock().unwrap().push(call.into());
    }
}

impl Recogniser for Told {
    fn start(&mut self) -> Result<(), Fault> {
        self.note("start");
        Ok(())
    }

    fn preroll(&mut self, samples: &[f32]) {
        self.note(format!("preroll {}", samples.len()));
    }

    fn feed(&mut self, samples: &[f32]) -> Result<(), Fault> {
        self.note(format!("feed {}", samples.len()));
        Ok(())
    }

    fn anticipate_end(&mut self) {
        self.note("foresee");
    }

    fn prepare(&mut self) {
        self.note("prepare");
    }

    fn release_memory(&mut self) {
        self.note("rest");
    }

    fn partial(&mut self) -> Option<Partial> {
        Some(Partial { text: self.partial.to_owned(), opening: Some(2.0), ..Partial::default() })
    }

    fn finish(&mut self) -> Result<Recognition, Fault> {
        let transcript = self.found.clone()?;
        Ok(Recognition { heard: "heard".to_owned(), transcript })
    }

    fn cancel(&mut self) {}
}

/// Sentences begin with "turn".
fn turning(text: &str) -> Completeness {
    if text.starts_with("turn") { Completeness::Unfinished } else { Completeness::Unknown }
}

fn cascade(grammar: Transcript, partial: &'static str, script: Script) -> Cascade {
    let told = Told::new(Ok(grammar), partial);
    Cascade::new(Box::new(told), recogniser(script), Arc::new(Judge(turning)), 0.6)
}

fn hear(cascade: &mut Cascade) -> Recognition {
    cascade.start().unwrap();
    cascade.feed(&vec![0.1; 32_000]).unwrap();
    cascade.finish().unwrap()
}

#[test]
fn a_sure_grammar_is_taken_at_once_and_whisper_is_stopped() {
    let slow = Script { text: "turn on the lamb", takes: Duration::from_secs(5), ..Script::default() };
    let calls = slow.calls.clone();
    let mut cascade = cascade(transcript("grammar", "turn on the lamp", 0.9, None), "turn", slow);
    let found = hear(&mut cascade);
    assert_eq!(
        (found.transcript.text.as_str(), found.transcript.engine.as_str()),
        ("turn on the lamp", "grammar")
    );
    assert_eq!(found.transcript.why.as_deref(), Some("the grammar is sure: 0.90"));
    drop(cascade);
    assert_eq!(calls.lock().unwrap().finished, 0, "no decode ran to its end");
}

#[test]
fn an_unsure_grammar_gives_way_to_whisper_and_says_why() {
    for (grammar, reason) in [
        (transcript("grammar", "turn on the lamp", 0.4, None), "the grammar is not sure: 0.40, below 0.60"),
        (transcript("grammar", "", 0.1, Some("nothing fits")), "the grammar rejected it: nothing fits"),
    ] {
        let script = Script { text: " Who wrote Faust?", ..Script::default() };
        let found = hear(&mut cascade(grammar, "turn", script));
        assert_eq!(
            (found.transcript.text.as_str(), found.heard.as_str()),
            ("who wrote faust", "who wrote faust")
        );
        assert_eq!(
            (found.transcript.engine.as_str(), found.transcript.why.as_deref()),
            ("whisper", Some(reason))
        );
    }
}

#[test]
fn what_whisper_rejects_or_fails_at_leaves_the_grammars_words() {
    let unsure = || transcript("grammar", "turn on the lamp", 0.4, None);
    let found = hear(&mut cascade(unsure(), "turn", Script { text: "[Music]", ..Script::default() }));
    assert_eq!((found.transcript.engine.as_str(), found.transcript.rejected), ("grammar", None));
    assert!(found.transcript.why.unwrap().contains("Whisper rejected it: \"[Music]\" names a noise"));
    let found = hear(&mut cascade(unsure(), "turn", Script { fails: true, ..Script::default() }));
    assert_eq!(found.transcript.text, "turn on the lamp");
    assert!(found.transcript.why.unwrap().contains("Whisper failed"));
    let both = transcript("grammar", "", 0.0, Some("no words"));
    let found = hear(&mut cascade(both, "turn", Script::default()));
    assert_eq!(found.transcript.rejected.as_deref(), Some("no words"), "both reject: nothing acts");
}

#[test]
fn a_failing_grammar_is_told_and_the_next_utterance_may_work() {
    let fault = Fault::new(FaultKind::Failed, "stt", "broken", "");
    let told = Told::new(Err(fault.clone()), "");
    let mut cascade =
        Cascade::new(Box::new(told), recogniser(Script::default()), Arc::new(Judge(turning)), 0.6);
    for _ in 0..2 {
        cascade.start().unwrap();
        cascade.feed(&[0.1; 16_000]).unwrap();
        assert_eq!(cascade.finish().unwrap_err(), fault);
    }
}

#[test]
fn partials_are_whispers_when_the_grammars_fit_no_sentence() {
    for (grammar_partial, expected) in [("turn on", "turn on"), ("burn on", "turn on the lamp")] {
        let script = Script { text: "Turn on the lamp", ..Script::default() };
        let mut cascade = cascade(transcript("grammar", "", 0.0, None), grammar_partial, script);
        cascade.start().unwrap();
        cascade.feed(&vec![0.1; 32_000]).unwrap();
        let partial = cascade.partial().unwrap();
        assert_eq!(
            (partial.text.as_str(), partial.opening),
            (expected, Some(2.0)),
            "only the grammar weighs it"
        );
        cascade.cancel();
    }
}

#[test]
fn the_decision_is_by_rejection_then_confidence() {
    let sure = transcript("grammar", "stop", 0.6, None);
    assert!(matches!(choose(&sure, 0.6), Choice::Grammar(_)));
    assert!(matches!(choose(&sure, 0.61), Choice::Wait(_)));
    assert!(matches!(choose(&transcript("grammar", "stop", 1.0, Some("no")), 0.0), Choice::Wait(_)));
}

#[test]
fn the_grammar_is_told_of_the_room_of_rest_and_of_its_end() {
    let told = Told::new(Ok(transcript("grammar", "turn on the lamp", 0.9, None)), "turn");
    let calls = told.calls.clone();
    let mut cascade =
        Cascade::new(Box::new(told), recogniser(Script::default()), Arc::new(Judge(turning)), 0.6);
    cascade.prepare();
    cascade.start().unwrap();
    cascade.preroll(&[0.0; 4_800]);
    cascade.feed(&[0.1; 1_600]).unwrap();
    cascade.anticipate_end();
    cascade.cancel();
    cascade.release_memory();
    assert_eq!(*calls.lock().unwrap(), ["prepare", "start", "preroll 4800", "feed 1600", "foresee", "rest"]);
}

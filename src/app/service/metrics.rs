//! Counts what happens, for whoever watches from outside: turns by route and outcome, how long their stages took,
//! faults by part; and remembers what Hark does now and what each part complained of last.

use hark_core::api::{HeardWakeWord, ReportedFault};
use hark_core::public_event::{HarkState, Outcome, Timings};
use hark_core::{Envelope, PublicEvent, Route};
use hark_telemetry::metrics::{Exposition, Histogram};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Stages of a turn, in the order of its closing record.
const STAGES: [&str; 5] = [
    "speech_end_to_transcript",
    "transcript_to_intent",
    "intent_to_action",
    "to_first_audio",
    "speech_end_to_first_audio",
];

/// Parts of which the last fault is remembered.
const MAX_PARTS: usize = 64;

/// Wake words and near misses that are remembered.
const MAX_HEARD: usize = 50;

#[derive(Debug)]
struct Counts {
    state: HarkState,
    /// By route and outcome, as the events name them.
    turns: BTreeMap<(String, String), u64>,
    stages: [Histogram; STAGES.len()],
    faults: BTreeMap<String, (u64, ReportedFault)>,
    /// The newest last.
    heard: VecDeque<HeardWakeWord>,
}

impl Counts {
    fn hear(&mut self, at: &str, word: &str, score: f32, why: Option<String>) {
        if self.heard.len() == MAX_HEARD {
            self.heard.pop_front();
        }
        self.heard.push_back(HeardWakeWord { at: at.to_owned(), word: word.to_owned(), score, why });
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Tally(Mutex<Counts>);

impl Default for Tally {
    fn default() -> Self {
        Self(Mutex::new(Counts {
            state: HarkState::Idle,
            turns: BTreeMap::new(),
            stages: Default::default(),
            faults: BTreeMap::new(),
            heard: VecDeque::new(),
        }))
    }
}

impl Tally {
    /// Something happened.
    pub(crate) fn note(&self, envelope: &Envelope) {
        let mut counts = self.lock();
        match &envelope.event {
            PublicEvent::State { state } => counts.state = *state,
            PublicEvent::Turn { timings_ms, route, outcome, .. } => {
                *counts.turns.entry(names(*route, *outcome)).or_default() += 1;
                for (stage, ms) in counts.stages.iter_mut().zip(stages(timings_ms)) {
                    ms.into_iter().for_each(|ms| stage.record(ms / 1000.0));
                }
            }
            PublicEvent::Error(fault) => {
                let count = counts.faults.get(&fault.part).map_or(0, |(count, _)| *count);
                if count > 0 || counts.faults.len() < MAX_PARTS {
                    let reported = ReportedFault { at: envelope.at.clone(), fault: fault.clone() };
                    counts.faults.insert(fault.part.clone(), (count + 1, reported));
                }
            }
            PublicEvent::Wake { word, score, .. } => counts.hear(&envelope.at, word, *score, None),
            PublicEvent::WakeRejected { word, score, why, .. } => {
                counts.hear(&envelope.at, word, *score, Some(why.clone()));
            }
            _ => {}
        }
    }

    /// What Hark does now.
    pub(crate) fn state(&self) -> HarkState {
        self.lock().state
    }

    /// The last fault of every part, the newest first.
    pub(crate) fn faults(&self) -> Vec<ReportedFault> {
        let mut faults: Vec<_> = self.lock().faults.values().map(|(_, last)| last.clone()).collect();
        faults.sort_by(|a, b| b.at.cmp(&a.at));
        faults
    }

    /// The last wake words and near misses, the newest first.
    pub(crate) fn heard_wake_words(&self) -> Vec<HeardWakeWord> {
        self.lock().heard.iter().rev().cloned().collect()
    }

    /// Writes what was counted.
    pub(crate) fn expose(&self, text: &mut Exposition) {
        let counts = self.lock();
        let mut turns = text.counter("turns", "Turns by the layer that decided and by how they ended.");
        for ((route, outcome), count) in &counts.turns {
            turns.labelled_twice([("route", route), ("outcome", outcome)], count);
        }
        let mut stages = text.histogram("turn_stage_seconds", "How long the stages of turns took.");
        for (name, stage) in STAGES.iter().zip(&counts.stages) {
            stages.distribution(("stage", name), stage);
        }
        let mut faults = text.counter("faults", "Faults that parts have reported.");
        for (part, (count, _)) in &counts.faults {
            faults.labelled(("part", part), count);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        // Whole after every statement that can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn names(route: Option<Route>, outcome: Outcome) -> (String, String) {
    let name = |value: serde_json::Result<serde_json::Value>| match value {
        Ok(serde_json::Value::String(name)) => name,
        // No layer decided.
        _ => "none".to_owned(),
    };
    (name(serde_json::to_value(route)), name(serde_json::to_value(outcome)))
}

fn stages(timings: &Timings) -> [Option<f64>; STAGES.len()] {
    [
        timings.speech_end_to_transcript,
        timings.transcript_to_intent,
        timings.intent_to_action,
        timings.to_first_audio,
        timings.speech_end_to_first_audio,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::{Fault, FaultKind, Stamp};

    fn note(tally: &Tally, at: &str, event: PublicEvent) {
        tally.note(&Envelope::new(event, None, Stamp::default(), at.into()));
    }

    fn exposed(tally: &Tally) -> String {
        let mut text = Exposition::default();
        tally.expose(&mut text);
        text.into()
    }

    fn turn(route: Option<Route>, outcome: Outcome, ms: f64) -> PublicEvent {
        let timings_ms = Timings { transcript_to_intent: Some(ms), ..Timings::default() };
        PublicEvent::Turn { timings_ms, route, attempts: 1, outcome }
    }

    #[test]
    fn turns_and_their_stages_are_counted() {
        let tally = Tally::default();
        note(&tally, "1", turn(Some(Route::Template), Outcome::Done, 4.0));
        note(&tally, "2", turn(Some(Route::Template), Outcome::Done, 40.0));
        note(&tally, "3", turn(None, Outcome::NothingSaid, 40_000.0));
        let text = exposed(&tally);
        for line in [
            "hark_turns_total{route=\"template\",outcome=\"done\"} 2",
            "hark_turns_total{route=\"none\",outcome=\"nothing_said\"} 1",
            "hark_turn_stage_seconds_bucket{stage=\"transcript_to_intent\",le=\"0.005\"} 1",
            "hark_turn_stage_seconds_bucket{stage=\"transcript_to_intent\",le=\"0.05\"} 2",
            "hark_turn_stage_seconds_bucket{stage=\"transcript_to_intent\",le=\"10\"} 2",
            "hark_turn_stage_seconds_bucket{stage=\"transcript_to_intent\",le=\"+Inf\"} 3",
            "hark_turn_stage_seconds_count{stage=\"transcript_to_intent\"} 3",
            "hark_turn_stage_seconds_count{stage=\"to_first_audio\"} 0",
        ] {
            assert!(text.lines().any(|one| one == line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn wake_words_and_near_misses_are_remembered_and_bounded() {
        let tally = Tally::default();
        for number in 0..60_u16 {
            let (word, score) = ("hey_jarvis".to_owned(), f32::from(number));
            let why = "below the threshold".to_owned();
            note(&tally, "1", PublicEvent::WakeRejected { word, score, why });
        }
        note(&tally, "2", PublicEvent::Wake { word: "hey_jarvis".into(), score: 0.9 });
        let heard = tally.heard_wake_words();
        assert_eq!(heard.len(), MAX_HEARD);
        assert_eq!((heard[0].at.as_str(), &heard[0].why), ("2", &None));
        assert_eq!((heard[1].score, heard[1].why.is_some()), (59.0, true));
    }

    #[test]
    fn the_last_fault_of_a_part_is_remembered_and_parts_are_bounded() {
        let tally = Tally::default();
        let fault = |part: &str, message: &str| {
            PublicEvent::Error(Fault::new(FaultKind::Unavailable, part, message, "fix"))
        };
        note(&tally, "1", fault("mqtt", "away"));
        note(&tally, "2", fault("speaker", "lost"));
        note(&tally, "3", fault("mqtt", "away again"));
        note(&tally, "4", PublicEvent::State { state: HarkState::Processing });
        assert_eq!(tally.state(), HarkState::Processing);
        let messages: Vec<String> = tally.faults().into_iter().map(|it| it.fault.message).collect();
        assert_eq!(messages, ["away again", "lost"]);
        assert!(exposed(&tally).contains("hark_faults_total{part=\"mqtt\"} 2\n"));
        for part in 0..1000 {
            note(&tally, "5", fault(&format!("part \"{part}\"\n"), "x"));
        }
        assert_eq!(tally.faults().len(), MAX_PARTS);
    }
}

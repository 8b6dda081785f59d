//! Golden contracts: what programs rely on is pinned in `contracts/`; a change is a visible diff there.
//! `HARK_UPDATE_CONTRACTS=1 cargo test --test end_to_end contracts` writes them anew.

use hark_core::classification::StepWords;
use hark_core::context::{ContextOutcome, ContextPart, ContextSource};
use hark_core::delegation::TaskState;
use hark_core::intent::{Intent, Route, Slots};
use hark_core::model::delivery::{Delivery, PromptPart, PromptSent};
use hark_core::plan::{Plan, Step, StepStatus};
use hark_core::public_event::{BargeIn, HarkState, Outcome, SpeakingEnd, Timings};
use hark_core::session::{ContextStrength, EntryTag, ReplayPolicy, ReplayReason};
use hark_core::speech::{Endpoint, Transcript};
use hark_core::timer::{Timer, TimerChange, TimerKind, TimerState};
use hark_core::tool::reason;
use hark_core::{
    Category, Classification, Envelope, Fault, FaultKind, Lesson, Mode, Part, PublicEvent, Receipt, Reply,
    SpeakerGuess, Stamp, TurnId,
};
use hark_dialog::replies::Replies;
use hark_nlu::sentences::Sentences;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

fn slots(value: Value) -> Slots {
    value.as_object().cloned().unwrap_or_default()
}

/// One of every event. A new variant does not compile until it is in `position`, and is not pinned
/// until it is in here; `every_event_is_pinned` compares the two.
fn samples() -> Vec<PublicEvent> {
    let timer = Timer {
        id: "0198a1".into(),
        kind: TimerKind::Timer,
        name: Some("pizza".into()),
        area: Some("Kitchen".into()),
        duration_ms: 300_000,
        created_unix_ms: 1_790_000_000_000,
        due_unix_ms: 1_790_000_300_000,
        remaining_ms: 300_000,
        state: TimerState::Ringing,
        recurrence: None,
        wall: None,
        skipped: None,
    };
    let receipt = Receipt {
        id: "0198a2".into(),
        ok: true,
        changed: true,
        detail: json!({ "entities": [{ "id": "light.kitchen_ceiling", "from": "off", "to": "on" }] }),
        tainted: false,
    };
    vec![
        PublicEvent::Wake { word: "hey_jarvis".into(), score: 0.5 },
        PublicEvent::WakeRejected { word: "hey_jarvis".into(), score: 0.25, why: "below 0.50".into() },
        PublicEvent::SpeechStarted,
        PublicEvent::SpeechEnded { endpoint: Endpoint::Silence },
        PublicEvent::Partial { text: "turn on the".into(), stable: 7 },
        PublicEvent::Transcript(Transcript {
            text: "turn on the kitchen ceiling".into(),
            engine: "grammar".into(),
            confidence: 0.875,
            language: "en".into(),
            rejected: None,
            why: Some("the grammar is sure: 0.88".into()),
            speaker: Some(SpeakerGuess { name: "Anna".into(), likelihood: 0.9375 }),
        }),
        PublicEvent::Intent {
            intent: Intent {
                name: "HassTurnOn".into(),
                slots: slots(json!({ "name": "Kitchen ceiling" })),
                confidence: 1.0,
                route: Route::Template,
                why: "HassTurnOn.yaml: (turn|switch) on [the] {name}".into(),
                response: None,
                single: false,
            },
            kind: Some(
                Classification::new(
                    "turn on the light",
                    &StepWords::default(),
                    Category::HomeControl,
                    1.0,
                    Vec::new(),
                )
                .into(),
            ),
        },
        PublicEvent::Action {
            tool: "home.turn_on".into(),
            args: slots(json!({ "name": "Kitchen ceiling" })),
            receipt,
            duration_ms: 1.5,
        },
        PublicEvent::Reply {
            text: "Turned on the kitchen ceiling.".into(),
            language: "en".into(),
            ends: true,
        },
        PublicEvent::SpeakingStarted,
        PublicEvent::SpeakingEnded { reason: SpeakingEnd::Done },
        PublicEvent::BargeIn { decision: BargeIn::Duck, latency_ms: 40.0 },
        PublicEvent::State { state: HarkState::Idle },
        PublicEvent::Timer { change: TimerChange::Finished, ring_id: Some(timer.ring_id()), timer },
        PublicEvent::Setting { name: "volume_percent".into(), value: json!(80) },
        PublicEvent::Lesson(Lesson {
            text: "it is gloomy in here".into(),
            meant: "HassTurnOn".into(),
            known: false,
            note: None,
        }),
        PublicEvent::Error(
            Fault::new(FaultKind::Unavailable, "mqtt", "connection refused", "start it").recoverable(),
        ),
        PublicEvent::Turn {
            timings_ms: Timings {
                speech_end_to_transcript: Some(650.0),
                transcript_to_intent: Some(0.5),
                intent_to_action: Some(2.0),
                to_first_audio: Some(20.0),
                speech_end_to_first_audio: Some(672.5),
            },
            route: Some(Route::Template),
            attempts: 1,
            outcome: Outcome::Done,
        },
        PublicEvent::Contract {
            name: "plan".into(),
            attempt: 1,
            valid: false,
            errors: vec!["steps: [] has less than 1 item".into()],
            fallback: false,
        },
        PublicEvent::Plan(Plan {
            id: "0198a3".into(),
            summary: "Make the house ready for the night".into(),
            steps: vec![Step {
                id: "1".into(),
                description: "switch the lights off".into(),
                tool: "home.turn_off".into(),
                args: slots(json!({ "name": "all", "domain": "light" })),
                can_parallel: true,
                depends_on: Vec::new(),
                only_if: None,
                status: StepStatus::Pending,
                receipt: None,
                call: None,
            }],
            tainted: false,
        }),
        PublicEvent::StepUpdate {
            plan: "0198a3".into(),
            step: "1".into(),
            status: StepStatus::Completed,
            message: String::new(),
            total_steps: 3,
            result: json!({ "count": 4 }),
        },
        PublicEvent::Mode { from: Mode::Alert, to: Mode::Working, why: "a task runs".into() },
        PublicEvent::Replay(ReplayPolicy {
            entries_available: 5,
            entries_filtered: 1,
            filtered_types: vec![EntryTag::Meta],
            entries_used: 4,
            chars_used: 612,
            trimmed: false,
            reason: Some(ReplayReason::Continuation),
            context_strength: ContextStrength::Strong,
            tainted: false,
        }),
        PublicEvent::Evaluation {
            label: "strict_answer".into(),
            metrics: slots(json!({ "helpfulness": 2.0 })),
            alert: Some("low_scores".into()),
            flag: None,
        },
        PublicEvent::Context {
            sources: vec![ContextPart {
                source: ContextSource::Knowledge,
                outcome: ContextOutcome::Late,
                items: 0,
                chars: 0,
                took_ms: 400.0,
                why: Some("it took longer than its 400 ms".into()),
            }],
        },
        PublicEvent::Prompt(PromptSent {
            contract: "strict_answer".into(),
            delivery: Delivery {
                server: "main".into(),
                model: "llama3.2".into(),
                outside: false,
                left_out: 0,
                prompt_tokens: Some(640),
                cached_tokens: Some(420),
                answer_tokens: Some(18),
                micro_cents: None,
            },
            tools: 2,
            parts: vec![PromptPart {
                what: "memory".into(),
                chars: 17,
                items: vec!["Anna is your wife".into()],
            }],
        }),
        PublicEvent::Delegation {
            task: "0198a3".into(),
            goal: "write a web server".into(),
            program: "Claude Code".into(),
            workspace: "website".into(),
            state: TaskState::Asking,
            text: "Which port shall it listen on?".into(),
        },
    ]
}

/// The place of an event among the samples; exhaustive, so that a new event cannot be forgotten.
fn position(event: &PublicEvent) -> usize {
    match event {
        PublicEvent::Wake { .. } => 0,
        PublicEvent::WakeRejected { .. } => 1,
        PublicEvent::SpeechStarted => 2,
        PublicEvent::SpeechEnded { .. } => 3,
        PublicEvent::Partial { .. } => 4,
        PublicEvent::Transcript(_) => 5,
        PublicEvent::Intent { .. } => 6,
        PublicEvent::Action { .. } => 7,
        PublicEvent::Reply { .. } => 8,
        PublicEvent::SpeakingStarted => 9,
        PublicEvent::SpeakingEnded { .. } => 10,
        PublicEvent::BargeIn { .. } => 11,
        PublicEvent::State { .. } => 12,
        PublicEvent::Timer { .. } => 13,
        PublicEvent::Setting { .. } => 14,
        PublicEvent::Lesson(_) => 15,
        PublicEvent::Error(_) => 16,
        PublicEvent::Turn { .. } => 17,
        PublicEvent::Contract { .. } => 18,
        PublicEvent::Plan(_) => 19,
        PublicEvent::StepUpdate { .. } => 20,
        PublicEvent::Mode { .. } => 21,
        PublicEvent::Replay(_) => 22,
        PublicEvent::Evaluation { .. } => 23,
        PublicEvent::Context { .. } => 24,
        PublicEvent::Prompt(_) => 25,
        PublicEvent::Delegation { .. } => 26,
    }
}

fn pinned(name: &str, actual: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("contracts").join(name);
    let text = format!("{actual:#}\n");
    if std::env::var_os("HARK_UPDATE_CONTRACTS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        golden == text,
        "contracts/{name} is out of date: see the head of tests/end_to_end/contracts.rs\n{text}"
    );
}

#[test]
fn every_event_is_pinned() {
    let samples = samples();
    let places: Vec<usize> = samples.iter().map(position).collect();
    assert_eq!(places, (0..samples.len()).collect::<Vec<_>>());
    let turn = Some(TurnId::from("k3v9-1"));
    let stamp = Stamp { mono_us: 1_234_500, audio_ms: None };
    let lines = samples.into_iter().map(|event| {
        let envelope = Envelope::new(event, turn.clone(), stamp, "2026-01-02T03:04:05.678+01:00".into());
        let value = serde_json::to_value(&envelope).unwrap();
        let back: Envelope = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&back).unwrap(), value, "reads back as it was written");
        value
    });
    pinned("events.json", &lines.collect());
}

#[test]
fn a_recording_adds_its_position_and_file() {
    let stamp = Stamp { mono_us: 5, audio_ms: Some(2_000) };
    let mut envelope = Envelope::new(PublicEvent::SpeechStarted, None, stamp, "now".into());
    envelope.file = Some("a.wav".into());
    let value = serde_json::to_value(&envelope).unwrap();
    assert_eq!(
        value,
        json!({
            "event": "speech_started", "turn": null, "t_ms": 0.005, "at": "now", "audio_ms": 2000, "file": "a.wav"
        })
    );
}

#[test]
fn what_cannot_be_read_of_a_typed_command_is_told_by_its_words() {
    let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/languages");
    for code in ["de", "en", "nl"] {
        let sentences = Sentences::load(&[languages.join(code).join("sentences")], code).unwrap();
        let replies = Replies::new(sentences.responses());
        for key in ["slip_remind_when", "slip_cron", "slip_model", "slip_tool"] {
            let told = replies.render(&Reply::Slip { key: key.into(), said: "big:70b".into() }, 0).unwrap();
            assert!(told.contains("big:70b"), "{code} {key}: {told}");
        }
    }
}

#[test]
fn what_is_not_set_up_or_not_reached_is_said_in_plain_words_and_with_what_to_do() {
    let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/languages");
    for code in ["de", "en", "nl"] {
        let sentences = Sentences::load(&[languages.join(code).join("sentences")], code).unwrap();
        let replies = Replies::new(sentences.responses());
        let said = |detail: Value| {
            let intent = Intent {
                name: "HarkLockScreen".into(),
                slots: Slots::default(),
                confidence: 1.0,
                route: Route::Template,
                why: String::new(),
                response: None,
                single: false,
            };
            let receipt = Receipt { id: "r".into(), ok: false, changed: false, detail, tainted: false };
            replies.render(&Reply::Parts { parts: vec![Part::Done { intent, receipt }] }, 0).unwrap()
        };
        let technical = "unix:path=/run/user/1000/bus: DISPLAY is not set";
        let failed = |why: &str, key: &str, value: &str| {
            said(
                json!({"error": "not_configured", "why": why, "message": technical, "fix": technical, key: value}),
            )
        };
        let parts = reason::Part::ALL.iter().map(|part| failed(reason::NOT_SET_UP, "part", part.word()));
        let services =
            reason::Service::ALL.iter().map(|one| failed(reason::SERVICE_DOWN, "service", one.word()));
        let others = [
            reason::NO_DESKTOP,
            reason::NO_SESSION,
            reason::NO_SYSTEM_BUS,
            reason::MACHINE_DENIES,
            reason::NOT_LOCKED,
        ];
        let others = others.iter().map(|why| failed(why, "none", ""));
        let all: Vec<String> = parts.chain(services).chain(others).collect();
        let known: BTreeSet<&String> = all.iter().collect();
        assert_eq!(known.len(), all.len(), "{code}: two of them are the same: {all:#?}");
        for text in &all {
            let is_plain = !text.contains(['/', '_', '=', ':']) && !text.contains("DISPLAY");
            assert!(is_plain && text.split(". ").count() == 2, "{code}: {text}");
        }
        let denied = failed(reason::MACHINE_DENIES, "none", "");
        assert_ne!(denied, said(json!({"error": "forbidden"})), "{code}");
        let unknown = said(json!({"error": "not_configured", "message": technical}));
        assert!(!unknown.contains("DISPLAY"), "{code}: {unknown}");
    }
}

#[test]
fn every_language_tells_every_reason_of_a_tool() {
    let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/languages");
    for code in ["de", "en", "nl"] {
        let sentences = Sentences::load(&[languages.join(code).join("sentences")], code).unwrap();
        let told: Vec<&str> = sentences.responses()["reasons"].keys().map(String::as_str).collect();
        let mut reasons = reason::ALL.to_vec();
        reasons.sort_unstable();
        assert_eq!(told, reasons, "{code}");
    }
}

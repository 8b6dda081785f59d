//! Table and property tests of the turn machine.

use super::state::Phase;
use super::{Machine, Settings};
use hark_config::barge_in::BargeInStyle;
use hark_config::speaking::FollowUp;
use hark_core::audio::Earcon;
use hark_core::ports::Completeness;
use hark_core::public_event::{HarkState, Origin, Outcome, PublicEvent, SpeakingEnd};
use hark_core::timer::{Timer, TimerChange, TimerKind, TimerState};
use hark_core::{
    Effect, Endpoint, Event, Intent, Part, Receipt, Reply, Route, Setting, Slots, Stamp, Transcript, TurnId,
    Understanding, Words,
};
use proptest::prelude::*;
use serde_json::json;
use std::collections::VecDeque;

pub(super) fn settings() -> Settings {
    Settings {
        id_prefix: "t".into(),
        language: "en".into(),
        languages: vec!["en".into(), "de".into()],
        listen_window_ms: 5_000,
        approval_window_ms: 10_000,
        ring_max_ms: 60_000,
        volume_percent: 80,
        earcons: true,
        wake_sound: true,
        words_per_minute: 170,
        barge_in: Default::default(),
        follow_up: FollowUp::Questions,
        follow_up_ms: 5_000,
        context_ms: 300_000,
        thinks: false,
        models: Vec::new(),
        task_timeout_ms: 180_000,
        question_window_ms: 120_000,
        rest_after_ms: 600_000,
    }
}

pub(super) fn machine() -> Machine {
    Machine::new(settings())
}

pub(super) fn at(ms: u64) -> Stamp {
    Stamp::live(ms * 1000)
}

pub(super) fn turn(n: u32) -> TurnId {
    TurnId(format!("t-{n}"))
}

pub(super) fn transcript(text: &str, rejected: bool) -> Transcript {
    Transcript {
        text: text.into(),
        engine: "grammar".into(),
        confidence: 0.9,
        language: "en".into(),
        rejected: rejected.then(|| "does not fit".into()),
        why: None,
        speaker: None,
    }
}

pub(super) fn heard(text: &str, rejected: bool) -> Event {
    Event::Transcript { transcript: transcript(text, rejected) }
}

pub(super) fn typed(text: &str) -> Event {
    Event::Typed { text: text.into(), origin: Origin::Cli, speak: false, dry_run: false }
}

pub(super) fn intent(name: &str) -> Intent {
    Intent {
        name: name.into(),
        slots: Slots::from_iter([("name".to_owned(), json!("front door"))]),
        confidence: 1.0,
        route: Route::Template,
        why: "test".into(),
        response: None,
        single: false,
    }
}

pub(super) fn understood(n: u32, names: &[&str]) -> Event {
    let intents = names.iter().map(|name| intent(name)).collect();
    Event::Understood {
        turn: turn(n),
        understanding: Understanding { intents, why: "nothing fits".into(), ..Understanding::default() },
    }
}

pub(super) fn acted(n: u32, index: usize, ok: bool, error: &str) -> Event {
    let detail = if ok { json!({}) } else { json!({ "error": error }) };
    let receipt =
        Receipt { id: format!("r{index}").as_str().into(), ok, changed: ok, detail, tainted: false };
    Event::Acted { turn: turn(n), index, receipt, duration_ms: 1.0 }
}

pub(super) fn replied(n: u32, speaks: bool) -> Event {
    Event::Replied { turn: turn(n), text: "words".into(), language: "en".into(), speaks }
}

pub(super) fn run(machine: &mut Machine, events: Vec<(u64, Event)>) -> Vec<Effect> {
    events.into_iter().flat_map(|(ms, event)| machine.handle(at(ms), event)).collect()
}

fn states(effects: &[Effect]) -> Vec<HarkState> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Publish { event: PublicEvent::State { state }, .. } => Some(*state),
            _ => None,
        })
        .collect()
}

pub(super) fn outcomes(effects: &[Effect]) -> Vec<Outcome> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Publish { event: PublicEvent::Turn { outcome, .. }, .. } => Some(*outcome),
            _ => None,
        })
        .collect()
}

pub(super) fn calls(effects: &[Effect]) -> Vec<(String, bool)> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Act { call } => Some((call.tool.clone(), call.approved)),
            _ => None,
        })
        .collect()
}

/// What is to be understood.
pub(super) fn asked(effects: &[Effect]) -> Vec<&str> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Understand { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

pub(super) fn replies(effects: &[Effect]) -> Vec<Reply> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Reply { reply, .. } => Some(reply.clone()),
            _ => None,
        })
        .collect()
}

pub(super) fn wake() -> Event {
    Event::Wake { word: "hey_jarvis".into(), score: 0.99 }
}

pub(super) fn timer(id: &str) -> Timer {
    Timer {
        id: id.into(),
        kind: TimerKind::Timer,
        name: None,
        area: None,
        duration_ms: 1000,
        created_unix_ms: 0,
        due_unix_ms: 1000,
        remaining_ms: 0,
        state: TimerState::Ringing,
        recurrence: None,
        wall: None,
        skipped: None,
    }
}

#[test]
fn a_spoken_request_goes_all_the_way() {
    let mut machine = machine();
    let effects = run(
        &mut machine,
        vec![
            (1000, wake()),
            (1200, Event::SpeechStarted),
            (2600, Event::SpeechEnded { endpoint: Endpoint::Silence, silence_ms: 600 }),
            (2650, heard("turn on the lamp", false)),
            (2651, understood(1, &["HassTurnOn"])),
            (2661, acted(1, 0, true, "")),
            (2662, replied(1, true)),
            (2700, Event::SpeakingStarted { turn: turn(1) }),
            (3700, Event::SpeakingEnded { turn: turn(1), reason: SpeakingEnd::Done }),
        ],
    );
    use HarkState::{Idle, Listening, Processing, Responding};
    assert_eq!(states(&effects), [Listening, Processing, Responding, Idle]);
    assert_eq!(calls(&effects), [("home.turn_on".to_owned(), false)]);
    assert_eq!(outcomes(&effects), [Outcome::Done]);
    let timings = effects.iter().find_map(|effect| match effect {
        Effect::Publish { event: PublicEvent::Turn { timings_ms, .. }, .. } => Some(*timings_ms),
        _ => None,
    });
    let timings = timings.unwrap();
    assert_eq!(timings.speech_end_to_transcript, Some(650.0));
    assert_eq!(timings.transcript_to_intent, Some(1.0));
    assert_eq!(timings.intent_to_action, Some(10.0));
    assert_eq!(timings.to_first_audio, Some(39.0));
    assert_eq!(timings.speech_end_to_first_audio, Some(700.0));
    assert!(machine.is_idle());
}

#[test]
fn how_requests_end() {
    let listening = || vec![(0, wake()), (10, Event::SpeechStarted)];
    let ended = || (20, Event::SpeechEnded { endpoint: Endpoint::Silence, silence_ms: 0 });
    type Row = (&'static str, Vec<(u64, Event)>, Vec<Outcome>, usize);
    let table: Vec<Row> = vec![
        ("nobody speaks", vec![(0, wake()), (5000, Event::NothingSaid)], vec![Outcome::NothingSaid], 0),
        (
            "speech that is not stood by is never acted on",
            [listening(), vec![ended(), (30, heard("unlock the door", true)), (40, replied(1, false))]]
                .concat(),
            vec![Outcome::NotUnderstood],
            0,
        ),
        (
            "words that mean nothing",
            vec![(0, typed("colourless green")), (1, understood(1, &[])), (2, replied(1, false))],
            vec![Outcome::NotUnderstood],
            0,
        ),
        (
            "a yes that answers nothing",
            vec![(0, typed("yep")), (1, understood(1, &["HarkConfirm"])), (2, replied(1, false))],
            vec![Outcome::NotUnderstood],
            0,
        ),
        (
            "a failed receipt",
            vec![
                (0, typed("turn on")),
                (1, understood(1, &["HassTurnOn"])),
                (2, acted(1, 0, false, "offline")),
                (3, replied(1, false)),
            ],
            vec![Outcome::Failed],
            1,
        ),
        (
            "a new wake word takes the place of the request before",
            vec![(0, wake()), (3000, wake()), (8000, Event::NothingSaid)],
            vec![Outcome::Cancelled, Outcome::NothingSaid],
            0,
        ),
        (
            "never mind",
            [listening(), vec![ended(), (30, heard("never mind", false)), (40, replied(1, false))]].concat(),
            vec![Outcome::Done],
            0,
        ),
    ];
    for (name, events, expected, acts) in table {
        let mut machine = machine();
        let effects = run(&mut machine, events);
        assert_eq!(outcomes(&effects), expected, "{name}");
        assert_eq!(calls(&effects).len(), acts, "{name}");
        assert!(machine.is_idle(), "{name}");
    }
}

#[test]
fn two_requests_wait_for_both_receipts() {
    let mut machine = machine();
    let first = run(
        &mut machine,
        vec![
            (0, typed("a and b")),
            (1, understood(1, &["HassTurnOff", "HassTurnOn"])),
            (2, acted(1, 1, true, "")),
        ],
    );
    assert_eq!(calls(&first).len(), 2);
    assert!(replies(&first).is_empty(), "one receipt is still missing");
    let second = run(&mut machine, vec![(3, acted(1, 0, true, ""))]);
    let said = replies(&second);
    let [Reply::Parts { parts }] = said.as_slice() else { panic!("one reply of parts") };
    let names: Vec<String> = parts
        .iter()
        .map(|part| match part {
            Part::Done { intent, .. } | Part::Answer { intent } => intent.name.clone(),
            Part::Missed { text } | Part::Unknown { name: text } => text.clone(),
        })
        .collect();
    assert_eq!(names, ["HassTurnOff", "HassTurnOn"], "told in the order they were said");
}

/// Somebody asks for the door, and the gate says what it `needs`.
pub(super) fn unlocking(machine: &mut Machine, needs: &str) -> Vec<Effect> {
    run(
        machine,
        vec![
            (0, typed("unlock the front door")),
            (1, understood(1, &["HassTurnOff"])),
            (2, acted(1, 0, false, needs)),
            (3, replied(1, false)),
        ],
    )
}

#[test]
fn a_dangerous_act_needs_a_yes_from_the_same_person_in_time() {
    let asked = |machine: &mut Machine| unlocking(machine, "needs_approval");
    let mut yes = machine();
    assert!(matches!(replies(&asked(&mut yes))[..], [Reply::AskApproval { .. }]));
    let effects = run(&mut yes, vec![(5000, typed("yes"))]);
    assert_eq!(calls(&effects), [("home.turn_off".to_owned(), true)]);
    let again =
        run(&mut yes, vec![(5001, acted(2, 0, true, "")), (5002, replied(2, false)), (6000, typed("yes"))]);
    assert!(calls(&again).is_empty(), "a yes approves once");

    let mut no = machine();
    asked(&mut no);
    let effects = run(&mut no, vec![(5000, typed("no")), (5001, replied(2, false)), (5002, typed("yes"))]);
    assert!(calls(&effects).is_empty());

    let mut late = machine();
    asked(&mut late);
    let effects = run(&mut late, vec![(10_002, Event::Tick), (10_003, typed("yes"))]);
    assert!(calls(&effects).is_empty());

    let mut other = machine();
    asked(&mut other);
    let stranger = Event::Typed { text: "yes".into(), origin: Origin::Mqtt, speak: false, dry_run: false };
    assert!(calls(&run(&mut other, vec![(5000, stranger)])).is_empty());

    let mut changed = machine();
    asked(&mut changed);
    let effects = run(
        &mut changed,
        vec![(5, typed("what time is it")), (6, understood(2, &["HassGetCurrentTime"])), (7, typed("yes"))],
    );
    assert_eq!(
        calls(&effects),
        [("datetime.time".to_owned(), false)],
        "another request withdraws the question"
    );
}

#[test]
fn a_spoken_question_for_approval_opens_the_ear_when_it_has_been_said() {
    let mut machine = machine();
    let effects = run(
        &mut machine,
        vec![
            (0, wake()),
            (10, Event::SpeechStarted),
            (20, Event::SpeechEnded { endpoint: Endpoint::Silence, silence_ms: 0 }),
            (30, heard("unlock the front door", false)),
            (31, understood(1, &["HassTurnOff"])),
            (32, acted(1, 0, false, "needs_approval")),
            (33, replied(1, true)),
            (34, Event::SpeakingStarted { turn: turn(1) }),
        ],
    );
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Listen { .. })));
    let effects =
        run(&mut machine, vec![(2000, Event::SpeakingEnded { turn: turn(1), reason: SpeakingEnd::Done })]);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Listen { .. })));
    assert_eq!(outcomes(&effects), [Outcome::AwaitingApproval]);
    let effects = run(
        &mut machine,
        vec![
            (3000, Event::SpeechStarted),
            (3400, Event::SpeechEnded { endpoint: Endpoint::Silence, silence_ms: 0 }),
            (3410, heard("yes", false)),
        ],
    );
    assert_eq!(calls(&effects), [("home.turn_off".to_owned(), true)]);
}

#[test]
fn the_wake_sound_waits_for_a_person_who_waits() {
    let sounds = |events: Vec<(u64, Event)>| {
        let effects = run(&mut machine(), events);
        effects.iter().filter(|effect| **effect == Effect::PlayEarcon { earcon: Earcon::Wake }).count()
    };
    assert_eq!(sounds(vec![(0, wake()), (600, Event::Tick)]), 1);
    assert_eq!(sounds(vec![(0, wake()), (200, Event::SpeechStarted), (600, Event::Tick)]), 0, "one breath");
}

#[test]
fn stop_silences_everything() {
    let mut machine = machine();
    run(&mut machine, vec![(0, Event::Timer { change: TimerChange::Finished, timer: timer("a") })]);
    let effects = run(&mut machine, vec![(10, replied(1, true)), (20, Event::Stop)]);
    assert!(effects.contains(&Effect::StopSpeaking));
    assert!(effects.contains(&Effect::AcknowledgeTimers));
    assert!(machine.is_idle());
    assert_eq!(machine.next_deadline_ms(), machine.rests_at_ms());
}

#[test]
fn a_timer_rings_until_it_is_heard_or_given_up() {
    let mut machine = machine();
    let ring =
        |effects: &[Effect]| effects.iter().any(|e| *e == Effect::PlayEarcon { earcon: Earcon::Timer });
    let first =
        run(&mut machine, vec![(0, Event::Timer { change: TimerChange::Finished, timer: timer("a") })]);
    assert!(ring(&first));
    let mut rings = 1;
    let mut gave_up = false;
    let mut said = 1;
    for step in 1..200_u64 {
        let now = step * 500;
        let mut effects = run(&mut machine, vec![(now, Event::Tick)]);
        if ring(&effects) {
            rings += 1;
            said += 1;
        }
        effects.extend(run(
            &mut machine,
            vec![
                (now + 1, replied(said, true)),
                (now + 2, Event::SpeakingEnded { turn: turn(said), reason: SpeakingEnd::Done }),
            ],
        ));
        gave_up |= effects.iter().any(|effect| matches!(effect, Effect::GiveUpTimers { .. }));
    }
    assert!((5..=16).contains(&rings), "rang {rings} times in a minute");
    assert!(gave_up, "an empty house is not rung at for ever");
    assert!(machine.is_idle());
}

#[test]
fn a_muted_ear_opens_no_turn() {
    let mut machine = machine();
    let effects = run(
        &mut machine,
        vec![(0, Event::Set { setting: Setting::MicMute(true) }), (1, wake()), (2, Event::ListenNow)],
    );
    assert_eq!(states(&effects), [HarkState::Muted]);
    assert!(machine.is_idle());
    let effects = run(&mut machine, vec![(3, Event::Set { setting: Setting::MicMute(false) }), (4, wake())]);
    assert_eq!(states(&effects), [HarkState::Idle, HarkState::Listening]);
}

#[test]
fn a_part_that_never_answers_does_not_leave_hark_stuck() {
    let mut machine = machine();
    let effects = run(
        &mut machine,
        vec![(0, typed("turn on")), (1, understood(1, &["HassTurnOn"])), (60_001, Event::Tick)],
    );
    assert_eq!(replies(&effects), [Reply::Fixed { key: "gave_up".into() }]);
    let effects = run(&mut machine, vec![(60_002, acted(1, 0, true, "")), (60_003, replied(1, false))]);
    assert_eq!(outcomes(&effects), [Outcome::Failed], "a receipt after the apology changes nothing");
}

#[test]
fn a_reply_that_waits_for_others_to_be_said_has_time() {
    let mut machine = machine();
    let say = |n: u32| vec![(n.into(), Event::Say { text: "long".into() }), (n.into(), replied(n, true))];
    run(&mut machine, (1..=3).flat_map(say).collect());
    let started = |n: u32| Event::SpeakingStarted { turn: turn(n) };
    let ended = |n: u32| Event::SpeakingEnded { turn: turn(n), reason: SpeakingEnd::Done };
    let events = vec![(4, started(1)), (55_000, ended(1)), (55_001, started(2)), (110_000, Event::Tick)];
    let effects = run(&mut machine, events);
    assert_eq!(outcomes(&effects), [Outcome::Done], "nothing is given up");
    let effects = run(&mut machine, vec![(110_001, ended(2)), (110_002, started(3)), (300_000, Event::Tick)]);
    assert_eq!(outcomes(&effects), [Outcome::Done, Outcome::Failed], "but a voice that hangs is");
}

#[test]
fn repeat_says_the_last_reply_again() {
    let mut machine = machine();
    let effects = run(&mut machine, vec![(0, typed("repeat that"))]);
    assert_eq!(replies(&effects), [Reply::Fixed { key: "repeated_nothing".into() }]);
    let effects = run(&mut machine, vec![(1, replied(1, false)), (2, typed("say that again"))]);
    assert_eq!(replies(&effects), [Reply::Text { text: "words".into() }]);
}

fn any_event() -> impl Strategy<Value = Event> {
    let number = 1..6_u32;
    let name =
        prop::sample::select(vec!["HassTurnOn", "HassTurnOff", "HarkStop", "HarkConfirm", "HarkHowAreYou"]);
    let text = prop::sample::select(vec!["yes", "no", "stop", "repeat", "mute", "turn on the lamp", ""]);
    let partial = prop::sample::select(vec!["stop", "turn on the", "words", "hey", ""]);
    let error = prop::sample::select(vec!["needs_approval", "needs_pin", "offline", "nonsense"]);
    prop_oneof![
        Just(wake()),
        Just(Event::SpeechStarted),
        Just(Event::SpeechEnded { endpoint: Endpoint::Silence, silence_ms: 600 }),
        (text.clone(), any::<bool>()).prop_map(|(text, rejected)| heard(text, rejected)),
        Just(Event::NothingSaid),
        text.prop_map(typed),
        (number.clone(), prop::collection::vec(name, 0..3)).prop_map(|(n, names)| understood(n, &names)),
        (number.clone(), 0..3_usize, any::<bool>(), error)
            .prop_map(|(n, i, ok, error)| acted(n, i, ok, error)),
        (number.clone(), any::<bool>()).prop_map(|(n, speaks)| replied(n, speaks)),
        number.clone().prop_map(|n| Event::SpeakingStarted { turn: turn(n) }),
        (number, any::<bool>()).prop_map(|(n, done)| {
            let reason = if done { SpeakingEnd::Done } else { SpeakingEnd::Stop };
            Event::SpeakingEnded { turn: turn(n), reason }
        }),
        (0..500_u64, any::<bool>()).prop_map(|(ago_ms, goes_on)| Event::Interruption { ago_ms, goes_on }),
        (partial, any::<bool>(), 0..1_000_u64).prop_map(|(text, home, spoken_ms)| {
            let completeness = if home { Completeness::Unfinished } else { Completeness::Unknown };
            let (text, stable) = (text.into(), text.len());
            Event::Partial(Words { text, stable, completeness, spoken_ms, ..Words::default() })
        }),
        Just(Event::Timer { change: TimerChange::Finished, timer: timer("a") }),
        Just(Event::ListenNow),
        Just(Event::Stop),
        any::<bool>().prop_map(|muted| Event::Set { setting: Setting::MicMute(muted) }),
        Just(Event::Tick),
    ]
}

proptest! {
    /// Whatever happens in whatever order: every success is backed by a receipt, nothing approved runs
    /// without a yes, nobody rejected is acted on, and time brings the machine back to rest.
    #[test]
    fn promises_hold_for_any_history(events in prop::collection::vec((0..3_000_u64, any_event()), 0..80)) {
        let mut machine = machine();
        let mut now = 0;
        for (wait, event) in events {
            now += wait;
            let said_yes = matches!(&event, Event::Typed { text, .. } if text == "yes")
                || matches!(&event, Event::Transcript { transcript } if transcript.text == "yes" && transcript.rejected.is_none())
                || matches!(&event, Event::Understood { .. });
            let rejected = matches!(&event, Event::Transcript { transcript } if transcript.rejected.is_some());
            for effect in machine.handle(at(now), event) {
                match effect {
                    Effect::Act { call } => {
                        prop_assert!(!rejected);
                        prop_assert!(!call.approved || said_yes);
                    }
                    Effect::Reply { reply: Reply::Parts { parts }, .. } => {
                        for part in parts {
                            if let Part::Answer { intent } = part {
                                prop_assert!(crate::intent_tools::tool_for(&intent.name).is_none());
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        machine.handle(at(now + 1), Event::Stop);
        prop_assert!(machine.is_idle());
        prop_assert_eq!(machine.next_deadline_ms(), machine.rests_at_ms());
    }

    /// Whoever speaks when: a voice that was made quieter comes back or falls silent in time, at most one
    /// turn listens, the audio pipeline watches exactly while something can be heard, and what was not understood
    /// never opens the audio pipeline again.
    #[test]
    fn interruptions_end(
        style in prop::sample::select(vec![
            BargeInStyle::Revocable, BargeInStyle::Immediate, BargeInStyle::WakeWord, BargeInStyle::Off,
        ]),
        events in prop::collection::vec((0..900_u64, any_event()), 0..80),
    ) {
        let mut settings = settings();
        settings.barge_in.style = style;
        settings.follow_up = FollowUp::Always;
        let mut machine = Machine::new(settings);
        let (mut now, mut ducked, mut watching) = (0, false, false);
        let mut events: VecDeque<(u64, Event)> = events.into();
        events.extend(std::iter::repeat_n((1_000, Event::Tick), 6));
        while let Some((wait, event)) = events.pop_front() {
            now += wait;
            let asked = matches!(event, Event::ListenNow | Event::SpeakingEnded { .. } | Event::Replied { .. });
            for effect in machine.handle(at(now), event) {
                match effect {
                    // A voice that does what it is told.
                    Effect::Reply { turn, speak: true, .. } => {
                        let (text, language) = ("Some words. Which one?".into(), "en".into());
                        events.push_front((50, Event::SpeakingStarted { turn: turn.clone() }));
                        events.push_front((0, Event::Replied { turn, text, language, speaks: true }));
                    }
                    Effect::Duck { .. } => {
                        prop_assert!(!ducked && style == BargeInStyle::Revocable);
                        ducked = true;
                    }
                    // For who goes on with a request a voice waits that has not begun.
                    Effect::PauseSpeaking => ducked = true,
                    // To a voice that has just been stopped the first is nothing.
                    Effect::Unduck | Effect::StopSpeaking => ducked = false,
                    Effect::Watch { on } => {
                        prop_assert_ne!(on, watching);
                        watching = on;
                    }
                    Effect::Listen { .. } => prop_assert!(asked, "only after a reply or on demand"),
                    _ => {}
                }
            }
            let listening = machine.turns.iter().filter(|turn| turn.phase == Phase::Listening).count();
            prop_assert!(listening <= 1);
            prop_assert!(!ducked || machine.next_deadline_ms().is_some());
            let audible = machine.turns.iter().any(|turn| turn.sounding);
            prop_assert!(watching || !audible);
        }
        prop_assert!(!ducked, "six seconds decide");
    }

    /// A recorded log replays to the same effects, also after a journey through JSON.
    #[test]
    fn a_log_replays(events in prop::collection::vec((0..3_000_u64, any_event()), 0..40)) {
        let (mut live, mut replay) = (machine(), machine());
        for (ms, event) in events {
            let line = serde_json::to_string(&(at(ms), &event)).unwrap();
            let (stamp, read): (Stamp, Event) = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(live.handle(at(ms), event), replay.handle(stamp, read));
        }
    }
}

//! Table tests of interruptions, echoes and follow-ups.

use super::tests::{
    acted, calls, heard, outcomes, replies, run, settings, timer, transcript, turn, typed, understood, wake,
};
use super::{Machine, Settings};
use hark_config::barge_in::BargeInStyle;
use hark_config::speaking::FollowUp;
use hark_core::audio::Earcon;
use hark_core::ports::Completeness;
use hark_core::public_event::{BargeIn, Outcome, PublicEvent, SpeakingEnd};
use hark_core::timer::TimerChange;
use hark_core::{Effect, Endpoint, Event, Reply, Transcript, Words};

const LONG: &str = "The weather is fine, and it will stay like that for the whole week, which is nice.";

fn machine_of(style: BargeInStyle) -> Machine {
    let mut settings = settings();
    settings.barge_in.style = style;
    Machine::new(settings)
}

/// A machine that has been saying `text` since 1000 ms, as turn 1, because somebody asked.
fn saying(mut settings: Settings, style: BargeInStyle, text: &str) -> Machine {
    settings.barge_in.style = style;
    let mut machine = Machine::new(settings);
    let events = vec![
        (0, wake()),
        (10, Event::SpeechStarted),
        (20, ended()),
        (30, heard("what is the weather", false)),
        (31, understood(1, &["HassGetWeather"])),
        (32, acted(1, 0, true, "")),
        (33, replied(1, text)),
        (1_000, Event::SpeakingStarted { turn: turn(1) }),
    ];
    run(&mut machine, events);
    machine
}

fn replied(n: u32, text: &str) -> Event {
    Event::Replied { turn: turn(n), text: text.into(), language: "en".into(), speaks: true }
}

fn ended() -> Event {
    Event::SpeechEnded { endpoint: Endpoint::Silence, silence_ms: 0 }
}

fn drained(n: u32) -> Event {
    Event::SpeakingEnded { turn: turn(n), reason: SpeakingEnd::Done }
}

fn interruption() -> Event {
    Event::Interruption { ago_ms: 160, goes_on: false }
}

/// Words that all of `spoken_ms` have been listened to for.
fn words(spoken_ms: u64, text: &str, completeness: Completeness) -> Event {
    let text = text.to_owned();
    Event::Partial(Words { stable: text.len(), text, completeness, spoken_ms, ..Words::default() })
}

/// What is done to the voice and the audio pipeline, in order, with the public decisions among it.
fn done_by(effects: &[Effect]) -> Vec<String> {
    let named = |effect: &Effect| match effect {
        Effect::Publish { event: PublicEvent::BargeIn { decision, latency_ms }, .. } => {
            let name = match decision {
                BargeIn::Duck => "told duck",
                BargeIn::Stop => "told stop",
                BargeIn::Resume => "told resume",
            };
            Some(format!("{name} {latency_ms}"))
        }
        Effect::Publish { event: PublicEvent::SpeakingEnded { reason }, .. } => {
            Some(format!("ended {reason:?}"))
        }
        Effect::Publish { event: PublicEvent::WakeRejected { .. }, .. } => Some("wake rejected".into()),
        Effect::Duck { db } => Some(format!("duck {db}")),
        Effect::PauseSpeaking => Some("pause".into()),
        Effect::Unduck => Some("unduck".into()),
        Effect::StopSpeaking => Some("silence".into()),
        Effect::Attend => Some("attend".into()),
        Effect::Doubt => Some("doubt".into()),
        Effect::Dismiss => Some("dismiss".into()),
        Effect::Watch { on } => Some(format!("watch {on}")),
        Effect::Listen { window_ms, short_answer } => Some(format!("listen {window_ms} {short_answer}")),
        Effect::StopListening => Some("sleep".into()),
        Effect::AcknowledgeTimers => Some("acknowledge".into()),
        _ => None,
    };
    effects.iter().filter_map(named).collect()
}

#[test]
fn a_request_over_the_reply_ducks_it_stops_it_and_is_understood() {
    let mut machine = saying(settings(), BargeInStyle::Revocable, LONG);
    let effects = run(&mut machine, vec![(3_160, interruption())]);
    assert_eq!(done_by(&effects), ["duck 18", "told duck 160"]);
    let effects = run(&mut machine, vec![(3_500, words(500, "turn", Completeness::Unfinished))]);
    assert_eq!(done_by(&effects), ["pause"]);
    let effects = run(&mut machine, vec![(3_700, words(700, "turn off the", Completeness::Unfinished))]);
    assert_eq!(done_by(&effects), ["told stop 700", "silence", "ended BargeIn", "attend", "watch false"]);
    assert_eq!(outcomes(&effects), [Outcome::Done], "the reply's turn is closed");
    let effects = run(
        &mut machine,
        vec![
            (3_710, Event::SpeakingEnded { turn: turn(1), reason: SpeakingEnd::Stop }),
            (4_600, ended()),
            (4_650, heard("turn off the lamp", false)),
            (4_651, understood(2, &["HassTurnOff"])),
        ],
    );
    assert_eq!(calls(&effects), [("home.turn_off".to_owned(), false)]);
    assert_eq!(done_by(&effects), Vec::<String>::new(), "the old reply's end is old news");
}

#[test]
fn a_stop_that_is_doubted_silences_it_and_is_understood() {
    let mut machine = saying(settings(), BargeInStyle::Revocable, LONG);
    let doubted = Transcript { confidence: 0.36, ..transcript("stop", true) };
    let effects = run(
        &mut machine,
        vec![(3_160, interruption()), (3_700, ended()), (3_750, Event::Transcript { transcript: doubted })],
    );
    assert!(done_by(&effects).contains(&"silence".to_owned()), "{effects:?}");
    assert_eq!(replies(&effects), [Reply::Fixed { key: "stopped".into() }]);
}

#[test]
fn other_speech_is_ducked_and_the_voice_comes_back() {
    let mut machine = saying(settings(), BargeInStyle::Revocable, LONG);
    run(
        &mut machine,
        vec![(3_160, interruption()), (3_700, words(700, "he by even", Completeness::Unknown))],
    );
    assert_eq!(machine.next_deadline_ms(), Some(3_800));
    let effects = run(&mut machine, vec![(3_799, Event::Tick), (3_800, Event::Tick)]);
    assert_eq!(done_by(&effects), ["doubt", "unduck", "told resume 800"]);
    // Somebody else may say more meanwhile.
    let effects = run(
        &mut machine.clone(),
        vec![(5_160, interruption()), (5_700, words(700, "turn off the", Completeness::Unfinished))],
    );
    assert_eq!(done_by(&effects)[..3], ["duck 18", "told duck 160", "told stop 700"]);
    // Neither more words nor the last one change that.
    let effects = run(
        &mut machine,
        vec![
            (4_200, words(1200, "he by even turn the", Completeness::Unfinished)),
            (9_000, ended()),
            (9_100, heard("turn the lamp on", true)),
        ],
    );
    assert_eq!(done_by(&effects), Vec::<String>::new());
    // The next one is looked at anew.
    let effects = run(&mut machine, vec![(9_500, interruption()), (9_600, drained(1))]);
    assert_eq!(
        done_by(&effects),
        ["duck 18", "told duck 160", "unduck", "told resume 260", "ended Done", "watch false"]
    );
}

#[test]
fn a_request_that_became_clear_too_late_still_counts_when_it_is_whole() {
    for (text, rejected, stops) in [
        ("turn off the lamp", false, true),
        ("turn off the lamp", true, false),
        ("hello there", false, false),
        ("for the whole week", false, false),
    ] {
        let mut machine = saying(settings(), BargeInStyle::Revocable, LONG);
        run(&mut machine, vec![(3_160, interruption()), (3_960, Event::Tick), (4_600, ended())]);
        let effects = run(&mut machine, vec![(4_650, heard(text, rejected))]);
        let expected: &[&str] = match stops {
            true => &["told stop 1650", "silence", "ended BargeIn", "attend", "watch false"],
            false => &[],
        };
        assert_eq!(done_by(&effects), expected, "{text}");
        let understood = effects.iter().any(|effect| matches!(effect, Effect::Understand { .. }));
        assert_eq!(understood, stops, "{text}");
    }
}

#[test]
fn speech_that_may_be_a_request_has_it_pause_before_it_is_decided() {
    use Completeness::{Unfinished, Unknown};
    let doubtful = |ms, completeness, gain| {
        let text = "set an".to_owned();
        Event::Partial(Words { text, completeness, opening: Some(gain), spoken_ms: ms, ..Words::default() })
    };
    for (completeness, gain, pauses) in
        [(Unfinished, 1.5, true), (Unfinished, -3.0, false), (Unknown, 1.5, false)]
    {
        let over = || {
            let mut machine = saying(settings(), BargeInStyle::Revocable, LONG);
            run(&mut machine, vec![(3_160, interruption())]);
            assert_eq!(machine.next_deadline_ms(), Some(3_440));
            machine
        };
        let early = doubtful(480, completeness, gain);
        let expected = &["pause"][..usize::from(pauses)];
        // Words that are there when the time has come, and words that come later.
        let mut machine = over();
        let effects = run(&mut machine, vec![(3_400, early.clone()), (3_440, Event::Tick)]);
        assert_eq!(done_by(&effects), expected, "{gain} {completeness:?}");
        let mut machine = over();
        let effects = run(
            &mut machine,
            vec![(3_440, Event::Tick), (3_600, early), (3_700, doubtful(510, completeness, gain))],
        );
        assert_eq!(done_by(&effects), expected, "{gain} {completeness:?}: once");
        let resumes_ms = if pauses { 4_000 } else { 3_800 };
        assert_eq!(machine.next_deadline_ms(), Some(resumes_ms));
        let effects = run(&mut machine, vec![(resumes_ms, Event::Tick)]);
        let told = format!("told resume {}", resumes_ms - 3_000);
        assert_eq!(done_by(&effects), ["doubt", "unduck", &told], "{gain}");
    }
}

/// Nothing would end that pause, and the next reply would not be heard.
#[test]
fn a_voice_that_came_back_meanwhile_is_not_paused() {
    let mut machine = saying(settings(), BargeInStyle::Revocable, LONG);
    let effects = run(&mut machine, vec![(3_160, interruption()), (3_300, drained(1))]);
    assert!(done_by(&effects).contains(&"unduck".to_owned()));
    let likely = words(480, "set a", Completeness::Unfinished);
    let effects = run(&mut machine, vec![(3_400, likely.clone()), (3_440, Event::Tick), (3_500, likely)]);
    assert!(!done_by(&effects).contains(&"pause".to_owned()), "{effects:?}");
}

/// What counts is how much was said: the recogniser of a busy machine is behind.
#[test]
fn words_count_by_their_sound_and_not_by_the_time_they_took() {
    let over = || {
        let mut machine = saying(settings(), BargeInStyle::Revocable, LONG);
        run(&mut machine, vec![(3_160, interruption())]);
        machine
    };
    let begun = |spoken_ms| words(spoken_ms, "is the garage", Completeness::Unfinished);
    assert_eq!(done_by(&run(&mut over(), vec![(3_700, begun(500))])), ["pause"]);
    assert_eq!(done_by(&run(&mut over(), vec![(3_700, begun(600))]))[0], "told stop 700");
    let effects = run(&mut over(), vec![(3_800, Event::Tick), (3_900, begun(600))]);
    assert_eq!(done_by(&effects)[..4], ["doubt", "unduck", "told resume 800", "told stop 900"]);
}

#[test]
fn the_echo_of_the_reply_does_not_interrupt_it() {
    let mut machine = saying(settings(), BargeInStyle::Revocable, LONG);
    let effects = run(
        &mut machine,
        vec![
            (2_160, interruption()),
            (2_700, words(700, "the weather is fine", Completeness::Unfinished)),
            (2_960, Event::Tick),
            (3_900, ended()),
            (3_950, heard("the weather is fine", false)),
        ],
    );
    assert_eq!(done_by(&effects), ["duck 18", "told duck 160", "doubt", "unduck", "told resume 960"]);
}

#[test]
fn styles() {
    use BargeInStyle::{Immediate, Off, Revocable, WakeWord};
    let stop = "turn off the";
    for (style, interrupted, by_words, by_stop) in [
        (Revocable, &["duck 18", "told duck 160"][..], true, true),
        (Immediate, &["told stop 160", "silence", "ended BargeIn", "attend", "watch false"], false, false),
        (WakeWord, &[], false, true),
        (Off, &[], false, true),
    ] {
        let mut machine = saying(settings(), style, LONG);
        let effects = run(&mut machine, vec![(3_160, interruption())]);
        assert_eq!(done_by(&effects), interrupted, "{style:?}");
        let mut talker = machine.clone();
        let effects = run(&mut talker, vec![(3_700, words(700, stop, Completeness::Unfinished))]);
        assert_eq!(done_by(&effects).contains(&"silence".to_owned()), by_words, "{style:?}");
        let effects = run(&mut machine, vec![(3_600, words(600, "stop", Completeness::MayContinue))]);
        assert_eq!(done_by(&effects).contains(&"silence".to_owned()), by_stop, "{style:?}");
        let reason = if style == Off { "ended Stop" } else { "ended BargeIn" };
        assert_eq!(done_by(&effects).contains(&reason.to_owned()), by_stop, "{style:?}");
        assert!(by_stop || style == Immediate);
        // And a wake word works in all of them.
        let mut machine = saying(settings(), style, LONG);
        let effects = run(&mut machine, vec![(3_000, wake())]);
        let expected: &[&str] = match style {
            Off => &["silence", "ended Stop", "watch false"],
            _ => &["told stop 0", "silence", "ended BargeIn", "watch false"],
        };
        assert_eq!(done_by(&effects), expected, "{style:?}");
    }
}

#[test]
fn without_a_decision_only_the_silent_styles_stay_silent() {
    for style in [BargeInStyle::WakeWord, BargeInStyle::Off] {
        let mut machine = saying(settings(), style, LONG);
        let effects = run(
            &mut machine,
            vec![
                (3_160, interruption()),
                (3_960, Event::Tick),
                (5_000, ended()),
                (5_050, heard("turn off the lamp", false)),
            ],
        );
        assert_eq!(done_by(&effects), ["doubt"], "{style:?}");
    }
}

#[test]
fn stop_works_while_timers_ring() {
    let mut machine = machine_of(BargeInStyle::Off);
    let effects =
        run(&mut machine, vec![(0, Event::Timer { change: TimerChange::Finished, timer: timer("a") })]);
    assert_eq!(done_by(&effects), ["watch true"]);
    run(&mut machine, vec![(1, replied(1, "Your timer is done.")), (1_500, drained(1))]);
    // Between two rings other speech does nothing …
    let mut talker = machine.clone();
    let effects = run(
        &mut talker,
        vec![
            (2_660, interruption()),
            (3_300, words(800, "turn off the", Completeness::Unfinished)),
            (4_000, ended()),
            (4_050, heard("turn off the lamp", false)),
        ],
    );
    assert_eq!(done_by(&effects), ["doubt"]);
    // … and "stop" is enough.
    let effects = run(
        &mut machine,
        vec![
            (2_660, interruption()),
            (3_000, words(500, "stop", Completeness::MayContinue)),
            (3_200, ended()),
            (3_250, heard("stop", false)),
        ],
    );
    assert_eq!(done_by(&effects), ["attend", "silence", "acknowledge", "watch false"]);
}

#[test]
fn what_cannot_be_an_interruption_is_dismissed() {
    let mut idle = machine_of(BargeInStyle::Revocable);
    assert_eq!(done_by(&run(&mut idle, vec![(5_000, interruption())])), ["dismiss"]);
    // Crossing with an order to listen: the audio pipeline makes a request of it by itself.
    let effects = run(&mut idle, vec![(5_001, Event::ListenNow), (5_002, interruption())]);
    assert_eq!(done_by(&effects), ["listen 5000 false"]);
}

#[test]
fn stop_from_elsewhere_ends_an_interruption_too() {
    let mut machine = saying(settings(), BargeInStyle::Revocable, LONG);
    let effects = run(&mut machine, vec![(3_160, interruption()), (3_300, Event::Stop)]);
    assert_eq!(
        done_by(&effects),
        [
            "duck 18",
            "told duck 160",
            "silence",
            "told stop 300",
            "dismiss",
            "acknowledge",
            "ended Stop",
            "watch false"
        ]
    );
    assert!(machine.is_idle());
}

#[test]
fn a_barge_in_that_is_not_understood_says_nothing() {
    let mut machine = saying(settings(), BargeInStyle::Immediate, LONG);
    let effects =
        run(&mut machine, vec![(3_160, interruption()), (5_000, ended()), (5_100, heard("la la", true))]);
    assert!(replies(&effects).is_empty());
    assert!(effects.contains(&Effect::PlayEarcon { earcon: Earcon::Error }));
    assert_eq!(outcomes(&effects), [Outcome::Done, Outcome::NotUnderstood]);
    assert!(machine.is_idle());
}

#[test]
fn hark_does_not_wake_itself() {
    let said = "You can always say “hey Jarvis” to me.";
    let mut machine = saying(settings(), BargeInStyle::Revocable, said);
    let effects = run(&mut machine, vec![(2_000, wake())]);
    assert_eq!(done_by(&effects), ["wake rejected", "sleep"]);
    let effects = run(&mut machine, vec![(2_200, interruption()), (2_400, wake())]);
    assert_eq!(
        done_by(&effects),
        ["duck 18", "told duck 160", "wake rejected", "unduck", "told resume 360", "sleep"]
    );
    let effects = run(&mut machine, vec![(4_000, drained(1)), (4_500, wake())]);
    assert_eq!(done_by(&effects), ["ended Done", "watch false", "wake rejected", "sleep"], "it still sounds");
    let effects = run(&mut machine, vec![(4_700, wake())]);
    assert_eq!(done_by(&effects), Vec::<String>::new());
    assert!(!machine.is_idle(), "now somebody else said it");
}

/// The question was heard to its end at 4000 ms.
fn asked(follow_up: FollowUp, text: &str) -> (Machine, Vec<String>) {
    let mut settings = settings();
    settings.follow_up = follow_up;
    let mut machine = saying(settings, BargeInStyle::Revocable, text);
    let effects = run(&mut machine, vec![(4_000, drained(1))]);
    let done = done_by(&effects).into_iter().filter(|named| named.starts_with("listen")).collect();
    (machine, done)
}

#[test]
fn after_which_replies_it_listens() {
    for (follow_up, text, listens) in [
        (FollowUp::Questions, "Which one?", true),
        (FollowUp::Questions, LONG, false),
        (FollowUp::Always, LONG, true),
        (FollowUp::Never, "Which one?", false),
    ] {
        let (machine, done) = asked(follow_up, text);
        assert_eq!(done, ["listen 5000 false"][..usize::from(listens)], "{follow_up:?} {text}");
        assert_eq!(machine.is_idle(), !listens);
    }
    // A question that was cut short invites nobody, and neither does one nobody in the room asked for.
    let mut cut = saying(settings(), BargeInStyle::Revocable, "Which one?");
    run(&mut cut, vec![(4_000, Event::SpeakingEnded { turn: turn(1), reason: SpeakingEnd::Stop })]);
    assert!(cut.is_idle());
    let mut read = Machine::new(settings());
    run(&mut read, vec![(0, typed("x")), (1, understood(1, &[])), (2, replied(1, "What?")), (3, drained(1))]);
    assert!(read.is_idle());
}

#[test]
fn a_follow_up_never_loops() {
    for (name, answer) in [
        ("silence", vec![(9_000, Event::NothingSaid)]),
        ("noise", vec![(5_000, Event::SpeechStarted), (6_000, ended()), (6_100, heard("", true))]),
        (
            "an echo",
            vec![(4_300, Event::SpeechStarted), (5_000, ended()), (5_100, heard("the whole week", false))],
        ),
        (
            "words that mean nothing",
            vec![
                (5_000, Event::SpeechStarted),
                (6_000, ended()),
                (6_100, heard("la la", false)),
                (6_101, understood(2, &[])),
            ],
        ),
    ] {
        let (mut machine, _) = asked(FollowUp::Always, LONG);
        let effects = run(&mut machine, answer);
        assert!(replies(&effects).is_empty(), "{name}: nothing is said");
        assert!(machine.is_idle(), "{name}");
    }
    let (mut machine, _) = asked(FollowUp::Always, LONG);
    let effects = run(
        &mut machine,
        vec![
            (5_000, Event::SpeechStarted),
            (6_000, ended()),
            (6_100, heard("turn on the lamp", false)),
            (6_101, understood(2, &["HassTurnOn"])),
            (6_102, acted(2, 0, true, "")),
            (6_103, replied(2, "Done.")),
            (6_200, Event::SpeakingStarted { turn: turn(2) }),
            (7_000, drained(2)),
        ],
    );
    assert_eq!(done_by(&effects).last().map(String::as_str), Some("watch false"));
    assert!(
        done_by(&effects).contains(&"listen 5000 false".to_owned()),
        "an answer that was understood may go on"
    );
}

#[test]
fn dropped_echoes_are_counted_where_the_journal_shows_them() {
    let (mut machine, _) = asked(FollowUp::Always, LONG);
    let effects = run(
        &mut machine,
        vec![(4_300, Event::SpeechStarted), (5_000, ended()), (5_100, heard("the whole week", false))],
    );
    let rejected = effects.iter().find_map(|effect| match effect {
        Effect::Publish { event: PublicEvent::Transcript(transcript), .. } => transcript.rejected.clone(),
        _ => None,
    });
    assert_eq!(rejected.as_deref(), Some("an echo of what Hark said (1 echoes dropped)"));
}

#[test]
fn an_answer_that_begins_within_the_question_is_the_answer() {
    let mut machine = saying(settings(), BargeInStyle::Revocable, "Which one of them?");
    let effects = run(&mut machine, vec![(3_900, interruption()), (4_000, drained(1))]);
    assert_eq!(
        done_by(&effects),
        ["duck 18", "told duck 160", "unduck", "told resume 260", "ended Done", "attend", "watch false"]
    );
    let effects = run(&mut machine, vec![(4_500, ended()), (4_600, heard("the lamp", true))]);
    assert!(replies(&effects).is_empty() && machine.is_idle());
}

#[test]
fn a_yes_to_a_question_may_be_short_and_may_come_early() {
    let question = "Shall I unlock the front door?";
    let asking = || {
        let mut machine = Machine::new(settings());
        run(
            &mut machine,
            vec![
                (0, wake()),
                (10, Event::SpeechStarted),
                (20, ended()),
                (30, heard("unlock the front door", false)),
                (31, understood(1, &["HassTurnOff"])),
                (32, acted(1, 0, false, "needs_approval")),
                (33, replied(1, question)),
                (100, Event::SpeakingStarted { turn: turn(1) }),
            ],
        );
        machine
    };
    let mut machine = asking();
    let effects = run(&mut machine, vec![(2_000, drained(1))]);
    assert_eq!(done_by(&effects), ["ended Done", "listen 5000 true", "watch false"]);
    let mut machine = asking();
    let effects = run(
        &mut machine,
        vec![
            (1_800, interruption()),
            (2_100, words(460, "yes", Completeness::Complete)),
            (2_300, ended()),
            (2_350, heard("yes", false)),
        ],
    );
    assert_eq!(calls(&effects), [("home.turn_off".to_owned(), true)]);
}

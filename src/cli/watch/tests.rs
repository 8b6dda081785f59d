//! The state by keys and news, and how it is drawn, on a terminal of the tests.

use super::draw::{Theme, draw, wrap};
use super::state::{Link, News, Page, State, Story, Summary, Wish};
use hark_core::Envelope;
use hark_core::inspection::Finding;
use hark_core::public_event::Timings;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;
use serde_json::{Value, json};

fn event(turn: Option<&str>, mut event: Value) -> News {
    event["turn"] = json!(turn);
    event["t_ms"] = json!(1.0);
    event["at"] = json!("2026-01-01T12:00:00+00:00");
    News::Told(Box::new(serde_json::from_value::<Envelope>(event).unwrap()))
}

fn key(state: &mut State, code: KeyCode) -> Option<Wish> {
    state.key(KeyEvent::new(code, KeyModifiers::NONE))
}

fn typed(state: &mut State, text: &str) {
    text.chars().for_each(|letter| assert_eq!(key(state, KeyCode::Char(letter)), None));
}

fn open() -> State {
    let mut state = State::default();
    state.take(News::Open { state: "idle".into() });
    state
}

fn drawn(state: &mut State, columns: u16, rows: u16, plain: bool) -> (String, Vec<Color>) {
    let mut terminal = ratatui::Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(frame, state, &Theme::of(plain))).unwrap();
    let buffer = terminal.backend().buffer();
    let colours = buffer.content().iter().flat_map(|cell| [cell.fg, cell.bg]).collect();
    let rows = buffer.content().chunks(columns.into());
    let text = rows.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned());
    (text.collect::<Vec<_>>().join("\n"), colours)
}

fn transcript(text: &str) -> Value {
    json!({"event": "transcript", "text": text, "engine": "grammar", "confidence": 0.9, "language": "en"})
}

fn closing(outcome: &str) -> Value {
    json!({"event": "turn", "timings_ms": Timings::default(), "route": "template", "attempts": 0, "outcome": outcome})
}

/// A turn that asks whether the door shall be opened.
fn asks(state: &mut State) {
    state.take(event(Some("t-1"), json!({"event": "partial", "text": "unlock the", "stable": 3})));
    assert!(drawn(state, 60, 10, true).0.contains("» unlock the …"), "words as they come");
    state.take(event(Some("t-1"), transcript("unlock the front door")));
    let intent = json!({"event": "intent", "name": "HassUnlock", "slots": {}, "confidence": 1.0, "route": "template", "why": "a sentence"});
    state.take(event(Some("t-1"), intent));
    let reply =
        json!({"event": "reply", "text": "Shall I unlock the front door?", "language": "en", "ends": true});
    state.take(event(Some("t-1"), reply));
    state.take(event(Some("t-1"), closing("awaiting_approval")));
}

#[test]
fn a_question_is_shown_and_answered_by_keys() {
    let mut state = open();
    assert_eq!(key(&mut state, KeyCode::Char('y')), None, "nothing is asked");
    asks(&mut state);
    let (text, _) = drawn(&mut state, 80, 12, false);
    for part in [
        "idle",
        "» unlock the front door",
        "HassUnlock by template: a sentence",
        "« Shall I",
        "y: yes, n: no",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let answer = |yes| Some(Wish::Answer { turn: Some("t-1".into()), yes });
    assert_eq!(key(&mut state, KeyCode::Char('n')), answer(false));
    assert_eq!(key(&mut state, KeyCode::Char('y')), None, "it was answered");
    asks(&mut state);
    assert_eq!(key(&mut state, KeyCode::Char('y')), answer(true));
    asks(&mut state);
    state.take(event(Some("t-2"), transcript("what time is it")));
    state.take(event(Some("t-2"), closing("done")));
    assert!(state.question.is_none(), "another turn has ended since");
    assert_eq!(key(&mut state, KeyCode::Char('s')), Some(Wish::Stop));
}

#[test]
fn a_request_is_typed_and_keys_are_letters_meanwhile() {
    let mut state = open();
    key(&mut state, KeyCode::Char('/'));
    typed(&mut state, "quiet yes 12x");
    key(&mut state, KeyCode::Backspace);
    let (text, _) = drawn(&mut state, 40, 6, true);
    assert!(text.contains("> quiet yes 12\n") && text.contains("Esc leaves"), "{text}");
    assert_eq!(key(&mut state, KeyCode::Enter), Some(Wish::Chat("quiet yes 12".into())));
    assert!(!state.over);
    key(&mut state, KeyCode::Char('/'));
    assert_eq!(key(&mut state, KeyCode::Enter), None, "nothing is no request");
    key(&mut state, KeyCode::Char('/'));
    typed(&mut state, "x");
    key(&mut state, KeyCode::Esc);
    key(&mut state, KeyCode::Char('q'));
    assert!(state.over);
}

#[test]
fn a_hark_that_is_away_is_told_and_nothing_is_sent() {
    let mut state = open();
    asks(&mut state);
    state.take(News::Lost("no Hark runs with this state folder".into()));
    let (text, _) = drawn(&mut state, 80, 8, true);
    assert!(text.contains("away, tried again: no Hark runs"), "{text}");
    key(&mut state, KeyCode::Char('/'));
    typed(&mut state, "hello");
    assert_eq!(key(&mut state, KeyCode::Enter), None);
    assert!(drawn(&mut state, 80, 8, true).0.contains("it was not sent"));
    assert_eq!(state.link, Link::Lost("no Hark runs with this state folder".into()));
    state.take(News::Open { state: "listening".into() });
    assert!(drawn(&mut state, 80, 8, true).0.contains("listening"));
}

fn turn(id: &str, text: &str) -> Summary {
    let at = "2026-01-01T12:34:56+00:00".to_owned();
    Summary {
        turn: id.into(),
        at,
        text: Some(text.into()),
        outcome: Some("done".into()),
        ..Summary::default()
    }
}

#[test]
fn turns_are_chosen_and_their_story_is_told_with_bars() {
    let mut state = open();
    assert_eq!(key(&mut state, KeyCode::Char('2')), Some(Wish::Turns));
    assert!(drawn(&mut state, 80, 8, true).0.contains("No turn is kept"));
    let turns = vec![turn("t-3", "third"), turn("t-2", "second \x1b[2Jevil"), turn("t-1", "first")];
    assert_eq!(state.take(News::Turns(turns)), Some(Wish::Story("t-3".into())));
    assert_eq!(key(&mut state, KeyCode::Up), None, "there is none above");
    assert_eq!(key(&mut state, KeyCode::Down), Some(Wish::Story("t-2".into())));
    let timings = Timings {
        speech_end_to_transcript: Some(80.0),
        speech_end_to_first_audio: Some(160.0),
        ..Timings::default()
    };
    let lines = (1..=40).map(|number| format!("line {number} of the story")).collect();
    state.take(News::Story(Story { turn: "t-3".into(), ..Story::default() }));
    assert!(state.story.is_none(), "another one was chosen meanwhile");
    state.take(News::Story(Story { turn: "t-2".into(), timings, lines }));
    for (columns, rows) in [(100, 20), (60, 20)] {
        let (text, _) = drawn(&mut state, columns, rows, true);
        for part in ["12:34", "second", "words      80 ms ████", "first sound     160 ms", "line 1 of"]
        {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(!text.contains('\x1b'));
    }
    for _ in 0..20 {
        key(&mut state, KeyCode::PageDown);
    }
    assert!(drawn(&mut state, 100, 20, true).0.contains("line 40 of the story"), "not past the end");
    // A new turn: the chosen one stays chosen.
    let more = vec![turn("t-4", "fourth"), turn("t-3", "third"), turn("t-2", "second")];
    assert_eq!(state.take(News::Turns(more)), None);
    assert_eq!(state.selected, 2);
}

#[test]
fn findings_tell_what_is_broken_first() {
    let mut state = open();
    assert_eq!(key(&mut state, KeyCode::Char('3')), Some(Wish::Doctor));
    assert_eq!(key(&mut state, KeyCode::Char('r')), None, "it is looked already");
    assert!(drawn(&mut state, 80, 8, true).0.contains("looked at"));
    let finding = |check: &str, ok| Finding {
        check: check.into(),
        ok,
        message: "as it is".into(),
        fix: if ok { String::new() } else { "mend it".into() },
    };
    state.take(News::Doctor(vec![finding("models", true), finding("mqtt", false)]));
    let (text, _) = drawn(&mut state, 80, 8, true);
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in\n{text}"));
    assert!(at("FAILED mqtt: as it is") < at("fix: mend it") && at("fix: mend it") < at("ok     models"));
    assert_eq!(key(&mut state, KeyCode::Tab), None);
    assert_eq!(state.page, Page::Now);
}

#[test]
fn every_size_of_terminal_is_drawn_and_colours_are_only_where_they_are_wanted() {
    let mut state = open();
    asks(&mut state);
    state.take(News::Turns(vec![turn("t-1", "日本語 first")]));
    state.take(News::Doctor(Vec::new()));
    for page in [KeyCode::Char('1'), KeyCode::Char('2'), KeyCode::Char('3'), KeyCode::Char('/')] {
        key(&mut state, page);
        for (columns, rows) in [(1, 1), (2, 3), (10, 2), (20, 5), (89, 24), (91, 24), (300, 100)] {
            drawn(&mut state, columns, rows, false);
        }
        let (_, colours) = drawn(&mut state, 80, 24, true);
        assert!(colours.iter().all(|colour| *colour == Color::Reset), "without a colour");
        state.typed = None;
    }
    assert!(drawn(&mut state, 80, 24, false).1.contains(&Color::Green));
}

#[test]
fn lines_are_broken_between_words() {
    assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    assert_eq!(wrap("  indented words", 12), ["  indented", "words"]);
    assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(wrap("", 5), [""]);
    assert_eq!(wrap("日本語", 4), ["日本", "語"], "wide letters");
}

//! Sentences with slots that are parsed by rule, in English and German.

use super::{Grammar, Sentences};
use chrono::NaiveDateTime;
use hark_core::home::Home;
use hark_core::ports::{EditCosts, SpeechGrammar, Understand};
use serde_json::Value;

const ENGLISH: &str = r#"
language: en
lists:
  duration: { rule: duration, spoken: ["{count} minute[s]"] }
  count: { range: { from: 1, to: 60 } }
  when: { rule: datetime, spoken: ["tomorrow [at seven]", "at {count}"] }
  alarm: { rule: datetime, prefer: morning }
  date: { rule: date }
  often: { rule: recurrence }
  degrees: { rule: temperature }
  what: { wildcard: true }
intents:
  Timer:
    data:
      - sentences: ["[set] timer for {duration}", "{duration} timer", "cancel the {duration:start} timer"]
  Remind:
    data:
      - sentences: ["remind me {when} to {what}", "remind me to {what} {when}", "remind me {often} to {what}"]
  Alarm:
    data:
      - sentences: ["wake me {alarm}"]
  Weather:
    data:
      - sentences: ["weather {date} at {when:other}", "weather {date}"]
  Heat:
    data:
      - sentences: ["heat to {degrees:temperature}"]
"#;

const GERMAN: &str = r#"
language: de
lists:
  dauer: { rule: duration, spoken: ["{zahl} minuten"] }
  zahl: { range: { from: 1, to: 60 } }
  wann: { rule: datetime }
intents:
  Timer:
    data:
      - sentences: ["timer auf {dauer:duration}", "stell einen timer auf {zahl:minutes} minuten"]
  Wecken:
    data:
      - sentences: ["weck mich {wann}"]
"#;

fn grammar(text: &str, language: &str) -> Grammar {
    let sentences =
        Sentences::from_text("rules.yaml", text, language).unwrap_or_else(|all| panic!("{all:?}"));
    Grammar::new(&sentences, &Home::default())
}

fn check(grammar: &Grammar, language: &str, rows: &[(&str, &str, &str)]) {
    let now = NaiveDateTime::parse_from_str("2026-11-22T10:00:00", "%Y-%m-%dT%H:%M:%S").unwrap();
    for (text, intent, slots) in rows {
        let found = grammar.understand_at(text, language, now);
        let first =
            found.intents.first().map(|found| (found.name.as_str(), Value::Object(found.slots.clone())));
        let expected = (*intent, serde_json::from_str(slots).unwrap());
        assert_eq!(first, (!intent.is_empty()).then_some(expected), "{text}: {found:?}");
    }
}

#[test]
fn slots_are_parsed_by_rule() {
    check(
        &grammar(ENGLISH, "en"),
        "en",
        &[
            ("set timer for an hour and a half", "Timer", r#"{"hours":1,"minutes":30}"#),
            ("timer for 90 seconds", "Timer", r#"{"seconds":90}"#),
            ("25 minute timer", "Timer", r#"{"minutes":25}"#),
            ("cancel the ten minute timer", "Timer", r#"{"start_minutes":10}"#),
            ("timer for a banana", "", "{}"),
            (
                "remind me tomorrow at seven to feed the cat",
                "Remind",
                r#"{"when":"2026-11-23T07:00:00","what":"feed the cat"}"#,
            ),
            (
                "remind me to feed the cat tomorrow at seven",
                "Remind",
                r#"{"what":"feed the cat","when":"2026-11-23T07:00:00"}"#,
            ),
            (
                "remind me every monday at nine to call Mum",
                "Remind",
                r#"{"often":"FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0","what":"call Mum"}"#,
            ),
            ("wake me tomorrow at five", "Alarm", r#"{"alarm":"2026-11-23T05:00:00"}"#),
            ("weather tomorrow", "Weather", r#"{"date":"2026-11-23"}"#),
            (
                "weather on friday at noon",
                "Weather",
                r#"{"date":"2026-11-27","other":"2026-11-22T12:00:00"}"#,
            ),
            ("heat to 21.5 degrees celsius", "Heat", r#"{"temperature":21.5,"temperature_unit":"celsius"}"#),
        ],
    );
    check(
        &grammar(GERMAN, "de"),
        "de",
        &[
            ("Timer auf eineinhalb Stunden", "Timer", r#"{"duration_hours":1,"duration_minutes":30}"#),
            ("Stell einen Timer auf 21 Minuten", "Timer", r#"{"minutes":21}"#),
            ("stell einen timer auf einundzwanzig minuten", "Timer", r#"{"minutes":21}"#),
            ("weck mich morgen früh um halb sieben", "Wecken", r#"{"wann":"2026-11-23T06:30:00"}"#),
        ],
    );
}

#[test]
fn speech_knows_what_the_file_says_is_spoken() {
    let grammar = grammar(ENGLISH, "en");
    let costs = EditCosts { delete: 0.8, insert: 1.0, substitute: 1.2, limit: 1.0 };
    let cost = |text: &str| {
        let words: Vec<&str> = text.split(' ').collect();
        grammar.accept(&words, &costs).map(|found| found.cost)
    };
    assert_eq!(cost("set timer for twenty five minutes"), Some(0.0));
    assert_eq!(cost("timer for an hour and a half"), None);
    let samples: Vec<String> = grammar.sample(500, 1).into_iter().map(|words| words.join(" ")).collect();
    assert!(samples.iter().any(|sample| sample.contains("minutes")), "{samples:?}");
    for sample in &samples {
        assert!(!grammar.understand(sample, "en").intents.is_empty(), "{sample}");
    }
}

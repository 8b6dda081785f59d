//! The tables of `tests/data` against the sentences and rules of their language: one file a language, one runner.

use super::rules::{self, Prefer, Reckoning, Rule};
use super::sentences::yaml::json;
use super::{Grammar, Sentences, test_home, text};
use chrono::NaiveDateTime;
use hark_core::automation::intent::{AUTOMATE, INTENTS, OF_ONE, RESTORE_LATER};
use hark_core::home::Home;
use hark_core::intent::refusal;
use hark_core::ports::Understand;
use hark_core::{Intent, Slots, Understanding};
use saphyr::{LoadableYamlNode, MarkedYaml};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The tables of a folder of `tests/data`, each with the code of its language.
fn tables(folder: &str) -> Vec<(String, Value)> {
    let files = std::fs::read_dir(root().join("tests/data").join(folder)).unwrap();
    let mut tables: Vec<(String, Value)> = files
        .map(|file| {
            let path = file.unwrap().path();
            let source = std::fs::read_to_string(&path).unwrap();
            let documents =
                MarkedYaml::load_from_str(&source).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            (path.file_stem().unwrap().to_string_lossy().into_owned(), json(&documents[0]))
        })
        .collect();
    tables.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(tables.len() > 2, "{folder}");
    tables
}

fn home(table: &Value) -> Home {
    let mut home = table["home"].clone();
    if home.is_null() {
        return test_home::home();
    }
    for part in ["entities", "persons"] {
        for thing in home.get_mut(part).and_then(Value::as_array_mut).into_iter().flatten() {
            if thing["state"].is_null() {
                thing["state"] = "off".into();
            }
        }
    }
    serde_json::from_value(home).unwrap()
}

/// The slots that words fill; what a request comes to that is put off is told as intents beside it.
fn said_slots(intent: &Intent) -> Slots {
    let is_said = |slot: &String| ![INTENTS, OF_ONE].contains(&slot.as_str()) || intent.name == AUTOMATE;
    intent.slots.iter().filter(|(slot, _)| is_said(slot)).map(|(k, v)| (k.clone(), v.clone())).collect()
}

#[test]
fn sentences_mean_what_they_should() {
    for (code, table) in tables("sentences") {
        let folder = root().join("models/languages").join(&code).join("sentences");
        let sentences = Sentences::load(&[folder], &code).unwrap_or_else(|problems| panic!("{problems:?}"));
        let grammar = Grammar::new(&sentences, &home(&table));
        let mut wrong = Vec::new();
        let rows = table["rows"].as_array().unwrap();
        for row in rows {
            let (text, intent) = (row["say"].as_str().unwrap(), row["intent"].as_str().unwrap());
            let found = grammar.understand(text, &code);
            let same = match found.intents.as_slice() {
                [] => intent.is_empty(),
                [only] => {
                    only.name == intent
                        && (row["slots"].is_null() || Value::Object(said_slots(only)) == row["slots"])
                        && (code != "en" || only.response.as_deref() == row["response"].as_str())
                }
                _ => false,
            };
            if !same {
                wrong.push(format!("{text}\n  expected {row}\n  found {found:?}"));
            }
        }
        assert!(wrong.is_empty(), "{code}: {} of {} wrong\n{}", wrong.len(), rows.len(), wrong.join("\n"));
        if code == "en" {
            let intents = rows.iter().filter_map(|row| row["intent"].as_str());
            let said: BTreeSet<&str> = intents.filter(|intent| !intent.is_empty()).collect();
            assert_eq!(said, sentences.intents().into_iter().collect(), "every intent has a row");
        }
    }
}

/// What all of a text means; empty when the rule does not take all of it.
fn meaning(rule: Rule, text: &str, by: &Reckoning) -> String {
    let words = text::words(text, by.lexicon);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some((found, _)) = rules::longest(rule, &words, by).filter(|(_, used)| *used == words.len()) else {
        return String::new();
    };
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let parts = found.iter().map(|(name, value)| match *name {
        "" => plain(value),
        "hours" => format!("{value}h"),
        "minutes" => format!("{value}m"),
        "seconds" => format!("{value}s"),
        name => format!("{name}={}", plain(value)),
    });
    parts.collect::<Vec<_>>().join(" ")
}

#[test]
fn rules_read_phrases_as_they_should() {
    let now = NaiveDateTime::parse_from_str("2026-11-22T10:00:00", "%Y-%m-%dT%H:%M:%S").unwrap();
    for (code, table) in tables("rules") {
        for part in table.as_array().unwrap() {
            let name = part["rule"].as_str().unwrap();
            let rule = rules::NAMES.iter().find(|(known, _)| *known == name).unwrap().1;
            let prefer = if part["prefer"] == "morning" { Prefer::Morning } else { Prefer::Usual };
            let by = Reckoning { lexicon: hark_language::of(&code), now, prefer };
            let rows = part["rows"].as_array().unwrap();
            let wrong: Vec<String> = rows
                .iter()
                .map(|row| (row[0].as_str().unwrap(), row[1].as_str().unwrap()))
                .map(|(text, expected)| (text, expected, meaning(rule, text, &by)))
                .filter(|(_, expected, found)| found != expected)
                .map(|(text, expected, found)| format!("{text}\n  expected {expected}\n  found    {found}"))
                .collect();
            assert!(
                wrong.is_empty(),
                "{code} {name}: {} of {} wrong\n{}",
                wrong.len(),
                rows.len(),
                wrong.join("\n")
            );
        }
    }
}

/// What a request with clauses means, without what a reader of the table knows: names of intents, what is waited for, how
/// long it lasts, what is left out.
fn clauses_of(found: &Understanding) -> Value {
    let mut told = Map::new();
    let put = |told: &mut Map<String, Value>, key: &str, value: Option<&Value>| {
        told.extend(value.map(|value| (key.to_owned(), value.clone())));
    };
    let mut does = Vec::new();
    let mut inner = |told: &mut Map<String, Value>, name: &str, slots: &Map<String, Value>| match name {
        RESTORE_LATER => put(told, "until", slots.get("until")),
        refusal::INTENT => put(told, "refused", slots.get("part")),
        name => {
            does.push(Value::from(name));
            put(told, "except", slots.get("except"));
            put(told, "command", slots.get("conversation_command"));
            put(told, "message", slots.get("message"));
        }
    };
    for intent in &found.intents {
        if intent.name != AUTOMATE {
            inner(&mut told, &intent.name, &intent.slots);
            continue;
        }
        for key in ["trigger", "only_if", "repeats", "expires", "at_once"] {
            put(&mut told, key, intent.slots.get(key));
        }
        for one in intent.slots["intents"].as_array().unwrap() {
            inner(&mut told, one["name"].as_str().unwrap(), one["slots"].as_object().unwrap());
        }
    }
    told.insert("does".to_owned(), does.into());
    Value::Object(told)
}

#[test]
fn clauses_say_when_how_long_and_to_what_not() {
    for (code, table) in tables("clauses") {
        let folder = root().join("models/languages").join(&code).join("sentences");
        let sentences = Sentences::load(&[folder], &code).unwrap_or_else(|problems| panic!("{problems:?}"));
        let grammar = Grammar::new(&sentences, &home(&table));
        let now = "2026-11-22T10:00:00".parse::<NaiveDateTime>().unwrap();
        let rows = table["rows"].as_array().unwrap();
        let mut wrong = Vec::new();
        for row in rows {
            let text = row["say"].as_str().unwrap();
            let told = clauses_of(&grammar.understand_at(text, &code, now));
            let mut expected = row.clone();
            expected.as_object_mut().unwrap().shift_remove("say");
            if told != expected {
                wrong.push(format!("  - say: {text}\n    found {told}\n    expected {expected}"));
            }
        }
        assert!(wrong.is_empty(), "{code}: {} of {} wrong\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    }
}

//! What a person is asked before something dangerous, in every language: no words of another one in it.

use super::reply_tests::render_in;
use super::sentences::Sentences;
use hark_core::tool::asked::{HOME_ACTS, KINDS};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// What stands where a language has no words: the English name.
const ENGLISH: &str = "englishname";

/// The languages that ask at all, but English, whose verbs and names stand in the receipt.
fn languages() -> Vec<(String, Sentences)> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/languages"));
    let mut found = Vec::new();
    for folder in std::fs::read_dir(root).unwrap().flatten() {
        let code = folder.file_name().into_string().unwrap();
        let sentences = folder.path().join("sentences");
        if code == "en" || !sentences.is_dir() {
            continue;
        }
        let sentences = Sentences::load(&[sentences], &code).unwrap();
        if sentences.responses().get("replies").is_some_and(|replies| replies.contains_key("ask_approval")) {
            found.push((code, sentences));
        }
    }
    assert!(found.len() >= 2);
    found
}

/// Every wording of a question about one thing.
fn asked(sentences: &Sentences, thing: &Value) -> Vec<String> {
    let result = json!({"act": thing["act"], "action": "do", "name": ENGLISH, "things": [thing]});
    let keys = [
        ("replies", "ask_approval"),
        ("replies", "ask_pin"),
        ("replies", "approval_lapsed"),
        ("errors", "needs_approval"),
        ("errors", "needs_pin"),
    ];
    keys.map(|(group, key)| render_in(sentences, group, key, json!({}), result.clone())).to_vec()
}

#[test]
fn whatever_is_asked_about_has_words_in_every_language() {
    for (code, sentences) in languages() {
        for (kind, parts) in KINDS {
            let parts = parts.iter().map(|part| {
                let value = match *part {
                    "keys" => json!(["shift", "x"]),
                    "on" | "double" => json!(true),
                    part => json!(format!("the{part}")),
                };
                ((*part).to_owned(), value)
            });
            let mut thing: Map<String, Value> = parts.collect();
            thing.insert("kind".to_owned(), json!(kind));
            thing.insert("name".to_owned(), json!(ENGLISH));
            for text in asked(&sentences, &Value::Object(thing)) {
                assert!(!text.contains(ENGLISH), "{code} has no words for {kind}: {text}");
            }
        }
        let unknown = asked(&sentences, &json!({"act": "dance", "name": ENGLISH}));
        for act in HOME_ACTS {
            let asked = asked(&sentences, &json!({"act": act, "name": ENGLISH}));
            for (asked, unknown) in asked.iter().zip(&unknown) {
                assert!(
                    asked.contains(&ENGLISH[1..]) && asked != unknown,
                    "{code} has no word for {act}: {asked}"
                );
            }
        }
    }
}

/// All that one yes lets through is named, each with its act.
#[test]
fn several_things_are_asked_about_together() {
    let door = json!({"act": "unlock", "name": "Haustür"});
    let gate = json!({"act": "open", "name": "Garagentor"});
    let file = json!({"act": "overwrite", "name": "file /a.txt", "kind": "file", "path": "/a.txt"});
    let result = json!({"act": "unlock", "name": "x", "things": [door, gate], "also": [{"things": [file]}]});
    for (code, sentences) in languages() {
        let text = render_in(&sentences, "replies", "ask_approval", json!({}), result.clone());
        let expected = match code.as_str() {
            "de" => {
                "Haustür aufschließen und Garagentor öffnen und die Datei /a.txt überschreiben: soll ich das wirklich tun?"
            }
            "nl" => {
                "Haustür van het slot doen en Garagentor openen en het bestand /a.txt overschrijven: zal ik dat echt doen?"
            }
            _ => continue,
        };
        assert_eq!(text, expected);
    }
}

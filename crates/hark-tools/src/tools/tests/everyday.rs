//! The everyday through the executor: chance, words, jokes, the sun.

use super::*;
use crate::dictionary::DictionaryError;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

#[tokio::test]
async fn chance_keeps_to_what_was_asked() {
    let house = house();
    let side = house.ok("chance.coin", json!({})).await.detail["side"].clone();
    assert!(side == "heads" || side == "tails");
    for _ in 0..20 {
        let dice = house.ok("chance.dice", json!({"count": 3, "sides": 20})).await.detail;
        let rolls: Vec<i64> = dice["rolls"].as_array().unwrap().iter().filter_map(Value::as_i64).collect();
        assert!(rolls.len() == 3 && rolls.iter().all(|roll| (1..=20).contains(roll)), "{dice}");
        assert_eq!(dice["sum"], rolls.iter().sum::<i64>());
        let number = house.ok("chance.number", json!({"from": 10, "to": 1})).await.detail;
        assert!((1..=10).contains(&number["number"].as_i64().unwrap()), "{number}");
        let choice = house.ok("chance.choose", json!({"options": "tea, coffee or cocoa"})).await.detail;
        assert!(choice["options"].as_array().unwrap().contains(&choice["choice"]), "{choice}");
    }
    for (tool, args) in [
        ("chance.dice", json!({"count": 0})),
        ("chance.dice", json!({"sides": 1})),
        ("chance.choose", json!({"options": "tea"})),
        ("chance.number", json!({"to": 1e12})),
    ] {
        let receipt = house.call(tool, args.clone(), false).await;
        assert_eq!(receipt.detail["error"], error_code::BAD_ARGUMENT, "{tool} {args}");
    }
}

#[tokio::test]
async fn words_are_spelt_and_jokes_told() {
    let house = house();
    let spelt = house.ok("word.spell", json!({"word": "the word ice cream", "language": "en"})).await.detail;
    assert_eq!(spelt["text"], "I, C, E; C, R, E, A, M");
    assert_eq!(spelt["word"], "ice cream");
    let receipt = house.call("word.spell", json!({"word": "?!"}), false).await;
    assert_eq!(receipt.detail["error"], error_code::BAD_ARGUMENT);
    for language in ["en", "de"] {
        let joke = house.ok("joke.tell", json!({"language": language})).await.detail;
        let jokes = hark_language::of(language).everyday.jokes;
        assert!(jokes.contains(joke["text"].as_str().unwrap()), "{joke}");
    }
    let receipt = house.call("joke.tell", json!({"language": "xx"}), false).await;
    assert_eq!(receipt.detail["error"], error_code::UNSUPPORTED);
}

#[tokio::test]
async fn a_word_is_defined_where_there_is_a_dictionary() {
    let without = house();
    let receipt = without.call("word.define", json!({"word": "semaphore"}), false).await;
    assert!(!receipt.ok && !without.tools.reference().iter().any(|tool| tool.name == "word.define"));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("en.gz");
    let mut file = GzEncoder::new(std::fs::File::create(&path).unwrap(), Compression::fast());
    file.write_all("semaphore\ta signal | a flag\n".as_bytes()).unwrap();
    file.finish().unwrap();
    let found = path.clone();
    let dictionaries = Dictionaries::new(move |language| match language {
        "en" => Ok(found.clone()),
        "de" => Err(DictionaryError::Missing { language: language.to_owned() }),
        _ => Err(DictionaryError::NoneFor { language: language.to_owned() }),
    });
    let house = Built { dictionaries, ..Built::default() }.house();
    let defined = house.ok("word.define", json!({"word": "the word Semaphore"})).await.detail;
    assert_eq!((&defined["meaning"], &defined["count"]), (&json!("a signal"), &json!(2)));
    assert_eq!(house.ok("word.define", json!({"word": "a semaphore"})).await.detail["word"], "semaphore");
    for (word, language, error) in [
        ("quux", "en", error_code::NOT_FOUND),
        ("that", "en", error_code::NOT_FOUND),
        ("Rhythmus", "de", error_code::NOT_CONFIGURED),
        ("ritme", "nl", error_code::UNSUPPORTED),
    ] {
        let receipt = house.call("word.define", json!({"word": word, "language": language}), false).await;
        assert_eq!(receipt.detail["error"], error, "{word}");
    }
    let missing = house.call("word.define", json!({"word": "Rhythmus", "language": "de"}), false).await;
    assert!(missing.detail["fix"].as_str().unwrap().contains("models pull dictionary_de"), "{missing:?}");
}

#[tokio::test]
async fn the_sun_is_told_where_the_house_stands() {
    let lands = "[location]\nlatitude = 48.2\nlongitude = 16.37\n";
    let house = Built { home: lands, ..Built::default() }.house();
    let set = house.ok("datetime.sun", json!({"event": "sunset", "when": "2026-11-22"})).await.detail;
    // The almanac: Vienna, 22 November 2026, 16:09 Central European Time.
    let minutes = set["hour"].as_i64().unwrap() * 60 + set["minute"].as_i64().unwrap();
    assert!((minutes - (16 * 60 + 9)).abs() <= 3, "{set}");
    assert_eq!((&set["days_away"], &set["over"]), (&json!(1), &json!(false)));
    let rise = house.ok("datetime.sun", json!({"event": "sunrise"})).await.detail;
    assert_eq!(
        (&rise["days_away"], &rise["over"], &rise["left_hours"]),
        (&json!(0), &json!(true), &json!(0))
    );
    let next = house.ok("datetime.sun", json!({"event": "sunrise", "next": true})).await.detail;
    assert_eq!((&next["days_away"], &next["over"]), (&json!(1), &json!(false)));
    assert!(next["left_hours"].as_u64().is_some_and(|hours| (1..24).contains(&hours)), "{next}");
    let far = Built { home: "[location]\nlatitude = 78.2\nlongitude = 15.6\n", ..Built::default() }.house();
    assert_eq!(far.call("datetime.sun", json!({}), false).await.detail["error"], error_code::UNSUPPORTED);
    let nowhere = Built { home: "", ..Built::default() }.house();
    let receipt = nowhere.call("datetime.sun", json!({}), false).await;
    assert!(receipt.detail["fix"].as_str().unwrap().contains("[location]"), "{receipt:?}");
}

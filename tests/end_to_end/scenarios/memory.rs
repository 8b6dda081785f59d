//! What the household tells: kept, asked back in other words, corrected and forgotten, with the real program, which is
//! started anew between.

use crate::scenarios::daemon_api::{get, http_with, start};
use crate::support::model_server::{ModelServer, Script};
use crate::support::mosquitto::Listener;
use crate::support::{Broker, Hark, named, only, text};
use serde_json::{Value, json};

/// The answer to words that a program of its own is asked.
fn answer(hark: &Hark, words: &str) -> String {
    only(&hark.events(&["ask", words]), "reply")["text"].as_str().unwrap_or_default().to_owned()
}

fn remembered(hark: &Hark, args: &[&str]) -> Value {
    let output = hark.run(&[&["remember"], args, &["--json"]].concat());
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn what_is_told_is_asked_back_corrected_and_forgotten_over_restarts() {
    let hark = Hark::new();
    for (said, expected) in [
        ("my wife is Anna", "I'll remember that Anna is your wife."),
        ("what is my wife's name", "Anna is your wife."),
        ("who am I married to", "Anna is your wife."),
        ("I don't like olives", "I'll remember that you don't like olives."),
        ("do I like olives", "You don't like olives."),
        (
            "Anna's birthday is on the third of May",
            "I'll remember that Anna's birthday is on the third of May.",
        ),
        ("when is my wife's birthday", "Anna's birthday is on the third of May."),
        ("no, my wife's name is Julia", "I'll remember that Julia is your wife."),
        ("what is my wife called", "Julia is your wife."),
        (
            "remember that the bins go out on Tuesdays except in August",
            "I'll remember that the bins go out on Tuesdays except in August.",
        ),
        ("forget everything about Julia", "I have forgotten: my wife's name is Julia."),
    ] {
        assert_eq!(answer(&hark, said), expected, "{said}");
    }
    assert_eq!(answer(&hark, "what is my wife's name"), "Sorry, you have not told me that.");
    // Small talk, requests and questions leave nothing behind.
    let before = remembered(&hark, &["list"]).as_array().unwrap().len();
    for said in
        ["my wife is angry", "I like this song", "good morning", "turn on the kitchen light", "I'm tired"]
    {
        answer(&hark, said);
    }
    assert_eq!(remembered(&hark, &["list"]).as_array().unwrap().len(), before);
    let about = remembered(&hark, &["about", "Anna"]);
    assert_eq!(about[0]["statement"]["relation"], "birthday", "{about}");
}

#[test]
fn what_took_the_place_of_something_can_be_undone_and_the_last_thing_forgotten_at_a_word() {
    let hark = Hark::new();
    let said = |lines: &[&str]| {
        let events = hark.ask_lines(&["--session", "test"], &[], lines);
        let replies = named(&events, "reply");
        replies.iter().map(|reply| reply["text"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let replies = said(&["I live in Hamburg", "I live in Bremen", "undo that", "where do I live"]);
    assert_eq!(replies.last().map(String::as_str), Some("You live in Hamburg."), "{replies:?}");
    let replies = said(&["where do I live", "forget that", "where do I live"]);
    assert_eq!(replies[2], "Sorry, you have not told me that.", "{replies:?}");
}

#[test]
fn what_no_rule_reads_is_kept_in_its_words_and_answers_questions_in_other_words() {
    let hark = Hark::new();
    let said = |lines: &[&str]| {
        let events = hark.ask_lines(&["--session", "test"], &[], lines);
        let replies = named(&events, "reply");
        replies.iter().map(|reply| reply["text"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let replies = said(&[
        "by the way the piano man wants seventy pounds for a tuning",
        "he only comes on thursdays",
        "no, he comes on tuesdays",
        "i am rather tired today",
        "we've moved the ladder from the garage to the cellar",
    ]);
    assert_eq!(replies[0], "I'll remember that the piano man wants seventy pounds for a tuning.");
    assert!(replies[2].ends_with("he only comes on tuesdays."), "{replies:?}");
    assert_eq!(replies[3], "Sorry, I didn't understand that.");
    // Another program asks.
    assert!(answer(&hark, "how much does the piano tuning cost").contains("seventy pounds"));
    assert!(answer(&hark, "which day does the piano man come").contains("tuesdays"));
    assert_eq!(
        answer(&hark, "where is the ladder"),
        "You've moved the ladder from the garage to the cellar."
    );
    // What has only to do with it is told as such.
    let only = answer(&hark, "what is the piano man allergic to");
    assert!(
        only.starts_with("All I know of it is this: ") || only == "Sorry, you have not told me that.",
        "{only}"
    );
    // The sentence that was put right holds the one it went on with.
    assert_eq!(remembered(&hark, &["list"]).as_array().unwrap().len(), 2);
}

#[test]
fn the_daemon_knows_it_after_a_restart_and_programs_see_it() {
    let hark = Hark::new();
    let ask = |address, words: &str| -> String {
        let (status, turn) =
            http_with(address, "POST", "/api/v1/ask", Some(json!({"text": words, "session_id": "test"})), "");
        assert_eq!(status, 200, "{turn}");
        turn["reply"].as_str().unwrap_or_default().to_owned()
    };
    let (daemon, address) = start(&hark, &[]);
    assert_eq!(ask(address, "my sister is called Julia"), "I'll remember that Julia is your sister.");
    assert_eq!(ask(address, "she lives in Berlin"), "I'll remember that Julia lives in Berlin.");
    assert!(daemon.terminate().success());

    let (daemon, address) = start(&hark, &[]);
    assert_eq!(ask(address, "where does my sister live"), "Julia lives in Berlin.");
    assert_eq!(ask(address, "Julia moved to Paris"), "I'll remember that Julia moved to Paris.");
    assert_eq!(ask(address, "where does Julia live"), "Julia moved to Paris.");
    let all = get(address, "/api/v1/memory?about=Julia");
    assert_eq!(all["facts"].as_array().map(Vec::len), Some(2), "{all}");
    assert_eq!(all["facts"][0]["speaker"], "owner");
    let history = get(address, "/api/v1/memory?history=true");
    assert_eq!(history["facts"][0]["text"], "Julia lives in Berlin", "{history}");
    assert!(history["facts"][0]["ended_at"].is_string());
    let entities = get(address, "/api/v1/memory/entities");
    let names: Vec<&Value> = entities["entities"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert!(names.contains(&&json!("Julia")) && names.contains(&&json!("Paris")), "{entities}");
    let (status, _) = http_with(address, "GET", "/api/v1/memory?about=me&words=x", None, "");
    assert_eq!(status, 400);
    let path = format!("/api/v1/memory/{}", all["facts"][0]["id"]);
    assert_eq!(http_with(address, "DELETE", &path, None, "").0, 204);
    assert_eq!(get(address, "/api/v1/memory?history=true")["facts"].as_array().map(Vec::len), Some(0));
    assert!(daemon.terminate().success());
}

#[test]
fn somebody_who_is_not_known_replaces_nothing_and_hears_nothing_private() {
    let (hark, broker) = (Hark::new(), Broker::start());
    let url = format!("mqtt.url=mqtt://127.0.0.1:{}", broker.port);
    let (daemon, address) = start(&hark, &[&url, "memory.private=true"]);
    let owner = |words: &str| -> String {
        let body = json!({"text": words, "session_id": "desk"});
        let (status, turn) = http_with(address, "POST", "/api/v1/ask", Some(body), "");
        assert_eq!(status, 200, "{turn}");
        turn["reply"].as_str().unwrap_or_default().to_owned()
    };
    let listener = Listener::on(broker.port, &["hark/hark/answer", "hark/hark/availability"]);
    listener.expect("/availability", "online");
    let stranger = |words: &str| {
        broker.publish("hark/hark/ask", words);
        listener.next_on("/answer").payload
    };
    assert_eq!(owner("my wife is Anna"), "I'll remember that Anna is your wife.");
    assert_eq!(
        owner("my birthday is on the third of May"),
        "I'll remember that your birthday is on the third of May."
    );
    let refused = "The owner has told me otherwise, and only the owner can change that.";
    assert!(stranger("my wife is Berta").contains(refused));
    assert!(stranger("what is my wife's name").contains("Anna is your wife."));
    assert!(stranger("when is my birthday").contains("That is private. Ask me in writing."));
    assert!(stranger("forget everything about my birthday").contains("Sorry, I was told nothing about"));
    assert_eq!(owner("when is my birthday"), "Your birthday is on the third of May.");
    assert_eq!(owner("who am I married to"), "Anna is your wife.");
    assert!(daemon.terminate().success());
}

#[test]
fn a_day_that_was_told_is_the_same_day_later() {
    let hark = Hark::new();
    let said = answer(&hark, "my dentist appointment is in two weeks");
    let kept = remembered(&hark, &["list"]);
    let when = kept[0]["time"]["when"].as_str().unwrap().to_owned();
    let day = chrono::Local::now().date_naive() + chrono::Days::new(14);
    assert_eq!(when, day.to_string(), "{kept}");
    let month_and_day = day.format("%B %-d").to_string();
    assert!(said.contains(&month_and_day), "{said}");
    for asked in ["when is my dentist appointment", "when do I have to see the dentist"] {
        assert!(answer(&hark, asked).contains(&month_and_day), "{asked}");
    }
    let said = answer(&hark, "remember that the bins go out on Thursdays");
    assert_eq!(said, "I'll remember that the bins go out on Thursdays.");
    assert_eq!(answer(&hark, "when do the bins go out"), "The bins go out on Thursdays.");
    answer(&hark, "my dentist appointment is cancelled");
    // What is not known from having been told, a calendar may know.
    let none = "Sorry, no calendar is connected. It can be set up in my settings.";
    assert_eq!(answer(&hark, "when is my dentist appointment"), none);
}

#[test]
fn what_is_known_is_asked_for_and_forgotten_in_other_words() {
    let hark = Hark::new();
    answer(&hark, "my wife is Anna");
    for asked in
        ["do you know anything about my wife", "what have you got on Anna", "tell me all you know about Anna"]
    {
        assert_eq!(answer(&hark, asked), "Anna is your wife.", "{asked}");
    }
    for wiped in
        ["delete all memories of Anna", "wipe everything you know about Anna", "erase Anna from your memory"]
    {
        answer(&hark, "my wife is Anna");
        assert_eq!(answer(&hark, wiped), "I have forgotten: my wife is Anna.", "{wiped}");
    }
}

#[test]
fn a_remark_that_no_rule_reads_is_read_by_the_model_after_its_answer() {
    let (hark, server) = (Hark::new(), ModelServer::start());
    server.answer(|request| {
        if !request.body["messages"].to_string().contains("Write down what it states") {
            return Script::say("That is nice to hear.");
        }
        let facts = json!([
            {"subject": "me", "relation": "sister", "object": "Julia", "object_kind": "person"},
            {"subject": "Julia", "relation": "profession", "object": "nurse"},
            {"subject": "Julia", "relation": "lives", "object": "London"},
            {"subject": "me", "relation": "spouse", "object": "Julia"},
        ]);
        Script::say(&json!({ "facts": facts }).to_string())
    });
    let mut sets = server.settings("openai");
    sets.push("contracts.scoring=false".to_owned());
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let ask = |words: &str, sets: &[&str]| {
        let events = hark.events(&[&["ask"], sets, &[words]].concat());
        let mut whole = named(&events, "reply").into_iter().filter(|reply| reply["ends"] != false);
        whole
            .next_back()
            .map(|reply| reply["text"].as_str().unwrap_or_default().to_owned())
            .unwrap_or_default()
    };
    ask("my wife is Anna", &sets);
    ask("Julia, that's my sister, has been a nurse for years", &sets);
    let said = answer(&hark, "what does Julia do");
    assert!(said.contains("nurse"), "{said}");
    assert_eq!(answer(&hark, "what is my wife's name"), "Anna is your wife.", "a rule is surer");
    let about = remembered(&hark, &["about", "Julia"]).to_string();
    assert!(about.contains("nurse") && !about.contains("London"), "nobody said that: {about}");
    let read = |server: &ModelServer| {
        server
            .chats()
            .iter()
            .filter(|chat| chat.body["messages"].to_string().contains("Write down what it states"))
            .count()
    };
    assert_eq!(read(&server), 1, "what a rule reads is not asked about");
    // Questions, requests and one who does not want it.
    ask("why is the sky blue", &sets);
    ask("my brother Tom flies kites", &[&sets[..], &["--set", "memory.model_reads=false"]].concat());
    assert_eq!(read(&server), 1);
}

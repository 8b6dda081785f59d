//! Which server is asked, how often, and with what: retries, limits, switch-over, keys, lists of models.

use super::{BOTH, Heard, ask, config, open, prompt, with_second};
use crate::support::model_server::{ModelServer, Script};
use crate::support::{Hark, free_port, parse_events, text};
use hark_agent as llm;
use hark_config::llm::Locality;
use hark_config::llm::ProviderKind::{Ollama, Openai};
use hark_core::FaultKind;
use hark_core::model::ModelError;
use std::path::Path;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_server_is_asked_three_times() {
    for kind in BOTH {
        let server = ModelServer::start();
        server.queue(Script::raw(429, r#"{"error":{"message":"slow down"}}"#).header("retry-after", "0"));
        server.queue(Script::raw(503, ""));
        server.queue(Script::say("Now."));
        let model = open(&config(&server, kind));
        assert_eq!(ask(&model, "hello").await.unwrap().text, "Now.");
        assert_eq!((server.chats().len(), model.trouble()), (3, None));

        server.answer(|_| Script::raw(500, r#"{"error":"it crashed"}"#));
        let error = ask(&model, "hello").await.unwrap_err();
        assert!(matches!(&error, ModelError::Refused(_, 500, says) if says == "it crashed"), "{error}");
        assert_eq!((server.chats().len(), model.trouble()), (6, Some(error)));

        server.answer(|_| Script::raw(429, ""));
        assert!(matches!(ask(&model, "hello").await, Err(ModelError::RateLimited(_))));
        assert_eq!(server.chats().len(), 9);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_will_not_change_is_not_tried_again() {
    for kind in BOTH {
        for status in [401, 403, 302, 413, 501] {
            let server = ModelServer::start();
            server.answer(move |_| {
                Script::raw(status, "no").header("location", "http://127.0.0.1:1/elsewhere")
            });
            let error = ask(&open(&config(&server, kind)), "hello").await.unwrap_err();
            assert!(matches!(error, ModelError::Refused(_, found, _) if found == status), "{error}");
            assert_eq!(server.chats().len(), 1);
        }
        let server = ModelServer::start();
        server.answer(|_| Script::raw(404, r#"{"error":{"message":"model 'toy' not found"}}"#));
        let error = ask(&open(&config(&server, kind)), "hello").await.unwrap_err();
        assert!(matches!(&error, ModelError::NoSuchModel(_, model) if model == "toy"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_that_a_server_tells_are_kept() {
    // Nothing left for an hour: nobody is asked in vain.
    let server = ModelServer::start();
    let emptied = Script::say("The last one.")
        .header("x-ratelimit-limit-requests", "60")
        .header("x-ratelimit-remaining-requests", "0")
        .header("x-ratelimit-reset-requests", "60h0m0s");
    server.queue(emptied);
    let model = open(&config(&server, Openai));
    ask(&model, "hello").await.unwrap();
    assert!(matches!(ask(&model, "hello").await, Err(ModelError::RateLimited(_))));
    assert_eq!(server.chats().len(), 1);

    // The door is shut for longer than anybody waits, and stays so for the next request.
    let server = ModelServer::start();
    server.queue(Script::raw(429, "").header("retry-after", "3600"));
    let model = open(&config(&server, Openai));
    for _ in 0..2 {
        assert!(matches!(ask(&model, "hello").await, Err(ModelError::RateLimited(_))));
    }
    assert_eq!(server.chats().len(), 1);

    // Tokens run out before requests do; a short wait is waited.
    let server = ModelServer::start();
    let nearly = Script::say("One.")
        .header("x-ratelimit-limit-tokens", "1000")
        .header("x-ratelimit-remaining-tokens", "10")
        .header("x-ratelimit-reset-tokens", "250ms");
    server.queue(nearly);
    server.queue(Script::say("Two."));
    let model = open(&config(&server, Openai));
    ask(&model, "hello").await.unwrap();
    assert_eq!(ask(&model, "hello").await.unwrap().text, "Two.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_server_takes_over() {
    let refusals = [
        Script::raw(401, "no"),
        Script::raw(429, "").header("retry-after", "3600"),
        Script::raw(404, r#"{"error":{"message":"model 'toy' not found"}}"#),
        Script::raw(200, "garbage"),
        Script::closes(),
        Script::raw(500, "no"),
    ];
    for refusal in refusals {
        let (first, second, heard) = (ModelServer::start(), ModelServer::start(), Heard::default());
        first.answer(move |_| refusal.clone());
        second.answer(|_| Script::say("From the second."));
        let model = open(&with_second(config(&first, Openai), &second, Ollama));
        let answer = model.complete(prompt("hello"), Some(heard.sink())).await.unwrap();
        assert_eq!((answer.text.as_str(), heard.words().as_str()), ("From the second.", "From the second."));
        assert_eq!((model.trouble(), second.chats().len()), (None, 1), "one of them works");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_was_silent_is_passed_over_until_it_shows_itself() {
    let (first, second) = (ModelServer::start(), ModelServer::start());
    for _ in 0..3 {
        first.queue(Script::closes());
    }
    first.answer(|_| Script::say("From the first."));
    second.answer(|_| Script::say("From the second."));
    let mut config = with_second(config(&first, Ollama), &second, Openai);
    config.llm.health_ms = 3_600_000;
    let model = open(&config);
    for _ in 0..3 {
        assert_eq!(ask(&model, "hello").await.unwrap().text, "From the second.");
    }
    assert_eq!(first.chats().len(), 3);
    let (models, faults) = model.models().await;
    assert_eq!((models.len(), faults), (2, Vec::new()));
    assert_eq!(ask(&model, "hello").await.unwrap().text, "From the first.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cloud_is_asked_only_with_leave() {
    let (home, cloud) = (ModelServer::start(), ModelServer::start());
    home.answer(|_| Script::raw(401, "no"));
    cloud.answer(|_| Script::say("From afar."));
    let mut config = with_second(config(&home, Openai), &cloud, Openai);
    config.llm_fallback.local = Locality::No;
    let model = open(&config);
    assert!(matches!(ask(&model, "hello").await, Err(ModelError::Refused(..))));
    model.models().await;
    assert_eq!(cloud.requests().len(), 0);
    config.llm.allow_cloud = true;
    assert_eq!(ask(&open(&config), "hello").await.unwrap().text, "From afar.");

    let mut alone = super::config(&cloud, Openai);
    alone.llm.local = Locality::No;
    let fault = llm::open(&alone, None).err().unwrap();
    assert_eq!(fault.kind, FaultKind::BadConfiguration);
    assert!(fault.fix.contains("allow_cloud"), "{fault}");
    assert!(llm::open(&hark_config::Config::default(), None).unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_goes_to_the_server_and_nowhere_else() {
    const KEY: &str = "sk-very-secret-0123456789";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("llm-main-key"), format!("{KEY}\n")).unwrap();
    for kind in BOTH {
        let server = ModelServer::start();
        let echo = format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}."}}}}"#);
        let padded = format!("{}{KEY} is wrong", "x ".repeat(95));
        server.queue(Script::raw(401, echo.clone()));
        server.queue(Script::raw(401, padded));
        server.queue(Script::raw(
            200,
            if kind == Openai { format!("data: {echo}\n\n") } else { format!("{echo}\n") },
        ));
        server.queue_list(Script::raw(403, echo));
        let model = llm::open(&config(&server, kind), Some(folder.path())).unwrap().unwrap();
        for _ in 0..3 {
            let error = ask(&model, "hello").await.unwrap_err();
            let told = format!("{error} {error:?} {:?}", model.trouble());
            assert!(!told.contains("sk-"), "{told}");
        }
        let (_, faults) = model.models().await;
        assert!(!format!("{faults:?}").contains("sk-"), "{faults:?}");
        let bearer = format!("Bearer {KEY}");
        assert!(server.requests().iter().all(|request| request.header("authorization") == Some(&bearer)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_of_all_servers_are_found() {
    let (first, second) = (ModelServer::start(), ModelServer::start());
    first.has(&["toy:latest", "big:70b"]);
    second.has(&["gpt"]);
    let mut config = with_second(config(&first, Ollama), &second, Openai);
    let model = open(&config);
    let (models, faults) = model.models().await;
    let found: Vec<_> = models.iter().map(|model| (model.provider.as_str(), model.name.as_str())).collect();
    assert_eq!(found, [("main", "toy:latest"), ("main", "big:70b"), ("fallback", "gpt")]);
    assert_eq!((models[0].size_bytes, faults, model.trouble()), (Some(2_019_393_189), Vec::new(), None));
    assert!(llm::probe(&config, None).await.unwrap().contains("2 models"));

    // One that is away is told, and the others are found all the same.
    second.queue_list(Script::raw(500, "broken"));
    let (models, faults) = model.models().await;
    assert_eq!(models.len(), 2);
    assert!(matches!(faults.as_slice(), [ModelError::Refused(_, 500, _)]), "{faults:?}");

    // A server that may answer to other names than it lists goes on, and the start tells it.
    config.llm_fallback.model = "other".into();
    let model = open(&config);
    model.models().await;
    assert_eq!(model.trouble(), None);
    let doubt = model.doubt().unwrap().to_string();
    assert!(doubt.ends_with("does not list the model other, only gpt"), "{doubt}");
    second.has(&["gpt", "other"]);
    model.models().await;
    assert_eq!(model.doubt(), None);

    // The start shows a model that is not there.
    config.llm_fallback.url = String::new();
    config.llm.fast_model = "small".into();
    let model = open(&config);
    model.models().await;
    assert!(matches!(model.trouble(), Some(ModelError::NoSuchModel(_, model)) if model == "small"));
    assert!(llm::probe(&config, None).await.unwrap_err().message.contains("small"));
    config.llm.url = format!("http://127.0.0.1:{}", free_port());
    assert_eq!(llm::probe(&config, None).await.unwrap_err().kind, FaultKind::Unavailable);
    config.llm.url = String::new();
    assert!(llm::probe(&config, None).await.unwrap().starts_with("off"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_lists_are_told() {
    for (kind, body) in [(Ollama, "<html>"), (Openai, "{\"data\":7}"), (Ollama, "")] {
        let server = ModelServer::start();
        server.queue_list(Script::raw(200, body));
        let (models, faults) = open(&config(&server, kind)).models().await;
        assert!(models.is_empty());
        assert!(matches!(faults.as_slice(), [ModelError::BadAnswer(..)]), "{faults:?}");
    }
}

#[test]
fn the_command_line_shows_what_there_is() {
    let (server, hark) = (ModelServer::start(), Hark::new());
    let run = |args: &[&str], url: &str| {
        let url = format!("llm.url={url}");
        let sets = ["--set", &url, "--set", "llm.provider=openai", "--set", "llm.model=toy"];
        hark.run(&[args, &sets].concat())
    };
    let output = run(&["models", "list", "--json"], &server.url());
    let lines = parse_events(&text(&output.stdout));
    let toy = lines.iter().find(|line| line["id"] == "toy").unwrap();
    assert_eq!((&toy["role"], &toy["provider"]), (&"language_model".into(), &"main".into()));
    assert!(text(&run(&["models", "list"], &server.url()).stdout).contains("language model of main"));
    let away = run(&["models", "list"], &format!("http://127.0.0.1:{}", free_port()));
    assert!(away.status.success() && text(&away.stdout).contains("cannot be reached"));
    let doctor = text(&run(&["doctor"], &server.url()).stdout);
    assert!(doctor.contains("ok      language model: http://127.0.0.1"), "{doctor}");
}

#[test]
fn mistakes_in_the_configuration_are_named() {
    let cases = [
        ("[llm]\nurl = \"http://x\"", "llm.model"),
        ("[llm]\nurl = \"x\"\nmodel = \"m\"", "llm.url"),
        ("[llm]\nurl = \"http://a:b@x\"\nmodel = \"m\"", "llm.url"),
        ("[llm]\nurl = \"http://x?key=1\"\nmodel = \"m\"", "llm.url"),
        ("[llm]\nkeep_alive = \"long\"", "llm.keep_alive"),
        ("[llm]\nname = \"My Box\"", "llm.name"),
        ("[llm]\nkey_file = \"/no/such/file\"", "llm.key_file"),
        ("[llm]\nfirst_token_timeout_ms = 5000\ntimeout_ms = 4000", "llm.first_token_timeout_ms"),
        ("[llm_fallback]\nurl = \"http://x\"\nmodel = \"m\"", "llm_fallback.url"),
        ("[llm_fallback]\nname = \"main\"", "llm_fallback.name"),
        ("[llm]\nprovider = \"olama\"", "llm.provider"),
    ];
    for (text, key) in cases {
        let problems =
            hark_config::Config::from_parts(Some((Path::new("hark.toml"), text)), &[]).unwrap_err();
        assert_eq!(problems.len(), 1, "{text}: {problems:#?}");
        assert_eq!(problems[0].key, key, "{text}");
    }
}

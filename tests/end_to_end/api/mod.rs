//! The promises of HTTP and WebSocket: the document and the router say the same, answers are as documented, and
//! whoever is hostile, slow or merely wrong gets an answer and takes nothing from anybody else.
//! `HARK_UPDATE_CONTRACTS=1 cargo test --test end_to_end api` writes `contracts/openapi.json` anew.

mod fake;
mod fake_setup;
mod hostile;
mod http;
mod microphone;
mod modes;
mod pictures;
mod sockets;

use fake::Server;
use hark_config::{Config, Problem};
use hark_core::Event;
use hark_core::public_event::Origin;
use hark_http::openapi;
use http::{ask, get, post};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;

fn document() -> Value {
    serde_json::from_str(openapi()).unwrap()
}

#[test]
fn the_document_is_pinned() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("contracts/openapi.json");
    if std::env::var_os("HARK_UPDATE_CONTRACTS").is_some() {
        std::fs::write(&path, openapi()).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        golden == openapi(),
        "contracts/openapi.json is out of date: see the head of tests/end_to_end/api/mod.rs"
    );
}

/// Every operation of the document: path, method, what is said of it.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let of = |key: &str| document[key].as_object().unwrap().iter();
    let methods = of("paths").chain(of("x-websockets")).flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().iter();
        methods.map(move |(method, described)| (path.clone(), method.to_uppercase(), described.clone()))
    });
    methods.collect()
}

/// A tenth of a second of silence, to know somebody by.
static SOUND: LazyLock<String> = LazyLock::new(|| format!(r#"{{"sound":"{}"}}"#, "A".repeat(4 * 1068)));

/// A request that the fake can serve.
fn example(path: &str, method: &str) -> (String, Option<&'static str>) {
    let id = match path {
        path if path.contains("turns") => "7",
        path if path.contains("timers") => "tea",
        _ => "7",
    };
    let body = match path {
        "/api/v1/say" => Some(r#"{"text":"dinner"}"#),
        "/api/v1/documents" => Some(r#"{"path":"/home/them/manuals/boiler.pdf"}"#),
        "/api/v1/ask" => Some(r#"{"text":"what time is it","session_id":"s"}"#),
        "/api/v1/turns/{id}/wrong" => Some(r#"{"meant":"none"}"#),
        "/api/v1/config" => Some(r#"{"changes":{"wake.threshold":0.6}}"#),
        "/api/v1/names" => Some(r#"{"id":"light.a","name":"Lamp","aliases":["lantern"]}"#),
        "/api/v1/speakers/{name}" => Some(SOUND.as_str()),
        "/api/v1/setup/search" => Some(r#"{"service":"home_assistant"}"#),
        "/api/v1/setup/sound" => Some(r#"{"test":"microphone","device":"auto"}"#),
        "/api/v1/setup/wake" => Some("{}"),
        "/api/v1/wake/training" => Some(r#"{"phrase":"hey house"}"#),
        "/api/v1/models/pull" => Some(r#"{"names":["hibari_emma"]}"#),
        "/api/v1/tools/{name}" => Some(r#"{"args":{"words":"boiler"}}"#),
        "/api/v1/setup/home-assistant" => Some(r#"{"url":"http://10.0.0.2:8123","token":"t"}"#),
        "/api/v1/setup/broker" => Some(r#"{"url":"mqtt://10.0.0.2","username":"hark","password":"p"}"#),
        "/api/v1/setup/rooms" => Some(r#"{"names":["Kitchen"]}"#),
        "/api/v1/setup/models" => Some(r#"{"url":"http://10.0.0.2:11434"}"#),
        "/api/v1/setup/model" => {
            Some(r#"{"url":"http://10.0.0.2:11434","provider":"ollama","model":"qwen3:8b"}"#)
        }
        _ => None,
    };
    let address = match (path, method) {
        ("/api/v1/documents", "DELETE") => "/api/v1/documents?path=/home/them/manuals/boiler.pdf".to_owned(),
        ("/api/v1/documents/search", _) => "/api/v1/documents/search?q=error%20E5".to_owned(),
        ("/api/v1/sessions/{name}", _) => "/api/v1/sessions/desk".to_owned(),
        ("/api/v1/tools/{name}", _) => "/api/v1/tools/notes.search".to_owned(),
        _ => path.replace("{id}", id).replace("{name}", "Anna"),
    };
    (address, body.filter(|_| ["POST", "PATCH"].contains(&method)))
}

#[test]
fn every_documented_operation_is_answered_as_documented() {
    let ((server, _token), document) = (with_operator(), document());
    for (path, method, described) in operations(&document) {
        let (address, body) = example(&path, &method);
        let (json, token) = (("Content-Type", "application/json"), ("Authorization", OPERATOR.0));
        let is_owners = body.is_some()
            || ["/api/v1/restart", "/api/v1/wake/training", "/api/v1/models/pull"].contains(&path.as_str());
        let headers: &[_] = if is_owners { &[json, token] } else { &[] };
        let answer = ask(server.address, &method, &address, headers, body);
        let documented = &described["responses"][answer.status.to_string()];
        assert!(documented.is_object(), "{method} {path} answers {} undocumented", answer.status);
        let success = match (path.as_str(), method.as_str()) {
            ("/ws", _) => 426,
            ("/api/v1/memory/{id}" | "/api/v1/names" | "/api/v1/restart" | "/api/v1/setup/rooms", _) => 204,
            ("/api/v1/speakers/{name}" | "/api/v1/sessions/{name}", "DELETE") => 204,
            _ => 200,
        };
        assert_eq!(answer.status, success, "{method} {path}: {}", answer.body);
        assert!(!answer.body.contains("nothing at this address"), "{method} {path} has no route");
        let Some(content) = documented["content"].as_object() else { continue };
        let (kind, media) = content.iter().next().unwrap();
        assert!(answer.headers["content-type"].starts_with(kind.as_str()), "{method} {path}");
        if kind == "application/json" {
            let mut schema: Map<String, Value> = media["schema"].as_object().unwrap().clone();
            schema.insert("components".into(), document["components"].clone());
            let validator = jsonschema::validator_for(&Value::Object(schema)).unwrap();
            let errors: Vec<String> = validator.iter_errors(&answer.json()).map(|e| e.to_string()).collect();
            assert!(errors.is_empty(), "{method} {path}: {errors:?} in {}", answer.body);
        }
    }
}

/// The operator's token, as a header and in its file.
const OPERATOR: (&str, &str) = ("Bearer a-token-of-the-operator", "a-token-of-the-operator\n");

/// A server with an operator; the file is there for as long as it is held.
fn with_operator() -> (Server, tempfile::NamedTempFile) {
    let token = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(token.path(), OPERATOR.1).unwrap();
    let server = Server::with(|settings, _| {
        settings.operator_token_file = token.path().display().to_string();
    });
    (server, token)
}

#[test]
fn the_configuration_is_changed_by_the_operator_alone_and_mistakes_are_told_by_key() {
    let (server, _token) = with_operator();
    let (json, token) = (("Content-Type", "application/json"), ("Authorization", OPERATOR.0));
    let patch = |headers: &[(&str, &str)], body: &str| {
        ask(server.address, "PATCH", "/api/v1/config", headers, Some(body))
    };
    let good = r#"{"changes":{"endpoint.silence_ms":900,"home.area":null}}"#;
    let refused = patch(&[json], good);
    assert_eq!((refused.status, refused.refusal().as_str()), (403, "forbidden"));
    assert!(refused.body.contains("operator-token"), "{}", refused.body);
    assert!(server.fake.file.0.lock().unwrap().is_empty());

    let done = patch(&[json, token], good);
    assert_eq!(done.status, 200, "{}", done.body);
    assert_eq!(done.json()["needs_restart"], json!(["endpoint.silence_ms", "home.area"]));
    let changes = server.fake.file.0.lock().unwrap().clone();
    assert_eq!((&changes[0].value, &changes[1].value), (&Some(json!(900)), &None));

    let wrong = patch(&[json, token], r#"{"changes":{"vad.threshold":7,"home.demo":true}}"#);
    assert_eq!((wrong.status, wrong.refusal().as_str()), (422, "bad_input"));
    let mistakes = &wrong.json()["error"]["mistakes"];
    assert_eq!(
        (&mistakes[0]["key"], &mistakes[0]["fix"]),
        (&json!("vad.threshold"), &json!("use 0.05 to 0.95"))
    );
    for body in [r#"{"changes":{}}"#, r#"{"change":{}}"#, r#"{"changes":[]}"#, r#"{}"#] {
        assert_eq!(patch(&[json, token], body).status, 422, "{body}");
    }
    let many: Map<String, Value> = (0..65).map(|at| (format!("vad.key_{at}"), json!(1))).collect();
    assert_eq!(patch(&[json, token], &json!({ "changes": many }).to_string()).status, 422);
    assert_eq!(server.fake.file.0.lock().unwrap().len(), 2, "a refused change changes nothing");

    let keys =
        |headers: &[(&str, &str)]| ask(server.address, "GET", "/api/v1/config/keys", headers, None).json();
    assert_eq!((&keys(&[])["may_change"], &keys(&[token])["may_change"]), (&json!(false), &json!(true)));
    let all = keys(&[]);
    let sections = all["sections"].as_array().unwrap();
    let counted: usize = sections.iter().map(|section| section["keys"].as_array().unwrap().len()).sum();
    assert_eq!(counted, hark_config::keys::keys().filter(|key| !key.is_tables()).count());
    let wake = sections.iter().find(|section| section["name"] == "wake").unwrap();
    let threshold =
        wake["keys"].as_array().unwrap().iter().find(|key| key["key"] == "wake.threshold").unwrap();
    assert_eq!((&threshold["kind"], &threshold["needs_restart"]), (&json!("number"), &json!(false)));
    assert!(threshold["min"].is_number() && threshold["about"].as_str().unwrap().ends_with('.'));
}

#[test]
fn voices_names_and_restarts_are_for_the_operator() {
    let (server, _token) = with_operator();
    let (json, token) = (("Content-Type", "application/json"), ("Authorization", OPERATOR.0));
    let send = |method: &str, path: &str, headers: &[(&str, &str)], body: &str| {
        ask(server.address, method, path, headers, Some(body))
    };
    let rename = r#"{"id":"light.a","name":"Lamp"}"#;
    for (method, path, body) in [
        ("POST", "/api/v1/speakers/Anna", SOUND.as_str()),
        ("PATCH", "/api/v1/names", rename),
        ("POST", "/api/v1/restart", "{}"),
    ] {
        let refused = send(method, path, &[json], body);
        assert_eq!((refused.status, refused.refusal().as_str()), (403, "forbidden"), "{path}");
    }
    assert_eq!(server.fake.restarts.load(Ordering::SeqCst), 0);
    assert_eq!(send("POST", "/api/v1/restart", &[json, token], "{}").status, 204);
    assert_eq!(server.fake.restarts.load(Ordering::SeqCst), 1);

    let enrolled = send("POST", "/api/v1/speakers/Anna%20B", &[json, token], &SOUND);
    assert_eq!((enrolled.status, &enrolled.json()["name"]), (200, &json!("Anna B")));
    for body in [
        r#"{"sound":""}"#,
        r#"{"sound":"AAAA"}"#,
        r#"{"sound":"%"}"#,
        r#"{"sound":7}"#,
        r#"{"voice":"AA=="}"#,
    ] {
        assert_eq!(send("POST", "/api/v1/speakers/Anna", &[json, token], body).status, 422, "{body}");
    }
    let long = format!(r#"{{"sound":"{}"}}"#, "A".repeat(4 * 160_000));
    assert_eq!(send("POST", "/api/v1/speakers/Anna", &[json, token], &long).status, 200, "15 seconds");
    let longer = format!(r#"{{"sound":"{}"}}"#, "A".repeat(4 * 200_000));
    assert_eq!(send("POST", "/api/v1/speakers/Anna", &[json, token], &longer).status, 413);

    assert_eq!(send("PATCH", "/api/v1/names", &[json, token], rename).status, 204);
    for body in [
        r#"{"id":"light.none","name":"Lamp"}"#,
        r#"{"id":"light.a","name":""}"#,
        r#"{"id":"light.a","aliases":["a\nb"]}"#,
        r#"{"name":"Lamp"}"#,
    ] {
        assert_eq!(send("PATCH", "/api/v1/names", &[json, token], body).status, 422, "{body}");
    }
    assert_eq!(get(server.address, "/api/v1/sessions/nobody").status, 404);
    assert_eq!(get(server.address, &format!("/api/v1/sessions/{}", "x".repeat(65))).status, 422);
}

#[test]
fn setting_up_is_for_the_operator_and_says_what_does_not_work() {
    let (server, _token) = with_operator();
    let (json, token) = (("Content-Type", "application/json"), ("Authorization", OPERATOR.0));
    let send = |path: &str, headers: &[(&str, &str)], body: &str| {
        ask(server.address, "POST", &format!("/api/v1/setup/{path}"), headers, Some(body))
    };
    for path in ["search", "sound", "wake", "home-assistant", "broker", "rooms", "models", "model"] {
        let body = example(&format!("/api/v1/setup/{path}"), "POST").1.unwrap();
        let refused = send(path, &[json], body);
        assert_eq!((refused.status, refused.refusal().as_str()), (403, "forbidden"), "{path}");
    }
    assert!(server.fake.setup.0.lock().unwrap().is_empty(), "nothing was done");

    let broken = send("broker", &[json, token], r#"{"url":"mqtt://broken"}"#);
    assert_eq!((broken.status, broken.refusal().as_str()), (503, "unavailable"));
    let kept = send("broker", &[json, token], r#"{"url":"mqtt://broken","keep":true}"#);
    assert_eq!((kept.status, &kept.json()["needs_restart"]), (200, &json!(["mqtt.url"])));
    assert!(kept.json()["trouble"].as_str().unwrap().contains("does not answer"), "{}", kept.body);
    let twice = send("rooms", &[json, token], r#"{"names":["broken"]}"#);
    assert_eq!((twice.status, &twice.json()["error"]["mistakes"][0]["key"]), (422, &json!("home.file")));
    for (path, body) in [
        ("search", r#"{"service":"printer"}"#),
        ("sound", r#"{"test":"speaker","device":"a\nb"}"#),
        ("sound", r#"{"test":"speaker","device":""}"#),
        ("home-assistant", r#"{"url":"http://a","token":"a\nb"}"#),
        ("rooms", r#"{"names":[]}"#),
        ("rooms", r#"{"names":[""]}"#),
        ("models", r#"{}"#),
    ] {
        assert_eq!(send(path, &[json, token], body).status, 422, "{path} {body}");
    }
    let tried = send("wake", &[json, token], "{}").json();
    assert_eq!((&tried["nearest"], &tried["lower_threshold"]), (&json!(0.45), &json!(0.36)));
}

#[test]
fn a_wake_word_is_trained_for_the_operator_and_what_was_counted_is_told() {
    let (server, _token) = with_operator();
    let (json, token) = (("Content-Type", "application/json"), ("Authorization", OPERATOR.0));
    let path = "/api/v1/wake/training";
    let body = Some(r#"{"phrase":"hey house"}"#);
    for method in ["POST", "DELETE"] {
        assert_eq!(ask(server.address, method, path, &[json], body).status, 403, "{method}");
    }
    assert_eq!(get(server.address, path).json()["state"], "idle");
    for bad in [r#"{"phrase":""}"#, r#"{"phrase":"a\nb"}"#, r#"{"word":"a"}"#] {
        assert_eq!(ask(server.address, "POST", path, &[json, token], Some(bad)).status, 422, "{bad}");
    }
    let begun = ask(server.address, "POST", path, &[json, token], body).json();
    assert_eq!(begun["progress"], json!({ "stage": "learning", "done": 3, "of": 9 }));
    let done = get(server.address, path).json();
    assert_eq!(
        (&done["state"], &done["word"]["missed"], &done["word"]["said"]),
        (&json!("done"), &json!(2), &json!(108))
    );
    let cancelled = ask(server.address, "DELETE", path, &[token], None).json();
    assert_eq!((&cancelled["state"], &cancelled["phrase"]), (&json!("cancelled"), &json!("hey house")));
}

#[test]
fn models_are_listed_for_everybody_and_pulled_for_the_operator() {
    let (server, _token) = with_operator();
    let (json, token) = (("Content-Type", "application/json"), ("Authorization", OPERATOR.0));
    let path = "/api/v1/models/pull";
    let body = Some(r#"{"names":["hibari_emma","hibari_tagger"]}"#);
    for method in ["POST", "DELETE"] {
        assert_eq!(ask(server.address, method, path, &[json], body).status, 403, "{method}");
    }
    let all = get(server.address, "/api/v1/models").json();
    assert_eq!((&all["pull"]["state"], &all["models"][0]["state"]), (&json!("idle"), &json!("corrupt")));
    assert_eq!(all["models"][0]["why"], "has 7 bytes, not 1000");
    for bad in [r#"{"names":[]}"#, r#"{}"#, r#"{"names":["nothing"]}"#] {
        assert_eq!(ask(server.address, "POST", path, &[json, token], Some(bad)).status, 422, "{bad}");
    }
    let begun = ask(server.address, "POST", path, &[json, token], body).json();
    let progress =
        json!({"id": "hibari_emma", "stage": "downloading", "done_bytes": 500, "total_bytes": 1000});
    assert_eq!((&begun["state"], &begun["progress"]), (&json!("running"), &progress));
    assert_eq!(
        get(server.address, "/api/v1/models").json()["pull"],
        begun,
        "it is told to whoever comes later"
    );
    let over = ask(server.address, "DELETE", path, &[token], None).json();
    assert_eq!((&over["state"], &over["fix"]), (&json!("failed"), &json!("look at the network")));
}

#[test]
fn a_tool_that_looks_leaves_no_turn_and_any_other_is_a_turn() {
    let server = Server::start();
    let json = ("Content-Type", "application/json");
    let call = |name: &str, body: &str| {
        ask(server.address, "POST", &format!("/api/v1/tools/{name}"), &[json], Some(body))
    };
    let looked = call("notes.search", r#"{"args":{"words":"boiler"}}"#).json();
    assert_eq!(
        (&looked["ok"], &looked["turn"], &looked["asks"]),
        (&json!(true), &Value::Null, &json!("nothing"))
    );
    assert_eq!(looked["detail"]["args"]["words"], "boiler");
    let refused = call("notes.search", "{}").json();
    assert_eq!(
        (&refused["ok"], &refused["detail"]["fix"]),
        (&json!(false), &json!("say what is looked for"))
    );
    assert!(server.fake.pushed.lock().unwrap().is_empty());
    let done =
        call("notes.create", r#"{"args":{"text":"a \"note\"\nof two lines"},"session_id":"page"}"#).json();
    assert!(done["turn"].is_string() && done["reply"].is_string(), "{done}");
    let pushed = server.fake.pushed.lock().unwrap();
    let Some(Event::Typed { text, origin, .. }) = pushed.first() else { panic!("{pushed:?}") };
    assert_eq!(text, r#"/tool notes.create {"text":"a \"note\"\nof two lines"}"#);
    assert_eq!(*origin, Origin::Api("page".into()));
    drop(pushed);
    assert_eq!(call("notes.burn", "{}").status, 404);
    assert_eq!(call("notes.search", r#"{"words":"boiler"}"#).status, 422);
    // Another page's form sends no JSON.
    let form = ("Content-Type", "text/plain");
    let foreign = ask(server.address, "POST", "/api/v1/tools/notes.search", &[form], Some("{}"));
    assert_eq!(foreign.status, 415);
}

#[test]
fn the_support_bundle_says_nothing_that_was_said() {
    let (server, _token) = with_operator();
    let bundle = get(server.address, "/api/v1/support");
    assert_eq!(bundle.status, 200);
    let bundle = bundle.json();
    assert_eq!((&bundle["doctor"]["ok"], bundle["turns"].as_array().unwrap().len()), (&json!(false), 30));
    assert_eq!(bundle["turns"][0][1]["outcome"], "done");
    assert!(!bundle.to_string().contains("what time is it"), "{bundle}");
    assert_eq!(bundle["configuration"]["mqtt.password_file"], "(set)");
}

#[test]
fn documents_outside_the_open_folders_are_for_the_operator() {
    let token = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(token.path(), "a-token-of-the-operator\n").unwrap();
    let server = Server::with(|settings, _| {
        settings.operator_token_file = token.path().display().to_string();
    });
    let body = r#"{"path":"/home/them/letters"}"#;
    let json = ("Content-Type", "application/json");
    let refused = ask(server.address, "POST", "/api/v1/documents", &[json], Some(body));
    assert_eq!((refused.status, refused.refusal().as_str()), (422, "bad_input"));
    let headers = [json, ("Authorization", "Bearer a-token-of-the-operator")];
    assert_eq!(ask(server.address, "POST", "/api/v1/documents", &headers, Some(body)).status, 200);
    let gone = ask(server.address, "DELETE", "/api/v1/documents?path=/home/them/letters", &headers, None);
    assert_eq!((gone.status, &gone.json()["removed"]), (200, &Value::from(1)));
    for address in ["/api/v1/documents?path=letters", "/api/v1/documents", "/api/v1/documents?path=%00"] {
        assert_eq!(ask(server.address, "DELETE", address, &headers, None).status, 400, "{address}");
    }
    for address in ["/api/v1/documents/search", "/api/v1/documents/search?q=", "/api/v1/documents/search?x=1"]
    {
        assert_eq!(get(server.address, address).status, 400, "{address}");
    }
    let all = get(server.address, "/api/v1/documents").json();
    assert_eq!(
        (&all["status"]["failed"], &all["documents"][1]["fix"]),
        (&Value::from(1), &Value::from("save it anew"))
    );
}

#[test]
fn what_is_not_documented_is_not_there() {
    let (server, document) = (Server::start(), document());
    let mut paths: Vec<String> = operations(&document).into_iter().map(|(path, ..)| path).collect();
    paths.dedup();
    for path in paths {
        let known: Vec<String> = operations(&document)
            .into_iter()
            .filter_map(|(other, method, _)| (other == path).then_some(method))
            .collect();
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"] {
            if known.iter().any(|known| known == method) {
                continue;
            }
            let answer = ask(server.address, method, &example(&path, method).0, &[], None);
            assert_eq!(answer.status, 405, "{method} {path}");
            assert_eq!(answer.refusal(), "method_not_allowed");
            let allowed: Vec<&str> =
                answer.headers["allow"].split(',').filter(|one| *one != "HEAD").collect();
            assert_eq!(allowed, known, "{path}");
        }
    }
    for path in ["/api", "/page", "/api/v2/health", "/api/v1/turns/", "/api/v1/health/", "/metrics", "/ws/x"]
    {
        let answer = get(server.address, path);
        assert_eq!((answer.status, answer.refusal().as_str()), (404, "not_found"), "{path}");
    }
}

#[test]
fn the_page_is_served_to_everybody_who_may_reach_it_and_nothing_else_without_the_token() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "a-token-of-enough-characters\n").unwrap();
    let server = Server::with(|settings, _| settings.token_file = file.path().display().to_string());
    let page = get(server.address, "/");
    assert_eq!((page.status, page.headers["content-type"].as_str()), (200, "text/html; charset=utf-8"));
    let policy = &page.headers["content-security-policy"];
    assert!(policy.starts_with("default-src 'self';") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.headers["x-frame-options"], "SAMEORIGIN");
    assert_eq!(page.headers["x-content-type-options"], "nosniff");

    let named = ["src=\"", "href=\""].iter().flat_map(|name| page.body.split(name).skip(1));
    let named: Vec<&str> = named.filter_map(|rest| rest.split('"').next()).collect();
    assert!(named.len() >= 3, "{named:?}");
    for name in named {
        let name = name.strip_prefix("./").expect("relative, for it may lie under a prefix");
        let answer = get(server.address, &format!("/{name}"));
        assert_eq!(answer.status, 200, "{name}");
        assert!(!answer.body.is_empty(), "{name}");
    }
    let tag = page.headers["etag"].as_str();
    assert_eq!(ask(server.address, "GET", "/", &[("If-None-Match", tag)], None).status, 304);
    assert_eq!(ask(server.address, "HEAD", "/page.js", &[], None).status, 200);
    for (method, path) in [("POST", "/"), ("GET", "/api/v1/health"), ("GET", "/ws"), ("GET", "/page.js/..")] {
        assert_eq!(ask(server.address, method, path, &[], None).status, 401, "{method} {path}");
    }
    let elsewhere = [("Host", "evil.example")];
    assert_eq!(ask(server.address, "GET", "/", &elsewhere, None).status, 403, "by a foreign name");
}

#[test]
fn every_answer_is_kept_from_caches_frames_and_guessing() {
    let server = Server::start();
    for path in ["/api/v1/health", "/nowhere", "/api/v1/metrics"] {
        let headers = get(server.address, path).headers;
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["cache-control"], "no-store");
        assert_eq!(headers["content-security-policy"], "default-src 'none'; frame-ancestors 'none'");
        assert_eq!(headers["x-frame-options"], "DENY");
        assert_eq!(headers["cross-origin-resource-policy"], "same-origin");
        assert!(!headers.contains_key("access-control-allow-origin"));
    }
}

#[test]
fn turns_come_in_pages() {
    let server = Server::start();
    let ids = |answer: &Value| -> Vec<u32> {
        let turns = answer["turns"].as_array().unwrap().iter();
        turns.map(|turn| turn["turn"].as_str().unwrap().parse().unwrap()).collect()
    };
    let first = get(server.address, "/api/v1/turns").json();
    assert_eq!(ids(&first), (11..=30).rev().collect::<Vec<_>>());
    assert_eq!(first["next"], "11");
    assert_eq!(first["turns"][0]["text"], "what time is it");
    assert_eq!(first["turns"][0]["outcome"], "done");
    let last = get(server.address, "/api/v1/turns?before=11&limit=10").json();
    assert_eq!(ids(&last), (1..=10).rev().collect::<Vec<_>>());
    assert_eq!(last["next"], Value::Null, "that was all");
    for wrong in ["limit=0", "limit=201", "limit=-1", "limit=ten", "page=2", "limit=1&limit=2", "limit=%ff"] {
        let answer = get(server.address, &format!("/api/v1/turns?{wrong}"));
        assert_eq!((answer.status, answer.refusal().as_str()), (400, "bad_request"), "{wrong}");
    }
    assert_eq!(get(server.address, "/api/v1/turns?before=99").refusal(), "not_found");
    assert_eq!(get(server.address, "/api/v1/turns/31").refusal(), "not_found");
    assert_eq!(get(server.address, "/api/v1/turns/30/audio").refusal(), "not_recorded");
    assert_eq!(get(server.address, "/api/v1/turns/31/audio").refusal(), "not_found");
    let sound = get(server.address, "/api/v1/turns/7/audio");
    assert_eq!(
        (sound.headers["content-type"].as_str(), sound.body.as_str()),
        ("audio/wav", "RIFFsound of 7")
    );
}

#[test]
fn entities_are_found_by_area_and_domain() {
    let server = Server::start();
    let found = |query: &str| -> Vec<String> {
        let answer = get(server.address, &format!("/api/v1/entities{query}")).json();
        let entities = answer["entities"].as_array().unwrap().iter();
        entities.map(|entity| entity["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(found(""), ["light.a", "switch.b", "light.c"]);
    assert_eq!(found("?area=Kitchen"), ["light.a", "switch.b"]);
    assert_eq!(found("?area=kitchen&domain=light"), ["light.a"]);
    assert_eq!(found("?area=cellar"), Vec::<String>::new());
}

#[test]
fn requests_of_one_conversation_get_each_its_own_answer() {
    let server = Server::start();
    let address = server.address;
    let askers: Vec<_> = (0..20)
        .map(|number| {
            std::thread::spawn(move || {
                let session = format!("session {}", number % 3);
                let body = json!({ "text": format!("request {number}"), "session_id": session });
                let answer = post(address, "/api/v1/ask", &body.to_string());
                assert_eq!(answer.status, 200, "{}", answer.body);
                let answer = answer.json();
                assert_eq!(answer["reply"], format!("echo: request {number}"));
                assert_eq!(answer["session"], session);
                assert_eq!(answer["outcome"], "done");
                assert_eq!(answer["events"].as_array().unwrap().len(), 3);
            })
        })
        .collect();
    askers.into_iter().for_each(|asker| asker.join().unwrap());
    let answer = post(address, "/api/v1/ask", r#"{"text":"alone","dry_run":true}"#).json();
    assert!(answer["session"].as_str().unwrap().starts_with("api-"));
    let pushed = server.fake.pushed.lock().unwrap();
    assert!(matches!(&pushed[pushed.len() - 1], Event::Typed { dry_run: true, speak: false, .. }));
}

#[test]
fn a_turn_that_does_not_close_and_a_hark_that_is_busy_are_told() {
    let server = Server::with(|_, limits| limits.ask = std::time::Duration::from_millis(200));
    let answer = post(server.address, "/api/v1/ask", r#"{"text":"never ends"}"#);
    assert_eq!((answer.status, answer.refusal().as_str()), (504, "timeout"));
    let answer = post(server.address, "/api/v1/ask", r#"{"text":"too much"}"#);
    assert_eq!((answer.status, answer.refusal().as_str()), (503, "unavailable"));
}

#[test]
fn texts_are_said_and_timers_and_facts_go() {
    let server = Server::start();
    let said = post(server.address, "/api/v1/say", "{\"text\":\" dinner\\nis ready \"}").json();
    assert_eq!(said, json!({ "spoken": true }));
    assert_eq!(*server.fake.said.lock().unwrap(), ["dinner is ready"]);
    let cancelled = ask(server.address, "DELETE", "/api/v1/timers/tea", &[], None);
    assert_eq!(cancelled.json()["due_at"], "2026-09-21T14:16:20.000Z");
    for (path, status) in [
        ("/api/v1/timers/coffee", 404),
        ("/api/v1/speakers/Anna", 204),
        ("/api/v1/speakers/Ben", 404),
        ("/api/v1/memory/7", 204),
        ("/api/v1/memory/8", 404),
        ("/api/v1/memory/seven", 404),
        ("/api/v1/memory/99999999999999999999", 404),
    ] {
        assert_eq!(ask(server.address, "DELETE", path, &[], None).status, status, "{path}");
    }
}

#[test]
fn counts_are_told_to_prometheus() {
    let server = Server::start();
    get(server.address, "/nowhere");
    let answer = get(server.address, "/api/v1/metrics");
    assert_eq!(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    for line in ["hark_up 1", "hark_http_answers_total{status=\"4xx\"} 1", "hark_websockets 0"] {
        assert!(answer.body.lines().any(|one| one == line), "{line} in {}", answer.body);
    }
}

#[test]
fn a_port_that_is_taken_is_told_and_tried_again() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let server = Server::with(|settings, limits| {
        settings.listen = address.to_string();
        limits.port = std::time::Duration::from_millis(50);
    });
    assert_eq!(server.dashboard.address(), None);
    let told = || server.faults.lock().unwrap().clone();
    while told().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(told()[0].recoverable && told()[0].message.contains(&address.to_string()), "{:?}", told());
    drop(taken);
    server.runtime.block_on(server.dashboard.listening()).unwrap();
    assert_eq!(get(address, "/api/v1/health").status, 200);
    assert_eq!(told().len(), 1, "told once, however often it was tried");
}

fn problems(sets: &[&str]) -> Vec<Problem> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Config::from_parts(None, &sets).err().unwrap_or_default()
}

#[test]
fn others_on_the_network_are_let_in_only_with_a_token() {
    for open in ["0.0.0.0:8765", "192.168.1.5:8765", "[::]:8765"] {
        let listen = format!("dashboard.listen={open}");
        let found = problems(&[&listen]);
        assert_eq!(found[0].key, "dashboard.listen", "{open}");
        assert!(found[0].fix.contains("token_file"));
        assert!(problems(&[&listen, "dashboard.enabled=false"]).is_empty());
        let file = tempfile::NamedTempFile::new().unwrap();
        let token = format!("dashboard.token_file={}", file.path().display());
        assert!(problems(&[&listen, &token]).is_empty(), "with a token");
    }
    for closed in ["127.0.0.1:8765", "[::1]:8765", "localhost:8765", "127.8.8.8:1"] {
        assert!(problems(&[&format!("dashboard.listen={closed}")]).is_empty(), "{closed}");
    }
    for (set, key) in [
        ("dashboard.listen=8765", "dashboard.listen"),
        ("dashboard.listen=hark.local:8765", "dashboard.listen"),
        ("dashboard.token_file=/nowhere/token", "dashboard.token_file"),
        ("dashboard.allowed_hosts=http://hark.local", "dashboard.allowed_hosts"),
        ("dashboard.allowed_origins=home.example", "dashboard.allowed_origins"),
        ("dashboard.allowed_origins=https://home.example/", "dashboard.allowed_origins"),
        ("dashboard.requests_per_minute=1", "dashboard.requests_per_minute"),
    ] {
        assert_eq!(problems(&[set]).first().map(|problem| problem.key.as_str()), Some(key), "{set}");
    }
}

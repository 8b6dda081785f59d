//! With a language model: questions, tools that it names, dangerous acts, plans that outlive the power, and what
//! happens when it is away. The model is scripted; everything else is the real program.

use crate::support::model_server::{ModelServer, Script, Step};
use crate::support::{Hark, Running, named, only, parse_events, text, wait_for};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Duration;

/// Asks these lines in one conversation, with the model of this server.
fn ask(hark: &Hark, server: &ModelServer, settings: &[&str], lines: &str) -> Vec<Value> {
    let mut command = hark.command(&["ask", "--json", "--session", "evening"]);
    for setting in server.settings("openai").iter().map(String::as_str).chain(settings.iter().copied()) {
        command.args(["--set", setting]);
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    parse_events(&text(&output.stdout))
}

/// The whole replies, in order.
fn replies(events: &[Value]) -> Vec<String> {
    let whole = named(events, "reply").into_iter().filter(|reply| reply["ends"] == true);
    whole.map(|reply| reply["text"].as_str().unwrap().to_owned()).collect()
}

fn json_of(value: Value) -> Script {
    Script::say(&value.to_string())
}

const ROUTED: &str = "contracts.router=model";
const UNJUDGED: &str = "contracts.scoring=false";

#[test]
fn an_open_question_is_answered_as_it_comes_and_judged_afterwards() {
    let (hark, server) = (Hark::new(), ModelServer::start());
    server.queue(Script::steps(vec![
        Step::Words("Because the air ".into()),
        Step::Words("scatters blue light most.".into()),
    ]));
    server.queue(json_of(json!({"helpfulness": 2, "honesty": 9})));
    let events = ask(&hark, &server, &[], "why is the sky blue?\n");
    let intent = only(&events, "intent");
    assert_eq!((&intent["name"], &intent["route"]), (&json!("answer.general"), &json!("llm")));
    let pieces: String = named(&events, "reply")
        .iter()
        .filter(|reply| reply["ends"] == false)
        .map(|reply| reply["text"].as_str().unwrap())
        .collect();
    assert_eq!(pieces, "Because the air scatters blue light most.");
    assert_eq!(replies(&events), [pieces]);
    let turn = only(&events, "turn");
    assert_eq!(
        (&turn["route"], &turn["attempts"], &turn["outcome"]),
        (&json!("llm"), &json!(1), &json!("done"))
    );
    let judged = only(&events, "evaluation");
    assert_eq!(
        (&judged["label"], &judged["evaluation_alert"]),
        (&json!("strict_answer"), &json!("low_scores"))
    );
    let at = |name: &str| events.iter().position(|event| event["event"] == name).unwrap();
    assert!(at("turn") < at("evaluation"), "never in its way");
    let told = text(&hark.run(&["explain", "last"]).stdout);
    assert!(told.contains("evaluation   strict_answer") && told.contains("low_scores"), "{told}");
    let sets = sets(&server, &[]);
    let replayed = hark.command(&["replay", "last"]).args(&sets).output().unwrap();
    assert_eq!(replayed.status.code(), Some(0), "{}", text(&replayed.stdout));
}

#[test]
fn without_a_model_and_with_one_that_is_away_the_answer_is_honest() {
    let hark = Hark::new();
    let events = hark.events(&["ask", "why is the sky blue?"]);
    let honest = replies(&events);
    assert!(honest[0].contains("I don't know") && honest[0].contains("language model"), "{honest:?}");
    assert!(named(&events, "error").is_empty());

    let server = ModelServer::start();
    server.answer(|_| Script::raw(500, "broken"));
    let events = ask(&hark, &server, &["llm.tries=1"], "why is the sky blue?\nturn on the bedroom light\n");
    let away = &replies(&events)[0];
    assert!(away.contains("I don't know") && away.contains("does not answer"), "{away}");
    assert_eq!(only(&events, "error")["part"], "llm");
    assert_eq!(named(&events, "turn")[1]["outcome"], "done", "the house works all the same");
}

#[test]
fn invalid_answers_are_asked_for_again_and_then_replaced() {
    let (hark, server) = (Hark::new(), ModelServer::start());
    for answer in ["nonsense", "```json\n{\"intent\": \"tool.rm\", \"confidence\": 2}\n```", "{} and more"] {
        server.queue(Script::say(answer));
    }
    server.queue(Script::say("I don't know."));
    let events = ask(&hark, &server, &[ROUTED, UNJUDGED], "why is the sky blue?\n");
    let attempts: Vec<(Value, Value, Value)> = named(&events, "contract")
        .iter()
        .map(|event| (event["name"].clone(), event["valid"].clone(), event["fallback"].clone()))
        .collect();
    let classified = |fallback: bool| (json!("intent_classification"), json!(false), json!(fallback));
    let answered = (json!("strict_answer"), json!(true), json!(false));
    assert_eq!(attempts, [classified(false), classified(false), classified(true), answered]);
    assert_eq!(only(&events, "turn")["attempts"], 4);
}

#[test]
fn a_tool_that_the_model_names_runs_with_arguments_out_of_the_request() {
    let (hark, server) = (Hark::new(), ModelServer::start());
    server.queue(json_of(json!({"intent": "tool.timer.start", "confidence": 0.97})));
    server.queue(json_of(json!({"minutes": 7, "name": "tea"})));
    server.queue(json_of(json!({"verdict": "ok"})));
    server.queue(Script::say("Your tea timer runs for 7 minutes."));
    let events = ask(&hark, &server, &[ROUTED, UNJUDGED], "oolong infusion, the usual way\n");
    let action = only(&events, "action");
    assert_eq!(
        (&action["tool"], &action["receipt"]["ok"]),
        (&json!("timer.start"), &json!(true)),
        "{action:#}"
    );
    assert_eq!(replies(&events), ["Your tea timer runs for 7 minutes."]);
    let timers: Value = serde_json::from_slice(&hark.run(&["timers", "list", "--json"]).stdout).unwrap();
    assert_eq!(timers[0]["name"], "tea", "{timers:#}");
}

#[test]
fn a_door_is_unlocked_only_after_a_yes_of_the_one_who_was_asked() {
    for (word, unlocked) in [("yes", true), ("no", false)] {
        let (hark, server) = (Hark::new(), ModelServer::start());
        server.queue(json_of(json!({"intent": "tool.home.turn_off", "confidence": 0.97})));
        server.queue(json_of(json!({"name": "front door lock"})));
        server.queue(json_of(json!({"verdict": "ok"})));
        server.answer(|_| Script::say("The front door is unlocked."));
        let lines = format!("be so good as to let grandma in\n{word}\n");
        let events = ask(&hark, &server, &[ROUTED, UNJUDGED], &lines);
        let actions = named(&events, "action");
        assert_eq!(actions[0]["receipt"]["detail"]["error"], "needs_approval", "{actions:#?}");
        assert_eq!(actions.len(), if unlocked { 2 } else { 1 });
        assert!(!unlocked || actions[1]["receipt"]["ok"] == true, "{actions:#?}");
        let modes: Vec<(&Value, &Value)> =
            named(&events, "mode").into_iter().map(|mode| (&mode["from"], &mode["to"])).collect();
        let (alert, guarding, working) = (json!("ALERT"), json!("GUARDING"), json!("WORKING"));
        let end = if unlocked { (&guarding, &working) } else { (&guarding, &alert) };
        assert!(modes.contains(&(&alert, &guarding)) && modes.contains(&end), "{modes:?}");
    }
}

#[test]
fn what_a_model_says_it_did_without_a_receipt_is_not_said() {
    let (hark, server) = (Hark::new(), ModelServer::start());
    server.answer(|_| Script::say("Done! I've unlocked the front door and turned on the lights."));
    let events =
        ask(&hark, &server, &[UNJUDGED], "plan my evening with dinner, a film and the right light\n");
    assert!(named(&events, "action").is_empty());
    for reply in replies(&events) {
        assert!(!reply.contains("unlocked"), "{reply}");
    }
}

/// A plan of three steps of which the second takes as long as its page.
fn plan(page: &str) -> Value {
    let step = |id: &str, tool: &str, args: Value, needs: &[&str]| {
        json!({
            "id": id, "description": id, "tool": tool, "args": args, "can_parallel": false, "depends_on": needs,
        })
    };
    json!({"summary": "Two things for the list", "steps": [
        step("a", "list.add", json!({"item": "saffron"}), &[]),
        step("b", "fetch.get", json!({"url": page}), &["a"]),
        step("c", "list.add", json!({"item": "cardamom"}), &["b"]),
    ]})
}

#[test]
fn a_plan_goes_on_after_a_kill_and_repeats_no_completed_step() {
    let (hark, server, page) = (Hark::new(), ModelServer::start(), ModelServer::start());
    let proposal = plan(&format!("{}/page", page.url())).to_string();
    server.answer(move |request| {
        // The plan, and at its end the words for what was found.
        let plans = request.body.to_string().contains("depends_on");
        Script::say(if plans { &proposal } else { "The page says hello." })
    });
    page.queue(Script::hang());
    let sets = sets(&server, &["tools.http_allow_private=true"]);
    let begun = begin(&hark, &sets);
    page.wait("the second step", |seen| !seen.is_empty());
    kill(begun);

    page.answer(|_| Script::raw(200, "hello").header("Content-Type", "text/plain"));
    let db = go_on(&hark, &sets);
    assert_eq!(on_the_list(&db), ["saffron", "cardamom"], "each step once");
    let id: String = db.query_row("SELECT id FROM plans LIMIT 1", [], |row| row.get(0)).unwrap();
    let output = hark.run(&["explain", &id, "--checkpoint", "2", "--json"]);
    let kept: Value = serde_json::from_slice(&output.stdout).unwrap();
    let stands = |kept: &Value| kept["plan"]["steps"][0]["status"].clone();
    assert_eq!(stands(&kept), "completed", "{kept:#}");
    // And once more from the beginning.
    let events =
        ask(&hark, &server, &["tools.http_allow_private=true", UNJUDGED], &format!("/plan run {id}\n"));
    assert_eq!(named(&events, "action").len(), 3, "{events:#?}");
}

#[test]
fn a_plan_that_took_too_long_has_ended_and_does_not_go_on() {
    let (hark, server, page) = (Hark::new(), ModelServer::start(), ModelServer::start());
    let proposal = plan(&format!("{}/page", page.url())).to_string();
    server.answer(move |_| Script::say(&proposal));
    page.queue(Script::hang());
    let sets = sets(&server, &["tools.http_allow_private=true", "route.task_timeout_ms=5000"]);
    let mut begun = begin(&hark, &sets);
    begun.0.wait().unwrap();
    let db = rusqlite::Connection::open(hark.path("hark.db")).unwrap();
    let ends: Vec<bool> = db
        .prepare("SELECT finished FROM plans ORDER BY seq")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(ends.len() > 2 && !ends[0] && ends[ends.len() - 1], "{ends:?}");
}

/// Settings as arguments, for a request that is planned and for the daemon that goes on with it.
fn sets(server: &ModelServer, more: &[&str]) -> Vec<String> {
    let fixed = [UNJUDGED, "audio.input_device=none", "audio.output_device=none", "dashboard.enabled=false"];
    let all =
        server.settings("openai").into_iter().chain(fixed.iter().chain(more).map(|it| (*it).to_owned()));
    all.flat_map(|setting| ["--set".to_owned(), setting]).collect()
}

/// Begins a request that is planned.
fn begin(hark: &Hark, sets: &[String]) -> Running {
    let words = "research three breads on the web and prepare my shopping for the week";
    Running(hark.command(&["ask", "--json", words]).args(sets).stdout(Stdio::null()).spawn().unwrap())
}

/// As when the power goes.
fn kill(mut running: Running) {
    running.0.kill().unwrap();
    running.0.wait().unwrap();
}

/// Starts the daemon and ends it when the plan has come to its end; the store afterwards.
fn go_on(hark: &Hark, sets: &[String]) -> rusqlite::Connection {
    let running = Running(hark.command(&["run"]).args(sets).stdout(Stdio::null()).spawn().unwrap());
    let db = hark.path("hark.db");
    wait_for("the plan to end", Duration::from_secs(60), || {
        let db = rusqlite::Connection::open(&db).ok()?;
        db.query_row("SELECT steps FROM plans WHERE finished", [], |row| row.get::<_, String>(0)).ok()?;
        db.query_row("SELECT id FROM turns WHERE events LIKE '%step_update%'", [], |row| {
            row.get::<_, String>(0)
        })
        .ok()
    });
    assert!(running.terminate().success());
    rusqlite::Connection::open(&db).unwrap()
}

/// What the plans put on the list, in order.
fn on_the_list(db: &rusqlite::Connection) -> Vec<String> {
    let sql = "SELECT text FROM list_items WHERE text IN ('saffron', 'cardamom') ORDER BY at";
    let mut rows = db.prepare(sql).unwrap();
    rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_program_that_ran_when_the_power_went_is_not_run_again_and_the_person_is_told() {
    let (hark, server) = (Hark::new(), ModelServer::start());
    let (program, ran) = (hark.path("slow"), hark.path("ran"));
    std::fs::write(&program, format!("#!/bin/sh\necho once >> {}\nsleep 20\n", ran.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut proposal = plan("http://nowhere.invalid/");
    proposal["steps"][1]["tool"] = json!("shell.run");
    proposal["steps"][1]["args"] = json!({"program": program});
    proposal["steps"][1]["description"] = json!("Bake the bread.");
    // It begins beside the first step, which ends meanwhile.
    proposal["steps"][1]["depends_on"] = json!([]);
    for at in [0, 1] {
        proposal["steps"][at]["can_parallel"] = json!(true);
    }
    let proposal = proposal.to_string();
    server.answer(move |_| Script::say(&proposal));
    let allow = format!("tools.shell_allow=[{:?}]", program.display().to_string());
    let sets = sets(&server, &[&allow, "permissions.dangerous=allow", "route.max_tools=500"]);
    let begun = begin(&hark, &sets);
    wait_for("the program to run", Duration::from_secs(60), || {
        let db = rusqlite::Connection::open(hark.path("hark.db")).ok()?;
        let sql = "SELECT count(*) FROM plans WHERE steps LIKE '%\"completed\"%'";
        let noted = db.query_row(sql, [], |row| row.get::<_, i64>(0)).ok()?;
        (ran.exists() && noted > 0).then_some(())
    });
    kill(begun);

    let db = go_on(&hark, &sets);
    assert_eq!(std::fs::read_to_string(&ran).unwrap(), "once\n");
    assert_eq!(on_the_list(&db), ["saffron"], "and what needed it was left out");
    let sql = "SELECT events FROM turns WHERE events LIKE '%step_update%' ORDER BY seq DESC LIMIT 1";
    let events: String = db.query_row(sql, [], |row| row.get(0)).unwrap();
    let events: Vec<Value> = serde_json::from_str(&events).unwrap();
    let told = only(&events, "reply")["text"].as_str().unwrap();
    assert!(told.contains("1 of 3 steps are done") && told.contains("Bake the bread"), "{told}");
    assert!(told.contains("Nobody knows whether it was done"), "{told}");
    assert_eq!(only(&events, "turn")["outcome"], "failed");
}

/// Asks the daemon on this port in the conversation `web`, and waits for its answer.
fn post(port: u16, text: &str) -> Option<Value> {
    let body = json!({"text": text, "session_id": "web"}).to_string();
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    let head = format!(
        "POST /api/v1/ask HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()
}

#[test]
fn the_owner_says_yes_or_no_at_the_command_line() {
    let hark = Hark::new();
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let listen = format!("dashboard.listen=127.0.0.1:{port}");
    let sets = ["--set", "audio.input_device=none", "--set", "audio.output_device=none", "--set", &listen];
    let mut command = hark.command(&[&["run"], &sets[..]].concat());
    let running = Running(command.stdout(Stdio::null()).spawn().unwrap());
    for (word, ok) in [("deny", false), ("approve", true)] {
        let asked = wait_for("the daemon", Duration::from_secs(60), || post(port, "unlock the front door"));
        assert_eq!(asked["outcome"], "awaiting_approval", "{asked:#}");
        let output = hark.run(&[&[word, "--json"], &sets[..]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(told["reply"].as_str().unwrap().contains("nlocked"), ok, "{told:#}");
    }
    assert!(running.terminate().success());
    let output = hark.run(&[&["approve"], &sets[..]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("daemon"), "{}", text(&output.stderr));
}

#[test]
fn what_was_said_is_said_in_other_words() {
    let (hark, server) = (Hark::new(), ModelServer::start());
    for words in
        ["Because the air scatters blue light most.", "Weil die Luft blaues Licht streut.", "", "```\n```"]
    {
        server.queue(Script::say(words));
    }
    let lines = "why is the sky blue?\nsay that in German\nfasse diesen Text zusammen: Die Luft streut blaues Licht\n";
    let events = ask(&hark, &server, &[UNJUDGED], lines);
    let said = replies(&events);
    // What cannot be changed stays as it is.
    let expected = ["Because the air scatters blue light most.", "Weil die Luft blaues Licht streut."];
    assert_eq!(said[..2], expected);
    assert_eq!(said[2], "Die Luft streut blaues Licht");
    let changes: Vec<&Value> = named(&events, "intent")
        .into_iter()
        .filter(|intent| intent["name"] == "text_transformation")
        .collect();
    assert_eq!(changes[0]["slots"], json!({"what": "translation", "of": "the last reply", "language": "de"}));
    assert_eq!(changes[1]["slots"], json!({"what": "summary", "of": "the text named"}));
    assert!(server.chats()[1].told().contains("Because the air scatters blue light most."));
    assert_eq!(named(&events, "turn")[2]["outcome"], "failed");

    let events = hark.events(&["ask", "translate good morning into German"]);
    assert!(replies(&events)[0].contains("language model"), "{events:#?}");
}

#[test]
fn what_was_said_before_a_restart_is_said_again_and_in_other_words() {
    let (hark, server) = (Hark::new(), ModelServer::start());
    let first = "Because the air scatters blue light most.";
    server.queue(Script::say(first));
    assert_eq!(replies(&ask(&hark, &server, &[UNJUDGED], "why is the sky blue?\n")), [first]);
    assert_eq!(replies(&ask(&hark, &server, &[UNJUDGED], "say that again\n")), [first]);
    server.queue(Script::say("The air scatters blue."));
    let events = ask(&hark, &server, &[UNJUDGED], "say that shorter\n");
    assert_eq!(replies(&events), ["The air scatters blue."]);
    assert!(server.chats()[1].told().contains(first));
    let replayed = hark.command(&["replay", "last"]).args(sets(&server, &[])).output().unwrap();
    assert_eq!(replayed.status.code(), Some(0), "{}", text(&replayed.stdout));
    let other = hark.events(&["ask", "--session", "other", "say that shorter"]);
    assert!(!replies(&other)[0].contains("scatter"), "each conversation has its own memory: {other:#?}");
}

#[test]
fn what_left_the_house_is_told() {
    let (hark, server) = (Hark::new(), ModelServer::start());
    server.answer(|_| Script::say("Because the air scatters blue light most."));
    let asked = |more: &[&str]| {
        let events = ask(&hark, &server, &[&[UNJUDGED][..], more].concat(), "why is the sky blue?\n");
        let sent = only(&events, "prompt").clone();
        let turn = only(&events, "turn")["turn"].as_str().unwrap().to_owned();
        (sent, text(&hark.run(&["explain", &turn]).stdout))
    };
    let (sent, story) = asked(&[]);
    assert_eq!((&sent["contract"], &sent["outside"]), (&json!("strict_answer"), &json!(false)));
    assert!(story.contains("prompt       strict_answer to main, toy") && !story.contains("LEFT"), "{story}");
    let (sent, story) = asked(&["llm.local=no", "llm.allow_cloud=true"]);
    assert_eq!(sent["outside"], true);
    let parts: Vec<&str> =
        sent["parts"].as_array().unwrap().iter().map(|part| part["what"].as_str().unwrap()).collect();
    assert!(parts.contains(&"request") && parts.contains(&"earlier turns"), "{parts:?}");
    assert!(story.contains("LEFT THE HOUSE: instructions "), "{story}");
}

#[test]
fn a_person_chooses_which_earlier_turns_are_told() {
    let (hark, server) = (Hark::new(), ModelServer::start());
    server.answer(|_| Script::say("It is so."));
    let cities = ["Rome", "Paris", "Berlin", "Madrid", "Vienna", "Dublin"];
    let questions = cities.map(|city| format!("why is the sky over {city} blue?\n"));
    ask(&hark, &server, &[UNJUDGED], &questions.concat());
    let with = |replay: &str| {
        let mut command = hark.command(&["ask", "--json", "--session", "evening", "--replay", replay]);
        for setting in server.settings("openai").iter().map(String::as_str).chain([UNJUDGED]) {
            command.args(["--set", setting]);
        }
        let output = command.arg("who wrote Faust?").output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let told = server.chats().last().unwrap().body["messages"].to_string();
        cities.into_iter().filter(|city| told.contains(city)).collect::<Vec<_>>()
    };
    let last = with("last:2");
    assert!(last.len() < 3 && last.contains(&"Dublin"), "three are told in any case without it: {last:?}");
    assert_eq!(with("session"), cities);
    let refused = hark.run(&["ask", "--session", "evening", "--replay", "last:0", "hello"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn how_it_answers_is_said_in_words_and_kept() {
    let (hark, server) = (Hark::new(), ModelServer::start());
    server.answer(|_| Script::say("Because of the air."));
    let sets = sets(&server, &[UNJUDGED]);
    let said = |words: &str, more: &[&str]| {
        let mut command = hark.command(&["ask", "--json"]);
        let output = command.args(&sets).args(more).arg(words).output().unwrap();
        replies(&parse_events(&text(&output.stdout))).pop().unwrap()
    };
    // The prompt of a question that is asked in a new conversation.
    let prompt = |words: &str, more: &[&str]| {
        said(words, more);
        server.chats().last().unwrap().body["messages"].to_string()
    };
    let asked = "why is the sky blue";
    assert!(prompt(asked, &["--set", "contracts.persona=a sailor"]).contains("Speak as a sailor."));
    assert_eq!(said("talk like a butler", &[]), "All right, that is how I answer from now on.");
    said("give me longer answers", &[]);
    let told = prompt(asked, &[]);
    assert!(told.contains("Speak as a butler.") && told.contains("Be as thorough"), "{told}");
    assert!(prompt("in one sentence, why is the sky blue", &[]).contains("One sentence is best"));
    said("be brief", &[]);
    said("be yourself again", &[]);
    let told = prompt(asked, &["--set", "contracts.persona=a sailor"]);
    assert!(!told.contains("Speak as") && told.contains("One sentence is best"), "{told}");
    // In a conversation with a name it is for that one.
    said("talk like a monk", &["--session", "study"]);
    assert!(prompt(asked, &["--session", "study"]).contains("Speak as a monk."));
    assert!(!prompt(asked, &[]).contains("Speak as"));
    let alone = hark.events(&["ask", "be brief"]);
    assert!(only(&alone, "reply")["text"].as_str().unwrap().contains("language model"));
}

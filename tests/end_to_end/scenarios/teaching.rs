//! Telling Hark what it took wrongly.

use crate::support::{Hark, named, only, parse_events, root, text};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;

/// What no template fits, and what nothing of its kind has been learned from.
const ODD: &str = "the crumbs are winning again";

/// Models as they come with Hark, but with few sentences and examples: all of them take a build for tests
/// minutes to learn.
fn few_sentences(hark: &Hark) -> PathBuf {
    let (models, here) = (root().join("models"), hark.path("models"));
    let link = |name: &str| {
        std::fs::create_dir_all(here.join(name).parent().unwrap()).unwrap();
        symlink(models.join(name), here.join(name)).unwrap();
    };
    for name in
        ["manifest.toml", "cache", "intent/encoder.onnx", "intent/tokenizer.json", "intent/head/en.head"]
    {
        link(name);
    }
    for name in [
        "_common",
        "_household",
        "_refusals",
        "errors",
        "replies",
        "summary",
        "HassTurnOn",
        "HassVacuumStart",
        "HassGetWeather",
    ] {
        link(&format!("languages/en/sentences/{name}.yaml"));
    }
    let nothing = |path: &Path| std::fs::write(path, few_examples()).unwrap();
    std::fs::create_dir_all(here.join("languages/en/examples")).unwrap();
    nothing(&here.join("languages/en/examples/few.yaml"));
    here
}

fn few_examples() -> String {
    let nothing = [
        "pay my rent",
        "book a flight to rome",
        "who wrote hamlet",
        "call me a taxi",
        "translate cat into french",
        "how much is an overdraft fee",
        "what is the meaning of life",
        "is my passport still valid",
        "who won the match",
        "cancel my subscription",
        "what does the fox say",
        "recommend me a good book",
    ];
    nothing
        .iter()
        .fold("examples:\n  - category: out_of_scope\n    sentences:\n".to_owned(), |text, sentence| {
            text + &format!("      - {sentence}\n")
        })
}

fn run(hark: &Hark, models: &Path, args: &[&str]) -> Output {
    let mut command = hark.command(&[args, &["--set", "intent.languages=[\"en\"]"]].concat());
    command.env("HARK_MODELS_DIR", models).output().unwrap()
}

#[test]
fn a_turn_taken_wrongly_is_right_after_it_was_marked_and_learned() {
    let hark = Hark::new();
    let models = few_sentences(&hark);
    let taken_for = |words: &str| {
        let output = run(&hark, &models, &["ask", words, "--dry-run", "--json"]);
        let events = parse_events(&text(&output.stdout));
        only(&events, "intent")["name"].as_str().unwrap().to_owned()
    };
    let doctor = || {
        let lines = text(&run(&hark, &models, &["doctor"]).stdout);
        lines.lines().find(|line| line.contains("classifier")).unwrap().to_owned()
    };
    assert_eq!(taken_for(ODD), "out_of_scope");
    let slip = run(&hark, &models, &["ask", "--wrong", "last", "--meant", "HassVacuumStar"]);
    assert_eq!(slip.status.code(), Some(2));
    assert!(text(&slip.stderr).contains("did you mean HassVacuumStart?"), "{}", text(&slip.stderr));
    assert!(doctor().contains("as it comes with Hark"), "{}", doctor());
    for words in [ODD, "there are crumbs all over the floor", "these crumbs have to go"] {
        taken_for(words);
        let marked =
            run(&hark, &models, &["ask", "--wrong", "last", "--meant", "start the vacuum", "--json"]);
        let lesson: serde_json::Value = serde_json::from_str(&text(&marked.stdout)).unwrap();
        assert_eq!(
            (lesson["text"].as_str(), lesson["meant"].as_str()),
            (Some(words), Some("HassVacuumStart"))
        );
    }
    assert!(doctor().contains("3 sentences of your own; out of date"), "{}", doctor());
    let trained = run(&hark, &models, &["models", "train"]);
    assert!(trained.status.success(), "{}", text(&trained.stderr));
    assert!(doctor().contains("trained on this machine") && doctor().contains("up to date"), "{}", doctor());
    assert_eq!(taken_for(ODD), "HassVacuumStart");
    assert_eq!(taken_for("what is the capital of france"), "out_of_scope");
}

#[test]
fn saying_what_was_meant_does_it_and_keeps_the_example() {
    let hark = Hark::new();
    std::fs::write(hark.path("lines"), format!("{ODD}\nthat was wrong, I meant turn on the bedroom light\n"))
        .unwrap();
    let input = std::fs::File::open(hark.path("lines")).unwrap();
    let output = hark.command(&["ask", "--session", "s", "--json"]).stdin(input).output().unwrap();
    let events = parse_events(&text(&output.stdout));
    let lesson = only(&events, "lesson");
    assert_eq!((lesson["text"].as_str(), lesson["meant"].as_str()), (Some(ODD), Some("HassTurnOn")));
    assert_eq!(only(&events, "action")["receipt"]["ok"], true);
    assert_eq!(named(&events, "turn")[1]["outcome"], "done");
    let kept = std::fs::read_to_string(hark.path("intent/examples/en/marked.yaml")).unwrap();
    assert!(kept.contains(ODD) && kept.contains("domain: \"light\""), "{kept}");
}

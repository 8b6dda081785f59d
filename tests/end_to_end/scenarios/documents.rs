//! Documents from the file to the spoken answer: by the command line, with and without a daemon, by programs, by words.

use crate::scenarios::daemon_api::{get, http_with, start};
use crate::support::{Hark, only, text, wait_for};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

const BOILER: &str = "# Boiler manual\n\n## Errors\n\nE4 means that the burner is blocked. E5 means that the water pressure \
    is too low. Fill the system up to 1.5 bar.\n\n## Care\n\nHave the boiler serviced once a year by a technician.\n";
const LEASE: &str = "Lease\n\nPets may be kept only with the written consent of the landlord. The deposit is three \
    months of rent, and is paid back within six weeks. Rent is due on the third day of each month.\n";

/// A folder of documents; none where the encoder is not there.
fn documents(hark: &Hark) -> Option<PathBuf> {
    let models = crate::support::root().join("models/cache/libonnxruntime.so");
    if !models.exists() {
        crate::support::skip("the ONNX Runtime in models/cache");
        return None;
    }
    let folder = hark.path("papers");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("boiler_manual.md"), BOILER).unwrap();
    std::fs::write(folder.join("lease.txt"), LEASE).unwrap();
    std::fs::write(folder.join("broken.pdf"), "no PDF at all").unwrap();
    Some(folder)
}

fn json_of(hark: &Hark, args: &[&str]) -> Value {
    let output = hark.run(&[&["docs"], args, &["--json"]].concat());
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn answer(hark: &Hark, words: &str) -> String {
    let events = hark.events(&["ask", words]);
    assert_eq!(only(&events, "intent")["name"], "HarkLookUp", "{words}");
    only(&events, "reply")["text"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn documents_are_added_searched_asked_and_removed_without_a_daemon() {
    let hark = Hark::new();
    let Some(folder) = documents(&hark) else { return };
    assert!(answer(&hark, "what does the boiler manual say about error E5").contains("no documents"));
    let added = json_of(&hark, &["add", "papers"]);
    assert_eq!((&added["change"]["indexed"], &added["change"]["failed"]), (&json!(2), &json!(1)), "{added}");
    let listed = json_of(&hark, &["list"]);
    let states: Vec<&Value> = listed.as_array().unwrap().iter().map(|it| &it["state"]).collect();
    assert_eq!(states, ["ready", "failed", "ready"], "{listed}");
    assert!(listed[1]["fix"].as_str().is_some_and(|fix| !fix.is_empty()));
    let found = json_of(&hark, &["search", "what does error E5 mean"]);
    assert!(found[0]["answer"].as_str().unwrap().contains("pressure is too low"), "{found}");
    let place = |field: &str| found[0][field].as_u64().unwrap() as usize;
    assert!(BOILER[place("start_byte")..place("end_byte")].contains("pressure is too low"), "{found}");
    let passage = found[0]["passage"].as_str().unwrap();
    let answer_of_passage = &passage[place("answer_start")..place("answer_end")];
    assert_eq!(answer_of_passage.replace('\n', " "), found[0]["answer"].as_str().unwrap(), "{found}");

    let said = answer(&hark, "what does the boiler manual say about error E5");
    assert!(said.starts_with("The boiler manual says: ") && said.contains("pressure is too low"), "{said}");
    let said = answer(&hark, "what does it say in the lease about pets");
    assert!(said.starts_with("The lease says: ") && said.contains("written consent"), "{said}");
    let said = answer(&hark, "search my documents for the capital of mongolia");
    assert_eq!(said, "I found nothing about that in your documents.");

    let folder = folder.to_str().unwrap();
    assert_eq!(json_of(&hark, &["remove", folder])["removed"], 3);
    assert_eq!(json_of(&hark, &["status"])["documents"], 0);
    let missing = hark.run(&["docs", "add", "nowhere.pdf"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("nowhere.pdf") && text(&missing.stderr).contains("fix:"));
}

#[test]
fn documents_are_added_and_listed_by_words_where_that_is_open() {
    let hark = Hark::new();
    let Some(folder) = documents(&hark) else { return };
    let settings = [format!("tools.file_roots=[{:?}]", folder.parent().unwrap())];
    let lines = [
        "what documents do you know",
        "add the file boiler manual to my documents",
        "add the folder papers to our documents",
        "add the file broken dot pdf to my documents",
        "what documents do you know",
        "what does it say in the lease about pets",
    ];
    let events = hark.ask_lines(&[], &settings, &lines);
    let replies: Vec<&str> =
        crate::support::named(&events, "reply").iter().filter_map(|it| it["text"].as_str()).collect();
    assert!(replies[0].starts_with("I have no documents yet."), "{replies:?}");
    assert_eq!(replies[1], "boiler_manual.md is among your documents now.");
    assert_eq!(replies[2], "papers is among your documents now. One could not be read.");
    assert!(replies[3].contains("broken.pdf is damaged"), "{replies:?}");
    assert!(replies[4].starts_with("Two documents: ") && replies[4].ends_with("One could not be read."));
    assert!(replies[5].contains("written consent"), "{replies:?}");
    // Outside of the folders that are open nothing is taken in.
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("secret.txt"), "secret").unwrap();
    let call = format!(r#"/tool knowledge.add {{"path": "{}/secret.txt"}}"#, elsewhere.path().display());
    let events = hark.ask_lines(&[], &settings, &[call]);
    let receipt = &only(&events, "action")["receipt"];
    assert!(receipt["detail"]["message"].as_str().unwrap().contains("outside the folders"), "{receipt}");
}

#[test]
fn the_daemon_keeps_folders_in_step_and_programs_add_only_what_is_open() {
    let hark = Hark::new();
    let Some(folder) = documents(&hark) else { return };
    let elsewhere = hark.path("recipe.txt");
    std::fs::write(&elsewhere, "Pancakes need two eggs, half a litre of milk and 250 grams of flour.")
        .unwrap();
    let folders = format!("knowledge.folders=[\"{}\"]", folder.display());
    let (daemon, address) = start(&hark, &[&folders]);
    let ready = || {
        let all = get(address, "/api/v1/documents");
        let ready = all["documents"].as_array().unwrap().iter().filter(|it| it["state"] == "ready").count();
        (ready, all)
    };
    wait_for("the folder to be read", Duration::from_secs(60), || (ready().0 == 2).then_some(()));
    let problem = wait_for("health to tell of the one that is broken", Duration::from_secs(20), || {
        let health = get(address, "/api/v1/health");
        let part = health["parts"].as_array().unwrap().iter().find(|it| it["name"] == "documents").cloned();
        part.filter(|part| part["state"] == "problem")
    });
    assert!(problem["fault"]["message"].as_str().unwrap().contains("1 of 3 cannot be read"), "{problem}");

    let found = get(address, "/api/v1/documents/search?q=how%20high%20is%20the%20deposit");
    assert!(found["results"][0]["answer"].as_str().unwrap().contains("three months"), "{found}");
    std::fs::write(folder.join("cat.txt"), "The cat gets 60 grams of dry food a day.").unwrap();
    wait_for("the new document", Duration::from_secs(60), || (ready().0 == 3).then_some(()));
    assert!(answer(&hark, "what do my documents say about food for the cat").contains("60 grams"));

    let path = json!({"path": elsewhere});
    let (status, refused) = http_with(address, "POST", "/api/v1/documents", Some(path), "");
    assert_eq!(status, 422);
    assert!(refused["error"]["fix"].as_str().unwrap().contains("knowledge.folders"), "{refused}");
    // The command is the owner's.
    let added = json_of(&hark, &["add", "recipe.txt"]);
    assert_eq!(added["change"]["failed"], 0, "{added}");
    wait_for("the recipe", Duration::from_secs(60), || (ready().0 == 4).then_some(()));
    json_of(&hark, &["remove", "recipe.txt"]);
    wait_for("it to be gone", Duration::from_secs(20), || (ready().0 == 3).then_some(()));
    assert!(daemon.terminate().success());
}

#[test]
fn a_damaged_index_is_told_with_what_to_do_and_stops_nothing() {
    let hark = Hark::new();
    std::fs::write(hark.path("knowledge.db"), "this is no database, ".repeat(500)).unwrap();
    let (daemon, address) = start(&hark, &[]);
    let part = wait_for("health to tell of it", Duration::from_secs(20), || {
        let health = get(address, "/api/v1/health");
        let part = health["parts"].as_array().unwrap().iter().find(|it| it["name"] == "documents").cloned();
        part.filter(|part| part["state"] == "problem")
    });
    assert!(part["fault"]["fix"].as_str().unwrap().contains("knowledge.db"), "{part}");
    let listed = hark.run(&["docs", "list"]);
    assert_eq!(listed.status.code(), Some(1));
    assert!(text(&listed.stderr).contains("knowledge.db"), "{}", text(&listed.stderr));
    let asked = hark.run(&["ask", "what time is it"]);
    assert!(asked.status.success(), "{}", text(&asked.stderr));
    assert!(daemon.terminate().success());
}

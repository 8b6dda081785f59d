//! Commands that are typed, and the tools behind them: what they may read, and what they say.

use crate::support::{Hark, named, only};
use serde_json::Value;
use std::io::{Read, Write};

fn reply(events: &[Value]) -> String {
    only(events, "reply")["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_file_is_read_only_where_the_owner_allows_it() {
    let hark = Hark::new();
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note.txt");
    std::fs::write(&note, "Buy milk and bread.").unwrap();
    let (read, list) = (format!("read {}", note.display()), format!("list {}", folder.path().display()));
    let closed = hark.events(&["ask", &read]);
    assert_eq!(only(&closed, "action")["receipt"]["detail"]["error"], "not_configured");
    assert!(reply(&closed).contains("tools.file_roots"), "{}", reply(&closed));
    let allow = format!("tools.file_roots=[\"{}\"]", folder.path().display());
    let events = hark.events(&["ask", "--set", &allow, &read]);
    let intent = only(&events, "intent");
    assert_eq!((&intent["name"], &intent["route"]), (&"tool.filesystem.read".into(), &"direct".into()));
    assert_eq!(intent["confidence"], 1.0);
    assert_eq!(reply(&events), "Buy milk and bread.");
    assert_eq!(reply(&hark.events(&["ask", "--set", &allow, &list])), "1 entry: note.txt.");
    let outside = hark.events(&["ask", "--set", &allow, "read /etc/passwd"]);
    assert_eq!(only(&outside, "action")["receipt"]["detail"]["error"], "forbidden");
    assert!(reply(&outside).starts_with("Sorry, /etc/passwd is outside"), "{}", reply(&outside));
}

#[test]
fn results_are_told_in_the_language_that_is_spoken_here() {
    let hark = Hark::new();
    let folder = tempfile::tempdir().unwrap();
    for name in ["milch.txt", "brot.txt"] {
        std::fs::write(folder.path().join(name), "x").unwrap();
    }
    let allow = format!("tools.file_roots=[\"{}\"]", folder.path().display());
    let list = format!("list {}", folder.path().display());
    let german = ["ask", "--set", "speaking.language=de", "--set", &allow];
    let events = hark.events(&[&german[..], &[&list]].concat());
    assert_eq!(reply(&events), "2 Einträge: brot.txt und milch.txt.");
    let events = hark.events(&[&german[..], &["read /etc/passwd"]].concat());
    let refused = "Das hat leider nicht geklappt: das ist hier nicht erlaubt. Was hilft: die Einstellung tools.file_roots.";
    assert_eq!(reply(&events), refused);
}

#[test]
fn a_page_is_fetched_only_from_the_public_web_or_where_the_owner_allows_it() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let host = server.local_addr().unwrap().to_string();
    // It ends with the process of the test.
    std::thread::spawn(move || {
        for mut socket in server.incoming().flatten() {
            let mut request = [0; 4096];
            drop(socket.read(&mut request));
            let page = "<title>News</title><p>Nothing new.</p>";
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n",
                page.len()
            );
            drop(socket.write_all((head + page).as_bytes()));
        }
    });
    let hark = Hark::new();
    let get = format!("get http://{host}/");
    let refused = hark.events(&["ask", &get]);
    assert_eq!(only(&refused, "action")["receipt"]["detail"]["error"], "forbidden");
    let allow = format!("tools.http_allow_hosts=[\"{host}\"]");
    assert_eq!(reply(&hark.events(&["ask", "--set", &allow, &get])), "News. Nothing new.");
    let off = hark.events(&["ask", "--set", &allow, "--set", "permissions.deny_tools=[\"web\"]", &get]);
    assert_eq!(only(&off, "action")["receipt"]["detail"]["error"], "forbidden");
}

#[test]
fn what_runs_is_listed_and_requests_stay_requests() {
    let hark = Hark::new();
    let events = hark.events(&["ask", "processes hark"]);
    assert_eq!(only(&events, "intent")["slots"]["filter"], "hark");
    let processes = only(&events, "action")["receipt"]["detail"]["processes"].as_array().unwrap().clone();
    assert!(processes.iter().any(|one| one["name"] == "hark"), "{processes:?}");
    let events = hark.events(&["ask", "read my shopping list"]);
    assert!(named(&events, "intent").iter().all(|intent| intent["route"] != "direct"), "{events:#?}");
    let dry = hark.events(&["ask", "--dry-run", "ps"]);
    assert_eq!((named(&dry, "intent").len(), named(&dry, "action").len()), (1, 0));
}

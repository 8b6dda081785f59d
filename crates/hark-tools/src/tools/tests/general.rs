//! The general tools through the executor: arguments, results, refusals with a reason and a fix.

use super::*;
use crate::clipboard::{Clipboard, ClipboardError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

fn with(tools: ToolsConfig) -> House {
    Built { tools, ..Built::default() }.house()
}

/// A house that may read a folder with a few files.
fn with_files() -> (House, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("note.txt"), "buy milk").unwrap();
    std::fs::create_dir(folder.path().join("inner")).unwrap();
    std::fs::write(folder.path().join("inner/photo.jpg"), [0xff, 0xd8, 0]).unwrap();
    let file_roots = vec![folder.path().display().to_string()];
    (with(ToolsConfig { file_roots, ..ToolsConfig::default() }), folder)
}

#[tokio::test]
async fn files_are_read_listed_and_found() {
    let (house, folder) = with_files();
    let read = house.ok("filesystem.read", json!({"path": "note.txt"})).await;
    assert_eq!((&read.detail["text"], &read.detail["bytes"]), (&json!("buy milk"), &json!(8)));
    let listed = house.ok("filesystem.list", json!({})).await;
    let names: Vec<&str> = listed.detail["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["name"].as_str())
        .collect();
    assert_eq!(names, ["inner", "note.txt"]);
    let found = house.ok("search.files", json!({"pattern": "*.jpg"})).await;
    let path = folder.path().join("inner/photo.jpg");
    assert_eq!(found.detail["files"][0]["path"], path.display().to_string());
    assert_eq!((&found.detail["count"], &found.detail["truncated"]), (&json!(1), &json!(false)));
}

#[tokio::test]
async fn files_that_may_not_be_read_are_refused_with_what_to_do() {
    let (house, _folder) = with_files();
    for (path, expected) in [
        ("/etc/passwd", error_code::FORBIDDEN),
        ("../../etc/passwd", error_code::FORBIDDEN),
        ("nothing.txt", error_code::NOT_FOUND),
        ("inner", error_code::UNSUPPORTED),
        ("inner/photo.jpg", error_code::UNSUPPORTED),
        ("a\0b", error_code::BAD_ARGUMENT),
    ] {
        let (code, receipt) = house.fails("filesystem.read", json!({"path": path})).await;
        assert_eq!(code, expected, "{path}: {}", receipt.detail);
    }
    let (_, receipt) = house.fails("filesystem.read", json!({"path": "/etc/passwd"})).await;
    assert!(receipt.detail["fix"].as_str().unwrap().contains("tools.file_roots"));
    let (_, receipt) = house.fails("filesystem.read", json!({"path": "inner/photo.jpg"})).await;
    assert_eq!(receipt.detail["bytes"], 3);
}

#[tokio::test]
async fn files_are_changed_and_replaced_only_after_a_yes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().display().to_string();
    let house = with(ToolsConfig { file_write_roots: vec![root.clone()], ..ToolsConfig::default() });
    let written = house.ok("filesystem.write", json!({"path": "a.txt", "text": "one\n"})).await;
    assert!(written.changed && !written.tainted);
    house.ok("filesystem.append", json!({"path": "a.txt", "text": "two\n"})).await;
    house.ok("filesystem.copy", json!({"from": "a.txt", "to": "b.txt"})).await;
    house.ok("filesystem.move", json!({"from": "b.txt", "to": "c.txt"})).await;
    let info = house.ok("filesystem.info", json!({"path": "c.txt"})).await;
    assert_eq!((&info.detail["kind"], &info.detail["bytes"]), (&json!("file"), &json!(8)));
    let found = house.ok("search.contents", json!({"words": "TWO"})).await;
    assert_eq!((&found.detail["count"], &found.detail["files"][0]["line"]), (&json!(2), &json!(2)));
    assert!(found.tainted, "what stands in a file is text from outside");
    for (tool, args) in [
        ("filesystem.write", json!({"path": "a.txt", "text": "gone"})),
        ("filesystem.copy", json!({"from": "c.txt", "to": "a.txt"})),
        ("filesystem.move", json!({"from": "c.txt", "to": "a.txt"})),
    ] {
        let before = std::fs::read_to_string(folder.path().join("a.txt")).unwrap();
        let (code, receipt) = house.fails(tool, args.clone()).await;
        assert_eq!(code, error_code::NEEDS_APPROVAL, "{tool}");
        let told = |key: &str| receipt.detail[key].as_str().unwrap();
        assert_eq!(told("action"), "overwrite", "{tool}");
        assert!(told("name").contains("file /"), "{tool}");
        assert_eq!(std::fs::read_to_string(folder.path().join("a.txt")).unwrap(), before);
        assert!(house.call(tool, args, true).await.ok, "{tool}");
    }
    for tool in ["filesystem.write", "filesystem.append"] {
        let (code, receipt) = house.fails(tool, json!({"path": "../out.txt", "text": "x"})).await;
        assert_eq!(code, error_code::FORBIDDEN);
        assert!(receipt.detail["fix"].as_str().unwrap().contains("tools.file_write_roots"));
    }
    // What may only be read is changed by nothing.
    let (house, _folder) = with_files();
    let (code, _) = house.fails("filesystem.write", json!({"path": "note.txt", "text": "x"})).await;
    assert_eq!(code, error_code::NOT_CONFIGURED);
}

#[tokio::test]
async fn files_and_folders_are_meant_by_words_of_their_name() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().display().to_string();
    let at = |path: &str| folder.path().join(path);
    std::fs::create_dir_all(at("House/Old taxes")).unwrap();
    for (path, text) in [
        ("House/shopping.txt", "milk"),
        ("shopping-list.txt", "bread"),
        ("House/boiler_manual.txt", "turn it off first"),
        ("plan.md", "one"),
        ("House/plan.md", "two"),
    ] {
        std::fs::write(at(path), text).unwrap();
    }
    let house = with(ToolsConfig { file_write_roots: vec![root], ..ToolsConfig::default() });
    // What is called so wholly comes before what has the word in it; an article says nothing.
    for (said, text) in [
        ("shopping dot txt", "milk"),
        ("the shopping", "milk"),
        ("shopping list", "bread"),
        ("boiler manual", "turn it off first"),
        ("plan.md", "one"),
        ("House/plan.md", "two"),
    ] {
        let read = house.ok("filesystem.read", json!({"path": said})).await;
        assert_eq!(read.detail["text"], text, "{said}");
    }
    let (code, receipt) = house.fails("filesystem.read", json!({"path": "plan"})).await;
    assert_eq!(code, error_code::AMBIGUOUS);
    let names = json!([format!("{}/plan.md", "House"), receipt.detail["names"][1].as_str().unwrap()]);
    assert_eq!(receipt.detail["names"], names, "alike ones are told with their folder");
    let (code, receipt) = house.fails("filesystem.info", json!({"path": "lease"})).await;
    assert_eq!((code.as_str(), &receipt.detail["why"]), (error_code::NOT_FOUND, &json!("no_such_file")));
    let listed = house.ok("filesystem.list", json!({"path": "old taxes"})).await;
    assert_eq!(listed.detail["count"], 0);
    // A new name stays in its folder and keeps its ending.
    let args = json!({"from": "boiler manual", "to": "heating dash manual"});
    let moved = house.ok("filesystem.move", args).await;
    assert_eq!(moved.detail["path"], at("House/heating-manual.txt").display().to_string());
    house.ok("filesystem.move", json!({"from": "shopping list", "folder": "the old taxes"})).await;
    assert!(at("House/Old taxes/shopping-list.txt").is_file());
    // No folder is made of a word, and nothing is replaced unasked.
    let (code, _) =
        house.fails("filesystem.move", json!({"from": "heating manual", "folder": "bills"})).await;
    assert_eq!(code, error_code::NOT_FOUND);
    let (code, _) = house.fails("filesystem.move", json!({"from": "heating manual", "to": "shopping"})).await;
    assert_eq!(code, error_code::NEEDS_APPROVAL);
    let (code, _) = house.fails("filesystem.move", json!({"from": "heating manual"})).await;
    assert_eq!(code, error_code::BAD_ARGUMENT);
    let info = house.ok("filesystem.info", json!({"path": "heating manual"})).await;
    assert_eq!(info.detail["changed"]["timed"], true);
    // What is no text is found by its name.
    std::fs::write(at("roof.jpg"), [0xff, 0xd8, 0]).unwrap();
    std::fs::write(at("notes.txt"), "the roof leaks").unwrap();
    let found = house.ok("search.contents", json!({"words": "roof"})).await;
    let names: Vec<_> = found.detail["files"].as_array().unwrap().iter().map(|file| &file["name"]).collect();
    assert_eq!(names, ["roof.jpg", "notes.txt"]);
}

#[tokio::test]
async fn what_is_not_set_up_says_how_and_is_told_to_no_model() {
    let house = Built { clipboard: Some(Arc::new(NoDesktop)), ..Built::default() }.house();
    for (tool, args, key) in [
        ("filesystem.read", json!({"path": "x"}), "tools.file_roots"),
        ("filesystem.list", json!({}), "tools.file_roots"),
        ("search.files", json!({"pattern": "x"}), "tools.file_roots"),
        ("shell.run", json!({"program": "uptime"}), "tools.shell_allow"),
        ("clipboard.read", json!({}), "desktop"),
        ("clipboard.write", json!({"text": "x"}), "desktop"),
    ] {
        let (code, receipt) = house.fails(tool, args).await;
        assert_eq!(code, error_code::NOT_CONFIGURED, "{tool}");
        assert!(receipt.detail["fix"].as_str().unwrap().contains(key), "{tool}: {}", receipt.detail);
    }
    let told: Vec<String> = house.tools.reference().into_iter().map(|spec| spec.name).collect();
    for (tool, there) in [
        ("filesystem.read", false),
        ("shell.run", false),
        ("clipboard.write", false),
        ("calculate", true),
        ("fetch.get", true),
        ("home.turn_on", true),
    ] {
        assert_eq!(told.iter().any(|name| name == tool), there, "{tool}");
    }
    let without = Built { home: "[[area]]\nid = \"hall\"\nname = \"Hall\"\n", ..Built::default() }.house();
    assert!(
        !without.tools.reference().iter().any(|spec| spec.name == "weather.get"),
        "nobody tells the weather"
    );
    let (house, _folder) = with_files();
    let spec = house.tools.reference().into_iter().find(|spec| spec.name == "filesystem.read").unwrap();
    assert_eq!((spec.agent.as_str(), spec.risk), ("filesystem", Risk::Read));
    assert_eq!(spec.schema, table::find("filesystem.read").unwrap().args_schema());
}

/// A machine without a desktop.
struct NoDesktop;

impl Clipboard for NoDesktop {
    fn ready(&self) -> Result<(), ClipboardError> {
        Err(ClipboardError::None("DISPLAY is not set".into()))
    }

    fn read(&self) -> Result<String, ClipboardError> {
        panic!("it is not asked")
    }

    fn write(&self, _text: &str) -> Result<(), ClipboardError> {
        panic!("it is not asked")
    }
}

/// A clipboard in memory.
#[derive(Default)]
struct Paper(Mutex<Option<String>>);

impl Clipboard for Paper {
    fn ready(&self) -> Result<(), ClipboardError> {
        Ok(())
    }

    fn read(&self) -> Result<String, ClipboardError> {
        self.0.lock().unwrap().clone().ok_or(ClipboardError::NoText)
    }

    fn write(&self, text: &str) -> Result<(), ClipboardError> {
        *self.0.lock().unwrap() = Some(text.to_owned());
        Ok(())
    }
}

#[tokio::test]
async fn the_clipboard_holds_what_was_put_in() {
    let house = Built { clipboard: Some(Arc::new(Paper::default())), ..Built::default() }.house();
    assert_eq!(house.fails("clipboard.read", json!({})).await.0, error_code::NOT_FOUND);
    let put = house.ok("clipboard.write", json!({"text": "two\nlines "})).await;
    assert!(put.changed);
    let read = house.ok("clipboard.read", json!({})).await;
    assert_eq!((&read.detail["text"], &read.detail["characters"]), (&json!("two\nlines "), &json!(10)));
    assert!(!read.changed);
}

#[tokio::test]
async fn sums_processes_and_the_machine() {
    let house = with(ToolsConfig { timeout_ms: 10_000, ..ToolsConfig::default() });
    let sum = house.ok("calculate", json!({"expression": "15 % of 80"})).await;
    assert_eq!((&sum.detail["result"], &sum.detail["text"]), (&json!(12.0), &json!("12")));
    let (code, receipt) = house.fails("calculate", json!({"expression": "1 / 0"})).await;
    assert_eq!(code, error_code::BAD_ARGUMENT);
    assert!(receipt.detail["message"].as_str().unwrap().contains("zero"));
    let all = house.ok("process.list", json!({"limit": 1})).await;
    assert_eq!(all.detail["processes"].as_array().unwrap().len(), 1);
    let none = house.ok("process.list", json!({"filter": "no program has this name"})).await;
    assert_eq!(none.detail, json!({"processes": [], "count": 0, "truncated": false}));
    let info = house.ok("pc.info", json!({})).await;
    assert!(info.detail["memory_bytes"].as_u64().unwrap() > 0);
}

/// Answers every request with the same; tells how many came.
async fn server(answer: &'static str) -> (String, Arc<AtomicUsize>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            let mut request = [0; 8192];
            drop(socket.read(&mut request).await);
            drop(socket.write_all(answer.as_bytes()).await);
        }
    });
    (host, count)
}

const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 70\r\n\r\n\
    <title>News</title><script>alert(1)</script><p>Nothing <b>new</b>.</p>";

#[tokio::test]
async fn pages_are_read_in_words() {
    let (host, _) = server(PAGE).await;
    let house = with(ToolsConfig { http_allow_hosts: vec![host.clone()], ..ToolsConfig::default() });
    let page = house.ok("fetch.get", json!({"url": format!("http://{host}/")})).await;
    assert_eq!((&page.detail["title"], &page.detail["status"]), (&json!("News"), &json!(200)));
    assert!(page.detail["text"].as_str().unwrap().starts_with("Nothing new"));
    let raw = house
        .ok("http.request", json!({"method": "get", "url": format!("http://{host}/"), "query": {"n": 1}}))
        .await;
    assert!(raw.detail["body"].as_str().unwrap().contains("<script>"));
    assert_eq!(raw.detail["headers"]["content-type"], "text/html");
    assert!(!raw.changed);
}

#[tokio::test]
async fn pictures_and_private_addresses_are_not_fetched() {
    let (host, _) =
        server("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 3\r\n\r\nabc").await;
    let house = with(ToolsConfig { http_allow_hosts: vec![host.clone()], ..ToolsConfig::default() });
    let (code, receipt) = house.fails("fetch.get", json!({"url": format!("http://{host}/")})).await;
    assert_eq!((code.as_str(), &receipt.detail["bytes"]), (error_code::UNSUPPORTED, &json!(3)));
    let (code, receipt) = super::house().fails("fetch.get", json!({"url": format!("http://{host}/")})).await;
    assert_eq!(code, error_code::FORBIDDEN);
    assert!(receipt.detail["fix"].as_str().unwrap().contains(&host));
    for args in [json!({"url": "ftp://example.org"}), json!({"url": "http://u:p@example.org"})] {
        assert_eq!(house.fails("fetch.get", args).await.0, error_code::BAD_ARGUMENT);
    }
    let header = json!({"url": "example.org", "headers": {"Host": "evil"}});
    assert_eq!(house.fails("http.request", header).await.0, error_code::BAD_ARGUMENT);
    let body = json!({"url": "example.org", "body": "x"});
    assert_eq!(house.fails("http.request", body).await.0, error_code::BAD_ARGUMENT);
}

#[tokio::test]
async fn sending_something_is_asked_about_and_only_then_sent() {
    let (host, count) = server("HTTP/1.1 204 No Content\r\n\r\n").await;
    let tools = || ToolsConfig { http_allow_hosts: vec![host.clone()], ..ToolsConfig::default() };
    let house = with(tools());
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        let args = json!({"method": method, "url": format!("http://{host}/A"), "body": {"on": true}});
        let (code, receipt) = house.fails("http.request", args.clone()).await;
        assert_eq!(code, error_code::NEEDS_APPROVAL, "{method}");
        assert_eq!(receipt.detail["name"], format!("{method} request to http://{host}/A"));
        assert_eq!((&receipt.detail["act"], &receipt.detail["exact"]), (&json!("send"), &json!(true)));
        assert_eq!(count.load(Ordering::SeqCst), 0);
    }
    let args = json!({"method": "POST", "url": format!("http://{host}/A"), "body": {"on": true}});
    let sent = house.call("http.request", args.clone(), true).await;
    assert!(sent.ok && sent.changed, "{}", sent.detail);
    assert_eq!((count.load(Ordering::SeqCst), &sent.detail["status"]), (1, &json!(204)));
    let denied = Permissions { deny: vec!["send".into()], ..Permissions::default() };
    let house = Built { tools: tools(), permissions: denied, ..Built::default() }.house();
    let refused = house.call("http.request", args, true).await;
    assert_eq!((&refused.detail["error"], count.load(Ordering::SeqCst)), (&json!("forbidden"), 1));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn programs_run_after_a_yes_and_never_without() {
    let tools = || ToolsConfig {
        shell_allow: vec!["echo".into(), "false".into()],
        timeout_ms: 10_000,
        ..ToolsConfig::default()
    };
    let house = with(tools());
    let args = json!({"program": "echo", "args": ["Hello", "two words"]});
    let (code, receipt) = house.fails("shell.run", args.clone()).await;
    assert_eq!(code, error_code::NEEDS_APPROVAL);
    let name = receipt.detail["name"].as_str().unwrap();
    assert!(name.starts_with("command /") && name.ends_with("echo Hello \"two words\""), "{name}");
    let ran = house.call("shell.run", args.clone(), true).await;
    assert!(ran.ok && ran.changed, "{}", ran.detail);
    assert_eq!(ran.detail["stdout"], "Hello two words");
    let failed = house.call("shell.run", json!({"program": "false"}), true).await;
    assert_eq!((failed.ok, &failed.detail["exit_code"]), (false, &json!(1)));
    let (code, _) = house.fails("shell.run", json!({"program": "id"})).await;
    assert_eq!(code, error_code::FORBIDDEN, "not on the list: not even asked about");
    let pin = Permissions { pin: vec!["shell".into()], ..Permissions::default() };
    let house = Built { tools: tools(), permissions: pin, ..Built::default() }.house();
    let refused = house.call("shell.run", args, true).await;
    assert_eq!(refused.detail["error"], error_code::NEEDS_PIN, "a yes is not enough where the PIN is wanted");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_program_that_does_not_end_is_given_up() {
    let tools = ToolsConfig { shell_allow: vec!["sleep".into()], timeout_ms: 100, ..ToolsConfig::default() };
    let house = with(tools);
    let slow = house.call("shell.run", json!({"program": "sleep", "args": ["600"]}), true).await;
    assert_eq!(slow.detail["error"], error_code::TIMEOUT);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_device_is_given_up_sooner_than_a_tool() {
    let tools = ToolsConfig { shell_allow: vec!["sleep".into()], ..ToolsConfig::default() };
    let built = Built { tools, command_timeout_ms: 100, deaf: "light.", ..Built::default() };
    assert_eq!(built.tools.timeout_ms, 30_000);
    let house = built.house();
    let args = json!({"program": "sleep", "args": ["0.4"]});
    assert!(house.call("shell.run", args, true).await.ok);
    let begun = std::time::Instant::now();
    assert_eq!(house.fails("home.turn_on", json!({"name": "lamp"})).await.0, error_code::TIMEOUT);
    assert!(begun.elapsed().as_secs() < 5);
}

#[tokio::test]
async fn tools_that_are_switched_off_are_neither_run_nor_told() {
    let permissions =
        Permissions { deny_tools: vec!["calculate".into(), "home".into()], ..Permissions::default() };
    let house = Built { permissions, ..Built::default() }.house();
    for (tool, args) in
        [("calculate", json!({"expression": "1 + 1"})), ("home.turn_on", json!({"name": "lamp"}))]
    {
        let (code, receipt) = house.fails(tool, args).await;
        assert_eq!(code, error_code::FORBIDDEN, "{tool}");
        assert!(receipt.detail["fix"].as_str().unwrap().contains("permissions.deny_tools"));
    }
    assert_eq!(house.state("light.lamp"), "off");
    let told: Vec<String> = house.tools.reference().into_iter().map(|spec| spec.name).collect();
    assert!(!told.iter().any(|name| name == "calculate" || name.starts_with("home.")), "{told:?}");
    assert!(told.iter().any(|name| name == "datetime.time"));
}

//! Real servers of others (time, fetch, filesystem) as Hark's tools, and a real client against Hark's own server.

use super::installed;
use crate::support::{Hark, Running, only, root, run, text, wait_for};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn real_servers_do_their_work_and_keep_to_their_limits() {
    let programs = ["mcp-server-time", "mcp-server-fetch", "mcp-server-filesystem"].map(installed);
    let [Some(time), Some(fetch), Some(files)] = programs else { return };
    let hark = Hark::new();
    let folder = hark.path("files");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("note.txt"), "Buy milk.").unwrap();
    let config = format!(
        "[mqtt]\nbroker = \"none\"\n[mcp.servers.time]\ncommand = {time:?}\nrisk = \"read\"\n\
         [mcp.servers.fetch]\ncommand = {fetch:?}\nargs = [\"--allow-private-ips\"]\nrisk = \"read\"\n\
         [mcp.servers.files]\ncommand = {files:?}\nargs = [{folder:?}]\nwrite_tools = [\"write_file\"]\n\
         read_tools = [\"read_text_file\"]\n"
    );
    std::fs::write(hark.path("hark.toml"), config).unwrap();
    let listed = text(&hark.run(&["mcp", "list"]).stdout);
    for line in
        ["mcp.time.get_current_time (looks)", "mcp.files.move_file (asked about)", "protocol 2025-11-25"]
    {
        assert!(listed.contains(line), "{listed}");
    }
    let ask = |line: &str| {
        let events = hark.events(&["ask", line]);
        let receipt = only(&events, "action")["receipt"].clone();
        (receipt["ok"] == true, receipt["detail"].to_string())
    };
    let (ok, told) =
        ask("/tool mcp.time.convert_time source_timezone=UTC time=12:00 target_timezone=Asia/Tokyo");
    assert!(ok && told.contains("T21:00"), "{told}");
    let path = folder.join("note.txt").display().to_string();
    assert!(ask(&format!("/tool mcp.files.read_text_file path={path}")).1.contains("Buy milk."));
    let written = folder.join("new.txt");
    let call = format!("/tool mcp.files.write_file path={} content=\"Plant beans.\"", written.display());
    assert!(ask(&call).0);
    assert_eq!(std::fs::read_to_string(&written).unwrap(), "Plant beans.");
    let (ok, told) = ask("/tool mcp.files.read_text_file path=/etc/passwd");
    assert!(!ok && told.contains("Access denied"), "{told}");
    assert!(
        ask(&format!("/tool mcp.files.move_file source={path} destination={path}.2"))
            .1
            .contains("needs_approval")
    );
    let page = page();
    let (ok, told) = ask(&format!("/tool mcp.fetch.fetch url={page} raw=true"));
    assert!(ok && told.contains("Nothing new."), "{told}");
    assert!(ask("/tool mcp.fetch.fetch").1.contains("url"));
}

/// A page on this machine; it ends with the process of the test.
fn page() -> String {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", server.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut socket in server.incoming().flatten() {
            let mut request = [0; 4096];
            let read = socket.read(&mut request).unwrap_or(0);
            let robots = request[..read].starts_with(b"GET /robots.txt");
            let (status, page) =
                if robots { ("404 Not Found", "") } else { ("200 OK", "<p>Nothing new.</p>") };
            let length = page.len();
            let head =
                format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n");
            drop(socket.write_all((head + page).as_bytes()));
        }
    });
    address
}

/// A daemon with the example home, and where its interface is.
fn daemon(hark: &Hark, settings: &[&str]) -> (Running, String) {
    let home = format!("home.file={}", root().join("firmware-config/home.example.toml").display());
    let mut command = hark.command(&["run"]);
    let usual = [home.as_str(), "audio.input_device=none", "audio.output_device=none", "intent.learn=false"];
    for setting in usual.iter().chain(settings) {
        command.args(["--set", setting]);
    }
    let log = hark.path("log");
    let out = std::fs::File::create(&log).unwrap();
    let daemon = Running(command.stdout(Stdio::null()).stderr(out).spawn().unwrap());
    let url = wait_for("the interface", Duration::from_secs(30), || {
        let said = std::fs::read_to_string(&log).unwrap_or_default();
        let line = said.lines().find_map(|line| line.split("its page is ").nth(1).map(str::to_owned))?;
        Some(line.trim().trim_end_matches('/').to_owned())
    });
    (daemon, url)
}

#[test]
fn a_server_is_reached_by_http_with_its_token_and_not_without() {
    let (house, guest) = (Hark::new(), Hark::new());
    std::fs::write(house.path("token"), "a-token-for-the-programs-of-this-house").unwrap();
    let token = format!("dashboard.token_file={}", house.path("token").display());
    let (daemon, url) = daemon(&house, &[&token]);
    let config = format!(
        "[mqtt]\nbroker = \"none\"\n[mcp.servers.house]\nurl = \"{url}/mcp\"\ntoken_file = {:?}\nrisk = \"write\"\n\
         [mcp.servers.stranger]\nurl = \"{url}/mcp\"\n",
        house.path("token")
    );
    std::fs::write(guest.path("hark.toml"), config).unwrap();
    let listed = text(&guest.run(&["mcp", "list"]).stdout);
    assert!(listed.contains("running   house: hark "), "{listed}");
    assert!(
        listed.contains("FAILED    stranger: the MCP server stranger: authorization required"),
        "{listed}"
    );
    let ask = |line: &str| only(&guest.events(&["ask", line]), "action")["receipt"].clone();
    let lit = ask("/tool mcp.house.home.turn_on name=\"kitchen ceiling\"");
    assert_eq!((&lit["ok"], &lit["tainted"]), (&Value::Bool(true), &Value::Bool(true)), "{lit:#}");
    let door = ask("/tool mcp.house.home.turn_off name=\"front door\"");
    assert_eq!(door["ok"], false, "{door:#}");
    assert!(door["detail"]["message"].as_str().unwrap().contains("Nothing was done yet."), "{door:#}");
    let home = text(&house.run(&["home", "show", "front door"]).stdout);
    assert!(home.contains("locked") && !home.contains("unlocked"), "{home}");
    daemon.terminate();
}

#[test]
fn a_real_client_uses_hark_and_is_asked_before_the_door_opens() {
    let Some(python) = installed("python") else { return };
    let hark = Hark::new();
    let (daemon, url) = daemon(&hark, &[]);
    let client = root().join("tests/support/mcp_client.py");
    let serve = hark.command(&["mcp", "serve"]);
    let mut command = Command::new(python);
    command.arg(client).arg(serve.get_program()).arg(format!("{url}/mcp"));
    for (name, value) in serve.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let told = text(&run(&mut command).stdout);
    let seen: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(seen.len(), 4, "{told}");
    for one in &seen {
        let way = &one["way"];
        let expected = if way.as_str().unwrap().starts_with("newer") { "2026-07-28" } else { "2025-11-25" };
        assert_eq!(one["protocol"], expected, "{one:#}");
        assert_eq!(one["tools"]["home.turn_on"], true, "{one:#}");
        assert_eq!(one["tools"]["shell.run"], Value::Null, "{one:#}");
        assert_eq!(one["light"], serde_json::json!([false, "on"]), "{one:#}");
        assert_eq!(one["no_tool"], "there is no tool shell.run for other programs", "{one:#}");
        assert_eq!(one["bad"], true, "{one:#}");
        let (refused, state) = (&one["door_without_a_yes"], &one["door_after"]);
        assert_eq!(
            (&refused[0], &state[0]),
            (&Value::Bool(true), &Value::String("locked".into())),
            "{one:#}"
        );
        // Without sessions an older client cannot be asked by HTTP.
        let opened = if way == "older http" { "locked" } else { "unlocked" };
        assert_eq!(one["door_with_a_yes"], opened, "{one:#}");
    }
    daemon.terminate();
}

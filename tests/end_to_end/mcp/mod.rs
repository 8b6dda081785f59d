//! The Model Context Protocol from the outside: tools of scripted servers through the gate, a model that obeys what they say,
//! and, where they are installed (`make test-clients`), real servers and a real client.

mod calls;
mod real;

use crate::support::{Hark, root, skip};
use std::path::PathBuf;

/// Writes the configuration: a scripted server of the crate's tests by each name, with its mode and more lines.
fn configure(hark: &Hark, servers: &[(&str, &[&str], &str)]) {
    let script = root().join("crates/hark-mcp/tests/scripted_server.py");
    let mut text = "[mqtt]\nbroker = \"none\"\n".to_owned();
    for (name, args, more) in servers {
        let args = [&[script.to_str().unwrap()], *args].concat();
        text += &format!("[mcp.servers.{name}]\ncommand = \"python3\"\nargs = {args:?}\n{more}\n");
    }
    std::fs::write(hark.path("hark.toml"), text).unwrap();
}

/// A program that `make test-clients` has installed.
fn installed(program: &str) -> Option<PathBuf> {
    let folder = root().join("target/test-clients");
    let found = ["python/bin", "node/node_modules/.bin"].map(|inner| folder.join(inner).join(program));
    let found = found.into_iter().find(|path| path.exists());
    if found.is_none() {
        skip(program);
    }
    found
}

//! `hark approve` and `hark deny`: the yes or no of the operator to what the running daemon asks, by its own interface.

use super::Faults;
use crate::config::Config;
use crate::config::dashboard::Dashboard;
use crate::domain::{Fault, FaultKind};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::AUTHORIZATION;
use tokio_tungstenite::tungstenite::{Error, Message};

/// How long the daemon may take to say what came of it.
const LIMIT: Duration = Duration::from_secs(30);

/// Gives the answer, and prints what Hark says to it.
pub(super) fn run(config: &Config, yes: bool, turn: Option<String>, json: bool) -> Result<(), Faults> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| vec![failed(error.to_string())])?;
    let told = runtime.block_on(async {
        tokio::time::timeout(LIMIT, answer(config, yes, turn))
            .await
            .unwrap_or_else(|_| Err(failed("it does not say what came of it".into())))
    });
    let (reply, outcome) = told.map_err(|fault| vec![fault])?;
    if matches!(outcome.as_str(), "not_understood" | "failed") {
        let fix = "`hark explain` tells what was asked last, and what came of it";
        return Err(vec![Fault::new(FaultKind::Failed, "approve", reply, fix)]);
    }
    let out = &mut std::io::stdout();
    let line = if json { json!({"reply": reply, "outcome": outcome}).to_string() } else { reply };
    // A reader that went away has its answer in the house.
    let _ = writeln!(out, "{line}");
    Ok(())
}

/// The words Hark says, and how the turn ended.
async fn answer(config: &Config, yes: bool, turn: Option<String>) -> Result<(String, String), Fault> {
    let address = address(&config.dashboard)?;
    let mut request =
        format!("ws://{address}/ws").into_client_request().map_err(|error| failed(error.to_string()))?;
    let value = HeaderValue::from_str(&format!("Bearer {}", token(config)?));
    request.headers_mut().insert(AUTHORIZATION, value.map_err(|error| failed(error.to_string()))?);
    let unreachable = |error: Error| failed(format!("{address}: {error}"));
    let (mut socket, _) = tokio_tungstenite::connect_async(request).await.map_err(unreachable)?;
    let kind = if yes { "approve" } else { "deny" };
    let order = json!({"type": kind, "turn": turn}).to_string();
    socket.send(Message::text(order)).await.map_err(unreachable)?;
    let (mut mine, mut reply) = (None, String::new());
    let word = if yes { "yes" } else { "no" };
    while let Some(message) = socket.next().await {
        let Message::Text(text) = message.map_err(unreachable)? else { continue };
        let Ok(message) = serde_json::from_str::<Value>(&text) else { continue };
        let data = &message["data"];
        if message["type"] == "error" && mine.is_none() {
            return Err(failed(data["message"].as_str().unwrap_or("it was refused").to_owned()));
        }
        if message["type"] != "event" {
            continue;
        }
        let is_mine = mine.is_some() && mine.as_ref() == Some(&data["turn"]);
        match data["event"].as_str() {
            Some("transcript") if data["engine"] == "typed" && data["text"] == word && mine.is_none() => {
                mine = Some(data["turn"].clone());
            }
            Some("reply") if is_mine && data["ends"] == true => {
                reply = data["text"].as_str().unwrap_or_default().to_owned();
            }
            Some("turn") if is_mine => {
                return Ok((reply, data["outcome"].as_str().unwrap_or_default().to_owned()));
            }
            _ => {}
        }
    }
    Err(failed("it hung up".into()))
}

fn address(dashboard: &Dashboard) -> Result<SocketAddr, Fault> {
    let address = dashboard.address().filter(|address| dashboard.enabled && address.port() != 0);
    let Some(mut address) = address else {
        let fix = "set dashboard.enabled = true and a port in dashboard.listen, for the daemon and here";
        return Err(Fault::new(FaultKind::BadConfiguration, "approve", "the daemon has no interface", fix));
    };
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    Ok(address)
}

/// The operator's token: whoever may read it answers for every conversation.
fn token(config: &Config) -> Result<String, Fault> {
    let file = config.dashboard.operator_file(&config.paths.state_dir()?);
    let text = std::fs::read_to_string(&file).map_err(|error| {
        let fix = "run it as the user who runs the daemon, with its configuration; the daemon makes the file at its start";
        let message = format!("the operator's token in {} cannot be read: {error}", file.display());
        Fault::new(FaultKind::BadConfiguration, "approve", message, fix)
    })?;
    Ok(text.trim().to_owned())
}

fn failed(message: String) -> Fault {
    let fix = "is the daemon running? `hark doctor` looks at it";
    Fault::new(FaultKind::Unavailable, "approve", format!("Hark cannot be told: {message}"), fix)
}

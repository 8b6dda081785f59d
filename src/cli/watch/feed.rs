//! The running Hark as `hark watch` reaches it, on two threads: one follows what happens and sends requests, one asks for
//! turns and findings. One that goes away is looked for again.

use super::state::{News, Story, Summary, Wish, timings};
use crate::cli::explain;
use crate::cli::running::{Running, chat, none_runs};
use hark_config::Config;
use hark_core::inspection::Finding;
use hark_core::{Envelope, Fault, FaultKind};
use hark_store::turns::TurnRecord;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The pause between two looks for a Hark that is away.
const AGAIN_AFTER: Duration = Duration::from_millis(700);
/// News that may wait for the drawing. A terminal that hangs takes none; then the running Hark is not listened to either, and
/// hangs up when it has waited long enough.
const MAX_NEWS: usize = 1000;
/// Turns in the list.
const TURNS: &str = "100";
/// The conversation of what is typed here.
const SESSION: &str = "watch";

/// See the module. Its threads end with the process.
pub(super) struct Feed {
    pub(super) news: Receiver<News>,
    sent: UnboundedSender<Value>,
    asked: Sender<Wish>,
}

impl Feed {
    /// Begins to look for the running Hark.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub(super) fn start(config: Config) -> Result<Self, Fault> {
        let (tell, news) = mpsc::sync_channel(MAX_NEWS);
        let (sent, sending) = unbounded_channel();
        let (asked, asking) = mpsc::channel();
        let (to, its_config) = (tell.clone(), config.clone());
        spawn("hark-watch-events", move || follow(&its_config, sending, &to))?;
        let to = tell.clone();
        spawn("hark-watch-asks", move || ask(&config, &asking, &to))?;
        spawn("hark-watch-signals", move || wait_for_end(&tell))?;
        Ok(Self { news, sent, asked })
    }

    /// Has a wish carried out; what comes of it is news.
    pub(super) fn wish(&self, wish: Wish) {
        // The threads live as long as the process.
        let _ = match wish {
            Wish::Chat(text) => self.sent.send(chat(&text, SESSION, false, false)).map_err(drop),
            Wish::Answer { turn, yes } => {
                let kind = if yes { "approve" } else { "deny" };
                self.sent.send(json!({"type": kind, "turn": turn})).map_err(drop)
            }
            Wish::Stop => self.sent.send(json!({"type": "stop"})).map_err(drop),
            Wish::Turns | Wish::Story(_) | Wish::Doctor => self.asked.send(wish).map_err(drop),
        };
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Fault> {
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    spawned.map(drop).map_err(|error: io::Error| {
        Fault::new(FaultKind::Failed, "watch", format!("no thread {name}: {error}"), "")
    })
}

fn follow(config: &Config, mut sending: UnboundedReceiver<Value>, tell: &SyncSender<News>) {
    loop {
        let lost = match Running::locate(config) {
            Ok((Some(running), _)) => follow_one(&running, &mut sending, tell),
            Ok((None, _)) => none_runs(),
            Err(fault) => fault,
        };
        if tell.send(News::Lost(lost.message)).is_err() {
            return;
        }
        std::thread::sleep(AGAIN_AFTER);
        // What was typed to the one that is gone is not for the next.
        while sending.try_recv().is_ok() {}
    }
}

/// Follows a running Hark until it goes away, and says why.
fn follow_one(running: &Running, sending: &mut UnboundedReceiver<Value>, tell: &SyncSender<News>) -> Fault {
    #[derive(Deserialize)]
    struct Health {
        state: String,
    }
    let opened = || {
        let Health { state } = running.get("/api/v1/health")?;
        Ok(tell.send(News::Open { state }))
    };
    running.watch(sending, opened, &mut |mut message| {
        let news = match message["type"].as_str() {
            Some("event") => match serde_json::from_value::<Envelope>(message["data"].take()) {
                Ok(envelope) => News::Told(Box::new(envelope)),
                // Of another version.
                Err(_) => return,
            },
            Some("error") if message["data"]["event"].is_null() => {
                News::Refused(message["data"]["message"].as_str().unwrap_or("refused").to_owned())
            }
            _ => return,
        };
        // Nobody looks any more only when the process ends.
        let _ = tell.send(news);
    })
}

fn ask(config: &Config, asking: &Receiver<Wish>, tell: &SyncSender<News>) {
    while let Ok(wish) = asking.recv() {
        let news = match Running::locate(config) {
            Ok((Some(running), _)) => {
                answer(&running, &wish).unwrap_or_else(|fault| News::Refused(fault.message))
            }
            Ok((None, _)) => News::Refused(none_runs().message),
            Err(fault) => News::Refused(fault.message),
        };
        if tell.send(news).is_err() {
            return;
        }
    }
}

fn answer(running: &Running, wish: &Wish) -> Result<News, Fault> {
    #[derive(Deserialize)]
    struct Turns {
        turns: Vec<Summary>,
    }
    #[derive(Deserialize)]
    struct Turn {
        at: String,
        session: String,
        events: Vec<Value>,
    }
    #[derive(Deserialize)]
    struct Findings {
        findings: Vec<Finding>,
    }
    Ok(match wish {
        Wish::Story(id) => {
            let Turn { at, session, events } = running.get(&format!("/api/v1/turns/{id}"))?;
            let told: Vec<Envelope> =
                events.iter().filter_map(|event| serde_json::from_value(event.clone()).ok()).collect();
            let record = TurnRecord { id: id.as_str().into(), at, session, events, inputs: Vec::new() };
            let lines = explain::story(&record, None).lines().map(str::to_owned).collect();
            News::Story(Story { turn: id.clone(), timings: timings(&told), lines })
        }
        Wish::Doctor => {
            let Findings { findings } = running.get_patiently("/api/v1/doctor")?;
            News::Doctor(findings)
        }
        _ => {
            let Turns { turns } = running.get_with("/api/v1/turns", ("limit", TURNS))?;
            News::Turns(turns)
        }
    })
}

/// The terminal is closed, or the process is told to end: it ends as by its key, and gives the terminal back.
fn wait_for_end(tell: &SyncSender<News>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    runtime.block_on(async {
        let signals =
            (signal(SignalKind::terminate()), signal(SignalKind::hangup()), signal(SignalKind::interrupt()));
        let (Ok(mut terminate), Ok(mut hangup), Ok(mut interrupt)) = signals else { return };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
            _ = interrupt.recv() => {}
        }
    });
    let _ = tell.send(News::End);
}

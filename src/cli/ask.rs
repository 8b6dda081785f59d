//! `hark ask`: typed requests, from the arguments or line by line from standard input.

use super::Faults;
use super::args::Ask;
use super::trace;
use crate::config::Config;
use crate::daemon::ask::{Options, ask};
use crate::daemon::workshop::Workshop;
use crate::domain::{Correction, Envelope, Fault, PublicEvent};
use std::io::{BufRead, Write};

/// Longer lines are cut: no request is this long, and memory is bounded.
const MOST_CHARACTERS: usize = 2000;

/// Asks, and prints the answers, or every event with `--json`.
pub(super) fn run(config: Config, args: Ask, json: bool) -> Result<(), Faults> {
    let workshop = Workshop::open_visiting(config)?;
    if let Some((turn, meant)) = args.wrong.zip(args.meant) {
        let correction = Correction::Turn { turn, meant, domain: args.domain };
        return teach(&workshop, &correction, json).map_err(|fault| vec![fault]);
    }
    let options = Options { speak: args.speak, session: args.session, dry_run: args.dry_run };
    let requests: Box<dyn Iterator<Item = String>> = match args.text {
        Some(text) => Box::new(std::iter::once(text)),
        None => Box::new(std::io::stdin().lock().lines().map_while(Result::ok)),
    };
    let requests = requests
        .map(|line| line.trim().chars().take(MOST_CHARACTERS).collect::<String>())
        .filter(|line| !line.is_empty());
    let mut print = trace::printer(json);
    let listener = move |envelope: &Envelope| {
        if json || options_print(&envelope.event) {
            print(envelope);
        } else if let PublicEvent::Reply { text, .. } = &envelope.event {
            // Standard output may be a pipe whose reader has gone; the request is done all the same.
            let _ = writeln!(std::io::stdout().lock(), "{text}");
        }
    };
    ask(&workshop, requests, &options, listener).map_err(|fault| vec![fault])
}

/// Marks a turn.
fn teach(workshop: &Workshop, correction: &Correction, json: bool) -> Result<(), Fault> {
    let lesson = workshop.teacher().teach(correction)?;
    if json {
        println!("{}", serde_json::json!(lesson));
        return Ok(());
    }
    let known = if lesson.known { "Known already" } else { "Kept" };
    println!("{known}: “{}” means {}.", lesson.text, lesson.meant);
    match lesson.note {
        Some(note) => println!("It may change nothing: {note}."),
        None => println!("`hark models train` learns it; a running Hark does so by itself when it is quiet."),
    }
    Ok(())
}

/// Events a person wants to see besides the answer.
fn options_print(event: &PublicEvent) -> bool {
    matches!(event, PublicEvent::Intent { .. } | PublicEvent::Lesson(_) | PublicEvent::Error(_))
}

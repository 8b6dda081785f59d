//! `hark ask`: typed requests, from the arguments or line by line from standard input; to the running Hark, else by this
//! process, which says what it cannot keep.

use super::Faults;
use super::args::Ask;
use super::running::{self, Running};
use super::trace;
use crate::app::builder::App;
use crate::app::session_names::fresh;
use crate::cli::standalone::ask::{Options, ask};
use hark_config::Config;
use hark_core::public_event::Outcome;
use hark_core::session::session_name;
use hark_core::timer::{Timer, TimerChange, TimerKind, TimerState};
use hark_core::{Correction, Envelope, Fault, PublicEvent};
use std::io::{BufRead, IsTerminal, Lines, StdinLock, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Longer lines are cut: no request is this long, and memory is bounded.
const MAX_CHARACTERS: usize = 2000;

/// Asks, and prints the answers, or every event with `--json`.
pub(super) fn run(config: Config, args: Ask, sets: &[String], json: bool) -> Result<(), Faults> {
    let one = |fault: Fault| vec![fault];
    if let Some((turn, meant)) = args.wrong.zip(args.meant) {
        let correction = Correction::Turn { turn, meant, domain: args.domain };
        return teach(&App::open_visiting(config)?, &correction, json).map_err(one);
    }
    let by_hand = std::io::stdin().is_terminal();
    // A setting of the conversation, which it is told as one types it.
    let first = args.replay.map(|choice| format!("/replay {choice}"));
    let is_asked = Arc::new(AtomicBool::new(false));
    let requests = Requests {
        first,
        model: args.model,
        given: (!args.text.is_empty()).then(|| args.text.join(" ")),
        answers_only: !args.text.is_empty(),
        by_hand,
        prompts: by_hand && !json,
        is_asked: is_asked.clone(),
        lines: std::io::stdin().lock().lines(),
    };
    // Whoever types goes on with a conversation; lines of a file have nothing to do with each other.
    let session = args.session.or_else(|| by_hand.then(|| fresh(session_name::ASK)));
    let options = Options { speak: args.speak, session, dry_run: args.dry_run };
    let mut print = trace::printer(json);
    // What was printed of an answer that comes in pieces.
    let mut written = String::new();
    let print = move |envelope: &Envelope| {
        if let PublicEvent::Turn { outcome, .. } = &envelope.event {
            let asks = matches!(outcome, Outcome::AwaitingApproval | Outcome::AwaitingAnswer);
            is_asked.store(asks, Ordering::Release);
        }
        if json || options_print(&envelope.event) {
            print(envelope);
        } else if let PublicEvent::Reply { text, ends, .. } = &envelope.event {
            let mut output = std::io::stdout().lock();
            // Standard output may be a pipe whose reader has gone; the request is done all the same.
            let _ = write!(output, "{}", unwritten(&mut written, text, *ends)).and_then(|()| output.flush());
        }
    };
    match Running::find(&config, sets).map_err(one)? {
        Some(running) => beside(&running, requests, &options, print).map_err(one),
        None => alone(config, requests, &options, print),
    }
}

/// What is to be printed of a reply: each piece once, and at its end what no piece had, with the line's end.
fn unwritten(written: &mut String, text: &str, ends: bool) -> String {
    if !ends {
        written.push_str(text);
        return text.to_owned();
    }
    let before = std::mem::take(written);
    match text.strip_prefix(before.as_str()) {
        Some(rest) => format!("{rest}\n"),
        None if text.trim() == before.trim() => "\n".to_owned(),
        None => format!("\n{text}\n"),
    }
}

/// Has the running Hark answer.
fn beside(
    running: &Running,
    requests: Requests,
    options: &Options,
    mut print: impl FnMut(&Envelope),
) -> Result<(), Fault> {
    for text in requests {
        let session = options.session.clone().unwrap_or_else(|| fresh(session_name::ASK));
        let chat = running::chat(&text, &session, options.speak, options.dry_run);
        running.converse(&chat, |_, is_told| is_told, &mut print)?;
    }
    Ok(())
}

/// Answers here, and says what will not ring.
fn alone(
    config: Config,
    requests: Requests,
    options: &Options,
    mut print: impl FnMut(&Envelope) + Send + 'static,
) -> Result<(), Faults> {
    let app = App::open_asking(config)?;
    let set: Arc<Mutex<Vec<Timer>>> = Arc::default();
    let noted = set.clone();
    app.timers.observe(Arc::new(move |change, timer| {
        let waits = matches!(change, TimerChange::Started | TimerChange::Updated);
        if waits && timer.state == TimerState::Running {
            noted.lock().unwrap_or_else(PoisonError::into_inner).push(timer.clone());
        }
    }));
    let listener = move |envelope: &Envelope| {
        print(envelope);
        if matches!(envelope.event, PublicEvent::Turn { .. }) {
            let set = std::mem::take(&mut *set.lock().unwrap_or_else(PoisonError::into_inner));
            set.iter().for_each(|timer| eprintln!("hark: {}", waits_for_a_daemon(timer)));
        }
    };
    ask(&app, requests, options, listener).map_err(|fault| vec![fault])
}

/// What is kept, and does nothing by itself.
fn waits_for_a_daemon(timer: &Timer) -> String {
    let name = timer.name.as_ref().map(|name| format!(" “{name}”")).unwrap_or_default();
    let what = match timer.kind {
        TimerKind::Timer => format!("the timer{name} rings"),
        TimerKind::Alarm => format!("the alarm{name} rings"),
        TimerKind::Reminder => format!("the reminder{name} is told"),
        TimerKind::Command => format!("the request{name} is carried out"),
    };
    format!("{what} only while a Hark runs, and none does: start `hark run`")
}

/// What is asked, one after the other.
struct Requests {
    /// Before all others.
    first: Option<String>,
    /// The language model that answers.
    model: Option<String>,
    /// By the arguments.
    given: Option<String>,
    /// Only what Hark asks back is answered from standard input, by a person.
    answers_only: bool,
    by_hand: bool,
    prompts: bool,
    is_asked: Arc<AtomicBool>,
    lines: Lines<StdinLock<'static>>,
}

impl Iterator for Requests {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        loop {
            let line = match self.first.take().or_else(|| self.given.take()) {
                Some(text) => text,
                None if self.answers_only && !(self.by_hand && self.is_asked.load(Ordering::Acquire)) => {
                    return None;
                }
                None => {
                    if self.prompts {
                        eprint!("> ");
                    }
                    self.lines.next()?.ok()?
                }
            };
            let plain = |character: char| if character.is_control() { ' ' } else { character };
            let text: String = line.trim().chars().take(MAX_CHARACTERS).map(plain).collect();
            if text.trim().is_empty() {
                continue;
            }
            // A command is for no model, and what answers a question goes on with the one that asked.
            let is_request = !text.starts_with('/') && !self.is_asked.load(Ordering::Acquire);
            return Some(match self.model.as_ref().filter(|_| is_request) {
                Some(model) => format!("/model {model} {text}"),
                None => text,
            });
        }
    }
}

/// Marks a turn.
fn teach(app: &App, correction: &Correction, json: bool) -> Result<(), Fault> {
    let lesson = app.teacher().teach(correction)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_pieces_is_printed_once() {
        let printed = |replies: &[(&str, bool)]| {
            let mut written = String::new();
            replies.iter().map(|(text, ends)| unwritten(&mut written, text, *ends)).collect::<String>()
        };
        assert_eq!(printed(&[("On.", true)]), "On.\n");
        assert_eq!(printed(&[("330", false), (" metres.", false), ("330 metres.", true)]), "330 metres.\n");
        assert_eq!(printed(&[("One.", false), ("One. Two.", true), ("Three.", true)]), "One. Two.\nThree.\n");
        assert_eq!(printed(&[("One. ", false), ("One.", true)]), "One. \n");
        assert_eq!(printed(&[("One.", false), ("Two.", true)]), "One.\nTwo.\n");
    }
}

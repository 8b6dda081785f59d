//! A request from end to end: a Hark is started as it will be, and asked by voice, or in writing where there is no
//! microphone.

use super::dialogue::Answer;
use super::{Setup, sound};
use crate::app::service::presence;
use hark_core::public_event::Outcome;
use hark_core::{Envelope, Fault, FaultKind, PublicEvent};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How long it may take to start: a slow card reads its models.
const STARTS_WITHIN: Duration = Duration::from_secs(60);
/// How long the request may take, from the invitation to its end.
const ANSWERS_WITHIN: Duration = Duration::from_secs(60);
/// How long it may take to end.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

/// A line of the program that was started.
enum Line {
    Event(Box<Envelope>),
    /// What it says to a person.
    Said(String),
}

/// Has a request made and answered.
pub(super) fn request(setup: &mut Setup) -> Answer<String> {
    let config = setup.config()?;
    if presence::look(&config.paths.state_dir()?)?.is_some() {
        setup.talk.say("test_running", &[]);
        return Ok(setup.text("test_left", &[]));
    }
    setup.talk.say("test_intro", &[]);
    let has_microphone = config.audio.wants_microphone() && sound::has_microphone();
    if has_microphone { by_voice(setup) } else { in_writing(setup) }
}

fn by_voice(setup: &Setup) -> Answer<String> {
    let mut daemon = Daemon::start(setup, &["--json", "run"])?;
    daemon.wait_until_ready()?;
    let config = setup.config()?;
    let word = config.wake.words.first().map(|word| word.replace('_', " ")).unwrap_or_default();
    let request = setup.text("test_request", &[]);
    setup.talk.say("test_say", &[("word", &word), ("request", &request)]);
    let reply = daemon.follow(setup)?;
    drop(daemon);
    match setup.talk.confirm(&setup.text("test_heard", &[]))? {
        true => Ok(setup.text("test_works", &[("reply", &reply)])),
        false => {
            let fix = setup.text("test_silent_fix", &[]);
            Err(Fault::new(FaultKind::Failed, "test", setup.text("test_silent", &[]), fix).into())
        }
    }
}

fn in_writing(setup: &Setup) -> Answer<String> {
    setup.talk.say("test_no_microphone", &[]);
    let usual = setup.text("test_request", &[]);
    let typed = setup.talk.line(&setup.text("test_type", &[]), Some(&usual), |typed| Ok(typed.to_owned()))?;
    let reply = Daemon::start(setup, &["--json", "ask", "--", &typed])?.follow(setup)?;
    Ok(setup.text("test_works", &[("reply", &reply)]))
}

/// This program in another process; told to end when dropped.
struct Daemon {
    process: Child,
    lines: Receiver<Line>,
}

impl Daemon {
    fn start(setup: &Setup, arguments: &[&str]) -> Result<Self, Fault> {
        let failed = |error: std::io::Error| {
            Fault::new(FaultKind::Failed, "test", format!("another Hark cannot be started: {error}"), "")
        };
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        command.args(setup.file.arguments()).args(arguments);
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (sender, lines) = channel();
        if let Some(events) = process.stdout.take() {
            read(events, sender.clone(), |line| Some(Line::Event(serde_json::from_str(&line).ok()?)));
        }
        if let Some(said) = process.stderr.take() {
            read(said, sender, |line| Some(Line::Said(line)));
        }
        Ok(Self { process, lines })
    }

    fn wait_until_ready(&mut self) -> Result<(), Fault> {
        let end = Instant::now() + STARTS_WITHIN;
        let mut said = String::new();
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(Line::Said(line)) if line.starts_with("hark: ready.") => return Ok(()),
                Ok(Line::Said(line)) => said = line,
                Ok(Line::Event(_)) => {}
                Err(_) => return Err(over(&said)),
            }
        }
    }

    /// Tells what is heard and said, to the end of the first turn that was understood; its reply.
    fn follow(&mut self, setup: &Setup) -> Result<String, Fault> {
        let end = Instant::now() + ANSWERS_WITHIN;
        let (mut reply, mut said) = (String::new(), String::new());
        loop {
            let event = match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(Line::Event(envelope)) => envelope.event,
                Ok(Line::Said(line)) => {
                    said = line;
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {
                    let fix = setup.text("test_nothing_fix", &[]);
                    return Err(Fault::new(FaultKind::Failed, "test", setup.text("test_nothing", &[]), fix));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(over(&said)),
            };
            match event {
                PublicEvent::Wake { score, .. } => {
                    setup.talk.say("wake_heard", &[("score", &format!("{score:.2}"))]);
                }
                PublicEvent::WakeRejected { score, .. } => {
                    setup.talk.say("wake_near", &[("score", &format!("{score:.2}"))]);
                }
                PublicEvent::Transcript(transcript) => {
                    setup.talk.say("test_transcript", &[("text", &transcript.text)]);
                }
                PublicEvent::Reply { text, .. } => {
                    setup.talk.say("test_reply", &[("text", &text)]);
                    reply = text;
                }
                PublicEvent::Turn { outcome: Outcome::NotUnderstood, .. } => {
                    setup.talk.say("test_again", &[])
                }
                PublicEvent::Turn { .. } => return Ok(reply),
                _ => {}
            }
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let process = rustix::process::Pid::from_child(&self.process);
        // It may have ended by itself.
        let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
        let end = Instant::now() + ENDS_WITHIN;
        while matches!(self.process.try_wait(), Ok(None)) {
            if Instant::now() > end {
                let _ = self.process.kill();
                let _ = self.process.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Hands over what lines say until there are no more.
fn read(
    from: impl Read + Send + 'static,
    to: Sender<Line>,
    what: impl Fn(String) -> Option<Line> + Send + 'static,
) {
    // Ends with the process that writes.
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            if what(line).is_some_and(|line| to.send(line).is_err()) {
                return;
            }
        }
    });
}

/// The program ended, or does not begin, with this as its last word.
fn over(said: &str) -> Fault {
    let said = said.strip_prefix("hark: ").unwrap_or(said);
    let message = format!("the Hark that was started does not answer: {said}");
    Fault::new(FaultKind::Failed, "test", message, "`hark doctor` says what is wrong")
}

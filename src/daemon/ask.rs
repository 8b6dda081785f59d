//! Typed requests where no daemon runs: understanding onward, answered before the next one is read.

use super::clock::Clock;
use super::conductor::{Conductor, Listener};
use super::session_names::{SessionNames, fresh};
use super::voice_parts::VoiceParts;
use super::workshop::Workshop;
use crate::domain::public_event::Origin;
use crate::domain::{Envelope, Event, Fault};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The longest a request may take, tools and a spoken answer included.
const LIMIT: Duration = Duration::from_secs(240);

/// How requests are to be taken.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Say answers aloud.
    pub speak: bool,
    /// Keep all requests in one conversation of this name.
    pub session: Option<String>,
    /// Stop before acting.
    pub dry_run: bool,
}

/// Answers every request in order. Events go to `listener`.
///
/// # Errors
/// When there is no speaker for a spoken answer. What goes wrong with a request is an event.
pub fn ask(
    workshop: &Workshop,
    requests: impl Iterator<Item = String>,
    options: &Options,
    listener: impl FnMut(&Envelope) + Send + 'static,
) -> Result<(), Fault> {
    let voice = if options.speak { Some(VoiceParts::on_speaker(workshop)?) } else { None };
    let listener = Arc::new(Mutex::new(listener));
    let clock = Arc::new(Clock::live());
    let converse = || {
        let listener = listener.clone();
        let listener: Listener = Box::new(move |envelope| {
            let mut listener = listener.lock().unwrap_or_else(PoisonError::into_inner);
            listener(envelope);
        });
        let names = SessionNames::of_one(&options.session.clone().unwrap_or_else(|| fresh("ask")));
        let parts = workshop.parts(voice.as_ref().map(VoiceParts::handle), None, names);
        Conductor::new(workshop.machine(), parts, clock.clone(), workshop.mailbox.clone(), vec![listener])
    };
    let mut conductor = converse();
    for text in requests {
        if options.session.is_none() {
            conductor.finish();
            conductor = converse();
        }
        workshop.follow_names();
        conductor.handle(Event::Typed {
            text,
            origin: Origin::Cli,
            speak: options.speak,
            dry_run: options.dry_run,
        });
        let end = Instant::now() + LIMIT;
        while (!conductor.is_idle() || conductor.is_thinking()) && Instant::now() < end {
            conductor.wait(Duration::from_millis(50));
        }
        // What was told last is in the mailbox still.
        conductor.settle(Duration::ZERO);
    }
    conductor.finish();
    // What could not be kept is told.
    conductor.settle(Duration::ZERO);
    Ok(())
}

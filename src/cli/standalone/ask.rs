//! Typed requests where no daemon runs: understanding onward, answered before the next one is read.

use crate::app::audio::voice_parts::VoiceParts;
use crate::app::builder::App;
use crate::app::clock::Clock;
use crate::app::effect_runner::{EffectRunner, Listener};
use crate::app::session_names::{SessionNames, fresh};
use hark_core::public_event::Origin;
use hark_core::session::session_name;
use hark_core::{Envelope, Event, Fault};
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
    app: &App,
    requests: impl Iterator<Item = String>,
    options: &Options,
    listener: impl FnMut(&Envelope) + Send + 'static,
) -> Result<(), Fault> {
    let voice = if options.speak { Some(VoiceParts::on_speaker(app)?) } else { None };
    let listener = Arc::new(Mutex::new(listener));
    let clock = Arc::new(Clock::live());
    let converse = || {
        let listener = listener.clone();
        let listener: Listener = Box::new(move |envelope| {
            let mut listener = listener.lock().unwrap_or_else(PoisonError::into_inner);
            listener(envelope);
        });
        let names =
            SessionNames::of_one(&options.session.clone().unwrap_or_else(|| fresh(session_name::ASK)));
        let parts = app.parts(voice.as_ref().map(VoiceParts::handle), None, names);
        EffectRunner::new(app.machine(), parts, clock.clone(), app.event_queue.clone(), vec![listener])
    };
    let mut effect_runner = converse();
    for text in requests {
        if options.session.is_none() {
            effect_runner.finish();
            effect_runner = converse();
        }
        app.follow_names();
        effect_runner.handle(Event::Typed {
            text,
            origin: Origin::Cli,
            speak: options.speak,
            dry_run: options.dry_run,
        });
        let end = Instant::now() + LIMIT;
        while (!effect_runner.is_idle() || effect_runner.is_thinking()) && Instant::now() < end {
            effect_runner.wait(Duration::from_millis(50));
        }
        // What was told last is in the event queue still.
        effect_runner.settle(Duration::ZERO);
    }
    effect_runner.finish();
    // What could not be kept is told.
    effect_runner.settle(Duration::ZERO);
    Ok(())
}

//! The whole road on recordings in lock-step, as `hark hear` goes it, and the start of the program.

use crate::app::builder::App;
use crate::cli::benchmarks::samples::{Row, Samples, Unit, ms};
use crate::cli::standalone::hear::{Options, hear};
use hark_config::Config;
use hark_core::public_event::{Outcome, PublicEvent, Timings};
use hark_core::{Envelope, Fault};
use hark_stt::stt::worker::SttMode;
use hark_telemetry::vitals;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

const STARTS: usize = 3;

/// How requests fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Requests {
    /// Turns that were closed.
    pub turns: usize,
    /// Those that did or answered what was asked.
    pub done: usize,
}

/// Start-up: everything that stands before "ready", without devices. Answers the last app.
pub(crate) fn start(config: &Config) -> Result<(App, Vec<Row>), Vec<Fault>> {
    let (mut times, mut memory) = (Samples::default(), Samples::default());
    let mut last = None;
    for _ in 0..STARTS {
        drop(last.take());
        let begun = Instant::now();
        let app = App::open(config.clone())?;
        let one = |fault| vec![fault];
        let voice = app.voice().map_err(one)?;
        let pipeline = app.pipeline(SttMode::Live).map_err(one)?;
        times.push(ms(begun.elapsed()));
        // What the first start takes is what a daemon has.
        if let Some(bytes) = vitals::resident_bytes().filter(|_| memory.is_empty()) {
            memory.push(bytes as f64 / f64::from(1 << 20));
        }
        drop((voice, pipeline));
        last = Some(app);
    }
    let rows = vec![
        times.row("start_up", "templates, home, store, voice and pipeline loaded", Unit::Ms),
        memory.row("memory_loaded", "resident memory then", Unit::MiB),
    ];
    match last {
        Some(app) => Ok((app, rows)),
        None => App::open(config.clone()).map(|app| (app, rows)),
    }
}

/// What the closing records say.
#[derive(Default)]
struct Story {
    transcript: Samples,
    intent: Samples,
    action: Samples,
    audio: Samples,
    requests: Requests,
}

impl Story {
    fn note(&mut self, envelope: &Envelope) {
        let PublicEvent::Turn { timings_ms, outcome, .. } = &envelope.event else { return };
        self.requests.turns += 1;
        self.requests.done += usize::from(*outcome == Outcome::Done);
        let Timings {
            speech_end_to_transcript,
            transcript_to_intent,
            intent_to_action,
            speech_end_to_first_audio,
            ..
        } = *timings_ms;
        let all = [
            (&mut self.transcript, speech_end_to_transcript),
            (&mut self.intent, transcript_to_intent),
            (&mut self.action, intent_to_action),
            (&mut self.audio, speech_end_to_first_audio),
        ];
        for (samples, value) in all {
            value.into_iter().for_each(|value| samples.push(value));
        }
    }
}

/// All files, each as a conversation of its own. `no_wake`: what is said is a request at once.
pub(crate) fn rows(
    app: &App,
    files: &[PathBuf],
    no_wake: bool,
    sound_s: f64,
) -> Result<(Vec<Row>, Requests), Vec<Fault>> {
    let story = Arc::new(Mutex::new(Story::default()));
    let told = story.clone();
    let options = Options { no_wake, ..Options::default() };
    let begun = Instant::now();
    hear(app, files, &options, move |envelope| {
        told.lock().unwrap_or_else(PoisonError::into_inner).note(envelope);
    })?;
    let mut whole = Samples::default();
    whole.push(begun.elapsed().as_secs_f64() / sound_s);
    let story = story.lock().unwrap_or_else(PoisonError::into_inner);
    let rows = vec![
        story.transcript.row(
            "speech_end_to_transcript",
            "from the last voiced block to the transcript",
            Unit::Ms,
        ),
        story.intent.row("transcript_to_intent", "from the transcript to the intent", Unit::Ms),
        story.action.row("intent_to_action", "from the intent to the receipt", Unit::Ms),
        story.audio.row(
            "speech_end_to_first_audio",
            "from the last voiced block to the reply's first sound",
            Unit::Ms,
        ),
        whole.row("road_real_time_factor", "the whole road, loading and reply included", Unit::OfRealTime),
    ];
    Ok((rows, story.requests))
}

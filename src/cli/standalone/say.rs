//! Speaking a text without the daemon.

use crate::app::audio::voice_parts::VoiceParts;
use crate::app::builder::App;
use crate::cli::standalone::reply_file::ReplyFile;
use hark_core::{Event, Fault, FaultKind};
use hark_tts::render::render;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest time without any sign of the voice.
const LIMIT: Duration = Duration::from_secs(600);

/// Speaks on the speaker of the configuration; returns when nothing is left to play.
///
/// # Errors
/// When there is no speaker, or the voice fails.
pub fn on_speaker(app: &App, text: &str, language: &str) -> Result<(), Fault> {
    let voice = VoiceParts::on_speaker(app)?;
    voice.handle().say("say".into(), text, language)?;
    let end = Instant::now() + LIMIT;
    loop {
        match app.event_queue.pop(end) {
            Some(Event::SpeakingEnded { .. }) => return Ok(()),
            Some(Event::Fault { fault }) => return Err(fault),
            Some(_) => {}
            None => {
                let fix = "look at `hark doctor`";
                return Err(Fault::new(FaultKind::Failed, "voice", "the speaker does not play", fix));
            }
        }
    }
}

/// Speaks into a WAV file, faster than real time.
///
/// # Errors
/// When the voice is switched off or fails, or the file cannot be written.
pub fn to_file(app: &App, text: &str, language: &str, path: &Path) -> Result<(), Fault> {
    let mut voice = app.voice()?.ok_or_else(|| {
        Fault::new(
            FaultKind::BadConfiguration,
            "voice",
            "the voice is switched off",
            "set speaking.voice to espeak",
        )
    })?;
    let mut file = ReplyFile::create(path, voice.rate_hz())?;
    let mut written = Ok(());
    render(voice.as_mut(), text, language, &mut |samples| {
        written = file.write(samples);
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    file.flush()
}

//! What is heard while measuring: recordings, or commands spoken by espeak-ng in this process.

use crate::app::builder::App;
use crate::cli::standalone::reply_file::ReplyFile;
use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_core::Fault;
use hark_core::ports::Voice;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Spoken when no recordings are given. Everything is done in the demo home.
const COMMANDS: [&str; 6] = [
    "hey jarvis, turn on the living room light",
    "hey jarvis, what time is it",
    "hey jarvis, turn off the kitchen lights",
    "hey jarvis, set a timer for ten minutes",
    "hey jarvis, is the front door locked",
    "hey jarvis, set the bedroom light to fifty percent",
];
/// Silence before and after a command, as there is in a room.
const BEFORE_MS: u32 = 700;
const AFTER_MS: u32 = 1500;

/// The configuration to measure with: the owner's engines, but the demo home and a state of its own, so
/// that nothing at home is switched and no timer is set.
pub(crate) fn harmless(mut config: Config, folder: &TemporaryFolder) -> Config {
    config.home.file = String::new();
    config.home.demo = true;
    config.paths.state_dir = folder.path().display().to_string();
    config
}

/// Has the commands spoken into files, by a voice of its own: it is not what is measured.
pub(crate) fn speak(app: &App, folder: &TemporaryFolder) -> Result<Vec<PathBuf>, Fault> {
    let mut voice = app.engines().espeak()?;
    let rate_hz = voice.rate_hz();
    // Nearly silence: long digital silence is left out of the file.
    let silence = |ms: u32| (0..rate_hz * ms / 1000).map(|n| if n % 2 == 0 { 1e-4 } else { -1e-4 });
    let mut files = Vec::new();
    for (index, command) in COMMANDS.iter().enumerate() {
        let mut samples: Vec<f32> = silence(BEFORE_MS).collect();
        voice.synthesise(command, "en", &mut |piece| {
            samples.extend_from_slice(piece);
            ControlFlow::Continue(())
        })?;
        samples.extend(silence(AFTER_MS));
        let path = folder.path().join(format!("command-{index}.wav"));
        let mut file = ReplyFile::create(&path, rate_hz)?;
        file.write(&samples)?;
        file.flush()?;
        files.push(path);
    }
    Ok(files)
}

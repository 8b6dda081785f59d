//! Shows the main job on a machine without a microphone: a sample sentence goes through the live path
//! as if it had been captured, and what the speaker would have played goes into a file.

use crate::app::audio::pipeline_thread::PipelineThread;
use crate::app::builder::App;
use crate::app::daemon::Running;
use crate::app::faults::no_thread;
use crate::cli::standalone::reply_file::ReplyFile;
use crate::cli::standalone::say;
use hark_core::audio::ms_to_samples;
use hark_core::public_event::{Envelope, Origin, PublicEvent};
use hark_core::{Fault, FaultKind, SAMPLE_RATE_HZ};
use hark_stt::capture::{CaptureWriter, capture_ring};
use hark_stt::recording::Recording;
use hark_tts::playback::playback;
use hark_tts::voice_thread::VoiceHandle;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What the sample person says.
const SENTENCE: &str = "hey jarvis, turn on the living room light";
/// One step of sound in and out.
const STEP_MS: u32 = 10;
/// Rate of the speaker that is a file.
const SPEAKER_HZ: u32 = 22_050;
/// Sound in the playback ring.
const RING_MS: u32 = 500;
/// Silence before the sentence, as there is in a room.
const QUIET_MS: u64 = 500;
/// The demonstration ends at the latest then.
const LIMIT: Duration = Duration::from_secs(20);

/// The demonstration, from before the daemon starts to its end.
pub struct Demo {
    request: PathBuf,
    reply: PathBuf,
    answered: Arc<AtomicBool>,
}

impl Demo {
    /// Has the sample sentence spoken: by flite, which sounds more like a person, or by Hark's own voice.
    ///
    /// # Errors
    /// When neither can speak, or the state folder cannot be written to.
    pub fn prepare(app: &App) -> Result<Self, Fault> {
        let folder = app.config.paths.state_dir()?;
        let (request, reply) = (folder.join("demo-request.wav"), folder.join("demo-reply.wav"));
        let by_flite = Command::new("flite")
            .args(["-voice", "slt", "-t", SENTENCE, "-o"])
            .arg(&request)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !by_flite.is_ok_and(|status| status.success()) {
            say::to_file(app, SENTENCE, "en", &request)?;
        }
        Ok(Self { request, reply, answered: Arc::new(AtomicBool::new(false)) })
    }

    /// Where the sample sentence is.
    pub fn request(&self) -> &Path {
        &self.request
    }

    /// Listens for the closing record of the demonstrated turn.
    pub fn listener(&self) -> impl FnMut(&Envelope) + Send + 'static {
        let answered = self.answered.clone();
        move |envelope| {
            // Something else may end meanwhile, such as the ringing of a timer.
            let spoken = envelope.origin == Some(Origin::Voice);
            if spoken && matches!(envelope.event, PublicEvent::Turn { .. }) {
                answered.store(true, Ordering::Release);
            }
        }
    }

    /// Plays the sentence to the running daemon, on a thread of its own; `done` is told where the reply
    /// is, or what went wrong.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn play(
        self,
        running: &Running<'_>,
        done: impl FnOnce(Result<PathBuf, Fault>) + Send + 'static,
    ) -> Result<(), Fault> {
        let voice = running.voice.handle();
        let (recording, writer) = self.open(running.pipeline)?;
        std::thread::Builder::new()
            .name("hark-demo".into())
            .spawn(move || {
                let result = self.run(recording, writer, &voice);
                voice.attach(None);
                done(result.map(|()| self.reply));
            })
            .map_err(|error| no_thread("hark-demo", &error))?;
        Ok(())
    }

    fn open(&self, pipeline: &PipelineThread) -> Result<(Recording, CaptureWriter), Fault> {
        let recording = Recording::open(&self.request)?;
        let (writer, reader) = capture_ring(SAMPLE_RATE_HZ, 1, 1000)
            .map_err(|error| Fault::new(FaultKind::Failed, "demo", error.to_string(), ""))?;
        pipeline.stand_in(reader);
        Ok((recording, writer))
    }

    fn run(
        &self,
        mut recording: Recording,
        mut writer: CaptureWriter,
        voice: &VoiceHandle,
    ) -> Result<(), Fault> {
        let (feeder, mut speaker) = playback(SPEAKER_HZ, 1, RING_MS);
        voice.attach(Some(feeder));
        let mut reply = ReplyFile::create(&self.reply, SPEAKER_HZ)?;
        let mut sound = vec![0.0; ms_to_samples(QUIET_MS) as usize];
        while recording.read(&mut sound)? {}
        let step = ms_to_samples(STEP_MS.into()) as usize;
        let silence = vec![0.0; step];
        let mut chunks = sound.chunks(step);
        let mut played = vec![0.0; (SPEAKER_HZ * STEP_MS / 1000) as usize];
        let started = Instant::now();
        let mut steps = 0;
        while !self.answered.load(Ordering::Acquire) && started.elapsed() < LIMIT {
            writer.push(chunks.next().unwrap_or(&silence));
            speaker.fill(&mut played);
            reply.write(&played)?;
            steps += 1;
            let due = started + Duration::from_millis(u64::from(steps * STEP_MS));
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        reply.flush()
    }
}

//! Recordings through the same path as the microphone, in lock-step on the recording's own clock: the
//! capture ring, the pipeline, the turn machine, tools, the voice and the playback ring are the real ones;
//! only the device callbacks are replaced by this loop.

use crate::app::audio::pipeline_thread::machine_event;
use crate::app::audio::voice_parts::VoiceParts;
use crate::app::builder::App;
use crate::app::clock::Clock;
use crate::app::effect_runner::{EffectRunner, Listener};
use crate::app::session_names::{SessionNames, fresh};
use crate::cli::standalone::loopback::Loopback;
use crate::cli::standalone::reply_file::ReplyFile;
use hark_core::audio::{ms_to_samples, samples_to_ms};
use hark_core::session::session_name;
use hark_core::{Envelope, Event, Fault, FaultKind, SAMPLE_RATE_HZ};
use hark_stt::capture::{CaptureReader, CaptureWriter, capture_ring};
use hark_stt::pipeline::AudioPipeline;
use hark_stt::recording::Recording;
use hark_stt::stt::worker::SttMode;
use hark_stt::{PipelineCommand, PositionedEvent};
use hark_tts::playback::PlaybackSource;
use hark_tts::voice_thread::VoiceHandle;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One step: what a callback would bring.
const STEP_MS: u32 = 32;
const STEP_SAMPLES: usize = (STEP_MS * SAMPLE_RATE_HZ / 1000) as usize;
/// Rate of the virtual speaker.
const SPEAKER_HZ: u32 = 22_050;
/// Its rate when the microphone hears it.
const ECHOING_HZ: u32 = SAMPLE_RATE_HZ;
/// How long tools may take before the recording goes on without them.
const TOOLS_LIMIT: Duration = Duration::from_secs(30);
/// Longest wait for a language model, with all it does for one request.
const MODEL_LIMIT: Duration = Duration::from_secs(300);
/// Between two looks whether it has ended.
const MODEL_POLL: Duration = Duration::from_millis(20);
/// How long Hark may still be busy when the recording is over, on the recording's clock.
const TAIL_MS: u64 = 120_000;
/// Steps played after the last turn: half a second.
const LAST_SOUND_STEPS: u32 = 500 / STEP_MS;

/// How recordings are to be heard.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Write what the speaker would have played.
    pub reply: Option<PathBuf>,
    /// Plays the recording as it was spoken.
    pub realtime: bool,
    /// Listen without a wake word, again after every turn.
    pub no_wake: bool,
    /// Hark is saying this when the recording begins.
    pub saying: Option<String>,
    /// How loud the microphone hears the speaker, against what is played, in dB; not at all without it.
    pub echo_db: Option<f32>,
}

impl Options {
    fn speaker_hz(&self) -> u32 {
        if self.echo_db.is_some() { ECHOING_HZ } else { SPEAKER_HZ }
    }
}

/// Hears every file as a fresh conversation. Events go to `listener`, with the file's name when there
/// are several.
///
/// # Errors
/// When an engine is missing, or with everything that is wrong with the files; those that can be read
/// are heard all the same.
pub fn hear(
    app: &App,
    files: &[PathBuf],
    options: &Options,
    listener: impl FnMut(&Envelope) + Send + 'static,
) -> Result<(), Vec<Fault>> {
    if options.reply.is_some() && files.len() > 1 {
        let fix = "give one recording, or leave --reply out";
        let message = "--reply writes the answer to one recording";
        return Err(vec![Fault::new(FaultKind::BadInput, "hear", message, fix)]);
    }
    let one = |fault| vec![fault];
    let mut pipeline = app.pipeline(SttMode::LockStep).map_err(one)?;
    let (voice, mut speaker) = VoiceParts::on_recording(app, options.speaker_hz()).map_err(one)?;
    let listener = Arc::new(Mutex::new(listener));
    let mut faults = Vec::new();
    for file in files {
        let recording = match Recording::open(file) {
            Ok(recording) => recording,
            Err(error) => {
                faults.push(error.into());
                continue;
            }
        };
        app.follow_names();
        let named = (files.len() > 1).then(|| file.display().to_string());
        let shared = listener.clone();
        let listener: Listener = Box::new(move |envelope| {
            let mut envelope = envelope.clone();
            envelope.file.clone_from(&named);
            shared.lock().unwrap_or_else(PoisonError::into_inner)(&envelope);
        });
        let room = Room::new(app, &mut pipeline, voice.handle(), &mut speaker, options, listener);
        if let Err(fault) = room.and_then(|room| room.play(recording)) {
            faults.push(fault);
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// One recording being played to Hark.
struct Room<'a> {
    pipeline: &'a mut AudioPipeline,
    orders: Receiver<PipelineCommand>,
    effect_runner: EffectRunner,
    clock: Arc<Clock>,
    voice: VoiceHandle,
    speaker: &'a mut PlaybackSource,
    reply: Option<ReplyFile>,
    loopback: Option<Loopback>,
    options: &'a Options,
    heard: Vec<PositionedEvent>,
    played: Vec<f32>,
    /// Where the pipeline stood when the recording began, in its samples.
    began_samples: u64,
    /// Position in the recording, in 16 kHz samples; goes on after its end while Hark still speaks.
    position_samples: u64,
    /// Fractions of speaker samples that a step leaves over.
    speaker_debt: f64,
    started: Instant,
}

impl<'a> Room<'a> {
    fn new(
        app: &'a App,
        pipeline: &'a mut AudioPipeline,
        voice: VoiceHandle,
        speaker: &'a mut PlaybackSource,
        options: &'a Options,
        listener: Listener,
    ) -> Result<Self, Fault> {
        let started = Instant::now();
        let clock = Arc::new(Clock::recording(started));
        let (commands, orders) = std::sync::mpsc::channel();
        let parts =
            app.parts(Some(voice.clone()), Some(commands), SessionNames::of_one(&fresh(session_name::HEAR)));
        // A fresh conversation: what was ordered in the one before counts no more.
        for order in [PipelineCommand::Mute(false), PipelineCommand::Watch(false), PipelineCommand::Sleep] {
            pipeline.command(order);
        }
        let began_samples = pipeline.position_samples();
        let effect_runner =
            EffectRunner::new(app.machine(), parts, clock.clone(), app.event_queue.clone(), vec![listener]);
        let reply = match &options.reply {
            Some(path) => Some(ReplyFile::create(path, options.speaker_hz())?),
            None => None,
        };
        let echo = &app.config.echo;
        let loopback = options.echo_db.map(|db| Loopback::new(echo, speaker, ECHOING_HZ, db));
        Ok(Self {
            pipeline,
            orders,
            effect_runner,
            clock,
            voice,
            speaker,
            reply,
            loopback,
            options,
            heard: Vec::new(),
            played: Vec::new(),
            began_samples,
            position_samples: 0,
            speaker_debt: 0.0,
            started,
        })
    }

    fn play(mut self, mut recording: Recording) -> Result<(), Fault> {
        let (mut writer, mut reader) = capture_ring(SAMPLE_RATE_HZ, 1, 10 * STEP_MS)
            .map_err(|error| Fault::new(FaultKind::Failed, "hear", error.to_string(), ""))?;
        if let Some(text) = &self.options.saying {
            self.effect_runner.handle(Event::Say { text: text.clone() });
            self.settle();
        }
        let mut piece = Vec::new();
        loop {
            let more = recording.read(&mut piece)?;
            for chunk in piece.chunks_mut(STEP_SAMPLES) {
                self.step(chunk, &mut writer, &mut reader)?;
            }
            piece.clear();
            if !more {
                break;
            }
        }
        if let Some(fault) = recording.warning() {
            self.effect_runner.handle(Event::Fault { fault: fault.clone() });
        }
        self.pipeline.finish(&mut self.heard);
        self.tell();
        self.tail()?;
        self.effect_runner.finish();
        // What could not be kept is told.
        self.effect_runner.settle(Duration::ZERO);
        match &mut self.reply {
            Some(reply) => reply.flush(),
            None => Ok(()),
        }
    }

    /// One step of sound in and out.
    fn step(
        &mut self,
        chunk: &mut [f32],
        writer: &mut CaptureWriter,
        reader: &mut CaptureReader,
    ) -> Result<(), Fault> {
        if self.options.no_wake && self.effect_runner.is_idle() && !self.pipeline.may_go_on() {
            self.effect_runner.handle(Event::ListenNow);
            self.obey();
        }
        if let Some(loopback) = &mut self.loopback {
            loopback.mix(chunk);
        }
        writer.push(chunk);
        let mut samples = Vec::new();
        reader.read(&mut samples);
        let captured = samples.len() as u64;
        match &mut self.loopback {
            Some(loopback) => {
                let feed = loopback.clean(&mut samples, self.position_samples + captured);
                self.pipeline.observe_playback(feed.played(), feed.residual_echo());
                self.pipeline.process_cleaned(&samples, feed.words(), &mut self.heard);
            }
            None => self.pipeline.process(&samples, &mut self.heard),
        }
        self.tell();
        self.advance(captured)
    }

    /// What the pipeline heard goes to the turn machine; what the machine orders goes back.
    fn tell(&mut self) {
        for heard in std::mem::take(&mut self.heard) {
            let position = heard.position_samples - self.began_samples;
            self.clock.set_audio_ms(samples_to_ms(position));
            if let Some(event) = machine_event(heard.event, self.effect_runner.event_queue()) {
                self.effect_runner.handle(event);
            }
        }
        self.settle();
    }

    fn settle(&mut self) {
        self.effect_runner.settle(TOOLS_LIMIT);
        if !self.options.realtime {
            self.wait_for_model();
        }
        self.obey();
    }

    /// The recording stands still while a language model works at an answer, as it does for tools.
    fn wait_for_model(&mut self) {
        let end = Instant::now() + MODEL_LIMIT;
        while self.effect_runner.is_thinking() && Instant::now() < end {
            self.effect_runner.wait(MODEL_POLL);
        }
        self.effect_runner.settle(TOOLS_LIMIT);
    }

    fn obey(&mut self) {
        for order in self.orders.try_iter() {
            self.pipeline.command(order);
        }
    }

    /// Moves the recording's clock, and plays what a speaker would have played meanwhile.
    fn advance(&mut self, samples: u64) -> Result<(), Fault> {
        self.position_samples += samples;
        self.clock.set_audio_ms(samples_to_ms(self.position_samples));
        let due = samples as f64 * f64::from(self.options.speaker_hz()) / f64::from(SAMPLE_RATE_HZ);
        let due = due + self.speaker_debt;
        self.speaker_debt = due.fract();
        // Before the samples are taken, so that they are there; after, so that their end is reported.
        self.voice.settle();
        self.played.clear();
        self.played.resize(due as usize, 0.0);
        match &mut self.loopback {
            Some(loopback) => {
                self.speaker.fill_at(&mut self.played, loopback.sounds_at(self.position_samples));
                loopback.played(&self.played);
            }
            None => self.speaker.fill(&mut self.played),
        }
        if let Some(reply) = &mut self.reply {
            reply.write(&self.played)?;
        }
        self.voice.settle();
        self.settle();
        self.pace();
        Ok(())
    }

    /// The recording is over; Hark may still be speaking.
    fn tail(&mut self) -> Result<(), Fault> {
        self.wait_for_model();
        let step = STEP_SAMPLES as u64;
        let end = self.position_samples + ms_to_samples(TAIL_MS);
        while !self.effect_runner.is_idle() && self.position_samples < end {
            // Nobody is there to say anything more: a pipeline that was opened for an answer is closed.
            if self.pipeline.meter().listening {
                self.pipeline.finish(&mut self.heard);
                self.tell();
            }
            self.advance(step)?;
        }
        // The last short sound has no turn that waits for it.
        for _ in 0..LAST_SOUND_STEPS {
            self.advance(step)?;
        }
        Ok(())
    }

    fn pace(&self) {
        if self.options.realtime {
            let due = self.started + Duration::from_millis(samples_to_ms(self.position_samples));
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    }
}

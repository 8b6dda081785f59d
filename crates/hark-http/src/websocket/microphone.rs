//! A browser's microphone on a WebSocket: frames of sound go to a remote microphone, which is opened with the first frame
//! and closed when none has come for a while.

use super::super::api_error::ApiError;
use super::super::limits::{MAX_BODY_BYTES, MAX_FRAMES_PER_SECOND, MAX_SOUND_AHEAD_S};
use super::super::server_state::ServerState;
use axum::http::StatusCode;
use hark_core::SAMPLE_RATE_HZ;
use hark_core::api::{RemoteMicrophone, Speaker};
use hark_net::token_bucket::TokenBucket;
use std::time::{Duration, Instant};

/// What goes on is told anew after this long, and not with every frame.
const REPEAT_ERROR_AFTER: Duration = Duration::from_secs(1);
/// Samples a microphone may be ahead.
const MAX_SAMPLES_AHEAD: f64 = MAX_SOUND_AHEAD_S * SAMPLE_RATE_HZ as f64;

/// How much faster a microphone may be than our clock: that of a sound card is not exact.
const CLOCK_TOLERANCE: f64 = 1.02;

/// A browser's microphone.
pub(crate) struct Microphone {
    remote: Option<Box<dyn RemoteMicrophone>>,
    /// Samples it may send at once.
    sound: TokenBucket,
    /// Frames it may send at once.
    frames: TokenBucket,
    /// Nothing is heard before then, because it was too far ahead.
    held_until: Option<Instant>,
    /// When sound was heard last.
    heard: Instant,
    /// What was told last, and when.
    last_error: Option<(&'static str, Instant)>,
}

impl Microphone {
    /// Switched off.
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            remote: None,
            sound: TokenBucket::full(MAX_SAMPLES_AHEAD, f64::from(SAMPLE_RATE_HZ) * CLOCK_TOLERANCE, now),
            frames: TokenBucket::full(MAX_FRAMES_PER_SECOND * MAX_SOUND_AHEAD_S, MAX_FRAMES_PER_SECOND, now),
            held_until: None,
            heard: now,
            last_error: None,
        }
    }

    /// Takes a frame: 16 kHz mono s16le; an empty one says that the microphone is off. Returns the error that the browser is to be told, if any.
    pub(crate) fn take(&mut self, app: &ServerState, speaker: &Speaker, frame: &[u8]) -> Option<ApiError> {
        let now = Instant::now();
        let error = self.hear(app, speaker, frame, now).err()?;
        let is_known =
            self.last_error.is_some_and(|(kind, at)| kind == error.kind && now - at < REPEAT_ERROR_AFTER);
        // What is wrong with a frame is told of each; what goes on while they come is not.
        if is_known && error.status != StatusCode::UNPROCESSABLE_ENTITY {
            return None;
        }
        self.last_error = Some((error.kind, now));
        Some(error)
    }

    fn hear(
        &mut self,
        app: &ServerState,
        speaker: &Speaker,
        frame: &[u8],
        now: Instant,
    ) -> Result<(), ApiError> {
        if frame.len() > MAX_BODY_BYTES {
            let message = format!("a frame of sound is longer than {MAX_BODY_BYTES} bytes");
            return Err(ApiError::too_large(message, "send 20 to 100 ms in a frame"));
        }
        let (samples, rest) = frame.as_chunks::<2>();
        if !rest.is_empty() {
            let message = "a frame of sound has an odd number of bytes";
            return Err(ApiError::unprocessable(message, "send whole samples: 16 kHz, mono, s16le"));
        }
        self.check_rate(samples.len(), now)?;
        if samples.is_empty() {
            if let Some(remote) = &mut self.remote {
                remote.pause();
            }
            return Ok(());
        }
        let samples = samples.iter().map(|sample| i16::from_le_bytes(*sample)).collect();
        let heard = self.remote(app)?.hear(speaker, samples);
        self.heard = now;
        if let Err(fault) = heard {
            // What was said has a hole: it is not guessed at.
            self.remote = None;
            return Err(fault.into());
        }
        Ok(())
    }

    /// The remote; opened when it was not.
    fn remote(&mut self, app: &ServerState) -> Result<&mut Box<dyn RemoteMicrophone>, ApiError> {
        let remote = match self.remote.take() {
            Some(remote) => remote,
            None => {
                let place = app.microphones.clone().try_acquire_owned().map_err(|_| {
                    let fix = "speak when another one is off, or raise dashboard.max_microphones";
                    ApiError::busy("as many microphones as can be are heard already", fix)
                })?;
                app.api.remote_microphone(Box::new(place))?
            }
        };
        Ok(self.remote.insert(remote))
    }

    /// Refuses sound that comes faster than real time, until time has caught up.
    fn check_rate(&mut self, samples: usize, now: Instant) -> Result<(), ApiError> {
        let is_held = self.held_until.is_some_and(|until| now < until);
        let in_pace =
            !is_held && self.frames.take(1.0, now).is_ok() && self.sound.take(samples as f64, now).is_ok();
        if in_pace {
            self.held_until = None;
            return Ok(());
        }
        if !is_held {
            self.remote = None;
            self.held_until = Some(now + Duration::from_secs_f64(MAX_SOUND_AHEAD_S));
        }
        let message = format!(
            "sound comes faster than it is spoken; what comes in the next {MAX_SOUND_AHEAD_S:.0} s is not heard, \
             nor what was being said"
        );
        let fix = "send what a microphone brings as it comes, in frames of 20 to 100 ms";
        Err(ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too_fast", message, fix))
    }

    /// When the remote is given back, if nothing more is heard.
    pub(crate) fn ends_at(&self, app: &ServerState) -> Option<Instant> {
        self.remote.as_ref().map(|_| self.heard + app.limits.microphone)
    }

    /// Gives the remote back.
    pub(crate) fn end(&mut self) {
        self.remote = None;
    }
}

/// Waits until then; for ever without a time.
pub(crate) async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

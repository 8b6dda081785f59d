//! The microphone of a browser at the other end of a socket: frames of sound become those of an ear, which is opened
//! with the first one and given back when none has come for a while.

use super::app::App;
use super::limits::{BODY_BYTES, FRAMES_PER_SECOND, SOUND_AHEAD_S};
use super::refusal::Refusal;
use axum::http::StatusCode;
use hark_core::SAMPLE_RATE_HZ;
use hark_core::api::{RemoteMicrophone, Speaker};
use hark_net::token_bucket::TokenBucket;
use std::time::{Duration, Instant};

/// What goes on is told anew after this long, and not with every frame.
const TELL_EVERY: Duration = Duration::from_secs(1);
/// Samples a microphone may be ahead.
const AHEAD: f64 = SOUND_AHEAD_S * SAMPLE_RATE_HZ as f64;

/// How much faster a microphone may be than our clock: that of a sound card is not exact.
const CLOCKS_DIFFER: f64 = 1.02;

/// See the module.
pub(super) struct Microphone {
    ear: Option<Box<dyn RemoteMicrophone>>,
    /// Samples it may send at once.
    sound: TokenBucket,
    /// Frames it may send at once.
    frames: TokenBucket,
    /// Nothing is heard before then, because it was too far ahead.
    held_until: Option<Instant>,
    /// When sound was heard last.
    heard: Instant,
    /// What was told last, and when.
    told: Option<(&'static str, Instant)>,
}

impl Microphone {
    /// Switched off.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            ear: None,
            sound: TokenBucket::full(AHEAD, f64::from(SAMPLE_RATE_HZ) * CLOCKS_DIFFER, now),
            frames: TokenBucket::full(FRAMES_PER_SECOND * SOUND_AHEAD_S, FRAMES_PER_SECOND, now),
            held_until: None,
            heard: now,
            told: None,
        }
    }

    /// Takes a frame: 16 kHz mono s16le; an empty one says that the microphone is off. What is to be told, if anything.
    pub(super) fn take(&mut self, app: &App, speaker: &Speaker, frame: &[u8]) -> Option<Refusal> {
        let now = Instant::now();
        let refusal = self.hear(app, speaker, frame, now).err()?;
        let is_known = self.told.is_some_and(|(kind, at)| kind == refusal.kind && now - at < TELL_EVERY);
        // What is wrong with a frame is told of each; what goes on while they come is not.
        if is_known && refusal.status != StatusCode::UNPROCESSABLE_ENTITY {
            return None;
        }
        self.told = Some((refusal.kind, now));
        Some(refusal)
    }

    fn hear(&mut self, app: &App, speaker: &Speaker, frame: &[u8], now: Instant) -> Result<(), Refusal> {
        if frame.len() > BODY_BYTES {
            let message = format!("a frame of sound is longer than {BODY_BYTES} bytes");
            return Err(Refusal::too_large(message, "send 20 to 100 ms in a frame"));
        }
        let (samples, rest) = frame.as_chunks::<2>();
        if !rest.is_empty() {
            let message = "a frame of sound has an odd number of bytes";
            return Err(Refusal::unprocessable(message, "send whole samples: 16 kHz, mono, s16le"));
        }
        self.keep_pace(samples.len(), now)?;
        if samples.is_empty() {
            if let Some(ear) = &mut self.ear {
                ear.pause();
            }
            return Ok(());
        }
        let samples = samples.iter().map(|sample| i16::from_le_bytes(*sample)).collect();
        let heard = self.ear(app)?.hear(speaker, samples);
        self.heard = now;
        if let Err(fault) = heard {
            // What was said has a hole: it is not guessed at.
            self.ear = None;
            return Err(fault.into());
        }
        Ok(())
    }

    /// The ear; opened when it was not.
    fn ear(&mut self, app: &App) -> Result<&mut Box<dyn RemoteMicrophone>, Refusal> {
        let ear = match self.ear.take() {
            Some(ear) => ear,
            None => {
                let place = app.microphones.clone().try_acquire_owned().map_err(|_| {
                    let fix = "speak when another one is off, or raise dashboard.max_microphones";
                    Refusal::busy("as many microphones as can be are heard already", fix)
                })?;
                app.api.ear(Box::new(place))?
            }
        };
        Ok(self.ear.insert(ear))
    }

    /// Whoever sends faster than anybody speaks is not heard until time has caught up.
    fn keep_pace(&mut self, samples: usize, now: Instant) -> Result<(), Refusal> {
        let is_held = self.held_until.is_some_and(|until| now < until);
        let in_pace =
            !is_held && self.frames.take(1.0, now).is_ok() && self.sound.take(samples as f64, now).is_ok();
        if in_pace {
            self.held_until = None;
            return Ok(());
        }
        if !is_held {
            self.ear = None;
            self.held_until = Some(now + Duration::from_secs_f64(SOUND_AHEAD_S));
        }
        let message = format!(
            "sound comes faster than it is spoken; what comes in the next {SOUND_AHEAD_S:.0} s is not heard, \
             nor what was being said"
        );
        let fix = "send what a microphone brings as it comes, in frames of 20 to 100 ms";
        Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too_fast", message, fix))
    }

    /// When the ear is given back, if nothing more is heard.
    pub(super) fn ends_at(&self, app: &App) -> Option<Instant> {
        self.ear.as_ref().map(|_| self.heard + app.limits.microphone)
    }

    /// Gives the ear back.
    pub(super) fn end(&mut self) {
        self.ear = None;
    }
}

/// Waits until then; for ever without a time.
pub(super) async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

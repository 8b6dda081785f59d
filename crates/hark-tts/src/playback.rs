//! The way from the voice thread to the loudspeaker: one lock-free ring of mono samples at the
//! device's rate, and a handful of atomics beside it.
//!
//! [`PlaybackSource::fill`] runs in the device's callback: it takes no lock, allocates nothing, makes
//! no system call and logs nothing. [`PlaybackFeeder`] belongs to the voice thread, which polls it
//! for what has happened; the callback never wakes anybody. (A thread that feeds a device by the clock may
//! have itself woken.) Both count samples from the start of the
//! ring, so "the first sample of an item left" and "its last one did" are comparisons of numbers, and
//! nothing has to travel back.
//!
//! *Left* and *drained* mean: handed to the device. What the device still holds then (10–40 ms with
//! the buffers that `device` asks for) sounds after that.
//!
//! Stop: anybody raises `stops`. The source fades what it is playing out within 5 ms and throws away
//! everything that was written before the feeder, in its own time, says from which position on
//! samples count again. So nothing of the old slips through, however late the voice thread is.

use super::tap::Tap;
use ringbuf::traits::{Consumer, Observer, Producer, Split};
use ringbuf::{HeapCons, HeapProd, HeapRb};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::Instant;

/// How long the sound takes to fade when it is stopped.
pub const FADE_OUT_MS: u32 = 5;

/// How long the volume takes from silence to full; smaller changes take their part of it.
pub const VOLUME_RAMP_MS: u32 = 10;

/// Samples moved in one go within the callback; on its stack.
const PIECE: usize = 256;

/// Time constant of the way from the last value to silence when samples run out, so that silence
/// does not begin with a click.
const DECAY_MS: f32 = 0.5;

/// What the two ends share besides the samples.
#[derive(Debug)]
struct Shared {
    /// Samples taken out of the ring, played or thrown away. Written by the source.
    passed: AtomicU64,
    /// Calls of `fill`. Written by the source.
    calls: AtomicU64,
    /// Calls that ran out of samples in the middle of an item. Written by the source.
    underruns: AtomicU64,
    /// Bits of the gain to play at, an `f32` in 0.0 ..= 1.0. Written by anybody.
    gain: AtomicU32,
    /// Bits of the factor on the gain while somebody speaks over it, an `f32` in 0.0 ..= 1.0; 1.0 is
    /// none. Written by anybody; a stop sets it back.
    duck: AtomicU32,
    /// Whether samples wait in the ring and silence is played meanwhile. Written by anybody; a stop sets it back.
    paused: AtomicBool,
    /// How often a stop was asked for. Raised by anybody.
    stops: AtomicU64,
    /// How many of them the feeder has dealt with; stored after `resume_at`.
    stops_done: AtomicU64,
    /// Position of the first sample written after the last stop. Written by the feeder.
    resume_at: AtomicU64,
    /// Whether an item is being written, so that running out is an underrun. Written by the feeder.
    writing: AtomicBool,
    /// Whoever feeds the device and rests while there is nothing to play.
    resting: OnceLock<Thread>,
}

/// Makes the two ends of a ring for `rate_hz` and interleaved frames of `channels` channels. The
/// ring holds `ring_ms` of sound; when it is full the feeder takes no more (the voice thread waits).
pub fn playback(rate_hz: u32, channels: u16, ring_ms: u32) -> (PlaybackFeeder, PlaybackSource) {
    let samples = (u64::from(rate_hz) * u64::from(ring_ms) / 1000).max(1) as usize;
    let (producer, consumer) = HeapRb::new(samples).split();
    let shared = Arc::new(Shared {
        passed: AtomicU64::new(0),
        calls: AtomicU64::new(0),
        underruns: AtomicU64::new(0),
        gain: AtomicU32::new(1.0_f32.to_bits()),
        duck: AtomicU32::new(1.0_f32.to_bits()),
        paused: AtomicBool::new(false),
        stops: AtomicU64::new(0),
        stops_done: AtomicU64::new(0),
        resume_at: AtomicU64::new(0),
        writing: AtomicBool::new(false),
        resting: OnceLock::new(),
    });
    let control = PlaybackControl { shared: Arc::clone(&shared) };
    let feeder = PlaybackFeeder { samples: producer, control, rate_hz, written: 0, items: VecDeque::new() };
    let per_ms = rate_hz as f32 / 1000.0;
    let source = PlaybackSource {
        samples: consumer,
        shared,
        channels: usize::from(channels.max(1)),
        passed: 0,
        gain: 1.0,
        gain_step: 1.0 / (per_ms * VOLUME_RAMP_MS as f32).max(1.0),
        last: 0.0,
        silent: true,
        held: false,
        decay: (-1.0 / (per_ms * DECAY_MS)).exp(),
        stops_seen: 0,
        stopping: false,
        fade_samples: (per_ms * FADE_OUT_MS as f32).max(1.0),
        fade_left: 0.0,
        tap: None,
    };
    (feeder, source)
}

/// What may be done to the sound from any thread, at any time, without waiting.
#[derive(Debug, Clone)]
pub struct PlaybackControl {
    shared: Arc<Shared>,
}

impl PlaybackControl {
    /// Sets the volume, 0–100. The gain is the square of it, which sounds even to the ear: 50 is
    /// −12 dB, 0 is silence.
    pub fn set_volume(&self, percent: u8) {
        let part = f32::from(percent.min(100)) / 100.0;
        self.shared.gain.store((part * part).to_bits(), Ordering::Relaxed);
    }

    /// Lowers the sound by `db` decibels below the volume, from the next callback on and within the
    /// ramp of a volume change, until [`PlaybackControl::unduck`] or a stop.
    pub fn duck(&self, db: f32) {
        let factor = hark_audio::amplitude_of_db(-db.max(0.0));
        self.shared.duck.store(factor.to_bits(), Ordering::Relaxed);
    }

    /// Silence from the next callback on, reached without a jump; what is written waits in the ring until
    /// [`PlaybackControl::unduck`] or a stop.
    pub fn pause(&self) {
        self.shared.paused.store(true, Ordering::Relaxed);
    }

    /// Back to the volume, within the same ramp, and on from where it was paused.
    pub fn unduck(&self) {
        self.shared.paused.store(false, Ordering::Relaxed);
        self.shared.duck.store(1.0_f32.to_bits(), Ordering::Relaxed);
    }

    /// Silences everything written so far: the next callback fades out. Until the feeder has taken
    /// note ([`PlaybackFeeder::take_stop`]) what it writes is silenced too. What comes after it sounds
    /// at the full volume.
    pub fn stop(&self) {
        self.shared.stops.fetch_add(1, Ordering::AcqRel);
        // After the stop: a callback that sees these sees the stop too, or is fading out already.
        self.shared.duck.store(1.0_f32.to_bits(), Ordering::Release);
        self.shared.paused.store(false, Ordering::Release);
    }

    /// How often the device has asked for samples; a number that stands still means a dead device.
    pub fn calls(&self) -> u64 {
        self.shared.calls.load(Ordering::Relaxed)
    }

    /// How often the samples ran out in the middle of an item.
    pub fn underruns(&self) -> u64 {
        self.shared.underruns.load(Ordering::Relaxed)
    }
}

/// What has become of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemReport {
    /// Its first sample was handed to the device.
    Begun,
    /// Its last one was; an item without samples is drained when its turn comes.
    Drained,
    /// It was stopped before.
    Stopped,
}

/// An item in the ring: samples from `start` up to `end`.
#[derive(Debug)]
struct Item {
    id: u64,
    start: u64,
    end: Option<u64>,
    begun: bool,
}

/// The voice thread's end.
pub struct PlaybackFeeder {
    samples: HeapProd<f32>,
    control: PlaybackControl,
    rate_hz: u32,
    written: u64,
    /// Items not drained yet, oldest first.
    items: VecDeque<Item>,
}

impl PlaybackFeeder {
    /// Rate of the samples it takes.
    pub fn rate_hz(&self) -> u32 {
        self.rate_hz
    }

    /// A handle for volume, duck and stop.
    pub fn control(&self) -> PlaybackControl {
        self.control.clone()
    }

    /// Begins an item; `id` comes back in the reports. An item that is still open is ended.
    pub fn begin(&mut self, id: u64) {
        self.end();
        self.items.push_back(Item { id, start: self.written, end: None, begun: false });
        self.control.shared.writing.store(true, Ordering::Release);
    }

    /// Appends mono samples to the item; answers how many the ring had room for.
    pub fn push(&mut self, samples: &[f32]) -> usize {
        let first = self.samples.is_empty();
        let count = self.samples.push_slice(samples);
        self.written += count as u64;
        if first && let Some(resting) = self.control.shared.resting.get() {
            resting.unpark();
        }
        count
    }

    /// Ends the item: nothing more will come for it.
    pub fn end(&mut self) {
        if let Some(item) = self.items.back_mut() {
            item.end.get_or_insert(self.written);
        }
        self.control.shared.writing.store(false, Ordering::Release);
    }

    /// Whether no item is waiting to be drained.
    pub fn is_idle(&self) -> bool {
        self.items.is_empty()
    }

    /// Tells what happened since the last call, in order, each thing exactly once.
    pub fn poll(&mut self, mut report: impl FnMut(u64, ItemReport)) {
        let shared = &self.control.shared;
        let passed = shared.passed.load(Ordering::Acquire);
        // Samples thrown away count as passed. A source that threw some away had seen the stop, so
        // it is seen here too, after reading `passed`; then `take_stop` is the one to report.
        if shared.stops.load(Ordering::Acquire) != shared.stops_done.load(Ordering::Relaxed) {
            return;
        }
        while let Some(item) = self.items.front_mut() {
            let empty = item.end == Some(item.start);
            if !item.begun && passed > item.start && !empty {
                item.begun = true;
                report(item.id, ItemReport::Begun);
            }
            if item.end.is_none_or(|end| passed < end) {
                return;
            }
            report(item.id, ItemReport::Drained);
            self.items.pop_front();
        }
    }

    /// Takes note of a stop: all items not yet reported as drained are stopped, and what is written
    /// from here on sounds again. Does nothing when no stop was asked for.
    pub fn take_stop(&mut self, mut report: impl FnMut(u64, ItemReport)) {
        let shared = &self.control.shared;
        let stops = shared.stops.load(Ordering::Acquire);
        if stops == shared.stops_done.load(Ordering::Relaxed) {
            return;
        }
        for item in std::mem::take(&mut self.items) {
            report(item.id, ItemReport::Stopped);
        }
        shared.writing.store(false, Ordering::Relaxed);
        shared.resume_at.store(self.written, Ordering::Relaxed);
        shared.stops_done.store(stops, Ordering::Release);
    }
}

/// The device's end.
pub struct PlaybackSource {
    samples: HeapCons<f32>,
    shared: Arc<Shared>,
    channels: usize,
    passed: u64,
    /// Gain of the last sample, and how much it may change from one to the next.
    gain: f32,
    gain_step: f32,
    /// The last value played, from which silence is reached by this factor a sample.
    last: f32,
    decay: f32,
    /// Whether silence is reached.
    silent: bool,
    /// Whether the next sample was held back by a pause: it comes in the middle of speech, under a rising gain.
    held: bool,
    stops_seen: u64,
    /// Whether samples of a stopped item may be left in the ring.
    stopping: bool,
    fade_samples: f32,
    /// Samples of the fade still to play.
    fade_left: f32,
    /// Who gets a copy of what is played.
    tap: Option<Tap>,
}

impl PlaybackSource {
    /// Copies from now on what [`PlaybackSource::fill_at`] plays into the tap.
    pub fn set_tap(&mut self, tap: Tap) {
        self.tap = Some(tap);
    }

    /// Has this thread unparked when the first sample comes after silence. A device's callback is called
    /// anyway and needs none.
    pub fn wake_when_there_is_sound(&mut self, thread: Thread) {
        // There is one device; who came first stays.
        let _ = self.shared.resting.set(thread);
    }

    /// Whether it gives nothing but silence until the feeder brings more.
    pub fn is_silent(&self) -> bool {
        self.silent && self.samples.is_empty()
    }

    /// Whether it is silent, and likely to stay so for a while.
    pub fn may_rest(&self) -> bool {
        self.is_silent() && self.tap.as_ref().is_some_and(Tap::is_unhurried)
    }
}

// real-time: begin
impl PlaybackSource {
    /// As [`PlaybackSource::fill`], for a device that knows when the first of these frames will sound.
    pub fn fill_at(&mut self, out: &mut [f32], sounds_at: Instant) {
        self.fill(out);
        if let Some(tap) = &mut self.tap {
            tap.take(out, sounds_at);
        }
    }

    /// A handle for volume, stop and the count of calls.
    pub fn control(&self) -> PlaybackControl {
        PlaybackControl { shared: Arc::clone(&self.shared) }
    }

    /// Fills `out` with interleaved frames, the same sample on every channel; silence when nothing
    /// is there. Called by the device's callback, or by a virtual loudspeaker. Real-time safe.
    pub fn fill(&mut self, out: &mut [f32]) {
        // Read before the stop counters: whatever this call throws away is among these samples, so
        // it was written before the feeder's note that is read next, unless the note says otherwise.
        let available = self.samples.occupied_len();
        // Before the stop: where this is a stop's, the stop is seen.
        let paused = self.shared.paused.load(Ordering::Acquire);
        let stops = self.shared.stops.load(Ordering::Acquire);
        if stops != self.stops_seen {
            self.stops_seen = stops;
            self.stopping = true;
            self.fade_left = if self.silent || self.held { 0.0 } else { self.fade_samples };
            self.held = false;
        }
        let frames = out.len() / self.channels;
        let (mut frame, mut playable) = (0, available);
        if self.stopping {
            let resumed = self.shared.stops_done.load(Ordering::Acquire) >= stops;
            // Relaxed: stored before `stops_done`, which was read with Acquire.
            let resume_at = self.shared.resume_at.load(Ordering::Relaxed);
            let doomed = match resumed {
                true => resume_at.saturating_sub(self.passed).min(available as u64) as usize,
                false => available,
            };
            frame = self.fade_out(out, frames, doomed);
            self.stopping = !resumed || self.passed < resume_at;
            playable = if self.stopping { 0 } else { available.saturating_sub(doomed) };
        }
        if paused && !self.stopping {
            (playable, self.gain, self.held) = (0, 0.0, true);
        }
        let begun_silent = self.silent;
        frame += self.play(&mut out[frame * self.channels..], frames - frame, playable);
        let ran_out = frame < frames && !begun_silent && !self.stopping && !paused;
        if ran_out && self.shared.writing.load(Ordering::Relaxed) {
            self.shared.underruns.fetch_add(1, Ordering::Relaxed);
        }
        self.fall_silent(&mut out[frame * self.channels..]);
        self.shared.passed.store(self.passed, Ordering::Release);
        self.shared.calls.fetch_add(1, Ordering::Relaxed);
    }

    /// Plays the start of the `doomed` samples under a falling gain and throws the others away;
    /// answers the frames filled. When the callback is shorter than the fade, the next one goes on.
    fn fade_out(&mut self, out: &mut [f32], frames: usize, doomed: usize) -> usize {
        let fading = doomed.min(frames).min(self.fade_left.ceil() as usize);
        let played = self.play(out, frames, fading);
        if self.fade_left >= 1.0 && fading < doomed && played == frames {
            return played;
        }
        self.fade_left = 0.0;
        let thrown = self.samples.skip(doomed - played);
        self.passed += thrown as u64;
        played
    }

    /// Plays up to `limit` samples; answers the frames filled.
    fn play(&mut self, out: &mut [f32], frames: usize, limit: usize) -> usize {
        let volume = f32::from_bits(self.shared.gain.load(Ordering::Relaxed));
        let wanted = volume * f32::from_bits(self.shared.duck.load(Ordering::Relaxed));
        if self.silent && !self.held {
            // Nobody hears a jump in silence.
            self.gain = wanted;
        }
        let mut piece = [0.0; PIECE];
        let mut played = 0;
        while played < frames.min(limit) {
            let count = self.samples.pop_slice(&mut piece[..PIECE.min(frames.min(limit) - played)]);
            if count == 0 {
                break;
            }
            let target = out[played * self.channels..].chunks_exact_mut(self.channels);
            for (frame, sample) in target.zip(&piece[..count]) {
                self.gain += (wanted - self.gain).clamp(-self.gain_step, self.gain_step);
                let mut value = sample * self.gain;
                if self.fade_left > 0.0 {
                    value *= self.fade_left / self.fade_samples;
                    self.fade_left = (self.fade_left - 1.0).max(0.0);
                }
                frame.fill(value);
                self.last = value;
            }
            played += count;
        }
        self.passed += played as u64;
        self.silent &= played == 0;
        self.held &= played == 0;
        played
    }

    /// Fills the rest with silence, reached quickly but not with a jump.
    fn fall_silent(&mut self, out: &mut [f32]) {
        for frame in out.chunks_mut(self.channels) {
            self.last *= self.decay;
            if self.last.abs() < 1e-4 {
                (self.last, self.silent) = (0.0, true);
            }
            frame.fill(self.last);
        }
    }
}

// real-time: end

#[cfg(test)]
mod tests;

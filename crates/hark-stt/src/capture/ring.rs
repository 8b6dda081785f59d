//! The capture ring between the device's callback and the pipeline: one writer, one reader, no lock.
//!
//! Overflow policy: the oldest is dropped and counted. Only the reader can take samples out of the
//! ring, so it does the dropping: the ring holds twice the promised time, and a reader that finds more
//! than the promised time skips ahead. A reader that stays away even longer fills the whole ring; then
//! the writer has to turn new samples away, counts them, and the reader throws the stale rest away so
//! that it hears the present again.

use cpal::{FromSample, SizedSample};
use hark_audio::resample::{RateError, Resampler, mean};
use hark_core::SAMPLE_RATE_HZ;
use ringbuf::traits::{Consumer, Observer, Producer, Split};
use ringbuf::{HeapCons, HeapProd, HeapRb};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Moments that may wait for the reader; more are of no use.
const STAMPS: usize = 64;

/// Frames mixed down at a time in the callback.
const SCRATCH_FRAMES: usize = 1024;

/// Counters both ends share.
#[derive(Debug, Default)]
pub(super) struct Counters {
    /// Frames the callback brought.
    pub(super) captured: AtomicU64,
    /// Frames that were dropped.
    dropped: AtomicU64,
    /// The writer had to turn samples away since the reader last looked.
    overflowed: AtomicBool,
    /// The reader is in no hurry.
    pub(super) unhurried: AtomicBool,
}

/// When a frame was captured; frames are counted as they went into the ring.
#[derive(Debug, Clone, Copy)]
struct Stamp {
    frame: u64,
    captured_at: Instant,
}

/// Makes a ring for a device with this rate and channel count that keeps the last `ring_ms`.
///
/// # Errors
/// When the rate cannot be resampled.
pub fn capture_ring(
    rate_hz: u32,
    channels: u16,
    ring_ms: u32,
) -> Result<(CaptureWriter, CaptureReader), RateError> {
    let channels = usize::from(channels.max(1));
    let resampler = Resampler::new(rate_hz, SAMPLE_RATE_HZ)?;
    let frames = (u64::from(rate_hz) * u64::from(ring_ms.max(1)) / 1000).max(1) as usize;
    let (producer, consumer) = HeapRb::new(frames * 2).split();
    let (stamps, stamped) = HeapRb::new(STAMPS).split();
    let counters = Arc::new(Counters::default());
    let writer = CaptureWriter {
        producer,
        stamps,
        written: 0,
        channels,
        counters: Arc::clone(&counters),
        scratch: Box::new([0.0; SCRATCH_FRAMES]),
    };
    let reader = CaptureReader {
        consumer,
        stamps: stamped,
        last_stamp: None,
        rate_hz,
        skipped: 0,
        given: 0,
        keep_frames: frames,
        resampler,
        counters,
        mono: vec![0.0; frames],
    };
    Ok((writer, reader))
}

/// The device callback's end. Every method is safe to call from a real-time thread: no lock, no
/// allocation, no log, no system call.
pub struct CaptureWriter {
    producer: HeapProd<f32>,
    stamps: HeapProd<Stamp>,
    /// Frames put into the ring.
    written: u64,
    channels: usize,
    counters: Arc<Counters>,
    scratch: Box<[f32; SCRATCH_FRAMES]>,
}

// real-time: begin
impl CaptureWriter {
    /// Tells when the first frame of the next push was captured. Called by the device's thread.
    pub fn stamp(&mut self, captured_at: Instant) {
        // Without room the reader has stalled, and the moments already there are enough.
        let _ = self.stamps.try_push(Stamp { frame: self.written, captured_at });
    }

    /// Takes whole frames of interleaved samples of any type. Called by the device's thread.
    pub fn push<T>(&mut self, interleaved: &[T])
    where
        T: SizedSample,
        f32: FromSample<T>,
    {
        for piece in interleaved.chunks(SCRATCH_FRAMES * self.channels) {
            let frames = piece.chunks_exact(self.channels);
            let mixed = &mut self.scratch[..frames.len()];
            for (into, frame) in mixed.iter_mut().zip(frames) {
                *into = mean(frame.iter().map(|sample| f32::from_sample_(*sample)));
            }
            self.written += put(&mut self.producer, &self.counters, mixed);
        }
    }
}

/// Puts frames into the ring, answers how many, and counts those that do not fit.
fn put(producer: &mut HeapProd<f32>, counters: &Counters, frames: &[f32]) -> u64 {
    let fitted = producer.push_slice(frames);
    counters.captured.fetch_add(frames.len() as u64, Ordering::Relaxed);
    if fitted < frames.len() {
        counters.dropped.fetch_add((frames.len() - fitted) as u64, Ordering::Relaxed);
        counters.overflowed.store(true, Ordering::Release);
    }
    fitted as u64
}

// real-time: end

impl CaptureWriter {
    /// Whether the reader is in no hurry.
    pub(super) fn unhurried(&self) -> bool {
        self.counters.unhurried.load(Ordering::Relaxed)
    }
}

/// The pipeline's end.
pub struct CaptureReader {
    consumer: HeapCons<f32>,
    stamps: HeapCons<Stamp>,
    last_stamp: Option<Stamp>,
    rate_hz: u32,
    /// Frames taken out of the ring without being heard.
    skipped: u64,
    /// Samples handed out at 16 kHz.
    given: u64,
    /// Frames that may wait; more is dropped from the oldest on.
    keep_frames: usize,
    resampler: Resampler,
    counters: Arc<Counters>,
    mono: Vec<f32>,
}

impl CaptureReader {
    /// Appends what is there to `out` as 16 kHz mono; nothing when nothing is there. It never waits:
    /// the callback may not wake a thread, so the pipeline's thread polls about every 10 ms.
    pub fn read(&mut self, out: &mut Vec<f32>) {
        self.drop_oldest();
        let taken = self.consumer.pop_slice(&mut self.mono);
        let before = out.len();
        self.resampler.process(&self.mono[..taken], out);
        self.given += (out.len() - before) as u64;
        self.last_stamp = self.stamps.pop_iter().last().or(self.last_stamp);
    }

    /// When the last of the samples handed out so far was captured, as the device's newest time stamp
    /// says; `None` before the first stamp, as for a recording.
    pub fn captured_until(&self) -> Option<Instant> {
        let Stamp { frame, captured_at } = self.last_stamp?;
        let heard = self.given as f64 * f64::from(self.rate_hz) / f64::from(SAMPLE_RATE_HZ);
        let after_stamp_s = (self.skipped as f64 + heard - frame as f64) / f64::from(self.rate_hz);
        let distance = Duration::try_from_secs_f64(after_stamp_s.abs()).ok()?;
        if after_stamp_s < 0.0 {
            captured_at.checked_sub(distance)
        } else {
            captured_at.checked_add(distance)
        }
    }

    fn drop_oldest(&mut self) {
        let waiting = self.consumer.occupied_len();
        // After an overflow what is in the ring ends before the gap: all of it is stale.
        let overflowed = self.counters.overflowed.swap(false, Ordering::Acquire);
        let excess = if overflowed { waiting } else { waiting.saturating_sub(self.keep_frames) };
        let skipped = self.consumer.skip(excess) as u64;
        self.skipped += skipped;
        self.counters.dropped.fetch_add(skipped, Ordering::Relaxed);
    }

    /// Throws away what is waiting without counting it as lost, as while the microphone is muted.
    pub fn discard(&mut self) {
        self.counters.overflowed.store(false, Ordering::Release);
        self.skipped += self.consumer.clear() as u64;
    }

    /// Tells whether sound may come some tens of milliseconds late for now. It is all there then, but
    /// who brings it can rest longer, where that is up to us.
    pub fn set_unhurried(&self, unhurried: bool) {
        self.counters.unhurried.store(unhurried, Ordering::Relaxed);
    }

    /// Frames the device brought so far: stands still when the device is gone.
    pub fn captured_frames(&self) -> u64 {
        self.counters.captured.load(Ordering::Relaxed)
    }

    pub(super) fn counters(&self) -> Arc<Counters> {
        Arc::clone(&self.counters)
    }

    /// Frames lost because the pipeline was too slow.
    pub fn dropped_frames(&self) -> u64 {
        self.counters.dropped.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stereo frames whose channels both hold the frame's number.
    fn frames(numbers: std::ops::Range<u32>) -> Vec<f32> {
        numbers.flat_map(|n| [n as f32, n as f32]).collect()
    }

    #[test]
    fn what_is_pushed_is_read_mixed_down() {
        let (mut writer, mut reader) = capture_ring(16_000, 2, 100).expect("ring");
        let mut out = Vec::new();
        reader.read(&mut out);
        assert!(out.is_empty());
        writer.push(&[0.5_f32, 0.1, -0.5, -0.1]);
        reader.read(&mut out);
        assert_eq!(out, [0.3, -0.3]);
        assert_eq!((reader.captured_frames(), reader.dropped_frames()), (2, 0));
    }

    #[test]
    fn a_late_reader_loses_the_oldest() {
        let (mut writer, mut reader) = capture_ring(16_000, 2, 1).expect("ring of 16 frames");
        writer.push(&frames(0..20));
        let mut out = Vec::new();
        reader.read(&mut out);
        assert_eq!(out, (4..20).map(|n| n as f32).collect::<Vec<_>>());
        assert_eq!(reader.dropped_frames(), 4);
    }

    #[test]
    fn after_an_overflow_the_present_is_heard_and_everything_lost_is_counted() {
        let (mut writer, mut reader) = capture_ring(16_000, 2, 1).expect("ring of 16 frames");
        writer.push(&frames(0..100));
        let mut out = Vec::new();
        reader.read(&mut out);
        assert!(out.is_empty(), "what was in the ring is stale");
        assert_eq!(reader.dropped_frames(), 100);
        writer.push(&frames(100..103));
        reader.read(&mut out);
        assert_eq!(out, [100.0, 101.0, 102.0]);
    }

    #[test]
    fn every_sample_type_arrives_in_the_same_range() {
        let (mut writer, mut reader) = capture_ring(16_000, 1, 100).expect("ring");
        writer.push(&[i16::MIN, 0, 16_384]);
        writer.push(&[0_u8, 128, 192]);
        writer.push(&[i32::MIN, 0, 1 << 30]);
        writer.push(&[cpal::I24::new(-(1 << 23)).expect("24 bits"), cpal::I24::new(0).expect("24 bits")]);
        writer.push(&[0.25_f64]);
        let mut out = Vec::new();
        reader.read(&mut out);
        assert_eq!(out, [-1.0, 0.0, 0.5, -1.0, 0.0, 0.5, -1.0, 0.0, 0.5, -1.0, 0.0, 0.25]);
    }

    #[test]
    fn more_samples_than_the_scratch_keep_their_order() {
        let (mut writer, mut reader) = capture_ring(16_000, 3, 1000).expect("ring");
        let long: Vec<i16> = (0..3000).flat_map(|n| [n as i16; 3]).collect();
        writer.push(&long);
        let mut out = Vec::new();
        reader.read(&mut out);
        let expected: Vec<f32> = (0..3000).map(|n| n as f32 / 32768.0).collect();
        assert!(out.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6));
        assert_eq!(out.len(), 3000);
    }

    #[test]
    fn a_writer_on_another_thread_loses_nothing_when_the_reader_keeps_up() {
        let (mut writer, mut reader) = capture_ring(16_000, 2, 10_000).expect("ring");
        let thread = std::thread::spawn(move || {
            for start in (0..50_000).step_by(100) {
                writer.push(&frames(start..start + 100));
            }
        });
        let mut out = Vec::new();
        while out.len() < 50_000 {
            reader.read(&mut out);
        }
        thread.join().expect("writer");
        assert!(out.iter().enumerate().all(|(i, sample)| *sample == i as f32));
    }

    #[test]
    fn moments_belong_to_samples_whatever_was_dropped() {
        let (mut writer, mut reader) = capture_ring(16_000, 1, 100).expect("ring");
        let begun = Instant::now();
        let mut out = Vec::new();
        assert_eq!(reader.captured_until(), None);
        let at = |ms: u64| begun + Duration::from_millis(ms);
        let near = |reader: &CaptureReader, ms: u64| {
            let until = reader.captured_until().expect("stamped");
            let off = until.max(at(ms)) - until.min(at(ms));
            assert!(off < Duration::from_micros(100), "{:?} instead of {ms} ms", until - begun);
        };
        writer.stamp(at(0));
        writer.push(&[0.0; 160]);
        reader.read(&mut out);
        near(&reader, 10);
        // Two callbacks between two looks, the newest stamp counts for both.
        for ms in [10, 20] {
            writer.stamp(at(ms));
            writer.push(&[0.0; 160]);
        }
        reader.read(&mut out);
        near(&reader, 30);
        // Twice 100 ms fit, 100 ms are promised: what is left is the newest.
        for ms in (30..230).step_by(10) {
            writer.stamp(at(ms));
            writer.push(&[0.0; 160]);
        }
        reader.read(&mut out);
        near(&reader, 230);
        // The ring overflows: everything is thrown away, and time goes on without it.
        for ms in (230..830).step_by(10) {
            writer.stamp(at(ms));
            writer.push(&[0.0; 160]);
        }
        reader.read(&mut out);
        writer.stamp(at(830));
        writer.push(&[0.0; 160]);
        reader.read(&mut out);
        near(&reader, 840);
        writer.stamp(at(840));
        writer.push(&[0.0; 160]);
        reader.discard();
        writer.stamp(at(850));
        writer.push(&[0.0; 160]);
        reader.read(&mut out);
        near(&reader, 860);
    }

    #[test]
    fn moments_belong_to_samples_at_other_rates_too() {
        let (mut writer, mut reader) = capture_ring(44_100, 2, 1000).expect("ring");
        let (begun, mut out) = (Instant::now(), Vec::new());
        for ms in (0..1000).step_by(10) {
            writer.stamp(begun + Duration::from_millis(ms));
            writer.push(&[0.0; 2 * 441]);
            reader.read(&mut out);
        }
        let until = reader.captured_until().expect("stamped") - begun;
        let heard = Duration::from_secs_f64(out.len() as f64 / 16_000.0);
        assert!(until.abs_diff(heard) < Duration::from_micros(100), "{until:?} for {heard:?} of sound");
    }

    #[test]
    fn other_rates_are_resampled() {
        let (mut writer, mut reader) = capture_ring(48_000, 1, 1000).expect("ring");
        let mut out = Vec::new();
        for _ in 0..10 {
            writer.push(&[0.1; 4800]);
            reader.read(&mut out);
        }
        assert!((15_800..=16_000).contains(&out.len()), "{}", out.len());
    }
}

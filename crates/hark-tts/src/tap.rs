//! A copy of what the loudspeaker really plays, with the moments at which it sounds: what the ear
//! takes out of the microphone's signal again.
//!
//! [`Tap::take`] runs in the output callback, after volume, ducking and fades: it takes no lock,
//! allocates nothing and makes no system call. Silence is noted without its samples, so a device that
//! plays nothing costs next to nothing. When the reader stays away until the ring is full, what does
//! not fit is left out; frame numbers go on counting, so the reader sees the gap.

use ringbuf::traits::{Consumer, Observer, Producer, Split};
use ringbuf::{HeapCons, HeapProd, HeapRb};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Sound that may wait for the reader, in ms.
const RING_MS: u32 = 2000;

/// Pieces that may wait for the reader: two seconds of callbacks of a millisecond.
const PIECES: usize = 2048;

/// Samples copied in one go, on the callback's stack.
const SCRATCH: usize = 256;

/// What the writer tells of one piece.
#[derive(Debug, Clone, Copy)]
struct Note {
    first: u64,
    frames: usize,
    sounds_at: Instant,
    silent: bool,
}

/// A piece of what is played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece<'a> {
    /// Number of its first frame, counted from the start of the stream.
    pub first: u64,
    /// How many frames it has.
    pub frames: usize,
    /// When its first frame sounds.
    pub sounds_at: Instant,
    /// Its samples, mono at the device's rate; empty when the piece is silence.
    pub samples: &'a [f32],
}

/// Makes the two ends for a stream with `channels` interleaved channels at `rate_hz`.
pub fn tap(rate_hz: u32, channels: u16) -> (Tap, TapReader) {
    let most = (u64::from(rate_hz) * u64::from(RING_MS) / 1000).max(1) as usize;
    let (samples, sounds) = HeapRb::new(most).split();
    let (notes, noted) = HeapRb::new(PIECES).split();
    let unhurried = Arc::new(AtomicBool::new(false));
    let channels = usize::from(channels.max(1));
    let tap = Tap { samples, notes, channels, frame: 0, unhurried: Arc::clone(&unhurried) };
    (tap, TapReader { samples: sounds, notes: noted, rate_hz, scratch: vec![0.0; most], unhurried })
}

/// The callback's end.
pub struct Tap {
    samples: HeapProd<f32>,
    notes: HeapProd<Note>,
    channels: usize,
    /// Frames seen.
    frame: u64,
    unhurried: Arc<AtomicBool>,
}

impl Tap {
    /// Whether the reader hears nobody who could want an answer.
    pub(super) fn is_unhurried(&self) -> bool {
        self.unhurried.load(Ordering::Relaxed)
    }
}

// real-time: begin
impl Tap {
    /// Takes the first channel of the interleaved frames that are handed to the device and whose first
    /// one will sound at `sounds_at`. Called by the device's callback.
    pub fn take(&mut self, played: &[f32], sounds_at: Instant) {
        let frames = played.len() / self.channels;
        let silent = played.iter().all(|sample| *sample == 0.0);
        let note = Note { first: self.frame, frames, sounds_at, silent };
        self.frame += frames as u64;
        // The note goes last: who sees it finds its samples.
        let fits = self.notes.vacant_len() > 0 && (silent || self.samples.vacant_len() >= frames);
        if !fits {
            return;
        }
        if !silent {
            let mut scratch = [0.0; SCRATCH];
            for piece in played.chunks(SCRATCH * self.channels) {
                let mut count = 0;
                for (into, frame) in scratch.iter_mut().zip(piece.chunks_exact(self.channels)) {
                    *into = frame[0];
                    count += 1;
                }
                self.samples.push_slice(&scratch[..count]);
            }
        }
        // There is room for it; nobody else writes.
        let _ = self.notes.try_push(note);
    }
}
// real-time: end

/// The ear's end.
pub struct TapReader {
    samples: HeapCons<f32>,
    notes: HeapCons<Note>,
    rate_hz: u32,
    scratch: Vec<f32>,
    unhurried: Arc<AtomicBool>,
}

impl TapReader {
    /// Rate of the samples.
    pub fn rate_hz(&self) -> u32 {
        self.rate_hz
    }

    /// Lets the loudspeaker rest longer while nothing is played, because nobody speaks who could want an
    /// answer.
    pub fn set_unhurried(&self, unhurried: bool) {
        self.unhurried.store(unhurried, Ordering::Relaxed);
    }

    /// Hands over every piece that came since the last call, in order.
    pub fn read(&mut self, mut each: impl FnMut(Piece<'_>)) {
        while let Some(Note { first, frames, sounds_at, silent }) = self.notes.try_pop() {
            let wanted = if silent { 0 } else { frames };
            let count = self.samples.pop_slice(&mut self.scratch[..wanted]);
            each(Piece { first, frames, sounds_at, samples: &self.scratch[..count] });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// First frame, frames, samples of every piece.
    fn read(reader: &mut TapReader) -> Vec<(u64, usize, Vec<f32>)> {
        let mut seen = Vec::new();
        reader.read(|piece| seen.push((piece.first, piece.frames, piece.samples.to_vec())));
        seen
    }

    #[test]
    fn pieces_arrive_mono_in_order_and_with_their_moments() {
        let (mut tap, mut reader) = tap(1000, 2);
        let now = Instant::now();
        tap.take(&[0.1, 0.1, 0.2, 0.2], now);
        tap.take(&[0.0; 6], now + Duration::from_millis(2));
        tap.take(&[0.3, 0.3], now + Duration::from_millis(5));
        let mut moments = Vec::new();
        let mut pieces = Vec::new();
        reader.read(|piece| {
            moments.push(piece.sounds_at - now);
            pieces.push((piece.first, piece.frames, piece.samples.to_vec()));
        });
        assert_eq!(pieces, [(0, 2, vec![0.1, 0.2]), (2, 3, vec![]), (5, 1, vec![0.3])]);
        assert_eq!(moments, [0, 2, 5].map(Duration::from_millis));
        assert!(read(&mut reader).is_empty());
    }

    #[test]
    fn long_callbacks_keep_every_sample() {
        let (mut tap, mut reader) = tap(48_000, 2);
        let stereo: Vec<f32> = (0..3000).flat_map(|n| [n as f32 + 1.0, -1.0]).collect();
        tap.take(&stereo, Instant::now());
        let expected: Vec<f32> = (0..3000).map(|n| n as f32 + 1.0).collect();
        assert_eq!(read(&mut reader), [(0, 3000, expected)]);
    }

    #[test]
    fn a_reader_that_stays_away_finds_a_gap_and_then_the_present() {
        let (mut tap, mut reader) = tap(1000, 1);
        let now = Instant::now();
        for _ in 0..30 {
            tap.take(&[0.5; 100], now);
        }
        let pieces = read(&mut reader);
        assert_eq!(pieces.len(), 20, "two seconds fit");
        tap.take(&[0.7; 10], now);
        assert_eq!(read(&mut reader), [(3000, 10, vec![0.7; 10])]);
        for _ in 0..PIECES + 5 {
            tap.take(&[0.0; 10], now);
        }
        assert_eq!(read(&mut reader).len(), PIECES);
        tap.take(&[0.2], now);
        assert_eq!(read(&mut reader)[0].2, [0.2], "samples and pieces still belong together");
    }
}

//! Ring buffer of the most recent audio, addressed by sample position. The pipeline reads it to give a recogniser the
//! sound before the onset of speech, and the wake verifier the sound before a detection.

use std::collections::VecDeque;

/// The last so many samples, addressed by their position since the pipeline was made.
#[derive(Debug)]
pub struct AudioHistory {
    samples: VecDeque<f32>,
    capacity: usize,
    /// Position after the last sample.
    end: u64,
}

impl AudioHistory {
    /// Keeps the last `capacity` samples.
    pub fn new(capacity: usize) -> Self {
        Self { samples: VecDeque::with_capacity(capacity), capacity, end: 0 }
    }

    /// Takes the next samples.
    pub fn push(&mut self, samples: &[f32]) {
        self.end += samples.len() as u64;
        let kept = &samples[samples.len().saturating_sub(self.capacity)..];
        let excess = (self.samples.len() + kept.len()).saturating_sub(self.capacity);
        self.samples.drain(..excess);
        self.samples.extend(kept);
    }

    /// Forgets everything and goes on at `position`.
    pub fn clear(&mut self, position: u64) {
        self.samples.clear();
        self.end = position;
    }

    /// Copies what is kept of the positions `from .. to` into `out`, replacing it.
    pub fn copy(&self, from: u64, to: u64, out: &mut Vec<f32>) {
        let start = self.end - self.samples.len() as u64;
        let first = from.clamp(start, self.end) - start;
        let last = to.clamp(start, self.end) - start;
        out.clear();
        out.extend(self.samples.range(first as usize..(last.max(first)) as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(history: &AudioHistory, from: u64, to: u64) -> Vec<f32> {
        let mut out = vec![9.0];
        history.copy(from, to, &mut out);
        out
    }

    #[test]
    fn the_last_samples_are_kept_and_found_by_position() {
        let mut history = AudioHistory::new(4);
        history.push(&[0.0, 1.0, 2.0]);
        assert_eq!(copy(&history, 1, 3), [1.0, 2.0]);
        history.push(&[3.0, 4.0, 5.0]);
        assert_eq!(copy(&history, 0, 100), [2.0, 3.0, 4.0, 5.0]);
        assert_eq!(copy(&history, 3, 5), [3.0, 4.0]);
        assert_eq!(copy(&history, 5, 3), [0.0; 0]);
        history.push(&[6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
        assert_eq!(copy(&history, 0, 100), [8.0, 9.0, 10.0, 11.0]);
    }

    #[test]
    fn a_cleared_history_goes_on_at_its_position() {
        let mut history = AudioHistory::new(4);
        history.push(&[0.0, 1.0]);
        history.clear(100);
        history.push(&[5.0]);
        assert_eq!(copy(&history, 0, 101), [5.0]);
        assert_eq!(copy(&history, 101, 200), [0.0; 0]);
    }
}

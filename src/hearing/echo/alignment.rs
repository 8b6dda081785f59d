//! Which frame of the loudspeaker sounds while a sample of the microphone is captured.
//!
//! Both devices count their own clock and tell, every callback, when a frame of theirs sounds or was
//! captured. Such moments are right in the long run and some milliseconds off each time (a sound
//! server knows its delay only roughly). So a place in the loudspeaker's stream is carried on from
//! sample to sample with a speed near the nominal one, and the moments only steer the speed: half a
//! second's errors give one median, a slow loop turns the median into parts per million. What is
//! further off than [`JUMP_S`] is no drift but a device that stopped, skipped or was opened again: the
//! place is then set anew.
//!
//! The place runs ahead of the sound by the *lead*: the canceller looks for the echo behind the
//! loudspeaker's signal, never before it, so moments that are wrong by less than the lead do no harm.
//! How much lead there can be depends on how early the loudspeaker's callback hands its sound over.

use super::far_end::FarEnd;
use crate::domain::SAMPLE_RATE_HZ;
use std::time::Instant;

/// Looks that make one step of the loop: half a second of one every 10 ms.
const WINDOW: usize = 50;

/// Looks that make the first, hasty steps on a new stream, and how long those are made.
const FIRST_WINDOW: usize = 10;
const FIRST_S: f64 = 0.45;

/// Further off than this is a jump.
const JUMP_S: f64 = 0.012;

/// So many looks in a row that agree on a jump within [`AGREED_S`] need no full window. Fewer would
/// set the place some milliseconds wrong, and the canceller had to learn the room anew.
const AGREEING: usize = 10;
const AGREED_S: f64 = 0.008;

/// Least and most lead. One below 0 is for moments that put the sound earlier than it is handed over.
const LEAD_S: (f64, f64) = (-0.050, 0.030);

/// Least lead when there is a choice: what jitter may take away.
const FIRST_LEAD_S: f64 = 0.004;

/// The rank of what counts as the least in a window: single callbacks that come late do not.
const USUAL: f64 = 0.2;

/// Sound that is missing in a larger part of a window is missing often.
const OFTEN: f64 = 0.1;

/// Kept between what is read and what is there, for callbacks that come late.
const MARGIN_S: f64 = 0.006;

/// A loudspeaker whose callback has not come for so many samples stands still: nothing is learned from
/// moments that old.
const STALE_SAMPLES: u64 = 2400;

/// The loop's time constant when a stream is new and when it is old, in seconds. In between it is a
/// third of the stream's age: quick at first, then deaf to jitter.
const LOOP_S: (f64, f64) = (2.0, 30.0);

/// Two clocks are never further apart than this.
const MOST_DRIFT: f64 = 400e-6;

/// More than this in one look is not drift.
const MOST_BELIEVED_S: f64 = 0.003;

/// Moments whose middle half scatters by this are believed half.
const SCATTER_S: f64 = 0.003;

/// Speed added or taken to make up for an error; slow enough for the canceller to follow.
const MOST_SLEW: f64 = 300e-6;

/// A frame and the moment it sounds.
#[derive(Debug, Clone, Copy)]
struct Stamp {
    frame: u64,
    sounds_at: Instant,
}

/// The two clocks, and the place to read the loudspeaker's stream at.
#[derive(Debug)]
pub(super) struct Alignment {
    newest: Option<Stamp>,
    /// Where the next sample to be processed reads; `None` before the first moments.
    place: Option<f64>,
    lead_s: f64,
    /// Windows in a row that had too little sound for the lead.
    short_windows: u32,
    /// The shortest time a young stream's frames were there before they sounded, in seconds.
    least_ahead_s: f64,
    /// Errors of the place, in seconds, of the looks of this window.
    errors: Vec<f64>,
    /// How long before they sound frames are there, in seconds, at the looks of this window.
    aheads: Vec<f64>,
    /// Samples of this window, since the place was set, and since the loudspeaker's last moment.
    samples: u64,
    age_samples: u64,
    stamp_age_samples: u64,
    /// Samples of this window whose sound was not there in time.
    missed_samples: u64,
    drift: f64,
    slew: f64,
    jumps: u64,
}

impl Alignment {
    pub(super) fn new() -> Self {
        Self {
            newest: None,
            place: None,
            lead_s: 0.0,
            short_windows: 0,
            least_ahead_s: f64::INFINITY,
            errors: Vec::with_capacity(WINDOW),
            aheads: Vec::with_capacity(WINDOW),
            samples: 0,
            age_samples: 0,
            stamp_age_samples: 0,
            missed_samples: 0,
            drift: 0.0,
            slew: 0.0,
            jumps: 0,
        }
    }

    /// Takes note of when a frame of the loudspeaker sounds.
    pub(super) fn sounds(&mut self, frame: u64, sounds_at: Instant) {
        self.newest = Some(Stamp { frame, sounds_at });
        self.stamp_age_samples = 0;
    }

    /// Takes note of when the microphone's newest sample was captured, of which `waiting` are still to
    /// be processed. While the canceller is `resting` nobody is disturbed by a change of the lead.
    pub(super) fn captured(&mut self, until: Instant, waiting: usize, resting: bool, far: &FarEnd) {
        let Some(newest) = self.newest else { return };
        if self.stamp_age_samples > STALE_SAMPLES {
            return;
        }
        let rate = f64::from(far.rate_hz());
        let waiting_s = waiting as f64 / f64::from(SAMPLE_RATE_HZ);
        let sounding = newest.frame as f64 + seconds(newest.sounds_at, until) * rate;
        let wanted = sounding + (self.lead_s - waiting_s) * rate;
        let Some(place) = self.place else {
            self.place = Some(wanted);
            return;
        };
        self.errors.push((wanted - place) / rate);
        self.aheads.push((far.readable_until() - sounding) / rate);
        let young = self.age_s() < FIRST_S;
        if self.errors.len() >= if young { FIRST_WINDOW } else { WINDOW } {
            self.step(young, resting, rate);
        } else if let Some(off_s) = self.agreed_jump() {
            self.jump(off_s, resting, rate);
        }
    }

    /// One step of the loop.
    fn step(&mut self, young: bool, resting: bool, rate: f64) {
        let off_s = ranked(&mut self.errors, 0.5);
        if off_s.abs() > JUMP_S && !young {
            self.jump(off_s, resting, rate);
            return;
        }
        if young {
            self.move_by(off_s * rate);
            let ahead_s = ranked(&mut self.aheads, USUAL);
            if self.jumps == 0 {
                self.least_ahead_s = self.least_ahead_s.min(ahead_s);
                self.set_lead(lead_for(self.least_ahead_s), rate);
            } else if ahead_s < self.lead_s + MARGIN_S / 2.0 {
                self.set_lead(lead_for(ahead_s), rate);
            }
        } else {
            self.steer(off_s);
            self.shorten_lead(resting, rate);
        }
        self.begin_window();
    }

    /// Sets the speed: what is off is made up for within the loop's time, and what is off again and
    /// again is drift. Moments that scatter count less.
    fn steer(&mut self, off_s: f64) {
        let elapsed_s = self.samples as f64 / f64::from(SAMPLE_RATE_HZ);
        let loop_s = (self.age_s() / 3.0).clamp(LOOP_S.0, LOOP_S.1);
        let scatter_s = ranked(&mut self.errors, 0.75) - ranked(&mut self.errors, 0.25);
        let trust = 1.0 / (1.0 + (scatter_s / SCATTER_S).powi(2));
        let believed_s = off_s.clamp(-MOST_BELIEVED_S, MOST_BELIEVED_S) * trust;
        let drift = self.drift + believed_s * elapsed_s / (4.0 * loop_s * loop_s);
        self.drift = drift.clamp(-MOST_DRIFT, MOST_DRIFT);
        self.slew = (off_s * trust / loop_s).clamp(-MOST_SLEW, MOST_SLEW);
    }

    /// How far the newest looks say, of one mind, that the place is off.
    fn agreed_jump(&self) -> Option<f64> {
        let newest = self.errors.last_chunk::<AGREEING>()?;
        let least = newest.iter().copied().fold(f64::INFINITY, f64::min);
        let most = newest.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let agreed = most - least < AGREED_S && (least > JUMP_S || most < -JUMP_S);
        agreed.then_some((least + most) / 2.0)
    }

    /// Sets the place anew, to be found more exactly when nobody is disturbed by that. The drift stays:
    /// it is a matter of the two crystals.
    fn jump(&mut self, off_s: f64, resting: bool, rate: f64) {
        self.jumps += 1;
        self.move_by(off_s * rate);
        let age_s = if resting { 0.0 } else { FIRST_S };
        self.age_samples = (age_s * f64::from(SAMPLE_RATE_HZ)) as u64;
        self.slew = 0.0;
        self.begin_window();
    }

    /// Takes less lead when sound is handed over too late for it. While something is played that costs
    /// the canceller a change of delay, so it must have happened again and again; sound that is missing
    /// would cost it every time.
    fn shorten_lead(&mut self, resting: bool, rate: f64) {
        let ahead_s = ranked(&mut self.aheads, USUAL);
        let too_late = match resting {
            true => ahead_s < self.lead_s + MARGIN_S / 2.0,
            false => self.missed_samples as f64 > self.samples as f64 * OFTEN,
        };
        self.short_windows = if too_late { self.short_windows + 1 } else { 0 };
        if self.short_windows >= 2 {
            self.set_lead(lead_for(ahead_s).min(self.lead_s), rate);
        }
    }

    fn set_lead(&mut self, lead_s: f64, rate: f64) {
        self.move_by((lead_s - self.lead_s) * rate);
        self.lead_s = lead_s;
    }

    fn begin_window(&mut self) {
        self.errors.clear();
        self.aheads.clear();
        self.samples = 0;
        self.missed_samples = 0;
    }

    fn age_s(&self) -> f64 {
        self.age_samples as f64 / f64::from(SAMPLE_RATE_HZ)
    }

    /// Where to read the next `samples` samples, and how far apart; `None` as long as nothing is known.
    pub(super) fn next(&mut self, samples: usize, far: &FarEnd) -> Option<(f64, f64)> {
        let rate = f64::from(far.rate_hz());
        let step = rate / f64::from(SAMPLE_RATE_HZ) * (1.0 + self.drift + self.slew);
        let place = self.place?;
        self.place = Some(place + step * samples as f64);
        if place + step * samples as f64 > far.readable_until() && !far.silent_from(place) {
            self.missed_samples += samples as u64;
        }
        self.samples += samples as u64;
        self.age_samples += samples as u64;
        self.stamp_age_samples += samples as u64;
        Some((place, step))
    }

    fn move_by(&mut self, frames: f64) {
        self.place = self.place.map(|place| place + frames);
    }

    /// How far ahead of the sound the place is, in milliseconds.
    pub(super) fn lead_ms(&self) -> i32 {
        (self.lead_s * 1000.0) as i32
    }

    /// Speed of the loudspeaker's clock against the microphone's, in parts per million.
    pub(super) fn drift_ppm(&self) -> f64 {
        self.drift * 1e6
    }

    /// How often the place was set anew.
    pub(super) fn jumps(&self) -> u64 {
        self.jumps
    }
}

/// The lead for sound that is there this long before it sounds: half of it, the other half is for
/// callbacks that come later than usual. Little of it is needed, but where there is none the reference
/// must stay behind what is there.
fn lead_for(ahead_s: f64) -> f64 {
    if ahead_s > FIRST_LEAD_S + MARGIN_S {
        (ahead_s / 2.0).clamp(FIRST_LEAD_S, LEAD_S.1)
    } else {
        (ahead_s - MARGIN_S).max(LEAD_S.0)
    }
}

/// The value with this part of the others below it.
fn ranked(values: &mut [f64], part: f64) -> f64 {
    let rank = (values.len() as f64 * part) as usize;
    match values.len() {
        0 => 0.0,
        count => *values.select_nth_unstable_by(rank.min(count - 1), f64::total_cmp).1,
    }
}

/// Seconds from one moment to another, negative when the other comes first.
fn seconds(from: Instant, to: Instant) -> f64 {
    match to.checked_duration_since(from) {
        Some(after) => after.as_secs_f64(),
        None => -from.saturating_duration_since(to).as_secs_f64(),
    }
}

//! Which frame of the loudspeaker sounds while a sample of the microphone is captured.
//!
//! Both devices count their samples, and the two counts go on side by side: a place in the loudspeaker's stream
//! is carried on from sample to sample with a speed near the nominal one. What the echo tells ([`DriftTracker`]) steers
//! the speed, and sets the place anew when a stream lost sound.
//!
//! The devices also tell, every callback, when a frame of theirs sounds or was captured. A sound server knows
//! its delay only roughly and changes its mind by some ten milliseconds within seconds, so these moments set
//! the place only where no echo can: at the beginning, in long silence, and when they are further off than
//! [`JUMP_S`], which is a device that stood still or was opened again.
//!
//! The place runs ahead of the sound by the *lead*: the canceller looks for the echo behind the
//! loudspeaker's signal, never before it, so moments that are wrong by less than the lead do no harm.
//! How much lead there can be depends on how early the loudspeaker's callback hands its sound over.

use super::drift_tracker::DriftTracker;
use super::far_end::FarEnd;
use hark_core::SAMPLE_RATE_HZ;
use std::time::Instant;

/// Looks that make one step: half a second of one every 10 ms.
const WINDOW: usize = 50;

/// Looks that make the first, hasty steps on a new stream, and how long those are made.
const FIRST_WINDOW: usize = 10;
const FIRST_S: f64 = 0.45;

/// Further off than usual by this is a jump. When streams begin and end, a server's moments wander by half of it; what
/// is less is found by the echo.
const JUMP_S: f64 = 0.060;

/// How much of a change counts as usual after each step.
const ACCUSTOMED: f64 = 0.3;

/// A place that was moved by more is another one for the powers of both sides: a block.
const MOVED_S: f64 = 0.004;

/// So many looks in a row that agree on a jump within [`AGREED_S`] need no full window.
const AGREEING: usize = 10;
const AGREED_S: f64 = 0.008;

/// Least and most lead. One below 0 is for moments that put the sound earlier than it is handed over.
const LEAD_S: (f64, f64) = (-0.050, 0.030);

/// Least lead when there is a choice: what jitter may take away.
const FIRST_LEAD_S: f64 = 0.004;

/// The rank of what counts as the least in a window: single callbacks that come late do not.
const USUAL: f64 = 0.2;

/// Sound that is missing in a larger part of two windows in a row is missing often. While 4 % are missing the
/// canceller takes out only 12 dB.
const OFTEN: f64 = 0.03;

/// Kept between what is read and what is there, for callbacks that come late.
const MARGIN_S: f64 = 0.006;

/// Kept in place of [`MARGIN_S`] where less lead is taken while something is played.
const SPARE_S: f64 = 0.020;

/// A loudspeaker whose callback has not come for so many samples stands still: nothing is learned from
/// moments that old.
const STALE_SAMPLES: u64 = 2400;

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
    /// The fewest frames in this window that were there beyond what was read.
    least_room: f64,
    /// How far the moments usually say that the place is off, in seconds.
    usual_off_s: f64,
    path: DriftTracker,
    /// The echo has moved the place to where it was found first.
    found: bool,
    jumps: u64,
    /// The place was moved by more than [`MOVED_S`].
    moved: bool,
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
            least_room: f64::INFINITY,
            usual_off_s: 0.0,
            path: DriftTracker::default(),
            found: false,
            jumps: 0,
            moved: false,
        }
    }

    /// The loudspeaker was opened again: what is known of the echo's way still holds.
    pub(super) fn begin_anew(&mut self) {
        self.path.begin_anew();
        *self = Self { path: std::mem::take(&mut self.path), ..Self::new() };
    }

    /// Takes note of when a frame of the loudspeaker sounds.
    pub(super) fn sounds(&mut self, frame: u64, sounds_at: Instant) {
        self.newest = Some(Stamp { frame, sounds_at });
        self.stamp_age_samples = 0;
    }

    /// Takes note of when the microphone's newest sample was captured, of which `waiting` are still to
    /// be processed. While the canceller is `resting` a change of the lead does no harm.
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

    /// One step.
    fn step(&mut self, young: bool, resting: bool, rate: f64) {
        let off_s = ranked(&mut self.errors, 0.5);
        if young {
            self.move_by(off_s, rate);
            let ahead_s = ranked(&mut self.aheads, USUAL);
            if self.jumps == 0 {
                self.least_ahead_s = self.least_ahead_s.min(ahead_s);
                self.set_lead(lead_for(self.least_ahead_s), rate);
            } else if ahead_s < self.lead_s + MARGIN_S / 2.0 {
                self.set_lead(lead_for(ahead_s), rate);
            }
        } else if (off_s - self.usual_off_s).abs() > JUMP_S {
            self.jump(off_s, resting, rate);
            return;
        } else {
            if resting && !self.path.is_fresh() {
                self.move_by(off_s * ACCUSTOMED, rate);
                self.usual_off_s = 0.0;
            } else {
                self.usual_off_s += (off_s - self.usual_off_s) * ACCUSTOMED;
            }
            self.shorten_lead(resting, rate);
        }
        self.begin_window();
    }

    /// An echo was heard this many samples of 16 kHz behind the place.
    pub(super) fn echo(&mut self, lag: f64, far: &FarEnd) {
        let Some(place) = self.place else { return };
        let frames = f64::from(far.rate_hz()) / f64::from(SAMPLE_RATE_HZ);
        // Sound comes in pieces: what is there now will not be there always.
        let room = self.least_room.min(far.readable_until() - place) - MARGIN_S * f64::from(far.rate_hz());
        let first = !self.path.has_learned();
        if let Some(samples) = self.path.echo(lag, room / frames) {
            tracing::debug!(ms = samples / 16.0, "loudspeaker and microphone aligned anew by the echo");
            // Where it is found first it has not moved.
            self.found |= first;
            self.jumps += u64::from(!first);
            let by_s = samples / f64::from(SAMPLE_RATE_HZ);
            self.move_by(by_s, f64::from(far.rate_hz()));
            self.usual_off_s -= by_s;
            self.begin_window();
        }
    }

    /// How far the newest looks say, of one mind, that the place is off.
    fn agreed_jump(&self) -> Option<f64> {
        let newest = self.errors.last_chunk::<AGREEING>()?;
        let least = newest.iter().copied().fold(f64::INFINITY, f64::min);
        let most = newest.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let usual = self.usual_off_s;
        let agreed = most - least < AGREED_S && (least > usual + JUMP_S || most < usual - JUMP_S);
        agreed.then_some((least + most) / 2.0)
    }

    /// Sets the place anew, and more exactly while the canceller rests.
    fn jump(&mut self, off_s: f64, resting: bool, rate: f64) {
        tracing::debug!(ms = off_s * 1000.0, "loudspeaker and microphone aligned anew by their devices");
        self.jumps += 1;
        self.move_by(off_s, rate);
        self.usual_off_s = 0.0;
        // What the echo has told is better than what the moments will.
        let age_s = if resting && !self.path.is_fresh() { 0.0 } else { FIRST_S };
        self.age_samples = (age_s * f64::from(SAMPLE_RATE_HZ)) as u64;
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
            // The echo may have moved the place ahead of what the moments say. Once is enough while something is played:
            // callbacks that come later still are reckoned with.
            let room_s = if resting { 0.0 } else { self.least_room / rate - SPARE_S };
            let fits_s = self.lead_s + room_s;
            self.set_lead(lead_for(ahead_s).min(self.lead_s).min(fits_s), rate);
        }
    }

    fn set_lead(&mut self, lead_s: f64, rate: f64) {
        self.move_by(lead_s - self.lead_s, rate);
        self.lead_s = lead_s;
    }

    fn begin_window(&mut self) {
        self.errors.clear();
        self.aheads.clear();
        self.samples = 0;
        self.missed_samples = 0;
        self.least_room = f64::INFINITY;
    }

    fn age_s(&self) -> f64 {
        self.age_samples as f64 / f64::from(SAMPLE_RATE_HZ)
    }

    /// Where to read the next `samples` samples, and how far apart; `None` as long as nothing is known.
    pub(super) fn next(&mut self, samples: usize, far: &FarEnd) -> Option<(f64, f64)> {
        let step = self.step_frames(far);
        let place = self.place?;
        self.path.pass(samples);
        self.place = Some(place + step * samples as f64);
        self.least_room = self.least_room.min(far.readable_until() - place - step * samples as f64);
        if place + step * samples as f64 > far.readable_until() && far.ends_in_sound() {
            self.missed_samples += samples as u64;
        }
        self.samples += samples as u64;
        self.age_samples += samples as u64;
        self.stamp_age_samples += samples as u64;
        Some((place, step))
    }

    /// Where the next sample is read, and how far apart samples are.
    pub(super) fn place(&self, far: &FarEnd) -> Option<(f64, f64)> {
        Some((self.place?, self.step_frames(far)))
    }

    fn step_frames(&self, far: &FarEnd) -> f64 {
        f64::from(far.rate_hz()) / f64::from(SAMPLE_RATE_HZ) * self.path.speed()
    }

    fn move_by(&mut self, by_s: f64, rate: f64) {
        self.moved |= by_s.abs() > MOVED_S;
        self.place = self.place.map(|place| place + by_s * rate);
    }

    /// Whether the place was moved by more than a block since this was asked last.
    pub(super) fn take_moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }

    /// How far ahead of the sound the place is, in milliseconds.
    pub(super) fn lead_ms(&self) -> i32 {
        (self.lead_s * 1000.0) as i32
    }

    /// Speed of the loudspeaker's clock against the microphone's, in parts per million.
    pub(super) fn drift_ppm(&self) -> f64 {
        self.path.drift() * 1e6
    }

    /// How often the canceller had to follow the place.
    pub(super) fn moves(&self) -> u64 {
        self.jumps + u64::from(self.found)
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

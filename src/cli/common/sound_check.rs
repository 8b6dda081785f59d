//! A speaker and a microphone by ear: two tones, and a recording that is played back. `hark setup` asks what was heard,
//! `hark devices --play` and `--record` do it once.

use hark_audio::resample::Resampler;
use hark_core::audio::Earcon;
use hark_core::setup::Loudness;
use hark_core::{Fault, FaultKind, SAMPLE_RATE_HZ};
use hark_stt::capture::{Microphone, MicrophoneState};
use hark_tts::device::{Loudspeaker, LoudspeakerState};
use hark_tts::earcons;
use hark_tts::playback::ItemReport;
use rustix::stdio::dup2_stderr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// How often a device is looked after.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Sound in the ring of a device.
const RING_MS: u32 = 500;
/// What a device may need beyond the length of the sound.
const DEVICE_PATIENCE: Duration = Duration::from_secs(5);
/// How long it is recorded.
const RECORDING: Duration = Duration::from_secs(4);
/// A peak below this is no speech near a microphone: it is muted, or not the one that is meant.
const QUIET_DBFS: f32 = -50.0;
/// Peaks from here on are cut off.
const LOUD_DBFS: f32 = -0.5;

/// Nothing that is written to standard error is seen while this lives: sound systems that are not there say so at length.
struct Quiet(Option<OwnedFd>);

impl Quiet {
    fn begin() -> Self {
        let begin = || -> io::Result<OwnedFd> {
            let before = io::stderr().as_fd().try_clone_to_owned()?;
            dup2_stderr(File::options().write(true).open("/dev/null")?)?;
            Ok(before)
        };
        Self(begin().ok())
    }
}

/// Does something that libraries talk about on standard error, without their words.
pub(crate) fn quietly<T>(work: impl FnOnce() -> T) -> T {
    let _quiet = Quiet::begin();
    work()
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if let Some(before) = self.0.take() {
            // It was open before.
            let _ = dup2_stderr(before);
        }
    }
}

/// Plays two tones.
///
/// # Errors
/// When the device is not there, or does not play.
pub(crate) fn play_tones(device: &str) -> Result<(), Fault> {
    play(device, |rate_hz| {
        [Earcon::Wake, Earcon::Done].iter().flat_map(|tone| earcons::render(*tone, rate_hz)).collect()
    })
}

/// Plays a sound, given at the device's rate, to its end.
///
/// # Errors
/// When the device is not there, or does not play.
pub(crate) fn play(device: &str, sound: impl FnOnce(u32) -> Vec<f32>) -> Result<(), Fault> {
    let (speaker, mut feeder) = quietly(|| Loudspeaker::open(device, RING_MS))?;
    let samples = sound(feeder.rate_hz());
    let length = Duration::from_secs_f32(samples.len() as f32 / feeder.rate_hz() as f32);
    let end = Instant::now() + length + DEVICE_PATIENCE;
    feeder.begin(1);
    let mut rest = samples.as_slice();
    loop {
        rest = &rest[feeder.push(rest)..];
        if rest.is_empty() {
            feeder.end();
        }
        let mut drained = false;
        feeder.poll(|_, report| drained |= matches!(report, ItemReport::Drained));
        let lost = match speaker.state() {
            LoudspeakerState::Running => (Instant::now() > end).then(|| "it takes no sound".to_owned()),
            LoudspeakerState::Failed { message } => Some(message),
        };
        match (drained, lost) {
            (true, _) => return Ok(()),
            (false, None) => std::thread::sleep(LOOK_EVERY),
            (false, Some(why)) => {
                let fix = "choose another one, or look whether another program holds it (`hark devices`)";
                let message = format!("{} does not play: {why}", speaker.name());
                return Err(Fault::new(FaultKind::Unavailable, "speaker", message, fix));
            }
        }
    }
}

/// Records for four seconds; `meter` is told the peak of each piece, dB of full scale. Mono at 16 kHz.
///
/// # Errors
/// When the device is not there, or brings nothing.
pub(crate) fn record(device: &str, mut meter: impl FnMut(f32)) -> Result<Vec<f32>, Fault> {
    let (mut microphone, mut reader) = quietly(|| Microphone::open(device, RING_MS))?;
    let wanted = (RECORDING.as_secs_f32() * SAMPLE_RATE_HZ as f32) as usize;
    let mut recorded = Vec::with_capacity(wanted);
    while recorded.len() < wanted {
        std::thread::sleep(LOOK_EVERY * 5);
        let from = recorded.len();
        reader.read(&mut recorded);
        if let MicrophoneState::Lost(why) = microphone.state() {
            let fix = "choose another one, or look whether another program holds it (`hark devices`)";
            let message = format!("{} brings no sound: {why}", microphone.name());
            return Err(Fault::new(FaultKind::Unavailable, "microphone", message, fix));
        }
        meter(peak_dbfs(&recorded[from..]));
    }
    Ok(recorded)
}

/// What a peak means.
pub(crate) fn loudness(peak_dbfs: f32) -> Loudness {
    match peak_dbfs {
        peak if peak < QUIET_DBFS => Loudness::Quiet,
        peak if peak > LOUD_DBFS => Loudness::Loud,
        _ => Loudness::Good,
    }
}

/// The loudest sample, dB of full scale, −100 for silence.
pub(crate) fn peak_dbfs(samples: &[f32]) -> f32 {
    let peak = samples.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
    (20.0 * peak.log10()).max(-100.0)
}

/// A recording at the rate of a speaker; as it is where it cannot be converted, which sounds too high or too low.
pub(crate) fn at_rate(recorded: &[f32], rate_hz: u32) -> Vec<f32> {
    let Ok(mut resampler) = Resampler::new(SAMPLE_RATE_HZ, rate_hz) else { return recorded.to_vec() };
    let mut converted = Vec::new();
    resampler.process(recorded, &mut converted);
    resampler.finish(&mut converted);
    converted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_decibels_of_full_scale() {
        assert_eq!(peak_dbfs(&[]), -100.0);
        assert_eq!(peak_dbfs(&[0.0, -1.0, 0.5]), 0.0);
        assert!((peak_dbfs(&[0.1]) + 20.0).abs() < 0.01);
    }

    #[test]
    fn a_recording_is_as_long_at_another_rate() {
        let converted = at_rate(&vec![0.1; 16_000], 48_000);
        assert!((47_000..=49_000).contains(&converted.len()), "{}", converted.len());
    }
}

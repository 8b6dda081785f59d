//! People who say anything: flite's voices, and the WAV files they are put into.

use super::failed;
use hark_core::{Fault, FaultKind};
use std::path::Path;
use std::process::{Command, Stdio};

/// How what was said is put into its file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// Silence before it, seconds.
    pub(crate) before_s: f64,
    /// Silence after it, seconds.
    pub(crate) after_s: f64,
    /// How loud.
    pub(crate) level: Level,
}

/// How loud.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Level {
    /// Times as loud as the voice speaks; what is too loud is clipped.
    Gain(f32),
    /// So that the loudest sample has this many dB of full scale.
    PeakDb(f32),
}

/// Has a voice say something into a WAV file at the voice's own rate.
///
/// # Errors
/// When flite is not there or knows no such voice, or the file cannot be written.
pub(crate) fn say(voice: &str, words: &str, shape: Shape, to: &Path) -> Result<(), Fault> {
    let bare = to.with_extension("bare.wav");
    let mut flite = Command::new("flite");
    flite.args(["-voice", voice, "-t", words, "-o"]).arg(&bare).stdin(Stdio::null());
    let output = flite.stdout(Stdio::null()).output().map_err(|error| {
        Fault::new(FaultKind::MissingPart, "eval", format!("flite: {error}"), "apt-get install flite")
    })?;
    if !output.status.success() {
        return Err(failed(format!("flite: {}", String::from_utf8_lossy(&output.stderr).trim())));
    }
    reshape(&bare, shape, to).map_err(failed)
}

fn reshape(bare: &Path, shape: Shape, to: &Path) -> Result<(), hound::Error> {
    let mut reader = hound::WavReader::open(bare)?;
    let spec = reader.spec();
    let samples: Vec<i16> = reader.samples::<i16>().collect::<Result<_, _>>()?;
    let gain = match shape.level {
        Level::Gain(gain) => gain,
        Level::PeakDb(db) => {
            let peak = samples.iter().map(|sample| sample.unsigned_abs()).max().unwrap_or(0).max(1);
            hark_audio::amplitude_of_db(db) * f32::from(i16::MAX) / f32::from(peak)
        }
    };
    let silence = |seconds: f64| (seconds * f64::from(spec.sample_rate) * f64::from(spec.channels)) as usize;
    let mut writer = hound::WavWriter::create(to, spec)?;
    (0..silence(shape.before_s)).try_for_each(|_| writer.write_sample(0_i16))?;
    // The conversion of numbers that are too large is clipping.
    samples.iter().try_for_each(|sample| writer.write_sample((f32::from(*sample) * gain).round() as i16))?;
    (0..silence(shape.after_s)).try_for_each(|_| writer.write_sample(0_i16))?;
    writer.finalize()
}

/// Where in a file the first sample louder than −44 dB of full scale is, in milliseconds.
///
/// # Errors
/// When it cannot be read or is silent.
pub(crate) fn first_audible_ms(wav: &Path) -> Result<f64, Fault> {
    const AUDIBLE: u16 = 196;
    let mut reader = hound::WavReader::open(wav).map_err(failed)?;
    let (rate_hz, channels) = (f64::from(reader.spec().sample_rate), f64::from(reader.spec().channels));
    let samples: Vec<i16> = reader.samples::<i16>().collect::<Result<_, _>>().map_err(failed)?;
    let at = samples.iter().position(|sample| sample.unsigned_abs() > AUDIBLE);
    let at = at.ok_or_else(|| failed(format!("{} is silent", wav.display())))?;
    Ok(at as f64 / channels / rate_hz * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_goes_around_and_the_level_is_as_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let (bare, to) = (folder.path().join("bare.wav"), folder.path().join("to.wav"));
        let spec = hound::WavSpec {
            channels: 1,
            sample_rate: 16_000,
            bits_per_sample: 16,
            sample_format: hound::SampleFormat::Int,
        };
        let mut writer = hound::WavWriter::create(&bare, spec).unwrap();
        (0..1600_i16).for_each(|n| writer.write_sample(if n % 2 == 0 { 1000 } else { -2000 }).unwrap());
        writer.finalize().unwrap();
        let read = |level| {
            reshape(&bare, Shape { before_s: 0.5, after_s: 0.25, level }, &to).unwrap();
            let samples = hound::WavReader::open(&to).unwrap().into_samples::<i16>();
            samples.collect::<Result<Vec<_>, _>>().unwrap()
        };
        let samples = read(Level::PeakDb(-6.0));
        assert_eq!(samples.len(), 8000 + 1600 + 4000);
        assert_eq!(samples.iter().map(|sample| sample.unsigned_abs()).max(), Some(16_422));
        assert!((first_audible_ms(&to).unwrap() - 500.0).abs() < 0.1);
        assert_eq!(read(Level::Gain(100.0))[8000..8002], [i16::MAX, i16::MIN], "too loud is clipped");
    }
}

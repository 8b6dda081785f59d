//! How loud this machine is, where it has a mixer that Hark can set: that of ALSA on Linux, that of macOS on a Mac.

use hark_desktop::macos::{Loudness, Mac, MacError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long it counts whether there is a mixer.
const KNOWN_FOR: Duration = Duration::from_secs(30);

/// Why it cannot be told or set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VolumeError {
    /// There is no mixer.
    #[error("{0}")]
    NoMixer(String),
    /// The mixer did not take it.
    #[error("{0}")]
    Failed(String),
    /// It is only set on Linux and on a Mac.
    #[error("the volume of this machine is set on Linux and macOS only")]
    OtherSystem,
    /// macOS did not tell or set it.
    #[error(transparent)]
    Mac(#[from] MacError),
}

/// Percent, and whether nothing is heard however loud it is.
pub type Volume = (u8, bool);

/// The machine's mixer; whether it is there is looked up again after some time.
#[derive(Debug, Default)]
pub struct MachineMixer {
    known: Mutex<Option<(Instant, Result<(), VolumeError>)>>,
}

impl MachineMixer {
    /// Whether there is a mixer.
    ///
    /// # Errors
    /// When there is none.
    pub fn ready(&self) -> Result<(), VolumeError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known.as_ref().filter(|(at, _)| at.elapsed() < KNOWN_FOR) {
            return found.clone();
        }
        let found = volume().map(drop);
        *known = Some((Instant::now(), found.clone()));
        found
    }
}

/// How loud the machine is.
///
/// # Errors
/// When it has no mixer.
pub fn volume() -> Result<Volume, VolumeError> {
    match Mac::here() {
        Some(mac) => Ok(of_mac(mac.loudness()?)),
        None => system::volume(),
    }
}

/// Sets how loud the machine is, percent; how loud it is then.
///
/// # Errors
/// When it has no mixer, or the mixer keeps another volume.
pub fn set_volume(percent: u8) -> Result<Volume, VolumeError> {
    match Mac::here() {
        Some(mac) => Ok(of_mac(mac.set_loudness(percent)?)),
        None => system::set_volume(percent),
    }
}

/// Silences the machine, or lets it be heard again; how loud it is then.
///
/// # Errors
/// When it has no mixer, or the mixer does not do it.
pub fn set_muted(is_muted: bool) -> Result<Volume, VolumeError> {
    match Mac::here() {
        Some(mac) => Ok(of_mac(mac.set_muted(is_muted)?)),
        None => system::set_muted(is_muted),
    }
}

fn of_mac(loudness: Loudness) -> Volume {
    (loudness.percent, loudness.is_muted)
}

#[cfg(target_os = "linux")]
mod system {
    use super::{Volume, VolumeError};
    use hark_audio::mixer::{self, Loudness, MixerError, loudness, set_loudness};

    pub(super) fn volume() -> Result<Volume, VolumeError> {
        loudness().map(told).map_err(failure)
    }

    pub(super) fn set_volume(percent: u8) -> Result<Volume, VolumeError> {
        set_loudness(percent).map(told).map_err(failure)
    }

    pub(super) fn set_muted(is_muted: bool) -> Result<Volume, VolumeError> {
        mixer::set_muted(is_muted).map(told).map_err(failure)
    }

    fn told(loudness: Loudness) -> Volume {
        (loudness.percent, loudness.is_muted)
    }

    fn failure(error: MixerError) -> VolumeError {
        let message = error.to_string();
        match error {
            MixerError::None(_) => VolumeError::NoMixer(message),
            MixerError::Failed(_) => VolumeError::Failed(message),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{Volume, VolumeError};

    pub(super) fn volume() -> Result<Volume, VolumeError> {
        Err(VolumeError::OtherSystem)
    }

    pub(super) fn set_volume(_percent: u8) -> Result<Volume, VolumeError> {
        Err(VolumeError::OtherSystem)
    }

    pub(super) fn set_muted(_is_muted: bool) -> Result<Volume, VolumeError> {
        Err(VolumeError::OtherSystem)
    }
}

//! How loud this machine is: the mixer of the default sound device, which is the sound server's where one runs. It is not
//! how loud Hark speaks, which Hark reckons into its own sound.

use alsa::Output;
use alsa::mixer::{Mixer, Selem, SelemChannelId};

/// The mixer that ALSA's configuration names; plugins of sound servers put theirs there.
const DEFAULT: &str = "default";
/// Controls that stand for everything that is heard, the likeliest first.
const WHOLE: [&str; 4] = ["Master", "PCM", "Speaker", "Headphone"];

/// Why it cannot be told or set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MixerError {
    /// There is no sound device with a mixer.
    #[error("this machine has no sound device whose volume can be set: {0}")]
    None(String),
    /// The mixer did not take it.
    #[error("the mixer answered: {0}")]
    Failed(String),
}

/// How loud the machine is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loudness {
    /// 0 to 100.
    pub percent: u8,
    /// Nothing is heard, however loud it is set.
    pub is_muted: bool,
}

/// How loud this machine is.
///
/// # Errors
/// When it has no mixer.
pub fn loudness() -> Result<Loudness, MixerError> {
    quietly(|| with_control(read))
}

/// Sets how loud this machine is, 0 to 100 percent, and lets it be heard; how loud it is then.
///
/// # Errors
/// When it has no mixer, or the mixer keeps another volume.
pub fn set_loudness(percent: u8) -> Result<Loudness, MixerError> {
    let set = |control: &Selem<'_>| {
        let (low, high) = control.get_playback_volume_range();
        let wanted = low + (high - low) * i64::from(percent.min(100)) / 100;
        control.set_playback_volume_all(wanted).map_err(failed)?;
        if control.has_playback_switch() {
            control.set_playback_switch_all(1).map_err(failed)?;
        }
        Ok(())
    };
    quietly(|| with_control(set))?;
    // Read from the device anew: what was set is not what it is.
    let now = loudness()?;
    if now.percent.abs_diff(percent.min(100)) > 2 || now.is_muted {
        return Err(MixerError::Failed(format!("the volume should be {percent} and is {}", now.percent)));
    }
    Ok(now)
}

/// Silences this machine, or lets it be heard again; how loud it is then.
///
/// # Errors
/// When it has no mixer, or none that silences it.
pub fn set_muted(is_muted: bool) -> Result<Loudness, MixerError> {
    let set = |control: &Selem<'_>| {
        if !control.has_playback_switch() {
            return Err(MixerError::Failed("it has no switch for the sound".to_owned()));
        }
        control.set_playback_switch_all(i32::from(!is_muted)).map_err(failed)
    };
    quietly(|| with_control(set))?;
    let now = loudness()?;
    let wanted = if is_muted { "silent" } else { "heard" };
    if now.is_muted == is_muted { Ok(now) } else { Err(MixerError::Failed(format!("it is not {wanted}"))) }
}

fn read(control: &Selem<'_>) -> Result<Loudness, MixerError> {
    let (low, high) = control.get_playback_volume_range();
    let channels = SelemChannelId::all().iter().filter(|channel| control.has_playback_channel(**channel));
    let volumes = channels.map(|channel| control.get_playback_volume(*channel));
    let volumes = volumes.collect::<alsa::Result<Vec<i64>>>().map_err(failed)?;
    let loudest = volumes.into_iter().max().unwrap_or(low);
    let range = (high - low).max(1);
    // Rounded to the nearest percent.
    let percent = ((loudest - low) * 100 + range / 2) / range;
    let switch = || control.get_playback_switch(SelemChannelId::mono());
    let is_muted = control.has_playback_switch() && switch().map_err(failed)? == 0;
    Ok(Loudness { percent: u8::try_from(percent.clamp(0, 100)).unwrap_or(100), is_muted })
}

/// ALSA tells every mistake of its configuration on standard error; which of them counts is in the error. What a thread is
/// told ends with it.
fn quietly<T: Send>(work: impl FnOnce() -> Result<T, MixerError> + Send) -> Result<T, MixerError> {
    let alone = || {
        // Without it they are told, which is no reason not to work.
        let _messages = Output::local_error_handler();
        work()
    };
    let done = std::thread::scope(|scope| scope.spawn(alone).join());
    done.unwrap_or_else(|_| Err(MixerError::Failed("the look at it ended unexpectedly".into())))
}

fn with_control<T>(work: impl FnOnce(&Selem<'_>) -> Result<T, MixerError>) -> Result<T, MixerError> {
    let none = |error: alsa::Error| MixerError::None(error.to_string());
    let mixer = Mixer::new(DEFAULT, false).map_err(none)?;
    let controls = || mixer.iter().filter_map(Selem::new).filter(Selem::has_playback_volume);
    let name = |control: &Selem<'_>| control.get_id().get_name().map(str::to_owned).unwrap_or_default();
    let named = WHOLE.iter().find_map(|wanted| controls().find(|control| name(control) == *wanted));
    let control = named.or_else(|| controls().next());
    work(&control.ok_or_else(|| MixerError::None("its mixer has no volume".into()))?)
}

fn failed(error: alsa::Error) -> MixerError {
    MixerError::Failed(error.to_string())
}

//! `system.volume`, `system.set_volume` and `system.mute`: how loud this machine is, whatever plays on it. Hark's own volume is another one
//! (`volume.set`).

use crate::mixer::{VolumeError, set_muted, set_volume, volume};
use crate::tools::args::Args;
use crate::tools::home::common::step;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::services::Services;
use hark_core::tool::{error_code, reason::Part};
use hark_home::command::percent;
use serde_json::json;
use std::sync::Arc;

/// How much "louder" is, percent points.
const STEP_PERCENT: f64 = 10.0;

/// Whether there is a mixer.
pub fn ready(services: &Services) -> Result<(), Failure> {
    Ok(services.mixer.ready()?)
}

/// `system.volume`.
pub fn get(_services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    Ok(blocking(|| {
        let (level, is_muted) = volume()?;
        Ok(Outcome::answer(json!({"volume_level": level, "muted": is_muted})))
    }))
}

/// `system.set_volume`.
pub fn set(_services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let level: Option<u8> = args.integer("volume_level");
    let step = match level {
        Some(_) => 0.0,
        None => step(args, "volume_step", STEP_PERCENT)?,
    };
    Ok(blocking(move || {
        let before = volume()?;
        let now = set_volume(level.unwrap_or_else(|| percent(f64::from(before.0) + step)))?;
        Ok(Outcome::new(now != before, json!({"volume_level": now.0})))
    }))
}

/// `system.mute`.
pub fn mute(_services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let is_muted = args.flag("on") != Some(false);
    Ok(blocking(move || {
        let before = volume()?;
        let now = set_muted(is_muted)?;
        Ok(Outcome::new(now.1 != before.1, json!({"muted": now.1, "volume_level": now.0})))
    }))
}

impl From<VolumeError> for Failure {
    fn from(error: VolumeError) -> Self {
        let message = error.to_string();
        match error {
            VolumeError::NoMixer(_) => Self::not_set_up(Part::Sound, message).fix(
                "run Hark where the sound server is, and install libasound2-plugins so that ALSA finds it",
            ),
            VolumeError::OtherSystem => {
                Self::not_set_up(Part::Sound, message).fix("set it in the system's settings")
            }
            VolumeError::Mac(error) => error.into(),
            VolumeError::Failed(_) => Self::new(error_code::FAILED, message),
        }
    }
}

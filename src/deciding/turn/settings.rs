//! Settings that change while Hark runs: what the machine keeps itself is changed here and told; the rest is
//! carried out elsewhere first, and told when it is so.

use super::Machine;
use super::state::Phase;
use crate::config::speaking::FollowUp;
use crate::domain::public_event::Outcome;
use crate::domain::{Effect, Setting};

impl Machine {
    /// Changes a setting, or has it changed.
    pub(super) fn set(&mut self, setting: Setting) {
        match setting {
            Setting::MicMute(muted) => self.set_mute(muted),
            Setting::VolumePercent(percent) => self.set_volume(percent),
            Setting::SpeakerMute(muted) => {
                self.out.push(Effect::MuteSpeaker { muted });
                self.publish(None, setting.event());
            }
            Setting::WakeSound(on) => {
                self.settings.wake_sound = on;
                self.publish(None, setting.event());
            }
            Setting::FollowUp(on) => {
                self.follows_up = on;
                self.publish(None, setting.event());
            }
            Setting::DoNotDisturb(_) => self.publish(None, setting.event()),
            Setting::MicGainDb(_)
            | Setting::WakeSensitivityPercent(_)
            | Setting::SilenceMs(_)
            | Setting::WakeWord(_)
            | Setting::Voice(_)
            | Setting::Language(_)
            | Setting::Endpointing(_) => self.out.push(Effect::Apply { setting }),
        }
    }

    /// After which replies Hark listens now. Where the configuration says after none, switching it on means after
    /// questions.
    pub(super) fn follow_up(&self) -> FollowUp {
        match (self.follows_up, self.settings.follow_up) {
            (false, _) => FollowUp::Never,
            (true, FollowUp::Never) => FollowUp::Questions,
            (true, configured) => configured,
        }
    }

    pub(super) fn set_mute(&mut self, muted: bool) {
        self.muted = muted;
        if muted {
            self.bring_voice_back(self.now);
            self.interruption = None;
            while let Some(id) = self.turn_in(Phase::Listening) {
                self.close(&id, Outcome::Cancelled);
            }
        }
        self.out.push(Effect::MuteMicrophone { muted });
        self.publish(None, Setting::MicMute(muted).event());
    }

    pub(super) fn set_volume(&mut self, percent: u8) {
        let percent = percent.min(100);
        self.settings.volume_percent = percent;
        self.out.push(Effect::SetVolume { percent });
        self.publish(None, Setting::VolumePercent(percent).event());
    }
}

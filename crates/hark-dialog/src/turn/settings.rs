//! Settings that change while Hark runs: what the machine keeps itself is changed here and told; the rest is
//! carried out elsewhere first, and told when it is so.

use super::Machine;
use super::state::Phase;
use hark_config::speaking::FollowUp;
use hark_core::public_event::Outcome;
use hark_core::{Effect, Setting};

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

    /// Takes over what the configuration says. That the wake sound and follow-up are switched by it as well is told by
    /// their settings, which come besides.
    pub(super) fn configure(&mut self, earcons: bool, follow_up: FollowUp) {
        self.settings.earcons = earcons;
        self.settings.follow_up = follow_up;
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

#[cfg(test)]
mod tests {
    use super::super::tests::{at, machine, run, settings};
    use super::*;
    use crate::turn::Machine;
    use hark_core::audio::Earcon;
    use hark_core::setting;
    use hark_core::{Event, PublicEvent};

    fn told(effects: &[Effect]) -> Vec<&PublicEvent> {
        let published = effects.iter().filter_map(|effect| match effect {
            Effect::Publish { event, .. } => Some(event),
            _ => None,
        });
        published.filter(|event| matches!(event, PublicEvent::Setting { .. })).collect()
    }

    fn set(setting: Setting) -> Event {
        Event::Set { setting }
    }

    #[test]
    fn what_the_machine_does_not_keep_is_told_only_when_it_is_so() {
        for setting in [
            Setting::MicGainDb(3),
            Setting::WakeSensitivityPercent(60),
            Setting::SilenceMs(900),
            Setting::WakeWord("okay_nabu".into()),
            Setting::Voice("espeak".into()),
            Setting::Language("de".into()),
            Setting::Endpointing("silence".into()),
        ] {
            let mut machine = machine();
            let asked = machine.handle(at(0), set(setting.clone()));
            assert_eq!(asked, [Effect::Apply { setting: setting.clone() }]);
            let applied = machine.handle(at(1), Event::Applied { setting: setting.clone() });
            assert_eq!(told(&applied), [&setting.event()]);
        }
    }

    #[test]
    fn what_it_keeps_is_told_at_once() {
        for setting in [
            Setting::MicMute(true),
            Setting::SpeakerMute(true),
            Setting::DoNotDisturb(true),
            Setting::WakeSound(false),
            Setting::FollowUp(false),
            Setting::VolumePercent(30),
        ] {
            let effects = machine().handle(at(0), set(setting.clone()));
            assert_eq!(told(&effects), [&setting.event()], "{setting:?}");
        }
    }

    #[test]
    fn the_wake_sound_can_be_switched_off_alone() {
        let waits = |machine: &mut Machine| {
            let wake = Event::Wake { word: "word".into(), score: 0.9 };
            run(machine, vec![(0, wake), (1000, Event::Tick), (2000, Event::Stop)])
        };
        let sounds = |effects: &[Effect]| effects.contains(&Effect::PlayEarcon { earcon: Earcon::Wake });
        let mut machine = machine();
        assert!(sounds(&waits(&mut machine)));
        machine.handle(at(3000), set(Setting::WakeSound(false)));
        assert!(!sounds(&waits(&mut machine)));
        machine.earcon(Earcon::Error);
        assert_eq!(machine.out, [Effect::PlayEarcon { earcon: Earcon::Error }], "the others go on");
    }

    #[test]
    fn follow_up_comes_back_as_it_was_configured() {
        let follow_up = |configured| {
            let mut machine = Machine::new(crate::turn::Settings { follow_up: configured, ..settings() });
            let at_first = machine.follow_up();
            machine.handle(at(0), set(Setting::FollowUp(false)));
            let off = machine.follow_up();
            machine.handle(at(1), set(Setting::FollowUp(true)));
            (at_first, off, machine.follow_up())
        };
        use FollowUp::{Always, Never, Questions};
        assert_eq!(follow_up(Always), (Always, Never, Always));
        assert_eq!(follow_up(Questions), (Questions, Never, Questions));
        assert_eq!(follow_up(Never), (Never, Never, Questions));
    }

    #[test]
    fn what_the_configuration_says_anew_counts_at_once() {
        let mut machine = machine();
        machine.handle(at(0), Event::Configured { earcons: false, follow_up: setting::FollowUp::Always });
        assert_eq!(machine.follow_up(), FollowUp::Always);
        machine.earcon(Earcon::Error);
        assert_eq!(machine.out, []);
    }

    #[test]
    fn the_button_takes_timers_away_without_a_turn() {
        let mut machine = machine();
        assert_eq!(machine.handle(at(0), Event::CancelTimers), [Effect::CancelTimers]);
        assert!(machine.is_idle());
    }
}

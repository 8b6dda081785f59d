//! Another voice while Hark runs: what is being said is said to its end by the one that began it.

use super::voice_thread::VoiceHandle;
use hark_core::ports::Voice;

impl VoiceHandle {
    /// Lets this voice speak from the next reply on. Of several brought before that the last one counts.
    pub fn change_voice(&self, voice: Box<dyn Voice>) {
        self.mailbox.lock().voice = Some(voice);
        self.mailbox.tell();
    }
}

#[cfg(test)]
mod tests {
    use crate::playback::playback;
    use crate::voice_thread::VoiceThread;
    use hark_core::Fault;
    use hark_core::ports::{PcmSink, Voice};

    /// Says everything as 100 ms of one level.
    struct Level(f32, u32);

    impl Voice for Level {
        fn rate_hz(&self) -> u32 {
            self.1
        }

        fn synthesise(&mut self, _: &str, _: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
            let _ = sink(&vec![self.0; self.1 as usize / 10]);
            Ok(())
        }
    }

    #[test]
    fn the_next_reply_is_said_by_the_other_voice_at_its_own_rate() {
        let (feeder, mut source) = playback(48_000, 1, 500);
        let first = Box::new(Level(0.5, 48_000));
        let thread = VoiceThread::start(Some(first), Some(feeder), 100, |_| {}).unwrap();
        let voice = thread.handle();
        let mut loudest_of = |text: &str| {
            voice.say("t".into(), text, "en").unwrap();
            let mut loudest = 0.0_f32;
            for _ in 0..60 {
                voice.settle();
                let mut out = [0.0; 480];
                source.fill(&mut out);
                loudest = out.iter().copied().fold(loudest, f32::max);
            }
            loudest
        };
        assert!((loudest_of("one") - 0.5).abs() < 0.05);
        voice.change_voice(Box::new(Level(0.9, 48_000)));
        voice.change_voice(Box::new(Level(0.2, 16_000)));
        assert!((loudest_of("two") - 0.2).abs() < 0.05, "the last of the two speaks");
    }
}

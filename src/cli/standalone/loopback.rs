//! A room for recordings in which the microphone hears the loudspeaker: what Hark plays comes back,
//! without a wall to change it, and passes the same echo stage as in a live daemon.

use crate::app::audio::echo_feed::{EchoFeed, Taps};
use hark_config::echo::Echo;
use hark_core::audio::ms_to_samples;
use hark_tts::playback::PlaybackSource;
use hark_tts::tap::tap;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How long before it sounds the loudspeaker takes its sound, as devices with a buffer do.
const BUFFERED_MS: u64 = 40;
/// From the loudspeaker to the microphone.
const WAY_MS: u64 = 20;

/// The way from the loudspeaker to the microphone. Both run at 16 kHz.
pub(crate) struct Loopback {
    gain: f32,
    feed: EchoFeed,
    _taps: Taps,
    under_way: VecDeque<f32>,
    /// Stands for the beginning of the recording.
    epoch: Instant,
}

impl Loopback {
    /// The loudspeaker is heard at `db` against what is played, which `speaker` gives out at `rate_hz`.
    pub(crate) fn new(config: &Echo, speaker: &mut PlaybackSource, rate_hz: u32, db: f32) -> Self {
        let (feed, taps) = EchoFeed::new(config);
        let (copy, played) = tap(rate_hz, 1);
        speaker.set_tap(copy);
        // The feed at hand holds the other end.
        let _ = taps.send(played);
        let under_way = VecDeque::from(vec![0.0; ms_to_samples(BUFFERED_MS + WAY_MS) as usize]);
        Self { gain: hark_audio::amplitude_of_db(db), feed, _taps: taps, under_way, epoch: Instant::now() }
    }

    /// When the sound that the loudspeaker takes at this position of the recording is in the air.
    pub(crate) fn sounds_at(&self, position_samples: u64) -> Instant {
        self.instant(position_samples + ms_to_samples(BUFFERED_MS))
    }

    fn instant(&self, position_samples: u64) -> Instant {
        self.epoch + Duration::from_micros(position_samples * 125 / 2)
    }

    /// Adds what arrives of the loudspeaker while `heard` is recorded.
    pub(crate) fn mix(&mut self, heard: &mut [f32]) {
        for sample in heard {
            *sample += self.under_way.pop_front().unwrap_or(0.0) * self.gain;
        }
    }

    /// Takes the echo out of what the microphone heard up to a position.
    pub(crate) fn clean(&mut self, heard: &mut Vec<f32>, until_samples: u64) -> &EchoFeed {
        let until = self.instant(until_samples);
        self.feed.clean(heard, Some(until));
        &self.feed
    }

    /// Takes what the loudspeaker plays next.
    pub(crate) fn played(&mut self, samples: &[f32]) {
        self.under_way.extend(samples);
    }
}

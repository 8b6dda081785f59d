//! Settings of the ear that change while it hears. What is under way ends as it began.

use super::Ear;
use crate::wake::WakeDetector;
use hark_config::endpoint::EndpointConfig;
use hark_config::wake::Wake;

/// A change of the ear's settings.
pub enum EarChange {
    /// Wake words take the place of the others.
    WakeWords(WakeDetector),
    /// When a score wakes.
    WakeLimits(Box<Wake>),
    /// When a request is over, from the next one on.
    Endpoint(EndpointConfig),
}

impl Ear {
    /// Takes a change.
    pub fn adjust(&mut self, change: EarChange) {
        match change {
            // The new detector has heard nothing yet: no wake word is made of a mixture of both.
            EarChange::WakeWords(detector) => {
                self.wake = Some(detector);
                self.wake_failing = false;
            }
            EarChange::WakeLimits(settings) => {
                if let Some(wake) = &mut self.wake {
                    wake.set_limits(&settings);
                }
            }
            EarChange::Endpoint(endpoint) => {
                self.settings.endpoint = endpoint;
                if self.watch.is_some() {
                    self.watch = Some(self.new_watch(true));
                }
            }
        }
    }
}

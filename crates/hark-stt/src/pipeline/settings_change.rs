//! Settings of the pipeline that change while it runs. A request that is under way keeps the old ones.

use super::AudioPipeline;
use crate::wake::WakeDetector;
use hark_config::endpoint::EndpointConfig;
use hark_config::wake::Wake;

/// A change of the pipeline's settings.
pub enum PipelineChange {
    /// Wake words take the place of the others.
    WakeWords(WakeDetector),
    /// When a score wakes.
    WakeLimits(Box<Wake>),
    /// When a request is over, from the next one on.
    Endpoint(EndpointConfig),
}

impl AudioPipeline {
    /// Takes a change.
    pub fn adjust(&mut self, change: PipelineChange) {
        match change {
            // The new detector has heard nothing yet: no wake word is made of a mixture of both.
            PipelineChange::WakeWords(detector) => {
                self.wake = Some(detector);
                self.wake_failing = false;
            }
            PipelineChange::WakeLimits(settings) => {
                if let Some(wake) = &mut self.wake {
                    wake.set_limits(&settings);
                }
            }
            PipelineChange::Endpoint(endpoint) => {
                self.settings.endpoint = endpoint;
                if self.barge_in_detector.is_some() {
                    self.barge_in_detector = Some(self.new_barge_in_detector(true));
                }
            }
        }
    }
}

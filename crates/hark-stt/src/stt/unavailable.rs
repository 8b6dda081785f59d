//! Takes the place of a recogniser that could not be made because its temporary files could not be written. Every
//! utterance fails with the reason; the rest of Hark goes on.

use super::{Partial, Recogniser, Recognition};
use hark_core::Fault;

/// Says at every utterance why none is understood.
pub struct UnavailableRecogniser(pub Fault);

impl Recogniser for UnavailableRecogniser {
    fn start(&mut self) -> Result<(), Fault> {
        Err(self.0.clone())
    }

    fn feed(&mut self, _samples: &[f32]) -> Result<(), Fault> {
        Err(self.0.clone())
    }

    fn partial(&mut self) -> Option<Partial> {
        None
    }

    fn finish(&mut self) -> Result<Recognition, Fault> {
        Err(self.0.clone())
    }

    fn cancel(&mut self) {}
}

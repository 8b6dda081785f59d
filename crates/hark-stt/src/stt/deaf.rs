//! Stands where no recogniser could be made for want of a place for its files: everything else of the house works on.

use super::{Partial, Recogniser, Recognition};
use hark_core::Fault;

/// Says at every utterance why none is understood.
pub struct Deaf(pub Fault);

impl Recogniser for Deaf {
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

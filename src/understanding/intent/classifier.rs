//! Encoder and head together: what the ladder asks.

use super::data::{hash, spoken};
use super::encoder::Encoder;
use super::head::Head;
use super::places::Places;
use crate::domain::classification::Classify;
use crate::domain::{Classification, Fault};
use crate::inference::manifest::Manifest;

/// Tells what kind of request a text is. One thread at a time.
pub struct Classifier {
    encoder: Encoder,
    head: Head,
    stale: bool,
    numbers: Vec<f32>,
    shares: Vec<f32>,
}

impl Classifier {
    /// Opens the encoder and the newest head that fits it: the one trained on this machine, else the
    /// one that comes with Hark.
    ///
    /// # Errors
    /// `MissingPart` when the encoder, ONNX Runtime or a head is missing or damaged; Hark goes on with
    /// its templates.
    pub fn open(manifest: &Manifest, places: &Places, language: &str) -> Result<Self, Fault> {
        let encoder = Encoder::open(manifest)?;
        let wanted = hash(places, language);
        let fits = |head: &Head| head.encoder() == encoder.id() && head.language() == language;
        // A head of this machine that is damaged or of an older encoder only makes way for the other.
        let own = Head::read(&places.own_head(language)).ok().filter(fits);
        let shipped = Head::read(&places.shipped_head(language));
        let own_is_better = own.as_ref().is_some_and(|own| {
            own.data() == wanted || shipped.as_ref().map_or(true, |shipped| shipped.data() != wanted)
        });
        let head = match (own, shipped) {
            (Some(own), _) if own_is_better => own,
            (_, Ok(shipped)) if fits(&shipped) => shipped,
            (Some(own), _) => own,
            (None, Ok(_)) => {
                let why = "it was trained on another encoder".to_owned();
                return Err(super::IntentError::Head { path: places.shipped_head(language), why }.into());
            }
            (None, Err(error)) => return Err(error.into()),
        };
        let stale = head.data() != wanted;
        Ok(Self { stale, ..Self::new(encoder, head) })
    }

    /// From parts that are there.
    pub fn new(encoder: Encoder, head: Head) -> Self {
        Self { encoder, head, stale: false, numbers: Vec::new(), shares: Vec::new() }
    }

    /// Whether sentences or examples changed since the head was trained; training anew would help.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// The encoder, to train another head with.
    pub fn encoder_mut(&mut self) -> &mut Encoder {
        &mut self.encoder
    }

    /// Puts a newly trained head in its place.
    pub fn replace_head(&mut self, head: Head) {
        self.head = head;
        self.stale = false;
    }

    /// The head in use.
    pub fn head(&self) -> &Head {
        &self.head
    }
}

impl Classify for Classifier {
    fn classify(&mut self, text: &str) -> Result<Classification, Fault> {
        self.encoder.embed(&spoken(text), &mut self.numbers)?;
        self.head.shares(&self.numbers, &mut self.shares);
        let verdict = self.head.verdict(&self.shares);
        Ok(Classification::new(text, verdict.category, verdict.confidence, verdict.intents))
    }

    fn embed(&mut self, text: &str) -> Result<Vec<f32>, Fault> {
        self.encoder.embed(&spoken(text), &mut self.numbers)?;
        Ok(self.numbers.clone())
    }
}

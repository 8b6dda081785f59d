//! Who speaks: people whose voices were enrolled, and the ports behind them. A voice is kept as numbers (an embedding),
//! never as sound. What is found out about a speaker is a hint: it may take rights away, it never gives any.

use crate::Fault;
use serde::{Deserialize, Serialize};

/// Numbers of an embedding, which is of length 1.
pub const EMBEDDING_NUMBERS: usize = 256;

/// Who said something, as far as it is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpeakerGuess {
    /// Name of an enrolled person.
    pub name: String,
    /// Probability that this person spoke, 0.0 ..= 1.0.
    pub likelihood: f32,
}

/// One utterance of a person whose voice was enrolled.
#[derive(Debug, Clone, PartialEq)]
pub struct VoiceSample {
    /// The person's name, as it was told.
    pub name: String,
    /// [`EMBEDDING_NUMBERS`] numbers.
    pub embedding: Vec<f32>,
    /// When it was said, milliseconds since the Unix epoch.
    pub told_unix_ms: i64,
}

/// Whether two names are those of one person: case makes no difference.
pub fn is_same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Storage of enrolled voices, implemented by the store. Names are compared case-insensitively.
pub trait VoiceStore: Send + Sync {
    /// Every sample, the oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn voices(&self) -> Result<Vec<VoiceSample>, Fault>;

    /// Adds a sample; of one person's at most `most` are kept, the newest.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn add_voice(&self, sample: &VoiceSample, most: usize) -> Result<(), Fault>;

    /// Forgets a person's voice; how many samples that were.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn forget_voice(&self, name: &str) -> Result<usize, Fault>;
}

/// A person whose voice is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnrolledSpeaker {
    /// Their name.
    pub name: String,
    /// Utterances that were enrolled.
    pub samples: usize,
    /// When the last of them was, milliseconds since the Unix epoch.
    pub told_unix_ms: i64,
}

/// What came of enrolling a voice.
#[derive(Debug, Clone, PartialEq)]
pub enum Enrolment {
    /// It was enrolled; so many utterances are known now.
    Enrolled(EnrolledSpeaker),
    /// The request was not heard by this node's microphone, or long ago.
    NotHeard,
    /// Too little was said to know a voice by.
    TooShort,
    /// The voice matches a person who is enrolled under another name.
    Known(SpeakerGuess),
    /// It does not sound like the person of this name.
    OtherVoice,
}

/// People who are known by their voice. Calls block: they compute and use the disk.
pub trait Speakers: Send + Sync {
    /// Everybody, by name.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn people(&self) -> Result<Vec<EnrolledSpeaker>, Fault>;

    /// Enrols the voice that said the last request at this node's microphone.
    ///
    /// # Errors
    /// When the model cannot be loaded or the store not be written.
    fn enrol_last(&self, name: &str, now_unix_ms: i64) -> Result<Enrolment, Fault>;

    /// Enrols the voice in some sound (16 kHz mono), for the owner.
    ///
    /// # Errors
    /// When voices are not told apart, the model cannot be loaded or the store not be written.
    fn enrol(&self, name: &str, sound: &[f32], now_unix_ms: i64) -> Result<Enrolment, Fault>;

    /// Forgets a voice; whether it was known.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn forget(&self, name: &str) -> Result<bool, Fault>;
}

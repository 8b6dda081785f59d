//! What stands in for espeak-ng where Hark is built without it: every use says which feature is missing.

use super::EspeakVoice;
use crate::error::SpeakingError;
use hark_core::Fault;
use hark_core::ports::{PcmSink, Pronounce, Voice};
use std::path::Path;

/// Speaks no language.
#[derive(Debug, Clone)]
pub struct Espeak;

impl Espeak {
    /// Needs no data.
    ///
    /// # Errors
    /// None.
    pub fn open(_data_dir: &Path, _rate_wpm: u32, _pitch_percent: u32) -> Result<Self, Fault> {
        Ok(Self)
    }

    /// No voices.
    ///
    /// # Errors
    /// None.
    pub fn voices(&self) -> Result<Vec<EspeakVoice>, Fault> {
        Ok(Vec::new())
    }

    /// Nothing to load.
    ///
    /// # Errors
    /// `MissingPart` naming the feature.
    pub fn warm_up(&self, _language: &str) -> Result<(), Fault> {
        Err(SpeakingError::EspeakAbsent.into())
    }

    /// No phonemes.
    ///
    /// # Errors
    /// `MissingPart` naming the feature.
    pub fn tied_ipa(&self, _text: &str, _language: &str, _tie: char) -> Result<String, Fault> {
        Err(SpeakingError::EspeakAbsent.into())
    }
}

impl Voice for Espeak {
    fn rate_hz(&self) -> u32 {
        22_050
    }

    fn synthesise(&mut self, _text: &str, _language: &str, _sink: PcmSink<'_>) -> Result<(), Fault> {
        Err(SpeakingError::EspeakAbsent.into())
    }
}

impl Pronounce for Espeak {
    fn ipa(&self, _word: &str, _language: &str) -> Result<String, Fault> {
        Err(SpeakingError::EspeakAbsent.into())
    }
}

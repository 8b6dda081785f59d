//! Acoustic scores made from the acoustic model itself, for the tests of this folder: what is said is known to the frame.

use super::acoustic_model::{AcousticModel, Phone, STATES};
use super::acoustic_scores::AcousticScores;
use super::cepstra::Cepstrum;
use super::forced_alignment::Pronunciations;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Frames of each third of a phone.
pub(super) const FRAMES: usize = 4;
/// Frames of a whole phone.
pub(super) const PHONE: usize = FRAMES * STATES;
/// Frames of silence before and after what is said.
pub(super) const AROUND: usize = 36;

/// Words and their phones.
const LEXICON: [(&str, &str); 5] =
    [("turn", "T ER N"), ("on", "AA N"), ("off", "AO F"), ("stop", "S T AA P"), ("please", "P L IY Z")];

pub(super) fn model() -> Arc<AcousticModel> {
    let folder = Path::new("/usr/share/pocketsphinx/model/en-us/en-us");
    Arc::new(AcousticModel::load(folder).unwrap())
}

pub(super) fn phones(model: &AcousticModel, names: &str) -> Vec<Phone> {
    names.split(' ').map(|name| model.phone(name).unwrap()).collect()
}

pub(super) fn pronunciations(model: &AcousticModel) -> HashMap<String, Pronunciations> {
    LEXICON.iter().map(|(word, names)| ((*word).to_owned(), vec![phones(model, names)])).collect()
}

/// Frames of phones, each third of them as its likeliest density has it.
pub(super) fn frames(model: &AcousticModel, phones: &[Phone]) -> Vec<Cepstrum> {
    let third = |phone: Phone, senone: u16| {
        let weight = |density: &usize| model.weight(0, *density as u8, senone);
        let best = (0..model.densities).max_by(|a, b| weight(a).total_cmp(&weight(b))).unwrap();
        [model.codebook(phone, 0)[best].mean; FRAMES]
    };
    phones.iter().flat_map(|phone| model.base(*phone).map(|senone| third(*phone, senone))).flatten().collect()
}

/// Words with silence around them, heard to the end. A `-` among the words is a pause.
pub(super) fn heard(model: &Arc<AcousticModel>, text: &str) -> AcousticScores {
    let pronunciations = pronunciations(model);
    let silence = vec![model.silence; AROUND / PHONE];
    let mut said = silence.clone();
    for word in text.split_whitespace() {
        match word {
            "-" => said.extend(&silence),
            _ => said.extend(&pronunciations[word][0]),
        }
    }
    said.extend(&silence);
    let mut sound = AcousticScores::new(model.clone(), -2.0);
    sound.start();
    sound.observe(&frames(model, &said));
    sound.end();
    sound
}

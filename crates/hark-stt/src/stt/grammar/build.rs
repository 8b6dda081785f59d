//! Makes a decoder for a home: samples its sentences, trains the language model, looks the words up,
//! and loads the result into PocketSphinx.

use super::acoustic::AcousticModel;
use super::align::Ways;
use super::background::{General, MARK};
use super::beginnings::Beginnings;
use super::classes::Classes;
use super::decoder::{Decoder, DecoderFiles};
use super::dictionary::{CmuDictionary, Lexicon};
use super::error::GrammarError;
use super::language;
use super::net::Net;
use super::ngram::{Scorer, TrigramModel};
use super::passing_files::PassingFiles;
use super::search::NetSearch;
use super::tuning::Tuning;
use hark_core::ports::{Pronounce, SpeechGrammar};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Seed of the sampler: the same home gives the same language model.
const SEED: u64 = 1;

/// What decoders are made from.
#[derive(Clone)]
pub(super) struct Recipe {
    /// PocketSphinx's language folder: `en-us/`, `cmudict-en-us.dict`, `en-us.lm.bin`.
    pub(super) model_dir: PathBuf,
    /// Where the temporary files go.
    pub(super) work_dir: PathBuf,
    pub(super) tuning: Tuning,
    pub(super) pronounce: Arc<dyn Pronounce>,
    pub(super) acoustic: Arc<AcousticModel>,
}

/// A decoder with the sentences it listens for.
pub(super) struct Listener {
    pub(super) decoder: Decoder,
    pub(super) scorer: Arc<Scorer>,
    /// How the words of the home are said.
    pub(super) ways: Arc<HashMap<String, Ways>>,
    pub(super) search: NetSearch,
    pub(super) beginnings: Beginnings,
    pub(super) grammar: Arc<dyn SpeechGrammar>,
    /// Words of the home nobody could pronounce.
    pub(super) silent: Vec<String>,
}

/// The folder of the acoustic model within PocketSphinx's language folder.
pub(super) fn acoustic_dir(model_dir: &Path) -> Result<PathBuf, GrammarError> {
    let acoustic = model_dir.join("en-us");
    if !acoustic.join("mdef").is_file() {
        return Err(GrammarError::NoAcousticModel(acoustic));
    }
    Ok(acoustic)
}

impl Recipe {
    /// Builds a listener for `grammar`; takes some tenths of a second.
    pub(super) fn build(&self, grammar: Arc<dyn SpeechGrammar>) -> Result<Listener, GrammarError> {
        let acoustic = acoustic_dir(&self.model_dir)?;
        let sentences = grammar.sample(self.tuning.sentences, SEED);
        let words = vocabulary(&sentences, grammar.as_ref());
        if words.is_empty() {
            return Err(GrammarError::NoSentences);
        }
        let cmu = CmuDictionary::load(&self.model_dir.join("cmudict-en-us.dict"))?;
        let index = cmu.index();
        let mut lexicon = Lexicon::build(&words, &index, self.pronounce.as_ref());
        let ways = lexicon.ways(&words, |name| self.acoustic.phone(name));
        let general = General::open(&self.model_dir.join("en-us.lm.bin"))?;
        let background = general.common_words(self.tuning.background_words, |word| index.contains_key(word));
        let mut shares = Vec::with_capacity(background.len());
        for (word, share) in background {
            let name = format!("{MARK}{word}");
            lexicon.add(name.clone(), index.get(word.as_str()).map_or(&[], Vec::as_slice));
            shares.push((name, share));
        }
        let classes = Classes::numbers(&language().numbers, |word| lexicon.has(word));
        let mass = if shares.is_empty() { 0.0 } else { self.tuning.background_mass };
        let model = TrigramModel::train(&sentences, &classes, self.tuning.smoothing, mass);
        let features = features_without_mean(&acoustic.join("feat.params"))?;
        let files = PassingFiles::within(&self.work_dir);
        if !lexicon.silent.is_empty() {
            tracing::warn!(words = ?lexicon.silent, "nobody can pronounce these, so they are not heard");
        }
        let decoder = Decoder::new(
            DecoderFiles {
                acoustic: &acoustic,
                features: &files.write("feat.params", &features)?,
                dictionary: &files.write("words.dict", &lexicon.to_text())?,
                language_model: &files.write("sentences.arpa", &model.to_arpa(&shares))?,
            },
            &self.tuning.search,
        )?;
        let (ways, scorer) = (Arc::new(ways), Arc::new(model.scorer(&shares)));
        let beginnings = Beginnings::new(&sentences, &scorer, &general);
        let net = Net::new(self.acoustic.clone(), grammar.clone(), ways.clone(), scorer.clone());
        let search = NetSearch::new(net, scorer.clone(), self.acoustic.senone_count(), self.tuning.net);
        Ok(Listener { decoder, grammar, ways, search, beginnings, scorer, silent: lexicon.silent })
    }
}

/// Every word of the sampled sentences and of the grammar, sorted.
fn vocabulary(sentences: &[Vec<String>], grammar: &dyn SpeechGrammar) -> Vec<String> {
    let mut words: HashSet<String> = grammar.vocabulary().into_iter().collect();
    words.extend(sentences.iter().flatten().cloned());
    let mut words: Vec<String> = words.into_iter().collect();
    words.sort_unstable();
    words
}

/// The model's feature parameters with cepstral mean normalisation switched off.
fn features_without_mean(path: &Path) -> Result<String, GrammarError> {
    let text =
        fs::read_to_string(path).map_err(|source| GrammarError::File { path: path.to_owned(), source })?;
    let mut kept: String =
        text.lines().filter(|line| !line.starts_with("-cmn")).map(|line| format!("{line}\n")).collect();
    kept.push_str("-cmn none\n");
    Ok(kept)
}

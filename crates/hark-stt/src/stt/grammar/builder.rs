//! Builds the decoder of a home: samples its sentences, trains the language model, looks up pronunciations, loads the
//! result into PocketSphinx and makes the decoding graph. Takes some tenths of a second, on the caller's thread.

use super::acoustic_model::AcousticModel;
use super::background_model::{BACKGROUND_MARK, GeneralLanguageModel};
use super::decoding_graph::DecodingGraph;
use super::error::GrammarError;
use super::forced_alignment::Pronunciations;
use super::language;
use super::ngram::{LanguageModelScorer, TrigramModel};
use super::pocketsphinx::{DecoderFiles, PocketSphinxDecoder};
use super::prefix_likelihood::PrefixLikelihoods;
use super::pronunciation::{CmuDictionary, PronunciationLexicon, SaidAs};
use super::temporary_files::TemporaryFiles;
use super::tuning::Tuning;
use super::viterbi::ViterbiSearch;
use super::word_classes::WordClasses;
use hark_core::ports::{Pronounce, SpeechGrammar};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Seed of the sampler: the same home gives the same language model.
const SEED: u64 = 1;

/// What decoders are made from.
#[derive(Clone)]
pub(super) struct DecoderBuilder {
    /// PocketSphinx's language folder: `en-us/`, `cmudict-en-us.dict`, `en-us.lm.bin`.
    pub(super) model_dir: PathBuf,
    /// Where the temporary files go.
    pub(super) work_dir: PathBuf,
    pub(super) tuning: Tuning,
    pub(super) pronounce: Arc<dyn Pronounce>,
    pub(super) acoustic: Arc<AcousticModel>,
}

/// A decoder with the sentences it listens for.
pub(super) struct GrammarDecoder {
    pub(super) free_decoder: PocketSphinxDecoder,
    pub(super) scorer: Arc<LanguageModelScorer>,
    /// Pronunciations of the words of the home.
    pub(super) pronunciations: Arc<HashMap<String, Pronunciations>>,
    pub(super) search: ViterbiSearch,
    pub(super) prefix_likelihoods: PrefixLikelihoods,
    pub(super) grammar: Arc<dyn SpeechGrammar>,
    /// Words of the home without a pronunciation.
    pub(super) unpronounceable: Vec<String>,
}

/// The folder of the acoustic model within PocketSphinx's language folder.
pub(super) fn acoustic_dir(model_dir: &Path) -> Result<PathBuf, GrammarError> {
    let acoustic = model_dir.join("en-us");
    if !acoustic.join("mdef").is_file() {
        return Err(GrammarError::NoAcousticModel(acoustic));
    }
    Ok(acoustic)
}

impl DecoderBuilder {
    /// The phones of words as they are usually said.
    pub(super) fn phones_of(&self, words: &[String]) -> Vec<SaidAs> {
        let Ok(cmu) = self.dictionary() else { return vec![None; words.len()] };
        let lexicon = PronunciationLexicon::build(words, &cmu.index_of(words), self.pronounce.as_ref());
        let phone = |name| self.acoustic.phone(name);
        words.iter().map(|word| lexicon.phones(word)?.split_whitespace().map(phone).collect()).collect()
    }

    fn dictionary(&self) -> Result<CmuDictionary, GrammarError> {
        CmuDictionary::load(&self.model_dir.join("cmudict-en-us.dict"))
    }

    /// Builds a decoder for `grammar`; takes some tenths of a second.
    pub(super) fn build(&self, grammar: Arc<dyn SpeechGrammar>) -> Result<GrammarDecoder, GrammarError> {
        let acoustic = acoustic_dir(&self.model_dir)?;
        let sentences = grammar.sample(self.tuning.sentences, SEED);
        let words = vocabulary(&sentences, grammar.as_ref());
        if words.is_empty() {
            return Err(GrammarError::NoSentences);
        }
        let cmu = self.dictionary()?;
        let index = cmu.index();
        let mut lexicon = PronunciationLexicon::build(&words, &index, self.pronounce.as_ref());
        let pronunciations = lexicon.pronunciations(&words, |name| self.acoustic.phone(name));
        let general = GeneralLanguageModel::open(&self.model_dir.join("en-us.lm.bin"))?;
        let background = general.common_words(self.tuning.background_words, |word| index.contains_key(word));
        let mut shares = Vec::with_capacity(background.len());
        for (word, share) in background {
            let name = format!("{BACKGROUND_MARK}{word}");
            lexicon.add(name.clone(), index.get(word.as_str()).map_or(&[], Vec::as_slice));
            shares.push((name, share));
        }
        let classes = WordClasses::numbers(&language().numbers, |word| lexicon.has(word));
        let mass = if shares.is_empty() { 0.0 } else { self.tuning.background_mass };
        let model = TrigramModel::train(&sentences, &classes, self.tuning.smoothing, mass);
        let features = features_without_mean(&acoustic.join("feat.params"))?;
        let files = TemporaryFiles::within(&self.work_dir);
        if !lexicon.unpronounceable.is_empty() {
            tracing::warn!(words = ?lexicon.unpronounceable, "there is no pronunciation of these, so they are not heard");
        }
        let decoder = PocketSphinxDecoder::new(
            DecoderFiles {
                acoustic: &acoustic,
                features: &files.write("feat.params", &features)?,
                dictionary: &files.write("words.dict", &lexicon.to_text())?,
                language_model: &files.write("sentences.arpa", &model.to_arpa(&shares))?,
            },
            &self.tuning.search,
        )?;
        let (pronunciations, scorer) = (Arc::new(pronunciations), Arc::new(model.scorer(&shares)));
        let prefix_likelihoods = PrefixLikelihoods::new(&sentences, &scorer, &general);
        let graph = DecodingGraph::new(
            self.acoustic.clone(),
            grammar.clone(),
            pronunciations.clone(),
            scorer.clone(),
        );
        let search =
            ViterbiSearch::new(graph, scorer.clone(), self.acoustic.senone_count(), self.tuning.viterbi);
        Ok(GrammarDecoder {
            free_decoder: decoder,
            grammar,
            pronunciations,
            search,
            prefix_likelihoods,
            scorer,
            unpronounceable: lexicon.unpronounceable,
        })
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

//! whisper.cpp as a [`Decoder`], through `whisper-rs`.
//!
//! Greedy, one segment, no timestamps, no second try at a higher temperature: a command is short, and a
//! text the model is unsure of is rejected by the guards rather than rolled again with dice.

mod interrupt;
mod log;

use super::decoder::{Decoded, Decoder, Purpose, UNKNOWN_LANGUAGE};
use super::error::WhisperError;
use super::model_file;
use super::prompt;
use super::recogniser::WhisperSettings;
use super::window;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use whisper_rs::{FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperState};

/// Language of a model that knows one, and of one of many where no other is named.
const ENGLISH: &str = "en";
/// Share that the languages spoken here must have among all, or the sound is in another one.
const MIN_HOME_SHARE: f32 = 0.1;

/// A model with the working memory of one decode at a time.
pub(super) struct WhisperCpp {
    // Dropped before the flag it reads.
    state: WhisperState,
    context: WhisperContext,
    interrupt: Arc<AtomicBool>,
    threads: c_int,
    min_context_frames: usize,
    prompt: Vec<c_int>,
    /// Parameters by language, made once each: whisper-rs never frees the language's name.
    parameters: HashMap<&'static str, FullParams<'static, 'static>>,
    /// Numbers of the languages that are spoken here; only those tell what a sound is in.
    languages: Vec<c_int>,
    /// Language of the last decode.
    language: &'static str,
}

impl WhisperCpp {
    /// Loads the model; `interrupt` stops a decode under way.
    pub(super) fn load(settings: &WhisperSettings, interrupt: Arc<AtomicBool>) -> Result<Self, WhisperError> {
        let path = &settings.model;
        let header = model_file::check(path)?;
        if header.tensors == 0 {
            tracing::warn!(model = %path.display(), "the model holds no weights: it recognises nothing");
        }
        log::route();
        // What was complained of before is not about this file.
        log::complaint();
        let refused = |_| WhisperError::Refused { path: path.clone(), why: log::complaint() };
        let context =
            WhisperContext::new_with_params(path, WhisperContextParameters::default()).map_err(refused)?;
        let state = interrupt::reachable(&interrupt, || context.create_state()).map_err(refused)?;
        let prompt = prompt_tokens(&context, settings)?;
        let threads = c_int::try_from(settings.threads).unwrap_or(1).max(1);
        let min_context_frames = settings.min_context_frames as usize;
        let parameters = HashMap::new();
        let languages = language_ids(&context, &settings.languages);
        let language = languages.first().and_then(|id| whisper_rs::get_lang_str(*id)).unwrap_or(ENGLISH);
        Ok(Self {
            state,
            context,
            interrupt,
            threads,
            min_context_frames,
            prompt,
            parameters,
            languages,
            language,
        })
    }

    fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Acquire)
    }

    /// Runs encoder and decoder over a window; false when that was interrupted.
    fn run(&mut self, sound: &[f32], samples: usize, language: &'static str) -> Result<bool, WhisperError> {
        let threads = self.threads;
        let template = self.parameters.entry(language).or_insert_with(|| parameters(threads, language));
        let mut parameters: FullParams<'_, '_> = template.clone();
        let most = usize::try_from(self.context.n_audio_ctx()).unwrap_or(window::MAX_SAMPLES);
        let frames = window::audio_context(samples, self.min_context_frames, most);
        parameters.set_audio_ctx(whole(frames));
        parameters.set_max_tokens(whole(window::token_limit(samples)));
        if !self.prompt.is_empty() {
            parameters.set_tokens(&self.prompt);
        }
        let flag: *const AtomicBool = &raw const *self.interrupt;
        // SAFETY: `asked` reads an `AtomicBool`, and the flag is kept alive by `self` beyond `full`,
        // which does not keep the parameters.
        unsafe {
            parameters.set_abort_callback(Some(interrupt::asked));
            parameters.set_abort_callback_user_data(flag.cast_mut().cast::<c_void>());
        }
        let ran = self.state.full(parameters, sound);
        self.outcome(ran)
    }

    /// False when it was interrupted, whatever else there is to say.
    fn outcome(&self, ran: Result<(), whisper_rs::WhisperError>) -> Result<bool, WhisperError> {
        let why = log::complaint();
        match ran {
            _ if self.interrupted() => Ok(false),
            Ok(()) => Ok(true),
            Err(error) => Err(WhisperError::Decode(format!("{error} {why}"))),
        }
    }

    /// The text of the last run.
    fn text(&self) -> Decoded {
        let end = self.context.token_eot();
        let (mut bytes, mut sum, mut count, mut ended) = (Vec::new(), 0.0, 0u16, true);
        for segment in self.state.as_iter() {
            ended = false;
            bytes.extend_from_slice(segment.to_bytes().unwrap_or_default());
            for token in (0..segment.n_tokens()).filter_map(|token| segment.get_token(token)) {
                let token = token.token_data();
                ended = token.id == end;
                if token.id < end {
                    sum += token.plog;
                    count += 1;
                }
            }
        }
        Decoded {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            mean_log_probability: if count == 0 { 0.0 } else { sum / f32::from(count) },
            no_speech: 0.0,
            language: self.language.to_owned(),
            ended,
        }
    }

    /// Asks the model what it makes of the sound of the last run as a whole: the chances that nobody
    /// speaks, and of each language. whisper.cpp offers the first one itself, but takes it from the
    /// wrong place when there is a prompt; this is one step of the decoder.
    fn opinion(&mut self) -> Result<Option<Opinion>, WhisperError> {
        let threads = usize::try_from(self.threads).unwrap_or(1);
        let ran = self.state.decode(&[self.context.token_sot()], 0, threads);
        if !self.outcome(ran)? {
            return Ok(None);
        }
        let scores = self.state.get_logits().map_err(|error| WhisperError::Decode(error.to_string()))?;
        let no_speech = share(scores, self.context.token_nosp());
        let of = |id: c_int| share(scores, self.context.token_lang(id));
        let all: f32 = match self.languages.is_empty() {
            true => 0.0,
            false => (0..=whisper_rs::get_lang_max_id()).map(of).sum(),
        };
        let here: Vec<(f32, c_int)> = self.languages.iter().map(|id| (of(*id), *id)).collect();
        let home_share = here.iter().map(|(share, _)| share).sum::<f32>() / all;
        let best = here.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let language = best.map(|(_, id)| (whisper_rs::get_lang_str(id).unwrap_or(ENGLISH), home_share));
        Ok(Some(Opinion { no_speech, language }))
    }
}

/// What the model makes of a sound as a whole.
struct Opinion {
    /// 0.0 ..= 1.0.
    no_speech: f32,
    /// The likeliest of the languages spoken here, with the share that these have among all; `None` for a model of one.
    language: Option<(&'static str, f32)>,
}

impl Decoder for WhisperCpp {
    fn decode(&mut self, samples: &[f32], purpose: Purpose) -> Result<Option<Decoded>, WhisperError> {
        let sound = window::of(samples);
        if !self.run(&sound, samples.len(), self.language)? {
            return Ok(None);
        }
        let mut decoded = self.text();
        if purpose == Purpose::Partial && !self.context.is_multilingual() {
            return Ok(Some(decoded));
        }
        let Some(opinion) = self.opinion()? else { return Ok(None) };
        match opinion.language {
            None => {}
            Some((language, home_share)) if home_share < MIN_HOME_SHARE || home_share.is_nan() => {
                tracing::debug!(language, home_share, "a language that nobody speaks here");
                decoded.language = UNKNOWN_LANGUAGE.to_owned();
            }
            Some((language, _)) if language == self.language => {}
            Some((language, home_share)) => {
                tracing::debug!(language, home_share, "another language");
                self.language = language;
                if !self.run(&sound, samples.len(), language)? {
                    return Ok(None);
                }
                decoded = self.text();
            }
        }
        decoded.no_speech = opinion.no_speech;
        Ok(Some(decoded))
    }
}

/// The numbers of the languages a model has to choose from: none for a model of one language, all where none that it
/// knows is named.
fn language_ids(context: &WhisperContext, named: &[String]) -> Vec<c_int> {
    if !context.is_multilingual() {
        return Vec::new();
    }
    // whisper-rs panics at a NUL.
    let known = named.iter().filter(|name| !name.contains('\0'));
    let known = known.filter_map(|name| whisper_rs::get_lang_id(name));
    let mut ids: Vec<c_int> = Vec::new();
    for id in known {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if ids.is_empty() { (0..=whisper_rs::get_lang_max_id()).collect() } else { ids }
}

/// The parameters every decode in this language has.
fn parameters(threads: c_int, language: &'static str) -> FullParams<'static, 'static> {
    let mut parameters = FullParams::new(SamplingStrategy::Greedy { best_of: 1 });
    parameters.set_n_threads(threads);
    parameters.set_language(Some(language));
    parameters.set_translate(false);
    parameters.set_no_context(true);
    parameters.set_single_segment(true);
    parameters.set_no_timestamps(true);
    parameters.set_temperature(0.0);
    parameters.set_temperature_inc(0.0);
    parameters.set_suppress_blank(true);
    parameters.set_suppress_nst(true);
    // Above every probability: speech is judged by `hallucination`.
    parameters.set_no_speech_thold(2.0);
    parameters.set_print_special(false);
    parameters.set_print_progress(false);
    parameters.set_print_realtime(false);
    parameters.set_print_timestamps(false);
    parameters
}

/// The names as tokens, as many as are allowed and as Whisper takes, which is half of its text context.
/// The decoder scores its whole vocabulary for every token of a prompt, so that a long one costs more
/// than the sound of a command.
fn prompt_tokens(context: &WhisperContext, settings: &WhisperSettings) -> Result<Vec<c_int>, WhisperError> {
    // A token stands for at least one byte, so that this room always suffices; whisper-rs takes the
    // negative answer of too little room for a length.
    let tokens = |text: &str| context.tokenize(text, text.len() + 1);
    let most = usize::try_from(context.n_text_ctx() / 2 - 1).unwrap_or_default();
    let budget = most.min(settings.prompt_tokens as usize);
    let count = |text: &str| tokens(text).map_or(usize::MAX / 2, |list| list.len());
    let prompt = prompt::of_names(&settings.names, budget, count);
    if prompt.left_out > 0 {
        tracing::debug!(left_out = prompt.left_out, "Whisper's prompt has no room for all names of the home");
    }
    if prompt.text.is_empty() {
        return Ok(Vec::new());
    }
    let refused = |_| WhisperError::Refused {
        path: settings.model.clone(),
        why: "its words do not spell the names of the home".into(),
    };
    let mut tokens = tokens(&prompt.text).map_err(refused)?;
    tokens.truncate(budget);
    Ok(tokens)
}

/// Probability of a token, by its scores' exponentials.
fn share(scores: &[f32], token: c_int) -> f32 {
    let Some(score) = usize::try_from(token).ok().and_then(|token| scores.get(token)) else { return 0.0 };
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = scores.iter().map(|score| (score - most).exp()).sum();
    (score - most).exp() / total
}

fn whole(number: usize) -> c_int {
    c_int::try_from(number).unwrap_or(c_int::MAX)
}

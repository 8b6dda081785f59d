//! PocketSphinx's decoder behind a safe interface.
//!
//! Thread safety: PocketSphinx keeps everything about a decoder in the decoder, so one may be moved to another thread
//! (`Send`), but no two threads may call into the same one (`!Sync`). The only state shared by all of them is the log
//! stream, which is switched off once before first use.

use super::cepstra::{CEPSTRA, Cepstrum};
use super::error::GrammarError;
use super::ffi;
use super::options::Options;
use std::ffi::CStr;
use std::path::Path;
use std::ptr;

/// What a decoder is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct DecoderFiles<'a> {
    /// Folder of the acoustic model (`mdef`, `means` …).
    pub(super) acoustic: &'a Path,
    /// The model's `feat.params` without cepstral mean normalisation, which is done on our side.
    pub(super) features: &'a Path,
    /// Pronunciations of every word of the language model.
    pub(super) dictionary: &'a Path,
    /// ARPA file.
    pub(super) language_model: &'a Path,
}

/// How a decoder weighs and prunes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchTuning {
    /// Weight of the language model against the sound, in every pass.
    pub language_weight: f32,
    /// Probability that multiplies a path for every word; below 1 favours few words.
    pub word_insertion: f32,
    /// Relative width of the beams: exponent of ten of the state beam (−48 is PocketSphinx's default).
    pub beam_exponent: i32,
    /// Exponent of ten of the word-exit beam.
    pub word_beam_exponent: i32,
    /// Probability of silence between words.
    pub silence: f32,
}

/// Owns a `ps_decoder_t`.
pub(super) struct PocketSphinxDecoder {
    raw: *mut ffi::PsDecoder,
    front_end: *mut ffi::FrontEnd,
}

// SAFETY: the C objects hold no thread-local state and no pointer shared with another decoder; all
// calls need `&mut self`, so they come from one thread at a time.
unsafe impl Send for PocketSphinxDecoder {}

impl PocketSphinxDecoder {
    /// Loads the models; takes tenths of a second.
    pub(super) fn new(files: DecoderFiles<'_>, tuning: &SearchTuning) -> Result<Self, GrammarError> {
        let weight = f64::from(tuning.language_weight);
        let power = |exponent: i32| 10f64.powi(exponent);
        let options = Options::new()?
            .path(c"-hmm", files.acoustic)?
            .path(c"-featparams", files.features)?
            .path(c"-dict", files.dictionary)?
            .path(c"-lm", files.language_model)?
            .real(c"-lw", weight)
            .real(c"-wip", f64::from(tuning.word_insertion))
            .real(c"-silprob", f64::from(tuning.silence))
            .real(c"-beam", power(tuning.beam_exponent))
            .real(c"-pbeam", power(tuning.beam_exponent))
            .real(c"-lpbeam", power(tuning.beam_exponent))
            .real(c"-wbeam", power(tuning.word_beam_exponent))
            .real(c"-lponlybeam", power(tuning.word_beam_exponent))
            // What the other passes would find needs the utterance to be over, and a person may always go
            // on. Without the second one PocketSphinx tells no words at all: it is as narrow as can be.
            .real(c"-fwdflatbeam", 0.1)
            .real(c"-fwdflatwbeam", 0.1)
            .flag(c"-bestpath", false)
            // Looking ahead would save some work and tell every word 50 ms later.
            .whole(c"-pl_window", 0)
            .flag(c"-remove_silence", false)
            .flag(c"-remove_noise", true)
            .flag(c"-dither", true)
            .whole(c"-seed", 1);
        // SAFETY: `options` is live; the decoder takes its own reference to it.
        let raw = unsafe { ffi::ps_init(options.as_ptr()) };
        if raw.is_null() {
            let what = "the acoustic model, dictionary or language model";
            return Err(GrammarError::Refused { what, folder: files.acoustic.to_owned() });
        }
        // SAFETY: `ps_init` has read the model's `feat.params` into the options, so this front end
        // makes the features the model was trained on.
        let front_end = unsafe { ffi::fe_init_auto_r(options.as_ptr()) };
        let decoder = Self { raw, front_end };
        if front_end.is_null() {
            return Err(GrammarError::Engine("make its front end"));
        }
        // SAFETY: `front_end` is live.
        let size = unsafe { ffi::fe_get_output_size(front_end) };
        if usize::try_from(size) != Ok(CEPSTRA) {
            return Err(GrammarError::Refused { what: "features", folder: files.acoustic.to_owned() });
        }
        Ok(decoder)
    }

    /// Begins an utterance.
    pub(super) fn start(&mut self) -> Result<(), GrammarError> {
        // SAFETY: both objects are live.
        let failed = unsafe {
            ffi::fe_start_stream(self.front_end);
            ffi::fe_start_utt(self.front_end) < 0 || ffi::ps_start_utt(self.raw) < 0
        };
        if failed { Err(GrammarError::Engine("begin an utterance")) } else { Ok(()) }
    }

    /// Turns samples into cepstra, appended to `out`; a rest shorter than a frame is kept inside.
    pub(super) fn analyse(&mut self, samples: &[i16], out: &mut Vec<Cepstrum>) -> Result<(), GrammarError> {
        const BATCH: usize = 64;
        let mut rows = [[0f32; CEPSTRA]; BATCH];
        let mut next = samples.as_ptr();
        let mut left = samples.len();
        loop {
            let mut pointers = rows.each_mut().map(|row| row.as_mut_ptr());
            let mut frames = BATCH as i32;
            let mut index = 0;
            // SAFETY: `next` points to `left` samples of the slice, `pointers` to `frames` rows of
            // `CEPSTRA` floats each (checked against the front end when it was made).
            let status = unsafe {
                ffi::fe_process_frames(
                    self.front_end,
                    &raw mut next,
                    &raw mut left,
                    pointers.as_mut_ptr(),
                    &raw mut frames,
                    &raw mut index,
                )
            };
            if status < 0 {
                return Err(GrammarError::Engine("analyse the sound"));
            }
            let made = usize::try_from(frames).unwrap_or(0).min(BATCH);
            out.extend_from_slice(&rows[..made]);
            if left == 0 && made < BATCH || made == 0 {
                return Ok(());
            }
        }
    }

    /// Searches on through normalised cepstra.
    pub(super) fn search(&mut self, frames: &mut [Cepstrum]) -> Result<(), GrammarError> {
        let mut pointers: Vec<*mut f32> = frames.iter_mut().map(|frame| frame.as_mut_ptr()).collect();
        let count = i32::try_from(pointers.len()).map_err(|_| GrammarError::Engine("take so much sound"))?;
        // SAFETY: `pointers` holds `count` rows of `CEPSTRA` floats that outlive the call.
        let status = unsafe { ffi::ps_process_cep(self.raw, pointers.as_mut_ptr(), count, 0, 0) };
        if status < 0 { Err(GrammarError::Engine("search the sound")) } else { Ok(()) }
    }

    /// Ends the utterance.
    pub(super) fn end(&mut self) -> Result<(), GrammarError> {
        let mut rest = [0f32; CEPSTRA];
        let mut frames = 0;
        // SAFETY: both objects are live; `rest` takes the one frame the front end may still hold,
        // which is silence by construction and dropped.
        let status = unsafe {
            ffi::fe_end_utt(self.front_end, rest.as_mut_ptr(), &raw mut frames);
            ffi::ps_end_utt(self.raw)
        };
        if status < 0 { Err(GrammarError::Engine("end the utterance")) } else { Ok(()) }
    }

    /// The best hypothesis now.
    pub(super) fn best(&mut self) -> Option<Vec<String>> {
        let mut score = 0;
        // SAFETY: `raw` is live; the string stays with the decoder and is copied before the next call.
        let text = unsafe { copy_text(ffi::ps_get_hyp(self.raw, &raw mut score)) }?;
        Some(split_words(&text))
    }
}

impl Drop for PocketSphinxDecoder {
    fn drop(&mut self) {
        // SAFETY: both came from their constructors and are freed once; the front end may be null.
        unsafe {
            if !self.front_end.is_null() {
                ffi::fe_free(self.front_end);
            }
            ffi::ps_free(self.raw);
        }
    }
}

/// Copies a C string; `None` for null.
///
/// # Safety
/// `text` is null or points to a string that ends in NUL.
unsafe fn copy_text(text: *const std::ffi::c_char) -> Option<String> {
    if ptr::eq(text, ptr::null()) {
        return None;
    }
    // SAFETY: not null, and ends in NUL by this function's contract.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// Words of a hypothesis: alternates lose their number, fillers are left out.
fn split_words(text: &str) -> Vec<String> {
    text.split_whitespace()
        .map(|word| word.split_once('(').map_or(word, |(base, _)| base))
        .filter(|word| !word.is_empty() && !word.starts_with(['<', '[', '+']))
        .map(str::to_owned)
        .collect()
}

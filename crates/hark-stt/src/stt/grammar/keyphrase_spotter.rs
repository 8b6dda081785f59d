//! Keyphrase spotting with PocketSphinx: each phrase competes with a loop of all phones, and the log-likelihood ratio is
//! the evidence for it. Used for typed wake words and to verify trained ones.

use super::builder::acoustic_dir;
use super::error::GrammarError;
use super::ffi;
use super::options::Options;
use super::pronunciation::{CmuDictionary, PronunciationLexicon};
use super::temporary_files::TemporaryFiles;
use hark_core::ports::Pronounce;
use std::ffi::CStr;
use std::fmt::Write as _;
use std::path::Path;
use std::ptr;

/// Evidence from which PocketSphinx tells of a phrase at all, as a power of ten.
const MIN_EVIDENCE: &str = "1e-50";
/// What PocketSphinx takes from the evidence it tells (`KWS_MAX` of `kws_detections.c`), and what a unit of it is
/// worth in powers of ten: 1024 × log₁₀ 1.0001.
const KWS_OFFSET: i32 = 1500;
const DECADES_PER_UNIT: f32 = 0.044_47;
/// Frames a second.
const FRAMES_PER_S: i32 = 100;
/// Maximum length of a phone: a longer match has only found a long silence.
const MAX_PHONE_FRAMES: i32 = 30;
/// Phrases of fewer phones are in everything that is said.
const MIN_PHONES: usize = 5;
/// The search keeps a list of all it found: after so long it begins anew when it is quiet, and after so long in any
/// case.
const RESTART_WHEN_QUIET_S: i32 = 20;
const RESTART_S: i32 = 120;
/// Peak of what is quiet.
const MAX_QUIET_PEAK: u16 = 300;

/// A phrase was heard.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyphraseHit {
    /// Which, in the order they were given.
    pub phrase: usize,
    /// Powers of ten by which each of its phones fits better than whatever else it may be: a long phrase has had as
    /// many more chances not to fit, and is as much less likely by chance.
    pub decades_per_phone: f32,
}

struct Phrase {
    text: String,
    phones: u16,
    /// Where the last report of it ended.
    reported_until: i32,
}

/// Owns a `ps_decoder_t` that spots phrases.
pub struct KeyphraseSpotter {
    raw: *mut ffi::PsDecoder,
    phrases: Vec<Phrase>,
    /// Frames since the search began.
    frames: i32,
}

// SAFETY: as for the recogniser's decoder: the C object holds no thread-local state and shares nothing, and all
// calls need `&mut self`.
unsafe impl Send for KeyphraseSpotter {}

impl KeyphraseSpotter {
    /// Loads the acoustic model of `model_dir` (PocketSphinx's language folder) to listen for `phrases`, written as
    /// words; tenths of a second. Passing files go to `work_dir`.
    ///
    /// # Errors
    /// When a phrase has no words, words without a pronunciation, or too few phones; when the model is missing.
    pub fn load(
        model_dir: &Path,
        work_dir: &Path,
        phrases: &[String],
        pronounce: &dyn Pronounce,
    ) -> Result<Self, GrammarError> {
        let acoustic = acoustic_dir(model_dir)?;
        let cmu = CmuDictionary::load(&model_dir.join("cmudict-en-us.dict"))?;
        let phrases: Vec<String> = phrases.iter().map(|phrase| phrase.to_lowercase()).collect();
        let words = phrases.iter().flat_map(|phrase| phrase.split_whitespace());
        let mut words: Vec<String> = words.map(str::to_owned).collect();
        words.sort_unstable();
        words.dedup();
        let lexicon = PronunciationLexicon::build(&words, &cmu.index(), pronounce);
        let checked: Vec<Phrase> =
            phrases.iter().map(|phrase| check(phrase, &lexicon)).collect::<Result<_, _>>()?;
        let mut listed = String::new();
        for Phrase { text, .. } in &checked {
            let _ = writeln!(listed, "{text} /{MIN_EVIDENCE}/");
        }
        let files = TemporaryFiles::within(work_dir);
        let options = Options::new()?
            .path(c"-hmm", &acoustic)?
            .path(c"-dict", &files.write("words.dict", &lexicon.to_text())?)?
            .path(c"-kws", &files.write("phrases.txt", &listed)?)?
            .flag(c"-remove_silence", false)
            .flag(c"-dither", true)
            .whole(c"-seed", 1);
        // SAFETY: `options` is live; the decoder takes its own reference to it, and has read the files when it returns.
        let raw = unsafe { ffi::ps_init(options.as_ptr()) };
        if raw.is_null() {
            let what = "the acoustic model, or the wake phrases";
            return Err(GrammarError::Refused { what, folder: acoustic });
        }
        let mut this = Self { raw, phrases: checked, frames: 0 };
        this.begin()?;
        Ok(this)
    }

    fn begin(&mut self) -> Result<(), GrammarError> {
        self.frames = 0;
        self.phrases.iter_mut().for_each(|phrase| phrase.reported_until = -1);
        // SAFETY: `raw` is live.
        if unsafe { ffi::ps_start_utt(self.raw) } < 0 {
            return Err(GrammarError::Engine("begin to spot phrases"));
        }
        Ok(())
    }

    /// Forgets what was heard.
    ///
    /// # Errors
    /// When PocketSphinx fails.
    pub fn restart(&mut self) -> Result<(), GrammarError> {
        // SAFETY: `raw` is live and in an utterance.
        if unsafe { ffi::ps_end_utt(self.raw) } < 0 {
            return Err(GrammarError::Engine("end spotting phrases"));
        }
        self.begin()
    }

    /// Takes the next samples (16 kHz mono) and appends what was heard to `out`, a tenth of a second after its end.
    ///
    /// # Errors
    /// When PocketSphinx fails.
    pub fn listen(&mut self, samples: &[i16], out: &mut Vec<KeyphraseHit>) -> Result<(), GrammarError> {
        let is_quiet = samples.iter().all(|sample| sample.unsigned_abs() < MAX_QUIET_PEAK);
        let seconds = self.frames / FRAMES_PER_S;
        if seconds >= RESTART_S || (is_quiet && seconds >= RESTART_WHEN_QUIET_S) {
            self.restart()?;
        }
        // SAFETY: `raw` is live; the samples outlive the call.
        let made = unsafe { ffi::ps_process_raw(self.raw, samples.as_ptr(), samples.len(), 0, 0) };
        if made < 0 {
            return Err(GrammarError::Engine("spot phrases"));
        }
        self.frames += made;
        // SAFETY: `raw` is live; the iterator is advanced until it is null, which frees it.
        let mut segment = unsafe { ffi::ps_seg_iter(self.raw) };
        while !segment.is_null() {
            self.report_segment(segment, out);
            // SAFETY: `segment` is live and not used again.
            segment = unsafe { ffi::ps_seg_next(segment) };
        }
        Ok(())
    }

    fn report_segment(&mut self, segment: *mut ffi::PsSegment, out: &mut Vec<KeyphraseHit>) {
        let (mut start, mut end) = (0, 0);
        // SAFETY: `segment` is live; the text stays with it until the next step; the scores asked for may not be null.
        let (text, told) = unsafe {
            ffi::ps_seg_frames(segment, &raw mut start, &raw mut end);
            let (mut acoustic, mut language, mut backoff) = (0, 0, 0);
            let told = ffi::ps_seg_prob(segment, &raw mut acoustic, &raw mut language, &raw mut backoff);
            let text = ffi::ps_seg_word(segment);
            if ptr::eq(text, ptr::null()) {
                return;
            }
            (CStr::from_ptr(text).to_string_lossy(), told)
        };
        let found = self.phrases.iter_mut().enumerate().find(|(_, phrase)| phrase.text == text.trim());
        let Some((number, phrase)) = found else { return };
        if end <= phrase.reported_until || end - start > MAX_PHONE_FRAMES * i32::from(phrase.phones) {
            return;
        }
        phrase.reported_until = end;
        let decades = (told + KWS_OFFSET) as f32 * DECADES_PER_UNIT;
        out.push(KeyphraseHit { phrase: number, decades_per_phone: decades / f32::from(phrase.phones) });
    }
}

impl Drop for KeyphraseSpotter {
    fn drop(&mut self) {
        // SAFETY: it came from `ps_init` and is freed once.
        unsafe { ffi::ps_free(self.raw) };
    }
}

fn check(phrase: &str, lexicon: &PronunciationLexicon) -> Result<Phrase, GrammarError> {
    let words: Vec<&str> = phrase.split_whitespace().collect();
    let refused = |why: String| GrammarError::Phrase { phrase: phrase.to_owned(), why };
    let mut phones = 0;
    for word in &words {
        let said = lexicon.phones(word);
        let said = said.ok_or_else(|| refused(format!("there is no pronunciation of \"{word}\"")))?;
        phones += said.split_whitespace().count();
    }
    if phones < MIN_PHONES {
        return Err(refused(format!(
            "it has {phones} phones, and would be heard in everything that is said"
        )));
    }
    let too_long = |_| refused("it is too long".into());
    Ok(Phrase { text: words.join(" "), phones: u16::try_from(phones).map_err(too_long)?, reported_until: -1 })
}

//! Hand-written declarations of the part of PocketSphinx and SphinxBase (Debian 0.8+5prealpha) that
//! the grammar recogniser and the phrase spotter call. Source: `/usr/include/pocketsphinx/*.h`, `/usr/include/*/sphinxbase/*.h`.
//! Debian builds both in floating point, so `mfcc_t` is `f32` here.

use std::ffi::{c_char, c_double, c_int, c_long, c_void};

/// A C object that is only ever handled by pointer.
macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[repr(C)]
        pub struct $name {
            _private: [u8; 0],
        }
    )+};
}

opaque! {
    /// `cmd_ln_t`: a set of options.
    CmdLn,
    /// `arg_t`: the definition of the options a decoder has.
    ArgDefinition,
    /// `ps_decoder_t`.
    PsDecoder,
    /// `ps_seg_t`: a place in a list of words with their times.
    PsSegment,
    /// `fe_t`: the front end that makes cepstra of samples.
    FrontEnd,
    /// `ngram_model_t`.
    NgramModel,
    /// `logmath_t`.
    LogMath,
}

/// `NGRAM_AUTO`: find the type of a language model file out from its content.
pub const NGRAM_AUTO: c_int = 0;

#[link(name = "sphinxbase")]
unsafe extern "C" {
    pub fn err_set_logfp(stream: *mut c_void);

    pub fn cmd_ln_init(inout: *mut CmdLn, definition: *const ArgDefinition, strict: i32, ...) -> *mut CmdLn;
    pub fn cmd_ln_free_r(options: *mut CmdLn) -> c_int;
    pub fn cmd_ln_set_str_r(options: *mut CmdLn, name: *const c_char, value: *const c_char);
    pub fn cmd_ln_set_int_r(options: *mut CmdLn, name: *const c_char, value: c_long);
    pub fn cmd_ln_set_float_r(options: *mut CmdLn, name: *const c_char, value: c_double);

    pub fn fe_init_auto_r(options: *mut CmdLn) -> *mut FrontEnd;
    pub fn fe_free(fe: *mut FrontEnd) -> c_int;
    pub fn fe_start_stream(fe: *mut FrontEnd);
    pub fn fe_start_utt(fe: *mut FrontEnd) -> c_int;
    pub fn fe_get_output_size(fe: *mut FrontEnd) -> c_int;
    pub fn fe_process_frames(
        fe: *mut FrontEnd,
        inout_samples: *mut *const i16,
        inout_count: *mut usize,
        cepstra: *mut *mut f32,
        inout_frames: *mut i32,
        out_frame_index: *mut i32,
    ) -> c_int;
    pub fn fe_end_utt(fe: *mut FrontEnd, cepstrum: *mut f32, out_frames: *mut i32) -> c_int;

    pub fn logmath_init(base: c_double, shift: c_int, use_table: c_int) -> *mut LogMath;
    pub fn logmath_free(math: *mut LogMath) -> c_int;
    pub fn logmath_exp(math: *mut LogMath, value: c_int) -> c_double;

    pub fn ngram_model_read(
        options: *mut CmdLn,
        file: *const c_char,
        kind: c_int,
        math: *mut LogMath,
    ) -> *mut NgramModel;
    pub fn ngram_model_free(model: *mut NgramModel) -> c_int;
    pub fn ngram_model_get_counts(model: *mut NgramModel) -> *const u32;
    pub fn ngram_wid(model: *mut NgramModel, word: *const c_char) -> i32;
    pub fn ngram_word(model: *mut NgramModel, word: i32) -> *const c_char;
    pub fn ngram_ng_prob(
        model: *mut NgramModel,
        word: i32,
        history: *mut i32,
        history_length: i32,
        out_used: *mut i32,
    ) -> i32;
}

#[link(name = "pocketsphinx")]
unsafe extern "C" {
    pub fn ps_args() -> *const ArgDefinition;
    pub fn ps_init(options: *mut CmdLn) -> *mut PsDecoder;
    pub fn ps_free(decoder: *mut PsDecoder) -> c_int;

    pub fn ps_start_utt(decoder: *mut PsDecoder) -> c_int;
    pub fn ps_process_cep(
        decoder: *mut PsDecoder,
        cepstra: *mut *mut f32,
        frames: c_int,
        no_search: c_int,
        full_utterance: c_int,
    ) -> c_int;
    pub fn ps_end_utt(decoder: *mut PsDecoder) -> c_int;
    pub fn ps_get_hyp(decoder: *mut PsDecoder, out_score: *mut i32) -> *const c_char;

    pub fn ps_process_raw(
        decoder: *mut PsDecoder,
        samples: *const i16,
        count: usize,
        no_search: c_int,
        full_utterance: c_int,
    ) -> c_int;
    pub fn ps_seg_iter(decoder: *mut PsDecoder) -> *mut PsSegment;
    pub fn ps_seg_next(segment: *mut PsSegment) -> *mut PsSegment;
    pub fn ps_seg_word(segment: *mut PsSegment) -> *const c_char;
    pub fn ps_seg_frames(segment: *mut PsSegment, out_start: *mut c_int, out_end: *mut c_int);
    pub fn ps_seg_prob(
        segment: *mut PsSegment,
        out_acoustic: *mut i32,
        out_language: *mut i32,
        out_backoff: *mut i32,
    ) -> i32;
}

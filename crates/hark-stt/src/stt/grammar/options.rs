//! The options of a decoder, as PocketSphinx wants them.

use super::error::GrammarError;
use super::ffi;
use std::ffi::{CStr, CString};
use std::path::Path;
use std::ptr;
use std::sync::Once;

/// Owns a `cmd_ln_t`.
pub(super) struct Options {
    raw: *mut ffi::CmdLn,
}

/// PocketSphinx logs to stderr unless told otherwise; what matters comes back as a `GrammarError`.
pub(super) fn silence_log() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: a null stream is documented as "disable logging"; the call only stores the pointer,
        // and `Once` orders it before every other use of the library.
        unsafe { ffi::err_set_logfp(ptr::null_mut()) };
    });
}

impl Options {
    /// The defaults of a decoder.
    pub(super) fn new() -> Result<Self, GrammarError> {
        silence_log();
        // SAFETY: no options to change, the static definition of a decoder's options, and the
        // terminating null that the variadic call asks for.
        let raw =
            unsafe { ffi::cmd_ln_init(ptr::null_mut(), ffi::ps_args(), 1, ptr::null::<std::ffi::c_char>()) };
        if raw.is_null() { Err(GrammarError::Engine("make its options")) } else { Ok(Self { raw }) }
    }

    /// Sets a path option.
    pub(super) fn path(self, name: &CStr, value: &Path) -> Result<Self, GrammarError> {
        let value = c_path(value)?;
        // SAFETY: `raw` is live; both strings end in NUL and are copied by the callee.
        unsafe { ffi::cmd_ln_set_str_r(self.raw, name.as_ptr(), value.as_ptr()) };
        Ok(self)
    }

    /// Sets a yes/no option; the library keeps these as whole numbers.
    pub(super) fn flag(self, name: &CStr, value: bool) -> Self {
        self.whole(name, value.into())
    }

    /// Sets a whole-number option.
    pub(super) fn whole(self, name: &CStr, value: i32) -> Self {
        // SAFETY: `raw` is live and the name ends in NUL.
        unsafe { ffi::cmd_ln_set_int_r(self.raw, name.as_ptr(), value.into()) };
        self
    }

    /// Sets a real option.
    pub(super) fn real(self, name: &CStr, value: f64) -> Self {
        // SAFETY: `raw` is live and the name ends in NUL.
        unsafe { ffi::cmd_ln_set_float_r(self.raw, name.as_ptr(), value) };
        self
    }

    /// The C object, still owned by `self`.
    pub(super) fn as_ptr(&self) -> *mut ffi::CmdLn {
        self.raw
    }
}

impl Drop for Options {
    fn drop(&mut self) {
        // SAFETY: `raw` came from `cmd_ln_init` and is reference counted; decoders keep their own.
        unsafe { ffi::cmd_ln_free_r(self.raw) };
    }
}

/// A path as C wants it.
pub(super) fn c_path(path: &Path) -> Result<CString, GrammarError> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| GrammarError::Path(path.to_owned()))
}

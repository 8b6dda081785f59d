//! ALSA's library prints every device it cannot open to standard error, many lines each time; what
//! matters of that comes back as an error of the call, so its own lines go to the debug log.

#[cfg(target_os = "linux")]
mod handler {
    use std::ffi::{CStr, c_char, c_int, c_void};

    // The handler is variadic in C. Declared as an address, since Rust cannot define variadic functions;
    // the callee below looks only at the fixed arguments, which is sound in the C calling conventions
    // of Linux on x86-64, aarch64 and armv7.
    #[link(name = "asound")]
    unsafe extern "C" {
        fn snd_lib_error_set_handler(handler: *const c_void) -> c_int;
    }

    unsafe extern "C" fn note(
        _file: *const c_char,
        line: c_int,
        function: *const c_char,
        error: c_int,
        _format: *const c_char,
    ) {
        let function = if function.is_null() {
            "?".into()
        } else {
            // SAFETY: ALSA passes the name of its function, a string constant.
            unsafe { CStr::from_ptr(function) }.to_string_lossy()
        };
        tracing::debug!(line, error, "ALSA: {function}");
    }

    pub(super) fn set() {
        // SAFETY: `note` has the fixed arguments of ALSA's handler and lives as long as the program.
        unsafe { snd_lib_error_set_handler(note as *const c_void) };
    }
}

/// Sends ALSA's own lines to the debug log. Elsewhere than on Linux there is nothing to do.
pub(super) fn quieten() {
    #[cfg(target_os = "linux")]
    handler::set();
}

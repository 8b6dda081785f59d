//! Returns freed memory to the operating system after models were loaded or dropped.

/// Gives memory that is free back to the system, where the C library is glibc: it keeps the pages that
/// building the models and grammars has used once and that nothing will use again, half of what the
/// process seems to need. Takes a few milliseconds.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        // SAFETY: it may be called at any time from any thread; it touches only memory that is free.
        unsafe { malloc_trim(0) };
    }
}

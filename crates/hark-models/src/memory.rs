//! How much memory the process keeps: freed memory is returned to the operating system after models were loaded or dropped,
//! and large blocks as soon as they are freed.

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

/// Keeps what is freed from piling up, where the C library is glibc: by itself it has a heap for each thread, which
/// threads that come and go fill one after the other, and keeps blocks of up to 32 MB in them. To be called once, before threads
/// are started; where the environment has `MALLOC_ARENA_MAX` or `MALLOC_MMAP_THRESHOLD_`, that holds.
pub fn keep_little() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// Parameters of `mallopt` (`malloc.h`).
        const M_MMAP_THRESHOLD: std::ffi::c_int = -3;
        const M_ARENA_MAX: std::ffi::c_int = -8;
        const ARENAS: std::ffi::c_int = 2;
        const LARGE_BYTES: std::ffi::c_int = 1 << 20;
        unsafe extern "C" {
            fn mallopt(parameter: std::ffi::c_int, value: std::ffi::c_int) -> std::ffi::c_int;
        }
        for (parameter, value, variable) in [
            (M_ARENA_MAX, ARENAS, "MALLOC_ARENA_MAX"),
            (M_MMAP_THRESHOLD, LARGE_BYTES, "MALLOC_MMAP_THRESHOLD_"),
        ] {
            if std::env::var_os(variable).is_none() {
                // SAFETY: both are numbers `mallopt` knows; one that it refuses changes nothing.
                unsafe { mallopt(parameter, value) };
            }
        }
    }
}

#[cfg(test)]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    fn resident_kib() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Without it, the first block that is freed raises the size from which blocks are given back, and the rest stays.
    #[test]
    fn large_blocks_are_given_back_when_they_are_freed() {
        keep_little();
        drop(vec![1_u8; 16 << 20]);
        let before = resident_kib();
        let blocks: Vec<Vec<u8>> = (0..16).map(|_| vec![1_u8; 4 << 20]).collect();
        let behind = vec![1_u8; 1000];
        assert!(resident_kib() > before + 60_000);
        drop(blocks);
        assert!(resident_kib() < before + 8_000, "{} KiB, before {before}", resident_kib());
        drop(behind);
    }
}

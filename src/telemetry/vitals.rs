//! How this process is: memory and processor time, as the kernel counts them.

/// Resident memory in bytes; `None` where the system does not tell (other than Linux).
pub fn resident_bytes() -> Option<u64> {
    resident_of(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// From the lines of /proc/<pid>/status, proc(5).
fn resident_of(status: &str) -> Option<u64> {
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = kilobytes.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Lets others go first, for good: the calling thread gets processor time that nobody else wants. `by` is
/// 1 (a little) to 19 (all others).
pub fn stand_back(by: u8) {
    #[cfg(target_os = "linux")]
    {
        unsafe extern "C" {
            fn nice(by: std::ffi::c_int) -> std::ffi::c_int;
        }
        // SAFETY: it only changes the priority of the calling thread (nice(2) on Linux), and being nicer
        // is always allowed.
        unsafe { nice(by.into()) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = by;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lines_are_understood() {
        assert_eq!(resident_of("Name:\thark\nVmRSS:\t   12276 kB\nThreads:\t9\n"), Some(12_276 * 1024));
        assert_eq!(resident_of("Name:\thark\n"), None);
        assert_eq!(resident_of("VmRSS:\t lots kB\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_some_memory() {
        assert!((1 << 20..1 << 40).contains(&resident_bytes().unwrap()));
    }
}

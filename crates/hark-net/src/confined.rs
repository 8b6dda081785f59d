//! Whether the service that Hark runs in keeps sandboxes from being made. What systemd forbids a service counts for every program it
//! starts, and bubblewrap and Chromium need some of it.

use std::{env, fs};

/// What lets a service make sandboxes.
pub const FIX: &str = "let the service make sandboxes: install -Dm644 /usr/share/hark/systemd/sandbox.conf \
    /etc/systemd/system/hark.service.d/sandbox.conf (for the service of a user ~/.config/systemd/user/hark.service.d/sandbox.conf), \
    then systemctl daemon-reload, and start Hark anew";

/// What to do where a sandbox could not be made because this program is a service whose system calls are filtered; `None` where
/// it is none.
pub fn fix() -> Option<&'static str> {
    let is_service = env::var_os("INVOCATION_ID").is_some();
    (is_service && fs::read_to_string("/proc/self/status").is_ok_and(|status| is_filtered(&status)))
        .then_some(FIX)
}

/// Whether a process has a filter of system calls, by its `/proc/PID/status` (proc(5)).
fn is_filtered(status: &str) -> bool {
    status.lines().any(|line| line.strip_prefix("Seccomp:").is_some_and(|mode| mode.trim() == "2"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_seen() {
        assert!(is_filtered("Name:\thark\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t7\n"));
        assert!(!is_filtered("Name:\thark\nSeccomp:\t0\nSeccomp_filters:\t2\n"));
    }
}

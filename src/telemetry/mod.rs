//! Tracing set-up, counters, the watchdog.

//! Tools of timers, alarms, reminders and requests for later.

pub(super) mod alarm;
pub(super) mod request_times;
pub(super) mod reschedule;
pub mod schedule;
pub(super) mod timer;
pub(super) mod timer_detail;

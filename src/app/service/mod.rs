//! What others see of the daemon: its API, its health, metrics and diagnostics.

pub mod api;
pub(crate) mod background;
pub(crate) mod broadcast;
pub mod diagnostics;
pub mod health;
pub mod inspection;
pub mod metrics;
pub mod operator;
pub mod presence;
pub mod upgrade_check;
pub mod watchdog_thread;

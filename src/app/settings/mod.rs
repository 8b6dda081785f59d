//! Settings that change while the daemon runs: what can be chosen, what is kept, and how they are applied.

pub mod applier;
pub mod choices;
pub mod configuration;
pub mod store;

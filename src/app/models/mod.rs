//! Language models: built from the configuration, and asked on a thread of their own.

pub mod context;
pub mod describer;
pub mod factory;
pub mod model_files;
pub mod pulls;
pub mod relevance;
pub mod reply_prefetch;
pub mod watch;
pub mod worker;

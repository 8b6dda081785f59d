//! The way of the configuration from its file to a value that was checked: keys, ranges, rules, and what is said of mistakes.

pub(super) mod config_file;
pub(super) mod default_file;
pub(super) mod edit;
pub(super) mod findings;
pub mod keys;
pub(super) mod language_models;
pub(super) mod load;
pub(super) mod problem;
pub(super) mod renamed_keys;
pub(super) mod rules;
pub(super) mod source;

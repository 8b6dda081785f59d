//! The household's documents in the program: the index with its encoder, opened when it is needed, and kept in step while
//! the daemon runs.

mod encoder;
pub(crate) mod library;
mod settings;

pub(crate) use encoder::DocumentEncoder;
pub(crate) use settings::of as settings_of;

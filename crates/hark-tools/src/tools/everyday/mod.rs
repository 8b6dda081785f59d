//! Tools of the everyday that need no model and no device: chance, words, jokes, the sun.

pub mod chance;
pub mod jokes;
pub mod jokes_told;
mod random;
pub mod sun;
pub mod words;

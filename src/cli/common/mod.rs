//! What several subcommands use: the running daemon, a folder that goes away, random numbers from a seed, the version.

pub mod random;
pub mod running;
pub mod temporary_folder;
pub mod version;

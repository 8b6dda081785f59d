//! Words of one topic each: sums, the weather, what was told, documents, games and letters.

pub mod everyday;
pub mod knowledge;
pub mod memory;
pub mod sums;
pub mod weather;

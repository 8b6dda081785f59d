//! Fixtures that the test binaries share.

pub mod sound_card;

//! Slots marked in texts.

mod marked_text;

pub use marked_text::MarkedText;

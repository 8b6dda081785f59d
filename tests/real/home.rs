//! The demo home with the English sentences, and the recogniser that listens for them.

use hark::acting::home::file;
use hark::understanding::{Grammar, Sentences};
use std::path::PathBuf;
use std::sync::Arc;

pub fn demo() -> Arc<Grammar> {
    let dir = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/models/sentences"));
    let sentences = Sentences::load(&[dir], "en").unwrap();
    Arc::new(Grammar::new(&sentences, &file::example(true).unwrap()))
}

//! What understanding costs at 1,000 templates and 500 entities.

use crate::cli::benchmarks::samples::{Row, Samples, Unit};
use crate::cli::benchmarks::templates;
use hark_core::Fault;
use hark_core::ports::{EditCosts, SpeechGrammar, Understand};
use hark_nlu::Grammar;
use std::hint::black_box;

const PARSES: usize = 500;
const ACCEPTS: usize = 30;
/// Those of the grammar recogniser's order of magnitude.
const COSTS: EditCosts = EditCosts { delete: 0.8, insert: 1.0, substitute: 1.2, limit: 2.5 };

/// Compile, parse, accept.
pub(crate) fn rows() -> Result<Vec<Row>, Vec<Fault>> {
    let (sentences, home) = (templates::sentences()?, templates::home());
    let mut compile = Samples::default();
    let grammar = compile.time(|| Grammar::new(&sentences, &home));
    let (mut parse, mut accept) = (Samples::default(), Samples::default());
    for _ in 0..PARSES {
        parse.time(|| black_box(grammar.understand(black_box(templates::EXACT), "en")));
    }
    for text in [templates::EXACT].into_iter().chain(templates::NEAR.map(|(_, text)| text)) {
        let words: Vec<&str> = text.split(' ').collect();
        for _ in 0..ACCEPTS {
            accept.time(|| black_box(grammar.accept(black_box(&words), &COSTS)));
        }
    }
    Ok(vec![
        compile.row("templates_compile", "compile 1,000 templates for 500 entities", Unit::Us),
        parse.row("template_parse", "parse a sentence at 1,000 × 500", Unit::Us),
        accept.row("template_accept", "fit heard words to a template at 1,000 × 500", Unit::Us),
    ])
}

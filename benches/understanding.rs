//! How long it takes to compile, parse and accept sentences: the English templates with a home of 500
//! entities, and 1,000 generated templates with the same home.

use criterion::{Criterion, criterion_group, criterion_main};
use hark::cli::benchmarks::templates;
use hark_core::ports::{EditCosts, SpeechGrammar, Understand};
use hark_nlu::{Grammar, Sentences};
use std::hint::black_box;
use std::path::PathBuf;

const COSTS: EditCosts = EditCosts { delete: 0.8, insert: 1.0, substitute: 1.2, limit: 2.5 };

fn english() -> Sentences {
    let dir = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/models/languages/en/sentences"));
    Sentences::load(&[dir], "en").unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn generated() -> Sentences {
    templates::sentences().unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn bench(criterion: &mut Criterion, name: &str, sentences: &Sentences, exact: &str, near: &[(&str, &str)]) {
    let home = templates::home();
    let grammar = Grammar::new(sentences, &home);
    eprintln!("{name}: templates, nodes, states, words: {:?}", grammar.size());
    criterion.bench_function(&format!("{name}: compile"), |b| {
        b.iter(|| Grammar::new(black_box(sentences), black_box(&home)));
    });
    assert!(!grammar.understand(exact, "en").intents.is_empty(), "{exact}");
    criterion.bench_function(&format!("{name}: parse"), |b| {
        b.iter(|| grammar.understand(black_box(exact), "en"));
    });
    let words: Vec<&str> = exact.split(' ').collect();
    criterion.bench_function(&format!("{name}: accept exact"), |b| {
        b.iter(|| grammar.accept(black_box(&words), &COSTS));
    });
    for (kind, text) in near {
        let words: Vec<&str> = text.split(' ').collect();
        eprintln!("{text} -> {:?}", grammar.accept(&words, &COSTS));
        criterion.bench_function(&format!("{name}: accept {kind}"), |b| {
            b.iter(|| grammar.accept(black_box(&words), &COSTS));
        });
    }
    criterion.bench_function(&format!("{name}: sample 1000"), |b| {
        b.iter(|| grammar.sample(black_box(1000), 1));
    });
}

fn benches(criterion: &mut Criterion) {
    let near = [
        ("two words replaced", "turn of the library leading light"),
        ("one word missing", "set the kitchen to thirty five percent"),
        ("two words wrong", "turn the the library reading dim off"),
        ("nothing near", "the library of the garden is what the thirty fan of"),
    ];
    bench(criterion, "english x 500", &english(), "turn off the library reading light", &near);
    bench(criterion, "1000 x 500", &generated(), templates::EXACT, &templates::NEAR);
}

criterion_group! {
    name = understanding;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(2))
        .warm_up_time(std::time::Duration::from_millis(500));
    targets = benches
}
criterion_main!(understanding);

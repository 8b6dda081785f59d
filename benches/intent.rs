//! How long it takes to tell what kind of request a text is: encoder, head and tagger, tokenising included, on
//! one thread. `models/intent/measure.py` does the same in Python on the same encoder and head.

use criterion::{Criterion, criterion_group, criterion_main};
use hark_core::classification::Classify;
use hark_models::manifest::Manifest;
use hark_nlu::intent::{Classifier, Encoder, IntentPaths};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// Short, usual and long requests, as in `models/intent/measure.py`.
const TEXTS: [&str; 6] = [
    "lights on",
    "turn on the kitchen light",
    "what's the weather going to be like tomorrow",
    "how much is an overdraft fee",
    "add two bottles of milk and some bread to the shopping list",
    "remind me tomorrow evening at half past seven that I have to take the bins out before it rains",
];

/// Rounds over all texts, as many as in `models/intent/measure.py`.
const ROUNDS: usize = 300;

/// Median and 95th percentile over all texts, which Criterion does not print.
fn tell_shares(classifier: &mut Classifier) {
    let mut times: Vec<Duration> = Vec::with_capacity(ROUNDS * TEXTS.len());
    for text in TEXTS {
        for _ in 0..ROUNDS {
            let began = Instant::now();
            let found = black_box(classifier.classify(black_box(text)));
            times.push(began.elapsed());
            assert!(found.is_ok(), "{found:?}");
        }
    }
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    eprintln!("classify, all texts: median {:.3} ms, p95 {:.3} ms", at(50), at(95));
}

fn benches(criterion: &mut Criterion) {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let manifest = Manifest::load(&models).unwrap_or_else(|fault| panic!("{fault}"));
    let places = IntentPaths::new(&models, Path::new("/nowhere"), "");
    let mut classifier = Classifier::open(&manifest, &places, "en").unwrap_or_else(|fault| panic!("{fault}"));
    for text in TEXTS {
        let words = text.split(' ').count();
        criterion.bench_function(&format!("classify {words} words"), |b| {
            b.iter(|| classifier.classify(black_box(text)));
        });
    }
    tell_shares(&mut classifier);
    let mut turn = 0;
    criterion.bench_function("classify, in turn", |b| {
        b.iter(|| {
            turn += 1;
            classifier.classify(black_box(TEXTS[turn % TEXTS.len()]))
        });
    });
    criterion.bench_function("open the encoder", |b| {
        b.iter(|| Encoder::open(&manifest).map(|encoder| encoder.id().len()));
    });
}

criterion_group! {
    name = intent;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(2))
        .warm_up_time(Duration::from_millis(500));
    targets = benches
}
criterion_main!(intent);

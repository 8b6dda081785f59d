//! How long it takes with ten thousand facts: to find what a request has to do with, and to answer a question. A measurement,
//! with the encoder that ships: `cargo test -p hark-memory --test measure -- --ignored --nocapture`.

// Clippy knows tests by their attribute, and not the functions that help them.
#![allow(clippy::unwrap_used)]

use hark_core::Fault;
use hark_core::classification::WordVectors;
use hark_core::memory::{
    Entity, EntityKind, Fact, FactStore, Requester, SentenceVectors, Speaker, Statement, StatementReader,
};
use hark_memory::Memory;
use hark_models::manifest::Manifest;
use hark_nlu::Statements;
use hark_nlu::intent::{Encoder, TokenVectors};
use hark_store::Store;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const FACTS: usize = 10_000;
const NAMES: [&str; 12] =
    ["Anna", "Ben", "Clara", "David", "Emma", "Finn", "Greta", "Hugo", "Ida", "Jonas", "Kim", "Lea"];
const THINGS: [&str; 10] =
    ["olives", "jazz", "football", "tulips", "chess", "sailing", "coriander", "thrillers", "tea", "cycling"];

struct Shipped(Mutex<Encoder>);

impl SentenceVectors for Shipped {
    fn name(&self) -> &str {
        "shipped"
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, Fault> {
        let mut vector = Vec::new();
        self.0.lock().unwrap().embed(text, &mut vector)?;
        Ok(vector)
    }

    fn embed_words(&self, text: &str) -> Result<WordVectors, Fault> {
        let (mut vector, mut words) = (Vec::new(), TokenVectors::default());
        self.0.lock().unwrap().embed_words(text, &mut vector, &mut words)?;
        let all = text.split_whitespace().enumerate();
        Ok(all.filter_map(|(at, word)| Some((word.to_owned(), words.of_word(at)?))).collect())
    }
}

fn fact(number: usize) -> Fact {
    let name = format!("{} {}", NAMES[number % NAMES.len()], number / 60);
    let thing = THINGS[number % THINGS.len()];
    let entity = |name: &str, kind| Entity { key: name.to_lowercase(), name: name.to_owned(), kind };
    let (subject, object) = (entity(&name, EntityKind::Person), entity(thing, EntityKind::Thing));
    let statement = Statement {
        subject: subject.clone(),
        relation: "likes".into(),
        qualifier: String::new(),
        object: thing.into(),
        entity: None,
        many: true,
    };
    Fact {
        text: format!("{name} likes {thing} number {number}"),
        told_unix_ms: number as i64 * 60_000,
        statement: Some(statement),
        mentions: vec![subject, object],
        ..Fact::default()
    }
}

fn median(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort();
    (times[times.len() / 2], times[times.len() * 95 / 100])
}

#[test]
#[ignore = "a measurement"]
fn with_ten_thousand_facts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("hark.db")).unwrap();
    let mut state = 1_u32;
    let began = Instant::now();
    for number in 0..FACTS {
        let kept = store.remember(&fact(number), &[]).unwrap();
        let vector: Vec<u8> = (0..384)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect();
        store.keep_vector(kept.id, "shipped", &vector).unwrap();
    }
    println!("{FACTS} facts with vectors written in {:?}", began.elapsed());
    let reader: Arc<dyn StatementReader> = Arc::new(
        Statements::load(&[("en".to_owned(), vec![root.join("models/languages/en/memory")])]).ok().unwrap(),
    );
    let manifest = Manifest::load(&root.join("models")).unwrap();
    let encoder = Shipped(Mutex::new(Encoder::open(&manifest).unwrap()));
    let memory = Memory::new(Arc::new(store)).with_reader(reader.clone()).with_encoder(Arc::new(encoder));
    let owner = Requester { speaker: Speaker::Owner, ..Requester::default() };
    let asked = [
        "what should I cook for Anna 12 tonight",
        "plan something nice for the weekend with Ben 7",
        "who would come to a chess tournament",
        "write a birthday card",
        "what is the capital of Mongolia",
    ];
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    let now = FACTS as i64 * 60_000;
    for _ in 0..21 {
        for text in asked {
            let began = Instant::now();
            memory.context(text, &owner, now, 8).unwrap();
            times[0].push(began.elapsed());
            let began = Instant::now();
            memory.recall("what does Clara 5 like", &owner).unwrap();
            times[1].push(began.elapsed());
            let began = Instant::now();
            reader.statement(text);
            times[2].push(began.elapsed());
        }
    }
    for (what, times) in
        ["context of a request", "an answer", "reading a sentence by the rules"].iter().zip(times)
    {
        let (median, high) = median(times);
        println!("{what}: median {median:?}, 95th of 100 {high:?}");
    }
}

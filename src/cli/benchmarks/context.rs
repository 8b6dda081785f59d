//! How long it takes to gather the context of a language model's request, among many passages and facts.
//!
//! The passages are made up: their words follow a distribution like that of a language, and their vectors are random, since
//! making real ones of 100,000 passages takes hours. Searching costs the same. Questions are embedded by the real encoder.

use crate::app::builder::App;
use crate::app::knowledge::{DocumentEncoder, settings_of};
use crate::cli::benchmarks::samples::{Row, Samples, Unit};
use crate::cli::random::Xorshift;
use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_core::context::ContextSource;
use hark_core::memory::{Fact, FactStore};
use hark_core::public_event::Origin;
use hark_core::{Fault, FaultKind, Task};
use hark_dialog::model_tasks::ContextSources;
use hark_knowledge::{Encoder, Knowledge, WordVectors};
use serde::Serialize;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;

const QUESTIONS: usize = 200;
/// Questions before those that are measured: models are loaded at the first.
const WARM_UP: usize = 10;
const WORDS_EACH: usize = 60;
const PASSAGES_EACH_FILE: usize = 1_000;
/// How many different words there are.
const VOCABULARY: f64 = 30_000.0;

/// Among how much context is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Scale {
    /// Passages of documents.
    pub passages: usize,
    /// Facts that were told.
    pub facts: usize,
}

/// A made-up word; small numbers are frequent.
fn word(random: &mut Xorshift) -> String {
    let rank = VOCABULARY.powf(random.unit()) as usize;
    let syllables = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu"];
    let digits = rank.to_string();
    digits.bytes().map(|digit| syllables[usize::from(digit - b'0')]).collect()
}

/// Random vectors under the name of the real encoder.
struct RandomVectors {
    name: String,
    width: usize,
    random: Xorshift,
}

impl Encoder for RandomVectors {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimension(&self) -> usize {
        self.width
    }

    fn encode(&mut self, text: &str, sentence: &mut Vec<f32>, words: &mut WordVectors) -> Result<(), Fault> {
        let mut numbers =
            |count: usize| (0..count).map(|_| (self.random.unit() - 0.5) as f32).collect::<Vec<f32>>();
        *sentence = numbers(self.width);
        words.width = self.width;
        words.numbers = numbers(self.width * text.split(' ').count());
        Ok(())
    }
}

pub(crate) fn rows(
    config: &Config,
    folder: &TemporaryFolder,
    scale: Scale,
    progress: &mut impl FnMut(&str),
) -> Result<Vec<Row>, Vec<Fault>> {
    let one = |fault: Fault| vec![fault];
    progress("making up documents");
    let index = folder.path().join("passages.db");
    fill(config, folder.path(), &index, scale.passages).map_err(one)?;
    let mut config = config.clone();
    config.knowledge.index = index.display().to_string();
    config.knowledge.folders.clear();
    // What is late is measured too.
    let budgets = &mut config.route;
    for budget in [
        &mut budgets.session_budget_ms,
        &mut budgets.knowledge_budget_ms,
        &mut budgets.memory_budget_ms,
        &mut budgets.home_budget_ms,
    ] {
        *budget = 10_000;
    }
    let app = App::open(config)?;
    progress("telling facts");
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    for number in 0..scale.facts {
        let words: Vec<String> = (0..8).map(|_| word(&mut random)).collect();
        let text = format!("the {} of {} is in the {}", words[0], words[1], words[2..].join(" "));
        app.store().remember(&fact(text, number), &[]).map_err(one)?;
    }
    let memory = &app.languages.memory;
    while memory.embed_missing(500).map_err(one)? > 0 {}
    progress("gathering context");
    let context = app.context();
    let (mut all, mut each) = (Samples::default(), [(); 4].map(|()| Samples::default()));
    for number in 0..WARM_UP + QUESTIONS {
        let words: Vec<String> = (0..5).map(|_| word(&mut random)).collect();
        let task = question(format!("where is the {} of the {}", words[0], words[1..].join(" ")));
        let begun = std::time::Instant::now();
        let found = app.runtime.block_on(context.gather(&task, None, false, true));
        if number < WARM_UP {
            continue;
        }
        all.push(begun.elapsed().as_secs_f64() * 1000.0);
        let sources =
            [ContextSource::Session, ContextSource::Knowledge, ContextSource::Memory, ContextSource::Home];
        for (source, samples) in sources.into_iter().zip(&mut each) {
            found
                .parts
                .iter()
                .filter(|part| part.source == source)
                .for_each(|part| samples.push(part.took_ms));
        }
    }
    let [session, knowledge, memory, home] = each;
    Ok(vec![
        all.row("context_gathering", "context of a request: all sources at once", Unit::Ms),
        session.row("context_session", "of it: earlier turns", Unit::Ms),
        knowledge.row("context_knowledge", "of it: passages of documents", Unit::Ms),
        memory.row("context_memory", "of it: what was told", Unit::Ms),
        home.row("context_home", "of it: the home", Unit::Ms),
    ])
}

fn fact(text: String, number: usize) -> Fact {
    Fact {
        id: 0,
        text,
        told_unix_ms: i64::try_from(number).unwrap_or_default(),
        source: Default::default(),
        statement: None,
        told: String::new(),
        mentions: Vec::new(),
        time: None,
        ended_unix_ms: None,
        replaced_by: None,
    }
}

fn question(text: String) -> Task {
    Task {
        turn: "bench".into(),
        origin: Origin::Cli,
        session: "bench".into(),
        text,
        language: "en".into(),
        kind: None,
        pictures: Vec::new(),
        hint: None,
        spoken: false,
        person: None,
        change: None,
        model: None,
        resume: None,
    }
}

/// Writes documents with so many passages, and indexes them.
fn fill(config: &Config, folder: &Path, index: &Path, passages: usize) -> Result<(), Fault> {
    let failed = |what: &Path, error: &dyn std::fmt::Display| {
        let message = format!("{}: {error}", what.display());
        Fault::new(FaultKind::Failed, "bench", message, "make room in the temporary folder")
    };
    let documents = folder.join("documents");
    std::fs::create_dir_all(&documents).map_err(|error| failed(&documents, &error))?;
    let mut random = Xorshift(0x2545_f491_4f6c_dd1d);
    for (number, first) in (0..passages).step_by(PASSAGES_EACH_FILE).enumerate() {
        let mut text = String::new();
        for passage in first..passages.min(first + PASSAGES_EACH_FILE) {
            let words: Vec<String> = (0..WORDS_EACH).map(|_| word(&mut random)).collect();
            // Writing to a String cannot fail.
            let _ = write!(text, "# {} {passage}\n\n{}.\n\n", words[0], words.join(" "));
        }
        let path = documents.join(format!("{number}.md"));
        std::fs::write(&path, text).map_err(|error| failed(&path, &error))?;
    }
    let real = DocumentEncoder::new(&config.paths.models_dir()?)?;
    let (name, width) = (real.name().to_owned(), real.dimension());
    let mut vectors = RandomVectors { name, width, random };
    let mut knowledge = Knowledge::open(index, settings_of(config)).map_err(|error| failed(index, &error))?;
    let go_on = &mut |_: &hark_knowledge::Progress| ControlFlow::Continue(());
    knowledge.add(&documents, &mut vectors, go_on).map_err(|error| failed(&documents, &error))?;
    Ok(())
}

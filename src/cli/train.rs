//! `hark models train`: learns what requests mean, on this machine, in seconds.

use super::unwritable;
use crate::app::language::learning;
use hark_config::Config;
use hark_core::home::Home;
use hark_core::{Fault, FaultKind, SlotSpan};
use hark_models::manifest::Manifest;
use hark_nlu::intent::data::{Data, PER_INTENT};
use hark_nlu::intent::{Encoder, IntentError, IntentPaths, Report, Step, train};
use hark_nlu::tagger::MarkedText;
use hark_nlu::{Grammar, Sentences};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// `hark models train`.
#[derive(Debug, clap::Args)]
pub struct TrainArgs {
    /// Language to learn
    #[arg(long, value_name = "CODE", default_value = "en")]
    pub lang: String,
    /// Make the head that comes with Hark: without the owner's sentences, into the models folder
    #[arg(long)]
    pub shipped: bool,
    /// Only print what would be learned from, one JSON object a line
    #[arg(long)]
    pub print_data: bool,
    /// How many sentences to sample for each intent
    #[arg(long, value_name = "NUMBER", requires = "print_data")]
    pub per_intent: Option<usize>,
    /// Also print the texts of this file, one a line, with slots marked as in `[area : kitchen]`
    #[arg(long, value_name = "FILE", requires = "print_data")]
    pub texts: Option<PathBuf>,
}

/// Runs `hark models train`.
///
/// # Errors
/// When examples or templates have mistakes, the encoder is missing, or the head cannot be written.
pub fn run(args: &TrainArgs, config: &Config, json: bool, out: &mut dyn Write) -> Result<(), Fault> {
    let paths = paths(config, args.shipped)?;
    let homes = learning::homes(config, args.shipped)?;
    let per_intent = args.per_intent.unwrap_or(PER_INTENT);
    let data = Data::gather_sampled(&paths, &args.lang, &homes, per_intent).map_err(IntentError::mistakes)?;
    if args.print_data {
        let sentences =
            Sentences::load(&paths.sentences(&args.lang), &args.lang).map_err(IntentError::mistakes)?;
        let grammar = Grammar::new(&sentences, homes.first().unwrap_or(&Home::default()));
        print(&data, &grammar, out)?;
        return args.texts.as_ref().map_or(Ok(()), |file| print_texts(file, &grammar, out));
    }
    let mut encoder = Encoder::open(&Manifest::load(&paths.models_dir)?)?;
    let mut bar = Bar::new();
    let training = train(&mut encoder, &data, &mut |step| {
        bar.step(step);
        ControlFlow::Continue(())
    })?;
    bar.end();
    let file = if args.shipped { paths.shipped_head(&args.lang) } else { paths.own_head(&args.lang) };
    training.head.write(&file)?;
    if args.shipped
        && let Some(told) = Data::of_told(&paths, &args.lang).map_err(IntentError::mistakes)?
    {
        let told = train(&mut encoder, &told, &mut |_| ControlFlow::Continue(()))?;
        told.head.write(&paths.told_head(&args.lang))?;
        tracing::info!("what is worth to be kept is told from small talk: {}", told.report);
    }
    let report = &training.report;
    let text = if json {
        described(report, &file).to_string()
    } else {
        format!("{report}\nwritten to {}; a running Hark takes it when it is quiet", file.display())
    };
    writeln!(out, "{text}").map_err(unwritable)
}

/// A bar on a terminal, nothing otherwise.
struct Bar(Option<ProgressBar>);

impl Bar {
    fn new() -> Self {
        Self(std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{msg:10} [{bar:30}] {pos}/{len} {elapsed}") {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        }))
    }

    fn step(&mut self, step: Step) {
        let Some(bar) = &self.0 else { return };
        let (message, done, of) = match step {
            Step::Encoding { done, of } => ("encoding", done, of),
            Step::Fitting { done, of } => ("fitting", done, of),
        };
        bar.set_message(message);
        bar.set_length(of as u64);
        bar.set_position(done as u64);
    }

    fn end(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

fn described(report: &Report, file: &Path) -> Value {
    let samples: Vec<Value> = report
        .samples
        .iter()
        .map(|((category, origin), count)| json!({"category": category, "origin": origin.name(), "count": count}))
        .collect();
    json!({
        "language": report.language,
        "file": file,
        "samples": samples,
        "classes": report.classes,
        "category_accuracy": report.category.value(),
        "intent_accuracy": report.intent.value(),
        "untouched_accuracy": report.untouched.value(),
        "held_out_accuracy": report.held_out.value(),
        "held_out_intent_accuracy": report.held_out_intent.value(),
        "seconds": report.embedding_s + report.fitting_s,
    })
}

fn paths(config: &Config, shipped: bool) -> Result<IntentPaths, Fault> {
    let models_dir = config.paths.models_dir()?;
    let mut paths = IntentPaths::new(&models_dir, &config.paths.state_dir()?, &config.intent.examples_dir);
    if shipped {
        paths.owner_sentences = models_dir.join("intent/none");
        paths.owner_examples = models_dir.join("intent/none");
    }
    Ok(paths)
}

/// A sentence a line; with spans where the sentences read it and mean the same.
fn print(data: &Data, grammar: &Grammar, out: &mut dyn Write) -> Result<(), Fault> {
    for sample in &data.samples {
        let read = grammar.annotate(&sample.text);
        let read = read.filter(|read| sample.label.intent.as_ref() == Some(&read.intent));
        let line = json!({
            "text": sample.text,
            "category": sample.label.category,
            "intent": sample.label.intent,
            "domain": sample.label.domain,
            "origin": sample.origin.name(),
            "untouched": sample.untouched,
            "spans": read.map(|read| read.spans),
        });
        writeln!(out, "{line}").map_err(unwritable)?;
    }
    Ok(())
}

/// Texts in spoken form, with the slots that are marked in them and what the sentences make of them.
fn print_texts(file: &Path, grammar: &Grammar, out: &mut dyn Write) -> Result<(), Fault> {
    let texts = std::fs::read_to_string(file).map_err(|error| {
        let message = format!("{}: {error}", file.display());
        Fault::new(FaultKind::BadInput, "models", message, "name a text file: --texts FILE")
    })?;
    for line in texts.lines() {
        let marked = MarkedText::of(line, grammar.lexicon());
        let read = grammar.annotate(&marked.text);
        let words: Vec<&str> = marked.words.iter().map(String::as_str).collect();
        let unmarked = |at| !SlotSpan::any_has(&marked.spans, at);
        let line = json!({
            "said": line,
            "text": marked.words.join(" "),
            "origin": "text",
            "marks": marked.spans,
            "kinds": grammar.kinds(&words, unmarked),
            "read_as": read.as_ref().map(|read| &read.intent),
            "spans": read.as_ref().map(|read| &read.spans),
        });
        writeln!(out, "{line}").map_err(unwritable)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(folder: &Path) -> Config {
        let mut config = Config::default();
        config.paths.models_dir = concat!(env!("CARGO_MANIFEST_DIR"), "/models").to_owned();
        config.paths.state_dir = folder.display().to_string();
        config
    }

    fn args(shipped: bool) -> TrainArgs {
        TrainArgs { lang: "en".to_owned(), shipped, print_data: true, per_intent: None, texts: None }
    }

    #[test]
    fn what_would_be_learned_is_printed_one_object_a_line() {
        let state = tempfile::tempdir().unwrap();
        let own = state.path().join("intent/examples/en");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join("a.yaml"), "examples:\n  - intent: Mine\n    sentences: [abracadabra]\n")
            .unwrap();
        let lines = |shipped: bool| -> Vec<Value> {
            let mut out = Vec::new();
            run(&args(shipped), &config(state.path()), false, &mut out).unwrap();
            String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let mine = |line: &Value| line["intent"] == "Mine" && line["origin"] == "owner";
        let own = lines(false);
        assert!(own.len() > 1000 && own.iter().any(mine));
        assert!(own.iter().all(|line| line["text"].is_string() && line["category"].is_string()));
        assert!(!lines(true).iter().any(mine));
        assert!(own.iter().filter(|line| line["spans"].is_array()).count() > own.len() / 3);
    }

    #[test]
    fn texts_are_printed_with_what_is_marked_and_what_the_sentences_read() {
        let state = tempfile::tempdir().unwrap();
        let file = state.path().join("texts.txt");
        std::fs::write(&file, "turn on the [device_type : light] in the kitchen\nxyzzy\n").unwrap();
        let mut out = Vec::new();
        let args = TrainArgs { per_intent: Some(1), texts: Some(file), ..args(true) };
        run(&args, &config(state.path()), false, &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        let texts: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let [known, unknown] = &texts[texts.len() - 2..] else { panic!("{out}") };
        assert_eq!(known["marks"], json!([{"slot": "device_type", "start": 3, "end": 4}]));
        assert_eq!(known["read_as"], "HassTurnOn");
        let slots: Vec<&str> =
            known["spans"].as_array().unwrap().iter().filter_map(|it| it["slot"].as_str()).collect();
        assert_eq!(slots, ["kind", "area"]);
        assert!(unknown["spans"].is_null() && unknown["text"] == "xyzzy", "{unknown}");
    }

    #[test]
    fn mistakes_in_the_owners_file_are_told_with_their_place() {
        let state = tempfile::tempdir().unwrap();
        let own = state.path().join("intent/examples/en");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join("bad.yaml"), "examples:\n  - category: weathr\n    sentences: [x]\n")
            .unwrap();
        let fault = run(&args(false), &config(state.path()), false, &mut Vec::new()).unwrap_err();
        assert_eq!(fault.kind, FaultKind::BadInput);
        assert!(fault.message.contains("bad.yaml:2:") && fault.message.contains("'weather'"), "{fault}");
    }
}

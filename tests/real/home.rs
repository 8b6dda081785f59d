//! The demo home with the English sentences, and the recogniser that listens for them.

use hark_config::stt::Stt;
use hark_core::ports::Understand;
use hark_nlu::{Grammar, Sentences};
use hark_stt::stt::grammar::{GrammarRecogniser, Tuning};
use hark_stt::stt::moonshine::MoonshineFiles;
use hark_tools::home::file;
use hark_tts::voices::espeak::Espeak;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The sentences of the demo home.
pub fn grammar() -> Arc<Grammar> {
    let sentences = Sentences::load(&[PathBuf::from(ROOT).join("models/languages/en/sentences")], "en").unwrap();
    Arc::new(Grammar::new(&sentences, &file::example(true).unwrap()))
}

/// A recogniser with the settings Hark has by default.
pub fn recogniser(grammar: &Arc<Grammar>, work_dir: &Path) -> GrammarRecogniser {
    let voice = Espeak::open(&PathBuf::from(ROOT).join("models/cache/espeak-ng-data"), 175, 50).unwrap();
    let model = Path::new("/usr/share/pocketsphinx/model/en-us");
    let tuning = Tuning::new(&Stt::default());
    let cache = PathBuf::from(ROOT).join("models/cache");
    let files = MoonshineFiles {
        runtime: cache.join("libonnxruntime.so"),
        encoder: cache.join("moonshine_tiny_en_encoder.ort"),
        decoder: cache.join("moonshine_tiny_en_decoder.ort"),
        tokens: cache.join("moonshine_tiny_en_tokens.bin"),
    };
    let made = GrammarRecogniser::new(tuning, model, grammar.clone(), Arc::new(voice), work_dir).unwrap();
    made.with_moonshine(files).unwrap()
}

/// What a text asks for: intents with their slots.
pub fn meaning(grammar: &Grammar, text: &str) -> Vec<(String, String)> {
    let intents = grammar.understand(text, "en").intents;
    intents.into_iter().map(|intent| (intent.name, serde_json::to_string(&intent.slots).unwrap())).collect()
}

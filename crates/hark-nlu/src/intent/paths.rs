//! Where the classifier's files are.

use std::path::{Path, PathBuf};

/// The folders of the classifier.
#[derive(Debug, Clone)]
pub struct IntentPaths {
    /// `models/`.
    pub models_dir: PathBuf,
    /// Where Hark keeps its state.
    pub state_dir: PathBuf,
    /// The owner's own sentence templates; `<language>/` is below it.
    pub owner_sentences: PathBuf,
    /// The owner's own examples; `<language>/` is below it.
    pub owner_examples: PathBuf,
}

impl IntentPaths {
    /// The usual places; `examples_dir` is the key `intent.examples_dir`, empty for the usual one.
    pub fn new(models_dir: &Path, state_dir: &Path, examples_dir: &str) -> Self {
        let owner_examples = match examples_dir {
            "" => state_dir.join("intent/examples"),
            folder => hark_config::paths::expand(folder),
        };
        Self {
            models_dir: models_dir.to_owned(),
            state_dir: state_dir.to_owned(),
            owner_sentences: PathBuf::from("/etc/hark/sentences"),
            owner_examples,
        }
    }

    /// The folder with everything that belongs to a language.
    pub fn language(&self, language: &str) -> PathBuf {
        self.models_dir.join("languages").join(language)
    }

    /// Folders of a language's sentence templates; those of the owner come last and win.
    pub fn sentences(&self, language: &str) -> Vec<PathBuf> {
        let owners = Some(self.owner_sentences.join(language)).filter(|folder| folder.is_dir());
        std::iter::once(self.language(language).join("sentences")).chain(owners).collect()
    }

    /// Folders of a language's statements that are kept, and of questions about them; those of the owner come last and win.
    pub fn statements(&self, language: &str) -> Vec<PathBuf> {
        let owners =
            Some(self.owner_sentences.join(language).join("memory")).filter(|folder| folder.is_dir());
        std::iter::once(self.language(language).join("memory")).chain(owners).collect()
    }

    /// The folder of the sentences that only a home with a PIN needs; nothing is learned from them.
    pub fn pin_sentences(&self, language: &str) -> PathBuf {
        self.language(language).join("sentences-pin")
    }

    /// The examples that come with Hark.
    pub fn examples(&self, language: &str) -> PathBuf {
        self.language(language).join("examples")
    }

    /// Examples of what people tell that is worth to be kept, and of small talk.
    pub fn told_examples(&self, language: &str) -> PathBuf {
        self.language(language).join("told")
    }

    /// The owner's examples.
    pub fn own_examples(&self, language: &str) -> PathBuf {
        self.owner_examples.join(language)
    }

    /// The file that marked turns are appended to.
    pub fn marked(&self, language: &str) -> PathBuf {
        self.own_examples(language).join("marked.yaml")
    }

    /// Sentences that nothing is learned from; the report says how many of them come out right.
    pub fn held_out(&self, language: &str) -> PathBuf {
        self.models_dir.join("intent/held_out").join(format!("{language}.yaml"))
    }

    /// The head that comes with Hark.
    pub fn shipped_head(&self, language: &str) -> PathBuf {
        self.models_dir.join("intent/head").join(format!("{language}.head"))
    }

    /// The head that tells what is worth to be kept from small talk; a language without examples of it has none.
    pub fn told_head(&self, language: &str) -> PathBuf {
        self.models_dir.join("intent/head").join(format!("{language}.told.head"))
    }

    /// The head that was trained on this machine.
    pub fn own_head(&self, language: &str) -> PathBuf {
        self.state_dir.join("intent").join(format!("{language}.head"))
    }
}

//! The data of the contracts: built into the program, and replaced file by file by those in a folder.

use super::ContractsError;
use std::collections::BTreeMap;
use std::path::Path;

/// Most bytes of a file in a folder of one's own.
const MAX_BYTES: u64 = 256 * 1024;

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../contracts/llm/", $name)))),*]
    };
}

/// Every file, by its path below `contracts/llm`.
const SHIPPED: &[(&str, &str)] = shipped![
    "blocks.md",
    "retry.toml",
    "tones.toml",
    "autonomy.toml",
    "language_detection/schema.json",
    "language_detection/prompt.md",
    "intent_classification/schema.json",
    "intent_classification/prompt.md",
    "tool_argument_extraction/schema.json",
    "tool_argument_extraction/prompt.md",
    "fact_extraction/schema.json",
    "fact_extraction/prompt.md",
    "tool_argument_verification/schema.json",
    "tool_argument_verification/prompt.md",
    "text_transformation/schema.json",
    "text_transformation/prompt.md",
    "scoring/schema.json",
    "scoring/prompt.md",
    "strict_answer/schema.json",
    "strict_answer/prompt.md",
    "conversational_answer/schema.json",
    "conversational_answer/prompt.md",
    "image_recognition/schema.json",
    "image_recognition/prompt.md",
    "response_formatting/schema.json",
    "response_formatting/prompt.md",
    "error_channel/schema.json",
    "error_channel/prompt.md",
    "plan/schema.json",
    "plan/prompt.md",
    "react_step/schema.json",
    "react_step/prompt.md",
];

/// The files in force.
pub(super) struct Files {
    /// Name → (place for messages, text).
    own: BTreeMap<&'static str, (String, String)>,
}

impl Files {
    /// The shipped ones, with those of a folder in their place.
    pub(super) fn read(dir: Option<&Path>, errors: &mut Vec<ContractsError>) -> Self {
        let mut own = BTreeMap::new();
        if let Some(dir) = dir.filter(|dir| !dir.is_dir()) {
            errors.push(ContractsError::Unreadable { path: dir.to_owned(), why: "not a folder".into() });
            return Self { own };
        }
        for (name, _) in dir.map(|_| SHIPPED).unwrap_or_default() {
            let Some(path) = dir.map(|dir| dir.join(name)).filter(|path| path.exists()) else { continue };
            match read(&path) {
                Ok(text) => {
                    own.insert(*name, (path.display().to_string(), text));
                }
                Err(why) => errors.push(ContractsError::Unreadable { path, why }),
            }
        }
        Self { own }
    }

    /// A file in force, with its place for messages.
    pub(super) fn get(&self, name: &str) -> (&str, &str) {
        match self.own.get(name) {
            Some((place, text)) => (place, text),
            None => SHIPPED.iter().find(|(known, _)| *known == name).copied().unwrap_or_default(),
        }
    }

    /// The shipped file, whatever the folder has.
    pub(super) fn shipped(&self, name: &str) -> (&'static str, &'static str) {
        SHIPPED.iter().find(|(known, _)| *known == name).copied().unwrap_or_default()
    }

    /// The file of the folder, if it has one of this name.
    pub(super) fn own(&self, name: &str) -> Option<(&str, &str)> {
        self.own.get(name).map(|(place, text)| (place.as_str(), text.as_str()))
    }
}

fn read(path: &Path) -> Result<String, String> {
    let size = std::fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MAX_BYTES {
        return Err(format!("{size} bytes are more than {MAX_BYTES}"));
    }
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}

//! Contracts with language models (spec: every call to a model goes through one): a schema, a prompt, a retry
//! policy and a fallback each, as data in `contracts/llm`. A model is a worker whose answer is checked and then
//! used, asked for again, or replaced; it is never followed. No clock, no threads, no network: the model comes
//! with the call.
//!
//! `files` finds the data, `matrix` reads the policies, `prompt` makes the words, `check` reads answers,
//! `call` drives it all, `stream` hands on words while they come; `reference`, `arguments`, `plan_check`, `step_values`, `tool_calls`
//! and `scoring` know what the single contracts are about.

pub mod arguments;
mod call;
mod check;
mod files;
mod outcome;
pub mod plan_check;
mod prompt;
pub mod reference;
pub mod retry_policy;
pub mod scoring;
mod sent;
mod signature;
pub mod step_values;
mod stream;
mod tool_calls;
#[cfg(test)]
mod tool_calls_tests;

pub use arguments::PipelineError;
pub use call::Options;
pub use outcome::Outcome;
pub use prompt::{fence, harmless};
pub use reference::Reference;

use hark_config::contracts::ContractsConfig;
use hark_config::paths::expand;
use hark_core::model::{Purpose, ToolSpec};
use hark_core::{Fault, FaultKind};
use retry_policy::{AutonomyWords, ContractPolicy};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Every contract there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Contract {
    /// Which language a text is in.
    LanguageDetection,
    /// What a request is about.
    IntentClassification,
    /// Arguments of a tool out of a request.
    ToolArgumentExtraction,
    /// What a text states that was said in passing.
    FactExtraction,
    /// Whether arguments say what the request says.
    ToolArgumentVerification,
    /// A text in other words.
    TextTransformation,
    /// How good an answer was.
    Scoring,
    /// An answer to a question.
    StrictAnswer,
    /// Small talk.
    ConversationalAnswer,
    /// What an image shows.
    ImageRecognition,
    /// A result in words.
    ResponseFormatting,
    /// How to go on after an error.
    ErrorChannel,
    /// Several steps for one request.
    Plan,
    /// The next step of a task that runs one tool after the other: calls of tools, or words at the end.
    ReactStep,
}

impl Contract {
    /// All, in the order of the matrix.
    pub const ALL: [Self; 14] = [
        Self::LanguageDetection,
        Self::IntentClassification,
        Self::ToolArgumentExtraction,
        Self::FactExtraction,
        Self::ToolArgumentVerification,
        Self::TextTransformation,
        Self::Scoring,
        Self::StrictAnswer,
        Self::ConversationalAnswer,
        Self::ImageRecognition,
        Self::ResponseFormatting,
        Self::ErrorChannel,
        Self::Plan,
        Self::ReactStep,
    ];

    /// Its name in the matrix, in events, and of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::LanguageDetection => "language_detection",
            Self::IntentClassification => "intent_classification",
            Self::ToolArgumentExtraction => "tool_argument_extraction",
            Self::FactExtraction => "fact_extraction",
            Self::ToolArgumentVerification => "tool_argument_verification",
            Self::TextTransformation => "text_transformation",
            Self::Scoring => "scoring",
            Self::StrictAnswer => "strict_answer",
            Self::ConversationalAnswer => "conversational_answer",
            Self::ImageRecognition => "image_recognition",
            Self::ResponseFormatting => "response_formatting",
            Self::ErrorChannel => "error_channel",
            Self::Plan => "plan",
            Self::ReactStep => "react_step",
        }
    }

    /// What a model is asked for under it.
    pub fn purpose(self) -> Purpose {
        match self {
            Self::LanguageDetection | Self::IntentClassification | Self::Scoring | Self::ErrorChannel => {
                Purpose::Route
            }
            Self::StrictAnswer
            | Self::ConversationalAnswer
            | Self::ResponseFormatting
            | Self::TextTransformation => Purpose::Answer,
            Self::Plan | Self::ReactStep => Purpose::Plan,
            Self::ToolArgumentExtraction | Self::ToolArgumentVerification | Self::FactExtraction => {
                Purpose::Extract
            }
            Self::ImageRecognition => Purpose::Describe,
        }
    }

    /// The contract of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|contract| contract.name() == name)
    }
}

/// What can be wrong with the data of the contracts.
#[derive(Debug, thiserror::Error)]
pub(super) enum ContractsError {
    #[error("{path} cannot be read: {why}")]
    Unreadable { path: PathBuf, why: String },
    #[error("{place}: {why}")]
    Malformed { place: String, why: String },
    #[error("there is no tone \"{tone}\"; there are: {known}")]
    NoSuchTone { tone: String, known: String },
}

impl From<ContractsError> for Fault {
    fn from(error: ContractsError) -> Self {
        let fix = match &error {
            ContractsError::Unreadable { .. } => "correct contracts.dir, or let Hark read the file",
            ContractsError::Malformed { .. } => "correct the file, or remove it from contracts.dir",
            ContractsError::NoSuchTone { .. } => "set contracts.tone to one of them, or to \"\"",
        };
        Self::new(FaultKind::BadConfiguration, "contracts", error.to_string(), fix)
    }
}

/// The contracts as they are in force, with what is known of the tools.
pub struct Contracts {
    terms: BTreeMap<Contract, Terms>,
    prompts: prompt::Prompts,
    settings: ContractsConfig,
    /// Words of the tone that is set; empty: none.
    tone: String,
    autonomy: AutonomyWords,
    reference: Mutex<Arc<Reference>>,
}

/// One contract.
pub(super) struct Terms {
    pub(super) policy: ContractPolicy,
    pub(super) schema: Arc<reference::Checked>,
}

impl Contracts {
    /// The shipped contracts, with what the configured folder has in their place.
    ///
    /// # Errors
    /// Everything that is wrong with them: a folder or file that cannot be read, schemas that are none, prompts
    /// that do not compile, policies that miss something, a tone that is not there.
    pub fn load(settings: &ContractsConfig) -> Result<Self, Vec<Fault>> {
        let dir = (!settings.dir.is_empty()).then(|| expand(&settings.dir));
        let mut errors = Vec::new();
        let files = files::Files::read(dir.as_deref(), &mut errors);
        let policies = retry_policy::read(&files, &mut errors);
        let tone = retry_policy::tone(&files, &settings.tone, &mut errors);
        let autonomy = retry_policy::autonomy(&files, &mut errors);
        let prompts = prompt::Prompts::compile(&files, &mut errors);
        let mut terms = BTreeMap::new();
        for (contract, policy) in policies {
            if let Some(schema) = schema_of(&files, contract, &policy, &mut errors) {
                terms.insert(contract, Terms { policy, schema: Arc::new(schema) });
            }
        }
        if !errors.is_empty() {
            return Err(errors.into_iter().map(Fault::from).collect());
        }
        let reference = Reference::new(Vec::new(), &terms);
        let reference = Mutex::new(Arc::new(reference));
        Ok(Self { terms, prompts, settings: settings.clone(), tone, autonomy, reference })
    }

    /// Tells which tools there are; what is made from them is made anew only when they are others than before.
    /// Answers whether they were.
    pub fn set_tools(&self, tools: Vec<ToolSpec>) -> bool {
        let mut reference = self.reference.lock().unwrap_or_else(PoisonError::into_inner);
        if reference.tools() == tools {
            return false;
        }
        *reference = Arc::new(Reference::new(tools, &self.terms));
        true
    }

    /// What is known of the tools now.
    pub fn reference(&self) -> Arc<Reference> {
        Arc::clone(&self.reference.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The section of the configuration it was loaded with.
    pub fn settings(&self) -> &ContractsConfig {
        &self.settings
    }

    /// What a task is told that shall get on without asking.
    pub fn autonomy(&self) -> &AutonomyWords {
        &self.autonomy
    }

    /// What happens to invalid answers under a contract.
    pub fn policy(&self, contract: Contract) -> &ContractPolicy {
        &self.terms(contract).policy
    }

    fn terms(&self, contract: Contract) -> &Terms {
        &self.terms[&contract]
    }
}

fn schema_of(
    files: &files::Files,
    contract: Contract,
    policy: &ContractPolicy,
    errors: &mut Vec<ContractsError>,
) -> Option<reference::Checked> {
    let (place, text) = files.get(&format!("{}/schema.json", contract.name()));
    let mut wrong = |why: String| errors.push(ContractsError::Malformed { place: place.to_owned(), why });
    let schema: Value = match serde_json::from_str(text) {
        Ok(schema) => schema,
        Err(error) => {
            wrong(format!("not JSON: {error}"));
            return None;
        }
    };
    let of = schema["type"].as_str();
    let expected = if policy.output == retry_policy::Output::Text { "string" } else { "object" };
    if of != Some(expected) {
        wrong(format!("its \"type\" must be \"{expected}\", as `output` in retry.toml says"));
    }
    match reference::Checked::new(schema) {
        Ok(checked) => Some(checked),
        Err(why) => {
            wrong(format!("not a JSON Schema 2020-12: {why}"));
            None
        }
    }
}

#[cfg(test)]
mod tests;

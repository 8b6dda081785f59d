//! The retry matrix, `retry.toml`: how often an invalid answer is asked for again, with which words, and what is
//! used when none is valid. And the tones, `tones.toml`, and the words of autonomy, `autonomy.toml`.

use super::files::Files;
use super::{Contract, ContractsError};
use hark_core::model::Difficulty;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What the instructions of the retries follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Ask once more, take what comes.
    BestEffort,
    /// Fewer and fewer things are allowed.
    ConstraintTightening,
    /// The schema again, with more weight.
    SchemaReinforcement,
    /// The rule again, plainly.
    HardReminder,
    /// Numbers only.
    NumericLock,
    /// Give up soon.
    FailFast,
    /// Do something else.
    AbortAndReroute,
}

/// What an answer is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// Exactly one JSON object.
    Json,
    /// Words.
    Text,
}

/// What is used in place of an answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// This.
    Value(Value),
    /// A variable of the call, as it is.
    Keep(String),
}

/// A row of the matrix.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContractPolicy {
    /// How often it is asked again.
    pub retries: u32,
    /// What the instructions follow.
    pub strategy: Strategy,
    /// What an answer is made of.
    pub output: Output,
    /// Which model.
    pub difficulty: Difficulty,
    /// 0 for the same answer every time.
    pub temperature: f32,
    /// Most tokens of an answer.
    pub max_tokens: u32,
    /// Variables a call must have.
    pub needs: Vec<String>,
    /// The prompt carries the tone.
    #[serde(default)]
    pub tone: bool,
    /// The prompt carries the local date, time and weekday.
    #[serde(default)]
    pub time: bool,
    /// One for each retry, in order.
    pub instructions: Vec<String>,
    /// What is used when no answer is valid.
    pub fallback: Fallback,
    /// The same in other languages, by ISO 639-1 code.
    #[serde(default)]
    pub fallback_in: BTreeMap<String, Value>,
}

impl ContractPolicy {
    /// What is used when no answer is valid, for a call with these variables; in the language `vars.language`.
    pub fn fallback(&self, vars: &Value) -> Value {
        let of_language = vars["language"].as_str().and_then(|language| self.fallback_in.get(language));
        match (&self.fallback, of_language) {
            (_, Some(value)) | (Fallback::Value(value), None) => value.clone(),
            (Fallback::Keep(name), None) => vars[name].clone(),
        }
    }

    /// Why it cannot be used.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.instructions.len() != self.retries as usize {
            faults.push(format!("{} retries and {} instructions", self.retries, self.instructions.len()));
        }
        if self.retries > 5 {
            faults.push(format!("retries = {} is more than 5", self.retries));
        }
        if !(0.0..=2.0).contains(&self.temperature) {
            faults.push(format!("temperature = {} is not within 0 and 2", self.temperature));
        }
        if !(1..=32_000).contains(&self.max_tokens) {
            faults.push(format!("max_tokens = {} is not within 1 and 32000", self.max_tokens));
        }
        let fits = |value: &Value| match self.output {
            Output::Json => value.is_object(),
            Output::Text => value.is_string(),
        };
        if self.fallback_in.values().any(|value| !fits(value)) {
            faults.push("fallback_in is not what `output` says".into());
        }
        match &self.fallback {
            Fallback::Value(value) if !fits(value) => {
                faults.push("fallback is not what `output` says".into())
            }
            Fallback::Keep(name) if !self.needs.contains(name) => {
                faults.push(format!("fallback keeps \"{name}\", which is not in `needs`"));
            }
            _ => {}
        }
        faults
    }
}

/// The policy of every contract; rows of one's own file replace shipped ones.
pub(super) fn read(files: &Files, errors: &mut Vec<ContractsError>) -> BTreeMap<Contract, ContractPolicy> {
    let mut policies = BTreeMap::new();
    for (place, text) in [Some(files.shipped("retry.toml")), files.own("retry.toml")].into_iter().flatten() {
        let wrong = |why: String| ContractsError::Malformed { place: place.to_owned(), why };
        let rows: BTreeMap<String, toml::Value> = match toml::from_str(text) {
            Ok(rows) => rows,
            Err(error) => {
                errors.push(wrong(error.to_string()));
                continue;
            }
        };
        for (name, row) in rows {
            let Some(contract) = Contract::named(&name) else {
                errors.push(wrong(format!("[{name}]: there is no such contract")));
                continue;
            };
            match row.try_into::<ContractPolicy>() {
                Ok(policy) => {
                    errors.extend(policy.faults().into_iter().map(|why| wrong(format!("[{name}]: {why}"))));
                    policies.insert(contract, policy);
                }
                Err(error) => errors.push(wrong(format!("[{name}]: {error}"))),
            }
        }
    }
    for contract in Contract::ALL.into_iter().filter(|contract| !policies.contains_key(contract)) {
        // Only when the shipped file itself is broken, which a test excludes.
        let why = format!("[{}] is missing", contract.name());
        errors.push(ContractsError::Malformed { place: "retry.toml".into(), why });
    }
    policies
}

/// What a task is told that shall get on without asking.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutonomyWords {
    /// Rules, first in the instructions.
    pub rules: String,
    /// The answer to a needless question.
    pub proceed: String,
}

/// The words of autonomy.
pub(super) fn autonomy(files: &Files, errors: &mut Vec<ContractsError>) -> AutonomyWords {
    let (place, text) = files.get("autonomy.toml");
    toml::from_str(text).unwrap_or_else(|error| {
        errors.push(ContractsError::Malformed { place: place.to_owned(), why: error.to_string() });
        AutonomyWords::default()
    })
}

/// The words of a tone; empty for none.
pub(super) fn tone(files: &Files, name: &str, errors: &mut Vec<ContractsError>) -> String {
    let mut tones: BTreeMap<String, String> = BTreeMap::new();
    for (place, text) in [Some(files.shipped("tones.toml")), files.own("tones.toml")].into_iter().flatten() {
        match toml::from_str::<BTreeMap<String, String>>(text) {
            Ok(more) => tones.extend(more),
            Err(error) => {
                errors.push(ContractsError::Malformed { place: place.to_owned(), why: error.to_string() });
            }
        }
    }
    if name.is_empty() {
        return String::new();
    }
    tones.get(name).cloned().unwrap_or_else(|| {
        let known = tones.keys().cloned().collect::<Vec<_>>().join(", ");
        errors.push(ContractsError::NoSuchTone { tone: name.to_owned(), known });
        String::new()
    })
}

//! The configuration on HTTP: every key with what may stand in it, and changes that are written to the file.

use super::access::guard::Operator;
use super::api_error::ApiError;
use super::request_input;
use super::server_state::SharedState;
use super::wire::MistakeBody;
use axum::extract::{Request, State};
use axum::{Extension, Json};
use hark_config::keys::{self, Kind};
use hark_core::configuration::{
    ConfigurationChange, ConfigurationFile, ConfigurationState, KeyChange, KeySource, KeyState, Refusal,
};
use hark_core::{Fault, FaultKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Keys of one change.
const MAX_CHANGES: usize = 64;

/// What a key holds.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum KindWord {
    /// A whole number from `min` to `max`.
    Whole,
    /// A number from `min` to `max`.
    Number,
    /// Any text.
    Text,
    /// The path of a file that must exist; empty means none.
    File,
    /// The path of a folder; empty means the default.
    Folder,
    /// `true` or `false`.
    Flag,
    /// One of `choices`.
    Choice,
    /// A list of texts.
    List,
}

/// Where the value of a key comes from.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SourceWord {
    /// Nothing is written of it.
    Default,
    /// The configuration file.
    File,
    /// `--set` on the command line, which counts more than the file: it cannot be changed here.
    CommandLine,
}

/// A key of the configuration.
#[derive(Debug, Serialize, JsonSchema)]
struct Key {
    /// `section.key`.
    key: String,
    /// What it is for.
    about: String,
    kind: KindWord,
    /// Such as `milliseconds`.
    unit: Option<String>,
    /// Smallest number allowed.
    min: Option<Value>,
    /// Largest number allowed.
    max: Option<Value>,
    /// The words allowed.
    choices: Option<Vec<String>>,
    /// What it holds when nothing is written of it.
    default: Value,
    /// What the file and the command line say, else the default. Secrets are in files, of which only the names are told.
    configured: Value,
    /// What the running Hark goes by; another than `configured` where it waits for a restart, or was changed since.
    in_force: Value,
    source: SourceWord,
    /// Line of the file, from 1.
    line: Option<usize>,
    /// A change is in force only after a restart.
    needs_restart: bool,
    /// What is configured waits for a restart.
    is_pending: bool,
}

/// A section with its keys.
#[derive(Debug, Serialize, JsonSchema)]
struct Section {
    name: String,
    /// What it is about.
    about: String,
    keys: Vec<Key>,
}

/// Every key of the configuration.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Keys {
    /// The file that is read, and written to; it need not be there yet.
    file: String,
    /// Whether this client may change it: it shows the operator's token.
    may_change: bool,
    sections: Vec<Section>,
    /// What is wrong in the file now; it was right when Hark was started.
    mistakes: Vec<MistakeBody>,
}

/// Changes of the configuration: all of them or none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangeRequest {
    /// By `section.key` what it shall hold; null takes the key out of the file, so that its default counts.
    #[schemars(extend("minProperties" = 1, "maxProperties" = 64))]
    changes: BTreeMap<String, Value>,
}

/// What a change came to.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Changed {
    /// The file that was written; comments and everything else in it are as before.
    file: String,
    /// Keys that wait for a restart, those of changes before among them.
    needs_restart: Vec<String>,
    /// Why nothing of it is in force before a restart, though it is written; null when there is no such reason.
    not_applied: Option<String>,
}

pub(super) async fn keys(
    State(app): State<SharedState>,
    operator: Option<Extension<Operator>>,
) -> Result<Json<Keys>, ApiError> {
    let may_change = operator.is_some_and(|Extension(operator)| operator.0);
    let state = aside(&app, |file| Ok(file.state())).await?;
    Ok(Json(Keys::of(state, may_change)))
}

pub(super) async fn change(
    State(app): State<SharedState>,
    request: Request,
) -> Result<Json<Changed>, ApiError> {
    let operator = request.extensions().get::<Operator>().copied().unwrap_or_default();
    // The configuration names programs and addresses: who may write it may do everything Hark may.
    if !operator.0 {
        return Err(ApiError::forbidden(
            "only the operator may change the configuration",
            "send `Authorization: Bearer TOKEN` with what the file operator-token in the state folder holds, or what \
             dashboard.operator_token_file names",
        ));
    }
    let ChangeRequest { changes } = request_input::json(request, &app).await?;
    if changes.is_empty() || changes.len() > MAX_CHANGES {
        let message = format!("`changes` has {} keys", changes.len());
        return Err(ApiError::unprocessable(message, format!("send 1 to {MAX_CHANGES} keys")));
    }
    let changes: Vec<KeyChange> = changes
        .into_iter()
        .map(|(key, value)| KeyChange { key, value: Some(value).filter(|value| !value.is_null()) })
        .collect();
    let change = aside(&app, move |file| file.change(&changes)).await?;
    let ConfigurationChange { file, needs_restart, not_applied } = change;
    let not_applied = not_applied.map(|fault| fault.to_string());
    Ok(Json(Changed { file, needs_restart, not_applied }))
}

async fn aside<T: Send + 'static>(
    app: &SharedState,
    work: impl FnOnce(Arc<dyn ConfigurationFile>) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, ApiError> {
    let file = app.api.configuration_file();
    let done = tokio::task::spawn_blocking(move || work(file)).await;
    let done = done.unwrap_or_else(|error| {
        let message = format!("it broke off: {error}");
        Err(Refusal::Failed(Fault::new(FaultKind::Failed, "config", message, "ask again")))
    });
    Ok(done?)
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let mistakes = match refusal {
            Refusal::Failed(fault) => return fault.into(),
            Refusal::Mistakes(mistakes) => mistakes,
        };
        let told: Vec<String> =
            mistakes.iter().map(|mistake| format!("{}: {}", mistake.key, mistake.message)).collect();
        let fix = match &mistakes[..] {
            [only] => only.fix.clone(),
            _ => "correct every value `mistakes` names; nothing was written".to_owned(),
        };
        let mut error = Self::unprocessable(told.join("; "), fix);
        error.mistakes = mistakes.into_iter().map(MistakeBody::from).collect();
        error
    }
}

impl Keys {
    fn of(state: ConfigurationState, may_change: bool) -> Self {
        let mut states: BTreeMap<String, KeyState> =
            state.keys.into_iter().map(|state| (state.key.clone(), state)).collect();
        let sections = keys::sections().iter().map(|section| Section {
            name: section.name.clone(),
            about: section.doc.clone(),
            keys: section
                .keys
                .iter()
                .filter(|key| !key.is_tables())
                .filter_map(|key| Some(Key::of(key, states.remove(&key.path())?)))
                .collect(),
        });
        Self {
            file: state.file,
            may_change,
            sections: sections.collect(),
            mistakes: state.mistakes.into_iter().map(MistakeBody::from).collect(),
        }
    }
}

impl Key {
    fn of(key: &keys::Key, state: KeyState) -> Self {
        let (kind, min, max, choices) = match &key.kind {
            Kind::Whole { min, max } => (KindWord::Whole, Some((*min).into()), Some((*max).into()), None),
            Kind::Number { min, max, .. } => {
                (KindWord::Number, Some((*min).into()), Some((*max).into()), None)
            }
            Kind::Choice(words) => (KindWord::Choice, None, None, Some(words.clone())),
            Kind::Text => (KindWord::Text, None, None, None),
            Kind::File => (KindWord::File, None, None, None),
            Kind::Folder => (KindWord::Folder, None, None, None),
            Kind::Flag => (KindWord::Flag, None, None, None),
            Kind::List | Kind::Tables(_) => (KindWord::List, None, None, None),
        };
        let KeyState { key: path, configured, in_force, source, line, at_once } = state;
        Self {
            key: path,
            about: key.doc.clone(),
            kind,
            unit: key.unit().map(str::to_owned),
            min,
            max,
            choices,
            default: serde_json::to_value(&key.default).unwrap_or_default(),
            is_pending: !at_once && configured != in_force,
            configured,
            in_force,
            source: match source {
                KeySource::Default => SourceWord::Default,
                KeySource::File => SourceWord::File,
                KeySource::CommandLine => SourceWord::CommandLine,
            },
            line,
            needs_restart: !at_once,
        }
    }
}

//! Models on the disk on HTTP, and a pull of them as a job: what `hark models list|pull` does.

use crate::api_error::ApiError;
use crate::owner::operator;
use crate::request_input;
use crate::server_state::SharedState;
use axum::Json;
use axum::extract::{Request, State};
use hark_core::model_files::{FileState, ModelFile, ModelFiles, PullStage, PullState};
use hark_core::{Fault, FaultKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parts of one request.
const MAX_NAMES: usize = 100;

/// How a model is found on the disk.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StateWord {
    /// Whole and usable.
    Installed,
    Missing,
    /// It is not what the manifest says.
    Corrupt,
    /// Not made for this machine.
    Unsupported,
}

/// A model or native library.
#[derive(Debug, Serialize, JsonSchema)]
struct Model {
    /// As `hark models list` prints it.
    id: String,
    /// What sort of part it is, such as `voice`.
    role: String,
    /// What it is for; in English.
    purpose: String,
    licence: String,
    version: String,
    /// Language of a voice, such as `en-GB`.
    language: Option<String>,
    /// Null for folders.
    size_bytes: Option<u64>,
    /// Hark does without it.
    optional: bool,
    state: StateWord,
    /// How it differs, where it is corrupt.
    why: Option<String>,
    /// Other models that it is of no use without and that are not here.
    needs: Vec<String>,
}

/// How the pull stands.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PullWord {
    /// Nothing was pulled since the start.
    Idle,
    Running,
    /// What came is kept, and gone on with the next time; it is not taken for whole.
    Cancelled,
    /// Everything is whole and in its place.
    Done,
    Failed,
}

/// What is done at the moment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StageWord {
    /// A source is looked for.
    Starting,
    /// Another program pulls; it is waited for.
    Waiting,
    Downloading,
    /// It is taken from this machine.
    Copying,
    /// It is made from a model in another format.
    Converting,
}

/// How far it is.
#[derive(Debug, Serialize, JsonSchema)]
struct Progress {
    /// The model that is brought.
    id: String,
    stage: StageWord,
    /// Bytes that are here, while it is downloaded.
    done_bytes: u64,
    /// 0 where that is not known.
    total_bytes: u64,
}

/// A pull of models.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Pull {
    state: PullWord,
    /// All that is, was or was to be pulled.
    names: Vec<String>,
    /// While it goes on.
    progress: Option<Progress>,
    /// Why it did not work.
    message: Option<String>,
    /// What to do about that.
    fix: Option<String>,
}

/// Every model and library, and how the pull stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Models {
    models: Vec<Model>,
    pull: Pull,
}

/// What to pull.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PullRequest {
    /// As `/api/v1/models` names them.
    #[schemars(length(min = 1, max = 100))]
    names: Vec<String>,
}

impl From<ModelFile> for Model {
    fn from(file: ModelFile) -> Self {
        let (state, why) = match file.state {
            FileState::Installed => (StateWord::Installed, None),
            FileState::Missing => (StateWord::Missing, None),
            FileState::Corrupt { why } => (StateWord::Corrupt, Some(why)),
            FileState::Unsupported => (StateWord::Unsupported, None),
        };
        Self {
            id: file.id,
            role: file.role,
            purpose: file.purpose,
            licence: file.licence,
            version: file.version,
            language: file.language,
            size_bytes: file.size_bytes,
            optional: file.is_optional,
            state,
            why,
            needs: file.needs,
        }
    }
}

impl From<PullState> for Pull {
    fn from(state: PullState) -> Self {
        let told = |state, names| Self { state, names, progress: None, message: None, fix: None };
        match state {
            PullState::Idle => told(PullWord::Idle, Vec::new()),
            PullState::Cancelled { ids } => told(PullWord::Cancelled, ids),
            PullState::Done { ids } => told(PullWord::Done, ids),
            PullState::Failed { ids, fault } => {
                let (message, fix) = (Some(fault.message), Some(fault.fix));
                Self { message, fix, ..told(PullWord::Failed, ids) }
            }
            PullState::Running { ids, progress: at } => {
                let stage = match at.stage {
                    PullStage::Starting => StageWord::Starting,
                    PullStage::Waiting => StageWord::Waiting,
                    PullStage::Downloading => StageWord::Downloading,
                    PullStage::Copying => StageWord::Copying,
                    PullStage::Converting => StageWord::Converting,
                };
                let (done_bytes, total_bytes) = (at.done_bytes, at.total_bytes);
                let progress = Progress { id: at.id, stage, done_bytes, total_bytes };
                Self { progress: Some(progress), ..told(PullWord::Running, ids) }
            }
        }
    }
}

pub(crate) async fn list(State(app): State<SharedState>) -> Result<Json<Models>, ApiError> {
    let models = aside(&app, |files| files.list()).await?.into_iter().map(Model::from).collect();
    Ok(Json(Models { models, pull: app.api.model_files().pull_state().into() }))
}

pub(crate) async fn pull_state(State(app): State<SharedState>) -> Json<Pull> {
    Json(app.api.model_files().pull_state().into())
}

pub(crate) async fn pull(State(app): State<SharedState>, request: Request) -> Result<Json<Pull>, ApiError> {
    operator(&request, "pull models")?;
    let PullRequest { names } = request_input::json(request, &app).await?;
    if names.is_empty() || names.len() > MAX_NAMES {
        let message = format!("`names` has {}", names.len());
        return Err(ApiError::unprocessable(message, format!("send 1 to {MAX_NAMES}")));
    }
    aside(&app, move |files| files.pull(&names)).await?;
    Ok(pull_state(State(app)).await)
}

pub(crate) async fn cancel(State(app): State<SharedState>, request: Request) -> Result<Json<Pull>, ApiError> {
    operator(&request, "pull models")?;
    app.api.model_files().cancel_pull();
    Ok(pull_state(State(app)).await)
}

/// Asks where it may wait for the disk.
async fn aside<T: Send + 'static>(
    app: &SharedState,
    work: impl FnOnce(Arc<dyn ModelFiles>) -> Result<T, Fault> + Send + 'static,
) -> Result<T, ApiError> {
    let files = app.api.model_files();
    let done = tokio::task::spawn_blocking(move || work(files)).await;
    let done = done.unwrap_or_else(|error| {
        Err(Fault::new(FaultKind::Failed, "models", format!("it broke off: {error}"), "ask again"))
    });
    Ok(done?)
}

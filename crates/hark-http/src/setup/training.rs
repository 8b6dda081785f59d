//! Training a wake word on HTTP: a job that goes on while Hark runs.

use crate::api_error::ApiError;
use crate::owner::{one_name, operator};
use crate::request_input;
use crate::server_state::SharedState;
use axum::Json;
use axum::extract::{Request, State};
use hark_core::training::{TrainedWord, TrainingProgress, TrainingStage, TrainingState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which wake word to train.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrainRequest {
    /// What is to be said, three syllables or more, such as `hey house`.
    phrase: String,
}

/// How it stands.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StateWord {
    /// Nothing was trained since the start.
    Idle,
    Running,
    Cancelled,
    Done,
    Failed,
}

/// What is done at the moment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StageWord {
    /// Synthetic speakers say the word, and much else.
    Speaking,
    /// What tells the word from the rest is looked for.
    Learning,
    /// It is tried on speakers that were not learned from.
    Counting,
}

/// How far it is.
#[derive(Debug, Serialize, JsonSchema)]
struct Progress {
    stage: StageWord,
    done: usize,
    /// How much there is in the stage; 0 where that is not known.
    of: usize,
}

/// What was counted on synthetic speakers that were not learned from. People are missed more often.
#[derive(Debug, Serialize, JsonSchema)]
struct Trained {
    /// For `wake.words`.
    file: String,
    missed: usize,
    /// So often was it said.
    said: usize,
    /// How often the phrase with another word in it, or a part of it, woke.
    near_wakes: usize,
    near: usize,
    /// How often other speech woke.
    false_wakes: usize,
    other_speech_hours: f64,
}

/// The training of a wake word.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Training {
    state: StateWord,
    phrase: Option<String>,
    /// While it goes on.
    progress: Option<Progress>,
    /// When it is done.
    word: Option<Trained>,
    /// Why it did not work.
    message: Option<String>,
}

impl From<TrainingState> for Training {
    fn from(state: TrainingState) -> Self {
        let told = |state, phrase| Self { state, phrase, progress: None, word: None, message: None };
        match state {
            TrainingState::Idle => told(StateWord::Idle, None),
            TrainingState::Running { phrase, progress } => {
                Self { progress: Some(progress.into()), ..told(StateWord::Running, Some(phrase)) }
            }
            TrainingState::Cancelled { phrase } => told(StateWord::Cancelled, Some(phrase)),
            TrainingState::Done(word) => {
                let phrase = word.phrase.clone();
                Self { word: Some(word.into()), ..told(StateWord::Done, Some(phrase)) }
            }
            TrainingState::Failed { phrase, fault } => {
                Self { message: Some(fault.to_string()), ..told(StateWord::Failed, Some(phrase)) }
            }
        }
    }
}

impl From<TrainingProgress> for Progress {
    fn from(progress: TrainingProgress) -> Self {
        let stage = match progress.stage {
            TrainingStage::Speaking => StageWord::Speaking,
            TrainingStage::Learning => StageWord::Learning,
            TrainingStage::Counting => StageWord::Counting,
        };
        Self { stage, done: progress.done, of: progress.of }
    }
}

impl From<TrainedWord> for Trained {
    fn from(word: TrainedWord) -> Self {
        let TrainedWord { phrase: _, file, missed, said, near_wakes, near, false_wakes, other_speech_hours } =
            word;
        Self { file, missed, said, near_wakes, near, false_wakes, other_speech_hours }
    }
}

pub(crate) async fn state(State(app): State<SharedState>) -> Json<Training> {
    Json(app.api.wake_training().state().into())
}

pub(crate) async fn start(
    State(app): State<SharedState>,
    request: Request,
) -> Result<Json<Training>, ApiError> {
    operator(&request, "train wake words")?;
    let TrainRequest { phrase } = request_input::json(request, &app).await?;
    let training = app.api.wake_training();
    training.start(&one_name("`phrase`", &phrase)?)?;
    Ok(Json(training.state().into()))
}

pub(crate) async fn cancel(
    State(app): State<SharedState>,
    request: Request,
) -> Result<Json<Training>, ApiError> {
    operator(&request, "train wake words")?;
    let training = app.api.wake_training();
    training.cancel();
    Ok(Json(training.state().into()))
}

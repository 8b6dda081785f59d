//! What was meant with a turn that was taken wrongly, on HTTP: the handler and its objects.

use super::api_error::ApiError;
use super::handlers::kept;
use super::request_input;
use super::server_state::SharedState;
use axum::Json;
use axum::extract::{Path, Request, State};
use hark_core::{Correction, Lesson as KeptLesson};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest text of what was meant, in characters.
const MAX_MEANT: usize = 300;

/// What was meant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CorrectionRequest {
    /// Other words that say it, the name of an intent, or `none` for nothing that a home can do.
    meant: String,
    /// The kind of thing it is about, such as `cover`, where one intent serves several.
    #[serde(default)]
    domain: Option<String>,
}

/// What was kept of it: an example, which is learned from when Hark is quiet.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Lesson {
    /// The words that were taken wrongly.
    text: String,
    /// The intent they are an example of, or `none`.
    meant: String,
    /// It was known already.
    known: bool,
    /// Why it may change nothing.
    note: Option<String>,
}

pub(super) async fn taken_wrongly(
    State(app): State<SharedState>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Json<Lesson>, ApiError> {
    let CorrectionRequest { meant, domain } = request_input::json(request, &app).await?;
    let fits = |text: &str| text.chars().count() <= MAX_MEANT && !text.contains(char::is_control);
    if meant.trim().is_empty() || !fits(&meant) || !domain.iter().all(|domain| fits(domain)) {
        let fix =
            format!("send other words, an intent or `none`, at most {MAX_MEANT} characters in one line");
        return Err(ApiError::unprocessable("`meant` cannot be".to_owned(), fix));
    }
    let turn = kept(&app, id).await?.id.0;
    let KeptLesson { text, meant, known, note } =
        app.api.teach(Correction::Turn { turn, meant, domain }).await?;
    Ok(Json(Lesson { text, meant, known, note }))
}

//! Setting Hark up on HTTP: the steps of `hark setup`, each of which can be left out and done again.

pub(crate) mod models;
pub(crate) mod objects;
pub(crate) mod training;

use super::api_error::ApiError;
use super::owner::{one_name, operator};
use super::request_input;
use super::server_state::SharedState;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use hark_core::setup as port;
use objects::{
    BrokerRequest, Choices, Connected, Found, HomeAssistantRequest, ModelRequest, ModelsFound, RoomsRequest,
    SearchRequest, ServerRequest, SoundTestRequest, SoundTested, WakeTried,
};
use serde::de::DeserializeOwned;

type Answer<T> = Result<Json<T>, ApiError>;

/// Rooms of one request.
const MAX_ROOMS: usize = 50;
/// Characters of an address, a token and the like.
const MAX_WORDS: usize = 4096;

/// The body of a request of the operator.
async fn body<T: DeserializeOwned>(app: &SharedState, request: Request) -> Result<T, ApiError> {
    operator(&request, "set Hark up")?;
    request_input::json(request, app).await
}

/// What is written, put on a command line or sent on as it is: one line, not endless.
fn one_line<'text>(field: &str, text: &'text str) -> Result<&'text str, ApiError> {
    if text.chars().count() > MAX_WORDS || text.contains(char::is_control) {
        let fix = format!("send at most {MAX_WORDS} characters in one line");
        return Err(ApiError::unprocessable(format!("`{field}` cannot be"), fix));
    }
    Ok(text)
}

pub(crate) async fn choices(State(app): State<SharedState>) -> Answer<Choices> {
    Ok(Json(app.api.setup().choices().await?.into()))
}

pub(crate) async fn find(State(app): State<SharedState>, request: Request) -> Answer<Found> {
    let request: SearchRequest = body(&app, request).await?;
    Ok(Json(app.api.setup().find(request.service(), request.everywhere).await?.into()))
}

pub(crate) async fn try_sound(State(app): State<SharedState>, request: Request) -> Answer<SoundTested> {
    let request: SoundTestRequest = body(&app, request).await?;
    let device = one_name("`device`", &request.device)?;
    Ok(Json(app.api.setup().try_sound(request.test(), device).await?.into()))
}

pub(crate) async fn try_wake_word(State(app): State<SharedState>, request: Request) -> Answer<WakeTried> {
    operator(&request, "set Hark up")?;
    Ok(Json(app.api.setup().try_wake_word().await?.into()))
}

pub(crate) async fn home_assistant(State(app): State<SharedState>, request: Request) -> Answer<Connected> {
    let HomeAssistantRequest { url, token, keep } = body(&app, request).await?;
    one_line("url", &url)?;
    one_line("token", &token)?;
    let choice = port::HomeAssistantChoice { url, token, keep };
    Ok(Json(app.api.setup().home_assistant(choice).await?.into()))
}

pub(crate) async fn broker(State(app): State<SharedState>, request: Request) -> Answer<Connected> {
    let BrokerRequest { url, username, password, keep } = body(&app, request).await?;
    for (field, text) in [("url", &url), ("username", &username), ("password", &password)] {
        one_line(field, text)?;
    }
    let choice = port::BrokerChoice { url, username, password, keep };
    Ok(Json(app.api.setup().broker(choice).await?.into()))
}

pub(crate) async fn add_rooms(
    State(app): State<SharedState>,
    request: Request,
) -> Result<StatusCode, ApiError> {
    let RoomsRequest { names } = body(&app, request).await?;
    if names.is_empty() || names.len() > MAX_ROOMS {
        return Err(ApiError::unprocessable(
            format!("`names` has {}", names.len()),
            format!("send 1 to {MAX_ROOMS}"),
        ));
    }
    let names = names.iter().map(|name| one_name("one of `names`", name)).collect::<Result<Vec<_>, _>>()?;
    app.api.setup().add_rooms(names).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn models_at(State(app): State<SharedState>, request: Request) -> Answer<ModelsFound> {
    let ServerRequest { url } = body(&app, request).await?;
    one_line("url", &url)?;
    Ok(Json(app.api.setup().models_at(url).await?.into()))
}

pub(crate) async fn use_model(State(app): State<SharedState>, request: Request) -> Answer<Connected> {
    let ModelRequest { url, provider, model } = body(&app, request).await?;
    for (field, text) in [("url", &url), ("provider", &provider), ("model", &model)] {
        one_line(field, text)?;
    }
    Ok(Json(app.api.setup().use_model(url, provider, model).await?.into()))
}

//! What only the operator may have done: voices enrolled, names changed, a restart.

use super::access::guard::Operator;
use super::api_error::ApiError;
use super::household::{KnownSpeaker, with_speakers};
use super::request_input;
use super::server_state::SharedState;
use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hark_core::SAMPLE_RATE_HZ;
use hark_core::house::NameChange;
use hark_core::speaker::Enrolment;
use schemars::JsonSchema;
use serde::Deserialize;

/// Longest sound a voice is enrolled from, in seconds.
const MAX_SOUND_S: usize = 15;
/// Most bytes of it as base64.
const MAX_SOUND_BASE64: usize = (MAX_SOUND_S * SAMPLE_RATE_HZ as usize * 2).div_ceil(3) * 4;
/// Longest name, in characters, and most other names.
const MAX_NAME: usize = 100;
const MAX_ALIASES: usize = 50;

/// What somebody says, to know them by.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EnrolRequest {
    /// 16 kHz mono s16le in base64, a sentence or two of one person, at most 15 seconds.
    #[schemars(extend("contentEncoding" = "base64"))]
    sound: String,
}

/// What something is to be called.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RenameRequest {
    /// Id of an entity, an area or a floor.
    id: String,
    /// Its name; left as it is when there is none.
    #[serde(default)]
    name: Option<String>,
    /// All its other names; left as they are when there are none.
    #[serde(default)]
    aliases: Option<Vec<String>>,
}

/// Refuses everybody else.
pub(super) fn operator(request: &Request, what: &str) -> Result<(), ApiError> {
    if request.extensions().get::<Operator>().copied().unwrap_or_default().0 {
        return Ok(());
    }
    Err(ApiError::forbidden(
        format!("only the operator may {what}"),
        "send `Authorization: Bearer TOKEN` with what the file operator-token in the state folder holds, or what \
         dashboard.operator_token_file names",
    ))
}

pub(super) async fn enrol(
    State(app): State<SharedState>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Json<KnownSpeaker>, ApiError> {
    operator(&request, "enrol voices")?;
    let name = one_name("the name", &name)?;
    let (request, _place): (EnrolRequest, _) =
        request_input::long_json(request, &app, MAX_SOUND_BASE64).await?;
    let sound = samples(&request.sound)?;
    let now_unix_ms = chrono::Utc::now().timestamp_millis();
    let enrolled = with_speakers(&app, move |speakers| speakers.enrol(&name, &sound, now_unix_ms)).await?;
    match enrolled {
        Enrolment::Enrolled(person) => Ok(Json(person.into())),
        Enrolment::TooShort | Enrolment::NotHeard => {
            Err(ApiError::unprocessable("there is too little speech in it", "say a sentence or two"))
        }
        Enrolment::Known(guess) => {
            let message = format!("this is the voice of {} ({:.2})", guess.name, guess.likelihood);
            Err(ApiError::unprocessable(message, "forget that voice first, if it is the wrong name"))
        }
        Enrolment::OtherVoice => {
            let message = "this does not sound like the person of that name";
            Err(ApiError::unprocessable(message, "forget the voice first, if it was enrolled wrongly"))
        }
    }
}

pub(super) async fn rename(State(app): State<SharedState>, request: Request) -> Result<StatusCode, ApiError> {
    operator(&request, "change names")?;
    let RenameRequest { id, name, aliases } = request_input::json(request, &app).await?;
    let name = name.map(|name| one_name("`name`", &name)).transpose()?;
    let aliases = aliases.map(|aliases| {
        if aliases.len() > MAX_ALIASES {
            let fix = format!("send at most {MAX_ALIASES}");
            return Err(ApiError::unprocessable("too many `aliases`", fix));
        }
        aliases.iter().map(|alias| one_name("one of `aliases`", alias)).collect::<Result<Vec<_>, _>>()
    });
    app.api.rename(NameChange { id, name, aliases: aliases.transpose()? }).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn restart(
    State(app): State<SharedState>,
    request: Request,
) -> Result<StatusCode, ApiError> {
    operator(&request, "restart Hark")?;
    app.api.restart();
    Ok(StatusCode::NO_CONTENT)
}

/// A name as it is said: one line, not empty.
pub(super) fn one_name(what: &str, name: &str) -> Result<String, ApiError> {
    let name = name.trim();
    let length = name.chars().count();
    if !(1..=MAX_NAME).contains(&length) || name.contains(char::is_control) {
        let fix = format!("use 1 to {MAX_NAME} characters in one line");
        return Err(ApiError::unprocessable(format!("{what} is no name"), fix));
    }
    Ok(name.to_owned())
}

/// Base64 of s16le as samples of −1.0 ..= 1.0.
fn samples(base64: &str) -> Result<Vec<f32>, ApiError> {
    let bad = |message: &str| {
        ApiError::unprocessable(message, "send 16 kHz mono s16le in base64, a sentence or two")
    };
    let bytes = STANDARD.decode(base64).map_err(|_| bad("`sound` is not base64"))?;
    if bytes.is_empty() || !bytes.len().is_multiple_of(2) {
        return Err(bad("`sound` is no sound of 16 bits a sample"));
    }
    let samples =
        bytes.chunks_exact(2).map(|pair| f32::from(i16::from_le_bytes([pair[0], pair[1]])) / 32768.0);
    Ok(samples.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sound_is_read_from_base64() {
        assert_eq!(samples(&STANDARD.encode([0, 0, 0, 0x80, 0xff, 0x7f])).unwrap()[..2], [0.0, -1.0]);
        for bad in ["", "%%%", &STANDARD.encode([1, 2, 3])] {
            assert!(samples(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_are_one_line() {
        assert_eq!(one_name("x", " Küche ").unwrap(), "Küche");
        for bad in ["", "  ", "a\nb", &"x".repeat(101)] {
            assert!(one_name("x", bad).is_err());
        }
    }
}

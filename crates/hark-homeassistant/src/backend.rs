//! Carries out device commands through Home Assistant's services.

use super::ClientState;
use super::SOURCE;
use super::exposure::Exposure;
use super::home_reader;
use super::message::Refusal;
use super::service::{self, ServiceCalls};
use super::service_call::Call;
use super::websocket::{ApiHandle, Unanswered};
use hark_core::device::{DeviceBackend, DeviceCodes, DeviceCommand, DeviceError, SendFuture};
use hark_core::home::{Area, Entity};
use serde_json::Value;
use std::sync::Arc;

/// The devices of Home Assistant.
pub(super) struct Backend {
    pub shared: Arc<ClientState>,
    /// Codes that its locks and alarm panels want.
    pub codes: DeviceCodes,
}

impl DeviceBackend for Backend {
    fn source(&self) -> &'static str {
        SOURCE
    }

    fn send(&self, entity: &Entity, command: &DeviceCommand) -> SendFuture {
        let code = self.codes.of(&entity.id);
        let plan = service::plan(entity, command).and_then(|plan| plan.with_code(entity, code));
        let (shared, entity) = (Arc::clone(&self.shared), entity.clone());
        Box::pin(async move {
            let plan = plan?;
            let api = shared.api().ok_or_else(|| DeviceError::Offline(entity.name.clone()))?;
            let api = api.with_limit(shared.command_limit);
            permitted(&api, &shared.exposure(), &entity).await?;
            let order = EntityCommand { api, id: entity.id.0, name: entity.name };
            match plan {
                ServiceCalls::Calls(calls) => {
                    for call in calls {
                        order.call(&call, false).await?;
                    }
                }
                ServiceCalls::Search { query, class } => order.search(&query, class.as_deref()).await?,
                ServiceCalls::CleanArea(area) => order.clean(&area, &shared.areas()).await?,
            }
            Ok(())
        })
    }
}

/// Whether an entity may be told something at this moment: what is known of it may be seconds old.
async fn permitted(api: &ApiHandle, known: &Exposure, entity: &Entity) -> Result<(), DeviceError> {
    if known.is_everything() {
        return Ok(());
    }
    let name = entity.name.clone();
    match home_reader::is_exposed(api, known, entity).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(DeviceError::Gone(name)),
        Err(Unanswered::Gone) => Err(DeviceError::Offline(name)),
        Err(Unanswered::Late) => Err(DeviceError::Timeout(name)),
        Err(Unanswered::Refused(_)) => {
            let why = "Home Assistant does not say whether it is exposed to Assist".into();
            Err(DeviceError::Failed { name, why })
        }
    }
}

/// One entity that is told something.
struct EntityCommand {
    api: ApiHandle,
    id: String,
    name: String,
}

impl EntityCommand {
    async fn call(&self, call: &Call, return_response: bool) -> Result<Value, DeviceError> {
        let answer = self.api.ask(call.message(&self.id, return_response)).await;
        answer.map_err(|unanswered| self.error(unanswered, call))
    }

    async fn search(&self, query: &str, class: Option<&str>) -> Result<(), DeviceError> {
        let answer = self.call(&service::search(query, class), true).await?;
        let nothing =
            || DeviceError::Failed { name: self.name.clone(), why: format!("it has nothing called {query}") };
        let call = service::play_first(&self.id, &answer).ok_or_else(nothing)?;
        self.call(&call, false).await.map(drop)
    }

    async fn clean(&self, area: &str, known: &[Area]) -> Result<(), DeviceError> {
        let called = |known: &&Area| {
            let mut names = std::iter::once(&known.name).chain(&known.aliases);
            names.any(|name| name.eq_ignore_ascii_case(area))
        };
        let unknown = || DeviceError::Failed {
            name: self.name.clone(),
            why: format!("Home Assistant has no area called {area}"),
        };
        let area = known.iter().find(called).ok_or_else(unknown)?;
        self.call(&service::clean_area(&area.id), false).await.map(drop)
    }

    /// What the answer means for the person who asked.
    fn error(&self, unanswered: Unanswered, call: &Call) -> DeviceError {
        let name = self.name.clone();
        let refusal = match unanswered {
            Unanswered::Gone => return DeviceError::Offline(name),
            Unanswered::Late => return DeviceError::Timeout(name),
            Unanswered::Refused(refusal) => refusal,
        };
        // Not its message: that may repeat a password.
        tracing::debug!(entity = self.id, refusal.code, refusal.key, "Home Assistant refuses");
        let Refusal { code, message, key } = refusal;
        let cannot = key == "service_not_supported" || message.contains("not support");
        if service::is_coded(call) && about_code(&key, &message) {
            return match call.data.contains_key("code") {
                true => DeviceError::WrongCode { name, wanted: None },
                false => DeviceError::NeedsCode(name),
            };
        }
        match code.as_str() {
            // The service is not there, or not for this device.
            "not_found" => DeviceError::Unsupported { name, what: "do that" },
            _ if cannot => DeviceError::Unsupported { name, what: "do that" },
            "timeout" => DeviceError::Timeout(name),
            "unauthorized" => {
                DeviceError::Failed { name, why: "Home Assistant does not let Hark's token do that".into() }
            }
            code if message.is_empty() => {
                DeviceError::Failed { name, why: format!("Home Assistant says {code}") }
            }
            _ => DeviceError::Failed { name, why: message },
        }
    }
}

/// Whether a lock or an alarm panel was refused for its code: by the key of the words, which integrations choose
/// themselves (`code_arm_required`, `invalid_code`, `add_default_code`), or by the words.
fn about_code(key: &str, message: &str) -> bool {
    let words = |text: &str| text.to_lowercase().replace(|c: char| !c.is_alphanumeric(), " ");
    let said = format!("{} {}", words(key), words(message));
    said.split_whitespace().any(|word| ["code", "pin", "pincode", "passcode"].contains(&word))
}

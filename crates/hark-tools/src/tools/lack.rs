//! What keeps a tool from working: the owner's permissions, or what it needs itself.

use super::allowed;
use super::outcome::Failure;
use super::services::Services;
use crate::machine_grants::Lack;
use hark_core::Risk;
use serde_json::Value;

/// What the owner's permissions say against a tool.
pub(super) fn of_permission(services: &Services, tool: &str, permission: &str, risk: Risk) -> Option<Lack> {
    if risk == Risk::Dangerous && services.gate.never(permission) {
        let fix = format!("take \"{permission}\" out of permissions.deny");
        return Some(Lack { why: "the permissions never allow it".into(), fix });
    }
    allowed(services, tool, permission).err().map(|failure| of_failure(&failure))
}

/// Why, of a failure of a look whether a tool can work.
pub(super) fn of_failure(failure: &Failure) -> Lack {
    let text = |key: &str| failure.detail().get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Lack { why: text("message"), fix: text("fix") }
}

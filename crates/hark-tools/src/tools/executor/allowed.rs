//! What the owner's permissions say of a tool and of a call, before the gate is asked about its devices.

use crate::machine_grants::Lack;
use crate::tools::args::Args;
use crate::tools::descriptor::Descriptor;
use crate::tools::outcome::Failure;
use crate::tools::services::Services;
use hark_core::tool::{error_code, reason};
use hark_core::{Risk, ToolCall};
use hark_home::permission_gate::{Approval, Danger};
use serde_json::{Value, json};

/// What the owner's permissions say against a tool.
pub(in crate::tools) fn of_permission(
    services: &Services,
    tool: &str,
    permission: &str,
    risk: Risk,
) -> Option<Lack> {
    if risk == Risk::Dangerous && services.gate.never(permission) {
        let fix = format!("take \"{permission}\" out of permissions.deny");
        return Some(Lack { why: "the permissions never allow it".into(), fix });
    }
    allowed(services, tool, permission).err().map(|failure| of_failure(&failure))
}

/// Why, of a failure of a look whether a tool can work.
pub(in crate::tools) fn of_failure(failure: &Failure) -> Lack {
    let text = |key: &str| failure.detail().get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Lack { why: text("message"), fix: text("fix") }
}

/// Whether the owner has left tools of this permission switched on.
pub(in crate::tools) fn allowed(services: &Services, tool: &str, permission: &str) -> Result<(), Failure> {
    if !services.gate.denies_tool(permission) {
        return Ok(());
    }
    let message = format!("{tool} is switched off by permissions.deny_tools");
    let fix = format!("take \"{permission}\" out of permissions.deny_tools");
    Err(Failure::new(error_code::FORBIDDEN, message).fix(fix))
}

/// Whether it is refused to the person whose voice asks.
pub(in crate::tools) fn allowed_to(
    services: &Services,
    tool: &str,
    permission: &str,
    person: Option<&str>,
) -> Result<(), Failure> {
    let Some(person) = person.filter(|person| services.gate.refuses(Some(person), permission)) else {
        return Ok(());
    };
    let message = format!("{tool} is refused to {person} by permissions.people");
    Err(refused_to(person, Failure::new(error_code::FORBIDDEN, message)))
}

/// A failure with who it is refused to, for the words of it.
pub(in crate::tools) fn refused_to(person: &str, failure: Failure) -> Failure {
    failure.because(reason::PERSON).with("person", json!(person))
}

/// What is dangerous about the tool as a whole, whatever it makes of the call.
pub(in crate::tools) fn dangers_of_tool(tool: &Descriptor, args: &Args) -> Vec<Danger> {
    let danger = || {
        let step = tool.name.replace(['.', '_'], " ");
        let danger = Danger::new(tool.permission, tool.name, args.in_words(tool.name));
        danger.told("tool", json!({"tool": step, "args": args.told()}))
    };
    (tool.risk == Risk::Dangerous).then(danger).into_iter().collect()
}

/// What a person has given for this call. A PIN was looked at here, in the executor; its grant is, too.
pub(in crate::tools) fn given(services: &Services, call: &ToolCall) -> Approval {
    match call.grant {
        Some(number) if services.pin.redeem(number, &call.turn, services.now_unix_ms()) => Approval::Pin,
        _ if call.approved => Approval::Yes,
        _ => Approval::None,
    }
}

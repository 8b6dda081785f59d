//! Calls of tools that are in no table: those of MCP servers and of skills. They pass the same stages as all others: the
//! arguments are checked against the tool's schema, the permission is looked at, the gate asks, the call has its time, and
//! what came of it is a receipt. What such a tool gives back is text from outside in every case.

use super::executor::allowed::{allowed, allowed_to, given, of_permission};
use super::outcome::{Failure, GRACE, Outcome, Plan, Prepared};
use super::receipt::receipt;
use super::services::Services;
use crate::machine_grants::Lack;
use hark_core::external_tools::{ExternalFailure, ExternalTool, ExternalTools};
use hark_core::inspection::ToolState;
use hark_core::model::ToolSpec;
use hark_core::tool::{error_code, reason};
use hark_core::{Receipt, Risk, Slots, ToolCall};
use hark_home::permission_gate::{Danger, STEP};
use jsonschema::PatternOptions;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Most of the arguments that a person is told in a question, characters.
const MAX_TOLD_CHARS: usize = 200;
/// Longest list of arguments, bytes as JSON.
const MAX_ARGS_BYTES: usize = 64 * 1024;
/// Most mistakes of a call that are told.
const MAX_MISTAKES: usize = 3;

/// The tool of this name, and where it comes from.
pub(super) fn find<'s>(
    services: &'s Services,
    name: &str,
) -> Option<(&'s Arc<dyn ExternalTools>, Arc<ExternalTool>)> {
    services.external.iter().find_map(|source| Some((source, source.find(name)?)))
}

/// Those that can work, as a model is told of them.
pub(super) fn specs(services: &Services) -> Vec<ToolSpec> {
    let tools = services.external.iter().flat_map(|source| source.tools());
    tools.filter(|tool| is_available(services, tool)).map(|tool| tool.spec()).collect()
}

/// Every one, and whether it could do something now.
pub(super) fn overview(services: &Services) -> Vec<ToolState> {
    let state = |tool: Arc<ExternalTool>| {
        let lack = lack(services, &tool);
        ToolState {
            name: tool.name.clone(),
            description: tool.description.clone(),
            risk: tool.risk,
            permission: tool.permission.to_owned(),
            is_available: lack.is_none(),
            why: lack.as_ref().map(|lack| lack.why.clone()).unwrap_or_default(),
            fix: lack.map(|lack| lack.fix).unwrap_or_default(),
            arguments: tool.schema.clone(),
        }
    };
    services.external.iter().flat_map(|source| source.tools()).map(state).collect()
}

fn is_available(services: &Services, tool: &ExternalTool) -> bool {
    lack(services, tool).is_none()
}

/// What keeps a tool from doing anything; `None` when nothing does.
fn lack(services: &Services, tool: &ExternalTool) -> Option<Lack> {
    let of_trouble = || {
        let trouble = tool.trouble.as_ref()?;
        Some(Lack { why: trouble.message.clone(), fix: trouble.fix.clone() })
    };
    of_permission(services, &tool.name, tool.permission, tool.risk).or_else(of_trouble)
}

/// Why there is no tool of this name.
fn missing(services: &Services, name: &str) -> Failure {
    match services.external.iter().find_map(|source| source.missing(name)) {
        Some(trouble) => {
            let message = format!("there is no tool called {name}: {}", trouble.message);
            Failure::new(error_code::OFFLINE, message).fix(trouble.fix)
        }
        None => Failure::new(error_code::FAILED, format!("there is no tool called {name}")),
    }
}

/// Carries a call out.
pub(super) async fn run(services: &Services, call: ToolCall) -> Receipt {
    if find(services, &call.tool).is_none() {
        let started = services.external.iter().map(|source| source.started(&call.tool));
        for started in started.collect::<Vec<_>>() {
            // What does not start in time is told below.
            drop(tokio::time::timeout(services.timeout, started).await);
        }
    }
    let Some((source, tool)) = find(services, &call.tool) else {
        return Receipt { tainted: call.tainted, ..receipt(Err(missing(services, &call.tool))) };
    };
    let tainted = call.tainted;
    match gated(services, &tool, call) {
        // Nothing of the other program has been seen yet.
        Err(failure) => Receipt { tainted, ..receipt(Err(failure)) },
        Ok(args) => {
            let done = called(services, source, &tool, args).await;
            Receipt { tainted: true, ..receipt(done) }
        }
    }
}

/// The arguments of a call that may be made.
fn gated(services: &Services, tool: &ExternalTool, call: ToolCall) -> Result<Slots, Failure> {
    let args: Slots = call.args.iter().filter(|(_, value)| !value.is_null()).map(owned).collect();
    check(tool, &args)?;
    allowed(services, &tool.name, tool.permission)?;
    let person = call.requester.person.clone();
    allowed_to(services, &tool.name, tool.permission, person.as_deref())?;
    if let Some(trouble) = &tool.trouble {
        let failure = Failure::new(error_code::OFFLINE, format!("{}: {}", tool.name, trouble.message));
        return Err(failure.fix(trouble.fix.clone()));
    }
    keep_secrets(services, &args)?;
    let name = in_words(tool, &args);
    let parts = json!({"tool": tool.name, "args": told(&args)});
    let danger = |action| Danger::new(action, &tool.name, &name).told("tool", parts.clone());
    let dangers = (tool.risk == Risk::Dangerous).then(|| danger(tool.permission));
    // Its arguments go to another program, which may send them anywhere: looking is no excuse.
    let outside = (call.tainted && !(tool.trusted && tool.risk == Risk::Read)).then(|| danger(STEP));
    let nothing = Prepared::Answer(Outcome::answer(json!({})));
    let plan = Plan { prepared: nothing, dangers: dangers.into_iter().collect(), outside };
    services.gate.pass(plan, given(services, &call), person.as_deref())?;
    Ok(args)
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

/// Checks the arguments against the tool's schema.
fn check(tool: &ExternalTool, args: &Slots) -> Result<(), Failure> {
    let value = Value::Object(args.clone());
    if value.to_string().len() > MAX_ARGS_BYTES {
        let message = format!("the arguments of {} are longer than {MAX_ARGS_BYTES} bytes", tool.name);
        return Err(Failure::wrong_call("", message));
    }
    // Patterns come from another program: this engine takes no longer than the text is long.
    let schema = jsonschema::options().with_pattern_options(PatternOptions::regex()).build(&tool.schema);
    let schema = schema.map_err(|error| {
        Failure::new(error_code::FAILED, format!("the schema of {} cannot be used: {error}", tool.name))
    })?;
    let mut first = None;
    let mistakes: Vec<String> = schema
        .iter_errors(&value)
        .take(MAX_MISTAKES)
        .map(|error| {
            let at = error.instance_path().to_string();
            let argument = at.trim_start_matches('/').split('/').next().unwrap_or_default().to_owned();
            first.get_or_insert(argument);
            if at.is_empty() { error.masked().to_string() } else { format!("{at}: {}", error.masked()) }
        })
        .collect();
    match first {
        None => Ok(()),
        Some(argument) => {
            Err(Failure::wrong_call(&argument, format!("{}: {}", tool.name, mistakes.join("; "))))
        }
    }
}

/// No secret of the house is given to another program, not even after a yes.
fn keep_secrets(services: &Services, args: &Slots) -> Result<(), Failure> {
    let text = Value::Object(args.clone()).to_string();
    let fields = services.home.registry().secrets().values();
    if !services.secrets.is_in(&text, &fields, |digits| services.pin.is_pin(digits)) {
        return Ok(());
    }
    let message = "the call holds a token, a PIN, a password or a code of this house, and is not made";
    let failure = Failure::new(error_code::FORBIDDEN, message).because(reason::HOLDS_SECRET);
    Err(failure.fix("leave it out; no yes lets it through"))
}

/// The call as a person is asked about it.
fn in_words(tool: &ExternalTool, args: &Slots) -> String {
    let name = format!("tool “{}”", tool.name);
    if args.is_empty() { name } else { format!("{name} ({})", told(args)) }
}

/// The arguments as a person is asked about them, cut where they are long.
fn told(args: &Slots) -> String {
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let told: Vec<String> = args.iter().map(|(name, value)| format!("{name}: {}", plain(value))).collect();
    let (told, cut) = hark_core::external_tools::cleaned(&told.join(", "), MAX_TOLD_CHARS);
    format!("{told}{}", if cut { "…" } else { "" })
}

async fn called(
    services: &Services,
    source: &Arc<dyn ExternalTools>,
    tool: &ExternalTool,
    args: Slots,
) -> Result<Outcome, Failure> {
    let timeout = Duration::from_millis(tool.timeout_ms.into()).min(services.timeout);
    let changes = tool.risk != Risk::Read;
    let answer = tokio::time::timeout(timeout + GRACE, source.call(&tool.name, args)).await;
    let answer = answer.map_err(|_| {
        let message = format!("{} did not finish within {} ms", tool.name, timeout.as_millis());
        // It was asked, and may have done it.
        Failure::new(error_code::TIMEOUT, message).changed(changes)
    })?;
    let answer = answer.map_err(|failure| of(failure, changes))?;
    Ok(Outcome::new(changes, json!({"text": answer.text, "truncated": answer.truncated})))
}

fn of(failure: ExternalFailure, changes: bool) -> Failure {
    let told = Failure::new(failure.code, failure.message).changed(changes && failure.asked);
    if failure.fix.is_empty() { told } else { told.fix(failure.fix) }
}

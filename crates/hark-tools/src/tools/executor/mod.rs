//! Carries out a call: check the arguments, plan, the permission gate, run with a time-out, receipt. Every route passes it.

pub(in crate::tools) mod allowed;
pub(in crate::tools) mod call_order;
mod idempotent;

use super::args::Args;
use super::descriptor::Descriptor;
use super::outcome::{Failure, GRACE, Outcome, Plan, Prepared, of_devices};
use super::receipt::cache::ReceiptCache;
use super::receipt::receipt;
use super::services::Services;
use super::{automation, available, external, table, undo, untrusted_text};
use allowed::{allowed, allowed_to, dangers_of_tool, given, refused_to};
use hark_core::model::ToolSpec;
use hark_core::pin::{PinCode, PinVerdict};
use hark_core::ports::{HomeView, ReceiptFuture, Tools};
use hark_core::tool::error_code;
use hark_core::{Intent, Receipt, Risk, Slots, ToolCall, TurnId};
use hark_home::DeviceError;
use hark_home::command::Actions;
use hark_home::permission_gate::{Approval, Danger, MANY, Refusal};
use hark_home::state_proof::proves;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The executor of tools; cheap to clone.
#[derive(Clone)]
pub struct Toolbox {
    services: Arc<Services>,
    recent: Arc<ReceiptCache>,
}

impl Toolbox {
    /// An executor over these services.
    pub fn new(services: Services) -> Self {
        Self { services: Arc::new(services), recent: Arc::default() }
    }

    /// What the tools work with.
    pub fn services(&self) -> &Arc<Services> {
        &self.services
    }
}

impl Tools for Toolbox {
    fn run(&self, call: ToolCall) -> ReceiptFuture {
        let (services, recent) = (Arc::clone(&self.services), Arc::clone(&self.recent));
        Box::pin(async move {
            let again = call.clone();
            recent.once(&call, || run(services, again)).await
        })
    }

    fn has_pin(&self) -> bool {
        self.services.pin.is_set()
    }

    fn present_pin(&self, pin: &PinCode) -> PinVerdict {
        self.services.pin.present(pin, self.services.now_unix_ms())
    }

    fn secret_names(&self) -> Vec<String> {
        let home = self.services.home.registry().home();
        let secret = home.entities.iter().filter(|entity| entity.is_secret());
        secret.flat_map(|entity| entity.aliases.iter().chain([&entity.name]).cloned()).collect()
    }

    fn hide(&self, value: &str) -> String {
        self.services.home.registry().secrets().hide(value)
    }

    fn routine(&self, text: &str) -> Option<Intent> {
        automation::routine(&self.services, text)
    }

    fn risk(&self, tool: &str) -> Option<Risk> {
        let own = table::find(tool).map(|tool| tool.risk);
        own.or_else(|| external::find(&self.services, tool).map(|(_, tool)| tool.risk))
    }

    fn may_repeat(&self, tool: &str, args: &Slots) -> bool {
        idempotent::is_idempotent(&self.services, tool, args)
    }

    fn reference(&self) -> Vec<ToolSpec> {
        let services = &self.services;
        let home = services.home.registry().home();
        let works = |tool: &&&Descriptor| available::is_available(services, tool, &home);
        let own = table::TABLE.iter().filter(works).map(|tool| tool.spec());
        own.chain(external::specs(services)).collect()
    }
}

async fn run(services: Arc<Services>, call: ToolCall) -> Receipt {
    let Some(tool) = table::find(&call.tool) else { return external::run(&services, call).await };
    let tainted = call.tainted;
    let receipt = carried_out(&services, tool, call).await;
    let tainted = tainted || untrusted_text::is_in(tool, &receipt, &services);
    Receipt { tainted, ..receipt }
}

async fn carried_out(services: &Arc<Services>, tool: &'static Descriptor, call: ToolCall) -> Receipt {
    let own = tool.timeout_ms.map(|ms| Duration::from_millis(ms.into()));
    let timeout = own.map_or(services.timeout, |own| own.min(services.timeout));
    let work = execute(Arc::clone(services), tool, call);
    let result = tokio::time::timeout(timeout + GRACE, work).await.unwrap_or_else(|_| {
        let message = format!("{} did not finish within {} ms", tool.name, timeout.as_millis());
        Err(Failure::new(error_code::TIMEOUT, message))
    });
    receipt(result)
}

pub(in crate::tools) async fn execute(
    services: Arc<Services>,
    tool: &'static Descriptor,
    call: ToolCall,
) -> Result<Outcome, Failure> {
    let args = tool.check(&call.args)?.of_call(&call, services.request_times.of(&call.turn));
    allowed(&services, tool.name, tool.permission)?;
    let person = call.requester.person.as_deref();
    allowed_to(&services, tool.name, tool.permission, person)?;
    (tool.ready)(&services)?;
    let later = automation::dangers_of_later(&services, &args)?;
    let prepared = (tool.prepare)(&services, &args).map_err(|failure| of_what_left(&services, failure))?;
    let prepared = looked(prepared).await?;
    let later = if matches!(prepared, Prepared::Answer(_)) { Vec::new() } else { later };
    if tool.risk == Risk::Read
        && matches!(prepared, Prepared::Home { .. } | Prepared::Gated(..) | Prepared::Asked { .. })
    {
        // A tool that is listed as reading never gets to change anything, whatever its code says.
        let message = format!("{} may only look and wanted to change something", tool.name);
        return Err(Failure::new(error_code::FORBIDDEN, message));
    }
    let given = given(&services, &call);
    let outside = if call.tainted { untrusted_text::unasked(tool, &args, &prepared) } else { None };
    let many = many(&services, tool, &args, &prepared);
    let is_later = !later.is_empty();
    let own = dangers_of_tool(tool, &args).into_iter().chain(later);
    let dangers = own.chain(many.as_ref().map(|many| many.danger())).collect();
    let about = match &prepared {
        Prepared::Asked { about, .. } => about.clone(),
        _ => Map::new(),
    };
    let plan = Plan { prepared, dangers, outside };
    let cleared = services
        .gate
        .pass(plan, given, person)
        .map_err(|refusal| asked(&services, refusal, many.as_ref(), person))
        .map_err(|failure| if is_later { failure.with("later", json!(true)) } else { failure })
        .map_err(|failure| {
            about.into_iter().fold(failure, |failure, (key, value)| failure.with(&key, value))
        })?;
    let outcome = match cleared.into_inner().prepared {
        Prepared::Answer(outcome) => Ok(outcome),
        Prepared::Work(work)
        | Prepared::Gated(_, work)
        | Prepared::Asked { work, .. }
        | Prepared::Fetch { work, .. } => work.await,
        // Every look was taken above.
        Prepared::Look(_) => Err(Failure::new(error_code::FAILED, "a look led to another look")),
        Prepared::Home { actions, about, also } => {
            let may_be_undone = tool.name != undo::NAME;
            let turn = may_be_undone.then_some(&call.turn);
            let done = tell_devices(&services, turn, (actions, given, person), about).await?;
            match also {
                Some(work) => Ok(joined(done, work.await?)),
                None => Ok(done),
            }
        }
    }?;
    services.undo.note(&call.turn, services.now_unix_ms(), outcome.undo.iter().cloned());
    check_outcome(tool, outcome)
}

/// What is to be done, after every look at what decides it.
async fn looked(mut prepared: Prepared) -> Result<Prepared, Failure> {
    while let Prepared::Look(look) = prepared {
        prepared = look.await?;
    }
    Ok(prepared)
}

/// Says of a thing that is not found, but was there before, that it has left the home.
fn of_what_left(services: &Services, failure: Failure) -> Failure {
    let name = failure.detail().get("name").and_then(Value::as_str);
    let known = name.filter(|_| failure.code() == error_code::NOT_FOUND);
    match known.and_then(|name| services.home.registry().left(name)) {
        Some(name) => failure.with("message", json!(DeviceError::Gone(name).to_string())),
        None => failure,
    }
}

/// How many things a call would change, where that is more than `home.most_at_once`.
struct Many {
    count: usize,
    /// The kind they share.
    domain: Option<String>,
}

impl Many {
    fn danger(&self) -> Danger {
        Danger::new(MANY, "", format!("{} things", self.count))
    }
}

/// Whether a call would change more things at once than `home.most_at_once`. What was asked for before, and what takes back,
/// is not asked about.
fn many(services: &Services, tool: &Descriptor, args: &Args, prepared: &Prepared) -> Option<Many> {
    let Prepared::Home { actions, .. } = prepared else { return None };
    if args.is_unattended() || tool.name == undo::NAME {
        return None;
    }
    let changing: Vec<_> = actions
        .list
        .iter()
        .filter(|action| !proves(&action.command, &action.entity, &action.entity))
        .map(|action| action.entity.id.domain())
        .collect();
    let domain = changing.first().filter(|first| changing.iter().all(|domain| domain == *first));
    (changing.len() > services.most_at_once)
        .then(|| Many { count: changing.len(), domain: domain.map(|domain| (*domain).to_owned()) })
}

/// What a person is asked, with how many things of which kind it is about.
fn asked(services: &Services, refusal: Refusal, many: Option<&Many>, person: Option<&str>) -> Failure {
    let refused = |person: &&str| services.gate.refuses(Some(person), refusal.ask().action);
    if let Some(person) = person.filter(refused) {
        return refused_to(person, refusal.into());
    }
    match many.filter(|_| refusal.ask().action == MANY) {
        Some(many) => {
            Failure::from(refusal).with("count", json!(many.count)).with("domain", json!(many.domain))
        }
        None => refusal.into(),
    }
}

/// Checks an outcome against the tool's description in the table. A failure still tells whether something was changed.
fn check_outcome(tool: &Descriptor, outcome: Outcome) -> Result<Outcome, Failure> {
    let read_and_changed = tool.risk == Risk::Read && outcome.changed;
    let misfit = read_and_changed.then(|| "it changed something and may only look".to_owned());
    let Some(misfit) = misfit.or_else(|| tool.misfit(&outcome.detail)) else { return Ok(outcome) };
    tracing::error!(tool = tool.name, %misfit, "a tool's result is not what the table says");
    let message = format!("the result of {} cannot be used: {misfit}", tool.name);
    Err(Failure::new(error_code::FAILED, message).changed(outcome.changed))
}

/// Tells devices what passes the gate, and remembers for `turn` how they were.
async fn tell_devices(
    services: &Services,
    turn: Option<&TurnId>,
    (actions, given, person): (Actions, Approval, Option<&str>),
    about: Map<String, Value>,
) -> Result<Outcome, Failure> {
    let (touched, lists) = (undo::touched(&actions), undo::of_items(&actions));
    let already = undo::on_already(&actions);
    let cleared = services.gate.pass(actions, given, person);
    let cleared = cleared.map_err(|refusal| asked(services, refusal, None, person))?;
    let before = services.home.registry().home();
    let done = services.home.carry_out(cleared, services.device_timeout).await;
    let home = services.home.registry().home();
    if let Some(turn) = turn {
        services.undo.note(turn, services.now_unix_ms(), undo::changed(&touched, &before, &home));
        services.undo.note(turn, services.now_unix_ms(), undo::unproved(&done));
        services.undo.note_already(turn, already);
        let told = lists.into_iter().filter(|(at, _)| done[*at].error.is_none() || undo::is_late(&done[*at]));
        services.undo.note(turn, services.now_unix_ms(), told.map(|(_, change)| change));
    }
    let entities = super::home::common::changes(&home, &done);
    of_devices(done, entities, about)
}

/// One outcome of two; what both list is put in a row.
fn joined(mut first: Outcome, second: Outcome) -> Outcome {
    first.changed |= second.changed;
    first.undo.extend(second.undo);
    for (key, value) in second.detail {
        match (first.detail.get_mut(&key), value) {
            (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
            (_, value) => drop(first.detail.insert(key, value)),
        }
    }
    first
}

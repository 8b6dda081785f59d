//! The table of operations: from it both the router and `contracts/openapi.json` are made, so that neither can have
//! what the other has not.

use super::server_state::SharedState;
use super::{
    configuration, documents, handlers, household, inspection, owner, sessions, tool_host, web_page,
    websocket::upgrade, wire,
};
use axum::Router;
use axum::routing::{MethodRouter, delete, get, patch, post};
use schemars::{Schema, SchemaGenerator};

/// Makes the schema of a type, with what it refers to.
pub(super) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A parameter of the address.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// A whole number within these bounds; a text when there are none.
    pub(super) range: Option<(u32, u32)>,
}

/// What a success looks like.
pub(super) enum Success {
    /// 200 with an object.
    Object(SchemaOf),
    /// 200 with the OpenAPI document.
    Document,
    /// 200 with plain text.
    Text,
    /// 204.
    Nothing,
    /// 101: from here on it is a WebSocket.
    Socket,
    /// 200 with a WAV file.
    Sound,
}

/// One operation.
pub(super) struct Operation {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) id: &'static str,
    pub(super) about: &'static str,
    pub(super) parameters: &'static [Parameter],
    pub(super) body: Option<SchemaOf>,
    pub(super) success: Success,
    /// Statuses it can answer besides its success and those every operation can.
    pub(super) refusals: &'static [u16],
    handler: fn() -> MethodRouter<SharedState>,
}

/// What any request can be answered.
pub(super) const EVERYWHERE: [u16; 4] = [400, 401, 403, 429];
/// What a request with a body can be answered besides.
const WITH_BODY: [u16; 7] = [408, 413, 415, 422, 500, 503, 504];
/// What can be answered by what reads the store.
const WITH_STORE: [u16; 2] = [500, 503];
const ONE_OF_STORE: [u16; 3] = [404, 500, 503];
const ONE_SESSION: [u16; 4] = [404, 422, 500, 503];

const fn query(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, about, range: None }
}

const fn reads(path: &'static str, id: &'static str, about: &'static str, success: Success) -> Operation {
    Operation {
        method: "get",
        path,
        id,
        about,
        parameters: &[],
        body: None,
        success,
        refusals: &WITH_STORE,
        handler: || MethodRouter::new(),
    }
}

/// All there are.
pub(super) static OPERATIONS: [Operation; 40] = [
    Operation {
        refusals: &[],
        handler: || get(handlers::health),
        ..reads(
            "/api/v1/health",
            "health",
            "How Hark is: what it does, its parts with what troubles them.",
            Success::Object(|schemas| schemas.subschema_for::<wire::Health>()),
        )
    },
    Operation {
        parameters: &[
            Parameter { name: "limit", about: "How many; 20 when nothing is said.", range: Some((1, 200)) },
            query("before", "The turns before this one, by its id."),
        ],
        refusals: &ONE_OF_STORE,
        handler: || get(handlers::turns),
        ..reads(
            "/api/v1/turns",
            "turns",
            "The newest turns, the newest first.",
            Success::Object(|schemas| schemas.subschema_for::<wire::Turns>()),
        )
    },
    Operation {
        refusals: &ONE_OF_STORE,
        handler: || get(handlers::turn),
        ..reads(
            "/api/v1/turns/{id}",
            "turn",
            "One turn with everything that happened in it.",
            Success::Object(|schemas| schemas.subschema_for::<wire::Turn>()),
        )
    },
    Operation {
        refusals: &ONE_OF_STORE,
        handler: || get(handlers::turn_audio),
        ..reads(
            "/api/v1/turns/{id}/audio",
            "turn_audio",
            "What was said in a turn: 16 kHz mono s16, where `journal.record_audio` was on.",
            Success::Sound,
        )
    },
    Operation {
        parameters: &[
            query("area", "Only those of this area, by its name or id."),
            query("domain", "Only those of this domain, such as `light`."),
        ],
        refusals: &[],
        handler: || get(handlers::entities),
        ..reads(
            "/api/v1/entities",
            "entities",
            "Everything in the home with its state.",
            Success::Object(|schemas| schemas.subschema_for::<wire::Entities>()),
        )
    },
    Operation {
        handler: || get(handlers::timers),
        ..reads(
            "/api/v1/timers",
            "timers",
            "Timers, alarms, reminders and what shall be done later.",
            Success::Object(|schemas| schemas.subschema_for::<wire::Timers>()),
        )
    },
    Operation {
        method: "delete",
        refusals: &ONE_OF_STORE,
        handler: || delete(handlers::cancel_timer),
        ..reads(
            "/api/v1/timers/{id}",
            "cancel_timer",
            "Takes a timer away; answers with the one it was.",
            Success::Object(|schemas| schemas.subschema_for::<wire::Timer>()),
        )
    },
    Operation {
        handler: || get(handlers::memory),
        parameters: &[
            query("words", "Only the facts with these words."),
            query("about", "Only the facts about somebody or something: a name, `me`, `my wife`."),
            query("history", "`true`: the facts that are not so any more."),
        ],
        ..reads(
            "/api/v1/memory",
            "memory",
            "What the household told, the newest first.",
            Success::Object(|schemas| schemas.subschema_for::<wire::Memory>()),
        )
    },
    Operation {
        handler: || get(handlers::told_of),
        ..reads(
            "/api/v1/memory/entities",
            "memory_entities",
            "Whom and what the household told of.",
            Success::Object(|schemas| schemas.subschema_for::<wire::ToldOf>()),
        )
    },
    Operation {
        method: "delete",
        refusals: &ONE_OF_STORE,
        handler: || delete(handlers::forget),
        ..reads("/api/v1/memory/{id}", "forget", "Forgets one thing for good.", Success::Nothing)
    },
    Operation {
        handler: || get(household::speakers),
        ..reads(
            "/api/v1/speakers",
            "speakers",
            "People who are known by their voice.",
            Success::Object(|schemas| schemas.subschema_for::<household::KnownSpeakers>()),
        )
    },
    Operation {
        method: "delete",
        refusals: &ONE_OF_STORE,
        handler: || delete(household::forget_speaker),
        ..reads("/api/v1/speakers/{name}", "forget_speaker", "Forgets a person's voice.", Success::Nothing)
    },
    Operation {
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<owner::EnrolRequest>()),
        refusals: &WITH_BODY,
        handler: || post(owner::enrol),
        ..reads(
            "/api/v1/speakers/{name}",
            "enrol_speaker",
            "Enrols a person's voice, which is kept as numbers. For the operator only.",
            Success::Object(|schemas| schemas.subschema_for::<household::KnownSpeaker>()),
        )
    },
    Operation {
        handler: || get(sessions::list),
        ..reads(
            "/api/v1/sessions",
            "sessions",
            "Conversations, the one used last first.",
            Success::Object(|schemas| schemas.subschema_for::<sessions::SessionList>()),
        )
    },
    Operation {
        refusals: &ONE_SESSION,
        handler: || get(sessions::read),
        ..reads(
            "/api/v1/sessions/{name}",
            "session",
            "What was said in a conversation, the oldest first.",
            Success::Object(|schemas| schemas.subschema_for::<sessions::SessionHistory>()),
        )
    },
    Operation {
        method: "delete",
        refusals: &ONE_SESSION,
        handler: || delete(sessions::clear),
        ..reads(
            "/api/v1/sessions/{name}",
            "clear_session",
            "Clears a conversation: nothing said in it is told to a language model any more, and its settings are gone. Its turns stay.",
            Success::Nothing,
        )
    },
    Operation {
        handler: || get(sessions::nodes),
        ..reads(
            "/api/v1/nodes",
            "nodes",
            "The nodes of the house on the broker, as `hark home list --nodes` prints them.",
            Success::Object(|schemas| schemas.subschema_for::<sessions::Nodes>()),
        )
    },
    Operation {
        method: "patch",
        body: Some(|schemas| schemas.subschema_for::<owner::RenameRequest>()),
        refusals: &WITH_BODY,
        handler: || patch(owner::rename),
        ..reads(
            "/api/v1/names",
            "rename",
            "Writes the names of an entity, an area or a floor into the home's file, whose comments stay, and has it read anew. For the operator only.",
            Success::Nothing,
        )
    },
    Operation {
        method: "post",
        refusals: &[],
        handler: || post(owner::restart),
        ..reads(
            "/api/v1/restart",
            "restart",
            "Has Hark start again. For the operator only.",
            Success::Nothing,
        )
    },
    Operation {
        handler: || get(documents::list),
        ..reads(
            "/api/v1/documents",
            "documents",
            "Documents Hark looks things up in, and their index in numbers.",
            Success::Object(|schemas| schemas.subschema_for::<documents::Listing>()),
        )
    },
    Operation {
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<documents::AddRequest>()),
        refusals: &WITH_BODY,
        handler: || post(documents::add),
        ..reads(
            "/api/v1/documents",
            "add_document",
            "Reads a file or folder of this machine in, and keeps it in step. Without the operator's token only what is in `knowledge.folders` or `tools.file_roots`.",
            Success::Object(|schemas| schemas.subschema_for::<documents::Change>()),
        )
    },
    Operation {
        method: "delete",
        parameters: &[query("path", "The file or folder.")],
        refusals: &[422, 500, 503],
        handler: || delete(documents::remove),
        ..reads(
            "/api/v1/documents",
            "remove_document",
            "Takes a file, or all of a folder, out of the index; the files stay. The same paths as for adding.",
            Success::Object(|schemas| schemas.subschema_for::<documents::Change>()),
        )
    },
    Operation {
        parameters: &[query("q", "What is asked.")],
        handler: || get(documents::search),
        ..reads(
            "/api/v1/documents/search",
            "search_documents",
            "The passages that answer best, the best first. Their text is what stands in the documents.",
            Success::Object(|schemas| schemas.subschema_for::<documents::Found>()),
        )
    },
    Operation {
        refusals: &[],
        handler: || get(handlers::config),
        ..reads(
            "/api/v1/config",
            "config",
            "The configuration in force, without secrets.",
            Success::Object(|schemas| schemas.subschema_for::<wire::Configuration>()),
        )
    },
    Operation {
        refusals: &[500],
        handler: || get(configuration::keys),
        ..reads(
            "/api/v1/config/keys",
            "config_keys",
            "Every key of the configuration: what it is for, what may stand in it, what is configured and what is in force. Secrets are in files, of which only the names are told.",
            Success::Object(|schemas| schemas.subschema_for::<configuration::Keys>()),
        )
    },
    Operation {
        method: "patch",
        body: Some(|schemas| schemas.subschema_for::<configuration::ChangeRequest>()),
        refusals: &WITH_BODY,
        handler: || patch(configuration::change),
        ..reads(
            "/api/v1/config",
            "change_config",
            "Checks changes as a start does and writes them to the configuration file; everything else in it stays as it is. For the operator only. A refusal lists every mistake in `error.mistakes`.",
            Success::Object(|schemas| schemas.subschema_for::<configuration::Changed>()),
        )
    },
    Operation {
        handler: || get(household::lists),
        ..reads(
            "/api/v1/lists",
            "lists",
            "The household's lists with what is on them.",
            Success::Object(|schemas| schemas.subschema_for::<household::Lists>()),
        )
    },
    Operation {
        handler: || get(household::automations),
        ..reads(
            "/api/v1/automations",
            "automations",
            "What is done when something happens, and what is brought back later.",
            Success::Object(|schemas| schemas.subschema_for::<household::Automations>()),
        )
    },
    Operation {
        method: "delete",
        refusals: &ONE_OF_STORE,
        handler: || delete(household::remove_automation),
        ..reads(
            "/api/v1/automations/{id}",
            "remove_automation",
            "Takes an automation away; answers with the one it was.",
            Success::Object(|schemas| schemas.subschema_for::<household::Automation>()),
        )
    },
    Operation {
        refusals: &[],
        handler: || get(household::tools),
        ..reads(
            "/api/v1/tools",
            "tools",
            "Every tool with its risk, and whether it can do something here.",
            Success::Object(|schemas| schemas.subschema_for::<household::Tools>()),
        )
    },
    Operation {
        refusals: &[],
        handler: || get(household::mcp_servers),
        ..reads(
            "/api/v1/mcp",
            "mcp_servers",
            "Every MCP server whose tools Hark may call: how it is, and its tools.",
            Success::Object(|schemas| schemas.subschema_for::<household::Servers>()),
        )
    },
    Operation {
        handler: || get(inspection::doctor),
        ..reads(
            "/api/v1/doctor",
            "doctor",
            "What `hark doctor` finds, with a fix for what fails. It loads every engine in a process of its own and may take a minute; one at a time.",
            Success::Object(|schemas| schemas.subschema_for::<inspection::Findings>()),
        )
    },
    Operation {
        handler: || get(inspection::devices),
        ..reads(
            "/api/v1/devices",
            "devices",
            "Microphones and speakers of this machine, as `hark devices` prints them.",
            Success::Object(|schemas| schemas.subschema_for::<inspection::Devices>()),
        )
    },
    Operation {
        handler: || get(inspection::support),
        ..reads(
            "/api/v1/support",
            "support",
            "What helps somebody else to help: health, findings, configuration, the last turns and counts, without secrets and without anything that was said.",
            Success::Object(|schemas| schemas.subschema_for::<inspection::SupportBundle>()),
        )
    },
    Operation {
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<wire::SayRequest>()),
        refusals: &WITH_BODY,
        handler: || post(handlers::say),
        ..reads(
            "/api/v1/say",
            "say",
            "Has a text said aloud.",
            Success::Object(|schemas| schemas.subschema_for::<wire::Said>()),
        )
    },
    Operation {
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<wire::AskRequest>()),
        refusals: &WITH_BODY,
        handler: || post(handlers::ask),
        ..reads(
            "/api/v1/ask",
            "ask",
            "A typed request; answered when its turn has closed. Requests of one conversation are taken one after the other. A yes or no answers what was asked in its own conversation; with the operator's token also the only question that another one was asked, and the turn is one of that conversation then.",
            Success::Object(|schemas| schemas.subschema_for::<wire::Turn>()),
        )
    },
    Operation {
        refusals: &[],
        handler: || get(handlers::metrics),
        ..reads("/api/v1/metrics", "metrics", "Everything that is counted, for Prometheus.", Success::Text)
    },
    Operation {
        refusals: &[],
        handler: || get(handlers::openapi),
        ..reads("/api/v1/openapi.json", "openapi", "This document.", Success::Document)
    },
    Operation {
        refusals: &[],
        handler: || get(handlers::api),
        ..reads(
            "/api/v1",
            "api",
            "Where things are.",
            Success::Object(|schemas| schemas.subschema_for::<wire::Addresses>()),
        )
    },
    Operation {
        refusals: &[426, 503],
        handler: || get(upgrade::open),
        ..reads("/ws", "websocket", upgrade::ABOUT, Success::Socket)
    },
];

/// The router of the table.
pub(super) fn router(app: SharedState) -> Router {
    let all = OPERATIONS.iter().fold(Router::new(), |router, operation| {
        let path = operation.path.replace('{', ":").replace('}', "");
        router.route(&path, (operation.handler)())
    });
    all.merge(web_page::routes()).with_state(app)
}

/// What only commands of the owner ask, by the socket in the state folder: no promise to programs.
pub(super) fn owner_router(app: SharedState) -> Router {
    Router::new()
        .route("/own/home", get(handlers::own_home))
        .route("/own/tools", get(tool_host::tools))
        .route("/own/tools/call", post(tool_host::call))
        .route("/own/tools/answer", post(tool_host::answer))
        .with_state(app)
}

//! The operations of a Hark that is used; those that set one up are in `setup_table`.

use super::operation::{
    ONE_OF_STORE, ONE_SESSION, Operation, Parameter, Success, WITH_BODY, WITH_BODY_OF_ONE, query, reads,
};
use crate::websocket::upgrade;
use crate::{
    configuration, documents, handlers, household, inspection, owner, sessions, teaching, tool_host, wire,
};
use axum::routing::{delete, get, patch, post};

/// All there are.
pub(super) static OPERATIONS: [Operation; 44] = [
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
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<teaching::CorrectionRequest>()),
        refusals: &WITH_BODY_OF_ONE,
        handler: || post(teaching::taken_wrongly),
        ..reads(
            "/api/v1/turns/{id}/wrong",
            "taken_wrongly",
            "Keeps what was meant with a turn that was taken wrongly, as an example to learn from.",
            Success::Object(|schemas| schemas.subschema_for::<teaching::Lesson>()),
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
        refusals: &[],
        handler: || get(household::task),
        ..reads(
            "/api/v1/task",
            "task",
            "The task that was handed to another program and runs, asks, or was the last.",
            Success::Object(|schemas| schemas.subschema_for::<household::CurrentTask>()),
        )
    },
    Operation {
        refusals: &[],
        handler: || get(household::heard_wake_words),
        ..reads(
            "/api/v1/wake/heard",
            "heard_wake_words",
            "The last wake words since the start, and what was nearly one, the newest first.",
            Success::Object(|schemas| schemas.subschema_for::<household::HeardWakeWords>()),
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
        method: "post",
        body: Some(|schemas| schemas.subschema_for::<tool_host::CallRequest>()),
        refusals: &WITH_BODY_OF_ONE,
        handler: || post(tool_host::call_tool),
        ..reads(
            "/api/v1/tools/{name}",
            "call_tool",
            "Calls a tool with arguments as its schema has them, behind the same gate as every request. A tool that only looks leaves no turn; any other call is a turn of the conversation, answered when that has closed. What is asked first is answered as any question of a conversation.",
            Success::Object(|schemas| schemas.subschema_for::<tool_host::CallResult>()),
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

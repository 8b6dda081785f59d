//! Tools for tasks that are handed to an AI command-line program, and for the folders they are worked at in.

use crate::tools::computer::delegation;
use crate::tools::descriptor::{Descriptor, Field, Outside};
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

/// Longest goal or answer, characters.
const MAX_CHARS: usize = 4000;

const PROGRAM: Field = Field::always("program", "string", "who works at it");
const WORKSPACE: Field = Field::always("workspace", "string", "folder it is worked at in");
const TASK: &[Field] = &[
    Field::always("state", "string", "none, running, asking, done, failed, stopped or interrupted"),
    Field::maybe("goal", "string", "what is to be done"),
    Field::maybe("program", "string", "who works at it"),
    Field::maybe("workspace", "string", "folder it is worked at in"),
    Field::maybe("said", "string", "what it said last, asks, has done, or why it failed"),
    Field::maybe("file", "string", "file it was at last"),
    Field::maybe("minutes", "integer", "since it began"),
    Field::maybe("added", "integer", "files that are new"),
    Field::maybe("changed", "integer", "files that are different"),
    Field::maybe("removed", "integer", "files that are gone"),
    Field::maybe("files", "array", "their paths in the workspace"),
];

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
        name: "delegate.task",
        description: "Hands a task of coding or research to an AI command-line program, which works at it in a folder of its own.",
        args: &[&[
            Arg::must("goal", Kind::Raw(MAX_CHARS), "what is to be done, in whole sentences"),
            Arg::maybe("to", Kind::Text, "claude, gemini or codex; the usual one when missing"),
            Arg::maybe("workspace", Kind::Text, "name of the folder; the chosen one when missing"),
            Arg::maybe("language", Kind::Text, "language of the task, such as en"),
        ]],
        result: &[PROGRAM, WORKSPACE, Field::always("goal", "string", "what is to be done")],
        risk: Risk::Dangerous,
        outside: Outside::Never,
        permission: "delegate",
        agent: "delegation",
        timeout_ms: None,
        ready: delegation::can_begin,
        prepare: delegation::task,
    },
    Descriptor {
        name: "delegate.status",
        description: "Tells where the task is that was handed on, what it asks, or how it ended.",
        args: &[],
        result: TASK,
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "delegate",
        agent: "delegation",
        timeout_ms: None,
        ready: delegation::has_workspaces,
        prepare: delegation::status,
    },
    Descriptor {
        name: "delegate.answer",
        description: "Answers what the task asks that was handed on; it goes on then.",
        args: &[&[Arg::must("answer", Kind::Raw(MAX_CHARS), "the answer of the person")]],
        result: &[PROGRAM, WORKSPACE],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "delegate",
        agent: "delegation",
        timeout_ms: None,
        ready: delegation::can_begin,
        prepare: delegation::answer,
    },
    Descriptor {
        name: "delegate.stop",
        description: "Stops the task that was handed on.",
        args: &[],
        result: TASK,
        risk: Risk::Write,
        outside: Outside::Always,
        permission: "delegate",
        agent: "delegation",
        timeout_ms: None,
        ready: delegation::has_workspaces,
        prepare: delegation::stop,
    },
    Descriptor {
        name: "workspace.list",
        description: "Lists the folders in which tasks are worked at, and which one is chosen.",
        args: &[],
        result: &[
            Field::always("count", "integer", "how many there are"),
            Field::always("workspaces", "array", "their names"),
            Field::always("chosen", "string", "where the next task is worked at"),
        ],
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "delegate",
        agent: "delegation",
        timeout_ms: None,
        ready: delegation::has_workspaces,
        prepare: delegation::list,
    },
    Descriptor {
        name: "workspace.choose",
        description: "Chooses the folder in which tasks to come are worked at.",
        args: &[&[Arg::must("name", Kind::Text, "its name, or words of it")]],
        result: &[Field::always("name", "string", "its name")],
        risk: Risk::Write,
        outside: Outside::Always,
        permission: "delegate",
        agent: "delegation",
        timeout_ms: None,
        ready: delegation::has_workspaces,
        prepare: delegation::choose,
    },
    Descriptor {
        name: "workspace.create",
        description: "Makes a folder in which tasks are worked at, and chooses it.",
        args: &[&[Arg::must("name", Kind::Text, "what it is called")]],
        result: &[Field::always("name", "string", "its name")],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "delegate",
        agent: "delegation",
        timeout_ms: None,
        ready: delegation::has_workspaces,
        prepare: delegation::create,
    },
];

//! Lists, memory, announcements, and taking back.

use super::{AREA, DOMAIN, NAME};
use crate::acting::tools::descriptor::{Arg, Descriptor, Field, Kind};
use crate::acting::tools::{announce, list, memory, undo};
use crate::domain::Risk;

const ENTITIES_MAYBE: Field = Field::maybe("entities", "array", "devices, as in home.turn_on");
const LIST: &[Field] = &[
    Field::always("list", "string", "its name"),
    Field::always("items", "array", "texts it was about"),
    Field::always("count", "integer", "open items on the list now"),
    ENTITIES_MAYBE,
    NAME,
    AREA,
    DOMAIN,
];

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
        name: "list.add",
        description: "Puts things on a list.",
        args: &[&[
            Arg::must("item", Kind::Words(300), "one thing, or several with commas and “and”"),
            Arg::maybe("name", Kind::Text, "which list; the shopping list when none is named"),
        ]],
        result: LIST,
        risk: Risk::Write,
        triggers: &["add", "put", "list"],
        permission: "list",
        timeout_ms: None,
        prepare: list::add,
    },
    Descriptor {
        name: "list.complete",
        description: "Ticks things off a list.",
        args: &[&[
            Arg::must("item", Kind::Words(300), "one thing, or several with commas and “and”"),
            Arg::maybe("name", Kind::Text, "which list; the shopping list when none is named"),
        ]],
        result: LIST,
        risk: Risk::Write,
        triggers: &["check", "tick", "complete", "done", "list"],
        permission: "list",
        timeout_ms: None,
        prepare: list::complete,
    },
    Descriptor {
        name: "list.remove",
        description: "Takes things off a list.",
        args: &[&[
            Arg::must("item", Kind::Words(300), "one thing, or several with commas and “and”"),
            Arg::maybe("name", Kind::Text, "which list; the shopping list when none is named"),
        ]],
        result: LIST,
        risk: Risk::Write,
        triggers: &["remove", "delete", "take", "list"],
        permission: "list",
        timeout_ms: None,
        prepare: list::remove,
    },
    Descriptor {
        name: "list.clear",
        description: "Empties a list.",
        args: &[&[Arg::maybe("name", Kind::Text, "which list; the shopping list when none is named")]],
        result: LIST,
        risk: Risk::Write,
        triggers: &["clear", "empty", "list"],
        permission: "list",
        timeout_ms: None,
        prepare: list::clear,
    },
    Descriptor {
        name: "list.read",
        description: "Tells what is on a list; with an item, whether it is.",
        args: &[&[
            Arg::maybe("name", Kind::Text, "which list; the shopping list when none is named"),
            Arg::maybe("item", Kind::Words(300), "asks whether this is on it"),
        ]],
        result: &[
            Field::always("list", "string", "its name"),
            Field::always("items", "array", "open items"),
            Field::always("count", "integer", "how many those are"),
            Field::maybe("answer", "boolean", "whether the item is among them"),
        ],
        risk: Risk::Read,
        triggers: &["list", "what", "read"],
        permission: "list",
        timeout_ms: None,
        prepare: list::read,
    },
    Descriptor {
        name: "list.create",
        description: "Makes a list.",
        args: &[&[Arg::must("name", Kind::Text, "what to call it")]],
        result: &[Field::always("list", "string", "its name")],
        risk: Risk::Write,
        triggers: &["list", "create", "make", "new"],
        permission: "list",
        timeout_ms: None,
        prepare: list::create,
    },
    Descriptor {
        name: "list.names",
        description: "Tells which lists there are.",
        args: &[],
        result: &[
            Field::always("lists", "array", "{name, count} of each"),
            Field::always("count", "integer", "how many"),
        ],
        risk: Risk::Read,
        triggers: &["lists", "list"],
        permission: "list",
        timeout_ms: None,
        prepare: list::names,
    },
    Descriptor {
        name: "memory.remember",
        description: "Remembers what it is told.",
        args: &[&[Arg::must("fact", Kind::Words(500), "in the words it was told")]],
        result: &[
            Field::always("fact", "string", "what was told"),
            Field::always("known", "boolean", "it was known already"),
        ],
        risk: Risk::Write,
        triggers: &["remember", "note"],
        permission: "memory",
        timeout_ms: None,
        prepare: memory::remember,
    },
    Descriptor {
        name: "memory.recall",
        description: "Tells what it was told about something.",
        args: &[&[Arg::maybe("query", Kind::Words(300), "what about; everything when missing")]],
        result: &[
            Field::always("facts", "array", "in the words they were told, the best first"),
            Field::always("count", "integer", "how many"),
        ],
        risk: Risk::Read,
        triggers: &["remember", "where", "know", "told"],
        permission: "memory",
        timeout_ms: None,
        prepare: memory::recall,
    },
    Descriptor {
        name: "memory.forget",
        description: "Forgets what it was told.",
        args: &[&[
            Arg::must("query", Kind::Words(300), "words of the fact"),
            Arg::maybe("every", Kind::Flag, "all that have the words, rather than the best"),
        ]],
        result: &[
            Field::always("facts", "array", "what was forgotten"),
            Field::always("count", "integer", "how many"),
        ],
        risk: Risk::Write,
        triggers: &["forget"],
        permission: "memory",
        timeout_ms: None,
        prepare: memory::forget,
    },
    Descriptor {
        name: "announce.say",
        description: "Says something on this node.",
        args: &[&[Arg::must("message", Kind::Words(500), "what to say")]],
        result: &[
            Field::always("message", "string", "what is said"),
            Field::always("nodes", "array", "where: `here`"),
        ],
        risk: Risk::Write,
        triggers: &["broadcast", "announce", "tell"],
        permission: "announce",
        timeout_ms: None,
        prepare: announce::say,
    },
    Descriptor {
        name: "undo.last",
        description: "Takes back what the last request changed.",
        args: &[],
        result: &[
            Field::always(
                "undone",
                "array",
                "{kind: device, list, timer, volume, fact; …} of each change taken back",
            ),
            ENTITIES_MAYBE,
            Field::maybe("count", "integer", "how many devices"),
            NAME,
            AREA,
            DOMAIN,
        ],
        risk: Risk::Write,
        triggers: &["undo", "back", "revert"],
        permission: "undo",
        timeout_ms: None,
        prepare: undo::last,
    },
];

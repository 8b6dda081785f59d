//! Tools for what stands in the windows of this desktop.

use crate::tools::computer::ui;
use crate::tools::descriptor::{Descriptor, Field, Toolset};
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

const PROGRAM: Arg = Arg::maybe(
    "program",
    Kind::Text,
    "name of the program or title of the window; the active one when missing",
);
const NAME: Field = Field::always("name", "string", "what is written on it");
const KIND: Field = Field::always("kind", "string", "what it is, such as push button");
const OF: Field = Field::always("program", "string", "program of the window");
const WINDOW: Field = Field::always("window", "string", "title of the window");

const TOOLSET: Toolset = Toolset { permission: "ui", agent: "ui_automation", ready: ui::ready };

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    TOOLSET.tool(
        "ui.read",
        "Reads what stands in the active window of this desktop.",
        &[&[PROGRAM]],
        &[
            OF,
            WINDOW,
            Field::always("text", "string", "a line for each thing with words, at most 5,000 characters"),
            Field::always("truncated", "boolean", "there is more than is told"),
        ],
        Risk::Read,
        ui::read,
    ),
    TOOLSET.tool(
        "ui.find",
        "Finds what is called so in the windows of this desktop.",
        &[&[Arg::must("text", Kind::Text, "what is written on it, or a part of that"), PROGRAM]],
        &[
            Field::always("count", "integer", "how many things are called so"),
            Field::always("found", "array", "{name, kind, program, window} of the best twenty"),
        ],
        Risk::Read,
        ui::find,
    ),
    TOOLSET.tool(
        "ui.click",
        "Presses what is called so in a window: a button, a box, an entry.",
        &[&[Arg::must("text", Kind::Text, "what is written on it, or a part of that"), PROGRAM]],
        &[NAME, KIND, OF, WINDOW],
        Risk::Write,
        ui::click,
    ),
    TOOLSET.tool(
        "ui.fill",
        "Types into a field of a window, in place of what is there; into none for passwords.",
        &[&[
            Arg::must("text", Kind::Words(2000), "what is typed"),
            Arg::must("field", Kind::Text, "what the field is called"),
            PROGRAM,
        ]],
        &[NAME, KIND, OF, WINDOW, Field::always("text", "string", "what was typed")],
        Risk::Write,
        ui::fill,
    ),
    TOOLSET.tool(
        "ui.menu",
        "Opens a menu of a window and presses an entry of it.",
        &[&[
            Arg::must("menu", Kind::Text, "name of the menu, such as File"),
            Arg::must(
                "entry",
                Kind::Text,
                "name of the entry; `Export > As text` where it is in a menu of its own",
            ),
            PROGRAM,
        ]],
        &[NAME, KIND, OF, WINDOW],
        Risk::Write,
        ui::menu,
    ),
];

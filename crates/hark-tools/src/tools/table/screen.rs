//! Tools for what is to be seen on the screen of this machine.

use crate::tools::descriptor::{Descriptor, Field, Outside, Ready, Toolset};
use crate::tools::desktop::screen;
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

const WINDOW: Arg =
    Arg::maybe("window", Kind::Text, "only this window, by title or program; the whole screen when missing");

const fn toolset(ready: Ready) -> Toolset {
    Toolset { permission: "screen", agent: "screen_vision", ready }
}

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
        outside: Outside::Never,
        ..toolset(screen::can_be_seen).tool(
            "screen.capture",
            "Takes a picture of this computer's screen and keeps it as a PNG file.",
            &[&[WINDOW]],
            &[
                Field::always("path", "string", "the file"),
                Field::always("width", "integer", "pixels"),
                Field::always("height", "integer", "pixels"),
            ],
            Risk::Write,
            screen::capture,
        )
    },
    toolset(screen::can_be_read).tool(
        "screen.read",
        "Reads the text on this computer's screen.",
        &[&[WINDOW]],
        &[
            Field::always("count", "integer", "lines"),
            Field::always("text", "string", "the lines, from above and from the left"),
            Field::always("lines", "array", "{text, x, y, width, height} of each, pixels of the screen"),
        ],
        Risk::Read,
        screen::read,
    ),
    toolset(screen::can_be_read).tool(
        "screen.find",
        "Finds where a text stands on this computer's screen.",
        &[&[Arg::must("text", Kind::Words(200), "the text; blanks, case and signs do not count"), WINDOW]],
        &[
            Field::always("text", "string", "the text"),
            Field::always("count", "integer", "how often it is there"),
            Field::always("places", "array", "{text, x, y, width, height} of each, pixels of the screen"),
        ],
        Risk::Read,
        screen::find,
    ),
    toolset(screen::can_be_described).tool(
        "screen.describe",
        "Says what is to be seen on this computer's screen, or answers a question about it, after a yes: the \
         picture goes to the language model.",
        &[&[Arg::maybe("question", Kind::Words(500), "what is asked; what it shows when missing"), WINDOW]],
        &[
            Field::always("text", "string", "the answer"),
            Field::maybe(
                "only_text",
                "boolean",
                "no language model has looked: `text` is what is written there, read on this machine",
            ),
        ],
        Risk::Write,
        screen::describe,
    ),
];

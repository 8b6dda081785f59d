//! Tools for what is to be seen on the screen of this machine.

use crate::tools::descriptor::{Descriptor, Field, Outside, Prepare, Ready};
use crate::tools::desktop::screen;
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

const WINDOW: Arg =
    Arg::maybe("window", Kind::Text, "only this window, by title or program; the whole screen when missing");

const fn of_screen(
    (name, description): (&'static str, &'static str),
    args: &'static [&'static [Arg]],
    result: &'static [Field],
    ready: Ready,
    prepare: Prepare,
) -> Descriptor {
    Descriptor {
        name,
        description,
        args,
        result,
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "screen",
        agent: "screen_vision",
        timeout_ms: None,
        ready,
        prepare,
    }
}

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
        risk: Risk::Write,
        outside: Outside::Never,
        ..of_screen(
            ("screen.capture", "Takes a picture of this computer's screen and keeps it as a PNG file."),
            &[&[WINDOW]],
            &[
                Field::always("path", "string", "the file"),
                Field::always("width", "integer", "pixels"),
                Field::always("height", "integer", "pixels"),
            ],
            screen::can_be_seen,
            screen::capture,
        )
    },
    of_screen(
        ("screen.read", "Reads the text on this computer's screen."),
        &[&[WINDOW]],
        &[
            Field::always("count", "integer", "lines"),
            Field::always("text", "string", "the lines, from above and from the left"),
            Field::always("lines", "array", "{text, x, y, width, height} of each, pixels of the screen"),
        ],
        screen::can_be_read,
        screen::read,
    ),
    of_screen(
        ("screen.find", "Finds where a text stands on this computer's screen."),
        &[&[Arg::must("text", Kind::Words(200), "the text; blanks, case and signs do not count"), WINDOW]],
        &[
            Field::always("text", "string", "the text"),
            Field::always("count", "integer", "how often it is there"),
            Field::always("places", "array", "{text, x, y, width, height} of each, pixels of the screen"),
        ],
        screen::can_be_read,
        screen::find,
    ),
    Descriptor {
        risk: Risk::Write,
        ..of_screen(
            (
                "screen.describe",
                "Says what is to be seen on this computer's screen, or answers a question about it, after a yes: the picture goes to the language model.",
            ),
            &[&[
                Arg::maybe("question", Kind::Words(500), "what is asked; what it shows when missing"),
                WINDOW,
            ]],
            &[Field::always("text", "string", "the answer")],
            screen::can_be_described,
            screen::describe,
        )
    },
];

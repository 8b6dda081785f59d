//! Tools for keys and the pointer of this machine's desktop.

use crate::tools::descriptor::{Descriptor, Field, Toolset};
use crate::tools::desktop::{has_input, input};
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

/// Longest text that is typed, characters.
const MAX_CHARS: usize = 4000;

const WINDOW: Arg = Arg::maybe(
    "window",
    Kind::Text,
    "the window it goes to, by title or program; the one in front when missing",
);
const X: Arg = Arg::maybe("x", Kind::Integer(0, 20_000), "where, from the left edge of the screen, pixels");
const Y: Arg = Arg::maybe("y", Kind::Integer(0, 20_000), "where, from its upper edge, pixels");
const TITLE: Field = Field::always("title", "string", "title of the window it went to");

const TOOLSET: Toolset = Toolset { permission: "input", agent: "input", ready: has_input };

/// Its tools. What could change something in a program waits for a yes by itself; keys and the wheel that only move what is
/// shown do not.
pub const TOOLS: &[Descriptor] = &[
    TOOLSET.tool(
        "input.type",
        "Types a text into a window of this computer, after a yes.",
        &[&[Arg::must("text", Kind::Raw(MAX_CHARS), "the text; a line end is Enter"), WINDOW]],
        &[TITLE, Field::always("text", "string", "what was typed")],
        Risk::Dangerous,
        input::type_text,
    ),
    TOOLSET.tool(
        "input.key",
        "Presses a key on this computer; other than Escape, arrows and pages after a yes.",
        &[&[
            Arg::must("key", Kind::Raw(20), "its name (`escape`, `page_down`, `f5`) or a character"),
            Arg::maybe("times", Kind::Integer(1, 20), "how often; once when missing"),
            WINDOW,
        ]],
        &[TITLE, Field::always("key", "string", "its name")],
        Risk::Write,
        input::key,
    ),
    TOOLSET.tool(
        "input.hotkey",
        "Presses keys together on this computer, after a yes.",
        &[&[
            Arg::must(
                "keys",
                Kind::Raw(60),
                "those that are held (`control`, `shift`, `alt`, `super`), then one more: `control+shift+t`",
            ),
            WINDOW,
        ]],
        &[TITLE, Field::always("keys", "string", "their names")],
        Risk::Dangerous,
        input::hotkey,
    ),
    TOOLSET.tool(
        "input.click",
        "Clicks with the mouse of this computer, after a yes.",
        &[&[
            Arg::maybe("text", Kind::Words(200), "text on the screen that is clicked on"),
            X,
            Y,
            Arg::maybe("button", Kind::Choice(&["left", "middle", "right"]), "left when missing"),
            Arg::maybe("double", Kind::Flag, "twice"),
        ]],
        &[
            TITLE,
            Field::always("button", "string", "left, middle or right"),
            Field::always("double", "boolean", "it was clicked twice"),
        ],
        Risk::Dangerous,
        input::click,
    ),
    TOOLSET.tool(
        "input.scroll",
        "Turns the wheel of the mouse of this computer.",
        &[&[
            Arg::maybe("direction", Kind::Choice(&["up", "down", "left", "right"]), "down when missing"),
            Arg::maybe("amount", Kind::Integer(1, 100), "notches of the wheel; 5 when missing"),
            X,
            Y,
            WINDOW,
        ]],
        &[
            Field::always("direction", "string", "where it went"),
            Field::always("amount", "integer", "notches of the wheel"),
        ],
        Risk::Write,
        input::scroll,
    ),
];

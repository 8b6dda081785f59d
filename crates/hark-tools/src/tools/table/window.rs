//! Tools for the windows of this machine's desktop.

use crate::tools::descriptor::{Descriptor, Field, Toolset};
use crate::tools::desktop::{has_manager, window};
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

/// Places that a window is moved to.
const PLACES: &[&str] =
    &["left", "right", "top", "bottom", "centre", "top_left", "top_right", "bottom_left", "bottom_right"];

const WINDOW: Arg = Arg::maybe(
    "window",
    Kind::Text,
    "its title, its program or the kind of program, or words of them; the one in front when missing",
);
const RESULT: &[Field] = &[
    Field::maybe("title", "string", "its title"),
    Field::maybe(
        "window",
        "object",
        "{title, program, x, y, width, height, focused, minimised, maximised}, pixels, with its frame",
    ),
    Field::maybe("count", "integer", "how many were minimised"),
];

const TOOLSET: Toolset = Toolset { permission: "window", agent: "window_manager", ready: has_manager };

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    TOOLSET.tool(
        "window.list",
        "Lists the windows of this computer's desktop.",
        &[],
        &[
            Field::always("count", "integer", "how many there are"),
            Field::always("titles", "array", "their titles, the uppermost first"),
            Field::always(
                "windows",
                "array",
                "{title, program, x, y, width, height, focused, minimised, maximised} of each, pixels",
            ),
        ],
        Risk::Read,
        window::list,
    ),
    TOOLSET.tool(
        "window.focus",
        "Brings a window to the front.",
        &[&[WINDOW]],
        RESULT,
        Risk::Write,
        window::focus,
    ),
    TOOLSET.tool(
        "window.move",
        "Moves a window to a place on its screen.",
        &[&[
            WINDOW,
            Arg::maybe("place", Kind::Choice(PLACES), "edge or corner of the screen it goes to"),
            Arg::maybe("x", Kind::Integer(-20_000, 20_000), "its left edge, pixels"),
            Arg::maybe("y", Kind::Integer(-20_000, 20_000), "its upper edge, pixels"),
        ]],
        RESULT,
        Risk::Write,
        window::move_to,
    ),
    TOOLSET.tool(
        "window.resize",
        "Gives a window another size.",
        &[&[
            WINDOW,
            Arg::maybe("percent", Kind::Integer(10, 400), "of the size it has"),
            Arg::maybe("width", Kind::Integer(100, 20_000), "pixels"),
            Arg::maybe("height", Kind::Integer(100, 20_000), "pixels"),
        ]],
        RESULT,
        Risk::Write,
        window::resize,
    ),
    TOOLSET.tool(
        "window.tile",
        "Puts a window into the left or right half of its screen.",
        &[&[WINDOW, Arg::must("side", Kind::Choice(&["left", "right"]), "which half")]],
        RESULT,
        Risk::Write,
        window::tile,
    ),
    TOOLSET.tool(
        "window.minimise",
        "Minimises a window, or all of them.",
        &[&[WINDOW, Arg::maybe("all", Kind::Flag, "all of them")]],
        RESULT,
        Risk::Write,
        window::minimise,
    ),
    TOOLSET.tool(
        "window.close",
        "Closes a window as a person does; its program may ask first whether to save.",
        &[&[WINDOW]],
        &[Field::always("title", "string", "its title")],
        Risk::Write,
        window::close,
    ),
    TOOLSET.tool(
        "window.maximise",
        "Lets a window fill its screen.",
        &[&[WINDOW]],
        RESULT,
        Risk::Write,
        window::maximise,
    ),
];

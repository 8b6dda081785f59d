//! Tools for the windows of this machine's desktop.

use crate::tools::descriptor::{Descriptor, Field, Outside, Prepare};
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

const fn of_window(
    name: &'static str,
    description: &'static str,
    args: &'static [&'static [Arg]],
    prepare: Prepare,
) -> Descriptor {
    Descriptor {
        name,
        description,
        args,
        result: RESULT,
        risk: Risk::Write,
        outside: Outside::Always,
        permission: "window",
        agent: "window_manager",
        timeout_ms: None,
        ready: has_manager,
        prepare,
    }
}

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
        result: &[
            Field::always("count", "integer", "how many there are"),
            Field::always("titles", "array", "their titles, the uppermost first"),
            Field::always(
                "windows",
                "array",
                "{title, program, x, y, width, height, focused, minimised, maximised} of each, pixels",
            ),
        ],
        risk: Risk::Read,
        ..of_window("window.list", "Lists the windows of this computer's desktop.", &[], window::list)
    },
    of_window("window.focus", "Brings a window to the front.", &[&[WINDOW]], window::focus),
    of_window(
        "window.move",
        "Moves a window to a place on its screen.",
        &[&[
            WINDOW,
            Arg::maybe("place", Kind::Choice(PLACES), "edge or corner of the screen it goes to"),
            Arg::maybe("x", Kind::Integer(-20_000, 20_000), "its left edge, pixels"),
            Arg::maybe("y", Kind::Integer(-20_000, 20_000), "its upper edge, pixels"),
        ]],
        window::move_to,
    ),
    of_window(
        "window.resize",
        "Gives a window another size.",
        &[&[
            WINDOW,
            Arg::maybe("percent", Kind::Integer(10, 400), "of the size it has"),
            Arg::maybe("width", Kind::Integer(100, 20_000), "pixels"),
            Arg::maybe("height", Kind::Integer(100, 20_000), "pixels"),
        ]],
        window::resize,
    ),
    of_window(
        "window.tile",
        "Puts a window into the left or right half of its screen.",
        &[&[WINDOW, Arg::must("side", Kind::Choice(&["left", "right"]), "which half")]],
        window::tile,
    ),
    of_window(
        "window.minimise",
        "Minimises a window, or all of them.",
        &[&[WINDOW, Arg::maybe("all", Kind::Flag, "all of them")]],
        window::minimise,
    ),
    of_window("window.maximise", "Lets a window fill its screen.", &[&[WINDOW]], window::maximise),
];

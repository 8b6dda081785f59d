//! Tools for the programs of this machine's desktop.

use crate::tools::descriptor::{Descriptor, Field, Toolset};
use crate::tools::desktop::{apps, has_manager};
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

const NAME: Arg = Arg::must("name", Kind::Text, "name of the program, or its kind, such as `browser`");
const CALLED: Field = Field::always("name", "string", "what it is called");

const TOOLSET: Toolset = Toolset { permission: "app", agent: "app_lifecycle", ready: has_manager };

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    TOOLSET.tool(
        "app.launch",
        "Starts a program on the desktop of this computer.",
        &[&[NAME]],
        &[CALLED, Field::maybe("title", "string", "title of its window, where it has shown one")],
        Risk::Write,
        apps::launch,
    ),
    TOOLSET.tool(
        "app.quit",
        "Closes a program on the desktop of this computer; it may ask to save first.",
        &[&[
            NAME,
            Arg::maybe("force", Kind::Flag, "also where it asks something; what is not saved is lost"),
        ]],
        &[CALLED, Field::always("terminated", "boolean", "it did not close by itself, and was ended")],
        Risk::Write,
        apps::quit,
    ),
    TOOLSET.tool(
        "app.is_running",
        "Tells whether a program runs on this computer.",
        &[&[NAME]],
        &[CALLED, Field::always("running", "boolean", "it runs")],
        Risk::Read,
        apps::is_running,
    ),
    TOOLSET.tool(
        "app.list",
        "Lists the programs that have windows on the desktop of this computer.",
        &[],
        &[
            Field::always("count", "integer", "how many there are"),
            Field::always("names", "array", "what they are called"),
            Field::always("apps", "array", "{name, windows} of each: the titles of its windows"),
        ],
        Risk::Read,
        apps::list,
    ),
    TOOLSET.tool(
        "app.activate",
        "Brings a program that runs to the front.",
        &[&[NAME]],
        &[CALLED, Field::always("title", "string", "title of its window")],
        Risk::Write,
        apps::activate,
    ),
];

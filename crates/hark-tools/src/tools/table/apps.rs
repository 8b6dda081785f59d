//! Tools for the programs of this machine's desktop.

use crate::tools::descriptor::{Descriptor, Field, Outside, Prepare};
use crate::tools::desktop::{apps, has_manager};
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

const NAME: Arg = Arg::must("name", Kind::Text, "name of the program, or its kind, such as `browser`");
const CALLED: Field = Field::always("name", "string", "what it is called");

const fn of_app(
    (name, description): (&'static str, &'static str),
    args: &'static [&'static [Arg]],
    result: &'static [Field],
    prepare: Prepare,
) -> Descriptor {
    Descriptor {
        name,
        description,
        args,
        result,
        risk: Risk::Write,
        outside: Outside::Always,
        permission: "app",
        agent: "app_lifecycle",
        timeout_ms: None,
        ready: has_manager,
        prepare,
    }
}

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    of_app(
        ("app.launch", "Starts a program on the desktop of this computer."),
        &[&[NAME]],
        &[CALLED, Field::maybe("title", "string", "title of its window, where it has shown one")],
        apps::launch,
    ),
    of_app(
        ("app.quit", "Closes a program on the desktop of this computer; it may ask to save first."),
        &[&[
            NAME,
            Arg::maybe("force", Kind::Flag, "also where it asks something; what is not saved is lost"),
        ]],
        &[CALLED, Field::always("terminated", "boolean", "it did not close by itself, and was ended")],
        apps::quit,
    ),
    Descriptor {
        risk: Risk::Read,
        ..of_app(
            ("app.is_running", "Tells whether a program runs on this computer."),
            &[&[NAME]],
            &[CALLED, Field::always("running", "boolean", "it runs")],
            apps::is_running,
        )
    },
    Descriptor {
        risk: Risk::Read,
        ..of_app(
            ("app.list", "Lists the programs that have windows on the desktop of this computer."),
            &[],
            &[
                Field::always("count", "integer", "how many there are"),
                Field::always("names", "array", "what they are called"),
                Field::always("apps", "array", "{name, windows} of each: the titles of its windows"),
            ],
            apps::list,
        )
    },
    of_app(
        ("app.activate", "Brings a program that runs to the front."),
        &[&[NAME]],
        &[CALLED, Field::always("title", "string", "title of its window")],
        apps::activate,
    ),
];

//! Tools of the tasks in the household's calendars.

use crate::tools::descriptor::{Descriptor, Field, Outside, Ready, Toolset, always};
use crate::tools::parameter::{Arg, Kind};
use crate::tools::personal::{calendar, tasks};
use hark_core::Risk;

const TASK: &str = "{id, title, due: whether it is due at all, date?, weekday?, day?, month?, year?, days_ahead?, timed?, all_day?, hour?, minute?, overdue, repeats}";

const fn toolset(ready: Ready) -> Toolset {
    Toolset { permission: "calendar", agent: "calendar", ready }
}

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    toolset(calendar::ready).tool(
        "tasks.read",
        "Tells the open tasks of the household's calendars: all of them, or those that are due.",
        &[&[
            Arg::maybe("when", Kind::When, "only those that are due then; what is overdue is due today"),
            Arg::maybe("due", Kind::Flag, "only those that are overdue or due in the next seven days"),
        ]],
        &[
            Field::always("count", "integer", "how many there are"),
            Field::always("tasks", "array", TASK),
            Field::always("unread", "integer", "entries of the calendars that could not be read"),
            Field::maybe("when", "object", "the time that was asked about, as that of a task"),
        ],
        Risk::Read,
        tasks::read,
    ),
    Descriptor {
        outside: Outside::Never,
        ..toolset(calendar::ready).tool(
            "tasks.create",
            "Adds a task to the household's calendar, with the day or time at which it is due.",
            &[&[
                Arg::must("title", Kind::Words(200), "what is to be done"),
                Arg::maybe("due", Kind::When, "until when; on no day when missing"),
                Arg::maybe(
                    "recurrence",
                    Kind::Recurrence,
                    "how it comes again, such as `FREQ=WEEKLY;BYDAY=FR`; `due` is the first day then",
                ),
            ]],
            &[
                Field::always("task", "object", TASK),
                Field::maybe("recurrence", "string", "how it comes again, without its time of day"),
            ],
            Risk::Write,
            tasks::create,
        )
    },
    toolset(always).tool(
        "tasks.complete",
        "Marks a task of the household's calendar as done; one that repeats is due the next time then. What is none of its tasks is ticked off the list that is named.",
        &[&[
            Arg::maybe("item", Kind::Words(300), "words of its title"),
            Arg::maybe("id", Kind::Words(300), "its id, as `tasks.read` tells it"),
            Arg::maybe("name", Kind::Text, "a list of Hark on which it may stand instead, such as `to do`"),
        ]],
        &[
            Field::maybe("task", "object", TASK),
            Field::maybe("next", "object", "the same as it is due the next time, of one that repeats"),
            Field::maybe("list", "string", "the list it stood on"),
            Field::maybe("items", "array", "what was ticked off it"),
            Field::maybe("count", "integer", "what is still open there"),
            Field::maybe("entities", "array", "the list as an entity of the home, before and after"),
            Field::maybe("name", "string", "its name, of a list of the home"),
            Field::maybe("area", "string", "its area"),
            Field::maybe("domain", "string", "its kind"),
        ],
        Risk::Write,
        tasks::complete,
    ),
];

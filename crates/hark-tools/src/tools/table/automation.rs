//! Tools for what is carried out when something happens.

use super::ENTITIES;
use crate::tools::automation;
use crate::tools::descriptor::{Descriptor, Field, Outside, always};
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

/// Bytes of the requests of one automation, as JSON.
const MAX_INTENTS: usize = 16_000;

/// Bytes of a condition, as JSON.
const MAX_CONDITION: usize = 4_000;

/// What requests that are kept come to.
pub(super) const CALLS: Arg = Arg::maybe(
    "calls",
    Kind::Body(MAX_INTENTS),
    "what that comes to, as [{tool, args}]; what is dangerous of it is asked about before it is kept",
);

const SAID_WHEN: Arg = Arg::maybe("said_when", Kind::Words(300), "when or how long, as it was said");
const LANGUAGE: Arg = Arg::maybe("language", Kind::Text, "language of the words, such as `en`");
const AUTOMATION: &str = "{id, said, said_when, repeats, watched, when?, sun?, some_days?, devices?, kind?}; kind: timer, alarm or reminder, of what waits for a time; watched: {id, name, domain, device_class, state, state_text, unit}";

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
        name: "automation.add",
        description: "Keeps requests that are carried out when something happens, at sunrise or at sunset.",
        args: &[&[
            Arg::maybe(
                "said",
                Kind::Words(300),
                "what is to be done, in words; somebody is told of it where there are none",
            ),
            SAID_WHEN,
            LANGUAGE,
            Arg::must(
                "trigger",
                Kind::Body(MAX_CONDITION),
                "{kind: becomes, condition, for_seconds} | {kind: sun, event: sunrise|sunset, offset_minutes, from_day} | {kind: said, words}; a condition is \
                 {kind: state, question, not} with arguments of home.get_state, or {kind: hours, from, to}",
            ),
            Arg::maybe("only_if", Kind::Body(MAX_CONDITION), "conditions that have to be true as well"),
            Arg::maybe("repeats", Kind::Flag, "every time, not once"),
            Arg::maybe(
                "expires",
                Kind::Text,
                "local time from which on it is not waited for any more, such as 2026-11-29T05:00:00",
            ),
            Arg::maybe(
                "at_once",
                Kind::Choice(&["ask", "drop", "wait"]),
                "done now if it is so now; else a person is asked whether to wait, it is not done at all, or it waits",
            ),
            Arg::must(
                "intents",
                Kind::Body(MAX_INTENTS),
                "intents, as events of the kind `intent` tell them",
            ),
            CALLS,
        ]],
        result: &[
            Field::maybe("automation", "object", AUTOMATION),
            Field::maybe(
                "carry_out",
                "boolean",
                "whether it is so now, and the requests are carried out at once",
            ),
            Field::maybe("watched", "array", "what the condition is about, as in automation"),
        ],
        risk: Risk::Write,
        outside: Outside::Home,
        permission: "home",
        agent: "home",
        timeout_ms: None,
        ready: always,
        prepare: automation::add,
    },
    Descriptor {
        name: "automation.list",
        description: "Tells what waits for something to happen or for its time.",
        args: &[&[Arg::maybe("name", Kind::Text, "only what is done with this device, or waits for it")]],
        result: &[
            Field::always("count", "integer", "how many wait"),
            Field::always("automations", "array", AUTOMATION),
        ],
        risk: Risk::Read,
        outside: Outside::Home,
        permission: "home",
        agent: "home",
        timeout_ms: None,
        ready: always,
        prepare: automation::list,
    },
    Descriptor {
        name: "automation.cancel",
        description: "Forgets what waits for a time or for something to happen: the last one, those of some words, or all.",
        args: &[&[
            Arg::maybe("words", Kind::Words(300), "words of what was asked for"),
            Arg::maybe("id", Kind::Text, "id of the automation"),
            Arg::maybe("all", Kind::Flag, "all of them"),
        ]],
        result: &[
            Field::always("count", "integer", "how many there were"),
            Field::always("automations", "array", AUTOMATION),
        ],
        risk: Risk::Write,
        outside: Outside::Home,
        permission: "home",
        agent: "home",
        timeout_ms: None,
        ready: always,
        prepare: automation::cancel,
    },
    Descriptor {
        name: "automation.change_end",
        description: "Lets what lasts for some time end at another one.",
        args: &[&[
            Arg::must("id", Kind::Text, "id of the automation"),
            Arg::must("until", Kind::Body(MAX_CONDITION), "as in home.restore_later"),
        ]],
        result: &[
            Field::always("count", "integer", "always 1"),
            Field::always("automation", "object", AUTOMATION),
        ],
        risk: Risk::Write,
        outside: Outside::Home,
        permission: "home",
        agent: "home",
        timeout_ms: None,
        ready: always,
        prepare: automation::change_end,
    },
    Descriptor {
        name: "automation.run",
        description: "Carries out what is kept for words that somebody has said.",
        args: &[&[Arg::must("id", Kind::Text, "id of the automation")]],
        result: &[Field::always(
            "carry_out",
            "boolean",
            "whether what has to be so is, and the requests are carried out now",
        )],
        risk: Risk::Read,
        outside: Outside::Home,
        permission: "home",
        agent: "home",
        timeout_ms: None,
        ready: always,
        prepare: automation::run,
    },
    Descriptor {
        name: "automation.restore",
        description: "Ends now what was to last for some time: devices become what they were.",
        args: &[&[Arg::must("id", Kind::Text, "id of the automation")]],
        result: &[ENTITIES, Field::always("count", "integer", "how many devices were changed back")],
        risk: Risk::Write,
        outside: Outside::Home,
        permission: "home",
        agent: "home",
        timeout_ms: None,
        ready: always,
        prepare: automation::restore_now,
    },
    Descriptor {
        name: "home.restore_later",
        description: "Changes back later what this request has changed in the home.",
        args: &[&[
            Arg::must(
                "until",
                Kind::Body(MAX_CONDITION),
                "{kind: seconds, seconds} | {kind: time, time} | {kind: moment, at} | {kind: sun, event} | \
                 {kind: becomes, condition}",
            ),
            Arg::maybe("of_turn", Kind::Text, "the turn whose changes are meant; else this one"),
            SAID_WHEN,
            LANGUAGE,
        ]],
        result: &[
            Field::always("count", "integer", "how many devices are changed back; 0 where none was changed"),
            Field::maybe("automation", "object", AUTOMATION),
        ],
        risk: Risk::Write,
        outside: Outside::Home,
        permission: "home",
        agent: "home",
        timeout_ms: None,
        ready: always,
        prepare: automation::restore_later,
    },
];

//! Tools of the everyday: chance, words, jokes, the sun.

use crate::tools::descriptor::{Descriptor, Field, Outside, always};
use crate::tools::everyday::{chance, jokes, sun, words};
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

const LANGUAGE: Arg =
    Arg::maybe("language", Kind::Text, "ISO 639-1 code; the language of the house when missing");

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
        name: "chance.coin",
        description: "Flips a coin.",
        args: &[],
        result: &[Field::always("side", "string", "heads or tails")],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "chance",
        agent: "everyday",
        timeout_ms: None,
        ready: always,
        prepare: chance::coin,
    },
    Descriptor {
        name: "chance.dice",
        description: "Rolls dice.",
        args: &[&[
            Arg::maybe("count", Kind::Integer(1, chance::MAX_DICE), "how many; 1 when missing"),
            Arg::maybe("sides", Kind::Integer(2, chance::MAX_SIDES), "sides of each; 6 when missing"),
        ]],
        result: &[
            Field::always("rolls", "array", "what each shows"),
            Field::always("sum", "integer", "of all"),
            Field::always("count", "integer", "how many"),
            Field::always("sides", "integer", "of each"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "chance",
        agent: "everyday",
        timeout_ms: None,
        ready: always,
        prepare: chance::dice,
    },
    Descriptor {
        name: "chance.number",
        description: "Picks a whole number at random.",
        args: &[&[
            Arg::maybe(
                "from",
                Kind::Integer(-chance::MAX_NUMBER, chance::MAX_NUMBER),
                "the lowest; 1 when missing",
            ),
            Arg::maybe(
                "to",
                Kind::Integer(-chance::MAX_NUMBER, chance::MAX_NUMBER),
                "the highest; 100 when missing",
            ),
        ]],
        result: &[
            Field::always("number", "integer", "the number"),
            Field::always("from", "integer", "the lowest that could come"),
            Field::always("to", "integer", "the highest"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "chance",
        agent: "everyday",
        timeout_ms: None,
        ready: always,
        prepare: chance::number,
    },
    Descriptor {
        name: "chance.choose",
        description: "Chooses one of several things at random.",
        args: &[&[Arg::must("options", Kind::Words(300), "what there is, such as `pizza, pasta or rice`")]],
        result: &[
            Field::always("choice", "string", "the one"),
            Field::always("options", "array", "all of them"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "chance",
        agent: "everyday",
        timeout_ms: None,
        ready: always,
        prepare: chance::choose,
    },
    Descriptor {
        name: "word.spell",
        description: "Spells a word or name, letter by letter.",
        args: &[&[Arg::must("word", Kind::Words(60), "the word"), LANGUAGE]],
        result: &[
            Field::always("word", "string", "the word"),
            Field::always("letters", "array", "its letters as they are said"),
            Field::always("text", "string", "the letters in a row; a semicolon between words"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "words",
        agent: "everyday",
        timeout_ms: None,
        ready: always,
        prepare: words::spell,
    },
    Descriptor {
        name: "word.define",
        description: "Tells what a word means, from a dictionary on this machine.",
        args: &[&[Arg::must("word", Kind::Words(60), "the word"), LANGUAGE]],
        result: &[
            Field::always("word", "string", "as the dictionary writes it"),
            Field::always("count", "integer", "how many meanings it has"),
            Field::always("meaning", "string", "the usual one"),
            Field::always("meanings", "array", "up to five of them"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "words",
        agent: "everyday",
        timeout_ms: None,
        ready: words::ready,
        prepare: words::define,
    },
    Descriptor {
        name: "joke.tell",
        description: "Tells a joke.",
        args: &[&[LANGUAGE]],
        result: &[
            Field::always("text", "string", "the joke"),
            Field::always("language", "string", "its language"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "joke",
        agent: "everyday",
        timeout_ms: None,
        ready: always,
        prepare: jokes::tell,
    },
    Descriptor {
        name: "datetime.sun",
        description: "Tells when the sun rises or sets here, today or on another day.",
        args: &[&[
            Arg::maybe("event", Kind::Choice(&["sunrise", "sunset"]), "sunset when missing"),
            Arg::maybe("when", Kind::When, "a day; today when missing"),
        ]],
        result: &[
            Field::always("event", "string", "sunrise or sunset"),
            Field::always("date", "string", "such as 2026-11-21"),
            Field::always("weekday", "string", "English name"),
            Field::always("days_away", "integer", "from today"),
            Field::always("hour", "integer", "0–23"),
            Field::always("minute", "integer", "0–59"),
            Field::always("time", "string", "such as 16:05"),
            Field::always("over", "boolean", "it has been already"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "datetime",
        agent: "datetime",
        timeout_ms: None,
        ready: always,
        prepare: sun::sun,
    },
];

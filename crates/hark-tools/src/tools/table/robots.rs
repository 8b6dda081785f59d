//! Tools that drive vacuum cleaners and lawn mowers.

use super::{AREA, COUNT, DEVICES, DOMAIN, ENTITIES, NAME, TARGET};
use crate::tools::descriptor::{Descriptor, Field, Outside, always};
use crate::tools::home::robots;
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
        name: "home.vacuum_start",
        description: "Lets vacuum cleaners clean.",
        args: &[TARGET],
        result: DEVICES,
        risk: Risk::Write,
        outside: Outside::Home,
        permission: "home",
        agent: "home",
        timeout_ms: None,
        ready: always,
        prepare: robots::vacuum_start,
    },
    Descriptor {
        name: "home.vacuum_dock",
        description: "Sends vacuum cleaners home.",
        args: &[TARGET],
        result: DEVICES,
        risk: Risk::Write,
        outside: Outside::Home,
        permission: "home",
        agent: "home",
        timeout_ms: None,
        ready: always,
        prepare: robots::vacuum_dock,
    },
    Descriptor {
        name: "home.vacuum_clean_area",
        description: "Lets a vacuum cleaner clean one area.",
        args: &[&[
            Arg::maybe("name", Kind::Text, "which vacuum cleaner"),
            Arg::must("area", Kind::Text, "what to clean"),
        ]],
        result: &[
            ENTITIES,
            COUNT,
            NAME,
            AREA,
            DOMAIN,
            Field::always("cleans", "string", "declared name of the area to be cleaned"),
        ],
        risk: Risk::Write,
        outside: Outside::Home,
        permission: "home",
        agent: "home",
        timeout_ms: None,
        ready: always,
        prepare: robots::vacuum_clean_area,
    },
    Descriptor {
        name: "home.mower_start",
        description: "Lets lawn mowers mow.",
        args: &[TARGET],
        result: DEVICES,
        risk: Risk::Write,
        outside: Outside::Home,
        permission: "home",
        agent: "home",
        timeout_ms: None,
        ready: always,
        prepare: robots::mower_start,
    },
    Descriptor {
        name: "home.mower_dock",
        description: "Sends lawn mowers home.",
        args: &[TARGET],
        result: DEVICES,
        risk: Risk::Write,
        outside: Outside::Home,
        permission: "home",
        agent: "home",
        timeout_ms: None,
        ready: always,
        prepare: robots::mower_dock,
    },
];

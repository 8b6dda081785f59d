//! The one table of tools. To add a tool: a line in one of the files beside this, its code in a file of
//! `tools`, its words in `models/languages/<code>/tools.toml`, and `make contracts` for `contracts/tools.json`.

mod apps;
mod automation;
mod browser;
mod computer;
mod delegation;
mod everyday;
mod home;
mod household;
mod info;
mod input;
mod knowledge;
mod machine;
mod media;
mod personal;
mod player;
mod robots;
mod screen;
mod tasks;
mod timers;
mod ui;
mod web;
mod window;

use super::descriptor::{Descriptor, Field};
use super::parameter::{Arg, Kind};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// What a request is about; the same for every home tool.
const TARGET: &[Arg] = &[
    Arg::maybe("name", Kind::Text, "name or alias of the thing; `all` for every one"),
    Arg::maybe("area", Kind::Text, "name of the area; `all` for everywhere"),
    Arg::maybe("floor", Kind::Text, "name of the floor"),
    Arg::maybe("domain", Kind::Text, "kind of thing, such as `light`"),
    Arg::maybe("device_class", Kind::Text, "kind within the domain, such as `garage`"),
    Arg::maybe("single", Kind::Flag, "one thing is meant: where several would do it is asked which"),
    Arg::maybe(
        "except",
        Kind::Body(4_000),
        "what is left out: [{name, area, floor, domain, device_class}, …]",
    ),
];

const AMOUNT: &[Arg] = &[
    Arg::maybe("hours", Kind::Number(0.0, 2376.0), "hours"),
    Arg::maybe("minutes", Kind::Number(0.0, 142_560.0), "minutes"),
    Arg::maybe("seconds", Kind::Number(0.0, 8_553_600.0), "seconds"),
];

const ENTITIES: Field = Field::always(
    "entities",
    "array",
    "{id, name, domain, area, from, to} of every device, states before and after",
);
const COUNT: Field = Field::always("count", "integer", "how many devices");
const NAME: Field = Field::maybe("name", "string", "name of the device, when it is one");
const AREA: Field = Field::maybe("area", "string", "declared name of the area, when the request means one");
const DOMAIN: Field = Field::maybe("domain", "string", "kind of the devices, when they share one");
const DEVICES: &[Field] = &[ENTITIES, COUNT, NAME, AREA, DOMAIN];
/// Every tool.
pub static TABLE: LazyLock<Vec<&'static Descriptor>> = LazyLock::new(|| {
    let groups = [
        home::TOOLS,
        automation::TOOLS,
        robots::TOOLS,
        info::TOOLS,
        everyday::TOOLS,
        timers::TOOLS,
        media::TOOLS,
        household::TOOLS,
        knowledge::TOOLS,
        personal::TOOLS,
        tasks::TOOLS,
        computer::TOOLS,
        machine::TOOLS,
        web::TOOLS,
        browser::TOOLS,
        ui::TOOLS,
        delegation::TOOLS,
        player::TOOLS,
        window::TOOLS,
        input::TOOLS,
        screen::TOOLS,
        apps::TOOLS,
    ];
    groups.into_iter().flatten().collect()
});

/// The tool of this name.
pub fn find(name: &str) -> Option<&'static Descriptor> {
    TABLE.iter().copied().find(|tool| tool.name == name)
}

/// Words of a tool in a language (a tag such as `en`) of which one must be heard when the intent is not certain; none in a
/// language without words for it. `None` for a tool that is not there.
pub fn triggers(name: &str, language: &str) -> Option<&'static [&'static str]> {
    let triggers = &hark_language::of(language).tools.triggers;
    let words = || triggers.iter().find(|(tool, _)| *tool == name).map_or(&[][..], |(_, words)| &**words);
    find(name).map(|_| words())
}

/// All tools, as `contracts/tools.json` pins them.
pub fn to_json() -> Value {
    json!({"tools": TABLE.iter().map(|tool| tool.to_json()).collect::<Vec<_>>()})
}

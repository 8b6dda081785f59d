//! Tools for the machine itself: battery, Wi-Fi, Bluetooth, screen lock, sleep, scripts, where it is.

use crate::shell as programs;
use crate::tools::computer::{machine, script};
use crate::tools::descriptor::{Descriptor, Field, Outside, Toolset, always};
use crate::tools::desktop::mixer;
use crate::tools::parameter::{Arg, Kind};
use crate::tools::volume;
use hark_core::Risk;

const ON: Arg = Arg::maybe("on", Kind::Flag, "on when missing");
const RADIO: Toolset = Toolset { permission: "system", agent: "system", ready: machine::has_network };
const BLUETOOTH: Toolset = Toolset { permission: "system", agent: "system", ready: machine::has_bluetooth };
const MIXER: Toolset = Toolset { permission: "volume", agent: "system", ready: mixer::ready };

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
        name: "system.battery",
        description: "Tells how full this machine's battery is, and for how long it lasts.",
        args: &[],
        result: &[
            Field::always("percent", "integer", "how full it is"),
            Field::always("state", "string", "charging, discharging, full, empty or unknown"),
            Field::maybe("hours", "integer", "until it is full or empty"),
            Field::maybe("minutes", "integer", "and the minutes"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "system",
        agent: "system",
        timeout_ms: None,
        ready: machine::has_battery,
        prepare: machine::battery,
    },
    Descriptor {
        name: "system.wifi",
        description: "Tells which wireless network this machine is in, and how strong it is.",
        args: &[],
        result: &[
            Field::always("enabled", "boolean", "the radio is switched on"),
            Field::always("connected", "boolean", "it is in a wireless network"),
            Field::maybe("network", "string", "name of the network"),
            Field::maybe("strength", "integer", "percent"),
        ],
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "system",
        agent: "system",
        timeout_ms: None,
        ready: machine::has_network,
        prepare: machine::wifi,
    },
    Descriptor {
        outside: Outside::Never,
        ..RADIO.tool(
            "system.set_wifi",
            "Switches this machine's Wi-Fi on or off, after a yes: Hark may lose its network with it.",
            &[&[ON]],
            &[Field::always("on", "boolean", "what it is now")],
            Risk::Write,
            machine::set_wifi,
        )
    },
    BLUETOOTH.tool(
        "system.bluetooth",
        "Tells whether this machine's Bluetooth is on, and which devices are connected.",
        &[],
        &[
            Field::always("enabled", "boolean", "the radio is switched on"),
            Field::always("count", "integer", "how many devices are connected"),
            Field::always("devices", "array", "their names"),
        ],
        Risk::Read,
        machine::bluetooth,
    ),
    Descriptor {
        outside: Outside::Never,
        ..BLUETOOTH.tool(
            "system.set_bluetooth",
            "Switches this machine's Bluetooth on or off, after a yes.",
            &[&[ON]],
            &[Field::always("on", "boolean", "what it is now")],
            Risk::Write,
            machine::set_bluetooth,
        )
    },
    Descriptor {
        name: "system.lock",
        description: "Locks the screen of this machine.",
        args: &[],
        result: &[Field::always("count", "integer", "sessions that say they are locked")],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "system",
        agent: "system",
        timeout_ms: None,
        ready: machine::may_lock,
        prepare: machine::lock,
    },
    Descriptor {
        name: "system.sleep",
        description: "Lets this machine sleep, after a yes; Hark sleeps with it.",
        args: &[],
        result: &[],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "system",
        agent: "system",
        timeout_ms: None,
        ready: machine::may_sleep,
        prepare: machine::sleep,
    },
    Descriptor {
        name: "system.do_not_disturb",
        description: "Switches “do not disturb” of this node: nothing is said on it unasked.",
        args: &[&[Arg::maybe("on", Kind::Flag, "on when missing")]],
        result: &[Field::always("on", "boolean", "what it is now")],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "system",
        agent: "system",
        timeout_ms: None,
        ready: always,
        prepare: volume::do_not_disturb,
    },
    Descriptor {
        name: "volume.get",
        description: "Tells how loud this node is set.",
        args: &[],
        result: &[Field::always("volume_level", "integer", "percent")],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "volume",
        agent: "media_control",
        timeout_ms: None,
        ready: always,
        prepare: volume::get,
    },
    Descriptor {
        name: "system.volume",
        description: "Tells how loud this computer is set, whatever plays on it.",
        args: &[],
        result: &[
            Field::always("volume_level", "integer", "percent"),
            Field::always("muted", "boolean", "nothing is heard, however loud it is set"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "volume",
        agent: "system",
        timeout_ms: None,
        ready: mixer::ready,
        prepare: mixer::get,
    },
    Descriptor {
        name: "system.set_volume",
        description: "Sets how loud this computer is, whatever plays on it; not how loud Hark speaks.",
        args: &[&[
            Arg::maybe("volume_level", Kind::Integer(0, 100), "percent"),
            Arg::maybe("volume_step", Kind::Step(-100.0, 100.0), "up, down, or by how many percent"),
        ]],
        result: &[Field::always("volume_level", "integer", "percent, as it is now")],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "volume",
        agent: "system",
        timeout_ms: None,
        ready: mixer::ready,
        prepare: mixer::set,
    },
    Descriptor {
        outside: Outside::Never,
        ..MIXER.tool(
            "system.mute",
            "Silences this computer, whatever plays on it, or lets it be heard again.",
            &[&[ON]],
            &[
                Field::always("muted", "boolean", "nothing is heard now"),
                Field::always("volume_level", "integer", "percent, as it is set"),
            ],
            Risk::Write,
            mixer::mute,
        )
    },
    Descriptor {
        name: "script.list",
        description: "Tells which of the owner's scripts may be run.",
        args: &[],
        result: &[
            Field::always("count", "integer", "how many there are"),
            Field::always("scripts", "array", "their names"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "shell",
        agent: "system",
        timeout_ms: None,
        ready: script::ready,
        prepare: script::list,
    },
    Descriptor {
        name: "script.run",
        description: "Runs one of the owner's scripts by its name.",
        args: &[&[
            Arg::must("name", Kind::Text, "its name, or words of it"),
            Arg::maybe(
                "args",
                Kind::Texts(programs::MAX_ARGS, programs::MAX_ARG_CHARS),
                "its arguments, one by one; nothing is expanded",
            ),
        ]],
        result: &[
            Field::always("name", "string", "the script"),
            Field::always("command", "string", "what was run"),
            Field::always("exit_code", "integer", "0"),
            Field::always("stdout", "string", "what it said"),
            Field::always("stderr", "string", "what it complained about"),
            Field::always("truncated", "boolean", "there is more than is told"),
        ],
        risk: Risk::Dangerous,
        outside: Outside::Always,
        permission: "shell",
        agent: "system",
        timeout_ms: None,
        ready: script::ready,
        prepare: script::run,
    },
    Descriptor {
        name: "location.get",
        description: "Tells where this home is, as its file has it, else where this machine finds itself to be (GeoClue).",
        args: &[],
        result: &[
            Field::always("latitude", "number", "degrees, north of the equator"),
            Field::always("longitude", "number", "degrees, east of Greenwich"),
            Field::always(
                "source",
                "string",
                "home: the file of the home; machine: what this machine finds out",
            ),
            Field::maybe(
                "accuracy_metres",
                "number",
                "how far off it may be, where the machine found it out",
            ),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "location",
        agent: "system",
        timeout_ms: None,
        ready: always,
        prepare: machine::location,
    },
];

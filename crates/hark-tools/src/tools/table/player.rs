//! Tools for what plays on the desktop of this machine, and for notifications there.

use crate::tools::computer::player;
use crate::tools::descriptor::{Descriptor, Field, Outside, Toolset};
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

const PLAYER: &[Field] = &[
    Field::always("player", "string", "what plays it"),
    Field::always("playing", "boolean", "it plays now; else it is paused or stopped"),
    Field::maybe("title", "string", "title of what it plays"),
    Field::maybe("artist", "string", "who made that"),
];

const TOOLSET: Toolset = Toolset { permission: "media", agent: "media_control", ready: player::has_session };

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    TOOLSET.tool(
        "player.now_playing",
        "Tells what plays on this computer, in a browser or a player.",
        &[],
        PLAYER,
        Risk::Read,
        player::now_playing,
    ),
    TOOLSET.tool(
        "player.play",
        "Lets what is paused on this computer go on.",
        &[],
        PLAYER,
        Risk::Write,
        player::play,
    ),
    TOOLSET.tool(
        "player.pause",
        "Pauses what plays on this computer.",
        &[],
        PLAYER,
        Risk::Write,
        player::pause,
    ),
    TOOLSET.tool(
        "player.next",
        "Plays the next title on this computer.",
        &[],
        PLAYER,
        Risk::Write,
        player::next,
    ),
    TOOLSET.tool(
        "player.previous",
        "Plays the title before on this computer.",
        &[],
        PLAYER,
        Risk::Write,
        player::previous,
    ),
    Descriptor {
        name: "desktop.notify",
        description: "Shows a notification on the desktop of this computer.",
        args: &[&[
            Arg::must("text", Kind::Words(500), "what it says"),
            Arg::maybe("title", Kind::Text, "its title; “Hark” when missing"),
        ]],
        result: &[Field::always("text", "string", "what it says")],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "system",
        agent: "system",
        timeout_ms: None,
        ready: player::has_session,
        prepare: player::notify,
    },
];

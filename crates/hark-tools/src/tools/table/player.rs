//! Tools for what plays on the desktop of this machine, and for notifications there.

use crate::tools::descriptor::{Descriptor, Field, Outside, Prepare};
use crate::tools::parameter::{Arg, Kind};
use crate::tools::player;
use hark_core::Risk;

const PLAYER: &[Field] = &[
    Field::always("player", "string", "what plays it"),
    Field::always("playing", "boolean", "it plays now; else it is paused or stopped"),
    Field::maybe("title", "string", "title of what it plays"),
    Field::maybe("artist", "string", "who made that"),
];

const fn of_player(
    name: &'static str,
    description: &'static str,
    risk: Risk,
    prepare: Prepare,
) -> Descriptor {
    Descriptor {
        name,
        description,
        args: &[],
        result: PLAYER,
        risk,
        outside: Outside::Always,
        permission: "media",
        agent: "media_control",
        timeout_ms: None,
        ready: player::has_session,
        prepare,
    }
}

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    of_player(
        "player.now_playing",
        "Tells what plays on this computer, in a browser or a player.",
        Risk::Read,
        player::now_playing,
    ),
    of_player("player.play", "Lets what is paused on this computer go on.", Risk::Write, player::play),
    of_player("player.pause", "Pauses what plays on this computer.", Risk::Write, player::pause),
    of_player("player.next", "Plays the next title on this computer.", Risk::Write, player::next),
    of_player("player.previous", "Plays the title before on this computer.", Risk::Write, player::previous),
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

//! `hark hear`: recordings through the same path as the microphone.

use super::args::Hear;
use super::{Faults, trace};
use crate::config::Config;
use crate::daemon::hear::{Options, hear};
use crate::daemon::workshop::Workshop;

/// Hears every file and prints what happens.
pub(super) fn run(config: Config, args: Hear, json: bool) -> Result<(), Faults> {
    let workshop = Workshop::open_visiting(config)?;
    let Hear { files, reply, realtime, no_wake, saying, echo_db } = args;
    let options = Options { reply, realtime, no_wake, saying, echo_db };
    hear(&workshop, &files, &options, trace::printer(json))
}

//! `hark hear`: recordings through the same path as the microphone.

use super::args::Hear;
use super::{Faults, trace};
use crate::app::builder::App;
use crate::cli::standalone::hear::{Options, hear};
use hark_config::Config;

/// Hears every file and prints what happens.
pub(super) fn run(config: Config, args: Hear, json: bool) -> Result<(), Faults> {
    let app = App::open_visiting(config)?;
    let Hear { files, reply, realtime, no_wake, saying, echo_db } = args;
    let options = Options { reply, realtime, no_wake, saying, echo_db };
    hear(&app, &files, &options, trace::printer(json))
}

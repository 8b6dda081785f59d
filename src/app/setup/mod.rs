//! The first five minutes: what every step tries and writes, for `hark setup` in a terminal (`src/cli/setup`) and for the
//! page (`live`).

pub(crate) mod connections;
pub(crate) mod language_model;
pub(crate) mod live;
pub(crate) mod rooms;
pub(crate) mod wake;

use std::time::Duration;

/// How long machines may take to say that they are there.
pub(crate) const LOOKING: Duration = Duration::from_secs(3);

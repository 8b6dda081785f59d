//! What others ask of the daemon itself and not of the turn machine.

use super::house::{Announcement, Claim, Confirmed};

/// An order to the daemon.
#[derive(Debug, Clone, PartialEq)]
pub enum DaemonCommand {
    /// Another node claims the turn it heard the wake word for. [`Event::Standing`](super::Event::Standing) is what comes
    /// of it.
    Claimed { claim: Claim },
    /// Another node wants something said here. [`Event::Say`](super::Event::Say) or [`Event::Show`](super::Event::Show) is
    /// what comes of it.
    Announcement { announcement: Announcement },
    /// Another node has taken on an announcement of this one.
    Confirmed { confirmed: Confirmed },
    /// End and start anew.
    Restart,
    /// Start anew with the newer program that lies in this one's place.
    Install,
}

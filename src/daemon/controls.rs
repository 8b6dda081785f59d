//! Settings of this node that tools may change.

use super::intercom::Intercom;
use super::mailbox::Mailbox;
use crate::domain::house::Audience;
use crate::domain::ports::{ConfirmedFuture, NodeControls};
use crate::domain::{Event, Fault};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Volume now, shared between the tools and the turn machine.
pub(super) struct Controls {
    volume_percent: AtomicU8,
    is_running: bool,
    mailbox: Arc<Mailbox>,
    intercom: Arc<Intercom>,
}

impl Controls {
    /// `is_running`: there is sound that they are for.
    pub(super) fn new(
        volume_percent: u8,
        is_running: bool,
        mailbox: Arc<Mailbox>,
        intercom: Arc<Intercom>,
    ) -> Self {
        Self { volume_percent: AtomicU8::new(volume_percent.min(100)), is_running, mailbox, intercom }
    }

    /// What announces.
    pub(super) fn intercom(&self) -> &Arc<Intercom> {
        &self.intercom
    }

    /// The turn machine changed it.
    pub(super) fn note_volume(&self, percent: u8) {
        self.volume_percent.store(percent.min(100), Ordering::Relaxed);
    }
}

impl NodeControls for Controls {
    fn is_running(&self) -> bool {
        self.is_running
    }

    fn volume_percent(&self) -> u8 {
        self.volume_percent.load(Ordering::Relaxed)
    }

    fn set_volume(&self, percent: u8) -> u8 {
        let percent = percent.min(100);
        match self.mailbox.push(Event::SetVolume { percent }) {
            Ok(()) => self.note_volume(percent),
            Err(full) => tracing::error!("the volume was not changed: {full}"),
        }
        self.volume_percent()
    }

    fn announce(&self, text: &str) -> Result<(), Fault> {
        self.intercom.say(text).map(drop)
    }

    fn announce_to(&self, text: &str, to: Audience) -> ConfirmedFuture {
        self.intercom.announce_to(text, to)
    }
}

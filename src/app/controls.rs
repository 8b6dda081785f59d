//! Settings of this node that tools may change.

use crate::app::event_queue::EventQueue;
use crate::app::intercom::Intercom;
use hark_core::house::Audience;
use hark_core::ports::{ConfirmedFuture, NodeControls};
use hark_core::{Event, Fault, FaultKind, Setting};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Volume now, shared between the tools and the turn machine.
pub(crate) struct Controls {
    volume_percent: AtomicU8,
    is_running: bool,
    event_queue: Arc<EventQueue>,
    intercom: Arc<Intercom>,
}

impl Controls {
    /// `is_running`: there is sound that they are for.
    pub(crate) fn new(
        volume_percent: u8,
        is_running: bool,
        event_queue: Arc<EventQueue>,
        intercom: Arc<Intercom>,
    ) -> Self {
        Self { volume_percent: AtomicU8::new(volume_percent.min(100)), is_running, event_queue, intercom }
    }

    /// What announces.
    pub(crate) fn intercom(&self) -> &Arc<Intercom> {
        &self.intercom
    }

    /// The turn machine changed it.
    pub(crate) fn note_volume(&self, percent: u8) {
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
        match self.event_queue.push(Event::Set { setting: Setting::VolumePercent(percent) }) {
            Ok(()) => self.note_volume(percent),
            Err(full) => tracing::error!("the volume was not changed: {full}"),
        }
        self.volume_percent()
    }

    fn set_do_not_disturb(&self, on: bool) -> Result<(), Fault> {
        self.event_queue.push(Event::Set { setting: Setting::DoNotDisturb(on) }).map_err(|full| {
            let message = format!("the setting was not changed: {full}");
            Fault::new(FaultKind::Unavailable, "node", message, "try again in a moment")
        })
    }

    fn announce(&self, text: &str) -> Result<(), Fault> {
        self.intercom.say(text).map(drop)
    }

    fn announce_to(&self, text: &str, to: Audience) -> ConfirmedFuture {
        self.intercom.announce_to(text, to)
    }
}

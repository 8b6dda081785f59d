//! Announcements: said here, on other nodes, or shown where it is quiet.

use crate::app::event_queue::EventQueue;
use chrono::Timelike;
use hark_config::Config;
use hark_core::house::{Announcement, Audience, Confirmed};
use hark_core::ports::ConfirmedFuture;
use hark_core::{Event, Fault, FaultKind};
use hark_mqtt::Mqtt;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long other nodes have to confirm an announcement.
const ANSWERS_WITHIN: Duration = Duration::from_millis(700);
/// Confirmations that are taken of one announcement.
const MAX_NODES: usize = 256;

/// The connection to the others, and the place of this node.
struct Link {
    mqtt: Arc<Mqtt>,
    area: String,
}

/// See the module.
pub(crate) struct Intercom {
    event_queue: Arc<EventQueue>,
    node: String,
    has_voice: bool,
    quiet: Option<(u16, u16)>,
    do_not_disturb: AtomicBool,
    speaker_muted: AtomicBool,
    link: Mutex<Option<Link>>,
    /// Who has confirmed, by the announcement's id.
    awaited: Mutex<HashMap<String, Vec<Confirmed>>>,
}

impl Intercom {
    /// Alone, until it is attached.
    pub(crate) fn new(config: &Config, event_queue: Arc<EventQueue>) -> Self {
        let has_voice = config.speaking.has_voice() && config.audio.wants_speaker();
        Self {
            event_queue,
            node: config.mqtt.node.clone(),
            has_voice,
            quiet: config.speaking.quiet_minutes(),
            do_not_disturb: AtomicBool::new(false),
            speaker_muted: AtomicBool::new(false),
            link: Mutex::default(),
            awaited: Mutex::default(),
        }
    }

    /// Reaches the other nodes from now on; `area` is the declared name of this node's place.
    pub(crate) fn attach(&self, mqtt: Arc<Mqtt>, area: String) {
        *lock(&self.link) = Some(Link { mqtt, area });
    }

    /// Lets go of the connection, for shutdown.
    pub(crate) fn detach(&self) {
        *lock(&self.link) = None;
    }

    /// Do-not-disturb was switched on or off.
    pub(crate) fn note_do_not_disturb(&self, on: bool) {
        self.do_not_disturb.store(on, Ordering::Relaxed);
    }

    /// Whether nothing is to be said unasked now: quiet hours, do-not-disturb, or the speaker is off.
    pub(crate) fn is_quiet(&self) -> bool {
        let switched_off =
            self.do_not_disturb.load(Ordering::Relaxed) || self.speaker_muted.load(Ordering::Relaxed);
        switched_off || self.is_quiet_at(minute_of_day())
    }

    /// Says it here, or shows it where it is quiet; whether it is said.
    pub(crate) fn say(&self, text: &str) -> Result<bool, Fault> {
        let quiet = self.is_quiet();
        let text = text.to_owned();
        let event = if quiet { Event::Show { text } } else { Event::Say { text } };
        self.event_queue.push(event).map_err(|full| {
            Fault::new(FaultKind::Unavailable, "announce", full.to_string(), "say it again in a moment")
        })?;
        Ok(!quiet && self.has_voice)
    }

    /// The speaker was switched off or on.
    pub(crate) fn note_speaker(&self, muted: bool) {
        self.speaker_muted.store(muted, Ordering::Relaxed);
    }

    fn is_quiet_at(&self, minute: u16) -> bool {
        self.quiet.is_some_and(|(from, to)| {
            if from <= to { (from..to).contains(&minute) } else { minute >= from || minute < to }
        })
    }

    /// Another node wants something said.
    pub(crate) fn asked(&self, announcement: &Announcement) {
        let link = lock(&self.link);
        let Some(Link { mqtt, area }) = link.as_ref() else { return };
        let is_meant =
            announcement.area.as_ref().is_none_or(|wanted| wanted.to_lowercase() == area.to_lowercase());
        if announcement.from == self.node || !is_meant {
            return;
        }
        match self.say(&announcement.text) {
            Ok(spoken) => {
                let id = announcement.id.clone();
                mqtt.confirm(&Confirmed { id, node: self.node.clone(), spoken });
            }
            Err(fault) => tracing::error!("an announcement was not taken on: {fault}"),
        }
    }

    pub(crate) fn note(&self, confirmed: Confirmed) {
        let mut awaited = lock(&self.awaited);
        let Some(known) = awaited.get_mut(&confirmed.id) else { return };
        let is_new = !known.iter().any(|one| one.node == confirmed.node);
        if is_new && known.len() < MAX_NODES && confirmed.node != self.node {
            known.push(confirmed);
        }
    }

    /// Has it said to an audience.
    pub(crate) fn announce_to(self: &Arc<Self>, text: &str, to: Audience) -> ConfirmedFuture {
        let (intercom, text) = (Arc::clone(self), text.to_owned());
        Box::pin(async move {
            let id = uuid::Uuid::now_v7().to_string();
            let (is_attached, sent) = intercom.send(&id, &text, &to);
            let here = match &to {
                Audience::Here | Audience::Everywhere => true,
                Audience::Area(area) => {
                    let own = lock(&intercom.link).as_ref().map(|link| link.area.to_lowercase());
                    own.is_none_or(|own| own == area.to_lowercase())
                }
            };
            let mut confirmed = Vec::new();
            if here {
                let node = if is_attached { intercom.node.clone() } else { "here".to_owned() };
                confirmed.push(Confirmed { id: id.clone(), node, spoken: intercom.say(&text)? });
            }
            if sent {
                tokio::time::sleep(ANSWERS_WITHIN).await;
            }
            confirmed.extend(lock(&intercom.awaited).remove(&id).unwrap_or_default());
            Ok(confirmed)
        })
    }

    /// Whether there is a connection at all, and whether the others were told.
    fn send(&self, id: &str, text: &str, to: &Audience) -> (bool, bool) {
        let link = lock(&self.link);
        let Some(Link { mqtt, .. }) = link.as_ref() else { return (false, false) };
        let area = match to {
            Audience::Here => return (true, false),
            Audience::Area(area) => Some(area.clone()),
            Audience::Everywhere => None,
        };
        lock(&self.awaited).insert(id.to_owned(), Vec::new());
        let (from, text) = (self.node.clone(), text.to_owned());
        (true, mqtt.broadcast(&Announcement { id: id.to_owned(), from, text, area }))
    }
}

fn minute_of_day() -> u16 {
    let now = chrono::Local::now();
    u16::try_from(now.hour() * 60 + now.minute()).unwrap_or(0)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What it guards is whole after every statement that can panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intercom(quiet: &str) -> Intercom {
        let mut config = Config::default();
        config.speaking.quiet_hours = quiet.into();
        Intercom::new(&config, Arc::new(EventQueue::default()))
    }

    #[test]
    fn quiet_hours_go_over_midnight() {
        for (quiet, minute, expected) in [
            ("22:00-07:00", 23 * 60, true),
            ("22:00-07:00", 6 * 60 + 59, true),
            ("22:00-07:00", 7 * 60, false),
            ("13:00-14:00", 13 * 60, true),
            ("13:00-14:00", 14 * 60, false),
            ("", 0, false),
        ] {
            assert_eq!(intercom(quiet).is_quiet_at(minute), expected, "{quiet} {minute}");
        }
    }

    #[test]
    fn what_must_not_be_spoken_is_shown() {
        let intercom = intercom("");
        assert!(intercom.say("dinner").unwrap());
        intercom.note_do_not_disturb(true);
        assert!(!intercom.say("tea").unwrap());
        intercom.note_do_not_disturb(false);
        intercom.note_speaker(true);
        assert!(!intercom.say("cake").unwrap());
        let now = std::time::Instant::now();
        assert_eq!(intercom.event_queue.pop(now), Some(Event::Say { text: "dinner".into() }));
        assert_eq!(intercom.event_queue.pop(now), Some(Event::Show { text: "tea".into() }));
        assert_eq!(intercom.event_queue.pop(now), Some(Event::Show { text: "cake".into() }));
    }
}

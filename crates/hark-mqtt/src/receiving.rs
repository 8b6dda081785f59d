//! What a connection does with a message that comes in: whose it is, whether it came before, what it means, and when
//! it is acknowledged.

use super::inbound::{self, Inbound, Refusal};
use super::repetition;
use super::session::Session;
use super::taking::{Arrival, How, Known, Safe};
use hark_core::command::DaemonCommand;
use hark_core::event::Event;
use hark_core::fault::Fault;
use rumqttc::{Publish, QoS};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Acknowledgements under way at once: with the messages and requests of a session less than rumqttc's channel holds.
const ACKS_MAX: usize = 16;

impl Session<'_> {
    /// Takes a message.
    pub(super) fn receive(&mut self, publish: &Publish) {
        if publish.qos != QoS::AtMostOnce {
            self.delivered.insert(publish.pkid);
        }
        let topic = String::from_utf8_lossy(&publish.topic);
        if let Some(devices) = &self.shared.devices
            && self.shared.topics.incoming(&topic).is_none()
        {
            devices.put(&topic, &publish.payload, publish.retain);
            self.is_safe(publish.pkid);
            return;
        }
        if self.intake.seen.is_repetition(publish) {
            tracing::debug!(%topic, "delivered again, taken before");
            // What is being written down is acknowledged then.
            if !self.intake.desk.holds(publish.pkid, repetition::content(publish)) {
                self.is_safe(publish.pkid);
            }
            return;
        }
        match inbound::read(&self.shared.topics, &topic, &publish.payload, publish.retain) {
            Ok(Inbound::Event(event)) => return self.take(publish, &topic, event),
            Ok(Inbound::Command(command)) => return self.order(publish, &topic, command),
            Ok(Inbound::HomeAssistantOnline) => self.shared.outbox.repeat(self.shared.greeting()),
            Ok(Inbound::Nothing) => {}
            Err(refusal) => self.refuse(&refusal),
        }
        self.is_safe(publish.pkid);
    }

    /// An order to the daemon.
    fn order(&mut self, publish: &Publish, path: &str, command: DaemonCommand) {
        let is_new = !self.was_sent_before(publish, path);
        // Before it acts: a restart that is asked for must not be asked for again after it.
        self.is_safe(publish.pkid);
        if is_new {
            (self.receiving.commands)(command);
        }
    }

    fn was_sent_before(&mut self, publish: &Publish, path: &str) -> bool {
        let topic = self.shared.topics.incoming(path);
        let before = topic.is_some_and(|topic| self.intake.seen.has_known_id(topic, publish));
        if before {
            tracing::debug!(topic = path, "sent again under the same id, taken before");
        }
        before
    }

    fn take(&mut self, publish: &Publish, path: &str, event: Event) {
        if self.was_sent_before(publish, path) {
            return self.is_safe(publish.pkid);
        }
        let how = if publish.qos == QoS::AtMostOnce { How::Now } else { How::of(&event) };
        let content = repetition::content(publish);
        let known = Known { packet: publish.pkid, content, id: repetition::id(publish) };
        match how {
            How::Now => {
                self.is_safe(publish.pkid);
                (self.receiving.sink)(event);
            }
            How::Kept => {
                (self.receiving.sink)(event.clone());
                self.intake.desk.put(Arrival { known, event });
            }
            How::Written => self.intake.desk.put(Arrival { known, event }),
        }
    }

    /// Hands on what is written down, and acknowledges it.
    pub(super) fn hand_on(&mut self, safe: Vec<Safe>) {
        for Safe { packet, event } in safe {
            self.is_safe(packet);
            if let Some(event) = event {
                (self.receiving.sink)(event);
            }
        }
    }

    /// A packet may be acknowledged: it is, where it came on this connection. Where it came on one that broke, it
    /// comes again.
    fn is_safe(&mut self, packet: u16) {
        if self.delivered.remove(&packet) && self.acking.insert(packet) {
            self.acks.push_back(packet);
        }
    }

    /// Gives acknowledgements to rumqttc, as far as its channel has room for them beside the messages.
    pub(super) fn acknowledge(&mut self) {
        while self.acks_handed < ACKS_MAX {
            let Some(packet) = self.acks.pop_front() else { return };
            let mut publish = Publish::new("", QoS::AtLeastOnce, Vec::new());
            publish.pkid = packet;
            match self.client.try_ack(&publish) {
                Ok(()) => self.acks_handed += 1,
                Err(error) => {
                    tracing::error!(%error, "an acknowledgement cannot be sent; the message comes again");
                    return;
                }
            }
        }
    }

    fn refuse(&mut self, refusal: &Refusal) {
        let refused = self.shared.refused.fetch_add(1, Ordering::Relaxed) + 1;
        // A flood of garbage must not become a flood of events. A retained message that is cleared comes
        // empty: nobody meant anything by it.
        let may_tell = || {
            let mut refusals = self.shared.refusals.lock().unwrap_or_else(PoisonError::into_inner);
            refusals.may_tell(Instant::now())
        };
        if !matches!(refusal, Refusal::Empty(_)) && may_tell() {
            tracing::warn!(refused, "MQTT message refused: {refusal}");
            (self.receiving.sink)(Event::Fault { fault: Fault::from(refusal) });
        }
    }
}

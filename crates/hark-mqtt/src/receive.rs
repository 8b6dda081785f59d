//! Handling of one incoming message by a [`Connection`]: device message or command, duplicate or new, what it means, and
//! when it is acknowledged.

use super::acknowledgement::{AckPolicy, Acknowledgeable, IncomingRequest};
use super::connection::Connection;
use super::deduplicator;
use super::deduplicator::MessageKey;
use super::inbound::{self, Inbound, Refusal};
use hark_core::command::DaemonCommand;
use hark_core::event::Event;
use hark_core::fault::Fault;
use rumqttc::{Publish, QoS};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Acknowledgements under way at once: with the messages and requests of a session less than rumqttc's channel holds.
const ACKS_MAX: usize = 16;

impl Connection<'_> {
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
            self.may_acknowledge(publish.pkid);
            return;
        }
        if self.ack_state.deduplicator.is_duplicate(publish) {
            tracing::debug!(%topic, "delivered again, taken before");
            // What is being logged is acknowledged after that.
            if !self.ack_state.ack_queue.contains(publish.pkid, deduplicator::content_hash(publish)) {
                self.may_acknowledge(publish.pkid);
            }
            return;
        }
        match inbound::read(&self.shared.topics, &topic, &publish.payload, publish.retain) {
            Ok(Inbound::Event(event)) => return self.machine_event(publish, &topic, event),
            Ok(Inbound::Command(command)) => return self.daemon_command(publish, &topic, command),
            Ok(Inbound::HomeAssistantOnline) => self.shared.outbox.repeat(self.shared.greeting()),
            Ok(Inbound::Nothing) => {}
            Err(refusal) => self.refuse(&refusal),
        }
        self.may_acknowledge(publish.pkid);
    }

    /// A command to the daemon.
    fn daemon_command(&mut self, publish: &Publish, path: &str, command: DaemonCommand) {
        let is_new = !self.is_known_id(publish, path);
        // Before it acts: a restart that is asked for must not be asked for again after it.
        self.may_acknowledge(publish.pkid);
        if is_new {
            (self.handlers.commands)(command);
        }
    }

    fn is_known_id(&mut self, publish: &Publish, path: &str) -> bool {
        let topic = self.shared.topics.incoming(path);
        let before = topic.is_some_and(|topic| self.ack_state.deduplicator.has_known_id(topic, publish));
        if before {
            tracing::debug!(topic = path, "sent again under the same id, taken before");
        }
        before
    }

    fn machine_event(&mut self, publish: &Publish, path: &str, event: Event) {
        if self.is_known_id(publish, path) {
            return self.may_acknowledge(publish.pkid);
        }
        let how = if publish.qos == QoS::AtMostOnce { AckPolicy::Immediately } else { AckPolicy::of(&event) };
        let content = deduplicator::content_hash(publish);
        let known = MessageKey { packet: publish.pkid, content, id: deduplicator::id_hash(publish) };
        match how {
            AckPolicy::Immediately => {
                self.may_acknowledge(publish.pkid);
                (self.handlers.sink)(event);
            }
            AckPolicy::AfterStored => {
                (self.handlers.sink)(event.clone());
                self.ack_state.ack_queue.put(IncomingRequest { known, event });
            }
            AckPolicy::AfterLogged => self.ack_state.ack_queue.put(IncomingRequest { known, event }),
        }
    }

    /// Hands on what is logged, and acknowledges it.
    pub(super) fn hand_on(&mut self, acknowledgeable: Vec<Acknowledgeable>) {
        for Acknowledgeable { packet, event } in acknowledgeable {
            self.may_acknowledge(packet);
            if let Some(event) = event {
                (self.handlers.sink)(event);
            }
        }
    }

    /// Queues the acknowledgement of a packet of this connection. One of an earlier connection is delivered again.
    fn may_acknowledge(&mut self, packet: u16) {
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
        // empty and is no command.
        let may_tell = || {
            let mut refusals = self.shared.refusals.lock().unwrap_or_else(PoisonError::into_inner);
            refusals.may_tell(Instant::now())
        };
        if !matches!(refusal, Refusal::Empty(_)) && may_tell() {
            tracing::warn!(refused, "MQTT message refused: {refusal}");
            (self.handlers.sink)(Event::Fault { fault: Fault::from(refusal) });
        }
    }
}

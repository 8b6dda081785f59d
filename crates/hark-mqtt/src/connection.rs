//! One connection to the broker, from CONNECT to its end: subscribes, sends the outbox, hands on incoming messages, and
//! tracks what the broker has not acknowledged yet. Made and run by `client`.

use super::InboundHandlers;
use super::acknowledgement::AckState;
use super::client_state::ClientState;
use super::error::Error;
use super::outbound::Message;
use super::topics::{Topic, Topics, row};
use hark_core::event::Event as DomainEvent;
use hark_mqtt_devices::Request;
use rumqttc::{
    AsyncClient, ConnectionError, Event, EventLoop, Outgoing, Packet, PublishOptions, QoS, StateError,
    SubAck, SubscribeFilter, SubscribeReasonCode,
};
use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Messages under way at once. Far below rumqttc's own limit (100), so that its packet ids never
/// collide, and below the capacity of its channel.
const WINDOW_MESSAGES: usize = 32;

/// Requests for topics of devices under way at once.
const REQUESTS_MAX: usize = 8;

/// How a session ended.
pub enum End {
    /// As asked, after `offline` was acknowledged, or before there was a connection.
    Stopped,
    /// The connection could not be made, or broke.
    Lost(Box<ConnectionError>),
}

/// The steps of a clean exit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum ShutdownStep {
    /// Not asked to.
    No,
    /// Sends what waits.
    Draining,
    /// `offline` is under way.
    Offline,
    /// The goodbye is under way.
    Disconnecting,
}

/// One connection.
pub struct Connection<'a> {
    pub(super) client: AsyncClient,
    pub(super) shared: &'a ClientState,
    pub(super) handlers: &'a InboundHandlers,
    pub(super) ack_state: &'a mut AckState,
    /// Packets with QoS 1 that came on this connection and are not acknowledged.
    pub(super) delivered: BTreeSet<u16>,
    /// Packets to be acknowledged, in their order.
    pub(super) acks: VecDeque<u16>,
    /// Acknowledgements given to rumqttc, not yet written.
    pub(super) acks_handed: usize,
    /// Those to be acknowledged and those handed. One that is delivered again meanwhile needs no second
    /// acknowledgement, and rumqttc takes none.
    pub(super) acking: BTreeSet<u16>,
    /// Given to rumqttc, not yet written; it reports them in this order.
    handed: VecDeque<Message>,
    /// Written with QoS 1, not yet acknowledged; with the mark behind what had come before.
    unacknowledged: VecDeque<(u16, u64, Message)>,
    connected_at: Option<Instant>,
    shutdown_step: ShutdownStep,
    /// Requests for topics of devices given to rumqttc and not yet written.
    requests: usize,
    /// The request for Hark's own topics, and whether it was written.
    own_request: (bool, Option<u16>),
}

impl<'a> Connection<'a> {
    /// A session that has not begun.
    pub fn new(
        client: AsyncClient,
        shared: &'a ClientState,
        handlers: &'a InboundHandlers,
        ack_state: &'a mut AckState,
    ) -> Self {
        Self {
            client,
            shared,
            handlers,
            ack_state,
            delivered: BTreeSet::new(),
            acks: VecDeque::new(),
            acks_handed: 0,
            acking: BTreeSet::new(),
            handed: VecDeque::new(),
            unacknowledged: VecDeque::new(),
            connected_at: None,
            shutdown_step: ShutdownStep::No,
            requests: 0,
            own_request: (false, None),
        }
    }

    /// How long there was a connection; `None` if there never was one.
    pub fn lasted(&self) -> Option<Duration> {
        self.connected_at.map(|since| since.elapsed())
    }

    /// What may not have arrived, in the order it was sent.
    pub fn into_unacknowledged(self) -> impl DoubleEndedIterator<Item = Message> {
        self.unacknowledged.into_iter().map(|(.., message)| message).chain(self.handed)
    }

    /// Runs until the connection is lost or `stop` becomes true and the goodbye is said.
    pub async fn run(&mut self, mut eventloop: EventLoop, stop: &mut watch::Receiver<bool>) -> End {
        loop {
            // More is not read before there is room for it.
            while self.ack_state.ack_queue.is_full() {
                let acknowledgeable = self.ack_state.ack_queue.next().await;
                self.hand_on(acknowledgeable);
            }
            let polled = {
                // Kept alive over the other branches: a dropped poll may lose what it was writing.
                let poll = eventloop.poll();
                tokio::pin!(poll);
                loop {
                    self.send_waiting();
                    tokio::select! {
                        biased;
                        polled = &mut poll => break polled,
                        () = self.shared.outbox.changed(), if self.connected_at.is_some() => {}
                        acknowledgeable = self.ack_state.ack_queue.next() => self.hand_on(acknowledgeable),
                        // An error means that the owner is gone, which ends this task too.
                        _ = stop.wait_for(|stop| *stop), if self.shutdown_step == ShutdownStep::No => {
                            if self.connected_at.is_none() {
                                return End::Stopped;
                            }
                            self.shutdown_step = ShutdownStep::Draining;
                        }
                    }
                }
            };
            match polled {
                Ok(Event::Outgoing(Outgoing::Disconnect)) => return End::Stopped,
                // Only a broker that skips acknowledgements leads here; a new connection sorts it out.
                Ok(Event::Outgoing(Outgoing::AwaitAck(_))) => {
                    return End::Lost(Box::new(ConnectionError::MqttState(StateError::InvalidState)));
                }
                Ok(event) => self.note(event),
                Err(_) if self.shutdown_step != ShutdownStep::No => return End::Stopped,
                Err(error) => return End::Lost(Box::new(error)),
            }
        }
    }

    /// Hands over as much as may be under way at once, and takes the next step of a clean exit.
    fn send_waiting(&mut self) {
        if self.connected_at.is_none() || self.awaits_own_request() {
            return;
        }
        self.acknowledge();
        if self.shutdown_step == ShutdownStep::No {
            self.ask_for_topics();
        }
        while self.shutdown_step < ShutdownStep::Offline && self.under_way() < WINDOW_MESSAGES {
            let Some(message) = self.shared.outbox.take() else { break };
            self.hand(message);
        }
        let is_taken = self.ack_state.ack_queue.is_empty() && self.acks.is_empty() && self.acks_handed == 0;
        if self.shutdown_step == ShutdownStep::Draining && self.under_way() < WINDOW_MESSAGES && is_taken {
            self.shutdown_step = ShutdownStep::Offline;
            // A visit never said that the node is online.
            if !self.shared.devices_only {
                self.hand(Message::new(&self.shared.topics, Topic::Availability, "offline"));
            }
        }
        if self.shutdown_step == ShutdownStep::Offline
            && self.under_way() == 0
            && self.client.try_disconnect().is_ok()
        {
            self.shutdown_step = ShutdownStep::Disconnecting;
        }
    }

    /// Asks for the topics of devices, as far as rumqttc's channel has room for it beside the messages.
    fn ask_for_topics(&mut self) {
        let Some(devices) = &self.shared.devices else { return };
        while self.requests < REQUESTS_MAX {
            let sent = match devices.next_request() {
                None => return,
                // QoS 0: while the connection is broken nothing of it waits at the broker, where it would take
                // the place of requests; what the broker keeps comes again with the next connection.
                Some(Request::Subscribe(filters)) => {
                    let filters =
                        filters.into_iter().map(|filter| SubscribeFilter::new(filter, QoS::AtMostOnce));
                    self.client.try_subscribe_many(filters)
                }
                Some(Request::Unsubscribe(topic)) => self.client.try_unsubscribe(topic),
            };
            match sent {
                Ok(()) => self.requests += 1,
                Err(error) => tracing::error!(%error, "topics of devices cannot be asked for"),
            }
        }
    }

    /// Whether the subscription to Hark's own topics is not written yet. rumqttc has one channel for subscriptions and one for
    /// messages and may write `online` first. The broker would drop a request that is sent in between.
    fn awaits_own_request(&self) -> bool {
        !self.shared.devices_only && !self.own_request.0
    }

    fn under_way(&self) -> usize {
        self.handed.len() + self.unacknowledged.len()
    }

    fn hand(&mut self, message: Message) {
        let qos = if message.at_least_once { QoS::AtLeastOnce } else { QoS::AtMostOnce };
        let Message { path, payload, retain, .. } = message.clone();
        match self.client.try_publish(path, payload, PublishOptions::new(qos).retain(retain)) {
            Ok(()) => self.handed.push_back(message),
            // The window is smaller than the channel and topics are checked at the start.
            Err(error) => tracing::error!(topic = message.path, %error, "cannot be handed to MQTT"),
        }
    }

    fn note(&mut self, event: Event) {
        match event {
            Event::Incoming(Packet::ConnAck(answer)) => self.greet(answer.session_present),
            Event::Incoming(Packet::SubAck(answer)) => self.check_subscription(&answer),
            Event::Incoming(Packet::Publish(publish)) => self.receive(&publish),
            Event::Incoming(Packet::PubAck(ack)) => {
                let at = self.unacknowledged.iter().position(|(id, ..)| *id == ack.pkid);
                if let Some((_, mark, message)) = at.and_then(|at| self.unacknowledged.remove(at)) {
                    self.ack_state.deduplicator.settled(mark);
                    if let Some(ticket) = message.ticket {
                        ticket.arrived();
                    }
                }
            }
            // The first is the one for Hark's own topics.
            Event::Outgoing(Outgoing::Subscribe(id)) if self.awaits_own_request() => {
                self.own_request = (true, Some(id));
            }
            Event::Outgoing(Outgoing::Subscribe(_) | Outgoing::Unsubscribe(_)) => {
                self.requests = self.requests.saturating_sub(1);
            }
            Event::Outgoing(Outgoing::PubAck(id)) => {
                self.acks_handed = self.acks_handed.saturating_sub(1);
                self.acking.remove(&id);
                self.ack_state.deduplicator.acknowledged(id);
            }
            Event::Outgoing(Outgoing::Publish(id)) => {
                if let Some(message) = self.handed.pop_front()
                    && message.at_least_once
                {
                    self.unacknowledged.push_back((id, self.ack_state.deduplicator.mark(), message));
                }
            }
            _ => {}
        }
    }

    /// `resumed`: the broker still knows this client.
    fn greet(&mut self, resumed: bool) {
        self.connected_at = Some(Instant::now());
        self.ack_state.deduplicator.connected(resumed);
        if self.shared.devices_only {
            self.shared.set_link(true, None);
        } else {
            self.ask_for_commands();
        }
        self.shared.outbox.connected(self.shared.greeting());
        if let Some(devices) = &self.shared.devices {
            devices.connected();
        }
        tracing::info!(broker = self.shared.broker, "MQTT connected");
    }

    /// Asks for Hark's own topics. Nothing else is sent before: other programs may send commands as soon as they see
    /// `online`.
    fn ask_for_commands(&mut self) {
        // What is worth nothing later does not wait at the broker.
        let qos = |topic| if row(topic).qos == 0 { QoS::AtMostOnce } else { QoS::AtLeastOnce };
        let filters = Topics::subscriptions()
            .map(|topic| SubscribeFilter::new(self.shared.topics.path(topic), qos(topic)));
        if let Err(error) = self.client.try_subscribe_many(filters) {
            tracing::error!(%error, "the MQTT subscription cannot be sent");
            self.own_request.0 = true; // What Hark tells goes out all the same.
        }
    }

    fn check_subscription(&mut self, answer: &SubAck) {
        if self.own_request.1 != Some(answer.pkid) {
            let refused =
                answer.return_codes.iter().filter(|code| **code == SubscribeReasonCode::Failure).count();
            if refused > 0 {
                tracing::warn!(refused, "the broker refuses topics of devices: see its access rules");
            }
            return;
        }
        self.own_request.1 = None;
        let mut answers = answer.return_codes.iter().zip(Topics::subscriptions());
        let refused = answers.find(|(code, _)| **code == SubscribeReasonCode::Failure);
        let fault = refused.map(|(_, topic)| {
            let broker = self.shared.broker.clone();
            Error::SubscriptionRefused { broker, topic: self.shared.topics.path(topic) }.while_trying()
        });
        // Only now is it connected for others: a command sent before the subscription would be lost.
        self.shared.set_link(true, fault.clone());
        if let Some(fault) = fault {
            (self.handlers.sink)(DomainEvent::Fault { fault });
        }
    }
}

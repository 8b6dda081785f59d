//! The task that keeps the node connected: one [`Connection`] after the other, with growing pauses (back-off) between
//! them, and reports why there is none.

use super::InboundHandlers;
use super::acknowledgement::AckState;
use super::client_state::ClientState;
use super::connection::{Connection, End};
use super::error::Error;
use hark_core::event::Event;
use hark_net::backoff::{Backoff, Policy};
use rumqttc::mqttbytes::Error as WireError;
use rumqttc::{
    AckMode, AsyncClient, ConnectReturnCode, ConnectionError, MqttOptions, Outgoing, Packet, StateError,
};
use std::mem::Discriminant;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::watch;

/// Requests rumqttc's channel holds: more than a session ever hands over at once.
pub const CHANNEL_MESSAGES: usize = 64;

/// A connection that held this long resets the back-off.
const MIN_STABLE: Duration = Duration::from_secs(10);

/// So many short connections in a row mean that the broker closes them on purpose, as for a client id used twice.
const MAX_SHORT_LIVED: u32 = 3;

/// The task.
pub struct Client {
    options: MqttOptions,
    shared: Arc<ClientState>,
    handlers: InboundHandlers,
    ack_state: AckState,
    backoff: Backoff,
    /// Kinds of errors that were reported in this outage: each is news once.
    reported: Vec<Discriminant<Error>>,
    /// Connections in a row that broke soon after they were made.
    short_lived: u32,
}

impl Client {
    /// A connection with these options; what must not be lost is written into the request log.
    pub fn new(mut options: MqttOptions, shared: Arc<ClientState>, handlers: InboundHandlers) -> Self {
        options.set_ack_mode(AckMode::Manual);
        Self {
            options,
            shared,
            ack_state: AckState::new(handlers.request_log.clone()),
            handlers,
            backoff: Backoff::new(Policy::CONNECTION),
            reported: Vec::new(),
            short_lived: 0,
        }
    }

    /// Connects again and again until `stop` becomes true.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        loop {
            let builder = AsyncClient::builder(self.options.clone());
            let (client, mut eventloop) = builder.capacity(CHANNEL_MESSAGES).build();
            // Or a command that follows an event waits 40 ms until the broker has acknowledged that.
            let mut network = eventloop.network_options();
            network.set_tcp_nodelay(true);
            eventloop.set_network_options(network);
            let mut connection = Connection::new(client, &self.shared, &self.handlers, &mut self.ack_state);
            let end = connection.run(eventloop, &mut stop).await;
            let lasted = connection.lasted();
            self.shared.outbox.disconnected(connection.into_unacknowledged());
            if let Some(devices) = self.shared.devices.as_ref().filter(|_| lasted.is_some()) {
                devices.disconnected();
            }
            let End::Lost(error) = end else {
                self.shared.set_link(false, None);
                return;
            };
            let is_oversized = self.note_loss(*error, lasted);
            if let Some(devices) = self.shared.devices.as_ref().filter(|_| is_oversized) {
                devices.oversized();
            }
            let wait = self.backoff.next_wait();
            tokio::select! {
                () = self.pause(wait) => {}
                _ = stop.wait_for(|stop| *stop) => return,
            }
            if is_oversized {
                // The broker would deliver the message again; a clean session makes it forget it.
                forget_session(&self.options).await;
            }
        }
    }

    /// Waits; what was taken before the connection broke is acted on meanwhile.
    async fn pause(&mut self, wait: Duration) {
        let over = tokio::time::sleep(wait);
        tokio::pin!(over);
        loop {
            tokio::select! {
                () = &mut over => return,
                acknowledgeable = self.ack_state.ack_queue.next() => {
                    acknowledgeable.into_iter().filter_map(|acknowledgeable| acknowledgeable.event).for_each(|event| (self.handlers.sink)(event));
                }
            }
        }
    }

    /// Counts and reports the end of a session; true when a message that is too large ended it.
    fn note_loss(&mut self, error: ConnectionError, lasted: Option<Duration>) -> bool {
        match lasted {
            Some(lasted) if lasted >= MIN_STABLE => {
                self.backoff.reset();
                self.short_lived = 0;
                self.reported.clear();
            }
            Some(_) => self.short_lived += 1,
            None => self.short_lived = 0,
        }
        self.shared
            .outages
            .fetch_add(u64::from(lasted.is_some() || self.reported.is_empty()), Ordering::Relaxed);
        let repeatedly_closed = self.short_lived >= MAX_SHORT_LIVED;
        let error = explain(error, &self.shared.broker, &self.options.client_id(), repeatedly_closed);
        let is_oversized = matches!(error, Error::MessageTooLarge { .. });
        let kind = std::mem::discriminant(&error);
        let fault = error.while_trying();
        tracing::debug!(%fault, "MQTT connection lost");
        self.shared.set_link(false, Some(fault.clone()));
        if !self.reported.contains(&kind) {
            self.reported.push(kind);
            (self.handlers.sink)(Event::Fault { fault });
        }
        is_oversized
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The task is no more; without this the last thing known would be that all is well.
        if std::thread::panicking() {
            self.shared.set_link(false, Some(Error::TaskDied.into()));
        }
    }
}

/// Says in our words what rumqttc reports.
pub fn explain(error: ConnectionError, broker: &str, client_id: &str, repeatedly_closed: bool) -> Error {
    let broker = broker.to_owned();
    match error {
        ConnectionError::ConnectionRefused(code) => {
            let why = match code {
                ConnectReturnCode::BadUserNamePassword => "wrong user name or password",
                ConnectReturnCode::NotAuthorized => "not authorised",
                ConnectReturnCode::BadClientId => "it does not like the client id",
                ConnectReturnCode::RefusedProtocolVersion => "it does not speak MQTT 3.1.1",
                ConnectReturnCode::ServiceUnavailable | ConnectReturnCode::Success => "it is not available",
            };
            Error::Refused { broker, why }
        }
        ConnectionError::MqttState(StateError::Deserialization(WireError::PayloadSizeLimitExceeded(
            bytes,
        ))) => Error::MessageTooLarge { broker, bytes },
        ConnectionError::Tls(error) => Error::TlsFailed { broker, why: error.to_string() },
        error if repeatedly_closed => {
            Error::RepeatedlyClosed { broker, client_id: client_id.to_owned(), why: error.to_string() }
        }
        error => Error::Unreachable { broker, why: error.to_string() },
    }
}

/// Connects once with a clean session, so that the broker drops what it keeps for this client.
async fn forget_session(options: &MqttOptions) {
    let mut options = options.clone();
    options.set_clean_session(true);
    let (client, mut eventloop) = AsyncClient::builder(options).capacity(4).build();
    let pass = async {
        loop {
            match eventloop.poll().await {
                Ok(rumqttc::Event::Incoming(Packet::ConnAck(_))) => {
                    if client.try_disconnect().is_err() {
                        return;
                    }
                }
                Ok(rumqttc::Event::Outgoing(Outgoing::Disconnect)) | Err(_) => return,
                Ok(_) => {}
            }
        }
    };
    // A failure shows again at the next connection; nothing to report here.
    let _ = tokio::time::timeout(Duration::from_secs(10), pass).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::fault::Fault;

    #[test]
    fn short_connections_in_a_row_point_to_a_twin() {
        let broken = || ConnectionError::MqttState(StateError::ConnectionAborted);
        let fault = Fault::from(explain(broken(), "mqtt://b", "hark-kitchen", true));
        assert!(fault.message.contains("hark-kitchen") && fault.fix.contains("mqtt.node"), "{fault}");
        let fault = Fault::from(explain(broken(), "mqtt://b", "hark-kitchen", false));
        assert!(fault.message.contains("mqtt://b") && fault.fix.contains("mqtt.url"), "{fault}");
    }

    #[test]
    fn a_refusal_names_what_to_check() {
        let refused = ConnectionError::ConnectionRefused(ConnectReturnCode::BadUserNamePassword);
        let fault = explain(refused, "mqtt://b", "id", false).while_trying();
        assert!(fault.recoverable && fault.fix.contains("mqtt.password_file"), "{fault}");
    }
}

//! What can go wrong with MQTT, where, and what to do about it.

use hark_core::fault::{Fault, FaultKind};

/// A reason why MQTT does not start or is not connected.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `mqtt.node` cannot be part of a topic.
    #[error("mqtt.node = \"{0}\" cannot be part of a topic")]
    BadNode(String),
    /// `mqtt.discovery_prefix` cannot be part of a topic.
    #[error("mqtt.discovery_prefix = \"{0}\" cannot be the beginning of a topic")]
    BadPrefix(String),
    /// `mqtt.url` is not an address.
    #[error("mqtt.url = \"{url}\": {why}")]
    BadUrl {
        /// As configured, without what may be a password.
        url: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The password file cannot be used.
    #[error("the MQTT password file {path} cannot be read: {why}")]
    PasswordFile {
        /// Where it should be.
        path: String,
        /// What the system said.
        why: String,
    },
    /// A password without a user name, which MQTT 3.1.1 does not allow.
    #[error("an MQTT password is set ({0}), but mqtt.username is empty")]
    PasswordWithoutUser(String),
    /// No certificate authority to check the broker against.
    #[error("no usable certificate authorities were found to check {0} against")]
    NoAuthorities(String),
    /// TLS cannot be set up at all.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
    /// The embedded broker's port is taken by something that speaks MQTT.
    #[error("an MQTT broker already listens on 127.0.0.1:{0}, so the embedded one cannot")]
    BrokerAlreadyThere(u16),
    /// The embedded broker's port is taken by another program, or may not be used.
    #[error("the embedded broker cannot listen on 127.0.0.1:{port}: {why}")]
    PortTaken {
        /// `mqtt.embedded_port`.
        port: u16,
        /// What the system said.
        why: String,
    },
    /// This program was built without the embedded broker.
    #[error("mqtt.url is empty and this program was built without an embedded broker")]
    NoEmbeddedBroker,
    /// The embedded broker did not come up.
    #[error("the embedded broker on 127.0.0.1:{port} did not start: {why}")]
    EmbeddedBroker {
        /// `mqtt.embedded_port`.
        port: u16,
        /// What was seen.
        why: String,
    },
    /// The broker does not answer, or the connection broke.
    #[error("the MQTT broker at {broker} is not reachable: {why}")]
    Unreachable {
        /// Address.
        broker: String,
        /// What the network said.
        why: String,
    },
    /// TLS with the broker failed, most often because its certificate is not trusted.
    #[error("TLS with the MQTT broker at {broker} failed: {why}")]
    TlsFailed {
        /// Address.
        broker: String,
        /// What TLS said.
        why: String,
    },
    /// The broker does not let us in.
    #[error("the MQTT broker at {broker} refuses the connection: {why}")]
    Refused {
        /// Address.
        broker: String,
        /// What the broker said.
        why: &'static str,
    },
    /// The broker does not let us subscribe.
    #[error("the MQTT broker at {broker} refuses the subscription to {topic}")]
    SubscriptionRefused {
        /// Address.
        broker: String,
        /// First topic that was refused.
        topic: String,
    },
    /// Connections keep being cut shortly after they were made.
    #[error("the MQTT broker at {broker} keeps closing the connection of {client_id}: {why}")]
    RepeatedlyClosed {
        /// Address.
        broker: String,
        /// Our client id.
        client_id: String,
        /// What the network said.
        why: String,
    },
    /// A fault in Hark or its MQTT library ended the connection's task.
    #[error("the MQTT connection ended by a fault of its own")]
    TaskDied,
    /// A message of a size no command has.
    #[error("the MQTT broker at {broker} sent a message of {bytes} bytes on one of Hark's topics")]
    MessageTooLarge {
        /// Address.
        broker: String,
        /// Its size.
        bytes: usize,
    },
}

impl Error {
    fn kind(&self) -> FaultKind {
        match self {
            Self::BadNode(_)
            | Self::BadPrefix(_)
            | Self::BadUrl { .. }
            | Self::PasswordFile { .. }
            | Self::PasswordWithoutUser(_) => FaultKind::BadConfiguration,
            Self::NoAuthorities(_) | Self::NoEmbeddedBroker => FaultKind::MissingPart,
            Self::Tls(_) | Self::EmbeddedBroker { .. } | Self::TaskDied => FaultKind::Failed,
            Self::BrokerAlreadyThere(_)
            | Self::PortTaken { .. }
            | Self::Unreachable { .. }
            | Self::TlsFailed { .. }
            | Self::Refused { .. }
            | Self::SubscriptionRefused { .. }
            | Self::RepeatedlyClosed { .. }
            | Self::MessageTooLarge { .. } => FaultKind::Unavailable,
        }
    }

    fn fix(&self) -> String {
        match self {
            Self::BadNode(_) => {
                "use 1 to 32 lower-case letters, digits, _ or -, for example mqtt.node = \"kitchen\"".into()
            }
            Self::BadPrefix(_) => {
                "use Home Assistant's discovery prefix, normally mqtt.discovery_prefix = \"homeassistant\""
                    .into()
            }
            Self::BadUrl { .. } => {
                "write mqtt.url = \"mqtt://host:1883\", or \"mqtts://host:8883\" for TLS".into()
            }
            Self::PasswordFile { .. } => {
                "put the password into that file and let the user hark read it, or set mqtt.password_file"
                    .into()
            }
            Self::PasswordWithoutUser(_) => "set mqtt.username, or take the password away".into(),
            Self::NoAuthorities(_) => {
                "install ca-certificates, or set SSL_CERT_FILE to the broker's certificate authority (PEM)"
                    .into()
            }
            Self::Tls(_) => "use mqtt:// in mqtt.url if the broker is on a network you trust".into(),
            Self::BrokerAlreadyThere(port) => format!(
                "to use that broker set mqtt.url = \"mqtt://127.0.0.1:{port}\"; to run the embedded one beside \
                 it set mqtt.embedded_port to a free port, for example {}",
                if *port == 1884 { 1885 } else { 1884 }
            ),
            Self::PortTaken { .. } | Self::EmbeddedBroker { .. } => {
                "set mqtt.embedded_port to a free port above 1023, set mqtt.url to a broker you have, or set \
                 mqtt.broker = \"none\""
                    .into()
            }
            Self::NoEmbeddedBroker => {
                "set mqtt.url to a broker you have, or set mqtt.broker = \"none\"".into()
            }
            Self::Unreachable { .. } => {
                "check that the broker runs and that mqtt.url names it; Hark keeps trying".into()
            }
            Self::TlsFailed { .. } => {
                "set SSL_CERT_FILE to the authority (PEM) that signed the broker's certificate, and name the \
                 broker in mqtt.url as the certificate does"
                    .into()
            }
            Self::Refused { .. } => {
                "check mqtt.username, mqtt.password_file and the broker's access rules; Hark keeps trying"
                    .into()
            }
            Self::SubscriptionRefused { .. } => {
                "allow this user hark/<node>/# and the discovery prefix in the broker's access rules".into()
            }
            Self::RepeatedlyClosed { .. } => {
                "another program may use the same client id: give every Hark its own mqtt.node".into()
            }
            Self::TaskDied => "restart hark, and report what its log says".into(),
            Self::MessageTooLarge { .. } => {
                "if it is retained, clear it: mosquitto_pub -r -n -t hark/<node>/ask (and say, …/set)".into()
            }
        }
    }

    /// The fault, marked as one that Hark goes on trying to get over.
    pub fn while_trying(self) -> Fault {
        Fault::from(self).recoverable()
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault::new(error.kind(), "mqtt", error.to_string(), error.fix())
    }
}

//! Errors of the connection to Home Assistant.

use hark_core::fault::{Fault, FaultKind};

/// A reason why Home Assistant is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// `homeassistant.url` is not an address.
    #[error("homeassistant.url = \"{url}\": {why}")]
    BadUrl {
        /// As configured, without what may be a password.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// No token is configured.
    #[error("there is no token for Home Assistant")]
    NoToken,
    /// The token file cannot be used.
    #[error("the token file {path} cannot be used: {why}")]
    TokenFile {
        /// Where it should be.
        path: String,
        /// What is wrong.
        why: String,
    },
    /// It does not answer, or the connection broke.
    #[error("Home Assistant at {url} is not reachable: {why}")]
    Unreachable {
        /// Address.
        url: String,
        /// What the network said.
        why: String,
    },
    /// TLS failed, most often because the certificate is not trusted.
    #[error("TLS with Home Assistant at {url} failed: {why}")]
    Tls {
        /// Address.
        url: String,
        /// What TLS said.
        why: String,
    },
    /// A server answers that does not speak Home Assistant's protocol.
    #[error("what answers at {url} is not Home Assistant: {why}")]
    NotHomeAssistant {
        /// Address.
        url: String,
        /// What was seen.
        why: String,
    },
    /// It does not answer in time.
    #[error("Home Assistant at {url} did not answer in time ({what})")]
    Silent {
        /// Address.
        url: String,
        /// What was waited for.
        what: &'static str,
    },
    /// The token is not valid.
    #[error("Home Assistant at {url} does not accept the token: {why}")]
    WrongToken {
        /// Address.
        url: String,
        /// What it said.
        why: String,
    },
    /// It does not tell what Hark has to know.
    #[error("Home Assistant at {url} refuses {what}: {why}")]
    Refused {
        /// Address.
        url: String,
        /// Message type that was asked for.
        what: String,
        /// What it said.
        why: String,
    },
}

impl Error {
    fn kind(&self) -> FaultKind {
        match self {
            Self::BadUrl { .. } | Self::NoToken | Self::TokenFile { .. } => FaultKind::BadConfiguration,
            _ => FaultKind::Unavailable,
        }
    }

    fn fix(&self) -> &'static str {
        match self {
            Self::BadUrl { .. } => "write homeassistant.url = \"http://homeassistant.local:8123\"",
            Self::NoToken => {
                "make a long-lived access token in your profile there (Security), write it into a file and name \
                 it in homeassistant.token_file, or give systemd the credential homeassistant-token"
            }
            Self::TokenFile { .. } => {
                "put one long-lived access token into that file and let the user hark read it, or set \
                 homeassistant.token_file"
            }
            Self::Unreachable { .. } | Self::Silent { .. } => {
                "check that it runs and that homeassistant.url names it; Hark keeps trying"
            }
            Self::Tls { .. } => {
                "set SSL_CERT_FILE to the authority (PEM) that signed its certificate and name it in \
                 homeassistant.url as the certificate does; or use its http:// address within the house"
            }
            Self::NotHomeAssistant { .. } => {
                "check homeassistant.url: the same address as in the browser, such as \
                 http://homeassistant.local:8123"
            }
            Self::WrongToken { .. } => {
                "make a new long-lived access token in your profile there (Security) and write it into the token \
                 file; Hark tries again when the file has changed"
            }
            Self::Refused { .. } => "use a token of an administrator, and a Home Assistant of 2024 or newer",
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let fault = Self::new(error.kind(), "homeassistant", error.to_string(), error.fix());
        if error.kind() == FaultKind::BadConfiguration { fault } else { fault.recoverable() }
    }
}

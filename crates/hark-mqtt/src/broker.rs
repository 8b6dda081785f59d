//! Where the broker is and how to get in: address, credentials, TLS roots, connection options.

use super::error::Error;
use super::topics::{Topic, Topics};
use hark_config::mqtt::{BrokerMode, Mqtt as Config};
use hark_config::paths;
use rumqttc::{Broker as Server, LastWill, MqttOptions, QoS, Transport};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The broker notices within one and a half of these that a node is gone without a word.
const KEEP_ALIVE_SECONDS: u16 = 20;

/// Largest packet taken from the broker. Far above any command, because a larger one closes the
/// connection: what lies between 4 KiB and this is refused by its length, without that harm.
const INCOMING_MAX_BYTES: usize = 8 * 1024 * 1024;

/// Room above the payload for topic and headers.
const PACKET_OVERHEAD_BYTES: usize = 1024;

/// Certificate authorities as systems keep them, in order of preference after `$SSL_CERT_FILE`.
const AUTHORITY_FILES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Which broker is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broker {
    /// One that is there already.
    External(Address),
    /// One inside this program, on this port of 127.0.0.1.
    Embedded(u16),
    /// None: no MQTT.
    None,
}

impl Broker {
    /// What the configuration asks for.
    ///
    /// # Errors
    /// When `mqtt.url` is not an address.
    pub fn from_config(config: &Config) -> Result<Self, Error> {
        match (config.url.trim(), config.broker) {
            ("", BrokerMode::Embedded) => Ok(Self::Embedded(config.embedded_port)),
            ("", BrokerMode::None) => Ok(Self::None),
            (url, _) => Address::parse(url).map(Self::External),
        }
    }

    /// Where to connect to; `None` without a broker.
    pub fn address(&self) -> Option<Address> {
        match self {
            Self::External(address) => Some(address.clone()),
            Self::Embedded(port) => Some(Address { tls: false, host: "127.0.0.1".into(), port: *port }),
            Self::None => None,
        }
    }
}

/// Address of a broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Encrypted.
    pub tls: bool,
    /// Name or IP address, an IPv6 address without brackets.
    pub host: String,
    /// TCP port.
    pub port: u16,
}

impl Address {
    /// Reads `mqtt://host[:port]` or `mqtts://host[:port]`.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(url: &str) -> Result<Self, Error> {
        let bad = |why| Error::BadUrl { url: without_user(url), why };
        let (scheme, rest) =
            url.split_once("://").ok_or_else(|| bad("it must begin with mqtt:// or mqtts://"))?;
        let (tls, default_port) = match scheme.to_ascii_lowercase().as_str() {
            "mqtt" => (false, 1883),
            "mqtts" => (true, 8883),
            _ => return Err(bad("it must begin with mqtt:// or mqtts://")),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.contains('@') {
            return Err(bad("user name and password belong into mqtt.username and mqtt.password_file"));
        }
        if rest.contains(['/', '?', '#']) {
            return Err(bad("nothing may follow the port"));
        }
        let (host, port) = if let Some(rest) = rest.strip_prefix('[') {
            let (host, rest) = rest.split_once(']').ok_or_else(|| bad("the bracket is not closed"))?;
            if host.parse::<std::net::Ipv6Addr>().is_err() {
                return Err(bad("what stands in brackets is not an IPv6 address"));
            }
            match rest.strip_prefix(':') {
                None if rest.is_empty() => (host, None),
                None => return Err(bad("a port follows the bracket with a colon")),
                Some(port) => (host, Some(port)),
            }
        } else {
            match rest.rsplit_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (rest, None),
            }
        };
        if host.is_empty() {
            return Err(bad("the host is missing"));
        }
        if host.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(bad("the host holds a space"));
        }
        if host.contains(':') && !rest.starts_with('[') {
            return Err(bad("an IPv6 address stands in brackets: mqtt://[::1]:1883"));
        }
        let port = match port.map(str::parse) {
            None => default_port,
            Some(Ok(port)) if port > 0 => port,
            Some(_) => return Err(bad("the port is not a number from 1 to 65535")),
        };
        Ok(Self { tls, host: host.to_owned(), port })
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = if self.tls { "mqtts" } else { "mqtt" };
        if self.host.contains(':') {
            write!(f, "{scheme}://[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{scheme}://{}:{}", self.host, self.port)
        }
    }
}

/// The URL without what stands before an `@`: it may be a password.
fn without_user(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://…@{host}"),
        _ => url.to_owned(),
    }
}

/// User name and password.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    user: String,
    password: String,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}

impl Credentials {
    /// From `mqtt.username` with `mqtt.password_file`, else the file `mqtt-password` in
    /// `credentials_dir` (systemd's `$CREDENTIALS_DIRECTORY`). `None` without a user name.
    ///
    /// # Errors
    /// When the password file cannot be read, or there is a password without a user name.
    pub fn find(config: &Config, credentials_dir: Option<&Path>) -> Result<Option<Self>, Error> {
        let Some(path) = paths::secret_file(&config.password_file, "mqtt-password", credentials_dir) else {
            let user = config.username.clone();
            return Ok((!user.is_empty()).then(|| Self { user, password: String::new() }));
        };
        let shown = path.display().to_string();
        if config.username.is_empty() {
            return Err(Error::PasswordWithoutUser(shown));
        }
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Error::PasswordFile { path: shown, why: error.to_string() })?;
        // Editors end the last line; a password does not end in a line break.
        let password = text.trim_end_matches(['\r', '\n']).to_owned();
        Ok(Some(Self { user: config.username.clone(), password }))
    }
}

/// Client id of a node: the same at every start, so that the broker keeps its session.
pub fn client_id(node: &str) -> String {
    format!("hark-{node}")
}

/// Options of the connection, without last will and with a clean session.
///
/// # Errors
/// When TLS is asked for and cannot be set up.
pub fn base_options(
    client_id: &str,
    address: &Address,
    credentials: Option<&Credentials>,
    authorities: &[PathBuf],
) -> Result<MqttOptions, Error> {
    // Without TLS rumqttc joins host and port to a text that it resolves, so IPv6 needs its brackets;
    // with TLS the host is a name to be checked.
    let host = match (address.host.contains(':'), address.tls) {
        (true, false) => format!("[{}]", address.host),
        _ => address.host.clone(),
    };
    let mut options = MqttOptions::new(client_id, Server::tcp(host, address.port));
    options
        .set_keep_alive(KEEP_ALIVE_SECONDS)
        .set_max_packet_size(INCOMING_MAX_BYTES, super::outbound::PAYLOAD_MAX_BYTES + PACKET_OVERHEAD_BYTES);
    if let Some(Credentials { user, password }) = credentials {
        options.set_credentials(user, password.clone());
    }
    if address.tls {
        let tls = tls_config(address, authorities)?;
        options.set_transport(Transport::tls_with_config(tls.into()));
    }
    Ok(options)
}

/// Options of the daemon's connection: last will, and a session that the broker keeps while the
/// connection is broken, so that commands sent with QoS 1 are not lost.
///
/// # Errors
/// As [`base_options`].
pub fn node_options(
    topics: &Topics,
    address: &Address,
    credentials: Option<&Credentials>,
    authorities: &[PathBuf],
) -> Result<MqttOptions, Error> {
    let mut options = base_options(&client_id(topics.node()), address, credentials, authorities)?;
    options.set_clean_session(false).set_last_will(LastWill::new(
        topics.path(Topic::Availability),
        "offline",
        QoS::AtLeastOnce,
        true,
    ));
    Ok(options)
}

/// Where this system keeps its certificate authorities.
pub fn authority_files() -> Vec<PathBuf> {
    match std::env::var_os("SSL_CERT_FILE") {
        Some(path) => vec![path.into()],
        None => AUTHORITY_FILES.iter().map(PathBuf::from).collect(),
    }
}

fn tls_config(address: &Address, authorities: &[PathBuf]) -> Result<rustls::ClientConfig, Error> {
    let mut roots = rustls::RootCertStore::empty();
    // The first file that holds any certificate is the system's bundle; the others are the same again.
    for path in authorities {
        let Ok(certificates) = CertificateDer::pem_file_iter(path) else { continue };
        roots.add_parsable_certificates(certificates.filter_map(Result::ok));
        if !roots.is_empty() {
            break;
        }
    }
    if roots.is_empty() {
        return Err(Error::NoAuthorities(address.to_string()));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Tls(error.to_string()))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(url: &str) -> (bool, String, u16) {
        let address = Address::parse(url).unwrap();
        (address.tls, address.host, address.port)
    }

    #[test]
    fn addresses_are_read() {
        assert_eq!(parsed("mqtt://broker"), (false, "broker".into(), 1883));
        assert_eq!(parsed("mqtts://broker.local/"), (true, "broker.local".into(), 8883));
        assert_eq!(parsed("mqtt://192.168.1.5:1999"), (false, "192.168.1.5".into(), 1999));
        assert_eq!(parsed("mqtt://[::1]:1884"), (false, "::1".into(), 1884));
        assert_eq!(parsed("MQTT://[fe80::1]"), (false, "fe80::1".into(), 1883));
    }

    #[test]
    fn wrong_addresses_say_what_is_wrong() {
        for (url, part) in [
            ("broker:1883", "begin with mqtt://"),
            ("http://broker", "begin with mqtt://"),
            ("mqtt://", "host is missing"),
            ("mqtt://:1883", "host is missing"),
            ("mqtt://broker:0", "port"),
            ("mqtt://broker:99999", "port"),
            ("mqtt://broker:", "port"),
            ("mqtt://::1", "brackets"),
            ("mqtt://[::1", "bracket"),
            ("mqtt://[nonsense]:1883", "IPv6"),
            ("mqtt://broker/path", "nothing may follow"),
            ("mqtt://my broker", "space"),
        ] {
            let message = Address::parse(url).unwrap_err().to_string();
            assert!(message.contains(part), "{url}: {message}");
        }
    }

    #[test]
    fn a_password_in_the_address_is_refused_and_not_repeated() {
        let message = Address::parse("mqtt://me:secret@broker").unwrap_err().to_string();
        assert!(message.contains("mqtt.password_file") && !message.contains("secret"), "{message}");
    }

    #[test]
    fn the_address_wins_over_the_embedded_broker() {
        let mut config = Config { url: "mqtt://b".into(), ..Config::default() };
        assert!(matches!(Broker::from_config(&config), Ok(Broker::External(_))));
        config.url = " ".into();
        assert_eq!(Broker::from_config(&config).unwrap(), Broker::Embedded(1883));
        config.broker = BrokerMode::None;
        assert_eq!(Broker::from_config(&config).unwrap(), Broker::None);
    }

    #[test]
    fn passwords_come_from_files() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("mqtt-password");
        std::fs::write(&file, "s3cret word\n").unwrap();
        let mut config = Config { username: "me".into(), ..Config::default() };
        let password =
            |config: &Config, dir| Credentials::find(config, dir).map(|found| found.map(|c| c.password));
        assert_eq!(password(&config, None).unwrap().unwrap(), "");
        assert_eq!(password(&config, Some(dir.path())).unwrap().unwrap(), "s3cret word");
        config.password_file = file.display().to_string();
        assert_eq!(password(&config, None).unwrap().unwrap(), "s3cret word");
        config.username.clear();
        assert!(matches!(password(&config, None), Err(Error::PasswordWithoutUser(_))));
        config = Config { username: "me".into(), password_file: "/nowhere/x".into(), ..Config::default() };
        assert!(matches!(password(&config, None), Err(Error::PasswordFile { .. })));
        assert_eq!(Credentials::find(&Config::default(), None).unwrap(), None);
    }

    #[test]
    fn a_password_is_not_in_debug_output() {
        let credentials = Credentials { user: "me".into(), password: "s3cret".into() };
        assert!(!format!("{credentials:?}").contains("s3cret"));
    }

    #[test]
    fn tls_without_authorities_is_an_error_with_a_fix() {
        let address = Address::parse("mqtts://broker").unwrap();
        let error = base_options("id", &address, None, &["/nowhere.pem".into()]).err().unwrap();
        assert!(matches!(error, Error::NoAuthorities(_)));
    }

    proptest! {
        #[test]
        fn no_address_makes_it_panic(url in ".{0,60}", tail in "[\\[\\]:/@a-f0-9.]{0,20}") {
            let _ = Address::parse(&url);
            if let Ok(address) = Address::parse(&format!("mqtt://{tail}")) {
                prop_assert_eq!(Address::parse(&address.to_string()).unwrap(), address);
            }
        }
    }
}

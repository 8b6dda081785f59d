//! The embedded broker: rumqttd on loopback, so that the first run needs no other program.

use super::broker_proxy;
use super::error::Error;
use rumqttd::{Broker, Config, ConnectionSettings, RouterConfig, ServerSettings};
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// How long it may take to listen.
const START_LIMIT: Duration = Duration::from_secs(5);

/// Starts the broker on 127.0.0.1:`port` and waits until it listens.
///
/// # Errors
/// When the port is taken, saying whether a broker holds it, or when it does not come up.
pub fn start(port: u16) -> Result<(), Error> {
    check_free(port)?;
    let failed = |why: String| Error::EmbeddedBroker { port, why };
    let free = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr();
    let inner = free().map_err(|error| failed(error.to_string()))?.port();
    let config = settings(inner);
    std::thread::Builder::new()
        .name("hark-broker".into())
        // Runs for as long as the process; not joined, see above.
        .spawn(move || {
            if let Err(error) = Broker::new(config).start() {
                tracing::error!(%error, "the embedded MQTT broker stopped");
            }
        })
        .map_err(|error| failed(error.to_string()))?;
    let deadline = Instant::now() + START_LIMIT;
    while Instant::now() < deadline {
        if speaks_mqtt(inner) {
            return start_proxy(port, inner).map_err(|error| failed(error.to_string()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err(failed("it did not answer within five seconds".into()))
}

/// Stands a gate on 127.0.0.1:`port` in front of the broker.
fn start_proxy(port: u16, inner: u16) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listener = runtime.block_on(tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)))?;
    std::thread::Builder::new()
        .name("hark-mqtt-proxy".into())
        .spawn(move || runtime.block_on(broker_proxy::run_proxy(listener, inner)))
        .map(drop)
}

/// Limits for a handful of programs on one machine: each topic keeps at most about 2 MiB of history.
fn settings(port: u16) -> Config {
    let connections = ConnectionSettings {
        connection_timeout_ms: 5_000,
        max_payload_size: super::outbound::PAYLOAD_MAX_BYTES * 2,
        max_inflight_count: 100,
        auth: None,
        external_auth: None,
        dynamic_filters: true,
    };
    let server = ServerSettings {
        name: "hark-broker-v4".into(),
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        tls: None,
        next_connection_delay_ms: 1,
        connections,
    };
    let router = RouterConfig {
        max_connections: broker_proxy::MAX_CLIENTS,
        max_outgoing_packet_count: 200,
        max_segment_size: 1024 * 1024,
        max_segment_count: 2,
        ..RouterConfig::default()
    };
    Config { router, v4: Some(HashMap::from([("1".to_owned(), server)])), ..Config::default() }
}

/// Whether the port can be listened on.
///
/// # Errors
/// When it cannot, saying whether a broker holds it.
pub fn check_free(port: u16) -> Result<(), Error> {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(_) => Ok(()),
        Err(_) if speaks_mqtt(port) => Err(Error::BrokerAlreadyThere(port)),
        Err(error) => Err(Error::PortTaken { port, why: error.to_string() }),
    }
}

/// Asks the process that listens on 127.0.0.1:`port` for an MQTT connection and checks whether the answer is an
/// MQTT one, granted or not. Waits at most half a second.
pub fn speaks_mqtt(port: u16) -> bool {
    // CONNECT, protocol MQTT 4 (3.1.1), clean session, keep alive 5 s, client id `hark-look`.
    const CONNECT: &[u8] = b"\x10\x15\x00\x04MQTT\x04\x02\x00\x05\x00\x09hark-look";
    const DISCONNECT: &[u8] = b"\xe0\x00";
    const CONNACK: u8 = 0x20;
    let limit = Duration::from_millis(500);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect_timeout(&address, limit)?;
        stream.set_read_timeout(Some(limit))?;
        stream.set_write_timeout(Some(limit))?;
        stream.write_all(CONNECT)?;
        let mut answer = [0; 4];
        stream.read_exact(&mut answer)?;
        stream.write_all(DISCONNECT)?;
        Ok(answer[0] == CONNACK && answer[1] == 2)
    };
    ask().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_held_by_another_program_is_told_from_a_broker() {
        let holder = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = holder.local_addr().unwrap().port();
        let error = start(port).unwrap_err();
        assert!(matches!(error, Error::PortTaken { .. }), "{error}");
        let fault = hark_core::fault::Fault::from(error);
        assert!(fault.fix.contains("mqtt.embedded_port") && fault.fix.contains("mqtt.url"), "{fault}");
    }
}

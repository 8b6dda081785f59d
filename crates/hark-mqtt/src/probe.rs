//! Checks the broker from outside the daemon, for `hark doctor`.

use super::broker::{self, Address, Broker, Credentials};
use super::client::explain;
use super::error::Error;
use super::topics::Topics;
use hark_config as config;
use hark_core::fault::Fault;
use hark_mqtt_devices::DeviceScan;
use rumqttc::{AsyncClient, ConnectionError, Event, MqttOptions, Outgoing, Packet, QoS, SubscribeFilter};
use std::time::Duration;

/// Time limit of the whole check.
const LIMIT: Duration = Duration::from_secs(8);

/// How long it is listened to what devices are announced.
const LISTENING: Duration = Duration::from_millis(1500);

/// Says how the configured broker answers: connects under an id of its own, with the daemon's
/// credentials, and disconnects at once. The daemon may be running at the same time.
///
/// # Errors
/// When the configuration is wrong, or the broker does not answer or refuses.
pub async fn probe(config: &config::mqtt::Mqtt) -> Result<String, Fault> {
    let topics = Topics::new(&config.node, &config.discovery_prefix)?;
    let broker = Broker::from_config(config)?;
    match &broker {
        Broker::None => Ok("off (mqtt.broker = \"none\")".into()),
        Broker::Embedded(port) => probe_embedded(*port),
        Broker::External(address) => {
            let credentials = Credentials::find(config, config::paths::credentials_dir().as_deref())?;
            let mut scan = config.devices.then(|| DeviceScan::new(&config.discovery_prefix, topics.own()));
            try_connection(&topics, address, credentials.as_ref(), scan.as_mut()).await?;
            let found = scan.map(|scan| format!(", {}", scan.found())).unwrap_or_default();
            Ok(format!("the broker at {address} lets Hark in{found}"))
        }
    }
}

#[cfg(feature = "embedded-broker")]
fn probe_embedded(port: u16) -> Result<String, Fault> {
    if super::embedded_broker::speaks_mqtt(port) {
        return Ok(format!("a broker answers on 127.0.0.1:{port}"));
    }
    super::embedded_broker::check_free(port)?;
    Ok(format!("the embedded broker will listen on 127.0.0.1:{port} when hark runs"))
}

#[cfg(not(feature = "embedded-broker"))]
fn probe_embedded(_port: u16) -> Result<String, Fault> {
    Err(Error::NoEmbeddedBroker.into())
}

async fn try_connection(
    topics: &Topics,
    address: &Address,
    credentials: Option<&Credentials>,
    mut scan: Option<&mut DeviceScan>,
) -> Result<(), Error> {
    let id = format!("{}-doctor", broker::client_id(topics.node()));
    let options = broker::base_options(&id, address, credentials, &broker::authority_files())?;
    let filters = scan.as_ref().map_or(Vec::new(), |scan| scan.filters().to_vec());
    listen(options, &filters, LISTENING, |topic, payload| {
        if let Some(scan) = &mut scan {
            scan.take(topic, payload);
        }
    })
    .await
    .map_err(|error| explain(error, &address.to_string(), &id, false))
}

/// Connects once, hands what comes to `filters` in the next `time` to `take`, and disconnects; at once where there are no
/// filters.
pub(super) async fn listen(
    options: MqttOptions,
    filters: &[String],
    time: Duration,
    mut take: impl FnMut(&str, &[u8]),
) -> Result<(), ConnectionError> {
    let (client, mut eventloop) = AsyncClient::builder(options).capacity(4).build();
    let pass = async {
        loop {
            match eventloop.poll().await? {
                // The channel is empty and takes either; if not, the time limit ends the look.
                Event::Incoming(Packet::ConnAck(_)) if filters.is_empty() => {
                    let _ = client.try_disconnect();
                }
                Event::Incoming(Packet::ConnAck(_)) => {
                    let filters = filters.iter().cloned();
                    let filters = filters.map(|filter| SubscribeFilter::new(filter, QoS::AtMostOnce));
                    let _ = client.try_subscribe_many(filters);
                    let client = client.clone();
                    tokio::spawn(async move {
                        tokio::time::sleep(time).await;
                        let _ = client.try_disconnect();
                    });
                }
                Event::Incoming(Packet::Publish(publish)) => {
                    take(&String::from_utf8_lossy(&publish.topic), &publish.payload);
                }
                Event::Outgoing(Outgoing::Disconnect) => return Ok(()),
                _ => {}
            }
        }
    };
    tokio::time::timeout(LIMIT, pass).await.unwrap_or(Err(ConnectionError::NetworkTimeout))
}

//! The MQTT interface as data: prints `contracts/mqtt.json` from the tables the code works with.

use super::discovery::{self, Equipment, NodeInfo};
use super::error::Error;
use super::topics::{TABLE, Topic, Topics};
use serde_json::{Value, json};

/// Every topic and the discovery payload of the node `hark`. The version stands as `<version>`, because
/// it changes without the promise changing.
///
/// # Errors
/// Never with the built-in names; the signature keeps this free of panics.
pub fn contract() -> Result<Value, Error> {
    let topics = Topics::new("hark", "homeassistant")?;
    let rows: Vec<Value> = TABLE
        .iter()
        .map(|row| {
            json!({
                "topic": topics.path(row.topic),
                "direction": row.direction,
                "qos": row.qos,
                "retain": row.retain,
                "payload": row.payload,
            })
        })
        .collect();
    let about = NodeInfo { version: "<version>".into(), area: None, equipment: Equipment::full() };
    Ok(json!({
        "node": "hark",
        "client_id": super::broker::client_id(topics.node()),
        "protocol": "MQTT 3.1.1, clean session off",
        "last_will": { "topic": topics.path(Topic::Availability), "qos": 1, "retain": true, "payload": "offline" },
        "topics": rows,
        "discovery": {
            "topic": topics.path(Topic::Discovery),
            "payload": discovery::payload(&topics, &about),
        },
        "devices": {
            "when": "mqtt.devices is on",
            "subscriptions": hark_mqtt_devices::filters("homeassistant"),
            "further": "the state and availability topics these messages name, QoS 0; commands go to the command topics they name, QoS 1",
            "asks": "`online` on the status topic, ten seconds after a connection was made, when a device that could tell its state has not: Zigbee2MQTT and others then tell all states",
            "domains": hark_mqtt_devices::DOMAINS,
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_golden_file_says_what_the_code_does() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/mqtt.json");
        let now = serde_json::to_string_pretty(&contract().unwrap()).unwrap() + "\n";
        if std::env::var_os("HARK_UPDATE_CONTRACTS").is_some() {
            std::fs::write(path, &now).unwrap();
        }
        let golden = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            golden == now,
            "contracts/mqtt.json is not what the code does; if the change is meant, run the test again \
             with HARK_UPDATE_CONTRACTS=1 and add a line to CHANGELOG.md"
        );
    }
}

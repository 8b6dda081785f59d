//! Lists the nodes of the house from the broker's retained messages, for `hark nodes`.

use super::broker::{self, Broker, Credentials};
use super::client::explain;
use super::probe::listen;
use super::topics::Topics;
use hark_config as config;
use hark_core::fault::Fault;
use hark_core::house::{NodeCard, is_node_name};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long messages are awaited: retained ones come at once.
const LISTENING: Duration = Duration::from_millis(700);
/// Nodes that are listed at most, and the longest description that is read.
const MAX_NODES: usize = 256;
const MAX_BYTES: usize = 1024;
const FILTERS: [&str; 2] = ["hark/+/availability", "hark/+/node"];

/// One node.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Node {
    /// What it says of itself.
    #[serde(flatten)]
    pub card: NodeCard,
    /// Whether it is there.
    pub online: bool,
}

/// The nodes by name; none where there is no broker that others could be on.
///
/// # Errors
/// When the configuration is wrong, or the broker does not answer or refuses.
pub async fn nodes(config: &config::mqtt::Mqtt) -> Result<Vec<Node>, Fault> {
    let topics = Topics::new(&config.node, &config.discovery_prefix)?;
    let broker = Broker::from_config(config)?;
    let credentials = match &broker {
        Broker::None => return Ok(Vec::new()),
        Broker::Embedded(port) if !super::is_served(*port) => return Ok(Vec::new()),
        Broker::Embedded(_) => None,
        Broker::External(_) => Credentials::find(config, config::paths::credentials_dir().as_deref())?,
    };
    let Some(address) = broker.address() else { return Ok(Vec::new()) };
    let id = format!("{}-nodes-{}", broker::client_id(topics.node()), std::process::id());
    let options = broker::base_options(&id, &address, credentials.as_ref(), &broker::authority_files())?;
    let mut found = BTreeMap::new();
    let filters = FILTERS.map(str::to_owned);
    listen(options, &filters, LISTENING, |topic, payload| note(&mut found, topic, payload))
        .await
        .map_err(|error| explain(error, &address.to_string(), &id, false))?;
    Ok(found.into_values().collect())
}

/// Takes one message; what is not of a node, or says it is another one, is passed over.
fn note(found: &mut BTreeMap<String, Node>, topic: &str, payload: &[u8]) {
    let mut parts = topic.split('/').skip(1);
    let (Some(name), Some(what)) = (parts.next(), parts.next()) else { return };
    let is_new = !found.contains_key(name);
    if !is_node_name(name) || payload.len() > MAX_BYTES || is_new && found.len() >= MAX_NODES {
        return;
    }
    let node = found.entry(name.to_owned()).or_default();
    name.clone_into(&mut node.card.node);
    match what {
        "availability" => node.online = payload == b"online",
        _ => {
            if let Ok(card) = serde_json::from_slice::<NodeCard>(payload)
                && card.node == name
                && !card.area.iter().chain([&card.version]).any(|text| text.contains(char::is_control))
            {
                node.card = card;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_tell_of_themselves_and_of_nobody_else() {
        let mut found = BTreeMap::new();
        for (topic, payload) in [
            ("hark/kitchen/availability", "online"),
            ("hark/kitchen/node", r#"{"node":"kitchen","area":"Kitchen","version":"1"}"#),
            ("hark/attic/availability", "offline"),
            ("hark/attic/node", r#"{"node":"kitchen","area":"Bank","version":"1"}"#),
            ("hark/UPPER/availability", "online"),
            ("hark/kitchen/node", "[[["),
            ("hark", "x"),
        ] {
            note(&mut found, topic, payload.as_bytes());
        }
        let names: Vec<_> = found.values().map(|node| (node.card.node.as_str(), node.online)).collect();
        assert_eq!(names, [("attic", false), ("kitchen", true)]);
        assert_eq!(found["kitchen"].card.area.as_deref(), Some("Kitchen"));
        assert_eq!(found["attic"].card.area, None);
    }
}

//! One call of a Home Assistant service, and the message it is sent as.

use serde_json::{Map, Value, json};

/// One call of a service.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Such as `light`.
    pub domain: String,
    /// Such as `turn_on`.
    pub service: &'static str,
    /// What goes with it.
    pub data: Map<String, Value>,
}

impl Call {
    /// The message to send, for this entity.
    pub fn message(&self, entity: &str, return_response: bool) -> Value {
        let mut message = json!({
            "type": "call_service", "domain": self.domain, "service": self.service,
            "service_data": self.data, "target": {"entity_id": entity},
        });
        if return_response {
            message["return_response"] = json!(true);
        }
        message
    }

    pub(super) fn new(domain: &str, service: &'static str, data: Value) -> Self {
        let data = match data {
            Value::Object(data) => data,
            _ => Map::new(),
        };
        Self { domain: domain.to_owned(), service, data }
    }
}

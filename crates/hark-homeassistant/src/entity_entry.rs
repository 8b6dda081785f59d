//! An entity as Home Assistant's registry describes it.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A row of `config/entity_registry/list`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Entry {
    pub entity_id: String,
    pub area_id: Option<String>,
    pub device_id: Option<String>,
    pub name: Option<String>,
    pub original_name: Option<String>,
    pub disabled_by: Option<Value>,
    pub hidden_by: Option<Value>,
    pub entity_category: Option<Value>,
    pub options: Map<String, Value>,
}

//! What stands behind an entity: something that can be told to do a thing, and reports to the registry
//! what became of it. Virtual devices are one; Home Assistant and MQTT devices are others.

pub use hark_core::device::{DeviceBackend, DeviceError, SendFuture};

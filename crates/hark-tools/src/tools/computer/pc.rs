//! `pc.info`: how this machine is.

use crate::system_info::system_info;
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::services::Services;
use serde_json::{Value, json};
use std::sync::Arc;

/// `pc.info`.
pub fn info(_parts: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    Ok(blocking(|| {
        let now = system_info();
        let disk = |disk: &crate::system_info::DiskSpace| json!({"name": disk.mount, "total_bytes": disk.total_bytes, "free_bytes": disk.free_bytes});
        let temperature =
            |(name, celsius): &(String, f32)| json!({"name": name, "temperature_celsius": tenths(*celsius)});
        Ok(Outcome::answer(json!({
            "name": now.name, "system": now.system, "processor": now.processor, "processors": now.processors,
            "cpu_percent": tenths(now.cpu_percent), "load": now.load, "memory_bytes": now.memory_bytes,
            "memory_used_bytes": now.memory_used_bytes, "uptime_seconds": now.uptime_seconds,
            "disks": now.disks.iter().map(disk).collect::<Vec<Value>>(),
            "temperatures": now.temperatures.iter().map(temperature).collect::<Vec<Value>>(),
        })))
    }))
}

/// With one digit after the point.
pub fn tenths(number: f32) -> f64 {
    (f64::from(number) * 10.0).round() / 10.0
}

//! `pc.info` and `pc.missing`: how this machine is, and what it does not grant.

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

/// `pc.missing`: what this machine and its configuration do not let Hark do, and how it is granted.
pub fn missing(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let services = Arc::clone(services);
    // Some of it is asked of the bus, which takes its time.
    Ok(blocking(move || {
        let missing = crate::tools::missing(&services);
        let shown =
            missing.iter().map(|(lack, tools)| json!({"why": lack.why, "fix": lack.fix, "tools": tools}));
        Ok(Outcome::answer(json!({"count": missing.len(), "missing": shown.collect::<Vec<_>>()})))
    }))
}

/// With one digit after the point.
pub fn tenths(number: f32) -> f64 {
    (f64::from(number) * 10.0).round() / 10.0
}

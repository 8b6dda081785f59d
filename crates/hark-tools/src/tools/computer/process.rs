//! `process.list`: what runs on this machine.

use super::pc::tenths;
use crate::system_info::{ProcessInfo, processes};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::services::Services;
use serde_json::{Value, json};
use std::sync::Arc;

/// Default number of programs.
const USUAL_PROCESSES: usize = 20;

/// `process.list`.
pub fn list(_parts: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (filter, most) = (args.owned("filter"), args.integer("limit").unwrap_or(USUAL_PROCESSES));
    Ok(blocking(move || {
        let running = processes(filter.as_deref());
        let told: Vec<Value> = running.iter().take(most).map(one).collect();
        let truncated = told.len() < running.len();
        Ok(Outcome::answer(json!({"processes": told, "count": running.len(), "truncated": truncated})))
    }))
}

fn one(running: &ProcessInfo) -> Value {
    json!({
        "name": running.name, "pid": running.pid, "cpu_percent": tenths(running.cpu_percent),
        "memory_bytes": running.memory_bytes, "uptime_seconds": running.seconds,
    })
}

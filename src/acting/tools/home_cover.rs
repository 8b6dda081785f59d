//! `home.set_position`: blinds, curtains, windows half-way.

use super::args::Args;
use super::home_common::{plan, target};
use super::outcome::{Failure, Prepared};
use super::parts::Parts;
use crate::acting::home::command::DeviceCommand;
use crate::domain::tool::error_code;
use serde_json::json;
use std::sync::Arc;

const COVERS: &[&str] = &["cover"];

/// `home.set_position`.
pub fn set_position(parts: &Arc<Parts>, args: &Args) -> Result<Prepared, Failure> {
    let missing = || Failure::new(error_code::BAD_ARGUMENT, "home.set_position needs position");
    let position: u8 = args.integer("position").ok_or_else(missing)?;
    let mut target = target(args);
    if target.name.is_none() && target.domain.is_none() {
        target.domain = Some("cover".into());
    }
    let about = json!({"position": position});
    plan(parts, &target, (COVERS, COVERS), about, |_| Ok(DeviceCommand::Position(position)))
}

//! `announce.say`: a message to everybody who can hear this node.

use super::args::Args;
use super::outcome::{Failure, Outcome, Prepared};
use super::parts::Parts;
use crate::domain::tool::error_code;
use serde_json::json;
use std::sync::Arc;

/// `announce.say`. Done when the node has taken it on; it is said after what is being said.
pub fn say(parts: &Arc<Parts>, args: &Args) -> Result<Prepared, Failure> {
    let missing = || Failure::new(error_code::BAD_ARGUMENT, "announce.say needs message");
    let message = args.owned("message").ok_or_else(missing)?;
    let node = Arc::clone(&parts.node);
    Ok(Prepared::Work(Box::pin(async move {
        node.announce(&message)?;
        Ok(Outcome::new(true, json!({"message": message, "nodes": ["here"]})))
    })))
}

//! The receipt of a call: made here from what the call came to. The executor makes it, and who runs calls around it
//! (`src/app/requests/inbox.rs`, `src/app/models/worker.rs`); `cache` gives a repeated call the first one again.

pub(super) mod cache;

use super::outcome::{Failure, Outcome};
use hark_core::{Receipt, ReceiptId};
use serde_json::Value;

/// The receipt of a call, with an id of its own.
pub fn receipt(result: Result<Outcome, Failure>) -> Receipt {
    let id = ReceiptId(uuid::Uuid::now_v7().to_string());
    let (ok, changed, detail) = match result {
        Ok(outcome) => (true, outcome.changed, outcome.detail),
        Err(failure) => (false, failure.changed, failure.detail),
    };
    Receipt { id, ok, changed, detail: Value::Object(detail), tainted: false }
}

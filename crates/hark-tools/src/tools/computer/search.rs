//! `search.files`: files by the pattern of their name.

use super::filesystem::{entry, told};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::services::Services;
use serde_json::Value;
use std::sync::Arc;

/// Default number of files.
const USUAL_FILES: usize = 50;

/// `search.files`.
pub fn files(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (files, pattern) = (services.files.clone(), args.owned("pattern").unwrap_or_default());
    let (path, most) = (args.owned("path"), args.integer("limit").unwrap_or(USUAL_FILES));
    Ok(blocking(move || {
        let listing = files.search(&pattern, path.as_deref(), most)?;
        let entries: Vec<Value> =
            listing.seen.iter().map(|seen| entry(seen, "path", seen.path.display().to_string())).collect();
        Ok(Outcome::answer(told(&listing, "files", entries)))
    }))
}

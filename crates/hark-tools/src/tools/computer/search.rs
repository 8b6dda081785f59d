//! `search.*`: files by the pattern of their name, and by what stands in them.

use super::filesystem::{entry, told};
use crate::files::TextMatch;
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::personal::without_article;
use crate::tools::services::Services;
use serde_json::{Value, json};
use std::sync::Arc;

/// Default number of files.
const USUAL_FILES: usize = 50;

/// `search.files`.
pub fn files(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (files, pattern) =
        (services.files.clone(), without_article(services, args.text("pattern").unwrap_or_default()));
    let (path, most) = (args.owned("path"), args.integer("limit").unwrap_or(USUAL_FILES));
    Ok(blocking(move || {
        let listing = files.search(&pattern, path.as_deref(), most)?;
        let entries: Vec<Value> =
            listing.seen.iter().map(|seen| entry(seen, "path", seen.path.display().to_string())).collect();
        Ok(Outcome::answer(told(&listing, "files", entries)))
    }))
}

/// `search.contents`.
pub fn contents(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (files, words) =
        (services.files.clone(), without_article(services, args.text("words").unwrap_or_default()));
    let (path, most) = (args.owned("path"), args.integer("limit").unwrap_or(USUAL_FILES));
    Ok(blocking(move || {
        let matches = files.search_contents(&words, path.as_deref(), most)?;
        let shown = |found: &TextMatch| {
            let name = found.path.file_name().map(|name| name.to_string_lossy().into_owned());
            json!({"path": found.path.display().to_string(), "name": name, "line": found.line, "text": found.text})
        };
        let found: Vec<Value> = matches.found.iter().map(shown).collect();
        let detail = json!({"count": found.len(), "files": found, "truncated": matches.truncated});
        Ok(Outcome::answer(detail))
    }))
}

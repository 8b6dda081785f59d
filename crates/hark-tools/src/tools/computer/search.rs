//! `search.*`: files by the pattern of their name, and by what stands in them.

use super::filesystem::{entry, told};
use crate::files::TextMatch;
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::personal::without_article;
use crate::tools::services::Services;
use serde_json::{Value, json};
use std::path::Path;
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
        let mut matches = files.search_contents(&words, path.as_deref(), most)?;
        // What is no text tells by its name what it is about.
        let mut called = files.search(&words, path.as_deref(), most)?;
        called.seen.retain(|seen| seen.kind == "file");
        matches.found.retain(|found| called.seen.iter().all(|seen| seen.path != found.path));
        let shown = |path: &Path, line: Option<&TextMatch>| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let mut shown = json!({"path": path.display().to_string(), "name": name});
            if let Some(found) = line {
                shown["line"] = json!(found.line);
                shown["text"] = json!(found.text);
            }
            shown
        };
        let by_name = called.seen.iter().map(|seen| shown(&seen.path, None));
        let by_text = matches.found.iter().map(|found| shown(&found.path, Some(found)));
        let mut found: Vec<Value> = by_name.chain(by_text).collect();
        let truncated = matches.truncated || called.truncated || found.len() > most;
        found.truncate(most);
        Ok(Outcome::answer(json!({"count": found.len(), "files": found, "truncated": truncated})))
    }))
}

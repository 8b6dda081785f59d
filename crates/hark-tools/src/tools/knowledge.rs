//! `knowledge.*`: what the household's documents say, which there are, and taking files in. Their text is data: it is told with
//! its source, and marks the receipt as text from outside.

use super::args::Args;
use super::computer::said::meant;
use super::outcome::{Failure, Outcome, Prepared, blocking};
use super::services::Services;
use hark_config::paths::expand;
use hark_core::documents::{Document, DocumentState, FoundPassage};
use hark_core::tool::error_code;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;

/// Most documents that are told.
const MAX_LISTED: usize = 100;

/// `knowledge.search`: nothing found is an answer, too.
pub fn search(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let missing = || Failure::new(error_code::BAD_ARGUMENT, "query was not said");
    let query = args.owned("query").ok_or_else(missing)?;
    let (kind, of) = (args.owned("document"), args.owned("document_of"));
    let documents = services.documents.clone();
    Ok(blocking(move || {
        let called = kind
            .map(|kind| of.iter().map(String::as_str).chain([kind.as_str()]).collect::<Vec<_>>().join(" "));
        // Which document is meant may stand in its text, too.
        let question: Vec<&str> = [query.as_str()].into_iter().chain(of.as_deref()).collect();
        let mut found = documents.search(&question.join(" "))?;
        found.retain(|passage| passage.answers);
        let named =
            |passage: &FoundPassage| called.as_deref().is_some_and(|called| is_called(passage, called));
        // The one that was named comes first, in the order it was found otherwise.
        found.sort_by_key(|passage| !named(passage));
        let known = documents.status()?;
        let mut detail = Map::new();
        detail.insert("count".into(), json!(found.len()));
        detail.insert("documents".into(), json!(known.documents - known.failed.min(known.documents)));
        if let Some((best, others)) = found.split_first() {
            if let Some(called) = called.as_ref().filter(|_| named(best)) {
                detail.insert("called".into(), json!(called));
            }
            detail.extend(told(best));
            detail.insert("passage".into(), json!(best.passage));
            let others = others.iter().map(|passage| Value::Object(told(passage)));
            detail.insert("others".into(), others.collect());
        }
        Ok(Outcome::answer(Value::Object(detail)))
    }))
}

/// `knowledge.add`: a file or folder that is kept in step from then on.
pub fn add(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (services, said) = (Arc::clone(services), args.owned("path").unwrap_or_default());
    Ok(blocking(move || {
        let meant = meant(&services, &said, None)?.path;
        // Relative to the folders that may be read, as everywhere.
        let there = services.files.info(&meant).ok().flatten();
        let path = there.map_or_else(|| expand(&meant), |entry| entry.path);
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let change = services.documents.add(&path, false)?;
        if change.done && change.indexed + change.unchanged == 0 {
            let (code, what) = match change.failed {
                0 => (error_code::NOT_FOUND, "there is no document in it"),
                _ => (error_code::FAILED, "it cannot be read"),
            };
            let message = format!("{name} is not among the documents: {what}");
            return Err(Failure::new(code, message).fix("hark docs list says why"));
        }
        let detail = json!({
            "name": name, "path": path.display().to_string(), "done": change.done,
            "indexed": change.indexed, "unchanged": change.unchanged, "failed": change.failed,
        });
        Ok(Outcome::new(!change.done || change.indexed > 0, detail))
    }))
}

/// `knowledge.list`.
pub fn list(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let documents = services.documents.clone();
    Ok(blocking(move || {
        let mut all = documents.list()?;
        let known = all.len();
        all.retain(|document| document.state != DocumentState::Failed);
        let told = |document: &Document| json!({"title": document.title, "path": document.path, "kind": document.kind});
        let shown: Vec<Value> = all.iter().take(MAX_LISTED).map(told).collect();
        let detail = json!({
            "count": all.len(), "documents": shown, "unread": known - all.len(),
            "truncated": all.len() > MAX_LISTED,
        });
        Ok(Outcome::answer(detail))
    }))
}

fn told(passage: &FoundPassage) -> Map<String, Value> {
    let mut told = Map::new();
    told.insert("title".into(), json!(passage.title));
    if let Some(page) = passage.page {
        told.insert("page".into(), json!(page));
    }
    told.insert("heading".into(), json!(passage.heading));
    told.insert("answer".into(), json!(passage.answer));
    told.insert("path".into(), json!(passage.path));
    for (name, byte) in [("start_byte", passage.start_byte), ("end_byte", passage.end_byte)] {
        told.insert(name.into(), json!(byte));
    }
    told
}

/// Whether all words of a name are in the title or the file name of a document.
fn is_called(passage: &FoundPassage, name: &str) -> bool {
    let file = Path::new(&passage.path).file_stem().unwrap_or_default().to_string_lossy();
    let (title, file) = (passage.title.to_lowercase(), file.to_lowercase());
    name.to_lowercase().split_whitespace().all(|word| title.contains(word) || file.contains(word))
}

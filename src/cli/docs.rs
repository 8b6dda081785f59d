//! `hark docs`: the household's documents. The running Hark does it where one runs, else this command on the index itself.

use super::Faults;
use super::args::Docs as Command;
use super::running::Running;
use crate::app::knowledge::library::{HouseholdDocuments, Library};
use hark_config::Config;
use hark_core::documents::{Document, DocumentState, DocumentStatus, Documents, FoundPassage, IndexChange};
use hark_core::{Fault, FaultKind};
use serde::Deserialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Characters of a passage that are shown.
const SHOWN_CHARS: usize = 300;
const ADDRESS: &str = "/api/v1/documents";

/// Adds, lists, removes, searches.
pub(super) fn run(config: &Config, command: &Command, sets: &[String], as_json: bool) -> Result<(), Faults> {
    let one = |fault: Fault| vec![fault];
    let documents: Box<dyn Documents> = match Running::find(config, sets).map_err(one)? {
        Some(running) => Box::new(Daemons { running }),
        None => {
            let models_dir = config.paths.models_dir().map_err(one)?;
            // The words of questions are the languages'.
            crate::app::language::languages::load_lexicons(&models_dir)?;
            Box::new(HouseholdDocuments(Arc::new(Library::new(config).map_err(one)?)))
        }
    };
    match command {
        Command::Add { paths } => return add(&*documents, paths, as_json),
        Command::List => list(&documents.list().map_err(one)?, as_json),
        Command::Remove { path } => {
            let change = documents.remove(&absolute(path).map_err(one)?, true).map_err(one)?;
            if as_json {
                println!("{}", json!(change));
            } else if change.done {
                println!("{} documents are out of the index; the files stay", change.removed);
            } else {
                println!("it is taken out when what is being read now is done");
            }
        }
        Command::Search { words } => show(&documents.search(&words.join(" ")).map_err(one)?, as_json),
        Command::Status => status(&documents.status().map_err(one)?, as_json),
    }
    Ok(())
}

/// Each path for itself: one that cannot be read keeps no other from being.
fn add(documents: &dyn Documents, paths: &[PathBuf], as_json: bool) -> Result<(), Faults> {
    let mut faults = Faults::new();
    for path in paths {
        match absolute(path).and_then(|path| documents.add(&path, true)) {
            Ok(change) if as_json => println!("{}", json!({"path": path, "change": change})),
            Ok(change) => println!("{}", added(path, change)),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn added(path: &Path, change: IndexChange) -> String {
    let path = path.display();
    if !change.done {
        return format!("{path}: being read while nobody speaks; `hark docs list` shows how far it is");
    }
    let mut text = format!("{path}: {} documents read, {} unchanged", change.indexed, change.unchanged);
    if change.removed > 0 {
        text += &format!(", {} gone", change.removed);
    }
    if change.failed > 0 {
        text += &format!(", {} cannot be read (`hark docs list` says why)", change.failed);
    }
    text
}

fn list(all: &[Document], as_json: bool) {
    if as_json {
        println!("{}", json!(all));
        return;
    }
    if all.is_empty() {
        println!("no documents; `hark docs add PATH` adds some");
    }
    for document in all {
        let state = match document.state {
            DocumentState::Pending => "pending",
            DocumentState::Ready => "ready",
            DocumentState::Failed => "failed",
        };
        println!("{state:8} {:5} passages  {}  {}", document.passages, document.path, document.title);
        for (what, text) in [("problem", &document.problem), ("fix", &document.fix)] {
            text.iter().for_each(|text| println!("         {what}: {text}"));
        }
    }
}

fn show(found: &[FoundPassage], as_json: bool) {
    if as_json {
        println!("{}", json!(found));
        return;
    }
    if found.is_empty() {
        println!("nothing");
    }
    for one in found {
        let page = one.page.map_or_else(String::new, |page| format!(", page {page}"));
        let heading = if one.heading.is_empty() { String::new() } else { format!(", {}", one.heading) };
        println!("{}{page}{heading}  ({:.0} %)", one.title, one.confidence * 100.0);
        println!("  {}", one.answer);
        let passage: String = one.passage.replace('\n', " ").chars().take(SHOWN_CHARS).collect();
        println!("  in {}: {passage} …", one.path);
    }
}

fn status(status: &DocumentStatus, as_json: bool) {
    if as_json {
        println!("{}", json!(status));
        return;
    }
    println!("documents  {} ({} cannot be read)", status.documents, status.failed);
    println!("passages   {} ({} being read)", status.passages, status.pending_passages);
    println!("index      {} KB", status.disk_bytes / 1024);
    for root in &status.roots {
        println!("in step    {root}");
    }
}

/// The whole path: the daemon has another folder.
fn absolute(path: &Path) -> Result<PathBuf, Fault> {
    std::path::absolute(path).map_err(|error| {
        let message = format!("“{}” is no path: {error}", path.display());
        Fault::new(FaultKind::BadInput, "documents", message, "name a file or folder")
    })
}

/// The documents of the running Hark.
struct Daemons {
    running: Running,
}

#[derive(Deserialize)]
struct Listing {
    documents: Vec<Document>,
    status: DocumentStatus,
}

#[derive(Deserialize)]
struct Found {
    results: Vec<FoundPassage>,
}

impl Daemons {
    fn listing(&self) -> Result<Listing, Fault> {
        self.running.get(ADDRESS)
    }
}

fn text(path: &Path) -> Result<&str, Fault> {
    path.to_str().ok_or_else(|| {
        let message = format!("{} is not in UTF-8", path.display());
        Fault::new(FaultKind::BadInput, "documents", message, "give the file another name")
    })
}

impl Documents for Daemons {
    fn search(&self, question: &str) -> Result<Vec<FoundPassage>, Fault> {
        let found: Found = self.running.get_with(&format!("{ADDRESS}/search"), ("q", question))?;
        Ok(found.results)
    }

    fn list(&self) -> Result<Vec<Document>, Fault> {
        Ok(self.listing()?.documents)
    }

    fn status(&self) -> Result<DocumentStatus, Fault> {
        Ok(self.listing()?.status)
    }

    fn add(&self, path: &Path, _is_owner: bool) -> Result<IndexChange, Fault> {
        self.running.post(ADDRESS, &json!({"path": text(path)?}))
    }

    fn remove(&self, path: &Path, _is_owner: bool) -> Result<IndexChange, Fault> {
        self.running.delete(ADDRESS, ("path", text(path)?))
    }
}

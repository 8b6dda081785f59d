//! How much tools have to do with a request: the classifier's sentence encoder reads the request and the descriptions of the
//! tools. A description is read once for as long as the program runs; what was read goes with the text it was made of, so that
//! tools that come and go, or change their words, are right.

use hark_core::Fault;
use hark_core::classification::Classify;
use hark_core::model::ToolSpec;
use hark_dialog::model_tasks::{LikenessFuture, ToolRelevance};
use hark_nlu::intent::{LazyClassifier, dot};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;

/// Descriptions whose vectors are kept at most; MCP servers may bring many.
const MAX_KEPT: usize = 4096;
/// Words that tell of a tool that are read beside its description.
const MAX_WORDS: usize = 12;

/// See the module. Without a classifier nothing is alike.
#[derive(Clone)]
pub(crate) struct EncodedTools(Arc<Inner>);

struct Inner {
    classifier: Option<Arc<Mutex<LazyClassifier>>>,
    /// By the text that was read.
    known: Mutex<HashMap<String, Arc<[f32]>>>,
    runtime: Handle,
}

impl EncodedTools {
    pub(crate) fn new(classifier: Option<Arc<Mutex<LazyClassifier>>>, runtime: &Handle) -> Self {
        Self(Arc::new(Inner { classifier, known: Mutex::default(), runtime: runtime.clone() }))
    }

    /// Reads the descriptions in the background, so that the first request does not wait for it.
    pub(crate) fn prepare(&self, tools: Vec<ToolSpec>) {
        let inner = self.0.clone();
        self.0.runtime.spawn_blocking(move || {
            if let Err(fault) = inner.of_tools(&tools) {
                tracing::info!("tools are offered by their words alone: {fault}");
            }
        });
    }
}

impl ToolRelevance for EncodedTools {
    fn likeness(&self, request: &str, tools: &[ToolSpec]) -> LikenessFuture {
        let (inner, request, tools) = (self.0.clone(), request.to_owned(), tools.to_vec());
        Box::pin(async move {
            let runtime = inner.runtime.clone();
            let found = runtime.spawn_blocking(move || inner.likeness(&request, &tools)).await;
            match found {
                Ok(Ok(found)) => found,
                Ok(Err(fault)) => {
                    tracing::warn!("tools are offered by their words alone: {fault}");
                    BTreeMap::new()
                }
                Err(error) => {
                    tracing::error!("tools are offered by their words alone: {error}");
                    BTreeMap::new()
                }
            }
        })
    }
}

impl Inner {
    fn likeness(&self, request: &str, tools: &[ToolSpec]) -> Result<BTreeMap<String, f32>, Fault> {
        let Some(of_tools) = self.of_tools(tools)? else { return Ok(BTreeMap::new()) };
        // A request for several things is like none of their tools: each of its parts counts.
        let parts: Vec<Vec<f32>> = parts(request)
            .iter()
            .filter_map(|part| self.embed(part).transpose())
            .collect::<Result<_, _>>()?;
        let closest = |vector: &[f32]| parts.iter().map(|part| dot(part, vector)).fold(-1.0, f32::max);
        Ok(tools.iter().zip(of_tools).map(|(tool, vector)| (tool.name.clone(), closest(&vector))).collect())
    }

    /// The vectors of the tools' descriptions; `None` without an encoder.
    fn of_tools(&self, tools: &[ToolSpec]) -> Result<Option<Vec<Arc<[f32]>>>, Fault> {
        let mut vectors = Vec::with_capacity(tools.len());
        for tool in tools {
            let text = text(tool);
            let known = self.known().get(&text).cloned();
            let vector = match known {
                Some(vector) => vector,
                None => {
                    let Some(vector) = self.embed(&text)? else { return Ok(None) };
                    let vector: Arc<[f32]> = vector.into();
                    let mut known = self.known();
                    if known.len() >= MAX_KEPT {
                        known.clear();
                    }
                    known.insert(text, vector.clone());
                    vector
                }
            };
            vectors.push(vector);
        }
        Ok(Some(vectors))
    }

    /// A text as a vector of length 1. The encoder is free for others between two texts.
    fn embed(&self, text: &str) -> Result<Option<Vec<f32>>, Fault> {
        let Some(classifier) = &self.classifier else { return Ok(None) };
        classifier.lock().unwrap_or_else(PoisonError::into_inner).embed(text).map(Some)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Arc<[f32]>>> {
        // Nothing that holds it can leave it half changed.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is read of a tool.
fn text(tool: &ToolSpec) -> String {
    let words: Vec<&str> = tool.triggers.iter().take(MAX_WORDS).map(String::as_str).collect();
    format!("{} {}", tool.description, words.join(" "))
}

/// The whole request, and its parts where it has several.
fn parts(request: &str) -> Vec<String> {
    let (joins, _) = hark_language::steps::of_all();
    let (mut parts, mut part) = (vec![request.to_owned()], String::new());
    for word in request.split_whitespace() {
        let bare = word.trim_end_matches([',', '.', ';', '!', '?']);
        let joins_two = joins.iter().any(|join| bare.eq_ignore_ascii_case(join));
        if !joins_two {
            part = format!("{part} {bare}");
        }
        if joins_two || bare.len() < word.len() {
            parts.push(std::mem::take(&mut part));
        }
    }
    parts.push(part);
    let whole = |part: &String| part.split_whitespace().count() > 1;
    let several = parts.iter().skip(1).filter(|part| whole(part)).count() > 1;
    parts.truncate(if several { parts.len() } else { 1 });
    parts.into_iter().enumerate().filter(|(at, part)| *at == 0 || whole(part)).map(|(_, part)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_for_several_things_has_parts() {
        assert_eq!(parts("dim the lamp"), ["dim the lamp"]);
        let found = parts("dim the lamp, lock the door and set a timer");
        let found: Vec<&str> = found.iter().map(|part| part.trim()).collect();
        let whole = "dim the lamp, lock the door and set a timer";
        assert_eq!(found, [whole, "dim the lamp", "lock the door", "set a timer"]);
    }
}

//! Reading one sentence file of Home Assistant's format.

use super::calls::{self, Call};
use super::model::{Data, List, Requirement, Rule, Template};
use super::template::{self, Slip};
use super::yaml::{Node, Reader, json, place};
use crate::problem::{Place, Problem};
use saphyr::{LoadableYamlNode, MarkedYaml};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Response templates: intent (or `replies`, `errors`, `reasons`), then key, then text.
pub type Responses = BTreeMap<String, BTreeMap<String, String>>;

/// What one file holds.
#[derive(Debug, Default)]
pub struct FileContent {
    pub data: Vec<Data>,
    pub lists: BTreeMap<String, List>,
    pub rules: BTreeMap<String, Rule>,
    pub skip_words: Vec<String>,
    pub responses: Responses,
    /// Put before every response; Hark's own key.
    pub macros: String,
    /// Functions that responses call and that no macro of theirs is.
    pub calls: Vec<Call>,
    /// Lists and rules that are there with mistakes in them: their mistakes are told already.
    pub faulty: BTreeSet<String>,
    /// Where intents, and groups of responses, begin.
    pub places: BTreeMap<String, (Arc<Path>, Place)>,
}

/// Reads one file; `problems` gets every mistake in it.
pub struct FileReader<'r> {
    pub(super) yaml: Reader<'r>,
    pub(super) file: Arc<Path>,
    language: &'r str,
    rank: usize,
    pub(super) faulty: BTreeSet<String>,
    calls: Vec<Call>,
    places: BTreeMap<String, (Arc<Path>, Place)>,
}

const TOP_KEYS: [&str; 8] = [
    "language",
    "intents",
    "lists",
    "expansion_rules",
    "skip_words",
    "responses",
    "response_macros",
    "settings",
];

/// Keys beside `data:`; Home Assistant describes intents with them.
const INTENT_KEYS: [&str; 4] = ["data", "settings", "metadata", "description"];

const DATA_KEYS: [&str; 16] = [
    "sentences",
    "slots",
    "response",
    "requires_context",
    "excludes_context",
    "expansion_rules",
    "lists",
    "metadata",
    "required_keywords",
    "settings",
    "inferred_domain",
    "name_domains",
    "example",
    "description",
    "spoken",
    "from_context",
];

/// Reads the text of a file.
pub fn read(
    file: &Path,
    source: &str,
    language: &str,
    rank: usize,
    problems: &mut Vec<Problem>,
) -> FileContent {
    let documents = match MarkedYaml::load_from_str(source) {
        Ok(documents) => documents,
        Err(error) => {
            let marker = error.marker();
            let at = Place { line: marker.line(), column: marker.col() + 1 };
            let fix = "mend the indentation, quotation marks or colon at this place";
            problems.push(Problem::new(file, at, format!("not readable as YAML: {}", error.info()), fix));
            return FileContent::default();
        }
    };
    let yaml = Reader { file, lines: source.lines().collect(), problems };
    let (faulty, calls, places) = Default::default();
    let mut reader = FileReader { yaml, file: file.into(), language, rank, faulty, calls, places };
    let mut content = FileContent::default();
    for document in &documents {
        reader.top(document, &mut content);
    }
    FileContent { faulty: reader.faulty, calls: reader.calls, places: reader.places, ..content }
}

impl FileReader<'_> {
    fn top(&mut self, node: &Node<'_>, content: &mut FileContent) {
        let entries = self.yaml.mapping(node, "the file", &TOP_KEYS);
        if !entries.iter().any(|(key, _, _)| key == "language") && node.data.is_mapping() {
            let fix = format!("add `language: {}` at the top", self.language);
            self.yaml.problem(place(node), "the file does not say its language", fix);
        }
        for (key, _, value) in entries {
            match key.as_str() {
                "language" => self.check_language(value),
                "intents" => self.intents(value, content),
                "lists" => content.lists.extend(self.lists(value)),
                "expansion_rules" => content.rules.extend(self.rules(value)),
                "skip_words" => {
                    let items = self.yaml.sequence(value, "skip_words");
                    content
                        .skip_words
                        .extend(items.iter().filter_map(|item| self.yaml.text(item, "a skip word")));
                }
                "responses" => self.responses(value, &mut content.responses),
                "response_macros" => {
                    // A second document of the file adds to the first.
                    let text = self.yaml.text(value, "response_macros").unwrap_or_default();
                    self.check_response("response_macros", value, &text);
                    content.macros.push_str(&text);
                }
                _ => {}
            }
        }
    }

    fn check_language(&mut self, node: &Node<'_>) {
        if let Some(text) = self.yaml.text(node, "language")
            && text.split(['-', '_']).next() != self.language.split(['-', '_']).next()
        {
            let message =
                format!("the file is of language '{text}' but lies in the folder '{}'", self.language);
            self.yaml.problem(
                place(node),
                message,
                format!("write `language: {}` or move it", self.language),
            );
        }
    }

    fn intents(&mut self, node: &Node<'_>, content: &mut FileContent) {
        for (intent, at, node) in self.yaml.mapping(node, "intents", &[]) {
            self.places.entry(intent.clone()).or_insert_with(|| (Arc::clone(&self.file), at));
            let entries = self.yaml.mapping(node, &format!("intent '{intent}'"), &INTENT_KEYS);
            if !entries.iter().any(|(key, _, _)| key == "data") && node.data.is_mapping() {
                let fix = "add `data:` with `- sentences:` below it";
                self.yaml.problem(at, format!("intent '{intent}' has no data"), fix);
            }
            for (_, _, data) in entries.into_iter().filter(|(key, _, _)| key == "data") {
                let blocks = self.yaml.sequence(data, &format!("data of '{intent}'"));
                content.data.extend(blocks.iter().map(|block| self.data(&intent, block)));
            }
        }
    }

    fn data(&mut self, intent: &str, node: &Node<'_>) -> Data {
        let mut data = Data {
            intent: intent.to_owned(),
            templates: Vec::new(),
            slots: serde_json::Map::new(),
            response: None,
            requires: BTreeMap::new(),
            excludes: BTreeMap::new(),
            lists: BTreeMap::new(),
            rules: BTreeMap::new(),
            from_context: Vec::new(),
            spoken: true,
            keywords: Vec::new(),
            metadata: Value::Null,
            rank: self.rank,
        };
        let what = format!("a data block of '{intent}'");
        let entries = self.yaml.mapping(node, &what, &DATA_KEYS);
        if node.data.is_mapping() && !entries.iter().any(|(key, _, _)| key == "sentences") {
            self.yaml.problem(place(node), format!("{what} has no sentences"), "add `sentences:`");
        }
        for (key, _, value) in entries {
            match key.as_str() {
                "sentences" => {
                    let items = self.yaml.sequence(value, "sentences");
                    data.templates = items.iter().filter_map(|item| self.template(item)).collect();
                }
                "slots" => {
                    let entries = self.yaml.mapping(value, "slots", &[]);
                    data.slots = entries.into_iter().map(|(key, _, value)| (key, json(value))).collect();
                }
                "response" => data.response = self.yaml.text(value, "response"),
                "requires_context" => data.requires = self.requires(value),
                "excludes_context" => {
                    let entries = self.yaml.mapping(value, "excludes_context", &[]);
                    data.excludes =
                        entries.into_iter().map(|(key, _, value)| (key, one_or_more(json(value)))).collect();
                }
                "expansion_rules" => data.rules = self.rules(value),
                "lists" => data.lists = self.lists(value),
                "metadata" => data.metadata = json(value),
                "spoken" => data.spoken = self.yaml.boolean(value, "spoken").unwrap_or(true),
                "from_context" => data.from_context = self.texts(value, "from_context"),
                "required_keywords" => data.keywords = self.texts(value, "required_keywords"),
                _ => {}
            }
        }
        data
    }

    /// A list of texts.
    fn texts(&mut self, node: &Node<'_>, what: &str) -> Vec<String> {
        let items = self.yaml.sequence(node, what);
        items.iter().filter_map(|item| self.yaml.text(item, &format!("an item of {what}"))).collect()
    }

    fn requires(&mut self, node: &Node<'_>) -> BTreeMap<String, Requirement> {
        let mut requires = BTreeMap::new();
        for (key, _, value) in self.yaml.mapping(node, "requires_context", &[]) {
            let mut requirement = Requirement { any_of: None, slot: None };
            if value.data.is_mapping() {
                let what = format!("requires_context of '{key}'");
                for (part, _, value) in self.yaml.mapping(value, &what, &["value", "slot"]) {
                    if part == "slot" {
                        requirement.slot = self.context_slot(&key, value);
                    } else if !value.data.is_null() {
                        requirement.any_of = Some(one_or_more(json(value)));
                    }
                }
            } else if !value.data.is_null() {
                requirement.any_of = Some(one_or_more(json(value)));
            }
            requires.insert(key, requirement);
        }
        requires
    }

    /// `slot: true` is the slot of the key's own name, `slot: other` another one.
    fn context_slot(&mut self, key: &str, node: &Node<'_>) -> Option<String> {
        match node.data.as_str() {
            Some(name) => Some(name.to_owned()),
            None => self.yaml.boolean(node, "slot").filter(|wanted| *wanted).map(|_| key.to_owned()),
        }
    }

    fn template(&mut self, node: &Node<'_>) -> Option<Template> {
        let text = self.yaml.text(node, "a sentence")?;
        if text.trim().is_empty() {
            self.yaml.problem(place(node), "a sentence is empty", "write words, or take the line away");
            return None;
        }
        let expr = self.expr(node, &text)?;
        Some(Template { text, expr, file: Arc::clone(&self.file), place: self.yaml.text_place(node) })
    }

    fn rules(&mut self, node: &Node<'_>) -> BTreeMap<String, Rule> {
        let mut rules = BTreeMap::new();
        for (name, _, node) in self.yaml.mapping(node, "expansion_rules", &[]) {
            let text = self.yaml.text(node, &format!("rule '{name}'"));
            let Some(expr) = text.and_then(|text| self.expr(node, &text)) else {
                self.faulty.insert(name);
                continue;
            };
            let place = self.yaml.text_place(node);
            rules.insert(name, Rule { expr, file: Arc::clone(&self.file), place });
        }
        rules
    }

    pub(super) fn expr(&mut self, node: &Node<'_>, text: &str) -> Option<template::Expr> {
        template::parse(text).map_err(|slips| self.slips(node, slips)).ok()
    }

    /// Notes the mistakes of a template at their places.
    pub(super) fn slips(&mut self, node: &Node<'_>, slips: Vec<Slip>) {
        let start = self.yaml.text_place(node);
        for slip in slips {
            // A text over several lines is only told by its beginning.
            let single = node.span.start.line() == node.span.end.line();
            let at = if single { start.right(slip.at) } else { start };
            self.yaml.problem(at, slip.message, slip.fix);
        }
    }

    fn responses(&mut self, node: &Node<'_>, responses: &mut Responses) {
        const PARTS: [&str; 7] =
            ["intents", "errors", "reasons", "replies", "summary", "thing_examples", "tool_examples"];
        for (part, at, node) in self.yaml.mapping(node, "responses", &PARTS) {
            self.places.entry(part.clone()).or_insert_with(|| (Arc::clone(&self.file), at));
            if part == "intents" {
                for (intent, _, node) in self.yaml.mapping(node, "responses of intents", &[]) {
                    self.response_group(&intent, node, responses);
                }
            } else {
                self.response_group(&part, node, responses);
            }
        }
    }

    fn response_group(&mut self, group: &str, node: &Node<'_>, responses: &mut Responses) {
        for (key, _, node) in self.yaml.mapping(node, &format!("responses of '{group}'"), &[]) {
            let Some(text) = self.yaml.text(node, &format!("response '{key}'")) else { continue };
            let text = without_colons(&text);
            self.check_response(&format!("response '{key}' of '{group}'"), node, &text);
            responses.entry(group.to_owned()).or_default().insert(key, text);
        }
    }
}

impl FileReader<'_> {
    /// Notes a response that is no minijinja template.
    fn check_response(&mut self, what: &str, node: &Node<'_>, text: &str) {
        // Plain words have nothing that could be wrong.
        if !text.contains('{') {
            return;
        }
        if let Err(error) = minijinja::Environment::new().template_from_str(text) {
            let line = error.line().unwrap_or(1);
            let detail = error.detail().unwrap_or("the template is broken").to_owned();
            let message = format!("{what}, its line {line}: {detail}");
            self.yaml.problem(place(node), message, "mend the {{ … }} or {% … %} there");
        }
        for call in calls::unknown(node, text, &self.yaml.lines) {
            match call.kind {
                "function" => self.calls.push(call),
                kind => {
                    let message = format!("{what}: there is no {kind} '{}'", call.name);
                    self.yaml.problem(call.at, message, "write one that minijinja has, or take it away");
                }
            }
        }
    }
}

/// `{% if x: %}` without its colon: Jinja2 takes it, minijinja does not.
fn without_colons(text: &str) -> String {
    let mut parts = text.split("%}");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for next in parts {
        let end = if all.ends_with('-') { "-%}" } else { "%}" };
        let said = all.strip_suffix('-').unwrap_or(&all).trim_end();
        let in_tag = said.rfind("{%").is_some_and(|open| !said[open..].contains("%}"));
        if let Some(shorter) = said.strip_suffix(':').filter(|_| in_tag) {
            all = format!("{shorter} {}", &end[..end.len() - 2]);
        }
        all.push_str("%}");
        all.push_str(next);
    }
    all
}

fn one_or_more(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        other => vec![other],
    }
}

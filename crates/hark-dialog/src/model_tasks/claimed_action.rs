//! One tool that ran for a task, with what it was about: what a text may say was done.

use crate::summary::{self, Words};
use hark_core::Receipt;
use serde_json::Value;
use std::collections::BTreeSet;

/// Shorter words are no part of a name: articles, prepositions.
const MIN_CHARS: usize = 3;
/// Fields of a receipt that name what it is about.
const NAMING: [&str; 6] = ["name", "list", "items", "item", "area", "place"];

/// One tool that ran for a task.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClaimedAction {
    pub(super) tool: String,
    /// Id of its receipt.
    pub(super) receipt: String,
    /// It can change something.
    pub(super) writes: bool,
    pub(super) ok: bool,
    /// Kinds of things of the home it was done to.
    pub(super) domains: Vec<String>,
    /// Words of what it was about.
    pub(super) things: BTreeSet<String>,
    /// What went wrong, for people.
    pub(super) trouble: String,
}

impl ClaimedAction {
    pub(super) fn of(tool: &str, writes: bool, args: &Value, receipt: &Receipt, words: &Words) -> Self {
        let things = things(tool, args, receipt);
        let trouble = if receipt.ok { "" } else { summary::trouble(&receipt.detail, words) };
        let entities = receipt.detail["entities"].as_array().into_iter().flatten();
        let domain = |entity: &Value| {
            let of_id = || entity["id"].as_str().and_then(|id| id.split('.').next());
            entity["domain"].as_str().or_else(of_id).map(str::to_owned)
        };
        let domains = entities.filter_map(domain).collect();
        let trouble = trouble.to_owned();
        let (tool, id) = (tool.to_owned(), receipt.id.0.clone());
        Self { tool, receipt: id, writes, ok: receipt.ok, domains, things, trouble }
    }
}

/// The words of what a call with these arguments and this receipt was about, in small letters.
fn things(tool: &str, args: &Value, receipt: &Receipt) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    // "Timer" of `timer.start`; `home` and `mcp` are no things.
    let kind = tool.split('.').next().filter(|kind| !matches!(*kind, "home" | "mcp" | "test"));
    words.extend(kind.map(str::to_lowercase));
    let entities = receipt.detail["entities"].as_array().into_iter().flatten();
    let named = entities.flat_map(|entity| [&entity["name"], &entity["area"], &entity["domain"]]);
    let about = NAMING.iter().map(|field| &receipt.detail[*field]);
    let given = args.as_object().into_iter().flat_map(|args| args.values());
    named.chain(about).chain(given).for_each(|value| collect(value, &mut words));
    words
}

fn collect(value: &Value, words: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            words.extend(self::words(text).filter(|word| word.chars().count() >= MIN_CHARS))
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, words)),
        _ => {}
    }
}

/// The words of a text in small letters.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

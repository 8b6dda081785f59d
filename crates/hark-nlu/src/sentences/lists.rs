//! Reading `lists:`: values, ranges and wildcards.

use super::file::FileReader;
use super::model::{List, ListValue, MAX_RANGE, Range, Rule, Ruled};
use super::template;
use super::yaml::{Node, json, place};
use crate::problem::Place;
use crate::rules::{self, Prefer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most texts one list value may stand for.
const MAX_TEXTS: usize = 500;

impl FileReader<'_> {
    /// A `lists:` section.
    pub(super) fn lists(&mut self, node: &Node<'_>) -> BTreeMap<String, List> {
        let mut lists = BTreeMap::new();
        for (name, at, node) in self.yaml.mapping(node, "lists", &[]) {
            match self.list(&name, at, node) {
                Some(list) => drop(lists.insert(name, list)),
                None => drop(self.faulty.insert(name)),
            }
        }
        lists
    }

    fn list(&mut self, name: &str, at: Place, node: &Node<'_>) -> Option<List> {
        let what = format!("list '{name}'");
        let allowed =
            ["values", "range", "wildcard", "rule", "prefer", "spoken", "max_words", "form", "metadata"];
        let entries = self.yaml.mapping(node, &what, &allowed);
        let kinds = ["values", "range", "wildcard", "rule"];
        let told = entries.iter().any(|(key, _, _)| kinds.contains(&key.as_str()));
        let mut found = None;
        let mut spoken = None;
        let mut max_words = None;
        let mut prefer = Prefer::Usual;
        let mut is_address = false;
        for (key, _, value) in entries {
            match key.as_str() {
                "values" => found = Some(List::Values(self.values(&what, value))),
                "range" => found = self.range(&what, value).map(List::Range).or(found),
                "wildcard" => {
                    let wild = self.yaml.boolean(value, "wildcard").filter(|wild| *wild);
                    let list = wild.map(|_| List::Wildcard {
                        spoken: Vec::new(),
                        max_words: None,
                        is_address: false,
                    });
                    found = list.or(found);
                }
                "rule" => found = self.ruled(value).or(found),
                "prefer" => {
                    self.one_of(value, "prefer", &["usual", "morning", "each_day", "either"]);
                    prefer = match value.data.as_str() {
                        Some("morning") => Prefer::Morning,
                        Some("each_day") => Prefer::EachDay,
                        Some("either") => Prefer::Either,
                        _ => Prefer::Usual,
                    };
                }
                "form" => {
                    self.one_of(value, "form", &["address"]);
                    is_address = true;
                }
                "spoken" => spoken = Some(value),
                "max_words" => {
                    max_words = self.yaml.integer(value, "max_words").and_then(|n| usize::try_from(n).ok());
                }
                _ => {}
            }
        }
        if !told && node.data.is_mapping() {
            self.yaml.problem(
                at,
                format!("{what} has no values"),
                "give it `values:`, `range:`, `rule:` or `wildcard: true`",
            );
        }
        Some(match found? {
            List::Wildcard { .. } => {
                let spoken = spoken.map_or_else(Vec::new, |node| self.spoken_texts(node));
                List::Wildcard { spoken, max_words: max_words.map(|n| n.max(1)), is_address }
            }
            List::Rule { ruled, .. } => {
                let spoken = spoken.map_or_else(Vec::new, |node| self.spoken_templates(node));
                List::Rule { ruled: Ruled { prefer, ..ruled }, spoken }
            }
            list => list,
        })
    }

    fn spoken_texts(&mut self, node: &Node<'_>) -> Vec<String> {
        let items = self.yaml.sequence(node, "spoken");
        items.iter().filter_map(|item| self.yaml.text(item, "a spoken text")).collect()
    }

    /// What is parsed by rule is said aloud in ways that templates describe.
    fn spoken_templates(&mut self, node: &Node<'_>) -> Vec<Rule> {
        let mut templates = Vec::new();
        for item in self.yaml.sequence(node, "spoken") {
            if let Some(text) = self.yaml.text(item, "a spoken text")
                && let Some(expr) = self.expr(item, &text)
            {
                let place = self.yaml.text_place(item);
                templates.push(Rule { expr, file: Arc::clone(&self.file), place });
            }
        }
        templates
    }

    fn ruled(&mut self, node: &Node<'_>) -> Option<List> {
        let names: Vec<&str> = rules::NAMES.iter().map(|(name, _)| *name).collect();
        self.one_of(node, "rule", &names);
        let (_, rule) = rules::NAMES.iter().find(|(name, _)| node.data.as_str() == Some(name))?;
        Some(List::Rule { ruled: Ruled { rule: *rule, prefer: Prefer::Usual }, spoken: Vec::new() })
    }

    fn values(&mut self, what: &str, node: &Node<'_>) -> Vec<ListValue> {
        let items = self.yaml.sequence(node, &format!("values of {what}"));
        items.iter().filter_map(|item| self.value(what, item)).collect()
    }

    fn value(&mut self, what: &str, node: &Node<'_>) -> Option<ListValue> {
        if !node.data.is_mapping() {
            let text = self.yaml.text(node, &format!("a value of {what}"))?;
            let texts = self.value_texts(what, node, &text)?;
            return Some(ListValue { texts, out: Value::from(text), context: Map::new() });
        }
        let (mut texts, mut written, mut out, mut context) = (None, None, None, Map::new());
        for (key, _, value) in
            self.yaml.mapping(node, &format!("a value of {what}"), &["in", "out", "context", "metadata"])
        {
            match key.as_str() {
                "in" => {
                    written = self.yaml.text(value, "in");
                    texts = written.as_ref().and_then(|text| self.value_texts(what, value, text));
                }
                "out" => out = Some(json(value)),
                "context" => {
                    let entries = self.yaml.mapping(value, "context", &[]);
                    context = entries.into_iter().map(|(key, _, value)| (key, json(value))).collect();
                }
                _ => {}
            }
        }
        if written.is_none() && texts.is_none() {
            self.yaml.problem(place(node), format!("a value of {what} has no text"), "add `in: the words`");
        }
        Some(ListValue { texts: texts?, out: out.unwrap_or(Value::from(written?)), context })
    }

    /// The texts a value's template stands for.
    fn value_texts(&mut self, what: &str, node: &Node<'_>, text: &str) -> Option<Vec<String>> {
        let expr = match template::parse(text) {
            Ok(expr) => expr,
            Err(slips) => {
                self.slips(node, slips);
                return None;
            }
        };
        let texts = expr.expansions(MAX_TEXTS);
        if texts.is_none() {
            let message =
                format!("a value of {what} uses a list or a rule, or stands for over {MAX_TEXTS} texts");
            self.yaml.problem(place(node), message, "write the words themselves, as several values");
        }
        let mut texts = texts?;
        // "[bed]room" is said with everything far more often than without: the longest first.
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        texts.dedup();
        Some(texts)
    }

    fn range(&mut self, what: &str, node: &Node<'_>) -> Option<Range> {
        let what = format!("the range of {what}");
        let (mut from, mut to) = (None, None);
        let (mut step, mut multiplier, mut tenths) = (1, 1.0, Vec::new());
        let allowed =
            ["type", "from", "to", "step", "fractions", "multiplier", "digits", "words", "words_language"];
        for (key, at, value) in self.yaml.mapping(node, &what, &allowed) {
            match key.as_str() {
                "from" => from = self.yaml.integer(value, "from"),
                "to" => to = self.yaml.integer(value, "to"),
                "step" => step = self.yaml.integer(value, "step").unwrap_or(1),
                "multiplier" => multiplier = self.yaml.number(value, "multiplier").unwrap_or(1.0),
                "type" => self.one_of(value, "type", &["number", "percentage", "temperature"]),
                "fractions" => {
                    self.one_of(value, "fractions", &["halves", "tenths"]);
                    let halves = value.data.as_str() == Some("halves");
                    tenths = if halves { vec![5] } else { (1..10).collect() };
                }
                "digits" | "words" => drop(self.yaml.boolean(value, &key)),
                _ => drop((at, self.yaml.text(value, &key))),
            }
        }
        let at = place(node);
        if step < 1 {
            self.yaml.problem(at, format!("{what} has a step of {step}"), "use a step of at least 1");
            return None;
        }
        let (Some(from), Some(to)) = (from, to) else {
            self.yaml.problem(at, format!("{what} lacks an end"), "give it both `from:` and `to:`");
            return None;
        };
        let range = Range { from, to, step: step as u64, tenths, multiplier };
        if from > to {
            self.yaml.problem(at, format!("{what} goes from {from} down to {to}"), "exchange them");
            return None;
        }
        if range.count() > MAX_RANGE {
            let message = format!("{what} has {} numbers", range.count());
            self.yaml.problem(at, message, format!("use a larger step: at most {MAX_RANGE} numbers"));
            return None;
        }
        Some(range)
    }

    fn one_of(&mut self, node: &Node<'_>, what: &str, allowed: &[&str]) {
        if let Some(text) = self.yaml.text(node, what)
            && !allowed.contains(&text.as_str())
        {
            let fix = format!("use one of: {}", allowed.join(", "));
            self.yaml.problem(place(node), format!("{what} is '{text}'"), fix);
        }
    }
}

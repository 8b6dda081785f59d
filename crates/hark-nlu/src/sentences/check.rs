//! Mistakes that only show when all files are read: names that nothing defines, rules that never end.

use super::Sentences;
use super::model::{Data, List, Rule};
use super::template::Expr;
use crate::problem::{Place, Problem};
use hark_config::nearest;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Lists that come from the home rather than from a file.
pub const HOME_LISTS: [&str; 6] = ["name", "area", "floor", "person", "zone", "todo_list"];

/// What a data block can refer to: its own lists and rules before those of all files.
#[derive(Clone, Copy)]
pub struct Scope<'s> {
    sentences: &'s Sentences,
    data: Option<&'s Data>,
}

impl<'s> Scope<'s> {
    /// The scope of a data block; `None` is that of all files.
    pub fn new(sentences: &'s Sentences, data: Option<&'s Data>) -> Self {
        Self { sentences, data }
    }

    /// A rule by its name.
    pub fn rule(&self, name: &str) -> Option<&'s Rule> {
        let own = self.data.and_then(|data| data.rules.get(name));
        own.or_else(|| self.sentences.rules.get(name))
    }

    /// A list by its name, and whether it is the data block's own; `None` for lists of the home too.
    pub fn list(&self, name: &str) -> Option<(&'s List, bool)> {
        let own = self.data.and_then(|data| data.lists.get(name)).map(|list| (list, true));
        own.or_else(|| self.sentences.lists.get(name).map(|list| (list, false)))
    }

    fn has_list(&self, name: &str) -> bool {
        HOME_LISTS.contains(&name) || self.list(name).is_some() || self.is_faulty(name)
    }

    /// Whether it is there with a mistake in it, which is told where it stands.
    fn is_faulty(&self, name: &str) -> bool {
        self.sentences.faulty.contains(name)
    }
}

/// Most parts of a template with its rules written out; Home Assistant's largest have a few thousand.
const MAX_PARTS: u64 = 200_000;

/// How many parts an expression has with its rules written out; each rule is counted once and kept.
struct Sizes<'s> {
    scope: Scope<'s>,
    rules: BTreeMap<&'s str, u64>,
}

impl<'s> Sizes<'s> {
    fn of(&mut self, expr: &'s Expr) -> u64 {
        match expr {
            Expr::Text(_) | Expr::List { .. } => 1,
            Expr::Seq(parts) | Expr::Alt(parts) => self.sum(parts),
            // One node for each set of parts already said.
            Expr::Perm(parts) => self.sum(parts).saturating_mul(1 << (parts.len().min(20) - 1)),
            Expr::Rule { name, .. } => match (self.rules.get(name.as_str()), self.scope.rule(name)) {
                (Some(known), _) => *known,
                (None, Some(rule)) => {
                    // A rule that refers to itself ends here; that is told elsewhere.
                    self.rules.insert(name, 1);
                    let size = self.of(&rule.expr);
                    self.rules.insert(name, size);
                    size
                }
                (None, None) => 1,
            },
        }
    }

    fn sum(&mut self, parts: &'s [Expr]) -> u64 {
        parts.iter().fold(1, |sum, part| u64::saturating_add(sum, self.of(part)))
    }
}

/// All mistakes of that kind.
pub fn check(sentences: &Sentences) -> Vec<Problem> {
    let mut checker = Checker { sentences, problems: BTreeMap::new(), sound: BTreeSet::new() };
    checker.sizes();
    if !checker.problems.is_empty() {
        // Walking through them would take for ever.
        return checker.problems.into_values().collect();
    }
    for name in sentences.rules.keys() {
        checker.global_rule(name);
    }
    checker.spoken(Scope::new(sentences, None), &sentences.lists);
    for data in &sentences.data {
        let scope = Scope::new(sentences, Some(data));
        checker.spoken(scope, &data.lists);
        for (name, rule) in &data.rules {
            checker.expr(scope, &rule.expr, &rule.file, rule.place, &mut vec![name]);
        }
        for template in &data.templates {
            checker.expr(scope, &template.expr, &template.file, template.place, &mut Vec::new());
        }
    }
    checker.problems.into_values().collect()
}

struct Checker<'s> {
    sentences: &'s Sentences,
    /// By file, place and message, so that each mistake is told once and in order.
    problems: BTreeMap<(String, Place, String), Problem>,
    /// Global rules that are sound in any scope: all they reach is global and defined.
    sound: BTreeSet<&'s str>,
}

impl<'s> Checker<'s> {
    /// Rules and templates that are too large once written out.
    fn sizes(&mut self) {
        let mut global = Sizes { scope: Scope::new(self.sentences, None), rules: BTreeMap::new() };
        for rule in self.sentences.rules.values() {
            let size = global.of(&rule.expr);
            self.size(size, &rule.file, rule.place);
        }
        for data in &self.sentences.data {
            let mut own = Sizes { scope: Scope::new(self.sentences, Some(data)), rules: BTreeMap::new() };
            let sizes = if data.rules.is_empty() { &mut global } else { &mut own };
            for template in &data.templates {
                let size = sizes.of(&template.expr);
                self.size(size, &template.file, template.place);
            }
        }
    }

    fn size(&mut self, size: u64, file: &Path, place: Place) {
        if size > MAX_PARTS {
            let message = format!("written out with its rules this has more than {MAX_PARTS} parts");
            self.note(file, place, message, "use fewer rules within rules, or smaller ones".to_owned());
        }
    }

    /// How lists that are parsed by rule are said aloud.
    fn spoken(&mut self, scope: Scope<'s>, lists: &'s BTreeMap<String, List>) {
        for (name, list) in lists {
            let List::Rule { spoken, .. } = list else { continue };
            for template in spoken {
                self.expr(scope, &template.expr, &template.file, template.place, &mut Vec::new());
                let mut todo = vec![&template.expr];
                let mut seen: BTreeSet<&str> = BTreeSet::new();
                let mut ruled = None;
                while let Some(expr) = todo.pop() {
                    match expr {
                        Expr::Text(_) => {}
                        Expr::Seq(parts) | Expr::Alt(parts) | Expr::Perm(parts) => todo.extend(parts),
                        Expr::Rule { name, .. } if seen.insert(name) => {
                            todo.extend(scope.rule(name).map(|rule| &rule.expr));
                        }
                        Expr::Rule { .. } => {}
                        Expr::List { list, .. } => {
                            if matches!(scope.list(list), Some((List::Rule { .. }, _))) {
                                ruled = Some(list);
                            }
                        }
                    }
                }
                if let Some(inner) = ruled {
                    let message =
                        format!("how list '{name}' is spoken refers to {{{inner}}}, which is parsed by rule");
                    let fix =
                        "write out how it is spoken, or use a rule of `expansion_rules` for both".to_owned();
                    self.note(&template.file, template.place, message, fix);
                }
            }
        }
    }

    /// A rule of all files. What it refers to may be defined by the data blocks that use it.
    fn global_rule(&mut self, name: &'s str) {
        let scope = Scope::new(self.sentences, None);
        let Some(rule) = scope.rule(name) else { return };
        let before = self.problems.len();
        let blocks = &self.sentences.data;
        let local = blocks.iter().any(|data| !data.rules.is_empty() || !data.lists.is_empty());
        let mut open = false;
        rule.expr.references(&mut |reference| match reference {
            Expr::Rule { name, .. } => open |= scope.rule(name).is_none(),
            Expr::List { list, .. } => open |= !scope.has_list(list),
            _ => {}
        });
        let defined_somewhere = local
            && open
            && !self
                .undefined(&rule.expr)
                .iter()
                .any(|missing| !blocks.iter().any(|data| defines(data, missing)));
        if defined_somewhere {
            return;
        }
        self.expr(scope, &rule.expr, &rule.file, rule.place, &mut vec![name]);
        if self.problems.len() == before && !local {
            self.sound.insert(name);
        }
    }

    fn undefined(&self, expr: &Expr) -> Vec<String> {
        let scope = Scope::new(self.sentences, None);
        let mut missing = Vec::new();
        expr.references(&mut |reference| match reference {
            Expr::Rule { name, .. } if scope.rule(name).is_none() => missing.push(name.clone()),
            Expr::List { list, .. } if !scope.has_list(list) => missing.push(list.clone()),
            _ => {}
        });
        missing
    }

    /// `path` holds the rules being expanded, outermost first.
    fn expr(&mut self, scope: Scope<'s>, expr: &'s Expr, file: &Path, start: Place, path: &mut Vec<&'s str>) {
        match expr {
            Expr::Text(_) => {}
            Expr::Seq(parts) | Expr::Alt(parts) | Expr::Perm(parts) => {
                parts.iter().for_each(|part| self.expr(scope, part, file, start, path));
            }
            Expr::List { list, at, .. } => {
                if !scope.has_list(list) {
                    let known = scope.sentences.lists.keys().map(String::as_str);
                    let fix = suggestion("lists", list, known.chain(HOME_LISTS));
                    self.note(file, start.right(*at), format!("list {{{list}}} is not defined"), fix);
                }
            }
            Expr::Rule { name, at } => self.rule(scope, name, file, start.right(*at), path),
        }
    }

    fn rule(&mut self, scope: Scope<'s>, name: &'s str, file: &Path, at: Place, path: &mut Vec<&'s str>) {
        if let Some(first) = path.iter().position(|outer| *outer == name) {
            let circle: Vec<String> =
                path[first..].iter().chain([&name]).map(|rule| format!("<{rule}>")).collect();
            let message = format!("rule <{name}> refers to itself: {}", circle.join(" → "));
            let fix = "take one of these references away; templates cannot repeat".to_owned();
            self.note(file, at, message, fix);
            return;
        }
        let Some(rule) = scope.rule(name) else {
            if scope.is_faulty(name) {
                return;
            }
            let known = scope.sentences.rules.keys().map(String::as_str);
            let fix = suggestion("expansion_rules", name, known);
            self.note(file, at, format!("rule <{name}> is not defined"), fix);
            return;
        };
        if self.sound.contains(name) {
            return;
        }
        path.push(name);
        self.expr(scope, &rule.expr, &rule.file, rule.place, path);
        path.pop();
    }

    fn note(&mut self, file: &Path, at: Place, message: String, fix: String) {
        let key = (file.display().to_string(), at, message.clone());
        self.problems.entry(key).or_insert_with(|| Problem::new(file, at, message, fix));
    }
}

fn defines(data: &Data, name: &str) -> bool {
    data.rules.contains_key(name) || data.lists.contains_key(name)
}

fn suggestion<'a>(section: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    match nearest(name, known) {
        Some(likely) => format!("did you mean '{likely}'? else define '{name}' below `{section}:`"),
        None => format!("define '{name}' below `{section}:`"),
    }
}

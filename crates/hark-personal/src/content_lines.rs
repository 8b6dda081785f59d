//! The content lines of an iCalendar text (RFC 5545, 3.1), to change some and keep all others byte by byte: what a library writes
//! of what it has read would lose what it does not know.

use crate::events::folded;
use std::ops::Range;

/// A text in lines; those that were not changed are written as they were.
#[derive(Debug, Clone)]
pub(crate) struct ContentLines {
    lines: Vec<Line>,
    /// How the lines of the text end.
    ending: &'static str,
}

#[derive(Debug, Clone)]
struct Line {
    /// As it is written, with its folds and ends.
    raw: String,
    /// In one piece.
    text: String,
}

/// A property: its parameters as they are written, such as `;TZID=Europe/Berlin`, and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Property<'l> {
    pub(crate) params: &'l str,
    pub(crate) value: &'l str,
}

impl<'l> Property<'l> {
    /// Its parameters, each as it is written; what is quoted may have the signs between them.
    fn all_params(&self) -> impl Iterator<Item = &'l str> {
        let mut is_quoted = false;
        let params = self.params.split(move |c: char| {
            is_quoted ^= c == '"';
            c == ';' && !is_quoted
        });
        params.filter(|param| !param.is_empty())
    }

    /// A parameter by its name in capitals.
    pub(crate) fn param(&self, name: &str) -> Option<&'l str> {
        let params = self.all_params().filter_map(|param| param.split_once('='));
        let mut found = params.filter(|(found, _)| found.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.trim_matches('"'))
    }
}

impl Line {
    /// The name, and where its value begins.
    fn split(&self) -> Option<(&str, Property<'_>)> {
        let name_end = self.text.find([':', ';'])?;
        let mut is_quoted = false;
        let colon = self.text.char_indices().skip_while(|(at, _)| *at < name_end).find(|(_, c)| {
            is_quoted ^= *c == '"';
            *c == ':' && !is_quoted
        })?;
        let params = &self.text[name_end..colon.0];
        Some((&self.text[..name_end], Property { params, value: &self.text[colon.0 + 1..] }))
    }

    fn is(&self, name: &str) -> bool {
        self.split().is_some_and(|(found, _)| found.eq_ignore_ascii_case(name))
    }
}

impl ContentLines {
    pub(crate) fn of(text: &str) -> Self {
        let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut lines: Vec<Line> = Vec::new();
        for raw in text.split_inclusive('\n') {
            let line = raw.trim_end_matches(['\r', '\n']);
            match (line.strip_prefix([' ', '\t']), lines.last_mut()) {
                (Some(rest), Some(last)) => {
                    last.raw.push_str(raw);
                    last.text.push_str(rest);
                }
                _ => lines.push(Line { raw: raw.to_owned(), text: line.to_owned() }),
            }
        }
        Self { lines, ending }
    }

    pub(crate) fn into_text(self) -> String {
        self.lines.into_iter().map(|line| line.raw).collect()
    }

    /// Where the components of these kinds stand that are inside of no other but the calendar, from their beginning to behind their
    /// end.
    pub(crate) fn components(&self, kinds: &[&str]) -> Vec<Range<usize>> {
        let (mut open, mut found) = (Vec::new(), Vec::new());
        for (at, line) in self.lines.iter().enumerate() {
            match line.split() {
                Some((name, _)) if name.eq_ignore_ascii_case("BEGIN") => open.push(at),
                Some((name, property)) if name.eq_ignore_ascii_case("END") => {
                    let Some(begin) = open.pop() else { continue };
                    let is_meant = kinds.iter().any(|kind| kind.eq_ignore_ascii_case(property.value.trim()));
                    if is_meant && open.len() <= 1 {
                        found.push(begin..at + 1);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The lines of a component itself, not of what is inside of it.
    fn own(&self, component: &Range<usize>) -> Vec<usize> {
        let mut depth = 0_usize;
        let mut own = Vec::new();
        for at in component.start + 1..component.end.saturating_sub(1) {
            match &self.lines[at] {
                line if line.is("BEGIN") => depth += 1,
                line if line.is("END") => depth = depth.saturating_sub(1),
                _ if depth == 0 => own.push(at),
                _ => {}
            }
        }
        own
    }

    /// Where the components of a kind stand that are inside of this one.
    pub(crate) fn inside(&self, component: &Range<usize>, kind: &str) -> Vec<Range<usize>> {
        let (mut open, mut found) = (Vec::new(), Vec::new());
        for at in component.start + 1..component.end.saturating_sub(1) {
            match self.lines[at].split() {
                Some((name, _)) if name.eq_ignore_ascii_case("BEGIN") => open.push(at),
                Some((name, property)) if name.eq_ignore_ascii_case("END") => {
                    let begin = open.pop();
                    let is_meant = kind.eq_ignore_ascii_case(property.value.trim());
                    found.extend(begin.filter(|_| is_meant).map(|begin| begin..at + 1));
                }
                _ => {}
            }
        }
        found
    }

    /// The first property of this name.
    pub(crate) fn property(&self, component: &Range<usize>, name: &str) -> Option<Property<'_>> {
        let own = self.own(component);
        let at = own.into_iter().find(|at| self.lines[*at].is(name))?;
        self.lines[at].split().map(|(_, property)| property)
    }

    /// All properties of this name.
    pub(crate) fn properties(&self, component: &Range<usize>, name: &str) -> Vec<Property<'_>> {
        let own = self.own(component).into_iter().filter(|at| self.lines[*at].is(name));
        own.filter_map(|at| self.lines[at].split()).map(|(_, property)| property).collect()
    }

    /// Changes the values of every property of one of these names.
    pub(crate) fn rewrite(
        &mut self,
        component: &Range<usize>,
        names: &[&str],
        change: &dyn Fn(Property<'_>) -> String,
    ) {
        for at in self.own(component) {
            let Some((name, property)) = self.lines[at].split() else { continue };
            if names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                let text = format!("{name}{}:{}", property.params, change(property));
                self.lines[at] = self.line(text);
            }
        }
    }

    /// Gives a parameter a value in every property of a name that is meant; answers how many those are.
    pub(crate) fn set_param(
        &mut self,
        component: &Range<usize>,
        name: &str,
        is_meant: &dyn Fn(Property<'_>) -> bool,
        (param, value): (&str, &str),
    ) -> usize {
        let mut changed = 0;
        for at in self.own(component) {
            let Some((found, property)) = self.lines[at].split() else { continue };
            if !found.eq_ignore_ascii_case(name) || !is_meant(property) {
                continue;
            }
            let others: String = property
                .all_params()
                .filter(|one| !one.split_once('=').is_some_and(|(name, _)| name.eq_ignore_ascii_case(param)))
                .map(|one| format!(";{one}"))
                .collect();
            let text = format!("{found}{others};{param}={value}:{}", property.value);
            self.lines[at] = self.line(text);
            changed += 1;
        }
        changed
    }

    /// Puts a line in the place of the first property of its name, else at the component's end; `None` takes the property
    /// away. Answers the component as it is then.
    pub(crate) fn set(&mut self, component: Range<usize>, name: &str, line: Option<String>) -> Range<usize> {
        let there: Vec<usize> =
            self.own(&component).into_iter().filter(|at| self.lines[*at].is(name)).collect();
        match (line, there.first()) {
            (Some(line), Some(first)) => {
                self.lines[*first] = self.line(line);
                component
            }
            (Some(line), None) => self.add(component, line),
            (None, _) => {
                for at in there.iter().rev() {
                    self.lines.remove(*at);
                }
                component.start..component.end - there.len()
            }
        }
    }

    /// Puts a line in front of what is inside of a component, else at its end; answers the component as it is then.
    pub(crate) fn add(&mut self, component: Range<usize>, line: String) -> Range<usize> {
        let inner = (component.start + 1..component.end).find(|at| self.lines[*at].is("BEGIN"));
        let line = self.line(line);
        self.lines.insert(inner.unwrap_or(component.end - 1), line);
        component.start..component.end + 1
    }

    /// Puts a copy of a component behind it; answers where it is.
    pub(crate) fn copy(&mut self, component: &Range<usize>) -> Range<usize> {
        let lines = self.lines[component.clone()].to_vec();
        let (at, length) = (component.end, lines.len());
        self.lines.splice(at..at, lines);
        at..at + length
    }

    pub(crate) fn remove(&mut self, component: Range<usize>) {
        self.lines.drain(component);
    }

    fn line(&self, text: String) -> Line {
        let raw = folded(&text);
        Line { raw: if self.ending == "\n" { raw.replace("\r\n", "\n") } else { raw }, text }
    }
}

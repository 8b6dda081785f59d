//! The template language of Home Assistant (hassil): `[optional]`, `(this|that)`, `(any;order)`,
//! `{list:slot}`, `<rule>`. Blanks matter, as in `light[s]` and `set[ a] timer`.

/// A parsed template. Offsets are characters from the start of the template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// Text as it stands, blanks included.
    Text(String),
    /// One after the other; empty means nothing at all.
    Seq(Vec<Expr>),
    /// Any one of them. `[x]` is `x` or an empty `Seq`.
    Alt(Vec<Expr>),
    /// All of them in any order.
    Perm(Vec<Expr>),
    /// `{list}` or `{list:slot}`.
    List {
        /// Name of the list.
        list: String,
        /// Slot that gets the value.
        slot: String,
        /// Where it stands.
        at: usize,
    },
    /// `<rule>`.
    Rule {
        /// Name of the rule.
        name: String,
        /// Where it stands.
        at: usize,
    },
}

/// A mistake in a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// Characters from the start of the template.
    pub at: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub fix: String,
}

/// Most parts of a permutation: seven have 5,040 orders.
const MAX_PERMUTED: usize = 6;

/// Deepest nesting of brackets.
const MAX_DEPTH: usize = 40;

/// Parses a template; all mistakes at once.
///
/// # Errors
/// Unbalanced brackets, empty alternatives, names that are missing.
pub fn parse(template: &str) -> Result<Expr, Vec<Slip>> {
    let mut parser = Parser { chars: template.chars().collect(), at: 0, slips: Vec::new() };
    let expr = parser.alternatives(None, 0);
    if parser.slips.is_empty() { Ok(expr) } else { Err(parser.slips) }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    slips: Vec<Slip>,
}

impl Parser {
    fn slip(&mut self, at: usize, message: impl Into<String>, fix: impl Into<String>) {
        self.slips.push(Slip { at, message: message.into(), fix: fix.into() });
    }

    /// Everything up to `close` (not taken) or the end.
    fn alternatives(&mut self, close: Option<char>, depth: usize) -> Expr {
        let mut branches = Vec::new();
        let mut separator = None;
        loop {
            let from = self.at;
            let branch = self.sequence(close, depth);
            let next = self.chars.get(self.at).copied();
            let divides = matches!(next, Some('|' | ';'));
            if self.at == from && (divides || separator.is_some()) {
                self.slip(
                    from,
                    "an alternative is empty",
                    "write [this] for something that may be left out, and take the extra mark away",
                );
            }
            branches.push(branch);
            if !divides {
                break;
            }
            if separator.is_some() && separator != next {
                self.slip(
                    self.at,
                    "'|' and ';' stand in one group",
                    "put one of them into brackets of its own",
                );
            }
            separator = next;
            self.at += 1;
            // "(this | that)": blanks after the mark are for the eye.
            while self.chars.get(self.at) == Some(&' ') {
                self.at += 1;
            }
        }
        match (separator, branches.len()) {
            (_, 1) => branches.swap_remove(0),
            (Some(';'), count) => {
                if count > MAX_PERMUTED {
                    let message = format!("{count} parts in any order are too many");
                    self.slip(self.at, message, format!("use at most {MAX_PERMUTED}"));
                }
                Expr::Perm(branches)
            }
            _ => Expr::Alt(branches),
        }
    }

    fn sequence(&mut self, close: Option<char>, depth: usize) -> Expr {
        let mut items = Vec::new();
        let mut text = String::new();
        while let Some(&c) = self.chars.get(self.at) {
            if c == '|' || c == ';' || Some(c) == close {
                break;
            }
            let at = self.at;
            self.at += 1;
            match c {
                '\\' => match self.chars.get(self.at) {
                    Some(&escaped) => {
                        text.push(escaped);
                        self.at += 1;
                    }
                    None => self.slip(at, "'\\' stands before nothing", "take it away, or write '\\\\'"),
                },
                '(' | '[' | '{' | '<' => {
                    if !text.is_empty() {
                        items.push(Expr::Text(std::mem::take(&mut text)));
                    }
                    items.extend(match c {
                        '(' => self.group(at, ')', depth),
                        '[' => self.group(at, ']', depth).map(|x| Expr::Alt(vec![x, Expr::Seq(Vec::new())])),
                        '{' => self.list(at),
                        _ => self.rule(at),
                    });
                }
                ')' | ']' | '}' | '>' => {
                    self.slip(at, format!("'{c}' closes nothing"), "take it away, or open it before");
                }
                _ => text.push(c),
            }
        }
        if !text.is_empty() {
            items.push(Expr::Text(text));
        }
        if items.len() == 1 { items.swap_remove(0) } else { Expr::Seq(items) }
    }

    fn group(&mut self, open_at: usize, close: char, depth: usize) -> Option<Expr> {
        let open = self.chars[open_at];
        if depth >= MAX_DEPTH {
            self.slip(open_at, "brackets are nested too deep", "move the inner part into a rule");
            self.at = self.chars.len();
            return None;
        }
        if self.chars.get(self.at) == Some(&close) {
            self.slip(
                open_at,
                format!("'{open}{close}' holds nothing"),
                "write something into it or take it away",
            );
            self.at += 1;
            return None;
        }
        let inner = self.alternatives(Some(close), depth + 1);
        if self.chars.get(self.at) == Some(&close) {
            self.at += 1;
        } else {
            self.slip(open_at, format!("'{open}' is never closed"), format!("add a '{close}'"));
        }
        Some(inner)
    }

    /// The name inside `{…}` or `<…>`, with its offset.
    fn name(&mut self, open_at: usize, close: char) -> Option<String> {
        let rest = &self.chars[self.at..];
        let length = rest.iter().position(|c| *c == close);
        let broken = rest.iter().position(|c| "()[]{}<>|;".contains(*c));
        let open = self.chars[open_at];
        if length.is_none() || broken < length {
            self.slip(
                open_at,
                format!("'{open}' is never closed"),
                format!("add a '{close}' after the name"),
            );
            return None;
        }
        let name: String = rest[..length?].iter().collect();
        self.at += length? + 1;
        let name = name.trim().to_owned();
        if name.is_empty() || name.starts_with(':') || name.ends_with(':') {
            self.slip(open_at, "a name is missing", format!("write it between '{open}' and '{close}'"));
            return None;
        }
        Some(name)
    }

    fn list(&mut self, open_at: usize) -> Option<Expr> {
        let name = self.name(open_at, '}')?;
        // {@list} is {list:@list}: a capture, which Home Assistant shows to responses but not as a slot.
        let (list, slot) = name.split_once(':').unwrap_or((name.trim_start_matches('@'), &name));
        if list.is_empty() {
            self.slip(open_at, "a name is missing", "write it behind the '@'");
            return None;
        }
        Some(Expr::List { list: list.trim().to_owned(), slot: slot.trim().to_owned(), at: open_at })
    }

    fn rule(&mut self, open_at: usize) -> Option<Expr> {
        let name = self.name(open_at, '>')?;
        Some(Expr::Rule { name, at: open_at })
    }
}

impl Expr {
    /// Calls `seen` for every list and rule reference in it.
    pub fn references(&self, seen: &mut impl FnMut(&Expr)) {
        match self {
            Self::Text(_) => {}
            Self::Seq(parts) | Self::Alt(parts) | Self::Perm(parts) => {
                parts.iter().for_each(|part| part.references(seen));
            }
            Self::List { .. } | Self::Rule { .. } => seen(self),
        }
    }

    /// Every text it stands for; `None` when it has lists or rules, or more than `limit` texts.
    pub fn expansions(&self, limit: usize) -> Option<Vec<String>> {
        let texts = match self {
            Self::Text(text) => vec![text.clone()],
            Self::Alt(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(part.expansions(limit)?);
                }
                all
            }
            Self::Seq(parts) => joined(parts.iter(), "", limit)?,
            Self::Perm(parts) => {
                let mut all = Vec::new();
                for order in orders(parts.len()) {
                    all.extend(joined(order.iter().map(|index| &parts[*index]), " ", limit)?);
                }
                all
            }
            Self::List { .. } | Self::Rule { .. } => return None,
        };
        (texts.len() <= limit).then_some(texts)
    }
}

fn joined<'e>(parts: impl Iterator<Item = &'e Expr>, between: &str, limit: usize) -> Option<Vec<String>> {
    let mut all = vec![String::new()];
    for part in parts {
        let ends = part.expansions(limit)?;
        if all.len() * ends.len() > limit {
            return None;
        }
        all = all
            .iter()
            .flat_map(|start| ends.iter().map(move |end| format!("{start}{between}{end}")))
            .collect();
    }
    Some(all)
}

/// Every order of `count` things.
pub fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .iter()
            .flat_map(|start: &Vec<usize>| {
                let rest = (0..count).filter(|index| !start.contains(index));
                rest.map(|index| [start.as_slice(), &[index]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(template: &str) -> Vec<String> {
        parse(template).unwrap().expansions(1000).unwrap()
    }

    #[test]
    fn word_internal_optionals_and_alternatives() {
        assert_eq!(texts("light[s]"), ["lights", "light"]);
        assert_eq!(texts("turn(s | ed | ing) it"), ["turns  it", "turned  it", "turning it"]);
        assert_eq!(texts("set[ a] timer"), ["set a timer", "set timer"]);
        assert_eq!(texts("a|b"), ["a", "b"]);
        assert_eq!(texts(r"\[x\]"), ["[x]"]);
    }

    #[test]
    fn permutations_have_every_order() {
        assert_eq!(texts("(a;b)"), [" a b", " b a"]);
        assert_eq!(texts("(a;b;c)").len(), 6);
    }

    #[test]
    fn references_know_list_slot_and_place() {
        let expr = parse("set {a:b} <r>").unwrap();
        let mut seen = Vec::new();
        expr.references(&mut |reference| seen.push(reference.clone()));
        assert_eq!(
            seen,
            [
                Expr::List { list: "a".into(), slot: "b".into(), at: 4 },
                Expr::Rule { name: "r".into(), at: 10 }
            ]
        );
    }

    #[test]
    fn every_mistake_is_found_with_its_place() {
        for (template, places) in [
            ("turn [on", vec![5]),
            ("turn on]", vec![7]),
            ("(a|)", vec![3]),
            ("(|a) ()", vec![1, 5]),
            ("{name", vec![0]),
            ("{} <r", vec![0, 3]),
            ("(a|b;c)", vec![4]),
            ("a [b) c", vec![4, 2]),
            ("a|b\\", vec![3]),
            ("{@} {@@}", vec![0, 4]),
        ] {
            let slips = parse(template).unwrap_err();
            assert_eq!(slips.iter().map(|slip| slip.at).collect::<Vec<_>>(), places, "{template}");
        }
    }
}

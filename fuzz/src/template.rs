//! Sentence templates. A template that parses prints and parses again to the same; every mistake has a place in the
//! template; what a template stands for stays within the limit that was asked for; a sentence file that is accepted
//! compiles, and reading its own sentences stays within the effort that one text may cost.

use hark_core::Effort;
use hark_core::ports::Understand;
use hark_nlu::sentences::template::{Expr, parse};
use hark_nlu::{Grammar, Sentences};

/// Longest input in bytes; the longest template that ships has some hundred.
const MAX_BYTES: usize = 1024;
/// Texts of a template that are looked at.
const MAX_TEXTS: usize = 200;
/// Sentences that are read per template.
const MAX_READ: usize = 3;

/// Checks one template.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if text.len() > MAX_BYTES {
        return;
    }
    let parsed = parse(text);
    match &parsed {
        Ok(expr) => round_trip(expr),
        Err(slips) => {
            assert!(!slips.is_empty(), "refused without a mistake");
            let end = text.chars().count();
            for slip in slips {
                assert!(slip.at <= end, "a mistake at {} of {end}", slip.at);
                assert!(!slip.message.is_empty() && !slip.fix.is_empty());
            }
        }
    }
    let texts = parsed.as_ref().ok().and_then(|expr| expr.expansions(MAX_TEXTS));
    assert!(texts.iter().all(|texts| texts.len() <= MAX_TEXTS));
    compile(text, parsed.is_ok(), &texts.unwrap_or_default());
}

fn round_trip(expr: &Expr) {
    let printed = alternatives(expr);
    let again = parse(&printed).unwrap_or_else(|slips| panic!("{printed:?} is refused: {slips:?}"));
    assert_eq!(without_places(&again), without_places(expr), "{printed:?}");
}

/// The template as the only sentence of a file.
fn compile(template: &str, parses: bool, texts: &[String]) {
    // A JSON string is a YAML string.
    let quoted = serde_json::Value::from(template);
    let file = format!(
        "language: en\nintents:\n  HassNevermind:\n    data:\n      - sentences:\n          - {quoted}\n"
    );
    let sentences = match Sentences::from_text("fuzz.yaml", &file, "en") {
        Ok(sentences) => sentences,
        Err(problems) => return assert!(!problems.is_empty()),
    };
    assert!(parses, "a file with it is accepted, and it alone is not");
    let grammar = Grammar::new(&sentences, &Default::default());
    for text in texts.iter().take(MAX_READ) {
        let effort = Effort::default();
        let understood = grammar.understand_within(text, "en", Default::default(), &effort);
        let known = |name: &str| name == "HassNevermind" || name.starts_with("Hark");
        assert!(understood.intents.iter().all(|intent| known(&intent.name)), "{understood:?}");
        assert!(!effort.is_spent() || understood.intents.is_empty(), "half of {text:?} is acted on");
    }
}

/// An expression as it is written where alternatives may stand.
fn alternatives(expr: &Expr) -> String {
    let (parts, mark) = match expr {
        Expr::Alt(parts) if optional(expr).is_none() => (parts, "|"),
        Expr::Perm(parts) => (parts, ";"),
        _ => return sequence(expr),
    };
    parts.iter().map(sequence).collect::<Vec<_>>().join(mark)
}

/// An expression as it is written between two marks.
fn sequence(expr: &Expr) -> String {
    let Expr::Seq(parts) = expr else { return one(expr) };
    let mut printed = String::new();
    for (at, part) in parts.iter().enumerate() {
        let follows_text = at > 0 && matches!(parts[at - 1], Expr::Text(_));
        printed += &match part {
            Expr::Seq(_) => format!("({})", sequence(part)),
            // Without brackets both would be one text.
            Expr::Text(_) if follows_text => format!("({})", one(part)),
            _ => one(part),
        };
    }
    printed
}

fn one(expr: &Expr) -> String {
    match expr {
        Expr::Text(text) => escaped(text),
        Expr::List { list, slot, .. } => format!("{{{list}:{slot}}}"),
        Expr::Rule { name, .. } => format!("<{name}>"),
        _ => match optional(expr) {
            Some(inner) => format!("[{}]", alternatives(inner)),
            None => format!("({})", alternatives(expr)),
        },
    }
}

/// `x` of `[x]`.
fn optional(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Alt(parts) => match parts.as_slice() {
            [inner, Expr::Seq(nothing)] if nothing.is_empty() => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

fn escaped(text: &str) -> String {
    let mut printed = String::new();
    for (at, c) in text.char_indices() {
        // A blank that begins an alternative is for the eye.
        if r"\()[]{}<>|;".contains(c) || at == 0 && c == ' ' {
            printed.push('\\');
        }
        printed.push(c);
    }
    printed
}

fn without_places(expr: &Expr) -> Expr {
    let all = |parts: &[Expr]| parts.iter().map(without_places).collect();
    match expr {
        Expr::Text(text) => Expr::Text(text.clone()),
        Expr::Seq(parts) => Expr::Seq(all(parts)),
        Expr::Alt(parts) => Expr::Alt(all(parts)),
        Expr::Perm(parts) => Expr::Perm(all(parts)),
        Expr::List { list, slot, .. } => Expr::List { list: list.clone(), slot: slot.clone(), at: 0 },
        Expr::Rule { name, .. } => Expr::Rule { name: name.clone(), at: 0 },
    }
}

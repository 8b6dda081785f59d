//! The port: text in, intents out; two requests in one sentence become two intents.

use super::grammar::{Grammar, Match};
use super::text::{self, Token};
use crate::domain::ports::Understand;
use crate::domain::{Intent, Route, Understanding};
use chrono::NaiveDateTime;

/// Most requests in one sentence.
const MAX_REQUESTS: usize = 4;

/// Confidence of a match in which a wildcard took words: the words are exact, their meaning is open.
const WILD_CONFIDENCE: f32 = 0.9;

impl Understand for Grammar {
    fn understand_at(&self, text: &str, language: &str, now: NaiveDateTime) -> Understanding {
        let other = !language.is_empty() && language != "unknown" && language != self.language();
        if other {
            let why = format!("there are sentences of language '{}' only, not '{language}'", self.language());
            return Understanding { intents: Vec::new(), why };
        }
        let tokens = text::tokenise(text, self.tongue());
        if tokens.is_empty() {
            return Understanding { intents: Vec::new(), why: "there are no words in it".to_owned() };
        }
        let found = match self.parse_tokens(text, &tokens, now) {
            Some(whole) => Some(vec![whole]),
            None => requests(self, text, &tokens, now, MAX_REQUESTS),
        };
        match found {
            Some(matches) => {
                Understanding { intents: matches.into_iter().map(intent).collect(), why: String::new() }
            }
            None => {
                let why = "no sentence template accepts it".to_owned();
                Understanding { intents: Vec::new(), why }
            }
        }
    }
}

/// Two or more requests joined by "and" or "then", all of which are understood.
fn requests(
    grammar: &Grammar,
    text: &str,
    tokens: &[Token],
    now: NaiveDateTime,
    most: usize,
) -> Option<Vec<Match>> {
    if most < 2 {
        return None;
    }
    for (at, token) in tokens.iter().enumerate() {
        let joins = matches!(token.word.as_str(), "and" | "then");
        if !joins || at == 0 {
            continue;
        }
        let Some(first) = grammar.parse_tokens(text, &tokens[..at], now) else { continue };
        let after = at + 1 + usize::from(tokens.get(at + 1).is_some_and(|next| next.word == "then"));
        let rest = &tokens[after..];
        let second = match grammar.parse_tokens(text, rest, now) {
            Some(last) => Some(vec![last]),
            None => requests(grammar, text, rest, now, most - 1),
        };
        if let Some(second) = second {
            return Some(std::iter::once(first).chain(second).collect());
        }
    }
    None
}

fn intent(found: Match) -> Intent {
    Intent {
        name: found.intent,
        slots: found.slots,
        confidence: if found.wild_words == 0 { 1.0 } else { WILD_CONFIDENCE },
        route: Route::Template,
        why: found.why,
        response: found.response,
    }
}

//! Bounds the memory a template can use. Its steps and output are bounded where it is rendered, but not the values it
//! holds in between: a few doublings (`{% set a = a ~ a %}`) would fill the memory. Templates that could do that are
//! refused when they are read.

/// Largest payload a template gets to see.
pub const PAYLOAD_MAX_BYTES: usize = 64 * 1024;

/// Most a template may hold at once by this reckoning.
const HELD_MAX_BYTES: f64 = 512e6;

/// Where minijinja itself refuses to repeat a text.
const REPEATED_MAX_BYTES: f64 = 100e6;

/// Most that written factors multiply to.
const FACTOR_MAX: f64 = 1e6;

/// Statements no device needs and that collect text out of sight.
const REFUSED: &[&str] =
    &["macro", "call", "endset", "endfilter", "autoescape", "block", "extends", "include", "import"];

/// One sign of the language.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Number(f64),
    Text,
    Sign(char),
    /// `**`, which makes no text longer.
    Power,
}

/// Whether a template holds no more than it may.
///
/// # Errors
/// What it does, to go behind "the template".
pub fn check(source: &str) -> Result<(), &'static str> {
    let tokens = tokens(source);
    let words =
        || tokens.iter().filter_map(|token| if let Token::Word(word) = token { Some(word) } else { None });
    if words().any(|word| REFUSED.contains(&word.as_str())) {
        return Err("uses macros or captures, which are not taken");
    }
    let keeps = words().any(|word| matches!(word.as_str(), "set" | "with" | "for"));
    let joins = tokens.iter().filter(|token| matches!(token, Token::Sign('~' | '+'))).count();
    let mut factor = 1.0;
    let mut open = false;
    for (at, token) in tokens.iter().enumerate() {
        if *token != Token::Sign('*') {
            continue;
        }
        match written_factor(&tokens, at) {
            Some(number) => factor *= number,
            None if is_number(&tokens, at) || is_data(&tokens, at) => open = true,
            None => return Err("multiplies what may be a text; put `| float` behind it"),
        }
    }
    if factor > FACTOR_MAX {
        return Err("multiplies by too much");
    }
    let longest = match open {
        true => REPEATED_MAX_BYTES,
        // The payload is far below what a f64 tells apart.
        #[allow(clippy::cast_precision_loss)]
        false => (PAYLOAD_MAX_BYTES as f64 * factor).min(REPEATED_MAX_BYTES),
    };
    let joins = i32::try_from(joins).unwrap_or(i32::MAX);
    let grows = if keeps { 2f64.powi(joins) } else { f64::from(joins) + 1.0 };
    if longest * grows > HELD_MAX_BYTES {
        return Err("joins texts too often");
    }
    Ok(())
}

/// The number beside a `*`.
fn written_factor(tokens: &[Token], at: usize) -> Option<f64> {
    let number = |token: Option<&Token>| match token {
        Some(Token::Number(number)) => Some(number.abs().max(1.0)),
        _ => None,
    };
    number(tokens.get(at + 1)).or_else(|| number(at.checked_sub(1).and_then(|before| tokens.get(before))))
}

/// Whether one side of an operator is surely a number: made one by a filter, or the result of a division.
fn is_number(tokens: &[Token], at: usize) -> bool {
    const FILTERS: &[&str] = &["int", "float", "round", "abs", "length", "count"];
    let makes = |token: &Token| match token {
        Token::Word(word) => FILTERS.contains(&word.as_str()),
        Token::Sign('/') => true,
        _ => false,
    };
    let group = |range: &[Token]| !range.contains(&Token::Sign('[')) && range.iter().any(makes);
    let left = match at.checked_sub(1).map(|before| &tokens[before]) {
        Some(Token::Sign(')')) => {
            opening(tokens, at - 1).is_some_and(|from| group(&tokens[from.saturating_sub(1)..at]))
        }
        Some(token) => makes(token),
        None => false,
    };
    let right = match tokens.get(at + 1) {
        Some(Token::Sign('(')) => closing(tokens, at + 1).is_some_and(|to| group(&tokens[at + 1..to])),
        Some(token) => makes(token),
        None => false,
    };
    left || right
}

/// Whether both sides are parts of the message, of which a device that multiplies sends numbers. Where it sends a text
/// after all, minijinja's own bound holds, as behind `| float`.
fn is_data(tokens: &[Token], at: usize) -> bool {
    let is_part = |token: Option<&Token>| match token {
        Some(Token::Word(word)) => word != "value",
        Some(Token::Sign(sign)) => *sign == ']',
        _ => false,
    };
    let is_of_message =
        |token: Option<&Token>| matches!(token, Some(Token::Word(word)) if word == "value_json");
    let is_path = at >= 3 && tokens[..at].contains(&Token::Word("value_json".into()));
    is_path && is_part(tokens.get(at - 1)) && is_of_message(tokens.get(at + 1))
}

fn opening(tokens: &[Token], close: usize) -> Option<usize> {
    let mut depth = 0;
    (0..=close).rev().find(|at| {
        match tokens[*at] {
            Token::Sign(')') => depth += 1,
            Token::Sign('(') => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0;
    (open..tokens.len()).find(|at| {
        match tokens[*at] {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

/// The signs of a template, text outside of its braces included: there they only make it stricter.
fn tokens(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = source.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' | '"' => {
                while let Some(inner) = rest.next() {
                    if inner == '\\' {
                        rest.next();
                    } else if inner == c {
                        break;
                    }
                }
                tokens.push(Token::Text);
            }
            '*' if rest.peek() == Some(&'*') => {
                rest.next();
                tokens.push(Token::Power);
            }
            c if c.is_ascii_digit() => {
                let mut digits = String::from(c);
                while let Some(next) =
                    rest.next_if(|next| next.is_ascii_alphanumeric() || matches!(next, '.' | '_'))
                {
                    digits.push(next);
                }
                // What is no plain number counts as the largest.
                tokens.push(Token::Number(digits.trim_end_matches('.').parse().unwrap_or(f64::MAX)));
            }
            c if c.is_alphabetic() || c == '_' => {
                let mut word = String::from(c);
                while let Some(next) = rest.next_if(|next| next.is_alphanumeric() || *next == '_') {
                    word.push(next);
                }
                tokens.push(Token::Word(word));
            }
            c if c.is_whitespace() => {}
            c => tokens.push(Token::Sign(c)),
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_devices_write_is_taken() {
        for source in [
            "{{ value_json.state }}",
            "{{ value_json.a + value_json.b * 2 + 1 }}",
            "{{ (value | float * 2.55) | round | int }}",
            "{% set values = {'a': 1} %}{{ values[value_json.x] ~ ' ' ~ value }}",
            "{{ (value_json.a|int) * (value_json.b|int) }}",
            "{{ value_json.x * (100 / 254) }}",
            "{{ value_json.volts * value_json.amps }}",
            "{{ value_json['u'] * value_json.i[0] }}",
            "{\"brightness\": {{ brightness }}, \"note\": \"a * b\"}",
            "{{ 2 ** 3 | int }}",
        ] {
            assert_eq!(check(source), Ok(()), "{source}");
        }
    }

    #[test]
    fn bombs_are_refused() {
        let doublings = "{% set a = a ~ a %}".repeat(20);
        for source in [
            doublings.as_str(),
            "{{ 'x' * 99999999 }}",
            "{{ 'x' * value_json.n }}",
            "{{ value * value_json.n }}",
            "{{ (value ~ value_json.s) * value_json.n }}",
            "{{ value_json.s * n }}",
            "{{ [0] * 10000 * 10000 }}",
            "{% set a = 'x' * 1000000 %}{% set b = a ~ a ~ a ~ a %}{{ b }}",
            "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
            "{% set a %}{{ a }}{{ a }}{% endset %}",
        ] {
            assert!(check(source).is_err(), "{source}");
        }
    }
}

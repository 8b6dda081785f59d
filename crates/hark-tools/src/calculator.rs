//! Sums: `12 * (3 + 4)`, `15 % of 80`, `2^10`, `sqrt 16`, also in words. Takes one walk over the text; there is nothing
//! in it that could do anything else than reckon. The words are those of every language, since a model may have written
//! the sum.

use hark_language::Lexicon;
use std::iter::Peekable;
use std::vec::IntoIter;

/// Longest sum, characters.
pub const MAX_CHARS: usize = 300;
/// Brackets, signs and powers inside each other.
const MAX_DEPTH: usize = 50;
/// Digits that are told; the last ones of a float are noise.
const DIGITS: usize = 12;

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalcError {
    /// Something divided by nothing.
    #[error("nothing can be divided by zero")]
    DivisionByZero,
    /// Such as the root of −1.
    #[error("{0} has no real result")]
    NotReal(String),
    /// Beyond what can be told.
    #[error("the result is too large")]
    TooLarge,
    /// Something that does not belong there.
    #[error("“{0}” cannot stand there")]
    Unexpected(String),
    /// It ends too soon.
    #[error("the sum is not complete")]
    Incomplete,
    /// Too much of it.
    #[error("the sum is too long or has too many brackets; {MAX_CHARS} characters are the most")]
    TooLong,
}

/// One sign of a sum.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(f64),
    Sign(char),
    Word(String),
}

/// A number, and whether it was written as so many percent.
#[derive(Debug, Clone, Copy)]
struct Value {
    number: f64,
    percent: bool,
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self { number, percent: false }
    }
}

/// The result of a sum.
///
/// # Errors
/// When it cannot be read or has no result.
pub fn calculate(sum: &str) -> Result<f64, CalcError> {
    if sum.chars().count() > MAX_CHARS {
        return Err(CalcError::TooLong);
    }
    let mut parser = Parser { tokens: tokens(sum)?.into_iter().peekable(), depth: 0 };
    let value = parser.sum()?;
    match parser.tokens.next() {
        Some(token) => Err(CalcError::Unexpected(token.shown())),
        None => finite(value.number),
    }
}

/// A result as it is told: twelve digits, without a tail of noughts.
pub fn shown(number: f64) -> String {
    let scientific = format!("{number:.*e}", DIGITS - 1);
    let rounded: f64 = scientific.parse().unwrap_or(number);
    let rounded = if rounded == 0.0 { 0.0 } else { rounded };
    if rounded != 0.0 && !(1e-9..1e15).contains(&rounded.abs()) {
        format!("{rounded:e}")
    } else {
        rounded.to_string()
    }
}

fn finite(number: f64) -> Result<f64, CalcError> {
    if number.is_finite() { Ok(number) } else { Err(CalcError::TooLarge) }
}

impl Token {
    fn shown(&self) -> String {
        match self {
            Self::Number(number) => shown(*number),
            Self::Sign(sign) => sign.to_string(),
            Self::Word(word) => word.clone(),
        }
    }

    /// Whether a number can begin with it.
    fn opens(&self) -> bool {
        matches!(self, Self::Number(_) | Self::Sign('('))
            || matches!(self, Self::Word(word) if is_value(word))
    }
}

fn is_value(word: &str) -> bool {
    constant(word).is_some() || function(word, 1.0).is_some()
}

fn constant(word: &str) -> Option<f64> {
    match word {
        "pi" | "π" => Some(std::f64::consts::PI),
        "e" => Some(std::f64::consts::E),
        _ => None,
    }
}

/// Angles are in radians. `None`: there is no such function.
fn function(word: &str, of: f64) -> Option<f64> {
    Some(match word {
        "sqrt" | "√" => of.sqrt(),
        "cbrt" => of.cbrt(),
        "abs" => of.abs(),
        "round" => of.round(),
        "floor" => of.floor(),
        "ceil" => of.ceil(),
        "exp" => of.exp(),
        "ln" => of.ln(),
        "log" => of.log10(),
        "sin" => of.sin(),
        "cos" => of.cos(),
        "tan" => of.tan(),
        _ => return None,
    })
}

fn tokens(sum: &str) -> Result<Vec<Token>, CalcError> {
    let mut tokens = Vec::new();
    let text = in_signs(sum);
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() || first == '.' {
            let (number, length) = number(rest)?;
            tokens.push(Token::Number(number));
            length
        } else if first.is_alphabetic() {
            let length = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..length].to_owned()));
            length
        } else {
            tokens.push(match first {
                '√' => Token::Word("sqrt".into()),
                sign => Token::Sign(usual(sign).ok_or_else(|| CalcError::Unexpected(sign.to_string()))?),
            });
            first.len_utf8()
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// The sum with words as signs, in small letters, without what makes it a question.
fn in_signs(sum: &str) -> String {
    let text = sum.trim().trim_end_matches(['?', '=', ' ', '.']).to_lowercase();
    let languages = hark_language::all();
    let mut questions = languages.iter().flat_map(|language| language.tools.sums.questions.iter());
    let asked = questions.find_map(|question| text.strip_prefix(question)?.strip_prefix(' '));
    let text = asked.unwrap_or(&text);
    // "4x4" is meant as "4 x 4".
    let mut spaced = String::from(" ");
    let mut last = ' ';
    for c in text.chars() {
        if c.is_alphabetic() != last.is_alphabetic() {
            spaced.push(' ');
        }
        spaced.push(c);
        last = c;
    }
    let mut spaced = spaced.split_whitespace().fold(String::from(" "), |text, word| text + word + " ");
    for (words, sign) in words_of_signs(&languages) {
        spaced = spaced.replace(&format!(" {words} "), &format!(" {sign} "));
        // Twice: neighbours share a blank.
        spaced = spaced.replace(&format!(" {words} "), &format!(" {sign} "));
    }
    spaced
}

/// Words and the signs they stand for; the longer come first.
fn words_of_signs(languages: &[&'static Lexicon]) -> Vec<(&'static str, &'static str)> {
    let mut all = Vec::new();
    for Lexicon { sums, numbers, tools, .. } in languages {
        let tables = [sums.signs, sums.roots, sums.powers];
        all.extend(tables.iter().flat_map(|table| table.iter()).map(|(words, sign)| (*words, sign.text())));
        all.extend(numbers.percent.iter().map(|words| (*words, "%")));
        // A share of something is a product.
        all.extend(tools.sums.of.iter().map(|words| (*words, "*")));
    }
    all.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    all
}

/// The sign it stands for.
fn usual(sign: char) -> Option<char> {
    Some(match sign {
        '×' | '·' | '∙' | '⋅' => '*',
        '÷' | ':' => '/',
        '−' | '–' => '-',
        '+' | '-' | '*' | '/' | '^' | '%' | '(' | ')' | '!' | '²' | '³' => sign,
        _ => return None,
    })
}

/// The number a text begins with, and its length in bytes. A comma parts thousands when three digits follow it, else
/// it is the decimal one.
fn number(text: &str) -> Result<(f64, usize), CalcError> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(text.len());
    let written = text[..end].trim_end_matches([',']);
    let mut groups = written.split('.').next().unwrap_or_default().split(',').skip(1).peekable();
    let thousands = groups.peek().is_some() && groups.all(|group| group.len() == 3);
    let plain = if thousands { written.replace(',', "") } else { written.replace(',', ".") };
    let number = plain.parse().map_err(|_| CalcError::Unexpected(written.to_owned()))?;
    Ok((number, written.len()))
}

struct Parser {
    tokens: Peekable<IntoIter<Token>>,
    depth: usize,
}

impl Parser {
    fn sign(&mut self, signs: &[char]) -> Option<char> {
        match self.tokens.peek() {
            Some(Token::Sign(sign)) if signs.contains(sign) => {
                let sign = *sign;
                self.tokens.next();
                Some(sign)
            }
            _ => None,
        }
    }

    fn word(&mut self, word: &str) -> bool {
        self.tokens.next_if(|token| matches!(token, Token::Word(found) if found == word)).is_some()
    }

    /// Sums and differences. So many percent more are of what stands before.
    fn sum(&mut self) -> Result<Value, CalcError> {
        let mut left = self.product()?;
        while let Some(sign) = self.sign(&['+', '-']) {
            let right = self.product()?;
            let part = if right.percent && !left.percent { left.number * right.number } else { right.number };
            let number = if sign == '+' { left.number + part } else { left.number - part };
            left = Value { number, percent: left.percent && right.percent };
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Value, CalcError> {
        let mut left = self.signed()?;
        loop {
            left = match self.sign(&['*', '/', '%']) {
                Some('*') => (left.number * self.signed()?.number).into(),
                Some('/') => (left.number / self.divisor()?).into(),
                // What is left over: `%` after a number was taken as percent unless another number follows.
                Some(_) => (left.number % self.divisor()?).into(),
                None if self.word("mod") => (left.number % self.divisor()?).into(),
                None => return Ok(left),
            };
        }
    }

    fn divisor(&mut self) -> Result<f64, CalcError> {
        let number = self.signed()?.number;
        if number == 0.0 { Err(CalcError::DivisionByZero) } else { Ok(number) }
    }

    fn signed(&mut self) -> Result<Value, CalcError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(CalcError::TooLong);
        }
        let value = match self.sign(&['+', '-']) {
            Some('-') => self.signed().map(|value| Value { number: -value.number, ..value }),
            Some(_) => self.signed(),
            None => self.power(),
        };
        self.depth -= 1;
        value
    }

    /// Powers bind to the right, and before a sign: −2² is −4.
    fn power(&mut self) -> Result<Value, CalcError> {
        let base = self.marked()?;
        if self.sign(&['^']).is_none() {
            return Ok(base);
        }
        let exponent = self.signed()?.number;
        if base.number == 0.0 && exponent < 0.0 {
            return Err(CalcError::DivisionByZero);
        }
        real(base.number.powf(exponent), || format!("{} ^ {}", shown(base.number), shown(exponent)))
            .map(Value::from)
    }

    /// A number with what stands behind it: `²`, `!`, `%`.
    fn marked(&mut self) -> Result<Value, CalcError> {
        let mut value = self.single()?;
        while let Some(Token::Sign(mark)) = self.tokens.peek().cloned() {
            value = match mark {
                '²' => value.number.powi(2).into(),
                '³' => value.number.powi(3).into(),
                '!' => factorial(value.number)?.into(),
                '%' => {
                    let mut ahead = self.tokens.clone();
                    ahead.next();
                    if ahead.peek().is_some_and(Token::opens) {
                        return Ok(value);
                    }
                    Value { number: value.number / 100.0, percent: true }
                }
                _ => return Ok(value),
            };
            self.tokens.next();
        }
        Ok(value)
    }

    fn single(&mut self) -> Result<Value, CalcError> {
        match self.tokens.next().ok_or(CalcError::Incomplete)? {
            Token::Number(number) => Ok(number.into()),
            Token::Sign('(') => {
                let value = self.sum()?;
                match self.tokens.next() {
                    Some(Token::Sign(')')) => Ok(value.number.into()),
                    Some(token) => Err(CalcError::Unexpected(token.shown())),
                    None => Err(CalcError::Incomplete),
                }
            }
            Token::Word(word) => {
                if let Some(number) = constant(&word) {
                    return Ok(number.into());
                }
                if !is_value(&word) {
                    return Err(CalcError::Unexpected(word));
                }
                let of = self.signed_argument()?;
                let number = function(&word, of).unwrap_or(f64::NAN);
                if of == 0.0 && matches!(word.as_str(), "ln" | "log") {
                    return Err(CalcError::NotReal(format!("{word} of 0")));
                }
                real(number, || format!("{word} of {}", shown(of))).map(Value::from)
            }
            token => Err(CalcError::Unexpected(token.shown())),
        }
    }

    /// What a function is of: one number or bracket, with its sign.
    fn signed_argument(&mut self) -> Result<f64, CalcError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(CalcError::TooLong);
        }
        let value = match self.sign(&['-']) {
            Some(_) => self.signed_argument().map(|number| -number),
            None => self.marked().map(|value| value.number),
        };
        self.depth -= 1;
        value
    }
}

fn real(number: f64, what: impl Fn() -> String) -> Result<f64, CalcError> {
    if number.is_nan() { Err(CalcError::NotReal(what())) } else { finite(number) }
}

fn factorial(number: f64) -> Result<f64, CalcError> {
    if number < 0.0 || number.fract() != 0.0 {
        return Err(CalcError::NotReal(format!("{}!", shown(number))));
    }
    if number > 170.0 {
        return Err(CalcError::TooLarge);
    }
    // 0 to 170, and whole.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Ok((1..=number as u32).map(f64::from).product())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sums_come_out_right() {
        for (sum, result) in [
            ("12 * (3 + 4)", "84"),
            ("15 % of 80", "12"),
            ("15 percent of 80", "12"),
            ("80 + 10%", "88"),
            ("80 - 25 %", "60"),
            ("20% + 5%", "0.25"),
            ("10 % 3", "1"),
            ("10 mod 4", "2"),
            ("2^10", "1024"),
            ("2^3^2", "512"),
            ("-2^2", "-4"),
            ("2^-2", "0.25"),
            ("sqrt 16", "4"),
            ("sqrt(16) + 1", "5"),
            ("√9", "3"),
            ("the square root of 144", "12"),
            ("what is 7 times 8?", "56"),
            ("4x4", "16"),
            ("3 plus 4 times 5", "23"),
            ("100 divided by 8", "12.5"),
            ("5 squared plus 2 cubed", "33"),
            ("2 to the power of 8", "256"),
            ("1,234.5 + 1", "1235.5"),
            ("1,234,567 + 0", "1234567"),
            ("3,5 * 2", "7"),
            ("0.1 + 0.2", "0.3"),
            ("1 / 3", "0.333333333333"),
            ("6 ÷ 4 − 0,5", "1"),
            ("5!", "120"),
            ("-(3 - 5)", "2"),
            ("--3", "3"),
            ("pi", "3.14159265359"),
            ("cos 0", "1"),
            ("abs -3 + 1", "4"),
            ("round(2.5)", "3"),
            ("10^20", "1e20"),
            ("3 * -4", "-12"),
            ("0 * -1", "0"),
        ] {
            assert_eq!(calculate(sum).map(shown), Ok(result.to_owned()), "{sum}");
        }
    }

    #[test]
    fn what_cannot_be_reckoned_is_told() {
        use CalcError::*;
        let unexpected = |what: &str| Unexpected(what.into());
        for (sum, error) in [
            ("1 / 0", DivisionByZero),
            ("5 mod (3 - 3)", DivisionByZero),
            ("0 ^ -1", DivisionByZero),
            ("7 / (2 - 2)", DivisionByZero),
            ("sqrt -4", NotReal("sqrt of -4".into())),
            ("ln 0", NotReal("ln of 0".into())),
            ("(-8) ^ 0.5", NotReal("-8 ^ 0.5".into())),
            ("2.5!", NotReal("2.5!".into())),
            ("10 ^ 400", TooLarge),
            ("171!", TooLarge),
            ("", Incomplete),
            ("3 +", Incomplete),
            ("(3", Incomplete),
            ("3 4", unexpected("4")),
            ("3)", unexpected(")")),
            ("()", unexpected(")")),
            ("system(1)", unexpected("system")),
            ("a = 3", unexpected("=")),
            ("3; 4", unexpected(";")),
            ("a + 3", unexpected("a")),
            ("1.2.3", unexpected("1.2.3")),
        ] {
            assert_eq!(calculate(sum), Err(error), "{sum}");
        }
        assert_eq!(calculate(&"(".repeat(200)), Err(TooLong));
        assert_eq!(calculate(&"-".repeat(200)), Err(TooLong));
        assert_eq!(calculate(&"sqrt ".repeat(60)), Err(TooLong));
        assert_eq!(calculate(&"1+".repeat(200)), Err(TooLong));
    }

    proptest! {
        #[test]
        fn nothing_brings_it_down(sum in "[-0-9+*/^%().,!²³ a-zx√]{0,60}") {
            if let Ok(result) = calculate(&sum) {
                prop_assert!(result.is_finite());
            }
        }

        #[test]
        fn it_reckons_as_the_machine_does(a in -1e6f64..1e6, b in 0.1f64..1e6, c in -1e3f64..1e3) {
            let sum = format!("({a} - {b}) * {c} / {b}");
            let close = (a - b) * c / b;
            prop_assert!((calculate(&sum).unwrap() - close).abs() <= 1e-9 * close.abs().max(1.0));
        }
    }
}

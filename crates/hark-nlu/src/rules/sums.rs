//! Sums in words: "thirteen times fifty seven", "divide a hundred by twenty", "the square root of eighty one". What
//! comes out is written with digits and signs, as `calculate` reads it.

use crate::tongue::{self, Tongue};

/// Signs between two numbers; English and German do not get into each other's way.
const SIGNS: &[(&str, &str)] = &[
    ("multiplied by", "*"),
    ("multiplied with", "*"),
    ("divided by", "/"),
    ("geteilt durch", "/"),
    ("to the power of", "^"),
    ("hoch", "^"),
    ("times", "*"),
    ("mal", "*"),
    ("x", "*"),
    ("plus", "+"),
    ("und", "+"),
    ("minus", "-"),
    ("weniger", "-"),
    ("over", "/"),
    ("durch", "/"),
];

/// What is done to the number behind it.
const ROOTS: &[(&str, &str)] = &[
    ("the square root of", "sqrt"),
    ("square root of", "sqrt"),
    ("the root of", "sqrt"),
    ("die quadratwurzel aus", "sqrt"),
    ("die wurzel aus", "sqrt"),
    ("wurzel aus", "sqrt"),
    ("the cube root of", "cbrt"),
    ("cube root of", "cbrt"),
];

/// What is done to the number before it.
const POWERS: &[(&str, &str)] = &[("squared", "^2"), ("cubed", "^3"), ("quadrat", "^2")];

/// What is said before all numbers, the words between them, the sign that means, and whether the last comes first.
const LEADS: &[(&[&str], &[&str], &str, bool)] = &[
    (&["multiply", "multipliziere"], &["by", "and", "with", "times", "mit"], "*", false),
    (&["the product of", "product of"], &["and", "with"], "*", false),
    (&["divide", "teile", "dividiere"], &["by", "durch"], "/", false),
    (&["the quotient of", "quotient of"], &["and"], "/", false),
    (&["subtract"], &["from"], "-", true),
    (&["the difference between", "difference between", "the difference of"], &["and"], "-", false),
    (&["the sum of", "sum of", "die summe von", "die summe aus"], &["and", "plus", "und"], "+", false),
    (&["add up", "add together", "add", "addiere"], &["and", "to", "plus", "und"], "+", false),
];

/// The longest sum that `words` begin with, and how many words it takes. A number alone is none.
pub fn read(words: &[&str], tongue: &Tongue) -> Option<(String, usize)> {
    led(words, tongue).or_else(|| chain(words, tongue))
}

/// One of `phrases` at the beginning: which, and how many words it has.
fn at<T: Copy>(phrases: &[(&str, T)], words: &[&str]) -> Option<(T, usize)> {
    let found = phrases.iter().filter_map(|(phrase, of)| Some((*of, tongue::starts_any(&[*phrase], words)?)));
    found.max_by_key(|(_, used)| *used)
}

/// "add five and eighty nine".
fn led(words: &[&str], tongue: &Tongue) -> Option<(String, usize)> {
    let (between, sign, turned, mut used) = LEADS.iter().find_map(|(leads, between, sign, turned)| {
        Some((between, sign, turned, tongue::starts_any(leads, words)?))
    })?;
    let mut numbers = Vec::new();
    loop {
        // A comma between two numbers is not heard.
        let joined =
            if numbers.is_empty() { 0 } else { tongue::starts_any(between, &words[used..]).unwrap_or(0) };
        let free = *sign == "+" || *sign == "*";
        if !numbers.is_empty() && joined == 0 && !free || numbers.len() == 2 && !free {
            break;
        }
        let Some((number, more)) = term(&words[used + joined..], tongue) else { break };
        numbers.push(number);
        used += joined + more;
    }
    if *turned {
        numbers.reverse();
    }
    (numbers.len() > 1).then(|| (numbers.join(&format!(" {sign} ")), used))
}

/// "thirteen times fifty seven plus one".
fn chain(words: &[&str], tongue: &Tongue) -> Option<(String, usize)> {
    let (mut sum, mut used) = term(words, tongue)?;
    let mut is_sum = sum.contains(|c: char| c.is_alphabetic() || c == '^' || c == '%');
    while let Some((sign, more)) = at(SIGNS, &words[used..]) {
        let Some((number, further)) = term(&words[used + more..], tongue) else { break };
        sum = format!("{sum} {sign} {number}");
        used += more + further;
        is_sum = true;
    }
    is_sum.then_some((sum, used))
}

/// A number with what is done to it.
fn term(words: &[&str], tongue: &Tongue) -> Option<(String, usize)> {
    if let Some((root, used)) = at(ROOTS, words) {
        let (number, more) = number(&words[used..], tongue)?;
        return Some((format!("{root} {number}"), used + more));
    }
    let (mut shown, mut used) = number(words, tongue)?;
    if let Some((power, more)) = at(POWERS, &words[used..]) {
        shown += power;
        used += more;
    } else if let Some(more) =
        tongue::starts_any(&["percent of", "per cent of", "prozent von"], &words[used..])
        && let Some((of, further)) = number(&words[used + more..], tongue)
    {
        shown = format!("{shown} % of {of}");
        used += more + further;
    }
    Some((shown, used))
}

fn number(words: &[&str], tongue: &Tongue) -> Option<(String, usize)> {
    if words.first() == Some(&"pi") {
        return Some(("pi".into(), 1));
    }
    let (value, used) = (tongue.number)(words)?;
    Some((value.to_string(), used))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    fn sum(said: &str, code: &str) -> Option<(String, usize)> {
        let tongue = Tongue::of(code);
        let words = text::words(said, tongue);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        read(&words, tongue).map(|(sum, used)| (sum, words.len() - used))
    }

    #[test]
    fn sums_are_written_with_signs() {
        let rows = [
            ("thirteen times fifty seven", "13 * 57", 0),
            ("12 plus 196", "12 + 196", 0),
            ("12 + 196 minus 4", "12 + 196 - 4", 0),
            ("7 x 8", "7 * 8", 0),
            ("87 divided by 4 please", "87 / 4", 1),
            ("multiply 7 and 42", "7 * 42", 0),
            ("divide 100 by 20", "100 / 20", 0),
            ("subtract 36 from 5", "5 - 36", 0),
            ("add 5 and 89", "5 + 89", 0),
            ("the sum of 3, 7, 9, and 24", "3 + 7 + 9 + 24", 0),
            ("the square root of 888", "sqrt 888", 0),
            ("square root of pi", "sqrt pi", 0),
            ("fifteen percent of eighty", "15 % of 80", 0),
            ("two and a half times four", "2.5 * 4", 0),
            ("nine squared", "9^2", 0),
        ];
        for (said, written, left) in rows {
            assert_eq!(sum(said, "en"), Some((written.to_owned(), left)), "{said}");
        }
        assert_eq!(sum("dreizehn mal vier", "de"), Some(("13 * 4".to_owned(), 0)));
    }

    #[test]
    fn a_number_alone_is_no_sum() {
        for said in ["seven", "add milk", "add 5 to the list", "seven times", "plus four", "divide it by two"]
        {
            assert_eq!(sum(said, "en"), None, "{said}");
        }
    }
}

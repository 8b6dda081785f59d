//! Sums in words: "thirteen times fifty seven", "divide a hundred by twenty", "the square root of eighty one". What
//! comes out is written with digits and signs, as `calculate` reads it.

use hark_language::{Lexicon, phrases};

/// The longest sum that `words` begin with, and how many words it takes. A number alone is none.
pub fn read(words: &[&str], lexicon: &Lexicon) -> Option<(String, usize)> {
    led(words, lexicon).or_else(|| chain(words, lexicon))
}

/// "add five and eighty nine".
fn led(words: &[&str], lexicon: &Lexicon) -> Option<(String, usize)> {
    let leads = lexicon.sums.leads.iter();
    let (lead, mut used) = leads
        .filter_map(|lead| Some((lead, phrases::starts(lead.begin, words)?)))
        .max_by_key(|(_, used)| *used)?;
    let mut numbers = Vec::new();
    loop {
        // A comma between two numbers is not heard.
        let joined =
            if numbers.is_empty() { 0 } else { phrases::starts(lead.between, &words[used..]).unwrap_or(0) };
        let free = matches!(lead.sign.text(), "+" | "*");
        if !numbers.is_empty() && joined == 0 && !free || numbers.len() == 2 && !free {
            break;
        }
        let Some((number, more)) = term(&words[used + joined..], lexicon) else { break };
        numbers.push(number);
        used += joined + more;
    }
    if lead.last_first {
        numbers.reverse();
    }
    (numbers.len() > 1).then(|| (numbers.join(&format!(" {} ", lead.sign.text())), used))
}

/// "thirteen times fifty seven plus one".
fn chain(words: &[&str], lexicon: &Lexicon) -> Option<(String, usize)> {
    let (mut sum, mut used) = term(words, lexicon)?;
    let mut is_sum = sum.contains(|c: char| c.is_alphabetic() || c == '^' || c == '%');
    while let Some((sign, more)) = phrases::find(lexicon.sums.signs, &words[used..]) {
        let Some((number, further)) = term(&words[used + more..], lexicon) else { break };
        sum = format!("{sum} {} {number}", sign.text());
        used += more + further;
        is_sum = true;
    }
    is_sum.then_some((sum, used))
}

/// A number with what is done to it.
fn term(words: &[&str], lexicon: &Lexicon) -> Option<(String, usize)> {
    if let Some((root, used)) = phrases::find(lexicon.sums.roots, words) {
        let (number, more) = number(&words[used..], lexicon)?;
        return Some((format!("{} {number}", root.text()), used + more));
    }
    let (mut shown, mut used) = number(words, lexicon)?;
    if let Some((power, more)) = phrases::find(lexicon.sums.powers, &words[used..]) {
        shown += power.text();
        used += more;
    } else if let Some(more) = phrases::starts(lexicon.sums.percent_of, &words[used..])
        && let Some((of, further)) = number(&words[used + more..], lexicon)
    {
        shown = format!("{shown} % of {of}");
        used += more + further;
    }
    Some((shown, used))
}

fn number(words: &[&str], lexicon: &Lexicon) -> Option<(String, usize)> {
    if words.first() == Some(&"pi") {
        return Some(("pi".into(), 1));
    }
    let (value, used) = lexicon.numbers.number(words)?;
    Some((value.to_string(), used))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    fn sum(said: &str, code: &str) -> Option<(String, usize)> {
        let lexicon = hark_language::of(code);
        let words = text::words(said, lexicon);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        read(&words, lexicon).map(|(sum, used)| (sum, words.len() - used))
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

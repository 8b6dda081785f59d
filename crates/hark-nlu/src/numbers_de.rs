//! German numbers: from a value to the words people say, and back.

use super::numbers::MAX;

const SMALL: [&str; 20] = [
    "null",
    "eins",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
    "dreizehn",
    "vierzehn",
    "fünfzehn",
    "sechzehn",
    "siebzehn",
    "achtzehn",
    "neunzehn",
];

const TENS: [&str; 8] =
    ["zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"];

/// Most digits after the comma that are spoken.
const MAX_DECIMALS: usize = 6;

/// Words of a whole number up to [`MAX`]; below a million it is one word.
pub fn integer_words(value: u64) -> Vec<String> {
    let value = value.min(MAX);
    let mut words = Vec::new();
    for (size, one, many) in [(1_000_000_000, "milliarde", "milliarden"), (1_000_000, "million", "millionen")]
    {
        match value / size % 1000 {
            0 => {}
            1 => words.extend(["eine".to_owned(), one.to_owned()]),
            count => words.extend([below_million(count), many.to_owned()]),
        }
    }
    if !value.is_multiple_of(1_000_000) || words.is_empty() {
        words.push(below_million(value % 1_000_000));
    }
    words
}

fn below_million(value: u64) -> String {
    match (value / 1000, value % 1000) {
        (0, rest) => below_thousand(rest),
        (thousands, 0) => format!("{}tausend", head(thousands)),
        (thousands, rest) => format!("{}tausend{}", head(thousands), below_thousand(rest)),
    }
}

/// "ein" before "tausend" and "hundert".
fn head(value: u64) -> String {
    if value == 1 { "ein".to_owned() } else { below_thousand(value) }
}

fn below_thousand(value: u64) -> String {
    match (value / 100, value % 100) {
        (0, rest) => below_hundred(rest),
        (hundreds, 0) => format!("{}hundert", head(hundreds)),
        (hundreds, rest) => format!("{}hundert{}", head(hundreds), below_hundred(rest)),
    }
}

fn below_hundred(value: u64) -> String {
    let value = value as usize;
    match (value / 10, value % 10) {
        (0 | 1, _) => SMALL[value].to_owned(),
        (tens, 0) => TENS[tens - 2].to_owned(),
        (tens, 1) => format!("einund{}", TENS[tens - 2]),
        (tens, ones) => format!("{}und{}", SMALL[ones], TENS[tens - 2]),
    }
}

/// The ways people say a number, the usual one first.
pub fn spellings(value: f64) -> Vec<String> {
    let sign = if value < 0.0 { "minus " } else { "" };
    let text = format!("{:.*}", MAX_DECIMALS, value.abs());
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let whole: u64 = whole.parse().unwrap_or(MAX);
    let decimals = decimals.trim_end_matches('0');
    let words = integer_words(whole).join(" ");
    let mut all = Vec::new();
    if decimals.is_empty() {
        all.push(format!("{sign}{words}"));
        if whole == 1 {
            all.extend(["ein", "eine", "einen", "einer"].map(|one| format!("{sign}{one}")));
        }
        if words.starts_with("einhundert") || words.starts_with("eintausend") {
            all.push(format!("{sign}{}", &words[3..]));
        }
    } else {
        let digits: Vec<&str> =
            decimals.chars().filter_map(|c| c.to_digit(10)).map(|digit| SMALL[digit as usize]).collect();
        all.push(format!("{sign}{words} komma {}", digits.join(" ")));
        if decimals == "5" && sign.is_empty() && (1..20).contains(&whole) {
            let ones = if whole == 1 { "ein" } else { SMALL[whole as usize] };
            all.push(format!("{ones}einhalb"));
        }
    }
    all
}

/// The longest number that `words` begin with, and how many of them it takes.
pub fn number_prefix(words: &[&str]) -> Option<(f64, usize)> {
    if words.first() == Some(&"minus") {
        return number_prefix(&words[1..])
            .filter(|(value, _)| *value >= 0.0)
            .map(|(value, used)| (-value, used + 1));
    }
    if let Some(half) = words.first().and_then(|word| halves(word)) {
        return Some((half, 1));
    }
    let (whole, used) = whole_prefix(words)?;
    if words.get(used) == Some(&"komma") {
        let digits: Vec<u64> = words[used + 1..]
            .iter()
            .map_while(|word| SMALL.iter().position(|name| name == word))
            .map(|digit| digit as u64)
            .take_while(|digit| *digit < 10)
            .collect();
        if !digits.is_empty() {
            let text: String = digits.iter().map(u64::to_string).collect();
            return Some((format!("{whole}.{text}").parse().ok()?, used + 1 + digits.len()));
        }
    }
    Some((whole as f64, used))
}

/// "anderthalb", "zweieinhalb".
fn halves(word: &str) -> Option<f64> {
    if matches!(word, "anderthalb" | "eineinhalb") {
        return Some(1.5);
    }
    let whole = word.strip_suffix("einhalb").and_then(below_hundred_of)?;
    Some(whole as f64 + 0.5)
}

/// The longest whole number that `words` begin with, in words or in digits of one word.
pub fn whole_prefix(words: &[&str]) -> Option<(u64, usize)> {
    let first = words.first()?;
    if !first.is_empty() && first.chars().all(|c| c.is_ascii_digit()) {
        return first.parse().ok().filter(|value| *value <= MAX).map(|value| (value, 1));
    }
    let (mut total, mut used) = (0, 0);
    for (size, names) in [(1_000_000_000, ["milliarde", "milliarden"]), (1_000_000, ["million", "millionen"])]
    {
        if let (Some(count), Some(name)) =
            (words.get(used).and_then(|word| one_word(word)), words.get(used + 1))
            && names.contains(name)
            && count < 1000
        {
            total += count * size;
            used += 2;
        }
    }
    if let Some(rest) = words.get(used).and_then(|word| one_word(word)).filter(|rest| used == 0 || *rest > 0)
    {
        total += rest;
        used += 1;
    }
    (used > 0).then_some((total, used))
}

/// Below a million: one word. Spellings without umlauts and ß are taken too.
fn one_word(word: &str) -> Option<u64> {
    if matches!(word, "ein" | "eine" | "einen" | "einem" | "einer" | "eines") {
        return Some(1);
    }
    let plain = word.replace("fuenf", "fünf").replace("zwoelf", "zwölf").replace("dreissig", "dreißig");
    match plain.split_once("tausend") {
        None => thousand_of(&plain),
        Some((head, rest)) => {
            let head = if head.is_empty() { 1 } else { thousand_of(head).filter(|head| *head > 0)? };
            let rest =
                if rest.is_empty() { 0 } else { thousand_of(rest.strip_prefix("und").unwrap_or(rest))? };
            Some(head * 1000 + rest)
        }
    }
}

fn thousand_of(word: &str) -> Option<u64> {
    match word.split_once("hundert") {
        None => below_hundred_of(word),
        Some((head, rest)) => {
            let head = if head.is_empty() { 1 } else { below_hundred_of(head).filter(|head| *head > 0)? };
            let rest =
                if rest.is_empty() { 0 } else { below_hundred_of(rest.strip_prefix("und").unwrap_or(rest))? };
            Some(head * 100 + rest)
        }
    }
}

fn below_hundred_of(word: &str) -> Option<u64> {
    if matches!(word, "ein") {
        return Some(1);
    }
    if word == "zwo" {
        return Some(2);
    }
    if let Some(small) = SMALL.iter().position(|name| *name == word) {
        return Some(small as u64);
    }
    let ten = |word: &str| TENS.iter().position(|name| *name == word).map(|at| (at as u64 + 2) * 10);
    if let Some(tens) = ten(word) {
        return Some(tens);
    }
    let (ones, tens) = word.split_once("und")?;
    let ones = below_hundred_of(ones).filter(|ones| (1..10).contains(ones))?;
    Some(ten(tens)? + ones)
}

/// The ordinal that `words` begin with: "dritten", "einundzwanzigste".
pub fn ordinal_prefix(words: &[&str]) -> Option<(u64, usize)> {
    let word = *words.first()?;
    let stem = ["en", "er", "es", "em", "e"].iter().find_map(|ending| word.strip_suffix(ending))?;
    let value = match stem {
        "erst" => 1,
        "dritt" => 3,
        "siebt" => 7,
        "acht" => 8,
        _ => {
            let number = stem.strip_suffix("st").or_else(|| stem.strip_suffix('t'))?;
            let value = one_word(number).filter(|value| *value > 0)?;
            let long = stem.ends_with("st") && value >= 20;
            if !long && value >= 20 || value == 1 {
                return None;
            }
            value
        }
    };
    Some((value, 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_as_germans_say_them() {
        for (value, text) in [
            (0, "null"),
            (1, "eins"),
            (16, "sechzehn"),
            (21, "einundzwanzig"),
            (30, "dreißig"),
            (99, "neunundneunzig"),
            (101, "einhunderteins"),
            (2026, "zweitausendsechsundzwanzig"),
            (1_000_021, "eine million einundzwanzig"),
        ] {
            assert_eq!(integer_words(value).join(" "), text);
            let words: Vec<&str> = text.split(' ').collect();
            assert_eq!(whole_prefix(&words), Some((value, words.len())), "{text}");
        }
        for (text, value) in [
            ("hundertfünf", 105.0),
            ("eine", 1.0),
            ("einundzwanzig komma fünf", 21.5),
            ("minus zwei", -2.0),
            ("anderthalb", 1.5),
            ("zweieinhalb", 2.5),
            ("fuenfunddreissig", 35.0),
            ("zwo", 2.0),
            ("42", 42.0),
        ] {
            let words: Vec<&str> = text.split(' ').collect();
            assert_eq!(number_prefix(&words), Some((value, words.len())), "{text}");
        }
        for text in ["lampe", "und", "hundertlampe", "zwanzigund"] {
            assert_eq!(number_prefix(&[text]), None, "{text}");
        }
    }

    #[test]
    fn ordinals() {
        for (text, value) in [
            ("ersten", 1),
            ("zweite", 2),
            ("dritten", 3),
            ("siebten", 7),
            ("achter", 8),
            ("neunzehnten", 19),
            ("zwanzigsten", 20),
            ("einunddreißigste", 31),
        ] {
            assert_eq!(ordinal_prefix(&[text]), Some((value, 1)), "{text}");
        }
        for text in ["zwei", "rote", "minute", "einte", "zwanzigten"] {
            assert_eq!(ordinal_prefix(&[text]), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_number_comes_back_from_its_words(value in 0u64..=MAX) {
            let words = integer_words(value);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            prop_assert_eq!(whole_prefix(&words), Some((value, words.len())), "{:?}", words);
        }

        #[test]
        fn every_spelling_means_the_number(value in -100_000i64..100_000, tenths in 0i64..10) {
            let value = (value * 10 + tenths) as f64 / 10.0;
            for spelling in spellings(value) {
                let words: Vec<&str> = spelling.split(' ').collect();
                prop_assert_eq!(number_prefix(&words), Some((value, words.len())), "{}", spelling);
            }
        }
    }
}

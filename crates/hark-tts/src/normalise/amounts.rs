//! Numbers with what belongs to them: money, units, ordinals, fractions, sizes, years, lists.

use super::numbers::{Number, cardinal, ordinal, whole_words, year};
use super::{At, Said, blank, digits, ends_here, letters};
use crate::language::Language;

/// Endings of English ordinals.
const ORDINAL_ENDINGS: [&str; 4] = ["st", "nd", "rd", "th"];

pub(super) fn read(at: &At<'_>) -> Option<Said> {
    let rest = at.rest();
    if let Some(said) = money_in_front(at) {
        return Some(said);
    }
    if let Some(said) = fraction(at) {
        return Some(said);
    }
    // A sign belongs to the number only behind a space: "3-4" is no negative four.
    let signed = rest.starts_with(['-', '−', '+']);
    if signed && at.before().ends_with(|c: char| !c.is_whitespace() && c != '(') {
        return None;
    }
    let number = Number::read(rest, &at.language.tables.numbers)?;
    let after = &rest[number.bytes..];
    version(at, &number)
        .or_else(|| list_item(at, &number, after))
        .or_else(|| money_behind(at, &number, after))
        .or_else(|| unit(at, &number, after))
        .or_else(|| ordinal_number(at, &number, after))
        .or_else(|| size(at, &number, after))
        .or_else(|| plain(at, &number, after))
}

/// "1.2.3": read dot by dot.
fn version(at: &At<'_>, number: &Number) -> Option<Said> {
    let rest = at.rest();
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let run = rest[..end].trim_end_matches('.');
    let parts: Vec<&str> = run.split('.').collect();
    let grouped = number.bytes == run.len();
    if grouped || number.sign.is_some() || parts.len() < 3 || parts.iter().any(|part| part.is_empty()) {
        return None;
    }
    let words: Vec<String> = parts.iter().map(|part| whole_words(part, at.language)).collect();
    let dot = format!(" {} ", at.language.tables.web.dot);
    Some(Said::new(run.len(), words.join(&dot)))
}

/// "1. Milk" at the start.
fn list_item(at: &At<'_>, number: &Number, after: &str) -> Option<Said> {
    let mark = after.starts_with(". ") || after.starts_with(") ");
    let month = at.language.tables.dates.month(letters(after.get(2..)?)).is_some();
    if !mark || month || !at.before().trim().is_empty() || number.sign.is_some() {
        return None;
    }
    number.integer().filter(|value| *value < 100)?;
    Some(Said::new(number.bytes + 1, number.words(at.language, None) + ","))
}

/// "$5.50", "€ 3,50", "EUR 5".
fn money_in_front(at: &At<'_>) -> Option<Said> {
    let (sign, coin) = currency(at.rest(), at.language)?;
    let gap = blank(&at.rest()[sign..]);
    let after = &at.rest()[sign + gap..];
    let number = Number::read(after, &at.language.tables.numbers).filter(|number| number.sign.is_none())?;
    let (scale, scale_bytes) = scale(&after[number.bytes..], at.language);
    let bytes = sign + gap + number.bytes + scale_bytes;
    Some(Said::new(bytes, money_words(&number, scale, coin, at.language)))
}

/// "3,50 €", "5 EUR".
fn money_behind(at: &At<'_>, number: &Number, after: &str) -> Option<Said> {
    let (scale, scale_bytes) = scale(after, at.language);
    let gap = blank(&after[scale_bytes..]);
    let (sign, coin) = currency(&after[scale_bytes + gap..], at.language)?;
    let bytes = number.bytes + scale_bytes + gap + sign;
    Some(Said::new(bytes, money_words(number, scale, coin, at.language)))
}

/// The sign of a currency at the start of `rest`.
fn currency<'a>(rest: &str, language: &'a Language) -> Option<(usize, &'a [String; 4])> {
    language.tables.currency.iter().find_map(|(sign, coin)| {
        let after = rest.strip_prefix(sign.as_str())?;
        let word = sign.chars().all(char::is_alphabetic);
        (!word || !after.starts_with(char::is_alphabetic)).then_some((sign.len(), coin))
    })
}

/// "million" and the like behind a number, with the space in front.
fn scale<'a>(after: &'a str, language: &Language) -> (Option<&'a str>, usize) {
    let gap = blank(after);
    let word = letters(&after[gap..]);
    let known = gap > 0 && language.tables.numbers.large.iter().flatten().any(|name| name == word);
    if known { (Some(word), gap + word.len()) } else { (None, 0) }
}

fn money_words(number: &Number, scale: Option<&str>, coin: &[String; 4], language: &Language) -> String {
    let [one, many, cent, cents] = coin;
    let german = language.family == super::Family::German;
    let article = german.then_some("ein");
    if let Some(scale) = scale {
        return format!("{} {scale} {many}", number.words(language, None));
    }
    let part: u64 = number.decimals.parse().unwrap_or(0);
    let hundredths = number.decimals.len() == 2 && !cent.is_empty();
    if !number.decimals.is_empty() && !hundredths {
        return format!("{} {many}", number.words(language, None));
    }
    let whole = Number { decimals: String::new(), ..number.clone() };
    let money = format!("{} {}", whole.words(language, article), if whole.is_one() { one } else { many });
    if part == 0 {
        return money;
    }
    let name = if part == 1 { cent } else { cents };
    let small = if part == 1 && german { "ein".into() } else { cardinal(part, language) };
    match (whole.integer() == Some(0), german) {
        (true, _) => format!("{small} {name}"),
        (false, true) => format!("{money} {}", cardinal(part, language)),
        (false, false) => format!("{money} {} {small} {name}", language.tables.numbers.and),
    }
}

/// "21.5 °C", "3 kg".
fn unit(at: &At<'_>, number: &Number, after: &str) -> Option<Said> {
    let gap = blank(after);
    let behind = &after[gap..];
    let (symbol, names) = unit_at(behind, at.language)?;
    let end = &behind[symbol.len()..];
    // "5 A batteries", "the 1990s" and "4K" are no amperes, seconds and kelvins.
    let year = symbol == "s" && gap == 0 && number.whole.len() == 4;
    let article =
        symbol == "A" && !at.is_german() && !letters(end.trim_start()).is_empty() && end.starts_with(' ');
    let name = matches!(symbol, "K" | "A") && gap == 0;
    if year || article || name {
        return None;
    }
    let feminine = names.get(2).is_some_and(|gender| gender == "f");
    let one = at.is_german().then(|| german_one(at, feminine));
    let name = if number.is_one() { &names[0] } else { &names[1] };
    let mut bytes = number.bytes + gap + symbol.len();
    // The stop of "5 min. later" is the abbreviation's.
    let next = end.strip_prefix('.').map(str::trim_start).and_then(|next| next.chars().next());
    let goes_on = next.is_some_and(|c| c.is_lowercase() || ",;:)".contains(c));
    if goes_on && symbol.ends_with(char::is_alphabetic) {
        bytes += 1;
    }
    Some(Said::new(bytes, format!("{} {name}", number.words(at.language, one))))
}

/// The longest unit at the start of `rest` that ends there.
fn unit_at<'a>(rest: &str, language: &'a Language) -> Option<(&'a str, &'a [String])> {
    let fits = |symbol: &str| {
        rest.strip_prefix(symbol).is_some_and(|after| {
            ends_here(after) && !(after.starts_with('/') && after[1..].starts_with(char::is_alphabetic))
        })
    };
    let units = language.tables.units.iter().filter(|(symbol, names)| names.len() >= 2 && fits(symbol));
    let (symbol, names) = units.max_by_key(|(symbol, _)| symbol.len())?;
    Some((symbol, names))
}

/// "3rd"; "im 2. Stock".
fn ordinal_number(at: &At<'_>, number: &Number, after: &str) -> Option<Said> {
    let value = number.integer().filter(|_| number.sign.is_none())?;
    if !at.is_german() {
        let ending = ORDINAL_ENDINGS.into_iter().find(|ending| letters(after) == *ending)?;
        return ends_here(&after[2..])
            .then(|| Said::new(number.bytes + ending.len(), ordinal(value, at.language)));
    }
    let previous = at.word_before();
    let next = after.strip_prefix('.')?.strip_prefix(' ')?;
    let counted = at.language.tables.phrases.ordinal_after.contains(&previous);
    if !counted || !next.starts_with(char::is_alphabetic) || at.before().trim().is_empty() {
        return None;
    }
    Some(Said::new(number.bytes + 1, german_ordinal(value, &previous, at.language)))
}

/// A German ordinal with the ending that the word in front asks for.
pub(super) fn german_ordinal(value: u64, previous: &str, language: &Language) -> String {
    let word = ordinal(value, language);
    let dates = &language.tables.dates;
    if dates.day_dative_after.iter().any(|other| other == previous) {
        word + "n"
    } else if dates.day_definite_after.iter().any(|other| other == previous) {
        word
    } else {
        word + "r"
    }
}

/// "1920x1080", "3 x 4".
fn size(at: &At<'_>, number: &Number, after: &str) -> Option<Said> {
    let gap = blank(after);
    let cross = after[gap..].chars().next().filter(|c| matches!(c, 'x' | '×'))?;
    let behind = &after[gap + cross.len_utf8()..];
    let second_gap = blank(behind);
    let second = digits(&behind[second_gap..]);
    if (gap > 0) != (second_gap > 0) || second.is_empty() {
        return None;
    }
    let mut words = format!("{} {}", number.words(at.language, None), at.language.tables.numbers.times);
    let mut bytes = number.bytes + gap + cross.len_utf8() + second_gap;
    if gap == 0 {
        // Nothing would take the second number for one behind a letter.
        words = format!("{words} {}", whole_words(second, at.language));
        bytes += second.len();
    }
    Some(Said::new(bytes, words))
}

/// "3/4", "½", "2½".
fn fraction(at: &At<'_>) -> Option<Said> {
    let table = &at.language.tables.numbers;
    let rest = at.rest();
    if let Some((written, words)) = table.fractions.iter().find(|(written, _)| {
        rest.strip_prefix(written.as_str()).is_some_and(|after| ends_here(after) && !after.starts_with('/'))
    }) {
        // "1 1/2" is one and one half.
        let and = at.before().trim_end().ends_with(|c: char| c.is_ascii_digit());
        let words = if and { format!("{} {words}", table.and) } else { words.clone() };
        return Some(Said::new(written.len(), words));
    }
    let above = digits(rest);
    let below = digits(rest[above.len()..].strip_prefix('/')?);
    let end = above.len() + 1 + below.len();
    if above.is_empty() || below.is_empty() || !ends_here(&rest[end..]) || rest[end..].starts_with('/') {
        return None;
    }
    let words =
        format!("{} {} {}", whole_words(above, at.language), table.over, whole_words(below, at.language));
    Some(Said::new(end, words))
}

/// A number on its own.
fn plain(at: &At<'_>, number: &Number, after: &str) -> Option<Said> {
    let years = &at.language.tables.numbers.year_after;
    let four = number
        .integer()
        .filter(|value| number.sign.is_none() && number.bytes == 4 && (1100..2100).contains(value));
    if let Some(value) = four {
        if after.strip_prefix('s').is_some_and(ends_here) && !at.is_german() {
            return Some(Said::new(5, plural(&year(value, at.language))));
        }
        if years.contains(&at.word_before()) && ends_here(after) {
            return Some(Said::new(4, year(value, at.language)));
        }
    }
    // "2nd", "4K" and "3D" are names that begin with a digit; the number and the name are said apart.
    let noun = letters(&after[blank(after)..]);
    let counted = at.is_german() && blank(after) > 0 && noun.starts_with(char::is_uppercase);
    let one = counted.then(|| german_one(at, is_feminine(noun)));
    Some(Said::new(number.bytes, number.words(at.language, one)))
}

/// "nineteen nineties".
fn plural(words: &str) -> String {
    match words.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{words}s"),
    }
}

/// How one of something is called in German, by its gender and the word in front.
fn german_one(at: &At<'_>, feminine: bool) -> &'static str {
    let dative = at.language.tables.dates.one_dative_after.contains(&at.word_before());
    match (feminine, dative) {
        (true, true) => "einer",
        (true, false) => "eine",
        (false, true) => "einem",
        (false, false) => "ein",
    }
}

/// A guess by the ending of a German noun.
fn is_feminine(noun: &str) -> bool {
    const ENDINGS: [&str; 7] = ["e", "ung", "heit", "keit", "ion", "tür", "schaft"];
    ENDINGS.iter().any(|ending| noun.to_lowercase().ends_with(ending))
}

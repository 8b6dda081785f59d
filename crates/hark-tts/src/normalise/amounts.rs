//! Numbers with what belongs to them: money, units, ordinals, fractions, sizes, years, lists.

use super::numbers::{Number, cardinal, counted, ordinal, whole_words, year};
use super::units::unit_at;
use super::{At, Said, blank, digits, ends_here, fractions, letters, ordinal_mark};
use crate::language::Language;
use hark_language::speech::{Coin, Decades, Noun};

/// Behind words that ask for it, so many digits and more are said one by one.
const SPELLED_DIGITS: usize = 3;

/// A noun that is counted is looked for among so many words.
const WORDS_TO_NOUN: usize = 3;

pub(super) fn read(at: &At<'_>) -> Option<Said> {
    let rest = at.rest();
    if let Some(said) = money_in_front(at) {
        return Some(said);
    }
    if let Some(said) = fractions::read(at) {
        return Some(said);
    }
    // A sign belongs to the number only behind a space: "3-4" is no negative four.
    let signed = rest.starts_with(['-', '−', '+']);
    if signed && at.before().ends_with(|c: char| !c.is_whitespace() && c != '(') {
        return None;
    }
    let number = Number::read(rest, at.language)?;
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
    let dot = format!(" {} ", at.language.speech.web.dot.text());
    Some(Said::new(run.len(), words.join(&dot)))
}

/// "1. Milk" at the start.
fn list_item(at: &At<'_>, number: &Number, after: &str) -> Option<Said> {
    let mark = after.starts_with(". ") || after.starts_with(") ");
    let month = at.language.speech.dates.month(letters(after.get(2..)?)).is_some();
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
    let number = Number::read(after, at.language).filter(|number| number.sign.is_none())?;
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
fn currency(rest: &str, language: Language) -> Option<(usize, Coin)> {
    language.speech.money.coins.iter().find_map(|(sign, coin)| {
        let after = rest.strip_prefix(sign)?;
        let word = sign.chars().all(char::is_alphabetic);
        (!word || !after.starts_with(char::is_alphabetic)).then_some((sign.len(), *coin))
    })
}

/// "million" and the like behind a number, with the space in front, or "m" right behind it.
fn scale(after: &str, language: Language) -> (Option<&str>, usize) {
    let gap = blank(after);
    let word = letters(&after[gap..]);
    if let Some(scale) = language.speech.money.scales.get(word).filter(|_| gap == 0) {
        return (Some(scale.text()), word.len());
    }
    let lower = word.to_lowercase();
    let mut names = language.numbers.scales.iter().filter(|scale| scale.size >= 1000);
    let known = gap > 0 && names.any(|scale| scale.many.contains(lower.as_str()));
    if known { (Some(word), gap + word.len()) } else { (None, 0) }
}

fn money_words(number: &Number, scale: Option<&str>, coin: Coin, language: Language) -> String {
    let Noun { one, many, gender } = coin.whole;
    if let Some(scale) = scale {
        return format!("{} {scale} {many}", number.words(language, None));
    }
    let part: u64 = number.decimals.parse().unwrap_or(0);
    let hundredth = coin.hundredth.filter(|_| number.decimals.len() == 2);
    if !number.decimals.is_empty() && hundredth.is_none() {
        return format!("{} {many}", number.words(language, None));
    }
    let whole = Number { decimals: String::new(), ..number.clone() };
    let lone = language.speech.one.said(gender, "");
    let money = format!("{} {}", whole.words(language, lone), if whole.is_one() { one } else { many });
    let Some(hundredth) = hundredth.filter(|_| part > 0) else { return money };
    let name = if part == 1 { hundredth.one } else { hundredth.many };
    let small = counted(part, hundredth.gender, language);
    match (whole.integer() == Some(0), language.speech.money.names_hundredths) {
        (true, _) => format!("{small} {name}"),
        (false, true) => format!("{money} {} {small} {name}", language.numbers.and.text()),
        (false, false) => format!("{money} {}", cardinal(part, language)),
    }
}

/// "21.5 °C", "3 kg".
fn unit(at: &At<'_>, number: &Number, after: &str) -> Option<Said> {
    let gap = blank(after);
    let behind = &after[gap..];
    let (symbol, noun) = unit_at(behind, at.language)?;
    let end = &behind[symbol.len()..];
    // "5 A batteries", "the 1990s" and "4K" are no amperes, seconds and kelvins.
    let year = symbol == "s" && gap == 0 && number.whole.len() == 4;
    let word = at.language.speech.ambiguous_units.contains(symbol)
        && end.starts_with(' ')
        && end.trim_start().starts_with(char::is_alphanumeric);
    let name = matches!(symbol, "K" | "A") && gap == 0;
    if year || word || name {
        return None;
    }
    let one = at.language.speech.one.said(noun.gender, &at.word_before());
    let name = if number.is_one() { noun.one } else { noun.many };
    let mut bytes = number.bytes + gap + symbol.len();
    // The stop of "5 min. later" is the abbreviation's.
    let next = end.strip_prefix('.').map(str::trim_start).and_then(|next| next.chars().next());
    let goes_on = next.is_some_and(|c| c.is_lowercase() || c.is_ascii_digit() || ",;:)".contains(c));
    if goes_on && symbol.ends_with(char::is_alphabetic) {
        bytes += 1;
    }
    Some(Said::new(bytes, format!("{} {name}", number.words(at.language, one))))
}

/// "3rd"; "im 2. Stock".
fn ordinal_number(at: &At<'_>, number: &Number, after: &str) -> Option<Said> {
    let value = number.integer().filter(|_| number.sign.is_none())?;
    let ordinals = &at.language.speech.ordinals;
    let previous = at.word_before();
    let mark = if ordinals.stop {
        let next = after.strip_prefix('.')?.strip_prefix(' ')?;
        let counted = ordinals.after.contains(previous.as_str());
        if !counted || !next.starts_with(char::is_alphabetic) || at.before().trim().is_empty() {
            return None;
        }
        1
    } else {
        ordinal_mark(after, at.language).filter(|mark| ends_here(&after[*mark..]))?
    };
    Some(Said::new(number.bytes + mark, ordinal(value, &previous, at.language)))
}

/// "1920x1080", "3 x 4".
fn size(at: &At<'_>, number: &Number, after: &str) -> Option<Said> {
    let gap = blank(after);
    let cross = after[gap..].chars().next().filter(|c| matches!(c, 'x' | '×'))?;
    let behind = &after[gap + cross.len_utf8()..];
    let second_gap = blank(behind);
    let second = digits(&behind[second_gap..]);
    let is_sum = behind[second_gap + second.len()..].trim_start().starts_with('=');
    if (gap > 0) != (second_gap > 0) || second.is_empty() || is_sum {
        return None;
    }
    let mut words =
        format!("{} {}", number.words(at.language, None), at.language.speech.numbers.times.text());
    let mut bytes = number.bytes + gap + cross.len_utf8() + second_gap;
    if gap == 0 {
        // Nothing would take the second number for one behind a letter.
        words = format!("{words} {}", whole_words(second, at.language));
        bytes += second.len();
    }
    Some(Said::new(bytes, words))
}

/// A number on its own.
fn plain(at: &At<'_>, number: &Number, after: &str) -> Option<Said> {
    let written = &at.language.speech.numbers;
    let four = number
        .integer()
        .filter(|value| number.sign.is_none() && number.bytes == 4 && (1100..2100).contains(value));
    if let Some(value) = four {
        let decade = written.decades.as_ref().filter(|decades| {
            after.strip_prefix(decades.mark.text()).is_some_and(ends_here) && !decades.mark.is_empty()
        });
        if let Some(decades) = decade {
            return Some(Said::new(4 + decades.mark.len(), decade_words(year(value, at.language), decades)));
        }
        if written.year_after.contains(at.word_before().as_str()) && ends_here(after) {
            return Some(Said::new(4, year(value, at.language)));
        }
    }
    let is_spelled = number.bytes >= SPELLED_DIGITS && number.bytes == number.whole.len();
    if is_spelled && written.spelled_after.contains(at.word_before().as_str()) && ends_here(after) {
        return Some(Said::new(number.bytes, at.language.numbers.digit_words(&number.whole)));
    }
    // "2nd", "4K" and "3D" are names that begin with a digit; the number and the name are said apart.
    let one = &at.language.speech.one;
    // "1 neue Nachricht": the noun may stand behind words without a capital.
    let noun = after.split_whitespace().take(WORDS_TO_NOUN).map(letters);
    let noun = noun.take_while(|word| !word.is_empty()).find(|word| word.starts_with(char::is_uppercase));
    let noun = noun.unwrap_or_default();
    let counted = one.capitalised_nouns && blank(after) > 0 && !noun.is_empty();
    let lone = if counted { one.said(one.gender_of(noun), &at.word_before()) } else { None };
    Some(Said::new(number.bytes, number.words(at.language, lone)))
}

/// "nineteen nineties".
fn decade_words(year: String, decades: &Decades) -> String {
    let mut endings = decades.endings.iter();
    let plural =
        endings.find_map(|(from, to)| Some(format!("{}{}", year.strip_suffix(from.text())?, to.text())));
    plural.unwrap_or(year)
}

//! Numbers: read from digits, said as words.

use super::digits;
use crate::language::{Family, Language, NumberTable};

/// Longer numbers are said digit by digit.
const MAX_DIGITS: usize = 15;

/// A number as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    /// `-` or `+` in front.
    pub(super) sign: Option<char>,
    /// Digits without grouping.
    pub(super) whole: String,
    /// Digits behind the point; empty when there is none.
    pub(super) decimals: String,
    /// How much of the text it is.
    pub(super) bytes: usize,
}

impl Number {
    /// Reads a number at the start of `rest`: sign, groups of three, decimals.
    pub(super) fn read(rest: &str, table: &NumberTable) -> Option<Self> {
        let (sign, sign_bytes) = match rest.chars().next()? {
            minus @ ('-' | '−') => (Some('-'), minus.len_utf8()),
            '+' => (Some('+'), 1),
            _ => (None, 0),
        };
        let first = digits(&rest[sign_bytes..]);
        if first.is_empty() {
            return None;
        }
        let (mut whole, mut bytes) = (first.to_owned(), sign_bytes + first.len());
        while let Some(group) = group(&rest[bytes..], table.grouping).filter(|_| first.len() <= 3) {
            whole.push_str(group);
            bytes += 4;
        }
        let grouped = bytes > sign_bytes + first.len();
        let decimals = decimals(&rest[bytes..], table.decimal, grouped);
        bytes += if decimals.is_empty() { 0 } else { decimals.len() + 1 };
        Some(Self { sign, whole, decimals: decimals.to_owned(), bytes })
    }

    /// Whether it is exactly one.
    pub(super) fn is_one(&self) -> bool {
        self.whole == "1" && self.decimals.is_empty()
    }

    /// The whole part, when it has a sensible size and the number no decimals.
    pub(super) fn integer(&self) -> Option<u64> {
        if self.decimals.is_empty() && self.whole.len() <= MAX_DIGITS {
            self.whole.parse().ok()
        } else {
            None
        }
    }

    /// Its words; `one` is what a lone one is called ("ein", "eine"), where that matters.
    pub(super) fn words(&self, language: &Language, one: Option<&str>) -> String {
        let table = &language.tables.numbers;
        let mut words = match self.sign {
            Some('-') => format!("{} ", table.minus),
            Some(_) => format!("{} ", table.plus),
            None => String::new(),
        };
        match one.filter(|_| self.is_one()) {
            Some(one) => words.push_str(one),
            None => words.push_str(&whole_words(&self.whole, language)),
        }
        if !self.decimals.is_empty() {
            words.push_str(&format!(" {} {}", table.point, digit_words(&self.decimals, language)));
        }
        words
    }
}

/// ",234" where the groups are written with `,`, and not "1,2345".
fn group(rest: &str, grouping: char) -> Option<&str> {
    let group = digits(rest.strip_prefix(grouping)?);
    (group.len() == 3).then_some(group)
}

/// The digits behind a point. The other language's point counts too (devices write "21.5") as long as
/// it cannot be a group.
fn decimals(rest: &str, point: char, grouped: bool) -> &str {
    let behind = |mark: char| rest.strip_prefix(mark).map_or("", digits);
    let own = behind(point);
    let all = if own.is_empty() && point == ',' && !grouped { behind('.') } else { own };
    let after = &rest[if all.is_empty() { 0 } else { 1 + all.len() }..];
    // "1.2.3" is no decimal.
    let chained = after.starts_with('.') && !digits(&after[1..]).is_empty();
    if chained { "" } else { all }
}

/// A run of digits as a number, or digit by digit when it is very long or begins with a zero.
pub(super) fn whole_words(whole: &str, language: &Language) -> String {
    let spelled = whole.len() > MAX_DIGITS || (whole.len() > 1 && whole.starts_with('0'));
    match whole.parse() {
        Ok(value) if !spelled => cardinal(value, language),
        _ => digit_words(whole, language),
    }
}

/// Digits one by one.
pub(super) fn digit_words(digits: &str, language: &Language) -> String {
    let small = &language.tables.numbers.small;
    let words =
        digits.chars().filter_map(|digit| digit.to_digit(10)).map(|digit| small[digit as usize].as_str());
    words.collect::<Vec<_>>().join(" ")
}

/// A whole number: "one hundred and five", "einhundertfünf". At most 15 digits.
pub(super) fn cardinal(value: u64, language: &Language) -> String {
    let table = &language.tables.numbers;
    if value == 0 {
        return table.small[0].clone();
    }
    match language.family {
        Family::English => english(value, table),
        Family::German => german(value, table),
    }
}

fn english(value: u64, table: &NumberTable) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut rest = value;
    for (power, [name, _]) in table.large.iter().enumerate().rev() {
        let size = 1000_u64.pow(power as u32 + 1);
        if rest >= size {
            words.push(english_hundreds(rest / size, table));
            words.push(name.clone());
            rest %= size;
        }
    }
    if rest > 0 {
        if !words.is_empty() && rest < 100 {
            words.push(table.and.clone());
        }
        words.push(english_hundreds(rest, table));
    }
    words.join(" ")
}

fn english_hundreds(value: u64, table: &NumberTable) -> String {
    let mut words = Vec::new();
    if value >= 100 {
        words.extend([small(value / 100, table), &table.hundred]);
        words.extend((!value.is_multiple_of(100)).then_some(table.and.as_str()));
    }
    let rest = value % 100;
    if rest >= 20 {
        words.push(&table.tens[(rest / 10 - 2) as usize]);
        words.extend((!rest.is_multiple_of(10)).then(|| small(rest % 10, table)));
    } else if rest > 0 {
        words.push(small(rest, table));
    }
    words.join(" ")
}

fn small(value: u64, table: &NumberTable) -> &str {
    &table.small[(value % 20) as usize]
}

fn german(value: u64, table: &NumberTable) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut rest = value;
    for (power, [one, many]) in table.large.iter().enumerate().skip(1).rev() {
        let size = 1000_u64.pow(power as u32 + 1);
        match rest / size {
            0 => {}
            1 => words.extend(["eine".into(), one.clone()]),
            count => words.extend([german_hundreds(count, false, table), many.clone()]),
        }
        rest %= size;
    }
    let mut tail = String::new();
    if rest >= 1000 {
        tail = german_hundreds(rest / 1000, false, table) + &table.large[0][0];
    }
    tail.push_str(&german_hundreds(rest % 1000, true, table));
    if !tail.is_empty() {
        words.push(tail);
    }
    words.join(" ")
}

/// Below a thousand; a one at the end is "eins" only when nothing follows in the word.
fn german_hundreds(value: u64, last: bool, table: &NumberTable) -> String {
    // "eins" loses its "s" in front of anything.
    let within = |value: u64| small(value, table).trim_end_matches(if value == 1 { 's' } else { '\0' });
    let mut word = String::new();
    if value >= 100 {
        word.push_str(within(value / 100));
        word.push_str(&table.hundred);
    }
    let rest = value % 100;
    if rest >= 20 {
        if !rest.is_multiple_of(10) {
            word.push_str(within(rest % 10));
            word.push_str(&table.and);
        }
        word.push_str(&table.tens[(rest / 10 - 2) as usize]);
    } else if rest > 0 {
        word.push_str(if last { small(rest, table) } else { within(rest) });
    }
    word
}

/// "twenty first"; German with the ending of a definite article, "einundzwanzigste".
pub(super) fn ordinal(value: u64, language: &Language) -> String {
    let table = &language.tables.numbers;
    let words = cardinal(value, language);
    if language.family == Family::English {
        let (head, last) = words.rsplit_once(' ').map_or(("", words.as_str()), |(head, last)| (head, last));
        let last = table.ordinals.get(last).cloned().unwrap_or_else(|| match last.strip_suffix('y') {
            Some(stem) => format!("{stem}ieth"),
            None => format!("{last}th"),
        });
        return format!("{head} {last}").trim().to_owned();
    }
    let below = value % 100;
    if !(1..20).contains(&below) {
        return words + "ste";
    }
    let last = small(below, table);
    let stem = words.strip_suffix(last).unwrap_or(&words);
    let ending = table.ordinals.get(last).cloned().unwrap_or_else(|| format!("{last}te"));
    format!("{stem}{ending}")
}

/// A year: "twenty twenty six", "neunzehnhundertneunundneunzig".
pub(super) fn year(value: u64, language: &Language) -> String {
    let (century, rest) = (value / 100, value % 100);
    let paired = (11..100).contains(&century) && century % 10 != 0 || (century == 20 && rest >= 10);
    let table = &language.tables.numbers;
    match language.family {
        Family::German if (11..20).contains(&century) => {
            let tail = if rest == 0 { String::new() } else { cardinal(rest, language) };
            format!("{}{}{tail}", cardinal(century, language), table.hundred)
        }
        Family::English if paired => {
            let tail = match rest {
                0 => table.hundred.clone(),
                1..10 => format!("oh {}", cardinal(rest, language)),
                _ => cardinal(rest, language),
            };
            format!("{} {tail}", cardinal(century, language))
        }
        _ => cardinal(value, language),
    }
}

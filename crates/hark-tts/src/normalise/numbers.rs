//! Numbers: read from digits, said as words.

use super::digits;
use crate::language::Language;
use hark_language::numbers::MAX;
use hark_language::speech::YearStyle;

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
    pub(super) fn read(rest: &str, language: Language) -> Option<Self> {
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
        let grouping = language.speech.numbers.grouping.filter(|_| first.len() <= 3);
        while let Some((sign, group)) = grouping.and_then(|sign| Some((sign, group(&rest[bytes..], sign)?))) {
            whole.push_str(group);
            bytes += sign.len_utf8() + group.len();
        }
        let grouped = bytes > sign_bytes + first.len();
        let decimals = decimals(&rest[bytes..], language.numbers.decimal_sign(), grouped);
        bytes += if decimals.is_empty() { 0 } else { decimals.len() + 1 };
        Some(Self { sign, whole, decimals: decimals.to_owned(), bytes })
    }

    /// Whether it is exactly one.
    pub(super) fn is_one(&self) -> bool {
        self.whole == "1" && self.decimals.is_empty()
    }

    /// The whole part, when it has a sensible size and the number no decimals.
    pub(super) fn integer(&self) -> Option<u64> {
        if self.decimals.is_empty() { self.whole.parse().ok().filter(|value| *value <= MAX) } else { None }
    }

    /// Its words; `one` is what a lone one is called ("ein", "eine"), where that matters.
    pub(super) fn words(&self, language: Language, one: Option<&str>) -> String {
        let mut words = match self.sign {
            Some('-') => format!("{} ", language.numbers.minus.text()),
            Some(_) => format!("{} ", language.speech.numbers.plus.text()),
            None => String::new(),
        };
        match one.filter(|_| self.is_one()) {
            Some(one) => words.push_str(one),
            None => words.push_str(&whole_words(&self.whole, language)),
        }
        if !self.decimals.is_empty() {
            let point = capitals(language.numbers.point.text(), language);
            words.push_str(&format!(" {point} {}", language.numbers.digit_words(&self.decimals)));
        }
        words.trim_start().to_owned()
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
pub(super) fn whole_words(whole: &str, language: Language) -> String {
    let spelled = whole.len() > 1 && whole.starts_with('0');
    match whole.parse() {
        Ok(value @ 0..=MAX) if !spelled => cardinal(value, language),
        _ => language.numbers.digit_words(whole),
    }
}

/// A whole number: "one hundred and five", "einhundertfünf". At most [`MAX`].
pub(super) fn cardinal(value: u64, language: Language) -> String {
    let words = language.numbers.integer_words(value);
    if !language.speech.numbers.without_and {
        return capitals(&words, language);
    }
    let and = language.numbers.and.text();
    capitals(&words.split(' ').filter(|word| *word != and).collect::<Vec<_>>().join(" "), language)
}

/// Words of numbers, those with a capital that are written with one.
fn capitals(words: &str, language: Language) -> String {
    let noun = |word: &str| language.speech.numbers.nouns.iter().find(|noun| noun.to_lowercase() == word);
    let words: Vec<&str> = words.split(' ').map(|word| noun(word).map_or(word, |noun| *noun)).collect();
    words.join(" ")
}

/// One of something, as it is counted, or any other number.
pub(super) fn counted(value: u64, gender: Option<&str>, language: Language) -> String {
    let one = language.speech.one.said(gender, "").filter(|_| value == 1);
    one.map_or_else(|| cardinal(value, language), str::to_owned)
}

/// "twenty first", "einundzwanzigste": with the ending that the word in front (lower case) asks for.
pub(super) fn ordinal(value: u64, before: &str, language: Language) -> String {
    let ending = language.speech.ordinals.ending_after(before);
    format!("{}{ending}", ordinal_stem(value, language))
}

fn ordinal_stem(value: u64, language: Language) -> String {
    let numbers = language.numbers;
    let (hundreds, below) = (value - value % 100, (value % 100) as usize);
    let Some(last) = below.checked_sub(1).and_then(|at| numbers.ordinals.get(at)) else {
        // What the ordinal of the hundred adds to the hundred, all other full numbers add as well.
        let hundred = numbers.scales.first().and_then(|scale| scale.many.first());
        let ending = hundred.and_then(|hundred| numbers.hundredth.strip_prefix(hundred));
        return cardinal(value, language) + ending.unwrap_or_default();
    };
    if hundreds == 0 {
        return (*last).to_owned();
    }
    let has_and = numbers.say_and && !language.speech.numbers.without_and;
    let and = if has_and { format!("{} ", numbers.and.text()) } else { String::new() };
    // Only below a million a number is one word.
    let joined = numbers.compound && !hundreds.is_multiple_of(1_000_000);
    format!("{}{}{and}{last}", cardinal(hundreds, language), if joined { "" } else { " " })
}

/// A year: "twenty twenty six", "neunzehnhundertneunundneunzig".
pub(super) fn year(value: u64, language: Language) -> String {
    let (century, rest) = (value / 100, value % 100);
    let hundred = language.numbers.scales.first().and_then(|scale| scale.many.first()).copied();
    let paired = (11..100).contains(&century) && century % 10 != 0 || (century == 20 && rest >= 10);
    match (language.speech.numbers.years, hundred) {
        (YearStyle::Hundreds, Some(hundred)) if (11..20).contains(&century) => {
            let space = if language.numbers.compound { "" } else { " " };
            let tail = if rest == 0 { String::new() } else { format!("{space}{}", cardinal(rest, language)) };
            format!("{}{space}{hundred}{tail}", cardinal(century, language))
        }
        (YearStyle::Pairs, Some(hundred)) if paired => {
            let tail = match rest {
                0 => hundred.to_owned(),
                1..10 => minute(rest, language),
                _ => cardinal(rest, language),
            };
            format!("{} {tail}", cardinal(century, language))
        }
        _ => cardinal(value, language),
    }
}

/// Two digits of a year or the minutes of a time: "oh five" where the zero is said.
pub(super) fn minute(value: u64, language: Language) -> String {
    let zero = language.numbers.oh.filter(|_| value < 10).map(|zero| format!("{} ", zero.text()));
    zero.unwrap_or_default() + &cardinal(value, language)
}

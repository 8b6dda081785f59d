//! From written text to spoken words: lower case, no punctuation, numbers and signs as words.
//!
//! Typed requests, recognised speech, templates and the names of the home all pass through here, so
//! that "Turn the lamp to 20%!" and "turn the lamp to twenty percent" are the same words.

use super::numbers;

/// A spoken word and the part of the written text it comes from; several words may share a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Lower-case word.
    pub word: String,
    /// First byte of its part.
    pub start: usize,
    /// Byte after its part.
    pub end: usize,
}

/// Contractions that are often typed without their apostrophe.
const CONTRACTIONS: [(&str, &str); 9] = [
    ("whats", "what's"),
    ("wheres", "where's"),
    ("hows", "how's"),
    ("whos", "who's"),
    ("thats", "that's"),
    ("dont", "don't"),
    ("im", "i'm"),
    ("ok", "okay"),
    ("wont", "won't"),
];

/// Units that are spoken in full when they follow a number in digits: "1h 30m", "20 C".
const UNITS: [(&str, &str); 14] = [
    ("h", "hours"),
    ("hr", "hours"),
    ("hrs", "hours"),
    ("m", "minutes"),
    ("min", "minutes"),
    ("mins", "minutes"),
    ("s", "seconds"),
    ("sec", "seconds"),
    ("secs", "seconds"),
    ("c", "celsius"),
    ("f", "fahrenheit"),
    ("k", "kelvin"),
    ("w", "watts"),
    ("pct", "percent"),
];

/// The spoken words of `text`.
pub fn words(text: &str) -> Vec<String> {
    tokenise(text).into_iter().map(|token| token.word).collect()
}

/// The spoken words of `text`, each with the bytes it comes from.
pub fn tokenise(text: &str) -> Vec<Token> {
    // An accent that stands on no letter is nothing that can be said.
    let mut on_letter = false;
    let sayable = text.char_indices().filter(|(_, c)| {
        let accent = ('\u{300}'..='\u{36f}').contains(c);
        let keep = !accent || on_letter;
        on_letter = c.is_alphabetic() || accent && on_letter;
        keep
    });
    let mut scanner = Scanner { text, chars: sayable.collect(), at: 0, tokens: Vec::new() };
    while scanner.at < scanner.chars.len() {
        scanner.step();
    }
    scanner.tokens
}

struct Scanner<'t> {
    text: &'t str,
    chars: Vec<(usize, char)>,
    at: usize,
    tokens: Vec<Token>,
}

impl Scanner<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).map(|(_, c)| *c)
    }

    fn byte(&self, at: usize) -> usize {
        self.chars.get(at).map_or(self.text.len(), |(byte, _)| *byte)
    }

    fn push(&mut self, from: usize, words: impl IntoIterator<Item = impl Into<String>>) {
        let (start, end) = (self.byte(from), self.byte(self.at));
        self.tokens.extend(words.into_iter().map(|word| Token { word: word.into(), start, end }));
    }

    fn step(&mut self) {
        let Some(c) = self.peek(0) else { return };
        let from = self.at;
        if c.is_ascii_digit() {
            return self.number(from);
        }
        if c.is_alphabetic() || is_mark(c) {
            return self.word(from);
        }
        let boundary = from == 0 || self.chars[from - 1].1.is_whitespace();
        self.at += 1;
        match c {
            '-' | '−' if boundary && self.peek(0).is_some_and(|next| next.is_ascii_digit()) => {
                self.push(from, ["minus"]);
            }
            '%' => self.push(from, ["percent"]),
            '&' => self.push(from, ["and"]),
            '½' => self.half(from),
            '℃' => self.push(from, ["degrees", "celsius"]),
            '℉' => self.push(from, ["degrees", "fahrenheit"]),
            '°' => self.degrees(from),
            _ => {}
        }
    }

    fn half(&mut self, from: usize) {
        if from > 0 && self.chars[from - 1].1.is_ascii_digit() {
            self.push(from, ["and", "a", "half"]);
        } else {
            self.push(from, ["half"]);
        }
    }

    fn degrees(&mut self, from: usize) {
        let alone = !self.peek(1).is_some_and(char::is_alphabetic);
        let unit = match self.peek(0) {
            Some('c' | 'C') if alone => Some("celsius"),
            Some('f' | 'F') if alone => Some("fahrenheit"),
            _ => None,
        };
        self.at += usize::from(unit.is_some());
        self.push(from, std::iter::once("degrees").chain(unit));
    }

    fn word(&mut self, from: usize) {
        while let Some(c) = self.peek(0) {
            let inner = is_apostrophe(c) && self.peek(1).is_some_and(char::is_alphabetic);
            if !(c.is_alphabetic() || is_mark(c) || inner) {
                break;
            }
            self.at += 1;
        }
        let mut word = String::new();
        for (_, c) in &self.chars[from..self.at] {
            if is_apostrophe(*c) {
                word.push('\'');
            } else if is_mark(*c) {
                compose(&mut word, *c);
            } else {
                word.extend(c.to_lowercase());
            }
        }
        let digits_before = self.tokens.last().is_some_and(|last| {
            last.end <= self.byte(from)
                && self.text[last.end..self.byte(from)].trim().is_empty()
                && self.text[..last.end].ends_with(|c: char| c.is_ascii_digit())
        });
        let table: &[(&str, &str)] = if digits_before { &UNITS } else { &CONTRACTIONS };
        let known = table.iter().find(|(typed, _)| *typed == word);
        self.push(from, [known.map_or(word.as_str(), |(_, full)| full).to_owned()]);
    }

    fn digits(&mut self) -> String {
        let mut digits = String::new();
        while let Some(c) = self.peek(0) {
            if !c.is_ascii_digit() {
                // "1,000": a comma between groups of three.
                let group = (1..=3).all(|ahead| self.peek(ahead).is_some_and(|d| d.is_ascii_digit()))
                    && !self.peek(4).is_some_and(|d| d.is_ascii_digit());
                if c == ',' && group && digits.len() <= 3 * digits.len().div_ceil(3) && digits != "0" {
                    self.at += 1;
                    continue;
                }
                break;
            }
            digits.push(c);
            self.at += 1;
        }
        digits
    }

    fn number(&mut self, from: usize) {
        let digits = self.digits();
        let next = self.peek(0);
        let digit_follows = self.peek(1).is_some_and(|c| c.is_ascii_digit());
        if let Some(words) = self.ordinal(&digits) {
            self.push(from, words);
        } else if matches!(next, Some('.' | ',')) && digit_follows {
            self.at += 1;
            let decimals: String = std::iter::from_fn(|| self.next_digit()).collect();
            let words = whole_words(&digits).into_iter().chain(numbers::decimal_words(&decimals));
            self.push(from, words.collect::<Vec<_>>());
        } else if next == Some(':') && digit_follows {
            self.at += 1;
            let minutes: String = std::iter::from_fn(|| self.next_digit()).collect();
            let mut words = whole_words(&digits);
            match minutes.as_bytes() {
                [b'0', b'0'] => {}
                [b'0', _] => words.extend(["oh"].into_iter().chain(numbers::digit_words(&minutes[1..]))),
                _ => words.extend(whole_words(&minutes)),
            }
            self.push(from, words);
        } else if next == Some('/') && digit_follows {
            self.at += 1;
            let below: String = std::iter::from_fn(|| self.next_digit()).collect();
            match (digits.as_str(), below.as_str()) {
                ("1", "2") => self.push(from, ["half"]),
                ("1", "4") => self.push(from, ["a", "quarter"]),
                ("3", "4") => self.push(from, ["three", "quarters"]),
                _ => self.push(from, [whole_words(&digits), vec!["over"], whole_words(&below)].concat()),
            }
        } else {
            self.push(from, whole_words(&digits));
        }
    }

    fn next_digit(&mut self) -> Option<char> {
        let digit = self.peek(0).filter(char::is_ascii_digit)?;
        self.at += 1;
        Some(digit)
    }

    fn ordinal(&mut self, digits: &str) -> Option<Vec<&'static str>> {
        let suffix: String = (0..2).filter_map(|ahead| self.peek(ahead)).collect::<String>().to_lowercase();
        let ends = matches!(suffix.as_str(), "st" | "nd" | "rd" | "th")
            && !self.peek(2).is_some_and(char::is_alphanumeric);
        let words = numbers::ordinal_words(digits.parse().ok()?).filter(|_| ends)?;
        self.at += 2;
        Some(words)
    }
}

/// "twenty" for `20`; digit by digit with a leading zero or when too long for a number.
fn whole_words(digits: &str) -> Vec<&'static str> {
    match digits.parse::<u64>() {
        Ok(value) if value <= numbers::MAX && (digits.len() == 1 || !digits.starts_with('0')) => {
            numbers::integer_words(value)
        }
        _ => numbers::digit_words(digits),
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | 'ʼ' | '‘' | '`')
}

/// A combining mark that follows the letter it belongs to.
fn is_mark(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// Joins a combining mark to the letter before it where Latin has the joined letter; else drops it.
fn compose(word: &mut String, mark: char) {
    const JOINED: [(char, &str, &str); 8] = [
        ('\u{300}', "aeiou", "àèìòù"),
        ('\u{301}', "aeiouycnsz", "áéíóúýćńśź"),
        ('\u{302}', "aeiou", "âêîôû"),
        ('\u{303}', "ano", "ãñõ"),
        ('\u{308}', "aeiouy", "äëïöüÿ"),
        ('\u{30a}', "au", "åů"),
        ('\u{30c}', "cdenrstz", "čďěňřšťž"),
        ('\u{327}', "cs", "çş"),
    ];
    let Some(last) = word.chars().last() else { return };
    let row = JOINED.iter().find(|(known, _, _)| *known == mark);
    let joined = row.and_then(|(_, plain, joined)| {
        plain.chars().position(|c| c == last).and_then(|index| joined.chars().nth(index))
    });
    if let Some(joined) = joined {
        word.pop();
        word.push(joined);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spoken(text: &str) -> String {
        words(text).join(" ")
    }

    #[test]
    fn written_text_becomes_spoken_words() {
        for (text, expected) in [
            ("Turn ON the lamp, please!", "turn on the lamp please"),
            ("set it to 20%", "set it to twenty percent"),
            ("heat to 21.5°C", "heat to twenty one point five degrees celsius"),
            ("70 °F", "seventy degrees fahrenheit"),
            ("-5 degrees", "minus five degrees"),
            ("a 10-minute timer", "a ten minute timer"),
            ("at 7:30 and 7:05 and 8:00", "at seven thirty and seven oh five and eight"),
            ("1h 30m, 5 s, 70F", "one hours thirty minutes five seconds seventy fahrenheit"),
            ("1,000 or 1,5", "one thousand or one point five"),
            ("½ an hour, 2½ hours, 1/2", "half an hour two and a half hours half"),
            ("Whats up? It’s ok", "what's up it's okay"),
            ("the 2nd lamp", "the second lamp"),
            ("Lamp 2b, room 007", "lamp two b room zero zero seven"),
            ("Cafe\u{301} Übung", "café übung"),
            ("'quoted' rock 'n' roll", "quoted rock n roll"),
            ("…", ""),
        ] {
            assert_eq!(spoken(text), expected, "{text}");
        }
    }

    #[test]
    fn a_token_knows_where_it_comes_from() {
        let text = "for 3D Pizza";
        let tokens = tokenise(text);
        assert_eq!(&text[tokens[1].start..tokens[3].end], "3D Pizza");
    }

    proptest! {
        #[test]
        fn spoken_words_stay_as_they_are(text in "\\PC{0,40}") {
            let once = words(&text);
            prop_assert_eq!(words(&once.join(" ")), once);
        }
    }
}

//! From written text to spoken words: lower case, no punctuation, numbers and signs as words.
//!
//! Typed requests, recognised speech, templates and the names of the home all pass through here, so
//! that "Turn the lamp to 20%!" and "turn the lamp to twenty percent" are the same words.

mod respelling;

use hark_language::numbers::MAX;
use hark_language::{Lexicon, phrases};
use respelling::{drop_sighs, respell_together, split_contracted_amounts};

/// Words at most of a number that has no unit: "six and a half".
pub(crate) const MAX_NUMBER_WORDS: usize = 4;

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

/// The spoken words of `text`.
pub fn words(text: &str, lexicon: &'static Lexicon) -> Vec<String> {
    tokenise(text, lexicon).into_iter().map(|token| token.word).collect()
}

/// The spoken words of `text`, each with the bytes it comes from.
pub fn tokenise(text: &str, lexicon: &'static Lexicon) -> Vec<Token> {
    // An accent that stands on no letter is nothing that can be said.
    let mut on_letter = false;
    let sayable = text.char_indices().filter(|(_, c)| {
        let accent = ('\u{300}'..='\u{36f}').contains(c);
        let keep = !accent || on_letter;
        on_letter = is_letter(*c) || accent && on_letter;
        keep
    });
    let mut scanner = Scanner { text, lexicon, chars: sayable.collect(), at: 0, tokens: Vec::new() };
    while scanner.at < scanner.chars.len() {
        scanner.step();
    }
    respell_together(&mut scanner.tokens, text, lexicon);
    split_contracted_amounts(&mut scanner.tokens, text, lexicon);
    drop_sighs(&mut scanner.tokens, text, lexicon);
    // Filler sounds are dropped, unless there is nothing else.
    let thinking = |token: &Token| lexicon.discourse.hesitations.contains(token.word.as_str());
    if !scanner.tokens.iter().all(thinking) {
        while let Some(at) = scanner.tokens.iter().position(thinking) {
            let behind = at + scanner.tokens[at..].iter().take_while(|token| thinking(token)).count();
            // "Ten minutes, *er*, fifteen" corrects the number.
            let mark = lexicon.discourse.corrections.iter().find(|mark| !mark.contains(' '));
            if let Some(mark) = mark.filter(|_| is_amount_before_number(&scanner.tokens, at, behind, lexicon))
            {
                (*mark).clone_into(&mut scanner.tokens[at].word);
                scanner.tokens.drain(at + 1..behind);
                continue;
            }
            let wrong = number_before_another(&scanner.tokens, at, behind, lexicon);
            scanner.tokens.drain(at - wrong..behind);
        }
    }
    // So are repetitions of small words: "the, the lamp".
    let small = lexicon.discourse.stammered;
    scanner.tokens.dedup_by(|next, last| next.word == last.word && small.contains(last.word.as_str()));
    scanner.tokens
}

/// Words of a number at `at` that is another at `behind`, after a pause to think: "for *twelve*, er, fifteen minutes". None where
/// there are no two numbers.
fn number_before_another(tokens: &[Token], at: usize, behind: usize, lexicon: &Lexicon) -> usize {
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let is_number =
        |from: &usize| lexicon.numbers.number(&words[*from..at]).is_some_and(|(_, used)| used == at - from);
    let begins = (at.saturating_sub(MAX_NUMBER_WORDS)..at).find(is_number);
    let another = lexicon.numbers.number(&words[behind..]).is_some();
    begins.filter(|_| another).map_or(0, |from| at - from)
}

/// Whether a number with its unit stands before a pause to think, and one without behind it.
fn is_amount_before_number(tokens: &[Token], at: usize, behind: usize, lexicon: &Lexicon) -> bool {
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let numbers = &lexicon.numbers;
    let is_amount =
        at > 1 && is_unit(words[at - 1], lexicon) && numbers.number(&words[at - 2..at - 1]).is_some();
    let another = numbers.number(&words[behind..]);
    is_amount
        && another
            .is_some_and(|(_, used)| words.get(behind + used).is_none_or(|word| !is_unit(word, lexicon)))
}

/// Whether a word is what a number is of: minutes, degrees, percent.
pub(crate) fn is_unit(word: &str, lexicon: &Lexicon) -> bool {
    phrases::find(lexicon.time.units, &[word]).is_some()
        || lexicon.numbers.degrees.contains(word)
        || lexicon.numbers.percent.contains(word)
}

struct Scanner<'t> {
    text: &'t str,
    lexicon: &'static Lexicon,
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
        if is_letter(c) || is_mark(c) {
            return self.word(from);
        }
        let before = from.checked_sub(1).map(|before| self.chars[before].1);
        let boundary = before.is_none_or(|c| c.is_whitespace() || "-−–‑(=^~:/,;".contains(c));
        self.at += 1;
        let lexicon = self.lexicon;
        let point = if lexicon.numbers.decimal_comma { ',' } else { '.' };
        match c {
            '-' | '−' | '–' | '‑' if boundary && self.is_number_at(0) => {
                self.push(from, words_of(&lexicon.numbers.minus))
            }
            '-' | '−' if self.is_between_numbers(from) => self.push(from, words_of(&lexicon.numbers.minus)),
            _ if c == point && boundary && self.peek(0).is_some_and(|next| next.is_ascii_digit()) => {
                let decimals: String = std::iter::from_fn(|| self.next_digit()).collect();
                let digits = self.digit_words(&decimals);
                self.push(from, words_of(&lexicon.numbers.point).into_iter().chain(digits));
            }
            '^' if (0..3).any(|ahead| self.is_number_at(ahead)) => {
                self.push(from, words_of(&lexicon.numbers.power))
            }
            '&' => self.push(from, words_of(&lexicon.numbers.and)),
            '½' if from > 0 && self.chars[from - 1].1.is_ascii_digit() => {
                self.push(from, words_of(&lexicon.numbers.half_behind));
            }
            '℃' => self.degrees(from, Some("celsius")),
            '℉' => self.degrees(from, Some("fahrenheit")),
            '°' => {
                let alone = !self.peek(1).is_some_and(char::is_alphabetic);
                let unit = match self.peek(0) {
                    Some('c' | 'C') if alone => Some("celsius"),
                    Some('f' | 'F') if alone => Some("fahrenheit"),
                    _ => None,
                };
                self.at += usize::from(unit.is_some());
                self.degrees(from, unit);
            }
            _ => {
                if let Some(words) = lexicon.numbers.signs.get(c.encode_utf8(&mut [0; 4])) {
                    self.push(from, words_of(&words));
                }
            }
        }
    }

    /// Whether the digits of a number begin there, perhaps with the point.
    fn is_number_at(&self, ahead: usize) -> bool {
        let digit = |at: usize| self.peek(at).is_some_and(|c| c.is_ascii_digit());
        digit(ahead) || matches!(self.peek(ahead), Some('.' | ',')) && digit(ahead + 1)
    }

    /// Whether the sign stands alone between two numbers: "3 - 5". Elsewhere it is a dash.
    fn is_between_numbers(&self, from: usize) -> bool {
        let before = |back: usize| from.checked_sub(back).map(|at| self.chars[at].1);
        before(1) == Some(' ')
            && before(2).is_some_and(|c| c.is_ascii_digit())
            && self.peek(0) == Some(' ')
            && self.is_number_at(1)
    }

    fn degrees(&mut self, from: usize, unit: Option<&'static str>) {
        let sign = self.lexicon.numbers.signs.get("°").unwrap_or_default();
        self.push(from, words_of(&sign).into_iter().chain(unit.map(str::to_owned)));
    }

    fn word(&mut self, from: usize) {
        while let Some(c) = self.peek(0) {
            let inner = is_apostrophe(c) && self.peek(1).is_some_and(is_letter);
            if !(is_letter(c) || is_mark(c) || inner) {
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
                for lower in c.to_lowercase() {
                    if is_mark(lower) { compose(&mut word, lower) } else { word.push(lower) }
                }
            }
        }
        let unit = self.lexicon.numbers.short_units.get(&word).filter(|_| self.number_before(from));
        let full = unit.or_else(|| self.lexicon.requests.respellings.get(&word));
        let words = full.map_or(word.as_str(), |full| full.text());
        self.push(from, words.split(' ').map(str::to_owned).collect::<Vec<_>>());
    }

    /// Whether digits stand right before `from`, with at most blanks between.
    fn number_before(&self, from: usize) -> bool {
        self.tokens.last().is_some_and(|last| {
            last.end <= self.byte(from)
                && self.text[last.end..self.byte(from)].trim().is_empty()
                && self.text[..last.end].ends_with(|c: char| c.is_ascii_digit())
        })
    }

    fn digits(&mut self) -> String {
        let separator = if self.lexicon.numbers.decimal_comma { '.' } else { ',' };
        let mut digits = String::new();
        while let Some(c) = self.peek(0) {
            if !c.is_ascii_digit() {
                // "1,000": a comma between groups of three.
                let group = (1..=3).all(|ahead| self.peek(ahead).is_some_and(|d| d.is_ascii_digit()))
                    && !self.peek(4).is_some_and(|d| d.is_ascii_digit());
                if c == separator && group && digits.len() <= 3 * digits.len().div_ceil(3) && digits != "0" {
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
        if self.date(from) {
            return;
        }
        let lexicon = self.lexicon;
        let digits = self.digits();
        let next = self.peek(0);
        let digit_follows = self.peek(1).is_some_and(|c| c.is_ascii_digit());
        if let Some(words) = self.ordinal(&digits) {
            self.push(from, words);
        } else if matches!(next, Some('.' | ',')) && digit_follows {
            self.at += 1;
            let decimals: String = std::iter::from_fn(|| self.next_digit()).collect();
            let mut words = self.whole_words(&digits);
            let decimals = decimals.trim_end_matches('0');
            if !decimals.is_empty() {
                words.extend(words_of(&lexicon.numbers.point));
                words.extend(self.digit_words(decimals));
            }
            words.extend(self.exponent());
            self.push(from, words);
        } else if next == Some(':') && digit_follows {
            self.at += 1;
            let minutes: String = std::iter::from_fn(|| self.next_digit()).collect();
            let words = self.clock_words(&digits, &minutes);
            self.push(from, words);
        } else if next == Some('/') && digit_follows {
            self.at += 1;
            let below: String = std::iter::from_fn(|| self.next_digit()).collect();
            let stroke = format!("{digits}/{below}");
            match lexicon.numbers.strokes.get(&stroke) {
                // "1 1/2": one and a half.
                Some(words) if self.number_before(from) => {
                    let half = digits == "1" && below == "2";
                    let words = match half {
                        true => words_of(&lexicon.numbers.half_behind),
                        false => [words_of(&lexicon.numbers.and), words_of(&words)].concat(),
                    };
                    self.push(from, words);
                }
                Some(words) => self.push(from, words_of(&words)),
                None => {
                    let over = words_of(&lexicon.numbers.over);
                    let words = [self.whole_words(&digits), over, self.whole_words(&below)].concat();
                    self.push(from, words);
                }
            }
        } else {
            let mut words = self.whole_words(&digits);
            words.extend(self.exponent());
            self.push(from, words);
        }
    }

    /// The words of an `e308` right behind a number: "times ten to the power of …".
    fn exponent(&mut self) -> Vec<String> {
        let sign = usize::from(self.peek(1).is_some_and(|c| "+-−".contains(c)));
        let digits = (1 + sign..).map_while(|ahead| self.peek(ahead).filter(char::is_ascii_digit));
        let digits: String = digits.collect();
        let end = 1 + sign + digits.len();
        let glued = self.peek(end).is_some_and(char::is_alphanumeric);
        if !matches!(self.peek(0), Some('e' | 'E')) || digits.is_empty() || glued {
            return Vec::new();
        }
        let below = sign == 1 && self.peek(1) != Some('+');
        self.at += end;
        let lexicon = self.lexicon;
        let mut words = words_of(&lexicon.numbers.times);
        words.extend(words_of(&lexicon.numbers.integer_words(10)));
        words.extend(words_of(&lexicon.numbers.power));
        if below {
            words.extend(words_of(&lexicon.numbers.minus));
        }
        words.extend(self.whole_words(&digits));
        words
    }

    /// "seven thirty", "seven oh five", "sieben uhr dreißig"; the word behind it may be the same again.
    fn clock_words(&mut self, hours: &str, minutes: &str) -> Vec<String> {
        let lexicon = self.lexicon;
        let mut words = self.whole_words(hours);
        words.extend(lexicon.time.clock_word.iter().flat_map(|word| words_of(word)));
        match (minutes.as_bytes(), lexicon.numbers.oh) {
            // "20:00" is a time, and "twenty" alone may be none.
            ([b'0', b'0'], _) => {
                let last = lexicon.time.last_bare_hour;
                let is_bare = last.is_none_or(|last| hours.parse().is_ok_and(|hour: u32| hour <= last));
                let oclock = lexicon.time.oclock.first().filter(|_| !is_bare);
                words.extend(oclock.map(|word| (*word).to_owned()));
            }
            ([b'0', _], Some(oh)) => {
                words.extend(words_of(&oh));
                words.extend(self.digit_words(&minutes[1..]));
            }
            ([b'0', _], None) => words.extend(self.digit_words(&minutes[1..])),
            _ => words.extend(self.whole_words(minutes)),
        }
        if let Some(word) = lexicon.time.clock_word {
            let ahead = usize::from(self.peek(0) == Some(' '));
            let same = word.chars().enumerate().all(|(index, c)| {
                self.peek(ahead + index).is_some_and(|here| here.to_lowercase().eq(c.to_lowercase()))
            });
            if same && !self.peek(ahead + word.chars().count()).is_some_and(char::is_alphanumeric) {
                self.at += ahead + word.chars().count();
            }
        }
        words
    }

    /// Dates in digits stay one word: `2026-12-01`, and where decimals have a comma `1.12.` and `1.12.2026`.
    fn date(&mut self, from: usize) -> bool {
        let run: String = (0..11)
            .map_while(|ahead| self.peek(ahead))
            .take_while(|c| c.is_ascii_digit() || matches!(c, '-' | '.'))
            .collect();
        let run = if run.contains('-') { run.trim_end_matches('.') } else { run.as_str() };
        let separator = if run.contains('-') { '-' } else { '.' };
        let parts: Vec<&str> = run.split(separator).collect();
        let digits = |part: &str, least: usize, most: usize| {
            (least..=most).contains(&part.len()) && part.chars().all(|c| c.is_ascii_digit())
        };
        let is_date = match parts.as_slice() {
            [year, month, day] if separator == '-' => {
                digits(year, 4, 4) && digits(month, 1, 2) && digits(day, 1, 2)
            }
            [day, month, year] => {
                self.lexicon.numbers.decimal_comma
                    && digits(day, 1, 2)
                    && digits(month, 1, 2)
                    && (year.is_empty() || digits(year, 4, 4))
            }
            _ => false,
        };
        if is_date {
            self.at += run.chars().count();
            let word = run.to_owned();
            self.push(from, [word]);
        }
        is_date
    }

    fn next_digit(&mut self) -> Option<char> {
        let digit = self.peek(0).filter(char::is_ascii_digit)?;
        self.at += 1;
        Some(digit)
    }

    fn ordinal(&mut self, digits: &str) -> Option<Vec<String>> {
        let suffix: String = (0..2).filter_map(|ahead| self.peek(ahead)).collect::<String>().to_lowercase();
        if self.peek(2).is_some_and(char::is_alphanumeric) {
            return None;
        }
        let words = self.lexicon.numbers.ordinal_words(digits.parse().ok()?, &suffix)?;
        self.at += 2;
        Some(words_of(&words))
    }

    /// "twenty" for `20`; digit by digit with a leading zero or when too long for a number.
    fn whole_words(&self, digits: &str) -> Vec<String> {
        match digits.parse::<u64>() {
            Ok(value) if value <= MAX && (digits.len() == 1 || !digits.starts_with('0')) => {
                words_of(&self.lexicon.numbers.integer_words(value))
            }
            _ => self.digit_words(digits),
        }
    }

    fn digit_words(&self, digits: &str) -> Vec<String> {
        words_of(&self.lexicon.numbers.digit_words(digits))
    }
}

fn words_of(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Whether it belongs to a word; one of the apostrophes counts as a letter elsewhere.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !is_apostrophe(c)
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
        words(text, hark_language::of("en")).join(" ")
    }

    #[test]
    fn written_text_becomes_spoken_words() {
        for (text, expected) in [
            ("Turn ON the lamp, please!", "turn on the lamp please"),
            ("set it to 20%", "set it to twenty percent"),
            ("heat to 21.5°C", "heat to twenty one point five degrees celsius"),
            ("70 °F", "seventy degrees fahrenheit"),
            ("-5 degrees", "minus five degrees"),
            ("to (-5) or --5 or –5", "to minus five or minus five or minus five"),
            ("3 - 5, lamp - 5", "three minus five lamp five"),
            ("-.5 or .25", "minus point five or point two five"),
            (
                "10^308 or 2 ^ -3",
                "ten to the power of three hundred and eight or two to the power of minus three",
            ),
            (
                "1e3 or 2.5E-2 degrees",
                "one times ten to the power of three or two point five times ten to the power of minus two degrees",
            ),
            ("a 10-minute timer", "a ten minute timer"),
            ("at 7:30 and 7:05 and 8:00", "at seven thirty and seven oh five and eight"),
            ("1h 30m, 5 s, 70F", "one hours thirty minutes five seconds seventy fahrenheit"),
            ("1,000 or 1,5", "one thousand or one point five"),
            ("½ an hour, 2½ hours, 1/2", "half an hour two and a half hours half"),
            ("Whats up? It’s ok", "what's up it's okay"),
            (
                "to-morrow or to-night, from night mode to night mode",
                "tomorrow or tonight from night mode to night mode",
            ),
            ("the 2nd lamp", "the second lamp"),
            ("on 2026-12-01.", "on 2026-12-01"),
            ("21.50 or 7.0", "twenty one point five or seven"),
            ("Lamp 2b, room 007", "lamp two b room zero zero seven"),
            ("Cafe\u{301} Übung", "café übung"),
            ("'quoted' rock 'n' roll", "quoted rock n roll"),
            ("…", ""),
        ] {
            assert_eq!(spoken(text), expected, "{text}");
        }
    }

    #[test]
    fn german_has_its_own_words() {
        for (text, expected) in [
            ("Stell auf 20%", "stell auf zwanzig prozent"),
            ("21,5°C", "einundzwanzig komma fünf grad celsius"),
            ("um 7:30 Uhr, 7:05 und 8:00", "um sieben uhr dreißig sieben uhr fünf und acht uhr"),
            ("1.000", "eintausend"),
            ("am 1.12. und 1.12.2026", "am 1.12. und 1.12.2026"),
            ("am 3. März", "am drei märz"),
            ("Timer 10 min", "timer zehn minuten"),
        ] {
            assert_eq!(words(text, hark_language::of("de")).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_token_knows_where_it_comes_from() {
        let text = "for 3D Pizza";
        let tokens = tokenise(text, hark_language::of("en"));
        assert_eq!(&text[tokens[1].start..tokens[3].end], "3D Pizza");
    }

    #[test]
    fn an_apostrophe_alone_is_no_word() {
        let lexicon = hark_language::of("en");
        assert!(words("ʼ ' ’", lexicon).is_empty());
        assert_eq!(words("itʼs the ʼlightʼ aʼʼb", lexicon), ["it's", "the", "light", "a", "b"]);
    }

    proptest! {
        #[test]
        fn spoken_words_stay_as_they_are(text in "\\PC{0,40}") {
            for lexicon in [hark_language::of("en"), hark_language::of("de")] {
                let once = words(&text, lexicon);
                prop_assert_eq!(words(&once.join(" "), lexicon), once);
            }
        }
    }
}

//! Text of an answer out of the bytes of its tokens: characters that are not whole yet are kept back, and what may become a text
//! that ends the answer.

/// What came so far and was not handed on.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// The beginning of a character.
    bytes: Vec<u8>,
    /// May be the beginning of one of `stops`.
    kept: String,
    stops: Vec<String>,
}

/// The words of a token.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// More words, or none yet.
    Words(String),
    /// The last words: a text that ends the answer came.
    Last(String),
}

impl Pieces {
    /// With texts that end the answer; empty ones are left out.
    pub(crate) fn new(stops: Vec<String>) -> Self {
        Self { stops: stops.into_iter().filter(|stop| !stop.is_empty()).collect(), ..Self::default() }
    }

    /// Takes in the bytes of a token.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Next {
        self.bytes.extend_from_slice(bytes);
        self.take_characters();
        let first = self.stops.iter().filter_map(|stop| self.kept.find(stop.as_str())).min();
        if let Some(at) = first {
            self.kept.truncate(at);
            return Next::Last(std::mem::take(&mut self.kept));
        }
        let beginning = |at: &usize| self.stops.iter().any(|stop| stop.starts_with(&self.kept[*at..]));
        let places = self.kept.char_indices().map(|(at, _)| at);
        let until = places.into_iter().find(beginning).unwrap_or(self.kept.len());
        let rest = self.kept.split_off(until);
        Next::Words(std::mem::replace(&mut self.kept, rest))
    }

    /// What was kept back, when nothing more comes.
    pub(crate) fn end(self) -> String {
        self.kept
    }

    /// Moves whole characters over; bytes that are none become U+FFFD.
    fn take_characters(&mut self) {
        let mut whole = 0;
        for chunk in self.bytes.utf8_chunks() {
            self.kept.push_str(chunk.valid());
            whole += chunk.valid().len();
            let rest = chunk.invalid();
            // At most three bytes at the end may still become a character.
            let may_go_on = whole + rest.len() == self.bytes.len()
                && std::str::from_utf8(rest).is_err_and(|error| error.error_len().is_none());
            if rest.is_empty() || may_go_on {
                break;
            }
            self.kept.push('\u{fffd}');
            whole += rest.len();
        }
        self.bytes.drain(..whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of tokens, and whether the answer was ended by one of them.
    fn read(stops: &[&str], tokens: &[&[u8]]) -> (Vec<String>, bool) {
        let mut pieces = Pieces::new(stops.iter().map(|stop| (*stop).to_owned()).collect());
        let mut words = Vec::new();
        for token in tokens {
            match pieces.push(token) {
                Next::Words(more) => words.push(more),
                Next::Last(more) => {
                    words.push(more);
                    return (words, true);
                }
            }
        }
        words.push(pieces.end());
        (words, false)
    }

    #[test]
    fn characters_come_whole() {
        let emoji = "😀".as_bytes();
        let (words, _) = read(&[], &[b"a", &emoji[..1], &emoji[1..3], &emoji[3..], b"b"]);
        assert_eq!(words, ["a", "", "", "😀", "b", ""]);
        let (words, _) = read(&[], &[&[0xff, b'x'], &[0xc3], b"y"]);
        assert_eq!(words.concat(), "\u{fffd}x\u{fffd}y");
    }

    #[test]
    fn what_ends_an_answer_is_no_part_of_it() {
        let (words, ended) = read(&["<|end|>", "\nUser:"], &[b"Yes.", b" <", b"b>", b"\n", b"Us", b"er: no"]);
        assert_eq!(
            (words, ended),
            (vec!["Yes.".into(), " ".into(), "<b>".into(), "".into(), "".into(), "".into()], true)
        );
        let (words, ended) = read(&["\nUser:"], &[b"a\nUse", b"ful"]);
        assert_eq!((words.concat(), ended), ("a\nUseful".into(), false));
        assert_eq!(read(&["", "x"], &[b"a"]).0.concat(), "a");
        // What was kept back and became no end is words.
        assert_eq!(read(&["stop"], &[b"a sto"]).0.concat(), "a sto");
    }
}

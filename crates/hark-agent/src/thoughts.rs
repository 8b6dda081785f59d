//! Models that think aloud put their thoughts between `<think>` and `</think>` before the answer, when the server does
//! not keep them apart. Nobody is to hear them.

const OPENING: &str = "<think>";
const CLOSING: &str = "</think>";

/// Takes thoughts out of words that come in pieces.
#[derive(Debug, Default)]
pub(super) enum Thoughts {
    /// Nothing came but what may become the opening; kept back.
    #[default]
    Unknown,
    /// In the midst of them.
    Inside,
    /// They are over; white space before the answer belongs to them.
    Ending,
    /// There are none, or no more.
    Over,
}

/// The filter and what it keeps back.
#[derive(Debug, Default)]
pub(super) struct Filter {
    state: Thoughts,
    kept: String,
}

impl Filter {
    /// The words of a piece that are to be heard.
    pub(super) fn pass(&mut self, piece: &str, heard: &mut String) {
        if matches!(self.state, Thoughts::Over) {
            heard.push_str(piece);
            return;
        }
        self.kept.push_str(piece);
        if matches!(self.state, Thoughts::Unknown) {
            let start = self.kept.trim_start();
            if let Some(inside) = start.strip_prefix(OPENING) {
                self.state = Thoughts::Inside;
                self.kept = inside.to_owned();
            } else if !OPENING.starts_with(start) {
                self.state = Thoughts::Over;
                heard.push_str(&std::mem::take(&mut self.kept));
                return;
            }
        }
        if matches!(self.state, Thoughts::Inside) {
            match self.kept.find(CLOSING) {
                Some(at) => {
                    self.state = Thoughts::Ending;
                    self.kept.drain(..at + CLOSING.len());
                }
                None => self.forget(),
            }
        }
        if matches!(self.state, Thoughts::Ending) {
            let answer = self.kept.trim_start();
            if !answer.is_empty() {
                self.state = Thoughts::Over;
                heard.push_str(answer);
            }
            self.kept.clear();
        }
    }

    /// Nothing more comes: what was kept back and became no opening is to be heard.
    pub(super) fn end(&mut self, heard: &mut String) {
        if matches!(self.state, Thoughts::Unknown) {
            heard.push_str(&self.kept);
        }
        self.kept.clear();
        self.state = Thoughts::Over;
    }

    /// Of thoughts only as much is kept as may be the beginning of their closing.
    fn forget(&mut self) {
        let most = CLOSING.len() - 1;
        let from = (self.kept.len().saturating_sub(most)..=self.kept.len())
            .find(|at| self.kept.is_char_boundary(*at))
            .unwrap_or(self.kept.len());
        self.kept.drain(..from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn heard(pieces: &[&str]) -> String {
        let (mut filter, mut heard) = (Filter::default(), String::new());
        pieces.iter().for_each(|piece| filter.pass(piece, &mut heard));
        filter.end(&mut heard);
        heard
    }

    #[test]
    fn thoughts_are_taken_out_and_nothing_else() {
        let cases = [
            ("<think>Hmm, a\n<b>?</think>\n\nIt is Sunday. ", "It is Sunday. "),
            (" \n<think></think>Yes", "Yes"),
            ("<think>never ends", ""),
            ("<thin", "<thin"),
            ("  Hello", "  Hello"),
            ("<thought>x", "<thought>x"),
            ("I say <think>this</think>.", "I say <think>this</think>."),
            ("<think>a</think>b<think>c</think>", "b<think>c</think>"),
            ("<think>ä😀</thi</think> \n", ""),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(heard(&[text]), expected, "{text}");
        }
    }

    #[test]
    fn words_are_not_kept_back_longer_than_needed() {
        let (mut filter, mut heard) = (Filter::default(), String::new());
        for (piece, so_far) in [("<", ""), ("b", "<b"), (">", "<b>")] {
            filter.pass(piece, &mut heard);
            assert_eq!(heard, so_far);
        }
    }

    proptest! {
        #[test]
        fn where_pieces_are_cut_makes_no_difference(
            text in "( |\n)?(<think>[a-z</ä😀]{0,20}(</think>)?)?[a-z< \n]{0,10}", places in prop::collection::vec(any::<usize>(), 0..10)
        ) {
            let mut places: Vec<usize> = places.iter().map(|place| place % (text.len() + 1))
                .filter(|place| text.is_char_boundary(*place)).collect();
            places.sort_unstable();
            let mut pieces = Vec::new();
            let mut from = 0;
            for place in places {
                pieces.push(&text[from..place]);
                from = place;
            }
            pieces.push(&text[from..]);
            prop_assert_eq!(heard(&pieces), heard(&[&text]));
        }
    }
}

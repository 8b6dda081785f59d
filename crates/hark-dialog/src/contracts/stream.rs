//! Hands words on while they come, without the Markdown fences and blanks around them. What has been handed on is
//! said: there is no taking it back, and so no second attempt after it.

use hark_core::model::PieceSink;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// Takes fences and outer blanks away from a text that comes in pieces. What it gives out, piece by piece, is
/// exactly what it would give out of the whole text.
#[derive(Debug, Default)]
pub(super) struct Peeler {
    /// Not given out yet: a beginning that may be a fence, or blanks and backticks that may be the end.
    held: String,
    begun: bool,
    fenced: bool,
}

impl Peeler {
    /// What can be given out after this piece.
    pub(super) fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        if !self.begun && !self.begin() {
            return String::new();
        }
        // Blanks and backticks at the end may be the closing fence.
        let sure = self.held.trim_end_matches(|c: char| c.is_whitespace() || c == '`').len();
        self.held.drain(..sure).collect()
    }

    /// What is left at the end.
    pub(super) fn end(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        let left = held.trim_end();
        if self.begun {
            let unfenced = self.fenced.then(|| left.strip_suffix("```")).flatten();
            unfenced.unwrap_or(left).trim_end().to_owned()
        } else {
            // A fence that never ended its line, or nothing at all.
            left.trim().trim_matches('`').trim().to_owned()
        }
    }

    /// Whether the first character of the text itself is there.
    fn begin(&mut self) -> bool {
        let text = self.held.trim_start();
        let rest = if self.fenced {
            text
        } else if text.starts_with("```") {
            let Some((_, rest)) = text.split_once('\n') else { return false };
            self.fenced = true;
            rest.trim_start()
        } else if text.len() < 3 && text.bytes().all(|byte| byte == b'`') {
            return false;
        } else {
            text
        };
        self.held = rest.to_owned();
        self.begun = !self.held.is_empty();
        self.begun
    }
}

/// The whole text without its fences.
pub(super) fn peeled(text: &str) -> String {
    let mut peeler = Peeler::default();
    let mut whole = peeler.push(text);
    whole.push_str(&peeler.end());
    whole
}

/// Where the words of an attempt go; clones share it.
#[derive(Clone)]
pub(super) struct Gate(Arc<Mutex<Passing>>);

struct Passing {
    sink: PieceSink,
    peeler: Peeler,
    handed: String,
    /// Most characters that are handed on.
    most: usize,
    /// There was more.
    cut: bool,
    /// The listener has had enough.
    left: bool,
}

impl Gate {
    /// Hands on to `sink`, `most` characters at most.
    pub(super) fn new(sink: PieceSink, most: usize) -> Self {
        let passing =
            Passing { sink, peeler: Peeler::default(), handed: String::new(), most, cut: false, left: false };
        Self(Arc::new(Mutex::new(passing)))
    }

    /// The sink for one attempt.
    pub(super) fn sink(&self) -> PieceSink {
        let gate = self.clone();
        gate.with(|passing| passing.peeler = Peeler::default());
        Box::new(move |piece| {
            gate.with(|passing| {
                let ready = passing.peeler.push(piece);
                passing.hand_on(&ready)
            })
        })
    }

    /// What is left at the end of an attempt that came to its end. A model that gave no pieces gave `text` only.
    pub(super) fn finish(&self, text: &str) {
        self.with(|passing| {
            let mut ready = String::new();
            if passing.handed.is_empty() && passing.peeler.held.is_empty() {
                ready = passing.peeler.push(text);
            }
            ready.push_str(&passing.peeler.end());
            let _ = passing.hand_on(&ready);
        });
    }

    /// What was handed on.
    pub(super) fn handed(&self) -> String {
        self.with(|passing| passing.handed.trim_end().to_owned())
    }

    /// Whether there was more than is handed on.
    pub(super) fn is_cut(&self) -> bool {
        self.with(|passing| passing.cut)
    }

    fn with<T>(&self, work: impl FnOnce(&mut Passing) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Passing {
    fn hand_on(&mut self, ready: &str) -> ControlFlow<()> {
        if !self.cut && !self.left {
            let room = self.most.saturating_sub(self.handed.chars().count());
            let fitting: String = ready.chars().take(room).collect();
            self.cut = fitting.len() < ready.len();
            self.handed.push_str(&fitting);
            self.left = !fitting.is_empty() && (self.sink)(&fitting).is_break();
        }
        if self.cut || self.left { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn in_pieces(text: &str, size: usize) -> String {
        let mut peeler = Peeler::default();
        let letters: Vec<char> = text.chars().collect();
        let mut given: String = String::new();
        for piece in letters.chunks(size) {
            given.push_str(&peeler.push(&piece.iter().collect::<String>()));
        }
        given.push_str(&peeler.end());
        given
    }

    #[test]
    fn fences_and_blanks_around_the_words_go() {
        for (raw, words) in [
            ("Hello.", "Hello."),
            ("  \n Hello.\n\n", "Hello."),
            ("```\nHello.\n```", "Hello."),
            ("```text\n\n Hello.\n``` \n", "Hello."),
            ("`a` and `b`", "`a` and `b`"),
            ("```hello```", "hello"),
            ("``", ""),
            ("```\n\n```", ""),
            (" \n", ""),
            ("", ""),
        ] {
            for size in [1, 2, 3, 5, 100] {
                assert_eq!(in_pieces(raw, size), words, "{raw:?} in pieces of {size}");
            }
        }
    }

    proptest! {
        #[test]
        fn pieces_of_any_size_give_the_same(text in "[ \na`ä.]{0,30}", size in 1_usize..8) {
            prop_assert_eq!(in_pieces(&text, size), peeled(&text));
        }

        #[test]
        fn what_is_given_out_has_no_blanks_around_it(text in "[ \na`]{0,20}") {
            let whole = peeled(&text);
            prop_assert_eq!(whole.trim(), &whole);
        }
    }
}

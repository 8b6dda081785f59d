//! Models that think aloud put their thoughts between `<think>` and `</think>` before the answer, when the server does
//! not keep them apart. Nobody is to hear them. The chat templates of some models open the thoughts themselves, so that the
//! answer begins in their midst and has only the closing: the words of a model that does so are held back until it comes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

const OPENING: &str = "<think>";
const CLOSING: &str = "</think>";

/// Parts of names of models whose templates open thoughts, in lower case: DeepSeek R1 and what was distilled from it, QwQ, and
/// those of Qwen and others that only think.
const THINKERS: [&str; 5] = ["-r1", "r1-", "qwq", "thinking", "reasoning"];

/// What in a chat template stands before what begins an answer.
const BEGINS_ANSWER: &str = "add_generation_prompt";

/// Where an answer stands.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Thoughts {
    /// Nothing came but what may become the opening; kept back.
    #[default]
    Unknown,
    /// Thoughts may have been opened before it began; kept back.
    Held,
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
    /// How the thoughts began that were found.
    manner: Option<Manner>,
    /// Words already given out turned out to be thoughts; reset by [`Filter::took_back`].
    took_back: bool,
}

/// How a model thinks, as far as an answer shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// It opens its thoughts, or has none.
    Opened,
    /// Its thoughts were opened for it.
    Unopened,
}

impl Filter {
    /// For a model whose thoughts may be opened for it.
    pub(super) fn held() -> Self {
        Self { state: Thoughts::Held, ..Self::default() }
    }

    /// Adds to `heard` the words of a piece that are to be heard; where they show that all before were thoughts, those are
    /// taken out of it.
    pub(super) fn pass(&mut self, piece: &str, heard: &mut String) {
        self.kept.push_str(piece);
        if matches!(self.state, Thoughts::Unknown | Thoughts::Held) {
            self.begin();
        }
        if self.state == Thoughts::Inside {
            match self.kept.find(CLOSING) {
                Some(at) => {
                    self.state = Thoughts::Ending;
                    self.kept.drain(..at + CLOSING.len());
                }
                None => self.forget(),
            }
        }
        if self.state == Thoughts::Over {
            self.hear(heard);
        }
        if self.state == Thoughts::Ending {
            let answer = self.kept.trim_start();
            if !answer.is_empty() {
                self.state = Thoughts::Over;
                heard.push_str(answer);
            }
            self.kept.clear();
        }
    }

    /// Nothing more comes: what was kept back and became no thoughts is to be heard. What was kept back of an answer that was
    /// `cut_short` may be thoughts that came to no end, and stays unheard.
    pub(super) fn end(&mut self, heard: &mut String, cut_short: bool) {
        let is_answer = match self.state {
            Thoughts::Unknown | Thoughts::Over => true,
            Thoughts::Held => !cut_short,
            Thoughts::Inside | Thoughts::Ending => false,
        };
        if is_answer {
            heard.push_str(&self.kept);
            if !cut_short && !heard.is_empty() {
                self.manner.get_or_insert(Manner::Opened);
            }
        }
        self.kept.clear();
        self.state = Thoughts::Over;
    }

    /// What the answer has shown of its model.
    pub(super) fn manner(&self) -> Option<Manner> {
        self.manner
    }

    /// Whether words that were heard turned out to be thoughts since this was asked last.
    pub(super) fn took_back(&mut self) -> bool {
        std::mem::take(&mut self.took_back)
    }

    /// Looks whether the beginning of an answer opens thoughts, or ends those that were opened before it.
    fn begin(&mut self) {
        let start = self.kept.trim_start();
        if let Some(inside) = start.strip_prefix(OPENING) {
            (self.state, self.manner) = (Thoughts::Inside, Some(Manner::Opened));
            self.kept = inside.to_owned();
        } else if self.state == Thoughts::Unknown && !OPENING.starts_with(start) {
            self.state = Thoughts::Over;
        } else if self.state == Thoughts::Held
            && let Some(at) = self.kept.find(CLOSING)
        {
            (self.state, self.manner) = (Thoughts::Ending, Some(Manner::Unopened));
            self.kept.drain(..at + CLOSING.len());
        }
    }

    /// Hears what was kept, but for an end that may become the closing of thoughts that nothing has opened.
    fn hear(&mut self, heard: &mut String) {
        if self.manner.is_none()
            && let Some(at) = self.kept.find(CLOSING)
        {
            let is_opened = format!("{heard}{}", &self.kept[..at]).contains(OPENING);
            if !is_opened {
                self.took_back = !heard.is_empty();
                heard.clear();
                (self.state, self.manner) = (Thoughts::Ending, Some(Manner::Unopened));
                self.kept.drain(..at + CLOSING.len());
                return;
            }
            // Somebody talks about such marks.
            self.manner = Some(Manner::Opened);
        }
        let is_end = |length: &usize| self.kept.ends_with(&CLOSING[..*length]);
        let kept = if self.manner.is_none() { (1..CLOSING.len()).rev().find(is_end) } else { None };
        let sure = self.kept.len() - kept.unwrap_or_default();
        heard.extend(self.kept.drain(..sure));
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

/// The models of a server whose thoughts are opened for them, as far as their names, templates and answers tell.
#[derive(Debug, Default)]
pub(super) struct Thinkers(Mutex<HashMap<String, Manner>>);

impl Thinkers {
    /// The filter for the next answer of a model.
    pub(super) fn filter(&self, model: &str) -> Filter {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(model).copied();
        let name = model.to_lowercase();
        let by_name = || THINKERS.iter().any(|part| name.contains(part));
        let is_held = known.map_or_else(by_name, |manner| manner == Manner::Unopened);
        if is_held { Filter::held() } else { Filter::default() }
    }

    /// Notes what an answer has shown. A model that was seen to think may answer without it, and goes on being held back.
    pub(super) fn learn(&self, model: &str, manner: Option<Manner>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match manner {
            Some(Manner::Unopened) => {
                known.insert(model.to_owned(), Manner::Unopened);
            }
            Some(Manner::Opened) => {
                known.entry(model.to_owned()).or_insert(Manner::Opened);
            }
            None => {}
        }
    }

    /// Notes what the chat template of a model says.
    pub(super) fn learn_template(&self, model: &str, template: &str) {
        if opens_thoughts(template) {
            self.learn(model, Some(Manner::Unopened));
        }
    }
}

/// Whether a chat template opens thoughts at the beginning of each answer, and not only to close them at once.
fn opens_thoughts(template: &str) -> bool {
    let Some((_, beginning)) = template.rsplit_once(BEGINS_ANSWER) else { return false };
    beginning.contains(OPENING) && !beginning.contains(CLOSING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn heard(pieces: &[&str]) -> String {
        heard_by(Filter::default(), pieces)
    }

    fn heard_by(mut filter: Filter, pieces: &[&str]) -> String {
        let mut heard = String::new();
        pieces.iter().for_each(|piece| filter.pass(piece, &mut heard));
        filter.end(&mut heard, false);
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
            // Opened by the template.
            ("They want the day.\n</think>\n\nIt is Sunday.", "It is Sunday."),
            ("</think>Hello", "Hello"),
            ("Hm.</think>I say </think>.", "I say </think>."),
            ("a </thin", "a </thin"),
            ("a < b and </b>", "a < b and </b>"),
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

    #[test]
    fn nothing_of_a_model_is_heard_before_thoughts_end_that_its_template_opened() {
        let (mut filter, mut heard) = (Filter::held(), String::new());
        for (piece, so_far) in [
            ("They want ", ""),
            ("the day.</thi", ""),
            ("nk>\n", ""),
            ("It is", "It is"),
            (" Sunday.", "It is Sunday."),
        ] {
            filter.pass(piece, &mut heard);
            assert_eq!(heard, so_far);
        }
        assert_eq!(filter.manner(), Some(Manner::Unopened));
        assert_eq!(heard_by(Filter::held(), &["No thoughts ", "today."]), "No thoughts today.");
        assert_eq!(heard_by(Filter::held(), &["<think>a</think>b"]), "b");
        let (mut cut, mut nothing) = (Filter::held(), String::new());
        cut.pass("They want the", &mut nothing);
        cut.end(&mut nothing, true);
        assert_eq!((nothing.as_str(), cut.manner()), ("", None), "thoughts that came to no end");
    }

    #[test]
    fn models_are_held_back_by_name_template_and_what_they_answered() {
        let thinkers = Thinkers::default();
        let is_held = |model: &str| thinkers.filter(model).state == Thoughts::Held;
        assert!(is_held("DeepSeek-R1-Distill-Qwen-7B") && is_held("qwen3-4b-thinking-2507"));
        assert!(!is_held("llama3.2") && !is_held("toy"));
        thinkers.learn("toy", Some(Manner::Unopened));
        thinkers.learn("toy", Some(Manner::Opened));
        thinkers.learn("deepseek-r1", Some(Manner::Opened));
        thinkers.learn("llama3.2", None);
        assert!(is_held("toy") && !is_held("deepseek-r1") && !is_held("llama3.2"));
        let qwq = "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n<think>\\n' }}{%- endif %}";
        let qwen3 =
            "{%- if add_generation_prompt %}{%- if enable_thinking is false %}{{- '<think>\\n\\n</think>' }}";
        thinkers.learn_template("a", qwq);
        thinkers.learn_template("b", qwen3);
        thinkers.learn_template("c", "<think>{% if add_generation_prompt %}assistant{% endif %}");
        assert_eq!(["a", "b", "c"].map(is_held), [true, false, false]);
    }

    proptest! {
        #[test]
        fn where_pieces_are_cut_makes_no_difference(
            text in "( |\n)?(<think>[a-z</ä😀]{0,20}(</think>)?)?[a-z< \n]{0,10}(</think>)?[a-z</ ]{0,6}", places in prop::collection::vec(any::<usize>(), 0..10)
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

//! An answer while it comes: words, and tools whose arguments arrive in fragments.

use super::error::StreamError;
use super::thoughts::{Filter, Manner};
use hark_core::model::{Completion, ModelCall};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most tools a model may want in one answer.
pub(super) const MAX_CALLS: usize = 32;
/// Longest id or name of a tool or model that is kept, bytes.
const MAX_NAME_BYTES: usize = 256;

/// What came so far.
#[derive(Debug, Default)]
pub(super) struct Answer {
    text: String,
    thoughts: Filter,
    /// Bytes of `text` that were handed on.
    told: usize,
    calls: Vec<Draft>,
    model: String,
    /// Something of the answer came, be it thoughts that nobody hears.
    pub(super) begun: bool,
    /// The server said why it ends.
    pub(super) finished: bool,
    /// It was the most tokens.
    pub(super) cut_short: bool,
    /// What the server says it took.
    pub(super) usage: Usage,
}

/// Tokens as a server counts them; `None` where it does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Usage {
    /// Of the prompt.
    pub(super) prompt: Option<u32>,
    /// Of the prompt, read before.
    pub(super) cached: Option<u32>,
    /// Of the answer.
    pub(super) answer: Option<u32>,
}

#[derive(Debug)]
struct Draft {
    /// Number within the answer, where the server gives one.
    index: Option<u64>,
    id: String,
    tool: String,
    args: Arguments,
}

#[derive(Debug)]
enum Arguments {
    /// JSON in fragments.
    Text(String),
    /// All at once.
    Whole(Value),
}

/// A piece of a call as it is in one frame.
#[derive(Debug, Default)]
pub(super) struct CallPiece<'a> {
    pub(super) index: Option<u64>,
    pub(super) id: Option<&'a str>,
    pub(super) tool: Option<&'a str>,
    pub(super) args: Option<&'a Value>,
}

impl Answer {
    /// One of a model that thinks as this filter expects.
    pub(super) fn of(thoughts: Filter) -> Self {
        Self { thoughts, ..Self::default() }
    }

    /// More words, thoughts among them.
    pub(super) fn say(&mut self, words: &str) {
        self.begun |= !words.is_empty();
        self.thoughts.pass(&printable(words), &mut self.text);
        if self.thoughts.took_back() {
            // What was handed on was thoughts, and the answer begins now.
            self.told = 0;
        }
    }

    /// No more words come; `cut_short` says by then whether that is their end.
    pub(super) fn end(&mut self) {
        self.thoughts.end(&mut self.text, self.cut_short);
    }

    /// What it has shown of how its model thinks.
    pub(super) fn manner(&self) -> Option<Manner> {
        self.thoughts.manner()
    }

    /// The model's name for itself; the first one counts.
    pub(super) fn name_model(&mut self, name: Option<&str>) {
        let fits = |name: &&str| name.len() <= MAX_NAME_BYTES && !name.contains(char::is_control);
        if let Some(name) = name.filter(|name| self.model.is_empty() && fits(name)) {
            self.model = name.to_owned();
        }
    }

    /// A call, or a piece of one. Pieces belong together by their index; without one, a piece with a new id or
    /// with a name begins a call and any other goes on with the last.
    pub(super) fn call(&mut self, piece: &CallPiece<'_>) -> Result<(), StreamError> {
        self.begun = true;
        let place = match piece.index {
            Some(index) => self.calls.iter().rposition(|draft| draft.index == Some(index)).filter(|place| {
                // Some servers give every call the same index; then the id tells them apart.
                let id =
                    piece.id.filter(|id| !id.is_empty() && piece.tool.is_some_and(|tool| !tool.is_empty()));
                id.is_none_or(|id| self.calls[*place].id == id)
            }),
            None => {
                let last = self.calls.len().checked_sub(1);
                let new_id = |id: &str| !id.is_empty() && last.is_none_or(|last| self.calls[last].id != id);
                let new = piece.id.map_or_else(|| piece.tool.is_some_and(|tool| !tool.is_empty()), new_id);
                if new { None } else { last }
            }
        };
        let place = match place {
            Some(place) => place,
            None if self.calls.len() == MAX_CALLS => return Err(StreamError::TooManyCalls(MAX_CALLS)),
            None => {
                let args = Arguments::Text(String::new());
                self.calls.push(Draft { index: piece.index, id: String::new(), tool: String::new(), args });
                self.calls.len() - 1
            }
        };
        let draft = &mut self.calls[place];
        for (part, new) in [(&mut draft.id, piece.id), (&mut draft.tool, piece.tool)] {
            // Some servers say both again with every fragment, others leave them empty.
            if let Some(new) = new.filter(|new| part.is_empty() && new.len() <= MAX_NAME_BYTES) {
                new.clone_into(part);
            }
        }
        match (piece.args, &mut draft.args) {
            (Some(Value::String(fragment)), Arguments::Text(text)) => text.push_str(fragment),
            (Some(Value::Null) | None, _) => {}
            (Some(whole), args) => *args = Arguments::Whole(whole.clone()),
        }
        Ok(())
    }

    /// Words that came since this was asked last.
    pub(super) fn fresh(&mut self) -> &str {
        let from = std::mem::replace(&mut self.told, self.text.len());
        &self.text[from..]
    }

    /// The answer as a whole; `asked` names the model where the server did not. `original` turns the name of a tool
    /// as it was on the wire into that of the tool table.
    pub(super) fn complete(self, asked: &str, original: impl Fn(&str) -> String) -> Completion {
        let mut calls: Vec<ModelCall> = Vec::with_capacity(self.calls.len());
        for draft in self.calls {
            let taken = draft.id.is_empty() || calls.iter().any(|call| call.id == draft.id);
            let id = if taken { made_up_id() } else { draft.id };
            calls.push(ModelCall { id, tool: original(&draft.tool), args: draft.args.read() });
        }
        let model = if self.model.is_empty() { asked.to_owned() } else { self.model };
        Completion { text: self.text, calls, model, cut_short: self.cut_short }
    }
}

impl Arguments {
    /// No arguments at all are an empty object; what is no JSON stays a text.
    fn read(self) -> Value {
        match self {
            Self::Text(text) if text.trim().is_empty() => Value::Object(serde_json::Map::new()),
            Self::Text(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            Self::Whole(value) => value,
        }
    }
}

/// The words without what is no writing: a control character may be an order to the terminal they are shown on, and a
/// mark of direction may show them in another order than they are in.
fn printable(words: &str) -> Cow<'_, str> {
    let is_order = |c: char| {
        let marks_direction = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        marks_direction || (c.is_control() && !matches!(c, '\n' | '\t'))
    };
    if words.contains(is_order) { words.replace(is_order, "").into() } else { words.into() }
}

/// Unlike any other of this process, so that it names a call within any conversation.
pub(super) fn made_up_id() -> String {
    static LAST: AtomicU64 = AtomicU64::new(0);
    format!("call_{}", LAST.fetch_add(1, Ordering::Relaxed) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn piece<'a>(
        index: Option<u64>,
        id: Option<&'a str>,
        tool: Option<&'a str>,
        args: Option<&'a Value>,
    ) -> CallPiece<'a> {
        CallPiece { index, id, tool, args }
    }

    #[test]
    fn fragments_belong_together_by_index_or_by_order() {
        let texts: Vec<Value> = ["{\"a\":", "{\"b\":", "1}", "2}"].map(Value::from).to_vec();
        let mut answer = Answer::default();
        answer.call(&piece(Some(0), Some("x"), Some("one"), Some(&texts[0]))).unwrap();
        answer.call(&piece(Some(1), Some("y"), Some("two"), Some(&texts[1]))).unwrap();
        answer.call(&piece(Some(0), None, None, Some(&texts[2]))).unwrap();
        answer.call(&piece(Some(1), Some(""), Some(""), Some(&texts[3]))).unwrap();
        let calls = answer.complete("toy", str::to_owned).calls;
        assert_eq!((calls[0].id.as_str(), &calls[0].args), ("x", &json!({"a": 1})));
        assert_eq!((calls[1].tool.as_str(), &calls[1].args), ("two", &json!({"b": 2})));

        let mut answer = Answer::default();
        answer.call(&piece(None, Some("x"), Some("one"), Some(&texts[0]))).unwrap();
        answer.call(&piece(None, Some("x"), None, Some(&texts[2]))).unwrap();
        answer.call(&piece(None, None, Some("two"), None)).unwrap();
        let calls = answer.complete("toy", str::to_owned).calls;
        assert_eq!(calls[0].args, json!({"a": 1}));
        assert_eq!((calls[1].tool.as_str(), &calls[1].args), ("two", &json!({})));
        assert!(calls[1].id.starts_with("call_"));

        let mut answer = Answer::default();
        answer.call(&piece(Some(0), Some("x"), Some("one"), Some(&json!("{}")))).unwrap();
        answer.call(&piece(Some(0), Some("x"), Some("one"), Some(&json!("")))).unwrap();
        answer.call(&piece(Some(0), Some("y"), Some("one"), Some(&json!("{}")))).unwrap();
        assert_eq!(answer.complete("toy", str::to_owned).calls.len(), 2);
    }

    #[test]
    fn what_is_no_json_stays_a_text_and_ids_are_never_shared() {
        let broken = Value::from("{\"a\":");
        let whole = json!({"a": [1]});
        let mut answer = Answer::default();
        answer.call(&piece(Some(7), Some("x"), Some("one"), Some(&broken))).unwrap();
        answer.call(&piece(Some(8), Some("x"), Some("two"), Some(&whole))).unwrap();
        let calls = answer.complete("toy", str::to_owned).calls;
        assert_eq!((&calls[0].args, &calls[1].args), (&broken, &whole));
        assert_ne!(calls[0].id, calls[1].id);
    }

    #[test]
    fn there_is_an_end_to_the_tools_wanted() {
        let mut answer = Answer::default();
        for index in 0..MAX_CALLS as u64 {
            answer.call(&piece(Some(index * 1_000_000_007), None, Some("t"), None)).unwrap();
        }
        let one_more = answer.call(&piece(Some(3), None, Some("t"), None));
        assert_eq!(one_more, Err(StreamError::TooManyCalls(MAX_CALLS)));
    }

    #[test]
    fn orders_to_a_terminal_are_no_words() {
        let mut answer = Answer::default();
        answer.say("It is\u{1b}]0;x\u{7} two\r\n\to'clock \u{202e}.");
        assert_eq!(answer.fresh(), "It is]0;x two\n\to'clock .");
    }

    #[test]
    fn thoughts_that_were_handed_on_are_no_part_of_the_answer() {
        let mut answer = Answer::default();
        answer.say("They want the day.");
        assert_eq!(answer.fresh(), "They want the day.");
        answer.say("</think>\nIt is");
        assert_eq!(answer.fresh(), "It is");
        answer.say(" Sunday, the twenty-second of November.");
        assert_eq!(answer.fresh(), " Sunday, the twenty-second of November.");
        answer.end();
        assert_eq!(
            answer.complete("toy", str::to_owned).text,
            "It is Sunday, the twenty-second of November."
        );
    }

    #[test]
    fn words_are_told_once() {
        let mut answer = Answer::default();
        answer.say("It is ");
        answer.say("Sunday");
        assert_eq!(answer.fresh(), "It is Sunday");
        assert_eq!(answer.fresh(), "");
        answer.say(".");
        assert_eq!(answer.fresh(), ".");
        assert_eq!(answer.complete("toy", str::to_owned).model, "toy");
    }
}

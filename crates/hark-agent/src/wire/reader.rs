//! Reads the bytes of an answer, however they are split: server-sent events (WHATWG HTML, section 9.2), lines of JSON,
//! or one JSON text of a server that does not stream. Everything in it is bounded.

use super::Wire;
use super::lines::{Lines, MAX_LINE_BYTES};
use super::{ollama, openai};
use crate::answer::Answer;
use crate::error::{StreamError, shortened};
use crate::thoughts::Filter;
use serde_json::Value;

/// The state between two chunks.
#[derive(Debug)]
pub(crate) struct Reader {
    kind: Wire,
    shape: Shape,
    lines: Lines,
    /// All of an answer that is one JSON text.
    whole: Vec<u8>,
    frames: Frames,
    /// Bytes read, and the most of them.
    read: usize,
    limit: usize,
}

/// What the bytes turn out to be; servers are not to be believed in their content types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Unknown,
    Lines,
    Whole,
}

/// Puts lines together to frames and reads these.
#[derive(Debug)]
struct Frames {
    kind: Wire,
    /// Data of the event whose empty line has not come.
    data: Vec<u8>,
    /// Lines that `data` was made of.
    data_lines: usize,
    answer: Answer,
    /// `[DONE]` or a last line came; nothing after it counts.
    over: bool,
}

impl Reader {
    /// For one answer of at most `limit` bytes, whose thoughts `thoughts` takes out.
    pub(crate) fn new(kind: Wire, limit: usize, thoughts: Filter) -> Self {
        let answer = Answer::of(thoughts);
        let frames = Frames { kind, data: Vec::new(), data_lines: 0, answer, over: false };
        let lines = Lines::default();
        Self { kind, shape: Shape::Unknown, lines, whole: Vec::new(), frames, read: 0, limit }
    }

    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(), StreamError> {
        if self.frames.over {
            return Ok(());
        }
        self.read += bytes.len();
        if self.read > self.limit {
            return Err(StreamError::TooLarge(self.limit));
        }
        if self.shape == Shape::Unknown {
            return self.begin(bytes);
        }
        self.go_on(bytes)
    }

    /// Whether the answer is over, whatever else the server may send.
    pub(crate) fn is_over(&self) -> bool {
        self.frames.over
    }

    /// Whether the server said why the answer ends; what still comes is of no account.
    pub(crate) fn is_finished(&self) -> bool {
        self.frames.answer.finished || self.frames.over
    }

    /// Whether the stream ended in good order without a reason: llama.cpp's Python server ends an answer so when another
    /// request comes.
    pub(crate) fn was_interrupted(&self) -> bool {
        self.frames.over && !self.frames.answer.finished
    }

    /// Whether anything of the answer came.
    pub(crate) fn has_begun(&self) -> bool {
        self.frames.answer.begun || self.frames.answer.finished
    }

    /// Words that came since this was asked last.
    pub(crate) fn fresh(&mut self) -> &str {
        self.frames.answer.fresh()
    }

    /// No more bytes come. Afterwards the last words are [`Reader::fresh`].
    pub(crate) fn end(&mut self) -> Result<(), StreamError> {
        if self.shape == Shape::Whole && !self.frames.over {
            let frame = json(&self.whole)?;
            self.frames.read(&frame)?;
            if frame.pointer("/choices/0").is_some() {
                self.frames.answer.finished = true;
            }
        }
        if let Some(line) = self.lines.rest() {
            self.frames.line(&line)?;
        }
        self.frames.dispatch()?;
        self.frames.answer.cut_short |= self.was_interrupted();
        self.frames.answer.end();
        if self.is_finished() { Ok(()) } else { Err(StreamError::ClosedEarly) }
    }

    /// The answer, after [`Reader::end`].
    pub(crate) fn into_answer(self) -> Answer {
        self.frames.answer
    }

    /// The first byte that is no white space tells what it is.
    fn begin(&mut self, bytes: &[u8]) -> Result<(), StreamError> {
        self.whole.extend_from_slice(bytes);
        let start = self.whole.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.whole);
        let first = start.iter().find(|byte| !byte.is_ascii_whitespace());
        self.shape = match (first, self.kind) {
            (None, _) => return Ok(()),
            (Some(b'<'), _) => {
                let text = shortened(&String::from_utf8_lossy(&start[..start.len().min(80)]));
                return Err(StreamError::NotTheProtocol(format!("a page and no answer: {text}")));
            }
            (Some(b'{' | b'['), Wire::Openai) => Shape::Whole,
            // A JSON text over several lines begins with a bracket that stands alone.
            (Some(b'{'), Wire::Ollama) => match start.trim_ascii_start().get(1) {
                None => return Ok(()),
                Some(b'\r' | b'\n') => Shape::Whole,
                Some(_) => Shape::Lines,
            },
            _ => Shape::Lines,
        };
        let begun = std::mem::take(&mut self.whole);
        self.go_on(&begun)
    }

    fn go_on(&mut self, bytes: &[u8]) -> Result<(), StreamError> {
        if self.shape == Shape::Whole {
            self.whole.extend_from_slice(bytes);
            return Ok(());
        }
        let frames = &mut self.frames;
        self.lines.feed(bytes, &mut |line| frames.line(line))
    }
}

impl Frames {
    fn line(&mut self, line: &[u8]) -> Result<(), StreamError> {
        if self.over {
            return Ok(());
        }
        match self.kind {
            Wire::Ollama if line.trim_ascii().is_empty() => Ok(()),
            Wire::Ollama => self.read(&json(line)?),
            Wire::Openai if line.is_empty() => self.dispatch(),
            Wire::Openai => self.field(line),
        }
    }

    /// One field of an event. Comments and all fields but `data` say nothing that is needed.
    fn field(&mut self, line: &[u8]) -> Result<(), StreamError> {
        let Some(value) = line.strip_prefix(b"data:") else { return Ok(()) };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        if self.data.len() + value.len() >= MAX_LINE_BYTES {
            return Err(StreamError::LongLine(MAX_LINE_BYTES));
        }
        // Servers that forget the empty line send whole frames one after the other. Looked at once an event, for
        // the time it takes.
        if self.data_lines == 1 && serde_json::from_slice::<serde::de::IgnoredAny>(&self.data).is_ok() {
            self.dispatch()?;
        }
        if self.data_lines > 0 {
            self.data.push(b'\n');
        }
        self.data_lines += 1;
        self.data.extend_from_slice(value);
        if value.trim_ascii() == b"[DONE]" { self.dispatch() } else { Ok(()) }
    }

    /// The event is complete.
    fn dispatch(&mut self) -> Result<(), StreamError> {
        let data = std::mem::take(&mut self.data);
        self.data_lines = 0;
        match data.trim_ascii() {
            _ if self.over => Ok(()),
            b"" => Ok(()),
            b"[DONE]" => {
                self.over = true;
                Ok(())
            }
            data => {
                let frame = json(data)?;
                self.read(&frame)
            }
        }
    }

    fn read(&mut self, frame: &Value) -> Result<(), StreamError> {
        match self.kind {
            Wire::Openai => openai::read(frame, &mut self.answer),
            Wire::Ollama => {
                ollama::read(frame, &mut self.answer)?;
                self.over = self.answer.finished;
                Ok(())
            }
        }
    }
}

/// Depth is bounded by the parser.
fn json(bytes: &[u8]) -> Result<Value, StreamError> {
    serde_json::from_slice(bytes).map_err(|error| StreamError::NotJson(error.to_string()))
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;

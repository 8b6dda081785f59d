//! Text out of files. Parsers of foreign formats run on a thread of their own, with bounds of time and size, so that
//! one that panics or hangs costs a file and not the program. Called when a document is indexed.

mod epub;
mod html;
pub(crate) mod kind;
mod markdown;
mod pdf;
mod plain;

use crate::{KnowledgeError, Settings};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
pub use kind::Kind;
use std::any::Any;
use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};

/// Stack of the thread; parsers of nested formats recurse.
const STACK_BYTES: usize = 64 << 20;

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// A heading of this level, 1 for the highest.
    Heading(u8),
    /// Sentences.
    Paragraph,
    /// A list item, a row of a table or a line of code: stays on a line of its own.
    Line,
}

/// A piece of text, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    pub(crate) text: String,
    /// From 1; only where the format has pages.
    pub(crate) page: Option<u32>,
    /// Bytes in the source (see [`crate::Hit::start_byte`]).
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether `text` is what stands there, byte for byte.
    pub(crate) is_verbatim: bool,
}

/// The text of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Extracted {
    /// The title it gives itself.
    pub(crate) title: Option<String>,
    pub(crate) blocks: Vec<Block>,
}

/// The bounds a parser keeps, and what it says when it cannot go on.
pub(crate) struct Bounds {
    path: PathBuf,
    max_text_bytes: usize,
    cancelled: Arc<AtomicBool>,
    time_limit: std::time::Duration,
}

impl Bounds {
    /// Called between pages or chapters with the bytes of text so far.
    fn check(&self, text_bytes: usize, place: &dyn Fn() -> String) -> Result<(), KnowledgeError> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(KnowledgeError::TooSlow { path: self.path.clone(), limit: self.time_limit });
        }
        if text_bytes > self.max_text_bytes {
            let (path, limit) = (self.path.clone(), self.max_text_bytes);
            return Err(KnowledgeError::TooMuchText { path, place: place(), limit });
        }
        Ok(())
    }

    fn damaged(&self, place: impl Into<String>, why: impl ToString) -> KnowledgeError {
        KnowledgeError::Damaged { path: self.path.clone(), place: place.into(), why: why.to_string() }
    }

    fn no_text(&self, why: &str) -> KnowledgeError {
        KnowledgeError::NoText { path: self.path.clone(), why: why.to_owned() }
    }
}

/// Reads a document. Blocks until it is read or the time is over.
///
/// # Errors
/// All that name a file.
pub(crate) fn extract(path: &Path, kind: Kind, settings: &Settings) -> Result<Extracted, KnowledgeError> {
    let bytes = read(path, settings.max_file_bytes)?;
    let limit = settings.max_read_time;
    let cancelled = Arc::new(AtomicBool::new(false));
    let bounds = Bounds {
        path: path.to_owned(),
        max_text_bytes: settings.max_text_bytes,
        cancelled: Arc::clone(&cancelled),
        time_limit: limit,
    };
    let (answer, result) = sync_channel(1);
    std::thread::Builder::new()
        .name("hark-extract".into())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let read = catch_unwind(AssertUnwindSafe(|| parse(&bytes, kind, &bounds)))
                .unwrap_or_else(|panic| Err(bounds.damaged("somewhere", panic_text(panic.as_ref()))));
            // Nobody waits for it when the time is over.
            let _ = answer.send(read);
        })
        .map_err(|error| KnowledgeError::NoThread { name: "hark-extract", why: error.to_string() })?;
    let extracted = match result.recv_timeout(limit) {
        Ok(read) => read?,
        Err(why) => {
            cancelled.store(true, Ordering::Relaxed);
            let path = path.to_owned();
            return Err(match why {
                RecvTimeoutError::Timeout => KnowledgeError::TooSlow { path, limit },
                RecvTimeoutError::Disconnected => KnowledgeError::Damaged {
                    path,
                    place: "somewhere".into(),
                    why: "its parser ended".into(),
                },
            });
        }
    };
    let has_text = extracted.blocks.iter().any(|block| block.text.chars().any(char::is_alphanumeric));
    if has_text {
        return Ok(extracted);
    }
    Err(KnowledgeError::NoText { path: path.to_owned(), why: "it is empty".to_owned() })
}

fn read(path: &Path, limit: u64) -> Result<Vec<u8>, KnowledgeError> {
    let unreadable =
        |error: std::io::Error| KnowledgeError::Unreadable { path: path.to_owned(), why: error.to_string() };
    let file = File::open(path).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    let too_large = |bytes| KnowledgeError::TooLarge { path: path.to_owned(), bytes, limit };
    if bytes > limit {
        return Err(too_large(bytes));
    }
    let mut content = Vec::with_capacity(usize::try_from(bytes).unwrap_or(0));
    // It may have grown since.
    file.take(limit + 1).read_to_end(&mut content).map_err(unreadable)?;
    let bytes = content.len() as u64;
    if bytes > limit { Err(too_large(bytes)) } else { Ok(content) }
}

fn parse(bytes: &[u8], kind: Kind, bounds: &Bounds) -> Result<Extracted, KnowledgeError> {
    match kind {
        Kind::Pdf => pdf::parse(bytes, bounds),
        Kind::Epub => epub::parse(bytes, bounds),
        Kind::Text => {
            let text = decode(bytes, None, bounds)?;
            Ok(Extracted { title: None, blocks: plain::blocks(&text, None) })
        }
        Kind::Markdown => Ok(markdown::parse(&decode(bytes, None, bounds)?)),
        Kind::Html => {
            let text = decode(bytes, html::declared_encoding(bytes), bounds)?;
            Ok(html::parse(&text, html::Dialect::Html))
        }
    }
}

/// Bytes as text: by the mark at the beginning, as declared, as UTF-8, or else as Windows-1252.
fn decode(
    bytes: &[u8],
    declared: Option<&'static Encoding>,
    bounds: &Bounds,
) -> Result<String, KnowledgeError> {
    let encoding = match (Encoding::for_bom(bytes), std::str::from_utf8(bytes)) {
        (Some((encoding, _)), _) => encoding,
        (None, Ok(_)) => UTF_8,
        (None, Err(_)) => declared.unwrap_or(WINDOWS_1252),
    };
    let (text, _, _) = encoding.decode(bytes);
    bounds.check(text.len(), &|| "as a whole".to_owned())?;
    match text.find('\0') {
        Some(at) => Err(bounds.damaged(format!("byte {at}"), "it holds binary data, not text")),
        None => Ok(text.into_owned()),
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "its parser failed".to_owned())
}

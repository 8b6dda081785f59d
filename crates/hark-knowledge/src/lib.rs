//! The household's documents: what is in them, and which passage answers a question. It owns the files of
//! documents' text (text, Markdown, HTML, PDF, EPUB), their index in one SQLite file, and the search in it. The
//! composition root, `hark docs` and the tools call it; the sentence encoder comes in by [`Encoder`].
//!
//! [`Knowledge`] writes the index and [`Searcher`] reads it, each on the thread of its caller and at the same time.
//! [`Watch`] is a thread (`hark-knowledge`) that owns a [`Knowledge`] and keeps it in step with folders. `extract` reads
//! formats, `passages` cuts, `embedding` makes vectors, `search` fuses two rankings, `rerank` orders the best and chooses
//! the answer. The first pass over vectors is a scan of bit codes in memory (`codes`) and not a `vec0` table, which took ten
//! times as long with 900,000 windows; the nearest are compared again by `sqlite-vec`.
//!
//! ```
//! use hark_core::Fault;
//! use hark_knowledge::{Encoder, Knowledge, Searcher, Settings, WordVectors};
//! use std::ops::ControlFlow;
//!
//! /// Stands for a real one: a vector of how often each letter is there.
//! struct Letters;
//!
//! fn letters(text: &str) -> Vec<f32> {
//!     (b'a'..=b'z').map(|letter| text.bytes().filter(|byte| *byte == letter).count() as f32).collect()
//! }
//!
//! impl Encoder for Letters {
//!     fn name(&self) -> &str {
//!         "letters"
//!     }
//!     fn dimension(&self) -> usize {
//!         26
//!     }
//!     fn encode(&mut self, text: &str, sentence: &mut Vec<f32>, words: &mut WordVectors) -> Result<(), Fault> {
//!         *sentence = letters(text);
//!         *words = WordVectors { numbers: text.split(' ').flat_map(letters).collect(), width: 26 };
//!         Ok(())
//!     }
//! }
//!
//! # let folder = tempfile::tempdir()?;
//! let manual = folder.path().join("kettle.md");
//! std::fs::write(&manual, "# Kettle\n## Care\nDescale it every three months. Use vinegar.")?;
//! let index = folder.path().join("knowledge.db");
//! let mut knowledge = Knowledge::open(&index, Settings::default())?;
//! knowledge.add(&manual, &mut Letters, &mut |_| ControlFlow::Continue(()))?;
//!
//! let mut searcher = Searcher::open(&index, Settings::default())?;
//! let hits = searcher.search(&mut Letters, "how often is it descaled")?;
//! assert_eq!(hits[0].heading, "Kettle > Care");
//! assert!(hits[0].answer.contains("every three months"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod catalogue;
mod codes;
mod database;
mod embedding;
mod encoder;
mod error;
mod excerpt;
mod extract;
mod files;
mod index;
mod passages;
mod rerank;
mod search;
mod sentences;
mod settings;
mod sqlite_vec_extension;
mod vectors;
mod watch;

pub use catalogue::{Document, DocumentState, Progress, Report, Status};
pub use encoder::{Encoder, WordVectors};
pub use error::KnowledgeError;
pub use excerpt::excerpt;
pub use extract::Kind;
pub use index::{Hook, Knowledge};
pub use rerank::Signals;
pub use search::{Hit, Searcher, Timings};
pub use settings::Settings;
pub use watch::{Answer, Counts, Watch, WatchCallback, WatchEvent};

//! What the household told Hark, as a graph: entities (people, places, things, projects), typed relations between them,
//! and the facts they were read from, with time, turn, speaker and how sure they are. Tools, the background work after a
//! turn, the command line and the HTTP interface use [`Memory`]; the database, the sentence rules and the sentence encoder
//! come in by ports of `hark_core::memory`.
//!
//! `resolve` decides what a new statement contradicts, `ranking` puts together what words, sentence vectors, the graph and
//! recency say about a question, `paths` follows relations from one to the next, `likeness` compares the words of a question with those of a
//! fact, `vectors` compares sentences. These are pure; [`Memory`] reads and writes by the ports.
//!
//! ```
//! // What two rankings agree on comes first.
//! let (by_words, by_vectors) = ((1.0, vec![3, 7]), (1.0, vec![7, 9]));
//! assert_eq!(hark_memory::fuse(&[by_words, by_vectors], |_| 0)[0], 7);
//! ```

mod answer_kind;
mod changing;
mod conversations;
mod correcting;
mod forgetting;
mod keep;
mod likeness;
mod paths;
mod ranking;
mod recall;
mod recent;
mod resolve;
mod several_facts;
mod speaking;
mod vectors;

pub use forgetting::{Forgotten, topic_of};
pub use keep::{Asked, Kept, Memory, Telling, sounds_private};
pub use ranking::fuse;
pub use recall::Recalled;
pub use resolve::{Resolution, resolve};

//! What to do and what to say: the turn machine with barge-in, follow-ups and modes, which node answers, routes from
//! intents to tools, reply templates, and the tasks of language models. The turn machine is a pure function of its state,
//! the time and an event; the program calls it on one thread and carries out what it answers.
//!
//! ```
//! use hark_dialog::instincts::{is_stop, yes_or_no};
//!
//! let spoken = [hark_language::of("en")];
//! assert!(is_stop("stop", &spoken));
//! assert_eq!(yes_or_no("yes", &spoken), Some(true));
//! ```

pub mod changing;
pub mod choice;
pub mod claims;
pub mod context;
pub mod contracts;
pub mod direct;
pub mod instincts;
pub mod kinds;
pub mod ladder;
pub mod mind;
pub mod modes;
pub mod pin_words;
pub mod replay_reason;
pub mod replies;
pub mod route;
pub mod slash;
pub mod summary;
pub mod turn;

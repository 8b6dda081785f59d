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

pub mod arbitration;
pub mod choice;
pub mod contracts;
pub mod dialog_act;
pub mod direct;
pub mod follow_ups;
pub mod history_policy;
pub mod instincts;
pub mod intent_tools;
pub mod model_tasks;
pub mod modes;
pub mod pin_words;
pub mod replies;
pub mod router;
pub mod slash;
pub mod summary;
pub mod text_transformation;
pub mod turn;

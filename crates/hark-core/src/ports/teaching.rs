//! Telling Hark what it took wrongly: the words of a request become an example of what was meant.

use super::super::intent::Intent;
use serde::{Deserialize, Serialize};

/// A request that was taken wrongly, and what was meant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Correction {
    /// A turn that is kept, from outside. Nothing in it is trusted.
    Turn {
        /// Its id, or `last`.
        turn: String,
        /// The name of an intent, `none` for nothing the house can do, or other words that say it.
        meant: String,
        /// The kind of thing it is about, where one intent serves several (`cover`, `lock` …).
        domain: Option<String>,
    },
    /// The request before, by "that was wrong, I meant …".
    Said {
        /// Its words.
        text: String,
        /// What the other words were understood as.
        intent: Box<Intent>,
    },
}

/// What was kept of a correction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// The words that were taken wrongly.
    pub text: String,
    /// The intent they are an example of, or `none`.
    pub meant: String,
    /// It was known already.
    pub known: bool,
    /// Why it may change nothing.
    pub note: Option<String>,
}

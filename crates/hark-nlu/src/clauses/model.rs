//! The types that reading clauses fills: a request with what its clauses say, a clause, and what that adds.

use super::super::grammar::Match;
use super::super::qualifiers::{Qualifier, Qualifiers};
use super::Composer;
use chrono::NaiveDateTime;
use hark_core::Slots;
use hark_core::automation::{Condition, Trigger, Until};

/// A request with its clauses.
pub(super) struct Composed {
    /// What is to be done.
    pub(super) matches: Vec<Match>,
    /// How many of them last until `terms.until`; the others stand behind it.
    pub(super) lasting: usize,
    /// The words of that alone.
    pub(super) said: String,
    pub(super) terms: Terms,
}

/// A day or a part of it on which alone something is waited for, as it was said.
#[derive(Debug)]
pub(super) struct OnDay {
    pub(super) from: NaiveDateTime,
    pub(super) to: NaiveDateTime,
    pub(super) words: String,
}

/// What the clauses say.
#[derive(Debug, Default)]
pub(super) struct Terms {
    pub(super) trigger: Option<Trigger>,
    pub(super) repeats: bool,
    /// What has to happen is said of "it".
    pub(super) of_it: bool,
    /// Looked at once: what is done where it is not so (`ask`, `drop`, `wait`).
    pub(super) at_once: Option<&'static str>,
    pub(super) only_if: Vec<Condition>,
    /// The part of a day to which it is limited: "tonight".
    pub(super) part_of_day: Option<(NaiveDateTime, NaiveDateTime)>,
    pub(super) until: Option<Until>,
    /// The words that say when, and how long.
    pub(super) said_when: Vec<String>,
    pub(super) said_until: String,
    /// The words that say on which days not.
    pub(super) said_not: String,
}

/// Some words that may be a clause.
pub(super) struct Clause<'c> {
    pub(super) by: &'c Composer<'c>,
    pub(super) qualifiers: &'c Qualifiers<'c>,
    pub(super) it: &'c Qualifier,
    pub(super) end: usize,
}

/// What a clause adds.
pub(super) enum Adds {
    Becomes {
        said: Said,
        repeats: bool,
    },
    /// The sun rises or sets, or something rings.
    Happens {
        trigger: Trigger,
        repeats: bool,
    },
    Check {
        said: Said,
        not: bool,
        otherwise: &'static str,
        /// It is said to be so now, and looked at now, whenever something is done then.
        now: bool,
    },
    During(Said),
    Hours(Condition),
    Until(Until),
    /// Things of the home, none where the words name none; and these words.
    Except(Vec<Slots>, String),
    /// The words of days on which it is not to be done.
    ExceptDays(Vec<String>),
}

/// What a condition says.
pub(super) struct Said {
    pub(super) condition: Condition,
    /// It tells a change.
    pub(super) becomes: bool,
    /// It is about what the request is about.
    pub(super) of_it: bool,
    /// It is about the place where the request is to be carried out.
    pub(super) there: bool,
    /// It has been so for this long.
    pub(super) for_seconds: u64,
}

//! What the parser keeps of a sentence: the best way into each node of the network at each place.

use super::super::Part;
use super::super::fragments::SlotId;
use super::super::fuzzy_match::near_names::Candidate;
use super::super::network::NodeId;
use super::super::parse_result::Took;
use super::super::views::ViewId;
use super::super::words::{QuickMap, WordId};
use crate::rules;

/// How much worse a way is than another. Less is better, the fields from the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Cost {
    /// How far names are from what was said: the way they were recognised, then how badly.
    pub(super) near: u16,
    /// Words that a wildcard took.
    pub(super) wild: u16,
    /// Words that were skipped.
    pub(super) skipped: u16,
    /// Words that a list took: literal text is worth more.
    pub(super) listed: u16,
    /// Lists that took words: one long name is worth more than a place and a shorter name.
    pub(super) lists: u16,
}

/// How a node was reached.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Start,
    Word,
    Skip,
    Any(SlotId),
    View(ViewId, SlotId, u32),
    Ruled(SlotId, u32),
    Near(ViewId, SlotId, u32),
}

impl Step {
    pub(super) fn took(self) -> Took {
        match self {
            Self::Word | Self::View(..) => Took::Meant,
            Self::Ruled(..) => Took::Ruled,
            Self::Near(..) => Took::Nearly,
            Self::Any(_) => Took::AsItIs,
            Self::Start | Self::Skip => Took::Nothing,
        }
    }
}

/// One way into a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) node: NodeId,
    pub(super) cost: Cost,
    pub(super) step: Step,
    /// Position before the step.
    pub(super) from: usize,
    /// The way it continues.
    pub(super) before: usize,
}

/// Which charts may be of use to some words.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(in crate::grammar) struct ChartKey {
    pub(super) part: Part,
    pub(super) wild: bool,
    pub(super) first: String,
}

/// The best way into each node at each place of a sentence. What stands behind a place changes nothing of it, so that it is
/// the chart of every beginning of the sentence.
#[derive(Debug)]
pub(in crate::grammar) struct Chart {
    pub(super) words: Vec<Option<WordId>>,
    pub(super) spoken: Vec<String>,
    pub(super) ways: Vec<Way>,
    /// Best way into each node, by position.
    pub(super) frontier: Vec<QuickMap<NodeId, usize>>,
    /// Everything that rules found.
    pub(super) found: Vec<rules::Found>,
    /// Names that were nearly said and offered, with their places in the list; the best first.
    pub(super) offered: Vec<Vec<(Candidate, u32)>>,
}

impl Chart {
    pub(super) fn begins_with(&self, words: &[&str]) -> bool {
        words.len() <= self.spoken.len() && words.iter().zip(&self.spoken).all(|(word, known)| word == known)
    }
}

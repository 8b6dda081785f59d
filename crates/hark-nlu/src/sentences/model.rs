//! What sentence files hold, once read: data blocks, lists and rules.

use super::template::Expr;
use crate::problem::Place;
use crate::rules::Prefer;
use hark_core::Slots;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A sentence template and where it was written.
#[derive(Debug, Clone)]
pub struct Template {
    /// As written.
    pub text: String,
    /// As parsed.
    pub expr: Expr,
    /// Its file.
    pub file: Arc<Path>,
    /// Its place in the file.
    pub place: Place,
}

/// One entry below `data:`: sentences that share slots and conditions.
#[derive(Debug, Clone)]
pub struct Data {
    /// Name of the intent.
    pub intent: String,
    /// Its sentences.
    pub templates: Vec<Template>,
    /// Slots that are set whenever one of the sentences matches.
    pub slots: Slots,
    /// Key of the response.
    pub response: Option<String>,
    /// What must be known for a match.
    pub requires: BTreeMap<String, Requirement>,
    /// What must not be so; the key is absent or has none of the values.
    pub excludes: BTreeMap<String, Vec<Value>>,
    /// Lists for these sentences only.
    pub lists: BTreeMap<String, List>,
    /// Rules for these sentences only.
    pub rules: BTreeMap<String, Rule>,
    /// Slots that get what is known under their name, beforehand (`area`) or from what was named
    /// (`device_class`), when the sentence says nothing about it. Hark's own key.
    pub from_context: Vec<String>,
    /// Whether people say these sentences aloud; the others are for typed text only and unknown to the
    /// speech recogniser. Hark's own key.
    pub spoken: bool,
    /// Words of which the request must have one.
    pub keywords: Vec<String>,
    /// Handed through to whoever asks; Hark itself does not read it.
    pub metadata: Value,
    /// Which folder it comes from; a later folder (the owner's) wins over an earlier one (ours).
    pub rank: usize,
}

/// A condition of `requires_context`.
#[derive(Debug, Clone, PartialEq)]
pub struct Requirement {
    /// Any of these values; `None`: any value at all.
    pub any_of: Option<Vec<Value>>,
    /// Copy the value into this slot.
    pub slot: Option<String>,
}

/// A rule of `expansion_rules`.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// What it stands for.
    pub expr: Expr,
    /// Its file.
    pub file: Arc<Path>,
    /// Its place in the file.
    pub place: Place,
}

/// A list that templates refer to as `{name}`.
#[derive(Debug, Clone, PartialEq)]
pub enum List {
    /// Written values.
    Values(Vec<ListValue>),
    /// Numbers.
    Range(Range),
    /// Text that is parsed by rule. Hark's own.
    Rule {
        /// How.
        ruled: Ruled,
        /// How it is said aloud, as templates: the only ways the speech recogniser knows.
        spoken: Vec<Rule>,
    },
    /// Any text.
    Wildcard {
        /// Likely texts; the only ones the speech recogniser knows. Hark's own key.
        spoken: Vec<String>,
        /// Most words it takes in typed text. Hark's own key.
        max_words: Option<usize>,
        /// Whether it takes the address of a page alone. Hark's own key `form: address`.
        is_address: bool,
    },
}

/// How a list is parsed by rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ruled {
    /// The rule.
    pub rule: crate::rules::Rule,
    /// Which of two possible hours is meant.
    pub prefer: Prefer,
}

/// One value of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListValue {
    /// The texts that mean it, the usual one first.
    pub texts: Vec<String>,
    /// What the slot gets.
    pub out: Value,
    /// What else is known when it is matched, such as the domain of an entity.
    pub context: Map<String, Value>,
}

/// A range of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// First number.
    pub from: i64,
    /// Last number.
    pub to: i64,
    /// Distance of two numbers, at least 1.
    pub step: u64,
    /// Fractions between whole numbers, in tenths: none, `[5]` for halves, `[1 … 9]` for tenths.
    pub tenths: Vec<u8>,
    /// The slot gets the number times this.
    pub multiplier: f64,
}

/// Most numbers of a range.
pub const MAX_RANGE: u64 = 200_000;

impl Range {
    /// The range that `0..100` or `10..60,10` means; `None` for anything else.
    pub fn inline(text: &str) -> Option<Self> {
        let (ends, step) = text.split_once(',').unwrap_or((text, "1"));
        let (from, to) = ends.split_once("..")?;
        let (from, to): (u32, u32) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        let step = step.trim().parse().ok().filter(|step| *step > 0)?;
        let range = Self { from: from.into(), to: to.into(), step, tenths: Vec::new(), multiplier: 1.0 };
        (from <= to && range.count() <= MAX_RANGE).then_some(range)
    }

    /// Every number, before multiplying.
    pub fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        let steps = (self.from..=self.to).step_by(usize::try_from(self.step).unwrap_or(usize::MAX));
        steps.flat_map(move |whole| {
            let tenths = self.tenths.iter().map(move |tenth| (whole * 10 + i64::from(*tenth)) as f64 / 10.0);
            std::iter::once(whole as f64).chain(tenths)
        })
    }

    /// How many numbers there are.
    pub fn count(&self) -> u64 {
        let span = self.to.saturating_sub(self.from).max(0) as u64;
        (span / self.step.max(1) + 1).saturating_mul(1 + self.tenths.len() as u64)
    }

    /// What the slot gets for a number.
    pub fn out(&self, number: f64) -> Value {
        let value = number * self.multiplier;
        if value.fract() == 0.0 && value.abs() < 9e15 {
            Value::from(value as i64)
        } else {
            Value::from(value)
        }
    }
}

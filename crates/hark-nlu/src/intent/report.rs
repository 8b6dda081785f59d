//! What a training came to, for people and for the command line.

use super::data::Origin;
use hark_core::Category;
use std::collections::BTreeMap;
use std::fmt;

/// Right ones of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Right.
    pub right: usize,
    /// Of these.
    pub of: usize,
}

impl Share {
    /// Counts one more.
    pub fn count(&mut self, right: bool) {
        self.of += 1;
        self.right += usize::from(right);
    }

    /// 0 ..= 1; 0 of nothing.
    pub fn value(self) -> f32 {
        if self.of == 0 { 0.0 } else { self.right as f32 / self.of as f32 }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} % ({} of {})", 100.0 * self.value(), self.right, self.of)
    }
}

/// What a training came to.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// ISO 639-1 code.
    pub language: String,
    /// Sentences by category and origin.
    pub samples: BTreeMap<(Category, Origin), usize>,
    /// Intents and categories told apart.
    pub classes: usize,
    /// Category right in cross-validation, by category.
    pub by_category: BTreeMap<Category, Share>,
    /// The same over all.
    pub category: Share,
    /// The same over what people wrote and the encoder had not seen.
    pub untouched: Share,
    /// Intent right in cross-validation, of the sentences that have one.
    pub intent: Share,
    /// Category right of the sentences nothing is learned from.
    pub held_out: Share,
    /// Intent right of those among them that have one.
    pub held_out_intent: Share,
    /// What the scores are divided by so that confidence means what it says.
    pub heat: f32,
    /// Turning sentences into numbers.
    pub embedding_s: f32,
    /// Fitting and cross-validating.
    pub fitting_s: f32,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:16} {:>8} {:>8} {:>6}  cross-validated", "category", "template", "example", "owner")?;
        let number = |category, origin| self.samples.get(&(category, origin)).copied().unwrap_or(0);
        for category in Category::ALL {
            let counts =
                [Origin::Template, Origin::Example, Origin::Owner].map(|from| number(category, from));
            if counts.iter().sum::<usize>() == 0 {
                continue;
            }
            let share = self.by_category.get(&category).copied().unwrap_or_default();
            let [template, example, owner] = counts;
            writeln!(f, "{:16} {template:8} {example:8} {owner:6}  {share}", category.name())?;
        }
        writeln!(
            f,
            "{} classes; cross-validated: category {}, intent {}",
            self.classes, self.category, self.intent
        )?;
        writeln!(f, "of sentences the encoder had not seen: category {}", self.untouched)?;
        if self.held_out.of > 0 {
            writeln!(f, "held-out paraphrases: category {}, intent {}", self.held_out, self.held_out_intent)?;
        }
        write!(
            f,
            "{:.1} s: encoding {:.1}, fitting {:.1}",
            self.embedding_s + self.fitting_s,
            self.embedding_s,
            self.fitting_s
        )
    }
}

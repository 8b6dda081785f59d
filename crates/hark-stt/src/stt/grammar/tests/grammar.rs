//! A handful of sentences as a grammar, for the tests of this folder.

use hark_core::ports::{Acceptance, EditCosts, Place, Pronounce, SpeechGrammar};
use hark_core::{Fault, FaultKind};

/// Accepts its sentences and what is an edit or more away from one.
pub(in crate::stt) struct Sentences(Vec<Vec<String>>);

impl Sentences {
    pub(in crate::stt) fn new(sentences: &[&str]) -> Self {
        Self(sentences.iter().map(|text| text.split(' ').map(str::to_owned).collect()).collect())
    }
}

impl SpeechGrammar for Sentences {
    fn sample(&self, count: usize, _seed: u64) -> Vec<Vec<String>> {
        self.0.iter().cycle().take(count.min(self.0.len() * 50)).cloned().collect()
    }

    fn vocabulary(&self) -> Vec<String> {
        self.0.iter().flatten().cloned().collect()
    }

    fn accept(&self, words: &[&str], costs: &EditCosts) -> Option<Acceptance> {
        let found = self.0.iter().map(|said| (edit_cost(words, said, costs), said));
        let (cost, said) = found.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (cost <= costs.limit).then(|| Acceptance { words: said.clone(), cost })
    }

    fn is_open(&self, text: &str) -> Option<bool> {
        self.0.iter().any(|said| said.join(" ") == text).then_some(false)
    }

    fn first(&self) -> Option<Place> {
        (!self.0.is_empty()).then_some(0)
    }

    /// A place is the number of a sentence times 100, and how many of its words are said; 0 is before all.
    fn follow(&self, place: Place, visit: &mut dyn FnMut(&str, Place)) {
        for (number, words) in (1u64..).zip(&self.0) {
            let said = match place {
                0 => 0,
                _ if place / 100 == number => (place % 100) as usize,
                _ => continue,
            };
            if let Some(word) = words.get(said) {
                visit(word, number * 100 + said as u64 + 1);
            }
        }
    }

    fn ends(&self, place: Place) -> bool {
        place > 0 && self.0[(place / 100 - 1) as usize].len() == (place % 100) as usize
    }
}

fn edit_cost(heard: &[&str], said: &[String], costs: &EditCosts) -> f32 {
    let mut row: Vec<f32> = (0..=said.len()).map(|count| count as f32 * costs.insert).collect();
    for word in heard {
        let mut above_left = row[0];
        row[0] += costs.delete;
        for place in 1..row.len() {
            let change = if said[place - 1] == *word { 0.0 } else { costs.substitute };
            let cheapest =
                (above_left + change).min(row[place] + costs.delete).min(row[place - 1] + costs.insert);
            above_left = std::mem::replace(&mut row[place], cheapest);
        }
    }
    row[said.len()]
}

/// Knows no word.
pub(super) struct Speechless;

impl Pronounce for Speechless {
    fn ipa(&self, _word: &str, _language: &str) -> Result<String, Fault> {
        Err(Fault::new(FaultKind::MissingPart, "voice", "no voice", ""))
    }
}

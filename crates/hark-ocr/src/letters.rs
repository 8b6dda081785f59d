//! From scores to letters: the likeliest class of every step, without those that repeat the one before and without the
//! class that stands for no letter (CTC, greedy).

use hark_models::picture_text::Scores;

/// The text, and how certain it is on average, 0 to 1. Class 0 is no letter, the others are `characters` in their order, and
/// the one behind them is a blank.
pub(crate) fn decode(scores: &Scores, characters: &[String]) -> (String, f32) {
    let (mut text, mut certainty, mut count, mut before) = (String::new(), 0.0, 0.0, 0);
    for step in scores.values.chunks_exact(scores.classes.max(1)) {
        let best = step.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        let Some((class, score)) = best else { break };
        if class != 0 && class != before {
            text.push_str(characters.get(class - 1).map_or(" ", String::as_str));
            certainty += score;
            count += 1.0;
        }
        before = class;
    }
    (text, if count > 0.0 { certainty / count } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_classes_are_one_letter_unless_something_is_between() {
        let row = |class: usize, score: f32| {
            let mut row = vec![0.0; 4];
            row[class] = score;
            row
        };
        let steps = [(1, 0.8), (1, 0.9), (0, 1.0), (1, 0.6), (3, 0.7), (2, 0.9), (2, 0.9)];
        let values: Vec<f32> = steps.iter().flat_map(|(class, score)| row(*class, *score)).collect();
        let characters = ["a".to_owned(), "b".to_owned()];
        let (text, certainty) = decode(&Scores { classes: 4, values }, &characters);
        assert_eq!(text, "aa b");
        assert!((certainty - 0.75).abs() < 1e-6, "{certainty}");
        assert_eq!(decode(&Scores { classes: 4, values: Vec::new() }, &characters), (String::new(), 0.0));
    }
}

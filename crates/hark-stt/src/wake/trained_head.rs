//! A wake word of the owner's: a logistic regression over the embeddings of openWakeWord's shared model, learned by `hark wake
//! train`, kept as JSON. Used by the openWakeWord engine in place of a head on LiteRT.

use hark_core::{Fault, FaultKind};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Numbers of an embedding.
pub const EMBEDDING_LEN: usize = 96;
/// Embeddings it hears, one each 80 ms: those of the words that come with openWakeWord hear as many.
pub const WINDOWS: usize = 16;
const INPUTS: usize = WINDOWS * EMBEDDING_LEN;

/// How often all examples are gone through.
const ROUNDS: usize = 12;
const STEP_SIZE: f32 = 0.05;
/// Share of a weight that each step takes away from it.
const DECAY: f32 = 1e-5;
/// How much all examples of the word count, against all others.
const WORD_WEIGHT: f32 = 0.1;

/// The weights of a word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainedHead {
    /// The words, as they are said.
    pub phrase: String,
    /// Mean of each input, which is taken away from it.
    mean: Vec<f32>,
    /// What is left is divided by this.
    deviation: Vec<f32>,
    weights: Vec<f32>,
    bias: f32,
}

/// Embeddings of `WINDOWS` hops, the oldest first, and whether the word has just been said.
#[derive(Debug, Clone)]
pub struct Example {
    pub embeddings: Vec<f32>,
    pub is_word: bool,
}

impl TrainedHead {
    /// Reads a head.
    ///
    /// # Errors
    /// When the file cannot be read or is no trained wake word.
    pub fn load(path: &Path) -> Result<Self, Fault> {
        let bad = |why: String| {
            let message = format!("{} is no trained wake word: {why}", path.display());
            Fault::new(FaultKind::BadInput, "wake", message, "train it anew: hark wake train \"PHRASE\"")
        };
        let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
        let head: Self = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
        let numbers = [&head.mean, &head.deviation, &head.weights];
        let is_whole = numbers.iter().all(|list| list.len() == INPUTS && list.iter().all(|n| n.is_finite()));
        if !is_whole || head.deviation.iter().any(|deviation| *deviation <= 0.0) || !head.bias.is_finite() {
            return Err(bad(format!("it must have {INPUTS} weights with as many means and deviations")));
        }
        Ok(head)
    }

    /// How likely the word has just been said, 0.0 ..= 1.0, by the last [`WINDOWS`] embeddings.
    pub fn score(&self, embeddings: &[f32]) -> f32 {
        1.0 / (1.0 + (-self.sum(embeddings)).exp())
    }

    fn sum(&self, embeddings: &[f32]) -> f32 {
        let scales = self.mean.iter().zip(&self.deviation);
        let inputs =
            embeddings.iter().zip(scales).map(|(value, (mean, deviation))| (value - mean) / deviation);
        self.bias + inputs.zip(&self.weights).map(|(input, weight)| input * weight).sum::<f32>()
    }

    /// Learns a word from examples, which are gone through in the same order each time (stochastic gradient descent with
    /// AdaGrad's step sizes).
    ///
    /// # Errors
    /// When there are no examples of the word, or none of other sound.
    pub fn train(phrase: &str, examples: &[Example]) -> Result<Self, Fault> {
        let words = examples.iter().filter(|example| example.is_word).count();
        let others = examples.len() - words;
        if words == 0 || others == 0 {
            let message = format!("{words} examples of \"{phrase}\" and {others} of other sound");
            return Err(Fault::new(
                FaultKind::Failed,
                "wake",
                message,
                "check that a voice is installed: hark say --list-voices",
            ));
        }
        let (mean, deviation) = statistics(examples);
        let mut head =
            Self { phrase: phrase.to_owned(), mean, deviation, weights: vec![0.0; INPUTS], bias: 0.0 };
        let weight_of_word = WORD_WEIGHT * others as f32 / words as f32;
        let mut squares = vec![1e-3_f32; INPUTS + 1];
        // A step without a common divisor comes by every example, far from the one before.
        let stride = stride(examples.len());
        let mut at = 0;
        for _ in 0..ROUNDS * examples.len() {
            at = (at + stride) % examples.len();
            let Example { embeddings, is_word } = &examples[at];
            let (target, weight) = if *is_word { (1.0, weight_of_word) } else { (0.0, 1.0) };
            let error = (head.score(embeddings) - target) * weight;
            if error.abs() < 1e-4 {
                continue;
            }
            let scales = head.mean.iter().zip(&head.deviation);
            let inputs =
                embeddings.iter().zip(scales).map(|(value, (mean, deviation))| (value - mean) / deviation);
            for ((weight, square), input) in head.weights.iter_mut().zip(&mut squares).zip(inputs) {
                let gradient = error * input;
                *square += gradient * gradient;
                *weight -= STEP_SIZE * gradient / square.sqrt() + DECAY * *weight;
            }
            squares[INPUTS] += error * error;
            head.bias -= STEP_SIZE * error / squares[INPUTS].sqrt();
        }
        Ok(head)
    }
}

fn stride(count: usize) -> usize {
    let divides = |a: usize, b: usize| {
        let (mut a, mut b) = (a, b);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    (count * 5 / 13 + 1..).find(|stride| divides(*stride, count) == 1).unwrap_or(1)
}

fn statistics(examples: &[Example]) -> (Vec<f32>, Vec<f32>) {
    let count = examples.len() as f64;
    let (mut sums, mut squares) = (vec![0.0_f64; INPUTS], vec![0.0_f64; INPUTS]);
    for example in examples {
        for ((sum, square), value) in sums.iter_mut().zip(&mut squares).zip(&example.embeddings) {
            let value = f64::from(*value);
            *sum += value;
            *square += value * value;
        }
    }
    let mean: Vec<f64> = sums.iter().map(|sum| sum / count).collect();
    let deviation = |(square, mean): (&f64, &f64)| (square / count - mean * mean).max(1e-6).sqrt() as f32;
    let deviations = squares.iter().zip(&mean).map(deviation).collect();
    (mean.iter().map(|mean| *mean as f32).collect(), deviations)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(is_word: bool, seed: usize) -> Example {
        let noise = |at: usize| ((at * 7919 + seed * 104_729) % 1000) as f32 / 1000.0;
        let tells = |at: usize| if is_word && at.is_multiple_of(50) { 2.0 } else { 0.0 };
        Example { embeddings: (0..INPUTS).map(|at| noise(at) + tells(at)).collect(), is_word }
    }

    #[test]
    fn a_word_is_told_from_what_it_was_not_trained_on() {
        let examples: Vec<Example> = (0..300).map(|n| example(n % 6 == 0, n)).collect();
        let head = TrainedHead::train("hey house", &examples).unwrap();
        let score = |is_word, seed| head.score(&example(is_word, seed).embeddings);
        assert!((1000..1020).all(|seed| score(true, seed) > 0.8 && score(false, seed) < 0.2));
        assert!(TrainedHead::train("hey house", &examples[1..3]).is_err(), "nothing of the word");
    }

    #[test]
    fn a_head_is_kept_and_a_damaged_one_is_told() {
        let examples: Vec<Example> = (0..30).map(|n| example(n % 2 == 0, n)).collect();
        let head = TrainedHead::train("hey house", &examples).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hey_house.json");
        std::fs::write(&file, serde_json::to_string(&head).unwrap()).unwrap();
        assert_eq!(TrainedHead::load(&file).unwrap(), head);
        for damaged in ["", "{}", "{\"phrase\":\"a\",\"mean\":[],\"deviation\":[],\"weights\":[],\"bias\":0}"]
        {
            std::fs::write(&file, damaged).unwrap();
            let fault = TrainedHead::load(&file).unwrap_err();
            assert!(fault.message.contains("hey_house.json") && fault.fix.contains("train"), "{fault}");
        }
    }
}

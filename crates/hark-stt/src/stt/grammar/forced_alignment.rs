//! Forced alignment: the best path of a given sentence, over all pronunciations and optional pauses, through the acoustic
//! scores of the whole utterance. Gives the score and the frames of every word.

use super::acoustic_model::{AcousticModel, Phone, Position, STATES, Senones};
use super::acoustic_scores::AcousticScores;

/// Pronunciations of saying a word, each as base phones.
pub(super) type Pronunciations = Vec<Vec<Phone>>;

/// Stands for the beginning of the utterance.
const BEGIN: usize = usize::MAX;

/// A word laid over the sound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    /// First frame.
    pub(super) from: usize,
    /// Frame after the last.
    pub(super) to: usize,
    /// Log score of the frames.
    pub(super) score: f32,
}

/// A sentence laid over the sound.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Alignment {
    /// Log score of the whole utterance.
    pub(super) score: f32,
    /// One for each word.
    pub(super) words: Vec<Span>,
}

/// A phone in its place, and the phones that can come before it.
struct Node {
    phone: Phone,
    senones: Senones,
    /// Number of the word; `None` for a pause.
    word: Option<usize>,
    after: Vec<usize>,
}

/// Phones of a sentence; `ends` may be the last.
struct PhoneGraph {
    nodes: Vec<Node>,
    ends: Vec<usize>,
}

/// How a phone was entered: from which, when that one had been entered, and with what score.
#[derive(Debug, Clone, Copy)]
struct Entry {
    node: usize,
    entered: usize,
    score: f32,
}

/// A way to a state: its score, and the frame in which its phone was entered.
#[derive(Debug, Clone, Copy)]
struct Token {
    score: f32,
    entered: usize,
}

/// Pronunciations this many nepers behind the best are given up.
const BEAM: f32 = 250.0;

const DEAD_TOKEN: Token = Token { score: f32::NEG_INFINITY, entered: 0 };

impl PhoneGraph {
    fn new(model: &AcousticModel, words: &[&Pronunciations]) -> Self {
        let mut graph = Self { nodes: Vec::new(), ends: Vec::new() };
        let silence = model.silence;
        let mut before = vec![BEGIN];
        before.push(graph.pause(model, vec![BEGIN]));
        for (number, pronunciations) in words.iter().enumerate() {
            let left = number.checked_sub(1).and_then(|left| words[left].first()?.last()).unwrap_or(&silence);
            let right = words.get(number + 1).and_then(|right| right.first()?.first()).unwrap_or(&silence);
            let mut ends = Vec::new();
            for phones in pronunciations.iter() {
                let mut after = before.clone();
                for (place, phone) in phones.iter().enumerate() {
                    let position = match (place == 0, place + 1 == phones.len()) {
                        (true, true) => Position::Alone,
                        (true, false) => Position::Begin,
                        (false, true) => Position::End,
                        (false, false) => Position::Inside,
                    };
                    let left = place.checked_sub(1).map_or(*left, |left| phones[left]);
                    let right = phones.get(place + 1).copied().unwrap_or(*right);
                    let senones = model.triphone(*phone, position, left, right);
                    graph.nodes.push(Node { phone: *phone, senones, word: Some(number), after });
                    after = vec![graph.nodes.len() - 1];
                }
                ends.extend(after);
            }
            before = ends.clone();
            before.push(graph.pause(model, ends));
        }
        graph.ends = before;
        graph
    }

    fn pause(&mut self, model: &AcousticModel, after: Vec<usize>) -> usize {
        let senones = model.base(model.silence);
        self.nodes.push(Node { phone: model.silence, senones, word: None, after });
        self.nodes.len() - 1
    }
}

/// Lays a sentence over the sound; `None` when it has no words, a word has no pronunciation, or the
/// sound is too short for it.
pub(super) fn align(sound: &AcousticScores, words: &[&Pronunciations]) -> Option<Alignment> {
    let frames = sound.frames();
    if words.is_empty() || frames == 0 || words.iter().any(|pronunciations| pronunciations.is_empty()) {
        return None;
    }
    let model = sound.model();
    let graph = PhoneGraph::new(model, words);
    let mut tokens = vec![[DEAD_TOKEN; STATES]; graph.nodes.len()];
    let mut entries = vec![Entry { node: BEGIN, entered: 0, score: 0.0 }; graph.nodes.len() * frames];
    // What leaves each phone after the frame before.
    let mut leaving = vec![DEAD_TOKEN; graph.nodes.len()];
    let mut floor = f32::NEG_INFINITY;
    for frame in 0..frames {
        let mut top = f32::NEG_INFINITY;
        for (place, node) in graph.nodes.iter().enumerate() {
            let entry = best_entry(node, &leaving, frame);
            entries[frame * graph.nodes.len() + place] = entry;
            let transitions = model.transitions(node.phone);
            let old = tokens[place];
            for state in (0..STATES).rev() {
                let from = match state {
                    0 => Token { score: entry.score, entered: frame },
                    _ => Token { score: old[state - 1].score + transitions[state - 1].go, ..old[state - 1] },
                };
                let stay = Token { score: old[state].score + transitions[state].stay, ..old[state] };
                let mut best = if stay.score >= from.score { stay } else { from };
                if best.score > floor {
                    best.score += sound.senone(frame, node.phone, node.senones[state]);
                    top = top.max(best.score);
                } else {
                    best = DEAD_TOKEN;
                }
                tokens[place][state] = best;
            }
        }
        floor = top - BEAM;
        for (place, node) in graph.nodes.iter().enumerate() {
            let last = tokens[place][STATES - 1];
            leaving[place] =
                Token { score: last.score + model.transitions(node.phone)[STATES - 1].go, ..last };
        }
    }
    trace_back(&graph, &leaving, &entries, frames, words.len())
}

fn best_entry(node: &Node, leaving: &[Token], frame: usize) -> Entry {
    let mut best = Entry { node: BEGIN, entered: 0, score: f32::NEG_INFINITY };
    for before in &node.after {
        let entry = match leaving.get(*before) {
            Some(token) => Entry { node: *before, entered: token.entered, score: token.score },
            None if frame == 0 => Entry { node: BEGIN, entered: 0, score: 0.0 },
            None => continue,
        };
        if entry.score > best.score {
            best = entry;
        }
    }
    best
}

/// Walks the best way back to where each word began.
fn trace_back(
    graph: &PhoneGraph,
    leaving: &[Token],
    entries: &[Entry],
    frames: usize,
    words: usize,
) -> Option<Alignment> {
    let node = *graph.ends.iter().max_by(|a, b| leaving[**a].score.total_cmp(&leaving[**b].score))?;
    let Token { score, entered } = leaving[node];
    if score == f32::NEG_INFINITY {
        return None;
    }
    let mut spans = vec![Span { from: 0, to: 0, score: 0.0 }; words];
    let mut entry = Entry { node, entered, score };
    let mut until = frames;
    while entry.node != BEGIN {
        let before = entries[entry.entered * graph.nodes.len() + entry.node];
        if let Some(word) = graph.nodes[entry.node].word {
            let span = &mut spans[word];
            span.from = entry.entered;
            span.to = span.to.max(until);
            span.score += entry.score - before.score;
        }
        until = entry.entered;
        entry = before;
    }
    Some(Alignment { score, words: spans })
}

#[cfg(test)]
mod tests {
    use super::super::test_scores::{AROUND, PHONE, heard, model, pronunciations};
    use super::*;

    fn lay(sound: &AcousticScores, text: &str) -> Option<Alignment> {
        let pronunciations = pronunciations(sound.model());
        align(sound, &text.split_whitespace().map(|word| &pronunciations[word]).collect::<Vec<_>>())
    }

    fn near(found: usize, expected: usize) -> bool {
        found.abs_diff(expected) <= 6
    }

    #[test]
    fn words_lie_where_they_were_said_and_a_pause_belongs_to_none() {
        let model = model();
        let found = lay(&heard(&model, "turn - on"), "turn on").unwrap();
        let [turn, on] = found.words[..] else { panic!("{found:?}") };
        let end = AROUND + 3 * PHONE;
        assert!(near(turn.from, AROUND) && near(turn.to, end), "{turn:?}");
        assert!(near(on.from, end + AROUND) && near(on.to, end + AROUND + 2 * PHONE), "{on:?}");
        assert!(turn.score + on.score > found.score, "pauses have a share of the score");
    }

    #[test]
    fn what_was_said_fits_better_than_anything_else() {
        let model = model();
        let sound = heard(&model, "turn off please");
        let score = |text: &str| lay(&sound, text).unwrap().score;
        for other in ["turn on please", "turn off", "off please", "stop"] {
            assert!(score("turn off please") > score(other) + 10.0, "{other}");
        }
    }

    #[test]
    fn the_best_way_to_say_a_word_is_found() {
        let model = model();
        let sound = heard(&model, "on");
        let pronunciations = pronunciations(&model);
        let both: Pronunciations = [&pronunciations["off"][..], &pronunciations["on"][..]].concat();
        let (both, one) =
            (align(&sound, &[&both]).unwrap(), align(&sound, &[&pronunciations["on"]]).unwrap());
        assert!((both.score - one.score).abs() < 1e-2);
    }

    #[test]
    fn nothing_is_laid_over_nothing() {
        let model = model();
        let sound = heard(&model, "on");
        assert_eq!(align(&sound, &[]), None);
        assert_eq!(align(&sound, &[&Pronunciations::new()]), None, "nobody can say it");
        let empty = AcousticScores::new(model.clone(), -2.0);
        assert_eq!(lay(&empty, "on"), None);
        assert_eq!(lay(&sound, &"please ".repeat(40)), None, "too short for so many words");
    }
}

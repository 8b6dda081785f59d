//! A small template grammar for tests: `[optional]`, `(this|that)`, `{list}`.

use hark::domain::ports::{Acceptance, EditCosts, SpeechGrammar};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// Arcs of a word automaton; `None` is the empty word.
#[derive(Default)]
pub struct Toy {
    arcs: Vec<Vec<(Option<String>, usize)>>,
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl Toy {
    pub fn new(lists: &[(&str, String)], templates: &[&str]) -> Self {
        let lists: HashMap<&str, &String> = lists.iter().map(|(name, text)| (*name, text)).collect();
        let mut toy = Self::default();
        for template in templates {
            let mut text = (*template).to_owned();
            while let Some(open) = text.find('{') {
                let close = open + text[open..].find('}').unwrap();
                let list = lists[&text[open + 1..close]];
                text.replace_range(open..=close, &format!("({list})"));
            }
            let start = toy.node();
            let chars: Vec<char> = text.chars().collect();
            let mut place = 0;
            let end = toy.alternatives(&chars, &mut place, start);
            toy.starts.push(start);
            toy.ends.push(end);
        }
        toy
    }

    fn node(&mut self) -> usize {
        self.arcs.push(Vec::new());
        self.arcs.len() - 1
    }

    fn alternatives(&mut self, text: &[char], place: &mut usize, from: usize) -> usize {
        let end = self.node();
        loop {
            let begin = self.node();
            self.arcs[from].push((None, begin));
            let last = self.sequence(text, place, begin);
            self.arcs[last].push((None, end));
            if *place < text.len() && text[*place] == '|' { *place += 1 } else { return end }
        }
    }

    fn sequence(&mut self, text: &[char], place: &mut usize, mut at: usize) -> usize {
        while *place < text.len() && !['|', ')', ']'].contains(&text[*place]) {
            let sign = text[*place];
            if sign == ' ' {
                *place += 1;
            } else if sign == '(' || sign == '[' {
                *place += 1;
                let begin = at;
                at = self.alternatives(text, place, at);
                *place += 1;
                if sign == '[' {
                    self.arcs[begin].push((None, at));
                }
            } else {
                let first = *place;
                while *place < text.len() && !" |()[]".contains(text[*place]) {
                    *place += 1;
                }
                let next = self.node();
                self.arcs[at].push((Some(text[first..*place].iter().collect()), next));
                at = next;
            }
        }
        at
    }
}

fn random(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as usize
}

#[derive(PartialEq)]
struct Step(f32, usize, usize, usize);
impl Eq for Step {}
impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0)
    }
}

impl SpeechGrammar for Toy {
    fn sample(&self, count: usize, seed: u64) -> Vec<Vec<String>> {
        let mut state = seed | 1 << 40;
        let mut out = Vec::new();
        for _ in 0..count {
            let which = random(&mut state) % self.starts.len();
            let (mut at, end) = (self.starts[which], self.ends[which]);
            let mut words = Vec::new();
            while at != end {
                let (word, next) = &self.arcs[at][random(&mut state) % self.arcs[at].len()];
                words.extend(word.clone());
                at = *next;
            }
            out.push(words);
        }
        out
    }

    fn vocabulary(&self) -> Vec<String> {
        let mut words: Vec<String> =
            self.arcs.iter().flatten().filter_map(|(word, _)| word.clone()).collect();
        words.sort();
        words.dedup();
        words
    }

    fn accept(&self, words: &[&str], costs: &EditCosts) -> Option<Acceptance> {
        // Uniform-cost search over (node, words read); parents allow the sentence to be read back.
        let mut best: HashMap<(usize, usize), f32> = HashMap::new();
        let mut trail: Vec<(usize, Option<String>)> = Vec::new();
        let mut queue = BinaryHeap::new();
        for start in &self.starts {
            trail.push((usize::MAX, None));
            queue.push(Step(0.0, *start, 0, trail.len() - 1));
        }
        while let Some(Step(cost, node, read, mut from)) = queue.pop() {
            if best.insert((node, read), cost).is_some() {
                continue;
            }
            if read == words.len() && self.ends.contains(&node) {
                let mut said = Vec::new();
                while from != usize::MAX {
                    said.extend(trail[from].1.clone());
                    from = trail[from].0;
                }
                said.reverse();
                return Some(Acceptance { words: said, cost });
            }
            let mut go = |add: f32, node: usize, read: usize, word: Option<String>| {
                if cost + add <= costs.limit && !best.contains_key(&(node, read)) {
                    trail.push((from, word));
                    queue.push(Step(cost + add, node, read, trail.len() - 1));
                }
            };
            if read < words.len() {
                go(costs.delete, node, read + 1, None);
            }
            for (word, next) in &self.arcs[node] {
                match word {
                    None => go(0.0, *next, read, None),
                    Some(word) => {
                        if read < words.len() {
                            let fits = words[read] == word;
                            go(
                                if fits { 0.0 } else { costs.substitute },
                                *next,
                                read + 1,
                                Some(word.clone()),
                            );
                        }
                        go(costs.insert, *next, read, Some(word.clone()));
                    }
                }
            }
        }
        None
    }
}

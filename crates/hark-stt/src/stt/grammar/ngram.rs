//! A trigram language model of the home's sentences, written as an ARPA file.
//!
//! Witten–Bell smoothing, interpolated (Chen and Goodman, "An empirical study of smoothing techniques
//! for language modeling", 1998); Kneser–Ney understood no more of the recordings. Counting runs over word classes; at writing, a class is spread evenly over its
//! words, which keeps every distribution summing to one. Background words (speech that is not for the
//! house) are unigrams only: they can follow anything, at the price of `background_mass`.

use super::word_classes::WordClasses;
use std::collections::HashMap;
use std::fmt::Write as _;

/// A token of the counts: a word or a class of words.
pub(super) type Token = u32;
const START: Token = 0;
const END: Token = 1;

/// Counted and smoothed n-grams.
#[derive(Debug)]
pub(super) struct TrigramModel {
    /// Words each token stands for.
    spellings: Vec<Vec<String>>,
    unigrams: Vec<f64>,
    bigrams: Level<2>,
    trigrams: Level<3>,
    background_mass: f64,
}

/// Probabilities of one order, sorted, and what is left for the order below.
#[derive(Debug)]
struct Level<const N: usize> {
    grams: Vec<([Token; N], f64)>,
    /// By history: the weight of the lower order.
    backoff: HashMap<[Token; 2], f64>,
}

impl TrigramModel {
    /// Counts `sentences` and smooths the counts, leaving `background_mass` of the unigram
    /// probability for words outside the sentences.
    pub(super) fn train(
        sentences: &[Vec<String>],
        classes: &WordClasses,
        smoothing: f64,
        background_mass: f64,
    ) -> Self {
        let mut tokens = Tokens::new(classes);
        let mut bigrams = Vec::new();
        let mut trigrams = Vec::new();
        for sentence in sentences.iter().filter(|sentence| !sentence.is_empty()) {
            let ids = std::iter::once(START)
                .chain(sentence.iter().map(|word| tokens.of(word)))
                .chain(std::iter::once(END))
                .collect::<Vec<_>>();
            bigrams.extend(ids.windows(2).map(|pair| [pair[0], pair[1]]));
            trigrams.extend(ids.windows(3).map(|three| [three[0], three[1], three[2]]));
        }
        let trigrams = count_ngrams(trigrams);
        let bigram_counts = count_ngrams(bigrams);
        let mut unigrams = unigram_probabilities(tokens.spellings.len(), &bigram_counts);
        unigrams.iter_mut().for_each(|probability| *probability *= 1.0 - background_mass);
        let lower = |_: [Token; 2], word: Token| unigrams[word as usize];
        let bigrams = Level::<2>::smooth(&bigram_counts, smoothing, lower);
        let table: HashMap<[Token; 2], f64> = bigrams.grams.iter().copied().collect();
        let middle = |history: [Token; 2], word: Token| -> f64 {
            table.get(&[history[1], word]).copied().unwrap_or_else(|| {
                let rest = bigrams.backoff.get(&[history[1], Token::MAX]).copied().unwrap_or(1.0);
                rest * unigrams[word as usize]
            })
        };
        let trigrams = Level::<3>::smooth(&trigrams, smoothing, middle);
        Self { spellings: tokens.spellings, unigrams, bigrams, trigrams, background_mass }
    }

    /// The model as an ARPA file. `background` are words with their share (summing to one) of the
    /// probability that was left for them.
    pub(super) fn to_arpa(&self, background: &[(String, f64)]) -> String {
        let spread = |gram: &[Token]| {
            gram.iter().map(|token| self.spellings[*token as usize].len()).product::<usize>()
        };
        let unigram_count = self.spellings.iter().map(Vec::len).sum::<usize>() + background.len();
        let bigram_count: usize = self.bigrams.grams.iter().map(|(gram, _)| spread(gram)).sum();
        let trigram_count: usize = self.trigrams.grams.iter().map(|(gram, _)| spread(gram)).sum();
        let mut arpa = format!(
            "\\data\\\nngram 1={unigram_count}\nngram 2={bigram_count}\nngram 3={trigram_count}\n\n\\1-grams:\n"
        );
        for (token, words) in self.spellings.iter().enumerate() {
            let token = token as Token;
            let probability = self.unigrams[token as usize] / words.len() as f64;
            let log = if token == START { -99.0 } else { log10(probability) };
            let rest = self.bigrams.backoff.get(&[token, Token::MAX]).copied().unwrap_or(1.0);
            for word in words {
                let _ = writeln!(arpa, "{log:.5}\t{word}\t{:.5}", log10(rest));
            }
        }
        for (word, share) in background {
            let _ = writeln!(arpa, "{:.5}\t{word}\t0.0", log10(self.background_mass * share));
        }
        arpa.push_str("\n\\2-grams:\n");
        for (gram, probability) in &self.bigrams.grams {
            let rest = self.trigrams.backoff.get(gram).copied().unwrap_or(1.0);
            self.write_spread(&mut arpa, gram, *probability, Some(rest));
        }
        arpa.push_str("\n\\3-grams:\n");
        for (gram, probability) in &self.trigrams.grams {
            self.write_spread(&mut arpa, gram, *probability, None);
        }
        arpa.push_str("\n\\end\\\n");
        arpa
    }

    /// Writes one n-gram of tokens as all n-grams of words it stands for.
    fn write_spread(&self, arpa: &mut String, gram: &[Token], probability: f64, rest: Option<f64>) {
        let words = |token: Token| &self.spellings[token as usize];
        let last = gram.last().map_or(1, |token| words(*token).len());
        let log = log10(probability / last as f64);
        let mut phrases = vec![String::new()];
        for token in gram {
            phrases = phrases
                .iter()
                .flat_map(|phrase| {
                    words(*token).iter().map(move |word| {
                        if phrase.is_empty() { word.clone() } else { format!("{phrase} {word}") }
                    })
                })
                .collect();
        }
        for phrase in phrases {
            let _ = match rest {
                Some(rest) => writeln!(arpa, "{log:.5}\t{phrase}\t{:.5}", log10(rest)),
                None => writeln!(arpa, "{log:.5}\t{phrase}"),
            };
        }
    }
}

/// A model made ready for looking words up.
#[derive(Debug)]
pub(super) struct LanguageModelScorer {
    tokens: HashMap<String, Token>,
    /// Natural log of one over the number of words of a token.
    shares: Vec<f32>,
    unigrams: Vec<f32>,
    /// Sorted, as are trigrams: a hash map takes twice the memory.
    bigrams: Vec<([Token; 2], (f32, f32))>,
    /// Backoff weights of single words.
    backoff: Vec<f32>,
    trigrams: Vec<([Token; 3], f32)>,
}

/// The value of a key in a sorted table.
fn find<K: Ord, V>(table: &[(K, V)], key: K) -> Option<&V> {
    table.binary_search_by(|(other, _)| other.cmp(&key)).ok().map(|place| &table[place].1)
}

impl LanguageModelScorer {
    /// Begin of a sentence.
    pub(super) const START: Token = START;
    /// End of a sentence.
    pub(super) const END: Token = END;

    /// The token of a word, `None` for one the model has never seen.
    pub(super) fn token(&self, word: &str) -> Option<Token> {
        self.tokens.get(word).copied()
    }

    /// Natural log of the probability of `word` after two others (`None`: nothing before).
    pub(super) fn trigram_log_prob(&self, before: Option<Token>, last: Token, word: Token) -> f32 {
        let Some(before) = before else { return self.bigram_log_prob(last, word) };
        if let Some(log) = find(&self.trigrams, [before, last, word]) {
            return log + self.shares[word as usize];
        }
        let rest = find(&self.bigrams, [before, last]).map_or(0.0, |(_, rest)| *rest);
        rest + self.bigram_log_prob(last, word)
    }

    /// Natural log of the probability of a sentence; words the model has never seen cost nothing.
    pub(super) fn sentence_log_prob(&self, words: &[String]) -> f32 {
        self.sequence_log_prob(
            words.iter().filter_map(|word| self.token(word)).chain(std::iter::once(Self::END)),
        )
    }

    /// The same of a sentence that begins with these words, of which those it has never seen cost nothing.
    pub(super) fn prefix_log_prob(&self, words: &[String]) -> f32 {
        self.sequence_log_prob(words.iter().filter_map(|word| self.token(word)))
    }

    /// Natural log of the probability of tokens from the begin of a sentence on.
    fn sequence_log_prob(&self, tokens: impl Iterator<Item = Token>) -> f32 {
        let (mut before, mut last, mut sum) = (None, Self::START, 0.0);
        for token in tokens {
            sum += self.trigram_log_prob(before, last, token);
            (before, last) = (Some(last), token);
        }
        sum
    }

    /// Natural log of the probability of `word` after one other.
    pub(super) fn bigram_log_prob(&self, last: Token, word: Token) -> f32 {
        match find(&self.bigrams, [last, word]) {
            Some((log, _)) => log + self.shares[word as usize],
            None => self.backoff[last as usize] + self.unigrams[word as usize] + self.shares[word as usize],
        }
    }
}

impl TrigramModel {
    /// For looking words up; `background` as for `to_arpa`.
    pub(super) fn scorer(&self, background: &[(String, f64)]) -> LanguageModelScorer {
        let ln = |value: f64| value.max(1e-99).ln() as f32;
        let mut tokens = HashMap::new();
        for (token, words) in self.spellings.iter().enumerate() {
            tokens.extend(words.iter().map(|word| (word.clone(), token as Token)));
        }
        let rest =
            |token: usize| self.bigrams.backoff.get(&[token as Token, Token::MAX]).copied().unwrap_or(1.0);
        let bigram = |(gram, probability): &([Token; 2], f64)| {
            let rest = self.trigrams.backoff.get(gram).copied().unwrap_or(1.0);
            (*gram, (ln(*probability), ln(rest)))
        };
        let mut scorer = LanguageModelScorer {
            tokens,
            shares: self.spellings.iter().map(|words| -(words.len() as f32).ln()).collect(),
            unigrams: self.unigrams.iter().copied().map(ln).collect(),
            backoff: (0..self.spellings.len()).map(|token| ln(rest(token))).collect(),
            bigrams: self.bigrams.grams.iter().map(bigram).collect(),
            trigrams: self.trigrams.grams.iter().map(|(gram, p)| (*gram, ln(*p))).collect(),
        };
        for (word, share) in background {
            scorer.tokens.insert(word.clone(), scorer.unigrams.len() as Token);
            scorer.shares.push(0.0);
            scorer.unigrams.push(ln(self.background_mass * share));
            scorer.backoff.push(0.0);
        }
        scorer
    }
}

impl<const N: usize> Level<N> {
    /// Smooths sorted counts; `lower` gives the probability of a word after the shortened history.
    /// Histories are kept as two tokens; a history of one is padded with `Token::MAX`.
    fn smooth(
        counts: &[([Token; N], f64)],
        smoothing: f64,
        lower: impl Fn([Token; 2], Token) -> f64,
    ) -> Self {
        let mut grams = Vec::with_capacity(counts.len());
        let mut backoff = HashMap::new();
        for group in counts.chunk_by(|a, b| a.0[..N - 1] == b.0[..N - 1]) {
            let history = match group[0].0[..N - 1] {
                [one] => [one, Token::MAX],
                [first, second] => [first, second],
                _ => [Token::MAX, Token::MAX],
            };
            let total: f64 = group.iter().map(|(_, count)| *count).sum();
            let kinds = group.len() as f64;
            let weight = smoothing * kinds / (total + smoothing * kinds);
            for (gram, count) in group {
                let own = (1.0 - weight) * count / total;
                let word = gram[N - 1];
                grams.push((*gram, own + weight * lower(history, word)));
            }
            backoff.insert(history, weight);
        }
        Self { grams, backoff }
    }
}

/// Gives every word or class its token.
struct Tokens<'a> {
    classes: &'a WordClasses,
    ids: HashMap<String, Token>,
    class_ids: HashMap<usize, Token>,
    spellings: Vec<Vec<String>>,
}

impl<'a> Tokens<'a> {
    fn new(classes: &'a WordClasses) -> Self {
        let spellings = vec![vec!["<s>".to_owned()], vec!["</s>".to_owned()]];
        Self { classes, ids: HashMap::new(), class_ids: HashMap::new(), spellings }
    }

    fn of(&mut self, word: &str) -> Token {
        if let Some(known) = self.ids.get(word) {
            return *known;
        }
        let next = self.spellings.len() as Token;
        let token = match self.classes.class_of(word) {
            Some(class) => match self.class_ids.get(&class) {
                Some(known) => *known,
                None => {
                    self.class_ids.insert(class, next);
                    self.spellings.push(self.classes.members(class).to_vec());
                    next
                }
            },
            None => {
                self.spellings.push(vec![word.to_owned()]);
                next
            }
        };
        self.ids.insert(word.to_owned(), token);
        token
    }
}

/// Sorts n-grams and counts equal ones.
fn count_ngrams<const N: usize>(mut grams: Vec<[Token; N]>) -> Vec<([Token; N], f64)> {
    grams.sort_unstable();
    grams.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f64)).collect()
}

/// Unigram probabilities, smoothed with the uniform distribution; the start symbol has none.
fn unigram_probabilities(tokens: usize, bigrams: &[([Token; 2], f64)]) -> Vec<f64> {
    let mut counts = vec![0f64; tokens];
    for (gram, count) in bigrams {
        counts[gram[1] as usize] += count;
    }
    let total: f64 = counts.iter().sum();
    let kinds = tokens.saturating_sub(1) as f64;
    counts
        .iter()
        .enumerate()
        .map(|(token, count)| if token as Token == START { 0.0 } else { (count + 1.0) / (total + kinds) })
        .collect()
}

/// Log to base ten with the floor ARPA files use.
fn log10(value: f64) -> f64 {
    if value > 0.0 { value.log10().max(-99.0) } else { -99.0 }
}

#[cfg(test)]
mod tests {
    use super::super::language;
    use super::*;

    fn trained(sentences: &[&str]) -> (TrigramModel, WordClasses) {
        let sentences: Vec<Vec<String>> =
            sentences.iter().map(|text| text.split(' ').map(str::to_owned).collect()).collect();
        let classes = WordClasses::numbers(&language().numbers, |word| {
            ["five", "six", "seven", "ten", "eleven"].contains(&word)
        });
        (TrigramModel::train(&sentences, &classes, 1.0, 0.2), classes)
    }

    const SENTENCES: [&str; 5] = [
        "set a timer for five minutes",
        "set a timer for ten minutes",
        "turn on the lamp",
        "turn off the lamp",
        "stop",
    ];

    #[test]
    fn probabilities_after_any_history_sum_to_one() {
        let (model, _) = trained(&SENTENCES);
        let background = vec![("~the".to_owned(), 0.75), ("~dog".to_owned(), 0.25)];
        let scorer = model.scorer(&background);
        let words: Vec<&String> = scorer.tokens.keys().filter(|word| *word != "<s>").collect();
        let histories = [
            (None, "<s>"),
            (Some("<s>"), "turn"),
            (Some("timer"), "for"),
            (Some("lamp"), "lamp"),
            (Some("on"), "~dog"),
        ];
        for (before, last) in histories {
            let before = before.map(|word| scorer.token(word).unwrap());
            let last = scorer.token(last).unwrap();
            let sum: f32 = words
                .iter()
                .map(|word| scorer.trigram_log_prob(before, last, scorer.tokens[*word]).exp())
                .sum();
            assert!((sum - 1.0).abs() < 1e-3, "{before:?} {last:?}: {sum}");
        }
    }

    #[test]
    fn numbers_are_alike_wherever_one_was_seen() {
        let (model, _) = trained(&SENTENCES);
        let scorer = model.scorer(&[]);
        let after = |word: &str| {
            let token = |word: &str| scorer.token(word).unwrap();
            scorer.trigram_log_prob(Some(token("timer")), token("for"), token(word))
        };
        assert_eq!(after("five"), after("seven"));
        assert_eq!(after("ten"), after("eleven"));
        assert!(after("seven") > after("lamp") + 1.0);
    }

    #[test]
    fn the_arpa_file_counts_what_it_holds_and_agrees_with_the_scorer() {
        let (model, _) = trained(&SENTENCES);
        let background = vec![("~dog".to_owned(), 1.0)];
        let (arpa, scorer) = (model.to_arpa(&background), model.scorer(&background));
        for order in 1..=3usize {
            let title = format!("\\{order}-grams:");
            let lines: Vec<&str> = arpa
                .lines()
                .skip_while(|line| *line != title)
                .skip(1)
                .take_while(|line| !line.is_empty())
                .collect();
            assert!(arpa.contains(&format!("ngram {order}={}\n", lines.len())), "{order}");
        }
        let line = arpa.lines().find(|line| line.ends_with("\ttimer for seven")).unwrap();
        let log: f32 = line.split('\t').next().unwrap().parse().unwrap();
        let token = |word: &str| scorer.token(word).unwrap();
        let scored = scorer.trigram_log_prob(Some(token("timer")), token("for"), token("seven"));
        assert!((log * std::f32::consts::LN_10 - scored).abs() < 1e-3);
        assert!(arpa.contains("\t~dog\t0.0") && arpa.ends_with("\\end\\\n"));
    }
}

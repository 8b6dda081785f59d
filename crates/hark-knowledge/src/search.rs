//! Searching: BM25 and vectors, fused by reciprocal rank, reranked by late interaction. Has a connection of its own, so
//! that it works while the index is written. One thread owns a [`Searcher`].

use crate::catalogue::{self, Document, Status, page_at};
use crate::codes::Codes;
use crate::database::{self, integer, open_reader, size};
use crate::encoder::{Encoder, WordVectors};
use crate::rerank::{Candidate, Query, QueryWord, Scores, Signals, rerank};
use crate::sentences::{folded, is_indexed, words};
use crate::vectors::{to_bits, to_int8};
use crate::{KnowledgeError, Settings};
use hark_core::fusion::reciprocal_ranks;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Passages of each ranking that are fused.
const RANKED: usize = 100;

/// Windows of the first pass over bits, of which the cosine is computed.
const RESCORED: usize = 256;

/// Rows that BM25 looks at, about: words that are in more passages are left out, the most frequent first.
const MAX_POSTINGS: usize = 3_000;

/// Words of a question that are looked at.
const MAX_QUERY_WORDS: usize = 32;

/// Weights of title, heading and text in BM25.
const FIELD_WEIGHTS: &str = "2.0, 2.0, 1.0";

/// A passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The file.
    pub path: PathBuf,
    /// The title of the document.
    pub title: String,
    /// The headings the passage stands under, the outermost first, parted by ` > `. Empty where there are none.
    pub heading: String,
    /// The page of the answer, from 1; only where the format has pages.
    pub page: Option<u32>,
    /// Where the passage begins: bytes in the text of the file in UTF-8 (text, Markdown, HTML), in the text of its page
    /// (PDF) or in its chapter (EPUB). Where the markup hides where sentences begin, it is where their paragraph does.
    pub start_byte: usize,
    /// Where the passage ends, counted like `start_byte`; in a PDF on the page where it ends.
    pub end_byte: usize,
    /// The passage.
    pub passage: String,
    /// The sentence or two of it that answer best.
    pub answer: String,
    /// Where the answer stands: bytes in `passage`.
    pub answer_range: Range<usize>,
    /// How well the passage fits; higher is better. Only to be compared with others of the same question.
    pub score: f32,
    /// How likely it is that the passage answers, 0–1, calibrated on household documents.
    pub confidence: f32,
    /// What the confidence is made of.
    pub signals: Signals,
    /// Whether the confidence reaches [`Settings::min_confidence`]. Where no hit does, nothing here answers.
    pub answers: bool,
}

/// How long the parts of a search took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    /// The question's vectors, and how frequent its words are.
    pub question: Duration,
    /// BM25.
    pub words: Duration,
    /// The nearest windows.
    pub vectors: Duration,
    /// Reading the candidates, and comparing their words with those of the question.
    pub loading: Duration,
    /// Scores and answers.
    pub reranking: Duration,
}

/// The index, for searching.
#[derive(Debug)]
pub struct Searcher {
    path: PathBuf,
    settings: Settings,
    db: Connection,
    sentence: Vec<f32>,
    words: WordVectors,
    codes: Codes,
    /// SQLite's `data_version`, and how many passages there were.
    counted: Option<(i64, usize)>,
    timings: Timings,
}

impl Searcher {
    /// Opens the index at `path`, which must be there.
    ///
    /// # Errors
    /// When it is not there, cannot be opened, is damaged, or was written by a newer program.
    pub fn open(path: &Path, settings: Settings) -> Result<Self, KnowledgeError> {
        let db = open_reader(path)?;
        let words = WordVectors::default();
        let (sentence, timings) = (Vec::new(), Timings::default());
        let codes = Codes::default();
        Ok(Self { path: path.to_owned(), settings, db, sentence, words, codes, counted: None, timings })
    }

    /// How long the parts of the last search took.
    pub fn timings(&self) -> Timings {
        self.timings
    }

    /// The documents, by path.
    ///
    /// # Errors
    /// When the index fails.
    pub fn list(&self) -> Result<Vec<Document>, KnowledgeError> {
        catalogue::list(&self.db)
    }

    /// The index in numbers.
    ///
    /// # Errors
    /// When the index fails.
    pub fn status(&self) -> Result<Status, KnowledgeError> {
        catalogue::status(&self.db, &self.path)
    }

    /// The passages that answer a question best, the best first; at most [`Settings::results`]. Where the vectors of the
    /// index are of another encoder, or a document has none yet, only words count.
    ///
    /// # Errors
    /// When the index or encoder fail.
    pub fn search(&mut self, encoder: &mut dyn Encoder, question: &str) -> Result<Vec<Hit>, KnowledgeError> {
        let fail = KnowledgeError::of_sql("search");
        // One state of the index, however much is written meanwhile.
        self.db.execute_batch("BEGIN").map_err(&fail)?;
        let found = self.search_snapshot(encoder, question);
        self.db.execute_batch("COMMIT").map_err(&fail)?;
        found
    }

    fn search_snapshot(
        &mut self,
        encoder: &mut dyn Encoder,
        question: &str,
    ) -> Result<Vec<Hit>, KnowledgeError> {
        let fail = KnowledgeError::of_sql("search");
        self.timings = Timings::default();
        let mut lap = Lap(Instant::now());
        let passages = self.passages().map_err(&fail)?;
        let Some(query) = self.query(encoder, question, passages)? else { return Ok(Vec::new()) };
        self.timings.question = lap.next();
        let by_words = self.by_words(&query).map_err(&fail)?;
        self.timings.words = lap.next();
        let same_encoder = database::encoder(&self.db).map_err(&fail)?
            == Some((encoder.name().to_owned(), encoder.dimension()));
        let by_vectors = if same_encoder { self.by_vectors(&query).map_err(&fail)? } else { Vec::new() };
        self.timings.vectors = lap.next();
        let mut candidates = Vec::new();
        for (passage, fused) in fuse(&[&by_words, &by_vectors], self.settings.reranked) {
            let candidate = self.candidate(passage, fused, &query, same_encoder);
            candidates.extend(candidate.map_err(&fail)?);
        }
        self.timings.loading = lap.next();
        let ranked = rerank(&query, candidates, &self.settings.number_words);
        self.timings.reranking = lap.next();
        let hits = ranked.into_iter().take(self.settings.results);
        Ok(hits.map(|(candidate, scores)| self.hit(candidate, scores)).collect())
    }

    /// How many passages there are; counted again when the index changed.
    fn passages(&mut self) -> rusqlite::Result<usize> {
        let version: i64 = self.db.pragma_query_value(None, "data_version", |row| row.get(0))?;
        if let Some((counted, passages)) = self.counted
            && counted == version
        {
            return Ok(passages);
        }
        let passages = self.db.query_row("SELECT count(*) FROM passages", [], |row| size(row, 0))?;
        self.counted = Some((version, passages));
        Ok(passages)
    }

    fn hit(&self, candidate: Candidate, scores: Scores) -> Hit {
        Hit {
            path: PathBuf::from(candidate.path),
            title: candidate.title,
            heading: candidate.heading,
            page: page_at(&candidate.pages, scores.answer.start),
            start_byte: candidate.start_byte,
            end_byte: candidate.end_byte,
            answer: candidate.text[scores.answer.clone()].replace('\n', " "),
            passage: candidate.text,
            answer_range: scores.answer,
            score: scores.score,
            confidence: scores.confidence,
            signals: scores.signals,
            answers: scores.confidence >= self.settings.min_confidence,
        }
    }

    /// The question in vectors and weighted words; `None` when nothing is asked.
    fn query(
        &mut self,
        encoder: &mut dyn Encoder,
        question: &str,
        passages: usize,
    ) -> Result<Option<Query>, KnowledgeError> {
        let all: Vec<&str> = words(question).take(MAX_QUERY_WORDS).map(|(_, word)| word).collect();
        if all.iter().all(|word| folded(word).is_empty()) {
            return Ok(None);
        }
        encoder
            .encode(&all.join(" "), &mut self.sentence, &mut self.words)
            .map_err(KnowledgeError::Encoder)?;
        let (found, expected) = (self.sentence.len(), encoder.dimension());
        if found != expected {
            return Err(KnowledgeError::BadVector { found, expected });
        }
        let is_function_word = |word: &str| self.settings.function_words.iter().any(|known| known == word);
        let content = |at: &usize| {
            let word = folded(all[*at]);
            !is_function_word(&all[*at].to_lowercase()) && !is_function_word(&word) && is_indexed(all[*at])
        };
        let mut chosen: Vec<usize> = (0..all.len()).filter(content).collect();
        if chosen.is_empty() {
            chosen = (0..all.len()).filter(|at| !folded(all[*at]).is_empty()).collect();
        }
        let mut weighted: Vec<QueryWord> = Vec::new();
        for at in chosen {
            let text = folded(all[at]);
            if weighted.iter().any(|known| known.text == text) {
                continue;
            }
            let term = term(all[at]);
            let frequency = self.frequency(&term).map_err(KnowledgeError::of_sql("search"))?;
            weighted.push(QueryWord::new(text, term, frequency, passages, self.words.get(at)));
        }
        let spoken = format!(" {} ", all.iter().map(|word| folded(word)).collect::<Vec<_>>().join(" "));
        let asks = |phrase: &String| spoken.contains(&format!(" {phrase} "));
        let wants_number = self.settings.quantity_phrases.iter().any(asks);
        Ok(Some(Query { sentence: self.sentence.clone(), words: weighted, wants_number }))
    }

    /// In how many passages a term is; counted up to a limit.
    fn frequency(&self, term: &str) -> rusqlite::Result<usize> {
        let sql =
            "SELECT count(*) FROM (SELECT 1 FROM passages_index WHERE passages_index MATCH ?1 LIMIT ?2)";
        self.db.prepare_cached(sql)?.query_row(params![term, integer(MAX_POSTINGS)], |row| size(row, 0))
    }

    fn by_words(&self, query: &Query) -> rusqlite::Result<Vec<i64>> {
        let mut terms: Vec<&QueryWord> = query.words.iter().filter(|word| word.frequency > 0).collect();
        terms.sort_by_key(|word| word.frequency);
        let mut postings = 0;
        let few: Vec<&str> = terms
            .iter()
            .take_while(|word| {
                postings += word.frequency;
                postings < MAX_POSTINGS
            })
            .map(|word| word.term.as_str())
            .collect();
        let expression = if few.is_empty() {
            // All of them are frequent: passages that have the two rarest.
            terms.iter().take(2).map(|word| word.term.as_str()).collect::<Vec<_>>().join(" AND ")
        } else {
            few.join(" OR ")
        };
        if expression.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT rowid FROM passages_index WHERE passages_index MATCH ?1 AND rank MATCH 'bm25({FIELD_WEIGHTS})'
             ORDER BY rank LIMIT ?2"
        );
        let mut found = self.db.prepare_cached(&sql)?;
        found.query_map(params![expression, integer(RANKED)], |row| row.get(0))?.collect()
    }

    /// Passages by their nearest window: all by bits, the nearest few hundred again by int8.
    fn by_vectors(&mut self, query: &Query) -> rusqlite::Result<Vec<i64>> {
        self.codes.refresh(&self.db)?;
        let nearest = self.codes.nearest(&to_bits(&query.sentence), RESCORED);
        let int8 = to_int8(&query.sentence);
        let mut rescore = self.db.prepare_cached(
            "SELECT passage, vec_distance_cosine(vec_int8(vector), vec_int8(?2)) FROM windows WHERE id = ?1",
        )?;
        let mut best: HashMap<i64, f64> = HashMap::new();
        for window in nearest {
            let row =
                rescore.query_row(params![window, int8], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            if let Some((passage, distance)) = row {
                let known = best.entry(passage).or_insert(f64::INFINITY);
                *known = known.min(distance);
            }
        }
        let mut ranked: Vec<(i64, f64)> = best.into_iter().collect();
        ranked.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
        Ok(ranked.into_iter().take(RANKED).map(|(passage, _)| passage).collect())
    }

    fn candidate(
        &self,
        passage: i64,
        fused: f32,
        query: &Query,
        same_encoder: bool,
    ) -> rusqlite::Result<Option<Candidate>> {
        let sql = "SELECT d.path, d.title, p.heading, p.text, p.pages, p.start_byte, p.end_byte
                   FROM passages p JOIN documents d ON d.id = p.document WHERE p.id = ?1";
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Candidate {
                path: row.get(0)?,
                title: row.get(1)?,
                heading: row.get(2)?,
                text: row.get(3)?,
                pages: row.get(4)?,
                start_byte: size(row, 5)?,
                end_byte: size(row, 6)?,
                fused,
                windows: Vec::new(),
            })
        };
        let found = self.db.prepare_cached(sql)?.query_row([passage], read).optional()?;
        let Some(mut candidate) = found else { return Ok(None) };
        if same_encoder {
            let sql =
                "SELECT start_byte, end_byte, vector, words FROM windows WHERE passage = ?1 ORDER BY id";
            let mut windows = self.db.prepare_cached(sql)?;
            let mut rows = windows.query([passage])?;
            while let Some(row) = rows.next()? {
                let range = size(row, 0)?..size(row, 1)?;
                candidate.window(query, range, row.get_ref(2)?.as_blob()?, row.get_ref(3)?.as_blob()?);
            }
        }
        Ok(Some(candidate))
    }
}

/// Measures one part after the other.
struct Lap(Instant);

impl Lap {
    fn next(&mut self) -> Duration {
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut self.0, now))
    }
}

/// A word as a term of FTS5; the quotation marks make it a string, whatever is in it.
fn term(word: &str) -> String {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    format!("\"{}\"", word.replace(['"', '\0'], " "))
}

/// Reciprocal rank fusion: passages and what they get, the best first.
fn fuse(rankings: &[&[i64]], limit: usize) -> Vec<(i64, f32)> {
    let scores = reciprocal_ranks(rankings.iter().map(|ranking| (1.0, *ranking)));
    let mut fused: Vec<(i64, f32)> = scores.into_iter().collect();
    fused.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    fused.truncate(limit);
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_rankings_know_comes_first() {
        let fused = fuse(&[&[1, 2, 3], &[3, 4]], 3);
        assert_eq!(fused.iter().map(|(passage, _)| *passage).collect::<Vec<_>>(), [3, 1, 2]);
        assert!((fused[0].1 - (1.0 / 63.0 + 1.0 / 61.0)).abs() < 1e-6);
    }

    #[test]
    fn a_term_is_a_string_whatever_is_in_it() {
        assert_eq!(term("\"NEAR(a\"b)"), "\"NEAR(a b\"");
        assert_eq!(term("filter?"), "\"filter\"");
    }
}

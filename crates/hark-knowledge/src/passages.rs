//! Documents cut into passages: at headings, else after whole sentences, with an overlap.

use crate::Settings;
use crate::extract::{Block, BlockKind, Extracted};
use crate::sentences::{sentences, words};
use hark_core::text::one_line;

/// Between the headings of a path.
const HEADING_SEPARATOR: &str = " > ";

/// Words of a heading path at most; the outer headings go first.
const MAX_HEADING_CHARS: usize = 300;

/// A piece of a document, as it is indexed and found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Passage {
    /// Sentences of a paragraph parted by blanks; paragraphs, items and rows on lines of their own.
    pub(crate) text: String,
    /// The headings it stands under.
    pub(crate) heading: String,
    /// Where a page begins: bytes in `text`, and its number. Empty where there are no pages.
    pub(crate) pages: Vec<(usize, u32)>,
    /// Bytes in the source.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A sentence or a line before it is put into a passage.
#[derive(Debug, Clone)]
struct Unit {
    text: String,
    words: usize,
    begins_line: bool,
    page: Option<u32>,
    start: usize,
    end: usize,
}

/// Cuts a document.
pub(crate) fn split_into_passages(document: &Extracted, settings: &Settings) -> Vec<Passage> {
    let limit = settings.passage_words.max(1);
    let mut passages = Vec::new();
    let mut path: Vec<(u8, String)> = Vec::new();
    let mut section: Vec<Unit> = Vec::new();
    for block in &document.blocks {
        match block.kind {
            BlockKind::Heading(level) => {
                cut_section(&mut section, &heading(&path), settings, &mut passages);
                path.retain(|(outer, _)| *outer < level);
                path.push((level, one_line(&block.text, usize::MAX)));
            }
            BlockKind::Paragraph | BlockKind::Line => units(block, limit, &mut section),
        }
    }
    cut_section(&mut section, &heading(&path), settings, &mut passages);
    // A document of nothing but headings.
    if passages.is_empty() && !path.is_empty() {
        let mut all = Vec::new();
        document.blocks.iter().for_each(|block| units(block, limit, &mut all));
        cut_section(&mut all, "", settings, &mut passages);
    }
    passages
}

/// Takes the units of a section and makes passages of them.
fn cut_section(section: &mut Vec<Unit>, heading: &str, settings: &Settings, passages: &mut Vec<Passage>) {
    let units = std::mem::take(section);
    let limit = settings.passage_words.max(1);
    let mut first = 0;
    while first < units.len() {
        let mut end = first;
        let mut count = 0;
        while end < units.len() && (end == first || count + units[end].words <= limit) {
            count += units[end].words;
            end += 1;
        }
        passages.push(join(&units[first..end], heading));
        if end == units.len() {
            break;
        }
        // The next one repeats whole sentences, and begins after the first of this one.
        let mut again = end;
        let mut repeated = 0;
        while again > first + 1 && repeated + units[again - 1].words <= settings.overlap_words {
            again -= 1;
            repeated += units[again].words;
        }
        first = again;
    }
}

fn join(units: &[Unit], heading: &str) -> Passage {
    let mut passage = Passage { heading: heading.to_owned(), ..Passage::default() };
    for unit in units {
        if !passage.text.is_empty() {
            passage.text.push(if unit.begins_line { '\n' } else { ' ' });
        }
        if let Some(page) = unit.page
            && passage.pages.last().is_none_or(|(_, last)| *last != page)
        {
            passage.pages.push((passage.text.len(), page));
        }
        passage.text.push_str(&unit.text);
    }
    passage.start = units.first().map_or(0, |unit| unit.start);
    passage.end = units.last().map_or(0, |unit| unit.end);
    passage
}

/// The sentences of a block; one that is longer than a passage is cut between words.
fn units(block: &Block, limit: usize, into: &mut Vec<Unit>) {
    // A line break in a paragraph ends no sentence.
    let flat = block.text.replace(['\n', '\r'], " ");
    // Cells of a row may hold several sentences; the row stays whole.
    let whole = std::iter::once(0..flat.len()).collect::<Vec<_>>();
    let cut = if block.kind == BlockKind::Line { whole } else { sentences(&flat) };
    let mut begins_line = true;
    for sentence in cut {
        let found: Vec<(usize, &str)> =
            words(&flat[sentence.clone()]).map(|(at, word)| (sentence.start + at, word)).collect();
        for piece in found.chunks(limit) {
            let (Some(first), Some(last)) = (piece.first(), piece.last()) else { continue };
            let (start, end) = match block.is_verbatim {
                true => (block.start + first.0, block.start + last.0 + last.1.len()),
                false => (block.start, block.end),
            };
            let text = piece.iter().map(|(_, word)| *word).collect::<Vec<_>>().join(" ");
            into.push(Unit { text, words: piece.len(), begins_line, page: block.page, start, end });
            begins_line = false;
        }
    }
}

fn heading(path: &[(u8, String)]) -> String {
    let mut first = 0;
    let chars = |first: usize| path[first..].iter().map(|(_, text)| text.chars().count() + 3).sum::<usize>();
    while first + 1 < path.len() && chars(first) > MAX_HEADING_CHARS {
        first += 1;
    }
    let all: Vec<&str> = path[first..].iter().map(|(_, text)| text.as_str()).collect();
    all.join(HEADING_SEPARATOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(kind: BlockKind, text: &str) -> Block {
        Block { kind, text: text.to_owned(), page: None, start: 0, end: text.len(), is_verbatim: true }
    }

    fn document(blocks: &[(BlockKind, &str)]) -> Extracted {
        Extracted { title: None, blocks: blocks.iter().map(|(kind, text)| block(*kind, text)).collect() }
    }

    #[test]
    fn a_heading_begins_a_passage_and_knows_its_parents() {
        let document = document(&[
            (BlockKind::Paragraph, "Before all."),
            (BlockKind::Heading(1), "Care"),
            (BlockKind::Heading(2), "Filter"),
            (BlockKind::Paragraph, "Rinse it."),
            (BlockKind::Heading(2), "Door"),
            (BlockKind::Line, "- wipe"),
            (BlockKind::Line, "- dry"),
        ]);
        let found = split_into_passages(&document, &Settings::default());
        let shown: Vec<_> = found.iter().map(|p| (p.heading.as_str(), p.text.as_str())).collect();
        assert_eq!(
            shown,
            [("", "Before all."), ("Care > Filter", "Rinse it."), ("Care > Door", "- wipe\n- dry")]
        );
    }

    #[test]
    fn passages_overlap_by_whole_sentences_and_lose_nothing() {
        let text: String =
            (0..100).map(|n| format!("Sentence number{n} has exactly these seven words.\n")).collect();
        let settings = Settings { passage_words: 60, overlap_words: 15, ..Settings::default() };
        let found = split_into_passages(&document(&[(BlockKind::Paragraph, &text)]), &settings);
        for passage in &found {
            assert!(words(&passage.text).count() <= 60);
            assert!(passage.text.starts_with("Sentence") && passage.text.ends_with("words."));
            assert!(text[passage.start..passage.end].starts_with(&passage.text[..20]));
        }
        for (one, next) in found.iter().zip(&found[1..]) {
            let again = &next.text[..next.text.find("words.").unwrap() + 6];
            assert!(one.text.contains(again), "{again}");
        }
        assert!((0..100).all(|n| found.iter().any(|p| p.text.contains(&format!("number{n} ")))));
    }

    #[test]
    fn a_sentence_without_end_is_cut_and_pages_are_kept() {
        let long = "word ".repeat(1_200);
        let mut document = document(&[(BlockKind::Paragraph, &long), (BlockKind::Paragraph, "Next page.")]);
        document.blocks[0].page = Some(1);
        document.blocks[1].page = Some(2);
        let found = split_into_passages(&document, &Settings::default());
        assert_eq!(found.iter().map(|p| words(&p.text).count()).collect::<Vec<_>>(), [512, 512, 178]);
        let last = found.last().unwrap();
        assert_eq!(last.pages, [(0, 1), (last.text.find("Next").unwrap(), 2)]);
    }
}

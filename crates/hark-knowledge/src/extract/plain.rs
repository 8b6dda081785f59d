//! Text without markup, and the pages of PDFs: paragraphs by empty lines, and headings by their looks.

use super::{Block, BlockKind};

/// Words of a heading at most.
const MAX_HEADING_WORDS: usize = 9;

/// Characters that begin an item of a list.
const BULLETS: &[char] = &['-', '*', '•', '–', '·', '▪', '◦', '☐', '□'];

/// Paragraphs, list items and headings of a text.
pub(super) fn blocks(text: &str, page: Option<u32>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut paragraph: Option<(usize, usize)> = None;
    let lines = lines(text);
    let is_blank =
        |at: Option<usize>| at.and_then(|at| lines.get(at)).is_none_or(|(_, line)| line.is_empty());
    for (at, (start, line)) in lines.iter().enumerate() {
        let end = start + line.len();
        let flush = |paragraph: &mut Option<(usize, usize)>, blocks: &mut Vec<Block>| {
            if let Some((start, end)) = paragraph.take() {
                blocks.push(block(text, BlockKind::Paragraph, start, end, page));
            }
        };
        if line.is_empty() || is_rule(line) {
            flush(&mut paragraph, &mut blocks);
            continue;
        }
        let before = at.checked_sub(1);
        let is_underlined = lines.get(at + 1).is_some_and(|(_, next)| is_rule(next));
        let stands_alone = is_blank(before) && is_blank(Some(at + 1));
        let has_text_after = lines[at + 1..].iter().any(|(_, line)| !line.is_empty() && !is_rule(line));
        let looks = stands_alone
            || is_underlined
            || (is_blank(before) && is_numbered_heading(line) && has_inner_dot(line));
        if looks && has_text_after && is_heading(line) {
            flush(&mut paragraph, &mut blocks);
            let level = heading_level(line, is_underlined);
            // Right under a heading that is not the title stands the head of a table.
            let is_title = blocks.len() == 1 && page.is_none_or(|page| page == 1);
            let is_under = match blocks.last().map(|block| block.kind) {
                Some(BlockKind::Heading(above)) => above >= level && !is_title,
                _ => false,
            };
            if is_under {
                blocks.push(block(text, BlockKind::Line, *start, end, page));
                continue;
            }
            blocks.push(block(text, BlockKind::Heading(level), *start, end, page));
        } else if is_item(line) || is_row(line) {
            flush(&mut paragraph, &mut blocks);
            blocks.push(block(text, BlockKind::Line, *start, end, page));
        } else {
            paragraph = Some((paragraph.map_or(*start, |(start, _)| start), end));
        }
    }
    if let Some((start, end)) = paragraph {
        blocks.push(block(text, BlockKind::Paragraph, start, end, page));
    }
    blocks
}

fn block(text: &str, kind: BlockKind, start: usize, end: usize, page: Option<u32>) -> Block {
    Block { kind, text: text[start..end].to_owned(), page, start, end, is_verbatim: true }
}

/// Lines without the blanks around them, and where they begin.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    let line = |raw: &'_ str, at: &mut usize| {
        let start = *at + (raw.len() - raw.trim_start().len());
        *at += raw.len();
        start
    };
    text.split_inclusive('\n').map(|raw| (line(raw, &mut at), raw.trim())).collect()
}

fn is_rule(line: &str) -> bool {
    line.len() >= 3 && line.chars().all(|c| matches!(c, '=' | '-' | '_' | '*' | '~'))
}

fn is_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < line.len() && rest.starts_with(['.', ')']) && rest[1..].starts_with(' ');
    is_numbered || line.strip_prefix(BULLETS).is_some_and(|rest| rest.starts_with(' '))
}

/// Columns parted by tabs, bars or wide gaps.
fn is_row(line: &str) -> bool {
    line.contains('\t')
        || line.contains(" | ")
        || line.split("   ").filter(|cell| !cell.is_empty()).count() > 1
}

/// As in `3.2 Cleaning` and `1. Term`.
fn is_numbered_heading(line: &str) -> bool {
    let (number, rest) = line.split_once(' ').unwrap_or((line, ""));
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number.trim_end_matches('.').split('.').all(|part| part.bytes().all(|b| b.is_ascii_digit()))
        && number.contains('.');
    is_number && rest.starts_with(char::is_uppercase)
}

/// `3.2` is that of a section, whereas `3.` may be that of an item.
fn has_inner_dot(line: &str) -> bool {
    line.split(' ').next().unwrap_or("").trim_end_matches('.').contains('.')
}

fn is_heading(line: &str) -> bool {
    let words = line.split_whitespace().count();
    let begins = line.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let ends_open = !line.ends_with(['.', ',', ';', ':', '!', '?', '"', '”']);
    (1..=MAX_HEADING_WORDS).contains(&words)
        && begins
        && ends_open
        && line.chars().filter(|c| c.is_alphabetic()).count() >= 3
        && !is_row(line)
        && (!is_item(line) || is_numbered_heading(line))
}

fn heading_level(line: &str, is_underlined: bool) -> u8 {
    let number = line.split(' ').next().unwrap_or("");
    let dots = number.trim_end_matches('.').matches('.').count();
    let is_number = number.starts_with(|c: char| c.is_ascii_digit());
    let depth = if is_number { u8::try_from(dots).unwrap_or(3).min(3) } else { 0 };
    match is_underlined || !line.chars().any(char::is_lowercase) {
        true => 1 + depth,
        false => 2 + depth,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_items_and_rows_are_told_from_paragraphs() {
        let text = "LEASE\n=====\n\nThe flat is let\nfrom May.\n\nDeposit and rent\n\nThe deposit is two rents.\n\n- no pets\n- no smoking\n\n1. Pay the rent\nitem   price   note\n";
        let kinds: Vec<_> = blocks(text, None).iter().map(|b| (b.kind, b.text.clone())).collect();
        let expected = [
            (BlockKind::Heading(1), "LEASE"),
            (BlockKind::Paragraph, "The flat is let\nfrom May."),
            (BlockKind::Heading(2), "Deposit and rent"),
            (BlockKind::Paragraph, "The deposit is two rents."),
            (BlockKind::Line, "- no pets"),
            (BlockKind::Line, "- no smoking"),
            (BlockKind::Line, "1. Pay the rent"),
            (BlockKind::Line, "item   price   note"),
        ];
        assert_eq!(kinds, expected.map(|(kind, text)| (kind, text.to_owned())));
    }

    #[test]
    fn a_block_stands_where_it_says() {
        let text = "Für  den Garten.\r\n\r\n  Zweiter Absatz,\r\n mit zwei Zeilen.\r\n";
        for block in blocks(text, Some(3)) {
            assert_eq!(&text[block.start..block.end], block.text);
            assert_eq!(block.page, Some(3));
        }
        assert_eq!(blocks(text, None).len(), 2);
    }

    #[test]
    fn numbered_headings_have_levels() {
        assert_eq!(heading_level("3.2 Cleaning", false), 3);
        assert_eq!(heading_level("SAFETY", false), 1);
        assert!(is_numbered_heading("3.2 Cleaning") && !is_numbered_heading("3 eggs"));
    }
}

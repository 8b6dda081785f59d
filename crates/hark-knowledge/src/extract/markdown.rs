//! Markdown: headings, paragraphs, items and rows, with the place in the source.

use super::{Block, BlockKind, Extracted};
use hark_core::text::one_line;
use pulldown_cmark::{Event, MetadataBlockKind, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// Reads Markdown; there is none that is wrong.
pub(super) fn parse(text: &str) -> Extracted {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reading = Reading::default();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reading.event(event, range);
    }
    reading.flush();
    let title = reading.blocks.iter().find(|block| block.kind == BlockKind::Heading(1));
    Extracted { title: title.map(|block| block.text.clone()), blocks: reading.blocks }
}

#[derive(Default)]
struct Reading {
    blocks: Vec<Block>,
    /// What is read, its kind, and where it stands.
    text: String,
    kind: Option<BlockKind>,
    place: Range<usize>,
    /// The numbers of ordered lists that are open; `None` for bullets.
    lists: Vec<Option<u64>>,
    in_code: bool,
    in_metadata: bool,
}

impl Reading {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.open(&tag, &range),
            Event::End(tag) => self.close(tag),
            Event::Text(text) if self.in_code => {
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    self.begin(BlockKind::Line, &range);
                    self.text.push_str(line);
                    self.flush();
                }
            }
            Event::Text(text) | Event::Code(text) if !self.in_metadata => self.words(&text, &range),
            Event::SoftBreak | Event::HardBreak => self.words(" ", &range),
            _ => {}
        }
    }

    fn open(&mut self, tag: &Tag<'_>, range: &Range<usize>) {
        match tag {
            Tag::Heading { level, .. } => self.begin(BlockKind::Heading(*level as u8), range),
            Tag::Paragraph if self.kind != Some(BlockKind::Line) => self.begin(BlockKind::Paragraph, range),
            Tag::List(first) => self.lists.push(*first),
            Tag::Item => {
                self.begin(BlockKind::Line, range);
                match self.lists.last_mut() {
                    Some(Some(number)) => {
                        self.text = format!("{number}. ");
                        *number += 1;
                    }
                    _ => self.text.push_str("- "),
                }
            }
            Tag::TableHead | Tag::TableRow => self.begin(BlockKind::Line, range),
            Tag::TableCell if !self.text.is_empty() => self.text.push_str(" | "),
            Tag::CodeBlock(_) => {
                self.flush();
                self.in_code = true;
            }
            Tag::MetadataBlock(MetadataBlockKind::YamlStyle) => self.in_metadata = true,
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph if self.kind == Some(BlockKind::Line) => self.text.push(' '),
            TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item | TagEnd::TableHead | TagEnd::TableRow => {
                self.flush()
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::MetadataBlock(_) => self.in_metadata = false,
            _ => {}
        }
    }

    fn begin(&mut self, kind: BlockKind, range: &Range<usize>) {
        self.flush();
        self.kind = Some(kind);
        self.place = range.clone();
    }

    fn words(&mut self, text: &str, range: &Range<usize>) {
        if self.kind.is_none() {
            self.begin(BlockKind::Paragraph, range);
        }
        self.text.push_str(text);
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        let Some(kind) = self.kind.take() else { return };
        let text = one_line(&text, usize::MAX);
        if text.chars().any(char::is_alphanumeric) {
            let Range { start, end } = self.place.clone();
            self.blocks.push(Block { kind, text, page: None, start, end, is_verbatim: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_lists_and_tables_keep_their_shape() {
        let text = "---\nauthor: me\n---\n# Oven\n\nIt *bakes*\nwell.\n\n1. Open `door`\n2. Wait\n   - inner\n\n| dish | °C |\n|---|---|\n| pie | 180 |\n\n```\nset x\n```\n";
        let parsed = parse(text);
        let found: Vec<_> = parsed.blocks.iter().map(|b| (b.kind, b.text.as_str())).collect();
        let expected = [
            (BlockKind::Heading(1), "Oven"),
            (BlockKind::Paragraph, "It bakes well."),
            (BlockKind::Line, "1. Open door"),
            (BlockKind::Line, "2. Wait"),
            (BlockKind::Line, "- inner"),
            (BlockKind::Line, "dish | °C"),
            (BlockKind::Line, "pie | 180"),
            (BlockKind::Line, "set x"),
        ];
        assert_eq!(found, expected);
        assert_eq!(parsed.title.as_deref(), Some("Oven"));
        let pie = &parsed.blocks[6];
        assert!(text[pie.start..pie.end].contains("pie"), "{pie:?}");
    }
}

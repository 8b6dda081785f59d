//! HTML and XHTML: text in blocks, without scripts, styles and navigation. A tokeniser and no tree, so that deep nesting
//! costs nothing.

use super::{Block, BlockKind, Extracted};
use encoding_rs::Encoding;
use hark_core::text::one_line;
use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};

/// Elements of which nothing is read.
const SILENT: &[&str] =
    &["script", "style", "noscript", "template", "svg", "math", "iframe", "object", "canvas", "head", "nav"];

/// Elements that begin and end a paragraph.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "main",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "thead",
    "ul",
    "br",
];

/// How much of a page is searched for its encoding.
const DECLARATION_BYTES: usize = 1024;

/// How the text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Html,
    /// `<title/>` and `<script/>` are whole elements, as in the chapters of EPUB.
    Xhtml,
}

/// The encoding a page says it has.
pub(super) fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARATION_BYTES)]).to_lowercase();
    let (_, label) = head.split_once("charset=")?;
    let label = label.trim_start_matches(['"', '\'']);
    Encoding::for_label(label.split(['"', '\'', ';', '>', ' ', '/']).next()?.as_bytes())
}

/// Reads a page, however broken it is.
pub(super) fn parse(text: &str, dialect: Dialect) -> Extracted {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    // `<` inside of scripts and titles begins no tag.
    emitter.naively_switch_states(dialect == Dialect::Html);
    let mut reading = Reading::default();
    for Ok(token) in Tokenizer::new_with_emitter(text, emitter) {
        match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name);
                let closes = tag.self_closing && dialect == Dialect::Xhtml;
                reading.open(&name);
                if closes {
                    reading.close(&name);
                }
            }
            Token::EndTag(tag) => reading.close(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) => {
                reading.words(&String::from_utf8_lossy(&text), text.span.start, text.span.end);
            }
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    reading.flush();
    let title = one_line(&reading.title, usize::MAX);
    let first_heading = || {
        let heading = reading.blocks.iter().find(|block| matches!(block.kind, BlockKind::Heading(_)));
        heading.map(|block| block.text.clone())
    };
    let title = if title.is_empty() { first_heading() } else { Some(title) };
    Extracted { title, blocks: reading.blocks }
}

#[derive(Default)]
struct Reading {
    blocks: Vec<Block>,
    title: String,
    text: String,
    kind: Option<BlockKind>,
    /// Where the text begins and ends.
    place: Option<(usize, usize)>,
    /// The silent element it is in, and how many of the same name are open.
    silent: Option<(String, usize)>,
    in_title: bool,
    in_preformatted: bool,
    /// The numbers of ordered lists that are open; `None` for bullets.
    lists: Vec<Option<u32>>,
    cells: usize,
}

impl Reading {
    fn open(&mut self, name: &str) {
        // A head that was not closed ends where the body begins.
        if name == "body" {
            self.silent = None;
        }
        if let Some((open, count)) = &mut self.silent {
            *count += usize::from(open == name);
            self.in_title |= name == "title" && open == "head";
            return;
        }
        if SILENT.contains(&name) {
            self.flush();
            self.silent = Some((name.to_owned(), 1));
            return;
        }
        match name {
            "title" => self.in_title = true,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.begin(BlockKind::Heading(name.as_bytes()[1] - b'0'));
            }
            "li" => {
                self.begin(BlockKind::Line);
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{number}. ")
                    }
                    _ => "- ".to_owned(),
                };
                self.text.push_str(&mark);
            }
            "tr" => {
                self.begin(BlockKind::Line);
                self.cells = 0;
            }
            "td" | "th" => {
                if self.cells > 0 {
                    self.text.push_str(" | ");
                }
                self.cells += 1;
            }
            _ if BLOCKS.contains(&name) => {
                match name {
                    "ol" => self.lists.push(Some(0)),
                    "ul" => self.lists.push(None),
                    "pre" => self.in_preformatted = true,
                    _ => {}
                }
                self.part();
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        self.in_title &= name != "title";
        if let Some((open, count)) = &mut self.silent {
            if open == name {
                *count -= 1;
                if *count == 0 {
                    self.silent = None;
                }
            }
            return;
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "li" | "tr" => self.flush(),
            "td" | "th" => {}
            _ if BLOCKS.contains(&name) => {
                match name {
                    "ol" | "ul" => {
                        self.lists.pop();
                    }
                    "pre" => self.in_preformatted = false,
                    _ => {}
                }
                self.part();
            }
            _ => {}
        }
    }

    /// Between two paragraphs: inside of an item or a cell it is a blank.
    fn part(&mut self) {
        match self.kind {
            Some(BlockKind::Line) => self.text.push(' '),
            _ => self.flush(),
        }
    }

    fn begin(&mut self, kind: BlockKind) {
        self.flush();
        self.kind = Some(kind);
    }

    fn words(&mut self, text: &str, start: usize, end: usize) {
        if self.in_title && self.blocks.is_empty() {
            self.title.push_str(text);
            return;
        }
        if self.silent.is_some() {
            return;
        }
        if !text.trim().is_empty() {
            self.place = Some((self.place.map_or(start, |(start, _)| start), end));
        }
        if self.in_preformatted && self.kind.is_none() {
            // Its lines are kept.
            for (at, line) in text.split('\n').enumerate() {
                if at > 0 {
                    self.flush_as(BlockKind::Line);
                    self.place = Some((start, end));
                }
                self.text.push_str(line);
            }
            return;
        }
        self.text.push_str(text);
    }

    fn flush(&mut self) {
        let kind = if self.in_preformatted { BlockKind::Line } else { BlockKind::Paragraph };
        self.flush_as(kind);
    }

    fn flush_as(&mut self, otherwise: BlockKind) {
        let kind = self.kind.take().unwrap_or(otherwise);
        let text = std::mem::take(&mut self.text);
        let text = one_line(&text, usize::MAX);
        if let Some((start, end)) = self.place.take()
            && text.chars().any(char::is_alphanumeric)
        {
            self.blocks.push(Block { kind, text, page: None, start, end, is_verbatim: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_a_reader_sees() {
        let text = "<html><head><title>Bins &amp; bags</title><style>p{}</style></head><body><nav>Home</nav>\
            <h1>When</h1><p>Paper: <b>every</b> second Monday.<script>x<y</script><ul><li>glass<li>tins</ul>\
            <table><tr><th>Bin</th><th>Day</th></tr><tr><td>Blue</td><td><p>Mon</p></td></tr></table>";
        let parsed = parse(text, Dialect::Html);
        let found: Vec<_> = parsed.blocks.iter().map(|b| (b.kind, b.text.as_str())).collect();
        let expected = [
            (BlockKind::Heading(1), "When"),
            (BlockKind::Paragraph, "Paper: every second Monday."),
            (BlockKind::Line, "- glass"),
            (BlockKind::Line, "- tins"),
            (BlockKind::Line, "Bin | Day"),
            (BlockKind::Line, "Blue | Mon"),
        ];
        assert_eq!(found, expected);
        assert_eq!(parsed.title.as_deref(), Some("Bins & bags"));
        let blue = &parsed.blocks[5];
        assert!(text[blue.start..blue.end].starts_with("Blue"));
    }

    #[test]
    fn an_empty_title_of_xhtml_does_not_swallow_the_page() {
        let parsed =
            parse("<html><head><title/></head><body><p>Hello there.</p></body></html>", Dialect::Xhtml);
        assert_eq!(parsed.blocks.len(), 1);
        let deep = "<div>".repeat(200_000) + "deep";
        assert_eq!(parse(&deep, Dialect::Html).blocks[0].text, "deep");
    }

    #[test]
    fn the_declared_encoding_is_found() {
        let found = declared_encoding(b"<meta charset=\"iso-8859-2\">");
        assert_eq!(found.map(Encoding::name), Some("ISO-8859-2"));
        assert_eq!(declared_encoding(b"<p>"), None);
    }
}

//! The words of an HTML page, without its scripts, styles and tags.

use hark_core::text::one_line;
use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};

/// Elements of which nothing is read.
const SILENT: &[&str] = &[
    "script", "style", "noscript", "template", "svg", "math", "iframe", "object", "canvas", "audio", "video",
    "head",
];

/// Elements that begin and end a line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
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
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tr",
    "ul",
    "title",
    "body",
];

/// A page in words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// Its title; empty when it has none.
    pub title: String,
    /// Its text, a line for every paragraph.
    pub text: String,
}

/// Reads a page, however broken it is.
pub fn page(html: &str) -> Page {
    let mut emitter = DefaultEmitter::default();
    // `<` inside of scripts and titles begins no tag.
    emitter.naively_switch_states(true);
    let mut reading = Reading::default();
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Token::StartTag(tag) => reading.open(&String::from_utf8_lossy(&tag.name), tag.self_closing),
            Token::EndTag(tag) => reading.close(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) => reading.words(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    Page { title: one_line(&reading.title, usize::MAX), text: tidy(&reading.text) }
}

#[derive(Default)]
struct Reading {
    title: String,
    text: String,
    /// The silent element it is in, and how many of the same name are open.
    silent: Option<(String, usize)>,
    in_title: bool,
}

impl Reading {
    fn open(&mut self, name: &str, self_closing: bool) {
        // A head that was not closed ends where the body begins.
        if name == "body" {
            self.silent = None;
        }
        match &mut self.silent {
            Some((open, count)) if open == name && !self_closing => *count += 1,
            Some(_) => {}
            None if SILENT.contains(&name) && !self_closing => self.silent = Some((name.to_owned(), 1)),
            None => {}
        }
        // Drawings have titles as well.
        let of_page = self.silent.as_ref().is_none_or(|(open, _)| open == "head");
        self.in_title |= name == "title" && self.title.is_empty() && of_page;
        if self.silent.is_none() {
            self.mark(name);
            if name == "li" {
                self.text.push_str("- ");
            }
        }
    }

    fn close(&mut self, name: &str) {
        self.in_title &= name != "title";
        match &mut self.silent {
            Some((open, count)) if open == name => {
                *count -= 1;
                if *count == 0 {
                    self.silent = None;
                }
            }
            Some(_) => {}
            None => self.mark(name),
        }
    }

    fn mark(&mut self, name: &str) {
        if BLOCKS.contains(&name) {
            self.text.push('\n');
        } else if matches!(name, "td" | "th") {
            self.text.push(' ');
        }
    }

    fn words(&mut self, words: &str) {
        if self.in_title {
            self.title.push_str(words);
        } else if self.silent.is_none() {
            // Line breaks of the source mean nothing.
            self.text.extend(words.chars().map(|c| if c.is_whitespace() { ' ' } else { c }));
        }
    }
}

/// Lines that say something, each without superfluous blanks.
fn tidy(text: &str) -> String {
    let lines =
        text.lines().map(|line| one_line(line, usize::MAX)).filter(|line| !line.is_empty() && line != "-");
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_and_machinery_goes() {
        let html = "<!doctype html><html><head><title>A &amp; B\n page</title><style>p { color: red }</style>\
            <script>if (1 < 2) { alert('</p>') }</script></head><body><h1>Over\nview</h1><p>One <b>two</b>&nbsp;three\
            <br>four<!-- secret --></p><ul><li>x</li><li>y</ul><table><tr><td>a</td><td>b</td></tr></table>\
            <noscript>enable scripts</noscript><svg><title>icon</title><text>drawn</text></svg>end &lt;tag&gt;";
        let page = page(html);
        assert_eq!(page.title, "A & B page");
        assert_eq!(
            page.text,
            "Overview\nOne two three\nfour\n- x\n- y\na b\nend <tag>".replace("Overview", "Over view")
        );
    }

    #[test]
    fn broken_pages_are_read_as_far_as_they_go() {
        assert_eq!(page("<head><title>T</title><body>text").text, "text");
        assert_eq!(page("plain words").text, "plain words");
        assert_eq!(page("<p>a<p>b</div></p></p>c<").text, "a\nb\nc<");
        assert_eq!(page("<script>never closed <p>x").text, "");
        assert_eq!(page("").text, "");
        assert_eq!(page(&"<div>".repeat(100_000)).text, "");
    }
}

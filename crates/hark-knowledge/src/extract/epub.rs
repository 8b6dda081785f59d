//! EPUB: the chapters in reading order. <https://www.w3.org/TR/epub-33/>

use super::html::{self, Dialect};
use super::{Block, BlockKind, Bounds, Extracted};
use crate::KnowledgeError;
use html5gum::{StartTag, Token, Tokenizer};
use std::collections::HashMap;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Where the package file is named.
const CONTAINER: &str = "META-INF/container.xml";

/// Where encrypted parts are named.
const ENCRYPTION: &str = "META-INF/encryption.xml";

/// Bytes of a chapter at most, unpacked.
const MAX_PART_BYTES: u64 = 16 << 20;

/// Reads a book. A chapter that cannot be read is left out, unless it is every one.
///
/// # Errors
/// When it is damaged, encrypted or has too much text.
pub(super) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Extracted, KnowledgeError> {
    let archive =
        ZipArchive::new(Cursor::new(bytes)).map_err(|error| bounds.damaged("its archive", error))?;
    let mut book = Book { archive, bounds };
    let container = book.part(CONTAINER)?;
    let package = attribute_of(&container, "rootfile", "full-path")
        .ok_or_else(|| bounds.damaged(CONTAINER, "it names no package"))?;
    let content = book.part(&package)?;
    let Package { title, chapters } = read_package(&content, &package);
    if chapters.is_empty() {
        return Err(bounds.damaged(package, "it names no chapters"));
    }
    let locked = book.part(ENCRYPTION).unwrap_or_default();
    // Fonts may be obfuscated; chapters that are encrypted cannot be read.
    if chapters.iter().any(|chapter| locked.contains(chapter.as_str())) {
        return Err(KnowledgeError::Encrypted { path: bounds.path.clone() });
    }
    let mut blocks: Vec<Block> = Vec::new();
    let mut text_bytes = 0;
    let mut failed: Option<KnowledgeError> = None;
    for (at, chapter) in chapters.iter().enumerate() {
        bounds.check(text_bytes, &|| format!("chapter {}", at + 1))?;
        let content = match book.part(chapter) {
            Ok(content) => content,
            Err(error @ KnowledgeError::Damaged { .. }) => {
                tracing::warn!(%error, "a chapter of a book cannot be read");
                failed.get_or_insert(error);
                continue;
            }
            Err(error) => return Err(error),
        };
        let parsed = html::parse(&content, Dialect::Xhtml);
        text_bytes += parsed.blocks.iter().map(|block| block.text.len()).sum::<usize>();
        let begins_with_heading =
            parsed.blocks.first().is_some_and(|block| matches!(block.kind, BlockKind::Heading(_)));
        if let (Some(name), false, false) = (parsed.title, begins_with_heading, parsed.blocks.is_empty()) {
            let kind = BlockKind::Heading(1);
            blocks.push(Block { kind, text: name, page: None, start: 0, end: 0, is_verbatim: false });
        }
        blocks.extend(parsed.blocks);
    }
    match failed {
        Some(error) if blocks.is_empty() => Err(error),
        _ => Ok(Extracted { title, blocks }),
    }
}

struct Book<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    bounds: &'a Bounds,
}

impl Book<'_> {
    /// A part of the archive as text. What it unpacks to is bounded, whatever its header says.
    fn part(&mut self, name: &str) -> Result<String, KnowledgeError> {
        let damaged = |why: String| self.bounds.damaged(name, why);
        let part = match self.archive.by_name(name) {
            Err(zip::result::ZipError::UnsupportedArchive(why)) if why.contains("assword") => {
                return Err(KnowledgeError::Encrypted { path: self.bounds.path.clone() });
            }
            found => found.map_err(|error| damaged(error.to_string()))?,
        };
        let mut content = Vec::new();
        part.take(MAX_PART_BYTES + 1)
            .read_to_end(&mut content)
            .map_err(|error| damaged(error.to_string()))?;
        if content.len() as u64 > MAX_PART_BYTES {
            return Err(damaged(format!("it unpacks to more than {MAX_PART_BYTES} bytes")));
        }
        super::decode(&content, html::declared_encoding(&content), self.bounds)
    }
}

struct Package {
    title: Option<String>,
    /// Names in the archive, in reading order.
    chapters: Vec<String>,
}

fn read_package(content: &str, package: &str) -> Package {
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut items: HashMap<String, String> = HashMap::new();
    let mut chapters = Vec::new();
    let (mut title, mut in_title) = (String::new(), false);
    for Ok(token) in Tokenizer::new(content) {
        match token {
            Token::StartTag(tag) => match local_name(&tag) {
                "title" => in_title = title.is_empty(),
                "item" => {
                    let (id, href) = (attribute(&tag, "id"), attribute(&tag, "href"));
                    let is_page = attribute(&tag, "media-type").is_some_and(|kind| kind.contains("html"));
                    let is_contents = attribute(&tag, "properties")
                        .is_some_and(|all| all.split_whitespace().any(|one| one == "nav"));
                    if let (Some(id), Some(href), true, false) = (id, href, is_page, is_contents) {
                        items.insert(id, resolve(folder, &href));
                    }
                }
                "itemref" => {
                    chapters.extend(attribute(&tag, "idref").and_then(|id| items.get(&id).cloned()));
                }
                _ => {}
            },
            Token::EndTag(_) => in_title = false,
            Token::String(text) if in_title => title.push_str(&String::from_utf8_lossy(&text)),
            _ => {}
        }
    }
    let title = title.trim().to_owned();
    Package { title: (!title.is_empty()).then_some(title), chapters }
}

/// The name of an element without its namespace.
fn local_name(tag: &StartTag<()>) -> &str {
    let name = std::str::from_utf8(&tag.name).unwrap_or("");
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

fn attribute(tag: &StartTag<()>, name: &str) -> Option<String> {
    let value = tag.attributes.iter().find(|(known, _)| known.as_slice() == name.as_bytes())?.1;
    Some(String::from_utf8_lossy(value).into_owned())
}

fn attribute_of(content: &str, element: &str, name: &str) -> Option<String> {
    Tokenizer::new(content).find_map(|token| match token {
        Ok(Token::StartTag(tag)) if local_name(&tag) == element => attribute(&tag, name),
        _ => None,
    })
}

/// The name in the archive that a relative link means.
fn resolve(folder: &str, href: &str) -> String {
    let href = href.split('#').next().unwrap_or(href);
    let mut parts: Vec<String> =
        folder.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    for part in href.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(unescape(part)),
        }
    }
    parts.join("/")
}

/// Undoes percent encoding.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_resolved_in_the_archive() {
        assert_eq!(resolve("OEBPS/text", "../a%20b.xhtml#x"), "OEBPS/a b.xhtml");
        assert_eq!(resolve("", "./c.xhtml"), "c.xhtml");
        assert_eq!(unescape("50%"), "50%");
    }
}

//! PDF: the text of each page.

use super::{Block, Bounds, Extracted, plain};
use crate::KnowledgeError;
use pdf_extract::{Document, Object, PlainTextOutput, output_doc_page};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Names the encryption in a file that has one.
const LOCK: &[u8] = b"/Encrypt";

/// Reads a PDF. A page that cannot be read is left out, unless it is every page.
///
/// # Errors
/// When it is damaged, encrypted, without text (scanned) or has too much of it.
pub(super) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Extracted, KnowledgeError> {
    let mut document = Document::load_mem(bytes).map_err(|error| {
        // An encrypted file fails while it is read where its user password is not empty.
        match error.to_string().to_lowercase() {
            why if why.contains("password") || why.contains("decrypt") => {
                KnowledgeError::Encrypted { path: bounds.path.clone() }
            }
            why => bounds.damaged("its structure", why),
        }
    })?;
    // Many files are encrypted with an empty password, to forbid printing.
    if document.is_encrypted() && document.decrypt("").is_err() {
        return Err(KnowledgeError::Encrypted { path: bounds.path.clone() });
    }
    let pages = document.get_pages();
    if pages.is_empty() && bytes.windows(LOCK.len()).any(|part| part == LOCK) {
        return Err(KnowledgeError::Encrypted { path: bounds.path.clone() });
    }
    if pages.is_empty() {
        return Err(bounds.damaged("its structure", "it has no pages"));
    }
    let mut blocks: Vec<Block> = Vec::new();
    let mut text_bytes = 0;
    let mut failed: Option<(u32, String)> = None;
    for page in pages.keys().copied() {
        bounds.check(text_bytes, &|| format!("page {page}"))?;
        match page_text(&document, page) {
            Ok(text) => {
                text_bytes += text.len();
                blocks.extend(plain::blocks(&text, Some(page)));
            }
            Err(why) => {
                tracing::warn!(path = %bounds.path.display(), page, why, "a page of a PDF cannot be read");
                failed.get_or_insert((page, why));
            }
        }
    }
    match (blocks.is_empty(), failed) {
        (true, Some((page, why))) => Err(bounds.damaged(format!("page {page}"), why)),
        (true, None) => Err(bounds.no_text("its pages are pictures")),
        (false, _) => Ok(Extracted { title: title(&document), blocks }),
    }
}

/// The text of a page; the parser panics on some that are damaged.
fn page_text(document: &Document, page: u32) -> Result<String, String> {
    let read = catch_unwind(AssertUnwindSafe(|| {
        let mut text = String::new();
        let mut output = PlainTextOutput::new(&mut text);
        output_doc_page(document, &mut output, page).map(|()| text).map_err(|error| error.to_string())
    }));
    read.unwrap_or_else(|panic| Err(super::panic_text(panic.as_ref())))
}

/// The title in the properties of the file.
fn title(document: &Document) -> Option<String> {
    let info = document.trailer.get(b"Info").ok()?;
    let info = match info {
        Object::Reference(id) => document.get_dictionary(*id).ok()?,
        other => other.as_dict().ok()?,
    };
    let bytes = info.get(b"Title").ok()?.as_str().ok()?;
    let title = match bytes {
        [0xfe, 0xff, ..] | [0xff, 0xfe, ..] => {
            let encoding = encoding_rs::Encoding::for_bom(bytes)?.0;
            encoding.decode(bytes).0.into_owned()
        }
        // PDFDocEncoding differs from it in few characters.
        _ => encoding_rs::WINDOWS_1252.decode(bytes).0.into_owned(),
    };
    let title = title.trim().to_owned();
    let says_something =
        !title.is_empty() && !title.eq_ignore_ascii_case("untitled") && title != "(anonymous)";
    says_something.then_some(title)
}

//! The formats that are read, told by the endings of file names.

use std::path::Path;

/// The format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Text without markup.
    Text,
    /// Markdown (CommonMark with tables).
    Markdown,
    /// HTML or XHTML.
    Html,
    /// PDF.
    Pdf,
    /// EPUB 2 or 3.
    Epub,
}

/// Endings of file names, and what they say.
const EXTENSIONS: &[(&str, Kind)] = &[
    ("txt", Kind::Text),
    ("text", Kind::Text),
    ("md", Kind::Markdown),
    ("markdown", Kind::Markdown),
    ("html", Kind::Html),
    ("htm", Kind::Html),
    ("xhtml", Kind::Html),
    ("pdf", Kind::Pdf),
    ("epub", Kind::Epub),
];

impl Kind {
    /// The kind of a file by the ending of its name; `None` when it is not read.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_lowercase();
        EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, kind)| *kind)
    }

    /// The name in the index.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Pdf => "pdf",
            Self::Epub => "epub",
        }
    }
}

/// The endings that are read, for error texts.
pub(crate) fn extensions() -> String {
    EXTENSIONS.iter().map(|(known, _)| format!(".{known}")).collect::<Vec<_>>().join(", ")
}

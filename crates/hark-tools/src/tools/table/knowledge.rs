//! The tool that looks things up in the household's documents.

use crate::tools::descriptor::{Descriptor, Field, Outside, always};
use crate::tools::knowledge;
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

/// Its tools.
pub const TOOLS: &[Descriptor] = &[Descriptor {
    name: "knowledge.search",
    description: "Looks something up in the household's documents (manuals, leases, letters).",
    args: &[&[
        Arg::must("query", Kind::Words(300), "what is asked, in words or as a question"),
        Arg::maybe("document", Kind::Text, "kind of the document, such as `manual`; any when missing"),
        Arg::maybe("document_of", Kind::Text, "words that tell which one, such as `boiler`"),
    ]],
    result: &[
        Field::always("count", "integer", "how many passages answer"),
        Field::always("documents", "integer", "how many documents there are"),
        Field::maybe("called", "string", "the document as it was asked for, when the best is of that one"),
        Field::maybe("title", "string", "title of the document of the best passage"),
        Field::maybe("page", "integer", "its page, from 1, where the document has pages"),
        Field::maybe("heading", "string", "headings it stands under, `Care > Descaling`"),
        Field::maybe("answer", "string", "the sentence that answers best, as it is written there"),
        Field::maybe("passage", "string", "the passage around it"),
        Field::maybe("path", "string", "file of the document"),
        Field::maybe(
            "start_byte",
            "integer",
            "where the passage begins in the document's text, in bytes; of a PDF on its page, of an EPUB in its chapter",
        ),
        Field::maybe("end_byte", "integer", "where it ends, counted alike"),
        Field::maybe(
            "others",
            "array",
            "{title, page, heading, answer, path, start_byte, end_byte} of the other passages that answer",
        ),
    ],
    risk: Risk::Read,
    outside: Outside::Always,
    permission: "knowledge",
    agent: "knowledge",
    timeout_ms: None,
    ready: always,
    prepare: knowledge::search,
}];

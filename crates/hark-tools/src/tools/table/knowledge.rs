//! Tools for the household's documents.

use crate::tools::descriptor::{Descriptor, Field, Outside, Toolset, always};
use crate::tools::knowledge;
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

const TOOLSET: Toolset = Toolset { permission: "knowledge", agent: "knowledge", ready: always };

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
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
            Field::maybe(
                "called",
                "string",
                "the document as it was asked for, when the best is of that one",
            ),
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
    },
    TOOLSET.tool(
        "knowledge.add",
        "Takes a file or a folder into the household's documents, and keeps it in step from then on.",
        &[&[Arg::must("path", Kind::Raw(4096), "the file or folder, by its path or words of its name")]],
        &[
            Field::always("name", "string", "what it is called"),
            Field::always("path", "string", "the whole path"),
            Field::always("done", "boolean", "it is read; else it goes on in the background"),
            Field::always("indexed", "integer", "documents that were read"),
            Field::always("unchanged", "integer", "documents that were known as they are"),
            Field::always("failed", "integer", "documents that could not be read"),
        ],
        Risk::Write,
        knowledge::add,
    ),
    TOOLSET.tool(
        "knowledge.list",
        "Tells which documents of the household Hark knows.",
        &[],
        &[
            Field::always("count", "integer", "documents that can be looked into"),
            Field::always(
                "documents",
                "array",
                "{title, path, kind: text, markdown, html, pdf or epub} of each",
            ),
            Field::always("unread", "integer", "documents that could not be read"),
            Field::always("truncated", "boolean", "there is more than is told"),
        ],
        Risk::Read,
        knowledge::list,
    ),
];

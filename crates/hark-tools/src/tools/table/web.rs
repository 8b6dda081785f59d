//! Tools for the web.

use crate::tools::descriptor::{Arg, Descriptor, Field, Kind, Outside, always};
use crate::tools::web;
use hark_core::Risk;

/// Longest address, characters.
const URL: Kind = Kind::Words(4096);
/// Longest body of a request, bytes.
const BODY: Kind = Kind::Body(256 * 1024);

const STATUS: Field = Field::always("status", "integer", "such as 200");
const FROM: Field = Field::always("url", "string", "where it came from in the end");
const CONTENT_TYPE: Field =
    Field::always("content_type", "string", "such as text/html; empty when it was not told");
const TRUNCATED: Field = Field::always("truncated", "boolean", "there is more than is told");

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
        name: "http.request",
        description: "Makes a request to a web address. Anything but GET and HEAD is asked about first.",
        args: &[&[
            Arg::maybe(
                "method",
                Kind::Choice(&["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
                "GET when missing",
            ),
            Arg::must("url", URL, "http or https; https when it names none"),
            Arg::maybe("headers", Kind::Pairs(30), "headers by name"),
            Arg::maybe("query", Kind::Pairs(100), "what is added to the address after `?`"),
            Arg::maybe("body", BODY, "a text, or anything that is sent as JSON"),
        ]],
        result: &[
            STATUS,
            FROM,
            CONTENT_TYPE,
            Field::always("headers", "object", "headers of the answer by name"),
            Field::always("bytes", "integer", "how much was read"),
            TRUNCATED,
            Field::maybe("body", "string", "the answer, when it is text"),
            Field::maybe("binary", "boolean", "the answer is not text and not told"),
        ],
        risk: Risk::Write,
        outside: Outside::Always,
        permission: "web",
        agent: "web",
        timeout_ms: None,
        ready: always,
        prepare: web::request,
    },
    Descriptor {
        name: "fetch.get",
        description: "Reads the words of a web page.",
        args: &[&[Arg::must("url", URL, "http or https; https when it names none")]],
        result: &[
            STATUS,
            FROM,
            CONTENT_TYPE,
            Field::maybe("title", "string", "title of the page"),
            Field::always("text", "string", "its words, without tags and scripts"),
            TRUNCATED,
        ],
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "web",
        agent: "web",
        timeout_ms: None,
        ready: always,
        prepare: web::fetch,
    },
];

//! Tools for the web.

use crate::tools::computer::web;
use crate::tools::descriptor::{Descriptor, Field, Outside, always};
use crate::tools::parameter::{Arg, Kind};
use crate::tools::web_search;
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

const SEARCH: &[&[Arg]] = &[&[
    Arg::must("words", Kind::Words(400), "what is searched for"),
    Arg::maybe("limit", Kind::Integer(1, 20), "most results to tell; 5 when missing"),
]];
const RESULTS: &[Field] = &[
    Field::always("words", "string", "what was searched for"),
    Field::always("count", "integer", "how many results are told"),
    Field::always("results", "array", "{title, url, site, text, published?, image?} of each, the best first"),
];

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
    Descriptor {
        name: "search.web",
        description: "Searches the web.",
        args: SEARCH,
        result: RESULTS,
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "web",
        agent: "web",
        timeout_ms: None,
        ready: web_search::ready,
        prepare: web_search::pages,
    },
    Descriptor {
        name: "search.news",
        description: "Searches the news of the web.",
        args: SEARCH,
        result: RESULTS,
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "web",
        agent: "web",
        timeout_ms: None,
        ready: web_search::ready,
        prepare: web_search::news,
    },
    Descriptor {
        name: "search.images",
        description: "Searches the web for pictures.",
        args: SEARCH,
        result: RESULTS,
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "web",
        agent: "web",
        timeout_ms: None,
        ready: web_search::ready,
        prepare: web_search::images,
    },
];

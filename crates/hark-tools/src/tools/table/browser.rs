//! Tools for pages in the browser that Hark works itself.

use crate::tools::computer::browser;
use crate::tools::descriptor::{Descriptor, Field, Toolset};
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

const URL: Field = Field::always("url", "string", "address of the page");
const SITE: Field = Field::always("site", "string", "its host, without www");
const TITLE: Field = Field::maybe("title", "string", "its title");

const TOOLSET: Toolset = Toolset { permission: "browser", agent: "browser", ready: browser::ready };

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    TOOLSET.tool(
        "browser.navigate",
        "Opens a page in the browser, or goes to the page before or behind it.",
        &[&[
            Arg::maybe("url", Kind::Words(4096), "http or https; https when it names none"),
            Arg::maybe("go", Kind::Choice(&["back", "forward", "reload"]), "a step instead of an address"),
        ]],
        &[URL, SITE, TITLE, Field::maybe("status", "integer", "of the answer, such as 200")],
        Risk::Write,
        browser::navigate,
    ),
    TOOLSET.tool(
        "browser.read",
        "Reads the page that is open in the browser.",
        &[],
        &[
            URL,
            SITE,
            TITLE,
            Field::always("text", "string", "its visible words, at most 5,000 characters"),
            Field::always("truncated", "boolean", "there is more than is told"),
            Field::always("fields", "array", "what its fields are called"),
        ],
        Risk::Read,
        browser::read,
    ),
    TOOLSET.tool(
        "browser.click",
        "Clicks what is written so on the page. What sends a form, buys or deletes is asked about first.",
        &[&[Arg::must("text", Kind::Text, "what is written on it, or a part of that")]],
        &[URL, SITE, TITLE, Field::always("label", "string", "what is written on it")],
        Risk::Write,
        browser::click,
    ),
    TOOLSET.tool(
        "browser.fill",
        "Fills a field of the page, but none for passwords. Sending more than a search is asked about first.",
        &[&[
            Arg::must("text", Kind::Words(2000), "what is filled in"),
            Arg::maybe(
                "field",
                Kind::Text,
                "its label, placeholder or name; the one with the cursor when missing",
            ),
            Arg::maybe("enter", Kind::Flag, "press Enter then, which sends a search"),
        ]],
        &[
            URL,
            SITE,
            TITLE,
            Field::always("field", "string", "what the field is called"),
            Field::always("text", "string", "what is in it"),
            Field::always("sent", "boolean", "Enter was pressed"),
        ],
        Risk::Write,
        browser::fill,
    ),
    TOOLSET.tool(
        "browser.scroll",
        "Scrolls the page that is open in the browser.",
        &[&[
            Arg::maybe("to", Kind::Choice(&["up", "down", "top", "bottom"]), "down when missing"),
            Arg::maybe("pixels", Kind::Integer(1, 100_000), "how far; most of what is seen when missing"),
        ]],
        &[
            Field::always("percent", "integer", "how far down the page it is"),
            Field::always("at_end", "boolean", "it is at its end"),
        ],
        Risk::Read,
        browser::scroll,
    ),
    TOOLSET.tool(
        "browser.screenshot",
        "Takes a picture of what is seen of the page, as a file.",
        &[],
        &[
            URL,
            SITE,
            TITLE,
            Field::always("path", "string", "the file, a PNG"),
            Field::always("bytes", "integer", "its size"),
            Field::always("width", "integer", "pixels"),
            Field::always("height", "integer", "pixels"),
        ],
        Risk::Write,
        browser::screenshot,
    ),
];

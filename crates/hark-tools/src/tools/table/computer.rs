//! Tools for this machine: its files, programs, clipboard, and sums.

use crate::calculator;
use crate::files;
use crate::shell as programs;
use crate::tools::calculate;
use crate::tools::computer::{clipboard, filesystem, pc, process, search, shell};
use crate::tools::descriptor::{Descriptor, Field, Outside, always};
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

/// Longest path, bytes (`PATH_MAX`).
const PATH: Kind = Kind::Raw(4096);
const WRITABLE: &str =
    "the file; relative paths are meant from the first folder that may be written to and has it";
const TO: Arg = Arg::maybe("to", PATH, "where to; into it when it is a folder");
const FOLDER: Arg =
    Arg::maybe("folder", PATH, "the folder it goes into, by its path or words of its name; instead of `to`");
const WRITTEN: Field = Field::always("path", "string", "the whole path");
const BYTES: Field = Field::always("bytes", "integer", "size of the whole file");
const FROM: Field = Field::always("from", "string", "where it was");
const COUNT: Field = Field::always("count", "integer", "how many there are");
const TRUNCATED: Field = Field::always("truncated", "boolean", "there is more than is told");

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
        name: "clipboard.read",
        description: "Tells the text in the clipboard.",
        args: &[],
        result: &[
            Field::always("text", "string", "what it holds"),
            Field::always("characters", "integer", "how long it is"),
            TRUNCATED,
        ],
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "clipboard",
        agent: "system",
        timeout_ms: None,
        ready: clipboard::ready,
        prepare: clipboard::read,
    },
    Descriptor {
        name: "clipboard.write",
        description: "Puts a text into the clipboard.",
        args: &[&[Arg::must("text", Kind::Raw(crate::clipboard::MAX_CHARS), "what to put in")]],
        result: &[Field::always("characters", "integer", "how long it is")],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "clipboard",
        agent: "system",
        timeout_ms: None,
        ready: clipboard::ready,
        prepare: clipboard::write,
    },
    Descriptor {
        name: "filesystem.read",
        description: "Reads a text file inside the folders that are allowed.",
        args: &[&[
            Arg::must(
                "path",
                PATH,
                "the file, by its path or words of its name; relative paths are meant from the first allowed folder that has it",
            ),
            Arg::maybe("offset", Kind::Integer(0, 1 << 50), "byte to begin at; 0 when missing"),
        ]],
        result: &[
            Field::always("path", "string", "the whole path"),
            Field::always("text", "string", "what was read"),
            Field::always("bytes", "integer", "size of the whole file"),
            TRUNCATED,
            Field::maybe("next_offset", "integer", "where to read on"),
        ],
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "filesystem",
        agent: "filesystem",
        timeout_ms: None,
        ready: filesystem::ready,
        prepare: filesystem::read,
    },
    Descriptor {
        name: "filesystem.list",
        description: "Tells what is in a folder inside those that are allowed.",
        args: &[&[
            Arg::maybe(
                "path",
                PATH,
                "the folder, by its path or words of its name; the first allowed one when missing",
            ),
            Arg::maybe("limit", Kind::Integer(1, 1000), "most entries to tell; 100 when missing"),
        ]],
        result: &[
            Field::always(
                "entries",
                "array",
                "{name, kind: file, folder, link or other, bytes, modified} of each",
            ),
            COUNT,
            TRUNCATED,
        ],
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "filesystem",
        agent: "filesystem",
        timeout_ms: None,
        ready: filesystem::ready,
        prepare: filesystem::list,
    },
    Descriptor {
        name: "filesystem.write",
        description: "Writes a text file inside the folders that may be written to. A file that is there already is replaced only after a yes.",
        args: &[&[
            Arg::must("path", PATH, WRITABLE),
            Arg::must("text", Kind::Raw(files::MAX_WRITTEN_CHARS), "the whole text"),
        ]],
        result: &[WRITTEN, BYTES],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "filesystem",
        agent: "filesystem",
        timeout_ms: None,
        ready: filesystem::writable,
        prepare: filesystem::write,
    },
    Descriptor {
        name: "filesystem.append",
        description: "Adds a text to the end of a file inside the folders that may be written to; makes the file when there is none.",
        args: &[&[
            Arg::must("path", PATH, WRITABLE),
            Arg::must("text", Kind::Raw(files::MAX_WRITTEN_CHARS), "what is added, with its line breaks"),
        ]],
        result: &[WRITTEN, BYTES],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "filesystem",
        agent: "filesystem",
        timeout_ms: None,
        ready: filesystem::writable,
        prepare: filesystem::append,
    },
    Descriptor {
        name: "filesystem.move",
        description: "Moves or renames a file or folder inside the folders that may be written to. A file that is there already is replaced only after a yes.",
        args: &[&[Arg::must("from", PATH, WRITABLE), TO, FOLDER]],
        result: &[FROM, WRITTEN],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "filesystem",
        agent: "filesystem",
        timeout_ms: None,
        ready: filesystem::writable,
        prepare: filesystem::rename,
    },
    Descriptor {
        name: "filesystem.copy",
        description: "Copies a file into a folder that may be written to. A file that is there already is replaced only after a yes.",
        args: &[&[Arg::must("from", PATH, "the file; it only has to be readable"), TO, FOLDER]],
        result: &[FROM, WRITTEN, BYTES],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "filesystem",
        agent: "filesystem",
        timeout_ms: None,
        ready: filesystem::writable,
        prepare: filesystem::copy,
    },
    Descriptor {
        name: "filesystem.info",
        description: "Tells the size of a file or folder inside the folders that are allowed, and when it was changed.",
        args: &[&[Arg::must("path", PATH, "the file or folder, by its path or words of its name")]],
        result: &[
            WRITTEN,
            Field::always("kind", "string", "file, folder, link or other"),
            Field::maybe("bytes", "integer", "size of a file"),
            Field::maybe("modified", "string", "when it was changed, such as 2026-11-21T13:05:00Z"),
            Field::always(
                "changed",
                "object",
                "the same as it is said: {date, weekday, day, month, year, hour, minute, days_ahead, …}",
            ),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "filesystem",
        agent: "filesystem",
        timeout_ms: None,
        ready: filesystem::ready,
        prepare: filesystem::info,
    },
    Descriptor {
        name: "search.files",
        description: "Finds files and folders by name inside the folders that are allowed.",
        args: &[&[
            Arg::must(
                "pattern",
                Kind::Text,
                "such as `*.pdf`; without `*` and `?` a part of the name or words of it",
            ),
            Arg::maybe("path", PATH, "the folder to look in; all that are allowed when missing"),
            Arg::maybe("limit", Kind::Integer(1, 1000), "most files to tell; 50 when missing"),
        ]],
        result: &[
            Field::always(
                "files",
                "array",
                "{path, kind: file, folder, link or other, bytes, modified} of each",
            ),
            COUNT,
            TRUNCATED,
        ],
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "filesystem",
        agent: "filesystem",
        timeout_ms: None,
        ready: filesystem::ready,
        prepare: search::files,
    },
    Descriptor {
        name: "search.contents",
        description: "Finds files by words that stand in their text or their name, inside the folders that are allowed.",
        args: &[&[
            Arg::must("words", Kind::Words(200), "what is looked for in one line, whatever its case"),
            Arg::maybe("path", PATH, "the folder to look in; all that are allowed when missing"),
            Arg::maybe("limit", Kind::Integer(1, 1000), "most files to tell; 50 when missing"),
        ]],
        result: &[
            Field::always(
                "files",
                "array",
                "{path, name, line: number of the first line that has it, text of that line} of each; of one that is called so only path and name",
            ),
            COUNT,
            TRUNCATED,
        ],
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "filesystem",
        agent: "filesystem",
        timeout_ms: None,
        ready: filesystem::ready,
        prepare: search::contents,
    },
    Descriptor {
        name: "process.list",
        description: "Tells which programs run on this machine, the busiest first.",
        args: &[&[
            Arg::maybe("filter", Kind::Text, "a part of the name"),
            Arg::maybe("limit", Kind::Integer(1, 500), "most programs to tell; 20 when missing"),
        ]],
        result: &[
            Field::always(
                "processes",
                "array",
                "{name, pid, cpu_percent of one processor, memory_bytes, uptime_seconds} of each",
            ),
            COUNT,
            TRUNCATED,
        ],
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "process",
        agent: "system",
        timeout_ms: None,
        ready: always,
        prepare: process::list,
    },
    Descriptor {
        name: "shell.run",
        description: "Runs one of the programs that are allowed, without a shell.",
        args: &[&[
            Arg::must("program", Kind::Raw(4096), "its name or path, as it is allowed"),
            Arg::maybe(
                "args",
                Kind::Texts(programs::MAX_ARGS, programs::MAX_ARG_CHARS),
                "its arguments, one by one; nothing is expanded",
            ),
        ]],
        result: &[
            Field::always("command", "string", "what was run"),
            Field::always("exit_code", "integer", "0"),
            Field::always("stdout", "string", "what it said"),
            Field::always("stderr", "string", "what it complained about"),
            TRUNCATED,
        ],
        risk: Risk::Dangerous,
        outside: Outside::Always,
        permission: "shell",
        agent: "system",
        timeout_ms: None,
        ready: shell::ready,
        prepare: shell::run,
    },
    Descriptor {
        name: "pc.info",
        description: "Tells how this machine is: processor, memory, disks, temperatures, and since when it runs.",
        args: &[],
        result: &[
            Field::always("name", "string", "its name in the network"),
            Field::always("system", "string", "such as Linux (Debian GNU/Linux 13)"),
            Field::always("processor", "string", "kind of processor"),
            Field::always("processors", "integer", "how many"),
            Field::always("cpu_percent", "number", "how busy they are together"),
            Field::always("load", "number", "programs that wanted a processor over the last minute"),
            Field::always("memory_bytes", "integer", "all memory"),
            Field::always("memory_used_bytes", "integer", "what of it is used"),
            Field::always("uptime_seconds", "integer", "since it was switched on"),
            Field::always("disks", "array", "{name, total_bytes, free_bytes} of each"),
            Field::always("temperatures", "array", "{name, temperature_celsius} of each sensor"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "pc",
        agent: "system",
        timeout_ms: None,
        ready: always,
        prepare: pc::info,
    },
    Descriptor {
        name: "pc.missing",
        description: "Tells what Hark cannot do on this machine, why, and how it is granted.",
        args: &[],
        result: &[
            Field::always("count", "integer", "how many things are missing"),
            Field::always(
                "missing",
                "array",
                "{why, fix, tools} of each, the names of the tools that would need it",
            ),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "pc",
        agent: "system",
        timeout_ms: None,
        ready: always,
        prepare: pc::missing,
    },
    Descriptor {
        name: "calculate",
        description: "Reckons: + - * / ^ %, brackets, roots, “15 % of 80”, “7 times 8”.",
        args: &[&[Arg::must("expression", Kind::Words(calculator::MAX_CHARS), "such as 12 * (3 + 4)")]],
        result: &[
            Field::always("expression", "string", "what was asked"),
            Field::always("result", "number", "what it comes to"),
            Field::always("text", "string", "the same with twelve digits at most"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "calculate",
        agent: "system",
        timeout_ms: None,
        ready: always,
        prepare: calculate::run,
    },
];

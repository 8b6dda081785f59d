//! Tools of the household's notes, calendars and contacts.

use crate::files::MAX_WRITTEN_CHARS;
use crate::tools::descriptor::{Descriptor, Field, Outside};
use crate::tools::parameter::{Arg, Kind};
use crate::tools::personal::{calendar, calendar_changes, contacts, note_changes, notes};
use hark_core::Risk;

/// Minutes of four weeks.
const FOUR_WEEKS: i64 = 40_320;
const EVENT: &str = "{id, title, place?, date, weekday, day, month, days_ahead, hour, minute, time, ends, all_day, repeats, task, running, attendees?: [{name, answer: none, accepted, declined, tentative or delegated, own}]: ten at most, attendees_count?: of all, answer?: that of the household, organizer?}";
const TITLE: Field = Field::always("title", "string", "what the note is called");
const BEFORE: Field = Field::maybe("before", "string", "what it was called");
const DATE: Field =
    Field::maybe("date", "string", "day it was changed, or the first day that was asked about");
const WEEKDAY: Field = Field::maybe("weekday", "string", "English name of it");
const DAY: Field = Field::maybe("day", "integer", "1–31");
const MONTH: Field = Field::maybe("month", "string", "English name");
const DAYS_AHEAD: Field = Field::maybe("days_ahead", "integer", "from today");

const SERIES: Field = Field::maybe("series", "string", "of an event that repeats: `one` time or `all`");
/// Which event is meant.
const WHICH_EVENT: &[Arg] = &[
    Arg::maybe("id", Kind::Words(300), "its id, as `calendar.read` tells it"),
    Arg::maybe("words", Kind::Words(100), "words of its title"),
    Arg::maybe("when", Kind::When, "the day or moment at which it is now"),
    Arg::maybe("series", Kind::Choice(&["one", "all"]), "of one that repeats; one when missing"),
];
/// Which note is meant.
const WHICH_NOTE: &[Arg] = &[
    Arg::maybe("id", Kind::Text, "its whole title"),
    Arg::maybe("title", Kind::Text, "its title or words of it; the newest when missing"),
];

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
        name: "calendar.read",
        description: "Tells what is in the household's calendars: of a day or stretch of time, by words of its title, or over the next seven days.",
        args: &[&[
            Arg::maybe(
                "when",
                Kind::When,
                "a day, moment or stretch; the next seven days when missing, a year with `words`",
            ),
            Arg::maybe("words", Kind::Words(100), "words of the title"),
            Arg::maybe("unanswered", Kind::Flag, "only invitations that the household has not answered"),
        ]],
        result: &[
            Field::always("count", "integer", "how many there are"),
            Field::always("events", "array", EVENT),
            Field::always("unread", "integer", "entries of the calendars that could not be read"),
            Field::always("days", "integer", "how many days were looked through"),
            DATE,
            WEEKDAY,
            DAY,
            MONTH,
            DAYS_AHEAD,
        ],
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "calendar",
        agent: "calendar",
        timeout_ms: None,
        ready: calendar::ready,
        prepare: calendar::read,
    },
    Descriptor {
        name: "calendar.create",
        description: "Adds an event to the household's calendar, with a reminder where one is wanted.",
        args: &[&[
            Arg::must("title", Kind::Words(200), "what it is called"),
            Arg::maybe("when", Kind::When, "a day for all of it, or when it begins"),
            Arg::maybe("until", Kind::When, "when it ends"),
            Arg::maybe("hours", Kind::Number(0.0, 672.0), "how long it takes; an hour when missing"),
            Arg::maybe("minutes", Kind::Integer(1, FOUR_WEEKS), "the same, in addition"),
            Arg::maybe(
                "recurrence",
                Kind::Recurrence,
                "how it comes again, such as `FREQ=WEEKLY;BYDAY=TU;BYHOUR=18;BYMINUTE=0`; `when` is the first day then",
            ),
            Arg::maybe("place", Kind::Words(200), "where it is"),
            Arg::maybe(
                "remind_minutes",
                Kind::Integer(0, FOUR_WEEKS),
                "a reminder so many minutes before it; none when missing",
            ),
        ]],
        result: &[
            Field::always("id", "string", "id of the event"),
            Field::always("event", "object", EVENT),
            Field::maybe("recurrence", "string", "how it comes again, without its time of day"),
        ],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "calendar",
        agent: "calendar",
        timeout_ms: None,
        ready: calendar::ready,
        prepare: calendar::create,
    },
    Descriptor {
        name: "calendar.change",
        description: "Changes an event of the household's calendar: its title, day, time, length or place; or answers the invitation to it. Of one that repeats the next time, or all.",
        args: &[
            WHICH_EVENT,
            &[
                Arg::maybe("title", Kind::Words(200), "what it is to be called"),
                Arg::maybe("place", Kind::Words(200), "where it is to be"),
                Arg::maybe("to", Kind::When, "the new day, at its old time, or the new moment"),
                Arg::maybe(
                    "time",
                    Kind::Text,
                    "the new time of day, such as 10:00:00; two with `/`, the nearer one",
                ),
                Arg::maybe("hours", Kind::Number(0.0, 8760.0), "so much later or earlier"),
                Arg::maybe("minutes", Kind::Number(0.0, 525_600.0), "the same"),
                Arg::maybe("direction", Kind::Choice(&["later", "earlier"]), "later when missing"),
                Arg::maybe("until", Kind::When, "when it ends; it is as long as it was when missing"),
                Arg::maybe(
                    "answer",
                    Kind::Choice(&["accepted", "declined", "tentative"]),
                    "the household's answer to the invitation, alone; of one that repeats for all when neither `series` nor `when` is given",
                ),
            ],
        ],
        result: &[
            Field::always("event", "object", EVENT),
            Field::always("before", "object", "the same, as it was"),
            SERIES,
            Field::maybe("organizer_told", "boolean", "of an answer: the server tells it to the organizer"),
        ],
        risk: Risk::Write,
        outside: Outside::Always,
        permission: "calendar",
        agent: "calendar",
        timeout_ms: None,
        ready: calendar::ready,
        prepare: calendar_changes::change,
    },
    Descriptor {
        name: "calendar.remove",
        description: "Removes an event from the household's calendar, after a yes. Of one that repeats the next time, or all.",
        args: &[WHICH_EVENT],
        result: &[Field::always("event", "object", EVENT), SERIES],
        risk: Risk::Write,
        outside: Outside::Always,
        permission: "calendar",
        agent: "calendar",
        timeout_ms: None,
        ready: calendar::ready,
        prepare: calendar_changes::remove,
    },
    Descriptor {
        name: "contacts.search",
        description: "Tells telephone numbers, addresses and birthdays of people in the household's address books.",
        args: &[&[
            Arg::must("name", Kind::Text, "the name or a part of it"),
            Arg::maybe(
                "what",
                Kind::Choice(&["phone", "email", "address", "birthday"]),
                "what is asked for; those who have it come first",
            ),
        ]],
        result: &[
            Field::always("name", "string", "as it was asked for"),
            Field::always("count", "integer", "how many there are"),
            Field::always(
                "contacts",
                "array",
                "{name, nicknames, phones: {kind: mobile, home, work or null, number}, emails, addresses, organisation?, birthday?: {day, month, year}} of each, the best first",
            ),
            Field::always("lacking", "boolean", "the best has nothing of what was asked for"),
        ],
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "contacts",
        agent: "contacts",
        timeout_ms: None,
        ready: contacts::ready,
        prepare: contacts::search,
    },
    Descriptor {
        name: "notes.read",
        description: "Reads a note of the household: the one of a title, or the newest.",
        args: &[&[Arg::maybe("title", Kind::Text, "its title or words of it; the newest when missing")]],
        result: &[
            TITLE,
            Field::always("text", "string", "what it says"),
            Field::always("truncated", "boolean", "there is more than is told"),
            Field::always("count", "integer", "how many notes there are"),
            DATE,
            WEEKDAY,
            DAY,
            MONTH,
            DAYS_AHEAD,
        ],
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "notes",
        agent: "notes",
        timeout_ms: None,
        ready: notes::ready,
        prepare: notes::read,
    },
    Descriptor {
        name: "notes.search",
        description: "Finds notes of the household by words of their title or text, the newest first.",
        args: &[&[Arg::maybe("words", Kind::Words(200), "what is looked for; every note when missing")]],
        result: &[
            Field::always("count", "integer", "how many there are"),
            Field::maybe("words", "string", "as they were asked for"),
            Field::always(
                "notes",
                "array",
                "{title, text: the first line that has the words, date, weekday, day, month, days_ahead} of each",
            ),
        ],
        risk: Risk::Read,
        outside: Outside::Always,
        permission: "notes",
        agent: "notes",
        timeout_ms: None,
        ready: notes::ready,
        prepare: notes::search,
    },
    Descriptor {
        name: "notes.create",
        description: "Takes a new note.",
        args: &[&[
            Arg::must("text", Kind::Raw(MAX_WRITTEN_CHARS), "what it says"),
            Arg::maybe("title", Kind::Text, "its title; the first words when missing"),
        ]],
        result: &[TITLE, DATE, WEEKDAY, DAY, MONTH, DAYS_AHEAD],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "notes",
        agent: "notes",
        timeout_ms: None,
        ready: notes::ready,
        prepare: notes::create,
    },
    Descriptor {
        name: "notes.append",
        description: "Adds a line to a note: the one of a title, or the newest.",
        args: &[&[
            Arg::must("text", Kind::Raw(MAX_WRITTEN_CHARS), "what is added"),
            Arg::maybe("title", Kind::Text, "its title or words of it; the newest when missing"),
        ]],
        result: &[TITLE, DATE, WEEKDAY, DAY, MONTH, DAYS_AHEAD],
        risk: Risk::Write,
        outside: Outside::Always,
        permission: "notes",
        agent: "notes",
        timeout_ms: None,
        ready: notes::ready,
        prepare: notes::append,
    },
    Descriptor {
        name: "notes.rename",
        description: "Gives a note another title.",
        args: &[WHICH_NOTE, &[Arg::must("to", Kind::Text, "its new title")]],
        result: &[TITLE, BEFORE, DATE, WEEKDAY, DAY, MONTH, DAYS_AHEAD],
        risk: Risk::Write,
        outside: Outside::Always,
        permission: "notes",
        agent: "notes",
        timeout_ms: None,
        ready: notes::ready,
        prepare: note_changes::rename,
    },
    Descriptor {
        name: "notes.replace",
        description: "Writes a note anew: what it said is gone, until that is undone.",
        args: &[WHICH_NOTE, &[Arg::must("text", Kind::Raw(MAX_WRITTEN_CHARS), "what it is to say")]],
        result: &[TITLE, DATE, WEEKDAY, DAY, MONTH, DAYS_AHEAD],
        risk: Risk::Write,
        outside: Outside::Always,
        permission: "notes",
        agent: "notes",
        timeout_ms: None,
        ready: notes::ready,
        prepare: note_changes::replace,
    },
    Descriptor {
        name: "notes.remove",
        description: "Puts a note into the trash, a hidden folder of the notes: the one of a title, or the newest.",
        args: &[WHICH_NOTE],
        result: &[
            TITLE,
            Field::always("trash", "string", "the path at which it is kept"),
            DATE,
            WEEKDAY,
            DAY,
            MONTH,
            DAYS_AHEAD,
        ],
        risk: Risk::Write,
        outside: Outside::Always,
        permission: "notes",
        agent: "notes",
        timeout_ms: None,
        ready: notes::ready,
        prepare: note_changes::remove,
    },
];

//! Timers, alarms, reminders.

use super::AMOUNT;
use super::automation::CALLS;
use crate::tools::clock::{alarm, reschedule, schedule, timer};
use crate::tools::descriptor::{Descriptor, Field, Outside, always};
use crate::tools::parameter::{Arg, Kind};
use hark_core::Risk;

const WHICH_TIMER: &[Arg] = &[
    ID,
    Arg::maybe("name", Kind::Text, "what the timer is called"),
    Arg::maybe("area", Kind::Text, "area it was set in"),
    Arg::maybe("start_hours", Kind::Number(0.0, 2376.0), "hours it was set with"),
    Arg::maybe("start_minutes", Kind::Number(0.0, 142_560.0), "minutes it was set with"),
    Arg::maybe("start_seconds", Kind::Number(0.0, 8_553_600.0), "seconds it was set with"),
];

const NEW_TIMER: &[Arg] =
    &[Arg::maybe("name", Kind::Text, "what to call it"), Arg::maybe("area", Kind::Text, "area it is set in")];

const TIMER: &[Field] = &[Field::always(
    "timer",
    "object",
    "{id, name, hours, minutes, seconds, total_seconds} of the length asked for; except on start also \
     {left_hours, left_minutes, left_seconds, total_left_seconds, paused, ringing}",
)];

/// When something rings; its length is another way to say so.
const WHEN: &[Arg] = &[
    Arg::maybe(
        "when",
        Kind::When,
        "day, moment or span of local time in ISO 8601, such as 2026-11-23T07:00:00",
    ),
    Arg::maybe(
        "recurrence",
        Kind::Recurrence,
        "RFC 5545 rule without its prefix, such as FREQ=DAILY;BYHOUR=7;BYMINUTE=0",
    ),
];

const WHICH_DAY: &[Arg] = &[Arg::maybe("when", Kind::When, "day, or moment, or span in which it rings")];

const KEPT: Arg = Arg::maybe("except", Kind::Words(300), "what the one is called that stays");

const EXCEPT: &[Arg] = &[KEPT, Arg::maybe("except_when", Kind::When, "when the one rings that stays")];

const ID: Arg = Arg::maybe("id", Kind::Text, "its id, from a receipt");

const WHICH_ALARM: &[Arg] = &[ID, Arg::maybe("name", Kind::Text, "what it is called")];

const WHATEVER: &[Arg] =
    &[Arg::maybe("whatever", Kind::Flag, "where no alarm rings then, what else repeats is meant")];

const WHICH_REMINDER: &[Arg] = &[ID, Arg::maybe("message", Kind::Words(300), "some of its words")];

/// Another time for what is set; an amount is how much later or earlier.
const TO: &[Arg] = &[
    Arg::maybe("to", Kind::When, "new day, which keeps the time of day, or new moment"),
    Arg::maybe(
        "time",
        Kind::Text,
        "new time of day, which keeps the day: 07:00:00; of two, 07:00:00/19:00:00, the nearer to the old one",
    ),
    Arg::maybe(
        "direction",
        Kind::Choice(&["later", "earlier", "from_now"]),
        "where it is moved by an amount, or that it rings so long from now; else later",
    ),
];

const SHOWN: &str = "{id, name, time, hour, minute, date, weekday, day, month, days_ahead, left_hours, left_minutes, \
    left_seconds, command?, repeats?: {every, interval, days, set, nth, month_days, month, times, lacking}}";

const SCHEDULED: &str = "as in alarm.set, with {short_id, kind, rule}";

/// Its tools.
pub const TOOLS: &[Descriptor] = &[
    Descriptor {
        name: "timer.start",
        description: "Sets a timer.",
        args: &[
            AMOUNT,
            NEW_TIMER,
            &[
                Arg::maybe(
                    "conversation_command",
                    Kind::Words(300),
                    "request that is done at its end, instead of ringing",
                ),
                CALLS,
            ],
        ],
        result: TIMER,
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "timer",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: timer::start,
    },
    Descriptor {
        name: "timer.cancel",
        description: "Takes a timer away.",
        args: &[WHICH_TIMER],
        result: TIMER,
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "timer",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: timer::cancel,
    },
    Descriptor {
        name: "timer.cancel_all",
        description: "Takes all timers away, or those of an area.",
        args: &[&[Arg::maybe("area", Kind::Text, "area they were set in"), KEPT]],
        result: &[Field::always("count", "integer", "how many there were")],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "timer",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: timer::cancel_all,
    },
    Descriptor {
        name: "timer.pause",
        description: "Stops a timer with what is left of it.",
        args: &[WHICH_TIMER],
        result: TIMER,
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "timer",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: timer::pause,
    },
    Descriptor {
        name: "timer.resume",
        description: "Lets a paused timer run on.",
        args: &[WHICH_TIMER],
        result: TIMER,
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "timer",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: timer::resume,
    },
    Descriptor {
        name: "timer.status",
        description: "Tells what is left of timers.",
        args: &[WHICH_TIMER],
        result: &[
            Field::always("timers", "array", "each as in timer.cancel"),
            Field::always("count", "integer", "how many"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "timer",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: timer::status,
    },
    Descriptor {
        name: "timer.increase",
        description: "Makes a timer longer; a ringing one runs again for this long.",
        args: &[AMOUNT, WHICH_TIMER],
        result: TIMER,
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "timer",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: timer::increase,
    },
    Descriptor {
        name: "timer.decrease",
        description: "Makes a timer shorter.",
        args: &[AMOUNT, WHICH_TIMER],
        result: TIMER,
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "timer",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: timer::decrease,
    },
    Descriptor {
        name: "timer.change",
        description: "Lets a timer run for another length from now on.",
        args: &[AMOUNT, WHICH_TIMER],
        result: TIMER,
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "timer",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: timer::set_length,
    },
    Descriptor {
        name: "timer.snooze",
        description: "Lets what rings ring again later; ten minutes later when it was not said.",
        args: &[AMOUNT],
        result: &[
            Field::always("count", "integer", "how many rang"),
            Field::maybe("kind", "string", "timer, alarm or reminder, when it is one"),
            Field::maybe("name", "string", "its name, when it is one and has one"),
            Field::always("minutes", "integer", "how much later"),
            Field::always("seconds", "integer", "and these"),
            Field::always("hours", "integer", "and these"),
        ],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "timer",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: alarm::snooze,
    },
    Descriptor {
        name: "alarm.set",
        description: "Sets an alarm, once or again and again.",
        args: &[WHEN, AMOUNT, &[Arg::maybe("name", Kind::Text, "what to call it")]],
        result: &[Field::always("alarm", "object", SHOWN)],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "alarm",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: alarm::set_alarm,
    },
    Descriptor {
        name: "alarm.cancel",
        description: "Takes an alarm away; one that rings is only silenced, of one that repeats only the day that is named.",
        args: &[WHICH_DAY, WHICH_ALARM, WHATEVER],
        result: &[
            Field::maybe("alarm", "object", SHOWN),
            Field::maybe(
                "reminder",
                "object",
                "where no alarm rings that day: what else repeats and is next",
            ),
            Field::always("rang", "boolean", "it was ringing and is silent now"),
            Field::maybe("skipped", "object", "which of what repeats was left out; the other is the next"),
        ],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "alarm",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: alarm::cancel_alarm,
    },
    Descriptor {
        name: "alarm.move",
        description: "Puts an alarm at another time; one that comes again and again at another time of day.",
        args: &[WHICH_DAY, WHICH_ALARM, TO, AMOUNT],
        result: &[Field::always("alarm", "object", SHOWN)],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "alarm",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: reschedule::alarm,
    },
    Descriptor {
        name: "alarm.cancel_all",
        description: "Takes all alarms away, or those of a day.",
        args: &[WHICH_DAY, EXCEPT],
        result: &[Field::always("count", "integer", "how many there were")],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "alarm",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: alarm::cancel_all_alarms,
    },
    Descriptor {
        name: "alarm.status",
        description: "Tells which alarms are set, the next first.",
        args: &[WHICH_DAY, &[Arg::maybe("name", Kind::Text, "what it is called")]],
        result: &[
            Field::always("alarms", "array", "each as in alarm.set"),
            Field::always("count", "integer", "how many"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "alarm",
        agent: "timer",
        timeout_ms: None,
        ready: always,
        prepare: alarm::alarms,
    },
    Descriptor {
        name: "reminder.set",
        description: "Sets a reminder, once or again and again.",
        args: &[WHEN, AMOUNT, &[Arg::must("message", Kind::Words(300), "what to be reminded of")]],
        result: &[Field::always("reminder", "object", SHOWN)],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "reminder",
        agent: "reminder",
        timeout_ms: None,
        ready: always,
        prepare: alarm::set_reminder,
    },
    Descriptor {
        name: "reminder.cancel",
        description: "Takes a reminder away; one that rings is only silenced.",
        args: &[WHICH_DAY, WHICH_REMINDER],
        result: &[
            Field::maybe("reminder", "object", SHOWN),
            Field::always("rang", "boolean", "it was ringing and is silent now"),
            Field::maybe("skipped", "object", "which of what repeats was left out; the other is the next"),
        ],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "reminder",
        agent: "reminder",
        timeout_ms: None,
        ready: always,
        prepare: alarm::cancel_reminder,
    },
    Descriptor {
        name: "reminder.move",
        description: "Puts a reminder at another time; one that comes again and again at another time of day.",
        args: &[WHICH_DAY, WHICH_REMINDER, TO, AMOUNT],
        result: &[Field::always("reminder", "object", SHOWN)],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "reminder",
        agent: "reminder",
        timeout_ms: None,
        ready: always,
        prepare: reschedule::reminder,
    },
    Descriptor {
        name: "reminder.cancel_all",
        description: "Takes all reminders away, or those of a day.",
        args: &[WHICH_DAY, EXCEPT],
        result: &[Field::always("count", "integer", "how many there were")],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "reminder",
        agent: "reminder",
        timeout_ms: None,
        ready: always,
        prepare: alarm::cancel_all_reminders,
    },
    Descriptor {
        name: "reminder.status",
        description: "Tells which reminders are set, the next first.",
        args: &[WHICH_DAY, &[Arg::maybe("message", Kind::Words(300), "some of its words")]],
        result: &[
            Field::always("reminders", "array", "each as in reminder.set"),
            Field::always("count", "integer", "how many"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "reminder",
        agent: "reminder",
        timeout_ms: None,
        ready: always,
        prepare: alarm::reminders,
    },
    Descriptor {
        name: "schedule.add",
        description: "Has something said again and again, by a line of cron.",
        args: &[&[
            Arg::must(
                "cron",
                Kind::Text,
                "minute, hour, day of the month, month, day of the week: 0 9 * * *",
            ),
            Arg::must("message", Kind::Words(300), "what to say"),
        ]],
        result: &[Field::always("schedule", "object", SCHEDULED)],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "reminder",
        agent: "reminder",
        timeout_ms: None,
        ready: always,
        prepare: schedule::add,
    },
    Descriptor {
        name: "schedule.command",
        description: "Has a request carried out at a time, once or again and again.",
        args: &[WHEN, &[Arg::must("conversation_command", Kind::Words(300), "the request, in words"), CALLS]],
        result: &[Field::always("reminder", "object", SHOWN)],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "reminder",
        agent: "reminder",
        timeout_ms: None,
        ready: always,
        prepare: alarm::set_command,
    },
    Descriptor {
        name: "schedule.list",
        description: "Tells everything that comes again: reminders, alarms and commands, the next first.",
        args: &[],
        result: &[
            Field::always("schedules", "array", "each as in schedule.add"),
            Field::always("count", "integer", "how many"),
        ],
        risk: Risk::Read,
        outside: Outside::Never,
        permission: "reminder",
        agent: "reminder",
        timeout_ms: None,
        ready: always,
        prepare: schedule::list,
    },
    Descriptor {
        name: "schedule.remove",
        description: "Takes away something that comes again.",
        args: &[&[Arg::must("id", Kind::Text, "its id, or the last four or more characters of it")]],
        result: &[Field::always("schedule", "object", SCHEDULED)],
        risk: Risk::Write,
        outside: Outside::Never,
        permission: "reminder",
        agent: "reminder",
        timeout_ms: None,
        ready: always,
        prepare: schedule::remove,
    },
];

//! What is carried out when something happens, and what is taken back after some time: as it is asked for, stored and
//! shown.

use super::home::Entity;
use super::ids::{AutomationId, TimerId};
use super::intent::{Intent, Slots};
use super::timer::{Timer, TimerKind};
use chrono::{NaiveDate, NaiveTime, Weekday};
use serde::{Deserialize, Serialize};
use std::iter::successors;

/// Something that is true or not at a moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Condition {
    /// What a question about the home asks: arguments of `home.get_state`, with `above` and `below` for numbers.
    State {
        /// The arguments.
        question: Slots,
        /// It is the opposite that counts.
        #[serde(default)]
        not: bool,
    },
    /// It is between two times of day; over midnight where the second is the earlier one.
    Hours {
        /// The first.
        from: NaiveTime,
        /// The second.
        to: NaiveTime,
    },
    /// It is one of these days of the week.
    Days {
        /// Which.
        days: Vec<Weekday>,
    },
    /// The sun is up, or is not.
    Sun {
        /// Which.
        up: bool,
    },
    /// All of these are true.
    All {
        /// Which.
        conditions: Vec<Self>,
    },
    /// One of these is true.
    Any {
        /// Which.
        conditions: Vec<Self>,
    },
}

impl Condition {
    /// The opposite.
    #[must_use]
    pub fn negated(self) -> Self {
        let negated = |conditions: Vec<Self>| conditions.into_iter().map(Self::negated).collect();
        match self {
            Self::State { question, not } => Self::State { question, not: !not },
            Self::Hours { from, to } => Self::Hours { from: to, to: from },
            Self::Days { days } => {
                let week = successors(Some(Weekday::Mon), |day| Some(day.succ())).take(7);
                Self::Days { days: week.filter(|day| !days.contains(day)).collect() }
            }
            Self::Sun { up } => Self::Sun { up: !up },
            Self::All { conditions } => Self::Any { conditions: negated(conditions) },
            Self::Any { conditions } => Self::All { conditions: negated(conditions) },
        }
    }

    /// Whether it is about the sun.
    pub fn asks_the_sun(&self) -> bool {
        match self {
            Self::Sun { .. } => true,
            Self::State { .. } | Self::Hours { .. } | Self::Days { .. } => false,
            Self::All { conditions } | Self::Any { conditions } => conditions.iter().any(Self::asks_the_sun),
        }
    }

    /// The questions it asks about the home.
    pub fn questions(&self) -> Vec<&Slots> {
        match self {
            Self::State { question, .. } => vec![question],
            Self::Hours { .. } | Self::Days { .. } | Self::Sun { .. } => Vec::new(),
            Self::All { conditions } | Self::Any { conditions } => {
                conditions.iter().flat_map(Self::questions).collect()
            }
        }
    }
}

/// A turn of the day that the sun makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SunEvent {
    /// Its upper edge comes up.
    Sunrise,
    /// Its upper edge goes down.
    Sunset,
}

/// A timer, alarm or reminder whose ring is waited for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ring {
    /// What it is; `None`: the one that was set last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<TimerKind>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The day it rings on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<NaiveDate>,
    /// This one alone, found by the rest when the automation was set; `None` for every one of the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timer: Option<TimerId>,
}

impl Ring {
    /// Whether it is the ring of this timer.
    pub fn is_of(&self, timer: &Timer) -> bool {
        match &self.timer {
            Some(id) => *id == timer.id,
            None => {
                self.of.is_none_or(|of| of == timer.kind) && (self.name.is_none() || self.name == timer.name)
            }
        }
    }
}

/// What makes an automation act.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Trigger {
    /// A condition becomes true that was not, and has been for some time.
    Becomes {
        /// Which.
        condition: Condition,
        /// For how long; 0: at once.
        #[serde(default)]
        for_seconds: u64,
    },
    /// Sunrise or sunset.
    Sun {
        /// Which.
        event: SunEvent,
        /// So many minutes later; earlier when negative.
        #[serde(default)]
        offset_minutes: i32,
        /// On this day at the earliest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_day: Option<NaiveDate>,
    },
    /// A moment, milliseconds since the Unix epoch.
    At {
        /// Which.
        unix_ms: i64,
    },
    /// A timer, alarm or reminder rings.
    Rings {
        /// Which.
        ring: Ring,
    },
    /// Somebody says these words and nothing else: a routine of the household.
    Said {
        /// In lower case, with one space between them.
        words: String,
    },
}

/// How long something is to last that is done now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Until {
    /// So many seconds.
    Seconds {
        /// How many.
        seconds: u64,
    },
    /// The next time the clock on the wall shows this.
    Time {
        /// Which.
        time: NaiveTime,
    },
    /// This moment of the wall.
    Moment {
        /// Which, in local time.
        at: chrono::NaiveDateTime,
    },
    /// Sunrise or sunset.
    Sun {
        /// Which.
        event: SunEvent,
    },
    /// A condition becomes true, and has been for some time.
    Becomes {
        /// Which.
        condition: Condition,
        /// For how long; 0: at once.
        #[serde(default)]
        for_seconds: u64,
    },
    /// A timer, alarm or reminder rings.
    Rings {
        /// Which.
        ring: Ring,
    },
    /// So many seconds later than it was to end before; sooner when negative.
    Later {
        /// How many.
        seconds: i64,
    },
}

/// What an automation does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Carries out intents.
    Intents {
        /// Which.
        intents: Vec<Intent>,
    },
    /// Brings devices back to how they were, those that are still as they were left.
    Restore {
        /// Which.
        devices: Vec<Restored>,
    },
}

/// A device that is brought back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Restored {
    /// As it was, and is to be again.
    pub before: Entity,
    /// As it was left.
    pub after: Entity,
    /// When it was first seen in its former state again, which a person may have brought about, in milliseconds since the Unix
    /// epoch; `None` while it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_since_unix_ms: Option<i64>,
}

/// Something that is carried out when something happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Automation {
    /// Its name.
    pub id: AutomationId,
    /// What is to be done, as it was said.
    pub said: String,
    /// When, as it was said; empty where that was not said.
    pub said_when: String,
    /// Language of these words, ISO 639-1.
    pub language: String,
    /// When it was set, milliseconds since the Unix epoch.
    pub created_unix_ms: i64,
    /// What makes it act.
    pub trigger: Trigger,
    /// What has to be true as well at that moment.
    #[serde(default)]
    pub only_if: Vec<Condition>,
    /// It acts every time; else once, and is gone.
    #[serde(default)]
    pub repeats: bool,
    /// From when on it is not waited for any more, and it is gone, milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_unix_ms: Option<i64>,
    /// What it does.
    pub action: Action,
    /// Whether the condition of the trigger was true when it was looked at last, and it has acted on that.
    #[serde(default)]
    pub was_true: bool,
    /// The same of each condition where one of several has to become true: each does so for itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub were_true: Vec<bool>,
    /// Since when the condition has been true, milliseconds since the Unix epoch, while that is not long enough yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub true_since_unix_ms: Option<i64>,
    /// Since when it is being carried out, milliseconds since the Unix epoch: it goes on after a power cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acting_since_unix_ms: Option<i64>,
    /// Since when it has happened and is not said, because nothing is to be said unasked, milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_since_unix_ms: Option<i64>,
    /// When a trigger that time brings comes next, milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_unix_ms: Option<i64>,
}

/// Intents whose slots are made here and not by a sentence alone.
pub mod intent {
    /// Keeps requests until something happens; its slots are the arguments of `automation.add`.
    pub const AUTOMATE: &str = "HarkAutomate";
    /// Ends what the requests beside it do; its slots are the arguments of `home.restore_later`.
    pub const RESTORE_LATER: &str = "HarkRestoreLater";
    /// Slot of that: id of the turn whose changes end then, where those were asked for before.
    pub const OF_TURN: &str = "of_turn";
    /// Moves that end; its slots are the arguments of `automation.change_end`.
    pub const CHANGE_END: &str = "HarkChangeEnd";
    /// Forgets what waits; its slots are the arguments of `automation.cancel`.
    pub const CANCEL: &str = "HarkCancelAutomation";
    /// Tells the people of the house something.
    pub const ANNOUNCE: &str = "HassBroadcast";
    /// Carries out what is kept for words that somebody has said; its slots are the arguments of `automation.run` and [`INTENTS`].
    pub const RUN: &str = "HarkRunRoutine";
    /// Is that end; its slots are the arguments of `automation.restore`.
    pub const RESTORE: &str = "HarkRestore";
    /// Something done to what was spoken of last: "turn it off".
    pub const TO_IT: &str = "HarkFollowIt";
    /// Slot of what is to be done later, in words.
    pub const COMMAND: &str = "conversation_command";
    /// Slot of what requests that are kept come to, as intents.
    pub const INTENTS: &str = "intents";
    /// Slot of words that mean one thing of a kind without saying which: the words with `{}` in its place, and with `{}` for
    /// where it is.
    pub const OF_ONE: &str = "of_one";
    /// Slot of what leans on the requests beside it and denies something of them.
    pub const DENIES: &str = "denies";
    /// Slot of what is to be done to all things that were spoken of last: "them", "both".
    pub const SEVERAL: &str = "several";
    /// Slot of what is to be done later to what was spoken of last: the words with `{}` for its name, and a word that joins
    /// two names.
    pub const OF_IT: &str = "of_it";
    /// Slot that is true of a condition or a change that is one of "it", whatever was spoken of: "unless it is on", "turn it
    /// down".
    pub const IT: &str = "it";
}

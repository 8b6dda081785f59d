//! Tool calls and the receipts that prove them.

use super::ids::{ReceiptId, TurnId};
use super::intent::Slots;
use super::origin::Requester;
use crate::serde_helpers::is_false;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a tool may do to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Looks only.
    Read,
    /// Changes something that can be changed back.
    Write,
    /// Needs approval: unlock, open the garage, disarm, delete.
    Dangerous,
}

/// A request to run one tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Position of the call in its turn; with the turn it names the call.
    pub index: usize,
    /// The turn it belongs to.
    pub turn: TurnId,
    /// Name in the tool table, such as `home.turn_on`.
    pub tool: String,
    /// Arguments: the slots of the intent.
    pub args: Slots,
    /// The person has said yes to exactly this call. Only the turn machine sets it.
    pub approved: bool,
    /// Number of the grant that the right PIN gave, for exactly this call. Only the turn machine sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<u64>,
    /// A language model wants it that has read text from outside the house: then it may be the text that wants it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tainted: bool,
    /// Nobody is there who has just asked for it: it was asked for before, and is done now whatever it means.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unattended: bool,
    /// Who asked, and in which conversation.
    #[serde(default, skip_serializing_if = "Requester::is_nobody")]
    pub requester: Requester,
}

/// What names a call, also over a restart of the program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallId {
    /// The turn it belongs to.
    pub turn: TurnId,
    /// Its position there.
    pub index: usize,
}

impl ToolCall {
    /// What names it.
    pub fn id(&self) -> CallId {
        CallId { turn: self.turn.clone(), index: self.index }
    }
}

/// Proof of what a tool did, or why it did not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// Unique over the life of the store.
    pub id: ReceiptId,
    /// The tool did all that was asked and it was confirmed.
    pub ok: bool,
    /// Something is different now from before.
    pub changed: bool,
    /// An object. On success what the reply needs (`entities`, `state`, `time` …). When not `ok` it
    /// has `error` (one of [`error_code`]) and `message`; with partial success also `done` and `failed`.
    pub detail: Value,
    /// Text from outside the house may be in the detail, or behind the call.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tainted: bool,
}

/// Codes in a failed receipt's `detail.error`; each has a sentence in `models/languages/<code>/sentences/errors.yaml`.
pub mod error_code {
    /// No such device, area, timer or scene.
    pub const NOT_FOUND: &str = "not_found";
    /// Several things fit and one is meant; `detail.candidates` lists their names.
    pub const AMBIGUOUS: &str = "ambiguous";
    /// The device is there but cannot do this.
    pub const UNSUPPORTED: &str = "unsupported";
    /// A dangerous call, or one that text from outside may be behind (`detail.outside`), without approval;
    /// `detail.action` and `detail.name` say for what.
    pub const NEEDS_APPROVAL: &str = "needs_approval";
    /// A dangerous call without the PIN it needs; `detail.action` and `detail.name` say for what.
    pub const NEEDS_PIN: &str = "needs_pin";
    /// The device wants a code and there is none for it.
    pub const NEEDS_CODE: &str = "needs_code";
    /// The device does not take the code that there is for it.
    pub const WRONG_CODE: &str = "wrong_code";
    /// Switched off by the owner's permissions.
    pub const FORBIDDEN: &str = "forbidden";
    /// No confirmation came in time.
    pub const TIMEOUT: &str = "timeout";
    /// The device is not reachable.
    pub const OFFLINE: &str = "offline";
    /// Some of several things were done.
    pub const PARTIAL: &str = "partial";
    /// The service it needs is not configured.
    pub const NOT_CONFIGURED: &str = "not_configured";
    /// It is a matter of a running Hark, and none runs here.
    pub const NOT_RUNNING: &str = "not_running";
    /// An argument is missing or out of range.
    pub const BAD_ARGUMENT: &str = "bad_argument";
    /// It would have to be kept, and nothing can be; `detail.message` says why.
    pub const NOT_KEPT: &str = "not_kept";
    /// Anything else; `detail.message` says what.
    pub const FAILED: &str = "failed";

    /// Every code.
    pub const ALL: [&str; 16] = [
        NOT_FOUND,
        AMBIGUOUS,
        UNSUPPORTED,
        NEEDS_APPROVAL,
        NEEDS_PIN,
        NEEDS_CODE,
        WRONG_CODE,
        FORBIDDEN,
        TIMEOUT,
        OFFLINE,
        PARTIAL,
        NOT_CONFIGURED,
        NOT_RUNNING,
        BAD_ARGUMENT,
        NOT_KEPT,
        FAILED,
    ];
}

/// What a person is asked about, in `detail.things` of a receipt that needs a yes: each has an `act`, a `name`, and a `kind` of
/// [`KINDS`](asked::KINDS) with its parts where the name is no thing's own. The languages have words for all of it.
pub mod asked {
    /// Acts on things of the home, which are called by their names.
    pub const HOME_ACTS: [&str; 3] = ["unlock", "open", "disarm"];

    /// What else is asked about, with its parts.
    pub const KINDS: [(&str, &[&str]); 19] = [
        // A file that is there already.
        ("file", &["path"]),
        // A program that is ended.
        ("program", &["program"]),
        // Keys, and a text that is typed; `to` is the window.
        ("keys", &["keys", "to"]),
        ("text", &["text", "to"]),
        // A click of the pointer: on a `text` or at `x` and `y`, where it was said; `to` is the window.
        ("click", &["text", "x", "y", "double", "to"]),
        // A picture of the screen, for the language model.
        ("screen", &[]),
        // A request over the web, and one that only reads.
        ("request", &["method", "url"]),
        ("address", &["address"]),
        // What is sent or clicked on a page.
        ("form", &["label", "to"]),
        ("link", &["label", "to"]),
        ("button", &["label"]),
        // What is clicked in a program's window.
        ("element", &["label", "program"]),
        ("command", &["command"]),
        ("script", &["script"]),
        // A task for an AI command-line program.
        ("task", &["goal", "program", "workspace"]),
        // Wi-Fi or Bluetooth.
        ("radio", &["radio", "on"]),
        ("computer", &[]),
        ("event", &["title"]),
        // A call of a tool, with its arguments in words where it has any.
        ("tool", &["tool", "args"]),
    ];
}

/// Why a tool did not do it, in a failed receipt's `detail.why`; each has a sentence in the group `reasons` of
/// `models/languages/<code>/sentences/errors.yaml`, which other fields of the detail are put into. Without one the code's is said.
pub mod reason {
    macro_rules! reasons {
        ($($(#[$doc:meta])* $name:ident = $key:literal,)*) => {
            $($(#[$doc])* pub const $name: &str = $key;)*

            /// Every reason.
            pub const ALL: &[&str] = &[$($key),*];
        };
    }

    macro_rules! words {
        ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
            $(#[$about])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub enum $name { $($(#[$doc])* $variant,)* }

            impl $name {
                /// All of them.
                pub const ALL: &[Self] = &[$(Self::$variant),*];

                /// As the detail tells it.
                pub fn word(self) -> &'static str {
                    match self { $(Self::$variant => $word,)* }
                }
            }
        };
    }

    words! {
        /// What may have to be set up before a tool can work; what [`NOT_SET_UP`] tells.
        Part {
            /// The desktop's accessibility bus.
            Accessibility = "accessibility",
            /// A browser that can be started.
            Browser = "browser",
            /// A calendar.
            Calendar = "calendar",
            /// A folder for pictures of the screen.
            Captures = "captures",
            /// Contacts.
            Contacts = "contacts",
            /// A program that takes tasks.
            Delegation = "delegation",
            /// A program that runs containers.
            DelegationContainer = "delegation_container",
            /// A folder that tasks work in.
            DelegationFolder = "delegation_folder",
            /// A key of a program that takes tasks.
            DelegationKey = "delegation_key",
            /// A dictionary.
            Dictionary = "dictionary",
            /// Folders whose files are read.
            Files = "files",
            /// Folders whose files are written.
            FilesWritten = "files_written",
            /// Where the machine is.
            Location = "location",
            /// A folder of notes.
            Notes = "notes",
            /// The folder of notes that is named, which is not there.
            NotesFolder = "notes_folder",
            /// The household's own addresses.
            OwnAddresses = "own_addresses",
            /// The address of a calendar or of contacts, which is none.
            PersonalAddress = "personal_address",
            /// A language model that looks at pictures.
            Pictures = "pictures",
            /// Programs that may be run.
            Programs = "programs",
            /// What reads text in pictures.
            Reader = "reader",
            /// A folder of scripts.
            Scripts = "scripts",
            /// A search service.
            Search = "search",
            /// The settings of the search service, which are wrong.
            SearchSettings = "search_settings",
            /// A mixer of the sound system.
            Sound = "sound",
            /// A weather service.
            Weather = "weather",
        }
    }

    words! {
        /// A service that Hark asks.
        Service {
            /// The server of a web page.
            Page = "page",
            /// A server of calendars or contacts.
            Personal = "personal",
            /// The search service.
            Search = "search",
            /// The weather service.
            Weather = "weather",
        }
    }

    reasons! {
        /// Nothing has the `name`.
        NOTHING_CALLED = "nothing_called",
        /// No area has the name `area`.
        NO_AREA = "no_area",
        /// No floor has the name `floor`.
        NO_FLOOR = "no_floor",
        /// Nothing of the kind `what` is in the `area`, on the `floor`, or at all.
        NOTHING_THERE = "nothing_there",
        /// What is of this kind there is only watched; `detail.watched_names` says which things.
        ONLY_WATCHED = "only_watched",
        /// One of several is meant, and which was not said.
        WHICH_ONE = "which_one",
        /// Neither a name, a place nor a kind was said.
        NOT_SAID_WHAT = "not_said_what",
        /// Division by zero.
        DIVISION_BY_ZERO = "division_by_zero",
        /// Sum too large.
        SUM_TOO_LARGE = "sum_too_large",
        /// What `part` of a sum is, is not known.
        SUM_UNREADABLE = "sum_unreadable",
        /// Sum incomplete.
        SUM_INCOMPLETE = "sum_incomplete",
        /// `unit` is none.
        UNKNOWN_UNIT = "unknown_unit",
        /// No timer fits.
        NO_SUCH_TIMER = "no_such_timer",
        /// No alarm fits.
        NO_SUCH_ALARM = "no_such_alarm",
        /// No reminder fits.
        NO_SUCH_REMINDER = "no_such_reminder",
        /// A timer cannot be so long or so short.
        BAD_LENGTH = "bad_length",
        /// Too far ahead.
        TOO_FAR_AHEAD = "too_far_ahead",
        /// To what time something is moved was not said.
        NO_NEW_TIME = "no_new_time",
        /// Time passed.
        TIME_PASSED = "time_passed",
        /// What repeats would ring on other days.
        OTHER_DAYS = "other_days",
        /// Of what repeats only the time of day can be changed.
        ONLY_TIME_OF_DAY = "only_time_of_day",
        /// Several times a day.
        SEVERAL_TIMES_A_DAY = "several_times_a_day",
        /// Never comes.
        NEVER_COMES = "never_comes",
        /// Nothing rings.
        NOTHING_RINGS = "nothing_rings",
        /// No event of the calendar fits; `words` of its title, where some were said.
        NO_SUCH_EVENT = "no_such_event",
        /// None of the owner's mail addresses is among those who are invited to the event.
        NOT_INVITED = "not_invited",
        /// No task of the calendar has the `words`.
        NO_SUCH_TASK = "no_such_task",
        /// A task comes again, and is not marked as done here.
        TASK_REPEATS = "task_repeats",
        /// No note has the `title`.
        NO_SUCH_NOTE = "no_such_note",
        /// There is a note called `title` already.
        NOTE_EXISTS = "note_exists",
        /// Somebody else changed it meanwhile.
        CHANGED_MEANWHILE = "changed_meanwhile",
        /// What comes several times an hour or day is no event.
        TOO_OFTEN = "too_often",
        /// No list has the name `list`.
        NO_SUCH_LIST = "no_such_list",
        /// `item` is not on the `list`.
        NOT_ON_LIST = "not_on_list",
        /// There is a `list` of this name.
        LIST_EXISTS = "list_exists",
        /// Nothing plays.
        NOTHING_PLAYS = "nothing_plays",
        /// Nothing paused.
        NOTHING_PAUSED = "nothing_paused",
        /// Nothing muted.
        NOTHING_MUTED = "nothing_muted",
        /// What plays has no name.
        PLAYS_WITHOUT_NAME = "plays_without_name",
        /// Several players.
        SEVERAL_PLAYERS = "several_players",
        /// Several vacuums.
        SEVERAL_VACUUMS = "several_vacuums",
        /// Nothing to undo.
        NOTHING_TO_UNDO = "nothing_to_undo",
        /// Not undoable.
        NOT_UNDOABLE = "not_undoable",
        /// What stood in the file `path` before was too long to be kept, or no text.
        BEFORE_NOT_KEPT = "before_not_kept",
        /// Nothing waits.
        NOTHING_WAITS = "nothing_waits",
        /// Ended already.
        ENDED_ALREADY = "ended_already",
        /// A question whose answer was never told to Hark.
        NOT_TOLD = "not_told",
        /// Told nothing like it.
        TOLD_NOTHING_LIKE_IT = "told_nothing_like_it",
        /// Nothing was told about what was `asked`.
        TOLD_NOTHING_ABOUT = "told_nothing_about",
        /// There are none in that language.
        NO_JOKES = "no_jokes",
        /// Too few choices.
        TOO_FEW_CHOICES = "too_few_choices",
        /// No letters.
        NO_LETTERS = "no_letters",
        /// No dictionary has the `word`.
        NO_DEFINITION = "no_definition",
        /// What time it is at the `place` is not known.
        NO_TIME_THERE = "no_time_there",
        /// The day is over, or too far ahead for a forecast.
        NO_FORECAST = "no_forecast",
        /// The owner has told something else.
        TOLD_OTHERWISE = "told_otherwise",
        /// The `host` is in a private network.
        PRIVATE_ADDRESS = "private_address",
        /// A field is for a password or the number of a card.
        NO_PASSWORDS = "no_passwords",
        /// No page is open in the browser.
        NO_PAGE = "no_page",
        /// Nothing on the page is called `wanted`.
        NOT_ON_PAGE = "not_on_page",
        /// It is private, and who asks is not known.
        PRIVATE = "private",
        /// Too little was said to know a voice by.
        VOICE_SHORT = "voice_short",
        /// Not said to the microphone of this node.
        VOICE_NOT_HEARD = "voice_not_heard",
        /// The voice is known: it is that of `name`.
        VOICE_KNOWN = "voice_known",
        /// It is not the voice of `name`.
        VOICE_OTHER = "voice_other",
        /// Only the owner has the voice of `name` forgotten.
        VOICE_LIMITED = "voice_limited",
        /// The speaker was not recognised.
        VOICE_UNKNOWN = "voice_unknown",
        /// The voice of `name` is not known.
        VOICE_NOBODY = "voice_nobody",
        /// The `person` may not do that.
        PERSON = "person",
        /// There is no desktop here.
        NO_DESKTOP = "no_desktop",
        /// The desktop is Wayland, which does not let programs do it.
        WAYLAND = "wayland",
        /// Nothing on the desktop moves windows.
        NO_WINDOW_MANAGER = "no_window_manager",
        /// The desktop lets no program press keys.
        NO_KEYS = "no_keys",
        /// What Hark needs is not connected, named or installed: `part`, the word of a [`Part`].
        NOT_SET_UP = "not_set_up",
        /// A service that Hark asks does not answer: `service`, the word of a [`Service`].
        SERVICE_DOWN = "service_down",
        /// A service did not answer in time: `service`.
        SERVICE_SLOW = "service_slow",
        /// A service answered something else than it should: `service`.
        SERVICE_WRONG = "service_wrong",
        /// A service does not take Hark's name and password: `service`.
        SERVICE_LOGIN = "service_login",
        /// A file or folder of the calendar or the contacts cannot be used.
        FILE_UNUSABLE = "file_unusable",
        /// No file or folder that Hark may use is called `name`.
        NO_SUCH_FILE = "no_such_file",
        /// It is outside of the folders that Hark may use.
        OUTSIDE_FOLDERS = "outside_folders",
        /// The program is none that Hark may run.
        PROGRAM_NOT_ALLOWED = "program_not_allowed",
        /// It holds a secret of the house, and would leave it.
        HOLDS_SECRET = "holds_secret",
        /// The owner does not trust the `host`.
        NOT_TRUSTED = "not_trusted",
        /// The `program` that does it is not on this machine.
        NO_SERVICE = "no_service",
        /// Hark runs where it reaches nothing of the machine.
        NO_SYSTEM_BUS = "no_system_bus",
        /// Hark does not run in a session of the desktop.
        NO_SESSION = "no_session",
        /// The machine does not let Hark do it.
        MACHINE_DENIES = "machine_denies",
        /// The machine answered with an error.
        MACHINE_FAILED = "machine_failed",
        /// The machine has no battery.
        NO_BATTERY = "no_battery",
        /// The machine cannot sleep.
        CANNOT_SLEEP = "cannot_sleep",
        /// Nobody is logged in at the screen.
        NOBODY_AT_SCREEN = "nobody_at_screen",
        /// The screen was told to lock, and nothing says that it did.
        NOT_LOCKED = "not_locked",
        /// No window is called `name`.
        NO_WINDOW = "no_window",
        /// No window is in front.
        NONE_IN_FRONT = "none_in_front",
        /// The windows, programs or files `names` could be meant.
        SEVERAL_PROGRAMS = "several_programs",
        /// The `text` is nowhere on the screen.
        NOT_ON_SCREEN = "not_on_screen",
        /// No program called `name` is installed.
        NO_PROGRAM = "no_program",
        /// The program `name` is not running.
        PROGRAM_NOT_RUNNING = "program_not_running",
        /// The program `name` was asked to close and is still there.
        PROGRAM_STILL_OPEN = "program_still_open",
    }
}

//! The grammar of the command line. Help, shell completions and the man page all come from here.

use super::eval::Eval;
use super::{config, models, setup, version};
use clap::{Parser, Subcommand};
use clap_complete::Shell;
use hark_core::session::ReplayChoice;
use std::ffi::OsString;
use std::path::PathBuf;

/// A voice-first home assistant: one program, no cloud.
#[derive(Debug, Parser)]
#[command(name = "hark", version, long_version = version::long(), about, propagate_version = true)]
pub struct Cli {
    /// Configuration file [default: $HARK_CONFIG, /etc/hark/hark.toml, ~/.config/hark/hark.toml, built-in]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Override one key for this call; may be repeated
    #[arg(long = "set", global = true, value_name = "SECTION.KEY=VALUE")]
    pub sets: Vec<String>,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The daemon: microphone to speaker, MQTT, timers
    Run {
        /// Without a microphone, first show the main job with a sample sentence
        #[arg(long)]
        demo: bool,
    },
    /// Plays recordings into the same path as the microphone and prints what happens
    Hear(Hear),
    /// A typed request to the running Hark, or by itself where none runs; reads lines from standard input when no text is
    /// given
    Ask(Ask),
    /// Speaks a text: the running Hark, or by itself where none runs, into a file, or in another voice
    Say(SayArgs),
    /// What happens now, the turns and the findings of `doctor` of the running Hark, in a terminal
    Watch,
    /// Live meter of the microphone: level, voice activity, wake word score, words so far
    Listen,
    /// Measures every station of the road on this machine, in the demo home
    Bench {
        /// Recordings of requests, without or with a wake word; without any, some are spoken by espeak-ng
        #[arg(value_name = "FILE.wav")]
        files: Vec<PathBuf>,
        /// Passages of documents among which the context of a request is looked for
        #[arg(long, value_name = "N", default_value_t = 2_000)]
        passages: usize,
        /// Facts that were told, for the same
        #[arg(long, value_name = "N", default_value_t = 500)]
        facts: usize,
        /// Measures the context of requests alone
        #[arg(long, conflicts_with = "files")]
        context: bool,
    },
    /// How well it understands, hears, is interrupted, keeps promises and lasts: one set of measurements after the other
    Eval {
        #[command(subcommand)]
        set: Eval,
    },
    /// The whole story of a turn
    Explain {
        /// Turn id, or `last`
        #[arg(default_value = "last")]
        turn: String,
        /// Only its plan, as it stood at this checkpoint
        #[arg(long, value_name = "NUMBER")]
        checkpoint: Option<u32>,
    },
    /// Says yes to what the running Hark asks
    Approve {
        /// Turn that asked; the only question there is, when none is named
        turn: Option<String>,
    },
    /// Says no to what the running Hark asks
    Deny {
        /// Turn that asked; the only question there is, when none is named
        turn: Option<String>,
    },
    /// Feeds what was recorded of a turn to today's turn machine and shows any difference
    Replay {
        /// Turn id, or `last`
        turn: String,
    },
    /// Models and native libraries
    Models(models::ModelsArgs),
    /// Areas, entities and their states
    Home {
        #[command(subcommand)]
        command: Home,
    },
    /// What is due: timers, alarms, reminders
    Timers {
        #[command(subcommand)]
        command: Timers,
    },
    /// What comes again: recurring alarms and reminders
    Schedule {
        #[command(subcommand)]
        command: Schedule,
    },
    /// Tools of other programs by the Model Context Protocol, and Hark's own for them
    Mcp {
        #[command(subcommand)]
        command: Mcp,
    },
    /// How the household wants things done: instructions for the language model
    Skills {
        #[command(subcommand)]
        command: Skills,
    },
    /// What Hark was asked to remember
    Remember {
        #[command(subcommand)]
        command: Remember,
    },
    /// People who are known by their voice
    Speakers {
        #[command(subcommand)]
        command: Speakers,
    },
    /// Wake words of your own
    Wake {
        #[command(subcommand)]
        command: Wake,
    },
    /// The household's documents, which Hark looks things up in
    Docs {
        #[command(subcommand)]
        command: Docs,
    },
    /// The database: whether it is sound, and its backups
    Store {
        #[command(subcommand)]
        command: Store,
    },
    /// The first five minutes: sound by ear, wake word, Home Assistant, rooms, language, voice, language model
    Setup {
        /// Only these steps; all, when none is named
        steps: Vec<setup::Step>,
    },
    /// Microphones and speakers: lists them, or tries one by ear
    Devices {
        /// Plays two tones on a speaker, by the name that is listed or `auto`
        #[arg(long, value_name = "NAME")]
        play: Option<String>,
        /// Records for four seconds, tells how loud it was, and plays it back on the configured speaker
        #[arg(long, value_name = "NAME", conflicts_with = "play")]
        record: Option<String>,
    },
    /// Checks every part and says how to mend what is broken
    Doctor,
    /// The configuration
    Config(config::ConfigArgs),
    /// Prints completions for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Prints the manual page
    Man,
    /// The first program in the sandbox of a delegated task
    #[command(name = hark_delegation::FORWARD, hide = true)]
    Sandboxed {
        /// Socket of the proxy that is its way out
        socket: PathBuf,
        /// The program that was delegated to, with its arguments
        #[arg(last = true, required = true)]
        program: Vec<OsString>,
    },
}

/// `hark hear`.
#[derive(Debug, clap::Args)]
pub struct Hear {
    /// WAV files; each is a fresh conversation
    #[arg(required = true, value_name = "FILE.wav")]
    pub files: Vec<PathBuf>,
    /// Write what the speaker would have played (one recording only)
    #[arg(long, value_name = "FILE.wav")]
    pub reply: Option<PathBuf>,
    /// Play the recording as it was spoken instead of going as fast as possible
    #[arg(long)]
    pub realtime: bool,
    /// Listen at the first speech, without a wake word
    #[arg(long)]
    pub no_wake: bool,
    /// Hark is saying this when the recording begins
    #[arg(long, value_name = "TEXT")]
    pub saying: Option<String>,
    /// The microphone hears the speaker, this loud against what is played: 0 is as loud
    #[arg(long, value_name = "DB", allow_negative_numbers = true)]
    pub echo_db: Option<f32>,
}

/// `hark ask`.
#[derive(Debug, clap::Args)]
pub struct Ask {
    /// The request, in quotes or not; without it, every line of standard input is one. Behind `--` nothing is an option
    #[arg(allow_negative_numbers = true)]
    pub text: Vec<String>,
    /// Say the answer aloud as well
    #[arg(long)]
    pub speak: bool,
    /// Keep the lines in one conversation with this name; what is typed at a terminal is one anyway
    #[arg(long, value_name = "NAME")]
    pub session: Option<String>,
    /// Which earlier turns of that conversation a language model is told from now on: `session`, `last:N`, or `auto`
    #[arg(long, value_name = "TURNS", requires = "session", value_parser = replay)]
    pub replay: Option<ReplayChoice>,
    /// The language model that answers, where one is needed: one that the section `llm` of the configuration names, or the name of its server
    #[arg(long, value_name = "NAME", value_parser = model)]
    pub model: Option<String>,
    /// Stop before acting
    #[arg(long)]
    pub dry_run: bool,
    /// Instead of asking: mark a turn as taken wrongly, by its id or `last`; it becomes an example for
    /// `hark models train`
    #[arg(long, value_name = "TURN", requires = "meant", conflicts_with_all = ["text", "speak", "session", "dry_run"])]
    pub wrong: Option<String>,
    /// What was meant: the name of an intent, `none` for nothing a home can do, or other words that say it
    #[arg(long, value_name = "INTENT|none|WORDS", requires = "wrong")]
    pub meant: Option<String>,
    /// The kind of thing that was meant, where one intent serves several: `cover`, `lock`, `scene` …
    #[arg(long, value_name = "DOMAIN", requires = "wrong")]
    pub domain: Option<String>,
}

/// `hark say`.
#[derive(Debug, clap::Args)]
pub struct SayArgs {
    /// What to say, in quotes or not
    #[arg(required_unless_present = "list_voices", allow_negative_numbers = true)]
    pub text: Vec<String>,
    /// Write a WAV file instead of using the speaker
    #[arg(long, value_name = "FILE.wav")]
    pub out: Option<PathBuf>,
    /// Try a voice: a name that --list-voices prints, or the path of a Piper voice (.onnx)
    #[arg(long, value_name = "NAME")]
    pub voice: Option<String>,
    /// Print the voices there are
    #[arg(long, conflicts_with_all = ["text", "out", "voice"])]
    pub list_voices: bool,
}

/// `hark home`.
#[derive(Debug, Subcommand)]
pub enum Home {
    /// Every entity with its state
    List {
        /// The nodes of the house on the broker instead
        #[arg(long)]
        nodes: bool,
    },
    /// One area or entity in full
    Show {
        /// Name, alias or id, in quotes or not
        #[arg(required = true)]
        name: Vec<String>,
    },
}

/// `hark mcp`.
#[derive(Debug, Subcommand)]
pub enum Mcp {
    /// Every configured server: how it is, its tools, and those that are refused
    List,
    /// The running Hark's tools for the program that starts this, on standard input and output
    Serve,
}

/// `hark skills`.
#[derive(Debug, Subcommand)]
pub enum Skills {
    /// Every skill with what tells of it and its tools, and those that are not taken
    List,
    /// Every mistake in the manifests and texts, with how to mend it
    Check {
        /// Folder of one skill; all, when none is named
        folder: Option<PathBuf>,
    },
    /// Makes a skill to begin with
    New {
        /// Its name, such as bin-day
        name: String,
    },
}

/// `hark remember`.
#[derive(Debug, Subcommand)]
pub enum Remember {
    /// Every fact, the newest first
    List {
        /// Those that are not so any more instead
        #[arg(long)]
        history: bool,
    },
    /// Remembers something
    Add {
        /// What, in words
        #[arg(required = true)]
        words: Vec<String>,
        /// It is kept from those who are not known where `memory.private` is on
        #[arg(long)]
        private: bool,
    },
    /// The facts about somebody or something
    About {
        /// A name, "me", or such as "my wife"
        #[arg(required = true)]
        whom: Vec<String>,
    },
    /// Whom and what is told of
    Entities,
    /// The facts that hold these words
    Search {
        /// Words in any order and inflection
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// Forgets a fact
    Forget {
        /// Its number, as `list` shows it
        id: i64,
    },
}

/// `hark wake`.
#[derive(Debug, Subcommand)]
pub enum Wake {
    /// Trains a wake word from the voices that are installed, in minutes, and says how often it should miss and be mistaken
    Train {
        /// What is to be said, three syllables or more: "hey house"
        phrase: String,
        /// Recordings of people saying it, one each
        #[arg(long, value_name = "FILE.wav", num_args = 1..)]
        recordings: Vec<PathBuf>,
        /// Recordings in which nobody says it, best of people who talk at home: it is mistaken far less often then
        #[arg(long, value_name = "FILE.wav", num_args = 1..)]
        others: Vec<PathBuf>,
        /// The file to write [default: `wake/PHRASE.json` in the state folder]
        #[arg(long, value_name = "FILE.json")]
        out: Option<PathBuf>,
    },
}

/// `hark speakers`.
#[derive(Debug, Subcommand)]
pub enum Speakers {
    /// Everybody, with how many utterances are known
    List,
    /// Enrols a voice from recordings; of each person the newest eight are kept, as numbers
    Enrol {
        /// Whose voice it is
        name: String,
        /// Recordings of one person alone, a sentence or two each
        #[arg(required = true, value_name = "FILE.wav")]
        files: Vec<PathBuf>,
    },
    /// Forgets a voice
    Forget {
        /// Whose
        name: String,
    },
}

/// `hark docs`.
#[derive(Debug, Subcommand)]
pub enum Docs {
    /// Reads files and folders in and keeps them in step: text, Markdown, HTML, PDF, EPUB
    Add {
        /// Files or folders
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Every document, and why one cannot be read
    List,
    /// Takes a file, or all of a folder, out of the index; the files stay
    Remove {
        /// The file or folder
        path: PathBuf,
    },
    /// The passages that answer a question
    Search {
        /// A question, or words
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// How many documents and passages there are
    Status,
}

/// `hark store`.
#[derive(Debug, Subcommand)]
pub enum Store {
    /// Whether it is sound, its backups, and damaged files that were kept
    Status,
    /// Makes a backup now
    Backup,
    /// Puts a backup in its place, while Hark is stopped; what was there is kept under another name
    Restore {
        /// Its name, as `status` shows it; the newest, when none is named
        backup: Option<String>,
    },
}

/// `hark timers`.
#[derive(Debug, Subcommand)]
pub enum Timers {
    /// Every timer, alarm and reminder with what is left
    List,
    /// Takes a timer, alarm or reminder away
    Cancel {
        /// Its id, the end of its id, its name, or `all`
        timer: String,
    },
    /// Lets what rings ring again later
    Snooze {
        /// Its id, the end of its id, or its name; without it everything that rings
        timer: Option<String>,
        /// For how long, such as 90s, 10m, 1h30m
        #[arg(long = "for", value_name = "LENGTH", default_value = "10m")]
        length: String,
    },
    /// Silences what rings: it was heard
    Acknowledge {
        /// Its id, the end of its id, or its name; without it everything that rings
        timer: Option<String>,
    },
}

/// `hark schedule`.
#[derive(Debug, Subcommand)]
pub enum Schedule {
    /// Every alarm and reminder that comes again, the next first
    List,
    /// Takes one away for good
    Cancel {
        /// Its id, the end of its id, its name, or `all`
        timer: String,
    },
}

fn model(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty() && !text.contains(char::is_whitespace);
    is_name.then(|| text.to_owned()).ok_or_else(|| "a name without blanks".to_owned())
}

fn replay(text: &str) -> Result<ReplayChoice, String> {
    ReplayChoice::parse(text)
        .ok_or_else(|| "write `session`, `auto`, or `last:` and a number up to 100".to_owned())
}

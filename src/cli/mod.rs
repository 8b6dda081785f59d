//! The command line: one file a subcommand, exit codes 0 ok, 1 failed, 2 usage or configuration, 3 a
//! needed part is missing.

mod approve;
pub mod args;
mod ask;
mod bench;
pub mod benchmarks;
mod common;
pub mod config;
mod devices;
mod docs;
mod doctor;
pub mod eval;
pub mod evaluations;
mod hear;
mod history;
mod home;
mod listen;
mod mcp;
pub mod models;
mod remember;
mod run;
mod sandboxed;
mod say;
pub mod setup;
mod skills;
mod speakers;
pub mod standalone;
mod timers;
mod train;
mod wake;
mod watch;

use crate::app::reload::{self, Origin};
use crate::cli::benchmarks::Scale;
use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use common::{random, running, studio, temporary_folder, version};
use hark_config::ConfigFile;
use hark_core::{Fault, FaultKind};
use hark_telemetry::logging;
pub use history::trace;
use history::{explain, replay, store};
use std::process::ExitCode;

/// Faults of one call; the first decides the exit code.
pub type Faults = Vec<Fault>;

/// Parses the arguments, runs the subcommand, prints faults to standard error.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match dispatch(cli) {
        Ok(code) => code,
        Err(faults) => {
            for fault in &faults {
                eprintln!("hark: {fault}");
            }
            ExitCode::from(faults.first().map_or(1, |fault| exit_code(fault.kind)))
        }
    }
}

/// Standard output is full or gone.
fn unwritable(error: std::io::Error) -> Fault {
    Fault::new(FaultKind::Failed, "output", format!("cannot write the output ({error})"), "")
}

/// The promise of the interface.
fn exit_code(kind: FaultKind) -> u8 {
    match kind {
        FaultKind::BadInput | FaultKind::BadConfiguration => 2,
        FaultKind::MissingPart => 3,
        FaultKind::Unavailable | FaultKind::Failed => 1,
    }
}

fn dispatch(cli: Cli) -> Result<ExitCode, Faults> {
    match cli.command {
        Command::Run { demo } => {
            logging::init("info");
            let file = file(&cli);
            run::run(Origin { config: reload::read(&file)?, file }, demo, cli.json)
        }
        Command::Sandboxed { socket, program } => sandboxed::run(&socket, &program),
        _ => others(cli).map(|()| ExitCode::SUCCESS),
    }
}

fn file(cli: &Cli) -> ConfigFile {
    ConfigFile::new(cli.config.as_deref(), &cli.sets)
}

fn others(cli: Cli) -> Result<(), Faults> {
    // A reader that has seen enough (`| head`) ends the command in silence, as it does with other programs.
    sigpipe::reset();
    let out = &mut std::io::stdout();
    let one = |fault: Fault| vec![fault];
    logging::init("warn");
    match &cli.command {
        Command::Config(args) => {
            return config::run(args, &file(&cli), cli.json, out).map_err(one);
        }
        Command::Completions { shell } => {
            clap_complete::generate(*shell, &mut Cli::command(), "hark", out);
            return Ok(());
        }
        Command::Man => return man(out).map_err(one),
        Command::Devices { play: None, record: None } => return devices::run(cli.json),
        Command::Devices { play: Some(device), .. } => return devices::play(device, cli.json).map_err(one),
        Command::Setup { steps } => return setup::run(file(&cli), steps, cli.json),
        _ => {}
    }
    let config = reload::read(&file(&cli))?;
    match cli.command {
        Command::Hear(args) => hear::run(config, args, cli.json),
        Command::Ask(args) => ask::run(config, args, &cli.sets, cli.json),
        Command::Say(args) => say::run(config, &args, &cli.sets, cli.json),
        Command::Watch => watch::run(config, cli.json),
        Command::Listen => listen::run(config, cli.json),
        Command::Bench { files, passages, facts, context } => {
            bench::run(config, files, (Scale { passages, facts }, context), cli.json)
        }
        Command::Eval { set } => eval::run(&config, set, cli.json),
        Command::Explain { turn, checkpoint } => explain::run(&config, &turn, checkpoint, cli.json),
        Command::Approve { turn } => approve::run(&config, &cli.sets, true, turn, cli.json),
        Command::Deny { turn } => approve::run(&config, &cli.sets, false, turn, cli.json),
        Command::Replay { turn } => replay::run(&config, &turn, cli.json),
        Command::Models(args) => models::run(&args, &config, cli.json, out).map_err(one),
        Command::Home { command } => home::run(&config, &command, &cli.sets, cli.json),
        Command::Timers { command } => timers::run(&config, &command, cli.json),
        Command::Schedule { command } => timers::schedule(&config, &command, cli.json),
        Command::Mcp { command } => mcp::run(&config, &command, &cli.sets, cli.json),
        Command::Skills { command } => skills::run(&config, &command, cli.json),
        Command::Remember { command } => remember::run(&config, &command, cli.json).map_err(one),
        Command::Speakers { command } => speakers::run(&config, &command, cli.json).map_err(one),
        Command::Wake { command } => wake::run(&config, &command, cli.json),
        Command::Docs { command } => docs::run(&config, &command, &cli.sets, cli.json),
        Command::Store { command } => store::run(&config, &command, cli.json).map_err(one),
        Command::Doctor => doctor::run(&config, cli.json),
        Command::Run { .. }
        | Command::Config(_)
        | Command::Completions { .. }
        | Command::Man
        | Command::Sandboxed { .. }
        | Command::Setup { .. }
        | Command::Devices { record: None, .. } => Ok(()),
        Command::Devices { record: Some(device), .. } => {
            devices::record(&device, &config.audio.output_device, cli.json).map_err(one)
        }
    }
}

fn man(out: &mut impl std::io::Write) -> Result<(), Fault> {
    clap_mangen::Man::new(Cli::command()).render(out).map_err(|error| {
        Fault::new(FaultKind::Failed, "man", format!("the page cannot be written: {error}"), "")
    })
}

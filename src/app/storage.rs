//! Opens what is kept in the state folder: the store, the timers and conversations in it, what can be taken back, the journal and the sound of turns.

use crate::app::clock::wall_unix_ms;
use hark_config::contracts::AnswerLength;
use hark_config::{Config, paths};
use hark_core::session::Verbosity;
use hark_core::{Fault, FaultKind};
use hark_home::timers::Timers;
use hark_home::undo::UndoLog;
use hark_store::journal::Journal;
use hark_store::recordings::Recordings;
use hark_store::sessions::SessionStore;
use hark_store::store::Store;
use std::path::PathBuf;
use std::sync::Arc;

/// Name of the database in the state folder.
const DATABASE: &str = "hark.db";

/// Opens the store for reading and writing, making it when it is not there.
///
/// # Errors
/// When the state folder cannot be written to.
pub fn open_store(config: &Config) -> Result<Store, Fault> {
    let folder = config.paths.state_dir()?;
    paths::ensure_dir(&folder)?;
    Store::open(&folder.join(DATABASE))
}

/// Opens the store so that the house works whatever has become of the file: a damaged one is mended, and where nothing
/// can be written what is kept is known and nothing new is.
pub(crate) fn open_store_of_daemon(config: &Config) -> Result<Store, Fault> {
    let path = database(config)?;
    let opened = match paths::ensure_dir(&config.paths.state_dir()?) {
        Ok(()) => Store::open_with_recovery(&path),
        Err(fault) => Err(Fault { kind: FaultKind::Unavailable, ..fault }),
    };
    match opened {
        Err(fault) if fault.kind == FaultKind::Unavailable => {
            tracing::error!("{fault}");
            Store::open_in_memory(&path)
        }
        opened => opened,
    }
}

/// Where the database is.
///
/// # Errors
/// When there is not even a place for one.
pub fn database(config: &Config) -> Result<PathBuf, Fault> {
    Ok(config.paths.state_dir()?.join(DATABASE))
}

/// Whether there is a store.
///
/// # Errors
/// When there is not even a place for one.
pub fn has_store(config: &Config) -> Result<bool, Fault> {
    Ok(database(config)?.exists())
}

/// Opens the store for looking only.
///
/// # Errors
/// When there is none yet.
pub fn open_store_read_only(config: &Config) -> Result<Store, Fault> {
    Store::open_read_only(&database(config)?)
}

/// The timers of the store.
///
/// # Errors
/// When the store cannot be read.
pub fn open_timers(config: &Config) -> Result<Timers, Fault> {
    load_timers(&open_store(config)?)
}

pub(crate) fn load_timers(store: &Store) -> Result<Timers, Fault> {
    Timers::load(Arc::new(store.clone()), wall_unix_ms())
}

/// The journal, unless it is switched off.
pub(crate) fn journal_of(config: &Config) -> Result<Option<Arc<Journal>>, Fault> {
    let settings = &config.journal;
    if !settings.enabled {
        return Ok(None);
    }
    let dir = match settings.dir.as_str() {
        "" => config.paths.state_dir()?.join("journal"),
        dir => paths::expand(dir),
    };
    Ok(Some(Arc::new(Journal::new(dir, settings))))
}

/// The sound of turns, whether or not more is kept.
///
/// # Errors
/// When there is not even a place for it.
pub fn open_recordings(config: &Config) -> Result<Recordings, Fault> {
    Ok(Recordings::new(config.paths.state_dir()?.join("recordings"), &config.journal))
}

/// What can be taken back of what was done before the last start.
pub(crate) fn undo_log(store: &Store) -> UndoLog {
    UndoLog::kept_in(Arc::new(store.clone()), wall_unix_ms())
}

/// Conversations; those that have set no style have that of the configuration.
pub(crate) fn sessions_of(config: &Config, store: &Store) -> SessionStore {
    let verbosity = match config.contracts.verbosity {
        AnswerLength::Short => Verbosity::Short,
        AnswerLength::Long => Verbosity::Long,
    };
    let sessions = SessionStore::new(store.clone(), config.memory.clone());
    sessions.with_style(config.contracts.persona.trim(), verbosity)
}

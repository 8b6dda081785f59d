//! `hark store`: whether the database is sound, its backups, and putting one back.

use super::super::args::Store as Command;
use crate::app::storage;
use hark_config::Config;
use hark_core::Fault;
use hark_store::backups::{self, Backup};
use hark_store::store;
use serde_json::{Value, json};

/// Looks, makes a backup, or puts one back.
pub(crate) fn run(config: &Config, command: &Command, as_json: bool) -> Result<(), Fault> {
    let database = storage::database(config)?;
    match command {
        Command::Status => {
            let sound = storage::open_store_read_only(config).map(drop);
            let (backups, kept) = (backups::list(&database), store::kept_aside(&database));
            if as_json {
                let backups: Vec<Value> = backups.iter().map(as_value).collect();
                let fault = sound.as_ref().err();
                println!(
                    "{}",
                    json!({ "database": database, "sound": sound.is_ok(), "fault": fault, "backups": backups, "kept_aside": kept })
                );
            } else {
                if sound.is_ok() {
                    println!("{} is sound", database.display());
                }
                backups.iter().for_each(|backup| println!("backup      {}", in_words(backup)));
                kept.iter().for_each(|path| println!("kept aside  {}", path.display()));
            }
            sound
        }
        Command::Backup => {
            let made = backups::make(&database)?;
            match as_json {
                true => println!("{}", as_value(&made)),
                false => println!("made {}", in_words(&made)),
            }
            Ok(())
        }
        Command::Restore { backup } => {
            let (backup, before) = backups::restore(&database, backup.as_deref())?;
            if as_json {
                println!("{}", json!({ "restored": as_value(&backup), "kept_aside": before }));
                return Ok(());
            }
            println!("put back {}", in_words(&backup));
            if let Some(before) = before {
                println!("what was there is kept as {}", before.display());
            }
            Ok(())
        }
    }
}

fn as_value(backup: &Backup) -> Value {
    json!({ "name": backup.name, "made": backup.made.to_rfc3339(), "bytes": backup.bytes })
}

fn in_words(backup: &Backup) -> String {
    let made = backup.made.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M");
    format!("{}  of {made}, {} kB", backup.name, backup.bytes.div_ceil(1000))
}

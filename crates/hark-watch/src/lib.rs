//! Folders and Git repositories as things of the home, so that "when a file appears in downloads" waits like any other
//! condition. [`things`] tells what there is, for every command that has to understand a request; [`Watcher`] follows them in
//! the daemon, on threads of its own, and tells the home. A folder is a sensor that is `quiet`, and for a moment `added`,
//! `changed` or `removed`; a repository is one that is `behind` or `level`.
//!
//! ```
//! use hark_config::watch::WatchConfig;
//!
//! let config = WatchConfig { folders: vec!["downloads=/home/anna/Downloads".into()], ..WatchConfig::default() };
//! assert_eq!(hark_watch::things(&config).entities[0].id.0, "sensor.folder_downloads");
//! ```

mod folder;
mod git;
mod things;
mod watcher;

pub use things::things;
pub use watcher::Watcher;

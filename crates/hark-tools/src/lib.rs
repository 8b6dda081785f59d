//! Hark's tools and what they work with: the table of tools and their executor ([`tools`]), the home and its devices
//! ([`home`]), permissions and the PIN, timers, automations, lists, memory, weather, files, web and shell, and undo. The effect runner of
//! the program calls tools on the tokio runtime; a call answers with a receipt or a refusal.
//!
//! ```
//! use hark_tools::calculator::{calculate, shown};
//!
//! assert_eq!(shown(calculate("3 * (4 + 1)").unwrap()), "15");
//! ```

pub mod automations;
pub mod calculator;
pub mod clipboard;
pub mod dictionary;
pub mod files;
pub mod home;
pub mod house_secrets;
pub mod lists;
pub mod permissions;
pub mod personal;
pub mod pin;
pub mod scripts;
pub mod shell;
pub mod system_info;
#[cfg(test)]
mod test_stores;
pub mod timers;
pub mod tools;
pub mod undo;
pub mod units;
pub mod weather;
pub mod web;
pub mod web_search;
pub mod zone;

pub use automations::Automations;
pub use hark_language::names;
pub use home::{DeviceBackend, HomeControl, HomeRegistry};
pub use timers::Timers;
pub use tools::{Services, Toolbox};

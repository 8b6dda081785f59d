//! What Hark does: the table of tools and the tools, the home and its devices, permissions and the PIN, timers, lists,
//! memory, weather, files, web and shell; taking back what was done. The program's effect runner calls tools on the runtime; a
//! call answers with a receipt or a refusal.
//!
//! ```
//! use hark_tools::calculator::{calculate, shown};
//!
//! assert_eq!(shown(calculate("3 * (4 + 1)").unwrap()), "15");
//! ```

pub mod calculator;
pub mod clipboard;
pub mod files;
pub mod home;
pub mod house_secrets;
pub mod lists;
pub mod machine;
pub mod memory;
pub mod names;
pub mod permissions;
pub mod pin;
pub mod shell;
#[cfg(test)]
mod test_shelf;
pub mod timers;
pub mod tools;
pub mod undo;
pub mod weather;
pub mod web;
pub mod zone;

pub use home::{DeviceBackend, HomeControl, HomeRegistry};
pub use timers::Timers;
pub use tools::{Parts, Toolbox};

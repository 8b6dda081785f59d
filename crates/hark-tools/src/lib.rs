//! Hark's tools: the table of tools and their executor ([`tools`]), and what they work with beside the home (`hark-home`):
//! sums, units, the dictionary, weather, files, web, shell and clipboard. The effect runner of the program calls tools on
//! the tokio runtime; a call answers with a receipt or a refusal.
//!
//! ```
//! use hark_tools::calculator::{calculate, shown};
//!
//! assert_eq!(shown(calculate("3 * (4 + 1)").unwrap()), "15");
//! ```

pub mod calculator;
pub mod clipboard;
pub mod dictionary;
pub mod files;
#[cfg(test)]
#[path = "../../hark-home/src/test_stores.rs"]
mod home_stores;
pub mod house_secrets;
pub mod machine_grants;
pub mod mixer;
pub mod personal;
pub mod scripts;
pub mod shell;
pub mod system_info;
#[cfg(test)]
mod test_stores;
pub mod tools;
pub mod units;
pub mod weather;
pub mod web;
pub mod web_search;

pub use tools::{Services, Toolbox};

use hark_language::names;

//! Tools: one table ([`table`]), one file a group, and the executor ([`Toolbox`]) every route passes.

mod announce;
pub mod args;
mod automation;
mod available;
mod calculate;
mod clock;
mod computer;
mod datetime;
pub mod descriptor;
mod desktop;
mod everyday;
mod executor;
mod external;
mod home;
mod knowledge;
mod list;
mod media;
mod memory;
pub mod outcome;
pub mod parameter;
mod personal;
pub mod receipt;
pub mod services;
mod speaker;
pub mod table;
mod undo;
mod untrusted_text;
mod volume;
mod weather;
mod web_search;

pub use available::{missing, overview};
pub use clock::{request_times::RequestTimes, schedule};
pub use executor::Toolbox;
pub use executor::call_order::CallOrder;
pub use services::{Clock, Persistence, Services};
pub use table::triggers;
pub use untrusted_text::is_text;

#[cfg(test)]
mod tests;

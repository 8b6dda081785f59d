//! Tasks of coding and research that are handed to an AI command-line program: which programs there are and how they are
//! talked to ([`Adapter`]), the sandbox they run in and the proxy that is its way out ([`Egress`]), the folders they work in, and the one task that runs or waits for an
//! answer ([`Delegation`]). The tools of `hark-tools` call it on the tokio runtime; the daemon registers an observer and
//! gets every change of a task. All that a program prints is data: it is shown and told, and decides nothing here.
//!
//! ```
//! let ids: Vec<&str> = hark_delegation::adapters().iter().map(|adapter| adapter.id()).collect();
//! assert!(ids.contains(&"claude") && ids.contains(&"codex"));
//! ```

mod adapter;
mod changes;
mod egress;
mod error;
mod forwarder;
mod heard;
mod output;
mod process;
mod proxy;
mod sandbox;
mod task;
mod view;
mod workspace;

pub use adapter::{Adapter, Told, adapters};
pub use changes::Changes;
pub use egress::{Egress, is_of_own_network};
pub use error::DelegationError;
pub use forwarder::{FORWARD, forward};
pub use task::{Delegation, Observer, Requested};
pub use view::TaskView;
pub use workspace::Workspaces;

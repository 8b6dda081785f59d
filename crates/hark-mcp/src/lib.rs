//! The Model Context Protocol (MCP) by `rmcp`: [`client`] has the tools of configured servers join Hark's, [`server`] offers
//! Hark's tools to other programs. The program puts both together; what may be called is decided by the gate of the tools.
//!
//! ```
//! use hark_config::mcp::McpConfig;
//!
//! let runtime = tokio::runtime::Runtime::new().unwrap();
//! let servers = hark_mcp::Servers::start(&McpConfig::default(), runtime.handle());
//! assert!(servers.states().is_empty(), "none is configured");
//! ```

pub mod client;
pub mod server;

pub use client::Servers;

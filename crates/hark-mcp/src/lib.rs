//! The Model Context Protocol (MCP) by `rmcp`: [`client`] has the tools of configured servers join Hark's, [`server`] offers
//! Hark's tools to other programs. The program puts both together; what may be called is decided by the gate of the tools.

pub mod client;
pub mod server;

pub use client::Servers;

//! Tools of other programs, put together for the builder: MCP servers, which are started here.

use hark_config::Config;
use hark_core::external_tools::ExternalTools;
use hark_mcp::Servers;
use std::sync::Arc;
use tokio::runtime::Handle;

/// See the module.
pub(crate) struct OtherTools {
    /// Servers, for who calls tools.
    pub(crate) mcp: Option<Arc<Servers>>,
}

impl OtherTools {
    /// Starts the servers, where tools are called.
    pub(crate) fn open(config: &Config, calls_tools: bool, runtime: &Handle) -> Self {
        Self { mcp: calls_tools.then(|| Arc::new(Servers::start(&config.mcp, runtime))) }
    }

    /// Where their tools come from.
    pub(crate) fn sources(&self) -> Vec<Arc<dyn ExternalTools>> {
        self.mcp.iter().map(|servers| servers.clone() as _).collect()
    }
}

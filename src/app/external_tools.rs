//! Tools of other programs, put together for the builder: MCP servers, which are started here, and skills with their scripts.

use crate::app::faults::Faults;
use hark_config::{Config, paths};
use hark_core::Fault;
use hark_core::external_tools::ExternalTools;
use hark_mcp::Servers;
use hark_skills::{Folders, Skills};
use std::path::Path;
use std::sync::Arc;
use tokio::runtime::Handle;

/// See the module.
pub(crate) struct OtherTools {
    /// Servers, for who calls tools.
    pub(crate) mcp: Option<Arc<Servers>>,
    /// Skills of the owner and those that come with Hark.
    pub(crate) skills: Arc<Skills>,
}

impl OtherTools {
    /// Opens them; servers are started only where tools are called.
    pub(crate) fn open(
        config: &Config,
        models_dir: &Path,
        calls_tools: bool,
        runtime: &Handle,
    ) -> Result<Self, Faults> {
        let skills = Arc::new(open_skills(config, models_dir).map_err(|fault| vec![fault])?);
        Ok(Self { mcp: calls_tools.then(|| Arc::new(Servers::start(&config.mcp, runtime))), skills })
    }

    /// Where their tools come from.
    pub(crate) fn sources(&self) -> Vec<Arc<dyn ExternalTools>> {
        let servers = self.mcp.iter().map(|servers| servers.clone() as _);
        servers.chain([self.skills.clone() as _]).collect()
    }
}

/// The skills of the owner and those that come with Hark.
pub(crate) fn open_skills(config: &Config, models_dir: &Path) -> Result<Skills, Fault> {
    let own = match config.skills.folder.as_str() {
        "" => config.paths.state_dir()?.join("skills"),
        named => paths::expand(named),
    };
    let folders = Folders { own, shipped: config.skills.shipped.then(|| models_dir.join("skills")) };
    let (denied, servers) = (config.permissions.deny_tools.clone(), config.mcp.servers.keys().cloned());
    Ok(Skills::new(folders, &config.skills.scripts, denied, servers))
}

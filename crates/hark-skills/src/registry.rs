//! The skills there are now: read anew when a file of theirs has changed, with what a model is told of them.

use crate::folder::{self, Folders, ReadSkill};
use crate::problem::Problem;
use hark_core::external_tools::{ExternalTool, Trouble};
use hark_core::model::mentions;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often it is looked whether a file has changed.
const LOOKED_EVERY: Duration = Duration::from_secs(1);
/// Most skills whose whole text stands in a prompt.
const MAX_AT_ONCE: usize = 3;

/// A skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    /// As it stands on the disk.
    pub read: ReadSkill,
    /// Why it cannot be used; `None` when it can.
    pub trouble: Option<Trouble>,
    /// Its scripts as tools.
    pub tools: Vec<Arc<ExternalTool>>,
}

/// What a model is told for one request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// A line a skill.
    pub summaries: String,
    /// The whole text of those that the request tells of.
    pub text: String,
    /// What these may use of Hark's own tools, by permission.
    pub permissions: Vec<String>,
    /// Groups of tools they bring: `skill.NAME`, `mcp.SERVER`.
    pub agents: Vec<String>,
}

/// All skills.
pub struct Skills {
    folders: Folders,
    pub(crate) allowed: Vec<String>,
    /// Permissions that are switched off.
    denied: BTreeSet<String>,
    /// MCP servers that are configured.
    servers: BTreeSet<String>,
    state: Mutex<State>,
}

type Fingerprint = Vec<(PathBuf, u64, i64, i64)>;

#[derive(Default)]
struct State {
    looked: Option<Instant>,
    fingerprint: Fingerprint,
    skills: Arc<Vec<Skill>>,
    problems: Arc<Vec<Problem>>,
}

impl Skills {
    /// Skills of these folders; `allowed` are scripts that may be run (`SKILL/SCRIPT`), `denied` permissions that are
    /// switched off, `servers` the MCP servers there are.
    pub fn new(
        folders: Folders,
        allowed: &[String],
        denied: impl IntoIterator<Item = String>,
        servers: impl IntoIterator<Item = String>,
    ) -> Self {
        Self {
            folders,
            allowed: allowed.to_vec(),
            denied: denied.into_iter().collect(),
            servers: servers.into_iter().collect(),
            state: Mutex::default(),
        }
    }

    /// The owner's folder of skills; need not be there.
    pub fn own_folder(&self) -> &Path {
        &self.folders.own
    }

    /// Those there are now.
    pub fn all(&self) -> Arc<Vec<Skill>> {
        self.now().0
    }

    /// What is wrong with those that are not taken.
    pub fn problems(&self) -> Arc<Vec<Problem>> {
        self.now().1
    }

    fn now(&self) -> (Arc<Vec<Skill>>, Arc<Vec<Problem>>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.is_none_or(|looked| looked.elapsed() >= LOOKED_EVERY) {
            let fingerprint = folder::fingerprint(&self.folders);
            if state.looked.is_none() || fingerprint != state.fingerprint {
                self.read(&mut state);
                state.fingerprint = fingerprint;
            }
            state.looked = Some(Instant::now());
        }
        (state.skills.clone(), state.problems.clone())
    }

    fn read(&self, state: &mut State) {
        let found = folder::read(&self.folders);
        for problem in found.problems.iter().filter(|problem| !state.problems.contains(problem)) {
            tracing::warn!("a skill is not taken: {problem}");
        }
        state.problems = Arc::new(found.problems);
        state.skills = Arc::new(found.skills.into_iter().map(|read| self.skill(read)).collect());
    }

    fn skill(&self, read: ReadSkill) -> Skill {
        let manifest = &read.manifest;
        let denied = manifest.permissions.iter().find(|permission| self.denied.contains(*permission));
        let missing = manifest.servers.iter().find(|server| !self.servers.contains(*server));
        let trouble = match (denied, missing) {
            (Some(permission), _) => Some(Trouble {
                message: format!("it needs `{permission}`, which permissions.deny_tools switches off"),
                fix: format!("take \"{permission}\" out of permissions.deny_tools, or the skill away"),
            }),
            (None, Some(server)) => Some(Trouble {
                message: format!("it needs the MCP server `{server}`, which is not configured"),
                fix: format!(
                    "write [mcp.servers.{server}] in the configuration file, or take the skill away"
                ),
            }),
            (None, None) => None,
        };
        let tools = self.tools_of(&read, trouble.as_ref());
        Skill { read, trouble, tools }
    }

    /// What a model is told for a request.
    pub fn told(&self, request: &str) -> Told {
        let all = self.all();
        let usable = || all.iter().filter(|skill| skill.trouble.is_none());
        let line =
            |skill: &Skill| format!("- {}: {}", skill.read.manifest.name, skill.read.manifest.description);
        let is_meant =
            |skill: &&Skill| mentions(request, skill.read.manifest.triggers.iter().map(String::as_str));
        let mut told =
            Told { summaries: usable().map(line).collect::<Vec<_>>().join("\n"), ..Told::default() };
        for skill in usable().filter(is_meant).take(MAX_AT_ONCE) {
            let manifest = &skill.read.manifest;
            let gap = if told.text.is_empty() { "" } else { "\n\n" };
            told.text += &format!("{gap}# {}\n{}", manifest.name, skill.read.text);
            told.permissions.extend(manifest.permissions.iter().cloned());
            told.agents.extend(manifest.servers.iter().map(|server| format!("mcp.{server}")));
            told.agents.push(format!("skill.{}", manifest.name));
        }
        told
    }
}

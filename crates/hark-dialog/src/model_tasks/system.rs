//! What a task that runs tools is told before each step, made anew every time, so that it holds after every tool that
//! changed something: who Hark is, whom it serves, which agents there are, how the house is now, what was said before.

use super::Work;
use super::autonomy::RULES;
use hark_config::route::Autonomy;
use hark_core::model::ToolSpec;
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl Work<'_> {
    /// The variables of the contract for one step of `request` with these tools.
    pub(super) fn instructions(&self, request: &str, tools: &[ToolSpec]) -> Value {
        let parts = &self.mind.parts;
        let mut agents: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for tool in tools {
            agents.entry(&tool.agent).or_default().push(&tool.name);
        }
        let agents: Vec<String> =
            agents.iter().map(|(agent, tools)| format!("{agent}: {}", tools.join(", "))).collect();
        let mut vars = self.vars_with_context(request, &[]);
        vars["rules"] = json!(if parts.settings.autonomy == Autonomy::Full { RULES } else { "" });
        vars["identity"] = json!(plain(&parts.identity));
        vars["focused"] = json!(self.context.is_focused());
        vars["owner"] = json!(plain(&parts.owner));
        vars["agents"] = json!(agents.join("\n"));
        vars["skills"] = json!(plain(&self.skills.summaries));
        vars["skill"] = json!(plain(&self.skills.text));
        let house = (parts.house)();
        self.taint(house.outside);
        vars["house"] = json!(house.text);
        vars
    }
}

/// A file of the owner, as text.
fn plain(text: &str) -> String {
    text.trim().chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

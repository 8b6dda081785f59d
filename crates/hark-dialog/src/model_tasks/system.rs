//! What a task that runs tools is told: who Hark is, whom it serves, which groups of tools and which things there are. That part
//! stays the same from request to request, byte for byte. What changes comes with the request: the time, the language, the
//! skill that suits it, things it names with their states, what was told. What a tool changed comes with its result.

use super::Work;
use super::prompt_context::Data;
use hark_config::route::Autonomy;
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl Work<'_> {
    /// The variables of the contract for one step of `request`.
    pub(super) fn instructions(&self, request: &str) -> Value {
        let parts = &self.mind.parts;
        let reference = parts.contracts.reference();
        let own = reference.tools().iter().filter(|tool| !tool.outside);
        let agents: BTreeSet<&str> = own.map(|tool| tool.agent.as_str()).collect();
        let mut vars = self.vars_of_task(request);
        vars["rules"] = json!(if parts.settings.autonomy == Autonomy::Full {
            &parts.contracts.autonomy().rules
        } else {
            ""
        });
        vars["focused"] = json!(self.context.is_focused());
        vars["agents"] = json!(agents.into_iter().collect::<Vec<_>>().join(", "));
        self.tell_skills(&mut vars);
        let house = (parts.house)();
        self.taint(house.outside);
        vars["house"] = json!(house.names);
        vars
    }

    /// The variables of the contract for a plan of `request`, with what a plan that failed has done as data.
    pub(super) fn vars_of_plan(&self, request: &str, data: Vec<Data>) -> Value {
        let mut vars = self.vars_with_context(request, data);
        self.tell_skills(&mut vars);
        vars
    }

    /// Adds what skills there are, and the whole of those that suit the request.
    fn tell_skills(&self, vars: &mut Value) {
        vars["skills"] = json!(plain(&self.skills.summaries));
        vars["skill"] = json!(plain(&self.skills.text));
    }
}

/// A file of the owner, as text.
pub(super) fn plain(text: &str) -> String {
    text.trim().chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

//! Which tools a model is offered for a request: few, those that have most to do with it, in few words. They are chosen once a
//! task. Words that tell of a tool, the group of tools that suits the kind of request, and how alike the request and the
//! tool's description are decide together; what is called is checked against the whole schema all the same.

use super::{SkillsTold, Work};
use hark_core::Risk;
use hark_core::model::ToolSpec;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

/// What words that tell of a tool, and a group that suits the kind of request, add to its likeness.
const TOLD: f32 = 0.2;
const SUITABLE: f32 = 0.1;
/// What a skill needs comes before all else.
const OF_SKILL: f32 = 2.0;
/// From this likeness on a tool that looks is offered for a question that no word tells of it.
const ALIKE: f32 = 0.35;
/// A plan may choose among so many times as many.
const PLANNED: usize = 2;
/// The tool that tells states of the home; offered beside every tool of the home, whose prompts have few of them.
const STATES: &str = "home.get_state";
const HOME: &str = "home";

/// Tells how much tools have to do with a request. Implemented in `src/app/models/relevance.rs`.
pub trait ToolRelevance: Send + Sync {
    /// How alike a request and the description of each of the tools are, from −1 to 1, by name. Empty where nobody can tell.
    fn likeness(&self, request: &str, tools: &[ToolSpec]) -> LikenessFuture;
}

/// What comes of it.
pub type LikenessFuture = Pin<Box<dyn Future<Output = BTreeMap<String, f32>> + Send>>;

impl Work<'_> {
    /// The tools a model may be offered, compact, in the order of the tool table.
    pub(super) fn offer(&self, reads_only: bool) -> Vec<ToolSpec> {
        self.offer_of(reads_only, 1)
    }

    /// The names of those for a plan, whose steps need several: in a plan's prompt a tool is one line.
    pub(super) fn offer_for_plan(&self) -> Vec<String> {
        self.offer_of(false, PLANNED).into_iter().map(|tool| tool.name).collect()
    }

    fn offer_of(&self, reads_only: bool, times: usize) -> Vec<ToolSpec> {
        let reference = self.mind.parts.contracts.reference();
        let choice = ToolChoice {
            request: &self.request(),
            agents: self.task.kind.as_ref().map_or(&[], |kind| &kind.suggested_agents),
            likeness: &self.likeness,
            skills: &self.skills,
            reads_only,
            most: times * self.mind.parts.settings.max_tools as usize,
        };
        let offered = choice.of(reference.tools());
        self.taint(offered.iter().any(|tool| tool.outside));
        compact(&offered)
    }
}

/// What the choice of tools for a request is made by.
pub struct ToolChoice<'a> {
    /// The request.
    pub request: &'a str,
    /// Groups of tools that suit its kind.
    pub agents: &'a [String],
    /// How alike it and the descriptions are, by name of the tool.
    pub likeness: &'a BTreeMap<String, f32>,
    /// What a skill needs is never left out.
    pub skills: &'a SkillsTold,
    /// It is a question: it gets only tools that look, and only those that matter.
    pub reads_only: bool,
    /// Tools at most; one that tells states of the home may come to them.
    pub most: usize,
}

impl ToolChoice<'_> {
    /// The chosen ones of some tools, in their order. Tools whose descriptions are text from outside are chosen only where the
    /// request tells of them.
    pub fn of<'t>(&self, tools: &'t [ToolSpec]) -> Vec<&'t ToolSpec> {
        let request = self.request.to_lowercase();
        let mut ranked: Vec<(f32, &ToolSpec)> =
            tools.iter().filter_map(|tool| Some((self.score(tool, &request)?, tool))).collect();
        // Stable: equals stay in their order.
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.truncate(self.most);
        let is_ranked = |name: &str| ranked.iter().any(|(_, tool)| tool.name == name);
        let drives_home = ranked.iter().any(|(_, tool)| tool.agent == HOME);
        let is_chosen = |tool: &&ToolSpec| is_ranked(&tool.name) || (drives_home && tool.name == STATES);
        tools.iter().filter(is_chosen).collect()
    }

    /// How much a tool has to do with the request; `None` where it is not to be offered.
    fn score(&self, tool: &ToolSpec, request: &str) -> Option<f32> {
        let of_skill = self.skills.tools.contains(&tool.name) || self.skills.agents.contains(&tool.agent);
        let (told, suitable) = (tool.is_told_by(request), self.agents.contains(&tool.agent));
        let likeness = self.likeness.get(&tool.name).copied().unwrap_or_default();
        let matters = of_skill || told || suitable || (!tool.outside && likeness >= ALIKE);
        let wanted =
            if self.reads_only { tool.risk == Risk::Read && matters } else { matters || !tool.outside };
        let bonuses = [(of_skill, OF_SKILL), (told, TOLD), (suitable, SUITABLE)];
        let bonus: f32 = bonuses.into_iter().filter(|(applies, _)| *applies).map(|(_, bonus)| bonus).sum();
        wanted.then_some(likeness + bonus)
    }
}

/// Tools in fewer words: their arguments without what only the check needs, and an argument that several have in the same way
/// explained once.
fn compact(tools: &[&ToolSpec]) -> Vec<ToolSpec> {
    let mut explained: BTreeMap<String, Value> = BTreeMap::new();
    let mut briefly = |spec: &&ToolSpec| {
        let Some(schema) = spec.schema.as_object() else { return (*spec).clone() };
        let mut brief = without(schema, &["$schema", "title", "additionalProperties"]);
        if brief.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
            brief.remove("required");
        }
        for (name, argument) in
            brief.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
        {
            let is_explained = explained.insert(name.clone(), argument.clone()).as_ref() == Some(&*argument);
            let Some(whole) = argument.as_object() else { continue };
            let left_out: &[&str] = match is_explained {
                true => &["minLength", "maxLength", "description"],
                false => &["minLength", "maxLength"],
            };
            *argument = without(whole, left_out).into();
        }
        ToolSpec { schema: brief.into(), ..(*spec).clone() }
    };
    tools.iter().map(&mut briefly).collect()
}

fn without(object: &Map<String, Value>, keys: &[&str]) -> Map<String, Value> {
    let kept = object.iter().filter(|(key, _)| !keys.contains(&key.as_str()));
    kept.map(|(key, value)| (key.clone(), value.clone())).collect()
}

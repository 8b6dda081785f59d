//! Which way a request goes, by rule: pictures first, then by what kind of request it is.

use super::{ModelTasks, SkillsTold, Work};
use hark_config::contracts::Router;
use hark_core::{Category, Risk, Task, Tier};

/// Below this probability of its kind a request is taken for a general question, which can do no harm.
const MIN_CONFIDENCE: f32 = 0.6;
/// From this complexity on something is planned before it is begun.
const PLANNED_FROM: u8 = 3;

/// The ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskStrategy {
    /// Say what a picture shows.
    Image,
    /// Put a text into other words.
    Change,
    /// Ask the small model which way, under contract.
    Routed,
    /// Small talk.
    Conversation,
    /// An answer, with tools that look.
    Question,
    /// One tool after the other.
    React,
    /// Several steps, planned.
    Plan,
}

impl ModelTasks {
    /// Whether a request goes a way that ends in an answer, by its kind.
    pub(super) fn wants_answer(&self, task: &Task, skills: &SkillsTold) -> bool {
        let way = choose(task, Router::Deterministic);
        // The words of one that goes on are an answer, and not what was asked for.
        task.resume.is_none()
            && matches!(way, TaskStrategy::Conversation | TaskStrategy::Question)
            && !self.wants_steps(&task.text, skills, false)
    }

    /// Whether a request tells of a skill, or of a tool that is described by text from outside, which only a task with tools
    /// in a row is offered; where there is no choice of tools, also of one that only looks.
    fn wants_steps(&self, request: &str, skills: &SkillsTold, also_reading: bool) -> bool {
        if !skills.text.is_empty() {
            return true;
        }
        let (reference, text) = (self.parts.contracts.reference(), request.to_lowercase());
        let mut tools = reference.tools().iter().filter(|tool| tool.outside);
        tools.any(|tool| (also_reading || tool.risk != Risk::Read) && tool.is_told_by(&text))
    }
}

impl Work<'_> {
    /// The way of this request.
    pub(super) fn way(&self) -> TaskStrategy {
        match choose(&self.task, self.mind.parts.contracts.settings().router) {
            way @ (TaskStrategy::Routed | TaskStrategy::Conversation | TaskStrategy::Question)
                if self.mind.wants_steps(&self.task.text, &self.skills, way == TaskStrategy::Routed) =>
            {
                TaskStrategy::React
            }
            // "What do you know about …" is asked of memory, and needs no tool that acts.
            TaskStrategy::React if self.context.asks() && self.is_about_memory() => TaskStrategy::Question,
            way => way,
        }
    }

    /// Whether the request is of category `Memory`, and no skill applies to it.
    fn is_about_memory(&self) -> bool {
        let mut kind = self.task.kind.iter();
        self.skills.text.is_empty() && kind.any(|kind| kind.category == Category::Memory)
    }
}

fn choose(task: &Task, router: Router) -> TaskStrategy {
    if !task.pictures.is_empty() {
        return TaskStrategy::Image;
    }
    if task.change.is_some() {
        return TaskStrategy::Change;
    }
    if router == Router::Model {
        return TaskStrategy::Routed;
    }
    let Some(kind) = task.kind.as_ref().filter(|kind| kind.confidence >= MIN_CONFIDENCE) else {
        return TaskStrategy::Question;
    };
    match (kind.category, kind.tier) {
        (Category::Conversation, _) => TaskStrategy::Conversation,
        (Category::TaskComplex, _) => TaskStrategy::Plan,
        (_, Tier::Action) if kind.requires_planning && kind.complexity >= PLANNED_FROM => TaskStrategy::Plan,
        (_, Tier::Action) => TaskStrategy::React,
        (_, Tier::Conversation | Tier::Inquiry) => TaskStrategy::Question,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_transformation;
    use hark_core::Classification;
    use hark_core::model::Picture;
    use hark_core::public_event::Origin;

    fn task(text: &str, kind: Option<(Category, f32)>) -> Task {
        let kind = kind.map(|(category, sure)| {
            Classification::new(text, &hark_language::steps::of_all().into(), category, sure, Vec::new())
        });
        Task {
            turn: "t".into(),
            origin: Origin::Cli,
            session: "s".into(),
            text: text.into(),
            language: "en".into(),
            kind,
            pictures: Vec::new(),
            hint: None,
            spoken: false,
            person: None,
            change: None,
            model: None,
            resume: None,
        }
    }

    #[test]
    fn the_kind_decides_and_doubt_asks_no_tool_to_act() {
        use Category::{Conversation, HomeControl, HomeQuery, OutOfScope, Question, TaskComplex};
        for (text, kind, expected) in [
            ("hello you", Some((Conversation, 0.9)), TaskStrategy::Conversation),
            ("why is the sky blue", Some((Question, 0.9)), TaskStrategy::Question),
            ("is it warm in here", Some((HomeQuery, 0.9)), TaskStrategy::Question),
            ("make it cosy", Some((HomeControl, 0.9)), TaskStrategy::React),
            ("make it cosy", Some((HomeControl, 0.59)), TaskStrategy::Question),
            ("first dim the lights, then close the blinds", Some((HomeControl, 0.9)), TaskStrategy::Plan),
            ("get the house ready", Some((TaskComplex, 0.9)), TaskStrategy::Plan),
            ("order a pizza", Some((OutOfScope, 0.9)), TaskStrategy::Question),
            ("xyzzy", None, TaskStrategy::Question),
        ] {
            assert_eq!(choose(&task(text, kind), Router::Deterministic), expected, "{text}");
        }
        assert_eq!(choose(&task("x", Some((HomeControl, 0.9))), Router::Model), TaskStrategy::Routed);
        let (change, _) = text_transformation::read("say that shorter", &[hark_language::of("en")]).unwrap();
        let reworded = Task { change: Some(change), ..task("say that shorter", None) };
        assert_eq!(choose(&reworded, Router::Model), TaskStrategy::Change);
        let pictures = vec![Picture { media_type: "image/png".into(), base64: String::new() }];
        let seen = Task { pictures, ..task("what is this", Some((HomeControl, 0.9))) };
        assert_eq!(choose(&seen, Router::Model), TaskStrategy::Image);
    }
}

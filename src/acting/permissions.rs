//! The permission gate. It stands in the executor, under every route: what changes the home can only
//! be carried out as [`Cleared`], and only [`Gate::pass`] makes that.

use super::names;
use crate::config::permissions::DangerPolicy;
use crate::domain::tool::error_code;

/// One dangerous thing a call would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Danger {
    /// What would be done: `unlock`, `open`, `disarm`.
    pub action: &'static str,
    /// Id of the entity it would be done to.
    pub entity: String,
    /// Its name.
    pub name: String,
}

/// Something that may hold dangers; finds them itself, so that no caller can leave one out.
pub trait Guarded {
    /// Every dangerous thing in it; empty when there is none.
    fn dangers(&self) -> Vec<Danger>;
}

/// What passed the gate.
#[derive(Debug)]
pub struct Cleared<T>(T);

impl<T> Cleared<T> {
    /// What was let through.
    pub fn into_inner(self) -> T {
        self.0
    }
}

/// Why something was not let through.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The owner's permissions say never.
    #[error("the permissions do not allow to {} the {}", .0.action, .0.name)]
    Forbidden(Ask),
    /// A person has to say yes first.
    #[error("{} the {} needs a yes", .0.action, .0.name)]
    NeedsApproval(Ask),
}

impl Refusal {
    /// The error code of the receipt.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Forbidden(_) => error_code::FORBIDDEN,
            Self::NeedsApproval(_) => error_code::NEEDS_APPROVAL,
        }
    }

    /// What is asked or refused.
    pub fn ask(&self) -> &Ask {
        match self {
            Self::Forbidden(ask) | Self::NeedsApproval(ask) => ask,
        }
    }
}

/// What a person has to say yes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// What would be done: `unlock`, `disarm`, `open`; with several, one that is graver than `open`.
    pub action: &'static str,
    /// The names it would be done to, in a row.
    pub name: String,
    /// Ids of the entities.
    pub entities: Vec<String>,
}

/// The gate with the owner's policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gate {
    policy: DangerPolicy,
}

impl Gate {
    /// A gate with this policy.
    pub fn new(policy: DangerPolicy) -> Self {
        Self { policy }
    }

    /// Lets through what is harmless, what the policy allows, and what a person said yes to.
    ///
    /// # Errors
    /// `Forbidden` by policy, also with a yes; `NeedsApproval` without one.
    pub fn pass<T: Guarded>(&self, what: T, approved: bool) -> Result<Cleared<T>, Refusal> {
        let dangers = what.dangers();
        let Some(first) = dangers.first() else { return Ok(Cleared(what)) };
        let names: Vec<&str> = dangers.iter().map(|danger| danger.name.as_str()).collect();
        let ask = Ask {
            action: dangers.iter().find(|danger| danger.action != "open").unwrap_or(first).action,
            name: names::in_a_row(&names),
            entities: dangers.iter().map(|danger| danger.entity.clone()).collect(),
        };
        match self.policy {
            DangerPolicy::Deny => Err(Refusal::Forbidden(ask)),
            DangerPolicy::Confirm if !approved => Err(Refusal::NeedsApproval(ask)),
            DangerPolicy::Confirm | DangerPolicy::Allow => Ok(Cleared(what)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Thing(Vec<Danger>);

    impl Guarded for Thing {
        fn dangers(&self) -> Vec<Danger> {
            self.0.clone()
        }
    }

    fn danger(action: &'static str, name: &str) -> Danger {
        Danger { action, entity: format!("x.{name}"), name: name.into() }
    }

    #[test]
    fn policy_and_approval_decide() {
        use DangerPolicy::{Allow, Confirm, Deny};
        let cases = [
            (Allow, false, None),
            (Allow, true, None),
            (Confirm, true, None),
            (Confirm, false, Some(error_code::NEEDS_APPROVAL)),
            (Deny, false, Some(error_code::FORBIDDEN)),
            (Deny, true, Some(error_code::FORBIDDEN)),
        ];
        for (policy, approved, expected) in cases {
            let gate = Gate::new(policy);
            assert!(gate.pass(Thing(vec![]), approved).is_ok(), "harmless things always pass");
            let answer = gate.pass(Thing(vec![danger("open", "gate")]), approved);
            assert_eq!(answer.err().map(|refusal| refusal.code()), expected, "{policy:?} {approved}");
        }
    }

    #[test]
    fn the_question_names_everything_and_the_graver_act() {
        let thing = Thing(vec![danger("open", "gate"), danger("unlock", "door")]);
        let refusal = Gate::new(DangerPolicy::Confirm).pass(thing, false).unwrap_err();
        let ask = refusal.ask();
        assert_eq!((ask.action, ask.name.as_str()), ("unlock", "gate and door"));
        assert_eq!(ask.entities, ["x.gate", "x.door"]);
    }
}

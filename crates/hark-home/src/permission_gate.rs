//! The permission gate. It stands in the executor, under every route: what changes the home can only
//! be carried out as [`Cleared`], and only [`PermissionGate::pass`] makes that.

use super::names;
use hark_config::permissions::{DangerPolicy, Permissions};
use hark_core::tool::error_code;
use serde_json::{Map, Value};

/// The act of a call that is not dangerous in itself.
pub const STEP: &str = "step";

/// The act of a call that changes more things at once than somebody may have meant.
pub const MANY: &str = "many";

/// The act of replacing a file that is there already.
pub const OVERWRITE: &str = "overwrite";

/// The act of removing what is in the household's calendar.
pub const REMOVE: &str = "remove";

/// The act of letting this machine sleep.
pub const SUSPEND: &str = "suspend";

/// The act of handing a task to an AI command-line program.
pub const DELEGATE: &str = "delegate";

/// The act of pressing keys and clicking in programs of the desktop.
pub const INPUT: &str = "input";

/// The act of ending a program that may lose what it has not saved.
pub const QUIT: &str = "quit";

/// The act of switching Wi-Fi or Bluetooth of this machine.
pub const RADIO: &str = "radio";

/// One dangerous thing a call would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Danger {
    /// The act: `unlock`, `open`, `disarm`, `shell`, `send`, `mcp`, `skill`, `overwrite`, `remove`, `suspend`, `delegate`,
    /// `input`, `quit`, `radio`, or [`STEP`].
    pub action: &'static str,
    /// Id of the entity it would be done to.
    pub entity: String,
    /// Its name.
    pub name: String,
    /// What it is, where the name is no thing's own: `kind` and parts, one of [`KINDS`](hark_core::tool::asked::KINDS).
    told: Map<String, Value>,
}

impl Danger {
    /// One that is done to something with a name.
    pub fn new(action: &'static str, entity: impl Into<String>, name: impl Into<String>) -> Self {
        Self { action, entity: entity.into(), name: name.into(), told: Map::new() }
    }

    /// Says what it is done to, for the words of the languages: a kind of
    /// [`KINDS`](hark_core::tool::asked::KINDS) and its parts.
    pub fn told(mut self, kind: &'static str, parts: Value) -> Self {
        if let Value::Object(parts) = parts {
            self.told = parts;
        }
        self.told.insert("kind".to_owned(), kind.into());
        self
    }

    fn thing(&self) -> Value {
        let mut thing = self.told.clone();
        thing.insert("act".to_owned(), self.action.into());
        thing.insert("name".to_owned(), self.name.as_str().into());
        Value::Object(thing)
    }
}

/// Something that may hold dangers; finds them itself, so that no caller can leave one out.
pub trait Guarded {
    /// Every dangerous thing in it; empty when there is none.
    fn dangers(&self) -> Vec<Danger>;
    /// What would be done, if text from outside the house may have caused the call. It then needs a yes, even where
    /// the policy allows the act itself.
    fn outside(&self) -> Option<Danger> {
        None
    }
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
    #[error("the permissions do not allow to {} the {}", .0.verb(), .0.name)]
    Forbidden(Ask),
    /// A person has to say yes first.
    #[error("to {} the {} needs a yes", .0.verb(), .0.name)]
    NeedsApproval(Ask),
    /// A person has to give the PIN first.
    #[error("to {} the {} needs the PIN", .0.verb(), .0.name)]
    NeedsPin(Ask),
}

impl Refusal {
    /// The error code of the receipt.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Forbidden(_) => error_code::FORBIDDEN,
            Self::NeedsApproval(_) => error_code::NEEDS_APPROVAL,
            Self::NeedsPin(_) => error_code::NEEDS_PIN,
        }
    }

    /// What is asked or refused.
    pub fn ask(&self) -> &Ask {
        match self {
            Self::Forbidden(ask) | Self::NeedsApproval(ask) | Self::NeedsPin(ask) => ask,
        }
    }
}

/// What a person has to say yes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The act: `unlock`, `disarm`, `open`, `shell`, `send`; with several, one that is graver than `open`.
    pub action: &'static str,
    /// The names it would be done to, in a row.
    pub name: String,
    /// Ids of the entities.
    pub entities: Vec<String>,
    /// Text from outside the house may be behind it.
    pub outside: bool,
    /// Each with its act, name, and what it is.
    pub things: Vec<Value>,
}

impl Ask {
    /// What is said of the act: "Shall I … the …?"
    pub fn verb(&self) -> &'static str {
        match self.action {
            MANY => "change",
            "shell" | "mcp" | "skill" => "run",
            DELEGATE => "hand on",
            INPUT => "send",
            RADIO => "switch",
            STEP => "carry out",
            act => act,
        }
    }

    /// Whether the name is to be told letter by letter as it is: a command or an address, not a thing's name.
    pub fn is_exact(&self) -> bool {
        matches!(
            self.action,
            "shell" | "send" | "mcp" | "skill" | OVERWRITE | REMOVE | DELEGATE | INPUT | QUIT | RADIO | STEP
        )
    }
}

/// What a person has given for a call; the later, the more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Approval {
    /// Nothing.
    None,
    /// A yes.
    Yes,
    /// The right PIN.
    Pin,
}

/// The gate with the owner's policy.
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionGate {
    permissions: Permissions,
    /// Between the names in a question.
    and: &'static str,
}

impl PermissionGate {
    /// A gate with this policy.
    pub fn new(permissions: &Permissions, language: &str) -> Self {
        Self { permissions: permissions.clone(), and: hark_language::of(language).numbers.and.text() }
    }

    /// Whether tools that need this permission are switched off.
    pub fn denies_tool(&self, permission: &str) -> bool {
        self.permissions.denies_tool(permission)
    }

    /// Whether an act is never done, whatever a person says.
    pub fn never(&self, act: &str) -> bool {
        self.permissions.policy_for(act) == DangerPolicy::Deny
    }

    /// Whether something, an act or the permission of a tool, is refused to whoever asks.
    pub fn refuses(&self, person: Option<&str>, what: &str) -> bool {
        person.is_some_and(|person| self.permissions.refuses(person, what))
    }

    /// Whether anything is refused to the person of this name.
    pub fn limits(&self, person: &str) -> bool {
        self.permissions.limits(person)
    }

    /// Lets through what is harmless, what the policy allows, and what a person said yes to or gave the
    /// PIN for. Of several dangers the strictest policy counts for all. `person`: whose voice asks, where that is known.
    ///
    /// # Errors
    /// `Forbidden` by policy and by what is refused to the person, whatever was given; `NeedsApproval` and `NeedsPin` without it.
    pub fn pass<T: Guarded>(
        &self,
        what: T,
        given: Approval,
        person: Option<&str>,
    ) -> Result<Cleared<T>, Refusal> {
        let (mut dangers, outside) = (what.dangers(), what.outside());
        let policies = dangers.iter().map(|danger| {
            if self.refuses(person, danger.action) {
                return DangerPolicy::Deny;
            }
            let policy = self.permissions.policy_for(danger.action);
            // Many things are nothing dangerous: `home.most_at_once` is the owner's word for them.
            if danger.action == MANY { policy.min(DangerPolicy::Confirm) } else { policy }
        });
        let policy = policies.chain(outside.iter().map(|_| DangerPolicy::Confirm)).max();
        let is_outside = outside.is_some();
        if dangers.is_empty() {
            dangers.extend(outside);
        }
        let (Some(policy), Some(first)) = (policy, dangers.first()) else { return Ok(Cleared(what)) };
        let names: Vec<&str> = dangers.iter().map(|danger| danger.name.as_str()).collect();
        let ask = Ask {
            action: dangers.iter().find(|danger| danger.action != "open").unwrap_or(first).action,
            name: names::in_a_row(&names, self.and),
            entities: dangers.iter().map(|danger| danger.entity.clone()).collect(),
            outside: is_outside,
            things: dangers.iter().map(Danger::thing).collect(),
        };
        match policy {
            DangerPolicy::Deny => Err(Refusal::Forbidden(ask)),
            DangerPolicy::Pin if given < Approval::Pin => Err(Refusal::NeedsPin(ask)),
            DangerPolicy::Confirm if given < Approval::Yes => Err(Refusal::NeedsApproval(ask)),
            DangerPolicy::Pin | DangerPolicy::Confirm | DangerPolicy::Allow => Ok(Cleared(what)),
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
        Danger::new(action, format!("x.{name}"), name)
    }

    #[test]
    fn policy_and_approval_decide() {
        use DangerPolicy::{Allow, Confirm, Deny, Pin};
        let cases = [
            (Allow, Approval::None, None),
            (Allow, Approval::Yes, None),
            (Confirm, Approval::None, Some(error_code::NEEDS_APPROVAL)),
            (Confirm, Approval::Yes, None),
            (Confirm, Approval::Pin, None),
            (Pin, Approval::None, Some(error_code::NEEDS_PIN)),
            (Pin, Approval::Yes, Some(error_code::NEEDS_PIN)),
            (Pin, Approval::Pin, None),
            (Deny, Approval::None, Some(error_code::FORBIDDEN)),
            (Deny, Approval::Yes, Some(error_code::FORBIDDEN)),
            (Deny, Approval::Pin, Some(error_code::FORBIDDEN)),
        ];
        for (policy, given, expected) in cases {
            let gate = gate(policy);
            assert!(gate.pass(Thing(vec![]), given, None).is_ok(), "harmless things always pass");
            let answer = gate.pass(Thing(vec![danger("open", "gate")]), given, None);
            assert_eq!(answer.err().map(|refusal| refusal.code()), expected, "{policy:?} {given:?}");
        }
    }

    #[test]
    fn of_several_acts_the_strictest_counts_for_all() {
        let pin = vec!["unlock".to_owned()];
        let gate = PermissionGate::new(
            &Permissions { dangerous: DangerPolicy::Allow, pin, ..Permissions::default() },
            "en",
        );
        assert!(gate.pass(Thing(vec![danger("open", "gate")]), Approval::None, None).is_ok());
        let both = || Thing(vec![danger("open", "gate"), danger("unlock", "door")]);
        let refusal = gate.pass(both(), Approval::Yes, None).unwrap_err();
        assert_eq!((refusal.code(), refusal.ask().entities.len()), (error_code::NEEDS_PIN, 2));
        assert!(gate.pass(both(), Approval::Pin, None).is_ok());
    }

    /// Something harmless or dangerous that a text from outside may be behind.
    struct Told(Vec<Danger>);

    impl Guarded for Told {
        fn dangers(&self) -> Vec<Danger> {
            self.0.clone()
        }

        fn outside(&self) -> Option<Danger> {
            Some(danger(STEP, "list add"))
        }
    }

    #[test]
    fn what_text_from_outside_may_want_needs_a_yes_whatever_the_policy() {
        use DangerPolicy::{Allow, Confirm, Deny, Pin};
        for policy in [Allow, Confirm, Pin, Deny] {
            let refusal = gate(policy).pass(Told(vec![]), Approval::None, None).err().unwrap();
            assert_eq!(refusal.code(), error_code::NEEDS_APPROVAL, "{policy:?}");
            assert_eq!((refusal.ask().name.as_str(), refusal.ask().outside), ("list add", true));
            assert!(gate(policy).pass(Told(vec![]), Approval::Yes, None).is_ok(), "{policy:?}");
        }
        for (policy, expected) in [
            (Allow, error_code::NEEDS_APPROVAL),
            (Confirm, error_code::NEEDS_APPROVAL),
            (Pin, error_code::NEEDS_PIN),
            (Deny, error_code::FORBIDDEN),
        ] {
            let told = Told(vec![danger("unlock", "door")]);
            let refusal = gate(policy).pass(told, Approval::None, None).err().unwrap();
            assert_eq!(refusal.code(), expected, "{policy:?}");
            assert_eq!(
                (refusal.ask().action, refusal.ask().outside),
                ("unlock", true),
                "the grave act is asked about"
            );
        }
    }

    #[test]
    fn what_is_refused_to_a_person_is_refused_whatever_was_given() {
        let people = vec!["Max: unlock".to_owned()];
        let gate = PermissionGate::new(
            &Permissions { dangerous: DangerPolicy::Allow, people, ..Permissions::default() },
            "en",
        );
        let door = || Thing(vec![danger("unlock", "door")]);
        let refusal = gate.pass(door(), Approval::Pin, Some("max")).unwrap_err();
        assert_eq!(refusal.code(), error_code::FORBIDDEN);
        assert!(gate.pass(door(), Approval::None, Some("Anna")).is_ok());
        assert!(gate.pass(door(), Approval::None, None).is_ok());
        assert!(gate.pass(Thing(vec![danger("open", "gate")]), Approval::None, Some("Max")).is_ok());
    }

    fn gate(dangerous: DangerPolicy) -> PermissionGate {
        PermissionGate::new(&Permissions { dangerous, ..Permissions::default() }, "en")
    }

    #[test]
    fn the_question_names_everything_and_the_graver_act() {
        let thing = Thing(vec![danger("open", "gate"), danger("unlock", "door")]);
        let refusal = gate(DangerPolicy::Confirm).pass(thing, Approval::None, None).unwrap_err();
        let ask = refusal.ask();
        assert_eq!((ask.action, ask.name.as_str()), ("unlock", "gate and door"));
        assert_eq!(ask.entities, ["x.gate", "x.door"]);
    }
}

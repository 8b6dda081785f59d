//! `[permissions]`: what needs approval. A dangerous act is unlocking, opening a garage door or a gate,
//! switching an alarm system off, running a program, sending something into the web, calling a tool of another program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to a dangerous act; the later, the stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DangerPolicy {
    /// Done at once.
    Allow,
    /// Done after a yes.
    Confirm,
    /// Done after the right PIN.
    Pin,
    /// Never done.
    Deny,
}

/// Every dangerous act, as the lists of `[permissions]` name it.
pub const ACTS: [&str; 14] = [
    "unlock",
    "open",
    "disarm",
    "shell",
    "send",
    "mcp",
    "skill",
    "overwrite",
    "remove",
    "suspend",
    "delegate",
    "input",
    "quit",
    "radio",
];

/// Every permission of a tool, as `deny_tools` and `contracts/tools.json` name it.
pub const TOOL_PERMISSIONS: [&str; 37] = [
    "alarm",
    "announce",
    "app",
    "browser",
    "calculate",
    "calendar",
    "chance",
    "clipboard",
    "contacts",
    "datetime",
    "delegate",
    "filesystem",
    "home",
    "input",
    "joke",
    "knowledge",
    "list",
    "location",
    "mcp",
    "media",
    "memory",
    "notes",
    "pc",
    "process",
    "reminder",
    "screen",
    "shell",
    "skill",
    "system",
    "timer",
    "ui",
    "undo",
    "volume",
    "weather",
    "web",
    "window",
    "words",
];

/// What needs approval. A dangerous act is `unlock` (locks), `open` (garage doors, gates, doors), `disarm` (alarm systems), `shell` (running a program), `send` (a web request that may change something), `mcp` (a tool of an MCP server), `skill` (a script of a skill), `overwrite` (replacing a file), `remove` (removing an event from the calendar), `suspend` (letting this machine sleep), `delegate` (handing a task to an AI command-line program), `input` (pressing keys and clicking in programs of the desktop), `quit` (ending a program that may lose what it has not saved) or `radio` (switching Wi-Fi or Bluetooth of this machine).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Permissions {
    /// What happens to acts that no list below names. `confirm`: Hark asks and waits for a yes; `pin`: for the PIN; `deny`: never; `allow`: at once.
    pub dangerous: DangerPolicy,
    /// Acts that need a yes, of `unlock`, `open`, `disarm`, `shell`, `send`, `mcp`, `skill`, `overwrite`, `remove`, `suspend`, `delegate`, `input`, `quit` and `radio`. Of several lists the strictest counts.
    pub confirm: Vec<String>,
    /// Acts that need the PIN, spoken or typed.
    pub pin: Vec<String>,
    /// Acts that are never done.
    pub deny: Vec<String>,
    /// Tools that are switched off, by the permission they need (`contracts/tools.json`), such as `clipboard`, `web`, `shell`.
    pub deny_tools: Vec<String>,
    /// What is refused to people whose voice is known, on top of all else: `"Max, Mia: unlock, web"`. Behind the colon: acts, or tools by the permission they need.
    pub people: Vec<String>,
    /// How long a question for approval waits for the yes or the PIN.
    #[schemars(range(min = 2000, max = 300000))]
    pub approval_window_ms: u32,
    /// File with the PIN: 4 to 12 digits, or `sha256:SALT:HEX` of the salt and the digits joined; empty: systemd credential `pin`.
    #[schemars(extend("x-holds" = "file"))]
    pub pin_file: String,
    /// File with the codes that locks and alarm panels of the home want to be told, a line each: `"lock.front_door" = "1234"`; empty: systemd credential `device-codes`. A code is sent only once the act was approved.
    #[schemars(extend("x-holds" = "file"))]
    pub device_codes_file: String,
    /// Wrong PINs in a row that lock it out.
    #[schemars(range(min = 1, max = 10))]
    pub pin_tries: u32,
    /// How long no PIN is looked at then.
    #[schemars(range(min = 60000, max = 86400000))]
    pub pin_lockout_ms: u32,
}

impl Permissions {
    /// What happens to an act: the strictest of the lists that name it, else `dangerous`.
    pub fn policy_for(&self, act: &str) -> DangerPolicy {
        let names = |list: &[String]| list.iter().any(|name| name == act);
        if names(&self.deny) {
            DangerPolicy::Deny
        } else if names(&self.pin) {
            DangerPolicy::Pin
        } else if names(&self.confirm) {
            DangerPolicy::Confirm
        } else {
            self.dangerous
        }
    }

    /// Whether tools that need this permission are switched off.
    pub fn denies_tool(&self, permission: &str) -> bool {
        self.deny_tools.iter().any(|denied| denied == permission)
    }

    /// Whether something, an act or the permission of a tool, is refused to the person of this name.
    pub fn refuses(&self, person: &str, what: &str) -> bool {
        let lines = self.people.iter().filter_map(|line| person_rule(line));
        let mut lines = lines.filter(|(names, _)| names.iter().any(|name| same_name(name, person)));
        lines.any(|(_, refused)| refused.contains(&what))
    }

    /// Whether anything is refused to the person of this name.
    pub fn limits(&self, person: &str) -> bool {
        let mut lines = self.people.iter().filter_map(|line| person_rule(line));
        lines.any(|(names, _)| names.iter().any(|name| same_name(name, person)))
    }

    /// Whether there is an act that needs the PIN.
    pub fn wants_pin(&self) -> bool {
        ACTS.iter().any(|act| self.policy_for(act) == DangerPolicy::Pin)
    }
}

/// The names of a line of `people`, and what is refused to them; `None` where either is missing.
pub fn person_rule(line: &str) -> Option<(Vec<&str>, Vec<&str>)> {
    let (names, refused) = line.split_once(':')?;
    let (names, refused) = (listed(names), listed(refused));
    (!names.is_empty() && !refused.is_empty()).then_some((names, refused))
}

/// The parts between commas, without blanks around them.
fn listed(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Whether two names are a person's: case does not count.
fn same_name(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

impl Default for Permissions {
    fn default() -> Self {
        Self {
            dangerous: DangerPolicy::Confirm,
            confirm: Vec::new(),
            pin: Vec::new(),
            deny: Vec::new(),
            deny_tools: Vec::new(),
            people: Vec::new(),
            approval_window_ms: 30_000,
            pin_file: String::new(),
            device_codes_file: String::new(),
            pin_tries: 3,
            pin_lockout_ms: 300_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_list_counts_and_the_rest_is_as_usual() {
        let list = |acts: &[&str]| acts.iter().map(|act| (*act).to_owned()).collect::<Vec<_>>();
        let permissions = Permissions {
            dangerous: DangerPolicy::Allow,
            confirm: list(&["open", "unlock", "disarm"]),
            pin: list(&["unlock", "disarm"]),
            deny: list(&["disarm"]),
            ..Permissions::default()
        };
        let policies = ACTS.map(|act| permissions.policy_for(act));
        let rest = DangerPolicy::Allow;
        let named = [DangerPolicy::Pin, DangerPolicy::Confirm, DangerPolicy::Deny];
        assert_eq!(policies[..3], named);
        assert!(policies[3..].iter().all(|policy| *policy == rest));
        assert!(permissions.wants_pin() && !Permissions::default().wants_pin());
    }

    #[test]
    fn people_are_refused_what_their_line_names() {
        let people = vec!["Max, Mia : unlock, web".to_owned(), "Mia: open".to_owned()];
        let permissions = Permissions { people, ..Permissions::default() };
        assert!(permissions.refuses("max", "unlock") && permissions.refuses("Mia", "open"));
        assert!(!permissions.refuses("Max", "open") && !permissions.refuses("Anna", "unlock"));
        assert!(permissions.limits("MIA") && !permissions.limits("Anna"));
        assert!(["Max", "Max:", ": unlock", ""].iter().all(|line| person_rule(line).is_none()));
    }
}

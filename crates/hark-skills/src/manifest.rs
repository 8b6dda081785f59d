//! `manifest.yaml`: every mistake in it is told with its line and key.

use crate::problem::Problem;
use hark_config::permissions::TOOL_PERMISSIONS;
use hark_core::Risk;
use saphyr::{LoadableYamlNode, MarkedYaml, Scalar, YamlData};
use std::path::Path;

/// Most triggers of a skill.
const MAX_TRIGGERS: usize = 32;
/// Fewest letters of a trigger.
const FEWEST_LETTERS: usize = 3;
/// Longest trigger, characters.
const MAX_TRIGGER_CHARS: usize = 60;
/// Longest description, characters.
const MAX_DESCRIPTION_CHARS: usize = 300;
/// Most scripts of a skill.
const MAX_SCRIPTS: usize = 8;
/// Most arguments of a script.
const MAX_ARGS: usize = 8;
/// Longest time of a script, milliseconds.
const MAX_MS: i64 = 300_000;
/// Time of a script where nothing is said, milliseconds.
const USUAL_MS: u32 = 10_000;

/// What a manifest says.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// Its name, that of its folder.
    pub name: String,
    /// What it is for, in a sentence.
    pub description: String,
    /// Words of a request that tell of it.
    pub triggers: Vec<String>,
    /// What it may use of Hark's own tools, by their permissions.
    pub permissions: Vec<String>,
    /// MCP servers it may use.
    pub servers: Vec<String>,
    /// Its scripts.
    pub scripts: Vec<Script>,
}

/// A script of a skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The tool's name: `skill.SKILL.NAME`.
    pub name: String,
    /// What it does.
    pub description: String,
    /// File in the skill's folder.
    pub file: String,
    /// Its arguments, in the order in which they are handed over.
    pub args: Vec<ScriptArg>,
    /// What it may do.
    pub risk: Risk,
    /// Time it may take.
    pub timeout_ms: u32,
}

/// An argument of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptArg {
    /// Its name.
    pub name: String,
    /// What it means.
    pub description: String,
    /// The words it may be; empty: any text.
    pub choices: Vec<String>,
    /// Whether it may be missing.
    pub optional: bool,
}

/// Reads a manifest. `folder` is the name of the skill's folder.
///
/// # Errors
/// Every mistake in it.
pub(crate) fn read(file: &Path, text: &str, folder: &str) -> Result<Manifest, Vec<Problem>> {
    let mut reader = Reader { file, problems: Vec::new() };
    let documents = match MarkedYaml::load_from_str(text) {
        Ok(documents) => documents,
        Err(error) => {
            let line = error.marker().line();
            reader.add(Some(line), format!("not YAML: {error}"), "write a key as `name: value`");
            return Err(reader.problems);
        }
    };
    let manifest = documents.first().and_then(|node| reader.manifest(node, folder));
    if documents.is_empty() {
        reader.add(
            None,
            "it is empty".into(),
            "write `name:` and `description:`; `hark skills new` makes a whole one",
        );
    }
    match manifest {
        Some(manifest) if reader.problems.is_empty() => Ok(manifest),
        _ => Err(reader.problems),
    }
}

type Node<'y> = MarkedYaml<'y>;

struct Reader<'f> {
    file: &'f Path,
    problems: Vec<Problem>,
}

/// The entries of a mapping by key.
struct Fields<'n, 'y> {
    line: usize,
    entries: Vec<(String, &'n Node<'y>)>,
}

impl<'n, 'y> Fields<'n, 'y> {
    fn get(&self, key: &str) -> Option<&'n Node<'y>> {
        self.entries.iter().find(|(known, _)| known == key).map(|(_, node)| *node)
    }
}

fn line(node: &Node<'_>) -> usize {
    node.span.start.line()
}

impl Reader<'_> {
    fn add(&mut self, line: Option<usize>, message: String, fix: &str) {
        self.problems.push(Problem { file: self.file.to_owned(), line, message, fix: fix.to_owned() });
    }

    fn manifest(&mut self, node: &Node<'_>, folder: &str) -> Option<Manifest> {
        let keys = ["name", "description", "triggers", "permissions", "mcp_servers", "tools"];
        let fields = self.fields(node, "the manifest", &keys)?;
        let name = self.needed(&fields, "name", "the manifest")?;
        if name != folder {
            let message = format!("name: `{name}` is not the name of its folder, `{folder}`");
            self.add(
                fields.get("name").map(line),
                message,
                &format!("write `name: {folder}`, or rename the folder"),
            );
        }
        if !is_name(&name) {
            let message = format!("name: `{name}` cannot stand in the name of a tool");
            self.add(fields.get("name").map(line), message, "use 1 to 32 of: a to z, 0 to 9 and `-`");
        }
        let description = self.description(&fields, "the manifest");
        let triggers = self.texts(&fields, "triggers");
        self.check_triggers(&fields, &triggers);
        let permissions = self.texts(&fields, "permissions");
        for permission in &permissions {
            let known = || TOOL_PERMISSIONS.into_iter().filter(|known| !["mcp", "skill"].contains(known));
            if !known().any(|known| known == permission) {
                let fix = near(permission, known());
                self.add(
                    fields.get("permissions").map(line),
                    format!("permissions: there is none called `{permission}`"),
                    &fix,
                );
            }
        }
        let servers = self.texts(&fields, "mcp_servers");
        let scripts = self.scripts(&fields);
        Some(Manifest { name, description, triggers, permissions, servers, scripts })
    }

    fn check_triggers(&mut self, fields: &Fields<'_, '_>, triggers: &[String]) {
        let at = fields.get("triggers").map_or(fields.line, line);
        if triggers.is_empty() && fields.get("triggers").is_none() {
            self.add(Some(at), "triggers: there are none".into(), "write `triggers: [words, of a request]`");
        }
        if triggers.len() > MAX_TRIGGERS {
            let message = format!("triggers: there are {} of them", triggers.len());
            self.add(Some(at), message, &format!("use at most {MAX_TRIGGERS}"));
        }
        for trigger in triggers {
            let letters = trigger.chars().filter(|c| c.is_alphanumeric()).count();
            if letters < FEWEST_LETTERS || trigger.chars().count() > MAX_TRIGGER_CHARS {
                let fix = format!(
                    "use {FEWEST_LETTERS} letters or more, and at most {MAX_TRIGGER_CHARS} characters"
                );
                self.add(Some(at), format!("triggers: `{trigger}` tells of nothing"), &fix);
            }
        }
    }

    fn scripts(&mut self, fields: &Fields<'_, '_>) -> Vec<Script> {
        let Some(node) = fields.get("tools") else { return Vec::new() };
        let YamlData::Sequence(items) = &node.data else {
            self.add(
                Some(line(node)),
                "tools: must be a list".into(),
                "write `- name: …` below it, one a script",
            );
            return Vec::new();
        };
        if items.len() > MAX_SCRIPTS {
            let message = format!("tools: there are {} of them", items.len());
            self.add(Some(line(node)), message, &format!("use at most {MAX_SCRIPTS}"));
        }
        let scripts: Vec<Script> = items.iter().filter_map(|item| self.script(item)).collect();
        for (at, script) in scripts.iter().enumerate() {
            if scripts[..at].iter().any(|other| other.name == script.name) {
                let message = format!("tools: two are called `{}`", script.name);
                self.add(items.get(at).map(line), message, "give each a name of its own");
            }
        }
        scripts
    }

    fn script(&mut self, node: &Node<'_>) -> Option<Script> {
        let keys = ["name", "description", "script", "args", "risk", "timeout_ms"];
        let fields = self.fields(node, "tools", &keys)?;
        let name = self.needed(&fields, "name", "tools")?;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if name.len() > 32 || !name.chars().all(plain) {
            let fix = "use 1 to 32 of: a to z, 0 to 9 and `_`";
            self.add(
                fields.get("name").map(line),
                format!("tools.name: `{name}` is not the name of a tool"),
                fix,
            );
        }
        let file = self.needed(&fields, "script", "tools")?;
        if file.contains('/') || file.starts_with('.') {
            let message = format!("tools.script: `{file}` is not a file of this folder");
            self.add(fields.get("script").map(line), message, "name a file beside the manifest");
        }
        let risk = match self.text(&fields, "risk").as_deref() {
            Some("read") => Risk::Read,
            Some("write") => Risk::Write,
            None | Some("dangerous") => Risk::Dangerous,
            Some(other) => {
                let message = format!("tools.risk: there is none called `{other}`");
                self.add(fields.get("risk").map(line), message, "use read, write or dangerous");
                Risk::Dangerous
            }
        };
        let timeout_ms = match fields.get("timeout_ms").map(|node| (line(node), number(node))) {
            None => USUAL_MS,
            Some((_, Some(ms @ 100..=MAX_MS))) => u32::try_from(ms).unwrap_or(USUAL_MS),
            Some((at, _)) => {
                let fix = format!("use a whole number from 100 to {MAX_MS}");
                self.add(Some(at), "tools.timeout_ms: out of range".into(), &fix);
                USUAL_MS
            }
        };
        let description = self.description(&fields, "tools");
        let args = self.args(&fields);
        Some(Script { name, description, file, args, risk, timeout_ms })
    }

    fn args(&mut self, fields: &Fields<'_, '_>) -> Vec<ScriptArg> {
        let Some(node) = fields.get("args") else { return Vec::new() };
        let YamlData::Sequence(items) = &node.data else {
            self.add(Some(line(node)), "tools.args: must be a list".into(), "write `- name: …` below it");
            return Vec::new();
        };
        if items.len() > MAX_ARGS {
            let message = format!("tools.args: there are {} of them", items.len());
            self.add(Some(line(node)), message, &format!("use at most {MAX_ARGS}"));
        }
        items.iter().filter_map(|item| self.arg(item)).collect()
    }

    fn arg(&mut self, node: &Node<'_>) -> Option<ScriptArg> {
        let fields = self.fields(node, "tools.args", &["name", "description", "choices", "optional"])?;
        let name = self.needed(&fields, "name", "tools.args")?;
        let optional = match fields.get("optional").map(|node| (line(node), &node.data)) {
            None => false,
            Some((_, YamlData::Value(Scalar::Boolean(optional)))) => *optional,
            Some((at, _)) => {
                self.add(Some(at), "tools.args.optional: must be a flag".into(), "write true or false");
                false
            }
        };
        let description = self.text(&fields, "description").unwrap_or_default();
        Some(ScriptArg { name, description, choices: self.texts(&fields, "choices"), optional })
    }

    fn description(&mut self, fields: &Fields<'_, '_>, what: &str) -> String {
        let description = self.needed(fields, "description", what).unwrap_or_default();
        if description.chars().count() > MAX_DESCRIPTION_CHARS {
            let message =
                format!("description of {what}: it is longer than {MAX_DESCRIPTION_CHARS} characters");
            self.add(
                fields.get("description").map(line),
                message,
                "say it in a sentence; SKILL.md has the rest",
            );
        }
        description
    }

    /// The entries of a mapping, whose keys are all known.
    fn fields<'n, 'y>(&mut self, node: &'n Node<'y>, what: &str, keys: &[&str]) -> Option<Fields<'n, 'y>> {
        let YamlData::Mapping(mapping) = &node.data else {
            let message = format!("{what}: must have keys with values");
            self.add(Some(line(node)), message, &format!("write `{}: …` and so on", keys[0]));
            return None;
        };
        let mut entries = Vec::new();
        for (key, value) in mapping {
            let name = scalar(key).unwrap_or_default();
            if keys.contains(&name.as_str()) {
                entries.push((name, value));
            } else {
                let message = format!("{name}: {what} has no such key");
                self.add(Some(line(key)), message, &near(&name, keys.iter().copied()));
            }
        }
        Some(Fields { line: line(node), entries })
    }

    fn needed(&mut self, fields: &Fields<'_, '_>, key: &str, what: &str) -> Option<String> {
        let text = self.text(fields, key).filter(|text| !text.is_empty());
        if text.is_none() && fields.get(key).is_none_or(|node| scalar(node).is_some()) {
            self.add(Some(fields.line), format!("{key}: {what} lacks it"), &format!("write `{key}: …`"));
        }
        text
    }

    fn text(&mut self, fields: &Fields<'_, '_>, key: &str) -> Option<String> {
        let node = fields.get(key)?;
        let text = scalar(node);
        match &text {
            None => self.add(Some(line(node)), format!("{key}: must be a text"), "put it in double quotes"),
            Some(text) if text.contains(char::is_control) => {
                self.add(
                    Some(line(node)),
                    format!("{key}: it has line breaks or control characters"),
                    "write it in one line",
                );
            }
            Some(_) => {}
        }
        text.map(|text| text.trim().to_owned())
    }

    fn texts(&mut self, fields: &Fields<'_, '_>, key: &str) -> Vec<String> {
        let Some(node) = fields.get(key) else { return Vec::new() };
        let items = match &node.data {
            YamlData::Sequence(items) => items.iter().map(scalar).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        items.unwrap_or_else(|| {
            self.add(Some(line(node)), format!("{key}: must be a list of texts"), "write `[one, two]`");
            Vec::new()
        })
    }
}

/// A value as text.
fn scalar(node: &Node<'_>) -> Option<String> {
    match &node.data {
        YamlData::Value(Scalar::String(text)) => Some(text.to_string()),
        YamlData::Value(Scalar::Integer(number)) => Some(number.to_string()),
        YamlData::Value(Scalar::Boolean(flag)) => Some(flag.to_string()),
        YamlData::Representation(text, ..) => Some(text.to_string()),
        _ => None,
    }
}

fn number(node: &Node<'_>) -> Option<i64> {
    scalar(node)?.parse().ok()
}

/// Whether it can stand in the name of a tool.
pub(crate) fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=32).contains(&name.len()) && name.chars().all(plain)
}

/// What may have been meant.
fn near<'k>(word: &str, known: impl Iterator<Item = &'k str> + Clone) -> String {
    match hark_config::nearest(word, known.clone()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("use one of: {}", known.collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Manifest, Vec<String>> {
        let told = |problem: &Problem| format!("{}: {}", problem.line.unwrap_or(0), problem.message);
        read(Path::new("m.yaml"), text, "bin-day").map_err(|problems| problems.iter().map(told).collect())
    }

    #[test]
    fn a_whole_manifest_is_read() {
        let manifest = of("name: bin-day\ndescription: Which bin is next.\ntriggers: [bin, rubbish day]\n\
             permissions: [list, timer]\nmcp_servers: [time]\ntools:\n  - name: next\n    description: Tells it.\n\
             \x20   script: next.sh\n    risk: read\n    timeout_ms: 500\n    args:\n      - name: day\n\
             \x20       choices: [today, tomorrow]\n        optional: true\n");
        let manifest = manifest.unwrap();
        assert_eq!((manifest.triggers.len(), manifest.servers.as_slice()), (2, &["time".to_owned()][..]));
        let script = &manifest.scripts[0];
        assert_eq!((script.risk, script.timeout_ms, script.file.as_str()), (Risk::Read, 500, "next.sh"));
        assert_eq!((script.args[0].choices.len(), script.args[0].optional), (2, true));
        let short = of(
            "name: bin-day\ndescription: x\ntriggers: [bins]\ntools: [{name: a, description: b, script: c}]",
        );
        assert_eq!(short.unwrap().scripts[0].risk, Risk::Dangerous, "unless something else is said");
    }

    #[test]
    fn every_mistake_is_told_with_its_line() {
        let told = of("name: bins\ndescripton: x\ntriggers: [a, bins]\npermissions: [hom]\ntools:\n  - name: A b\n\
             \x20   description: x\n    script: ../x\n    risk: none\n    timeout_ms: soon\n  - description: y\n")
        .unwrap_err();
        for expected in [
            "2: descripton: the manifest has no such key",
            "1: name: `bins` is not the name of its folder, `bin-day`",
            "1: description: the manifest lacks it",
            "3: triggers: `a` tells of nothing",
            "4: permissions: there is none called `hom`",
            "6: tools.name: `A b` is not the name of a tool",
            "8: tools.script: `../x` is not a file of this folder",
            "9: tools.risk: there is none called `none`",
            "10: tools.timeout_ms: out of range",
            "11: name: tools lacks it",
        ] {
            assert!(told.iter().any(|told| told == expected), "{expected} in {told:#?}");
        }
    }

    #[test]
    fn what_is_no_manifest_is_said_to_be_none() {
        for (text, why) in [
            ("", "0: it is empty"),
            ("- a\n", "must have keys"),
            ("name: [\n", "not YAML"),
            ("name: bin-day\ndescription: \"a\\u001b[2J\"\ntriggers: [bins]\n", "control characters"),
            ("name: bin-day\ndescription: x\ntriggers: bins\n", "triggers: must be a list of texts"),
            ("name: bin-day\ndescription: x\n", "triggers: there are none"),
        ] {
            let told = of(text).unwrap_err();
            assert!(told.iter().any(|told| told.contains(why)), "{text:?}: {told:?}");
        }
    }
}

//! Scripts of skills as tools: started directly with their arguments as arguments, in the skill's folder, with nothing of
//! Hark's environment. Which may be run at all says `skills.scripts`.

use crate::folder::ReadSkill;
use crate::manifest::{Script, ScriptArg};
use crate::registry::Skills;
use hark_config::tools::ToolsConfig;
use hark_core::Slots;
use hark_core::external_tools::{
    ExternalAnswer, ExternalFailure, ExternalFuture, ExternalTool, ExternalTools, Trouble, cleaned,
};
use hark_core::tool::error_code;
use hark_tools::shell::{ProgramOutput, Shell};
use serde_json::{Map, Value, json};
use std::pin::Pin;
use std::sync::Arc;

/// What the names of their tools begin with.
const PREFIX: &str = "skill.";
/// Longest argument, characters.
const MAX_ARG_CHARS: usize = 500;
/// Most of what a script says that is kept, characters.
const MAX_CHARS: usize = 20_000;
/// Most of a complaint that is told, characters.
const MAX_COMPLAINT_CHARS: usize = 300;

impl Skills {
    /// The scripts of a skill as tools.
    pub(crate) fn tools_of(&self, skill: &ReadSkill, trouble: Option<&Trouble>) -> Vec<Arc<ExternalTool>> {
        let tool = |script: &Script| {
            let name = &skill.manifest.name;
            let path = format!("{name}/{}", script.file);
            let forbidden = (!self.allowed.contains(&path)).then(|| Trouble {
                message: format!("the script {path} is not allowed"),
                fix: format!("look at what it does, then: skills.scripts = [\"{path}\"]"),
            });
            Arc::new(ExternalTool {
                name: format!("{PREFIX}{name}.{}", script.name),
                description: script.description.clone(),
                schema: schema(script),
                risk: script.risk,
                permission: "skill",
                agent: format!("{PREFIX}{name}"),
                triggers: skill.manifest.triggers.clone(),
                trusted: true,
                timeout_ms: script.timeout_ms,
                trouble: trouble.cloned().or(forbidden),
            })
        };
        skill.manifest.scripts.iter().map(tool).collect()
    }
}

fn schema(script: &Script) -> Value {
    let property = |arg: &ScriptArg| {
        let mut schema = match arg.choices.is_empty() {
            true => {
                json!({"type": ["string", "number", "boolean"], "minLength": 1, "maxLength": MAX_ARG_CHARS})
            }
            false => json!({"type": "string", "enum": arg.choices}),
        };
        schema["description"] = json!(arg.description);
        (arg.name.clone(), schema)
    };
    let properties: Map<String, Value> = script.args.iter().map(property).collect();
    let required: Vec<&str> =
        script.args.iter().filter(|arg| !arg.optional).map(|arg| arg.name.as_str()).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

impl ExternalTools for Skills {
    fn tools(&self) -> Vec<Arc<ExternalTool>> {
        self.all().iter().flat_map(|skill| skill.tools.clone()).collect()
    }

    fn started(&self, _name: &str) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(std::future::ready(()))
    }

    fn missing(&self, name: &str) -> Option<Trouble> {
        let skill = name.strip_prefix(PREFIX)?.split('.').next()?;
        let message = match self.all().iter().any(|known| known.read.manifest.name == skill) {
            true => format!("the skill {skill} has no such tool"),
            false => format!("there is no skill {skill}"),
        };
        Some(Trouble {
            message,
            fix: "`hark skills list` shows those there are, `hark skills check` what is wrong".into(),
        })
    }

    fn call(&self, name: &str, args: Slots) -> ExternalFuture {
        let all = self.all();
        let found = all.iter().find_map(|skill| {
            let at = skill.tools.iter().position(|tool| tool.name == name)?;
            Some((skill.read.folder.clone(), skill.read.manifest.scripts.get(at)?.clone()))
        });
        let name = name.to_owned();
        Box::pin(async move {
            let failed =
                |code, message: String, asked| ExternalFailure { code, message, fix: String::new(), asked };
            let Some((folder, script)) = found else {
                return Err(failed(error_code::NOT_FOUND, format!("{name} has gone"), false));
            };
            let path = folder.join(&script.file).display().to_string();
            let allow = ToolsConfig { shell_allow: vec![path.clone()], ..ToolsConfig::default() };
            let shell = Shell::new(&allow, Some(&folder));
            let args = in_order(&script.args, &args);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let order = shell.order(&path, &args);
            let order = order.map_err(|error| failed(error_code::BAD_ARGUMENT, error.to_string(), false))?;
            let ran = shell.run(order).await;
            let ran = ran.map_err(|error| failed(error_code::FAILED, error.to_string(), false))?;
            answer(&name, ran).map_err(|message| failed(error_code::FAILED, message, true))
        })
    }
}

/// The arguments in the order of the manifest; one that is missing before another one is empty.
fn in_order(known: &[ScriptArg], args: &Slots) -> Vec<String> {
    let text = |arg: &ScriptArg| match args.get(&arg.name) {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let mut ordered: Vec<String> = known.iter().map(text).collect();
    let last = known.iter().rposition(|arg| args.contains_key(&arg.name));
    ordered.truncate(last.map_or(0, |last| last + 1));
    ordered
}

fn answer(name: &str, ran: ProgramOutput) -> Result<ExternalAnswer, String> {
    let complaint = cleaned(ran.stderr.lines().last().unwrap_or_default(), MAX_COMPLAINT_CHARS).0;
    match ran.exit_code {
        Some(0) => {
            let (text, truncated) = cleaned(&ran.stdout, MAX_CHARS);
            Ok(ExternalAnswer { text, truncated })
        }
        _ if ran.truncated => Err(format!("the script of {name} said more than is kept, and was ended")),
        Some(code) => Err(format!("the script of {name} ended with exit code {code}: {complaint}")),
        None => Err(format!("the script of {name} was ended by a signal")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_keep_their_places() {
        let arg = |name: &str| ScriptArg {
            name: name.into(),
            description: String::new(),
            choices: Vec::new(),
            optional: true,
        };
        let known = [arg("a"), arg("b"), arg("c")];
        let of = |value: Value| in_order(&known, value.as_object().unwrap());
        assert_eq!(of(json!({})), Vec::<String>::new());
        assert_eq!(of(json!({"b": "x y; rm -rf /"})), ["", "x y; rm -rf /"]);
        assert_eq!(of(json!({"a": 1, "c": true})), ["1", "", "true"]);
    }
}

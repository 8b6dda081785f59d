//! `hark skills`: what skills there are, what is wrong with them, and a new one to begin with. The running Hark reads them anew
//! by itself.

use super::Faults;
use super::args::Skills as Command;
use crate::app::external_tools::open_skills;
use hark_config::Config;
use hark_core::{Fault, FaultKind, Risk};
use hark_skills::{Problem, Skill, Skills};
use serde_json::{Value, json};
use std::path::Path;

/// Lists, checks, makes.
pub(super) fn run(config: &Config, command: &Command, as_json: bool) -> Result<(), Faults> {
    let one = |fault: Fault| vec![fault];
    let skills = open(config).map_err(one)?;
    match command {
        Command::List => {
            list(&skills, as_json);
            Ok(())
        }
        Command::Check { folder: None } => told(&skills.problems(), skills.all().len(), as_json),
        Command::Check { folder: Some(folder) } => {
            let folder = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            match hark_skills::read_one(&folder, false) {
                Ok(_) => told(&[], 1, as_json),
                Err(problems) => told(&problems, 0, as_json),
            }
        }
        Command::New { name } => {
            let made = hark_skills::make(skills.own_folder(), name).map_err(one)?;
            match as_json {
                true => println!("{}", json!({"folder": made})),
                false => println!(
                    "{} is there: say in SKILL.md how it is done and in manifest.yaml what tells of it, then `hark skills check`",
                    made.display()
                ),
            }
            Ok(())
        }
    }
}

/// What `hark doctor` says of them.
pub(super) fn examined(config: &Config) -> Result<String, Fault> {
    let skills = open(config)?;
    if let Some(problem) = skills.problems().first() {
        let message = problem.to_string().lines().next().unwrap_or_default().to_owned();
        return Err(Fault::new(FaultKind::BadConfiguration, "skills", message, problem.fix.clone()));
    }
    let all = skills.all();
    let troubled = all.iter().find_map(|skill| Some((skill, skill.trouble.as_ref()?)));
    if let Some((skill, trouble)) = troubled {
        let message = format!("{}: {}", skill.read.manifest.name, trouble.message);
        return Err(Fault::new(FaultKind::MissingPart, "skills", message, trouble.fix.clone()));
    }
    let names: Vec<&str> = all.iter().map(|skill| skill.read.manifest.name.as_str()).collect();
    Ok(if names.is_empty() { "none".to_owned() } else { names.join(", ") })
}

fn open(config: &Config) -> Result<Skills, Fault> {
    open_skills(config, &config.paths.models_dir().unwrap_or_else(|_| Path::new("models").to_owned()))
}

fn told(problems: &[Problem], good: usize, as_json: bool) -> Result<(), Faults> {
    if as_json {
        let told: Vec<Value> = problems
            .iter()
            .map(|it| json!({"file": it.file, "line": it.line, "message": it.message, "fix": it.fix}))
            .collect();
        println!("{}", json!({"good": good, "problems": told}));
    } else {
        problems.iter().for_each(|problem| println!("{problem}"));
        println!("{good} skills without a mistake");
    }
    match problems.len() {
        0 => Ok(()),
        count => {
            let message = format!("{count} mistakes in skills");
            Err(vec![Fault::new(FaultKind::BadInput, "skills", message, "see the lines above")])
        }
    }
}

fn list(skills: &Skills, as_json: bool) {
    let all = skills.all();
    if as_json {
        println!("{}", json!(all.iter().map(shown).collect::<Vec<_>>()));
        return;
    }
    for skill in all.iter() {
        let manifest = &skill.read.manifest;
        let whose = if skill.read.is_shipped { ", came with Hark" } else { "" };
        let state = if skill.trouble.is_some() { "NOT USED" } else { "ready" };
        println!("{state:9} {}{whose}: {}", manifest.name, manifest.description);
        println!("          told by: {}", manifest.triggers.join(", "));
        for trouble in skill.trouble.iter() {
            println!("          {}\n          fix: {}", trouble.message, trouble.fix);
        }
        for tool in &skill.tools {
            let risk = match tool.risk {
                Risk::Read => "looks",
                Risk::Write => "changes",
                Risk::Dangerous => "asked about",
            };
            println!("          {} ({risk}): {}", tool.name, tool.description);
            for trouble in tool.trouble.iter().filter(|_| skill.trouble.is_none()) {
                println!("          {}\n          fix: {}", trouble.message, trouble.fix);
            }
        }
    }
    if all.is_empty() {
        println!("no skills; `hark skills new NAME` makes one");
    }
    for problem in skills.problems().iter() {
        println!("NOT TAKEN {problem}");
    }
}

fn shown(skill: &Skill) -> Value {
    let manifest = &skill.read.manifest;
    let tools: Vec<Value> = skill
        .tools
        .iter()
        .map(|tool| {
            let trouble = tool.trouble.as_ref().map(|trouble| trouble.message.clone());
            json!({"name": tool.name, "risk": tool.risk, "trouble": trouble})
        })
        .collect();
    json!({
        "name": manifest.name, "description": manifest.description, "triggers": manifest.triggers,
        "permissions": manifest.permissions, "mcp_servers": manifest.servers, "tools": tools,
        "folder": skill.read.folder, "shipped": skill.read.is_shipped,
        "trouble": skill.trouble.as_ref().map(|trouble| trouble.message.clone()),
    })
}

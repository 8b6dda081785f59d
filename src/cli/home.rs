//! `hark home`: areas, entities, states and where they come from.

use super::Faults;
use super::args::Home as Command;
use super::running::Running;
use crate::app::home::sources;
use hark_config::Config;
use hark_core::api::House;
use hark_core::home::{Area, Entity, Home};
use hark_core::{Fault, FaultKind};
use hark_mqtt as mqtt;
use serde_json::{Value, json};

/// Prints the home, or one thing of it: as the running Hark knows it, else as its sources tell it now.
pub(super) fn run(config: &Config, command: &Command, sets: &[String], as_json: bool) -> Result<(), Faults> {
    if let Command::List { nodes: true } = command {
        return nodes(config, as_json).map_err(|fault| vec![fault]);
    }
    let one = |fault: Fault| vec![fault];
    let house = match Running::find(config, sets).map_err(one)? {
        Some(running) => running.get("/own/home").map_err(one)?,
        None => sources::look(config)?,
    };
    for fault in &house.faults {
        eprintln!("hark: {fault}");
    }
    match command {
        Command::List { .. } if as_json => println!("{}", listed(&house)),
        Command::List { .. } => list(&house),
        Command::Show { name } => show(&house.home, &name.join(" "), as_json).map_err(one)?,
    }
    Ok(())
}

/// The nodes on the broker, and whether they are there.
fn nodes(config: &Config, as_json: bool) -> Result<(), Fault> {
    let nodes = super::common::waiting("mqtt", mqtt::nodes(&config.mqtt))?;
    if as_json {
        println!("{}", json!(nodes));
        return Ok(());
    }
    for node in nodes {
        let health = if node.online { "online" } else { "offline" };
        let area = node.card.area.as_deref().unwrap_or("no area");
        println!("{:32} {health:8} {area:28} {}", node.card.node, node.card.version);
    }
    Ok(())
}

/// The home, with what is announced on MQTT and did not come into it.
fn listed(house: &House) -> Value {
    let left_out = house.left_out.iter().map(|(why, count)| json!({"count": count, "why": why}));
    let mut all = json!(house.home);
    all["left_out"] = left_out.collect();
    all["refused"] = json!(house.refused);
    all["last_problem"] = json!(house.last_problem);
    all
}

fn list(house: &House) {
    let home = &house.home;
    for area in &home.areas {
        println!("{} ({})", area.name, area.id);
        for entity in home.entities.iter().filter(|entity| entity.area.as_ref() == Some(&area.id)) {
            print_row(entity);
        }
    }
    let placeless: Vec<&Entity> = home.entities.iter().filter(|entity| entity.area.is_none()).collect();
    if !placeless.is_empty() {
        println!("without an area");
        placeless.into_iter().for_each(print_row);
    }
    if !house.left_out.is_empty() {
        let counted = house.left_out.iter().map(|(why, count)| format!("{count} {why}"));
        println!("announced on MQTT and left out: {}", counted.collect::<Vec<_>>().join(", "));
    }
    if let Some(problem) = &house.last_problem {
        println!("messages on MQTT that cannot be taken: {}, the last of them {problem}", house.refused);
    }
}

fn print_row(entity: &Entity) {
    println!("  {:32} {:12} {:28} [{}]", entity.id.0, entity.state, entity.name, entity.source);
}

fn show(home: &Home, name: &str, as_json: bool) -> Result<(), Fault> {
    let is = |names: &[&str], aliases: &[String]| {
        let asked = name.to_lowercase();
        names.iter().any(|n| n.to_lowercase() == asked) || aliases.iter().any(|n| n.to_lowercase() == asked)
    };
    let entities: Vec<&Entity> =
        home.entities.iter().filter(|e| is(&[e.id.0.as_str(), e.name.as_str()], &e.aliases)).collect();
    let areas: Vec<&Area> =
        home.areas.iter().filter(|a| is(&[a.id.as_str(), a.name.as_str()], &a.aliases)).collect();
    if entities.is_empty() && areas.is_empty() {
        let message = format!("nothing in the home is called {name:?}");
        return Err(Fault::new(FaultKind::BadInput, "home", message, "`hark home list` shows every name"));
    }
    let found = json!({ "entities": entities, "areas": areas });
    if as_json {
        println!("{found}");
        return Ok(());
    }
    for area in areas {
        println!("area {} ({}), also: {}", area.name, area.id, area.aliases.join(", "));
        home.entities.iter().filter(|e| e.area.as_ref() == Some(&area.id)).for_each(print_row);
    }
    for entity in entities {
        println!("{} “{}” is {} [{}]", entity.id, entity.name, entity.state, entity.source);
        println!("  also: {}", entity.aliases.join(", "));
        println!("  area: {}", entity.area.as_deref().unwrap_or("none"));
        for (key, value) in &entity.attributes {
            println!("  {key}: {value}");
        }
    }
    Ok(())
}

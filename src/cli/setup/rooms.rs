//! The rooms: those that Home Assistant has, or those that are named here and written into `home.toml`.

use super::Setup;
use super::dialogue::Answer;
use crate::app::home::sources;
use hark_config::{paths, write_whole};
use hark_core::home::Area;
use hark_core::{Fault, FaultKind};
use hark_home::file as home_file;
use std::fs;
use std::io;

/// Name of the home's file beside the configuration.
const HOME_FILE: &str = "home.toml";

/// Asks for rooms, and in which of them this node stands.
pub(super) fn rooms(setup: &mut Setup) -> Answer<String> {
    setup.talk.say("rooms_intro", &[]);
    let config = setup.config()?;
    // The rooms of the demonstration are nobody's.
    let is_demo = config.home.file.is_empty() && config.homeassistant.url.is_empty();
    let known = if is_demo { Vec::new() } else { areas(setup)? };
    let names: Vec<&str> = known.iter().map(|area| area.name.as_str()).collect();
    if !names.is_empty() {
        setup.talk.say("rooms_known", &[("rooms", &names.join(", "))]);
    }
    let question = if names.is_empty() { "rooms_name" } else { "rooms_more" };
    let usual = if names.is_empty() { None } else { Some("") };
    let added = setup.talk.line(&setup.text(question, &[]), usual, |typed| {
        let named = typed.split(',').map(str::trim).filter(|name| !name.is_empty());
        let named: Vec<String> = named.map(str::to_owned).collect();
        match named.is_empty() && names.is_empty() {
            true => Err(setup.text("rooms_missing", &[])),
            false => Ok(named),
        }
    })?;
    if !added.is_empty() {
        add(setup, &added)?;
    }
    let known = areas(setup)?;
    let mut options: Vec<String> = known.iter().map(|area| area.name.clone()).collect();
    options.push(setup.text("rooms_nowhere", &[]));
    let here = |area: &Area| area.name == config.home.area || area.id == config.home.area;
    let usual = known.iter().position(here).unwrap_or(options.len() - 1);
    let chosen = setup.talk.choose(&setup.text("rooms_here", &[]), &options, usual)?;
    let area = known.get(chosen).map_or("", |area| area.name.as_str());
    setup.write([("home.area", area.into())])?;
    let count = known.len().to_string();
    Ok(setup.text("rooms_done", &[("count", &count), ("here", &options[chosen])]))
}

/// The rooms of all sources.
fn areas(setup: &Setup) -> Result<Vec<Area>, Fault> {
    let house = sources::look(&setup.config()?).map_err(|mut faults| faults.swap_remove(0))?;
    house.faults.iter().for_each(|fault| setup.talk.trouble(fault));
    Ok(house.home.areas)
}

/// Writes rooms into the home's file, which is made where there is none; what stands in it stays.
fn add(setup: &Setup, names: &[String]) -> Result<(), Fault> {
    let config = setup.config()?;
    let path = match config.home.file.as_str() {
        "" => setup.file.path().with_file_name(HOME_FILE),
        file => paths::expand(file),
    };
    let failed = |error: io::Error| {
        let fix = "run `hark setup` as a user who may write there";
        Fault::new(FaultKind::Failed, "home", format!("cannot write {} ({error})", path.display()), fix)
    };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => setup.text("home_file", &[]) + "\n",
        Err(error) => return Err(failed(error)),
    };
    let text = with_rooms(&text, names);
    if let Err(problems) = home_file::parse(&text, false) {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let message = format!("{}: {}", path.display(), problems.join("; "));
        let fix = "give other names, or correct the file by hand";
        return Err(Fault::new(FaultKind::BadInput, "home", message, fix));
    }
    write_whole(&path, &text).map_err(failed)?;
    if config.home.file.is_empty() {
        // With rooms of one's own the things of the demonstration are gone, and so are its virtual devices.
        setup.write([("home.file", path.display().to_string().into()), ("home.demo", false.into())])?;
    }
    Ok(())
}

/// The text with a table for each room at its end.
fn with_rooms(text: &str, names: &[String]) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let tables = names
        .iter()
        .map(|name| format!("\n[[area]]\nid = {}\nname = {}\n", quoted(&id_of(name)), quoted(name)));
    format!("{}\n{}", text.trim_end(), tables.collect::<String>())
}

/// A name as an id: lower-case letters and digits, with underscores between.
fn id_of(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_come_behind_what_is_there() {
        let text = "# mine\n[[area]]\nid = \"attic\"\nname = \"Attic\" # up\n\n\n";
        let names = ["Living room".to_owned(), "Küche \"neu\"".to_owned()];
        let written = with_rooms(text, &names);
        assert!(written.starts_with(text.trim_end()), "{written}");
        let home = home_file::parse(&written, false).unwrap();
        let areas: Vec<(&str, &str)> =
            home.areas.iter().map(|area| (area.id.as_str(), area.name.as_str())).collect();
        assert_eq!(
            areas,
            [("attic", "Attic"), ("living_room", "Living room"), ("küche_neu", "Küche \"neu\"")]
        );
    }
}

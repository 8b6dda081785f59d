//! The rooms: those that Home Assistant has, or those that are named here and written into `home.toml`.

use super::Setup;
use super::dialogue::Answer;
use crate::app::home::sources;
use crate::app::setup::rooms as home_rooms;
use hark_core::Fault;
use hark_core::home::Area;

/// Asks for rooms, and in which of them this node stands.
pub(super) fn rooms(setup: &mut Setup) -> Answer<String> {
    setup.talk.say("rooms_intro", &[]);
    let config = setup.config()?;
    let known = if home_rooms::is_demo(&config) { Vec::new() } else { areas(setup)? };
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
        let head = setup.text("home_file", &[]);
        setup.write(home_rooms::add(&setup.config()?, &setup.file, &added, &head)?)?;
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

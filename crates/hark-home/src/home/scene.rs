//! A scene or script of which a part is left out: "movie night without the television".

use super::UNKNOWN;
use super::command::{DeviceCommand, scene_target};
use super::restore::restore;
use super::select::{Scope, SelectError, Target, left_out};
use hark_core::home::{Entity, Home};
use serde_json::{Value, json};

/// Domains of what sets others.
const SCENES: [&str; 2] = ["scene", "script"];

/// Why no part of a scene can be set.
#[derive(Debug, PartialEq, Eq)]
pub enum PartError {
    /// It does not tell into which states it brings what: Home Assistant's scenes and scripts.
    Untold,
    /// What is left out cannot be told.
    Select(SelectError),
}

/// The scene or script that a request with exceptions names, if it is one.
pub fn scene_of(selected: &[Entity]) -> Option<&Entity> {
    match selected {
        [only] if SCENES.contains(&only.id.domain()) => Some(only),
        _ => None,
    }
}

/// What a scene or script commands, without what is left out of it: each thing as it is now, and a command.
///
/// # Errors
/// The scene does not tell its states, or what is left out cannot be told.
pub fn without(
    home: &Home,
    scene: &Entity,
    except: &[Target],
) -> Result<Vec<(Entity, DeviceCommand)>, PartError> {
    let Some(Value::Object(states)) = scene.attributes.get("states") else { return Err(PartError::Untold) };
    let mut members: Vec<Entity> =
        home.entities.iter().filter(|entity| states.contains_key(&entity.id.0)).cloned().collect();
    for except in except {
        let out = left_out(home, except, &members, Scope::default()).map_err(PartError::Select)?;
        members.retain(|entity| !out.contains(&entity.id));
    }
    let commands = members.into_iter().flat_map(|now| {
        let wanted = states.get(&now.id.0).and_then(|target| wanted(&now, target));
        // As if nothing were known of it, so that all it is to be is commanded.
        let unknown = Entity { state: UNKNOWN.to_owned(), ..now.clone() };
        let commands = wanted.map_or_else(Vec::new, |wanted| restore(&wanted, &unknown));
        commands.into_iter().map(move |command| (now.clone(), command))
    });
    Ok(commands.collect())
}

/// A thing as a scene wants it.
fn wanted(now: &Entity, target: &Value) -> Option<Entity> {
    let (state, mut attributes) = scene_target(target)?;
    // A cover without a position is wholly open or closed.
    let position = match state {
        "open" => Some(100),
        "closed" => Some(0),
        _ => None,
    };
    if let Some(position) = position
        && now.attributes.contains_key("current_position")
    {
        attributes.entry("current_position").or_insert_with(|| json!(position));
    }
    let mut wanted = Entity { state: state.to_owned(), ..now.clone() };
    wanted.attributes.extend(attributes);
    Some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file;

    fn scene(home: &Home, id: &str) -> Entity {
        home.entities.iter().find(|entity| entity.id.0 == id).unwrap().clone()
    }

    fn named(name: &str) -> Target {
        Target { name: Some(name.to_owned()), ..Target::default() }
    }

    #[test]
    fn what_is_left_out_is_not_commanded() {
        let home = file::example(true).unwrap();
        let movie = scene(&home, "scene.movie_night");
        let commands = without(&home, &movie, &[named("television")]).unwrap();
        let of = |id: &str| commands.iter().filter(|(entity, _)| entity.id.0 == id).count();
        assert_eq!(of("media_player.living_room_tv"), 0);
        assert_eq!(of("cover.living_room_curtains"), 1);
        assert_eq!(of("light.standing"), 1);
        let curtains = commands.iter().find(|(entity, _)| entity.id.domain() == "cover").unwrap();
        assert_eq!(curtains.1, DeviceCommand::Position(0));
    }

    #[test]
    fn a_scene_that_does_not_tell_its_states_is_set_as_a_whole_or_not() {
        let home = file::example(true).unwrap();
        let mut movie = scene(&home, "scene.movie_night");
        movie.attributes.remove("states");
        assert_eq!(without(&home, &movie, &[named("television")]), Err(PartError::Untold));
    }
}

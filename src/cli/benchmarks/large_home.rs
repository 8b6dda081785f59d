//! A command in a large home: from its words to the receipt, through understanding, gate, tool and a virtual device.

use crate::app::builder::App;
use crate::cli::benchmarks::samples::{Row, Samples, Unit};
use crate::cli::benchmarks::templates::{PLACES, THINGS};
use crate::cli::standalone::ask::{self, ask};
use crate::cli::temporary_folder::TemporaryFolder;
use hark_config::Config;
use hark_core::{Fault, FaultKind, PublicEvent, TurnId};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Areas have these before their names, so that there are fifty.
const HALVES: [&str; 2] = ["upper", "lower"];
/// Things an area has: those that are simply switched.
const THINGS_EACH: usize = 10;
const COMMANDS: usize = 200;

/// The file of a home of 50 areas with 10 devices each.
fn home() -> String {
    let mut text = String::new();
    for place in HALVES.iter().flat_map(|half| PLACES.map(|place| format!("{half} {place}"))) {
        let area = place.replace(' ', "_");
        // Writing to a String cannot fail.
        let _ = write!(text, "[[area]]\nid = \"{area}\"\nname = \"{place}\"\n");
        for (domain, thing) in THINGS.iter().take(THINGS_EACH) {
            let id = thing.replace(' ', "_");
            let _ = write!(
                text,
                "[[entity]]\nid = \"{domain}.{area}_{id}\"\nname = \"{place} {thing}\"\narea = \"{area}\"\nstate = \"off\"\n"
            );
        }
    }
    text
}

fn commands() -> impl Iterator<Item = String> {
    (0..COMMANDS).map(|number| {
        let (half, place) = (HALVES[number % 2], PLACES[number / 2 % PLACES.len()]);
        let (_, thing) = THINGS[number / 50 % THINGS_EACH];
        format!("turn on the {half} {place} {thing}")
    })
}

/// When the words of a turn were there, and how long it took until the receipt.
#[derive(Default)]
struct Story {
    begun: HashMap<TurnId, f64>,
    times: Samples,
}

/// Every command is another device's, and a failed one is not counted.
pub(crate) fn rows(config: &Config, folder: &TemporaryFolder) -> Result<Vec<Row>, Vec<Fault>> {
    let file = folder.path().join("large-home.toml");
    std::fs::write(&file, home()).map_err(|error| {
        let message = format!("{} cannot be written: {error}", file.display());
        vec![Fault::new(FaultKind::Failed, "bench", message, "make room in the temporary folder")]
    })?;
    let mut config = config.clone();
    config.home.file = file.display().to_string();
    let app = App::open(config)?;
    let story = Arc::new(Mutex::new(Story::default()));
    let told = story.clone();
    let options = ask::Options { session: Some("bench".into()), ..ask::Options::default() };
    let listener = move |envelope: &hark_core::Envelope| {
        let mut story = told.lock().unwrap_or_else(PoisonError::into_inner);
        match (&envelope.event, &envelope.turn) {
            (PublicEvent::Transcript(_), Some(turn)) => {
                story.begun.insert(turn.clone(), envelope.t_ms);
            }
            (PublicEvent::Action { receipt, .. }, Some(turn)) if receipt.ok && receipt.changed => {
                if let Some(begun) = story.begun.remove(turn) {
                    story.times.push(envelope.t_ms - begun);
                }
            }
            _ => {}
        }
    };
    ask(&app, commands(), &options, listener).map_err(|fault| vec![fault])?;
    let story = story.lock().unwrap_or_else(PoisonError::into_inner);
    let what = "500 devices in 50 areas: from the words of a command to its receipt";
    Ok(vec![story.times.row("command_to_receipt", what, Unit::Ms)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_home::file;

    #[test]
    fn the_home_has_five_hundred_devices_in_fifty_areas_and_every_command_names_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("home.toml");
        std::fs::write(&path, home()).unwrap();
        let home = file::load(&path, true).unwrap();
        assert_eq!((home.areas.len(), home.entities.len()), (50, 500));
        let names: std::collections::HashSet<String> = commands().collect();
        assert_eq!(names.len(), COMMANDS, "each another one");
        for command in names {
            let name = command.strip_prefix("turn on the ").unwrap();
            assert!(home.entities.iter().any(|entity| entity.name == name), "{name}");
        }
    }
}

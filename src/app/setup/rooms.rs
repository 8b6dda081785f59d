//! Rooms that are named by hand: written into `home.toml`, which is made where there is none.

use hark_config::{Config, ConfigFile, paths};
use hark_core::text::words_of_name;
use hark_core::{Fault, FaultKind};
use hark_home::file as home_file;
use std::fs;
use std::io;

/// Name of the home's file beside the configuration.
const HOME_FILE: &str = "home.toml";

/// The rooms of the demonstration are nobody's.
pub(crate) fn is_demo(config: &Config) -> bool {
    config.home.file.is_empty() && config.homeassistant.url.is_empty()
}

/// Writes rooms into the home's file, whose first line is `head` where it is made; what stands in it stays. The keys that
/// are to be written then.
///
/// # Errors
/// When a name cannot be, or the file cannot be written.
pub(crate) fn add(
    config: &Config,
    file: &ConfigFile,
    names: &[String],
    head: &str,
) -> Result<Vec<(&'static str, toml::Value)>, Fault> {
    let path = match config.home.file.as_str() {
        "" => file.path().with_file_name(HOME_FILE),
        file => paths::expand(file),
    };
    let failed = |error: io::Error| {
        let fix = "run `sudo systemd-tmpfiles --create hark.conf` where Hark is the system's service, or `hark setup` as one who may write there";
        Fault::new(FaultKind::Failed, "home", format!("cannot write {} ({error})", path.display()), fix)
    };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => format!("{head}\n"),
        Err(error) => return Err(failed(error)),
    };
    let text = with_rooms(&text, names);
    if let Err(problems) = home_file::parse(&text, false) {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let message = format!("{}: {}", path.display(), problems.join("; "));
        let fix = "give other names, or correct the file by hand";
        return Err(Fault::new(FaultKind::BadInput, "home", message, fix));
    }
    file.write_beside(&path, &text).map_err(failed)?;
    Ok(match config.home.file.is_empty() {
        // With rooms of one's own the things of the demonstration are gone, and so are its virtual devices.
        true => vec![("home.file", path.display().to_string().into()), ("home.demo", false.into())],
        false => Vec::new(),
    })
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
    words_of_name(name).join("_")
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

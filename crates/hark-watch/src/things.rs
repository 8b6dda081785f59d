//! The entities of folders and repositories.

use hark_config::watch::WatchConfig;
use hark_core::EntityId;
use hark_core::home::{Entity, Home, WATCHED};
use serde_json::Map;

/// Device class of a folder.
pub(crate) const FOLDER: &str = "folder";
/// Device class of a repository.
pub(crate) const REPOSITORY: &str = "repository";
/// A folder in which nothing has just happened.
pub(crate) const QUIET: &str = "quiet";
/// What cannot be looked at.
pub(crate) const AWAY: &str = "unavailable";

/// Everything that is watched, as it is before it was looked at.
pub fn things(config: &WatchConfig) -> Home {
    let folders = config.named_folders().into_iter().map(|(name, _)| thing(&name, FOLDER, QUIET));
    let repositories =
        config.named_repositories().into_iter().map(|(name, _)| thing(&name, REPOSITORY, AWAY));
    Home { entities: folders.chain(repositories).collect(), ..Home::default() }
}

fn thing(name: &str, class: &str, state: &str) -> Entity {
    Entity {
        id: id(name, class),
        name: name.to_owned(),
        aliases: Vec::new(),
        area: None,
        device_class: Some(class.to_owned()),
        state: state.to_owned(),
        attributes: Map::new(),
        source: WATCHED.to_owned(),
    }
}

/// Id of what has this name.
pub(crate) fn id(name: &str, class: &str) -> EntityId {
    let plain = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String = name.chars().map(plain).collect();
    EntityId(format!("sensor.{class}_{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_name_of_its_own() {
        let config = WatchConfig {
            folders: vec!["downloads=/in".into(), "nothing".into()],
            repositories: vec!["my site=/src".into()],
            ..WatchConfig::default()
        };
        let home = things(&config);
        let told: Vec<(&str, &str)> =
            home.entities.iter().map(|it| (it.id.0.as_str(), it.state.as_str())).collect();
        assert_eq!(
            told,
            [("sensor.folder_downloads", "quiet"), ("sensor.repository_my_site", "unavailable")]
        );
    }
}

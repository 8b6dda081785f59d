//! The scripts that osascript runs: constants, whose values come as arguments.

pub(crate) const APPS: &str = include_str!("scripts/apps.js");
pub(crate) const ELEMENTS: &str = include_str!("scripts/elements.js");
pub(crate) const GRANTS: &str = include_str!("scripts/grants.js");
pub(crate) const INPUT: &str = include_str!("scripts/input.js");
pub(crate) const NOTIFY: &str = include_str!("scripts/notify.applescript");
pub(crate) const PLAYERS: &str = include_str!("scripts/players.js");
pub(crate) const VOLUME: &str = include_str!("scripts/volume.applescript");
pub(crate) const WINDOWS: &str = include_str!("scripts/windows.js");

/// All of them, by the names that tests pin.
#[cfg(test)]
pub(crate) const ALL: [(&str, &str); 8] = [
    ("apps.js", APPS),
    ("elements.js", ELEMENTS),
    ("grants.js", GRANTS),
    ("input.js", INPUT),
    ("notify.applescript", NOTIFY),
    ("players.js", PLAYERS),
    ("volume.applescript", VOLUME),
    ("windows.js", WINDOWS),
];

/// The name of a script, where a word is one.
#[cfg(test)]
pub(crate) fn name(word: &str) -> Option<&'static str> {
    ALL.iter().find(|(_, script)| *script == word).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_takes_its_values_as_arguments() {
        for (name, script) in ALL {
            assert!(script.contains("on run argv") || script.contains("function run(argv)"), "{name}");
            assert!(!script.contains("do shell script") && !script.contains("doShellScript"), "{name}");
        }
    }
}

//! The commented default configuration, `firmware-config/hark.toml`: made from the key table, so that
//! it can neither miss a key nor lie about a default.

use super::keys::{self, Key};

/// The file as it is shipped.
pub const DEFAULT_FILE: &str = include_str!("../../../../firmware-config/hark.toml");

const HEAD: &str = "\
# Hark's configuration: every key with its default. Keep only what you change.
# Read from --config FILE, $HARK_CONFIG, /etc/hark/hark.toml or ~/.config/hark/hark.toml; the first
# there is counts. Check it with `hark config check`; `hark config show` says where each value comes
# from. Relative paths are meant from this file's folder.
";

/// Columns a comment may take.
const WIDTH: usize = 100;

/// What [`DEFAULT_FILE`] must hold.
pub fn render() -> String {
    let mut text = HEAD.to_owned();
    for section in keys::sections() {
        text.push('\n');
        text.push_str(&comment(&section.doc));
        text.push_str(&format!("[{}]\n", section.name));
        for key in &section.keys {
            text.push_str(&entry(key));
        }
    }
    text
}

fn entry(key: &Key) -> String {
    let unit = key.unit().map(|unit| format!(" Unit: {unit}.")).unwrap_or_default();
    let allowed = key.allowed().map(|allowed| format!(" Allowed: {allowed}.")).unwrap_or_default();
    let words = format!("{}{unit}{allowed} Default: {}.", key.doc, key.default);
    format!("{}{} = {}\n", comment(&words), key.name, key.default)
}

fn comment(words: &str) -> String {
    let mut text = String::new();
    let mut line = "#".to_owned();
    for word in words.split_whitespace() {
        if line.len() + 1 + word.len() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = "#".to_owned();
        }
        line.push(' ');
        line.push_str(word);
    }
    text.push_str(&line);
    text.push('\n');
    text
}

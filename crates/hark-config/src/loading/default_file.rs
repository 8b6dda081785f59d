//! The commented default configuration, `firmware-config/hark.toml`: made from the key table, so that
//! it can neither miss a key nor lie about a default.

use super::keys::{self, Key, Kind};

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
    if let Kind::Tables(keys) = &key.kind {
        return tables(key, keys);
    }
    let unit = key.unit().map(|unit| format!(" Unit: {unit}.")).unwrap_or_default();
    let allowed = key.allowed().map(|allowed| format!(" Allowed: {allowed}.")).unwrap_or_default();
    let words = format!("{}{unit}{allowed} Default: {}.", key.doc, key.default);
    format!("{}{} = {}\n", comment(&words), key.name, key.default)
}

/// Tables of the owner's choice stand in the file as comments: there is none by default.
fn tables(key: &Key, keys: &[Key]) -> String {
    let mut text = comment(&format!("{} Every key of one with its default:", key.doc));
    text.push_str(&format!("#[{}.NAME]\n", key.path()));
    for line in keys.iter().flat_map(|key| entry(key).lines().map(str::to_owned).collect::<Vec<_>>()) {
        let is_comment = line.starts_with('#');
        text.push_str(&if is_comment { format!("{line}\n") } else { format!("#{line}\n") });
    }
    text
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

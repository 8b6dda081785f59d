//! Changes keys in the text of a configuration file. Everything else in it stays as it is: comments, order, spaces.

use super::keys::Key;
use super::problem::Problem;
use super::source::{self, Source};
use super::{keys, renamed_keys};
use std::path::Path;
use toml::Value;
use toml_edit::{Array, Document, DocumentMut, InlineTable, Item, TomlError};

/// What a key of the file shall hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// `section.key`.
    pub key: String,
    /// Its value; `None` takes the key out of the file, so that its default counts.
    pub value: Option<Value>,
}

impl Change {
    /// What `section.key=value` says; texts need no quotes and lists no brackets.
    ///
    /// # Errors
    /// When there is no such key, or no value.
    pub fn from_argument(argument: &str) -> Result<Self, Problem> {
        let here = |problem: Problem| Problem {
            place: "argument".into(),
            fix: problem.fix.replace("--set ", ""),
            ..problem
        };
        let entry = source::from_argument(argument).map_err(here)?;
        Ok(Self { key: entry.path(), value: Some(entry.value) })
    }
}

/// The text with these changes in it. Values are not checked here: reading the new text does that.
///
/// # Errors
/// Keys there are not; a text that is no TOML.
pub(crate) fn edited(text: &str, path: &Path, changes: &[Change]) -> Result<String, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut known = Vec::new();
    for change in changes {
        match key_of(&change.key) {
            Ok(key) => known.push((key, change.value.as_ref())),
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut text = text.to_owned();
    for (key, value) in known {
        text = one(&text, key, value).map_err(|error| vec![no_toml(path, &text, &error)])?;
    }
    Ok(text)
}

fn key_of(path: &str) -> Result<&'static Key, Problem> {
    let (section, name) = path.split_once('.').unwrap_or((path, ""));
    if !keys::sections().iter().any(|known| known.name == section) {
        return Err(Problem { place: "change".into(), ..source::unknown_section(section, &Source::Set) });
    }
    let tables = name.split('.').next().unwrap_or_default();
    if keys::find(&format!("{section}.{tables}")).is_some_and(Key::is_tables) {
        // They name programs that are started: nobody who is not at this machine writes them.
        return Err(Problem {
            key: path.to_owned(),
            value: String::new(),
            place: "change".into(),
            message: "tables are written by hand".into(),
            fix: format!("edit [{section}.{tables}.NAME] in the configuration file"),
        });
    }
    source::known_key(section, name)
        .map(|(key, _)| key)
        .map_err(|problem| Problem { place: "change".into(), ..problem })
}

fn one(text: &str, key: &Key, value: Option<&Value>) -> Result<String, TomlError> {
    // Beside the new name an old one would be ignored; without it, it would count.
    let mut text = text.to_owned();
    for old in renamed_keys::old_paths(&key.path()) {
        if let Some((section, name)) = old.split_once('.') {
            text = without(&text, section, name)?;
        }
    }
    match value {
        None => without(&text, &key.section, &key.name),
        Some(value) => with(&text, key, written(value)),
    }
}

fn with(text: &str, key: &Key, mut value: toml_edit::Value) -> Result<String, TomlError> {
    let mut document: DocumentMut = text.parse()?;
    let Some(section) = document.get_mut(&key.section).and_then(Item::as_table_like_mut) else {
        // At the end of the text: a table that is added to the document would stand above its last comments.
        let gap = match text {
            "" => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        return Ok(format!("{text}{gap}[{}]\n{} = {value}\n", key.section, key.name));
    };
    match section.get_mut(&key.name).and_then(Item::as_value_mut) {
        Some(old) => {
            // The comment behind the value belongs to it.
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => {
            section.insert(&key.name, Item::Value(value));
        }
    }
    Ok(document.to_string())
}

/// The text without a key. Comments stay, also the one behind it: they may be about more than this key.
fn without(text: &str, section: &str, name: &str) -> Result<String, TomlError> {
    let document = Document::parse(text)?;
    let Some(part) = document.get(section) else { return Ok(text.to_owned()) };
    let Some((key, item)) = part.as_table_like().and_then(|table| table.get_key_value(name)) else {
        return Ok(text.to_owned());
    };
    let is_line = item.is_value() && !part.is_inline_table();
    if let (true, Some(key), Some(value)) = (is_line, key.span(), item.span()) {
        return Ok(cut(text, key.start, value.end));
    }
    let mut document = document.into_mut();
    if let Some(table) = document.get_mut(section).and_then(Item::as_table_like_mut) {
        table.remove(name);
    }
    Ok(document.to_string())
}

fn cut(text: &str, start: usize, end: usize) -> String {
    let (before, after) = (&text[..start], &text[end..]);
    let before = &before[..before.rfind('\n').map_or(0, |newline| newline + 1)];
    let (rest, after) = after.split_once('\n').unwrap_or((after, ""));
    match rest.trim() {
        "" => format!("{before}{after}"),
        comment => format!("{before}{comment}\n{after}"),
    }
}

fn written(value: &Value) -> toml_edit::Value {
    match value {
        Value::String(text) => text.as_str().into(),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Boolean(flag) => (*flag).into(),
        Value::Datetime(time) => time.to_string().into(),
        Value::Array(items) => items.iter().map(written).collect::<Array>().into(),
        Value::Table(table) => {
            table.iter().map(|(key, value)| (key.clone(), written(value))).collect::<InlineTable>().into()
        }
    }
}

fn no_toml(path: &Path, text: &str, error: &TomlError) -> Problem {
    let line = source::line_of(text, error.span().map_or(0, |span| span.start));
    Problem {
        key: String::new(),
        value: String::new(),
        place: Source::File { path: path.to_owned(), line }.to_string(),
        message: format!("not TOML: {}", error.message()),
        fix: "correct the file by hand first; `hark config check` names every mistake".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(key: &str, value: impl Into<Value>) -> Change {
        Change { key: key.into(), value: Some(value.into()) }
    }

    fn unset(key: &str) -> Change {
        Change { key: key.into(), value: None }
    }

    fn edit(text: &str, changes: &[Change]) -> String {
        edited(text, Path::new("hark.toml"), changes).unwrap()
    }

    const TEXT: &str = "# My house.\n\n[wake]\n# The kitchen is loud.\nthreshold = 0.6 # was 0.5\nwords = [\n  \"hey_jarvis\",\n]\n\n\
        # Slow speakers.\n[endpoint]\nsilence_ms = 900\n# the end\n";

    #[test]
    fn a_value_changes_and_nothing_else_does() {
        assert_eq!(edit(TEXT, &[]), TEXT);
        assert_eq!(edit(TEXT, &[set("wake.threshold", 0.7)]), TEXT.replace("0.6 #", "0.7 #"));
        assert_eq!(edit(TEXT, &[set("endpoint.silence_ms", 1000)]), TEXT.replace("900", "1000"));
        let words = Value::Array(vec!["okay_nabu".into(), "alexa".into()]);
        let old = "[\n  \"hey_jarvis\",\n]";
        assert_eq!(edit(TEXT, &[set("wake.words", words)]), TEXT.replace(old, "[\"okay_nabu\", \"alexa\"]"));
    }

    #[test]
    fn new_keys_go_into_their_section_and_new_sections_to_the_end() {
        let text = edit(TEXT, &[set("wake.near_miss_score", 0.3), set("vad.threshold", 0.4)]);
        assert!(text.contains("]\nnear_miss_score = 0.3\n\n# Slow speakers."), "{text}");
        assert!(text.ends_with("# the end\n\n[vad]\nthreshold = 0.4\n"), "{text}");
        assert_eq!(edit("", &[set("home.demo", true)]), "[home]\ndemo = true\n");
        assert_eq!(
            edit("# no keys yet", &[set("home.demo", true)]),
            "# no keys yet\n\n[home]\ndemo = true\n"
        );
        let odd = "“Haus” \"7\"\n\\";
        let read: toml::Table = toml::from_str(&edit("", &[set("home.area", odd)])).unwrap();
        assert_eq!(read["home"]["area"].as_str(), Some(odd));
    }

    #[test]
    fn what_is_taken_out_leaves_its_comments() {
        let text = edit(TEXT, &[unset("wake.threshold"), unset("endpoint.silence_ms")]);
        assert!(text.contains("# The kitchen is loud.\n# was 0.5\nwords = ["), "{text}");
        assert!(text.ends_with("[endpoint]\n# the end\n"), "{text}");
        let text = edit(TEXT, &[unset("wake.words")]);
        assert!(text.contains("# was 0.5\n\n# Slow"), "{text}");
        assert_eq!(edit(TEXT, &[unset("vad.threshold")]), TEXT, "what is not there is no mistake");
    }

    #[test]
    fn sections_of_one_line_and_dotted_keys_are_changed_as_well() {
        let inline = "wake = { threshold = 0.6, words = [\"alexa\"] } # mine\n";
        assert_eq!(edit(inline, &[set("wake.threshold", 0.7)]), inline.replace("0.6", "0.7"));
        let text = edit(inline, &[unset("wake.threshold")]);
        assert!(!text.contains("threshold") && text.contains("alexa") && text.contains("# mine"), "{text}");
        let dotted = "# above\nwake.threshold = 0.6\n";
        assert_eq!(edit(dotted, &[set("wake.threshold", 0.7)]), dotted.replace("0.6", "0.7"));
        assert_eq!(edit(dotted, &[unset("wake.threshold")]), "# above\n");
    }

    #[test]
    fn an_old_name_gives_way_to_the_new_one() {
        let text = edit("[stt]\nneural = false # slow\n", &[set("stt.moonshine", true)]);
        assert!(text.contains("# slow") && text.contains("moonshine = true") && !text.contains("neural"));
        assert!(!edit("[stt]\nneural = false\n", &[unset("stt.moonshine")]).contains("neural"));
    }

    #[test]
    fn what_is_no_key_or_no_toml_is_told() {
        let refused = |text, change| edited(text, Path::new("hark.toml"), &[change]).unwrap_err().remove(0);
        assert!(refused("", set("wake.thresold", 0.5)).fix.contains("threshold"));
        assert!(refused("", set("wke.threshold", 0.5)).fix.contains("[wake]"));
        assert!(refused("", set("wake", 0.5)).message.contains("no such key"));
        let broken = refused("[wake\nthreshold = 1", set("wake.threshold", 0.5));
        assert!(
            broken.place.starts_with("hark.toml:1") && broken.message.starts_with("not TOML"),
            "{broken}"
        );
        assert_eq!(Change::from_argument("wake.threshold = 0.7").unwrap(), set("wake.threshold", 0.7));
        assert_eq!(Change::from_argument("wake.threshold").unwrap_err().place, "argument");
    }
}

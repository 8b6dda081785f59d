//! Adapters: how one AI command-line program is started, gone on with after a question, and what its lines mean. The
//! programs that are known are described in `adapters/*.toml`; [`Described`] reads their lines by JSON pointers.

use crate::output::{last_paragraph, question_of};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// What stands for the name of a conversation in a command line.
const SESSION: &str = "{session}";

/// Instructions behind every goal: the program works unattended, and marks a question so that it can be recognised.
const HOW_TO_WORK: &str = include_str!("../adapters/how_to_work.txt");

/// What one line of a program tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// The name of its conversation, by which it is gone on with.
    Session(String),
    /// Words of the program. `joins`: they go on from those of the line before.
    Words {
        /// The words.
        text: String,
        /// They are the next piece of what was told last.
        joins: bool,
    },
    /// It is at work on a file, as it names it.
    File(String),
    /// The program succeeded. Holds its final answer, where the line repeats it.
    Finished(Option<String>),
    /// It has ended, and not well.
    Failed(String),
}

/// An AI command-line program that works at a task.
pub trait Adapter: Send + Sync {
    /// Short name, as the configuration has it.
    fn id(&self) -> &str;
    /// What people read.
    fn title(&self) -> &str;
    /// What people call it, lower-case.
    fn names(&self) -> &[String];
    /// The program, looked up in `PATH` unless the owner says where it is.
    fn program(&self) -> &str;
    /// How it is installed.
    fn install(&self) -> &str;
    /// The environment variable of its key.
    fn key_variable(&self) -> &str;
    /// What else its environment says.
    fn environment(&self) -> &BTreeMap<String, String>;
    /// Its arguments; with `session` it goes on with that conversation. The goal or the answer comes on standard input.
    fn arguments(&self, session: Option<&str>) -> Vec<String>;
    /// What a line of its standard output tells; nothing where it is not known.
    fn read(&self, line: &str) -> Vec<Told>;

    /// The text that is sent to the program for a goal.
    fn format_goal(&self, goal: &str) -> String {
        format!("{goal}\n\n{}", HOW_TO_WORK.trim_end())
    }

    /// What the program asks with its last words. `changed`: it has changed files, so that a polite "Anything else?" is none.
    fn question(&self, words: &str, changed: bool) -> Option<String> {
        question_of(words, changed)
    }

    /// What was done, as its last words say it.
    fn summary(&self, words: &str) -> String {
        last_paragraph(words)
    }
}

/// An adapter that is data.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    id: String,
    title: String,
    program: String,
    names: Vec<String>,
    install: String,
    key_variable: String,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    args: Vec<String>,
    resume: Vec<String>,
    line: Vec<LineRule>,
}

/// What lines of one kind mean. Paths are JSON pointers (RFC 6901).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LineRule {
    /// Values the line has, all of them.
    when: BTreeMap<String, OneOf>,
    /// Where in it a list is of which each item is looked at, and not the line itself.
    each: Option<String>,
    /// Values such an item has.
    #[serde(default)]
    item: BTreeMap<String, OneOf>,
    session: Option<String>,
    words: Option<String>,
    /// Where a flag says that the words go on from those before.
    joins: Option<String>,
    file: Option<String>,
    finished: Option<String>,
    failed: Option<String>,
    /// Where the reason is when it is not at `failed`.
    otherwise: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOf {
    Flag(bool),
    Text(String),
    Texts(Vec<String>),
}

impl OneOf {
    fn fits(&self, value: &Value) -> bool {
        match self {
            Self::Flag(flag) => value.as_bool() == Some(*flag),
            Self::Text(text) => value.as_str() == Some(text),
            Self::Texts(texts) => value.as_str().is_some_and(|value| texts.iter().any(|text| text == value)),
        }
    }
}

impl LineRule {
    fn tells(&self, line: &Value) -> Vec<Told> {
        if !has_all(line, &self.when) {
            return Vec::new();
        }
        let one = |value: &Value| self.tells_of(value);
        match &self.each {
            None => one(line).into_iter().collect(),
            Some(each) => {
                let items = line.pointer(each).and_then(Value::as_array).into_iter().flatten();
                items.filter(|item| has_all(item, &self.item)).filter_map(one).collect()
            }
        }
    }

    fn tells_of(&self, value: &Value) -> Option<Told> {
        let text = |at: &Option<String>| Some(value.pointer(at.as_deref()?)?.as_str()?.to_owned());
        if self.failed.is_some() {
            return Some(Told::Failed(
                text(&self.failed).or_else(|| text(&self.otherwise)).unwrap_or_default(),
            ));
        }
        if self.finished.is_some() {
            return Some(Told::Finished(text(&self.finished)));
        }
        let joins = self.joins.as_ref().is_some_and(|at| value.pointer(at) == Some(&Value::Bool(true)));
        text(&self.session)
            .filter(|session| is_session(session))
            .map(Told::Session)
            .or_else(|| text(&self.words).map(|text| Told::Words { text, joins }))
            .or_else(|| text(&self.file).map(Told::File))
    }
}

fn has_all(value: &Value, wanted: &BTreeMap<String, OneOf>) -> bool {
    wanted.iter().all(|(at, one)| value.pointer(at).is_some_and(|found| one.fits(found)))
}

/// Whether a program's word for its conversation can be an argument of the next call, and no option.
fn is_session(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=100).contains(&name.len()) && !name.starts_with('-') && name.chars().all(is_plain)
}

impl Adapter for Described {
    fn id(&self) -> &str {
        &self.id
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn program(&self) -> &str {
        &self.program
    }

    fn install(&self) -> &str {
        &self.install
    }

    fn key_variable(&self) -> &str {
        &self.key_variable
    }

    fn environment(&self) -> &BTreeMap<String, String> {
        &self.environment
    }

    fn arguments(&self, session: Option<&str>) -> Vec<String> {
        match session {
            None => self.args.clone(),
            Some(session) => self.resume.iter().map(|arg| arg.replace(SESSION, session)).collect(),
        }
    }

    fn read(&self, line: &str) -> Vec<Told> {
        let Ok(line) = serde_json::from_str::<Value>(line) else { return Vec::new() };
        self.line.iter().flat_map(|rule| rule.tells(&line)).collect()
    }
}

/// Every adapter, the usual one first.
pub fn adapters() -> &'static [Arc<dyn Adapter>] {
    static ALL: LazyLock<Vec<Arc<dyn Adapter>>> = LazyLock::new(|| {
        let described = [
            include_str!("../adapters/claude.toml"),
            include_str!("../adapters/gemini.toml"),
            include_str!("../adapters/codex.toml"),
        ];
        let read = |text: &&str| match toml::from_str::<Described>(text) {
            Ok(adapter) => Some(Arc::new(adapter) as Arc<dyn Adapter>),
            // The files are part of the program, and a test reads them all.
            Err(error) => {
                tracing::error!(%error, "an adapter that was built in cannot be read");
                None
            }
        };
        described.iter().filter_map(read).collect()
    });
    &ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(id: &str) -> Arc<dyn Adapter> {
        adapters().iter().find(|adapter| adapter.id() == id).unwrap().clone()
    }

    fn words(text: &str) -> Told {
        Told::Words { text: text.into(), joins: false }
    }

    #[test]
    fn the_lines_of_each_program_are_read() {
        let ids: Vec<&str> = adapters().iter().map(|adapter| adapter.id()).collect();
        assert_eq!(ids, ["claude", "gemini", "codex"]);
        let claude = adapter("claude");
        for (line, told) in [
            (
                r#"{"type":"system","subtype":"init","session_id":"0a-1","tools":["Write"]}"#,
                vec![Told::Session("0a-1".into())],
            ),
            (
                r#"{"type":"assistant","message":{"content":[{"type":"text","text":"I begin."},{"type":"tool_use","name":"Write","input":{"file_path":"/workspace/a.sh","content":"x"}}]}}"#,
                vec![words("I begin."), Told::File("/workspace/a.sh".into())],
            ),
            (
                r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"QUESTION: unlock the door?"}]}}"#,
                vec![],
            ),
            (
                r#"{"type":"result","subtype":"success","is_error":false,"result":"Done."}"#,
                vec![Told::Finished(Some("Done.".into()))],
            ),
            (
                r#"{"type":"result","subtype":"error_max_turns","is_error":true}"#,
                vec![Told::Failed("error_max_turns".into())],
            ),
            ("no JSON at all", vec![]),
            (r#"{"type":"system","subtype":"init","session_id":"--help"}"#, vec![]),
        ] {
            assert_eq!(claude.read(line), told, "{line}");
        }
        let gemini = adapter("gemini");
        let piece = |text: &str| Told::Words { text: text.into(), joins: true };
        for (line, told) in [
            (r#"{"type":"init","session_id":"g1","model":"m"}"#, vec![Told::Session("g1".into())]),
            (r#"{"type":"message","role":"user","content":"goal"}"#, vec![]),
            (r#"{"type":"message","role":"assistant","content":"Hal","delta":true}"#, vec![piece("Hal")]),
            (
                r#"{"type":"tool_use","tool_name":"write_file","tool_id":"1","parameters":{"file_path":"a.md"}}"#,
                vec![Told::File("a.md".into())],
            ),
            (r#"{"type":"result","status":"success","stats":{}}"#, vec![Told::Finished(None)]),
            (
                r#"{"type":"result","status":"error","error":{"type":"x","message":"no key"}}"#,
                vec![Told::Failed("no key".into())],
            ),
        ] {
            assert_eq!(gemini.read(line), told, "{line}");
        }
        let codex = adapter("codex");
        for (line, told) in [
            (r#"{"type":"thread.started","thread_id":"c-1"}"#, vec![Told::Session("c-1".into())]),
            (
                r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Hello"}}"#,
                vec![words("Hello")],
            ),
            (
                r#"{"type":"item.completed","item":{"type":"file_change","changes":[{"path":"a","kind":"add"},{"path":"b","kind":"update"}]}}"#,
                vec![Told::File("a".into()), Told::File("b".into())],
            ),
            (r#"{"type":"turn.completed","usage":{}}"#, vec![Told::Finished(None)]),
            (r#"{"type":"turn.failed","error":{"message":"limit"}}"#, vec![Told::Failed("limit".into())]),
        ] {
            assert_eq!(codex.read(line), told, "{line}");
        }
    }

    #[test]
    fn goals_and_answers_are_never_arguments() {
        for adapter in adapters() {
            let all = [adapter.arguments(None), adapter.arguments(Some("s-1"))];
            assert!(all[1].iter().any(|arg| arg == "s-1"), "{}", adapter.id());
            assert!(!all.concat().iter().any(|arg| arg.contains(['{', '}'])), "{}", adapter.id());
            assert!(adapter.format_goal("write a poem").starts_with("write a poem\n\n"));
        }
    }
}

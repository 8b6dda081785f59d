//! Conversations over days from `tests/data/memory`, with the rules of the languages and a real database; what is kept of
//! what is said in passing, with how exact that is.

// Clippy knows tests by their attribute, and not the functions that help them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use hark_core::memory::{
    Dating, EntityKind, Fact, Requester, SaidStatement, SaidSubject, Speaker, StatementReader, WhichFacts,
};
use hark_memory::{Asked, Kept, Memory, Telling};
use hark_nlu::Statements;
use hark_store::Store;
use saphyr::{LoadableYamlNode, Yaml};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const DAY_MS: i64 = 86_400_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn reader(code: &str) -> Arc<dyn StatementReader> {
    let folder = root().join("models/languages").join(code).join("memory");
    let read = Statements::load(&[(code.to_owned(), vec![folder])]);
    Arc::new(read.unwrap_or_else(|problems| panic!("{problems:#?}")))
}

fn table(code: &str) -> Yaml<'static> {
    let path = root().join("tests/data/memory").join(format!("{code}.yaml"));
    let text: &'static str = std::fs::read_to_string(path).unwrap().leak();
    Yaml::load_from_str(text).unwrap().remove(0)
}

fn get<'y>(step: &'y Yaml<'static>, key: &str) -> Option<&'y Yaml<'static>> {
    step.as_mapping_get(key)
}

fn text<'y>(step: &'y Yaml<'static>, key: &str) -> Option<&'y str> {
    get(step, key).and_then(Yaml::as_str)
}

/// How a fact is told.
fn told(fact: &Fact) -> &str {
    if fact.told.is_empty() { &fact.text } else { &fact.told }
}

/// The day that the words of a fact mean.
fn when(fact: &Fact) -> Option<&str> {
    fact.time.as_ref().map(|time| time.when.as_str())
}

/// What became of something that was said: how it is told back, or `None` where nothing new was kept.
fn kept(kept: &Kept) -> Option<&str> {
    match kept {
        Kept::New(fact, _) => Some(told(fact)),
        _ => None,
    }
}

/// What is wrong with a step; `None`: nothing.
fn wrong(memory: &Memory, step: &Yaml<'static>, day: i64) -> Option<String> {
    let voice = text(step, "voice").map(str::to_owned);
    let is_guest = text(step, "by") == Some("guest") || voice.is_some();
    let speaker = if is_guest { Speaker::Unknown } else { Speaker::Owner };
    let by = Requester { speaker, aloud: false, conversation: "test".into(), person: None };
    let by = by.with_voice_of(voice);
    let now = 1_790_000_000_000 + day * DAY_MS;
    let is_like = |found: Option<&str>, key: &str| match (found, text(step, key)) {
        (None, None) => true,
        (Some(found), Some(wanted)) => found.contains(wanted),
        _ => false,
    };
    let ways = [("say", Telling::Stated), ("tell", Telling::Whole), ("remember", Telling::Asked)];
    for (key, telling) in ways {
        let Some(said) = text(step, key) else { continue };
        let asked = Asked { telling, private: false };
        let done = memory.remember(said, now, &by, None, asked).unwrap();
        let when = match &done {
            Kept::New(fact, _) => when(fact),
            _ => None,
        };
        let right = is_like(kept(&done), "kept") && text(step, "when").is_none_or(|it| when == Some(it));
        return (!right).then(|| format!("{said}: {done:?}"));
    }
    if let Some(asked) = text(step, "ask") {
        let found = memory.recall(asked, &by).unwrap();
        // What only may answer is told as such.
        if let Some(near) = text(step, "near") {
            let right = found.unsure && found.facts.first().is_some_and(|fact| told(fact).contains(near));
            return (!right).then(|| format!("{asked}: {found:?}"));
        }
        let found = if found.unsure { Vec::new() } else { found.facts };
        let told = |fact: &Fact| {
            let told = memory.told_to(fact, Some(asked), &by).unwrap();
            if told.is_empty() { fact.text.clone() } else { told }
        };
        let unwanted = text(step, "not").is_some_and(|not| found.iter().any(|fact| told(fact).contains(not)));
        let dated = text(step, "when").is_none_or(|it| found.first().and_then(when) == Some(it));
        let right = is_like(found.first().map(told).as_deref(), "answer") && !unwanted && dated;
        let found: Vec<_> = found.iter().map(|fact| (told(fact), when(fact))).collect();
        return (!right).then(|| format!("{asked}: {found:?}"));
    }
    let asked = text(step, "forget").expect("say, tell, remember, ask or forget");
    let every = get(step, "every").and_then(Yaml::as_bool).unwrap_or(false);
    let gone = memory.forget(asked, every, &by).unwrap().gone;
    let count = gone.iter().filter(|fact| fact.ended_unix_ms.is_none()).count() as i64;
    (Some(count) != get(step, "gone").and_then(Yaml::as_integer)).then(|| format!("forget {asked}: {gone:?}"))
}

#[test]
fn what_names_nothing_cannot_be_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path(), &reader("en"));
    for text in ["we went there last year", "i love it there", "i put it there on monday", "she has one"] {
        assert!(!memory.can_be_asked_for(text), "{text}");
    }
    for text in ["we're vegan", "we went to crete last year", "that boiler leaks again"] {
        assert!(memory.can_be_asked_for(text), "{text}");
    }
}

#[test]
fn what_a_model_has_read_is_kept_and_replaces_nothing_that_a_rule_has() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path(), &reader("en"));
    let by = Requester { speaker: Speaker::Owner, ..Requester::default() };
    let read = |subject: SaidSubject, relation: &str, object: &str, many| SaidStatement {
        subject,
        subject_kind: EntityKind::Person,
        relation: relation.into(),
        qualifier: String::new(),
        object: object.into(),
        object_kind: Some(EntityKind::Person),
        many,
        opposite: None,
        ends: false,
        private: false,
        asked_only: false,
        dating: Dating::default(),
        sure: 0.5,
        told: "your sister Julia works as a nurse".into(),
        language: "en".into(),
    };
    memory.remember("my wife is Anna", 1, &by, None, Asked::default()).unwrap();
    let text = "Julia, my sister, nurses people";
    assert!(!memory.reads_statement(text) && memory.reads_statement("Well. My wife is Anna."));
    let all = [
        read(SaidSubject::Me, "sister", "Julia", true),
        read(SaidSubject::Named("Julia".into()), "profession", "nurse", false),
        read(SaidSubject::Me, "spouse", "Julia", false),
    ];
    assert_eq!(memory.remember_read(text, &all, 2, &by, Some("t2")).unwrap(), 2);
    let answer = |asked: &str| memory.recall(asked, &by).unwrap().facts;
    assert_eq!(told(&answer("what is my wife's name")[0]), "Anna is your wife");
    let works = answer("what does Julia do");
    assert_eq!((works[0].source.sure, works[0].source.turn.as_deref()), (0.5, Some("t2")));
    assert_eq!(answer("who is my sister")[0].statement.as_ref().unwrap().object, "Julia");
    // A rule replaces it.
    memory.remember("Julia works as a pilot", 3, &by, None, Asked::default()).unwrap();
    let now: Vec<String> = answer("what does Julia do").into_iter().map(|fact| fact.text).collect();
    assert_eq!(now, ["Julia works as a pilot"]);
}

fn memory(folder: &Path, reader: &Arc<dyn StatementReader>) -> Memory {
    let store = Store::open(&folder.join("hark.db")).unwrap();
    Memory::new(Arc::new(store)).with_reader(reader.clone()).keeping_private(true)
}

#[test]
fn conversations_over_days_come_out_right() {
    let (mut count, mut failed) = (0, Vec::new());
    for code in ["en", "de"] {
        let (table, reader) = (table(code), reader(code));
        for conversation in get(&table, "conversations").and_then(Yaml::as_vec).unwrap() {
            count += 1;
            let folder = tempfile::tempdir().unwrap();
            let mut today = 0;
            let mut memory = memory(folder.path(), &reader);
            for step in get(conversation, "steps").and_then(Yaml::as_vec).unwrap() {
                let day = get(step, "day").and_then(Yaml::as_integer).unwrap_or(today);
                if day != today {
                    // Hark was started anew since, after what was written behind the last turn.
                    memory.keep_recent(today).unwrap();
                    drop(memory);
                    memory = self::memory(folder.path(), &reader);
                    today = day;
                }
                let name = text(conversation, "name").unwrap();
                failed
                    .extend(wrong(&memory, step, day).map(|why| format!("{code}, {name}, day {day}: {why}")));
            }
        }
    }
    assert!(count >= 40, "{count} conversations");
    assert!(failed.is_empty(), "{} steps of {count} conversations:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn of_what_is_said_in_passing_statements_are_kept_and_nothing_else() {
    let mut wrong = Vec::new();
    for code in ["en", "de"] {
        let (table, reader) = (table(code), reader(code));
        let lines = |key: &str| -> Vec<String> {
            let lines = get(&table, key).and_then(Yaml::as_vec).unwrap();
            lines.iter().map(|line| line.as_str().unwrap().to_owned()).collect()
        };
        let is_kept = |line: &String| reader.statement(line).is_some_and(|said| !said.asked_only);
        let (statements, passing) = (lines("statements"), lines("passing"));
        let right = statements.iter().filter(|line| is_kept(line)).count();
        let extra = passing.iter().filter(|line| is_kept(line)).count();
        println!(
            "{code}: {right} of {} statements are kept, and {extra} of {} others",
            statements.len(),
            passing.len()
        );
        wrong.extend(statements.iter().filter(|line| !is_kept(line)).map(|line| format!("not kept: {line}")));
        wrong.extend(
            passing
                .iter()
                .filter(|line| is_kept(line))
                .map(|line| format!("kept: {line}: {:?}", reader.statement(line))),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn texts_that_want_something_are_kept_only_when_asked_to_and_as_words() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path(), &reader("en"));
    let owner = Requester { speaker: Speaker::Owner, ..Requester::default() };
    let attempts = table("injections");
    let attempts = get(&attempts, "attempts").and_then(Yaml::as_vec).unwrap();
    assert_eq!(attempts.len(), 50);
    for (number, attempt) in attempts.iter().filter_map(Yaml::as_str).enumerate() {
        let passing = memory.remember(attempt, 1, &owner, None, Asked::default()).unwrap();
        assert_eq!(passing, Kept::Nothing, "{attempt}");
        assert_eq!(memory.remember_in_passing(attempt, 1, &owner, None).unwrap(), 0, "{attempt}");
        let asked = Asked { telling: Telling::Asked, private: false };
        let Kept::New(fact, replaced) = memory.remember(attempt, 1, &owner, None, asked).unwrap() else {
            panic!("{attempt}");
        };
        assert_eq!((fact.text.as_str(), replaced.len()), (attempt, 0));
        // What it says of forgetting was not carried out.
        assert_eq!(memory.list(&WhichFacts::Current, 100).unwrap().len(), number + 1);
    }
}

#[test]
fn a_guest_ends_nothing_of_the_owners_by_telling_that_it_is_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path(), &reader("en"));
    let by = |speaker| Requester { speaker, conversation: "test".into(), ..Requester::default() };
    let tell = |text: &str, speaker| {
        let asked = Asked { telling: Telling::Whole, private: false };
        memory.remember_each(text, 1, &by(speaker), None, asked).unwrap()
    };
    tell("the long ladder went to martin across the road", Speaker::Owner);
    tell("martin has brought the long ladder back again", Speaker::Unknown);
    let current = || memory.list(&WhichFacts::Current, 10).unwrap().len();
    assert_eq!(current(), 2, "both are told");
    tell("martin has got the long ladder again now", Speaker::Owner);
    assert_eq!(current(), 2, "the newest takes the place of one");
}

#[test]
fn what_was_told_is_listed_by_whom_it_is_about() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path(), &reader("en"));
    let owner = Requester { speaker: Speaker::Owner, ..Requester::default() };
    let kept = memory
        .remember_in_passing(
            "Hello! My wife is Anna. Anna likes tulips. Do I like tulips? It rains.",
            1,
            &owner,
            Some("t1"),
        )
        .unwrap();
    assert_eq!(kept, 2);
    let about = |whom: &str| memory.list(&WhichFacts::About(whom.into()), 10).unwrap().len();
    assert_eq!(
        (about("Anna"), about("my wife"), about("tulips"), about("me"), about("Bob")),
        (2, 2, 1, 2, 0)
    );
    let fact = &memory.list(&WhichFacts::About("tulips".into()), 1).unwrap()[0];
    assert_eq!(fact.source.turn.as_deref(), Some("t1"));
    assert!(fact.source.sure < 0.9, "nobody asked to remember it");
    let told_of = memory.told_of(10).unwrap();
    assert!(told_of.iter().any(|(entity, facts)| entity.name == "Anna" && *facts == 2), "{told_of:?}");
}

#[test]
fn a_model_is_told_of_those_whom_relations_lead_to_and_of_whom_a_conversation_was_about() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path(), &reader("en"));
    let by = Requester { speaker: Speaker::Owner, conversation: "desk".into(), ..Requester::default() };
    for told in
        ["my wife is Anna", "Anna's sister is Berta", "Berta works at the bakery", "Tom lives in Oslo"]
    {
        memory.remember(told, 1, &by, None, Asked { telling: Telling::Asked, private: false }).unwrap();
    }
    let context = memory.context("what might my wife's sister want for lunch", &by, 2, 8).unwrap();
    let texts: Vec<&str> = context.iter().map(|fact| fact.text.as_str()).collect();
    assert!(
        texts.contains(&"Berta works at the bakery") && !texts.contains(&"Tom lives in Oslo"),
        "{texts:?}"
    );
    assert!(memory.is_asked("where does my wife's sister work").unwrap());
    let recent = memory.recent_names(&by);
    assert!(recent.len() <= 10 && recent.contains(&"Berta".to_owned()), "{recent:?}");
    assert!(memory.recent_names(&Requester { conversation: "other".into(), ..by.clone() }).is_empty());
    // Somebody unknown in the room hears no names of what may be private.
    let stranger = Requester { speaker: Speaker::Unknown, aloud: true, ..by };
    assert!(memory.recent_names(&stranger).is_empty());
}

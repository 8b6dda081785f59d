//! What the statement rules read, as slots; whole conversations are in `crates/hark-memory/tests`.

use super::*;
use std::path::Path;

fn english() -> Statements {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/languages/en/memory");
    Statements::load(&[("en".to_owned(), vec![folder])]).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

#[test]
fn a_statement_has_a_subject_a_relation_and_an_object() {
    let english = english();
    let said = english.statement("My wife's name is Anna.").unwrap();
    assert_eq!(
        (said.subject, said.relation.as_str(), said.object.as_str()),
        (SaidSubject::Me, "spouse", "Anna")
    );
    assert_eq!((said.many, said.object_kind), (false, Some(EntityKind::Person)));
    let said = english.statement("Anna's favourite flower is the tulip").unwrap();
    assert_eq!((said.subject, said.qualifier.as_str()), (SaidSubject::Named("Anna".into()), "flower"));
    let said = english.statement("my brother likes jazz a lot").unwrap();
    assert_eq!(said.subject, SaidSubject::MyRelative("brother".into()));
    assert_eq!((said.opposite.as_deref(), said.many), (Some("dislikes"), true));
    let said = english.statement("the spare key is under the pot").unwrap();
    assert_eq!((said.relation.as_str(), said.asked_only), ("place", false));
    assert!(english.statement("the cat is under the table").unwrap().asked_only, "it moves");
    assert!(english.statement("is my wife called Anna?").is_none());
    assert!(english.statement(&"my wife is called Anna ".repeat(50)).is_none(), "too long");
}

#[test]
fn a_question_says_whom_and_which_relation() {
    let english = english();
    let asked = english.question("what is my wife's name?").unwrap();
    assert_eq!((asked.subject, asked.relations), (Some(SaidSubject::Me), vec!["spouse".to_owned()]));
    let asked = english.question("who likes olives").unwrap();
    assert_eq!((asked.subject, asked.object.as_deref()), (None, Some("olives")));
    let asked = english.question("what do you know about Anna").unwrap();
    assert_eq!((asked.subject, asked.relations.len()), (Some(SaidSubject::Named("Anna".into())), 0));
    assert!(english.question("turn on the light").is_none());
}

#[test]
fn mistakes_in_the_files_are_told_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("statements.yaml");
    std::fs::write(
        file,
        "language: en\nintents:\n  HarkTold:\n    data:\n      - sentences: [\"my {nobody} is\"]\n",
    )
    .unwrap();
    let problems = Statements::load(&[("en".to_owned(), vec![folder.path().to_owned()])]).err().unwrap();
    assert!(problems[0].to_string().contains("nobody"), "{problems:?}");
    let none = Statements::load(&[("xx".to_owned(), vec![folder.path().join("none")])]).unwrap();
    assert!(none.statement("my wife is called Anna").is_none());
}

#[test]
fn what_was_told_in_another_language_is_told_in_that_of_the_question() {
    let folder = |code: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/languages").join(code).join("memory")
    };
    let languages = ["en", "de"].map(|code| (code.to_owned(), vec![folder(code)]));
    let rules = Statements::load(&languages).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let told = |text: &str, question: &str| {
        let said = rules.statement(text).unwrap();
        let entity =
            |key: &str, name: &str| Entity { key: key.into(), name: name.into(), kind: EntityKind::Person };
        let fact = Fact {
            text: text.into(),
            source: hark_core::memory::Source { language: said.language.clone(), ..Default::default() },
            statement: Some(Statement {
                subject: match said.subject {
                    SaidSubject::Named(name) => entity(&name.to_lowercase(), &name),
                    SaidSubject::MyRelative(relation) => entity(&format!(":{relation}"), ""),
                    _ => entity(OWNER_KEY, ""),
                },
                relation: said.relation,
                qualifier: said.qualifier,
                object: said.object,
                entity: None,
                many: said.many,
            }),
            ..Fact::default()
        };
        rules.retold(&fact, question, None)
    };
    for (text, question, answer) in [
        ("meine Frau heißt Anna", "what is my wife's name", Some("you are married to Anna")),
        ("my wife's name is Anna", "wie heißt meine Frau", Some("du bist mit Anna verheiratet")),
        ("mein Hund heißt Rex", "what is my dog's name", Some("your dog is called Rex")),
        ("my sister is called Lena", "wer ist meine Schwester", Some("Lena ist deine Schwester")),
        ("Max lives in Bremen", "wo wohnt Max", Some("Max wohnt in Bremen")),
        ("my sister lives in Bremen", "wo wohnt meine Schwester", None),
        ("my wife's name is Anna", "what is my wife's name", None),
        ("Anna's favourite flower is the tulip", "was weißt du über Anna", None),
    ] {
        assert_eq!(told(text, question).as_deref(), answer, "{text}: {question}");
    }
}

#[test]
fn where_something_goes_is_kept_with_its_day_only() {
    let english = english();
    let said = english.statement("my car goes to the garage on Friday").unwrap();
    assert_eq!((said.subject, said.relation.as_str()), (SaidSubject::Named("car".into()), "goes"));
    let no_day = english.statement("the dishwasher goes to the kitchen");
    assert!(no_day.is_none_or(|said| said.asked_only), "no day");
    let asked = english.question("when does my car go to the garage").unwrap();
    assert_eq!(
        (asked.subject, asked.object.as_deref()),
        (Some(SaidSubject::Named("car".into())), Some("garage"))
    );
}

//! What a text states that was said in passing and that no rule reads: a model reads it in the background, under contract. Only
//! what stands in the text in these words is taken, and it is less sure than what a rule reads.

use super::{ModelTasks, News, Tell};
use crate::contracts::{Contract, Options};
use crate::dialog_act;
use hark_core::memory::{Dating, EntityKind, SaidStatement, SaidSubject};
use hark_core::session::EntryTag;
use hark_language::Lexicon;
use hark_language::names::normal;
use serde::Deserialize;
use serde_json::{Value, json};

/// How sure what a model reads is: less than any rule.
const SURE: f32 = 0.5;
/// Words of a text that may state something.
const WORDS: std::ops::RangeInclusive<usize> = 3..=60;

/// Relations of which one can have one at a time.
const ONE: [&str; 13] = [
    "name",
    "spouse",
    "partner",
    "mother",
    "father",
    "best_friend",
    "boss",
    "favourite",
    "birthday",
    "age",
    "lives",
    "works",
    "profession",
];
/// Relations whose facts are private: `memory.private` keeps them from unknown speakers.
const PRIVATE: [&str; 5] = ["allergy", "diet", "birthday", "age", "appointment"];
/// Relations that cannot hold of the same two.
const OPPOSITES: [(&str, &str); 2] = [("likes", "dislikes"), ("dislikes", "likes")];
/// Relations whose dates are meant once.
const ONCE: [&str; 3] = ["trip", "visit", "appointment"];

/// A statement as the contract has it.
#[derive(Deserialize)]
struct Stated {
    subject: String,
    #[serde(default)]
    subject_is: String,
    subject_kind: Option<EntityKind>,
    relation: String,
    #[serde(default)]
    qualifier: String,
    object: String,
    object_kind: Option<EntityKind>,
}

impl ModelTasks {
    /// What a text states by a model's reading; nothing for a text that asks or wants something, or where there is no valid
    /// answer. Dropping the future ends it.
    pub async fn facts(&self, text: &str, language: &str, tell: &Tell) -> Vec<SaidStatement> {
        let known = hark_language::known(language).or_else(|| self.parts.languages.first().copied());
        let Some(lexicon) = known.filter(|lexicon| may_state(text, lexicon)) else { return Vec::new() };
        let teller = tell.clone();
        let mut report = move |event| teller(News::Told { event });
        let vars = json!({"text": text, "language": lexicon.code});
        let options = Options::new(&mut report);
        let (contracts, model) = (&self.parts.contracts, &*self.parts.model);
        let outcome = contracts.call(model, Contract::FactExtraction, &vars, options).await;
        if outcome.fallback { Vec::new() } else { statements(&outcome.value, text, lexicon) }
    }
}

/// Whether a text is a remark of a usual length, and neither asks nor wants anything.
fn may_state(text: &str, lexicon: &'static Lexicon) -> bool {
    let is_remark = matches!(dialog_act::tag(text, &[lexicon]), EntryTag::Other | EntryTag::Correction);
    is_remark && WORDS.contains(&text.split_whitespace().count())
}

fn statements(value: &Value, text: &str, lexicon: &Lexicon) -> Vec<SaidStatement> {
    let all = value["facts"].as_array().cloned().unwrap_or_default();
    let all = all.into_iter().filter_map(|one| serde_json::from_value::<Stated>(one).ok());
    all.filter_map(|stated| statement(stated, text, lexicon)).collect()
}

/// A statement whose ends stand in the text; `None` for what the model has made up.
fn statement(stated: Stated, text: &str, lexicon: &Lexicon) -> Option<SaidStatement> {
    let Stated { subject, subject_is, subject_kind, relation, qualifier, object, object_kind } = stated;
    let (subject, object) = (subject.trim(), object.trim());
    let said = format!(" {} ", normal(text));
    let stands_there = |words: &str| {
        let words = normal(words);
        !words.is_empty() && said.contains(&format!(" {words} "))
    };
    let subject = match (subject, subject_is.as_str()) {
        ("me", _) => SaidSubject::Me,
        ("", is) if !is.is_empty() => SaidSubject::MyRelative(is.to_owned()),
        (name, _) if stands_there(name) && !lexicon.memory.is_passing(name) => {
            SaidSubject::Named(name.to_owned())
        }
        _ => return None,
    };
    if !stands_there(object) || lexicon.memory.is_passing(object) {
        return None;
    }
    let is_of = |relations: &[&str]| relations.contains(&relation.as_str());
    let dating = match relation.as_str() {
        "birthday" => Dating::Yearly,
        _ if is_of(&ONCE) => Dating::Once,
        _ => Dating::FromToday,
    };
    let opposite = OPPOSITES.iter().find(|(one, _)| *one == relation).map(|(_, other)| (*other).to_owned());
    Some(SaidStatement {
        subject,
        subject_kind: subject_kind.unwrap_or(EntityKind::Person),
        qualifier: if stands_there(&qualifier) { qualifier.trim().to_lowercase() } else { String::new() },
        object: object.to_owned(),
        object_kind,
        many: !is_of(&ONE),
        opposite,
        ends: false,
        private: is_of(&PRIVATE),
        asked_only: false,
        dating,
        sure: SURE,
        told: lexicon.memory.told_back(text.trim().trim_end_matches(['.', '!'])),
        language: lexicon.code.to_owned(),
        relation,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(facts: Value, text: &str) -> Vec<(SaidSubject, String, String)> {
        let found = statements(&json!({ "facts": facts }), text, hark_language::of("en"));
        found.into_iter().map(|it| (it.subject, it.relation, it.object)).collect()
    }

    #[test]
    fn what_stands_in_the_text_is_taken_and_what_does_not_is_left() {
        let text = "My sister Julia works as a nurse in Leeds, by the way.";
        let facts = json!([
            {"subject": "me", "relation": "sister", "object": "Julia", "object_kind": "person"},
            {"subject": "Julia", "relation": "profession", "object": "nurse"},
            {"subject": "", "subject_is": "sister", "relation": "lives", "object": "Leeds"},
            {"subject": "Julia", "relation": "lives", "object": "London"},
            {"subject": "Bob", "relation": "likes", "object": "nurse"},
            {"subject": "", "relation": "likes", "object": "nurse"},
            {"subject": "Julia", "relation": "is", "object": "this"},
        ]);
        let said = |subject, relation: &str, object: &str| (subject, relation.to_owned(), object.to_owned());
        assert_eq!(
            read(facts, text),
            [
                said(SaidSubject::Me, "sister", "Julia"),
                said(SaidSubject::Named("Julia".into()), "profession", "nurse"),
                said(SaidSubject::MyRelative("sister".into()), "lives", "Leeds"),
            ]
        );
    }

    #[test]
    fn only_remarks_are_read() {
        let en = hark_language::of("en");
        for (text, expected) in [
            ("my sister Julia works as a nurse", true),
            ("no, I meant that she lives in Leeds", true),
            ("does my sister work as a nurse?", false),
            ("tell my sister that I am late", false),
            ("thanks", false),
        ] {
            assert_eq!(may_state(text, en), expected, "{text}");
        }
    }

    #[test]
    fn it_is_less_sure_than_a_rule_and_told_in_the_second_person() {
        let facts = json!({"facts": [{"subject": "me", "relation": "spouse", "object": "Anna"}]});
        let found = statements(&facts, "I got married to Anna last year.", hark_language::of("en"));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].sure, found[0].many), (SURE, false));
        assert_eq!(found[0].told, "you got married to Anna last year");
    }
}

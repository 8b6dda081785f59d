//! Statements about the household and questions about them, read by the sentence files of `memory/` in each language's
//! folder: the same templates and the same grammar as requests, compiled without a home. What slots say stands at the
//! beginning of `models/languages/en/memory/statements.yaml`. Nothing is looked up here: "my wife" stays "my wife".

use super::grammar::{Grammar, Match};
use super::problem::Problem;
use super::sentences::Sentences;
use super::told_time;
use chrono::NaiveDateTime;
use hark_core::Slots;
use hark_core::memory::{
    Dating, Entity, EntityKind, Fact, OWNER_KEY, Said, SaidQuestion, SaidStatement, SaidTime, Statement,
    StatementReader,
};
use hark_language::Lexicon;
use minijinja::{Environment, UndefinedBehavior};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Intent of statements and of questions in these files.
const TOLD: &str = "HarkTold";
const ASKED: &str = "HarkAsked";

/// The responses that tell a statement in this language when it was told in another one, by the type of its relation.
const RETOLD: &str = "HarkRetold";

/// Longest text that is read, bytes: no statement is longer, and reading one costs more with every word.
const MAX_BYTES: usize = 300;

/// Words at most beside the date of something that happens once: where, or with whom.
const MAX_BESIDE_DATE: usize = 3;

/// How sure a statement is whose rule does not say.
const SURE: f32 = 0.9;

/// The rules of the languages that are spoken here, the usual one first.
pub struct Statements {
    languages: Vec<Rules>,
}

/// Those of a language.
struct Rules {
    lexicon: &'static Lexicon,
    grammar: Grammar,
    /// How statements are told back, by the key of the response.
    told: BTreeMap<String, String>,
    /// Templates of the sentences for statements that were told in another language, by relation.
    retold: BTreeMap<String, String>,
}

impl Statements {
    /// Reads the files of each language: its code, and its folders with those of the owner last. A language without
    /// files has no statements.
    ///
    /// # Errors
    /// Every mistake in every file.
    pub fn load(languages: &[(String, Vec<PathBuf>)]) -> Result<Self, Vec<Problem>> {
        let mut found = Vec::new();
        let mut problems = Vec::new();
        for (code, folders) in languages {
            if Sentences::there_are(folders, code).is_err() {
                continue;
            }
            match Sentences::load(folders, code) {
                Ok(sentences) => found.push(Rules::new(&sentences)),
                Err(mistakes) => problems.extend(mistakes),
            }
        }
        if problems.is_empty() { Ok(Self { languages: found }) } else { Err(problems) }
    }

    /// What the first language that can reads in a text.
    fn read<T>(&self, text: &str, read: impl Fn(&Rules, Match) -> Option<T>) -> Option<T> {
        if text.len() > MAX_BYTES {
            return None;
        }
        self.languages.iter().find_map(|rules| read(rules, rules.grammar.parse(text)?))
    }
}

impl StatementReader for Statements {
    fn statement(&self, text: &str) -> Option<SaidStatement> {
        // Whoever asks states nothing.
        if text.trim_end().ends_with('?') {
            return None;
        }
        self.read(text, |rules, found| rules.statement(text, &found))
    }

    fn question(&self, text: &str) -> Option<SaidQuestion> {
        self.read(text, |rules, found| rules.question(&found))
    }

    fn time(&self, text: &str, language: &str, now: NaiveDateTime, dating: Dating) -> Option<SaidTime> {
        let of_it = |rules: &&Rules| language.is_empty() || rules.lexicon.code == language;
        if text.len() > MAX_BYTES {
            return None;
        }
        self.languages.iter().filter(of_it).find_map(|it| told_time::read(text, it.lexicon, now, dating))
    }

    fn retold(&self, fact: &Fact, question: &str) -> Option<String> {
        let statement = fact.statement.as_ref()?;
        let language = self.question(question)?.language;
        if language == fact.source.language {
            return None;
        }
        self.languages.iter().find(|rules| rules.lexicon.code == language)?.retold(statement)
    }
}

impl Rules {
    fn new(sentences: &Sentences) -> Self {
        Self {
            lexicon: hark_language::of(sentences.language()),
            grammar: Grammar::new(sentences, &Default::default()),
            told: sentences.responses().get(TOLD).cloned().unwrap_or_default(),
            retold: sentences.responses().get(RETOLD).cloned().unwrap_or_default(),
        }
    }

    fn statement(&self, text: &str, found: &Match) -> Option<SaidStatement> {
        let slots = Some(&found.slots).filter(|_| found.intent == TOLD)?;
        let memory = &self.lexicon.memory;
        let flag = |slot: &str| slots.get(slot).and_then(Value::as_bool).unwrap_or(false);
        let kind = |slot: &str| EntityKind::named(slots.get(slot)?.as_str()?);
        let ends = flag("ends");
        let object = trimmed(words(slots, "object").unwrap_or_default());
        let qualifier = words(slots, "qualifier").unwrap_or_default().to_lowercase();
        let subject = self.subject(slots)?;
        let is_said = !object.is_empty() && !memory.is_passing(object);
        if !(is_said || ends && object.is_empty()) || !qualifier.is_empty() && memory.is_passing(&qualifier) {
            return None;
        }
        let named = slots.get("name").is_some();
        if named && memory.is_condition(object) {
            return None;
        }
        let dating = match words(slots, "dating").unwrap_or_default() {
            "once" | "needed" => Dating::Once,
            "yearly" => Dating::Yearly,
            _ => Dating::FromToday,
        };
        if words(slots, "dating") == Some("needed") && !self.is_date(object) {
            return None;
        }
        let is_capital = object.chars().next().is_some_and(char::is_uppercase);
        let doubtful = slots.get("name").is_some_and(|name| name == "capital") && !is_capital;
        Some(SaidStatement {
            subject,
            subject_kind: kind("subject_kind").unwrap_or(EntityKind::Person),
            relation: words(slots, "relation")?.to_owned(),
            qualifier,
            object: object.to_owned(),
            object_kind: kind("object_kind"),
            many: flag("many"),
            opposite: words(slots, "opposite").map(str::to_owned),
            ends,
            private: flag("private"),
            asked_only: flag("asked") || doubtful,
            dating,
            sure: slots.get("sure").and_then(Value::as_f64).map_or(SURE, |sure| sure as f32),
            told: self.told(text, found),
            language: self.lexicon.code.to_owned(),
        })
    }

    /// Whether words are a date with few others round it: "next tuesday at the clinic".
    fn is_date(&self, said: &str) -> bool {
        // Whether there is one at all does not depend on the day.
        let found = told_time::read(said, self.lexicon, NaiveDateTime::default(), Dating::Once);
        found.and_then(|time| said.split_once(&time.words)).is_some_and(|(before, behind)| {
            let counts = [before, behind].map(|rest| rest.split_whitespace().count());
            counts.contains(&0) && counts.iter().sum::<usize>() <= MAX_BESIDE_DATE
        })
    }

    fn question(&self, found: &Match) -> Option<SaidQuestion> {
        let slots = Some(&found.slots).filter(|_| found.intent == ASKED)?;
        let relations = ["relation", "also"].iter().filter_map(|slot| words(slots, slot)).map(str::to_owned);
        let relations: Vec<String> = relations.collect();
        let says_whom =
            ["subject", "who", "whose", "my_relative", "pronoun"].iter().any(|it| slots.contains_key(*it));
        let subject = if says_whom { Some(self.subject(slots)?) } else { None };
        let object = words(slots, "object").map(|object| trimmed(object).to_owned());
        if subject.is_none() && object.is_none() && relations.is_empty() {
            return None;
        }
        let qualifier = words(slots, "qualifier").unwrap_or_default().to_lowercase();
        Some(SaidQuestion { subject, relations, qualifier, object, language: self.lexicon.code.to_owned() })
    }

    /// Whom it is about; `None` for words that are no name.
    fn subject(&self, slots: &Slots) -> Option<Said> {
        let memory = &self.lexicon.memory;
        let named = |name: &str| {
            let name = trimmed(name);
            let whole = hark_language::names::normal(name);
            (!memory.is_passing(name) && !whole.is_empty()).then(|| Said::Named(name.to_owned()))
        };
        if let Some(relation) = words(slots, "my_relative") {
            return Some(Said::MyRelative(relation.to_owned()));
        }
        if let Some(kind) = words(slots, "pronoun") {
            return Some(Said::Pronoun(EntityKind::named(kind)?));
        }
        if let Some(owner) = words(slots, "whose") {
            return named(memory.owner(trimmed(owner)));
        }
        if let Some(name) = words(slots, "who") {
            return named(name);
        }
        (words(slots, "subject")? == "me").then_some(Said::Me)
    }

    /// The statement as it is told to the one who made it.
    fn told(&self, text: &str, found: &Match) -> String {
        let memory = &self.lexicon.memory;
        let key = found.response.as_deref().unwrap_or_default();
        let Some(template) = self.told.get(key) else { return memory.told_back(text) };
        let mut values: Map<String, Value> = Map::new();
        for (slot, value) in &found.slots {
            let told = value.as_str().map(|value| Value::from(memory.told_back(trimmed(value))));
            values.insert(slot.clone(), told.unwrap_or_else(|| value.clone()));
        }
        let span = found.spans.iter().find(|span| span.slot == "relation");
        if let Some(span) = span {
            let said = found.words.get(span.start..span.end).unwrap_or_default();
            let said: Vec<&str> = said.iter().map(|(word, _)| word.as_str()).collect();
            values.insert("word".to_owned(), Value::from(memory.owner(&said.join(" "))));
        }
        rendered(template, values).unwrap_or_else(|| memory.told_back(text))
    }

    /// A statement that was told in another language. `subject` is empty where it is about whoever told it; one of whom
    /// only the relation is known ("my sister") has no name in this language.
    fn retold(&self, statement: &Statement) -> Option<String> {
        let Entity { key, name, .. } = &statement.subject;
        let subject = if key == OWNER_KEY { "" } else { name.as_str() };
        if key != OWNER_KEY && (name.is_empty() || key.starts_with(':')) {
            return None;
        }
        let values = [("subject", subject), ("object", statement.object.as_str())];
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value)));
        let told = rendered(self.retold.get(&statement.relation)?, values.collect())?;
        Some(told.trim().to_owned()).filter(|told| !told.is_empty())
    }
}

/// `None` for a template that cannot be rendered.
fn rendered(template: &str, values: Map<String, Value>) -> Option<String> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.render_str(template, minijinja::value::Serde(Value::Object(values))).ok()
}

fn words<'s>(slots: &'s Slots, slot: &str) -> Option<&'s str> {
    slots.get(slot)?.as_str().map(str::trim).filter(|words| !words.is_empty())
}

/// Words without the punctuation of the sentence around them.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ".,;:!?\"“”".contains(c))
}

#[cfg(test)]
#[path = "tests/fact_extraction.rs"]
mod tests;

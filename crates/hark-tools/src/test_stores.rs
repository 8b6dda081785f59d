//! In-memory stores for tests, which can be told to fail.

pub(crate) use super::home_stores::{InMemoryAutomations, InMemoryLists, InMemoryTimers};
use super::names::normal;
use hark_core::documents::{Document, DocumentStatus, Documents, FoundPassage, IndexChange};
use hark_core::memory::{Entity, VectorState, Vectors};
use hark_core::ports::{Fact, FactStore};
use hark_core::speaker::{EnrolledSpeaker, Enrolment, Speakers};
use hark_core::{Fault, FaultKind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Documents whose passages answer where a word of them is asked for; the second number is their page.
#[derive(Default)]
pub(crate) struct InMemoryDocuments(pub(crate) Vec<(&'static str, Option<u32>, &'static str)>);

impl Documents for InMemoryDocuments {
    fn search(&self, question: &str) -> Result<Vec<FoundPassage>, Fault> {
        let found = |(title, page, text): &(&str, Option<u32>, &str)| FoundPassage {
            path: format!("/home/them/{}.pdf", title.to_lowercase().replace(' ', "_")),
            title: (*title).to_owned(),
            heading: String::new(),
            page: *page,
            start_byte: 40,
            end_byte: 40 + text.len(),
            passage: (*text).to_owned(),
            answer: (*text).to_owned(),
            answer_start: 0,
            answer_end: text.len(),
            confidence: 0.9,
            answers: question.split(' ').any(|word| text.contains(word)),
        };
        Ok(self.0.iter().map(found).collect())
    }

    fn list(&self) -> Result<Vec<Document>, Fault> {
        Ok(Vec::new())
    }

    fn status(&self) -> Result<DocumentStatus, Fault> {
        Ok(DocumentStatus { documents: self.0.len(), ..DocumentStatus::default() })
    }

    fn add(&self, _path: &Path, _is_owner: bool) -> Result<IndexChange, Fault> {
        Ok(IndexChange::default())
    }

    fn remove(&self, _path: &Path, _is_owner: bool) -> Result<IndexChange, Fault> {
        Ok(IndexChange::default())
    }
}

/// People whose voices are known; the last request was said by nobody who can be enrolled, unless told otherwise.
#[derive(Default)]
pub(crate) struct InMemorySpeakers {
    pub(crate) people: Mutex<Vec<EnrolledSpeaker>>,
    pub(crate) answer: Mutex<Option<Enrolment>>,
}

impl Speakers for InMemorySpeakers {
    fn people(&self) -> Result<Vec<EnrolledSpeaker>, Fault> {
        Ok(self.people.lock().unwrap().clone())
    }

    fn enrol_last(&self, name: &str, now_unix_ms: i64) -> Result<Enrolment, Fault> {
        if let Some(answer) = self.answer.lock().unwrap().clone() {
            return Ok(answer);
        }
        let person = EnrolledSpeaker { name: name.to_owned(), samples: 1, told_unix_ms: now_unix_ms };
        self.people.lock().unwrap().push(person.clone());
        Ok(Enrolment::Enrolled(person))
    }

    fn enrol(&self, name: &str, _sound: &[f32], now_unix_ms: i64) -> Result<Enrolment, Fault> {
        self.enrol_last(name, now_unix_ms)
    }

    fn forget(&self, name: &str) -> Result<bool, Fault> {
        let mut people = self.people.lock().unwrap();
        let before = people.len();
        people.retain(|person| person.name != name);
        Ok(people.len() < before)
    }
}

/// Keeps facts: no graph, their words only; refuses everything while told to.
#[derive(Default)]
pub(crate) struct InMemoryFacts {
    pub(crate) facts: Mutex<Vec<Fact>>,
    pub(crate) refuses: AtomicBool,
}

impl InMemoryFacts {
    fn check(&self) -> Result<(), Fault> {
        match self.refuses.load(Ordering::SeqCst) {
            true => Err(Fault::new(FaultKind::Unavailable, "store", "full", "make room")),
            false => Ok(()),
        }
    }
}

impl FactStore for InMemoryFacts {
    fn remember(&self, fact: &Fact, _ends: &[i64]) -> Result<Fact, Fault> {
        self.check()?;
        let mut facts = self.facts.lock().unwrap();
        let id = facts.iter().map(|fact| fact.id).max().unwrap_or(0) + 1;
        let fact = Fact { id, ..fact.clone() };
        facts.push(fact.clone());
        Ok(fact)
    }

    fn restore(&self, fact: &Fact) -> Result<(), Fault> {
        self.check()?;
        self.facts.lock().unwrap().push(fact.clone());
        Ok(())
    }

    fn take_back(&self, id: i64) -> Result<(), Fault> {
        self.forget(&[id]).map(drop)
    }

    fn search(&self, words: &[String], any: bool, most: usize) -> Result<Vec<Fact>, Fault> {
        let holds = |fact: &&Fact| {
            let has = normal(&fact.text);
            let mut asked = words.iter().map(|word| has.split(' ').any(|has| has == word));
            if any { asked.any(|found| found) } else { !words.is_empty() && asked.all(|found| found) }
        };
        Ok(self.facts.lock().unwrap().iter().filter(holds).take(most).cloned().collect())
    }

    fn newest(&self, most: usize) -> Result<Vec<Fact>, Fault> {
        Ok(self.facts.lock().unwrap().iter().rev().take(most).cloned().collect())
    }

    fn by_ids(&self, ids: &[i64]) -> Result<Vec<Fact>, Fault> {
        Ok(self.facts.lock().unwrap().iter().filter(|fact| ids.contains(&fact.id)).cloned().collect())
    }

    fn about(&self, _keys: &[String], _most: usize) -> Result<Vec<Fact>, Fault> {
        Ok(Vec::new())
    }

    fn history(&self, _most: usize) -> Result<Vec<Fact>, Fault> {
        Ok(Vec::new())
    }

    fn entities(&self, _keys: &[String]) -> Result<Vec<Entity>, Fault> {
        Ok(Vec::new())
    }

    fn all_entities(&self, _most: usize) -> Result<Vec<(Entity, u64)>, Fault> {
        Ok(Vec::new())
    }

    fn rename(&self, _key: &str, _now: &Entity) -> Result<(), Fault> {
        Ok(())
    }

    fn forget(&self, ids: &[i64]) -> Result<Vec<Fact>, Fault> {
        self.check()?;
        let mut facts = self.facts.lock().unwrap();
        let gone = facts.iter().filter(|fact| ids.contains(&fact.id)).cloned().collect();
        facts.retain(|fact| !ids.contains(&fact.id));
        Ok(gone)
    }

    fn end(&self, ids: &[i64], _now_unix_ms: i64) -> Result<(), Fault> {
        self.forget(ids).map(drop)
    }

    fn keep_vector(&self, _id: i64, _encoder: &str, _vector: &[u8]) -> Result<(), Fault> {
        Ok(())
    }

    fn vectors(&self, _encoder: &str, _known: Option<VectorState>) -> Result<Option<Vectors>, Fault> {
        Ok(Some(Vectors::default()))
    }

    fn keep_recent(&self, _: &str, _: &[Entity], _: i64, _: usize) -> Result<(), Fault> {
        self.check()
    }

    fn recent(&self, _conversation: Option<&str>) -> Result<Vec<Entity>, Fault> {
        Ok(Vec::new())
    }

    fn without_vector(&self, _encoder: &str, _most: usize) -> Result<Vec<(i64, String)>, Fault> {
        Ok(Vec::new())
    }
}

//! Keeping and forgetting: what was told becomes facts, and statements where a rule reads one.

use crate::conversations::Conversations;
use crate::resolve::{RULED, ended_by, resolve};
use crate::vectors::{Word, to_int8};
use chrono::{DateTime, NaiveDateTime};
use hark_core::Fault;
use hark_core::memory::{
    Entity, EntityKind, Fact, FactStore, OWNER_KEY, Requester, SaidStatement, SaidSubject, SaidTime,
    SentenceVectors, Source, Speaker, Statement, StatementReader, Vectors, WhichFacts,
};
use hark_language::names::{asks, is_small, normal, telling_words};
use hark_language::{Lexicon, Phrases, phrases};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Most facts about one entity that are looked at.
pub(crate) const MAX_ABOUT: usize = 1000;
/// How many facts are looked at by their words.
pub(crate) const MAX_LOOKED_AT: usize = 200;
/// Names that are taken out of one fact at most.
const MAX_NAMES: usize = 10;
/// Words of a name at most.
const NAME_WORDS: usize = 3;
/// How much less sure something is that was said in passing to Hark, which was not asked to remember it.
const IN_PASSING: f32 = 0.8;
/// Sentences of one turn that are looked at.
const MAX_SENTENCES: usize = 12;

/// How something was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Telling {
    /// A sentence of which only the lasting statements that a rule reads are kept.
    #[default]
    Stated,
    /// A sentence that as a whole tells something worth to be kept: what no rule reads of it is kept in its words.
    Whole,
    /// "Remember that …": it is kept whatever it says.
    Asked,
}

impl Telling {
    /// How a fact is said back. Only for a statement that was kept as a whole; empty for what Hark was asked to remember,
    /// which is said back as it was told.
    pub(crate) fn told_back(self, fact: &Fact) -> String {
        if self == Self::Whole { told_back(fact) } else { String::new() }
    }
}

/// How Hark is to keep something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asked {
    /// How it was told.
    pub telling: Telling,
    /// It is told only to those who are known, where private facts are kept from others.
    pub private: bool,
}

/// What became of something that was told.
#[derive(Debug, Clone, PartialEq)]
pub enum Kept {
    /// It is kept, and took the place of these.
    New(Box<Fact>, Vec<Fact>),
    /// It was known.
    Known(Box<Fact>),
    /// Somebody more trusted has told otherwise; nothing was kept.
    Refused,
    /// These are not so any more; as they were before.
    Ended(Vec<Fact>),
    /// It is nothing to keep.
    Nothing,
}

/// What was told, in a store; cheap to clone.
#[derive(Clone)]
pub struct Memory {
    pub(crate) store: Arc<dyn FactStore>,
    pub(crate) reader: Option<Arc<dyn StatementReader>>,
    pub(crate) encoder: Option<Arc<dyn SentenceVectors>>,
    /// Local time of milliseconds since the Unix epoch.
    wall: fn(i64) -> NaiveDateTime,
    /// What is private is kept from those who are not known.
    pub(crate) keeps_private: bool,
    pub(crate) state: Arc<Mutex<State>>,
}

/// What is known without asking the store.
#[derive(Default)]
pub(crate) struct State {
    /// What conversations were about last.
    pub(crate) conversations: Conversations,
    pub(crate) vectors: Option<Arc<Vectors>>,
    /// The telling words of facts with their meaning, by id.
    pub(crate) words: BTreeMap<i64, Arc<[Word]>>,
}

impl Memory {
    /// The facts of this store, found by their words; no rule reads statements.
    pub fn new(store: Arc<dyn FactStore>) -> Self {
        let state = Arc::default();
        Self { store, reader: None, encoder: None, wall: utc, keeps_private: false, state }
    }

    /// With the local time, from which "tomorrow" counts; without it that is the time in Greenwich.
    #[must_use]
    pub fn with_wall(self, wall: fn(i64) -> NaiveDateTime) -> Self {
        Self { wall, ..self }
    }

    /// With rules that read statements and questions.
    #[must_use]
    pub fn with_reader(self, reader: Arc<dyn StatementReader>) -> Self {
        Self { reader: Some(reader), ..self }
    }

    /// With an encoder, by which facts are found in other words.
    #[must_use]
    pub fn with_encoder(self, encoder: Arc<dyn SentenceVectors>) -> Self {
        Self { encoder: Some(encoder), ..self }
    }

    /// Whether what is private is kept from those who are not known.
    #[must_use]
    pub fn keeping_private(self, keeps_private: bool) -> Self {
        Self { keeps_private, ..self }
    }

    /// Keeps what was told, and says what became of it.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn remember(
        &self,
        text: &str,
        now_unix_ms: i64,
        by: &Requester,
        turn: Option<&str>,
        asked: Asked,
    ) -> Result<Kept, Fault> {
        let all = self.remember_each(text, now_unix_ms, by, turn, asked)?;
        // Of several the one that changed something.
        let changed = |kept: &&Kept| matches!(kept, Kept::New(..) | Kept::Ended(_));
        let best = all.iter().rfind(changed).or(all.last()).cloned();
        Ok(best.unwrap_or(Kept::Nothing))
    }

    /// Keeps a fact in its words; one that is known in the same words is not kept twice.
    pub(crate) fn remember_words(&self, fact: Fact, by: &Requester) -> Result<Kept, Fault> {
        let words = telling_words(&fact.text);
        let known = self.store.search(&words, false, MAX_LOOKED_AT)?;
        if let Some(same) = known.into_iter().find(|known| telling_words(&known.text) == words) {
            return Ok(Kept::Known(Box::new(same)));
        }
        let mut mentions = self.mentioned_in(&fact.text)?;
        let others = fact.mentions.iter().filter(|it| !mentions.iter().any(|known| known.key == it.key));
        mentions.extend(others.cloned().collect::<Vec<_>>());
        let fact = self.store.remember(&Fact { mentions, ..fact }, &[])?;
        self.note(by, &fact);
        Ok(Kept::New(Box::new(fact), Vec::new()))
    }

    pub(crate) fn remember_statement(
        &self,
        fact: Fact,
        said: &SaidStatement,
        by: &Requester,
        asked: Asked,
    ) -> Result<Kept, Fault> {
        let Some(subject) = self.subject(&said.subject, said.subject_kind, by)? else {
            // "She likes tulips", and nobody was spoken of.
            return if asked.telling != Telling::Stated {
                let text = self.in_context(&fact.text, by);
                let fact = Fact { text, ..fact };
                let told = asked.telling.told_back(&fact);
                self.remember_words(Fact { told, ..fact }, by)
            } else {
                Ok(Kept::Nothing)
            };
        };
        if said.ends {
            return self.end_statement(fact, said, subject, by, asked);
        }
        if !matches!(said.subject, SaidSubject::Pronoun(_))
            || subject.name.is_empty()
            || subject.key.starts_with(':')
        {
            return self.keep_statement(fact, said, subject, by);
        }
        // Who "she" is nobody knows another day.
        let memory = &hark_language::of(&said.language).memory;
        let named = |text: &str| memory.named(text, &subject.name);
        let fact = Fact { text: named(&fact.text), ..fact };
        let said = SaidStatement { told: named(&said.told), ..said.clone() };
        self.keep_statement(fact, &said, subject, by)
    }

    /// Ends what a statement says is not so any more.
    fn end_statement(
        &self,
        fact: Fact,
        said: &SaidStatement,
        subject: Entity,
        by: &Requester,
        asked: Asked,
    ) -> Result<Kept, Fault> {
        let statement = stated(said, subject);
        let known = self.store.about(std::slice::from_ref(&statement.subject.key), MAX_ABOUT)?;
        let ids = ended_by(&statement, by.speaker, &known);
        let ended: Vec<Fact> = known.into_iter().filter(|fact| ids.contains(&fact.id)).collect();
        if ended.is_empty() {
            return if asked.telling != Telling::Stated {
                self.remember_words(fact, by)
            } else {
                Ok(Kept::Nothing)
            };
        }
        self.store.end(&ids, fact.told_unix_ms)?;
        Ok(Kept::Ended(ended))
    }

    /// Keeps a statement about a subject that is known.
    pub(crate) fn keep_statement(
        &self,
        fact: Fact,
        said: &SaidStatement,
        subject: Entity,
        by: &Requester,
    ) -> Result<Kept, Fault> {
        let statement = stated(said, subject);
        let known = self.store.about(std::slice::from_ref(&statement.subject.key), MAX_ABOUT)?;
        let resolution =
            resolve(&statement, said.opposite.as_deref(), (by.speaker, fact.source.sure), &known);
        if resolution.refused_by.is_some() {
            return Ok(Kept::Refused);
        }
        // "We fly to Rome on the 13th" is not "on the 12th".
        let same = resolution.same.filter(|same| when_of(same) == when_of(&fact));
        if let Some(same) = same {
            self.note(by, &same);
            return Ok(Kept::Known(Box::new(same)));
        }
        if fact.source.sure >= RULED
            && let Some(entity) = &statement.entity
        {
            // "My sister likes tulips" came before "my sister is Julia".
            self.store.rename(&unnamed_of(&statement.subject, &statement.relation).key, entity)?;
        }
        let replaced = known.into_iter().filter(|fact| resolution.ends.contains(&fact.id)).collect();
        let mut mentions = self.mentioned_in(&said.object)?;
        mentions.push(statement.subject.clone());
        let object = statement.entity.clone().unwrap_or_else(|| named(&said.object, EntityKind::Thing));
        if object.key.split(' ').count() <= NAME_WORDS && !object.key.is_empty() {
            mentions.push(object);
        }
        // What is kept only because Hark was asked to is told in the words it was told.
        let is_quoted = said.asked_only && fact.source.sure >= 1.0;
        let told = if is_quoted { String::new() } else { said.told.clone() };
        let fact = Fact { statement: Some(statement), told, mentions, ..fact };
        let fact = self.store.remember(&fact, &resolution.ends)?;
        self.note(by, &fact);
        Ok(Kept::New(Box::new(fact), replaced))
    }

    /// Keeps what was stated in passing in a turn that asked for nothing: a sentence that a rule reads. How many were kept.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn remember_in_passing(
        &self,
        text: &str,
        now_unix_ms: i64,
        by: &Requester,
        turn: Option<&str>,
    ) -> Result<usize, Fault> {
        let Some(reader) = &self.reader else { return Ok(0) };
        let mut kept = 0;
        let all = sentences(text).take(MAX_SENTENCES).flat_map(|sentence| reader.statements(sentence));
        for (piece, said) in all.filter(|(_, said)| !said.asked_only && !said.ends) {
            let said = SaidStatement { sure: said.sure * IN_PASSING, ..said };
            let asked = Asked::default();
            let fact = self.told(&piece, now_unix_ms, (by, turn), Some(&said), asked);
            let done = self.remember_statement(fact, &said, by, asked)?;
            kept += usize::from(matches!(done, Kept::New(..)));
        }
        Ok(kept)
    }

    /// Keeps what a model has read in a text that no rule reads. How many were kept.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn remember_read(
        &self,
        text: &str,
        read: &[SaidStatement],
        now_unix_ms: i64,
        by: &Requester,
        turn: Option<&str>,
    ) -> Result<usize, Fault> {
        let mut kept = 0;
        for said in read {
            let fact = self.told(text, now_unix_ms, (by, turn), Some(said), Asked::default());
            let done = self.remember_statement(fact, said, by, Asked::default())?;
            kept += usize::from(matches!(done, Kept::New(..)));
        }
        Ok(kept)
    }

    /// Whether a question could find a text: "we went there last year" names nothing that could be asked for. What begins with a
    /// pronoun is kept behind the sentence before it.
    pub fn can_be_asked_for(&self, text: &str) -> bool {
        let mut said = text.to_owned();
        let values = self.reader.as_ref().map(|reader| reader.values(text, "")).unwrap_or_default();
        for value in values.iter().rev() {
            said.replace_range(value.start..value.end, " ");
        }
        let words: Vec<String> = said.split_whitespace().map(normal).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let languages = hark_language::all();
        let is_any =
            |list: fn(&Lexicon) -> Phrases, word: &str| languages.iter().any(|it| list(it).contains(word));
        let past = languages.iter().fold(words, |words, it| phrases::without(it.discourse.past, &words));
        let points = past.iter().any(|word| is_any(|it| it.memory.demonstratives, word));
        let named = past
            .iter()
            .filter(|word| !is_small(word) && !asks(word) && !is_any(|it| it.memory.demonstratives, word));
        // Nobody knows who "he" is of whom nothing was said.
        let points_back = languages.iter().any(|it| it.memory.begins_with(it.memory.points_back, text));
        let is_of_nobody = begins_with_pronoun(text)
            && !points_back
            && !is_of_speaker(text)
            && !self.has_recent()
            && self.lock().conversations.last_facts(None).is_empty();
        !is_of_nobody && (points_back || begins_with_pronoun(text) || named.count() > usize::from(points))
    }

    /// Whether a rule reads a statement in one of the sentences of a text.
    pub fn reads_statement(&self, text: &str) -> bool {
        let Some(reader) = &self.reader else { return false };
        sentences(text).take(MAX_SENTENCES).any(|sentence| reader.statement(sentence).is_some())
    }

    /// A fact in the words in which it was told, with its source and what its dates mean.
    pub(crate) fn told(
        &self,
        text: &str,
        told_unix_ms: i64,
        (by, turn): (&Requester, Option<&str>),
        said: Option<&SaidStatement>,
        asked: Asked,
    ) -> Fact {
        let source = Source {
            turn: turn.map(str::to_owned),
            speaker: by.speaker,
            person: by.person.clone(),
            sure: match asked.telling {
                Telling::Asked => 1.0,
                Telling::Stated => said.map_or(0.0, |said| said.sure),
                Telling::Whole => said.map_or(IN_PASSING, |said| said.sure),
            },
            language: said.map(|said| said.language.clone()).unwrap_or_default(),
            private: asked.private || said.is_some_and(|said| said.private) || sounds_private(text),
        };
        let dating = said.map(|said| said.dating).unwrap_or_default();
        let now = (self.wall)(told_unix_ms);
        let reader = self.reader.as_ref();
        let time_in = |text: &str| reader.and_then(|it| it.time(text, &source.language, now, dating));
        let (whole, other_end) = (time_in(text), said.and_then(|said| time_in(&said.object)));
        // Words behind it may look like a part of it ("um zehn einen Termin"); those before it are one ("on the third").
        let is_same = |end: &SaidTime| whole.as_ref().is_some_and(|whole| whole.when == end.when);
        let time = other_end.filter(|end| !is_same(end)).or(whole);
        Fact { text: text.to_owned(), told_unix_ms, source, time, ..Fact::default() }
    }

    /// Makes vectors of facts that have none, the newest first; how many. Some milliseconds each.
    ///
    /// # Errors
    /// When the store or the encoder fail.
    pub fn embed_missing(&self, most: usize) -> Result<usize, Fault> {
        let Some(encoder) = &self.encoder else { return Ok(0) };
        let missing = self.store.without_vector(encoder.name(), most)?;
        for (id, text) in &missing {
            self.store.keep_vector(*id, encoder.name(), &to_int8(&encoder.embed(text)?))?;
        }
        Ok(missing.len())
    }

    /// Takes a fact away with what it ended made true again, or puts it back as it was.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn put(&self, fact: &Fact, known: bool) -> Result<(), Fault> {
        self.lock().vectors = None;
        if known { self.store.restore(fact) } else { self.store.take_back(fact.id) }
    }

    /// The facts that are asked for, by the owner, the newest or the best first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn list(&self, which: &WhichFacts, most: usize) -> Result<Vec<Fact>, Fault> {
        match which {
            WhichFacts::Current => self.store.newest(most),
            WhichFacts::WithWords(words) => self.store.search(&telling_words(words), false, most),
            WhichFacts::Ended => self.store.history(most),
            WhichFacts::About(whom) => {
                let owner = Requester { speaker: Speaker::Owner, ..Requester::default() };
                let mut found = self.everything_about(whom, &owner)?;
                found.truncate(most);
                Ok(found)
            }
        }
    }

    /// Whom and what is told of, each with the number of facts, the most frequent first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn told_of(&self, most: usize) -> Result<Vec<(Entity, u64)>, Fault> {
        self.store.all_entities(most)
    }

    /// Who or what a statement is about, as an entity; `None` where nobody can be meant.
    pub(crate) fn subject(
        &self,
        said: &SaidSubject,
        kind: EntityKind,
        by: &Requester,
    ) -> Result<Option<Entity>, Fault> {
        Ok(match said {
            SaidSubject::Me => Some(self.speaking(by.person.as_deref())?),
            SaidSubject::Pronoun(kind) => self.recent(by, *kind),
            SaidSubject::MyRelative(relation) => {
                let me = self.speaking(by.person.as_deref())?;
                let about_me = self.store.about(std::slice::from_ref(&me.key), MAX_ABOUT)?;
                let is_it = |fact: &Fact| {
                    let statement = fact.statement.as_ref().filter(|it| it.relation == *relation)?;
                    Some(statement).filter(|it| it.subject.key == me.key)?.entity.clone()
                };
                about_me.iter().find_map(is_it).or_else(|| Some(unnamed_of(&me, relation)))
            }
            SaidSubject::Named(name) => {
                let entity = named(name, kind);
                let is_owner = self.owners_names()?.iter().any(|name| normal(name) == entity.key);
                Some(if is_owner { owner() } else { entity })
            }
        })
    }

    /// Entities that some words name: those that are known, and names that are written like one.
    pub(crate) fn mentioned_in(&self, text: &str) -> Result<Vec<Entity>, Fault> {
        let mut found = self.store.entities(&possible_keys(text))?;
        found.retain(|entity| !entity.key.is_empty() && !entity.key.starts_with(':'));
        // The first word of a sentence begins with a capital whatever it is.
        let later = text.split_whitespace().skip(1);
        let names =
            later.filter(|word| word.chars().next().is_some_and(char::is_uppercase) && word.len() > 2);
        for name in names.take(MAX_NAMES) {
            let name = name.trim_matches(|c: char| !c.is_alphanumeric());
            let entity = named(name, EntityKind::Thing);
            let is_known = |other: &Entity| other.key.split(' ').any(|word| word == entity.key);
            if !entity.key.is_empty() && !found.iter().any(is_known) {
                found.push(entity);
            }
        }
        Ok(found)
    }

    /// Whether a fact may be told to somebody.
    pub(crate) fn may_tell(&self, fact: &Fact, to: &Requester) -> bool {
        !(self.keeps_private && fact.source.private && to.is_stranger())
    }

    pub(crate) fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A fact that no rule reads, in the second person of the language that has one for it.
pub(crate) fn told_back(fact: &Fact) -> String {
    let plain = fact.text.trim_end_matches(['.', '!', ' ']);
    let all = hark_language::all();
    let mut told = all.iter().map(|language| language.memory.told_back(plain)).filter(|told| told != plain);
    told.next().unwrap_or_else(|| plain.to_owned())
}

/// The time in Greenwich.
fn utc(unix_ms: i64) -> NaiveDateTime {
    DateTime::from_timestamp_millis(unix_ms).unwrap_or_default().naive_utc()
}

/// Whoever "I" means.
pub(crate) fn owner() -> Entity {
    Entity { key: OWNER_KEY.to_owned(), name: String::new(), kind: EntityKind::Person }
}

/// The day that is meant in a fact.
fn when_of(fact: &Fact) -> Option<&str> {
    fact.time.as_ref().map(|time| time.when.as_str())
}

/// A statement about a subject, as it is kept.
fn stated(said: &SaidStatement, subject: Entity) -> Statement {
    let entity =
        said.object_kind.map(|kind| named(&said.object, kind)).filter(|entity| !entity.key.is_empty());
    Statement {
        subject,
        relation: said.relation.clone(),
        qualifier: said.qualifier.clone(),
        object: said.object.clone(),
        entity,
        many: said.many,
    }
}

/// Somebody whose name is not known, by what they are to somebody.
fn unnamed_of(whom: &Entity, relation: &str) -> Entity {
    let of_whom = if whom.key == OWNER_KEY { String::new() } else { format!(" of {}", whom.key) };
    let (key, name) = (format!(":{relation}{of_whom}"), relation.replace('_', " "));
    Entity { key, name, kind: EntityKind::Person }
}

pub(crate) fn named(name: &str, kind: EntityKind) -> Entity {
    Entity { key: normal(name), name: name.trim().to_owned(), kind }
}

/// Keys of all runs of words that may be a name.
pub(crate) fn possible_keys(text: &str) -> Vec<String> {
    let owners = hark_language::all();
    let plain = text.split_whitespace().map(|word| without_possessive(word, &owners));
    let words: Vec<String> = plain
        .flat_map(|word| normal(&word).split(' ').map(str::to_owned).collect::<Vec<_>>())
        .filter(|word| !word.is_empty())
        .collect();
    let runs = (1..=NAME_WORDS).flat_map(|length| words.windows(length).map(|run| run.join(" ")));
    let mut keys: Vec<String> = runs.collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// "Anna's" is "Anna", in the language whose ending has an apostrophe; "Annas" may be a name of its own.
pub(crate) fn without_possessive(word: &str, languages: &[&'static Lexicon]) -> String {
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    let marked = word.contains(['\'', '’']);
    let shorter = languages.iter().map(|language| language.memory.owner(word)).find(|owner| *owner != word);
    shorter.filter(|_| marked).unwrap_or(word).to_owned()
}

/// Whether it takes what was said before to know what is named: "his tablets".
pub(crate) fn begins_with_pronoun(name: &str) -> bool {
    let is_one = |word: &str| hark_language::all().iter().any(|language| language.memory.is_pronoun(word));
    name.split(' ').next().is_some_and(is_one)
}

/// Whether a text has a word for the speaker: "my".
pub(crate) fn is_of_speaker(text: &str) -> bool {
    let is_one = |word: &str| hark_language::all().iter().any(|language| language.memory.is_told_back(word));
    text.split_whitespace().any(is_one)
}

/// Whether a text has a word for something private: "password".
pub fn sounds_private(text: &str) -> bool {
    let words = normal(text);
    let mut words = words.split(' ');
    words.any(|word| hark_language::all().iter().any(|language| language.memory.private.contains(word)))
}

/// The sentences of a text, without their marks.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    // Who asks states nothing, so that the mark of a question stays.
    let parts = text.split_inclusive(['.', '!', '?', ';', '\n']);
    parts
        .map(|part| part.trim_matches(|c: char| c.is_whitespace() || ".!;".contains(c)))
        .filter(|part| !part.is_empty())
}

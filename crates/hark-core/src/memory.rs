//! What the household told Hark: facts, the statements that were read from them, who told them, and the ports behind
//! them. A fact is one row in the words it was told; where a rule can read it, it is an edge of a graph as well: a
//! subject, a typed relation, an object. Calls of the ports block on the disk.

pub use crate::origin::{Requester, Speaker};

use crate::Fault;
use crate::calendar::When;
use crate::classification::WordVectors;
use crate::intent::Intent;
use chrono::NaiveDateTime;
use serde::{Deserialize, Serialize};

/// Key of the one whom "I" and "my" mean. No name has it: keys of names hold letters, digits and blanks only.
pub const OWNER_KEY: &str = ":owner";

/// What an entity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityKind {
    /// A person.
    Person,
    /// A place.
    Place,
    /// Anything else that has a name.
    #[default]
    Thing,
    /// What a person works on, such as a renovation.
    Project,
}

impl EntityKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Person, Self::Place, Self::Thing, Self::Project];

    /// As it is written in sentence files and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Place => "place",
            Self::Thing => "thing",
            Self::Project => "project",
        }
    }

    /// What [`EntityKind::name`] gave.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Somebody, something or somewhere that facts are about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Entity {
    /// Identifies the entity: its name normalised for comparison; [`OWNER_KEY`] for the owner; `:relation`, such as `:sister`,
    /// while only the relation is known ("my sister").
    pub key: String,
    /// As it was said; empty for the owner.
    pub name: String,
    /// What it is.
    pub kind: EntityKind,
}

/// An edge of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Whom or what it is about.
    pub subject: Entity,
    /// Type of the relation, such as `spouse`; language files name them.
    pub relation: String,
    /// What tells relations of one type apart: `colour` of a favourite colour. Empty for most.
    pub qualifier: String,
    /// The other end, in the words it was told.
    pub object: String,
    /// The other end, where that is an entity.
    pub entity: Option<Entity>,
    /// Several objects can be true at a time.
    pub many: bool,
}

/// How something came to be known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// The turn it was told in; `None` for what is older than that was kept.
    pub turn: Option<String>,
    /// Who told it.
    pub speaker: Speaker,
    /// Name of the person whose voice it was, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// How sure it is, 0 to 1: 1 for what Hark was asked to remember.
    pub sure: f32,
    /// ISO 639-1 of the words; empty: unknown.
    pub language: String,
    /// With `memory.private` on, only [`Speaker::Owner`] is told it.
    pub private: bool,
}

impl Default for Source {
    fn default() -> Self {
        Self {
            turn: None,
            speaker: Speaker::Unknown,
            person: None,
            sure: 1.0,
            language: String::new(),
            private: false,
        }
    }
}

/// A date that was said by how it lies to the day it was told on, such as "next tuesday".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidTime {
    /// The words, as they stand in the fact.
    pub words: String,
    /// The date, with the time of day where that was said, as [`When`] writes it.
    pub when: String,
    /// It comes again every year.
    #[serde(default)]
    pub yearly: bool,
}

impl SaidTime {
    /// The date; `None` for what [`When`] has not written.
    pub fn when(&self) -> Option<When> {
        When::parse(&self.when)
    }
}

/// Which dates of a statement are meant once, and lose their meaning with the day they were told on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dating {
    /// Those that count from today, such as "tomorrow"; a weekday alone may be every one.
    #[default]
    FromToday,
    /// The same, and it comes again every year: "my birthday is on friday".
    Yearly,
    /// Every date: it happens once.
    Once,
}

/// Something the household told.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// Stable id; 0 for one that is not kept yet.
    pub id: i64,
    /// In the words it was told.
    pub text: String,
    /// When, milliseconds since the Unix epoch.
    pub told_unix_ms: i64,
    /// Where it is from.
    #[serde(default)]
    pub source: Source,
    /// What was read in it, where a rule could.
    #[serde(default)]
    pub statement: Option<Statement>,
    /// The statement in the second person, for replies: "your wife is Anna". Empty where there is no statement.
    #[serde(default)]
    pub told: String,
    /// Entities that are named in it, those of the statement included.
    #[serde(default)]
    pub mentions: Vec<Entity>,
    /// The date in it that only the day it was told on gives a meaning.
    #[serde(default)]
    pub time: Option<SaidTime>,
    /// Since when it is not so any more, milliseconds since the Unix epoch.
    #[serde(default)]
    pub ended_unix_ms: Option<i64>,
    /// The fact that took its place.
    #[serde(default)]
    pub replaced_by: Option<i64>,
}

/// Where facts are kept. A returned `Ok` means it is on the disk. Facts that have ended are found by
/// [`FactStore::history`] only.
pub trait FactStore: Send + Sync {
    /// Keeps a fact under a new id, and ends those that it takes the place of, in one step.
    ///
    /// # Errors
    /// When it could not be written; then nothing has changed.
    fn remember(&self, fact: &Fact, ends: &[i64]) -> Result<Fact, Fault>;
    /// Puts a fact that was forgotten, or has ended, back as it was.
    ///
    /// # Errors
    /// When it could not be written.
    fn restore(&self, fact: &Fact) -> Result<(), Fault>;
    /// Makes facts true again that a fact has ended, and forgets that one, in one step.
    ///
    /// # Errors
    /// When it could not be written.
    fn take_back(&self, id: i64) -> Result<(), Fault>;
    /// The facts that hold these words, in any order and inflection, the best first; with `any` one word
    /// is enough.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn search(&self, words: &[String], any: bool, most: usize) -> Result<Vec<Fact>, Fault>;
    /// The newest facts, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn newest(&self, most: usize) -> Result<Vec<Fact>, Fault>;
    /// The facts of these ids that there are, in any order.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn by_ids(&self, ids: &[i64]) -> Result<Vec<Fact>, Fault>;
    /// The facts in which one of these entities is named, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn about(&self, keys: &[String], most: usize) -> Result<Vec<Fact>, Fault>;
    /// The facts that have ended, the latest end first.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn history(&self, most: usize) -> Result<Vec<Fact>, Fault>;
    /// Those of these keys that are entities, with how they are called.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn entities(&self, keys: &[String]) -> Result<Vec<Entity>, Fault>;
    /// Every entity with the number of facts about it, the most frequent first.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn all_entities(&self, most: usize) -> Result<Vec<(Entity, u64)>, Fault>;
    /// Gives an entity another name; one that has the new key already takes in what the other had.
    ///
    /// # Errors
    /// When it could not be written.
    fn rename(&self, key: &str, now: &Entity) -> Result<(), Fault>;
    /// Forgets facts for good, each with those that it had taken the place of. Answers all that are gone.
    ///
    /// # Errors
    /// When it could not be written.
    fn forget(&self, ids: &[i64]) -> Result<Vec<Fact>, Fault>;
    /// Ends facts without another in their place.
    ///
    /// # Errors
    /// When it could not be written.
    fn end(&self, ids: &[i64], now_unix_ms: i64) -> Result<(), Fault>;
    /// Keeps the vector of a fact's words by an encoder of this name; one that is forgotten meanwhile has none.
    ///
    /// # Errors
    /// When it could not be written.
    fn keep_vector(&self, id: i64, encoder: &str, vector: &[u8]) -> Result<(), Fault>;
    /// Ids and vectors of current facts by an encoder; `None` when they are those of `known`, which is what an earlier
    /// call gave with them.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn vectors(&self, encoder: &str, known: Option<VectorState>) -> Result<Option<Vectors>, Fault>;
    /// Keeps the last entities of a conversation in place of those before, the latest first; of the conversations only the
    /// `most` that were used last.
    ///
    /// # Errors
    /// When it could not be written.
    fn keep_recent(
        &self,
        conversation: &str,
        entities: &[Entity],
        now_unix_ms: i64,
        most: usize,
    ) -> Result<(), Fault>;
    /// The last entities of a conversation, the latest first; `None`: of the one that was used last.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn recent(&self, conversation: Option<&str>) -> Result<Vec<Entity>, Fault>;
    /// Ids and words of current facts without a vector by this encoder, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn without_vector(&self, encoder: &str, most: usize) -> Result<Vec<(i64, String)>, Fault>;
}

/// Which facts are listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum WhichFacts {
    /// All that are so.
    #[default]
    Current,
    /// Those with all these words.
    WithWords(String),
    /// Those about somebody or something, as a person calls it: "Anna", "my wife", "me".
    About(String),
    /// Those that are not so any more.
    Ended,
}

/// Tells whether vectors have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VectorState {
    /// How many facts have one.
    pub count: i64,
    /// The last of them.
    pub last: i64,
}

/// Vectors of facts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Vectors {
    /// Of when.
    pub state: VectorState,
    /// Id of each fact.
    pub ids: Vec<i64>,
    /// int8, `[ids, width]`, row by row.
    pub numbers: Vec<u8>,
}

/// Whom a sentence is about, as it was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SaidSubject {
    /// Whoever speaks: "I", "my".
    Me,
    /// Somebody by what they are to whoever speaks, as a relation: "my wife".
    MyRelative(String),
    /// By name.
    Named(String),
    /// Somebody who was spoken of: "she".
    Pronoun(EntityKind),
}

/// What a rule read in a sentence, before anything of it is looked up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SaidStatement {
    /// Whom or what it is about.
    pub subject: SaidSubject,
    /// What the subject is.
    pub subject_kind: EntityKind,
    /// Type of the relation.
    pub relation: String,
    /// What tells relations of one type apart.
    pub qualifier: String,
    /// The other end, in the words it was told.
    pub object: String,
    /// What the other end is, where it is an entity.
    pub object_kind: Option<EntityKind>,
    /// Several objects can be true at a time.
    pub many: bool,
    /// A relation that cannot hold of the same two: `dislikes` of `likes`.
    pub opposite: Option<String>,
    /// It is not so any more: nothing is kept, and what was so ends; without an object whatever the other end was.
    pub ends: bool,
    /// It is told to those only who are known.
    pub private: bool,
    /// It counts only where Hark was asked to remember it: "the spare key is under the pot".
    pub asked_only: bool,
    /// What its dates mean.
    pub dating: Dating,
    /// How sure it is, 0 to 1.
    pub sure: f32,
    /// As it is told back.
    pub told: String,
    /// ISO 639-1 of the rule.
    pub language: String,
}

/// What somebody wants to know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SaidQuestion {
    /// About whom; `None`: whoever it is true of ("who likes olives").
    pub subject: Option<SaidSubject>,
    /// Types of relations that answer it; none: everything about the subject.
    pub relations: Vec<String>,
    /// What tells relations of one type apart; empty: all of them.
    pub qualifier: String,
    /// The other end, where it was said: "does Anna like olives".
    pub object: Option<String>,
    /// ISO 639-1 of the rule.
    pub language: String,
}

/// What somebody puts in the place of something that was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidCorrection {
    /// What is so.
    pub new: String,
    /// What is not; `None`: the other end of what was told last.
    pub old: Option<String>,
    /// ISO 639-1 of the words.
    pub language: String,
}

/// Words that a sentence may put in the place of others, with the rest of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidContrast {
    /// What is so.
    pub new: String,
    /// What is not.
    pub old: String,
    /// The other words: what it is about.
    pub about: String,
    /// ISO 639-1 of the words.
    pub language: String,
}

/// What a value is: one takes the place of another of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// A day of the week, one that counts from today, or days that come again.
    Day,
    /// A day of a month by its number.
    DayOfMonth,
    /// The month of a date.
    Month,
    /// A time of day.
    Time,
    /// A number; also one that may be an hour.
    Number,
}

/// A value in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SaidValue {
    /// What it is.
    pub kind: ValueKind,
    /// Its first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
}

/// A sentence that tells of a change: "no, it's at two", "she works at the museum now".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidChange {
    /// Without the words that say so at its beginning.
    pub words: String,
    /// It begins with words that correct what was said: "no".
    pub corrects: bool,
    /// The values of `words`.
    pub values: Vec<SaidValue>,
}

/// Reads statements and questions by the rules of the languages. Pure; a sentence takes some hundred microseconds.
pub trait StatementReader: Send + Sync {
    /// What a whole sentence states; `None` for anything that no rule reads.
    fn statement(&self, text: &str) -> Option<SaidStatement>;
    /// All that a sentence states, each with its part of the text: "my sister Nadia lives in Sheffield and my brother in
    /// Leeds". Empty for anything that no rule reads.
    fn statements(&self, text: &str) -> Vec<(String, SaidStatement)> {
        self.statement(text).map(|said| (text.to_owned(), said)).into_iter().collect()
    }
    /// What a sentence puts in the place of something else: "no, it's Tuesday, not Monday".
    fn correction(&self, text: &str) -> Option<SaidCorrection>;
    /// What a sentence may put in the place of something else that it names as wrong, the likeliest first: "it's not biscuit, the
    /// puppy's called brisket", "it's the eleventh he starts not the fourth".
    fn contrasts(&self, text: &str) -> Vec<SaidContrast>;
    /// A sentence without what leads in and what comes behind and says nothing of it: "by the way".
    fn bare<'t>(&self, text: &'t str) -> &'t str {
        text
    }
    /// The change that a sentence tells of.
    fn change(&self, text: &str) -> Option<SaidChange>;
    /// The days, times and numbers of a text, in the language of this code.
    fn values(&self, text: &str, language: &str) -> Vec<SaidValue>;
    /// What a sentence wants to be forgotten, and whether all about it.
    fn forgetting(&self, text: &str) -> Option<(String, bool)>;
    /// What a whole sentence asks of what was told.
    fn question(&self, text: &str) -> Option<SaidQuestion>;
    /// The date in a text that `dating` is about, told at this local time. In the language of this code, or the first that
    /// finds one where it is empty.
    fn time(&self, text: &str, language: &str, now: NaiveDateTime, dating: Dating) -> Option<SaidTime>;
    /// The sentence that answers a question with a fact, in the question's language. `whom` is the name of the person the fact is
    /// about, where they are not the one who asks. `None` where the fact was told in that language and `whom` is `None`, or where
    /// the language has no response for the relation.
    fn retold(&self, fact: &Fact, question: &str, whom: Option<&str>) -> Option<String>;
}

/// How what was told answers a question in other words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answering {
    /// It has to do with it.
    Concerns,
    /// It answers it, as far as the words tell.
    Answers,
    /// It has every word of it, or nearly.
    Surely,
}

/// What a sentence wants of what was told, as an intent with the ISO 639-1 code of its language; the code is empty where
/// it does not matter. Reads the store: some milliseconds.
pub trait MemoryIntents: Send + Sync {
    /// A statement that is kept, or a question that what was told answers.
    fn intent(&self, text: &str) -> Option<(Intent, String)>;
    /// The same, where something was told that answers the question.
    fn known(&self, text: &str) -> Option<(Intent, String)>;
    /// A question about somebody or something else than the speaker, whether or not anything was told of it.
    fn about_another(&self, text: &str) -> Option<Intent>;
    /// A question to which something that was told is at least such an answer, in other words.
    fn in_other_words(&self, text: &str, least: Answering) -> Option<(Intent, String)>;
    /// A question of the kind that the household answers, of which nothing was told while other things were.
    fn untold(&self, text: &str) -> Option<(Intent, String)>;
    /// A sentence that as a whole tells something worth to be kept, which is so likely, 0 to 1.
    fn told(&self, text: &str, likely: f32) -> Option<(Intent, String)>;
}

/// Vectors of sentences, of length 1 each.
pub trait SentenceVectors: Send + Sync {
    /// Tells the encoder from others; vectors of another are not compared with.
    fn name(&self) -> &str;
    /// The vector of a text; some milliseconds, and longer where the model must be loaded first.
    ///
    /// # Errors
    /// When the model is missing or fails.
    fn embed(&self, text: &str) -> Result<Vec<f32>, Fault>;
    /// The vector of each word in a text; of a long text the words at its beginning. As long as [`SentenceVectors::embed`].
    ///
    /// # Errors
    /// When the model is missing or fails.
    fn embed_words(&self, text: &str) -> Result<WordVectors, Fault>;
}

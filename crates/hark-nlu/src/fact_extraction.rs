//! Statements about the household and questions about them, read by the sentence files of `memory/` in each language's
//! folder: the same templates and the same grammar as requests, compiled without a home. What slots say stands at the
//! beginning of `models/languages/en/memory/statements.yaml`. Nothing is looked up here: "my wife" stays "my wife".

use super::grammar::{Grammar, Match};
use super::problem::Problem;
use super::sentences::Sentences;
use chrono::NaiveDateTime;
use hark_core::Slots;
use hark_core::memory::{
    Dating, Entity, EntityKind, Fact, OWNER_KEY, SaidChange, SaidContrast, SaidCorrection, SaidQuestion,
    SaidStatement, SaidSubject, SaidTime, SaidValue, Statement, StatementReader,
};
use hark_core::ports::NEXT_TURN;
use hark_language::Lexicon;
use minijinja::{Environment, UndefinedBehavior};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

mod contrasts;
mod fillers;
mod told_time;
mod values;

/// Intent of statements and of questions in these files.
const TOLD: &str = "HarkTold";
const ASKED: &str = "HarkAsked";

/// Intent of what is to be forgotten.
const UNTOLD: &str = "HarkUntold";

/// The responses that tell a statement in this language when it was told in another one, by the type of its relation.
const RETOLD: &str = "HarkRetold";

/// Longest text that is read, bytes: no statement is longer, and reading one costs more with every word.
const MAX_BYTES: usize = 300;

/// Words at most beside the date of something that happens once: where, or with whom.
const MAX_BESIDE_DATE: usize = 3;

/// The response that says who somebody is.
const RELATIVE: &str = "relative";

/// Places where a sentence is taken apart at most.
const MAX_HALVES: usize = 4;

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
    fn read<T>(&self, text: &str, read: impl Fn(&Rules) -> Option<T>) -> Option<T> {
        // What was said in two turns is no sentence.
        if text.len() > MAX_BYTES || text.trim().contains(NEXT_TURN) {
            return None;
        }
        self.languages.iter().find_map(read)
    }
}

impl StatementReader for Statements {
    fn statement(&self, text: &str) -> Option<SaidStatement> {
        self.statements(text).into_iter().next().map(|(_, said)| said)
    }

    fn statements(&self, text: &str) -> Vec<(String, SaidStatement)> {
        // Whoever asks states nothing.
        if text.trim_end().ends_with('?') {
            return Vec::new();
        }
        self.read(text, |rules| Some(rules.statements(text)).filter(|found| !found.is_empty()))
            .unwrap_or_default()
    }

    fn correction(&self, text: &str) -> Option<SaidCorrection> {
        self.read(text, |rules| fillers::correction(text, &rules.lexicon.memory, rules.lexicon.code))
    }

    fn contrasts(&self, text: &str) -> Vec<SaidContrast> {
        let read =
            |rules: &Rules| Some(contrasts::contrasts(text, rules.lexicon)).filter(|found| !found.is_empty());
        self.read(text, read).unwrap_or_default()
    }

    fn bare<'t>(&self, text: &'t str) -> &'t str {
        let all = self.languages.iter().map(|rules| fillers::bare(text, &rules.lexicon.memory));
        all.min_by_key(|bare| bare.len()).unwrap_or(text)
    }

    fn change(&self, text: &str) -> Option<SaidChange> {
        self.read(text, |rules| {
            let (words, corrects) = fillers::change(text, &rules.lexicon.memory)?;
            let values = values::values(&words, rules.lexicon);
            Some(SaidChange { words, corrects, values })
        })
    }

    fn values(&self, text: &str, language: &str) -> Vec<SaidValue> {
        let of_it = |rules: &&Rules| language.is_empty() || rules.lexicon.code == language;
        let rules = self.languages.iter().find(of_it).filter(|_| text.len() <= MAX_BYTES);
        rules.map(|rules| values::values(text, rules.lexicon)).unwrap_or_default()
    }

    fn forgetting(&self, text: &str) -> Option<(String, bool)> {
        self.read(text, |rules| {
            rules.grammar.parse_such(text, |found| {
                let slots = Some(&found.slots).filter(|_| found.intent == UNTOLD)?;
                let every = slots.get("every").and_then(Value::as_bool).unwrap_or(false);
                Some((trimmed(words(slots, "query")?).to_owned(), every))
            })
        })
    }

    fn question(&self, text: &str) -> Option<SaidQuestion> {
        self.read(text, |rules| {
            let read = |text| rules.grammar.parse_such(text, |found| rules.question(found));
            let bare = fillers::bare(text, &rules.lexicon.memory);
            read(text).or_else(|| Some(bare).filter(|bare| *bare != text).and_then(read))
        })
    }

    fn time(&self, text: &str, language: &str, now: NaiveDateTime, dating: Dating) -> Option<SaidTime> {
        let of_it = |rules: &&Rules| language.is_empty() || rules.lexicon.code == language;
        if text.len() > MAX_BYTES {
            return None;
        }
        self.languages.iter().filter(of_it).find_map(|it| told_time::read(text, it.lexicon, now, dating))
    }

    fn retold(&self, fact: &Fact, question: &str, whom: Option<&str>) -> Option<String> {
        let statement = fact.statement.as_ref()?;
        let language = self.question(question)?.language;
        if language == fact.source.language && whom.is_none() {
            return None;
        }
        self.languages.iter().find(|rules| rules.lexicon.code == language)?.retold(statement, whom)
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

    /// All that a text states, in one sentence or in the parts of it.
    fn statements(&self, text: &str) -> Vec<(String, SaidStatement)> {
        let memory = &self.lexicon.memory;
        let bare = fillers::bare(text, memory);
        for (left, right) in fillers::halves(bare, memory).into_iter().take(MAX_HALVES) {
            let mut said = self.one(left);
            if said.is_empty() {
                continue;
            }
            let mut behind = self.statements(right);
            if behind.is_empty()
                && let Some(first) = fillers::first_word(left)
            {
                // "I love Thai food but can't stand coriander".
                behind = self.one(&format!("{first} {right}"));
            }
            if !behind.is_empty() {
                said.extend(behind);
                return said;
            }
        }
        let whole = self.one(bare);
        if whole.iter().any(|(_, said)| !said.asked_only) {
            return whole;
        }
        // "My hairdresser is called Fabio and he charges a lot": what is said behind it is about the same.
        let mut halves = fillers::halves(bare, memory).into_iter().take(MAX_HALVES);
        let goes_on = |right: &str| fillers::first_word(right).is_some_and(|word| memory.is_pronoun(word));
        halves
            .find_map(|(left, right)| Some(self.one(left)).filter(|said| !said.is_empty() && goes_on(right)))
            .unwrap_or(whole)
    }

    /// What one clause states, and who somebody is that is named in it by a relation: "my sister Nadia lives in Sheffield".
    fn one(&self, text: &str) -> Vec<(String, SaidStatement)> {
        // "Dim whatever's on in the kitchen" asks for something.
        let talk = &self.lexicon.discourse;
        let mut words = text.split_whitespace();
        let asks = words.next().is_some_and(|first| talk.verbs.contains(&first.to_lowercase()));
        if asks && !words.next().is_some_and(|second| talk.states.contains(second)) {
            return Vec::new();
        }
        let found = self.one_as_said(text);
        if !found.is_empty() {
            return found;
        }
        // "My wife's called Anna", "we've got a dog".
        let memory = &self.lexicon.memory;
        let in_full = memory.expanded(text);
        let found =
            in_full.iter().map(|text| (text, self.one_as_said(text))).find(|(_, found)| !found.is_empty());
        let Some((in_full, mut found)) = found else { return Vec::new() };
        // "Ben's appointment" is no "Ben is appointment": what was said is kept, and told back.
        for (piece, said) in found.iter_mut().filter(|(piece, _)| piece == in_full) {
            text.clone_into(piece);
            if said.told == memory.told_back(in_full) {
                said.told = memory.told_back(text);
            }
        }
        found
    }

    fn one_as_said(&self, text: &str) -> Vec<(String, SaidStatement)> {
        let read = |found: &Match, asked_only: bool| {
            let said = self.statement(text, found)?;
            // Who somebody is comes first: the other statement is about them.
            let named = self.named_relative(found, &said).map(|named| {
                let end = text.find(&named.object).map_or(text.len(), |at| at + named.object.len());
                let piece = &text[..end];
                let told = Some(named.told).filter(|told| !told.is_empty());
                let told = told.unwrap_or_else(|| self.lexicon.memory.told_back(piece));
                (piece.to_owned(), SaidStatement { told, ..named })
            });
            let all: Vec<_> = named.into_iter().chain([(text.to_owned(), said)]).collect();
            (asked_only || all.iter().any(|(_, said)| !said.asked_only)).then_some(all)
        };
        // What is kept by itself comes before what is kept only when Hark is asked to.
        let found = self.grammar.parse_such(text, |found| read(found, false));
        let found = found.or_else(|| self.grammar.parse_such(text, |found| read(found, true)));
        found.unwrap_or_default()
    }

    /// "My sister Nadia": who Nadia is.
    fn named_relative(&self, found: &Match, said: &SaidStatement) -> Option<SaidStatement> {
        let relation = words(&found.slots, "appositive")?.to_owned();
        let SaidSubject::Named(name) = &said.subject else { return None };
        let memory = &self.lexicon.memory;
        // "My wife Orla's allergic" names Orla.
        let name = if name.contains(['\'', '’']) { memory.owner(name) } else { name.as_str() };
        if memory.is_title(name) {
            return None;
        }
        let mut values: Map<String, Value> = Map::new();
        values.insert("object".to_owned(), Value::from(name));
        values.insert("word".to_owned(), Value::from(memory.owner(&spoken(found, "appositive"))));
        let told =
            self.told.get(RELATIVE).and_then(|template| rendered(template, values)).unwrap_or_default();
        let many = found.slots.get("many").and_then(Value::as_bool).unwrap_or(false);
        Some(SaidStatement {
            subject: SaidSubject::Me,
            subject_kind: EntityKind::Person,
            relation,
            qualifier: String::new(),
            object: name.to_owned(),
            object_kind: Some(EntityKind::Person),
            many,
            opposite: None,
            ends: false,
            private: false,
            asked_only: !memory.is_name(name) || fillers::is_doubtful(&said.told, memory),
            dating: Dating::FromToday,
            told,
            ..said.clone()
        })
    }

    fn statement(&self, text: &str, found: &Match) -> Option<SaidStatement> {
        let mut slots = Some(&found.slots).filter(|_| found.intent == TOLD)?.clone();
        // An age is a number.
        for value in slots.values_mut().filter(|value| value.is_number()) {
            *value = Value::from(value.to_string());
        }
        let slots = &slots;
        let memory = &self.lexicon.memory;
        let flag = |slot: &str| slots.get(slot).and_then(Value::as_bool).unwrap_or(false);
        let kind = |slot: &str| EntityKind::named(slots.get(slot)?.as_str()?);
        let ends = flag("ends");
        let object = trimmed(words(slots, "object").unwrap_or_default());
        let (subject, qualifier) = self.subject_and_qualifier(slots)?;
        let is_said = !object.is_empty() && !memory.is_passing_object(object);
        if !(is_said || ends && object.is_empty()) || !qualifier.is_empty() && memory.is_passing(&qualifier) {
            return None;
        }
        let named = slots.get("name").is_some();
        // "The Hendersons" are a name, and "the best" is none.
        let without_article =
            object.split_once(' ').map(|(_, rest)| rest).filter(|rest| memory.is_name(rest));
        if named && (memory.is_condition(object) && without_article.is_none() || memory.is_title(object)) {
            return None;
        }
        let dating = match words(slots, "dating").unwrap_or_default() {
            "needed" if !self.is_date(object) => Dating::FromToday,
            "once" | "needed" => Dating::Once,
            "yearly" => Dating::Yearly,
            _ => Dating::FromToday,
        };
        let has_its_time = match words(slots, "dating") {
            Some("needed") => self.is_date(object) || told_time::recurs(object, self.lexicon),
            Some("regular") => told_time::tells_when(object, self.lexicon),
            _ => true,
        };
        if !has_its_time {
            return None;
        }
        if flag("titled") && !memory.is_name(object) {
            return None;
        }
        if flag("judged") && memory.has_any(memory.judgements, object) {
            return None;
        }
        let mut relation = words(slots, "relation")?.to_owned();
        if flag("dated") && !self.has_date(object) {
            // "Born in Glasgow" is no birthday.
            relation = words(slots, "otherwise")?.to_owned();
        }
        if let Some(timed) =
            words(slots, "timed").filter(|_| told_time::begins_with_time(object, self.lexicon))
        {
            // "The play is on the 18th".
            timed.clone_into(&mut relation);
        }
        let is_capital = without_article.unwrap_or(object).chars().next().is_some_and(char::is_uppercase);
        let doubtful = slots.get("name").is_some_and(|name| name == "capital") && !is_capital;
        let in_passing =
            self.is_lasting(slots, &subject, &qualifier, object) && !fillers::is_doubtful(text, memory);
        Some(SaidStatement {
            subject,
            subject_kind: kind("subject_kind").unwrap_or(EntityKind::Person),
            relation,
            qualifier,
            object: object.to_owned(),
            object_kind: kind("object_kind"),
            many: flag("many"),
            opposite: words(slots, "opposite").map(str::to_owned),
            ends,
            private: flag("private"),
            asked_only: flag("asked") || doubtful || !in_passing,
            dating,
            sure: slots.get("sure").and_then(Value::as_f64).map_or(SURE, |sure| sure as f32),
            told: self.told(text, found),
            language: self.lexicon.code.to_owned(),
        })
    }

    /// Whom it is about, and which of their relations; "Sam's phone number" may lie in either slot, since nothing stands between
    /// them.
    fn subject_and_qualifier(&self, slots: &Slots) -> Option<(SaidSubject, String)> {
        let qualifier = words(slots, "qualifier").unwrap_or_default().to_lowercase();
        let memory = &self.lexicon.memory;
        if let (Some(owner), true) = (words(slots, "whose"), !qualifier.is_empty())
            && let Some((owner, theirs)) = memory.owned(owner)
            && !owner.is_empty()
        {
            let name = Some(trimmed(owner)).filter(|name| !memory.is_passing(name))?;
            let whole = [theirs, &qualifier].join(" ").trim().to_lowercase();
            return Some((SaidSubject::Named(name.to_owned()), whole));
        }
        Some((self.subject(slots)?, qualifier))
    }

    /// Whether a statement is one that is kept without being asked to, as far as its rule wants to know.
    fn is_lasting(&self, slots: &Slots, subject: &SaidSubject, qualifier: &str, object: &str) -> bool {
        let memory = &self.lexicon.memory;
        let flag = |slot: &str| slots.get(slot).and_then(Value::as_bool).unwrap_or(false);
        let name = match subject {
            SaidSubject::Named(name) => Some(name.as_str()),
            SaidSubject::Me | SaidSubject::MyRelative(_) | SaidSubject::Pronoun(_) => None,
        };
        let is_name = name.is_none_or(|name| memory.is_name(name));
        let has_digit = |text: &str| text.chars().any(|c| c.is_ascii_digit());
        let has_time = || self.is_date(object) || told_time::begins_with_time(object, self.lexicon);
        // "The number 14" is one.
        let articles = self.lexicon.tools.names.articles;
        let behind = object.split_once(' ').filter(|(first, _)| articles.contains(&first.to_lowercase()));
        let is_condition = memory.is_condition(behind.map_or(object, |(_, behind)| behind));
        let is_exact = memory.has_any(memory.attributes, qualifier)
            || flag("own") && (has_time() || !is_condition && (has_digit(object) || memory.is_name(object)));
        let rests = name.is_none_or(|name| !memory.has_any(memory.moving, name) && !memory.is_passing(name));
        let counts = || {
            let first = object.split_whitespace().next().unwrap_or_default().to_lowercase();
            has_digit(&first) || self.lexicon.numbers.parse(&[first.as_str()]).is_some()
        };
        (!flag("named") || is_name)
            && (!flag("counted") || counts())
            && (!flag("precise") || is_exact)
            && (!flag("rests") || rests)
    }

    /// Whether some words have a date or a year.
    fn has_date(&self, said: &str) -> bool {
        said.chars().any(|c| c.is_ascii_digit())
            || told_time::read(said, self.lexicon, NaiveDateTime::default(), Dating::Once).is_some()
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
        let relations =
            ["relation", "also", "or"].iter().filter_map(|slot| words(slots, slot)).map(str::to_owned);
        let relations: Vec<String> = relations.collect();
        let says_whom =
            ["subject", "who", "whose", "my_relative", "pronoun"].iter().any(|it| slots.contains_key(*it));
        let subject = if says_whom { Some(self.subject(slots)?) } else { None };
        let object = words(slots, "object").map(|object| trimmed(object).to_owned());
        if subject.is_none() && object.is_none() && relations.is_empty() {
            return None;
        }
        let split = subject.is_some().then(|| self.subject_and_qualifier(slots)).flatten();
        let qualifier = words(slots, "qualifier").unwrap_or_default().to_lowercase();
        let (subject, qualifier) = split.map_or((subject, qualifier), |(subject, it)| (Some(subject), it));
        Some(SaidQuestion { subject, relations, qualifier, object, language: self.lexicon.code.to_owned() })
    }

    /// Whom it is about; `None` for words that are no name.
    fn subject(&self, slots: &Slots) -> Option<SaidSubject> {
        let memory = &self.lexicon.memory;
        let named = |name: &str| {
            let name = trimmed(name);
            let whole = hark_language::names::normal(name);
            // "My sister" is known by what she is, and not by a name.
            let is_mine = memory.is_told_back(name);
            let is_word = !name.contains(' ') && memory.has_any(memory.conditions, name);
            (!is_mine && !is_word && !memory.is_passing(name) && !whole.is_empty())
                .then(|| SaidSubject::Named(name.to_owned()))
        };
        if let Some(relation) = words(slots, "my_relative") {
            return Some(SaidSubject::MyRelative(relation.to_owned()));
        }
        if let Some(kind) = words(slots, "pronoun") {
            return Some(SaidSubject::Pronoun(EntityKind::named(kind)?));
        }
        if let Some(owner) = words(slots, "whose") {
            return named(memory.owner(trimmed(owner)));
        }
        if let Some(name) = words(slots, "who") {
            return named(name);
        }
        (words(slots, "subject")? == "me").then_some(SaidSubject::Me)
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
        let said = spoken(found, "relation");
        if !said.is_empty() {
            values.insert("word".to_owned(), Value::from(memory.owner(&said)));
        }
        rendered(template, values).unwrap_or_else(|| memory.told_back(text))
    }

    /// A statement that was told in another language, or about `whom` by themselves. `subject` is empty where it is about the
    /// owner, who asks; one of whom only the relation is known ("my sister") has no name in this language.
    fn retold(&self, statement: &Statement, whom: Option<&str>) -> Option<String> {
        let Entity { key, name, .. } = &statement.subject;
        let subject = whom.unwrap_or(if key == OWNER_KEY { "" } else { name });
        if key != OWNER_KEY && (name.is_empty() || key.starts_with(':')) {
            return None;
        }
        let values = [("subject", subject), ("object", statement.object.as_str())];
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value)));
        let told = rendered(self.retold.get(&statement.relation)?, values.collect())?;
        Some(told.trim().to_owned()).filter(|told| !told.is_empty())
    }
}

/// The words that fill a slot; empty where none do.
fn spoken(found: &Match, slot: &str) -> String {
    let span = found.spans.iter().find(|span| span.slot == slot);
    let said = span.and_then(|span| found.words.get(span.start..span.end)).unwrap_or_default();
    said.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ")
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

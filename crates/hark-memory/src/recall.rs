//! Finding what answers a question: by the relation that was asked for, else by words, sentence vectors and the graph.

use crate::answer_kind::Wanted;
use crate::changing::content;
use crate::keep::{MAX_ABOUT, MAX_LOOKED_AT, Memory, is_of_speaker, named, possible_keys};
use crate::likeness::{Likeness, names};
use crate::ranking::fuse;
use crate::vectors::{nearest, to_int8};
use chrono::NaiveDateTime;
use hark_core::Fault;
use hark_core::memory::{
    Answering, Dating, Entity, EntityKind, Fact, OWNER_KEY, Requester, SaidQuestion, SaidSubject, Speaker,
    Statement, Vectors,
};
use hark_language::Lexicon;
use hark_language::names::{asks, holds_words, normal, telling_words};
use std::collections::HashMap;
use std::sync::Arc;

/// Most facts that answer a question, and most that are told about somebody.
const MAX_ANSWERS: usize = 3;
const MAX_TOLD_ABOUT: usize = 6;
/// Words of a question that a fact has at least which has to do with it.
const LEAST_WORDS: usize = 2;
/// Facts of each ranking.
const MAX_RANKED: usize = 40;
/// How near the words of a question are at the mean to those of a fact that answers it in other words, and of one that has to
/// do with it; and how near each of them is to one that answers.
const ANSWERS: f32 = 0.62;
const CONCERNS: f32 = 0.45;
const CONCERNS_IN_A_WORD: f32 = 0.50;
const LEAST_WORD: f32 = 0.50;
/// The same of one that answers for sure.
const SURELY_ANSWERS: f32 = 0.85;
const SURE_WORD: f32 = 0.50;
/// How much less near a fact answers as well as the nearest.
const AS_GOOD: f32 = 0.03;
/// What rankings by words, by vectors, by the entities that are named, and by those next to them in the graph weigh.
const WEIGHTS: [f32; 4] = [1.0, 1.0, 0.8, 0.4];

/// Types of relations by which somebody's age is known.
const AGE: &str = "age";
const BIRTHDAY: &str = "birthday";

/// Relations of things, of which much else may tell: "where is the key" is answered by "Tom has the key".
pub(crate) const OPEN: [&str; 7] = ["attribute", "date", "place", "is", "measure", "have", "told"];

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recalled {
    /// The best first.
    pub facts: Vec<Fact>,
    /// There is something that is not for whoever asks.
    pub withheld: bool,
    /// The facts are about what is asked for, and may not answer it.
    pub unsure: bool,
}

impl Memory {
    /// The facts that answer a question, the best first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn recall(&self, asked: &str, by: &Requester) -> Result<Recalled, Fault> {
        let question = self.question(asked);
        let mut found = match &question {
            Some(question) => self.answers_of(asked, question, by)?,
            None => Vec::new(),
        };
        let (mut unsure, wanted) = (false, Wanted::of(asked));
        if wanted.is_of_a_kind() && !found.is_empty() {
            found = self.with_newer(found, &self.compared(asked, by)?, &wanted)?;
        }
        if found.is_empty() {
            let (likely, how) = self.likely(asked, question.as_ref(), by)?;
            (found, unsure) = (likely, how == Answering::Concerns);
        }
        let told = self.noted(self.for_requester(found, by), by);
        Ok(Recalled { unsure, ..told })
    }

    /// The facts that answer a question in other words; where none does, the one that has most to do with it.
    fn likely(
        &self,
        asked: &str,
        question: Option<&SaidQuestion>,
        by: &Requester,
    ) -> Result<(Vec<Fact>, Answering), Fault> {
        // Who asks for a relation is not answered by another one: "who likes olives" by who does not.
        let asks_relation = question.is_some_and(|question| {
            let is_open = |relation: &String| OPEN.contains(&relation.as_str());
            !question.relations.is_empty() && !question.relations.iter().any(is_open)
        });
        let wanted = Wanted::of(asked);
        let compared = self.compared(asked, by)?;
        let found = self.likest(asked, &compared)?;
        // Nor is what is asked of somebody answered by what was told of others.
        let whom: Vec<Entity> = self.store.entities(&possible_keys(asked))?;
        let whom: Vec<Entity> = whom.into_iter().filter(|it| it.kind == EntityKind::Person).collect();
        let may_answer = |(fact, likeness): &(Fact, Likeness)| {
            likeness.is_of_them
                && self.names_all(fact, &wanted)
                && whom.iter().all(|one| names(fact, &self.words_of_fact(fact), &one.key))
        };
        // "The bins" alone is answered by anything about them, "what are the bins" is not.
        let asks_something = asked.split_whitespace().any(|word| asks(&normal(word)));
        // What was told may leave open whether something is so that it does not say.
        let asks_whether = hark_language::all().iter().any(|language| language.memory.asks_whether(asked));
        let is_told = |words| words >= LEAST_WORDS || wanted.is_of_a_kind() || !asks_something;
        let answers = |found: &&(Fact, Likeness)| {
            let (fact, likeness) = found;
            likeness.mean >= ANSWERS
                && likeness.least >= LEAST_WORD
                && is_told(likeness.words)
                && (!asks_relation || fact.statement.is_none())
                && may_answer(found)
                && (!asks_whether || likeness.is_all() && !compared.is_of_theirs(fact))
                && self.is_of_kind(fact, &wanted)
        };
        if let Some((nearest, best)) = found.iter().find(answers) {
            let as_good = |(_, likeness): &&(Fact, Likeness)| likeness.mean + AS_GOOD >= best.mean;
            let is_sure = best.mean >= SURELY_ANSWERS && best.least >= SURE_WORD && !asks_whether;
            let how = match (self.is_name_told(nearest, &wanted), is_sure) {
                (false, _) => Answering::Concerns,
                (true, true) => Answering::Surely,
                (true, false) => Answering::Answers,
            };
            let all = found.iter().filter(answers).take_while(as_good).map(|(fact, _)| fact.clone());
            return Ok((self.with_newer(all.take(MAX_ANSWERS).collect(), &compared, &wanted)?, how));
        }
        let both = self.in_two_facts(&compared, &found, (&wanted, &whom))?;
        if !both.is_empty() {
            return Ok((self.with_newer(both, &compared, &wanted)?, Answering::Concerns));
        }
        let concerns = |found: &&(Fact, Likeness)| {
            let (fact, likeness) = found;
            let least = if likeness.same < LEAST_WORDS { CONCERNS_IN_A_WORD } else { CONCERNS };
            likeness.same > 0 && likeness.mean >= least && may_answer(found) && self.is_of_kind(fact, &wanted)
        };
        let concerned = found.iter().find(concerns).map(|(fact, _)| fact.clone()).into_iter().collect();
        Ok((self.with_newer(concerned, &compared, &wanted)?, Answering::Concerns))
    }

    /// What was told about somebody or something: by name, or by what it is to whoever asks.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn all_about(&self, asked: &str, by: &Requester) -> Result<Recalled, Fault> {
        let mut facts = self.everything_about(asked, by)?;
        if facts.is_empty() {
            facts = self.along_paths(asked, by)?;
        }
        if facts.is_empty() {
            facts = self.likely(asked, None, by)?.0;
        }
        let mut told = self.for_requester(facts, by);
        told.facts.truncate(MAX_TOLD_ABOUT);
        Ok(self.noted(told, by))
    }

    /// The newest facts.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn newest(&self, most: usize, by: &Requester) -> Result<Recalled, Fault> {
        let mut told = self.for_requester(self.store.newest(MAX_LOOKED_AT)?, by);
        told.facts.truncate(most);
        Ok(told)
    }

    /// Without the facts that are private to somebody else than the requester.
    fn for_requester(&self, mut facts: Vec<Fact>, by: &Requester) -> Recalled {
        let all = facts.len();
        facts.retain(|fact| self.may_tell(fact, by));
        let withheld = facts.len() < all;
        Recalled { facts, withheld, unsure: false }
    }

    /// Notes that facts were spoken of, the best as the last.
    fn noted(&self, told: Recalled, by: &Requester) -> Recalled {
        for fact in told.facts.iter().rev() {
            self.note(by, fact);
        }
        told
    }

    /// Whether a sentence asks for something that was told, or that only the household can have told.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn is_asked(&self, text: &str) -> Result<bool, Fault> {
        let Some(question) = self.question(text) else { return Ok(false) };
        Ok(match &question.subject {
            // "What is my wife's name" is for nobody else, whether or not it is known; "the chimney sweep" may be.
            Some(SaidSubject::Me) => true,
            Some(SaidSubject::MyRelative(_)) if is_of_speaker(text) => true,
            Some(SaidSubject::Pronoun(_)) => self.has_recent(),
            // "Who is Einstein" may be for an encyclopaedia.
            Some(SaidSubject::Named(_) | SaidSubject::MyRelative(_)) | None => {
                self.is_answered(text, &question)?
            }
        })
    }

    /// Whether something was told that answers what a sentence asks for.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn is_known(&self, text: &str) -> Result<bool, Fault> {
        let Some(question) = self.question(text) else { return Ok(false) };
        self.is_answered(text, &question)
    }

    fn is_answered(&self, text: &str, question: &SaidQuestion) -> Result<bool, Fault> {
        // Whether it may be told is decided when it is asked for.
        let owner = Requester { speaker: Speaker::Owner, ..Requester::default() };
        Ok(!self.answers_of(text, question, &owner)?.is_empty())
    }

    /// The facts that answer a question, directly or by the relations of those it is about.
    fn answers_of(&self, text: &str, question: &SaidQuestion, by: &Requester) -> Result<Vec<Fact>, Fault> {
        let found = self.answers(question, by)?;
        match &question.subject {
            Some(SaidSubject::Named(_) | SaidSubject::MyRelative(_)) if found.is_empty() => {
                self.along_paths(text, by)
            }
            _ => Ok(found),
        }
    }

    /// How something that was told answers a question in other words, if anything does.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn is_asked_in_other_words(&self, text: &str) -> Result<Option<Answering>, Fault> {
        // Whether it may be told is decided when it is asked for.
        let owner = Requester { speaker: Speaker::Owner, ..Requester::default() };
        let (found, how) = self.likely(text, self.question(text).as_ref(), &owner)?;
        Ok((!found.is_empty()).then_some(how))
    }

    /// The sentence that answers with a fact: in the language of the question `asked`, where that language has a response for
    /// the relation. Empty for a fact that no rule has parsed.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn told_to(&self, fact: &Fact, asked: Option<&str>, by: &Requester) -> Result<String, Fault> {
        let Some((reader, asked)) = self.reader.as_ref().zip(asked) else { return Ok(fact.told.clone()) };
        if let Some(told) = self.told_of_another(reader.as_ref(), fact, (asked, by))? {
            return Ok(told);
        }
        let asked_in = reader.question(asked).map(|question| question.language).unwrap_or_default();
        let told_in = &fact.source.language;
        let is_other = !asked_in.is_empty() && !told_in.is_empty() && asked_in != *told_in;
        // What has no sentence in the language of the question is quoted as it was told.
        let told = reader.retold(fact, asked, None);
        Ok(told.unwrap_or_else(|| if is_other { String::new() } else { fact.told.clone() }))
    }

    /// The language of a question that only who lives here can answer: a rule reads it, it is of the speaker's own, or it has a
    /// word of what was told.
    pub fn asked_in(&self, text: &str) -> Option<String> {
        let read = self.question(text).map(|question| question.language);
        let languages = hark_language::all();
        let is_own = |it: &&&Lexicon| it.memory.asks_of_own(text);
        let asks = |it: &&&Lexicon| it.memory.asks_what(text) || it.memory.asks_of_another(text);
        let is_of_told = || self.store.search(&content(text), true, 1).is_ok_and(|found| !found.is_empty());
        let found = languages.iter().find(is_own);
        let found = found.or_else(|| languages.iter().find(asks).filter(|_| is_of_told()));
        read.or_else(|| found.map(|it| it.code.to_owned()))
    }

    /// What a request may have to do with, for a language model: the best first, at most `most`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn context(
        &self,
        text: &str,
        by: &Requester,
        now_unix_ms: i64,
        most: usize,
    ) -> Result<Vec<Fact>, Fault> {
        let words = sought_words(text);
        let near = self.near(text, CONCERNS)?;
        let mut keys: Vec<String> =
            self.store.entities(&possible_keys(text))?.into_iter().map(|entity| entity.key).collect();
        if let Some(SaidSubject::Pronoun(_)) = self.question(text).and_then(|question| question.subject) {
            keys.extend(self.recent_keys(by).into_iter().take(1));
        }
        keys.extend(self.keys_along_paths(text, by)?);
        let about = if keys.is_empty() { Vec::new() } else { self.store.about(&keys, MAX_RANKED)? };
        let next: Vec<String> = about
            .iter()
            .flat_map(|fact| &fact.mentions)
            .map(|entity| entity.key.clone())
            .filter(|key| !keys.contains(key) && key != OWNER_KEY)
            .take(MAX_ANSWERS)
            .collect();
        let beside = if next.is_empty() { Vec::new() } else { self.store.about(&next, MAX_ANSWERS)? };
        let by_words = self.with_most(&words)?;
        let near_ids: Vec<i64> = near.iter().map(|(id, _)| *id).collect();
        let mut facts: HashMap<i64, Fact> = HashMap::new();
        let ids = |facts: &[Fact]| facts.iter().map(|fact| fact.id).collect::<Vec<_>>();
        let rankings = [ids(&by_words), near_ids.clone(), ids(&about), ids(&beside)];
        for fact in by_words.into_iter().chain(self.store.by_ids(&near_ids)?).chain(about).chain(beside) {
            facts.insert(fact.id, fact);
        }
        let weighed: Vec<(f32, Vec<i64>)> = WEIGHTS.into_iter().zip(rankings).collect();
        let age = |id: i64| facts.get(&id).map_or(i64::MAX, |fact| now_unix_ms - fact.told_unix_ms);
        let order = fuse(&weighed, age);
        let told = order.into_iter().filter_map(|id| facts.get(&id)).filter(|fact| self.may_tell(fact, by));
        Ok(told.take(most).cloned().collect())
    }

    /// How old somebody is whose day of birth answers the question for their age, in whole years.
    pub fn age(&self, fact: &Fact, asked: &str, now: NaiveDateTime) -> Option<u32> {
        let statement = fact.statement.as_ref().filter(|it| it.relation == BIRTHDAY)?;
        self.question(asked).filter(|it| it.relations.first().is_some_and(|wanted| wanted == AGE))?;
        let (reader, language) = (self.reader.as_ref()?, fact.source.language.as_str());
        let born = reader.time(&statement.object, language, now, Dating::Once)?.when()?.start().date();
        // A day of this year or the next is the birthday, and not the day of birth.
        now.date().years_since(born).filter(|years| *years > 0)
    }

    pub(crate) fn question(&self, text: &str) -> Option<SaidQuestion> {
        self.reader.as_ref().and_then(|reader| reader.question(text))
    }

    /// The facts that a question asks for by what it is about.
    pub(crate) fn answers(&self, question: &SaidQuestion, by: &Requester) -> Result<Vec<Fact>, Fault> {
        let Some(said) = &question.subject else { return self.of_whom_it_is_true(question) };
        let Some(subject) = self.subject(said, EntityKind::Thing, by)? else { return Ok(Vec::new()) };
        // "The plumber" who comes may be whoever the plumber of the house is.
        let unnamed = subject.key.starts_with(':').then(|| normal(&subject.name));
        let keys: Vec<String> = [subject.key.clone()].into_iter().chain(unnamed).collect();
        let about = self.store.about(&keys, MAX_ABOUT)?;
        if question.relations.is_empty() && question.qualifier.is_empty() {
            return Ok(about.into_iter().take(MAX_TOLD_ABOUT).collect());
        }
        let is_it = |fact: &&Fact| {
            fact.statement.as_ref().is_some_and(|it| keys.contains(&it.subject.key) && fits(it, question))
        };
        let mut found: Vec<Fact> = about.iter().filter(is_it).take(MAX_TOLD_ABOUT).cloned().collect();
        // The type that was asked for comes before the one that answers as well.
        let place = |fact: &Fact| {
            let relation = fact.statement.as_ref().map(|it| it.relation.clone()).unwrap_or_default();
            question.relations.iter().position(|wanted| *wanted == relation).unwrap_or(usize::MAX)
        };
        found.sort_by_key(|fact| (place(fact), std::cmp::Reverse(fact.id)));
        Ok(found)
    }

    /// "Who likes olives"; without the other end "who is coming".
    fn of_whom_it_is_true(&self, question: &SaidQuestion) -> Result<Vec<Fact>, Fault> {
        let Some(object) = &question.object else {
            let mut found = self.store.newest(MAX_ABOUT)?;
            found.retain(|fact| fact.statement.as_ref().is_some_and(|it| fits(it, question)));
            found.truncate(MAX_TOLD_ABOUT);
            return Ok(found);
        };
        let by_words = self.store.search(&telling_words(object), false, MAX_LOOKED_AT)?;
        let by_name = self.store.about(&[named(object, EntityKind::Thing).key], MAX_LOOKED_AT)?;
        let mut found: Vec<Fact> = by_words
            .into_iter()
            .chain(by_name)
            .filter(|fact| fact.statement.as_ref().is_some_and(|it| fits(it, question)))
            .collect();
        found.sort_by_key(|fact| std::cmp::Reverse(fact.id));
        found.dedup_by_key(|fact| fact.id);
        found.truncate(MAX_TOLD_ABOUT);
        Ok(found)
    }

    /// Those with at least two thirds of the words, and two of them.
    fn with_most(&self, words: &[String]) -> Result<Vec<Fact>, Fault> {
        let mut found: HashMap<i64, (Fact, usize)> = HashMap::new();
        for word in words {
            for fact in self.store.search(std::slice::from_ref(word), true, MAX_LOOKED_AT)? {
                found.entry(fact.id).or_insert((fact, 0)).1 += 1;
            }
        }
        let enough = (words.len() * 2).div_ceil(3).max(2);
        let mut best: Vec<(Fact, usize)> =
            found.into_values().filter(|(_, count)| *count >= enough).collect();
        best.sort_by_key(|(fact, count)| (std::cmp::Reverse(*count), std::cmp::Reverse(fact.id)));
        Ok(best.into_iter().map(|(fact, _)| fact).take(MAX_RANKED).collect())
    }

    /// Ids of facts by the likeness of their meaning, with the cosine. Without an encoder, or when it fails, there are none.
    pub(crate) fn near(&self, text: &str, least: f32) -> Result<Vec<(i64, f32)>, Fault> {
        let Some(encoder) = &self.encoder else { return Ok(Vec::new()) };
        let vectors = self.vectors(encoder.name())?;
        if vectors.ids.is_empty() {
            return Ok(Vec::new());
        }
        match encoder.embed(text) {
            Ok(query) => Ok(nearest(&vectors, &to_int8(&query), least, MAX_RANKED)),
            Err(fault) => {
                tracing::warn!("what was told is found by its words only: {fault}");
                Ok(Vec::new())
            }
        }
    }

    /// The vectors of all facts, read again only when they have changed.
    fn vectors(&self, encoder: &str) -> Result<Arc<Vectors>, Fault> {
        let known = self.lock().vectors.clone();
        let state = known.as_ref().map(|known| known.state);
        Ok(match (self.store.vectors(encoder, state)?, known) {
            (None, Some(known)) => known,
            (found, _) => {
                let found = Arc::new(found.unwrap_or_default());
                self.lock().vectors = Some(Arc::clone(&found));
                found
            }
        })
    }
}

/// The words of a question that its answer has.
fn sought_words(asked: &str) -> Vec<String> {
    telling_words(asked).into_iter().filter(|word| !asks(word)).collect()
}

/// Whether a statement is of a type that answers, and says the other end that was asked for.
fn fits(statement: &Statement, question: &SaidQuestion) -> bool {
    let is_type = question.relations.contains(&statement.relation);
    // "Her number" is her phone number; "the code" is not that of the gate.
    let of_somebody = statement.subject.key != OWNER_KEY;
    let is_aspect = question.qualifier.is_empty()
        || normal(&statement.qualifier) == normal(&question.qualifier)
        || holds_words(&statement.qualifier, &question.qualifier)
        || of_somebody && holds_words(&question.qualifier, &statement.qualifier);
    let is_object = question.object.as_ref().is_none_or(|asked| {
        normal(asked) == normal(&statement.object)
            || holds_words(&statement.object, asked)
            || holds_words(asked, &statement.object)
            // "A peanut allergy" is one to peanuts.
            || one_each(asked) == one_each(&statement.object)
    });
    is_type && is_aspect && is_object
}

/// The telling words of a text without the ending of many.
fn one_each(text: &str) -> Vec<String> {
    telling_words(text).into_iter().map(|word| word.trim_end_matches(['s', 'n']).to_owned()).collect()
}

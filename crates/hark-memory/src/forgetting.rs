//! Deletes facts: the one that a request names, or all facts about a person or thing. Of a fact that tells of something else as
//! well, that is kept.

use crate::changing::{LEAST_SHARED, content, subject_of};
use crate::correcting::placed_words;
use crate::keep::{Asked, Kept, MAX_ABOUT, MAX_LOOKED_AT, Memory, Telling};
use crate::likeness::shared;
use hark_core::Fault;
use hark_core::memory::{EntityKind, Fact, Requester};
use hark_language::names::{normal, telling_words};
use hark_language::phrases;

/// Facts at most that are forgotten by a part of the words that were said.
const MAX_OTHERWISE: usize = 3;

/// Words that say something of a clause which is forgotten alone, at least, and of what is kept of its sentence.
const LEAST_OF_CLAUSE: usize = 2;

/// What was forgotten.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Forgotten {
    /// The facts that are gone, history included.
    pub gone: Vec<Fact>,
    /// What is forgotten of the current ones, in words.
    pub said: Vec<String>,
    /// What they told of something else.
    pub kept: Vec<Fact>,
}

/// What is to be forgotten, without a sentence of its own behind it.
pub fn topic_of(asked: &str) -> &str {
    let topics = hark_language::all().into_iter().map(|language| language.memory.topic(asked));
    topics.min_by_key(|topic| topic.len()).unwrap_or(asked)
}

impl Memory {
    /// Forgets the fact that is meant, or every one about something.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn forget(&self, asked: &str, every: bool, by: &Requester) -> Result<Forgotten, Fault> {
        let mut found = self.to_forget(asked, every, by)?;
        found.retain(|fact| self.may_tell(fact, by));
        let topic = content(topic_of(asked));
        // A sentence goes on with another one that is kept by itself.
        let mut longer = Vec::new();
        for fact in &found {
            longer.extend(self.store.search(&telling_words(&fact.text), false, MAX_LOOKED_AT)?);
        }
        longer.retain(|it| found.iter().any(|fact| it.text != fact.text && it.text.contains(&fact.text)));
        longer.retain(|it| parted(it, &topic).is_some() && self.may_tell(it, by));
        found.extend(longer);
        found.sort_by_key(|fact| std::cmp::Reverse(fact.id));
        found.dedup_by_key(|fact| fact.id);
        let gone = self.forget_ids(&found.iter().map(|fact| fact.id).collect::<Vec<_>>())?;
        let (mut said, mut kept): (Vec<String>, _) = (Vec::new(), Vec::new());
        for fact in &found {
            let (part, rest) = parted(fact, &topic).unwrap_or_else(|| (fact.text.clone(), String::new()));
            said.push(part);
            if !rest.is_empty() {
                kept.extend(self.keep_rest(fact, &rest, by)?);
            }
        }
        let all = said.clone();
        said.retain(|one| !all.iter().any(|other| other.len() > one.len() && other.contains(one)));
        said.dedup();
        Ok(Forgotten { gone, said, kept })
    }

    /// Keeps what a fact tells besides what is forgotten of it, as it was told then.
    fn keep_rest(&self, fact: &Fact, rest: &str, by: &Requester) -> Result<Vec<Fact>, Fault> {
        let teller =
            Requester { speaker: fact.source.speaker, person: fact.source.person.clone(), ..by.clone() };
        let asked = Asked { telling: Telling::Whole, private: fact.source.private };
        let turn = fact.source.turn.as_deref();
        let all = self.keep_each(rest, fact.told_unix_ms, &teller, turn, asked)?;
        let new = |kept| if let Kept::New(fact, _) = kept { Some(*fact) } else { None };
        Ok(all.into_iter().filter_map(new).collect())
    }

    /// The facts that are meant by what is to be forgotten; `every`: every one about it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn to_forget(&self, asked: &str, every: bool, by: &Requester) -> Result<Vec<Fact>, Fault> {
        let find = |about: &str| if every { self.everything_about(about, by) } else { self.meant(about, by) };
        let found = find(asked)?;
        if !found.is_empty() {
            return Ok(found);
        }
        // "The walking football, I've packed it in": a reason may stand behind it.
        let topic = topic_of(asked);
        let found = if topic == asked { found } else { find(topic)? };
        let mut found = if found.is_empty() { self.with_most_words(topic)? } else { found };
        found.truncate(if every { usize::MAX } else { 1 });
        // So much was not meant by words of which the rest was left out.
        Ok(if found.len() > MAX_OTHERWISE { Vec::new() } else { found })
    }

    /// The facts with most words of a topic, two and half of them at least, the newest first.
    fn with_most_words(&self, topic: &str) -> Result<Vec<Fact>, Fault> {
        let words = content(topic);
        let least = LEAST_SHARED.max(words.len().div_ceil(2));
        let found = self.store.search(&words, true, MAX_LOOKED_AT)?;
        let counted = found.into_iter().map(|fact| (shared(&words, &telling_words(&fact.text)), fact));
        let mut counted: Vec<(usize, Fact)> = counted.filter(|(count, _)| *count >= least).collect();
        counted.sort_by_key(|(count, fact)| std::cmp::Reverse((*count, fact.id)));
        let most = counted.first().map_or(0, |(count, _)| *count);
        Ok(counted.into_iter().take_while(|(count, _)| *count == most).map(|(_, fact)| fact).collect())
    }

    /// Forgets facts by their ids; answers those that are gone, history included.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn forget_ids(&self, ids: &[i64]) -> Result<Vec<Fact>, Fault> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.lock().vectors = None;
        self.drop_words(ids);
        let gone = self.store.forget(ids)?;
        let keys: Vec<&str> = gone.iter().flat_map(|fact| &fact.mentions).map(|it| it.key.as_str()).collect();
        self.lock().conversations.drop_all(&keys);
        Ok(gone)
    }

    /// The fact of these words: the same statement, else the one that has all the words best.
    fn meant(&self, asked: &str, by: &Requester) -> Result<Vec<Fact>, Fault> {
        let said = self.reader.as_ref().and_then(|reader| reader.statement(asked));
        if let Some(said) = said
            && let Some(subject) = self.subject(&said.subject, said.subject_kind, by)?
        {
            let about = self.store.about(&[subject.key], MAX_ABOUT)?;
            let same = about.into_iter().find(|fact| {
                fact.statement.as_ref().is_some_and(|known| {
                    known.relation == said.relation && normal(&known.object) == normal(&said.object)
                })
            });
            if let Some(same) = same {
                return Ok(vec![same]);
            }
        }
        let mut found = self.store.search(&telling_words(asked), false, 1)?;
        if found.is_empty()
            && let Some(question) = self.question(asked)
        {
            found = self.answers(&question, by)?.into_iter().take(1).collect();
        }
        Ok(found)
    }

    /// Every fact with these words, about what is called so, and about whom a question means by it, the newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn everything_about(&self, asked: &str, by: &Requester) -> Result<Vec<Fact>, Fault> {
        let mut keys = vec![normal(asked)];
        let mut found = Vec::new();
        if let Some(question) = self.question(asked) {
            found = self.answers(&question, by)?;
            // "Everything about my wife" is everything about Anna.
            let others = found.iter().filter_map(|fact| fact.statement.as_ref()?.entity.as_ref());
            keys.extend(others.filter(|it| it.kind == EntityKind::Person).map(|it| it.key.clone()));
        }
        found.extend(self.store.about(&keys, MAX_ABOUT)?);
        found.extend(self.store.search(&telling_words(asked), false, MAX_LOOKED_AT)?);
        found.sort_by_key(|fact| std::cmp::Reverse(fact.id));
        found.dedup_by_key(|fact| fact.id);
        Ok(found)
    }
}

/// The part of a fact that tells of a topic, and the rest of it where that stands for itself: "the council tax comes out on the
/// fifteenth and the mortgage on the first".
fn parted(fact: &Fact, topic: &[String]) -> Option<(String, String)> {
    let clauses = clauses(&fact.text);
    let counts: Vec<usize> = clauses.iter().map(|clause| shared(topic, &content(clause))).collect();
    let most = counts.iter().copied().max().filter(|most| *most > 0)?;
    let of_topic = |at: &usize| counts[*at] == most;
    let join = |of: bool| -> Vec<&str> {
        (0..clauses.len()).filter(|at| of_topic(at) == of).map(|at| clauses[at]).collect()
    };
    let (gone, rest) = (join(true), join(false));
    let says = |part: &[&str]| content(&part.join(" ")).len() >= LEAST_OF_CLAUSE;
    if !says(&gone) || !says(&rest) {
        return None;
    }
    let (gone, rest) = (gone.join(", "), rest.join(", "));
    let first = rest.split_whitespace().next()?;
    let languages = hark_language::all();
    let Some(language) = languages.iter().find(|it| it.memory.is_pronoun(first)) else {
        let points = languages.iter().any(|it| it.memory.begins_with(it.memory.points_back, &rest));
        return (!points).then_some((gone, rest));
    };
    // "Milo starts on monday and he's allergic to nuts": the rest is about Milo, too.
    let whom = subject_of(&fact.text)?;
    let is_topic = shared(topic, &content(&whom)) > 0;
    (!is_topic).then(|| (gone, language.memory.named(&rest, &whom)))
}

/// The clauses of a text: what commas and words like "and" stand between.
fn clauses(text: &str) -> Vec<&str> {
    let words = placed_words(text);
    let lower: Vec<String> = words.iter().map(|(_, word)| word.to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(|word| word.trim_end_matches([',', ';', '.'])).collect();
    let languages = hark_language::all();
    let joins = |at: usize| {
        let lengths = languages.iter().filter_map(|it| phrases::starts(it.memory.connectors, &lower[at..]));
        lengths.max().unwrap_or(0)
    };
    let (mut found, mut start, mut at) = (Vec::new(), 0, 1);
    while at < words.len() {
        let joined = joins(at);
        let pauses = words[at - 1].1.ends_with([',', ';', '.']);
        if (joined > 0 || pauses) && at + joined < words.len() {
            found.push(text[start..words[at].0].trim_end_matches([' ', ',', ';', '.']));
            start = words[at + joined].0;
        }
        at += joined.max(1);
    }
    found.push(text[start..].trim_end_matches([' ', ',', ';', '.']));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_meant_of_a_sentence_is_forgotten() {
        let part = |text: &str, topic: &str| {
            parted(&Fact { text: text.into(), ..Fact::default() }, &content(topic)).map(|(_, rest)| rest)
        };
        let milo = "milo starts at the nursery on monday and he's allergic to nuts";
        assert_eq!(part(milo, "the nursery").as_deref(), Some("milo's allergic to nuts"));
        assert_eq!(part(milo, "milo"), None, "all of it is about him");
        let tax = "council tax comes out on the fifteenth and the mortgage on the first";
        assert_eq!(part(tax, "the council tax").as_deref(), Some("the mortgage on the first"));
        assert_eq!(part("gran likes tulips and roses", "roses"), None, "a thing is no clause");
        assert_eq!(part("the plumber's called baz", "the plumber"), None);
    }
}

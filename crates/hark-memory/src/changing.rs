//! Facts that change: a fact gets another value of the same kind ("we've moved the party to sunday"), or ends because a new
//! statement contradicts it ("she works at the museum now").

use crate::keep::{Kept, MAX_LOOKED_AT, Memory, without_possessive};
use crate::likeness::{shared, without_parts};
use hark_core::Fault;
use hark_core::memory::{Entity, EntityKind, Fact, Requester, SaidChange, SaidValue, ValueKind};
use hark_language::names::{asks, is_small, normal, telling_words};
use hark_language::{Lexicon, Phrases, phrases};

/// Words that what is otherwise now has of what was told at least.
pub(crate) const LEAST_SHARED: usize = 2;
/// Words at most of what was told before, where a sentence goes on with it.
const MAX_BEFORE: usize = 24;

impl Memory {
    /// Ends a fact that a new statement contradicts, if that was kept and has not ended it already.
    pub(crate) fn end_in_favour(
        &self,
        gone: Option<Fact>,
        kept: &mut [Kept],
        (now_unix_ms, by): (i64, &Requester),
    ) -> Result<(), Fault> {
        let Some(gone) = gone else { return Ok(()) };
        let words: Vec<String> = content(&gone.text);
        let told = kept.iter().filter_map(|kept| match kept {
            Kept::New(new, _) => Some(content(&new.text)),
            _ => None,
        });
        // What the old one tells besides is still so; see `with_newer`.
        if shared(&words, &told.flatten().collect::<Vec<_>>()) * 2 <= words.len() {
            return Ok(());
        }
        let is_settled = |kept: &Kept| !matches!(kept, Kept::New(..) | Kept::Known(_)) || has(kept, &gone);
        if kept.iter().any(is_settled) || !matches!(kept.last(), Some(Kept::New(..))) {
            return Ok(());
        }
        self.end_with_parts(&gone, kept, (now_unix_ms, by))
    }

    /// Ends a fact and the facts that are parts of its text, and notes them as replaced by what was kept. A fact of a more
    /// trusted speaker is not ended.
    pub(crate) fn end_with_parts(
        &self,
        gone: &Fact,
        kept: &mut [Kept],
        (now_unix_ms, by): (i64, &Requester),
    ) -> Result<(), Fault> {
        let mut parts = self.store.search(&telling_words(&gone.text), true, MAX_LOOKED_AT)?;
        parts.retain(|fact| gone.text.contains(&fact.text) && fact.id != gone.id);
        parts.push(gone.clone());
        parts.retain(|fact| fact.source.speaker <= by.speaker && !kept.iter().any(|kept| has(kept, fact)));
        self.store.end(&parts.iter().map(|fact| fact.id).collect::<Vec<_>>(), now_unix_ms)?;
        if let Some(Kept::New(_, replaced)) = kept.iter_mut().rfind(|kept| matches!(kept, Kept::New(..))) {
            replaced.extend(parts);
        }
        Ok(())
    }

    /// Whether a text tells of a change to a fact.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn changes(&self, text: &str) -> Result<bool, Fault> {
        let of_whom = || self.change_of_whom(text).is_some() && self.has_recent();
        Ok(self.changed(text)?.is_some() || of_whom())
    }

    /// The words of a change that begin with whom it is about, where that was named before: "no, *he works nights now*".
    fn change_of_whom(&self, text: &str) -> Option<(String, &'static Lexicon)> {
        let words = self.reader.as_ref()?.change(text)?.words;
        let languages = hark_language::all();
        let is_person = |it: &&'static Lexicon| {
            let first = words.split_whitespace().next();
            first.is_some_and(|first| it.memory.is_pronoun(first))
                && !it.memory.begins_with(it.memory.points_back, &words)
        };
        let language = languages.into_iter().find(is_person)?;
        Some((words, language))
    }

    /// A change with the name of the person who was spoken of last in the place of "he".
    pub(crate) fn with_name(&self, text: &str, by: &Requester) -> String {
        let named = || {
            let (words, language) = self.change_of_whom(text)?;
            let ids = self.lock().conversations.last_facts(Some(&by.conversation));
            let last = self.store.by_ids(ids.get(..1).unwrap_or_default()).ok()?.pop();
            let is_person = |it: &&Entity| it.kind == EntityKind::Person && !it.key.starts_with(':');
            let names_one = last.as_ref().is_some_and(|it| it.mentions.iter().any(|it| is_person(&it)));
            let recent = || self.recent(by, EntityKind::Person).filter(|it| is_person(&it)).map(|it| it.name);
            // Whom no rule knows is told of by the words with which the sentence begins.
            let begins = last.as_ref().filter(|_| !names_one).and_then(|it| subject_of(&it.text));
            Some(text.replacen(&words, &language.memory.named(&words, &begins.or_else(recent)?), 1))
        };
        named().unwrap_or_else(|| text.to_owned())
    }

    /// The fact that a text which tells of a change contradicts: of the facts with two of its words the one with most, the
    /// newest of those.
    pub(crate) fn changed(&self, text: &str) -> Result<Option<Fact>, Fault> {
        let Some(change) = self.reader.as_ref().and_then(|reader| reader.change(text)) else {
            return Ok(None);
        };
        // Values count beside a word of what they are of: "the training's mondays and thursdays now".
        let (words, all) = (without_values(&change), telling_words(&change.words));
        let found = self.store.search(&words, true, MAX_LOOKED_AT)?;
        let shared = |fact: &Fact| shared(&all, &telling_words(&fact.text));
        let best = found.into_iter().map(|fact| (shared(&fact), fact));
        let best = best.max_by_key(|(shared, fact)| (*shared, fact.id));
        Ok(best.filter(|(shared, _)| *shared >= LEAST_SHARED).map(|(_, fact)| fact))
    }

    /// A sentence as it is understood alone: "he has a dog" behind the sentence that tells of him, else with his name.
    pub(crate) fn in_context(&self, text: &str, by: &Requester) -> String {
        let Some(first) = text.split_whitespace().next() else { return text.to_owned() };
        let first = first.trim_end_matches(|c: char| !c.is_alphanumeric());
        let languages = hark_language::all();
        let points_back = languages.iter().any(|it| it.memory.begins_with(it.memory.points_back, text));
        let language = languages.iter().find(|it| it.memory.is_pronoun(first));
        if !points_back && language.is_none() {
            return text.to_owned();
        }
        // What is otherwise now does not go on with how it was.
        let changes = self.reader.as_ref().is_some_and(|reader| reader.change(text).is_some());
        let last = self.lock().conversations.last_facts(Some(&by.conversation)).into_iter().next();
        let before = last.and_then(|id| self.store.by_ids(&[id]).ok()?.pop());
        if let Some(before) = before.filter(|it| !changes && it.text.split_whitespace().count() <= MAX_BEFORE)
        {
            return format!("{}, {text}", before.text);
        }
        let whom = self.recent(by, EntityKind::Person).filter(|it| !it.key.starts_with(':'));
        match (language, whom) {
            (Some(language), Some(whom)) if !points_back => language.memory.named(text, &whom.name),
            _ => text.to_owned(),
        }
    }

    /// The fact that a text tells another value of, and its words with that value: "no, it's at two", "we've moved the party to
    /// sunday".
    pub(crate) fn with_other_values(
        &self,
        text: &str,
        by: Option<&Requester>,
    ) -> Result<Option<(Fact, String)>, Fault> {
        let Some(reader) = &self.reader else { return Ok(None) };
        let Some(change) = reader.change(text).filter(|change| !change.values.is_empty()) else {
            return Ok(None);
        };
        let words: Vec<String> = without_values(&change).into_iter().filter(|word| !is_frame(word)).collect();
        // "Bins are thursday now", where nothing else was told of bins.
        let with_a_word = without_parts(self.store.search(&words, true, MAX_LOOKED_AT)?, |fact| fact);
        let only = |fact: &Fact| with_a_word.len() == 1 && with_a_word[0].id == fact.id;
        // "No, I meant mondays and wednesdays" is about what was said last, whatever its words.
        let means = hark_language::all().iter().any(|it| it.memory.begins_with(it.memory.meant, text));
        let is_about = |fact: &Fact| {
            let shared = shared(&words, &telling_words(&fact.text));
            shared >= LEAST_SHARED || change.corrects && shared == words.len() || shared > 0 && only(fact)
        };
        let last = if change.corrects {
            let ids = self.lock().conversations.last_facts(by.map(|by| by.conversation.as_str()));
            let facts = self.store.by_ids(&ids)?;
            let known = |id: &i64| facts.iter().find(|fact| fact.id == *id);
            let about = ids.iter().filter_map(known).find(|fact| is_about(fact));
            about.or_else(|| ids.first().and_then(known).filter(|_| means)).cloned()
        } else {
            None
        };
        let fact = match last {
            Some(fact) => Some(fact),
            None => self.changed(text)?.or_else(|| with_a_word.first().cloned()).filter(is_about),
        };
        let Some(fact) = fact else { return Ok(None) };
        let known = reader.values(&fact.text, &fact.source.language);
        Ok(with_values(&fact.text, &known, &change).map(|text| (fact, text)))
    }
}

/// The subject of a sentence, by its first words: "my brother" of "my brother's a plumber"; `None` where that is a pronoun ("I", "he").
pub(crate) fn subject_of(text: &str) -> Option<String> {
    let languages = hark_language::all();
    let mut words = text.split_whitespace();
    let begins = words.next()?;
    if languages.iter().any(|it| it.memory.begins_with(it.memory.clause_starts, begins)) {
        return None;
    }
    let whom =
        if is_small(&normal(begins)) { format!("{begins} {}", words.next()?) } else { begins.to_owned() };
    Some(without_possessive(&whom, &languages))
}

/// The words of a change that say what it is about: its values are other ones now.
fn without_values(change: &SaidChange) -> Vec<String> {
    let mut said = change.words.clone();
    for value in change.values.iter().rev() {
        said.replace_range(value.start..value.end, " ");
    }
    content(&said)
}

/// The words of a text that are neither small nor those of a question.
pub(crate) fn content(text: &str) -> Vec<String> {
    telling_words(text).into_iter().filter(|word| !asks(word) && !is_small(word)).collect()
}

/// Whether keeping something made a fact, found it, or ended it.
fn has(kept: &Kept, fact: &Fact) -> bool {
    match kept {
        Kept::New(new, replaced) => new.id == fact.id || replaced.iter().any(|it| it.id == fact.id),
        Kept::Known(known) => known.id == fact.id,
        Kept::Refused | Kept::Ended(_) | Kept::Nothing => false,
    }
}

/// A text with the values of a change, each in the place of one of its kind: as many as there are of it in their order, else the
/// last. `None` where it lacks one, or has them all. A number counts what stands behind it, and takes the place of one that
/// counts the same.
fn with_values(text: &str, known: &[SaidValue], change: &SaidChange) -> Option<String> {
    let words_of =
        |text: &str, value: &SaidValue| telling_words(text.get(value.start..value.end).unwrap_or_default());
    // "He can't make nine, it'll be half past eleven": nine is what it was, as "mondays" is "every monday".
    let is_new = |new: &&SaidValue| {
        let said = words_of(&change.words, new);
        let is_said = |value: &SaidValue| {
            let old = words_of(text, value);
            if new.kind == ValueKind::Number { old == said } else { shared(&said, &old) == said.len() }
        };
        !known.iter().any(|value| value.kind == new.kind && is_said(value))
    };
    let mut news: Vec<&SaidValue> = change.values.iter().filter(is_new).collect();
    // "I meant friday, friday morning" says it twice.
    news.dedup_by(|later, earlier| words_of(&change.words, later) == words_of(&change.words, earlier));
    let about = without_values(change);
    let mut places: Vec<(SaidValue, &str)> = Vec::new();
    for (at, new) in news.iter().enumerate() {
        let counted = behind(&change.words, new).filter(|it| new.kind == ValueKind::Number && !is_frame(it));
        // "A seventeen collar" takes the place of the one in "collar size sixteen", where nothing is counted.
        let counts_it = |value: &&SaidValue| {
            counted.as_ref().is_none_or(|new| {
                behind(text, value).is_none_or(|old| shared(std::slice::from_ref(new), &[old]) == 1)
            })
        };
        let of_kind = |kind: ValueKind| -> Option<&SaidValue> {
            let olds: Vec<&SaidValue> =
                known.iter().filter(|value| value.kind == kind && counts_it(value)).collect();
            let alike = news.iter().filter(|other| other.kind == new.kind).count();
            // "Recycling's wednesday" is the day behind recycling, and not that of the black bin.
            let counted = olds.iter().map(|old| (words_before(text, known, old, &about), *old));
            match counted.rev().max_by_key(|(count, _)| *count) {
                Some((1.., nearest)) if alike == 1 => return Some(nearest),
                _ => {}
            }
            let before = news[..at].iter().filter(|other| other.kind == new.kind).count();
            let from = olds.len().checked_sub(alike)?;
            olds.get(from + before).copied()
        };
        // "At seven" may be told as a number and put right as a time, and "thursday" as a day of a month.
        let other = match new.kind {
            ValueKind::Month => None,
            ValueKind::Day => of_kind(ValueKind::DayOfMonth),
            ValueKind::DayOfMonth => of_kind(ValueKind::Day),
            ValueKind::Time => of_kind(ValueKind::Number),
            ValueKind::Number => of_kind(ValueKind::Time),
        };
        let old = of_kind(new.kind).or(other)?;
        places.push((*old, change.words.get(new.start..new.end)?));
    }
    places.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    // Two values never stand in the place of one.
    places.dedup_by(|earlier, later| earlier.0.end > later.0.start);
    let mut right = text.to_owned();
    for (place, new) in places {
        right.replace_range(place.start..place.end, new);
    }
    (normal(&right) != normal(text)).then_some(right)
}

/// How many of some words stand between a value of a text and the value before it.
fn words_before(text: &str, known: &[SaidValue], value: &SaidValue, words: &[String]) -> usize {
    let begins = known.iter().map(|other| other.end).filter(|end| *end <= value.start).max().unwrap_or(0);
    shared(words, &telling_words(text.get(begins..value.start).unwrap_or_default()))
}

/// The word behind a value in its clause.
fn behind(text: &str, value: &SaidValue) -> Option<String> {
    let behind = text.get(value.end..)?;
    // At the end of a clause it counts nothing.
    behind.split_whitespace().next().filter(|_| behind.starts_with(' ')).map(normal)
}

/// Whether a word only frames a correction or is of its time: "it's", "i mean", "morning".
fn is_frame(word: &str) -> bool {
    hark_language::all().iter().any(|language| {
        let memory = &language.memory;
        let lists = [memory.it_is, memory.corrects, memory.changes, memory.points_back, memory.passing];
        let has =
            |list: &Phrases| list.iter().any(|phrase| phrase.split(' ').any(|part| normal(part) == word));
        lists.iter().any(has) || phrases::find(language.time.parts, &[word]).is_some()
    })
}

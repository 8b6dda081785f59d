//! Relation paths: who "my wife's sister" is follows from two facts, and where she works from a third. A piece of a sentence
//! that a rule reads as a question for a relation ("my wife", "Anna's sister") is replaced by whom that relation leads to,
//! until the sentence can be answered or nothing more can be replaced.

use crate::keep::{MAX_ABOUT, Memory, is_of_speaker};
use hark_core::Fault;
use hark_core::memory::{Entity, Fact, OWNER_KEY, Requester, SaidSubject};
use std::ops::RangeInclusive;

/// Relations that are followed one after the other.
const MAX_EDGES: usize = 3;
/// Words of a piece that asks for a relation.
const PIECE_WORDS: RangeInclusive<usize> = 2..=4;
/// Words of a sentence at most: each of its pieces is read.
const MAX_WORDS: usize = 16;
/// Whom one relation may lead to: somebody may have several sisters.
const MAX_ENDS: usize = 3;
/// Facts that answer at most.
const MAX_FOUND: usize = 6;

/// A sentence in which a relation was replaced by whom it leads to.
struct Replaced {
    text: String,
    end: Entity,
}

impl Memory {
    /// The facts that answer a question about somebody who is named by relations only; none where it names nobody so.
    pub(crate) fn along_paths(&self, asked: &str, by: &Requester) -> Result<Vec<Fact>, Fault> {
        let mut texts = vec![asked.to_owned()];
        for _ in 0..MAX_EDGES {
            let next = self.replaced_in_each(&texts, by)?;
            let mut found = Vec::new();
            for replaced in &next {
                if let Some(question) = self.question(&replaced.text) {
                    found.extend(self.answers(&question, by)?);
                }
            }
            if !found.is_empty() || next.is_empty() {
                found.truncate(MAX_FOUND);
                return Ok(found);
            }
            texts = next.into_iter().map(|replaced| replaced.text).collect();
        }
        Ok(Vec::new())
    }

    /// Keys of all who are met on the relation paths of a text, the last of each path as the last.
    pub(crate) fn keys_along_paths(&self, text: &str, by: &Requester) -> Result<Vec<String>, Fault> {
        // "My wife's sister", "Anna's sister": without an owner there is no path.
        let has_owner = text.contains(['\'', '’']) || is_of_speaker(text);
        let (mut texts, mut keys) = (vec![text.to_owned()], Vec::new());
        for _ in 0..if has_owner { MAX_EDGES } else { 0 } {
            let next = self.replaced_in_each(&texts, by)?;
            keys.extend(next.iter().map(|replaced| replaced.end.key.clone()));
            texts = next.into_iter().map(|replaced| replaced.text).collect();
        }
        Ok(keys)
    }

    fn replaced_in_each(&self, texts: &[String], by: &Requester) -> Result<Vec<Replaced>, Fault> {
        let mut all = Vec::new();
        for text in texts {
            all.extend(self.replaced(text, by)?);
        }
        all.truncate(MAX_ENDS);
        Ok(all)
    }

    /// A text with its first and shortest piece replaced that asks for a relation which was told, once for each whom that
    /// leads to.
    fn replaced(&self, text: &str, by: &Requester) -> Result<Vec<Replaced>, Fault> {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() > MAX_WORDS {
            return Ok(Vec::new());
        }
        for (length, start) in
            PIECE_WORDS.flat_map(|length| (0..words.len()).map(move |start| (length, start)))
        {
            let Some(piece) = words.get(start..start + length) else { continue };
            let (last, ending) = without_ending(piece[length - 1]);
            let asked = [&piece[..length - 1], &[last]].concat().join(" ");
            let ends = self.ends(&asked, by)?;
            if ends.is_empty() {
                continue;
            }
            let replaced = |end: Entity| {
                let name = format!("{}{ending}", end.name);
                let all = [&words[..start], &[name.as_str()], &words[start + length..]].concat();
                Replaced { text: all.join(" "), end }
            };
            return Ok(ends.into_iter().map(replaced).collect());
        }
        Ok(Vec::new())
    }

    /// Whom a relation leads to that a few words ask for: "my wife", "Anna's sister". What is private to others leads nowhere.
    pub(crate) fn ends(&self, asked: &str, by: &Requester) -> Result<Vec<Entity>, Fault> {
        let Some(question) = self.question(asked) else { return Ok(Vec::new()) };
        let is_relation = !question.relations.is_empty() && question.object.is_none();
        if !is_relation || !question.qualifier.is_empty() {
            return Ok(Vec::new());
        }
        let facts = match &question.subject {
            Some(SaidSubject::Me | SaidSubject::MyRelative(_) | SaidSubject::Named(_)) => {
                self.answers(&question, by)?
            }
            Some(SaidSubject::Pronoun(_)) | None => Vec::new(),
        };
        let mut ends: Vec<Entity> = Vec::new();
        for fact in facts.iter().take(MAX_ABOUT).filter(|fact| self.may_tell(fact, by)) {
            let end = fact.statement.as_ref().and_then(|statement| statement.entity.as_ref());
            let is_new = |end: &&Entity| {
                end.key != OWNER_KEY && !end.name.is_empty() && ends.iter().all(|known| known.key != end.key)
            };
            ends.extend(end.filter(is_new).cloned());
        }
        ends.truncate(MAX_ENDS);
        Ok(ends)
    }
}

/// A word without what makes it an owner and the signs behind it, and these: "sister's" is "sister" and "'s".
fn without_ending(word: &str) -> (&str, &str) {
    let plain = word.trim_end_matches(['?', '.', '!', ',']);
    let is_marked = plain.contains(['\'', '’']);
    let mut owners = hark_language::all().into_iter().map(|language| language.memory.owner(plain));
    let owner = owners.find(|owner| is_marked && *owner != plain).unwrap_or(plain);
    word.split_at(owner.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_told_from_its_ending() {
        for (word, plain, ending) in [
            ("sister's", "sister", "'s"),
            ("sister’s?", "sister", "’s?"),
            ("sister?", "sister", "?"),
            ("Berta", "Berta", ""),
            ("Annas", "Annas", ""),
        ] {
            assert_eq!(without_ending(word), (plain, ending), "{word}");
        }
    }
}

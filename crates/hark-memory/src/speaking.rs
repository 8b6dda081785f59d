//! Whom "I" means: the owner, or another of the household whose voice is known.

use crate::keep::{MAX_ABOUT, Memory, is_of_speaker, named, owner};
use hark_core::Fault;
use hark_core::memory::{Entity, EntityKind, Fact, OWNER_KEY, Requester, StatementReader};

/// Type of relation to a name.
const NAME: &str = "name";

impl Memory {
    /// Whoever says "I". A voice is somebody else's than the owner's only where the owner's name is known: that of a home
    /// with one known voice is the owner's.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn speaking(&self, person: Option<&str>) -> Result<Entity, Fault> {
        let Some(person) = person else { return Ok(owner()) };
        let person = named(person, EntityKind::Person);
        let names = self.owners_names()?;
        let is_owner =
            names.is_empty() || names.iter().any(|name| named(name, person.kind).key == person.key);
        Ok(if is_owner { owner() } else { person })
    }

    /// What the owner is called.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn owners_names(&self) -> Result<Vec<String>, Fault> {
        let about = self.store.about(&[OWNER_KEY.to_owned()], MAX_ABOUT)?;
        let statements = about.into_iter().filter_map(|fact| fact.statement);
        let names = statements.filter(|it| it.relation == NAME && it.subject.key == OWNER_KEY);
        Ok(names.map(|it| it.object).collect())
    }

    /// What somebody told of themselves and theirs, as it is told to somebody else; `None` for any other fact. It is empty where
    /// the language has no sentence for that.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn told_of_another(
        &self,
        reader: &dyn StatementReader,
        fact: &Fact,
        (question, by): (&str, &Requester),
    ) -> Result<Option<String>, Fault> {
        let Some(statement) = &fact.statement else { return Ok(None) };
        let (told_by, asked_by) = (fact.source.person.as_deref(), by.person.as_deref());
        if !is_of_speaker(&fact.text) || self.speaking(told_by)?.key == self.speaking(asked_by)?.key {
            return Ok(None);
        }
        let name = match statement.subject.key.as_str() {
            OWNER_KEY => self.owners_names()?.into_iter().next(),
            _ => Some(statement.subject.name.clone()),
        };
        Ok(Some(name.and_then(|name| reader.retold(fact, question, Some(&name))).unwrap_or_default()))
    }
}

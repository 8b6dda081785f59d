//! What becomes of what is known when something new is told.

use hark_core::memory::{Fact, Speaker, Statement};
use hark_language::names::normal;

/// What a new statement does to the facts that are known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Resolution {
    /// The fact that says the same already.
    pub same: Option<Fact>,
    /// Facts that it takes the place of.
    pub ends: Vec<i64>,
    /// A fact that it contradicts and may not replace: somebody more trusted has told it.
    pub refused_by: Option<Fact>,
}

/// What is less sure than this was read by no rule, and replaces nothing that is surer.
pub(crate) const RULED: f32 = 0.6;

/// Decides what a statement by `speaker`, who is so `sure`, does to `known`, the current facts about its subject. A relation
/// with one value replaces it; `opposite` is the type of relation that cannot hold of the same two. What the owner has told is
/// replaced by the owner only, and what a rule has read not by what a model has.
pub fn resolve(
    new: &Statement,
    opposite: Option<&str>,
    (speaker, sure): (Speaker, f32),
    known: &[Fact],
) -> Resolution {
    let mut found = Resolution::default();
    for fact in known {
        let Some(old) = fact.statement.as_ref().filter(|old| old.subject.key == new.subject.key) else {
            continue;
        };
        let is_same_object = normal(&old.object) == normal(&new.object);
        let is_same_relation =
            old.relation == new.relation && normal(&old.qualifier) == normal(&new.qualifier);
        if is_same_relation && is_same_object {
            found.same = Some(fact.clone());
            continue;
        }
        let contradicts = is_same_relation && !new.many
            || is_same_object && opposite.is_some_and(|opposite| old.relation == opposite);
        let is_doubtful = sure < RULED && fact.source.sure > sure;
        if contradicts && (fact.source.speaker > speaker || is_doubtful) {
            found.refused_by = Some(fact.clone());
        } else if contradicts {
            found.ends.push(fact.id);
        }
    }
    found
}

/// Ids of current facts that a statement says are not so any more; what it does not say may be anything.
pub(crate) fn ended_by(gone: &Statement, speaker: Speaker, known: &[Fact]) -> Vec<i64> {
    let is_gone = |fact: &&Fact| {
        fact.statement.as_ref().is_some_and(|old| {
            old.subject.key == gone.subject.key
                && old.relation == gone.relation
                && (gone.object.is_empty() || normal(&old.object) == normal(&gone.object))
                && (gone.qualifier.is_empty() || normal(&old.qualifier) == normal(&gone.qualifier))
        }) && fact.source.speaker <= speaker
    };
    known.iter().filter(is_gone).map(|fact| fact.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::memory::{Entity, EntityKind, Source};

    fn statement(relation: &str, object: &str, many: bool) -> Statement {
        let subject = Entity { key: "anna".into(), name: "Anna".into(), kind: EntityKind::Person };
        let qualifier = String::new();
        Statement { subject, relation: relation.into(), qualifier, object: object.into(), entity: None, many }
    }

    fn known(id: i64, statement: Statement, speaker: Speaker) -> Fact {
        Fact {
            id,
            statement: Some(statement),
            source: Source { speaker, ..Source::default() },
            ..Fact::default()
        }
    }

    #[test]
    fn one_value_is_replaced_and_many_stand_side_by_side() {
        let facts = [
            known(1, statement("lives", "Rome", false), Speaker::Unknown),
            known(2, statement("likes", "olives", true), Speaker::Unknown),
        ];
        let by = |new: &Statement, opposite| resolve(new, opposite, (Speaker::Unknown, 0.9), &facts);
        assert_eq!(by(&statement("lives", "Berlin", false), None).ends, [1]);
        assert_eq!(by(&statement("likes", "jazz", true), Some("dislikes")), Resolution::default());
        assert_eq!(by(&statement("dislikes", "the Olives", true), Some("likes")).ends, [2]);
        assert_eq!(by(&statement("lives", "rome", false), None).same.map(|fact| fact.id), Some(1));
    }

    #[test]
    fn a_guest_replaces_nothing_that_the_owner_told() {
        let facts = [known(1, statement("lives", "Rome", false), Speaker::Owner)];
        let new = statement("lives", "Berlin", false);
        let guest = resolve(&new, None, (Speaker::Unknown, 1.0), &facts);
        assert_eq!((guest.ends.len(), guest.refused_by.map(|fact| fact.id)), (0, Some(1)));
        assert_eq!(resolve(&new, None, (Speaker::Owner, 1.0), &facts).ends, [1]);
        let gone = statement("lives", "Rome", false);
        assert!(ended_by(&gone, Speaker::Unknown, &facts).is_empty());
        assert_eq!(ended_by(&gone, Speaker::Owner, &facts), [1]);
    }

    #[test]
    fn what_a_model_has_read_replaces_nothing_that_is_surer() {
        let told = |sure| {
            let source = Source { speaker: Speaker::Owner, sure, ..Source::default() };
            [Fact { id: 1, source, statement: Some(statement("lives", "Rome", false)), ..Fact::default() }]
        };
        let new = statement("lives", "Berlin", false);
        let by_model = |known: &[Fact]| resolve(&new, None, (Speaker::Owner, 0.5), known);
        assert_eq!(by_model(&told(0.72)).refused_by.map(|fact| fact.id), Some(1));
        assert_eq!(by_model(&told(0.5)).ends, [1]);
        assert_eq!(resolve(&new, None, (Speaker::Owner, 0.72), &told(1.0)).ends, [1], "a rule");
    }
}

//! Names of the kinds of requests in the database and the configuration.

use hark_core::session::EntryTag;

/// As the configuration and the database name it.
pub fn name(tag: EntryTag) -> &'static str {
    match tag {
        EntryTag::Question => "question",
        EntryTag::Instruction => "instruction",
        EntryTag::Correction => "correction",
        EntryTag::Meta => "meta",
        EntryTag::Other => "other",
    }
}

/// The kind of this name; `other` for any other.
pub fn named(text: &str) -> EntryTag {
    use EntryTag::{Correction, Instruction, Meta, Question};
    [Question, Instruction, Correction, Meta]
        .into_iter()
        .find(|tag| name(*tag) == text)
        .unwrap_or(EntryTag::Other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use EntryTag::{Correction, Instruction, Meta, Other, Question};

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        for tag in [Question, Instruction, Correction, Meta, Other] {
            assert_eq!(named(name(tag)), tag);
            assert_eq!(serde_json::to_value(tag).unwrap(), name(tag));
        }
    }
}

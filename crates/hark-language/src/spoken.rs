//! Phrases as they are compared with what was said: in lower case and without apostrophes, which recognisers and people
//! write as they like. The files have them as they are written.

use crate::phrases::Phrases;
use serde::de::IntoDeserializer;
use serde::{Deserialize, Deserializer};

/// Reads phrases without their apostrophes.
pub(crate) fn phrases<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Phrases, D::Error> {
    let written = Vec::<String>::deserialize(deserializer)?;
    let plain: Vec<String> = written.iter().map(|phrase| plain(phrase)).collect();
    Phrases::deserialize(plain.into_deserializer())
}

fn plain(phrase: &str) -> String {
    phrase.chars().filter(|c| !matches!(c, '\'' | '’')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn phrases_are_written_with_apostrophes_and_read_without() {
        let english = crate::of("en");
        assert!(english.reflexes.stop.contains("thats enough"));
        assert!(english.conversation.kinds.correction.contains("youre wrong"));
        for language in crate::all() {
            let reflexes = &language.reflexes;
            let all = [reflexes.stop, reflexes.confirm, reflexes.deny, reflexes.repeat, reflexes.mute];
            let plain = |phrase: &&str| !phrase.contains(['\'', '’']) && *phrase == phrase.to_lowercase();
            assert!(all.iter().all(|phrases| phrases.iter().all(plain)), "{}", language.code);
        }
    }
}

//! Autonomy: the guard that answers a model's needless questions, with the words of `contracts/llm/autonomy.toml`, which has
//! the rules that tell it to get on with the task, too. The guard never comes near a permission: those are asked by the
//! executor, not by the model.

use hark_language::{Lexicon, phrases};

/// Whether a question, in one of some languages, only asks for permission to do what was asked for. A choice between
/// things is none.
pub(super) fn is_needless(question: &str, languages: &[&'static Lexicon]) -> bool {
    let last = question.rsplit(['.', '!', ';', ':', '\n']).find(|part| !part.trim().is_empty());
    let (whole, last) = (question.to_lowercase(), last.unwrap_or(question).to_lowercase());
    let (all, last) = (words(&whole), words(&last));
    languages.iter().map(|language| &language.permission).any(|known| {
        let begins = |words: &[&str]| phrases::starts(known.openings, words).is_some();
        (begins(&all) || begins(&last)) && !all.iter().any(|word| known.choices.contains(word))
    })
}

/// Whether a text ends with a question.
pub(super) fn is_question(text: &str) -> bool {
    text.trim_end_matches(|c: char| c.is_whitespace() || ['"', '”', '“', ')', '»'].contains(&c))
        .ends_with('?')
}

/// Words without punctuation.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    fn is_needless(question: &str) -> bool {
        super::is_needless(question, &["en", "de"].map(hark_language::of))
    }

    #[test]
    fn questions_for_permission_are_needless_and_others_are_not() {
        for question in [
            "Shall I turn on the light?",
            "Would you like me to start?",
            "I found the lamp. Do you want me to switch it on?",
            "Should I continue?",
            "Can I proceed?",
            "Is it okay if I dim them?",
            "SHALL I…",
            "Soll ich das Licht einschalten?",
            "Ich habe die Lampe gefunden. Möchtest du, dass ich sie einschalte?",
        ] {
            assert!(is_needless(question), "{question}");
        }
        for question in [
            "Which lamp do you mean?",
            "What is your address?",
            "Shall I use the red or the blue lamp?",
            "Should interest rates rise?",
            "Shallow water?",
            "When should I wake you?",
            "Soll ich die rote oder die blaue Lampe nehmen?",
            "Wann soll ich dich wecken?",
        ] {
            assert!(!is_needless(question), "{question}");
        }
    }
}

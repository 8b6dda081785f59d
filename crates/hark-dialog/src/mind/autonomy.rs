//! Autonomy: rules that tell a model to get on with it, and the guard that answers its needless questions. The guard
//! never comes near a permission: those are asked by the executor, not by the model.

/// What the guard answers.
pub(super) const PROCEED: &str = "Yes, proceed.";

/// The rules, first in the instructions.
pub(super) const RULES: &str = "These rules come before everything else:
1. Do the task; begin at once.
2. Do not ask for permission to start. Acts that need approval are asked about by the house itself.
3. Take from the context what the request leaves out: rooms, devices, times.
4. Report when it is done, not before.
5. Stay with what the conversation is about.
6. Use one tool after the other until it is done.
7. Ask only when something is really missing that nobody but the person knows.";

/// How needless questions begin.
const OPENINGS: [&str; 8] = [
    "shall i",
    "would you like me to",
    "do you want me to",
    "should i",
    "can i proceed",
    "may i proceed",
    "is it okay if i",
    "is it ok if i",
];

/// Whether a question only asks for permission to do what was asked for. A choice between things is none.
pub(super) fn is_needless(question: &str) -> bool {
    let plain: String =
        question.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let text = words.join(" ");
    let last = question.rsplit(['.', '!', ';', ':', '\n']).find(|part| !part.trim().is_empty());
    let last = last.unwrap_or(question).to_lowercase();
    let last: Vec<&str> =
        last.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let last = last.join(" ");
    let permission = OPENINGS.iter().any(|opening| begins(&text, opening) || begins(&last, opening));
    permission && !words.contains(&"or") && !words.contains(&"which")
}

fn begins(text: &str, opening: &str) -> bool {
    text.strip_prefix(opening).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            assert!(!is_needless(question), "{question}");
        }
    }
}

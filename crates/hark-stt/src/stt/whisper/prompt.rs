//! The prompt: the home's names, so that Whisper spells them as the home does.

use std::collections::HashSet;

/// A prompt of as many names as fit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prompt {
    /// The names as one line, as Whisper would have written them before; empty when there are none.
    pub text: String,
    /// Names there was no room for.
    pub left_out: usize,
}

/// Puts names into a prompt of at most `budget` tokens, the first ones first, each once. `tokens`
/// counts the tokens of a text.
pub fn of_names(names: &[String], budget: usize, tokens: impl Fn(&str) -> usize) -> Prompt {
    let mut prompt = Prompt::default();
    let mut seen = HashSet::new();
    let mut used = tokens(".");
    for name in names {
        // A NUL would end the text for C; line breaks would end it for the model.
        let name = name.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
        let name = name.collect::<Vec<_>>().join(" ");
        if name.is_empty() || !seen.insert(name.to_lowercase()) {
            continue;
        }
        let piece = if prompt.text.is_empty() { format!(" {name}") } else { format!(", {name}") };
        let cost = tokens(&piece);
        if used + cost > budget {
            prompt.left_out += 1;
            continue;
        }
        used += cost;
        prompt.text.push_str(&piece);
    }
    if !prompt.text.is_empty() {
        prompt.text.push('.');
    }
    prompt
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str], budget: usize) -> Prompt {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        // One token a word and one for each comma and full stop.
        of_names(&names, budget, |text| {
            text.split_whitespace().filter(|word| *word != ",").count() + text.matches(',').count()
        })
    }

    #[test]
    fn names_stand_once_in_their_order() {
        let prompt = of(&["Kitchen", "Living room", "kitchen", " ", "Ceiling\nlight\0"], 100);
        assert_eq!(prompt, Prompt { text: " Kitchen, Living room, Ceiling light.".into(), left_out: 0 });
        assert_eq!(of(&[], 100), Prompt::default());
    }

    #[test]
    fn names_that_do_not_fit_are_left_out_whole() {
        let prompt = of(&["Kitchen", "Upstairs guest bathroom mirror light", "Hall"], 7);
        assert_eq!(prompt, Prompt { text: " Kitchen, Hall.".into(), left_out: 1 });
        assert_eq!(of(&["Kitchen", "Hall"], 0), Prompt { text: String::new(), left_out: 2 });
    }
}

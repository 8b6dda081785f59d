//! LocalAgreement-2: which words of a growing hypothesis are settled.
//!
//! The same sound is decoded again and again as it grows. Words at the beginning on which two decodes
//! in a row agree are settled (Macháček, Dabre, Bojar: "Turning Whisper into Real-Time Transcription
//! System", 2023); the rest is the newest guess.

use crate::stt::Partial;

/// The hypotheses of one utterance so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Agreement {
    settled: Vec<String>,
    last: Vec<String>,
}

impl Agreement {
    /// Takes the words of the next decode. A decode that contradicts settled words does not change
    /// them: what follows them is taken from it.
    pub fn hear(&mut self, words: Vec<String>) {
        let agreed = words.iter().zip(&self.last).take_while(|(now, before)| now == before).count();
        if agreed > self.settled.len() && words.starts_with(&self.settled) {
            self.settled.extend_from_slice(&words[self.settled.len()..agreed]);
        }
        self.last = words;
    }

    /// The words so far, `None` when there are none.
    pub fn partial(&self) -> Option<Partial> {
        let guess = self.last.get(self.settled.len()..).unwrap_or_default();
        let words: Vec<&str> = self.settled.iter().chain(guess).map(String::as_str).collect();
        let stable = self.settled.join(" ").chars().count();
        (!words.is_empty()).then(|| Partial { text: words.join(" "), stable, ..Partial::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The partials after each decode, as `settled|guess`.
    fn follow(decodes: &[&str]) -> Vec<String> {
        let mut agreement = Agreement::default();
        let mut seen = Vec::new();
        for decode in decodes {
            agreement.hear(decode.split_whitespace().map(str::to_owned).collect());
            seen.push(agreement.partial().map_or_else(String::new, |partial| {
                let settled: String = partial.text.chars().take(partial.stable).collect();
                let guess: String = partial.text.chars().skip(partial.stable).collect();
                format!("{settled}|{}", guess.trim())
            }));
        }
        seen
    }

    #[test]
    fn words_two_decodes_agree_on_are_settled() {
        assert_eq!(
            follow(&["turn", "turn on", "turn on the lie", "turn on the light", "turn on the light"]),
            ["|turn", "turn|on", "turn on|the lie", "turn on the|light", "turn on the light|"]
        );
    }

    #[test]
    fn settled_words_never_change_and_never_shrink() {
        assert_eq!(
            follow(&[
                "turn on the",
                "turn on the",
                "burn off the lamp",
                "burn off the lamp",
                "",
                "turn on the fan"
            ]),
            [
                "|turn on the",
                "turn on the|",
                "turn on the|lamp",
                "turn on the|lamp",
                "turn on the|",
                "turn on the|fan"
            ]
        );
    }

    #[test]
    fn stable_counts_characters_not_bytes() {
        assert_eq!(follow(&["büro an", "büro an jetzt"]), ["|büro an", "büro an|jetzt"]);
        assert_eq!(follow(&["", ""]), ["", ""]);
    }
}

//! From Whisper's written text to the lower-case words of a transcript.

/// What people do not say but Whisper writes: pairs of signs around the name of a noise or music.
const PAIRS: [(char, char); 8] =
    [('[', ']'), ('(', ')'), ('{', '}'), ('<', '>'), ('*', '*'), ('♪', '♪'), ('♫', '♫'), ('（', '）')];

/// Signs that are spoken: understanding turns them into words.
const SPOKEN: [char; 9] = ['%', '°', '℃', '℉', '&', '½', '+', '€', '$'];

/// `text` without what stands in brackets, between stars or between notes: no speech, whatever it says.
/// A bracket that is never closed takes the rest with it.
pub fn speech_only(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut until = None;
    for c in text.chars() {
        match until {
            Some(end) if c == end => until = None,
            Some(_) => {}
            None => match PAIRS.iter().find(|(begin, _)| *begin == c) {
                Some((_, end)) => {
                    kept.push(' ');
                    until = Some(*end);
                }
                None => kept.push(c),
            },
        }
    }
    kept
}

/// The words of a written text as a transcript has them: lower case, digits kept, no punctuation but
/// what belongs to a word or a number (`what's`, `7:30`, `21.5`, `-5`, `20%`).
pub fn words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut plain = String::with_capacity(text.len());
    for (at, c) in chars.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1).copied();
        match c {
            c if c.is_alphanumeric() || SPOKEN.contains(&c) => plain.extend(c.to_lowercase()),
            '\'' | '’' if inside(before, after, char::is_alphanumeric) => plain.push('\''),
            '.' | ':' | ',' if inside(before, after, |c| c.is_ascii_digit()) => plain.push(c),
            '-' | '−' if starts_number(before, after) => plain.push('-'),
            // An accent belongs to the letter before it.
            '\u{300}'..='\u{36f}' => plain.push(c),
            _ => plain.push(' '),
        }
    }
    plain.split_whitespace().map(str::to_owned).collect()
}

fn inside(before: Option<char>, after: Option<char>, fits: impl Fn(char) -> bool) -> bool {
    before.is_some_and(&fits) && after.is_some_and(&fits)
}

fn starts_number(before: Option<char>, after: Option<char>) -> bool {
    before.is_none_or(char::is_whitespace) && after.is_some_and(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_text_becomes_lower_case_words_with_digits_kept() {
        for (written, expected) in [
            (" Turn on the lights.", "turn on the lights"),
            ("What's the time?", "what's the time"),
            ("Set a timer for 25 minutes, please!", "set a timer for 25 minutes please"),
            ("Wake me at 7:30 a.m.", "wake me at 7:30 a m"),
            ("Set it to 21.5°C", "set it to 21.5°c"),
            ("Dim to 20%...", "dim to 20%"),
            ("Is it -5 outside?", "is it -5 outside"),
            ("Twenty-five — or so", "twenty five or so"),
            ("“Stop,” she said", "stop she said"),
            ("Schalte das Licht im Büro ein.", "schalte das licht im büro ein"),
            ("It’s 1,500 lux", "it's 1,500 lux"),
            ("... , .", ""),
        ] {
            assert_eq!(words(written).join(" "), expected, "{written}");
        }
    }

    #[test]
    fn what_stands_in_brackets_or_between_notes_is_no_speech() {
        for noise in
            ["[BLANK_AUDIO]", " (wind blowing)", "*sighs*", "♪ la la ♪", "♪ la", "[Music", "<|nospeech|>"]
        {
            assert!(words(&speech_only(noise)).is_empty(), "{noise}");
        }
        assert_eq!(words(&speech_only("Turn it [coughs] off (laughs)")).join(" "), "turn it off");
        assert_eq!(words(&speech_only("no brackets")).join(" "), "no brackets");
    }
}

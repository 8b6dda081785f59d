//! Words with an ending whose stem is in the lexicon: plurals, possessives, and forms of verbs. The rules are those of misaki,
//! the English grapheme-to-phoneme converter from whose lexicons the words are (`stem_s`, `stem_ed` and `stem_ing` there).

use super::VOWELS;

/// What is said behind a stem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// An apostrophe.
    Silent,
    /// Of plurals, of possessives and of verbs.
    S,
    Ed,
    Ing,
}

/// What a word can be a form of, the likeliest first. None is shorter than two letters.
pub(super) fn stems(word: &str) -> impl Iterator<Item = (String, Ending)> {
    let mut stems: Vec<(String, Ending)> = Vec::new();
    let mut add = |stem: &str, more: &str, ending| stems.push((format!("{stem}{more}"), ending));
    if let Some(stem) = word.strip_suffix("'s").or_else(|| word.strip_suffix("'S")) {
        add(stem, "", Ending::S);
    } else if let Some(stem) = word.strip_suffix('\'') {
        add(stem, "", Ending::Silent);
        if let Some(stem) = stem.strip_suffix('s') {
            add(stem, "", Ending::S);
        }
    } else if let Some(stem) = word.strip_suffix('s').filter(|stem| !stem.ends_with('s')) {
        add(stem, "", Ending::S);
        if let Some(stem) = stem.strip_suffix("ie") {
            add(stem, "y", Ending::S);
        } else if let Some(stem) = stem.strip_suffix('e') {
            add(stem, "", Ending::S);
        }
    } else if let Some(stem) = word.strip_suffix("ed") {
        add(stem, "e", Ending::Ed);
        add(stem, "", Ending::Ed);
        if let Some(stem) = stem.strip_suffix('i') {
            add(stem, "y", Ending::Ed);
        }
        add(single(stem), "", Ending::Ed);
    } else if let Some(stem) = word.strip_suffix("ing") {
        add(stem, "", Ending::Ing);
        add(stem, "e", Ending::Ing);
        add(single(stem), "", Ending::Ing);
    }
    stems.into_iter().filter(|(stem, _)| stem.chars().nth(1).is_some())
}

/// Without the last of two equal consonants: "stopp" of "stopped".
fn single(stem: &str) -> &str {
    let mut letters = stem.chars().rev();
    match (letters.next(), letters.next()) {
        (Some(last), Some(before)) if last == before && !"aeiou".contains(last) => {
            &stem[..stem.len() - last.len_utf8()]
        }
        // "panicking".
        (Some('k'), Some('c')) => &stem[..stem.len() - 1],
        _ => "",
    }
}

impl Ending {
    /// The phonemes of the stem `written` with the ending.
    pub(super) fn put_behind(self, said: &str, written: &str, british: bool) -> String {
        let mut back = said.chars().rev();
        let (last, before) = (back.next().unwrap_or(' '), back.next().unwrap_or(' '));
        let reduced = if british { 'ɪ' } else { 'ᵻ' };
        // An American t between vowels is a flap.
        let flaps = !british && last == 't' && (VOWELS.contains(before) || before == 'ɹ');
        let stem = if flaps { &said[..said.len() - 1] } else { said };
        match self {
            Self::Silent => said.to_owned(),
            Self::S if "szʃʒʧʤ".contains(last) => format!("{said}{reduced}z"),
            Self::S if "ptkfθ".contains(last) => format!("{said}s"),
            Self::S => format!("{said}z"),
            Self::Ed if flaps => format!("{stem}Tᵻd"),
            Self::Ed if "td".contains(last) => format!("{said}{reduced}d"),
            Self::Ed if "pkfθʃsʧ".contains(last) => format!("{said}t"),
            Self::Ed => format!("{said}d"),
            Self::Ing if flaps => format!("{stem}Tɪŋ"),
            // A British r is heard in front of a vowel only.
            Self::Ing if british && written.trim_end_matches('e').ends_with('r') && last != 'ɹ' => {
                format!("{said}ɹɪŋ")
            }
            Self::Ing => format!("{said}ɪŋ"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_are_what_a_word_can_be_a_form_of() {
        for (word, wanted) in [
            ("lamp's", "lamp"),
            ("lamps", "lamp"),
            ("boxes", "boxe box"),
            ("batteries", "batterie battery"),
            ("lamps'", "lamps lamp"),
            ("stopped", "stoppe stopp stop"),
            ("carried", "carrie carri carry"),
            ("running", "runn runne run"),
            ("panicking", "panick panicke panic"),
            ("glass", ""),
            ("is", ""),
            ("ing", ""),
            ("'s", ""),
            ("", ""),
        ] {
            let found: Vec<String> = stems(word).map(|(stem, _)| stem).collect();
            assert_eq!(found.join(" "), wanted, "{word}");
        }
    }

    #[test]
    fn endings_go_by_the_last_sound() {
        use Ending::{Ed, Ing, S};
        for (ending, said, written, american, british) in [
            (S, "lˈæmp", "lamp", "lˈæmps", "lˈæmps"),
            (S, "lˈIt", "light", "lˈIts", "lˈIts"),
            (S, "dˈɔɡ", "dog", "dˈɔɡz", "dˈɔɡz"),
            (S, "bˈɑks", "box", "bˈɑksᵻz", "bˈɑksɪz"),
            (Ed, "stˈɑp", "stop", "stˈɑpt", "stˈɑpt"),
            (Ed, "wˈAt", "wait", "wˈATᵻd", "wˈAtɪd"),
            (Ed, "ˈækt", "act", "ˈæktᵻd", "ˈæktɪd"),
            (Ing, "wˈAt", "wait", "wˈATɪŋ", "wˈAtɪŋ"),
            (Ing, "kˈɛː", "care", "kˈɛːɪŋ", "kˈɛːɹɪŋ"),
            (Ing, "", "", "ɪŋ", "ɪŋ"),
        ] {
            assert_eq!(ending.put_behind(said, written, false), american);
            assert_eq!(ending.put_behind(said, written, true), british);
        }
    }
}

//! What of a text is a word, and what are the parts of a word.

/// Words between spaces, dashes and slashes, without the signs around them.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| !(c.is_alphanumeric() || is_mark_above(c) || "'-._".contains(c));
    text.split(is_between).filter_map(|word| {
        let word = word.trim_start_matches(['-', '.', '_']).trim_end_matches(['-', '.', '_']);
        // A quote; but "'til" and "the lamps'" keep theirs.
        let is_quoted = word.len() > 2 && word.starts_with('\'') && word.ends_with('\'');
        let word = if is_quoted { word.trim_matches('\'') } else { word };
        word.contains(char::is_alphanumeric).then_some(word)
    })
}

/// Accents that stand behind their letter.
fn is_mark_above(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// A word as the tagger has them: "it's" is two, "left-hand" three.
pub(super) fn for_tagger<'a>(word: &'a str, clitics: &[String]) -> Vec<&'a str> {
    let (stem, clitic) = clitic(word, clitics).unwrap_or((word, ""));
    let mut parts = Vec::new();
    for part in stem.split_inclusive('-') {
        let (part, hyphen) = part.strip_suffix('-').map_or((part, None), |part| (part, Some("-")));
        parts.extend([Some(part), hyphen].into_iter().flatten());
    }
    parts.push(clitic);
    parts.retain(|part| !part.is_empty());
    parts
}

/// A word without its clitic, and the clitic.
pub(super) fn clitic<'a>(word: &'a str, clitics: &[String]) -> Option<(&'a str, &'a str)> {
    clitics.iter().find_map(|clitic| {
        let (stem, end) = word.split_at_checked(word.len().checked_sub(clitic.len())?)?;
        (!stem.is_empty() && end.eq_ignore_ascii_case(clitic)).then_some((stem, end))
    })
}

/// A word without its accents; `None` when it has none.
pub(super) fn plain(word: &str) -> Option<String> {
    let without = |letter| match letter {
        'à'..='å' => 'a',
        'À'..='Å' => 'A',
        'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => 'e',
        'È'..='Ë' | 'Ē' | 'Ė' | 'Ę' | 'Ě' => 'E',
        'ì'..='ï' | 'ī' => 'i',
        'Ì'..='Ï' | 'Ī' | 'İ' => 'I',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'Ò'..='Ö' | 'Ø' | 'Ō' | 'Ő' => 'O',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'Ù'..='Ü' | 'Ū' | 'Ů' | 'Ű' => 'U',
        'ç' | 'ć' | 'č' => 'c',
        'Ç' | 'Ć' | 'Č' => 'C',
        'ñ' | 'ń' | 'ň' => 'n',
        'Ñ' | 'Ń' | 'Ň' => 'N',
        'ś' | 'ş' | 'š' | 'ș' => 's',
        'Ś' | 'Ş' | 'Š' | 'Ș' => 'S',
        'ź' | 'ż' | 'ž' => 'z',
        'Ź' | 'Ż' | 'Ž' => 'Z',
        'ł' => 'l',
        'Ł' => 'L',
        other => other,
    };
    let plain: String = word.chars().filter(|letter| !is_mark_above(*letter)).map(without).collect();
    (plain != word).then_some(plain)
}

/// The parts of a word: cut at hyphens and stops, between letters and digits, and in front of capitals inside.
pub(super) fn parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for piece in word.split(['-', '.', '_']) {
        let mut start = 0;
        let mut before = None;
        for (at, letter) in piece.char_indices() {
            let begins_word = || piece[at..].chars().nth(1).is_some_and(char::is_lowercase);
            let is_cut = before.is_some_and(|before: char| {
                before.is_ascii_digit() != letter.is_ascii_digit()
                    || (letter.is_uppercase() && (before.is_lowercase() || begins_word()))
            });
            if is_cut {
                parts.push(&piece[start..at]);
                start = at;
            }
            before = Some(letter);
        }
        parts.push(&piece[start..]);
    }
    parts.retain(|part| part.contains(char::is_alphanumeric));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_between_signs() {
        let text = "\"Yes\" (the 'big' lamp's on/off), well-known — U.S. 'til the lamps' … _x_ v2.0";
        let found: Vec<&str> = words(text).collect();
        let wanted = [
            "Yes",
            "the",
            "big",
            "lamp's",
            "on",
            "off",
            "well-known",
            "U.S",
            "'til",
            "the",
            "lamps'",
            "x",
            "v2.0",
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn words_have_parts() {
        for (word, wanted) in [
            ("left-hand", "left hand"),
            ("SmartThings", "Smart Things"),
            ("ESPHome", "ESP Home"),
            ("MP3", "MP 3"),
            ("v2.0", "v 2 0"),
            ("lamp", "lamp"),
            ("-", ""),
        ] {
            assert_eq!(parts(word).join(" "), wanted);
        }
    }

    #[test]
    fn accents_are_taken_off() {
        assert_eq!(plain("Zoë").as_deref(), Some("Zoe"));
        assert_eq!(plain("cafe\u{301}").as_deref(), Some("cafe"));
        assert_eq!(plain("cafe"), None);
    }

    #[test]
    fn the_tagger_has_more_words() {
        let clitics = ["n't".to_owned(), "'s".to_owned()];
        for (word, wanted) in
            [("it's", "it 's"), ("don't", "do n't"), ("left-hand", "left - hand"), ("'s", "'s"), ("a", "a")]
        {
            assert_eq!(for_tagger(word, &clitics).join(" "), wanted);
        }
    }
}

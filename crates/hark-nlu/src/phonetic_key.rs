//! How alike two names sound: a key in the manner of Metaphone, and the edit distance of keys and letters.
//!
//! The key is coarser than Metaphone: voiced and unvoiced sounds are one (`b` and `p`, `d` and `t`, `g`
//! and `k`, `v` and `f`, `z` and `s`), since that is what a recogniser confuses, and vowels count only
//! where a word begins. It is made for English and German spellings.

use hark_language::Phrases;

/// The key of some words without blanks between them: "living room" is `LFNKRM`.
pub fn key(words: &[&str]) -> String {
    words.iter().map(|word| word_key(word)).collect()
}

/// A name as it sounds and as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sound {
    /// Key and letters of each word.
    words: Vec<(String, String)>,
    key: String,
    letters: String,
}

impl Sound {
    /// The sound of some words.
    pub fn of(words: &[&str]) -> Self {
        Self {
            words: words.iter().map(|word| (word_key(word), (*word).to_owned())).collect(),
            key: key(words),
            letters: words.concat(),
        }
    }

    /// Whether one of the words is the opposite of its counterpart: "dehumidifier" and "humidifier".
    fn is_denied(&self, by: &Self, negating: Phrases) -> bool {
        let denies = |(one, other): (&(String, String), &(String, String))| {
            let beginning = one.1.strip_suffix(other.1.as_str());
            beginning.is_some_and(|beginning| negating.contains(beginning))
        };
        self.words.len() == by.words.len() && by.words.iter().zip(&self.words).any(denies)
    }

    /// How long its key is.
    pub fn length(&self) -> usize {
        self.key.len()
    }
}

/// Each word must be at least this much alike: "dining room light" is not "living room light".
const WORD: f32 = 0.695;

/// Where words are divided otherwise, the whole must be at least this much alike.
const DIVIDED: f32 = 0.85;

/// How alike two names are, 0 to 1: their keys and their letters count the same. 0 when one of their words
/// is another one, or the opposite by one of the `negating` prefixes.
pub fn likeness(one: &Sound, other: &Sound, negating: Phrases) -> f32 {
    if one.is_denied(other, negating) || other.is_denied(one, negating) {
        return 0.0;
    }
    let share = |one: &str, other: &str| strsim::normalized_levenshtein(one, other) as f32;
    let alike =
        |one: (&str, &str), other: (&str, &str)| 0.5 * share(one.0, other.0) + 0.5 * share(one.1, other.1);
    let whole = alike((&one.key, &one.letters), (&other.key, &other.letters));
    let words = one.words.iter().zip(&other.words);
    let fits = if one.words.len() == other.words.len() {
        words
            .into_iter()
            .all(|(one, other)| one.1 == other.1 || alike((&one.0, &one.1), (&other.0, &other.1)) >= WORD)
    } else {
        whole >= DIVIDED
    };
    if fits { whole } else { 0.0 }
}

fn word_key(word: &str) -> String {
    let letters: Vec<char> = word.chars().flat_map(plain).collect();
    let mut key = String::new();
    let mut at = 0;
    while at < letters.len() {
        let (sounds, used) = sound(&letters, at);
        for sound in sounds.chars() {
            // Doubled sounds are one.
            if !key.ends_with(sound) || sound == 'A' {
                key.push(sound);
            }
        }
        at += used;
    }
    key
}

/// Letters of the alphabet only; umlauts as they are written without dots.
fn plain(c: char) -> Vec<char> {
    match c {
        'ä' | 'à' | 'á' | 'â' | 'å' | 'ã' => vec!['a'],
        'ö' | 'ò' | 'ó' | 'ô' | 'ø' => vec!['o'],
        'ü' | 'ù' | 'ú' | 'û' => vec!['u'],
        'é' | 'è' | 'ê' | 'ë' => vec!['e'],
        'ï' | 'í' | 'î' => vec!['i'],
        'ç' => vec!['s'],
        'ñ' => vec!['n'],
        'ß' => vec!['s', 's'],
        c if c.is_ascii_alphabetic() => vec![c.to_ascii_lowercase()],
        c if c.is_ascii_digit() => vec![c],
        _ => Vec::new(),
    }
}

/// The sound of the letters from `at` on, and how many letters make it.
fn sound(letters: &[char], at: usize) -> (&'static str, usize) {
    let follows = |text: &str| text.chars().enumerate().all(|(index, c)| letters.get(at + index) == Some(&c));
    let next = letters.get(at + 1).copied();
    let first = at == 0;
    // Groups of letters before single ones.
    const GROUPS: [(&str, &str); 22] = [
        ("tsch", "X"),
        ("sch", "X"),
        ("tch", "X"),
        ("tio", "X"),
        ("sio", "X"),
        ("cia", "X"),
        ("dge", "X"),
        ("ght", "T"),
        ("ph", "F"),
        ("sh", "X"),
        ("ch", "X"),
        ("th", "0"),
        ("ck", "K"),
        ("qu", "K"),
        ("wh", "W"),
        ("pf", "F"),
        ("ng", "NK"),
        ("gh", ""),
        ("sc", "S"),
        ("dt", "T"),
        ("tz", "S"),
        ("x", "KS"),
    ];
    if first {
        for (written, said) in [("kn", "N"), ("gn", "N"), ("wr", "R"), ("ps", "S"), ("pn", "N"), ("x", "S")] {
            if follows(written) {
                return (said, written.len());
            }
        }
    }
    if follows("sc") && !follows("sch") && !matches!(letters.get(at + 2), Some('e' | 'i' | 'y')) {
        return ("SK", 2);
    }
    if let Some((written, said)) = GROUPS.iter().find(|(written, _)| follows(written)) {
        return (said, written.len());
    }
    let said = match letters[at] {
        'a' | 'e' | 'i' | 'o' | 'u' if first => "A",
        'y' if first => "J",
        'h' if first => "H",
        'b' | 'p' => "P",
        'c' => {
            if matches!(next, Some('e' | 'i' | 'y')) {
                "S"
            } else {
                "K"
            }
        }
        'd' | 't' => "T",
        'g' => {
            if matches!(next, Some('e' | 'i' | 'y')) && !first {
                "X"
            } else {
                "K"
            }
        }
        'f' | 'v' => "F",
        'j' => "X",
        'k' | 'q' => "K",
        'l' => "L",
        'm' => "M",
        'n' => "N",
        'r' => "R",
        's' | 'z' => "S",
        'w' if next.is_some_and(|next| "aeiouy".contains(next)) => "W",
        '0'..='9' => "1",
        _ => "",
    };
    (said, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_consonants_people_hear() {
        for (text, expected) in [
            ("kitchen", "KXN"),
            ("kitchin", "KXN"),
            ("living room", "LFNKRM"),
            ("leaving room", "LFNKRM"),
            ("lamp", "LMP"),
            ("lamb", "LMP"),
            ("light", "LT"),
            ("knight", "NT"),
            ("office", "AFS"),
            ("phone", "FN"),
            ("desk", "TSK"),
            ("garage", "KRX"),
            ("küche", "KX"),
            ("schlafzimmer", "XLFSMR"),
            ("", ""),
        ] {
            let words: Vec<&str> = text.split(' ').collect();
            assert_eq!(key(&words), expected, "{text}");
        }
    }

    #[test]
    fn what_sounds_alike_is_alike() {
        let alike = |one: &str, other: &str| {
            likeness(
                &Sound::of(&one.split(' ').collect::<Vec<_>>()),
                &Sound::of(&other.split(' ').collect::<Vec<_>>()),
                hark_language::of("en").things.negating_prefixes,
            )
        };
        for (one, other) in [
            ("kitchin light", "kitchen light"),
            ("living room lamb", "living room lamp"),
            ("leaving room", "living room"),
            ("bed room lamp", "bedroom lamp"),
            ("dest lamp", "desk lamp"),
            ("lamb", "lamp"),
            ("office van", "office fan"),
        ] {
            assert!(alike(one, other) > 0.75, "{one} {other} {}", alike(one, other));
        }
        for (one, other) in [
            ("fan", "phone"),
            ("light", "night"),
            ("lock", "clock"),
            ("moon", "lamp"),
            ("front door", "back door"),
            ("kitchen light", "kitchen fan"),
            ("bathroom", "bedroom"),
            ("bathroom light", "bedroom light"),
            ("dining room light", "living room light"),
            ("downstairs hall", "upstairs hall"),
            ("wall lamp", "hall lamp"),
            ("door", "floor"),
        ] {
            assert!(alike(one, other) < 0.75, "{one} {other} {}", alike(one, other));
        }
    }
}

//! Kinds of requests, told without a model: from words that are listed here for every language.

use crate::domain::session::EntryTag;

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

/// Words that tell the kind of a request in one language, in lower case without punctuation.
struct Words {
    meta: &'static [&'static str],
    correction: &'static [&'static str],
    question: &'static [&'static str],
    /// Verbs in the form in which one is told to do something.
    verbs: &'static [&'static str],
    /// What may stand before such a verb.
    before: &'static [&'static str],
    /// Ways of telling somebody to do something by asking whether they can.
    polite: &'static [&'static str],
    /// Last words of requests without a verb.
    last: &'static [&'static str],
}

const ENGLISH: Words = Words {
    meta: &[
        "what did i say",
        "what did i just say",
        "what did i ask",
        "what did i tell you",
        "what have i said",
        "what did you say",
        "what did you just say",
        "what have you said",
        "what did we talk about",
        "what were we talking about",
        "what have we discussed",
        "our conversation",
        "this conversation",
        "repeat",
        "say that again",
        "say it again",
        "summary",
        "sum up",
        "summarise what",
        "summarize what",
        "recap",
        "my last question",
        "my first question",
        "your last answer",
    ],
    correction: &[
        "actually",
        "mistake",
        "i meant",
        "i mean",
        "no not",
        "not that one",
        "thats wrong",
        "that is wrong",
        "that was wrong",
        "youre wrong",
        "you are wrong",
        "thats not what",
        "that is not what",
        "thats not right",
        "that is not right",
        "correction",
        "i misspoke",
        "wrong one",
    ],
    question: &[
        "what",
        "whats",
        "why",
        "how",
        "hows",
        "who",
        "whos",
        "whom",
        "whose",
        "where",
        "wheres",
        "when",
        "which",
        "is there",
        "are there",
        "is it",
        "do you know",
        "does anyone",
    ],
    verbs: &[
        "add",
        "answer",
        "arm",
        "ask",
        "book",
        "bring",
        "build",
        "buy",
        "calculate",
        "call",
        "cancel",
        "change",
        "check",
        "choose",
        "clean",
        "clear",
        "close",
        "compare",
        "continue",
        "convert",
        "cook",
        "count",
        "create",
        "decrease",
        "define",
        "delete",
        "describe",
        "dim",
        "disarm",
        "do",
        "draft",
        "draw",
        "email",
        "explain",
        "fetch",
        "find",
        "fix",
        "forget",
        "get",
        "give",
        "go",
        "heat",
        "help",
        "hold",
        "increase",
        "keep",
        "let",
        "list",
        "listen",
        "lock",
        "look",
        "lower",
        "make",
        "measure",
        "message",
        "move",
        "mute",
        "note",
        "open",
        "order",
        "pause",
        "plan",
        "play",
        "prepare",
        "print",
        "put",
        "raise",
        "read",
        "record",
        "reduce",
        "remember",
        "remind",
        "remove",
        "rename",
        "reply",
        "resume",
        "restart",
        "return",
        "run",
        "save",
        "say",
        "schedule",
        "search",
        "send",
        "set",
        "show",
        "shut",
        "skip",
        "snooze",
        "sort",
        "start",
        "stop",
        "store",
        "suggest",
        "switch",
        "take",
        "teach",
        "tell",
        "test",
        "text",
        "translate",
        "try",
        "turn",
        "unlock",
        "unmute",
        "update",
        "use",
        "vacuum",
        "wait",
        "wake",
        "warn",
        "write",
    ],
    before: &[
        "please", "hark", "ok", "okay", "hey", "then", "and", "now", "so", "just", "also", "first", "next",
        "yes",
    ],
    polite: &[
        "can you",
        "could you",
        "would you",
        "will you",
        "i want you to",
        "i need you to",
        "id like you to",
    ],
    last: &[],
};

const GERMAN: Words = Words {
    meta: &[
        "was habe ich gesagt",
        "was hab ich gesagt",
        "was habe ich gefragt",
        "was hab ich gefragt",
        "was habe ich gerade",
        "was hab ich gerade",
        "was hast du gesagt",
        "was hast du gerade",
        "worüber haben wir",
        "worüber sprachen wir",
        "unser gespräch",
        "dieses gespräch",
        "unserem gespräch",
        "wiederhol",
        "wiederhole",
        "wiederholen sie",
        "sag das noch mal",
        "sag das nochmal",
        "sag es noch mal",
        "zusammenfassung",
        "fass zusammen",
        "fasse zusammen",
        "fass das zusammen",
        "fasse das zusammen",
        "meine letzte frage",
        "meine erste frage",
        "deine letzte antwort",
    ],
    correction: &[
        "eigentlich",
        "fehler",
        "ich meinte",
        "ich meine",
        "ich habe gemeint",
        "ich hab gemeint",
        "nein nicht",
        "doch nicht",
        "nicht das",
        "nicht die",
        "das ist falsch",
        "das war falsch",
        "das stimmt nicht",
        "stimmt nicht",
        "so nicht",
        "korrektur",
        "ich habe mich versprochen",
        "die falsche",
        "das falsche",
        "den falschen",
    ],
    question: &[
        "was",
        "warum",
        "wieso",
        "weshalb",
        "wie",
        "wer",
        "wen",
        "wem",
        "wessen",
        "wo",
        "woher",
        "wohin",
        "wann",
        "welche",
        "welcher",
        "welches",
        "welchen",
        "welchem",
        "wieviel",
        "womit",
        "wofür",
        "wozu",
        "worüber",
        "gibt es",
        "ist es",
        "weißt du",
    ],
    verbs: &[
        "mach",
        "mache",
        "machen",
        "schalt",
        "schalte",
        "schalten",
        "stell",
        "stelle",
        "stellen",
        "setz",
        "setze",
        "erklär",
        "erkläre",
        "erklären",
        "schreib",
        "schreibe",
        "schreiben",
        "zeig",
        "zeige",
        "zeigen",
        "sag",
        "sage",
        "sagen",
        "erzähl",
        "erzähle",
        "öffne",
        "öffnen",
        "schließ",
        "schließe",
        "schließen",
        "spiel",
        "spiele",
        "spielen",
        "stopp",
        "stoppe",
        "fahr",
        "fahre",
        "fahren",
        "dimm",
        "dimme",
        "dimmen",
        "erinner",
        "erinnere",
        "füg",
        "füge",
        "lösch",
        "lösche",
        "löschen",
        "rechne",
        "berechne",
        "übersetz",
        "übersetze",
        "such",
        "suche",
        "lies",
        "gib",
        "nimm",
        "bring",
        "hol",
        "hole",
        "start",
        "starte",
        "beende",
        "erstell",
        "erstelle",
        "finde",
        "find",
        "vergiss",
        "merk",
        "merke",
        "ruf",
        "rufe",
        "schick",
        "schicke",
        "sende",
        "plan",
        "plane",
        "weck",
        "wecke",
        "heiz",
        "heize",
        "lass",
        "nenn",
        "nenne",
        "prüf",
        "prüfe",
        "vergleich",
        "vergleiche",
        "beschreib",
        "beschreibe",
        "zähl",
        "zähle",
        "leg",
        "lege",
        "änder",
        "ändere",
        "erhöh",
        "erhöhe",
        "senk",
        "senke",
        "sperr",
        "sperre",
        "entsperr",
        "entsperre",
        "verriegle",
        "hilf",
        "warte",
        "geh",
        "schlag",
    ],
    before: &[
        "bitte", "hark", "ok", "okay", "hey", "dann", "und", "jetzt", "nun", "also", "mal", "noch", "erst",
        "ja",
    ],
    polite: &[
        "kannst du",
        "könntest du",
        "würdest du",
        "können sie",
        "könnten sie",
        "ich möchte dass du",
        "du sollst",
    ],
    last: &["an", "aus", "auf", "zu", "ein", "heller", "dunkler", "lauter", "leiser", "wärmer", "kälter"],
};

/// What kind of request a text is: about the conversation before everything else, then a correction, a question by
/// its mark, an instruction, a question by its words. `language` is ISO 639-1; English is what is not German.
pub fn tag(text: &str, language: &str) -> EntryTag {
    let words = if language == "de" { &GERMAN } else { &ENGLISH };
    let spoken = spoken(text);
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| spoken.contains(&format!(" {phrase} ")));
    if has(words.meta) {
        EntryTag::Meta
    } else if has(words.correction) {
        EntryTag::Correction
    } else if text.trim_end().ends_with('?') {
        EntryTag::Question
    } else if instructs(&spoken, words) {
        EntryTag::Instruction
    } else if has(words.question) {
        EntryTag::Question
    } else {
        EntryTag::Other
    }
}

fn instructs(spoken: &str, words: &Words) -> bool {
    let mut rest = spoken.split_whitespace().skip_while(|word| words.before.contains(word)).peekable();
    let first_is_verb = rest.peek().is_some_and(|word| words.verbs.contains(word));
    let rest = format!(" {} ", rest.collect::<Vec<_>>().join(" "));
    let polite = words.polite.iter().any(|phrase| rest.starts_with(&format!(" {phrase} ")));
    let ends = rest.split_whitespace().count() > 1
        && rest.split_whitespace().next_back().is_some_and(|word| words.last.contains(&word));
    first_is_verb || polite || ends
}

/// Lower-case words with one blank before, between and after them.
fn spoken(text: &str) -> String {
    let mut spoken = String::from(" ");
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’') {
        let word: String =
            word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        if !word.is_empty() {
            spoken.push_str(&word);
            spoken.push(' ');
        }
    }
    spoken
}

#[cfg(test)]
mod tests {
    use super::*;
    use EntryTag::{Correction, Instruction, Meta, Other, Question};

    #[test]
    fn every_request_has_a_kind() {
        for (text, language, expected) in [
            ("What is the capital of France?", "en", Question),
            ("the lights are on?", "en", Question),
            ("how tall is the Eiffel Tower", "en", Question),
            ("tell me what the time is", "en", Instruction),
            ("please explain quantum physics", "en", Instruction),
            ("could you write a short poem", "en", Instruction),
            ("Turn on the light.", "en", Instruction),
            ("Actually, make it blue", "en", Correction),
            ("No, I meant the kitchen", "en", Correction),
            ("that was a mistake", "en", Correction),
            ("What did I say?", "en", Meta),
            ("repeat that please", "en", Meta),
            ("give me a summary", "en", Meta),
            ("I am tired", "en", Other),
            ("it was nice", "en", Other),
            ("", "en", Other),
            ("Was ist das?", "de", Question),
            ("wie hoch ist der Turm", "de", Question),
            ("Schalte bitte das Licht ein", "de", Instruction),
            ("Licht in der Küche aus", "de", Instruction),
            ("kannst du mir ein Gedicht schreiben", "de", Instruction),
            ("Nein, ich meinte die Küche", "de", Correction),
            ("eigentlich lieber blau", "de", Correction),
            ("Was habe ich gesagt?", "de", Meta),
            ("mach eine Zusammenfassung", "de", Meta),
            ("ich bin müde", "de", Other),
        ] {
            assert_eq!(tag(text, language), expected, "{text}");
        }
        for tag in [Question, Instruction, Correction, Meta, Other] {
            assert_eq!(named(name(tag)), tag);
            assert_eq!(serde_json::to_value(tag).unwrap(), name(tag));
        }
    }
}

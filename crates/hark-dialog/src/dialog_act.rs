//! Kinds of requests, and how long an answer they want, told without a model: from the words of the languages a request may be in.

use hark_core::session::{EntryTag, Verbosity, spoken};
use hark_language::conversation::{Kinds, Length};
use hark_language::{Lexicon, Phrases, phrases};

/// What kind of request a text is: about the conversation before everything else, then a correction, a question by
/// its mark, an instruction, a question by its words. `languages`: those it may be in.
pub fn tag(text: &str, languages: &[&'static Lexicon]) -> EntryTag {
    let spoken = spoken(text);
    let has = |phrases: fn(&Kinds) -> Phrases| {
        let all = languages.iter().flat_map(|language| phrases(&language.conversation.kinds).to_vec());
        all.into_iter().any(|phrase| spoken.contains(&format!(" {phrase} ")))
    };
    if has(|kinds| kinds.meta) {
        EntryTag::Meta
    } else if has(|kinds| kinds.correction) {
        EntryTag::Correction
    } else if text.trim_end().ends_with('?') {
        EntryTag::Question
    } else if languages.iter().any(|language| instructs(&spoken, language)) {
        EntryTag::Instruction
    } else if has(|kinds| kinds.question) {
        EntryTag::Question
    } else {
        EntryTag::Other
    }
}

/// Whether a text is a question by its mark or its first words; "when" may begin anything.
pub fn begins_as_question(text: &str, languages: &[&'static Lexicon]) -> bool {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let begins = |it: &&&'static Lexicon| {
        // "And where's the concert" asks as well.
        let asked = phrases::without_starts(&[it.requests.connectors, it.memory.leads], &words);
        let text = asked.join(" ");
        it.memory.asks_whether(&text) || it.memory.asks_what(&text) && !is_what_is(asked, it)
    };
    text.trim_end().ends_with('?') || languages.iter().any(|it| begins(&it))
}

/// Whether some words say what something is: "what he'd like is a telescope".
fn is_what_is(words: &[&str], lexicon: &Lexicon) -> bool {
    let talk = &lexicon.discourse;
    let says = |list| phrases::starts(list, words.get(1..).unwrap_or_default()).is_some();
    let is_it = words.iter().skip(3).any(|word| talk.copulas.contains(word));
    is_it && (says(talk.speakers) || says(talk.others))
}

/// How long an answer the words of a request want; `None` where they do not say.
pub fn wanted_length(text: &str, languages: &[&'static Lexicon]) -> Option<Verbosity> {
    let spoken = spoken(text);
    let has = |phrases: fn(&Length) -> Phrases| {
        let mut all = languages.iter().flat_map(|language| phrases(&language.conversation.length).to_vec());
        all.any(|phrase| spoken.contains(&format!(" {phrase} ")))
    };
    if has(|length| length.short) {
        Some(Verbosity::Short)
    } else if has(|length| length.long) {
        Some(Verbosity::Long)
    } else {
        None
    }
}

fn instructs(spoken: &str, language: &Lexicon) -> bool {
    let kinds = &language.conversation.kinds;
    let words: Vec<&str> = spoken.split_whitespace().skip_while(|word| kinds.before.contains(word)).collect();
    let first_is_verb = words.first().is_some_and(|word| kinds.verbs.contains(word));
    // "Water the plants" is an order, "water comes in under the sink" is none.
    let has_object = |words: &[&str]| {
        let small = [language.things.articles, language.requests.pronouns];
        let second = words.get(1);
        second.is_some_and(|it| small.iter().any(|list| list.contains(it)))
            || second.is_some_and(|it| language.numbers.number(&[*it]).is_some())
    };
    let first_is_verb = first_is_verb
        || words.first().is_some_and(|it| kinds.verbs_or_nouns.contains(it)) && has_object(&words);
    let polite = phrases::starts(kinds.polite, &words).is_some();
    let ends = words.len() > 1 && words.last().is_some_and(|word| kinds.last.contains(word));
    first_is_verb || polite || ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_how_long_an_answer_is_wanted() {
        for (text, language, expected) in [
            ("In one sentence, what is a heat pump?", "en", Some(Verbosity::Short)),
            ("explain in detail how a heat pump works", "en", Some(Verbosity::Long)),
            ("what is a heat pump", "en", None),
            ("Erklär mir ausführlich, was eine Wärmepumpe ist", "de", Some(Verbosity::Long)),
            ("was ist in wenigen Worten eine Wärmepumpe", "de", Some(Verbosity::Short)),
        ] {
            assert_eq!(wanted_length(text, &[hark_language::of(language)]), expected, "{text}");
        }
    }
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
            ("transfer fifty pounds to my sister", "en", Instruction),
            ("water comes in under the sink", "en", Other),
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
            ("turn on the light", "de", Other),
            ("turn on the light", "xx", Other),
        ] {
            assert_eq!(tag(text, &[hark_language::of(language)]), expected, "{text}");
        }
    }
}

//! Binds what a model says was done to the receipts of it, by act and thing: after one true deed another one is no more
//! true than before. A sentence in which Hark says of itself that it did something, or that says so in any way that is
//! known, is kept only where every clause of it names a thing that a receipt is about, and no contrary of the act.

use super::action_claims::{self, Measure};
use super::claimed_action::{ClaimedAction, words};
use hark_language::Lexicon;

/// Acts that are each other's contrary; what tells of one and not of the other denies the other.
const CONTRARIES: &[(&str, &str)] = &[
    ("home.turn_on", "home.turn_off"),
    ("media.pause", "media.unpause"),
    ("media.mute", "media.unmute"),
    ("timer.pause", "timer.resume"),
    ("timer.start", "timer.cancel"),
    ("timer.increase", "timer.decrease"),
    ("alarm.set", "alarm.cancel"),
    ("reminder.set", "reminder.cancel"),
    ("list.add", "list.remove"),
    ("memory.remember", "memory.forget"),
];

/// A word may be a part of another from so many characters on: "licht" of "deckenlicht".
const MIN_PART_CHARS: usize = 4;
/// What may be said of a text, sentence by sentence; empty where nothing may.
pub(super) fn bound(text: &str, actions: &[ClaimedAction], languages: &[&'static Lexicon]) -> String {
    let kept = sentences(text).into_iter().filter(|sentence| may_be_said(sentence, actions, languages));
    kept.collect::<String>().trim().to_owned()
}

/// The sentences of a text, each with what ends it and the blanks behind.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut from, mut ended) = (0, false);
    for (at, c) in text.char_indices() {
        if ended && !c.is_whitespace() {
            found.push(&text[from..at]);
            from = at;
        }
        // A point within a number ends nothing.
        let blank_follows = text[at + c.len_utf8()..].chars().next().is_none_or(char::is_whitespace);
        ended = matches!(c, '.' | '!' | '?' | '…' | '\n') && blank_follows || ended && c.is_whitespace();
    }
    found.push(&text[from..]);
    found
}

fn may_be_said(sentence: &str, actions: &[ClaimedAction], languages: &[&'static Lexicon]) -> bool {
    let claims = action_claims::claims(sentence, Measure::Task, languages);
    let says_of_itself = !sentence.trim_end().ends_with('?') && has_doer(sentence, languages);
    if !claims && !says_of_itself || is_denied(sentence, languages) {
        return true;
    }
    let clauses = clauses(sentence, languages);
    // What is only over says nothing of which thing.
    let said: Vec<&Vec<String>> =
        clauses.iter().filter(|clause| !action_claims::is_only_over(clause, languages)).collect();
    said.iter().all(|clause| {
        is_pronoun(clause, languages) || actions.iter().any(|action| backs(action, clause, languages))
    })
}

/// The words of the clauses of a sentence: what stands between commas and words that join.
fn clauses(sentence: &str, languages: &[&'static Lexicon]) -> Vec<Vec<String>> {
    let joins = |word: &String| languages.iter().any(|language| language.steps.joins.contains(word));
    let parts = sentence.split([',', ';', ':', '–', '—']);
    let clauses = parts.flat_map(|part| {
        let words: Vec<String> = words(part).collect();
        words.split(joins).map(<[String]>::to_vec).collect::<Vec<_>>()
    });
    clauses.filter(|clause| !clause.is_empty()).collect()
}

fn has_doer(sentence: &str, languages: &[&'static Lexicon]) -> bool {
    words(sentence).any(|word| {
        languages
            .iter()
            .map(|language| &language.claims)
            .any(|known| known.adjacent.doers.contains(&word) || known.apart.doers.contains(&word))
    })
}

fn is_denied(sentence: &str, languages: &[&'static Lexicon]) -> bool {
    words(sentence).any(|word| {
        languages.iter().map(|language| &language.claims).any(|known| {
            known.denials.contains(&word) || known.denial_endings.iter().any(|ending| word.ends_with(ending))
        })
    })
}

/// Whether a clause speaks of what the one before it was about.
fn is_pronoun(clause: &[String], languages: &[&'static Lexicon]) -> bool {
    clause.iter().any(|word| languages.iter().any(|language| language.everyday.pronouns.contains(word)))
}

/// Whether a receipt is about what a clause names, and the clause says nothing contrary to the act.
fn backs(action: &ClaimedAction, clause: &[String], languages: &[&'static Lexicon]) -> bool {
    let names = |word: &String| action.things.iter().any(|thing| is_alike(word, thing));
    action.ok && action.writes && clause.iter().any(names) && !is_contrary(&action.tool, clause, languages)
}

fn is_alike(word: &str, thing: &str) -> bool {
    let is_part = |part: &str, whole: &str| part.chars().count() >= MIN_PART_CHARS && whole.contains(part);
    word == thing || is_part(word, thing) || is_part(thing, word)
}

/// Whether a clause has a word of the contrary of an act that is no word of the act.
fn is_contrary(tool: &str, clause: &[String], languages: &[&'static Lexicon]) -> bool {
    let contrary = CONTRARIES.iter().find_map(|(a, b)| match tool {
        tool if tool == *a => Some(*b),
        tool if tool == *b => Some(*a),
        _ => None,
    });
    let Some(contrary) = contrary else { return false };
    // "Removed" tells of what "remove" tells of.
    let is_form =
        |word: &str, of: &str| word == of || of.chars().count() >= MIN_PART_CHARS && word.starts_with(of);
    let tells = |tool: &str, word: &String| {
        let words = languages.iter().filter_map(|language| language.tools.triggers.get(tool));
        words.into_iter().any(|words| words.iter().any(|trigger| is_form(word, trigger)))
    };
    clause.iter().any(|word| tells(contrary, word) && !tells(tool, word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::Receipt;
    use serde_json::{Value, json};

    fn action(tool: &str, args: Value, detail: Value) -> ClaimedAction {
        let receipt = Receipt { id: "r-1".into(), ok: true, changed: true, detail, tainted: false };
        ClaimedAction::of(tool, true, &args, &receipt, &crate::summary::english())
    }

    fn lamp() -> ClaimedAction {
        let entity = json!({"id": "light.lamp", "name": "Lamp", "area": "Living room", "domain": "light"});
        action("home.turn_on", json!({"name": "lamp"}), json!({"entities": [entity]}))
    }

    fn said(text: &str, actions: &[ClaimedAction]) -> String {
        bound(text, actions, &["en", "de"].map(hark_language::of))
    }

    #[test]
    fn after_one_true_deed_no_other_is_told() {
        for kept in [
            "I've turned on the lamp.",
            "Done, the lamp in the living room is on now.",
            "All done! The lamp is on.",
            "I turned on the lamp and set it to warm.",
            "I could not find a heater.",
            "It is 21 degrees outside.",
            "Which colour do you want?",
            "Ich habe die Lampe eingeschaltet.",
        ] {
            assert_eq!(said(kept, &[lamp()]), kept);
        }
        for dropped in [
            "I locked the front door.",
            "I called the police.",
            "I've turned the lamp off.",
            "I turned on the lamp and called the police.",
            "I turned on the lamp, locked the back door.",
            "The front door has been locked.",
            "Ich habe die Polizei gerufen.",
            "Ich habe die Haustür abgeschlossen.",
        ] {
            assert_eq!(said(dropped, &[lamp()]), "", "{dropped}");
        }
        assert_eq!(
            said("The lamp is on. I called the police. Anything else?", &[lamp()]),
            "The lamp is on. Anything else?"
        );
    }

    #[test]
    fn what_is_no_home_is_bound_by_its_receipt_too() {
        let milk =
            action("list.add", json!({"item": "milk"}), json!({"list": "Shopping", "items": ["milk"]}));
        let timer = action("timer.start", json!({"minutes": 10, "name": "pasta"}), json!({"name": "pasta"}));
        let both = [milk, timer];
        for kept in ["I've added milk to your shopping list.", "Done, I set a pasta timer for 10 minutes."] {
            assert_eq!(said(kept, &both), kept);
        }
        assert_eq!(said("I removed the milk from the list.", &both), "");
        assert_eq!(said("I ordered a pizza.", &both), "");
        let failed = ClaimedAction { ok: false, ..lamp() };
        assert_eq!(said("I've turned on the lamp.", &[failed]), "");
    }
}
